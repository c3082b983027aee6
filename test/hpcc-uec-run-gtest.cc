/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../examples/hpcc-run/hpcc-uec-run.h"

#include "ns3/config.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/rdma-sack.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Tests runs of hpcc-run --cm with files in a temporary directory.
class HpccUecRunTest : public ::testing::Test
{
  protected:
    HpccUecRunTest()
    {
        std::string name = "/tmp/hpcc-uec-XXXXXX";
        m_directory = mkdtemp(name.data());
    }

    ~HpccUecRunTest() override
    {
        std::filesystem::remove_all(m_directory);
        Config::Reset();
    }

    /// @return the path of the created file
    std::string File(const std::string& name, const std::string& text) const
    {
        std::ofstream(m_directory + "/" + name) << text;
        return m_directory + "/" + name;
    }

    /// @return the path of a matrix with one flow
    std::string OneFlow(uint32_t nodes, uint64_t bytes) const
    {
        std::ostringstream text;
        text << "Nodes " << nodes << "\nConnections 1\n0->" << nodes - 1 << " start 0 size "
             << bytes << "\n";
        return File("one.cm", text.str());
    }

    /// @return the path of the file of a leaf-spine network with 16 hosts
    std::string LeafSpine(uint32_t gbps) const
    {
        std::ostringstream text;
        text << "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps " << gbps
             << "\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 1000\nTier 1\n"
             << "Downlink_speed_Gbps " << gbps << "\nRadix_Down 4\nDownlink_Latency_ns 1000\n";
        return File("net.topo", text.str());
    }

    /// Reads the options of a hpcc-run --cm command and prepares the run.
    void Prepare(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), "program");
        arguments.push_back("--progress=false");
        arguments.push_back("--out=" + m_directory + "/out");
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        m_experiment = std::make_unique<HpccExperiment>("program", "a test", "none");
        m_run = std::make_unique<HpccUecRun>();
        m_run->AddOptions(*m_experiment);
        const bool trims =
            std::find(arguments.begin(), arguments.end(), "--trimming=none") == arguments.end();
        m_experiment->Parse(static_cast<int>(argv.size()),
                            argv.data(),
                            HpccUecRun::Defaults(trims));
        m_run->Prepare(*m_experiment);
    }

    /// Runs a hpcc-run --cm command.
    HpccSummary Run(const std::vector<std::string>& arguments)
    {
        Prepare(arguments);
        std::ostringstream table;
        auto* terminal = std::cout.rdbuf(table.rdbuf());
        const auto summaries =
            m_experiment->Run(m_run->MakeScenario(),
                              [this](HpccFabricHelper& fabric) { m_run->Configure(fabric); });
        std::cout.rdbuf(terminal);
        return summaries.front();
    }

    std::string m_directory;                      ///< directory of the files
    std::unique_ptr<HpccExperiment> m_experiment; ///< options
    std::unique_ptr<HpccUecRun> m_run;            ///< run of the matrix
};

} // namespace

TEST_F(HpccUecRunTest, QueueMarksAndBaseRttFollowFromTheNetworkAsInThatSimulator)
{
    struct Case
    {
        uint32_t gbps;  ///< rate of the hosts
        bool leafSpine; ///< true for leaf-spine, false for fat-tree
        double rttNs;
        uint64_t queue;
        uint64_t low;
        uint64_t high;
    };

    const std::string matrix = OneFlow(16, 1000);
    for (const auto& one : {Case{100, false, 14022.72, 43, 9, 35},
                            Case{100, true, 9348.48, 29, 6, 24},
                            Case{400, false, 12505.68, 151, 31, 121},
                            Case{400, true, 8337.12, 101, 21, 81},
                            Case{800, true, 8168.56, 197, 40, 158}})
    {
        std::vector<std::string> arguments{"--cm=" + matrix,
                                           "--linkspeed=" + std::to_string(one.gbps * 1000)};
        if (one.leafSpine)
        {
            arguments.push_back("--topo=" + LeafSpine(one.gbps));
        }
        Prepare(arguments);
        EXPECT_NEAR(m_run->GetRttNs(), one.rttNs, 0.01);
        EXPECT_EQ(m_run->GetQueueBytes(), one.queue * 4150);
        EXPECT_EQ(m_run->GetMarkBytes(), std::pair(one.low * 4150, one.high * 4150));
    }
}

TEST_F(HpccUecRunTest, OptionsReplaceWhatFollowsFromTheNetwork)
{
    Prepare({"--cm=" + OneFlow(16, 1000), "--q=100", "--ecn=25,75", "--mtu=2112"});
    EXPECT_EQ(m_run->GetQueueBytes(), 100U * 2112);
    EXPECT_EQ(m_run->GetMarkBytes(), (std::pair<uint64_t, uint64_t>(25 * 2112, 75 * 2112)));
    EXPECT_NEAR(m_run->GetRttNs(), 12000 + 6 * (2112 + 64) * 0.08, 0.01);
}

TEST_F(HpccUecRunTest, AFlowAloneEndsWithinOneNanosecondOfTheFormula)
{
    struct Case
    {
        uint32_t gbps;  ///< rate of the hosts
        bool leafSpine; ///< true for leaf-spine, false for fat-tree
        uint64_t bytes; ///< payload
    };

    for (const auto& one : {Case{100, false, 2000000},
                            Case{100, false, 40860},
                            Case{100, true, 408600},
                            Case{400, true, 1000001},
                            Case{800, true, 1000001}})
    {
        std::vector<std::string> arguments{"--cm=" + OneFlow(16, one.bytes),
                                           "--linkspeed=" + std::to_string(one.gbps * 1000)};
        if (one.leafSpine)
        {
            arguments.push_back("--topo=" + LeafSpine(one.gbps));
        }
        const double links = one.leafSpine ? 4 : 6;
        const uint64_t packets = (one.bytes + 4085) / 4086;
        const double last = static_cast<double>(one.bytes - (packets - 1) * 4086 + 64);
        const double bytes =
            (static_cast<double>(packets - 1) + links - 1) * 4150 + last + 64 * links;
        const double us = (bytes * 8 / one.gbps + 2 * links * 1000) / 1000;
        EXPECT_NEAR(Run(arguments).fctP50Us, us, 0.001) << one.gbps << " Gb/s, " << one.bytes;
    }
}

TEST_F(HpccUecRunTest, AFlowAloneWithAWindowOfWholePacketsEndsAsInThatSimulator)
{
    // uet-htsim prints 60.5669 us. In this module, the transmission of an ACK takes 5 ns per link
    // instead of 5.12 ns. Over 6 links and 8 windows, the difference is about 5 ns. If only the
    // last packet of a window requested an ACK, the flow would end at 59.900 us.
    EXPECT_NEAR(Run({"--cm=" + OneFlow(16, 100000), "--cwnd=3"}).fctP50Us, 60.5669, 0.006);
}

TEST_F(HpccUecRunTest, TriggersStartFlowsWhenOthersHaveArrivedOrAreAcknowledged)
{
    // Some flows stay in one pod, others do not. The sources of the waiting flows are different
    // hosts, and none of them is an end of the flow for which they wait.
    Run({"--cm=" + File("chain.cm",
                        "Nodes 16\nConnections 5\nTriggers 3\n"
                        "0->13 start 2 size 100000 send_done_trigger 1 recv_done_trigger 2\n"
                        "5->9 id 2 trigger 1 size 50000 send_done_trigger 3\n"
                        "6->2 id 3 trigger 2 size 50000 send_done_trigger 3\n"
                        "13->0 id 4 trigger 2 size 5000\n"
                        "8->4 id 5 trigger 3 size 5000\n"
                        "trigger id 1 oneshot\ntrigger id 2 oneshot\n"
                        "trigger id 3 barrier count 2\n")});
    std::ifstream in(m_directory + "/out/fct.csv");
    std::string row;
    std::getline(in, row);
    std::vector<double> starts;
    std::vector<double> ends;
    while (std::getline(in, row))
    {
        std::vector<std::string> cells;
        std::istringstream line(row);
        for (std::string cell; std::getline(line, cell, ',');)
        {
            cells.push_back(cell);
        }
        ASSERT_GE(cells.size(), 7U) << row;
        ASSERT_FALSE(cells[6].empty()) << "not finished: " << row;
        starts.push_back(std::stod(cells[5]));
        ends.push_back(std::stod(cells[6]));
    }
    ASSERT_EQ(starts.size(), 5U);
    EXPECT_EQ(starts[0], 2);
    EXPECT_EQ(starts[1], ends[0]) << "oneshot, acknowledged";
    // The last acknowledgement of 64 bytes crosses six links with a rate of 100 Gb/s and a delay of
    // 1 us.
    const double back = 6 * (64 * 8 / 100e3 + 1);
    EXPECT_NEAR(starts[2], ends[0] - back, 0.002) << "oneshot, arrived";
    EXPECT_EQ(starts[3], starts[2]) << "at another host, at once";
    EXPECT_EQ(starts[4], std::max(ends[1], ends[2])) << "barrier";
}

TEST_F(HpccUecRunTest, TheLargestSackThresholdIsAllowed)
{
    Prepare({"--cm=" + OneFlow(16, 1000), "--sack-threshold=4294967295"});
    TypeId::AttributeInformation info;
    RdmaSack::GetTypeId().LookupAttributeByName("AckBytes", &info);
    // payload of 1,034,932 packets of 4,150 bytes, each with 4,086 bytes of payload
    EXPECT_EQ(info.initialValue->SerializeToString(info.checker), "4228732152");
}

TEST_F(HpccUecRunTest, TimeoutsDoNotFollowTheRoundTripTime)
{
    const auto limit = [] { return CreateObject<RdmaSack>()->GetSackTerms({})->timeoutRtts; };
    EXPECT_EQ(limit(), 2) << "without --cm";
    const std::string matrix = "--cm=" + OneFlow(16, 20000);
    Prepare({matrix, "--trimming=none"});
    EXPECT_EQ(limit(), 0) << "as in uet-htsim";
    Prepare({matrix, "--ns3::RdmaSack::TimeoutRtts=3"});
    EXPECT_EQ(limit(), 3);
}

TEST_F(HpccUecRunTest, TriggersBeginAnewInEachRun)
{
    const std::string matrix = File("pair.cm",
                                    "Nodes 16\nConnections 2\nTriggers 1\n"
                                    "0->13 start 0 size 100000 send_done_trigger 1\n"
                                    "5->9 id 2 trigger 1 size 50000\ntrigger id 1 oneshot\n");
    Prepare({"--cm=" + matrix, "--cc=nscc:htsim,dctcp"});
    std::ostringstream table;
    auto* terminal = std::cout.rdbuf(table.rdbuf());
    const auto summaries =
        m_experiment->Run(m_run->MakeScenario(),
                          [this](HpccFabricHelper& fabric) { m_run->Configure(fabric); });
    std::cout.rdbuf(terminal);
    ASSERT_EQ(summaries.size(), 2U);
    EXPECT_EQ(summaries[0].flowsFinished, 2U);
    EXPECT_EQ(summaries[1].flowsFinished, 2U);
}

TEST_F(HpccUecRunTest, AFlowWhoseStartTheRunDoesNotReachHasNoStartInTheTable)
{
    Run({"--cm=" + File("late.cm",
                        "Nodes 16\nConnections 2\n"
                        "0->13 start 2 size 100000000\n5->9 start 30 size 5000\n"),
         "--end=20"});
    std::ifstream in(m_directory + "/out/fct.csv");
    std::string row;
    std::getline(in, row);
    for (const std::string start : {",2.000,", ",,"})
    {
        ASSERT_TRUE(std::getline(in, row));
        size_t cell = 0;
        for (int column = 0; column < 5; ++column)
        {
            cell = row.find(',', cell) + 1;
        }
        EXPECT_EQ(row.substr(cell - 1, start.size()), start) << row;
    }
}

TEST_F(HpccUecRunTest, DegradedLinksSlowDownWhatCrossesThem)
{
    std::string text = "Nodes 16\nConnections 12\n";
    for (uint32_t host = 4; host < 16; ++host)
    {
        text += std::to_string(host) + "->" + std::to_string(host % 4) + " start 0 size 200000\n";
    }
    const std::string matrix = "--cm=" + File("in.cm", text);
    const double whole = Run({matrix}).fctP99Us;
    const double degraded = Run({matrix, "--failed=2"}).fctP99Us;
    EXPECT_GT(degraded, whole);
}

TEST_F(HpccUecRunTest, AQueueOfADegradedLinkHoldsAQuarterWithAndWithoutTrimming)
{
    std::string text = "Nodes 16\nConnections 8\n";
    for (uint32_t host = 0; host < 8; ++host)
    {
        text += std::to_string(host) + "->" + std::to_string(host + 8) + " start 0 size 1000000\n";
    }
    const std::string matrix = "--cm=" + File("cross.cm", text);
    // A degraded link of 400 Gb/s would have the same rate as an undegraded link of a host.
    for (const uint32_t gbps : {400, 800})
    {
        std::ostringstream network;
        network << "Nodes 16\nTiers 2\nPodsize 16\nTier 0\nDownlink_speed_Gbps 100\nRadix_Up 8\n"
                << "Radix_Down 8\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps " << gbps
                << "\nRadix_Down 2\nBundle " << (gbps == 400 ? 4 : 8)
                << "\nDownlink_Latency_ns 1000\n";
        const std::string topology = "--topo=" + File("net.topo", network.str());
        for (const std::string trimming : {"coin", "none"})
        {
            const auto summary = Run(
                {matrix, topology, "--evs=1", "--failed=1", "--q=60", "--trimming=" + trimming});
            EXPECT_GT(summary.queuePeakBytes, 50000) << gbps << trimming;
            EXPECT_LT(summary.queuePeakBytes, 60 * 4150 / 4 + 4150) << gbps << trimming;
        }
    }
}

TEST_F(HpccUecRunTest, SummaryHasRetransmissionsAcknowledgementsAndNacks)
{
    std::string text = "Nodes 16\nConnections 15\n";
    for (uint32_t host = 0; host < 15; ++host)
    {
        text += std::to_string(host) + "->15 start 0 size 400000\n";
    }
    Run({"--cm=" + File("incast.cm", text), "--end=2000"});
    std::ifstream in(m_directory + "/out/summary.csv");
    std::string head;
    std::string row;
    std::getline(in, head);
    std::getline(in, row);
    const std::string end = ",rtx,acks,nacks,bottleneck_port";
    ASSERT_GE(head.size(), end.size());
    EXPECT_EQ(head.substr(head.size() - end.size()), end);
    std::vector<std::string> cells;
    std::istringstream line(row);
    for (std::string cell; std::getline(line, cell, ',');)
    {
        cells.push_back(cell);
    }
    ASSERT_GE(cells.size(), 4U);
    const uint64_t rtx = std::stoul(cells[cells.size() - 4]);
    const uint64_t acks = std::stoul(cells[cells.size() - 3]);
    const uint64_t nacks = std::stoul(cells[cells.size() - 2]);
    EXPECT_GT(rtx, 100U);
    EXPECT_GE(rtx, nacks);
    // 15 senders send 98 packets each. There is at least one ACK for every four packets, and at
    // most one ACK per packet.
    EXPECT_GE(acks, 15U * 98 / 4);
    EXPECT_LE(acks, 15U * 98 + rtx);
}
