/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-cnp-sender.h"

#include "ns3/hpcc-roce-headers.h"
#include "ns3/hpcc-roce-packet.h"

namespace ns3
{

void
RdmaCnpSender::SendIfDue(RdmaQueuePair& qp, int64_t nowNs)
{
    if (nowNs - qp.lastCnpNs < qp.cnpIntervalNs)
    {
        return;
    }
    qp.lastCnpNs = nowNs;
    Send(Make(qp, {}));
}

Frame*
RdmaCnpSender::Make(const RdmaQueuePair& qp, const RdmaNotification& notification)
{
    Frame* frame = m_core.agenda->Frames().Allocate();
    m_core.packets.FillHeaders(qp, *frame);
    frame->tos = m_core.settings.cnpDscp << 2;
    frame->priority = m_core.port->GetPriority(frame->tos);
    frame->opcode = ROCE_CNP;
    frame->bthFlags = ROCE_BECN;
    frame->psn = 0;
    frame->payloadBytes = 0;
    frame->notification = {notification.rateBps,
                           notification.given ? RoceNotificationHeader::RATE
                                              : RoceNotificationHeader::NONE,
                           notification.congested,
                           false,
                           0,
                           {}};
    return frame;
}

void
RdmaCnpSender::Send(Frame* frame)
{
    ++m_core.counts.cnpsSent;
    frame->bytes = RoceFrameBytes(*frame);
    m_core.SendFeedback(frame);
}

} // namespace ns3
