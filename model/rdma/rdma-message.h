/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MESSAGE_H
#define RDMA_MESSAGE_H

#include <cstdint>
#include <deque>

namespace ns3
{

/// The effect of a message at the responder.
enum class RdmaVerb : uint8_t
{
    WRITE,         ///< RDMA WRITE
    SEND,          ///< SEND
    READ,          ///< RDMA READ: the request for it; a READ_RESPONSE of the other end answers
    READ_RESPONSE, ///< the data that the other end requested; posted by the host itself
};

/**
 * @ingroup hpcc
 *
 * A message posted on a queue pair. Packets and bytes are counted from the start of the queue pair.
 */
struct RdmaMessage
{
    RdmaMessage* next;  ///< the message posted after it
    uint64_t firstPsn;  ///< sequence number of its first packet, not wrapped
    uint64_t packets;   ///< packets
    uint64_t firstByte; ///< sequence number of its first byte
    uint64_t bytes;     ///< payload bytes; of a READ those that it requests
    int64_t postedNs;   ///< when it was posted, ns
    uint64_t address;   ///< READ: its first byte in the other end's responses
    uint32_t index;     ///< number of the message on its queue pair, from 0
    RdmaVerb verb;      ///< operation

    /// @return bytes that it takes in the sequence of its queue pair. A READ request, which has no
    /// payload, takes one, as a SYN does in TCP
    uint64_t SequenceBytes() const
    {
        return verb == RdmaVerb::READ ? 1 : bytes;
    }

    /**
     * @param psn one of its packets
     * @param mtu largest payload of a packet, bytes
     * @return bytes that the packet takes in the sequence of its queue pair
     */
    uint16_t PacketBytes(uint64_t psn, uint32_t mtu) const
    {
        const uint64_t index = psn - firstPsn;
        const bool last = index + 1 == packets;
        return static_cast<uint16_t>(last ? SequenceBytes() - index * mtu : mtu);
    }
};

/**
 * @ingroup hpcc
 *
 * A READ whose data has not arrived completely.
 */
struct RdmaRead
{
    uint64_t requestPsn; ///< packet that requested it
    uint64_t firstByte;  ///< its first byte in the responses of the other end
    uint64_t bytes;      ///< payload
    int64_t postedNs;    ///< when it was posted, ns
    uint32_t index;      ///< number of the message on its queue pair
};

/**
 * @ingroup hpcc
 *
 * The READs that a queue pair has posted.
 */
struct RdmaOpenReads
{
    std::deque<RdmaRead> open; ///< not complete, in the order of posting
    uint64_t endByte{0};       ///< bytes requested so far
};

/**
 * @ingroup hpcc
 *
 * A finished message, for MessageAcknowledged and MessageDelivered.
 */
struct RdmaMessageRecord
{
    uint32_t source;        ///< IPv4 address of the requester
    uint32_t destination;   ///< IPv4 address of the responder
    uint32_t queuePair;     ///< queue pair number at the requester
    uint32_t index;         ///< number of the message on its queue pair, from 0
    uint16_t udpSourcePort; ///< of its packets; 0 in MessageDelivered
    uint64_t bytes;         ///< payload
    int64_t postedNs;       ///< when it was posted; -1 in MessageDelivered
    int64_t completedNs;    ///< last byte acknowledged, or last byte received, ns; of a READ both
                            ///< are when the requester has it
};

} // namespace ns3

#endif // RDMA_MESSAGE_H
