/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law-attributes.h"

#include "hpcc-signal-request.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/object-base.h"
#include "ns3/uinteger.h"

#include <limits>
#include <sstream>

namespace ns3
{

TypeId
HpccLawAttributes::AddTo(TypeId tid)
{
    return tid
        .AddAttribute("T",
                      "Base RTT; 0 for the network's.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&HpccLawAttributes::m_baseRtt),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("Eta",
                      "Target utilisation, above 0.",
                      DoubleValue(0.95),
                      MakeDoubleAccessor(&HpccLawAttributes::m_eta),
                      MakeDoubleChecker<double>(0, 2))
        .AddAttribute("MaxStage",
                      "Additive steps before a multiplicative one.",
                      UintegerValue(5),
                      MakeUintegerAccessor(&HpccLawAttributes::m_maxStage),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("Wai",
                      "Additive increase W_ai in bytes; 0 for W_init (1 - Eta)/N.",
                      DoubleValue(0),
                      MakeDoubleAccessor(&HpccLawAttributes::m_wai),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("N",
                      "Expected flows on a link, used while Wai is 0.",
                      UintegerValue(100),
                      MakeUintegerAccessor(&HpccLawAttributes::m_expectedFlows),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("CountedShare",
                      "Share of 1 - Eta that the flows of a link take together by their W_ai when "
                      "the receiver counts them; 1 as the draft's rule has it.",
                      DoubleValue(0.2),
                      MakeDoubleAccessor(&HpccLawAttributes::m_countedShare),
                      MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
        .AddAttribute("CheckFeedback",
                      "Whether reports are compared with the sender's own round-trip time and "
                      "delivery rate. While they are doubted, W grows by at most W_ai a round.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&HpccLawAttributes::m_checkFeedback),
                      MakeBooleanChecker())
        .AddAttribute("FeedbackSlack",
                      "By how much of T the round-trip time may exceed what is reported, with "
                      "CheckFeedback.",
                      DoubleValue(0.5),
                      MakeDoubleAccessor(&HpccLawAttributes::m_feedbackSlack),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("InitialU",
                      "U before the first measurement.",
                      DoubleValue(1),
                      MakeDoubleAccessor(&HpccLawAttributes::m_initialU),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("MinRate",
                      "Floor of the rate; the window's is this times T.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&HpccLawAttributes::m_minRate),
                      MakeDataRateChecker())
        .AddAttribute(
            "QueueFilter",
            "Queue length of line 5: the smaller of two records', the current one, or the "
            "current one for records at least T apart.",
            EnumValue(HpccParameters::QUEUE_AUTO),
            MakeHpccEnumAccessor<HpccParameters::QueueFilter>(&HpccLawAttributes::m_queueFilter),
            MakeEnumChecker(HpccParameters::QUEUE_MIN,
                            "Min",
                            HpccParameters::QUEUE_CURRENT,
                            "Current",
                            HpccParameters::QUEUE_AUTO,
                            "Auto"))
        .AddAttribute(
            "FirstSample",
            "Whether the first record of a path is only stored, or with a queue counts as u' = "
            "1 + qlen/(B T).",
            EnumValue(HpccParameters::FIRST_ESTIMATE),
            MakeHpccEnumAccessor<HpccParameters::FirstSample>(&HpccLawAttributes::m_firstSample),
            MakeEnumChecker(HpccParameters::FIRST_SKIP,
                            "Skip",
                            HpccParameters::FIRST_ESTIMATE,
                            "Estimate"));
}

std::string
HpccLawAttributes::ValidateLaw(const std::string& name,
                               const TelemetryCapabilities& telemetry) const
{
    std::ostringstream message;
    const bool load = telemetry.fields & TELEMETRY_LOAD;
    const bool inTurn = HpccSignalRequest::AsksInTurn(telemetry);
    if (telemetry.senderWords)
    {
        message << name << " tells the switches nothing, as the telemetry format wants";
    }
    else if (inTurn && !(telemetry.fields & TELEMETRY_QUEUE_DELAY))
    {
        message << name << ": the telemetry format carries no queue delay";
    }
    else if (!load && !inTurn && !(telemetry.fields & TELEMETRY_QUEUE))
    {
        message << name << ": the telemetry format carries no queue length";
    }
    else if (!load && !(telemetry.fields & (TELEMETRY_TX_BYTES | TELEMETRY_UTILIZATION)))
    {
        message << name << ": the telemetry format carries neither sent bytes nor utilisation";
    }
    else if (load && m_checkFeedback)
    {
        message << name << "::CheckFeedback is true, but the telemetry format carries neither "
                << "queue lengths nor delays; false is allowed";
    }
    else if (m_eta <= 0)
    {
        message << name << "::Eta is " << m_eta << ", allowed is above 0 and at most 2";
    }
    else if (m_eta >= 1 && m_wai == 0)
    {
        message << name << "::Eta is " << m_eta
                << ", which without Wai is allowed below 1 only: W_init (1 - Eta)/N must be above "
                   "0";
    }
    return message.str();
}

HpccParameters
HpccLawAttributes::GetLawParameters(int64_t networkBaseRttNs) const
{
    HpccParameters parameters;
    parameters.baseRttNs = static_cast<double>(
        m_baseRtt.IsStrictlyPositive() ? m_baseRtt.GetNanoSeconds() : networkBaseRttNs);
    parameters.eta = m_eta;
    parameters.maxStage = m_maxStage;
    parameters.waiBytes = m_wai;
    parameters.expectedFlows = m_expectedFlows;
    parameters.countedShare = m_countedShare;
    parameters.initialU = m_initialU;
    parameters.minRateBps = static_cast<double>(m_minRate.GetBitRate());
    parameters.queueFilter = m_queueFilter;
    parameters.firstSample = m_firstSample;
    return parameters;
}

void
HpccLawAttributes::OpenCheck(int64_t networkBaseRttNs)
{
    const double baseRttNs = GetLawParameters(networkBaseRttNs).baseRttNs;
    m_check.SetParameters(baseRttNs, m_feedbackSlack);
    m_checkState = FeedbackCheck::State();
    m_checkState.baseRttNs = static_cast<int64_t>(baseRttNs);
}

bool
HpccLawAttributes::CheckReport(HpccFlow& flow, const HpccSample& report, const View& view)
{
    if (!m_checkFeedback || report.hopCount == 0)
    {
        return false;
    }
    return m_check.Follow(m_checkState,
                          flow,
                          {report.nowNs,
                           view.rttNs,
                           view.newlyAckedBytes,
                           view.inFlightBytes,
                           flow.windowBytes,
                           FeedbackCheck::ReportedDelayNs(flow, report, false)});
}

} // namespace ns3
