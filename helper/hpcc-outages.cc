/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-outages.h"

#include "hpcc-fabric-helper.h"
#include "hpcc-word-reader.h"

#include <sstream>

namespace ns3
{

HpccOutages::HpccOutages(const std::string& text)
{
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');)
    {
        Outage outage{item, 0, 0, Time(0), Time(0)};
        std::istringstream in(item);
        char dash = 0;
        char at = 0;
        std::string down;
        std::string up;
        bool valid = in >> outage.a >> dash >> outage.b >> at && dash == '-' && at == '@' &&
                     item.find_first_not_of("0123456789-") == item.find('@');
        std::getline(in, down, '-');
        if (!valid || !ReadTime(down, outage.down) || !outage.down.IsStrictlyPositive() ||
            (std::getline(in, up) && (!ReadTime(up, outage.up) || outage.up <= outage.down)))
        {
            throw HpccInputError(
                "--fail: \"" + item +
                "\" is not NODE-NODE@DOWN or NODE-NODE@DOWN-UP with times above 0, "
                "UP after DOWN, such as 0-4@100us-1ms");
        }
        m_outages.push_back(outage);
    }
}

void
HpccOutages::Schedule(const HpccTopology& topology, HpccFabricHelper& fabric) const
{
    for (const auto& outage : m_outages)
    {
        auto links = topology.FindLinks(outage.a, outage.b);
        if (links.empty())
        {
            throw HpccInputError("--fail: \"" + outage.text + "\": no link joins node " +
                                 std::to_string(outage.a) + " and node " +
                                 std::to_string(outage.b));
        }
        for (uint32_t link : links)
        {
            fabric.ScheduleLinkDown(link, outage.down);
            if (!outage.up.IsZero())
            {
                fabric.ScheduleLinkUp(link, outage.up);
            }
        }
    }
}

} // namespace ns3
