/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_TCP_OUTCOME_H
#define HPCC_TEST_TCP_OUTCOME_H

#include "ns3/bulk-send-helper.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <functional>
#include <list>
#include <vector>

/// Contains a function that runs TCP flows of ns-3's applications and returns their results.
namespace hpcctest
{

using namespace ns3;

/// Results of a run.
struct TcpOutcome
{
    HpccSummary summary; ///< results of HpccMonitor
    double goodput;      ///< sum of the goodput of all flows, from 30 T after the last start to the
                         ///< first completion, Gb/s
};

using Receiver = std::function<void(Ptr<const Packet>)>; ///< called with each packet that a sink
                                                         ///< receives

/// Calls @p receiver with @p packet.
inline void
CallReceiver(Receiver* receiver, Ptr<const Packet> packet, const Address&)
{
    (*receiver)(packet);
}

/**
 * Runs bulk flows and simulates 5 ms.
 * @param fabric a network with IP stacks and NICs
 * @param flows the flows
 * @return results of the flows
 */
inline TcpOutcome
RunBulk(HpccFabricHelper& fabric, const std::vector<HpccFlowPlan>& flows)
{
    const int64_t settleNs = flows.back().startNs + 30 * fabric.GetNetworkBaseRttNs();
    HpccMonitor monitor(fabric, flows, settleNs);
    std::vector<uint64_t> received(flows.size(), 0);
    uint64_t settled = 0;
    int64_t lastNs = 0;
    bool over = false;
    std::list<Receiver> receivers;
    for (size_t i = 0; i < flows.size(); ++i)
    {
        const auto port = static_cast<uint16_t>(5000 + i);
        BulkSendHelper bulk(
            "ns3::TcpSocketFactory",
            InetSocketAddress(HpccInternetHelper::GetIpv4Address(flows[i].destination), port));
        bulk.SetAttribute("MaxBytes", UintegerValue(flows[i].bytes));
        bulk.SetAttribute("SendSize", UintegerValue(100000));
        bulk.Install(fabric.GetNodes().Get(flows[i].source)).Start(NanoSeconds(flows[i].startNs));
        receivers.emplace_back([&, i](Ptr<const Packet> packet) {
            const int64_t nowNs = Simulator::Now().GetNanoSeconds();
            monitor.NoteReceived(i, nowNs, packet->GetSize());
            received[i] += packet->GetSize();
            if (!over && nowNs >= settleNs)
            {
                settled += packet->GetSize();
                lastNs = nowNs;
            }
            if (received[i] == flows[i].bytes)
            {
                over = true;
                monitor.NoteFinished(i, nowNs);
            }
        });
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), port));
        sink.Install(fabric.GetNodes().Get(flows[i].destination))
            .Get(0)
            ->TraceConnectWithoutContext("Rx", MakeBoundCallback(&CallReceiver, &receivers.back()));
    }
    Simulator::Stop(MilliSeconds(5));
    Simulator::Run();
    return {monitor.Summarize(),
            static_cast<double>(settled) * 8 / static_cast<double>(lastNs - settleNs)};
}

} // namespace hpcctest

#endif // HPCC_TEST_TCP_OUTCOME_H
