/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-windowed.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaWindowed);

namespace
{

/// Returns a factory that creates no policy. The factory has a type because ns-3 cannot print a
/// factory without a type.
ObjectFactory
NoPolicy()
{
    ObjectFactory factory;
    factory.SetTypeId(RdmaCongestionOps::GetTypeId());
    return factory;
}

} // namespace

TypeId
RdmaWindowed::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaWindowed, RdmaCongestionOps>("ns3::RdmaWindowed")
            .Presets("*+win=Policy:*")
            .Attribute("Policy",
                       "Factory of the rate-based policy inside, such as ns3::RdmaDcqcn[Gain=0.1].",
                       HpccField(&RdmaWindowed::m_factory, ObjectFactoryValue(NoPolicy()))
                           .Then(&RdmaWindowed::CreatePolicy))
            .Attribute("Inner",
                       "The rate-based policy inside, for its trace sources.",
                       HpccField(&RdmaWindowed::m_inner, nullptr),
                       TypeId::ATTR_GET)
            .Attribute(
                "T",
                "Base RTT from which the window is computed, rate times T. 0: the base RTT of the "
                "network.",
                HpccField(&RdmaWindowed::m_baseRtt, Time(0), Time(0)));
    return tid;
}

void
RdmaWindowed::DoDispose()
{
    m_inner = nullptr;
    RdmaCongestionOps::DoDispose();
}

void
RdmaWindowed::CreatePolicy()
{
    m_inner =
        m_factory.GetTypeId().HasConstructor() ? m_factory.Create<RdmaCongestionOps>() : nullptr;
    m_hasWindow.reset();
}

RdmaCongestionOps&
RdmaWindowed::Inner() const
{
    m_inner->SetNetworkBaseRtt(GetNetworkBaseRttNs());
    return *m_inner;
}

void
RdmaWindowed::Follow(RdmaCongestionState* state) const
{
    state->windowBytes = state->rateBps * BaseRttNs(m_baseRtt) / 8e9;
}

template <typename Parameter, typename Info>
void
RdmaWindowed::Pass(void (RdmaCongestionOps::*event)(RdmaCongestionState*, Parameter),
                   RdmaCongestionState* state,
                   const Info& info) const
{
    (PeekPointer(m_inner)->*event)(state, info);
    Follow(state);
}

RdmaPolicyDescription
RdmaWindowed::Describe(const TelemetryCapabilities* telemetry) const
{
    return m_inner ? m_inner->Describe(telemetry) : RdmaPolicyDescription();
}

std::string
RdmaWindowed::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (!m_inner)
    {
        return name + "::Policy is " + m_factory.GetTypeId().GetName() + ", allowed are policies";
    }
    std::string why = ValidateBaseRtt(m_baseRtt);
    why = why.empty() ? Inner().Validate(baseRttNs, telemetry) : why;
    if (!why.empty())
    {
        return why;
    }
    if (!m_hasWindow)
    {
        RdmaCongestionState* trial = m_inner->Open({0, 1'000'000'000, 1000, 0, baseRttNs, 0}, 0);
        m_hasWindow = std::isfinite(trial->windowBytes);
        m_inner->Close(trial);
    }
    return *m_hasWindow
               ? name + "::Policy is " + m_inner->GetInstanceTypeId().GetName() +
                     ", which has a window of its own; allowed are policies without a window"
               : "";
}

RdmaCongestionState*
RdmaWindowed::Open(const RdmaFlowInfo& info, int64_t nowNs)
{
    RdmaCongestionState* state = Inner().Open(info, nowNs);
    Follow(state);
    return state;
}

void
RdmaWindowed::Close(RdmaCongestionState* state)
{
    m_inner->Close(state);
}

RdmaCongestionSample
RdmaWindowed::Observe(const RdmaCongestionState* state) const
{
    return m_inner->Observe(state);
}

RdmaReceiverOps*
RdmaWindowed::GetReceiver()
{
    return m_inner ? m_inner->GetReceiver() : nullptr;
}

void
RdmaWindowed::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    Pass(&RdmaCongestionOps::OnAck, state, ack);
}

void
RdmaWindowed::OnCongestionMessage(RdmaCongestionState* state, const RdmaCongestionMessage& message)
{
    Pass(&RdmaCongestionOps::OnCongestionMessage, state, message);
}

void
RdmaWindowed::OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response)
{
    Pass(&RdmaCongestionOps::OnSwitchResponse, state, response);
}

void
RdmaWindowed::OnTimer(RdmaCongestionState* state, int64_t nowNs)
{
    Pass(&RdmaCongestionOps::OnTimer, state, nowNs);
}

void
RdmaWindowed::OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent)
{
    Pass(&RdmaCongestionOps::OnSent, state, sent);
}

void
RdmaWindowed::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    Pass(&RdmaCongestionOps::OnLoss, state, loss);
}

void
RdmaWindowed::OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart)
{
    Pass(&RdmaCongestionOps::OnRestart, state, restart);
}

void
RdmaWindowed::OnPathChange(RdmaCongestionState* state, int64_t nowNs)
{
    Pass(&RdmaCongestionOps::OnPathChange, state, nowNs);
}

std::vector<std::string>
RdmaWindowed::ListWarnings(int64_t baseRttNs, const Flows& flows) const
{
    return RdmaSettingWarnings::Find(Inner(), baseRttNs, true, flows);
}

bool
RdmaWindowed::KeepsLineRate() const
{
    const auto* fixed = dynamic_cast<const RdmaFixedRate*>(PeekPointer(m_inner));
    return fixed && fixed->KeepsLineRate();
}

RdmaControlGoal::Goal
RdmaWindowed::GetGoal(const Bottleneck& bottleneck) const
{
    // Each flow has at most a BDP plus one packet in flight.
    Goal goal;
    if (const auto* inner = dynamic_cast<const RdmaControlGoal*>(&Inner()))
    {
        goal = inner->GetGoal(bottleneck);
    }
    goal.queueBytes = std::min(goal.queueBytes,
                               bottleneck.flows * (bottleneck.GetBdp() + bottleneck.packetBytes));
    return goal;
}

} // namespace ns3
