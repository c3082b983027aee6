/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-egress-scheduler.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EgressScheduler);

TypeId
EgressScheduler::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<EgressScheduler, Object>("ns3::EgressScheduler");
    return tid;
}

bool
EgressScheduler::Classes::SetWeights(const std::string& text, std::string& why)
{
    std::array<uint16_t, PRIORITIES> parsed{};
    for (const std::string& entry : SplitAt(text, ','))
    {
        std::istringstream in(entry);
        unsigned priority = 0;
        unsigned weight = 0;
        char colon = 0;
        char rest = 0;
        if (entry.find('-') != std::string::npos || !(in >> priority >> colon >> weight) ||
            colon != ':' || in >> rest || priority >= PRIORITIES || weight < 1 ||
            weight > MAX_WEIGHT)
        {
            why = "\"" + entry + "\" is not PRIORITY:WEIGHT with PRIORITY 0 to 7 and WEIGHT 1 to " +
                  std::to_string(MAX_WEIGHT);
            return false;
        }
        if (parsed[priority] != 0)
        {
            why = "priority " + std::to_string(priority) + " has two weights";
            return false;
        }
        parsed[priority] = static_cast<uint16_t>(weight);
    }
    const auto without = std::count(parsed.begin(), parsed.end(), 0);
    if (!text.empty() && without > PRIORITIES - 2)
    {
        why = "\"" + text + "\" has one weight; at least two are needed";
        return false;
    }
    weights = parsed;
    return true;
}

std::string
EgressScheduler::Classes::GetWeights() const
{
    std::string text;
    for (size_t p = 0; p < PRIORITIES; ++p)
    {
        if (weights[p] != 0)
        {
            text +=
                (text.empty() ? "" : ",") + std::to_string(p) + ":" + std::to_string(weights[p]);
        }
    }
    return text;
}

void
EgressScheduler::SetClasses(const Classes& classes)
{
    const std::string weights = classes.GetWeights();
    HPCC_REFUSE_IF(!weights.empty(),
                   "ns3::QbbNetDevice::Weights \"" + weights + "\" has no effect: this " +
                       GetInstanceTypeId().GetName() +
                       " gives no shares; allowed is none, or another scheduler");
}

uint8_t
EgressScheduler::GetAhead(uint8_t) const
{
    return 0;
}

uint8_t
EgressScheduler::GetPeers(uint8_t priority) const
{
    return static_cast<uint8_t>(~(1U << priority));
}

double
EgressScheduler::GetShare(uint8_t) const
{
    return 0;
}

void
EgressScheduler::SetOwner(Owner* port)
{
    HPCC_REFUSE_IF(m_owner && port && m_owner != port,
                   "ns3::QbbNetDevice::Scheduler: two ports have the same " +
                       GetInstanceTypeId().GetName() +
                       "; each needs one of its own, as with HpccFabricHelper::SetScheduler() "
                       "(--scheduler)");
    m_owner = port;
}

void
EgressScheduler::Reconfigure(const std::string& attribute)
{
    if (m_owner)
    {
        m_owner->ConfigureShares(GetInstanceTypeId().GetName() + "::" + attribute);
    }
}

} // namespace ns3
