/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-storm-report.h"

#include "hpcc-byte-stream.h"
#include "hpcc-csv-file.h"

#include "ns3/hpcc-pfc-watchdog.h"

#include <iostream>
#include <tuple>

namespace ns3
{

void
HpccStormReport::Storms::Add(const Storms& other)
{
    const uint64_t sum = count + other.count;
    if (std::tie(other.sinceNs, other.node, other.port, other.priority) <
        std::tie(sinceNs, node, port, priority))
    {
        *this = other;
    }
    count = sum;
}

void
HpccStormReport::Record(uint32_t node,
                        uint32_t port,
                        uint8_t priority,
                        int64_t sinceNs,
                        uint64_t queueBytes)
{
    m_storms.Add({1, sinceNs, node, port, priority, queueBytes});
}

void
HpccStormReport::Watch(const HpccFabricHelper& fabric)
{
    for (uint32_t node = 0; node < fabric.GetNodes().GetN(); ++node)
    {
        if (auto watchdog = fabric.GetNodes().Get(node)->GetObject<PfcWatchdog>())
        {
            watchdog->TraceConnectWithoutContext("Storm",
                                                 MakeCallback(&HpccStormReport::Record, this));
        }
    }
}

void
HpccStormReport::Print(const std::string& run, const Ptr<HpccRanks>& ranks) const
{
    Storms all = m_storms;
    if (ranks)
    {
        HpccByteStream mine;
        mine.Put(m_storms);
        all = {};
        for (const std::string& bytes : ranks->Exchange(mine.GetBytes()))
        {
            all.Add(HpccByteStream(bytes).Get<Storms>());
        }
    }
    if (all.count > 0 && (!ranks || ranks->GetRank() == 0))
    {
        std::cerr << run << ": warning: the watchdog saw " << all.count
                  << " storms, the first at switch " << all.node << " port " << all.port
                  << " priority " << +all.priority << ", paused since " << FormatUs(all.sinceNs)
                  << " us with " << all.queueBytes << " bytes waiting" << std::endl;
    }
}

} // namespace ns3
