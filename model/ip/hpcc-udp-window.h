/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UDP_WINDOW_H
#define HPCC_UDP_WINDOW_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Computes the number of bytes of a UDP flow that are in flight, from the answers to probes.
 *
 * Datagrams and probes follow the same path through the same queues. Therefore an answer settles
 * all bytes sent before its probe: they were received before the probe, or are lost. The answer
 * does not settle the bytes that were sent after the probe, during one round trip. If all of these
 * bytes were regarded as in flight, the flow would send only one W per two round trips. In TCP and
 * RDMA, ACKs arrive continuously. PRESUMED imitates such ACKs: it assumes that the bytes sent after
 * the probe are acknowledged evenly over a period as long as the last measured RTT. After a period
 * of one RTT, no more bytes are assumed to be acknowledged until the next answer.
 */
class HpccUdpWindow
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; ///< returned by GetOpenNs() if an answer must
                                                ///< arrive first

    /// The rule that determines which bytes are regarded as in flight.
    enum InFlight
    {
        PRESUMED, ///< bytes not settled, minus the bytes that per-packet ACKs would have
                  ///< acknowledged by now
        SETTLED,  ///< bytes not settled
    };

    /// Sets the rule for the bytes in flight.
    /// @param inFlight the rule
    void Open(InFlight inFlight)
    {
        m_inFlight = inFlight;
    }

    /// Counts a datagram that leaves.
    /// @param bytes payload of the datagram, bytes
    void OnSent(uint32_t bytes)
    {
        m_sent += bytes;
    }

    /**
     * Handles an answer. The caller must drop an answer that arrives after the answer to a later
     * probe.
     * @param probeBytes payload that had been sent before the answered probe
     * @param receivedBytes payload that the peer had received before the probe; limited to the
     * payload sent
     * @param sentNs time at which the probe left, ns
     * @param nowNs current time, ns
     */
    void OnAnswer(uint64_t probeBytes, uint64_t receivedBytes, int64_t sentNs, int64_t nowNs);

    /// Settles everything in flight. The bytes are regarded as lost unless a later answer reports
    /// them as received. Called when no answer is expected any more.
    void GiveUp();

    /// Returns the payload sent, bytes.
    uint64_t GetSent() const
    {
        return m_sent;
    }

    /// Returns the payload known to have been received, bytes.
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /// Returns the payload that is neither in flight nor received, bytes. This number may decrease
    /// if datagrams arrive that a probe had overtaken.
    uint64_t GetLost() const
    {
        return m_settled > m_received ? m_settled - m_received : 0;
    }

    /// Returns true if nothing is in flight.
    bool IsSettled() const
    {
        return m_settled == m_sent;
    }

    /**
     * Returns the payload in flight, bytes.
     * @param nowNs current time, ns
     */
    double GetInFlight(int64_t nowNs) const;

    /**
     * Returns the time from which less than W is in flight, ns; NEVER if an answer must arrive
     * first.
     * @param windowBytes W, bytes; if W is below one packet, one packet may be sent when nothing is
     * in flight
     * @param nowNs current time, ns
     */
    int64_t GetOpenNs(double windowBytes, int64_t nowNs) const;

  private:
    InFlight m_inFlight{PRESUMED}; ///< see Open()
    uint64_t m_sent{0};            ///< see GetSent()
    uint64_t m_settled{0};         ///< payload sent before the newest answered probe, bytes
    uint64_t m_received{0};        ///< see GetReceived()
    uint64_t m_draining{0};        ///< with PRESUMED, payload not settled when the last answer
                                   ///< arrived, bytes; otherwise 0
    int64_t m_answerNs{0};         ///< arrival of the last answer, ns
    int64_t m_rttNs{1};            ///< round-trip time of the last answered probe, ns; above 0
};

} // namespace ns3

#endif // HPCC_UDP_WINDOW_H
