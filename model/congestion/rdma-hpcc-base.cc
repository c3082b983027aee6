/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-base.h"

#include "hpcc-signal-request.h"

// Handles acknowledgements at the sender. Other events are in rdma-hpcc-events.cc, trace sources
// and checks of attributes in rdma-hpcc-attributes.cc, and the control law at the receiver in
// rdma-hpcc-receiver.cc.

namespace ns3
{

RdmaHpccBase::RdmaHpccBase(const Defaults& defaults)
    : HpccLawAttributes(defaults)
{
}

void
RdmaHpccBase::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    if (!ack.telemetry)
    {
        return;
    }
    auto& own = Own(state);
    if (ChecksFeedback() && ack.hopCount > 0 && ack.newlyAckedBytes > 0)
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
                                               ack.previous});
    own.windowBytes = own.flow.windowBytes;
    own.rateBps = m_law.RateBps(own.flow);
    if (HpccSignalRequest::AsksInTurn(*ack.telemetry))
    {
        own.telemetryRequest = HpccSignalRequest::WantedSignal(own.flow);
    }
    if (outcome.branch != HpccBranch::NONE && outcome.hopCount > 0)
    {
        const HpccFlow::Record& record = own.flow.records[outcome.bottleneck];
        own.bottleneckSwitch = record.GetKnownSwitch();
        own.bottleneckPort = record.GetKnownPort();
    }
    TraceOutcome(own.flowId, own.flow, outcome);
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
