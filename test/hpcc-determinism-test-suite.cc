/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/global-value.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

namespace ns3
{

/**
 * A scheduler that runs simultaneous events in an order that depends on its seed, not on the order
 * in which they were scheduled. With this scheduler, the results of a model change if they depend
 * on the order of simultaneous events.
 */
class HpccShuffleScheduler : public Scheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HpccShuffleScheduler")
                                .SetParent<Scheduler>()
                                .SetGroupName("Hpcc")
                                .AddConstructor<HpccShuffleScheduler>()
                                .AddAttribute("Seed",
                                              "Chooses the order.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&HpccShuffleScheduler::m_seed),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    void Insert(const Event& event) override
    {
        m_events.emplace(KeyOf(event), event);
    }

    bool IsEmpty() const override
    {
        return m_events.empty();
    }

    Event PeekNext() const override
    {
        return m_events.begin()->second;
    }

    Event RemoveNext() override
    {
        Event event = m_events.begin()->second;
        m_events.erase(m_events.begin());
        return event;
    }

    void Remove(const Event& event) override
    {
        m_events.erase(KeyOf(event));
    }

  private:
    /// Time of an event, hash of the number of the event, and the number.
    using Key = std::tuple<uint64_t, uint64_t, uint32_t>;

    /// Returns the key by which the scheduler sorts @p event.
    Key KeyOf(const Event& event) const
    {
        uint64_t hash = (uint64_t{event.key.m_uid} << 32 | m_seed) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
        hash *= 0xbf58476d1ce4e5b9ULL;
        hash ^= hash >> 32;
        return {event.key.m_ts, hash, event.key.m_uid};
    }

    uint32_t m_seed{1};            ///< attribute Seed
    std::map<Key, Event> m_events; ///< pending events
};

NS_OBJECT_ENSURE_REGISTERED(HpccShuffleScheduler);

} // namespace ns3

using namespace ns3;

namespace
{

/// CSV files by name.
using Files = std::map<std::string, std::string>;

/// Runs experiments as the examples do and reads their output files.
class ExperimentTestCase : public TestCase
{
  public:
    /// The experiment to run.
    enum class Scene
    {
        INCAST,     ///< hpcc-incast
        LEAF_SPINE, ///< ECMP, marks, losses
        FAILING,    ///< failing links, spraying, selective repeat
        CUT_SHORT,  ///< frames start in the same nanosecond in which the run ends
    };

    /**
     * @param sentence beginning of the case's name, to which the name of the scene is appended
     * @param scene the scene
     */
    ExperimentTestCase(const std::string& sentence, Scene scene)
        : TestCase(sentence + (scene == Scene::INCAST ? "an incast"
                               : scene == Scene::LEAF_SPINE
                                   ? "a leaf-spine with ECMP, marks and losses"
                               : scene == Scene::FAILING ? "a leaf-spine that sprays and fails"
                                                         : "a run that ends under full load")),
          m_scene(scene)
    {
    }

  protected:
    /**
     * Runs the experiment.
     * @param options command-line options
     * @return the CSV files
     */
    Files Run(const std::vector<std::string>& options)
    {
        std::string directory = CreateTempDirFilename("run" + std::to_string(m_runs++));
        std::vector<std::string> arguments{"hpcc-determinism", "--progress=0", "--qp-csv"};
        arguments.push_back("--out=" + directory);
        if (m_scene == Scene::CUT_SHORT)
        {
            // The transmission of a frame of 1168 + 58 + 24 bytes takes 100 ns. The run ends at a
            // multiple of 100 ns.
            arguments.insert(arguments.end(), {"--cc=none", "--mtu=1168"});
        }
        else
        {
            arguments.push_back("--cc=hpcc++,hpcc,dcqcn");
        }
        if (m_scene == Scene::FAILING)
        {
            // The second link comes up before the routes have been changed because of its failure.
            arguments.insert(arguments.end(),
                             {"--paths=spray",
                              "--recovery=irn",
                              "--telemetry=int-md",
                              "--convergence=30us",
                              "--fail=12-15@60us-150us,13-16@90us-100us,3-12@110us-140us"});
        }
        arguments.insert(arguments.end(), options.begin(), options.end());
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        std::ostringstream table;
        auto* before = std::cout.rdbuf(table.rdbuf());
        HpccExperiment experiment("hpcc-determinism", "test", "none");
        experiment.Parse(static_cast<int>(argv.size()), argv.data());
        experiment.Run(m_scene == Scene::INCAST      ? Incast()
                       : m_scene != Scene::CUT_SHORT ? LeafSpine()
                                                     : CutShort());
        std::cout.rdbuf(before);
        Files files;
        for (const auto& entry : std::filesystem::directory_iterator(directory))
        {
            if (entry.path().extension() == ".csv")
            {
                std::ifstream in(entry.path());
                std::ostringstream text;
                text << in.rdbuf();
                files[entry.path().filename().string()] = text.str();
            }
        }
        return files;
    }

    /**
     * Expects that two runs have written the same CSV files.
     * @param files CSV files of the run
     * @param expected CSV files of the run to compare with
     * @param run name of the run, for messages
     */
    void Compare(const Files& files, const Files& expected, const std::string& run)
    {
        NS_TEST_ASSERT_MSG_EQ(files.size(), expected.size(), "files of " << run);
        for (const auto& [name, text] : expected)
        {
            auto found = files.find(name);
            NS_TEST_ASSERT_MSG_EQ((found != files.end()), true, name << " of " << run);
            NS_TEST_ASSERT_MSG_EQ((found->second == text),
                                  true,
                                  name << " of " << run << ": "
                                       << FirstDifference(found->second, text));
        }
    }

    void DoTeardown() override
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }

  private:
    /// @return the scenario of hpcc-incast, 16 to 1
    static HpccExperiment::Scenario Incast()
    {
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(17, {});
        for (uint32_t i = 0; i < 16; ++i)
        {
            scenario.flows.push_back({i, 16, 100000, 0, 0, 0});
        }
        scenario.perFlowSeries = true;
        return scenario;
    }

    /**
     * Returns a scenario of two permutations and an incast in a leaf-spine network, with ECMP,
     * marks and losses. All starts, rates and delays are equal, so there are thousands of
     * simultaneous events.
     */
    static HpccExperiment::Scenario LeafSpine()
    {
        HpccExperiment::Scenario scenario;
        auto plan = HpccTopology::LeafSpine(3, 2, 4, {});
        for (uint32_t i = 0; i < plan.GetNodes(); ++i)
        {
            scenario.topology.AddNode(plan.IsSwitch(i));
        }
        for (auto link : plan.GetLinks())
        {
            link.errorRate = link.a < 2 ? 1e-3 : 0;
            scenario.topology.AddLink(link);
        }
        for (uint32_t i = 0; i < 12; ++i)
        {
            scenario.flows.push_back({i, (i + 4) % 12, 200000, 0, 0, 0});
            scenario.flows.push_back({i, (i + 7) % 12, 50000, 10000 * (i % 3), 0, 0});
            if (i != 5)
            {
                scenario.flows.push_back({i, 5, 2000000, 20000, 0, 0});
            }
        }
        scenario.perFlowSeries = true;
        scenario.stop = MicroSeconds(400);
        return scenario;
    }

    /**
     * Returns a scenario of an incast without congestion control that is stopped early. The switch
     * starts its fourth frame and all later frames at multiples of 100 ns. To achieve this, the
     * start time of the flows accounts for the first three frames: they take 303.84 ns in total,
     * because each has a RETH and is therefore 16 bytes longer than later frames.
     */
    static HpccExperiment::Scenario CutShort()
    {
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(4, {});
        for (uint32_t i = 0; i < 3; ++i)
        {
            scenario.flows.push_back({i, 3, 10000000, 96, 0, 0});
        }
        scenario.perFlowSeries = true;
        scenario.stop = MicroSeconds(400);
        return scenario;
    }

    /// Returns the first pair of lines in which @p a and @p b differ.
    static std::string FirstDifference(const std::string& a, const std::string& b)
    {
        std::istringstream inA(a);
        std::istringstream inB(b);
        std::string lineA;
        std::string lineB;
        for (int line = 1;; ++line)
        {
            bool moreA = static_cast<bool>(std::getline(inA, lineA));
            bool moreB = static_cast<bool>(std::getline(inB, lineB));
            if (!moreA || !moreB || lineA != lineB)
            {
                return "line " + std::to_string(line) + " is \"" + (moreA ? lineA : "") +
                       "\" and should be \"" + (moreB ? lineB : "") + "\"";
            }
        }
    }

    Scene m_scene;      ///< the experiment
    uint32_t m_runs{0}; ///< number of runs so far
};

class SameSeedTestCase : public ExperimentTestCase
{
  public:
    explicit SameSeedTestCase(Scene scene)
        : ExperimentTestCase("same command, same seed: same bytes in every CSV of ", scene),
          m_marks(scene == Scene::LEAF_SPINE || scene == Scene::FAILING)
    {
    }

  private:
    void DoRun() override
    {
        Files first = Run({"--seed=1"});
        NS_TEST_ASSERT_MSG_EQ(first.size(), 6, "CSV files");
        Compare(Run({"--seed=1"}), first, "the second run");
        if (m_marks)
        {
            Files other = Run({"--seed=2"});
            NS_TEST_ASSERT_MSG_EQ((other.at("fct.csv") != first.at("fct.csv")),
                                  true,
                                  "marks are random, so another seed gives other times");
        }
    }

    bool m_marks; ///< true if the scenario has random marks
};

class ShuffleTestCase : public ExperimentTestCase
{
  public:
    explicit ShuffleTestCase(Scene scene)
        : ExperimentTestCase(
              "the order in which ns-3 runs events of one nanosecond changes no byte "
              "of any CSV of ",
              scene)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t permutations = hpcctest::FullOrShort(20, 2);
        Files expected = Run({});
        for (uint64_t seed = 1; seed <= permutations; ++seed)
        {
            Compare(Run({"--SchedulerType=ns3::HpccShuffleScheduler",
                         "--ns3::HpccShuffleScheduler::Seed=" + std::to_string(seed)}),
                    expected,
                    "permutation " + std::to_string(seed));
        }
    }
};

class LagTestCase : public ExperimentTestCase
{
  public:
    explicit LagTestCase(Scene scene)
        : ExperimentTestCase("how far nodes lag behind ns-3's clock changes no byte of any CSV of ",
                             scene)
    {
    }

  private:
    void DoRun() override
    {
        Files expected = Run({"--max-lag=0ns"});
        for (const std::string lag : {"1ns", "7ns", "80ns", "333ns", "999ns", "1ms"})
        {
            Compare(Run({"--max-lag=" + lag}), expected, "lag " + lag);
        }
    }
};

/// Tests that HpccShuffleScheduler permutes events.
class ShuffleSchedulerTestCase : public TestCase
{
  public:
    ShuffleSchedulerTestCase()
        : TestCase("the shuffling scheduler permutes events of one nanosecond and no others")
    {
    }

  private:
    void DoRun() override
    {
        std::map<std::string, int> orders;
        for (uint32_t seed = 1; seed <= 20; ++seed)
        {
            ObjectFactory factory;
            factory.SetTypeId("ns3::HpccShuffleScheduler");
            factory.Set("Seed", UintegerValue(seed));
            Simulator::SetScheduler(factory);
            std::string order;
            for (char c : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'})
            {
                Simulator::Schedule(NanoSeconds(5), [&order, c] { order += c; });
            }
            Simulator::Schedule(NanoSeconds(6), [&order] { order += '.'; });
            Simulator::Schedule(NanoSeconds(4), [&order] { order += '!'; });
            Simulator::Run();
            Simulator::Destroy();
            ++orders[order];
            NS_TEST_ASSERT_MSG_EQ(order.size(), 10, "events");
            NS_TEST_ASSERT_MSG_EQ(order.front(), '!', "the earlier one first");
            NS_TEST_ASSERT_MSG_EQ(order.back(), '.', "the later one last");
        }
        NS_TEST_ASSERT_MSG_EQ(orders.size(), 20, "different orders");
    }
};

/// Tests that two incasts with different policies do not affect each other if they share no link.
class DisjointHalvesTestCase : public TestCase
{
  public:
    DisjointHalvesTestCase()
        : TestCase("8 HPCC++ and 8 DCQCN flows on disjoint halves of one run finish when each half "
                   "would alone")
    {
    }

  private:
    /// End of a flow at the sender, its end at the receiver, and its ideal time.
    using Row = std::tuple<int64_t, int64_t, int64_t>;

    /**
     * Runs one half of the network or both.
     * @param halves bit 0: the HPCC++ half runs, bit 1: the DCQCN half runs
     * @return times of each flow by source
     */
    std::map<uint32_t, Row> Run(uint32_t halves)
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
        std::map<uint32_t, Row> rows;
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::LeafSpine(2, 1, 9, {}));
        fabric.AssignStreams(1);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t half = 0; half < 2; ++half)
        {
            auto spec = HpccFabricHelper::MakePolicy(half == 0 ? "hpcc++" : "dcqcn");
            for (uint32_t i = 0; i < 8; ++i)
            {
                if (halves >> half & 1)
                {
                    uint32_t source = 9 * half + i;
                    uint32_t destination = 9 * half + 8;
                    uint32_t qp = fabric.Connect(source, destination, spec);
                    fabric.AddMessage(source, qp, 500000, NanoSeconds(1000 * i));
                    flows.push_back({source, destination, 500000, 1000 * i, qp, 0});
                }
            }
        }
        HpccMonitor monitor(fabric, flows, 0);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        for (size_t i = 0; i < flows.size(); ++i)
        {
            const auto& result = monitor.GetResults()[i];
            NS_TEST_EXPECT_MSG_GT(result.endNs, 0, "flow " << i << " finishes");
            rows[flows[i].source] = {result.endNs, result.receiverEndNs, result.idealNs};
        }
        if (halves >> 1 & 1)
        {
            NS_TEST_EXPECT_MSG_GT(fabric.GetSwitch(19)->GetEcnMarks(), 100, "DCQCN meets marks");
        }
        Simulator::Destroy();
        return rows;
    }

    void DoRun() override
    {
        auto both = Run(3);
        auto alone = Run(1);
        alone.merge(Run(2));
        NS_TEST_ASSERT_MSG_EQ(both.size(), 16, "flows");
        NS_TEST_ASSERT_MSG_EQ((both == alone), true, "start to end of every flow, to the ns");
    }
};

/// Tests that results depend only on the topology and the seed.
class HpccDeterminismTestSuite : public TestSuite
{
  public:
    HpccDeterminismTestSuite()
        : TestSuite("hpcc-determinism", Type::SYSTEM)
    {
        AddTestCase(new ShuffleSchedulerTestCase);
        using Scene = ExperimentTestCase::Scene;
        for (auto scene : {Scene::INCAST, Scene::LEAF_SPINE, Scene::FAILING, Scene::CUT_SHORT})
        {
            AddTestCase(new SameSeedTestCase(scene));
            AddTestCase(new ShuffleTestCase(scene));
            AddTestCase(new LagTestCase(scene));
        }
        AddTestCase(new DisjointHalvesTestCase);
    }
};

/// Registers the suite.
HpccDeterminismTestSuite g_hpccDeterminismTestSuite;

} // namespace
