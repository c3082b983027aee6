/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-dscp-priority-map.h"

#include "ns3/hpcc-split-at.h"

#include <sstream>

namespace ns3
{

bool
DscpPriorityMap::Parse(const std::string& text, std::string& why)
{
    std::array<uint8_t, 64> priority{};
    std::array<bool, 64> listed{};
    for (const std::string& entry : SplitAt(text, ','))
    {
        std::istringstream in(entry);
        unsigned dscp = 0;
        unsigned value = 0;
        char colon = 0;
        char rest = 0;
        if (entry.find('-') != std::string::npos || !(in >> dscp >> colon >> value) ||
            colon != ':' || in >> rest || dscp > 63 || value > 7)
        {
            why = "\"" + entry + "\" is not DSCP:PRIORITY with DSCP 0 to 63 and PRIORITY 0 to 7";
            return false;
        }
        if (listed[dscp])
        {
            why = "DSCP " + std::to_string(dscp) + " has two priorities";
            return false;
        }
        listed[dscp] = true;
        priority[dscp] = static_cast<uint8_t>(value);
    }
    m_priority = priority;
    return true;
}

std::string
DscpPriorityMap::ToString() const
{
    std::string text;
    for (size_t dscp = 0; dscp < m_priority.size(); ++dscp)
    {
        if (m_priority[dscp] != 0)
        {
            text += (text.empty() ? "" : ",") + std::to_string(dscp) + ":" +
                    std::to_string(m_priority[dscp]);
        }
    }
    return text;
}

} // namespace ns3
