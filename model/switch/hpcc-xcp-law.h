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
    double alpha{0.4};             ///< gain of the spare rate, above 0
    double beta{0.226};            ///< gain of the persistent queue, 0 or more
    double gamma{0.1};             ///< share of the traffic that is shuffled, 0 to 1
    double longestIntervalNs{1e9}; ///< longest control interval, ns
};

/**
 * @ingroup hpcc
 *
 * XCP's law at one link ("Congestion Control for High Bandwidth-Delay Product Networks", Katabi,
 * Handley, Rohrs, SIGCOMM 2002, section 3.5). Once per average RTT d the efficiency controller sets
 * the aggregate feedback phi = alpha d S - beta Q (equation 1), with S the spare rate and Q the
 * persistent queue, and h = max(0, gamma y d - |phi|) is shuffled (equation 2). The fairness
 * controller shares them out: packet i of size s_i, window cwnd_i and RTT rtt_i gets p_i - n_i with
 *
 *     p_i = xi_p rtt_i^2 s_i/cwnd_i    xi_p = (h + max(phi, 0))/(d sum(rtt_i s_i/cwnd_i))
 *     n_i = xi_n rtt_i s_i             xi_n = (h + max(-phi, 0))/(d sum(s_i))
 *
 * (equations 4, 6, 7, 9), the sums being those of the interval before.
 *
 * As in the ns-2 code that XCP's authors published and in draft-falk-xcp-spec: what an interval
 * gives is limited to its pools, (h + max(+-phi, 0))/d, in throughput; a packet that an earlier
 * switch grants less leaves the difference in the pools, first by drawing more on the negative one;
 * d is the mean of the RTTs weighted by rtt_i s_i/cwnd_i, so that each flow counts once. That code
 * bounds intervals to 1 ms to 1 s; here there is no lower bound.
 *
 * Only packets with a header enter the sums and draw on the pools; all traffic enters y. An
 * interval without such packets keeps the sums of the last one with some. Q is the smallest queue
 * that arriving frames met, or that was left, in the last propagation delay, which is d less the
 * time of the queue on the link, and at least d/10.
 *
 * There is no timer: an interval that has ended is closed by the next frame that arrives or leaves.
 * Because the queue changes at these times only, the result is that of a timer.
 */
class XcpLaw
{
  public:
    using Parameters = XcpParameters; ///< its parameters

    /// A flow's window and RTT, as a packet carries them.
    struct Flow
    {
        double cwndBytes; ///< window, bytes on the link, above 0
        double rttNs;     ///< RTT, ns, above 0
    };

    /**
     * @param parameters the parameters
     * @param lineRateBps line rate, bit/s
     * @param rttNs d as long as no packet has carried an RTT, ns, above 0
     */
    XcpLaw(const XcpParameters& parameters, double lineRateBps, double rttNs);

    /**
     * Closes intervals that have ended.
     * @param nowNs time, ns, never less than before
     * @param queueBytes bytes that have waited since the last frame arrived or left
     */
    void CatchUp(int64_t nowNs, uint64_t queueBytes);

    /**
     * Counts a frame that has arrived; call CatchUp() before.
     * @param bytes by which it will occupy the link
     * @param queueBytes bytes that wait before it
     */
    void Arrive(uint32_t bytes, uint64_t queueBytes);

    /**
     * Counts the header of the frame that has just arrived.
     * @param bytes as in Arrive()
     * @param flow its flow's values
     */
    void Count(uint32_t bytes, const Flow& flow);

    /**
     * Returns the feedback for a packet with a header that leaves; call CatchUp() before.
     * @param bytes by which it occupies the link
     * @param flow its flow's values
     * @param wantedBytes feedback that sender and earlier switches leave it, bytes
     * @return feedback, bytes, at most wantedBytes
     */
    double Depart(uint32_t bytes, const Flow& flow, double wantedBytes);

    /// @return d, ns
    double GetRttNs() const
    {
        return m_rttNs;
    }

    /// @return phi of the last control interval, bytes
    double GetAggregateFeedback() const
    {
        return m_phi;
    }

    /// @return h of the last control interval, bytes
    double GetShuffled() const
    {
        return m_shuffled;
    }

    /// @return Q, bytes
    double GetPersistentQueue() const
    {
        return m_persistentQueue;
    }

  private:
    /// @return the control interval for the current d
    int64_t IntervalNs() const;
    /// Closes the control interval.
    void Update();
    /// Closes the window over which Q is measured.
    /// @param queueBytes the queue at the end of the window
    void UpdateQueue(uint64_t queueBytes);

    XcpParameters m_parameters;  ///< the parameters
    double m_bytesPerNs;         ///< line rate
    double m_rttNs;              ///< d
    int64_t m_intervalNs;        ///< length of the running control interval
    int64_t m_endNs;             ///< its end
    int64_t m_queueEndNs;        ///< end of the window of Q
    uint64_t m_bytes{0};         ///< arrived in the interval
    double m_ourBytes{0};        ///< of these, of packets with a header: sum(s_i)
    double m_sum{0};             ///< sum(rtt_i s_i/cwnd_i), ns
    double m_rttSum{0};          ///< sum(rtt_i rtt_i s_i/cwnd_i), ns^2
    uint64_t m_leastQueue{0};    ///< in the window of Q
    double m_persistentQueue{0}; ///< Q
    double m_phi{0};             ///< phi
    double m_shuffled{0};        ///< h
    double m_lastSum{0};         ///< m_sum of the last interval that had one
    double m_lastBytes{0};       ///< its m_ourBytes
    double m_positive{0};        ///< xi_p, 1/ns^2 times bytes
    double m_negative{0};        ///< xi_n, 1/ns
    double m_positivePool{0};    ///< left to be given, bytes/ns
    double m_negativePool{0};    ///< left to be taken, bytes/ns
};

} // namespace ns3

#endif // HPCC_XCP_LAW_H
