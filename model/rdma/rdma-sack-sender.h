/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SACK_SENDER_H
#define RDMA_SACK_SENDER_H

#include "rdma-recovery.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of a recovery with SACKs: stores a record of each packet from the first
 * unacknowledged packet to the last packet sent. A packet is in flight, received, or lost. Lost
 * packets are retransmitted, lowest number first.
 */
class RdmaSackSender final : public RdmaRetransmission
{
  public:
    /// The state of a packet at its sender.
    enum class State : uint8_t
    {
        IN_FLIGHT, ///< sent, not yet acknowledged, and not regarded as lost
        RECEIVED,  ///< acknowledged selectively
        LOST,      ///< regarded as lost, will be retransmitted
    };

    /// The record of a packet.
    struct Packet
    {
        int64_t sentNs;   ///< time of the last departure, ns
        uint16_t bytes;   ///< payload, bytes
        uint16_t entropy; ///< entropy value of the last transmission
        uint16_t sends;   ///< number of transmissions, at most UINT16_MAX
        State state;      ///< state at the sender
        bool asked;       ///< the last transmission requested a SACK
    };

    uint64_t OnNak(const Position& at, uint64_t psn) override;
    uint64_t OnTimeout(const Position& at) override;
    uint64_t OnAcknowledged(uint64_t unaPsn) override;
    uint64_t NextLost(uint64_t unaPsn) override;
    void OnRetransmitted(uint64_t psn) override;
    bool IsActive() const override;

    /**
     * Records the departure of a new packet, or of a retransmission after OnRetransmitted().
     * @param psn sequence number of the packet; GetEnd() for a new packet
     * @param bytes payload, bytes
     * @param entropy entropy value
     * @param nowNs departure time, ns
     * @param asked true if the packet requests a SACK
     */
    void OnSent(uint64_t psn, uint16_t bytes, uint16_t entropy, int64_t nowNs, bool asked = false);

    /**
     * Records that a packet has arrived out of order.
     * @param psn number of a packet in [GetFirst(), GetEnd())
     * @return previous state of the packet
     */
    State OnReceived(uint64_t psn);

    /**
     * Marks a packet as lost.
     * @param psn number of a packet in [GetFirst(), GetEnd()) that is not yet marked as lost
     */
    void OnLost(uint64_t psn);

    /// Returns true if the first packet not acknowledged cumulatively is marked as received. A
    /// correct responder never selectively acknowledges the packet that it still expects.
    bool IsContradicted() const
    {
        return m_firstPsn < m_endPsn && Get(m_firstPsn).state == State::RECEIVED;
    }

    /**
     * Marks the lost packets before @p psn as in flight again, because they are about to be
     * acknowledged.
     * @param psn one more than the number of the last of these packets
     * @return payload bytes of the marked packets
     */
    uint64_t Revive(uint64_t psn);

    /**
     * Returns the record of a packet.
     * @param psn number of a packet in [GetFirst(), GetEnd())
     */
    const Packet& Get(uint64_t psn) const
    {
        return m_packets[psn & (m_packets.size() - 1)];
    }

    /**
     * Returns the time of the last departure of a packet, ns; 0 if no record of the packet exists.
     * @param psn number of a packet
     */
    int64_t GetSentNs(uint64_t psn) const
    {
        return psn < m_endPsn && m_endPsn - psn <= m_packets.size() ? Get(psn).sentNs : 0;
    }

    /**
     * Returns the departure time of the packet that triggers the responder's answer to packet @p
     * psn. This may be a later packet, because one SACK can answer several packets.
     * @param psn number of a packet in flight
     * @param ackBytes payload after which the responder sends a SACK, bytes
     * @return departure time of the first packet, from @p psn on, that requests a SACK or completes
     * @p ackBytes, ns; INT64_MAX if no such packet has been sent
     */
    int64_t AnswerableNs(uint64_t psn, uint32_t ackBytes) const;

    /// Returns the first packet not acknowledged.
    uint64_t GetFirst() const
    {
        return m_firstPsn;
    }

    /// Returns the number of the last packet that has been sent, plus one.
    uint64_t GetEnd() const
    {
        return m_endPsn;
    }

    /// Returns true if at least one packet is marked as lost.
    bool HasLost() const
    {
        return m_lost > 0;
    }

    /// Returns the packet that left first among the packets in flight that have been sent only
    /// once; NONE if there is no such packet.
    uint64_t OldestSentOnce();

    /// Returns the packet that left first among the packets in flight that have been retransmitted;
    /// NONE if there is no such packet.
    uint64_t OldestResent();

    /**
     * Computes the round-trip time of a packet, if it is clear which transmission of the packet the
     * acknowledgement answers.
     * @param psn number of a packet in [GetFirst(), GetEnd())
     * @param resent true if the acknowledgement answers a retransmission
     * @param nowNs current time, ns
     * @return the round-trip time, ns; -1 if it is ambiguous
     */
    int64_t RttOf(uint64_t psn, bool resent, int64_t nowNs) const;

  private:
    /**
     * Returns the record of a packet.
     * @param psn number of a packet
     */
    Packet& At(uint64_t psn)
    {
        return m_packets[psn & (m_packets.size() - 1)];
    }

    /// Doubles the storage for records.
    void Grow();

    /// The departure of a retransmission.
    struct Departure
    {
        uint64_t psn;   ///< the packet
        int64_t sentNs; ///< departure time, ns
    };

    std::vector<Packet> m_packets; ///< records, by packet number modulo the vector's size, a power
                                   ///< of two
    uint64_t m_firstPsn{0};        ///< see GetFirst()
    uint64_t m_endPsn{0};          ///< see GetEnd()
    uint64_t m_lost{0};            ///< number of packets that are marked as lost
    uint64_t m_lostFrom{0};        ///< no packet with a number below this value is marked as lost
    uint64_t m_flightFrom{0};      ///< no packet that has a number below this value and has been
                                   ///< sent only once is in flight
    boost::circular_buffer<Departure> m_resent; ///< retransmissions in the order of departure,
                                                ///< including some that are no longer in flight
};

} // namespace ns3

#endif // RDMA_SACK_SENDER_H
