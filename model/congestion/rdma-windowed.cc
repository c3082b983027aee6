/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-windowed.h"

#include "ns3/hpcc-presets.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaWindowed);

namespace
{

/// @return a factory of no policy, but of a type, without which ns-3 cannot print it
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
    static TypeId tid = AddHpccPresets(TypeId("ns3::RdmaWindowed")
                                           .SetParent<RdmaCongestionOps>()
                                           .SetGroupName("Hpcc")
                                           .AddConstructor<RdmaWindowed>(),
                                       "*+win=Policy:*")
                            .AddAttribute("Policy",
                                          "What makes the policy inside.",
                                          ObjectFactoryValue(NoPolicy()),
                                          MakeObjectFactoryAccessor(&RdmaWindowed::SetPolicy,
                                                                    &RdmaWindowed::GetPolicy),
                                          MakeObjectFactoryChecker())
                            .AddAttribute("Inner",
                                          "The policy inside.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&RdmaWindowed::m_inner),
                                          MakePointerChecker<RdmaCongestionOps>())
                            .AddAttribute("T",
                                          "Base RTT of the window; 0 for the network's.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&RdmaWindowed::m_baseRtt),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
RdmaWindowed::DoDispose()
{
    m_inner = nullptr;
    RdmaCongestionOps::DoDispose();
}

void
RdmaWindowed::SetPolicy(ObjectFactory factory)
{
    m_factory = factory;
    m_inner = factory.GetTypeId().HasConstructor() ? factory.Create<RdmaCongestionOps>() : nullptr;
}

ObjectFactory
RdmaWindowed::GetPolicy() const
{
    return m_factory;
}

uint32_t
RdmaWindowed::Needs() const
{
    return m_inner ? m_inner->Needs() : 0;
}

int64_t
RdmaWindowed::GetCnpIntervalNs() const
{
    return m_inner->GetCnpIntervalNs();
}

std::string
RdmaWindowed::GetDefaultTelemetry() const
{
    return m_inner->GetDefaultTelemetry();
}

std::string
RdmaWindowed::GetPortAgent() const
{
    return m_inner->GetPortAgent();
}

std::string
RdmaWindowed::GetDefaultMarking() const
{
    return m_inner ? m_inner->GetDefaultMarking() : "";
}

std::string
RdmaWindowed::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (!m_inner)
    {
        return name + "::Policy is " + m_factory.GetTypeId().GetName() + ", allowed are policies";
    }
    if (GetBaseRttNs() <= 0)
    {
        return name + "::T is 0 and the network's base RTT is unknown: T must be above 0";
    }
    const std::string why = m_inner->Validate(baseRttNs, telemetry);
    if (!why.empty())
    {
        return why;
    }
    RdmaCongestionState* trial = m_inner->Open({0, 1'000'000'000, 1000, 0, baseRttNs, 0}, 0);
    const bool hasWindow = std::isfinite(trial->windowBytes);
    m_inner->Close(trial);
    return hasWindow ? name + "::Policy is " + m_inner->GetInstanceTypeId().GetName() +
                           ", which has a window of its own; allowed are policies without"
                     : "";
}

void
RdmaWindowed::SetNetworkBaseRtt(int64_t baseRttNs)
{
    m_networkBaseRtt = NanoSeconds(baseRttNs);
    if (m_inner)
    {
        m_inner->SetNetworkBaseRtt(baseRttNs);
    }
}

double
RdmaWindowed::GetBaseRttNs() const
{
    return static_cast<double>(
        (m_baseRtt.IsZero() ? m_networkBaseRtt : m_baseRtt).GetNanoSeconds());
}

void
RdmaWindowed::Follow(RdmaCongestionState* state) const
{
    state->windowBytes = state->rateBps * GetBaseRttNs() / 8e9;
}

RdmaCongestionState*
RdmaWindowed::Open(const RdmaFlowInfo& info, int64_t nowNs)
{
    RdmaCongestionState* state = m_inner->Open(info, nowNs);
    Follow(state);
    return state;
}

void
RdmaWindowed::Close(RdmaCongestionState* state)
{
    m_inner->Close(state);
}

void
RdmaWindowed::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    m_inner->OnAck(state, ack);
    Follow(state);
}

void
RdmaWindowed::OnCnp(RdmaCongestionState* state, int64_t nowNs)
{
    m_inner->OnCnp(state, nowNs);
    Follow(state);
}

RdmaReceiverState*
RdmaWindowed::OpenReceiver(const RdmaReceiverInfo& info)
{
    return m_inner->OpenReceiver(info);
}

void
RdmaWindowed::CloseReceiver(RdmaReceiverState* state)
{
    m_inner->CloseReceiver(state);
}

RdmaNotification
RdmaWindowed::OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival)
{
    return m_inner->OnArrival(state, arrival);
}

RdmaNotification
RdmaWindowed::OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs)
{
    return m_inner->OnReceiverTimer(state, nowNs);
}

void
RdmaWindowed::OnNotification(RdmaCongestionState* state,
                             int64_t nowNs,
                             const RdmaNotification& notification)
{
    m_inner->OnNotification(state, nowNs, notification);
    Follow(state);
}

void
RdmaWindowed::OnTimer(RdmaCongestionState* state, int64_t nowNs)
{
    m_inner->OnTimer(state, nowNs);
    Follow(state);
}

void
RdmaWindowed::OnSent(RdmaCongestionState* state, int64_t nowNs, uint32_t wireBytes)
{
    m_inner->OnSent(state, nowNs, wireBytes);
    Follow(state);
}

void
RdmaWindowed::OnAsked(RdmaCongestionState* state)
{
    m_inner->OnAsked(state);
}

void
RdmaWindowed::OnRollback(RdmaCongestionState* state, int64_t nowNs, uint64_t sndNxt, bool timeout)
{
    m_inner->OnRollback(state, nowNs, sndNxt, timeout);
    Follow(state);
}

void
RdmaWindowed::OnRestart(RdmaCongestionState* state, int64_t nowNs, uint64_t sndNxt)
{
    m_inner->OnRestart(state, nowNs, sndNxt);
    Follow(state);
}

RdmaCongestionSample
RdmaWindowed::Observe(const RdmaCongestionState* state) const
{
    return m_inner->Observe(state);
}

bool
RdmaWindowed::WantsSent() const
{
    return m_inner->WantsSent();
}

RdmaControlGoal::Goal
RdmaWindowed::GetGoal(const Bottleneck& bottleneck) const
{
    // Each flow has no more than a BDP in flight.
    Goal goal;
    if (const auto* inner = dynamic_cast<const RdmaControlGoal*>(PeekPointer(m_inner)))
    {
        goal = inner->GetGoal(bottleneck);
    }
    goal.queueBytes = std::min(goal.queueBytes,
                               bottleneck.flows * (bottleneck.GetBdp() + bottleneck.packetBytes));
    return goal;
}

} // namespace ns3
