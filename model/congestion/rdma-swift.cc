/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-swift.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaSwift);

namespace
{

constexpr double FS_MIN_CWND = 0.1; ///< default of the attribute
constexpr double FS_MAX_CWND = 100; ///< default of the attribute

} // namespace

TypeId
RdmaSwift::GetTypeId()
{
    constexpr double ABOVE_0 = std::numeric_limits<double>::min();
    static TypeId tid =
        HpccTypeId::Of<RdmaSwift, RdmaCongestionOps>("ns3::RdmaSwift")
            .Presets("swift;"
                     "swift:htsim=MinCwnd:0.00667,MaxCwnd:1000,InitialCwnd:12")
            .Attribute("Ai",
                       "Additive increase per RTT, packets.",
                       HpccField(&RdmaSwift::m_ai, 1, ABOVE_0))
            .Attribute("Beta",
                       "Weight of the relative excess of the delay over the target in a decrease.",
                       HpccField(&RdmaSwift::m_beta, 0.8, ABOVE_0))
            .Attribute("MaxMdf",
                       "Largest share by which one decrease reduces the window.",
                       HpccField(&RdmaSwift::m_maxMdf, 0.5, ABOVE_0, 0.999999))
            .Attribute("BaseTarget",
                       "Target delay without the parts for switches (HopScale) and small windows "
                       "(FsRange).",
                       HpccField(&RdmaSwift::m_baseTarget, MicroSeconds(20), NanoSeconds(1)))
            .Attribute("HopScale",
                       "Increase of the target delay per switch on the path.",
                       HpccField(&RdmaSwift::m_hopScale, NanoSeconds(3053), Time(0)))
            .Attribute("FsRange",
                       "Largest increase of the target delay for small windows. 0: none.",
                       HpccField(&RdmaSwift::m_fsRange, MicroSeconds(100), Time(0)))
            .Attribute("FsMinCwnd",
                       "Window at or below which the target delay is increased by all of FsRange, "
                       "packets.",
                       HpccField(&RdmaSwift::m_fsMinCwnd, FS_MIN_CWND, ABOVE_0))
            .Attribute(
                "FsMaxCwnd",
                "Window at or above which FsRange does not increase the target delay, packets.",
                HpccField(&RdmaSwift::m_fsMaxCwnd, FS_MAX_CWND, ABOVE_0))
            .Attribute("MinCwnd",
                       "Smallest window, packets.",
                       HpccField(&RdmaSwift::m_minCwnd, 0.001, ABOVE_0))
            .Attribute("MaxCwnd",
                       "Largest window, packets.",
                       HpccField(&RdmaSwift::m_maxCwnd, 1e6, ABOVE_0))
            .Attribute("InitialCwnd",
                       "Initial window, packets. 0: line rate times base RTT.",
                       HpccField(&RdmaSwift::m_initialCwnd, 0, 0))
            .Attribute("RetxResetThreshold",
                       "Consecutive time-outs after which the window is set to MinCwnd.",
                       HpccField(&RdmaSwift::m_retxResetThreshold, 5, 1))
            .Trace("Cwnd",
                   "Window, packets.",
                   &RdmaSwift::m_traceCwnd,
                   "ns3::RdmaSwift::FlowValueTracedCallback")
            .Trace("Rtt",
                   "Sample of the fabric delay, ns.",
                   &RdmaSwift::m_traceRtt,
                   "ns3::RdmaSwift::FlowValueTracedCallback")
            .Trace("Target",
                   "Target delay at each sample of the delay, ns.",
                   &RdmaSwift::m_traceTarget,
                   "ns3::RdmaSwift::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaSwift::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.rttOfEachAck = true;
    needs.reactsToTrims = true;
    needs.longestBaseRttNs = (m_baseTarget + m_fsRange).GetNanoSeconds();
    needs.longestBaseRttIs = GetInstanceTypeId().GetName() + "::BaseTarget and FsRange together";
    return needs;
}

std::string
RdmaSwift::Validate(int64_t, const TelemetryCapabilities*) const
{
    std::ostringstream message;
    const std::string name = GetInstanceTypeId().GetName();
    if (m_fsMinCwnd >= m_fsMaxCwnd)
    {
        message << name << "::FsMinCwnd is " << m_fsMinCwnd << ", allowed is below FsMaxCwnd, "
                << m_fsMaxCwnd;
    }
    else if (m_fsRange.IsZero() && (m_fsMinCwnd != FS_MIN_CWND || m_fsMaxCwnd != FS_MAX_CWND))
    {
        message << name << "::FsMinCwnd and FsMaxCwnd are " << m_fsMinCwnd << " and " << m_fsMaxCwnd
                << ", allowed are " << FS_MIN_CWND << " and " << FS_MAX_CWND
                << ": they have no effect, because FsRange is 0";
    }
    else if (m_minCwnd > m_maxCwnd)
    {
        message << name << "::MinCwnd is " << m_minCwnd << ", allowed is at most MaxCwnd, "
                << m_maxCwnd;
    }
    else if (m_initialCwnd > 0 && (m_initialCwnd < m_minCwnd || m_initialCwnd > m_maxCwnd))
    {
        message << name << "::InitialCwnd is " << m_initialCwnd << ", allowed are 0, and MinCwnd, "
                << m_minCwnd << ", to MaxCwnd, " << m_maxCwnd;
    }
    return message.str();
}

std::vector<std::string>
RdmaSwift::ListWarnings(int64_t baseRttNs, const Flows&) const
{
    if (m_baseTarget.GetNanoSeconds() > baseRttNs)
    {
        return {};
    }
    std::ostringstream line;
    line << GetInstanceTypeId().GetName()
         << "::BaseTarget = " << NameUs(m_baseTarget.GetNanoSeconds())
         << " is not above the largest base RTT of the network, " << NameUs(baseRttNs)
         << ": flows on the longest paths depend on HopScale to fill them";
    return {line.str()};
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
        // The packets of a restarted message yield no delay samples. If their acknowledgements did
        // not increase cwnd, losses would reduce cwnd to MinCwnd.
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
    if (loss.cause != RdmaLossInfo::TIMEOUT)
    {
        own.timeouts = 0;
    }
    else if (static_cast<double>(loss.nowNs - own.lastTimeoutNs) >= own.rttNs)
    {
        ++own.timeouts;
        own.lastTimeoutNs = loss.nowNs;
    }
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
    // The delay settles at its target, which is largest at the limit of flow scaling.
    const Time most =
        m_baseTarget + m_fsRange + m_hopScale * static_cast<int64_t>(bottleneck.switchHops);
    // With a cwnd below 1, the flow sends one packet per RTT / cwnd; each ACK then adds Ai.
    const double silenceNs = bottleneck.baseRttNs / std::min(1.0, m_minCwnd);
    return {bottleneck.BytesIn(most.GetDouble()), 0.9, FAIR, silenceNs};
}

} // namespace ns3
