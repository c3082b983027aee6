/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_XCP_LAW_H
#define HPCC_XCP_LAW_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Parameters of XCP at a switch; the defaults are the paper's.
 */
struct XcpParameters
{
    double alpha{0.4};  ///< gain of the spare rate, above 0
    double beta{0.226}; ///< gain of the persistent queue, 0 or more
    double gamma{0.1};  ///< share of the traffic that is redistributed (shuffled), 0 to 1
    double longestIntervalNs{1e9}; ///< longest control interval, ns
};

/**
 * @ingroup hpcc
 *
 * XCP's control law at one link ("Congestion Control for High Bandwidth-Delay Product Networks",
 * Katabi, Handley, Rohrs, SIGCOMM 2002, section 3.5). Once per average RTT d, the efficiency
 * controller sets the aggregate feedback phi = alpha d S - beta Q (equation 1). S is the spare rate
 * and Q the persistent queue. The shuffled traffic is h = max(0, gamma y d - |phi|), where y is the
 * input traffic (equation 2). The fairness controller distributes phi and h: packet i of size s_i,
 * window cwnd_i and RTT rtt_i gets p_i - n_i, where
 *
 *     p_i = xi_p rtt_i^2 s_i/cwnd_i    xi_p = (h + max(phi, 0))/(d sum(rtt_i s_i/cwnd_i))
 *     n_i = xi_n rtt_i s_i             xi_n = (h + max(-phi, 0))/(d sum(s_i))
 *
 * (equations 4, 6, 7, 9); the sums are those of the previous interval.
 *
 * The following rules are those of the ns-2 code that XCP's authors published, and of
 * draft-falk-xcp-spec. The positive feedback of an interval is limited by the pool (h + max(phi,
 * 0))/d, and the negative feedback by the pool (h + max(-phi, 0))/d, both expressed as throughput.
 * If an earlier switch has granted a packet less than this switch would grant, the difference is
 * taken from the negative pool. If the negative pool is too small, the rest of the difference
 * remains in the positive pool. The average RTT d is the mean of the RTTs weighted by rtt_i
 * s_i/cwnd_i, so that each flow has the same weight. The ns-2 code limits intervals to the range
 * from 1 ms to 1 s; here there is no lower limit.
 *
 * Only packets with an XCP header are included in the sums and use the pools; y includes all
 * traffic. If no packet with an XCP header arrives in an interval, the sums of the last interval
 * with such packets remain in use. Q is the smallest queue in the last window of one propagation
 * delay. The queue is read when a frame arrives, and at the start and the end of the window. The
 * propagation delay is d minus the time in which the queue drains, and at least d/10.
 *
 * There is no timer: the next frame that arrives or leaves closes an interval that has ended.
 * Because the queue changes only at these times, a timer would give the same result.
 */
class XcpLaw
{
  public:
    using Parameters = XcpParameters; ///< parameters of the control law

    /// A flow's window and RTT, as a packet carries them.
    struct Flow
    {
        double cwndBytes; ///< window, bytes on the link, above 0
        double rttNs;     ///< RTT, ns, above 0
    };

    /**
     * Creates the control law of a port.
     * @param parameters gains and limits of the control law
     * @param lineRateBps line rate, bit/s
     * @param rttNs value of d until a packet has carried an RTT, ns, above 0
     */
    XcpLaw(const XcpParameters& parameters, double lineRateBps, double rttNs);

    /**
     * Closes intervals that have ended.
     * @param nowNs time, ns, never less than before
     * @param queueBytes bytes in the queue, which has not changed since the last frame arrived or
     * left
     */
    void CatchUp(int64_t nowNs, uint64_t queueBytes);

    /**
     * Counts a frame that has arrived; call CatchUp() before.
     * @param bytes bytes that the frame will occupy on the link
     * @param queueBytes bytes in the queue before the frame
     */
    void Arrive(uint32_t bytes, uint64_t queueBytes);

    /**
     * Adds the header of the frame that has just arrived to the interval's sums.
     * @param bytes as in Arrive()
     * @param flow window and RTT in the header of the packet
     */
    void Count(uint32_t bytes, const Flow& flow);

    /**
     * Returns the feedback for a leaving packet with a header; call CatchUp() before.
     * @param bytes bytes that the packet occupies on the link
     * @param flow window and RTT in the header of the packet
     * @param wantedBytes feedback in the header of the packet, bytes: the sender's request, as
     * reduced by earlier switches
     * @return feedback, bytes, at most wantedBytes
     */
    double Depart(uint32_t bytes, const Flow& flow, double wantedBytes);

    /// Returns the average RTT d, ns.
    double GetRttNs() const
    {
        return m_rttNs;
    }

    /// Returns the aggregate feedback phi of the last control interval, bytes.
    double GetAggregateFeedback() const
    {
        return m_phi;
    }

    /// Returns the shuffled traffic h of the last control interval, bytes.
    double GetShuffled() const
    {
        return m_shuffled;
    }

    /// Returns the persistent queue Q, bytes.
    double GetPersistentQueue() const
    {
        return m_persistentQueue;
    }

  private:
    /// Returns the control interval for the current d, ns.
    int64_t IntervalNs() const;
    /// Closes the control interval.
    void Update();
    /// Closes the window over which Q is measured.
    /// @param queueBytes the queue at the end of the window
    void UpdateQueue(uint64_t queueBytes);

    XcpParameters m_parameters;  ///< the parameters
    double m_bytesPerNs;         ///< line rate, bytes/ns
    double m_rttNs;              ///< average RTT d, ns
    int64_t m_intervalNs;        ///< length of the current control interval, ns
    int64_t m_endNs;             ///< end of the current control interval, ns
    int64_t m_queueEndNs;        ///< end of the window of Q, ns
    uint64_t m_bytes{0};         ///< bytes that arrived in the interval
    double m_ourBytes{0};        ///< part of m_bytes in packets with XCP telemetry: sum(s_i)
    double m_sum{0};             ///< sum(rtt_i s_i/cwnd_i), ns
    double m_rttSum{0};          ///< sum(rtt_i rtt_i s_i/cwnd_i), ns^2
    uint64_t m_leastQueue{0};    ///< smallest queue in the window of Q, bytes
    double m_persistentQueue{0}; ///< Q, bytes
    double m_phi{0};             ///< phi, bytes
    double m_shuffled{0};        ///< h, bytes
    double m_lastSum{0};         ///< m_sum of the last interval in which m_sum was above 0
    double m_lastBytes{0};       ///< m_ourBytes of the interval to which m_lastSum belongs
    double m_positive{0};        ///< xi_p, bytes/ns^2
    double m_negative{0};        ///< xi_n, 1/ns
    double m_positivePool{0};    ///< positive feedback left, bytes/ns
    double m_negativePool{0};    ///< negative feedback left, bytes/ns
};

} // namespace ns3

#endif // HPCC_XCP_LAW_H
