/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-signal-request.h"
#include "rdma-hpcc-base.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <limits>
#include <sstream>

// RdmaHpccBase's attributes and trace sources, and the checks of their values.

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHpccBase");

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccBase);

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

std::string
RdmaHpccBase::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    std::ostringstream message;
    const std::string name = GetInstanceTypeId().GetName();
    if (!telemetry)
    {
        message << name << " needs a telemetry format, for instance " << GetDefaultTelemetry();
    }
    else if (HpccSignalRequest::AsksInTurn(*telemetry) &&
             (!(telemetry->fields & TELEMETRY_QUEUE_DELAY) ||
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
    return GetNetworkBaseRttNs() > 0 ? NanoSeconds(GetNetworkBaseRttNs()) : m_defaultBaseRtt;
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

} // namespace ns3
