/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-switch.h"

#include "ns3/abort.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/qbb-egress.h"

// The part of QbbSwitch that refuses or trims frames as its agents decide.

namespace ns3
{

bool
QbbSwitch::IsWanted(Frame& frame, uint32_t egress, int64_t nowNs)
{
    for (auto* agent : m_deciders)
    {
        const EnqueueVerdict verdict = agent->Decide(*m_ports[egress], frame, nowNs);
        if (verdict.action == EnqueueVerdict::REFUSE)
        {
            return false;
        }
        if (verdict.action == EnqueueVerdict::TRIM)
        {
            Trim(frame, egress, agent->GetTrimPlan(), verdict);
        }
        else if (verdict.action == EnqueueVerdict::TRIM_LAST)
        {
            TrimLast(frame.priority, egress, agent->GetTrimPlan(), verdict, nowNs);
        }
        else if (verdict.action == EnqueueVerdict::DROP_LAST)
        {
            Frame* last = TakeLast(frame.priority, egress, nowNs);
            m_ports[last->ingressPort]->Drop(last, DropReason::REFUSED);
        }
    }
    return true;
}

void
QbbSwitch::Trim(Frame& frame, uint32_t egress, const TrimPlan& plan, const EnqueueVerdict& verdict)
{
    QbbNetDevice& out = *m_ports[egress];
    const uint16_t payloadBytes = verdict.payloadBytes;
    const uint8_t dscp = verdict.dscp ? verdict.dscp : plan.dscp;
    NS_ABORT_MSG_UNLESS(out.GetPriority(static_cast<uint8_t>(dscp << 2)) ==
                            out.GetPriority(static_cast<uint8_t>(plan.dscp << 2)),
                        "QbbSwitch: a port agent of node "
                            << out.GetNode()->GetId() << " trims into DSCP " << +dscp
                            << ", which has another priority than DSCP " << +plan.dscp
                            << " of its TrimPlan");
    NS_ABORT_MSG_UNLESS(
        plan.priorities >> frame.priority & 1 && RocePacket::CanTrim(frame, payloadBytes),
        "QbbSwitch: a port agent of node "
            << out.GetNode()->GetId() << " trims a frame of priority " << +frame.priority << " and "
            << frame.payloadBytes << " bytes of payload to " << payloadBytes
            << ", but an agent may trim only data of the priorities in its TrimPlan");
    RocePacket::Trim(frame, payloadBytes);
    frame.tos = static_cast<uint8_t>(dscp << 2 | (frame.tos & 3));
    frame.priority = out.GetPriority(frame.tos);
    ++m_trims;
    m_trimTrace(frame, egress);
}

void
QbbSwitch::TrimLast(uint8_t priority,
                    uint32_t egress,
                    const TrimPlan& plan,
                    const EnqueueVerdict& verdict,
                    int64_t nowNs)
{
    Frame* last = TakeLast(priority, egress, nowNs);
    Trim(*last, egress, plan, verdict);
    Store(*m_ports[last->ingressPort], last, egress, nowNs);
}

Frame*
QbbSwitch::TakeLast(uint8_t priority, uint32_t egress, int64_t nowNs)
{
    QbbNetDevice& out = *m_ports[egress];
    NS_ABORT_MSG_UNLESS(out.GetEgress().GetLast(priority),
                        "QbbSwitch: a port agent of node "
                            << out.GetNode()->GetId() << " trims or drops the last frame of "
                            << "priority " << +priority << ", whose queue is empty");
    Frame* last = out.GetEgress().TakeLast(priority);
    ReleaseBuffer(out, *last, nowNs);
    return last;
}

} // namespace ns3
