/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-queue-pair.h"

#include <algorithm>

namespace ns3
{

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

} // namespace ns3
