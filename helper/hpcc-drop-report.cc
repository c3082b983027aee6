/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-drop-report.h"

#include "ns3/hpcc-drop-reason.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

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

} // namespace ns3
