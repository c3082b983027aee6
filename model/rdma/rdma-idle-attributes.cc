/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-idle-attributes.h"

#include "ns3/string.h"

#include <array>

namespace ns3
{

namespace
{

/// An attribute that has an effect with one value of another one only.
struct Dependence
{
    const char* attribute; ///< its name
    const char* needs;     ///< the other one
    const char* value;     ///< of the other one
};

constexpr std::array<Dependence, 7> DEPENDENCES{{{"Interval", "Forward", "Interval"},
                                                 {"Probability", "Forward", "Random"},
                                                 {"Round", "Forward", "Round"},
                                                 {"SubscribedDscp", "Subscribe", "Dscp"},
                                                 {"CommitRule", "Compute", "Receiver"},
                                                 {"Message", "Compute", "Receiver"},
                                                 {"CountWindow", "CountFlows", "true"}}};

} // namespace

std::string
WhyIdle(const RdmaFeedback& feedback, const std::string& attribute)
{
    for (const auto& dependence : DEPENDENCES)
    {
        StringValue value;
        feedback.GetAttribute(dependence.needs, value);
        if (attribute == dependence.attribute && value.Get() != dependence.value)
        {
            return "it needs ns3::RdmaFeedback::" + std::string(dependence.needs) + "=" +
                   dependence.value;
        }
    }
    return "";
}

} // namespace ns3
