/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The files of the HPCC authors' simulator, run here, against what that simulator wrote. Expected
// completion times are in data/authors/expected, as are figures of its runs with other random
// numbers; peaks and means of the queue were measured in that simulator on the same inputs.

#include "../examples/hpcc-authors-policies.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-authors-run.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

using namespace ns3;

namespace
{

const std::string DATA =
    std::filesystem::absolute(std::string(NS_TEST_SOURCEDIR) + "/data/authors").string() + "/";

/// What a run gave.
struct Outcome
{
    std::map<std::string, double> fctNs; ///< by source, start and bytes
    double peakBytes{0};                 ///< highest queue
    double meanBytes{0};                 ///< mean queue in the window
};

/// @return completion times of an fct file, by source, bytes and start
std::map<std::string, double>
ReadFct(const std::string& path)
{
    std::map<std::string, double> fct;
    std::ifstream in(path);
    std::string sip;
    std::string dip;
    std::string sport;
    std::string dport;
    std::string bytes;
    std::string start;
    double ns = 0;
    double standalone = 0;
    while (in >> sip >> dip >> sport >> dport >> bytes >> start >> ns >> standalone)
    {
        fct[sip + " " + bytes + " " + start] = ns;
    }
    return fct;
}

/// Runs a config. The mean is that of the whole run.
Outcome
RunConfig(const std::string& name, uint64_t run, const std::string& fctPath)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(run);
    Outcome outcome;
    HpccAuthorsConfig config(DATA + "config/" + name + ".txt");
    {
        auto spec = MakeAuthorsPolicy(config);
        HpccAuthorsRun authors(config);
        ConfigureAuthorsRun(config, authors);
        authors.SetOutputs(fctPath, "", "");
        auto scenario = authors.MakeScenario(spec);
        HpccFabricHelper fabric;
        authors.Configure(fabric);
        ConfigureAuthorsHosts(config, fabric);
        fabric.Install(scenario.topology);
        fabric.AssignStreams(1);
        fabric.SetNetworkBaseRttNs(scenario.baseRttNs);
        for (auto& flow : scenario.flows)
        {
            flow.queuePair = scenario.connect(fabric, flow, spec);
            fabric.AddMessage(flow.source, flow.queuePair, flow.bytes, NanoSeconds(flow.startNs));
        }
        HpccMonitor monitor(fabric, scenario.flows, scenario.flows.back().startNs);
        scenario.connected(fabric);
        Simulator::Stop(scenario.stop);
        Simulator::Run();
        scenario.finished(fabric, scenario.flows, monitor);
        outcome.peakBytes = static_cast<double>(monitor.Summarize().queuePeakBytes);
        outcome.meanBytes = monitor.GetMeanQueueBytes();
    }
    Simulator::Destroy();
    outcome.fctNs = ReadFct(fctPath);
    return outcome;
}

/// @return smallest, mean and largest
std::array<double, 3>
MinMeanMax(const std::map<std::string, double>& fct)
{
    std::array<double, 3> result{1e18, 0, 0};
    for (const auto& [key, ns] : fct)
    {
        result[0] = std::min(result[0], ns);
        result[1] += ns / static_cast<double>(fct.size());
        result[2] = std::max(result[2], ns);
    }
    return result;
}

/// Unloaded flows.
class UnloadedTestCase : public TestCase
{
  public:
    explicit UnloadedTestCase(const std::string& name)
        : TestCase("unloaded flows of " + name + " take the authors' times within 1 %"),
          m_name(name)
    {
    }

  private:
    void DoRun() override
    {
        auto expected = ReadFct(DATA + "expected/" + m_name + ".fct.txt");
        NS_TEST_ASSERT_MSG_EQ(expected.size(), 4, "expected data are missing");
        auto outcome = RunConfig(m_name, 1, CreateTempDirFilename(m_name + ".fct.txt"));
        NS_TEST_ASSERT_MSG_EQ(outcome.fctNs.size(), expected.size(), "flows finished");
        for (const auto& [key, ns] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.count(key), 1, "flow " << key << " is missing");
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.fctNs[key], ns, 0.01 * ns, "flow " << key);
        }
    }

    std::string m_name;
};

/// Runs that end as the authors' do: same law, same times. Which of several flows that start at one
/// moment comes first is not compared.
class ExactTestCase : public TestCase
{
  public:
    explicit ExactTestCase(const std::string& name)
        : TestCase(name + " has the authors' completion times to the nanosecond"),
          m_name(name)
    {
    }

  private:
    void DoRun() override
    {
        auto expected = Sorted(ReadFct(DATA + "expected/" + m_name + ".fct.txt"));
        auto got = Sorted(RunConfig(m_name, 1, CreateTempDirFilename(m_name + ".fct.txt")).fctNs);
        NS_TEST_ASSERT_MSG_EQ(got.size(), expected.size(), "flows finished");
        for (size_t i = 0; i < got.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(got[i], expected[i], "completion time " << i << " by length");
        }
    }

    /// @return the times, shortest first
    static std::vector<double> Sorted(const std::map<std::string, double>& fctNs)
    {
        std::vector<double> times;
        for (const auto& [key, ns] : fctNs)
        {
            times.push_back(ns);
        }
        std::sort(times.begin(), times.end());
        return times;
    }

    std::string m_name;
};

/// A loaded run; its marks, if it has any, are drawn from the same numbers as there.
class LoadedTestCase : public TestCase
{
  public:
    LoadedTestCase(const std::string& name, double peak, double mean, double tolerance = 0.03)
        : TestCase(name + " has the authors' queue and completion times within " +
                   std::to_string(static_cast<int>(100 * tolerance)) + " %"),
          m_name(name),
          m_peak(peak),
          m_mean(mean),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        auto expected = MinMeanMax(ReadFct(DATA + "expected/" + m_name + ".fct.txt"));
        auto outcome = RunConfig(m_name, 1, CreateTempDirFilename(m_name + ".fct.txt"));
        auto got = MinMeanMax(outcome.fctNs);
        const char* names[] = {"smallest", "mean", "largest"};
        for (size_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(got[i], expected[i], m_tolerance * expected[i], names[i]);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.peakBytes, m_peak, m_tolerance * m_peak, "peak queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.meanBytes, m_mean, m_tolerance * m_mean, "mean queue");
    }

    std::string m_name;
    double m_peak;
    double m_mean;
    double m_tolerance;
};

/**
 * The same input with other random numbers, there and here. Two runs are equal until the first
 * packet that differs, and from then on as far apart as any two: of two different draws of that
 * simulator's own, all figures agree within 5 % in a third of the pairs of s1 and a fifth of s2.
 */
class DrawsTestCase : public TestCase
{
  public:
    explicit DrawsTestCase(const std::string& name)
        : TestCase(
              "over 40 draws, " + name +
              " has the authors' means within 2 %, each peak within 5 %, and all figures within "
              "5 % for most draws"),
          m_name(name)
    {
    }

  private:
    static constexpr size_t FIGURES = 5; ///< peak, mean queue, completion times

    void DoRun() override
    {
        const char* names[] = {"peak queue", "mean queue", "smallest", "mean", "largest"};
        std::array<double, FIGURES> expectedSum{};
        std::array<double, FIGURES> sum{};
        uint64_t draws = 0;
        uint64_t close = 0;
        std::ifstream in(DATA + "expected/" + m_name + ".draws.txt");
        for (uint64_t run = 0; in >> run; ++draws)
        {
            std::array<double, FIGURES> expected{};
            for (double& figure : expected)
            {
                in >> figure;
            }
            auto outcome = RunConfig(m_name, run, CreateTempDirFilename(m_name + ".fct.txt"));
            auto fct = MinMeanMax(outcome.fctNs);
            std::array<double, FIGURES> got{outcome.peakBytes,
                                            outcome.meanBytes,
                                            fct[0],
                                            fct[1],
                                            fct[2]};
            bool isClose = true;
            for (size_t i = 0; i < FIGURES; ++i)
            {
                expectedSum[i] += expected[i];
                sum[i] += got[i];
                isClose = isClose && std::abs(got[i] - expected[i]) <= 0.05 * expected[i];
            }
            close += isClose;
            NS_TEST_EXPECT_MSG_EQ_TOL(got[0], expected[0], 0.05 * expected[0], "peak, run " << run);
        }
        NS_TEST_ASSERT_MSG_EQ(draws, 40, "expected data are missing");
        NS_TEST_EXPECT_MSG_GT(close, draws / 2, "draws with all figures within 5 %");
        for (size_t i = 0; i < FIGURES; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(sum[i], expectedSum[i], 0.02 * expectedSum[i], names[i]);
        }
    }

    std::string m_name;
};

/**
 * Write a config with another line for a key.
 * @param path where
 * @param key the key
 * @param line its line
 * @param config name of the config that the other lines are from
 * @return path and number of the line
 */
std::pair<std::string, int>
WriteConfig(const std::string& path,
            const std::string& key,
            const std::string& line,
            const std::string& config)
{
    std::ifstream in(DATA + "config/" + config + ".txt");
    std::ofstream out(path);
    int number = 0;
    int at = 0;
    for (std::string text; std::getline(in, text);)
    {
        ++number;
        if (text.rfind(key + " ", 0) == 0)
        {
            text = line;
            at = number;
        }
        else if (text.rfind("TOPOLOGY_FILE ", 0) == 0)
        {
            text = "TOPOLOGY_FILE " + DATA + "topo/star17.txt";
        }
        else if (text.rfind("FLOW_FILE ", 0) == 0)
        {
            text = "FLOW_FILE " + DATA + "flow/s1_incast16_500KB.txt";
        }
        out << text << "\n";
    }
    return {path, at};
}

/// Files that cannot be used.
class RefusedTestCase : public TestCase
{
  public:
    RefusedTestCase()
        : TestCase("a config with a mistake is refused with file, line and what is wrong")
    {
    }

  private:
    void DoRun() override
    {
        Check("CC_MODE", "CC_MODE 10", "10 is not supported");
        Check("RATE_HAI", "RATE_HAI 99Mb/s", "must be at least RATE_AI", "s1_timely");
        Check("HAS_WIN", "HAS_WIN 0", "must be 1 with CC_MODE 8", "s1_dctcp");
        Check("VAR_WIN", "VAR_WIN 0", "must be 1 with HAS_WIN 1", "s1_timely_vwin");
        Check("TOPOLOGY_FILE", "TOPOLOGY_FILE nowhere.txt", "nowhere.txt");
        Check("MIN_RATE", "MIN_RATE fast", "\"fast\" is not a rate");
        Check("KMAX_MAP", "KMAX_MAP 2 100000000000 1600", "takes a count");
        Check("HAS_WIN", "HAS_WIN 0", "HAS_WIN");
        Check("LINK_DOWN", "LINK_DOWN 100 0 1", "two nodes with a link");
        Check("LINK_DOWN", "LINK_DOWN -1 0 17", "a time in us");
        Check("MULTI_RATE", "MULTI_RATE 2", "MULTI_RATE 2 is neither 0 nor 1");
    }

    /// Replace the line of a key and see what is said.
    void Check(const std::string& key,
               const std::string& line,
               const std::string& said,
               const std::string& config = "s1_hp")
    {
        auto [path, at] = WriteConfig(CreateTempDirFilename("config.txt"), key, line, config);
        std::string message;
        try
        {
            HpccAuthorsConfig config(path);
            MakeAuthorsPolicy(config);
            HpccAuthorsRun run(config);
        }
        catch (const HpccInputError& error)
        {
            message = error.what();
        }
        bool saysWhat = message.find(said) != std::string::npos;
        bool saysWhere = message.find(path + ":" + std::to_string(at) + ":") != std::string::npos;
        NS_TEST_EXPECT_MSG_EQ(saysWhat, true, line << ": " << message);
        NS_TEST_EXPECT_MSG_EQ(saysWhere, true, line << ": " << message);
    }
};

/// A link fails as the config says.
class LinkDownTestCase : public TestCase
{
  public:
    LinkDownTestCase()
        : TestCase("LINK_DOWN takes a link down so many us after 2 s")
    {
    }

  private:
    void DoRun() override
    {
        auto [path, at] = WriteConfig(CreateTempDirFilename("config.txt"),
                                      "LINK_DOWN",
                                      "LINK_DOWN 100 3 17",
                                      "s1_hp");
        HpccAuthorsConfig config(path);
        HpccAuthorsRun run(config);
        HpccFabricHelper fabric;
        run.Configure(fabric);
        fabric.Install(config.GetTopology());
        uint32_t link = config.GetTopology().FindLinks(3, 17).at(0);
        std::vector<size_t> up;
        for (int64_t us : {99, 101})
        {
            Simulator::Schedule(Seconds(2) + MicroSeconds(us), [&up, &fabric] {
                const auto& all = fabric.GetDevices();
                up.push_back(std::count_if(all.begin(), all.end(), [](const auto& device) {
                    return device->IsLinkUp();
                }));
            });
        }
        Simulator::Stop(Seconds(2) + MicroSeconds(102));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(up.at(0), fabric.GetDevices().size(), "ends up before");
        NS_TEST_ASSERT_MSG_EQ(up.at(1), fabric.GetDevices().size() - 2, "ends up after");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetDevices()[2 * link]->IsLinkUp(), false, "the link");
        Simulator::Destroy();
    }
};

class HpccRunTestSuite : public TestSuite
{
  public:
    HpccRunTestSuite()
        : TestSuite("hpcc-run", Type::SYSTEM)
    {
        AddTestCase(new UnloadedTestCase("s0_hp"));
        AddTestCase(new UnloadedTestCase("s0_dcqcn"));
        AddTestCase(new UnloadedTestCase("s0_timely"));
        AddTestCase(new UnloadedTestCase("s0_dctcp"));
        AddTestCase(new UnloadedTestCase("s0_fat_hp"));
        AddTestCase(new LoadedTestCase("s1_hp", 854560, 48506));
        AddTestCase(new LoadedTestCase("s2_hp", 55590, 311.1));
        AddTestCase(new LoadedTestCase("s1_dctcp", 819536, 264052.3));
        AddTestCase(new LoadedTestCase("s2_dctcp", 56592, 45147.9));
        AddTestCase(new LoadedTestCase("s1_timely", 7921056, 3954115.9, 0.05));
        AddTestCase(new LoadedTestCase("s2_timely", 1570272, 204536.4, 0.05));
        AddTestCase(new LoadedTestCase("s1_timely_vwin", 826848, 197608.4, 0.05));
        for (const auto* name : {"s0_timely",
                                 "s1_timely",
                                 "s2_timely",
                                 "s0_dctcp",
                                 "s1_dctcp",
                                 "s2_dctcp",
                                 "s1_timely_vwin"})
        {
            AddTestCase(new ExactTestCase(name));
        }
        AddTestCase(new LoadedTestCase("s1_dcqcn_vwin", 819536, 366894, 0.05));
        AddTestCase(new LoadedTestCase("s1_dcqcn", 3692104, 1188676, 0.05));
        AddTestCase(new LoadedTestCase("s2_dcqcn", 733600, 138874, 0.05));
        AddTestCase(new DrawsTestCase("s1_dcqcn"));
        AddTestCase(new DrawsTestCase("s2_dcqcn"));
        AddTestCase(new RefusedTestCase);
        AddTestCase(new LinkDownTestCase);
    }
};

HpccRunTestSuite g_hpccRunTestSuite;

} // namespace
