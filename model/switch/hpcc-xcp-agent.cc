/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-xcp-agent.h"

#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-xcp-format.h"
#include "ns3/qbb-net-device.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(XcpAgent);

namespace
{

/// @return true if the frame has a header that switches change
bool
IsOurs(const Frame& frame)
{
    return frame.CollectsTelemetry() &&
           frame.format->GetReflectionId() == XcpFormat::REFLECTION_ID &&
           frame.telemetry.words[XcpFormat::RTT_NS] > 0 &&
           frame.telemetry.words[XcpFormat::CWND_BYTES] > 0;
}

/// @return what a header tells of its flow
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
        AddHpccPresets(TypeId("ns3::XcpAgent")
                           .SetParent<SwitchAgent>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<XcpAgent>(),
                       "xcp")
            .AddAttribute("Alpha",
                          "Gain of the spare rate, above 0.",
                          DoubleValue(0.4),
                          MakeDoubleAccessor(&XcpAgent::m_alpha),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min()))
            .AddAttribute("Beta",
                          "Gain of the persistent queue.",
                          DoubleValue(0.226),
                          MakeDoubleAccessor(&XcpAgent::m_beta),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Gamma",
                          "Share of the traffic that is redistributed in a control interval.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&XcpAgent::m_gamma),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LongestInterval",
                          "Longest control interval; it is the average RTT if that is shorter.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&XcpAgent::m_longestInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("T",
                          "Average RTT until packets have told theirs; 0 for the network's base "
                          "RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&XcpAgent::m_baseRtt),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
XcpAgent::Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt)
{
    const Time rtt = m_baseRtt.IsZero() ? baseRtt : m_baseRtt;
    const XcpParameters parameters{m_alpha,
                                   m_beta,
                                   m_gamma,
                                   static_cast<double>(m_longestInterval.GetNanoSeconds())};
    for (const auto* port : ports)
    {
        m_laws.emplace_back(parameters,
                            static_cast<double>(port->GetRateBps()),
                            static_cast<double>(rtt.GetNanoSeconds()));
    }
}

bool
XcpAgent::WantsEnqueue() const
{
    return true;
}

void
XcpAgent::OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    XcpLaw& law = m_laws[port.GetPortIndex()];
    const uint32_t linkBytes = port.GetLinkBytes(frame.bytes);
    law.CatchUp(nowNs, port.GetQueueBytes());
    law.Arrive(linkBytes, port.GetQueueBytes());
    if (IsOurs(frame))
    {
        law.Count(linkBytes, FlowOf(frame.telemetry));
    }
}

void
XcpAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    XcpLaw& law = m_laws[port.GetPortIndex()];
    law.CatchUp(nowNs, port.GetQueueBytes() + frame.admittedBytes);
    if (IsOurs(frame))
    {
        uint32_t& feedback = frame.telemetry.words[XcpFormat::FEEDBACK];
        feedback = XcpFormat::FromBytes(law.Depart(port.GetLinkBytes(frame.bytes),
                                                   FlowOf(frame.telemetry),
                                                   XcpFormat::ToBytes(feedback)));
    }
}

} // namespace ns3
