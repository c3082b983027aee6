/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-receiver-policies.h"

#include "rdma-feedback-state.h"
#include "rdma-policy-values.h"
#include "rdma-receiver-computation.h"
#include "rdma-receiver-control.h"

#include "ns3/hpcc-roce-feedback.h"

#include <memory>

namespace ns3
{

void
RdmaReceiverPolicies::CountFlows(int64_t windowNs)
{
    for (HpccFlowCounter& counter : m_flowCounters)
    {
        counter.Cover(windowNs);
    }
    if (!m_countsFlows)
    {
        m_countsFlows = true;
        for (RdmaQueuePair& qp : m_core.connections.queuePairs)
        {
            qp.responderUses |= USES_FLOW_COUNT;
        }
    }
}

void
RdmaReceiverPolicies::OnArrival(RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    if (m_countsFlows)
    {
        CountFlow(qp, frame, nowNs);
    }
    if (qp.receiverOps)
    {
        Run(qp, frame, nowNs);
    }
}

void
RdmaReceiverPolicies::CountFlow(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    if (!qp.control)
    {
        qp.control = std::make_unique<RdmaReceiverControl>();
    }
    qp.control->Count(m_flowCounters[frame.priority], nowNs);
}

void
RdmaReceiverPolicies::Open(RdmaQueuePair& qp)
{
    const RdmaReceiverRole& role = m_core.connections.ReceiverRoleOf(qp);
    const bool computes = qp.control && qp.control->Computes();
    RdmaReceiverInfo info{role.flow, RdmaReceiverInfo::EPOCH, computes};
    info.flow.flowId = qp.peerNumber;
    if (computes)
    {
        info.commitRule = role.feedback->GetComputation()->GetCommitRule();
    }
    qp.receiver = qp.receiverOps->OpenReceiver(info);
}

void
RdmaReceiverPolicies::Run(RdmaQueuePair& qp, Frame& frame, int64_t nowNs)
{
    if (!qp.receiver)
    {
        Open(qp);
    }
    RdmaArrivalInfo arrival{nowNs,
                            m_core.port->GetLinkBytes(frame.bytes),
                            (frame.tos & 3) == ECN_CE};
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    if (qp.control && qp.control->Computes())
    {
        qp.control->OnArrival(frame, EndsRoceMessage(frame.opcode), arrival);
        if (frame.format)
        {
            if (qp.responderUses & USES_FORGER)
            {
                m_forgers.Forge(qp, frame, nowNs);
            }
            arrival.hops = hops.data();
            arrival.hopCount = m_core.telemetry.ReadHops(*frame.format,
                                                         frame.telemetry,
                                                         frame.priority,
                                                         hops.data());
            arrival.pathId = frame.telemetry.pathId;
            arrival.telemetry = &frame.format->GetCapabilities();
            frame.format = nullptr;
        }
    }
    Follow(qp, qp.receiverOps->OnArrival(qp.receiver, arrival), nowNs);
}

void
RdmaReceiverPolicies::OnSwitchResponse(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs)
{
    const RdmaReceiverRole& role = m_core.connections.ReceiverRoleOf(qp);
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> hops;
    RdmaAckInfo response{};
    response.nowNs = nowNs;
    response.hops = hops.data();
    response.hopCount =
        m_core.telemetry.ReadHops(*frame.format, frame.telemetry, role.dataPriority, hops.data());
    response.telemetry = &frame.format->GetCapabilities();
    Follow(qp, qp.receiverOps->OnReceiverResponse(qp.receiver, response), nowNs);
}

void
RdmaReceiverPolicies::RunTimers(int64_t nowNs)
{
    while (m_timers.TopNs() <= nowNs)
    {
        RdmaQueuePair& qp = m_core.connections.queuePairs[m_timers.TopId()];
        Follow(qp, qp.receiverOps->OnReceiverTimer(qp.receiver, nowNs), nowNs, 1);
    }
}

void
RdmaReceiverPolicies::Follow(RdmaQueuePair& qp,
                             const RdmaNotification& notification,
                             int64_t nowNs,
                             int64_t aheadNs)
{
    const bool computes = qp.control && qp.control->Computes();
    RdmaPolicyValues::CheckReceiver(*m_core.connections.ReceiverRoleOf(qp).policy,
                                    qp,
                                    notification,
                                    computes,
                                    nowNs,
                                    nowNs + aheadNs);
    m_timers.Set(qp.slot, qp.receiver->timerNs);
    if (qp.receiver->timerNs != RdmaTimerHeap::NEVER)
    {
        m_core.ScheduleTimers(qp.receiver->timerNs);
    }
    if (notification.given)
    {
        Frame* frame = m_cnps.Make(qp, notification);
        if (computes)
        {
            WriteWindow(qp, notification, *frame);
        }
        m_cnps.Send(frame);
    }
}

void
RdmaReceiverPolicies::WriteWindow(RdmaQueuePair& qp,
                                  const RdmaNotification& notification,
                                  Frame& frame)
{
    const uint64_t number = qp.control->Write(notification, frame);
    if (qp.signer)
    {
        frame.notification.authenticated = true;
        frame.notification.tag = SignNotification(*qp.signer, number, frame);
    }
}

void
RdmaReceiverPolicies::Close(RdmaQueuePair& qp)
{
    if (qp.receiver)
    {
        qp.receiverOps->CloseReceiver(qp.receiver);
        qp.receiver = nullptr;
    }
    m_timers.Remove(qp.slot);
}

} // namespace ns3
