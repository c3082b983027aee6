/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-setting-warnings.h"

#include "rdma-congestion-ops.h"

#include "ns3/double.h"
#include "ns3/nstime.h"

#include <iomanip>
#include <sstream>
#include <utility>

namespace ns3
{

std::string
RdmaSettingWarnings::NameUs(int64_t timeNs)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << static_cast<double>(timeNs) / 1e3 << " us";
    return text.str();
}

std::vector<std::string>
RdmaSettingWarnings::Find(const RdmaCongestionOps& policy, int64_t baseRttNs, bool countsFlows)
{
    std::vector<std::string> warnings;
    TypeId::AttributeInformation info;
    DoubleValue share;
    if (!countsFlows && policy.GetInstanceTypeId().LookupAttributeByName("CountedShare", &info) &&
        policy.GetAttributeFailSafe("CountedShare", share) &&
        share.Get() != DynamicCast<const DoubleValue>(info.originalInitialValue)->Get())
    {
        warnings.push_back(policy.GetInstanceTypeId().GetName() +
                           "::CountedShare has no effect: the feedback does not count flows");
    }
    if (policy.GetInstanceTypeId().LookupAttributeByName("T", &info) &&
        info.checker->GetValueTypeName() == "ns3::TimeValue")
    {
        TimeValue value;
        policy.GetAttribute("T", value);
        const Time own = value.Get();
        if (own.IsStrictlyPositive() && own < NanoSeconds(baseRttNs))
        {
            std::ostringstream line;
            line << policy.GetInstanceTypeId().GetName() << "::T = " << NameUs(own.GetNanoSeconds())
                 << " is below the largest base RTT of the network, " << NameUs(baseRttNs)
                 << ": flows on the longest paths cannot fill them";
            warnings.push_back(line.str());
        }
    }
    if (const auto* declared = dynamic_cast<const RdmaSettingWarnings*>(&policy))
    {
        for (std::string& warning : declared->ListWarnings(baseRttNs))
        {
            warnings.push_back(std::move(warning));
        }
    }
    return warnings;
}

} // namespace ns3
