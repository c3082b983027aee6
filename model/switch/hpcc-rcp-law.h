/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RCP_LAW_H
#define HPCC_RCP_LAW_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Parameters of RCP at a switch.
 */
struct RcpParameters
{
    double alpha{0.4};              ///< gain of the spare rate, above 0
    double beta{0.226};             ///< gain of the queue, 0 or more
    double targetShare{1};          ///< share of the line rate that RCP fills, in (0, 1]
    double initialShare{1};         ///< R at the start as a share of the target rate, in (0, 1]
    double minPacketsPerRtt{0.1};   ///< floor of R, packets of 1000 bytes per average RTT, above 0
    double longestIntervalNs{10e6}; ///< longest time between two updates, ns
};

/**
 * @ingroup hpcc
 *
 * RCP's control law at one link (Dukkipati, Kobayashi, Zhang-Shen, McKeown: "Processor Sharing
 * Flows in the Internet", IWQoS 2005; Dukkipati, McKeown: Stanford TR05-HPNG-112102). A single rate
 * R for all flows is updated once per interval T:
 *
 *     R = R [1 + (T/d) (alpha (C - y) - beta q/d)/C]
 *
 * where C is the target rate, y the rate at which traffic arrives, q the queue at the end of the
 * interval and d the average RTT. Three details are from the ns-2 code of RCP's authors (rcp.cc,
 * "v4"). T is the smaller of d and a longest interval. The RTTs in an interval are weighted by
 * bytes. R stays between C and a floor, which is given in packets per RTT. The average d moves
 * towards the mean RTT of each interval with a gain of T/d, whether d rises or falls. The ns-2
 * code, in contrast, lowers d more slowly than it raises d. An interval without an RTT does not
 * change d.
 *
 * There is no timer: the next frame that arrives or leaves closes an interval that has ended.
 * Because the queue changes only at these times, a timer would give exactly the same result.
 */
class RcpLaw
{
  public:
    using Parameters = RcpParameters; ///< parameters of the control law

    /**
     * Creates the control law of a port.
     * @param parameters gains and limits of the control law
     * @param lineRateBps line rate, bit/s
     * @param rttNs value of d until a packet has carried an RTT, ns, above 0
     */
    RcpLaw(const RcpParameters& parameters, double lineRateBps, double rttNs);

    /**
     * Closes intervals that have ended.
     * @param nowNs time, ns, never less than before
     * @param queueBytes length of the queue, bytes, which has not changed since the last frame
     * arrived or left
     */
    void CatchUp(int64_t nowNs, uint64_t queueBytes);

    /**
     * Counts a frame that has arrived; call CatchUp() before.
     * @param bytes bytes that the frame will occupy on the link
     * @param rttNs RTT that the frame carries, ns; 0 if none
     */
    void Arrive(uint32_t bytes, double rttNs);

    /// Returns the rate R, bit/s.
    double GetRateBps() const
    {
        return m_rateBps;
    }

    /// Returns the round-trip time d, ns.
    double GetRttNs() const
    {
        return m_rttNs;
    }

  private:
    /// Returns the interval T for the current d, ns.
    int64_t IntervalNs() const;
    /// Closes the interval and updates the rate.
    /// @param queueBytes the queue at the end of the interval
    void Update(uint64_t queueBytes);

    RcpParameters m_parameters; ///< the parameters
    double m_targetBps;         ///< C
    double m_rateBps;           ///< R
    double m_rttNs;             ///< d
    int64_t m_intervalNs;       ///< T
    int64_t m_endNs;            ///< end of the current interval, ns
    uint64_t m_bytes{0};        ///< bytes that arrived in the current interval
    uint64_t m_rttBytes{0};     ///< bytes of the frames that carried an RTT
    double m_rttSum{0};         ///< sum of RTT times bytes, over the frames that carried an RTT
};

} // namespace ns3

#endif // HPCC_RCP_LAW_H
