/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair.h"

#include "rdma-departures.h"
#include "rdma-feedback-state.h"
#include "rdma-receiver-control.h"
#include "rdma-reflector.h"
#include "rdma-sack-state.h"

#include <algorithm>

namespace ns3
{

RdmaQueuePair::RdmaQueuePair() = default;

RdmaQueuePair::~RdmaQueuePair() = default;

RdmaQueuePair& RdmaQueuePair::operator=(RdmaQueuePair&& other) = default;

const RdmaMessage&
RdmaQueuePair::MessageOf(uint64_t psn) const
{
    const RdmaMessage* message = oldest;
    while (psn - message->firstPsn >= message->packets)
    {
        message = message->next;
    }
    return *message;
}

uint64_t
RdmaQueuePair::ByteOf(uint64_t psn) const
{
    if (psn <= sndUnaPsn)
    {
        return psn == sndUnaPsn ? sndUnaByte : 0;
    }
    const RdmaMessage& message = MessageOf(psn - 1);
    return message.firstByte + std::min((psn - message.firstPsn) * mtu, message.SequenceBytes());
}

uint64_t
RdmaQueuePair::PositionOf(uint64_t psn) const
{
    if (!sack)
    {
        return ByteOf(psn);
    }
    return psn > 0 ? static_cast<uint64_t>(sack->sender.GetSentNs(psn - 1)) : 0;
}

void
RdmaQueuePair::AllowPacketIfStalled()
{
    const RdmaSackSender& sender = sack->sender;
    const uint64_t asked = sack->askedPsn;
    const bool answers = asked >= sender.GetFirst() && asked < sender.GetEnd() &&
                         sender.Get(asked).state == RdmaSackSender::State::IN_FLIGHT;
    mayExceedWindow = oldest && !answers && !HasRoom() && InFlight() < sack->terms->ackBytes;
}

} // namespace ns3
