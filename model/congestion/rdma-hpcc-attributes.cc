/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-signal-request.h"
#include "rdma-hpcc-base.h"

#include "ns3/hpcc-type-id.h"

#include <sstream>

// Defines the trace sources of RdmaHpccBase, and checks its attributes.

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccBase);

namespace
{

// A queue of one packet adds 1/BDP to the load, with the BDP in packets. With a small W_ai, this
// noise changes the windows more than W_ai does.
constexpr double LEAST_INCREASE = 0.02; ///< W_ai, in packets, below which a warning is printed
constexpr double SAFE_INCREASE = 0.08;  ///< W_ai, in packets, that the warning recommends

} // namespace

TypeId
RdmaHpccBase::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaHpccBase, RdmaCongestionOps>("ns3::RdmaHpccBase")
            .Trace("Window",
                   "Window W, bytes.",
                   &RdmaHpccBase::m_traceWindow,
                   "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .Trace("AppliedWindow",
                   "Window W from the receiver, as applied by the sender, bytes.",
                   &RdmaHpccBase::m_traceApplied,
                   "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .Trace("ReferenceWindow",
                   "Reference window Wc, bytes.",
                   &RdmaHpccBase::m_traceReference,
                   "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .Trace("Rate",
                   "Pacing rate R, bit/s.",
                   &RdmaHpccBase::m_traceRate,
                   "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .Trace("Utilization",
                   "Average U of the normalised inflight bytes.",
                   &RdmaHpccBase::m_traceUtilization,
                   "ns3::RdmaHpccBase::FlowValueTracedCallback")
            .Trace("IncStage",
                   "At each commit: additive steps since the last multiplicative one (incStage).",
                   &RdmaHpccBase::m_traceIncStage,
                   "ns3::RdmaHpccBase::FlowStageTracedCallback")
            .Trace("HopU",
                   "Normalised bytes in flight, u', of each hop whose record yields a u'.",
                   &RdmaHpccBase::m_traceHopU,
                   "ns3::RdmaHpccBase::HopUTracedCallback")
            .Trace("Reaction",
                   "The window has been recomputed; gives whether by a commit (line 23) or a fast "
                   "reaction between two commits (line 26).",
                   &RdmaHpccBase::m_traceReaction,
                   "ns3::RdmaHpccBase::ReactionTracedCallback")
            .Trace("Reset",
                   "A record has been handled as the first one of its path; gives the reason.",
                   &RdmaHpccBase::m_traceReset,
                   "ns3::RdmaHpccBase::ResetTracedCallback")
            .Trace("Doubt",
                   "Returned telemetry begins to be doubted, or is trusted again.",
                   &RdmaHpccBase::m_traceDoubt,
                   "ns3::RdmaHpccBase::DoubtTracedCallback");
    return tid;
}

HpccTypeId
RdmaHpccBase::AddParameters(HpccTypeId tid, const Defaults& defaults)
{
    return AddTo(tid, defaults)
        .Attribute("WindowTime",
                   "Window time: W_init is the line rate times WindowTime, R is W/WindowTime, and "
                   "line 5 divides qlen/B by WindowTime unless switches compute the load. 0: T.",
                   HpccProperty(&RdmaHpccBase::SetWindowTime,
                                &RdmaHpccBase::GetWindowTime,
                                Time(0),
                                Time(0)))
        .Attribute("RateAi",
                   "Additive increase as a rate: W_ai is RateAi times WindowTime. 0: the "
                   "attribute Wai is used.",
                   HpccProperty(&RdmaHpccBase::SetRateAi, &RdmaHpccBase::GetRateAi, DataRate(0)))
        .Attribute("RestartAtLineRate",
                   "Whether a message on an idle queue pair starts with the window W_init. False: "
                   "W is kept.",
                   HpccField(&RdmaHpccBase::m_restartAtLineRate, false));
}

std::string
RdmaHpccBase::Validate(int64_t, const TelemetryCapabilities* telemetry) const
{
    const std::string name = GetInstanceTypeId().GetName();
    return telemetry ? ValidateLaw(name, *telemetry)
                     : name + " needs a telemetry format, for instance " + GetDefaultTelemetry();
}

std::vector<std::string>
RdmaHpccBase::ListWarnings(int64_t, const Flows& flows) const
{
    const std::string name = GetInstanceTypeId().GetName();
    TypeId::AttributeInformation wai;
    GetInstanceTypeId().LookupAttributeByName("Wai", &wai);
    const bool waiGiven =
        DynamicCast<const DoubleValue>(wai.originalInitialValue)->Get() != waiBytes;
    const bool rateWins = GetRateAi().GetBitRate() > 0;
    std::ostringstream winner;
    if (rateWins)
    {
        winner << "RateAi is " << GetRateAi();
    }
    else
    {
        winner << "Wai is " << waiBytes << " bytes";
    }
    std::vector<std::string> warnings;
    if (rateWins && waiGiven)
    {
        warnings.push_back(name + "::Wai has no effect: " + winner.str());
    }
    if ((rateWins || waiBytes > 0) && expectedFlows != HpccParameters().expectedFlows)
    {
        warnings.push_back(name + "::N has no effect: " + winner.str());
    }
    const HpccParameters own = GetLawParameters();
    const double windowNs = own.windowNs > 0 ? own.windowNs : own.baseRttNs;
    const double initBytes = static_cast<double>(flows.slowestBps) * windowNs / 8e9;
    const double byRule = initBytes * (1 - own.eta) / own.expectedFlows;
    const double increase = own.waiBytes > 0 ? own.waiBytes : byRule;
    if (flows.several && flows.slowestBps > 0 && own.maxStage > 0 &&
        increase < LEAST_INCREASE * flows.packetBytes)
    {
        std::ostringstream line;
        line << name
             << (rateWins           ? "::RateAi makes W_ai "
                 : own.waiBytes > 0 ? "::Wai is "
                                    : "::N makes W_ai ")
             << increase
             << " bytes, less than 2 % of a packet: flows that start together may keep unequal "
                "rates for a long time; "
             << (rateWins ? "without RateAi, " : "")
             << "Wai = " << SAFE_INCREASE * flows.packetBytes << " is usually enough";
        warnings.push_back(line.str());
    }
    return warnings;
}

int64_t
RdmaHpccBase::NetworkBaseRttNs() const
{
    return GetNetworkBaseRttNs();
}

} // namespace ns3
