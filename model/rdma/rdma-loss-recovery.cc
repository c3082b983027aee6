/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-loss-recovery.h"

#include "rdma-departures.h"
#include "rdma-sack-state.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaLossRecovery");

RdmaRetransmission::Position
RdmaLossRecovery::PositionOf(const RdmaQueuePair& qp)
{
    return {qp.sndUnaPsn, qp.sndNxtPsn, qp.oldest ? qp.oldest->firstPsn : qp.sndUnaPsn};
}

void
RdmaLossRecovery::UpdateFlags(RdmaQueuePair& qp)
{
    qp.recovering = qp.Retransmission().IsActive();
    qp.lost =
        qp.recovering && qp.Retransmission().NextLost(qp.sndUnaPsn) != RdmaRetransmission::NONE;
}

uint64_t
RdmaLossRecovery::TakeLost(RdmaQueuePair& qp, int64_t nowNs)
{
    const uint64_t psn = qp.Retransmission().NextLost(qp.sndUnaPsn);
    qp.Retransmission().OnRetransmitted(psn);
    ++qp.retransmissions;
    if (qp.rttPsn == psn)
    {
        qp.rttPsn = UINT64_MAX;
    }
    if (qp.departures)
    {
        qp.departures->ForgetOne(psn);
    }
    if (psn == qp.sndUnaPsn && !qp.sack) // with SACKs, each packet in flight has its own time-out
    {
        m_pacer.StartTimeout(qp, nowNs);
    }
    UpdateFlags(qp);
    return psn;
}

uint64_t
RdmaLossRecovery::OnAcknowledged(RdmaQueuePair& qp, uint64_t bytes)
{
    uint64_t known = std::min(bytes, qp.rare->repeatedBytes);
    qp.rare->repeatedBytes -= known;
    if (qp.sack)
    {
        qp.selectiveBytes -= qp.sack->sender.Revive(qp.sndUnaPsn);
    }
    if (qp.recovering)
    {
        const uint64_t kept = qp.Retransmission().OnAcknowledged(qp.sndUnaPsn);
        qp.selectiveBytes -= kept;
        known += kept;
        UpdateFlags(qp);
    }
    return known;
}

void
RdmaLossRecovery::Rollback(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs, bool timeout)
{
    if (psn < qp.sndUnaPsn)
    {
        uint64_t byte = qp.oldest->firstByte + (psn - qp.oldest->firstPsn) * qp.mtu;
        qp.Rare().repeatedBytes += qp.sndUnaByte - byte;
        qp.sndUnaPsn = psn;
        qp.sndUnaByte = byte;
    }
    qp.sndNxtPsn = qp.sndUnaPsn;
    qp.sndNxtByte = qp.sndUnaByte;
    qp.current = qp.oldest;
    qp.idleSinceNs = nowNs;
    qp.rttPsn = UINT64_MAX;
    if (qp.departures)
    {
        qp.departures->Forget(qp.sndMaxPsn);
    }
    RaiseLoss(qp, timeout, nowNs);
}

void
RdmaLossRecovery::RaiseLoss(const RdmaQueuePair& qp, bool timeout, int64_t nowNs)
{
    const RdmaLossInfo loss{nowNs,
                            timeout ? RdmaLossInfo::TIMEOUT : RdmaLossInfo::NAK,
                            qp.sndUnaByte,
                            qp.sndNxtByte};
    m_pacer.Raise(qp, nowNs, &RdmaCongestionOps::OnLoss, loss);
}

void
RdmaLossRecovery::Recover(RdmaQueuePair& qp, uint64_t backTo, int64_t nowNs, bool timeout)
{
    if (backTo != RdmaRetransmission::NONE)
    {
        Rollback(qp, backTo, nowNs, timeout);
        m_pacer.StartTimeout(qp, nowNs);
        return;
    }
    UpdateFlags(qp);
    if (timeout || (qp.lost && qp.sndUnaPsn >= qp.Rare().recoveryPsn))
    {
        qp.Rare().recoveryPsn = qp.sndNxtPsn;
        RaiseLoss(qp, timeout, nowNs);
    }
}

void
RdmaLossRecovery::OnNak(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs)
{
    Recover(qp, qp.Retransmission().OnNak(PositionOf(qp), psn), nowNs, false);
}

uint64_t
RdmaLossRecovery::TakeSelective(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack)
{
    if (psn <= qp.sndUnaPsn || psn >= qp.sndMaxPsn)
    {
        return 0;
    }
    const uint16_t bytes = qp.MessageOf(psn).PacketBytes(psn, qp.mtu);
    if (!qp.Retransmission().OnSelective(PositionOf(qp), psn, bytes))
    {
        return 0;
    }
    qp.selectiveBytes += bytes;
    if (qp.departures)
    {
        ack.rttNs = qp.SampleRtt(qp.departures->Find(psn), ack.nowNs);
    }
    else if (qp.rttPsn == psn)
    {
        qp.rttPsn = UINT64_MAX;
        ack.rttNs = qp.SampleRtt(qp.rttSentNs, ack.nowNs);
    }
    return bytes;
}

void
RdmaLossRecovery::OnSelectiveNak(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack)
{
    ack.newlyAckedBytes += TakeSelective(qp, psn, ack);
    Recover(qp, RdmaRetransmission::NONE, ack.nowNs, false);
}

void
RdmaLossRecovery::OnTimeout(RdmaQueuePair& qp, int64_t nowNs)
{
    NS_LOG_INFO("queue pair " << qp.number << " times out");
    ++m_core.counts.timeouts;
    if (qp.path)
    {
        m_paths.OnTimeout(qp, nowNs);
    }
    Recover(qp, qp.Retransmission().OnTimeout(PositionOf(qp)), nowNs, true);
    m_pacer.StartTimeout(qp, nowNs);
    if (qp.path)
    {
        m_paths.FinishDrain(qp, nowNs);
    }
    m_pacer.Apply(qp, nowNs);
}

void
RdmaLossRecovery::RunTimeouts(int64_t nowNs)
{
    while (RdmaQueuePair* qp = m_pacer.TakeTimedOut(nowNs))
    {
        if (qp->sack)
        {
            m_sacks.OnTimer(*qp, nowNs);
            continue;
        }
        OnTimeout(*qp, nowNs);
    }
}

} // namespace ns3
