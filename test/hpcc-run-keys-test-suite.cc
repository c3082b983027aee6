/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests config files of the HPCC authors' simulator: the effect of each key, and refused files.

#include "hpcc-test-authors-run.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iomanip>
#include <set>
#include <utility>
#include <vector>

using namespace hpcctest;

namespace
{

/**
 * Writes a config in which the line of one key is replaced.
 * @param path path of the file to write
 * @param key the key
 * @param line new line of the key
 * @param config name of the original config
 * @param mode CC_MODE; 0 for the CC_MODE of the original
 * @return path of the file and number of the new line
 */
std::pair<std::string, int>
WriteConfig(const std::string& path,
            const std::string& key,
            const std::string& line,
            const std::string& config,
            int mode = 0)
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
        else if (mode > 0 && text.rfind("CC_MODE ", 0) == 0)
        {
            text = "CC_MODE " + std::to_string(mode);
        }
        out << text << "\n";
    }
    return {path, at};
}

/// Tests files that are refused.
class RefusedTestCase : public TestCase
{
  public:
    RefusedTestCase()
        : TestCase("a config with a mistake is refused with file, line and reason")
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
        Check("MIN_RATE", "MIN_RATE fast", "\"fast\" is not allowed; a rate such as");
        Check("KMAX_MAP", "KMAX_MAP 2 100000000000 1600", "needs a count");
        Check("HAS_WIN", "HAS_WIN 0", "HAS_WIN");
        for (const std::string stop : {"0", "-1", "1e20"})
        {
            Check("SIMULATOR_STOP_TIME",
                  "SIMULATOR_STOP_TIME " + stop,
                  stop + " is outside 1e-9 to 100000 s");
        }
        Check("LINK_DOWN", "LINK_DOWN 100 0 1", "two nodes with a link");
        Check("LINK_DOWN", "LINK_DOWN -1 0 17", "\"-1\" is not allowed; a whole number from 0 to");
        Check("LINK_DOWN", "LINK_DOWN 0.5 0 17", "\"0.5\" is not allowed; a whole number from 0");
        Check("LINK_DOWN", "LINK_DOWN 10 0.9 17", "\"0.9\" is not allowed; a whole number from 0");
        Check("CC_MODE", "CC_MODE 3.9", "3.9 is not supported");
        Check("KMIN_MAP", "KMIN_MAP 1 100000000000 400KB", "\"100000000000 400KB\" is not RATE");
        Check("KMIN_MAP", "KMIN_MAP 1.5 100000000000 400", "needs a count");
        Check("BUFFER_SIZE", "BUFFER_SIZE -1", "BUFFER_SIZE -1 is not allowed; MiB, from 1 byte");
        Check("INT_MULTI",
              "INT_MULTI 4.9",
              "\"4.9\" is not allowed; a whole number from 1 to 4096");
        Check("INT_MULTI", "INT_MULTI -1", "\"-1\" is not allowed; a whole number from 1 to 4096");
        Check("PACKET_PAYLOAD_SIZE",
              "PACKET_PAYLOAD_SIZE 1000.9",
              "\"1000.9\" is not allowed; a whole number from 64 to 9000");
        Check("QLEN_MON_START", "QLEN_MON_START 1e30", "\"1e30\" is not allowed; a whole number");
        Check("MI_THRESH", "MI_THRESH 0.5", "\"0.5\" is not allowed; a whole number from 0 to");
        Check("MI_THRESH", "MI_THRESH -1", "\"-1\" is not allowed; a whole number from 0 to");
        Check("U_TARGET", "U_TARGET 5", "\"5\" is not allowed; a number from 0 to 2");
        Check("EWMA_GAIN", "EWMA_GAIN 2", "\"2\" is not allowed; a number from ", "s1_dcqcn");
        Check("RP_TIMER", "RP_TIMER 1e30", "RP_TIMER 1e30 is outside 0 to", "s1_dcqcn");
        Check("RP_TIMER", "RP_TIMER 0", "\"0ns\" is not allowed; a time", "s1_dcqcn");
        Check("RATE_AI", "RATE_AI -5Mb/s", "\"-5Mb/s\" is not allowed; a rate such as");
        for (const auto& [key, set] : {std::pair("RATE_AI", "s1_hp"),
                                       std::pair("RATE_HAI", "s1_dcqcn"),
                                       std::pair("MIN_RATE", "s1_timely"),
                                       std::pair("DCTCP_RATE_AI", "s1_dctcp")})
        {
            // A rate of 10^14 Gb/s is above 2^64 bit/s.
            Check(key,
                  std::string(key) + " 99999999999999Gb/s",
                  "\"99999999999999Gb/s\" is not allowed; at most 1000000000Gbps",
                  set);
        }
        for (const std::string flag :
             {"HAS_WIN", "VAR_WIN", "ENABLE_QCN", "RATE_BOUND", "GLOBAL_T", "ACK_HIGH_PRIO"})
        {
            Check(flag, flag + " 2", flag + " 2 is neither 0 nor 1");
        }
        Check("CLAMP_TARGET_RATE", "CLAMP_TARGET_RATE -1", "is neither 0 nor 1", "s1_dcqcn");
        Check("MULTI_RATE", "MI_THRESH 6", "MI_THRESH is given twice, with other values in line ");
        HpccAuthorsConfig(
            WriteConfig(CreateTempDirFilename("twice.txt"), "MULTI_RATE", "MI_THRESH 0", "s1_hp")
                .first);
        Check("MULTI_RATE", "MULTI_RATE 2", "MULTI_RATE 2 is neither 0 nor 1");
    }

    /// Replaces the line of a key, sets CC_MODE if @p mode is not 0, and checks that the config is
    /// refused.
    void Check(const std::string& key,
               const std::string& line,
               const std::string& said,
               const std::string& config = "s1_hp",
               int mode = 0)
    {
        auto [path, at] = WriteConfig(CreateTempDirFilename("config.txt"), key, line, config, mode);
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

/// Compares the keys that the program reads with the table of the documentation.
class KeysTestCase : public TestCase
{
  public:
    KeysTestCase()
        : TestCase("the table of the documentation lists exactly the keys that are read")
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

    std::string m_word; ///< part of the current word that has been read
};

/// Tests the memory that a switch reserves.
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
        // A ToR switch has 16 links of 100 Gb/s, each with a headroom of 37,500 bytes, and 4 links
        // of 400 Gb/s, each with a headroom of 150,000 bytes. All links have a delay of 1 us.
        NS_TEST_EXPECT_MSG_EQ(fabric.GetSwitch(320)->GetPorts().size(), 20, "ports of a ToR");
        const auto buffer = DynamicCast<SharedBuffer>(fabric.GetSwitch(320)->GetBuffer());
        NS_TEST_EXPECT_MSG_EQ(buffer->GetSharedBytes(),
                              (32 << 20) - 16 * 37500 - 4 * 150000 - 20 * 4096,
                              "shared bytes of a ToR");
        Simulator::Destroy();
    }
};

/// Tests flows in a network with several paths.
class PathsTestCase : public TestCase
{
  public:
    PathsTestCase()
        : TestCase("in a FatTree flows take the authors' paths: nine of ten flows of DCTCP have "
                   "the authors' completion times to the nanosecond, the others within a packet")
    {
    }

  private:
    static constexpr double PACKET_NS = 83; ///< 1,048 bytes at 100 Gb/s, truncated to ns

    void DoRun() override
    {
        // Flows that end before 60 us do not depend on flows that start later. Therefore their
        // completion times must equal those in the authors' run of 16,259 flows. However, the
        // authors' simulator handles packets that arrive in the same nanosecond in another order.
        // This shifts a flow by up to one packet.
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

/// Tests the keys that change the results of a run.
class KeyEffectsTestCase : public TestCase
{
  public:
    KeyEffectsTestCase()
        : TestCase("ERROR_RATE_PER_LINK, RATE_BOUND, SAMPLE_FEEDBACK and ACK_HIGH_PRIO act as in "
                   "the authors' simulator")
    {
    }

  private:
    void DoRun() override
    {
        // There are 32,000 arrivals: those of 16 flows of 500 packets over two links, and of as
        // many ACKs. The number of losses has a binomial distribution with a standard deviation of
        // 8. Retransmitted packets may also be lost.
        auto errors = Run("s1_hp", {{"ERROR_RATE_PER_LINK", "0.002"}});
        NS_TEST_EXPECT_MSG_EQ(errors.fctNs.size(), 16, "flows finished in spite of errors");
        NS_TEST_EXPECT_MSG_GT(errors.errors, 64 - 5 * 8, "packets lost to errors");
        NS_TEST_EXPECT_MSG_LT(errors.errors, 3 * 64, "packets lost to errors");
        NS_TEST_EXPECT_MSG_EQ(Run("s1_hp", {}).errors, 0, "packets lost without errors");

        // At line rate, the switch receives 8,000 packets while it sends 500. With RATE_BOUND,
        // DCQCN slows down earlier.
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

/// Tests the ACKs that a paused host sends.
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
        // The expected times are from the authors' simulator. In the first case, the order of
        // simultaneous events determines how often each host is paused.
        NS_TEST_EXPECT_MSG_EQ(free, 100000, "equal to the authors' simulator, to the nanosecond");
        NS_TEST_EXPECT_MSG_EQ_TOL(paused, 107308, 0.02 * 107308, "its ACKs wait for pauses");
        NS_TEST_EXPECT_MSG_EQ(Run("0", 2),
                              free,
                              "the authors' simulator handles pauses of group "
                              "3 only");
    }

    /**
     * Runs an incast that pauses all senders, and a flow from host 16 to one of these senders.
     * @param ackHighPrio value of the key ACK_HIGH_PRIO
     * @param group priority group of all flows
     * @return completion time of the flow of host 16, ns
     */
    double Run(const std::string& ackHighPrio, uint32_t group)
    {
        const std::string flows = CreateTempDirFilename("flow.txt");
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
                {{"BUFFER_SIZE", "2"}, {"FLOW_FILE", "flow.txt"}, {"ACK_HIGH_PRIO", ackHighPrio}}),
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

/// Tests HPCC-PINT.
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
        // The path has two links with a delay of 1 us in each direction. The authors' simulator
        // truncates times to ns, and subtracts 1 ns from times of whole ns. Per link, 1,050 bytes
        // take 83 ns and an ACK of 60 bytes takes 4 ns.
        NS_TEST_EXPECT_MSG_EQ(alone.fctNs["0b000001 1000 2000000000"], 4174, "one packet");

        auto hpcc = Run("s1_hp", {});
        for (const auto* probability : {"1.0", "0.0625"})
        {
            auto outcome = Run("s1_hp", {{"CC_MODE", "10"}, {"PINT_PROB", probability}});
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.size(), 16, "flows finished");
            // All flows start at line rate. Therefore the peak of the queue consists of the first
            // windows.
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.peakBytes,
                                      hpcc.peakBytes * 1050 / 1090,
                                      0.05 * hpcc.peakBytes,
                                      "peak with PINT_PROB " << probability);
            NS_TEST_EXPECT_MSG_EQ(std::fmod(outcome.peakBytes, 1050), 0, "bytes of whole packets");
            // With constant windows, 15 of 16 windows would remain in the queue.
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

/// Tests the qlen file.
class QlenTestCase : public TestCase
{
  public:
    QlenTestCase()
        : TestCase("the qlen file of a run that ends when its flows have finished equals that of "
                   "a run to SIMULATOR_STOP_TIME, as in the authors' simulator")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path =
            WriteVariant(CreateTempDirFilename("config.txt"),
                         "s1_hp",
                         {{"QLEN_MON_END", "3000000000"}, {"SIMULATOR_STOP_TIME", "2.3"}});
        const std::string whole = Run(path, Time(0), 16);
        // The file has 3 blocks, because the authors' simulator does not execute events at its stop
        // time.
        std::istringstream lines(whole);
        std::string line;
        for (int64_t ms : {2000, 2100, 2200})
        {
            std::getline(lines, line);
            NS_TEST_EXPECT_MSG_EQ(line, "time: " + std::to_string(ms) + "000000", "a block");
            for (uint32_t port = 1; port <= 17; ++port)
            {
                std::getline(lines, line);
                std::istringstream words(line);
                uint32_t node = 0;
                uint32_t interface = 0;
                words >> node >> interface;
                uint64_t samples = 0;
                for (uint64_t count = 0; words >> count; samples += count)
                {
                }
                NS_TEST_EXPECT_MSG_EQ(node, 17, "switch");
                NS_TEST_EXPECT_MSG_EQ(interface, port, "interface");
                NS_TEST_EXPECT_MSG_EQ(samples,
                                      static_cast<uint64_t>((ms - 2000) * 10000 + 1),
                                      "one per 100 ns");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(static_cast<bool>(std::getline(lines, line)),
                              false,
                              "more: " << line);

        const bool same = Run(path, Seconds(2) + MilliSeconds(2), 16) == whole;
        NS_TEST_EXPECT_MSG_EQ(same, true, "a run that ends with its flows");
        const std::string stopped = Run(path, Seconds(2) + MicroSeconds(100), 0);
        NS_TEST_EXPECT_MSG_EQ(stopped.find("time: 21"), std::string::npos, "with unfinished flows");
    }

    /**
     * Runs a config.
     * @param path path of the config
     * @param end end of the run; 0 for the end in the config
     * @param flows number of flows that finish
     * @return text of the qlen file
     */
    std::string Run(const std::string& path, Time end, size_t flows)
    {
        const std::string fct = CreateTempDirFilename("fct.txt");
        const std::string qlen = CreateTempDirFilename("qlen.txt");
        NS_TEST_EXPECT_MSG_EQ(RunFile(path, 1, fct, false, qlen, end).fctNs.size(), flows, "flows");
        std::ostringstream text;
        text << std::ifstream(qlen).rdbuf();
        return text.str();
    }
};

/// Tests the routes after a link has failed.
class LinkDownRoutesTestCase : public TestCase
{
  public:
    LinkDownRoutesTestCase()
        : TestCase("after LINK_DOWN switches use the remaining ports, in whatever order links are "
                   "listed")
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
                    const auto next = fabric.GetSwitch(320)->GetRoutes().FindWhole(
                        HpccFabricHelper::GetAddress(319));
                    routes.emplace_back(next.begin(), next.end());
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

/// Tests a flow file with more flows than it announces.
class SurplusFlowsTestCase : public TestCase
{
  public:
    SurplusFlowsTestCase()
        : TestCase("flows beyond the announced number are not run, and a remark reports them")
    {
    }

  private:
    void DoRun() override
    {
        // An explanation follows the flows, as in a file of the authors' simulator.
        const std::string announced = "1\n0 16 3 100 1000 2.0\n";
        const std::string legend = "\nFirst line: # of flows\n";
        NS_TEST_EXPECT_MSG_EQ(Remarks(announced + legend), 0, "an explanation alone");
        NS_TEST_EXPECT_MSG_EQ(Remarks(announced + "1 16 3 100 1000 2.0\n" + legend),
                              1,
                              "a second flow");
    }

    /// @return number of remarks about a flow file with this text
    size_t Remarks(const std::string& text)
    {
        const std::string flows =
            std::filesystem::absolute(CreateTempDirFilename("flow.txt")).lexically_normal();
        std::ofstream(flows) << text;
        const HpccAuthorsConfig config(WriteVariant(CreateTempDirFilename("config.txt"),
                                                    "s1_hp",
                                                    {{"FLOW_FILE", "flow.txt"}}));
        NS_TEST_EXPECT_MSG_EQ(config.GetFlows().size(), 1, "flows");
        const auto& remarks = config.GetRemarks();
        return static_cast<size_t>(
            std::count_if(remarks.begin(), remarks.end(), [&flows](const std::string& remark) {
                return remark.rfind(flows + ":3: the flows from this line on", 0) == 0;
            }));
    }
};

/// Tests a link that fails as the config specifies.
class LinkDownTestCase : public TestCase
{
  public:
    LinkDownTestCase()
        : TestCase("LINK_DOWN takes a link down the given number of us after 2 s")
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

class HpccRunKeysTestSuite : public TestSuite
{
  public:
    HpccRunKeysTestSuite()
        : TestSuite("hpcc-run-keys", Type::SYSTEM)
    {
        AddTestCase(new RefusedTestCase);
        AddTestCase(new SurplusFlowsTestCase);
        AddTestCase(new LinkDownTestCase);
        AddTestCase(new QlenTestCase);
        AddTestCase(new LinkDownRoutesTestCase);
        AddTestCase(new KeysTestCase);
        AddTestCase(new SetAsideTestCase);
        AddTestCase(new PathsTestCase);
        AddTestCase(new KeyEffectsTestCase);
        AddTestCase(new AckPriorityTestCase);
        AddTestCase(new PintTestCase);
    }
};

HpccRunKeysTestSuite g_hpccRunKeysTestSuite; ///< the suite

} // namespace
