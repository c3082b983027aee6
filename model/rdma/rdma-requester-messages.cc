/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-requester.h"
#include "rdma-sack-state.h"

#include <algorithm>
#include <limits>

// This file appends messages to queue pairs, and opens the policy of a queue pair.

namespace ns3
{

uint32_t
RdmaRequester::Append(RdmaQueuePair& qp,
                      RdmaVerb verb,
                      uint64_t bytes,
                      uint64_t address,
                      int64_t nowNs)
{
    auto* message = static_cast<RdmaMessage*>(m_messages.malloc());
    *message = {nullptr,
                qp.endPsn,
                verb == RdmaVerb::READ ? 1 : (bytes + qp.mtu - 1) / qp.mtu,
                qp.endByte,
                bytes,
                nowNs,
                address,
                qp.messages++,
                verb};
    qp.endPsn += message->packets;
    qp.endByte += message->SequenceBytes();
    bool idle = !qp.oldest;
    (qp.newest && qp.oldest ? qp.newest->next : qp.oldest) = message;
    if (idle)
    {
        qp.oldestEndPsn = qp.endPsn;
    }
    qp.newest = message;
    if (!qp.current)
    {
        qp.current = message;
    }
    if (!qp.cc)
    {
        OpenPolicy(qp, nowNs);
    }
    else if (idle)
    {
        qp.idleNs = std::max(qp.idleNs, nowNs - qp.idleSinceNs);
        const RdmaRestartInfo restart{nowNs, qp.NextPosition(nowNs)};
        m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnRestart, restart);
        m_pacer.Repace(qp);
    }
    m_pacer.Reschedule(qp, nowNs);
    return message->index;
}

void
RdmaRequester::OpenPolicy(RdmaQueuePair& qp, int64_t nowNs)
{
    RdmaFlowInfo info = m_core.connections.SenderRoleOf(qp).flow;
    info.flowId = qp.number;
    // With SACKs, the position of a packet is its departure time. The first packet may leave now,
    // and firstSeq must be lower than its position.
    info.firstSeq = qp.NextPosition(std::max<int64_t>(nowNs - 1, 0));
    // In feedback modes other than the default, telemetry is reported to the policy without an
    // entropy value, so the policy cannot compute shares.
    const bool graded = qp.sack && qp.sack->obeysShares && !qp.feedback;
    info.entropyValues = graded ? qp.sack->entropyValues : 0;
    qp.cc = qp.ops->Open(info, nowNs);
    m_core.connections.NoteState(qp);
    qp.hasWindow = qp.cc->windowBytes < std::numeric_limits<double>::infinity();
    RdmaPolicyValues::Check(qp, nowNs, nowNs);
    m_pacer.SchedulePolicyTimer(qp);
    if (qp.requesterUses & USES_PATHS)
    {
        m_paths.HoldBack(qp, nowNs);
    }
}

} // namespace ns3
