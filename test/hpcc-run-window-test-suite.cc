/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests config files of the HPCC authors' simulator whose networks have links with different rates
// or paths with different lengths. T, window, W_ai and memory must be the same as in the authors'
// simulator. Further tests cover the keys that contain times, and flows that the switches of the
// authors' simulator never limit. The expected values are derived from the source code of the
// authors' simulator (third.cc, rdma-hw.cc and switch-node.cc of commit 9f4be2a).

#include "hpcc-test-authors-run.h"

#include "ns3/hpcc-shared-buffer.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/string.h"

#include <cmath>
#include <iostream>

using namespace hpcctest;

namespace
{

/// Links that connect hosts 0 to 2 to switch 3.
const std::string NEAR = "0 3 100Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n2 3 100Gbps 0.001ms 0\n";

/// Two flows to host 2. The second flow starts 100 us after the first.
const std::string TWO_FLOWS = "2\n0 2 3 100 5000000 2.0\n1 2 3 100 5000000 2.0001\n";

/// Base class of the tests, which writes a topology, a flow file and a config.
class FilesTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /**
     * Writes the files of a run.
     * @param topology text of the topology file
     * @param flows text of the flow file
     * @param values further keys and their values
     * @return the config
     */
    std::string Write(const std::string& topology,
                      const std::string& flows,
                      const std::map<std::string, std::string>& values)
    {
        const std::string path = CreateTempDirFilename("config.txt");
        std::ofstream(path + ".topo") << topology;
        std::ofstream(path + ".flow") << flows;
        std::map<std::string, std::string> all{{"CC_MODE", "3"},
                                               {"VAR_WIN", "1"},
                                               {"RATE_AI", "500Mb/s"},
                                               {"MIN_RATE", "1000Mb/s"},
                                               {"MI_THRESH", "0"},
                                               {"MULTI_RATE", "0"},
                                               {"KMIN_MAP", "2 25000000000 100 100000000000 400"},
                                               {"KMAX_MAP", "2 25000000000 400 100000000000 1600"},
                                               {"PMAX_MAP", "2 25000000000 0.2 100000000000 0.2"},
                                               {"TOPOLOGY_FILE", "config.txt.topo"},
                                               {"FLOW_FILE", "config.txt.flow"}};
        for (const auto& [key, value] : values)
        {
            all[key] = value;
        }
        std::ofstream out(path);
        for (const auto& [key, value] : all)
        {
            out << key << " " << value << "\n";
        }
        return path;
    }

    /// Runs a config.
    /// @param path the config
    /// @return results of the run
    Outcome Run(const std::string& path)
    {
        return RunFile(path, 1, CreateTempDirFilename("fct.txt"));
    }
};

/// Tests the key GLOBAL_T with the value 0.
class PathBaseRttTestCase : public FilesTestCase
{
  public:
    PathBaseRttTestCase()
        : FilesTestCase("with GLOBAL_T 0 a distant host without flows changes no completion time")
    {
    }

  private:
    void DoRun() override
    {
        const auto near = Run(Write("4 1 3\n3\n" + NEAR, TWO_FLOWS, {{"GLOBAL_T", "0"}}));
        const auto far =
            Run(Write("6 2 5\n3 5\n" + NEAR + "4 5 100Gbps 0.001ms 0\n3 5 100Gbps 0.05ms 0\n",
                      TWO_FLOWS,
                      {{"GLOBAL_T", "0"}}));
        NS_TEST_ASSERT_MSG_EQ(near.fctNs.size(), 2, "flows");
        NS_TEST_EXPECT_MSG_EQ((near.fctNs == far.fctNs), true, "completion times");
    }
};

/// Tests the window of every policy that has a window.
class WindowTestCase : public FilesTestCase
{
  public:
    WindowTestCase()
        : FilesTestCase("the window is the largest base RTT times slowest rate of a path, for "
                        "every policy with a window")
    {
    }

  private:
    void DoRun() override
    {
        // The longest path has a base RTT of 24,480 ns and a link of 25 Gb/s. Therefore the window
        // is 76,500 bytes or 77 packets. Of four packets, three wait at this link. The tolerance
        // includes the packet in transmission.
        const std::string slow = "6 2 5\n4 5\n0 4 100Gbps 0.001ms 0\n1 4 100Gbps 0.001ms 0\n"
                                 "2 5 100Gbps 0.001ms 0\n3 5 100Gbps 0.001ms 0\n"
                                 "4 5 25Gbps 0.01ms 0\n";
        const std::string flow = "1\n0 2 3 100 500000 2.0\n";
        for (const auto& [mode, bytes] :
             {std::pair("1", 1048), std::pair("3", 1090), std::pair("8", 1048)})
        {
            const auto outcome = Run(Write(slow, flow, {{"CC_MODE", mode}, {"ENABLE_QCN", "0"}}));
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.size(), 1, "flows with CC_MODE " << mode);
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.peakBytes,
                                      0.75 * 77 * bytes,
                                      2 * bytes,
                                      "peak queue with CC_MODE " << mode);
        }
        // A NIC of 25 Gb/s in a network of 100 Gb/s has the same window. For this NIC, it is the
        // rate times 4 base RTTs.
        const auto path = Write("4 1 3\n3\n0 3 25Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n"
                                "2 3 100Gbps 0.001ms 0\n",
                                flow,
                                {});
        HpccAuthorsConfig config(path);
        NS_TEST_EXPECT_MSG_EQ_TOL(config.GetMaxBdpBytes(), 52000, 1e-9, "largest window");
        NS_TEST_EXPECT_MSG_EQ_TOL(config.GetBdpBytes(0, 2), 4400 * 25 / 8.0, 1e-9, "of a path");
        HpccAuthorsRun run(config);
        auto scenario = run.MakeScenario(MakeAuthorsPolicy(config));
        HpccFabricHelper fabric;
        fabric.SetPaths(HpccAuthorsRun::PATHS);
        run.Configure(fabric);
        fabric.Install(scenario.topology);
        fabric.SetNetworkBaseRttNs(scenario.baseRttNs);
        const auto& first = scenario.flows[0];
        const auto pair = scenario.connect(fabric, first, MakeAuthorsPolicy(config));
        fabric.AddMessage(first.source, pair, first.bytes, NanoSeconds(first.startNs));
        Simulator::Stop(NanoSeconds(first.startNs + 1000));
        Simulator::Run();
        fabric.CatchUp();
        NS_TEST_EXPECT_MSG_EQ_TOL(fabric.GetHost(0)->GetQueuePair(pair).cc->windowBytes,
                                  52000,
                                  1,
                                  "W_init of the slow NIC");
        Simulator::Destroy();
    }
};

/// Tests the memory of switches.
class AlphaTestCase : public FilesTestCase
{
  public:
    AlphaTestCase()
        : FilesTestCase(
              "Alpha is an eighth at the rate of the first host, and doubles with the rate")
    {
    }

  private:
    void DoRun() override
    {
        HpccAuthorsConfig config(Write("4 1 3\n3\n0 3 25Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n"
                                       "2 3 100Gbps 0.001ms 0\n",
                                       TWO_FLOWS,
                                       {}));
        NS_TEST_EXPECT_MSG_EQ(config.GetNicRateBps(), 25000000000, "rate of the first host");
        HpccAuthorsRun run(config);
        HpccFabricHelper fabric;
        run.Configure(fabric);
        fabric.Install(config.GetTopology());
        StringValue alphas;
        fabric.GetSwitch(3)->GetBuffer()->GetAttribute("AlphaPerRate", alphas);
        NS_TEST_EXPECT_MSG_EQ(alphas.Get(), "25000000000bps:0.125,100000000000bps:0.5", "Alpha");
        Simulator::Destroy();
    }
};

/// Tests flows of priority group 0.
class GroupZeroTestCase : public FilesTestCase
{
  public:
    GroupZeroTestCase()
        : FilesTestCase("switches neither mark, pause nor drop packets of priority group 0")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t group : {0, 3})
        {
            std::ostringstream topology;
            std::ostringstream flows;
            topology << "10 1 9\n9\n";
            flows << "8\n";
            for (uint32_t host = 0; host < 9; ++host)
            {
                topology << host << " 9 100Gbps 0.001ms 0\n";
                flows << (host < 8 ? std::to_string(host) + " 8 " + std::to_string(group) +
                                         " 100 500000 2.0\n"
                                   : "");
            }
            const auto outcome =
                Run(Write(topology.str(),
                          flows.str(),
                          {{"CC_MODE", "1"}, {"HAS_WIN", "0"}, {"BUFFER_SIZE", "2"}}));
            // If all packets are sent at line rate, 8 x 500 packets of 1,048 bytes take 336 us.
            const bool unlimited = MinMeanMax(outcome.fctNs)[2] < 337000;
            NS_TEST_EXPECT_MSG_EQ(unlimited, (group == 0), "priority group " << group);
            NS_TEST_EXPECT_MSG_EQ((outcome.pauses > 0), (group == 3), "priority group " << group);
        }
    }
};

/// Tests column 8 of the fct file, the completion time of a flow alone in the network.
class StandaloneTestCase : public FilesTestCase
{
  public:
    StandaloneTestCase()
        : FilesTestCase("the ideal time of the fct file is right for flows above 2.3 GB")
    {
    }

  private:
    void DoRun() override
    {
        HpccAuthorsConfig config(Write("4 1 3\n3\n" + NEAR,
                                       "1\n0 2 3 100 2400000000 2.0\n",
                                       {{"PACKET_PAYLOAD_SIZE", "9000"}}));
        // The time consists of 4,000 ns of propagation, 720 ns per link, and the transmission of
        // all 266,667 packets, each with 48 bytes of headers.
        NS_TEST_EXPECT_MSG_EQ(config.GetStandaloneNs(config.GetFlows()[0]),
                              4000 + 2 * 720 + (int64_t{2400000000} + 266667 * 48) * 8 / 100,
                              "ideal time, ns");
    }
};

/// Tests the keys that contain times.
class TimesTestCase : public FilesTestCase
{
  public:
    TimesTestCase()
        : FilesTestCase("the last sample of the queues is the first one at or after QLEN_MON_END, "
                        "and a LINK_DOWN after the end is reported")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(CountDumps("2000000000", "2099999950"), 2, "at 2.0 and 2.1 s");
        NS_TEST_EXPECT_MSG_EQ(CountDumps("2000000000", "2099999900"), 1, "at 2.0 s");
        NS_TEST_EXPECT_MSG_EQ(CountDumps("2000000050", "2300000000"), 0, "no sample at 0.1 s");
        NS_TEST_EXPECT_MSG_EQ(CountDumps("2000000000", "1000000000"), 1, "a single sample");

        const std::string said = "LINK_DOWN has no effect: the link fails at ";
        const bool afterStop = Warnings("5000000").find(said + "7000000.000 us") < 1000;
        const bool afterFlows = Warnings("5000").find(said + "2005000.000 us") < 1000;
        NS_TEST_EXPECT_MSG_EQ(afterStop, true, "after SIMULATOR_STOP_TIME");
        NS_TEST_EXPECT_MSG_EQ(afterFlows, true, "after the last flow");
        NS_TEST_EXPECT_MSG_EQ(Warnings("100"), "", "during the run");
        NS_TEST_EXPECT_MSG_EQ(Warnings("0"), "", "never");
    }

    /**
     * @param start QLEN_MON_START
     * @param end QLEN_MON_END
     * @return number of blocks of the qlen file
     */
    size_t CountDumps(const std::string& start, const std::string& end)
    {
        const std::string qlen = CreateTempDirFilename("qlen.txt");
        RunFile(Write("4 1 3\n3\n" + NEAR,
                      TWO_FLOWS,
                      {{"QLEN_MON_START", start}, {"QLEN_MON_END", end}}),
                1,
                CreateTempDirFilename("fct.txt"),
                false,
                qlen,
                Seconds(2) + MilliSeconds(2));
        std::ifstream in(qlen);
        size_t dumps = 0;
        for (std::string line; std::getline(in, line);)
        {
            dumps += line.rfind("time:", 0) == 0;
        }
        return dumps;
    }

    /**
     * Runs a config that ends at 2.002 s of simulated time.
     * @param afterUs time of LINK_DOWN, us
     * @return text that the run prints on standard error
     */
    std::string Warnings(const std::string& afterUs)
    {
        std::ostringstream text;
        auto* terminal = std::cerr.rdbuf(text.rdbuf());
        RunFile(Write("4 1 3\n3\n" + NEAR, TWO_FLOWS, {{"LINK_DOWN", afterUs + " 0 3"}}),
                1,
                CreateTempDirFilename("fct.txt"),
                false,
                "",
                Seconds(2) + MilliSeconds(2));
        std::cerr.rdbuf(terminal);
        return text.str();
    }
};

class HpccRunWindowTestSuite : public TestSuite
{
  public:
    HpccRunWindowTestSuite()
        : TestSuite("hpcc-run-window", Type::SYSTEM)
    {
        AddTestCase(new PathBaseRttTestCase);
        AddTestCase(new WindowTestCase);
        AddTestCase(new AlphaTestCase);
        AddTestCase(new GroupZeroTestCase);
        AddTestCase(new StandaloneTestCase);
        AddTestCase(new TimesTestCase);
    }
};

HpccRunWindowTestSuite g_hpccRunWindowTestSuite; ///< the suite

} // namespace
