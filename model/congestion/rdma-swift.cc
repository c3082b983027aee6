/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-swift.h"

#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSwift");

NS_OBJECT_ENSURE_REGISTERED(RdmaSwift);

TypeId
RdmaSwift::GetTypeId()
{
    constexpr double ABOVE_0 = std::numeric_limits<double>::min();
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaSwift")
                           .SetParent<RdmaCongestionOps>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaSwift>(),
                       "swift;"
                       "swift:htsim=MinCwnd:0.00667,MaxCwnd:1000,InitialCwnd:12")
            .AddAttribute("Ai",
                          "Additive increase per RTT, packets.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&RdmaSwift::m_ai),
                          MakeDoubleChecker<double>(ABOVE_0))
            .AddAttribute("Beta",
                          "Weight of the delay's excess in a decrease.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RdmaSwift::m_beta),
                          MakeDoubleChecker<double>(ABOVE_0))
            .AddAttribute("MaxMdf",
                          "Largest share of the window that a decrease takes.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaSwift::m_maxMdf),
                          MakeDoubleChecker<double>(ABOVE_0, 1 - 1e-9))
            .AddAttribute("BaseTarget",
                          "Target delay of a path without switches and a large window.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&RdmaSwift::m_baseTarget),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("HopScale",
                          "Target delay added per switch.",
                          TimeValue(NanoSeconds(3053)),
                          MakeTimeAccessor(&RdmaSwift::m_hopScale),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FsRange",
                          "Largest target delay added for a small window; 0 for none.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaSwift::m_fsRange),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FsMinCwnd",
                          "Window up to which all of FsRange is added, packets.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&RdmaSwift::m_fsMinCwnd),
                          MakeDoubleChecker<double>(ABOVE_0))
            .AddAttribute("FsMaxCwnd",
                          "Window from which nothing of FsRange is added, packets.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&RdmaSwift::m_fsMaxCwnd),
                          MakeDoubleChecker<double>(ABOVE_0))
            .AddAttribute("MinCwnd",
                          "Smallest window, packets.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&RdmaSwift::m_minCwnd),
                          MakeDoubleChecker<double>(ABOVE_0))
            .AddAttribute("MaxCwnd",
                          "Largest window, packets.",
                          DoubleValue(1e6),
                          MakeDoubleAccessor(&RdmaSwift::m_maxCwnd),
                          MakeDoubleChecker<double>(ABOVE_0))
            .AddAttribute("InitialCwnd",
                          "First window, packets; 0 for line rate times base RTT.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaSwift::m_initialCwnd),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("RetxResetThreshold",
                          "Time-outs in a row after which the window is MinCwnd.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RdmaSwift::m_retxResetThreshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Cwnd",
                            "Window, packets.",
                            MakeTraceSourceAccessor(&RdmaSwift::m_traceCwnd),
                            "ns3::RdmaSwift::FlowValueTracedCallback")
            .AddTraceSource("Rtt",
                            "Fabric delay, ns.",
                            MakeTraceSourceAccessor(&RdmaSwift::m_traceRtt),
                            "ns3::RdmaSwift::FlowValueTracedCallback")
            .AddTraceSource("Target",
                            "Target delay at each sample of the delay, ns.",
                            MakeTraceSourceAccessor(&RdmaSwift::m_traceTarget),
                            "ns3::RdmaSwift::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaSwift::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.rttOfEachAck = true;
    needs.reactsToTrims = true;
    return needs;
}

std::string
RdmaSwift::Validate(int64_t baseRttNs, const TelemetryCapabilities*) const
{
    std::ostringstream message;
    const std::string name = GetInstanceTypeId().GetName();
    if (m_fsMinCwnd >= m_fsMaxCwnd)
    {
        message << name << "::FsMinCwnd is " << m_fsMinCwnd << ", allowed is below FsMaxCwnd, "
                << m_fsMaxCwnd;
    }
    else if (m_minCwnd > m_maxCwnd)
    {
        message << name << "::MinCwnd is " << m_minCwnd << ", allowed is at most MaxCwnd, "
                << m_maxCwnd;
    }
    else if (m_baseTarget.GetNanoSeconds() <= baseRttNs)
    {
        NS_LOG_WARN(name << "::BaseTarget is " << m_baseTarget.As(Time::US)
                         << ", not above the network's RTT of "
                         << NanoSeconds(baseRttNs).As(Time::US)
                         << ": flows on the longest paths depend on HopScale to fill them");
    }
    return message.str();
}

double
RdmaSwift::GetTargetNs(double cwnd, uint32_t hops) const
{
    const auto range = static_cast<double>(m_fsRange.GetNanoSeconds());
    const double most = 1 / std::sqrt(m_fsMaxCwnd);
    const double a = range / (1 / std::sqrt(m_fsMinCwnd) - most);
    const double scaling = std::min(std::max(a * (1 / std::sqrt(cwnd) - most), 0.0), range);
    return static_cast<double>((m_baseTarget + hops * m_hopScale).GetNanoSeconds()) + scaling;
}

void
RdmaSwift::DoOpen(RdmaSwiftState& state, const RdmaFlowInfo& info, int64_t nowNs)
{
    state.mtuBytes = info.mtuBytes;
    state.packetBits = 8.0 * (info.mtuBytes + info.headerBytes);
    state.lineRateBps = static_cast<double>(info.lineRateBps);
    state.rttNs =
        static_cast<double>(info.baseRttNs > 0 ? info.baseRttNs : m_baseTarget.GetNanoSeconds());
    const double fullPipe = state.lineRateBps * state.rttNs / 8e9 / state.mtuBytes;
    state.cwnd = 0;
    SetCwnd(state, m_initialCwnd > 0 ? m_initialCwnd : fullPipe, nowNs);
}

void
RdmaSwift::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    if (ack.newlyAckedBytes > 0)
    {
        own.timeouts = 0;
    }
    if (ack.rttNs < 0)
    {
        // Of a message that restarts, no packet has a delay: its losses alone would end at MinCwnd.
        if (own.cwnd < 1)
        {
            SetCwnd(own, own.cwnd + m_ai, ack.nowNs);
        }
        return;
    }
    const auto delay = static_cast<double>(ack.rttNs);
    const double target = GetTargetNs(own.cwnd, ack.hopsBack);
    const bool canDecrease = CanDecrease(own, ack.nowNs);
    own.rttNs = delay;
    m_traceRtt(own.flowId, delay);
    m_traceTarget(own.flowId, target);
    double cwnd = own.cwnd;
    if (delay < target)
    {
        const double packets = static_cast<double>(ack.newlyAckedBytes) / own.mtuBytes;
        cwnd += m_ai * packets / std::max(cwnd, 1.0);
    }
    else if (canDecrease)
    {
        cwnd *= std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxMdf);
    }
    SetCwnd(own, cwnd, ack.nowNs);
}

void
RdmaSwift::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    auto& own = Own(state);
    own.timeouts = loss.cause == RdmaLossInfo::TIMEOUT ? own.timeouts + 1 : 0;
    if (own.timeouts >= m_retxResetThreshold)
    {
        SetCwnd(own, m_minCwnd, loss.nowNs);
    }
    else if (CanDecrease(own, loss.nowNs))
    {
        SetCwnd(own, own.cwnd * (1 - m_maxMdf), loss.nowNs);
    }
}

bool
RdmaSwift::CanDecrease(const RdmaSwiftState& state, int64_t nowNs)
{
    return static_cast<double>(nowNs - state.lastDecreaseNs) >= state.rttNs;
}

void
RdmaSwift::SetCwnd(RdmaSwiftState& state, double cwnd, int64_t nowNs)
{
    const double bounded = std::max(std::min(cwnd, m_maxCwnd), m_minCwnd);
    if (bounded < state.cwnd)
    {
        state.lastDecreaseNs = nowNs;
    }
    state.cwnd = bounded;
    state.windowBytes = bounded * state.mtuBytes;
    state.rateBps =
        bounded < 1 ? std::min(bounded * state.packetBits * 1e9 / state.rttNs, state.lineRateBps)
                    : state.lineRateBps;
    m_traceCwnd(state.flowId, state.cwnd);
}

RdmaControlGoal::Goal
RdmaSwift::GetGoal(const Bottleneck& bottleneck) const
{
    // The delay settles at its target, whose largest value the scaling with flows limits.
    const Time most =
        m_baseTarget + m_fsRange + m_hopScale * static_cast<int64_t>(bottleneck.switchHops);
    return {bottleneck.BytesIn(most.GetDouble()), 0.9, FAIR};
}

} // namespace ns3
