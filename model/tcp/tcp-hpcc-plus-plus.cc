/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-hpcc-plus-plus.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TcpHpccPlusPlus");

NS_OBJECT_ENSURE_REGISTERED(TcpHpccPlusPlus);

TypeId
TcpHpccPlusPlus::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpHpccPlusPlus")
            .SetParent<TcpCongestionOps>()
            .SetGroupName("Hpcc")
            .AddConstructor<TcpHpccPlusPlus>()
            .AddAttribute("T",
                          "Base RTT; 0 for the network's.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&TcpHpccPlusPlus::m_baseRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Eta",
                          "Target utilisation, above 0.",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&TcpHpccPlusPlus::m_eta),
                          MakeDoubleChecker<double>(0, 2))
            .AddAttribute("MaxStage",
                          "Additive steps before a multiplicative one.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&TcpHpccPlusPlus::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Wai",
                          "Additive increase W_ai in bytes; 0 for W_init (1 - Eta)/N.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&TcpHpccPlusPlus::m_wai),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("N",
                          "Expected flows on a link, used while Wai is 0.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&TcpHpccPlusPlus::m_expectedFlows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("InitialU",
                          "U before the first measurement.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&TcpHpccPlusPlus::m_initialU),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("MinRate",
                          "Floor of the rate; the window's is this times T.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&TcpHpccPlusPlus::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "QueueFilter",
                "Queue length of line 5: the smaller of two records', the current one, or the "
                "current one for records at least T apart.",
                EnumValue(HpccParameters::QUEUE_AUTO),
                MakeHpccEnumAccessor<HpccParameters::QueueFilter>(&TcpHpccPlusPlus::m_queueFilter),
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
                MakeHpccEnumAccessor<HpccParameters::FirstSample>(&TcpHpccPlusPlus::m_firstSample),
                MakeEnumChecker(HpccParameters::FIRST_SKIP,
                                "Skip",
                                HpccParameters::FIRST_ESTIMATE,
                                "Estimate"))
            .AddAttribute("Fallback",
                          "Class that recovers from losses, and controls where telemetry fails.",
                          TypeIdValue(TcpNewReno::GetTypeId()),
                          MakeTypeIdAccessor(&TcpHpccPlusPlus::m_fallbackType),
                          MakeTypeIdChecker())
            .AddTraceSource("Window",
                            "The window has been computed.",
                            MakeTraceSourceAccessor(&TcpHpccPlusPlus::m_windowTrace),
                            "ns3::TcpHpccPlusPlus::WindowTracedCallback")
            .AddTraceSource("FallenBack",
                            "Fallback controls from now on.",
                            MakeTraceSourceAccessor(&TcpHpccPlusPlus::m_fallenBackTrace),
                            "ns3::TcpHpccPlusPlus::FallenBackTracedCallback");
    return tid;
}

TcpHpccPlusPlus::TcpHpccPlusPlus() = default;

TcpHpccPlusPlus::TcpHpccPlusPlus(const TcpHpccPlusPlus& other)
    : TcpCongestionOps(other),
      m_baseRtt(other.m_baseRtt),
      m_eta(other.m_eta),
      m_maxStage(other.m_maxStage),
      m_wai(other.m_wai),
      m_expectedFlows(other.m_expectedFlows),
      m_initialU(other.m_initialU),
      m_minRate(other.m_minRate),
      m_queueFilter(other.m_queueFilter),
      m_firstSample(other.m_firstSample),
      m_fallbackType(other.m_fallbackType),
      m_windowTrace(other.m_windowTrace),
      m_fallenBackTrace(other.m_fallenBackTrace)
{
}

TcpHpccPlusPlus::~TcpHpccPlusPlus() = default;

std::string
TcpHpccPlusPlus::GetName() const
{
    return "TcpHpccPlusPlus";
}

void
TcpHpccPlusPlus::Init(Ptr<TcpSocketState> tcb)
{
    m_tcb = tcb;
    m_tcb->m_pacing = true;
    m_tcb->m_paceInitialWindow = true;
    ObjectFactory factory;
    factory.SetTypeId(m_fallbackType);
    m_fallback = factory.Create<TcpCongestionOps>();
    m_fallback->Init(tcb);
}

std::string
TcpHpccPlusPlus::Validate(const TelemetryCapabilities& telemetry) const
{
    std::ostringstream message;
    const std::string name = GetTypeId().GetName();
    const bool load = telemetry.fields & TELEMETRY_LOAD;
    if (telemetry.pathExtreme || telemetry.senderWords)
    {
        message << name << " needs a telemetry format with a record of each hop";
    }
    else if (!load && !(telemetry.fields & TELEMETRY_QUEUE))
    {
        message << name << ": the telemetry format carries no queue length";
    }
    else if (!load && !(telemetry.fields & (TELEMETRY_TX_BYTES | TELEMETRY_UTILIZATION)))
    {
        message << name << ": the telemetry format carries neither sent bytes nor utilisation";
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
TcpHpccPlusPlus::GetParameters(int64_t networkBaseRttNs) const
{
    HpccParameters parameters;
    parameters.baseRttNs = static_cast<double>(
        m_baseRtt.IsStrictlyPositive() ? m_baseRtt.GetNanoSeconds() : networkBaseRttNs);
    parameters.eta = m_eta;
    parameters.maxStage = m_maxStage;
    parameters.waiBytes = m_wai;
    parameters.expectedFlows = m_expectedFlows;
    parameters.initialU = m_initialU;
    parameters.minRateBps = static_cast<double>(m_minRate.GetBitRate());
    parameters.queueFilter = m_queueFilter;
    parameters.firstSample = m_firstSample;
    return parameters;
}

void
TcpHpccPlusPlus::Open(const Network& network)
{
    m_law.SetParameters(GetParameters(network.baseRttNs));
    m_law.Open(m_flow, network.lineRateBps, network.firstSeq);
    m_overheadBytes = network.overheadBytes;
    m_wirePayload = network.wirePayload;
    m_opened = true;
    Apply();
}

void
TcpHpccPlusPlus::OnTelemetry(const HpccSample& sample)
{
    if (m_fallenBack)
    {
        return;
    }
    const HpccOutcome& outcome = m_law.NewAck(m_flow, sample);
    if (outcome.branch != HpccBranch::NONE)
    {
        m_windowTrace(m_flow.windowBytes, m_flow.utilization, sample.nowNs);
        Apply();
    }
}

bool
TcpHpccPlusPlus::IsOpen() const
{
    const auto state = m_tcb->m_congState.Get();
    return state == TcpSocketState::CA_OPEN || state == TcpSocketState::CA_DISORDER;
}

void
TcpHpccPlusPlus::Apply()
{
    const auto segment = static_cast<double>(m_tcb->m_segmentSize);
    const auto wire = std::min(segment, static_cast<double>(m_wirePayload));
    // TCP sends a segment that fits whole. What the port cuts is acknowledged in parts.
    const double bytes = wire < segment
                             ? std::ceil(m_flow.windowBytes) + segment - 1
                             : std::max(1.0, std::ceil(m_flow.windowBytes / segment)) * segment;
    auto window = static_cast<uint32_t>(
        std::min(bytes, static_cast<double>(std::numeric_limits<uint32_t>::max())));
    if (!IsOpen())
    {
        window = std::min(window, m_tcb->m_cWnd.Get());
    }
    m_tcb->m_cWnd = window;
    m_tcb->m_cWndInfl = window;
    const double share = wire / (wire + m_overheadBytes);
    const DataRate rate(static_cast<uint64_t>(std::max(1.0, m_law.RateBps(m_flow) * share)));
    m_tcb->m_pacing = wire >= segment;
    m_tcb->m_pacingRate = std::min(rate, m_tcb->m_maxPacingRate);
}

void
TcpHpccPlusPlus::FallBack(const std::string& why)
{
    if (m_fallenBack)
    {
        return;
    }
    NS_LOG_WARN("fall-back to " << m_fallback->GetName() << ": " << why);
    m_fallenBack = true;
    m_tcb->m_ssThresh = m_tcb->m_cWnd.Get();
    m_fallenBackTrace(why);
}

uint32_t
TcpHpccPlusPlus::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight)
{
    return m_fallback->GetSsThresh(tcb, bytesInFlight);
}

void
TcpHpccPlusPlus::IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (!HasCongControl())
    {
        m_fallback->IncreaseWindow(tcb, segmentsAcked);
    }
    if (m_opened && !m_fallenBack)
    {
        Apply();
    }
}

void
TcpHpccPlusPlus::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt)
{
    m_fallback->PktsAcked(tcb, segmentsAcked, rtt);
}

void
TcpHpccPlusPlus::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                    const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_LOSS && m_opened)
    {
        m_law.Rollback(m_flow, m_flow.lastUpdateSeq, true);
    }
    m_fallback->CongestionStateSet(tcb, newState);
}

void
TcpHpccPlusPlus::CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event)
{
    m_fallback->CwndEvent(tcb, event);
}

bool
TcpHpccPlusPlus::HasCongControl() const
{
    return m_opened && !m_fallenBack && IsOpen();
}

void
TcpHpccPlusPlus::CongControl(Ptr<TcpSocketState>,
                             const TcpRateOps::TcpRateConnection&,
                             const TcpRateOps::TcpRateSample&)
{
    Apply();
}

Ptr<TcpCongestionOps>
TcpHpccPlusPlus::Fork()
{
    return CopyObject<TcpHpccPlusPlus>(this);
}

} // namespace ns3
