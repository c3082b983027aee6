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

/// Largest payload of a message, bytes.
constexpr uint64_t RDMA_MAX_MESSAGE_BYTES = uint64_t{1} << 48;

/// The operation of a message.
enum class RdmaVerb : uint8_t
{
    WRITE,         ///< RDMA WRITE
    SEND,          ///< SEND
    READ,          ///< RDMA READ: a request, which the other end answers with a READ_RESPONSE
    READ_RESPONSE, ///< response to a READ of the other end; posted by the host, not by an
                   ///< application
};

/**
 * @ingroup hpcc
 *
 * A message posted on a queue pair. Packets and bytes are counted from the first message of the
 * queue pair.
 */
struct RdmaMessage
{
    RdmaMessage* next;  ///< the message posted after this message; null if there is none
    uint64_t firstPsn;  ///< sequence number of the first packet, not wrapped
    uint64_t packets;   ///< number of packets
    uint64_t firstByte; ///< sequence number of the first byte
    uint64_t bytes;     ///< payload bytes; for a READ, the requested bytes
    int64_t postedNs;   ///< time of posting, ns
    uint64_t address; ///< for a READ, the position of the first requested byte among all bytes that
                      ///< the other end sends in READ responses
    uint32_t index;   ///< number of the message on its queue pair, from 0
    RdmaVerb verb;    ///< operation

    /// Returns the number of bytes that the message occupies in the byte sequence of its queue
    /// pair. A READ request has no payload and occupies one byte, like a SYN in TCP.
    uint64_t SequenceBytes() const
    {
        return verb == RdmaVerb::READ ? 1 : bytes;
    }

    /**
     * Returns the number of bytes that a packet occupies in the byte sequence of its queue pair.
     * @param psn number of a packet of the message
     * @param mtu largest payload of a packet, bytes
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
 * A READ whose data have not arrived completely.
 */
struct RdmaRead
{
    uint64_t requestPsn; ///< PSN of the READ request
    uint64_t firstByte; ///< position of the first requested byte among all bytes that the other end
                        ///< sends in READ responses
    uint64_t bytes;     ///< payload, bytes
    int64_t postedNs;   ///< time of posting, ns
    uint32_t index;     ///< number of the message on its queue pair
};

/**
 * @ingroup hpcc
 *
 * The READs that a queue pair has posted.
 */
struct RdmaOpenReads
{
    std::deque<RdmaRead> open; ///< incomplete READs, in the order of posting
    uint64_t endByte{0};       ///< number of bytes requested so far
};

/**
 * @ingroup hpcc
 *
 * A message, as reported by the trace sources MessagePosted, MessageAcknowledged,
 * MessageDelivered, LastByteAcknowledged and LastByteArrived.
 */
struct RdmaMessageRecord
{
    uint32_t source;        ///< IPv4 address of the requester
    uint32_t destination;   ///< IPv4 address of the responder
    uint32_t queuePair;     ///< queue pair number at the requester
    uint32_t index;         ///< number of the message on its queue pair, from 0
    uint16_t udpSourcePort; ///< UDP source port of the packets; 0 in MessageDelivered and
                            ///< LastByteArrived
    uint64_t bytes;         ///< payload, bytes
    int64_t postedNs;       ///< time of posting, ns; -1 in MessageDelivered and LastByteArrived
    int64_t completedNs;    ///< time at which the last byte was acknowledged or received, ns; for a
                            ///< READ, time at which the requester received the last byte; -1 in
                            ///< MessagePosted
};

} // namespace ns3

#endif // RDMA_MESSAGE_H
