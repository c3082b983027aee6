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
    return FindOfIncrease(*this, flows);
}

int64_t
RdmaHpccBase::NetworkBaseRttNs() const
{
    return GetNetworkBaseRttNs();
}

} // namespace ns3
