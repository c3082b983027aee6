/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several paths join two racks. At the start, ECMP has hashed all flows onto the same path. How
// soon do the flows use the other paths with each value of --paths? How often does a flow move, and
// what do moves cost?

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-link-bins.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-repathing.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The bytes that an uplink has sent, in bins whose width is a base RTT.
struct Uplink
{
    int64_t binNs;      ///< width of a bin, ns
    QbbNetDevice* port; ///< the port
    HpccLinkBins bins;  ///< bytes on the link
};

void
NoteFrame(Uplink* uplink, int64_t nowNs, const Frame& frame)
{
    const QbbNetDevice& port = *uplink->port;
    uplink->bins.Add(nowNs, port.GetLinkBytes(frame.bytes), port.GetRateBps());
}

void
NoteMove(uint32_t* moves, const RdmaQueuePair&, int64_t)
{
    ++*moves;
}

/// Returns a UDP source port with which ECMP hashes the packets of a flow onto the first spine.
/// Throws HpccInputError if the switches do not use ECMP, or if there is no such port.
uint16_t
FindSourcePort(const HpccFabricHelper& fabric,
               const HpccFlowPlan& flow,
               uint32_t leaf,
               uint32_t hosts)
{
    const auto selector = fabric.GetSwitch(leaf)->GetPathSelector();
    HPCC_REFUSE_IF(selector,
                   "--paths: with " + selector->GetInstanceTypeId().GetName() +
                       " the flows do not start on one path; allowed are ecmp, " +
                       JoinNames(HpccPresets::Names(RdmaRepathing::GetTypeId())));
    const uint32_t source = HpccFabricHelper::GetAddress(flow.source);
    const uint32_t destination = HpccFabricHelper::GetAddress(flow.destination);
    for (uint16_t port = 0xc000; port != 0; ++port)
    {
        const uint32_t hash = HashFiveTuple(source, destination, port, ROCE_UDP_PORT, 17);
        if (fabric.GetSwitch(leaf)->GetRoutes().Lookup(destination, hash) == hosts)
        {
            return port;
        }
    }
    throw HpccInputError("no UDP source port leads over the first spine");
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t flows = 8;
        uint32_t spines = 4;
        uint64_t bytes = 10000000;
        DataRate rate("100Gbps");
        DataRate fabricRate("400Gbps");
        Time delay = MicroSeconds(1);
        HpccExperiment experiment("hpcc-migration",
                                  "All flows start on one of several paths; --paths=migrate can "
                                  "move them",
                                  "hpcc++");
        experiment.AddOption("flows", "flows, one per sending host, 1 to 1000", flows);
        experiment.AddOption("spines", "spines, one per path, 1 to 64", spines);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.AddOption("rate", "rate of the hosts' links", rate);
        experiment.AddOption("fabric-rate", "rate of the links between switches", fabricRate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.AddTable("migration.csv", 1);
        experiment.Parse(argc, argv);
        RequireRange("--flows", flows, 1, 1000);
        RequireRange("--spines", spines, 1, 64);
        RequireAtLeast("--bytes", bytes, 1);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::LeafSpine(2, spines, flows, {rate, fabricRate, delay});
        const uint32_t leaf = 2 * flows;
        for (uint32_t i = 0; i < flows; ++i)
        {
            scenario.flows.push_back({i, flows + i, bytes, 0, 0, 0});
        }
        scenario.perFlowSeries = true;
        scenario.sourcePort = [leaf, flows](const HpccFabricHelper& fabric,
                                            const HpccFlowPlan& flow) {
            return FindSourcePort(fabric, flow, leaf, flows);
        };
        HpccCsvFile table(experiment.PathOf("migration.csv"),
                          "cc,last_end_us,moves,most_moves_of_a_flow,scouts,packets_sent_again");
        HpccCsvFile series(experiment.PathOf("path_load.csv"), "cc,time_us,spine,gbps");
        scenario.tables = {&table, &series};
        std::deque<Uplink> uplinks;
        std::vector<uint32_t> moves;
        scenario.connected = [&](HpccFabricHelper& fabric) {
            const int64_t rttNs = fabric.GetPath(0, flows).baseRttNs;
            uplinks.clear();
            moves.assign(flows, 0);
            for (uint32_t spine = 0; spine < spines; ++spine)
            {
                const uint32_t link = fabric.GetTopology().FindLinks(leaf, leaf + 2 + spine).at(0);
                uplinks.push_back(
                    {rttNs, PeekPointer(fabric.GetDevices()[2 * link]), HpccLinkBins(rttNs)});
                uplinks.back().port->TraceConnectWithoutContext(
                    "Transmit",
                    MakeBoundCallback(&NoteFrame, &uplinks.back()));
            }
            for (uint32_t i = 0; i < flows; ++i)
            {
                fabric.GetHost(i)->TraceConnectWithoutContext(
                    "PathChange",
                    MakeBoundCallback(&NoteMove, &moves[i]));
            }
        };
        scenario.finished = [&](HpccFabricHelper& fabric,
                                const std::vector<HpccFlowPlan>&,
                                const HpccMonitor& monitor) {
            int64_t lastNs = 0;
            uint64_t scouts = 0;
            uint64_t again = 0;
            uint32_t all = 0;
            for (uint32_t i = 0; i < flows; ++i)
            {
                lastNs = std::max(lastNs, monitor.GetResults()[i].endNs);
                scouts += fabric.GetHost(i)->GetPathProbes();
                again += fabric.GetHost(i)->GetQueuePair(0).retransmissions;
                all += moves[i];
            }
            table << experiment.GetLabel() << ","
                  << (monitor.GetUnfinished() == 0 ? FormatUs(lastNs) : "") << "," << all << ","
                  << *std::max_element(moves.begin(), moves.end()) << "," << scouts << "," << again
                  << "\n";
            for (uint32_t spine = 0; spine < spines; ++spine)
            {
                const Uplink& uplink = uplinks[spine];
                for (const auto& [startNs, gbps] :
                     HpccMonitor::RatesOf(uplink.bins.GetBytes(), 0, uplink.binNs))
                {
                    series << experiment.GetLabel() << "," << FormatUs(startNs) << "," << spine
                           << "," << FormatGbps(gbps * 1e9) << "\n";
                }
            }
        };
        experiment.Run(scenario);
        table.Commit();
        series.Commit();
    });
}
