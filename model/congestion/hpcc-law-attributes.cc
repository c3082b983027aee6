/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law-attributes.h"

#include "hpcc-signal-request.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/object-base.h"

#include <array>
#include <limits>
#include <sstream>

namespace ns3
{

HpccLawAttributes::HpccLawAttributes()
    : HpccLawAttributes(Defaults{})
{
}

HpccLawAttributes::HpccLawAttributes(const Defaults& defaults)
    : m_defaultBaseRtt(defaults.baseRtt)
{
}

HpccTypeId
HpccLawAttributes::AddTo(HpccTypeId tid, const Defaults& defaults)
{
    return AddReactions(AddRecords(AddLoads(AddParameters(tid, defaults))));
}

HpccTypeId
HpccLawAttributes::AddParameters(HpccTypeId tid, const Defaults& defaults)
{
    const HpccParameters initial;
    constexpr double tiny = std::numeric_limits<double>::min();
    return tid
        .Attribute("T",
                   "Base RTT. 0: the base RTT of the network, or " +
                       std::to_string(defaults.baseRtt.GetMicroSeconds()) +
                       " us while it is unknown.",
                   HpccProperty(&HpccLawAttributes::SetBaseRtt,
                                &HpccLawAttributes::GetBaseRtt,
                                Time(0),
                                Time(0)))
        .Attribute("Eta",
                   "Target utilisation eta, above 0.",
                   HpccField(&HpccParameters::eta, initial.eta, 0, 2))
        .Attribute("MaxStage",
                   "maxStage: additive steps before a multiplicative one.",
                   HpccField(&HpccParameters::maxStage, initial.maxStage))
        .Attribute("Wai",
                   "Additive increase W_ai, bytes. 0: W_init (1 - Eta)/N.",
                   HpccField(&HpccParameters::waiBytes, defaults.wai, 0))
        .Attribute("N",
                   "Expected number of flows on a link, used if Wai is 0.",
                   HpccField(&HpccParameters::expectedFlows, initial.expectedFlows, 1))
        .Attribute("CountedShare",
                   "If the receiver counts flows and Wai is 0: share of 1 - Eta that all flows of "
                   "a link use together by W_ai. 1: the draft's rule.",
                   HpccField(&HpccParameters::countedShare, initial.countedShare, tiny, 1))
        .Attribute("InitialU",
                   "Value of U before the first measurement.",
                   HpccField(&HpccParameters::initialU, initial.initialU, 0))
        .Attribute("InitialWindow",
                   "Window of a new flow as a share of W_init, up to 1.",
                   HpccField(&HpccParameters::initialWindow, initial.initialWindow, tiny, 1))
        .Attribute(
            "MinRate",
            "Lower bound of the rate; the lower bound of the window is MinRate times T. 0: none.",
            HpccField(&HpccLawAttributes::m_minRate, DataRate(0)));
}

HpccTypeId
HpccLawAttributes::AddLoads(HpccTypeId tid)
{
    const HpccParameters initial;
    return tid
        .Attribute("QueueSignal",
                   "Queue signal in line 5: Length, qlen/(B T); or Sojourn, the packet's time in "
                   "the switch over T, for ports with several queues.",
                   HpccField(&HpccParameters::queueSignal,
                             initial.queueSignal,
                             SIGNAL_LENGTH,
                             "Length",
                             SIGNAL_SOJOURN,
                             "Sojourn"))
        .Attribute(
            "QueueFilter",
            "qlen in line 5: Min, smaller of last two records; Current; Auto, Min for records less "
            "than T apart, else Current; Default, Min if all packets of an RDMA flow have "
            "telemetry, else Auto.",
            HpccField(&HpccParameters::queueFilter,
                      initial.queueFilter,
                      QUEUE_MIN,
                      "Min",
                      QUEUE_CURRENT,
                      "Current",
                      QUEUE_AUTO,
                      "Auto",
                      QUEUE_DEFAULT,
                      "Default"))
        .Attribute(
            "RateTerm",
            "Rate in line 5: Tx, at which the port sends; or Rx, at which bytes arrive at the "
            "queue.",
            HpccField(&HpccParameters::rateTerm, initial.rateTerm, RATE_TX, "Tx", RATE_RX, "Rx"));
}

HpccTypeId
HpccLawAttributes::AddRecords(HpccTypeId tid)
{
    const HpccParameters initial;
    return tid
        .Attribute(
            "FirstSample",
            "First record of a path: Skip, store it; Estimate, commit with U = 1 + qlen/(B T) if "
            "there is a queue; Default, Skip if all packets of an RDMA flow have telemetry, else "
            "Estimate.",
            HpccField(&HpccParameters::firstSample,
                      initial.firstSample,
                      FIRST_SKIP,
                      "Skip",
                      FIRST_ESTIMATE,
                      "Estimate",
                      FIRST_DEFAULT,
                      "Default"))
        .Attribute("MissingHop",
                   "Meaning of a missing record of a known hop, if records are in path order: "
                   "Skips, the hop inserted none; Changes, the path has changed.",
                   HpccField(&HpccParameters::missingHop,
                             initial.missingHop,
                             MISSING_SKIPS,
                             "Skips",
                             MISSING_CHANGES,
                             "Changes"))
        .Attribute(
            "QuietLoad",
            "Load u' assumed for a path if no packet that requested telemetry has returned "
            "a record for more than 2 T, unless switches insert records at intervals. 0: such "
            "packets are ignored.",
            HpccField(&HpccParameters::quietLoad, initial.quietLoad, 0))
        .Attribute("IdleGapResets",
                   "Whether stored records are dropped after more than T with nothing in flight, "
                   "so that the next record counts as the first.",
                   HpccField(&HpccParameters::idleGapResets, initial.idleGapResets));
}

HpccTypeId
HpccLawAttributes::AddReactions(HpccTypeId tid)
{
    const HpccParameters initial;
    return tid
        .Attribute(
            "Reaction",
            "ACKs that change the window: Reference, all, computed from Wc; PerAck, all, each "
            "commits; PerRtt, only commits; RttSample, only commits, and other ACKs do not update "
            "U.",
            HpccField(&HpccParameters::reaction,
                      initial.reaction,
                      REACT_REFERENCE,
                      "Reference",
                      REACT_PER_ACK,
                      "PerAck",
                      REACT_PER_RTT,
                      "PerRtt",
                      REACT_RTT_SAMPLE,
                      "RttSample"))
        .Attribute("SkipEmptyHops",
                   "Whether acknowledgements between two commits ignore hops whose record shows an "
                   "empty queue.",
                   HpccField(&HpccParameters::skipEmptyHops, initial.skipEmptyHops))
        .Attribute("PerHop",
                   "Whether a window is computed for each hop; W is then the smallest.",
                   HpccField(&HpccParameters::perHop, initial.perHop))
        .Attribute("CheckFeedback",
                   "Whether telemetry is checked against the sender's own RTT and delivery rate. "
                   "While it is doubted, W grows by at most W_ai per round trip.",
                   HpccField(&HpccLawAttributes::m_checkFeedback, false))
        .Attribute("FeedbackSlack",
                   "With CheckFeedback: excess of the measured RTT over the reported one that is "
                   "tolerated, as a fraction of T.",
                   HpccField(&HpccLawAttributes::m_feedbackSlack, 0.5, 0));
}

std::string
HpccLawAttributes::ValidateTelemetry(const TelemetryCapabilities& telemetry) const
{
    const bool load = telemetry.fields & TELEMETRY_LOAD;
    const bool direct = telemetry.pathExtreme || load;
    const bool rates = telemetry.fields & (TELEMETRY_TX_BYTES | TELEMETRY_UTILIZATION);
    if (HpccSignalRequest::AsksInTurn(telemetry) && (!(telemetry.fields & TELEMETRY_QUEUE_DELAY) ||
                                                     !(telemetry.fields & TELEMETRY_UTILIZATION)))
    {
        return ": the telemetry format does not carry queue delay and utilisation alternately";
    }
    if (telemetry.senderWords)
    {
        return " cannot fill in the header words that the telemetry format needs";
    }
    if (telemetry.pathExtreme && rateTerm == RATE_RX)
    {
        return "::RateTerm Rx needs queue length and rate of one hop in one record, which the "
               "telemetry format does not carry; allowed is Tx";
    }
    if (telemetry.pathExtreme && perHop)
    {
        return "::PerHop needs a record of each hop, and the telemetry format carries one of the "
               "bottleneck hop; allowed is false";
    }
    if (telemetry.pathExtreme && load && m_checkFeedback)
    {
        return "::CheckFeedback needs queue lengths or delays, which the telemetry format does not "
               "carry";
    }
    if (const std::string unused = FindUnused(telemetry); !unused.empty())
    {
        return unused;
    }
    if (TakesSojourn() && !(telemetry.fields & TELEMETRY_HOP_LATENCY))
    {
        return "::QueueSignal Sojourn needs the time in the switch, which the telemetry format "
               "does not carry; allowed is Length";
    }
    if (!direct && !TakesSojourn() && !(telemetry.fields & TELEMETRY_QUEUE))
    {
        return ": the telemetry format carries no queue length";
    }
    return direct || rates ? ""
                           : ": the telemetry format carries neither sent bytes nor utilisation";
}

std::string
HpccLawAttributes::FindUnused(const TelemetryCapabilities& telemetry) const
{
    if (!telemetry.pathExtreme)
    {
        return "";
    }
    const HpccParameters initial;
    const std::string one = ": the telemetry format reports only the bottleneck hop of each packet";
    std::ostringstream message;
    if (missingHop != initial.missingHop)
    {
        message << "::MissingHop is Changes, allowed is Skips" << one;
    }
    else if (quietLoad != initial.quietLoad)
    {
        message << "::QuietLoad is " << quietLoad << ", allowed is " << initial.quietLoad << one;
    }
    else if (telemetry.fields & TELEMETRY_LOAD)
    {
        message << FindUnusedWithLoad();
    }
    return message.str();
}

std::string
HpccLawAttributes::FindUnusedWithLoad() const
{
    const HpccParameters initial;
    const std::string why = ": with this telemetry format, the switches compute the load";
    if (queueFilter != initial.queueFilter)
    {
        constexpr std::array names{"Min", "Current", "Auto"}; // in the order of QueueFilter
        return std::string("::QueueFilter is ") + names[queueFilter] + ", allowed is Default" + why;
    }
    if (!idleGapResets)
    {
        return "::IdleGapResets is false, allowed is true" + why;
    }
    std::ostringstream message;
    if (initialU != initial.initialU)
    {
        message << "::InitialU is " << initialU << ", allowed is " << initial.initialU << why;
    }
    return message.str();
}

std::string
HpccLawAttributes::ValidateChoices(const TelemetryCapabilities& telemetry) const
{
    if (TakesSojourn() && rateTerm == RATE_RX)
    {
        return "::RateTerm Rx needs the queue length; allowed is QueueSignal Length";
    }
    if (skipEmptyHops &&
        (telemetry.pathExtreme || TakesSojourn() || !(telemetry.fields & TELEMETRY_QUEUE)))
    {
        return "::SkipEmptyHops true needs the queue length of each hop, which the telemetry "
               "format does not carry or QueueSignal does not use; allowed is false";
    }
    if (skipEmptyHops && reaction != REACT_REFERENCE)
    {
        return "::SkipEmptyHops true needs Reaction Reference; the other reactions do not react "
               "between two commits";
    }
    std::ostringstream message;
    if (eta <= 0)
    {
        message << "::Eta is " << eta << ", allowed is above 0 and at most 2";
    }
    else if (eta >= 1 && waiBytes == 0 && m_rateAi.GetBitRate() == 0)
    {
        message << "::Eta is " << eta
                << ", allowed without Wai is below 1: W_init (1 - Eta)/N must be above 0";
    }
    return message.str();
}

std::string
HpccLawAttributes::ValidateLaw(const std::string& name,
                               const TelemetryCapabilities& telemetry) const
{
    const std::string why = ValidateTelemetry(telemetry);
    const std::string choices = why.empty() ? ValidateChoices(telemetry) : why;
    return choices.empty() ? "" : name + choices;
}

void
HpccLawAttributes::SetBaseRtt(Time baseRtt)
{
    m_baseRtt = baseRtt;
}

void
HpccLawAttributes::SetWindowTime(Time windowTime)
{
    windowNs = static_cast<double>(windowTime.GetNanoSeconds());
}

Time
HpccLawAttributes::GetWindowTime() const
{
    return NanoSeconds(static_cast<int64_t>(windowNs));
}

void
HpccLawAttributes::SetRateAi(DataRate rateAi)
{
    m_rateAi = rateAi;
}

DataRate
HpccLawAttributes::GetRateAi() const
{
    return m_rateAi;
}

Time
HpccLawAttributes::GetBaseRtt() const
{
    return NanoSeconds(GetBaseRttNs());
}

int64_t
HpccLawAttributes::GetBaseRttNs() const
{
    if (HasBaseRtt())
    {
        return m_baseRtt.GetNanoSeconds();
    }
    return NetworkBaseRttNs() > 0 ? NetworkBaseRttNs() : m_defaultBaseRtt.GetNanoSeconds();
}

HpccParameters
HpccLawAttributes::GetLawParameters() const
{
    HpccParameters parameters = *this;
    parameters.baseRttNs = static_cast<double>(GetBaseRttNs());
    parameters.minRateBps = static_cast<double>(m_minRate.GetBitRate());
    if (m_rateAi.GetBitRate() > 0)
    {
        const double overNs = windowNs > 0 ? windowNs : parameters.baseRttNs;
        parameters.waiBytes = static_cast<double>(m_rateAi.GetBitRate()) * overNs / 8e9;
    }
    return parameters;
}

void
HpccLawAttributes::OpenCheck(FeedbackCheck::State& state, int64_t itsBaseRttNs)
{
    m_check.SetParameters(static_cast<double>(GetBaseRttNs()), m_feedbackSlack);
    state = FeedbackCheck::State();
    state.baseRttNs = itsBaseRttNs;
}

bool
HpccLawAttributes::CheckReport(FeedbackCheck::State& state,
                               HpccFlow& flow,
                               const HpccSample& report,
                               const View& view) const
{
    if (!m_checkFeedback || report.hopCount == 0)
    {
        return false;
    }
    return m_check.Follow(state,
                          flow,
                          {report.nowNs,
                           view.rttNs,
                           view.newlyAckedBytes,
                           view.inFlightBytes,
                           flow.windowBytes,
                           FeedbackCheck::ReportedDelayNs(flow, report, TakesSojourn())});
}

} // namespace ns3
