/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-xcp-agent.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/hpcc-xcp-format.h"
#include "ns3/qbb-egress.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(XcpAgent);

namespace
{

/// Returns true if the frame carries an XcpFormat header with an RTT and a window. Switches update
/// the feedback in this header.
bool
IsOurs(const Frame& frame)
{
    return frame.CollectsTelemetry() &&
           frame.format->GetReflectionId() == XcpFormat::REFLECTION_ID &&
           frame.telemetry.words[XcpFormat::RTT_NS] > 0 &&
           frame.telemetry.words[XcpFormat::CWND_BYTES] > 0;
}

/// Returns the flow's window and RTT, as given in a header.
XcpLaw::Flow
FlowOf(const TelemetryStack& header)
{
    return {static_cast<double>(header.words[XcpFormat::CWND_BYTES]),
            static_cast<double>(header.words[XcpFormat::RTT_NS])};
}

} // namespace

TypeId
XcpAgent::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<XcpAgent, SwitchAgent>("ns3::XcpAgent").Presets("xcp"),
                      Seconds(1))
            .Attribute(
                "Gamma",
                "Share of the traffic that is redistributed among flows in each control interval.",
                HpccField(&XcpAgent::m_gamma, 0.1, 0, 1));
    return tid;
}

XcpParameters
XcpAgent::GetParameters() const
{
    return {m_alpha, m_beta, m_gamma, static_cast<double>(m_longestInterval.GetNanoSeconds())};
}

void
XcpAgent::OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    XcpLaw& law = CatchUp(port, nowNs);
    const uint32_t linkBytes = port.GetLinkBytes(frame.bytes);
    law.Arrive(linkBytes, port.GetEgress().GetQueueBytes());
    if (IsOurs(frame))
    {
        law.Count(linkBytes, FlowOf(frame.telemetry));
    }
}

void
XcpAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    XcpLaw& law = CatchUp(port, nowNs, frame.admittedBytes);
    if (IsOurs(frame))
    {
        uint32_t& feedback = frame.telemetry.words[XcpFormat::FEEDBACK];
        feedback = XcpFormat::FromBytes(law.Depart(port.GetLinkBytes(frame.bytes),
                                                   FlowOf(frame.telemetry),
                                                   XcpFormat::ToBytes(feedback)));
    }
}

} // namespace ns3
