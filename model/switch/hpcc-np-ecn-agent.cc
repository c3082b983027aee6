/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-np-ecn-agent.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-flow-control.h"
#include "ns3/qbb-net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NpEcnAgent);

TypeId
NpEcnAgent::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<NpEcnAgent, SwitchAgent>("ns3::NpEcnAgent")
            .Presets("np-ecn")
            .Attribute("Threshold",
                       "A packet is marked if more than this many bytes of its priority wait "
                       "behind it when it leaves. 0: if any packet waits.",
                       HpccField(&NpEcnAgent::m_threshold, 0));
    return tid;
}

void
NpEcnAgent::Install(const std::vector<QbbNetDevice*>&, Time)
{
}

bool
NpEcnAgent::SetBaseRtt(Time)
{
    return true; // the agent does not use the base RTT
}

void
NpEcnAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t)
{
    if ((frame.tos & 3) != ECN_ECT1 ||
        port.GetEgress().GetQueueBytes(frame.priority) <= m_threshold)
    {
        return;
    }
    if (frame.arrivalNs <= port.GetFlowControl().GetResumedNs(frame.priority))
    {
        ++m_heldUp;
        return;
    }
    frame.tos |= ECN_CE;
    ++m_marks;
    port.NotifyEcnMark(frame);
}

uint8_t
NpEcnAgent::GetMarkedCodepoint() const
{
    return ECN_ECT1;
}

} // namespace ns3
