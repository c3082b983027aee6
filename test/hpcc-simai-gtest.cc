/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-job.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-job-simai.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A table of the bus bandwidths of all-reduces, from SimAI's tutorial.
struct Table
{
    bool tensor;               ///< true if the group is TP, false if it is DP
    uint32_t ranks;            ///< ranks of the group
    const char* rate;          ///< rate of each GPU's link
    Time delay;                ///< delay of each link
    bool ethernet;             ///< true if packets have preamble and gap
    Time receive;              ///< processing time of software after a message has been received
    std::vector<double> GiBps; ///< bus bandwidth for 16, 32, ... MiB
};

/// @return a job with one all-reduce per size, the smallest first
HpccJobGraph
GraphOf(const Table& table)
{
    std::ostringstream text;
    text << "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: "
         << (table.tensor ? table.ranks : 1) << " all_gpus: " << table.ranks << "\n"
         << table.GiBps.size() << "\n";
    for (size_t i = 0; i < table.GiBps.size(); ++i)
    {
        // The backward pass runs from the last layer to the first.
        const size_t size = table.tensor ? i : table.GiBps.size() - 1 - i;
        const std::string collective = " ALLREDUCE " + std::to_string(16777216ULL << size);
        text << "layer -1 1" << (table.tensor ? collective : " NONE 0") << " 1 NONE 0 1"
             << (table.tensor ? " NONE 0" : collective) << " 0\n";
    }
    std::istringstream in(text.str());
    return ReadSimAi(in, "table");
}

/// Expects the bandwidths of a table with a tolerance of 2 %.
void
ExpectTable(const Table& table)
{
    const auto graph = GraphOf(table);
    std::vector<HpccJobReport::CollectiveTime> times;
    {
        HpccTopology::LinkSpeeds speeds;
        speeds.host = DataRate(table.rate);
        speeds.delay = table.delay;
        const auto topology = HpccTopology::Star(table.ranks, speeds);
        HpccFabricHelper fabric;
        fabric.SetHostAttribute("Mtu", UintegerValue(9000));
        fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(table.ethernet));
        fabric.SetMaxLag(MicroSeconds(1));
        fabric.Install(topology);
        HpccFabricTransport transport(fabric, topology.GetHosts());
        ConnectJob(transport, graph, HpccFabricHelper::MakePolicy("none"));
        HpccJobSettings settings;
        settings.sendDelayNs = 2000;
        settings.receiveDelayNs = table.receive.GetNanoSeconds();
        HpccJobRun run(graph, transport, settings);
        transport.Start();
        run.Start();
        fabric.EndAt(MilliSeconds(100));
        Simulator::Run();
        times = HpccJobReport(graph, run.GetTimes(), 0).GetCollectives();
    }
    Simulator::Destroy();
    ASSERT_EQ(times.size(), table.GiBps.size());
    for (size_t i = 0; i < times.size(); ++i)
    {
        const auto& collective = graph.GetCollectives()[i];
        ASSERT_GT(times[i].endNs, 0);
        const double GiBps = static_cast<double>(collective.bytes) /
                             static_cast<double>(times[i].GetNs()) * collective.busFactor /
                             1.073741824;
        EXPECT_EQ(collective.bytes, 16777216ULL << i);
        EXPECT_NEAR(GiBps, table.GiBps[i], 0.02 * table.GiBps[i]) << collective.bytes << " bytes";
    }
}

} // namespace

TEST(HpccSimAi, PublishedRingsOverNvLinkAreMet)
{
    ExpectTable(
        {true, 8, "1440Gbps", NanoSeconds(25), false, Time(0), {141.84, 153.68, 160.60, 163.85}});
}

TEST(HpccSimAi, PublishedRingsOverEthernetAreMet)
{
    // In SimAI, the receiver is notified of a message only when the last ACK reaches the sender.
    // This is half a round trip later than in this module: 1 us over two links of 500 ns.
    ExpectTable({false,
                 32,
                 "400Gbps",
                 NanoSeconds(500),
                 true,
                 MicroSeconds(1),
                 {33.095585, 38.572166, 42.049648}});
}
