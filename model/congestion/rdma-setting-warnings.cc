/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-setting-warnings.h"

#include "hpcc-law-attributes.h"
#include "rdma-congestion-ops.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/object-base.h"

#include <iomanip>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

// A queue of one packet adds 1/BDP to the load, with the BDP in packets. With a small W_ai, this
// noise changes the windows more than W_ai does.
constexpr double LEAST_INCREASE = 0.02; ///< W_ai, in packets, below which a warning is printed
constexpr double SAFE_INCREASE = 0.08;  ///< W_ai, in packets, that the warning recommends

/**
 * Returns true if an object has a numeric attribute of this name whose value is not the default.
 * @param object the object
 * @param attribute name of the attribute
 */
bool
IsSet(const ObjectBase& object, const std::string& attribute)
{
    TypeId::AttributeInformation info;
    DoubleValue value;
    return object.GetInstanceTypeId().LookupAttributeByName(attribute, &info) &&
           object.GetAttributeFailSafe(attribute, value) &&
           value.Get() != DynamicCast<const DoubleValue>(info.originalInitialValue)->Get();
}

} // namespace

std::string
RdmaSettingWarnings::NameUs(int64_t timeNs)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << static_cast<double>(timeNs) / 1e3 << " us";
    return text.str();
}

std::vector<std::string>
RdmaSettingWarnings::FindUnused(const ObjectBase& algorithm, bool countsFlows)
{
    const std::string name = algorithm.GetInstanceTypeId().GetName();
    std::vector<std::string> warnings;
    if (!countsFlows && IsSet(algorithm, "CountedShare"))
    {
        warnings.push_back(name +
                           "::CountedShare has no effect: the feedback does not count flows");
    }
    BooleanValue checks;
    if (IsSet(algorithm, "FeedbackSlack") &&
        algorithm.GetAttributeFailSafe("CheckFeedback", checks) && !checks.Get())
    {
        warnings.push_back(name + "::FeedbackSlack has no effect: CheckFeedback is false");
    }
    return warnings;
}

std::vector<std::string>
RdmaSettingWarnings::FindOfAny(const ObjectBase& algorithm, int64_t baseRttNs, bool countsFlows)
{
    std::vector<std::string> warnings = FindUnused(algorithm, countsFlows);
    const TypeId tid = algorithm.GetInstanceTypeId();
    TypeId::AttributeInformation info;
    if (tid.LookupAttributeByName("T", &info) &&
        info.checker->GetValueTypeName() == "ns3::TimeValue")
    {
        TimeValue value;
        algorithm.GetAttribute("T", value);
        const Time own = value.Get();
        if (own.IsStrictlyPositive() && own < NanoSeconds(baseRttNs))
        {
            warnings.push_back(tid.GetName() + "::T = " + NameUs(own.GetNanoSeconds()) +
                               " is below the largest base RTT of the network, " +
                               NameUs(baseRttNs) + ": flows on the longest paths cannot fill them");
        }
    }
    return warnings;
}

std::vector<std::string>
RdmaSettingWarnings::FindOfIncrease(const ObjectBase& algorithm, const Flows& flows)
{
    const auto* law = dynamic_cast<const HpccLawAttributes*>(&algorithm);
    std::vector<std::string> warnings;
    if (!law)
    {
        return warnings;
    }
    const std::string name = algorithm.GetInstanceTypeId().GetName();
    DataRateValue rateAi{DataRate(0)}; // only RDMA has the attribute
    algorithm.GetAttributeFailSafe("RateAi", rateAi);
    const bool rateWins = rateAi.Get().GetBitRate() > 0;
    std::ostringstream winner;
    if (rateWins)
    {
        winner << "RateAi is " << rateAi.Get();
    }
    else
    {
        winner << "Wai is " << law->waiBytes << " bytes";
    }
    if (rateWins && IsSet(algorithm, "Wai"))
    {
        warnings.push_back(name + "::Wai has no effect: " + winner.str());
    }
    if ((rateWins || law->waiBytes > 0) && law->expectedFlows != HpccParameters().expectedFlows)
    {
        warnings.push_back(name + "::N has no effect: " + winner.str());
    }
    const HpccParameters own = law->GetLawParameters();
    const double windowNs = own.windowNs > 0 ? own.windowNs : own.baseRttNs;
    const double initBytes = static_cast<double>(flows.slowestBps) * windowNs / 8e9;
    const double byRule = initBytes * (1 - own.eta) / own.expectedFlows;
    const double increase = own.waiBytes > 0 ? own.waiBytes : byRule;
    if (flows.several && flows.slowestBps > 0 && own.maxStage > 0 &&
        increase < LEAST_INCREASE * flows.packetBytes)
    {
        std::ostringstream line;
        line << name
             << (rateWins           ? "::RateAi makes W_ai "
                 : own.waiBytes > 0 ? "::Wai is "
                                    : "::N makes W_ai ")
             << increase
             << " bytes, less than 2 % of a packet: flows that start together may keep unequal "
                "rates for a long time; "
             << (rateWins ? "without RateAi, " : "")
             << "Wai = " << SAFE_INCREASE * flows.packetBytes << " is usually enough";
        warnings.push_back(line.str());
    }
    return warnings;
}

std::vector<std::string>
RdmaSettingWarnings::Find(const RdmaCongestionOps& policy,
                          int64_t baseRttNs,
                          bool countsFlows,
                          const Flows& flows)
{
    std::vector<std::string> warnings = FindOfAny(policy, baseRttNs, countsFlows);
    if (const auto* declared = dynamic_cast<const RdmaSettingWarnings*>(&policy))
    {
        for (std::string& warning : declared->ListWarnings(baseRttNs, flows))
        {
            warnings.push_back(std::move(warning));
        }
    }
    return warnings;
}

} // namespace ns3
