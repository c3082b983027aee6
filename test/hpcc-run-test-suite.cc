/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs files of the HPCC authors' simulator and compares the results with that simulator's.
// Expected completion times are in data/authors/expected, as are figures of its runs with other
// random numbers; peaks and means of the queue were measured in that simulator on the same inputs.

#include "../examples/hpcc-run/hpcc-authors-policies.h"
#include "../examples/hpcc-run/hpcc-authors-run.h"
#include "hpcc-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

const std::string DATA =
    std::filesystem::absolute(std::string(NS_TEST_SOURCEDIR) + "/data/authors").string() + "/";

/// Results of a run.
struct Outcome
{
    std::map<std::string, double> fctNs; ///< by source, start and bytes
    double peakBytes{0};                 ///< highest queue
    double meanBytes{0};                 ///< mean queue in the window
    uint64_t pauses{0};                  ///< pauses that the pfc file lists
    uint64_t errors{0};                  ///< packets lost to errors
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

/// Returns the number of rows of a pfc file in which a pause begins.
uint64_t
CountPauses(const std::string& path)
{
    std::ifstream in(path);
    uint64_t pauses = 0;
    for (std::array<int64_t, 5> row{}; in >> row[0] >> row[1] >> row[2] >> row[3] >> row[4];)
    {
        pauses += row[4];
    }
    return pauses;
}

/// Runs a config file. The mean is that of the whole run.
Outcome
RunFile(const std::string& path, uint64_t run, const std::string& fctPath)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(run);
    Outcome outcome;
    HpccAuthorsConfig config(path);
    {
        auto spec = MakeAuthorsPolicy(config);
        HpccAuthorsRun authors(config);
        ConfigureAuthorsRun(config, authors);
        authors.SetOutputs(fctPath, fctPath + ".pfc", "");
        auto scenario = authors.MakeScenario(spec);
        HpccFabricHelper fabric;
        fabric.SetPaths(HpccAuthorsRun::PATHS);
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
        for (const auto& device : fabric.GetDevices())
        {
            outcome.errors += device->GetDrops(DropReason::RECEIVE_ERROR);
        }
    }
    Simulator::Destroy();
    outcome.fctNs = ReadFct(fctPath);
    outcome.pauses = CountPauses(fctPath + ".pfc");
    return outcome;
}

/// Runs one of the configs of the data.
Outcome
RunConfig(const std::string& name, uint64_t run, const std::string& fctPath)
{
    return RunFile(DATA + "config/" + name + ".txt", run, fctPath);
}

/**
 * Writes a variant of one of the configs of the data.
 * @param path path of the variant
 * @param name name of the config
 * @param values values by key, in place of the config's own or in addition
 * @return the path
 */
std::string
WriteVariant(const std::string& path,
             const std::string& name,
             std::map<std::string, std::string> values)
{
    std::ifstream in(DATA + "config/" + name + ".txt");
    std::ofstream out(path);
    for (std::string line; std::getline(in, line);)
    {
        std::istringstream words(line);
        std::string key;
        std::string value;
        words >> key >> value;
        if (values.count(key) == 0 && (key == "TOPOLOGY_FILE" || key == "FLOW_FILE"))
        {
            values[key] = DATA + value;
        }
        if (values.count(key) == 0)
        {
            out << line << "\n";
        }
    }
    for (const auto& [key, value] : values)
    {
        out << key << " " << value << "\n";
    }
    return path;
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

/// Runs that end as the authors' do, with the same control law at the same times. The order of
/// flows that start at the same time is not compared.
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

/// A loaded run; its marks, if any, use the same random numbers as in that simulator.
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
 * The same input with other random numbers in that simulator and in ours. Two runs are equal until
 * the first packet that differs, and afterwards they differ as much as any two: of two different
 * draws of that simulator's own, all figures agree within 5 % in a third of the pairs of s1 and a
 * fifth of s2.
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
 * Writes a config with another line for a key.
 * @param path path of the file to write
 * @param key the key
 * @param line the key's line
 * @param config name of the config with the other lines
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
        Check("CC_MODE", "CC_MODE 2", "2 is not supported");
        Check("PINT_LOG_BASE", "PINT_LOG_BASE 1", "outside 1.0002 to 2", "s1_hp", 10);
        Check("PINT_PROB", "PINT_PROB 0", "not above 0", "s1_hp", 10);
        Check("SAMPLE_FEEDBACK", "SAMPLE_FEEDBACK 2", "neither 0 nor 1");
        Check("ERROR_RATE_PER_LINK", "ERROR_RATE_PER_LINK 1", "outside [0, 1)");
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

    /// Replaces the line of a key, and the CC_MODE unless it is 0, and checks the refusal.
    void Check(const std::string& key,
               const std::string& line,
               const std::string& said,
               const std::string& config = "s1_hp",
               int mode = 0)
    {
        auto [path, at] = WriteConfig(CreateTempDirFilename("config.txt"), key, line, config);
        if (mode > 0)
        {
            std::ofstream(path, std::ios::app) << "CC_MODE " << mode << "\n";
        }
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

/// Values that were refused, or had no effect.
class KeysTestCase : public TestCase
{
  public:
    KeysTestCase()
        : TestCase(
              "every key that is read stands in the table of the documentation, and there only")
    {
    }

  private:
    void DoRun() override
    {
        std::ifstream in(std::string(NS_TEST_SOURCEDIR) + "/../doc/authors-simulator.rst");
        std::set<std::string> listed;
        bool inTable = false;
        for (std::string line; std::getline(in, line);)
        {
            inTable = inTable ? line != "Output files" : line == "The keys of a config";
            const size_t column = line.find("  ");
            for (const char& c : inTable&& line[0] != ' ' ? line.substr(0, column) + "," : "")
            {
                if (std::isupper(c) || c == '_' || (std::isdigit(c) && !m_word.empty()))
                {
                    m_word += c;
                    continue;
                }
                if (m_word.find('_') != std::string::npos)
                {
                    listed.insert(m_word);
                }
                m_word.clear();
            }
        }
        const auto keys = HpccAuthorsConfig::GetKeys();
        const std::set<std::string> known(keys.begin(), keys.end());
        NS_TEST_EXPECT_MSG_EQ(known.size(), 50, "keys");
        for (const auto& key : known)
        {
            NS_TEST_EXPECT_MSG_EQ(listed.count(key), 1, key << " is missing in the table");
        }
        for (const auto& key : listed)
        {
            NS_TEST_EXPECT_MSG_EQ(known.count(key), 1, key << " of the table is not read");
        }
    }

    std::string m_word; ///< read so far
};

/// Memory that a switch reserves.
class SetAsideTestCase : public TestCase
{
  public:
    SetAsideTestCase()
        : TestCase("a switch sets 3 delays of headroom and 4 KiB aside once per port, as there")
    {
    }

  private:
    void DoRun() override
    {
        HpccAuthorsConfig config(DATA + "config/s0_fat_hp.txt");
        HpccAuthorsRun run(config);
        HpccFabricHelper fabric;
        run.Configure(fabric);
        fabric.Install(config.GetTopology());
        // A ToR has 16 links of 100 Gb/s and 4 of 400 Gb/s, all of 1 us: 37,500 and 150,000 bytes.
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(320)->GetPorts().size(), 20, "ports of a ToR");
        const auto buffer = DynamicCast<SharedBuffer>(fabric.GetSwitch(320)->GetBuffer());
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedBytes(),
                              (32 << 20) - 16 * 37500 - 4 * 150000 - 20 * 4096,
                              "shared bytes of a ToR");
        Simulator::Destroy();
    }
};

/**
 * Pauses of the incast in a small buffer. The numbers are from that simulator with the same jitter
 * of start times; each is a mean with the tolerance for the mean of our runs.
 */
class PausesTestCase : public TestCase
{
  public:
    PausesTestCase(const std::string& name, double pauses, double tolerance)
        : TestCase("with BUFFER_SIZE 2 and jittered starts " + name +
                   " has the authors' number of pauses"),
          m_name(name),
          m_pauses(pauses),
          m_tolerance(tolerance)
    {
    }

  private:
    static constexpr uint32_t RUNS = 10; ///< draws of the starts

    void DoRun() override
    {
        const std::string flows =
            std::filesystem::absolute(CreateTempDirFilename(m_name + ".flow.txt")).string();
        const std::string path = WriteVariant(CreateTempDirFilename(m_name + ".txt"),
                                              m_name,
                                              {{"BUFFER_SIZE", "2"}, {"FLOW_FILE", flows}});
        uint64_t pauses = 0;
        for (uint32_t run = 1; run <= RUNS; ++run)
        {
            WriteFlows(flows, run);
            auto outcome = RunFile(path, run, CreateTempDirFilename(m_name + ".fct.txt"));
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.size(), 16, "flows finished");
            pauses += outcome.pauses;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(pauses) / RUNS,
                                  m_pauses,
                                  m_tolerance,
                                  "pauses of a run");
    }

    /**
     * Writes a flow file: 16 flows of 500 KB that start within 1 us.
     * @param path path of the file
     * @param run number of the run, which determines the start times
     */
    static void WriteFlows(const std::string& path, uint32_t run)
    {
        std::ofstream out(path);
        out << "16\n" << std::fixed << std::setprecision(9);
        std::vector<std::pair<uint32_t, uint32_t>> starts;
        for (uint32_t source = 0; source < 16; ++source)
        {
            starts.emplace_back((source * 7919 + run * 104729) * 2654435761U >> 22, source);
        }
        std::sort(starts.begin(), starts.end());
        for (auto [ns, source] : starts)
        {
            out << source << " 16 3 100 500000 " << 2 + ns * 1e-9 << "\n";
        }
    }

    std::string m_name;
    double m_pauses;
    double m_tolerance;
};

/// Flows in a network with several paths.
class PathsTestCase : public TestCase
{
  public:
    PathsTestCase()
        : TestCase("in a FatTree flows take the authors' paths: nine of ten flows of DCTCP have "
                   "the authors' completion times to the nanosecond, the others within a packet")
    {
    }

  private:
    static constexpr double PACKET_NS = 83; ///< 1,048 bytes at 100 Gb/s, cut to whole ns

    void DoRun() override
    {
        // The flows that have ended after 60 us do not depend on those that start later, so they
        // are those of that simulator's run of 16,259 flows. Packets that arrive in one nanosecond
        // are handled in another order there, which moves a flow by up to a packet.
        auto expected = ReadFct(DATA + "expected/s3_dctcp.fct.txt");
        auto got = RunConfig("s3_dctcp", 1, CreateTempDirFilename("s3_dctcp.fct.txt")).fctNs;
        NS_TEST_ASSERT_MSG_EQ(expected.size(), 755, "expected data are missing");
        NS_TEST_EXPECT_MSG_EQ(got.size(), expected.size(), "flows that have ended");
        size_t equal = 0;
        for (const auto& [key, ns] : expected)
        {
            equal += got[key] == ns;
            NS_TEST_EXPECT_MSG_EQ_TOL(got[key], ns, PACKET_NS, "flow " << key);
        }
        NS_TEST_EXPECT_MSG_GT(equal, expected.size() * 9 / 10, "equal completion times");
    }
};

/// Keys that change the results of a run.
class KeyEffectsTestCase : public TestCase
{
  public:
    KeyEffectsTestCase()
        : TestCase("ERROR_RATE_PER_LINK, RATE_BOUND, SAMPLE_FEEDBACK and ACK_HIGH_PRIO do what "
                   "they do there")
    {
    }

  private:
    void DoRun() override
    {
        // 16 flows of 500 packets over two links; their ACKs as well: 32,000 arrivals. The number
        // of losses is binomial with a standard deviation of 8; retransmitted packets add some.
        auto errors = Run("s1_hp", {{"ERROR_RATE_PER_LINK", "0.002"}});
        NS_TEST_EXPECT_MSG_EQ(errors.fctNs.size(), 16, "flows finished in spite of errors");
        NS_TEST_EXPECT_MSG_GT(errors.errors, 64 - 5 * 8, "packets lost to errors");
        NS_TEST_EXPECT_MSG_LT(errors.errors, 3 * 64, "packets lost to errors");
        NS_TEST_EXPECT_MSG_EQ(Run("s1_hp", {}).errors, 0, "packets lost without errors");

        // At line rate all 8,000 packets arrive while one in 16 leaves. DCQCN slows down before.
        auto unbound = Run("s1_dcqcn", {{"RATE_BOUND", "0"}});
        NS_TEST_EXPECT_MSG_EQ_TOL(unbound.peakBytes, 7500 * 1048, 10 * 1048, "peak at line rate");
        NS_TEST_EXPECT_MSG_LT(Run("s1_dcqcn", {}).peakBytes, 5000 * 1048, "peak at DCQCN's rate");

        auto sampled = Run("s2_hp", {{"SAMPLE_FEEDBACK", "1"}});
        auto whole = Run("s2_hp", {});
        NS_TEST_EXPECT_MSG_EQ(sampled.fctNs.size(), 2, "flows finished");
        NS_TEST_EXPECT_MSG_EQ((sampled.fctNs == whole.fctNs), false, "samples have an effect");
        NS_TEST_EXPECT_MSG_EQ_TOL(sampled.peakBytes, whole.peakBytes, 0.05 * whole.peakBytes, "");
    }

    /// Runs a variant of a config.
    Outcome Run(const std::string& name, const std::map<std::string, std::string>& values)
    {
        return RunFile(WriteVariant(CreateTempDirFilename("config.txt"), name, values),
                       1,
                       CreateTempDirFilename("fct.txt"));
    }
};

/// ACKs of a host that is paused.
class AckPriorityTestCase : public TestCase
{
  public:
    AckPriorityTestCase()
        : TestCase("a pause stops a host's ACKs with ACK_HIGH_PRIO 0 and priority group 3 only")
    {
    }

  private:
    void DoRun() override
    {
        const double paused = Run("0", 3);
        const double free = Run("1", 3);
        NS_TEST_EXPECT_MSG_GT(paused, free + 5000, "a flow whose ACKs come from a paused host");
        NS_TEST_EXPECT_MSG_EQ(Run("0", 2), free, "that simulator knows the pauses of group 3 only");
    }

    /**
     * Runs an incast that pauses all senders, and a flow from host 16 to one of these senders.
     * @param ackHighPrio value of the key ACK_HIGH_PRIO
     * @param group priority group of all flows
     * @return completion time of the flow of host 16, ns
     */
    double Run(const std::string& ackHighPrio, uint32_t group)
    {
        const std::string flows =
            std::filesystem::absolute(CreateTempDirFilename("flow.txt")).string();
        std::ofstream out(flows);
        out << "17\n";
        for (uint32_t source = 0; source < 16; ++source)
        {
            out << source << " 16 " << group << " 100 500000 2.0\n";
        }
        out << "16 0 " << group << " 100 100000 2.00002\n";
        out.close();
        auto outcome = RunFile(
            WriteVariant(
                CreateTempDirFilename("config.txt"),
                "s1_timely",
                {{"BUFFER_SIZE", "2"}, {"FLOW_FILE", flows}, {"ACK_HIGH_PRIO", ackHighPrio}}),
            1,
            CreateTempDirFilename("fct.txt"));
        NS_TEST_EXPECT_MSG_GT(outcome.pauses, 16, "pauses");
        for (const auto& [key, ns] : outcome.fctNs)
        {
            if (key.rfind("0b001001", 0) == 0)
            {
                return ns;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(true, false, "the flow has not finished");
        return 0;
    }
};

/// HPCC-PINT.
class PintTestCase : public TestCase
{
  public:
    PintTestCase()
        : TestCase("CC_MODE 10 is HPCC-PINT: packets of 1,050 bytes, and the queue of an incast "
                   "drains as HPCC's does")
    {
    }

  private:
    void DoRun() override
    {
        auto alone = Run("s0_hp", {{"CC_MODE", "10"}});
        NS_TEST_ASSERT_MSG_EQ(alone.fctNs.size(), 4, "flows finished");
        // Two links of 1 us there and back. There times are cut to whole ns, and exact ones to one
        // less: 1,050 bytes in 83 ns and an ACK of 60 bytes in 4 ns on each.
        NS_TEST_EXPECT_MSG_EQ(alone.fctNs["0b000001 1000 2000000000"], 4174, "one packet");

        auto hpcc = Run("s1_hp", {});
        for (const auto* probability : {"1.0", "0.0625"})
        {
            auto outcome = Run("s1_hp", {{"CC_MODE", "10"}, {"PINT_PROB", probability}});
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.size(), 16, "flows finished");
            // All start at line rate: the peak is the windows of the first round trip.
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.peakBytes,
                                      hpcc.peakBytes * 1050 / 1090,
                                      0.05 * hpcc.peakBytes,
                                      "peak with PINT_PROB " << probability);
            NS_TEST_EXPECT_MSG_EQ(std::fmod(outcome.peakBytes, 1050), 0, "bytes of whole packets");
            // A window alone keeps 15 of 16 windows queued.
            NS_TEST_EXPECT_MSG_LT(outcome.meanBytes,
                                  0.25 * outcome.peakBytes,
                                  "mean queue with PINT_PROB " << probability);
        }
    }

    /// Runs a variant of a config.
    Outcome Run(const std::string& name, const std::map<std::string, std::string>& values)
    {
        return RunFile(WriteVariant(CreateTempDirFilename("config.txt"), name, values),
                       1,
                       CreateTempDirFilename("fct.txt"));
    }
};

/// A failed link in the routes.
class LinkDownRoutesTestCase : public TestCase
{
  public:
    LinkDownRoutesTestCase()
        : TestCase("after LINK_DOWN switches use the ports that are left, whichever order links "
                   "have")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = WriteVariant(CreateTempDirFilename("config.txt"),
                                              "s0_fat_hp",
                                              {{"LINK_DOWN", "100 320 340"}});
        HpccAuthorsConfig config(path);
        for (bool laterFirst : {false, true})
        {
            HpccAuthorsRun run(config);
            run.SetLaterLinksFirst(laterFirst);
            auto scenario = run.MakeScenario(MakeAuthorsPolicy(config));
            HpccFabricHelper fabric;
            run.Configure(fabric);
            fabric.Install(scenario.topology);
            scenario.connected(fabric);
            const uint32_t link = scenario.topology.FindLinks(320, 340).at(0);
            const auto port = static_cast<uint16_t>(
                fabric.GetPortOf(2 * link + (fabric.GetNodeOf(2 * link) != 320)));
            std::vector<std::vector<uint16_t>> routes;
            for (int64_t us : {99, 101})
            {
                Simulator::Schedule(Seconds(2) + MicroSeconds(us), [&] {
                    fabric.CatchUp();
                    auto& table = fabric.GetSwitch(320)->GetRoutes();
                    routes.push_back(table.GetWholeRoute(HpccFabricHelper::GetAddress(319)));
                });
            }
            Simulator::Stop(Seconds(2) + MicroSeconds(102));
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(routes.at(0).size(), 4, "ports before");
            NS_TEST_EXPECT_MSG_EQ(std::count(routes[0].begin(), routes[0].end(), port), 1, "");
            routes[0].erase(std::find(routes[0].begin(), routes[0].end(), port));
            NS_TEST_EXPECT_MSG_EQ((routes.at(1) == routes[0]), true, "the others, in their order");
            NS_TEST_EXPECT_MSG_EQ(fabric.GetDevices()[2 * link]->IsLinkUp(), false, "the link");
            Simulator::Destroy();
        }
    }
};

/// A link fails as the config specifies.
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
        if (hpcctest::FullOrShort(true, false))
        {
            AddTestCase(new DrawsTestCase("s2_dcqcn"));
        }
        AddTestCase(new RefusedTestCase);
        AddTestCase(new LinkDownTestCase);
        AddTestCase(new LinkDownRoutesTestCase);
        AddTestCase(new KeysTestCase);
        AddTestCase(new SetAsideTestCase);
        AddTestCase(new PausesTestCase("s1_dcqcn", 131, 12));
        AddTestCase(new PausesTestCase("s1_timely", 97, 10));
        AddTestCase(new PausesTestCase("s1_hp", 0, 0));
        AddTestCase(new PausesTestCase("s1_dctcp", 0, 0));
        AddTestCase(new PathsTestCase);
        AddTestCase(new KeyEffectsTestCase);
        AddTestCase(new AckPriorityTestCase);
        AddTestCase(new PintTestCase);
    }
};

HpccRunTestSuite g_hpccRunTestSuite;

} // namespace
