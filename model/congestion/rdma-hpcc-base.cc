/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-base.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHpccBase");

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccBase);

namespace
{

/// @return queueing delay of a path that formats with records of hops report, ns; and that of the
/// worst hop where a record has one
double
QueueDelayNs(const HopTelemetry* hops, uint32_t count, bool sojourn)
{
    double delayNs = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const HopTelemetry& hop = hops[i];
        if (hop.fields & TELEMETRY_QUEUE_DELAY)
        {
            delayNs += hop.queueDelayNs;
        }
        else if (sojourn && hop.fields & TELEMETRY_HOP_LATENCY)
        {
            delayNs += hop.hopLatencyNs;
        }
        else if (hop.fields & TELEMETRY_QUEUE && hop.bandwidthBps > 0)
        {
            delayNs +=
                static_cast<double>(hop.queueBytes) * 8e9 / static_cast<double>(hop.bandwidthBps);
        }
    }
    return delayNs;
}

} // namespace

TypeId
RdmaHpccBase::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHpccBase")
            .SetParent<RdmaCongestionOps>()
            .SetGroupName("Hpcc")
            .AddTraceSource("Window",
                            "Window W, bytes.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceWindow),
                            "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .AddTraceSource("AppliedWindow",
                            "Window W that the receiver has told and the sender obeys, bytes.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceApplied),
                            "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .AddTraceSource("ReferenceWindow",
                            "Reference window Wc, bytes.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceReference),
                            "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .AddTraceSource("Rate",
                            "Pacing rate R, bit/s.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceRate),
                            "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .AddTraceSource("Utilization",
                            "Average U of the normalised inflight bytes.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceUtilization),
                            "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .AddTraceSource("IncStage",
                            "Additive steps since the last multiplicative one, on commits.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceIncStage),
                            "ns3::RdmaHpccBase::FlowStageTracedCallback")
            .AddTraceSource("HopU",
                            "Normalised inflight bytes u' of each hop that a record gave.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceHopU),
                            "ns3::RdmaHpccBase::HopUTracedCallback")
            .AddTraceSource("Reaction",
                            "An acknowledgement was a commit or a fast reaction.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceReaction),
                            "ns3::RdmaHpccBase::ReactionTracedCallback")
            .AddTraceSource("Reset",
                            "A record was taken as the first one of its path, and why.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceReset),
                            "ns3::RdmaHpccBase::ResetTracedCallback")
            .AddTraceSource("Doubt",
                            "The receiver's reports are doubted, or believed again.",
                            MakeTraceSourceAccessor(&RdmaHpccBase::m_traceDoubt),
                            "ns3::RdmaHpccBase::DoubtTracedCallback");
    return tid;
}

TypeId
RdmaHpccBase::AddParameters(TypeId tid, const Defaults& defaults)
{
    return tid
        .AddAttribute("T",
                      "Base RTT; 0 for the network's, and until that is known for " +
                          std::to_string(defaults.baseRtt.GetMicroSeconds()) + " us.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaHpccBase::SetBaseRtt, &RdmaHpccBase::GetBaseRtt),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("Eta",
                      "Target utilisation, above 0.",
                      DoubleValue(0.95),
                      MakeDoubleAccessor(&RdmaHpccBase::m_eta),
                      MakeDoubleChecker<double>(0, 2))
        .AddAttribute("MaxStage",
                      "Additive steps before a multiplicative one.",
                      UintegerValue(5),
                      MakeUintegerAccessor(&RdmaHpccBase::m_maxStage),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("Wai",
                      "Additive increase W_ai in bytes; 0 for W_init (1 - Eta)/N.",
                      DoubleValue(defaults.wai),
                      MakeDoubleAccessor(&RdmaHpccBase::m_wai),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("N",
                      "Expected flows on a link, used while Wai is 0.",
                      UintegerValue(100),
                      MakeUintegerAccessor(&RdmaHpccBase::m_expectedFlows),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("CountedShare",
                      "Share of 1 - Eta that the flows of a link take together by their W_ai when "
                      "the receiver counts them; 1 as the draft's rule has it.",
                      DoubleValue(0.2),
                      MakeDoubleAccessor(&RdmaHpccBase::m_countedShare),
                      MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
        .AddAttribute("InitialU",
                      "U before the first measurement.",
                      DoubleValue(1),
                      MakeDoubleAccessor(&RdmaHpccBase::m_initialU),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("InitialWindow",
                      "Window of a new flow as a share of W_init.",
                      DoubleValue(1),
                      MakeDoubleAccessor(&RdmaHpccBase::m_initialWindow),
                      MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
        .AddAttribute(
            "QueueSignal",
            "What tells line 5 of the queue: its length, qlen/(B T), or the packet's time in the "
            "switch over T, for ports with several queues.",
            EnumValue(HpccParameters::SIGNAL_LENGTH),
            MakeHpccEnumAccessor<HpccParameters::QueueSignal>(&RdmaHpccBase::m_queueSignal),
            MakeEnumChecker(HpccParameters::SIGNAL_LENGTH,
                            "Length",
                            HpccParameters::SIGNAL_SOJOURN,
                            "Sojourn"))
        .AddAttribute(
            "QueueFilter",
            "Queue length of line 5: the smaller of two records', the current one, or "
            "the current one for records at least T apart. Default: Min with telemetry on every "
            "packet, else Auto.",
            EnumValue(HpccParameters::QUEUE_DEFAULT),
            MakeHpccEnumAccessor<HpccParameters::QueueFilter>(&RdmaHpccBase::m_queueFilter),
            MakeEnumChecker(HpccParameters::QUEUE_MIN,
                            "Min",
                            HpccParameters::QUEUE_CURRENT,
                            "Current",
                            HpccParameters::QUEUE_AUTO,
                            "Auto",
                            HpccParameters::QUEUE_DEFAULT,
                            "Default"))
        .AddAttribute(
            "FirstSample",
            "Whether the first record of a path is only stored, or with a queue counts "
            "as u' = 1 + qlen/(B T). Default: Skip with telemetry on every packet, else Estimate.",
            EnumValue(HpccParameters::FIRST_DEFAULT),
            MakeHpccEnumAccessor<HpccParameters::FirstSample>(&RdmaHpccBase::m_firstSample),
            MakeEnumChecker(HpccParameters::FIRST_SKIP,
                            "Skip",
                            HpccParameters::FIRST_ESTIMATE,
                            "Estimate",
                            HpccParameters::FIRST_DEFAULT,
                            "Default"))
        .AddAttribute(
            "MissingHop",
            "Whether a hop missing among records that are in the order of the known path has "
            "skipped the packet, or the path has changed.",
            EnumValue(HpccParameters::MISSING_SKIPS),
            MakeHpccEnumAccessor<HpccParameters::MissingHop>(&RdmaHpccBase::m_missingHop),
            MakeEnumChecker(HpccParameters::MISSING_SKIPS,
                            "Skips",
                            HpccParameters::MISSING_CHANGES,
                            "Changes"))
        .AddAttribute("QuietLoad",
                      "u' of a path from which packets that collect telemetry have come back "
                      "without any record for more than 2 T; 0: nothing is known of it.",
                      DoubleValue(0.85),
                      MakeDoubleAccessor(&RdmaHpccBase::m_quietLoad),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("MinRate",
                      "Floor of the rate; the window's is this times T.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&RdmaHpccBase::m_minRate),
                      MakeDataRateChecker())
        .AddAttribute("IdleGapResets",
                      "Whether a record after more than T without data in flight is a first one.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&RdmaHpccBase::m_idleGapResets),
                      MakeBooleanChecker())
        .AddAttribute("CheckFeedback",
                      "Whether reports are compared with the sender's own round-trip time and "
                      "delivery rate. While they are doubted, W grows by at most W_ai a round.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaHpccBase::m_checkFeedback),
                      MakeBooleanChecker())
        .AddAttribute("FeedbackSlack",
                      "By how much of T the round-trip time may exceed what is reported, with "
                      "CheckFeedback.",
                      DoubleValue(0.5),
                      MakeDoubleAccessor(&RdmaHpccBase::m_feedbackSlack),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("PerHop",
                      "Whether each hop has a window of its own, of which W is the smallest.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaHpccBase::m_perHop),
                      MakeBooleanChecker())
        .AddAttribute("RestartAtLineRate",
                      "Whether a message on an idle queue pair starts at W_init.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaHpccBase::m_restartAtLineRate),
                      MakeBooleanChecker());
}

RdmaHpccBase::RdmaHpccBase(const Defaults& defaults)
    : m_defaultBaseRtt(defaults.baseRtt)
{
}

uint32_t
RdmaHpccBase::Needs() const
{
    return NEED_TELEMETRY;
}

std::string
RdmaHpccBase::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    std::ostringstream message;
    const std::string name = GetInstanceTypeId().GetName();
    if (!telemetry)
    {
        message << name << " needs a telemetry format, for instance " << GetDefaultTelemetry();
    }
    else if (HpccLaw::AsksInTurn(*telemetry) && (!(telemetry->fields & TELEMETRY_QUEUE_DELAY) ||
                                                 !(telemetry->fields & TELEMETRY_UTILIZATION)))
    {
        message << name << ": the telemetry format cannot tell queue delay and utilisation in turn";
    }
    else if (telemetry->pathExtreme && GetParameters().rateTerm == HpccParameters::RATE_RX)
    {
        message << name << "::RateTerm Rx needs queue length and rate of one hop in one record, "
                << "which the telemetry format does not carry; Tx is allowed";
    }
    else if (telemetry->pathExtreme && m_perHop)
    {
        message << name << "::PerHop needs a record of each hop, and the telemetry format carries "
                << "one of the worst hop; false is allowed";
    }
    else if (telemetry->pathExtreme && telemetry->fields & TELEMETRY_LOAD && m_checkFeedback)
    {
        message << name << "::CheckFeedback needs queue lengths or delays, which the telemetry "
                << "format does not carry";
    }
    else if (TakesSojourn() && !(telemetry->fields & TELEMETRY_HOP_LATENCY))
    {
        message << name
                << "::QueueSignal Sojourn needs the time in the switch, which the telemetry "
                << "format does not carry; Length is allowed";
    }
    else if (TakesSojourn() && GetParameters().rateTerm == HpccParameters::RATE_RX)
    {
        message << name << "::RateTerm Rx needs the queue length; QueueSignal Length is allowed";
    }
    else if (const bool direct = telemetry->pathExtreme || telemetry->fields & TELEMETRY_LOAD;
             !direct && !TakesSojourn() && !(telemetry->fields & TELEMETRY_QUEUE))
    {
        message << name << ": the telemetry format carries no queue length";
    }
    else if (!direct && !(telemetry->fields & (TELEMETRY_TX_BYTES | TELEMETRY_UTILIZATION)))
    {
        message << name << ": the telemetry format carries neither sent bytes nor utilisation";
    }
    else if (m_eta <= 0)
    {
        message << name << "::Eta is " << m_eta << ", allowed is above 0 and at most 2";
    }
    else if (m_eta >= 1 && m_wai == 0)
    {
        message
            << name << "::Eta is " << m_eta
            << ", which without Wai is allowed below 1 only: W_init (1 - Eta)/N must be above 0";
    }
    else if (m_wai > 0 && m_expectedFlows != 100)
    {
        NS_LOG_WARN(name << "::Wai is " << m_wai << " bytes, so N has no effect");
    }
    if (m_baseRtt.IsStrictlyPositive() && m_baseRtt.GetNanoSeconds() < baseRttNs)
    {
        NS_LOG_WARN(name << "::T is " << m_baseRtt.As(Time::US) << ", below the network's "
                         << NanoSeconds(baseRttNs).As(Time::US)
                         << ": flows on the longest paths cannot fill them");
    }
    return message.str();
}

bool
RdmaHpccBase::NeedsBandwidth(const TelemetryCapabilities& telemetry) const
{
    return HpccLaw::NeedsBandwidth(GetParameters(), telemetry);
}

void
RdmaHpccBase::SetNetworkBaseRtt(int64_t baseRttNs)
{
    m_networkBaseRtt = NanoSeconds(baseRttNs);
}

void
RdmaHpccBase::SetBaseRtt(Time baseRtt)
{
    m_baseRtt = baseRtt;
}

Time
RdmaHpccBase::GetBaseRtt() const
{
    if (m_baseRtt.IsStrictlyPositive())
    {
        return m_baseRtt;
    }
    return m_networkBaseRtt.IsStrictlyPositive() ? m_networkBaseRtt : m_defaultBaseRtt;
}

HpccParameters
RdmaHpccBase::GetParameters() const
{
    HpccParameters parameters;
    parameters.baseRttNs = static_cast<double>(GetBaseRtt().GetNanoSeconds());
    parameters.eta = m_eta;
    parameters.maxStage = m_maxStage;
    parameters.waiBytes = m_wai;
    parameters.expectedFlows = m_expectedFlows;
    parameters.countedShare = m_countedShare;
    parameters.initialU = m_initialU;
    parameters.initialWindow = m_initialWindow;
    parameters.minRateBps = static_cast<double>(m_minRate.GetBitRate());
    parameters.queueSignal = m_queueSignal;
    parameters.queueFilter = m_queueFilter;
    parameters.firstSample = m_firstSample;
    parameters.missingHop = m_missingHop;
    parameters.quietLoad = m_quietLoad;
    parameters.idleGapResets = m_idleGapResets;
    parameters.perHop = m_perHop;
    return parameters;
}

const HpccLaw&
RdmaHpccBase::GetLaw() const
{
    return m_law;
}

void
RdmaHpccBase::DoOpen(RdmaHpccState& state, const RdmaFlowInfo& info, int64_t)
{
    m_law.SetParameters(GetParameters());
    m_law.Open(state.flow, static_cast<double>(info.lineRateBps), info.firstSeq);
    state.flow.sprayed = info.spread == PathSpread::EVERY_PACKET;
    state.flow.sparse = info.sparse;
    state.windowBytes = state.flow.windowBytes;
    state.rateBps = m_law.RateBps(state.flow);
    if (info.telemetry && HpccLaw::AsksInTurn(*info.telemetry))
    {
        m_wantsSent = true;
        state.telemetryRequest = HpccLaw::WantedSignal(state.flow);
    }
    state.check.baseRttNs = info.baseRttNs;
    m_check.SetParameters(m_law.GetParameters().baseRttNs, m_feedbackSlack);
    TraceFlow(state);
}

void
RdmaHpccBase::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    if (!ack.telemetry)
    {
        return;
    }
    auto& own = Own(state);
    if (m_checkFeedback && ack.hopCount > 0 && ack.newlyAckedBytes > 0)
    {
        Check(own, ack);
    }
    const HpccOutcome& outcome = m_law.NewAck(own.flow,
                                              {ack.nowNs,
                                               ack.ackSeq,
                                               ack.sndNxt,
                                               ack.idleNs,
                                               ack.hops,
                                               ack.hopCount,
                                               ack.pathId,
                                               ack.reportedFlows,
                                               ack.telemetry,
                                               false,
                                               ack.previous});
    own.windowBytes = own.flow.windowBytes;
    own.rateBps = m_law.RateBps(own.flow);
    if (HpccLaw::AsksInTurn(*ack.telemetry))
    {
        own.telemetryRequest = HpccLaw::WantedSignal(own.flow);
    }
    if (outcome.branch != HpccBranch::NONE && outcome.hopCount > 0)
    {
        own.bottleneckSwitch = outcome.switchId;
        own.bottleneckPort = outcome.portId;
    }
    TraceOutcome(own.flowId, own.flow, outcome);
}

std::string
RdmaHpccBase::ValidateReceiver() const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (m_checkFeedback)
    {
        return name + "::CheckFeedback is true, allowed is false where the receiver computes: "
                      "nothing is reported";
    }
    if (m_restartAtLineRate)
    {
        return name + "::RestartAtLineRate is true, allowed is false where the receiver computes: "
                      "it does not see the sender restart";
    }
    return "";
}

RdmaReceiverState*
RdmaHpccBase::OpenReceiver(const RdmaReceiverInfo& info)
{
    auto* own = new RdmaHpccReceiver;
    m_law.SetParameters(GetParameters());
    m_law.Open(own->flow, static_cast<double>(info.flow.lineRateBps), 0);
    own->flow.sprayed = info.flow.spread == PathSpread::EVERY_PACKET;
    own->rule.Open(info.commitRule, GetBaseRtt().GetNanoSeconds());
    own->flowId = info.flow.flowId;
    own->flow.sparse = info.flow.sparse;
    return own;
}

void
RdmaHpccBase::CloseReceiver(RdmaReceiverState* state)
{
    delete static_cast<RdmaHpccReceiver*>(state);
}

RdmaNotification
RdmaHpccBase::OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival)
{
    auto& own = *static_cast<RdmaHpccReceiver*>(state);
    HpccFlow& flow = own.flow;
    if (arrival.newPath)
    {
        m_law.ChangePath(flow);
    }
    if (arrival.hopCount == 0)
    {
        return {};
    }
    const int64_t baseRttNs = GetBaseRtt().GetNanoSeconds();
    const auto pacedNs = static_cast<int64_t>(arrival.linkBytes * 8e9 / m_law.RateBps(flow));
    const HpccOutcome& outcome = m_law.NewAck(
        flow,
        {arrival.nowNs,
         static_cast<uint64_t>(arrival.nowNs),
         static_cast<uint64_t>(arrival.nowNs + baseRttNs),
         std::max<int64_t>(arrival.idleNs - pacedNs, 0),
         arrival.hops,
         arrival.hopCount,
         arrival.pathId,
         arrival.reportedFlows,
         arrival.telemetry,
         own.rule.Holds(arrival.nowNs,
                        arrival.current,
                        QueueDelayNs(arrival.hops, arrival.hopCount, TakesSojourn()))});
    TraceOutcome(own.flowId, flow, outcome);
    if (outcome.branch != HpccBranch::COMMIT)
    {
        return {};
    }
    own.rule.Commit(arrival.nowNs);
    return {true,
            flow.extreme.delayNs > 0,
            static_cast<uint64_t>(std::llround(m_law.RateBps(flow))),
            flow.windowBytes};
}

void
RdmaHpccBase::OnNotification(RdmaCongestionState* state,
                             int64_t,
                             const RdmaNotification& notification)
{
    auto& own = Own(state);
    HpccFlow& flow = own.flow;
    const double told = notification.windowBytes > 0
                            ? notification.windowBytes
                            : m_law.WindowBytes(static_cast<double>(notification.rateBps));
    const double floor = std::max(flow.minBytes, std::min(flow.waiBytes, flow.initialBytes));
    flow.windowBytes = std::max(std::min(told, flow.initialBytes), floor);
    flow.referenceBytes = flow.windowBytes;
    flow.extreme.delayNs = notification.congested;
    own.windowBytes = flow.windowBytes;
    own.rateBps = m_law.RateBps(flow);
    m_traceApplied(own.flowId, own.windowBytes);
}

RdmaNotification
RdmaHpccBase::OnReceiverResponse(RdmaReceiverState* state, const RdmaAckInfo& response)
{
    auto& own = *static_cast<RdmaHpccReceiver*>(state);
    HpccFlow& flow = own.flow;
    if (own.rule.Holds(response.nowNs,
                       false,
                       QueueDelayNs(response.hops, response.hopCount, TakesSojourn())))
    {
        return {};
    }
    const HpccOutcome& outcome =
        m_law.TakeResponse(flow,
                           {response.nowNs,
                            static_cast<uint64_t>(response.nowNs),
                            static_cast<uint64_t>(response.nowNs + GetBaseRtt().GetNanoSeconds()),
                            0,
                            response.hops,
                            response.hopCount,
                            response.pathId,
                            0,
                            response.telemetry});
    TraceOutcome(own.flowId, flow, outcome);
    if (outcome.branch != HpccBranch::COMMIT)
    {
        return {};
    }
    own.rule.Commit(response.nowNs);
    return {true, true, static_cast<uint64_t>(std::llround(m_law.RateBps(flow))), flow.windowBytes};
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

void
RdmaHpccBase::Check(RdmaHpccState& state, const RdmaAckInfo& ack)
{
    const bool remembered =
        ack.telemetry->pathExtreme && !(ack.hops[0].fields & TELEMETRY_QUEUE_DELAY);
    const double delayNs = remembered ? state.flow.extreme.delayNs
                                      : QueueDelayNs(ack.hops, ack.hopCount, TakesSojourn());
    const uint64_t inFlight = ack.sndNxt > ack.ackSeq ? ack.sndNxt - ack.ackSeq : 0;
    const bool before = state.check.doubted;
    state.flow.growthCapped = m_check.Update(
        state.check,
        {ack.nowNs, ack.rttNs, ack.newlyAckedBytes, inFlight, state.flow.windowBytes, delayNs});
    if (state.flow.growthCapped != before)
    {
        const double trusted = state.check.windowBytes.front();
        if (state.flow.growthCapped && trusted > 0)
        {
            state.flow.referenceBytes = std::min(state.flow.referenceBytes, trusted);
        }
        m_traceDoubt(state.flowId, state.flow.growthCapped);
    }
}

RdmaCongestionSample
RdmaHpccBase::Observe(const RdmaCongestionState* state) const
{
    const auto& own = *static_cast<const RdmaHpccState*>(state);
    RdmaCongestionSample sample = RdmaCongestionOps::Observe(state);
    sample.referenceWindowBytes = own.flow.referenceBytes;
    sample.utilization = own.flow.utilization;
    sample.stage = static_cast<int32_t>(own.flow.incStage);
    sample.bottleneckSwitch = own.bottleneckSwitch;
    sample.bottleneckPort = own.bottleneckPort;
    return sample;
}

PathSpread
RdmaHpccBase::GetToleratedSpread(const TelemetryCapabilities* telemetry) const
{
    const PathSpread tolerated =
        telemetry ? HpccLaw::ToleratedSpread(*telemetry) : PathSpread::NONE;
    return m_perHop ? std::min(tolerated, PathSpread::OCCASIONAL) : tolerated;
}

void
RdmaHpccBase::OnPathChange(RdmaCongestionState* state, int64_t)
{
    m_law.ChangePath(Own(state).flow);
}

void
RdmaHpccBase::OnRollback(RdmaCongestionState* state, int64_t, uint64_t sndNxt, bool timeout)
{
    m_law.Rollback(Own(state).flow, sndNxt, timeout);
}

bool
RdmaHpccBase::TakesWorstHop() const
{
    return true;
}

bool
RdmaHpccBase::WantsSent() const
{
    return m_wantsSent;
}

void
RdmaHpccBase::OnSent(RdmaCongestionState* state, int64_t, uint32_t)
{
    auto& own = Own(state);
    HpccLaw::NoteSent(own.flow);
    own.telemetryRequest = HpccLaw::WantedSignal(own.flow);
}

void
RdmaHpccBase::OnRestart(RdmaCongestionState* state, int64_t, uint64_t sndNxt)
{
    if (m_restartAtLineRate)
    {
        auto& own = Own(state);
        m_law.Restart(own.flow, sndNxt);
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

void
RdmaHpccBase::TraceOutcome(uint32_t flowId, const HpccFlow& flow, const HpccOutcome& outcome)
{
    if (outcome.reset != HpccReset::NONE)
    {
        m_traceReset(flowId, outcome.reset);
    }
    if (!m_traceHopU.IsEmpty())
    {
        for (uint32_t i = 0; i < outcome.hopCount; ++i)
        {
            if (outcome.hopU[i] >= 0)
            {
                const HpccFlow::Record& record = flow.records[i];
                m_traceHopU(flowId, i, record.switchId, record.portId, outcome.hopU[i]);
            }
        }
    }
    if (outcome.branch == HpccBranch::NONE)
    {
        return;
    }
    if (!m_traceReaction.IsEmpty())
    {
        m_traceReaction(flowId, outcome.branch);
    }
    if (!m_traceWindow.IsEmpty())
    {
        m_traceWindow(flowId, flow.windowBytes);
    }
    if (!m_traceRate.IsEmpty())
    {
        m_traceRate(flowId, m_law.RateBps(flow));
    }
    if (!m_traceUtilization.IsEmpty())
    {
        m_traceUtilization(flowId, flow.utilization);
    }
    if (outcome.branch == HpccBranch::COMMIT)
    {
        m_traceReference(flowId, flow.referenceBytes);
        m_traceIncStage(flowId, flow.incStage);
    }
}

} // namespace ns3
