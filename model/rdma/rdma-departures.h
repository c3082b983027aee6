/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DEPARTURES_H
#define RDMA_DEPARTURES_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Stores the departure time of each packet that a queue pair has in flight. The times are stored in
 * a ring buffer that grows with the window. The times correspond to the transmit timestamps of a
 * NIC. Used only if the policy needs a round-trip time sample with each acknowledgement, and only
 * without SACKs.
 *
 * When the sender goes back to a packet, the departure times of all packets in flight are
 * discarded, because a later acknowledgement could answer the first transmission or the
 * retransmission (Karn's algorithm, RFC 6298, section 3).
 */
class RdmaDepartures
{
  public:
    /**
     * Stores the departure time of a packet that is sent for the first time.
     * @param psn sequence number of the packet, one more than the sequence number of the previous
     * packet
     * @param firstUnacknowledged first packet not acknowledged; departure times of packets before
     * it may be discarded
     * @param nowNs departure time, ns
     */
    void Add(uint64_t psn, uint64_t firstUnacknowledged, int64_t nowNs)
    {
        if (psn - firstUnacknowledged >= m_times.size())
        {
            Grow(psn, firstUnacknowledged);
        }
        m_times[psn & (m_times.size() - 1)] = nowNs;
    }

    /// Discards the departure times of all packets before @p psn.
    /// @param psn sequence number of the first packet whose departure time is kept
    void Forget(uint64_t psn)
    {
        m_firstPsn = psn;
    }

    /// Discards the departure time of a packet because it is retransmitted.
    /// @param psn sequence number of the packet
    void ForgetOne(uint64_t psn)
    {
        m_times[psn & (m_times.size() - 1)] = -1;
    }

    /**
     * Returns the departure time of a packet, ns; -1 if unknown.
     * @param psn sequence number of a packet that has been sent and was not acknowledged before
     */
    int64_t Find(uint64_t psn) const
    {
        return psn < m_firstPsn ? -1 : m_times[psn & (m_times.size() - 1)];
    }

  private:
    /**
     * Creates the ring buffer, or doubles its size, to make room for a packet.
     *
     * @param psn as in Add()
     * @param firstUnacknowledged as in Add()
     */
    void Grow(uint64_t psn, uint64_t firstUnacknowledged)
    {
        std::vector<int64_t> old(m_times.empty() ? 64 : m_times.size() * 2);
        old.swap(m_times);
        for (uint64_t i = firstUnacknowledged; i < psn && !old.empty(); ++i)
        {
            m_times[i & (m_times.size() - 1)] = old[i & (old.size() - 1)];
        }
    }

    std::vector<int64_t> m_times; ///< departure times, by sequence number modulo the vector's size,
                                  ///< a power of two
    uint64_t m_firstPsn{0};       ///< first packet with a departure time
};

} // namespace ns3

#endif // RDMA_DEPARTURES_H
