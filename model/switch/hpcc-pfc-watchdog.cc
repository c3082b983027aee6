/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pfc-watchdog.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-flow-control.h"
#include "ns3/qbb-net-device.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PfcWatchdog");

NS_OBJECT_ENSURE_REGISTERED(PfcWatchdog);

TypeId
PfcWatchdog::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<PfcWatchdog, SwitchAgent>("ns3::PfcWatchdog")
            .Presets("pfc-watchdog;pfc-watchdog:drop=Action:Drop")
            .Attribute("DetectionTime",
                       "Time for which a queue with frames must be paused without a break before "
                       "the watchdog acts.",
                       HpccField(&PfcWatchdog::m_detectionTime, MilliSeconds(100), NanoSeconds(10)))
            .Attribute("Action",
                       "Reaction to a queue paused for DetectionTime: Report, trace and count it; "
                       "Drop, also drop the frames in the queue.",
                       HpccField(&PfcWatchdog::m_action, REPORT, REPORT, "Report", DROP, "Drop"))
            .Trace("Storm",
                   "A queue with frames has been paused for DetectionTime.",
                   &PfcWatchdog::m_stormTrace,
                   "ns3::PfcWatchdog::StormTracedCallback")
            .Trace("StormEnd",
                   "The pause of a queue for which Storm has fired has ended.",
                   &PfcWatchdog::m_stormEndTrace,
                   "ns3::PfcWatchdog::StormTracedCallback");
    return tid;
}

void
PfcWatchdog::Install(const std::vector<QbbNetDevice*>&, Time)
{
}

bool
PfcWatchdog::SetBaseRtt(Time)
{
    return true; // the watchdog does not use the base RTT
}

bool
PfcWatchdog::WantsTimer() const
{
    return true;
}

int64_t
PfcWatchdog::OnTimer(QbbNetDevice& port, int64_t nowNs)
{
    const int64_t detectionNs = m_detectionTime.GetNanoSeconds();
    int64_t nextNs = nowNs + detectionNs;
    const int64_t laterNs = nowNs + detectionNs / 10;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const bool paused = port.IsPaused(priority);
        const uint64_t waiting = port.GetEgress().GetQueueBytes(priority);
        const int64_t sinceNs = port.GetFlowControl().GetPausedSinceNs(priority);
        const auto storm = m_storming.find({&port, priority});
        bool storming = storm != m_storming.end();
        if (storming && (!paused || sinceNs != storm->second))
        {
            m_stormEndTrace(port.GetNode()->GetId(),
                            port.GetPortIndex(),
                            priority,
                            storm->second,
                            waiting);
            m_storming.erase(storm);
            storming = false;
        }
        if (!paused)
        {
            continue;
        }
        if (!storming && waiting > 0 && nowNs - sinceNs >= detectionNs)
        {
            storming = true;
            m_storming[{&port, priority}] = sinceNs;
            ++m_storms;
            NS_LOG_WARN("node " << port.GetNode()->GetId() << " port " << port.GetPortIndex()
                                << " priority " << +priority << " has been paused since " << sinceNs
                                << " ns");
            m_stormTrace(port.GetNode()->GetId(), port.GetPortIndex(), priority, sinceNs, waiting);
        }
        if (storming)
        {
            Act(port, priority);
            nextNs = std::min(nextNs, laterNs);
        }
        else
        {
            // A storm may still begin: the pause may continue until DetectionTime has passed, or a
            // frame may join an empty queue.
            const int64_t dueNs = sinceNs + detectionNs;
            nextNs = std::min(nextNs, dueNs > nowNs ? dueNs : laterNs);
        }
    }
    return nextNs;
}

void
PfcWatchdog::Act(QbbNetDevice& port, uint8_t priority) const
{
    if (m_action == DROP)
    {
        port.GetEgress().DropQueue(priority, DropReason::PFC_WATCHDOG);
    }
}

} // namespace ns3
