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
 * The bytes that a UDP flow has in flight, computed from the answers to probes.
 *
 * Datagrams and probes go the same way in the same queues, so an answer settles all bytes sent
 * before its probe: they were received before the probe, or are lost. It says nothing about the
 * bytes sent after the probe, one round trip's worth by then. If all of them counted against the
 * window, the flow would send only one W per two round trips. In TCP and RDMA, ACKs arrive all the
 * time. PRESUMED replaces them: it assumes that the bytes sent after the probe are acknowledged
 * evenly over a period as long as the last measured RTT. After that period nothing more is assumed
 * until the next answer.
 */
class HpccUdpWindow
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; ///< not before the next answer

    /// Which bytes count as in flight.
    enum InFlight
    {
        PRESUMED, ///< bytes not settled, less what an ACK for each packet would have acknowledged
        SETTLED,  ///< bytes not settled
    };

    /// @param inFlight rule for what counts as in flight
    void Open(InFlight inFlight)
    {
        m_inFlight = inFlight;
    }

    /// Notes that a datagram leaves.
    /// @param bytes its payload
    void OnSent(uint32_t bytes)
    {
        m_sent += bytes;
    }

    /**
     * Handles an answer that has not been overtaken.
     * @param probeBytes payload that had been sent before its probe
     * @param receivedBytes payload that the peer had received by then; more than has been sent
     * counts as all
     * @param sentNs when the probe left
     * @param nowNs current time
     */
    void OnAnswer(uint64_t probeBytes, uint64_t receivedBytes, int64_t sentNs, int64_t nowNs);

    /// Settles everything in flight as lost, until an answer says otherwise; no answer is expected
    /// any more.
    void GiveUp();

    /// @return payload sent
    uint64_t GetSent() const
    {
        return m_sent;
    }

    /// @return bytes of these that are known to have been received
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /// @return bytes sent that are neither in flight nor received. May shrink if datagrams arrive
    /// that the probe had overtaken
    uint64_t GetLost() const
    {
        return m_settled > m_received ? m_settled - m_received : 0;
    }

    /// @return true if nothing is in flight
    bool IsSettled() const
    {
        return m_settled == m_sent;
    }

    /**
     * @param nowNs current time
     * @return bytes in flight
     */
    double GetInFlight(int64_t nowNs) const;

    /**
     * @param windowBytes W; below one packet one may go when nothing is in flight
     * @param nowNs current time
     * @return from when on less than W is in flight, ns; NEVER if an answer must come first
     */
    int64_t GetOpenNs(double windowBytes, int64_t nowNs) const;

  private:
    InFlight m_inFlight{PRESUMED}; ///< see Open()
    uint64_t m_sent{0};            ///< see GetSent()
    uint64_t m_settled{0};         ///< sent before the newest probe answered
    uint64_t m_received{0};        ///< see GetReceived()
    uint64_t m_draining{0};        ///< not settled when the last answer came
    int64_t m_answerNs{0};         ///< when that was
    int64_t m_rttNs{1};            ///< its round-trip time, above 0
};

} // namespace ns3

#endif // HPCC_UDP_WINDOW_H
