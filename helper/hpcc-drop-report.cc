/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-drop-report.h"

#include "hpcc-byte-stream.h"

#include "ns3/hpcc-drop-reason.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

namespace
{

/// The data packets of a network.
struct Data
{
    uint32_t frameBytes{0}; ///< size of the largest frame, without telemetry, bytes
    uint8_t priorities{0};  ///< priorities, one bit each
};

/// Returns the properties of the data that hosts may send. With several ranks, all ranks must call
/// this function.
/// @param fabric the network
Data
DataOf(const HpccFabricHelper& fabric)
{
    Data data;
    for (const uint32_t number : fabric.GetTopology().GetHosts())
    {
        if (!fabric.IsHere(number))
        {
            continue;
        }
        const Ptr<RdmaHost> host = fabric.GetHost(number);
        UintegerValue dscp;
        host->GetAttribute("DataDscp", dscp);
        for (const uint64_t tos : {dscp.Get() << 2, uint64_t{0}})
        {
            data.priorities |= 1U << host->GetPort().GetPriority(static_cast<uint8_t>(tos));
        }
        data.frameBytes = std::max(data.frameBytes,
                                   host->DataFrameBytes(host->GetMtu(), ROCE_WRITE_ONLY, nullptr));
    }
    if (!fabric.GetRanks())
    {
        return data;
    }
    HpccByteStream mine;
    mine.Put(data.frameBytes);
    mine.Put(data.priorities);
    for (const std::string& bytes : fabric.GetRanks()->Exchange(mine.GetBytes()))
    {
        HpccByteStream stream(bytes);
        data.frameBytes = std::max(data.frameBytes, stream.Get<uint32_t>());
        data.priorities |= stream.Get<uint8_t>();
        stream.RequireEnd();
    }
    return data;
}

/**
 * Returns the warning of HpccDropReport::DescribeHeadroom() for the switches of this rank.
 * @param fabric the network
 * @param data the data of all hosts
 */
std::string
DescribeHeadroomHere(const HpccFabricHelper& fabric, const Data& data)
{
    for (uint32_t node = 0; node < fabric.GetTopology().GetNodes(); ++node)
    {
        if (!fabric.GetTopology().IsSwitch(node) || !fabric.IsHere(node))
        {
            continue;
        }
        const Ptr<QbbSwitch> device = fabric.GetSwitch(node);
        const Ptr<BufferPolicy> buffer = device->GetBuffer();
        for (uint32_t i = 0; i < device->GetPorts().size(); ++i)
        {
            const QbbNetDevice& port = *device->GetPorts()[i];
            const uint32_t frameBytes = data.frameBytes + fabric.GetArrivingTelemetryBytes(node, i);
            const uint64_t needed =
                BufferPolicy::GetHeadroomBytes({port.GetRateBps(),
                                                port.GetQbbChannel()->GetDelayNs(),
                                                port.GetLinkBytes(frameBytes),
                                                port.GetLosslessPriorities(),
                                                port.GetQbbChannel()->GetPeerRateBps(&port)});
            const uint64_t headroom = buffer->GetHeadroomBytes(i);
            if (port.GetLosslessPriorities() & data.priorities && headroom < needed)
            {
                return "node " + std::to_string(node) + ", port " + std::to_string(i) + ": " +
                       buffer->GetInstanceTypeId().GetName() + " has a headroom of " +
                       std::to_string(headroom) + " bytes, but up to " + std::to_string(needed) +
                       " bytes may arrive before a pause takes effect, so that lossless "
                       "priorities may lose packets; the default is enough";
            }
        }
    }
    return "";
}

} // namespace

std::string
HpccDropReport::Describe(const HpccFabricHelper& fabric)
{
    std::vector<uint64_t> drops(static_cast<size_t>(DropReason::COUNT), 0);
    for (const auto& device : fabric.GetDevices())
    {
        for (size_t i = 0; device && i < drops.size(); ++i)
        {
            drops[i] += device->GetDrops(static_cast<DropReason>(i));
        }
    }
    fabric.AddUp(drops);
    std::string text;
    for (size_t i = 0; i < drops.size(); ++i)
    {
        if (drops[i] > 0)
        {
            text += (text.empty() ? "frames dropped: " : ", ") + std::to_string(drops[i]) + " " +
                    ToString(static_cast<DropReason>(i));
        }
    }
    return text;
}

std::string
HpccDropReport::DescribeUntrimmed(const HpccFabricHelper& fabric)
{
    std::vector<uint64_t> counts(2, 0); // trims, drops
    for (uint32_t node = 0; node < fabric.GetTopology().GetNodes(); ++node)
    {
        counts[0] += fabric.GetTopology().IsSwitch(node) ? fabric.GetSwitch(node)->GetTrims() : 0;
    }
    for (const auto& device : fabric.GetDevices())
    {
        for (const DropReason reason : {DropReason::BUFFER_FULL, DropReason::EGRESS_LIMIT})
        {
            counts[1] += device ? device->GetDrops(reason) : 0;
        }
    }
    fabric.AddUp(counts);
    return counts[0] > 0 || counts[1] == 0
               ? ""
               : "no packet has been trimmed, but buffers have dropped " +
                     std::to_string(counts[1]) +
                     ": no queue has reached its threshold; smaller thresholds or larger buffers "
                     "have an effect";
}

std::string
HpccDropReport::DescribeHeadroom(const HpccFabricHelper& fabric)
{
    const std::string mine = DescribeHeadroomHere(fabric, DataOf(fabric));
    if (!fabric.GetRanks())
    {
        return mine;
    }
    for (const std::string& theirs : fabric.GetRanks()->Exchange(mine))
    {
        if (!theirs.empty())
        {
            return theirs;
        }
    }
    return "";
}

} // namespace ns3
