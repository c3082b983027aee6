/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_BOTTLENECK_H
#define HPCC_TEST_BOTTLENECK_H

#include "ns3/callback.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

/// Contains an observer of packets at the bottleneck of an incast and at ns-3's IP.
namespace hpcctest
{

using namespace ns3;

/// Observes an incast in a star whose last host receives.
class IncastWatch
{
  public:
    /// @param fabric the star, with IP stacks installed and no flows yet
    void Watch(const HpccFabricHelper& fabric)
    {
        const auto hosts = fabric.GetTopology().GetHosts();
        for (uint32_t host : hosts)
        {
            Ptr<Node> node = fabric.GetNodes().Get(host);
            if (host != hosts.back())
            {
                fabric.GetHost(host)->GetPort().TraceConnectWithoutContext(
                    "Transmit",
                    MakeCallback(&IncastWatch::Transmitted, this));
            }
            node->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
                "Rx",
                MakeCallback(&IncastWatch::ReachedIpv4, this));
            if (auto ipv6 = node->GetObject<Ipv6L3Protocol>())
            {
                ipv6->TraceConnectWithoutContext("Rx",
                                                 MakeCallback(&IncastWatch::ReachedIpv6, this));
            }
        }
        auto* bottleneck = fabric.GetSwitch(hosts.back() + 1)->GetPorts()[hosts.back()];
        bottleneck->TraceConnectWithoutContext("QueueBytes",
                                               MakeCallback(&IncastWatch::Queued, this));
        bottleneck->TraceConnectWithoutContext("Transmit",
                                               MakeCallback(&IncastWatch::Leaving, this));
    }

    uint64_t collecting{0}; ///< number of frames with telemetry at the bottleneck
    uint64_t strange{0};    ///< number of frames of collecting whose flow hash is unknown, or that
                            ///< do not have exactly one record
    uint64_t marked{0};     ///< number of packets with a nonzero TOS that ns-3's IP received
    uint64_t peak{0};       ///< longest queue, bytes
    uint64_t latePeak{0};   ///< longest queue after 200 us, bytes
    std::function<void(const Frame&)> leaving; ///< called for each frame that is sent; may be empty

  private:
    void Transmitted(int64_t, const Frame& frame)
    {
        if (!frame.format)
        {
            m_hashes.insert(frame.flowHash);
        }
    }

    void Leaving(int64_t, const Frame& frame)
    {
        if (frame.format)
        {
            ++collecting;
            strange += m_hashes.count(frame.flowHash) == 0 || frame.telemetry.hops != 1;
        }
        if (leaving)
        {
            leaving(frame);
        }
    }

    void ReachedIpv4(Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t)
    {
        Ipv4Header ip;
        packet->PeekHeader(ip);
        marked += ip.GetTos() != 0;
    }

    void ReachedIpv6(Ptr<const Packet> packet, Ptr<Ipv6>, uint32_t)
    {
        Ipv6Header ip;
        packet->PeekHeader(ip);
        marked += ip.GetTrafficClass() != 0;
    }

    void Queued(uint8_t, uint64_t, uint64_t bytes, int64_t)
    {
        peak = std::max(peak, bytes);
        if (Simulator::Now() > MicroSeconds(200))
        {
            latePeak = std::max(latePeak, bytes);
        }
    }

    std::set<uint32_t> m_hashes; ///< flow hashes of the packets without telemetry that have been
                                 ///< sent
};

} // namespace hpcctest

#endif // HPCC_TEST_BOTTLENECK_H
