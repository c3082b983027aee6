/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-byte-stream.h"
#include "hpcc-fabric-network.h"
#include "hpcc-find-cycle.h"

#include "ns3/qbb-egress.h"

#include <algorithm>

// The part of HpccFabricHelper that finds cyclic buffer dependencies.

namespace ns3
{

std::vector<uint32_t>
HpccFabricHelper::FindPauseCycle() const
{
    if (m_network->nodes.GetN() > 0 && !m_network->complete)
    {
        m_network->RequireComplete("FindPauseCycle"); // throws that Install() has refused
    }
    // A queue is identified by device and priority. A queue waits if it is paused and not empty.
    const auto queueOf = [](size_t device, uint8_t priority) {
        return static_cast<uint32_t>(device * PRIORITIES + priority);
    };
    HpccByteStream here;
    for (size_t i = 0; i < m_network->devices.size(); ++i)
    {
        for (uint8_t priority = 0; IsHere(GetNodeOf(i)) && priority < PRIORITIES; ++priority)
        {
            const QbbNetDevice& port = *m_network->devices[i];
            if (m_network->topology.IsSwitch(GetNodeOf(i)) && port.IsPaused(priority) &&
                port.GetQueueBytes(priority) > 0)
            {
                here.Put(queueOf(i, priority));
            }
        }
    }
    std::vector<bool> waiting(m_network->devices.size() * PRIORITIES, false);
    for (const std::string& bytes : m_network->ExchangeBytes(here.GetBytes()))
    {
        for (HpccByteStream theirs(bytes); !theirs.IsAtEnd();)
        {
            waiting[theirs.GetIndex(waiting.size())] = true;
        }
    }
    if (std::find(waiting.begin(), waiting.end(), true) == waiting.end())
    {
        return {};
    }

    // A waiting queue waits until the next switch has sent the frames that came over this queue's
    // link. Therefore it depends on those waiting queues of the next switch that contain such
    // frames.
    HpccByteStream mine;
    for (size_t i = 0; i < m_network->devices.size(); ++i)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            if (!waiting[queueOf(i, priority)] || !IsHere(GetNodeOf(i)))
            {
                continue;
            }
            for (uint16_t ingress : m_network->devices[i]->GetEgress().GetIngressPorts(priority))
            {
                const Network::Edge& edge = m_network->edges[GetNodeOf(i)][ingress];
                const size_t end =
                    m_network->topology.GetLinks()[edge.link].a == edge.neighbour ? 0 : 1;
                mine.Put(queueOf(2 * edge.link + end, priority));
                mine.Put(queueOf(i, priority));
            }
        }
    }
    std::vector<std::vector<uint32_t>> waitsFor(waiting.size());
    for (const std::string& bytes : m_network->ExchangeBytes(mine.GetBytes()))
    {
        HpccByteStream theirs(bytes);
        while (!theirs.IsAtEnd())
        {
            const uint32_t from = theirs.GetIndex(waiting.size());
            const uint32_t to = theirs.GetIndex(waiting.size());
            if (waiting[from])
            {
                waitsFor[from].push_back(to);
            }
        }
    }
    std::vector<uint32_t> switches;
    for (uint32_t queue : FindCycle(waitsFor))
    {
        switches.push_back(GetNodeOf(queue / PRIORITIES));
    }
    return switches;
}

} // namespace ns3
