/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-hpcc-plus-plus.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

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
        AddTo(HpccTypeId::Of<TcpHpccPlusPlus, TcpCongestionOps>("ns3::TcpHpccPlusPlus"), Defaults{})
            .Attribute(
                "Fallback",
                "Class that handles losses, and controls the connection if telemetry fails.",
                HpccField(&TcpHpccPlusPlus::m_fallbackType, TypeIdValue(TcpNewReno::GetTypeId()))
                    .Then(&TcpHpccPlusPlus::CheckFallback))
            .Trace("Window",
                   "The window has been computed.",
                   &TcpHpccPlusPlus::m_windowTrace,
                   "ns3::TcpHpccPlusPlus::WindowTracedCallback")
            .Trace("FallenBack",
                   "The class Fallback controls the connection from now on; gives the reason.",
                   &TcpHpccPlusPlus::m_fallenBackTrace,
                   "ns3::TcpHpccPlusPlus::FallenBackTracedCallback")
            .Trace("Doubt",
                   "Telemetry begins to be doubted, or is trusted again.",
                   &TcpHpccPlusPlus::m_doubtTrace,
                   "ns3::TcpHpccPlusPlus::DoubtTracedCallback");
    return tid;
}

TcpHpccPlusPlus::TcpHpccPlusPlus() = default;

TcpHpccPlusPlus::TcpHpccPlusPlus(const TcpHpccPlusPlus& other)
    : TcpCongestionOps(other),
      HpccLawAttributes(other),
      m_fallbackType(other.m_fallbackType),
      m_windowTrace(other.m_windowTrace),
      m_fallenBackTrace(other.m_fallenBackTrace),
      m_doubtTrace(other.m_doubtTrace)
{
}

TcpHpccPlusPlus::~TcpHpccPlusPlus()
{
    if (m_tcb)
    {
        m_tcb->m_pacingRate.DisconnectWithoutContext(
            MakeCallback(&TcpHpccPlusPlus::PacingRateSet, this));
    }
}

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
    m_tcb->m_pacingRate.ConnectWithoutContext(MakeCallback(&TcpHpccPlusPlus::PacingRateSet, this));
    ObjectFactory factory;
    factory.SetTypeId(m_fallbackType);
    m_fallback = factory.Create<TcpCongestionOps>();
    m_fallback->Init(tcb);
}

void
TcpHpccPlusPlus::CheckFallback()
{
    if (m_fallbackType == TcpNewReno::GetTypeId())
    {
        return; // the default, which each new socket sets
    }
    const bool own = m_fallbackType == GetTypeId() || m_fallbackType.IsChildOf(GetTypeId());
    bool usable =
        !own && m_fallbackType.HasConstructor() && m_fallbackType.IsChildOf(Object::GetTypeId());
    if (usable)
    {
        // The TypeId of ns3::TcpCubic does not name TcpCongestionOps as a parent, so the class of
        // an object is checked instead.
        ObjectFactory factory;
        factory.SetTypeId(m_fallbackType);
        usable = DynamicCast<TcpCongestionOps>(factory.Create<Object>()) != nullptr;
    }
    HPCC_REFUSE_IF(!usable,
                   GetTypeId().GetName() + "::Fallback is " + m_fallbackType.GetName() +
                       ", allowed are other classes derived from ns3::TcpCongestionOps, such as " +
                       TcpNewReno::GetTypeId().GetName());
}

std::string
TcpHpccPlusPlus::Validate(const TelemetryCapabilities& telemetry, TelemetryThinning thinned) const
{
    const double initial = HpccParameters().quietLoad;
    if (quietLoad != initial && thinned != THINNED_BY_LOAD)
    {
        std::ostringstream why;
        why << GetTypeId().GetName() << "::QuietLoad is " << quietLoad << ", allowed is " << initial
            << ": answers without any record make the connection fall back, unless "
               "ns3::TelemetryAgent::Insertion is Congestion";
        return why.str();
    }
    return ValidateLaw(GetTypeId().GetName(), telemetry);
}

void
TcpHpccPlusPlus::SetNetworkBaseRttNs(int64_t baseRttNs)
{
    m_networkBaseRttNs = baseRttNs;
}

int64_t
TcpHpccPlusPlus::NetworkBaseRttNs() const
{
    return m_networkBaseRttNs;
}

void
TcpHpccPlusPlus::Open(const Network& network)
{
    SetNetworkBaseRttNs(network.baseRttNs);
    m_law.SetParameters(GetLawParameters());
    m_law.Open(m_flow, network.lineRateBps, network.firstSeq);
    m_flow.sparse = true;
    m_flow.sprayed = network.sprayed;
    m_flow.thinned = network.thinned;
    OpenCheck(m_checkState, GetBaseRttNs());
    m_overheadBytes = network.overheadBytes;
    m_wirePayload = network.wirePayload;
    m_opened = true;
    Apply();
}

void
TcpHpccPlusPlus::OnTelemetry(const HpccSample& sample, const View& view)
{
    if (m_fallenBack)
    {
        return;
    }
    if (CheckReport(m_checkState, m_flow, sample, view))
    {
        m_doubtTrace(m_flow.growthCapped, sample.nowNs);
    }
    const HpccOutcome& outcome = m_law.NewAck(m_flow, sample);
    if (outcome.branch != HpccBranch::NONE)
    {
        m_windowTrace(m_flow.windowBytes, m_flow.utilization, sample.nowNs);
        Apply();
    }
}

void
TcpHpccPlusPlus::OnWindow(double bytes, int64_t nowNs)
{
    if (m_fallenBack)
    {
        return;
    }
    m_flow.windowBytes = std::clamp(bytes, m_flow.minBytes, m_flow.initialBytes);
    m_windowTrace(m_flow.windowBytes, m_flow.utilization, nowNs);
    Apply();
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
    // TCP sends a segment only if the whole segment fits into the congestion window, so W is
    // rounded up to whole segments. If the port cuts segments, ACKs may cover parts of a segment,
    // so the bytes in flight need not be a multiple of the segment size. With segment - 1 added,
    // TCP sends a segment whenever less than W is in flight.
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
    m_tcb->m_pacing = wire >= segment;
    Pace();
}

DataRate
TcpHpccPlusPlus::GetPacingRate() const
{
    const auto wire = static_cast<double>(m_opened ? std::min(m_tcb->m_segmentSize, m_wirePayload)
                                                   : m_tcb->m_segmentSize);
    const double share = wire / (wire + m_overheadBytes);
    const double rate = m_opened ? m_law.RateBps(m_flow) * share
                                 : static_cast<double>(m_tcb->m_maxPacingRate.GetBitRate());
    return std::max(
        std::min(DataRate(static_cast<uint64_t>(std::max(1.0, rate))), m_tcb->m_maxPacingRate),
        DataRate(1));
}

void
TcpHpccPlusPlus::PacingRateSet(DataRate, DataRate rate)
{
    if (rate.GetBitRate() == 0)
    {
        Simulator::ScheduleNow(&TcpHpccPlusPlus::Pace, Ptr<TcpHpccPlusPlus>(this));
    }
}

void
TcpHpccPlusPlus::Pace()
{
    if (HasSocket())
    {
        m_tcb->m_pacingRate = GetPacingRate();
    }
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
    if (m_opened)
    {
        m_tcb->m_ssThresh = m_tcb->m_cWnd.Get();
    }
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
    if (event == TcpSocketState::CA_EVENT_TX_START && !m_started)
    {
        // During the handshake ns-3 has set the pacing rate from its own initial window. Without
        // the call of Pace(), the second segment would be paced at that rate, because the first
        // segment starts the pacing timer before Open() sets the rate.
        m_started = true;
        Pace();
    }
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
