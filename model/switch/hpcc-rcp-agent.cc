/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rcp-agent.h"

#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-rcp-format.h"
#include "ns3/qbb-net-device.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RcpAgent);

namespace
{

constexpr double ABOVE_ZERO = std::numeric_limits<double>::min();

/// @return true if the frame has a header that switches change
bool
IsOurs(const Frame& frame)
{
    return frame.CollectsTelemetry() && frame.format->GetReflectionId() == RcpFormat::REFLECTION_ID;
}

} // namespace

TypeId
RcpAgent::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RcpAgent")
                           .SetParent<SwitchAgent>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RcpAgent>(),
                       "rcp;rcp:fct=Alpha:0.1,Beta:1")
            .AddAttribute("Alpha",
                          "Gain of the spare rate, above 0.",
                          DoubleValue(0.4),
                          MakeDoubleAccessor(&RcpAgent::m_alpha),
                          MakeDoubleChecker<double>(ABOVE_ZERO))
            .AddAttribute("Beta",
                          "Gain of the queue.",
                          DoubleValue(0.226),
                          MakeDoubleAccessor(&RcpAgent::m_beta),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("TargetShare",
                          "Share of the line rate that is to be filled, above 0.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RcpAgent::m_targetShare),
                          MakeDoubleChecker<double>(ABOVE_ZERO, 1))
            .AddAttribute("InitialShare",
                          "The first rate, as a share of the target rate, above 0.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RcpAgent::m_initialShare),
                          MakeDoubleChecker<double>(ABOVE_ZERO, 1))
            .AddAttribute("MinPacketsPerRtt",
                          "Floor of the rate, packets of 1000 bytes per average RTT, above 0.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RcpAgent::m_minPacketsPerRtt),
                          MakeDoubleChecker<double>(ABOVE_ZERO))
            .AddAttribute("LongestInterval",
                          "Longest time between two updates; they come once per average RTT if "
                          "that is shorter.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RcpAgent::m_longestInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("T",
                          "Average RTT until packets have told theirs; 0 for the network's base "
                          "RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RcpAgent::m_baseRtt),
                          MakeTimeChecker(Time(0)));
    return tid;
}

void
RcpAgent::Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt)
{
    const Time rtt = m_baseRtt.IsZero() ? baseRtt : m_baseRtt;
    const RcpParameters parameters{m_alpha,
                                   m_beta,
                                   m_targetShare,
                                   m_initialShare,
                                   m_minPacketsPerRtt,
                                   static_cast<double>(m_longestInterval.GetNanoSeconds())};
    for (const auto* port : ports)
    {
        m_laws.emplace_back(parameters,
                            static_cast<double>(port->GetRateBps()),
                            static_cast<double>(rtt.GetNanoSeconds()));
    }
}

bool
RcpAgent::WantsEnqueue() const
{
    return true;
}

void
RcpAgent::OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    RcpLaw& law = m_laws[port.GetPortIndex()];
    law.CatchUp(nowNs, port.GetQueueBytes());
    law.Arrive(port.GetLinkBytes(frame.bytes),
               IsOurs(frame) ? RcpFormat::GetRttNs(frame.telemetry) : 0);
}

void
RcpAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    RcpLaw& law = m_laws[port.GetPortIndex()];
    law.CatchUp(nowNs, port.GetQueueBytes() + frame.admittedBytes);
    if (IsOurs(frame))
    {
        RcpFormat::Grant(frame.telemetry, law.GetRateBps());
    }
}

} // namespace ns3
