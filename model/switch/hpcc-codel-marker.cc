/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-codel-marker.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CoDelMarker);

TypeId
CoDelMarker::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<CoDelMarker, Marker>("ns3::CoDelMarker")
            .Presets("codel")
            .Attribute("Target",
                       "Largest acceptable time of a frame in the switch.",
                       HpccField(&CoDelMarker::m_target, MicroSeconds(5), Time(0)))
            .Attribute("Interval",
                       "Time for which frames must exceed Target before marking begins; should be "
                       "about the largest round-trip time.",
                       HpccField(&CoDelMarker::m_interval, MicroSeconds(100), NanoSeconds(1)));
    return tid;
}

void
CoDelMarker::AddPort(uint64_t)
{
    m_queues.emplace_back();
}

int64_t
CoDelMarker::ControlLaw(int64_t fromNs, uint32_t count) const
{
    return fromNs + static_cast<int64_t>(static_cast<double>(m_interval.GetNanoSeconds()) /
                                         std::sqrt(static_cast<double>(count)));
}

bool
CoDelMarker::IsStanding(Queue& queue,
                        const QbbNetDevice& port,
                        const Frame& frame,
                        int64_t nowNs) const
{
    queue.maxFrameBytes = std::max(queue.maxFrameBytes, frame.bytes);
    if (nowNs - frame.arrivalNs < m_target.GetNanoSeconds() ||
        port.GetEgress().GetQueueBytes(frame.priority) <= queue.maxFrameBytes)
    {
        queue.firstAboveNs = 0;
        return false;
    }
    if (queue.firstAboveNs == 0)
    {
        queue.firstAboveNs = nowNs + m_interval.GetNanoSeconds();
        return false;
    }
    return nowNs >= queue.firstAboveNs;
}

bool
CoDelMarker::MustMark(const QbbNetDevice& port, const Frame& frame, int64_t nowNs)
{
    Queue& queue = m_queues[port.GetPortIndex()][frame.priority];
    if (!IsStanding(queue, port, frame, nowNs))
    {
        queue.dropping = false;
        return false;
    }
    if (queue.dropping)
    {
        if (nowNs < queue.dropNextNs)
        {
            return false;
        }
        ++queue.count;
        queue.dropNextNs = ControlLaw(queue.dropNextNs, queue.count);
        return true;
    }
    // Marking begins. If the previous marking phase ended recently, the count does not start at 1
    // but at the number of marks that followed the first mark of that phase. Therefore marks soon
    // follow each other closely again.
    const uint32_t delta = queue.count - queue.lastCount;
    const bool recent = nowNs - queue.dropNextNs < 16 * m_interval.GetNanoSeconds();
    queue.dropping = true;
    queue.count = delta > 1 && recent ? delta : 1;
    queue.lastCount = queue.count;
    queue.dropNextNs = ControlLaw(nowNs, queue.count);
    return true;
}

} // namespace ns3
