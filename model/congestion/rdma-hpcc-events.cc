/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-signal-request.h"
#include "rdma-hpcc-base.h"

#include <algorithm>

// Describes the policy, starts flows, and handles all events except acknowledgements.

namespace ns3
{

RdmaPolicyDescription
RdmaHpccBase::Describe(const TelemetryCapabilities* telemetry) const
{
    RdmaPolicyDescription needs;
    needs.telemetry = GetDefaultTelemetry();
    needs.requests = TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION;
    needs.bottleneckHop = true;
    needs.reactsToTrims = true;
    needs.minRateBps = GetMinRateBps();
    // The answer does not depend on T and W_ai, so GetLawParameters() is not needed.
    needs.bandwidth = !telemetry || HpccLaw::NeedsBandwidth(*this, *telemetry);
    needs.toleratedMultipath =
        telemetry ? HpccLaw::ToleratedMultipath(*telemetry) : Multipath::NONE;
    if (perHop)
    {
        needs.toleratedMultipath = std::min(needs.toleratedMultipath, Multipath::OCCASIONAL);
    }
    if (rateTerm == HpccParameters::RATE_RX)
    {
        needs.refusesLoads = GetInstanceTypeId().GetName() +
                             "::RateTerm Rx needs queue length and rate of each hop; allowed is Tx";
    }
    return needs;
}

const HpccLaw&
RdmaHpccBase::GetLaw() const
{
    return m_law;
}

void
RdmaHpccBase::DoOpen(RdmaHpccState& state, const RdmaFlowInfo& info, int64_t)
{
    m_law.SetParameters(GetLawParameters());
    m_law.Open(state.flow, static_cast<double>(info.lineRateBps), info.firstSeq);
    state.flow.sprayed = info.multipath == Multipath::EVERY_PACKET;
    state.flow.sparse = info.sparse;
    state.flow.thinned = info.thinned;
    state.windowBytes = state.flow.windowBytes;
    state.rateBps = m_law.RateBps(state.flow);
    if (info.telemetry && HpccSignalRequest::AsksInTurn(*info.telemetry))
    {
        state.flow.extreme.packetsPerRecord = info.packetsPerRecord;
        state.telemetryRequest = HpccSignalRequest::WantedSignal(state.flow);
    }
    OpenCheck(state.check, info.baseRttNs);
    TraceFlow(state);
}

void
RdmaHpccBase::OnCongestionMessage(RdmaCongestionState* state, const RdmaCongestionMessage& message)
{
    if (!message.notification)
    {
        return;
    }
    const RdmaNotification& notification = *message.notification;
    auto& own = Own(state);
    HpccFlow& flow = own.flow;
    const double given = notification.windowBytes > 0
                             ? notification.windowBytes
                             : m_law.WindowBytes(static_cast<double>(notification.rateBps));
    const double floor = std::max(flow.minBytes, std::min(flow.waiBytes, flow.initialBytes));
    flow.windowBytes = std::max(std::min(given, flow.initialBytes), floor);
    flow.referenceBytes = flow.windowBytes;
    flow.extreme.delayNs = notification.congested;
    own.windowBytes = flow.windowBytes;
    own.rateBps = m_law.RateBps(flow);
    m_traceApplied(own.flowId, own.windowBytes);
}

void
RdmaHpccBase::OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response)
{
    auto& own = Own(state);
    const HpccOutcome& outcome = m_law.TakeResponse(own.flow,
                                                    {response.nowNs,
                                                     response.ackSeq,
                                                     response.sndNxt,
                                                     0,
                                                     response.hops,
                                                     response.hopCount,
                                                     response.pathId,
                                                     0,
                                                     response.telemetry});
    own.windowBytes = own.flow.windowBytes;
    own.rateBps = m_law.RateBps(own.flow);
    TraceOutcome(own.flowId, own.flow, outcome);
}

double
RdmaHpccBase::QueueDelayNs(const HopTelemetry* hops, uint32_t count) const
{
    double delayNs = FeedbackCheck::QueueDelayNs(hops, count, TakesSojourn());
    for (uint32_t i = 0; i < count; ++i)
    {
        // A load reported by a domain edge is qlen/(B T) + 1 while there is a queue.
        if (hops[i].fields & TELEMETRY_LOAD && hops[i].load > 1)
        {
            delayNs += (hops[i].load - 1) * static_cast<double>(GetBaseRttNs());
        }
    }
    return delayNs;
}

void
RdmaHpccBase::Check(RdmaHpccState& state, const RdmaAckInfo& ack)
{
    HpccSample report{};
    report.nowNs = ack.nowNs;
    report.hops = ack.hops;
    report.hopCount = ack.hopCount;
    report.telemetry = ack.telemetry;
    const bool cumulative = ack.receivedBytes < 0; // otherwise ackSeq and sndNxt are times
    const uint64_t unacked = ack.sndNxt > ack.ackSeq ? ack.sndNxt - ack.ackSeq : 0;
    const uint64_t inFlight = cumulative ? unacked : ack.inFlightBytes;
    if (CheckReport(state.check, state.flow, report, {ack.rttNs, ack.newlyAckedBytes, inFlight}))
    {
        m_traceDoubt(state.flowId, state.flow.growthCapped);
    }
}

RdmaCongestionSample
RdmaHpccBase::Observe(const RdmaCongestionState* state) const
{
    const auto& own = *static_cast<const RdmaHpccState*>(state);
    RdmaCongestionSample sample = RdmaCongestionDefaults::Observe(state);
    sample.referenceWindowBytes = own.flow.referenceBytes;
    sample.utilization = own.flow.utilization;
    sample.stage = static_cast<int32_t>(own.flow.incStage);
    sample.bottleneckSwitch = own.bottleneckSwitch;
    sample.bottleneckPort = own.bottleneckPort;
    return sample;
}

void
RdmaHpccBase::OnPathChange(RdmaCongestionState* state, int64_t)
{
    m_law.ChangePath(Own(state).flow);
}

void
RdmaHpccBase::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    m_law.Rollback(Own(state).flow, loss.sndNxt, loss.cause == RdmaLossInfo::TIMEOUT);
}

void
RdmaHpccBase::OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent)
{
    if (sent.telemetryRequest)
    {
        auto& own = Own(state);
        HpccSignalRequest::NoteSent(own.flow);
        own.telemetryRequest = HpccSignalRequest::WantedSignal(own.flow);
    }
}

void
RdmaHpccBase::OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart)
{
    if (m_restartAtLineRate)
    {
        auto& own = Own(state);
        m_law.Restart(own.flow, restart.sndNxt);
        own.windowBytes = own.flow.windowBytes;
        own.rateBps = m_law.RateBps(own.flow);
        TraceFlow(own);
    }
}

void
RdmaHpccBase::TraceFlow(const RdmaHpccState& state)
{
    const HpccFlow& flow = state.flow;
    m_traceWindow(state.flowId, flow.windowBytes);
    m_traceReference(state.flowId, flow.referenceBytes);
    m_traceRate(state.flowId, state.rateBps);
    m_traceUtilization(state.flowId, flow.utilization);
    m_traceIncStage(state.flowId, flow.incStage);
}

RdmaControlGoal::Goal
RdmaHpccBase::GetGoal(const Bottleneck& bottleneck) const
{
    // According to section 3.2 of the paper, the bytes in flight settle at Eta times the BDP,
    // without a queue. The goal permits a queue of one BDP, because the windows of all flows can
    // grow for a round trip before samples of the resulting queue return. Reaction PerAck
    // overreacts, so it has no goal; PerRtt reacts late (figure 13).
    const HpccParameters parameters = GetLawParameters();
    if (parameters.reaction == HpccParameters::REACT_PER_ACK || parameters.eta >= 1)
    {
        return {};
    }
    const double bdp = bottleneck.GetBdp();
    const bool late = parameters.reaction == HpccParameters::REACT_PER_RTT ||
                      parameters.reaction == HpccParameters::REACT_RTT_SAMPLE ||
                      parameters.rateTerm == HpccParameters::RATE_RX;
    // A packet can report its waiting time only after the wait. The report is therefore late, and
    // some flows reduce Wc twice because of the same queue. The flows that reduce Wc twice end with
    // a far smaller share of the link than the others, and additive increase needs tens of round
    // trips to make the shares equal. Even two packets that arrive together are reported as a
    // queue.
    const bool waited = bottleneck.queueAsTime || TakesSojourn();
    const double utilization = 0.8 - (waited ? 2 * bottleneck.packetBytes / bdp : 0);
    // Without additive stages, each commit multiplies the window by Eta / U. If samples are older
    // than a round trip, all flows raise their windows at the same time. The bound of the queue is
    // then one BDP per flow, because no window exceeds a BDP.
    const bool leaps = parameters.maxStage == 0 && (waited || !bottleneck.prompt);
    const double bdps = leaps ? bottleneck.flows : late ? (1 + bottleneck.flows) / 2 : 1;
    // With the arrival rate, a queue that grows between two samples is counted twice (figure 6). If
    // samples are far apart, some flows end with far lower rates than others.
    const bool twice = parameters.rateTerm == HpccParameters::RATE_RX && !bottleneck.prompt;
    return {bdp * bdps, utilization * parameters.eta, waited || twice ? 0 : FAIR};
}

} // namespace ns3
