/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rcp-agent.h"

#include "ns3/hpcc-rcp-format.h"
#include "ns3/hpcc-type-id.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RcpAgent);

namespace
{

constexpr double ABOVE_ZERO = std::numeric_limits<double>::min();

/// Returns true if the frame carries an RcpFormat header, which switches update.
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
        AddParameters(HpccTypeId::Of<RcpAgent, SwitchAgent>("ns3::RcpAgent")
                          .Presets("rcp;rcp:fct=Alpha:0.1,Beta:1"),
                      MilliSeconds(10))
            .Attribute("TargetShare",
                       "Share of the line rate that the control law aims to fill, above 0.",
                       HpccField(&RcpAgent::m_targetShare, 1, ABOVE_ZERO, 1))
            .Attribute("InitialShare",
                       "Initial rate of a port as a share of its target rate, above 0.",
                       HpccField(&RcpAgent::m_initialShare, 1, ABOVE_ZERO, 1))
            .Attribute("MinPacketsPerRtt",
                       "Smallest rate that a port assigns, packets of 1000 bytes per average RTT, "
                       "above 0.",
                       HpccField(&RcpAgent::m_minPacketsPerRtt, 0.1, ABOVE_ZERO));
    return tid;
}

RcpParameters
RcpAgent::GetParameters() const
{
    return {m_alpha,
            m_beta,
            m_targetShare,
            m_initialShare,
            m_minPacketsPerRtt,
            static_cast<double>(m_longestInterval.GetNanoSeconds())};
}

void
RcpAgent::OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    CatchUp(port, nowNs)
        .Arrive(port.GetLinkBytes(frame.bytes),
                IsOurs(frame) ? RcpFormat::GetRttNs(frame.telemetry) : 0);
}

void
RcpAgent::OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs)
{
    RcpLaw& law = CatchUp(port, nowNs, frame.admittedBytes);
    if (IsOurs(frame))
    {
        RcpFormat::Grant(frame.telemetry, law.GetRateBps());
    }
}

} // namespace ns3
