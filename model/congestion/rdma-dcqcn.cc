/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-dcqcn.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaDcqcn);

TypeId
RdmaDcqcn::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaDcqcn, RdmaCongestionOps>("ns3::RdmaDcqcn")
            .Presets(
                "dcqcn;"
                "dcqcn:authors;"
                "dcqcn:vendor=Gain:0.0048828125,ReferenceRate:0bps,MinRate:1Mbps;"
                "dcqcn:paper=AlphaInterval:55us,DecreaseInterval:0us,IncreaseInterval:55us,"
                "ByteCounter:10000000,FastRecoverySteps:5,RateAi:40Mbps,RateHai:200Mbps,"
                "ReferenceRate:0bps,HyperIncreaseGrows:true,ClampTargetRate:true,MinRate:1Mbps,"
                "EchoInterval:50us,CnpInterval:50us")
            .Attribute("AlphaInterval",
                       "Time between two updates of alpha.",
                       HpccField(&RdmaDcqcn::m_alphaInterval, MicroSeconds(1), NanoSeconds(1)))
            .Attribute("CnpInterval",
                       "Shortest time between two CNPs of the receiver. 0: each mark causes a CNP.",
                       HpccField(&RdmaDcqcn::m_cnpInterval, MicroSeconds(4), Time(0)))
            .Attribute(
                "DecreaseInterval",
                "Time between two checks for a decrease. 0: each CNP decreases the rate at once.",
                HpccField(&RdmaDcqcn::m_decreaseInterval, MicroSeconds(4), Time(0)))
            .Attribute("IncreaseInterval",
                       "Time between two timer steps.",
                       HpccField(&RdmaDcqcn::m_increaseInterval, MicroSeconds(300), NanoSeconds(1)))
            .Attribute("ByteCounter",
                       "Bytes on the wire between two byte steps. 0: no byte counter.",
                       HpccField(&RdmaDcqcn::m_byteCounter, 0))
            .Attribute("FastRecoverySteps",
                       "F: steps of the timer or the byte counter after a decrease before the "
                       "target rate is raised.",
                       HpccField(&RdmaDcqcn::m_fastRecoverySteps, 1))
            .Attribute("RateAi",
                       "Additive increase of the target rate at a line rate of ReferenceRate.",
                       HpccField(&RdmaDcqcn::m_rateAi, DataRate("5Mbps")))
            .Attribute("RateHai",
                       "Hyper increase of the target rate at a line rate of ReferenceRate.",
                       HpccField(&RdmaDcqcn::m_rateHai, DataRate("50Mbps")))
            .Attribute("ReferenceRate",
                       "Line rate for which RateAi and RateHai hold; at other line rates they are "
                       "scaled. 0: no scaling.",
                       HpccField(&RdmaDcqcn::m_referenceRate, DataRate("25Gbps")))
            .Attribute("HyperIncreaseGrows",
                       "Whether hyper increase is multiplied by the number of steps beyond F.",
                       HpccField(&RdmaDcqcn::m_hyperIncreaseGrows, false))
            .Attribute(
                "Gain",
                "Weight g of a new value in alpha.",
                HpccField(&RdmaDcqcn::m_gain, 1.0 / 256, std::numeric_limits<double>::min(), 1))
            .Attribute("InitialAlpha",
                       "Value of alpha at the first CNP.",
                       HpccField(&RdmaDcqcn::m_initialAlpha, 1, 0, 1))
            .Attribute(
                "RateOnFirstCnp",
                "Factor by which the first CNP multiplies the rate.",
                HpccField(&RdmaDcqcn::m_rateOnFirstCnp, 1, std::numeric_limits<double>::min(), 1))
            .Attribute("ClampTargetRate",
                       "Whether each decrease sets the target rate to the rate before it. False: "
                       "only a decrease after an increase does.",
                       HpccField(&RdmaDcqcn::m_clampTargetRate, false))
            .Attribute("MinRate",
                       "Lower bound of the rate, above 0.",
                       HpccField(&RdmaDcqcn::m_minRate, DataRate("1Gbps")))
            .Attribute("EchoInterval",
                       "Time after a CNP or an echoed mark for which echoed marks are ignored.",
                       HpccField(&RdmaDcqcn::m_echoInterval, Time(0), Time(0)))
            .Trace("Rate",
                   "Rate Rc, bit/s.",
                   &RdmaDcqcn::m_traceRate,
                   "ns3::RdmaDcqcn::FlowValueTracedCallback")
            .Trace("TargetRate",
                   "Target rate Rt, bit/s.",
                   &RdmaDcqcn::m_traceTarget,
                   "ns3::RdmaDcqcn::FlowValueTracedCallback")
            .Trace("Alpha",
                   "Estimate of congestion, alpha, at each decrease.",
                   &RdmaDcqcn::m_traceAlpha,
                   "ns3::RdmaDcqcn::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaDcqcn::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.ecn = RdmaPolicyDescription::ECT0;
    needs.cnps = true;
    needs.cnpIntervalNs = m_cnpInterval.GetNanoSeconds();
    needs.sentPackets = m_byteCounter > 0;
    needs.minRateBps = m_minRate.GetBitRate();
    return needs;
}

std::string
RdmaDcqcn::Validate(int64_t, const TelemetryCapabilities*) const
{
    return ValidateMinRate(m_minRate);
}

void
RdmaDcqcn::DoOpen(RdmaDcqcnState& state, const RdmaFlowInfo&, int64_t)
{
    state.lineRateBps = state.rateBps;
    state.targetBps = state.rateBps;
    state.alpha = m_initialAlpha;
    m_traceRate(state.flowId, state.rateBps);
    m_traceTarget(state.flowId, state.targetBps);
}

void
RdmaDcqcn::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    if (ack.congestionExperienced &&
        (!own.notified || ack.nowNs - own.lastNotificationNs >= m_echoInterval.GetNanoSeconds()))
    {
        Notify(own, ack.nowNs);
    }
}

void
RdmaDcqcn::OnCongestionMessage(RdmaCongestionState* state, const RdmaCongestionMessage& message)
{
    Notify(Own(state), message.nowNs);
}

void
RdmaDcqcn::OnTimer(RdmaCongestionState* state, int64_t nowNs)
{
    auto& own = Own(state);
    RunDue(own, nowNs);
    ArmTimer(own);
}

void
RdmaDcqcn::OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent)
{
    auto& own = Own(state);
    if (m_byteCounter == 0 || own.increaseDueNs == RdmaDcqcnState::NEVER)
    {
        return;
    }
    RunDue(own, sent.nowNs);
    own.sentBytes += sent.linkBytes;
    while (own.sentBytes >= m_byteCounter)
    {
        own.sentBytes -= m_byteCounter;
        Increase(own);
        ++own.byteSteps;
    }
    ArmTimer(own);
}

void
RdmaDcqcn::Notify(RdmaDcqcnState& state, int64_t nowNs)
{
    RunDue(state, nowNs);
    const bool first = !state.notified;
    state.notified = true;
    state.lastNotificationNs = nowNs;
    if (first)
    {
        state.rateBps *= m_rateOnFirstCnp;
        state.targetBps = state.rateBps;
    }
    const int64_t interval = m_decreaseInterval.GetNanoSeconds();
    if (interval == 0)
    {
        UpdateAlpha(state, nowNs);
        Decrease(state, nowNs);
        state.alpha = (1 - m_gain) * state.alpha + m_gain;
        state.alphaDueNs = nowNs + m_alphaInterval.GetNanoSeconds();
    }
    else
    {
        if (first)
        {
            state.alphaDueNs = nowNs + m_alphaInterval.GetNanoSeconds();
            state.decreaseDueNs = nowNs + interval + 1;
        }
        else
        {
            UpdateAlpha(state, nowNs);
            state.alphaNotified = true;
        }
        if (state.decreaseDueNs <= nowNs)
        {
            state.decreaseDueNs += ((nowNs - state.decreaseDueNs) / interval + 1) * interval;
        }
        state.decreaseNotified = true;
    }
    ArmTimer(state);
}

void
RdmaDcqcn::RunDue(RdmaDcqcnState& state, int64_t nowNs)
{
    const bool increaseFirst = m_increaseInterval > m_decreaseInterval;
    for (;;)
    {
        const int64_t decreaseNs =
            state.decreaseNotified ? state.decreaseDueNs : RdmaDcqcnState::NEVER;
        if (std::min(decreaseNs, state.increaseDueNs) > nowNs)
        {
            return;
        }
        if (decreaseNs < state.increaseDueNs ||
            (decreaseNs == state.increaseDueNs && !increaseFirst))
        {
            state.decreaseNotified = false;
            state.decreaseDueNs += m_decreaseInterval.GetNanoSeconds();
            UpdateAlpha(state, decreaseNs);
            Decrease(state, decreaseNs);
        }
        else
        {
            Increase(state);
            ++state.timerSteps;
            const bool full =
                state.rateBps >= state.lineRateBps && state.targetBps >= state.lineRateBps;
            state.increaseDueNs = full ? RdmaDcqcnState::NEVER
                                       : state.increaseDueNs + m_increaseInterval.GetNanoSeconds();
        }
    }
}

void
RdmaDcqcn::UpdateAlpha(RdmaDcqcnState& state, int64_t nowNs) const
{
    if (state.alphaDueNs > nowNs)
    {
        return;
    }
    const int64_t interval = m_alphaInterval.GetNanoSeconds();
    const int64_t updates = (nowNs - state.alphaDueNs) / interval + 1;
    state.alphaDueNs += updates * interval;
    state.alpha = (1 - m_gain) * state.alpha + (state.alphaNotified ? m_gain : 0);
    state.alpha *= std::pow(1 - m_gain, static_cast<double>(updates - 1));
    state.alphaNotified = false;
}

void
RdmaDcqcn::Decrease(RdmaDcqcnState& state, int64_t nowNs)
{
    if (m_clampTargetRate || state.timerSteps > 0 || state.byteSteps > 0)
    {
        state.targetBps = state.rateBps;
    }
    const double floorBps =
        std::min(static_cast<double>(m_minRate.GetBitRate()), state.lineRateBps);
    state.rateBps = std::max(state.rateBps * (1 - state.alpha / 2), floorBps);
    state.timerSteps = 0;
    state.byteSteps = 0;
    state.sentBytes = 0;
    state.increaseDueNs = nowNs + m_increaseInterval.GetNanoSeconds();
    m_traceAlpha(state.flowId, state.alpha);
    m_traceRate(state.flowId, state.rateBps);
    m_traceTarget(state.flowId, state.targetBps);
}

void
RdmaDcqcn::Increase(RdmaDcqcnState& state)
{
    const bool bytesCount = m_byteCounter > 0;
    const uint32_t most = std::max(state.timerSteps, state.byteSteps);
    const uint32_t least =
        bytesCount ? std::min(state.timerSteps, state.byteSteps) : state.timerSteps;
    if (least > m_fastRecoverySteps)
    {
        const uint32_t times = m_hyperIncreaseGrows ? least - m_fastRecoverySteps : 1;
        state.targetBps += times * Scaled(m_rateHai, state.lineRateBps);
    }
    else if (most >= m_fastRecoverySteps)
    {
        state.targetBps += Scaled(m_rateAi, state.lineRateBps);
    }
    state.targetBps = std::min(state.targetBps, state.lineRateBps);
    state.rateBps = (state.rateBps + state.targetBps) / 2;
    m_traceRate(state.flowId, state.rateBps);
    m_traceTarget(state.flowId, state.targetBps);
}

void
RdmaDcqcn::ArmTimer(RdmaDcqcnState& state) const
{
    state.timerNs = state.decreaseNotified ? std::min(state.decreaseDueNs, state.increaseDueNs)
                                           : state.increaseDueNs;
}

double
RdmaDcqcn::Scaled(const DataRate& increase, double lineRateBps) const
{
    const double bps = static_cast<double>(increase.GetBitRate());
    return m_referenceRate.GetBitRate() == 0
               ? bps
               : bps * lineRateBps / static_cast<double>(m_referenceRate.GetBitRate());
}

RdmaControlGoal::Goal
RdmaDcqcn::GetGoal(const Bottleneck& bottleneck) const
{
    // Flows start at the line rate. Until the first CNPs return, the queue grows at the sum of the
    // rates of all flows except one, and all packets in the queue are marked. Every CNP then
    // multiplies the rate of a flow by 1 - alpha/2, so the excess bytes form a geometric series.
    // While alpha is 1, the sum of the series is twice its first term. Later, fast recovery raises
    // each flow to half the line rate. Before this increase, alpha decays for the time between two
    // increases (decayedAlpha), so the series then converges more slowly.
    const double decayedAlpha =
        std::pow(1 - m_gain, m_increaseInterval.GetDouble() / m_alphaInterval.GetDouble());
    const double flows = bottleneck.flows;
    const double excess = 2 * std::max(flows - 1, (flows / 2 - 1) / decayedAlpha);
    const double reactionNs = bottleneck.baseRttNs + m_cnpInterval.GetDouble();
    return {bottleneck.markBytes + excess * bottleneck.BytesIn(reactionNs), 0.2, FAIR};
}

} // namespace ns3
