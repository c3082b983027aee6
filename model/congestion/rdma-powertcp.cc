/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-powertcp.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPowerTcp);

TypeId
RdmaPowerTcp::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaPowerTcp, RdmaPowerTcpBase>("ns3::RdmaPowerTcp"),
                      UPDATE_ACK)
            .Presets("powertcp;"
                     "powertcp:paper=MinCurrent:0;"
                     "powertcp:authors=RateAi:150Mbps,Eta:0.95,EwmaWindow:Reference,"
                     "MinRate:100Mbps")
            .Trace("Reset",
                   "A record has been handled as the first one of its path; gives the reason.",
                   &RdmaPowerTcp::m_traceReset,
                   "ns3::RdmaPowerTcp::ResetTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaPowerTcp::Describe(const TelemetryCapabilities* telemetry) const
{
    RdmaPolicyDescription needs = RdmaPowerTcpBase::Describe(telemetry);
    needs.telemetry = "sigcomm19";
    needs.hopIds = true;
    needs.toleratedMultipath =
        telemetry ? HpccLaw::ToleratedMultipath(*telemetry) : Multipath::NONE;
    return needs;
}

std::string
RdmaPowerTcp::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (!telemetry)
    {
        return name + " needs a telemetry format, for instance " + Describe(nullptr).telemetry;
    }
    if (telemetry->pathExtreme || !(telemetry->fields & TELEMETRY_QUEUE))
    {
        return name + ": the telemetry format carries no queue length of each hop";
    }
    if (!(telemetry->fields & (TELEMETRY_TX_BYTES | TELEMETRY_UTILIZATION)))
    {
        return name + ": the telemetry format carries neither sent bytes nor utilisation";
    }
    return RdmaPowerTcpBase::Validate(baseRttNs, telemetry);
}

void
RdmaPowerTcp::DoOpen(RdmaPowerTcpPathState& state, const RdmaFlowInfo& info, int64_t)
{
    HPCC_REFUSE_IF(info.thinned == THINNED_BY_LOAD,
                   GetInstanceTypeId().GetName() +
                       ": switches insert records only into packets that find a queue "
                       "(ns3::TelemetryAgent::Insertion Congestion), but without records the "
                       "window never grows; allowed are Always and Interval");
    HpccParameters parameters;
    parameters.baseRttNs = GetBaseRttNs();
    parameters.queueFilter = HpccParameters::QUEUE_CURRENT;
    // If switches insert few records, the flows through a port share them, so a flow waits long for
    // its second record. The queue would fill up meanwhile if the first record were only stored.
    parameters.firstSample =
        info.thinned ? HpccParameters::FIRST_ESTIMATE : HpccParameters::FIRST_SKIP;
    parameters.missingHop =
        info.thinned ? HpccParameters::MISSING_SKIPS : HpccParameters::MISSING_CHANGES;
    parameters.rateTerm = HpccParameters::RATE_RX;
    parameters.minRateTerm = GetMinCurrent();
    parameters.load = HpccParameters::LOAD_POWER;
    m_law.SetParameters(parameters);
    m_law.Open(state.path, static_cast<double>(info.lineRateBps), info.firstSeq);
    state.path.thinned = info.thinned;
    state.path.sprayed = info.multipath == Multipath::EVERY_PACKET;
    Start(state, info, parameters.baseRttNs);
}

void
RdmaPowerTcp::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    if (ack.hopCount == 0 || !ack.telemetry)
    {
        return;
    }
    auto& own = Own(state);
    const auto measurement = m_law.MeasureInflight(own.path,
                                                   {ack.nowNs,
                                                    ack.ackSeq,
                                                    ack.sndNxt,
                                                    ack.idleNs,
                                                    ack.hops,
                                                    ack.hopCount,
                                                    ack.pathId,
                                                    ack.reportedFlows,
                                                    ack.telemetry});
    const HpccOutcome& outcome = m_law.GetOutcome();
    if (outcome.reset != HpccReset::NONE)
    {
        m_traceReset(own.flowId, outcome.reset);
    }
    if (measurement == HpccLaw::Measurement::FIRST)
    {
        own.lastUpdateSeq = ack.sndNxt;
    }
    if (measurement == HpccLaw::Measurement::VALID)
    {
        own.power = own.path.utilization;
        const HpccFlow::Record& record = own.path.records[outcome.bottleneck];
        own.bottleneckSwitch = record.GetKnownSwitch();
        own.bottleneckPort = record.GetKnownPort();
        Follow(own, ack);
    }
}

void
RdmaPowerTcp::OnPathChange(RdmaCongestionState* state, int64_t)
{
    m_law.ChangePath(Own(state).path);
}

void
RdmaPowerTcp::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    auto& own = Own(state);
    own.lastUpdateSeq = std::min(own.lastUpdateSeq, loss.sndNxt);
    m_law.Rollback(own.path, loss.sndNxt, loss.cause == RdmaLossInfo::TIMEOUT);
}

RdmaCongestionSample
RdmaPowerTcp::Observe(const RdmaCongestionState* state) const
{
    const auto& own = *static_cast<const RdmaPowerTcpPathState*>(state);
    RdmaCongestionSample sample = RdmaPowerTcpBase::Observe(state);
    sample.bottleneckSwitch = own.bottleneckSwitch;
    sample.bottleneckPort = own.bottleneckPort;
    return sample;
}

} // namespace ns3
