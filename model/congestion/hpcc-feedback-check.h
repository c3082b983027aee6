/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FEEDBACK_CHECK_H
#define HPCC_FEEDBACK_CHECK_H

#include "hpcc-flow.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Compares a receiver's reports with the sender's own measurements. A receiver that falsely reports
 * empty queues gets more than its share of the bandwidth (RFC 8888 section 8).
 * draft-miao-tsv-hpcc-01 section 9.1 asks for trustworthy feedback. An authenticator proves who
 * sent a report, but not that the report is true. However, a false report cannot hide two facts:
 * acknowledgements return late, and their rate is limited by the bottleneck.
 *
 * The sender doubts the reports once they have disagreed with its measurements for a time of T.
 * Reports and measurements disagree while both of these conditions hold:
 * - the round-trip time exceeds base RTT plus reported queueing delay by more than the slack;
 * - the delivery rate is below 3/4 of the rate that the reports imply. This rate is the number of
 *   bytes in flight divided by the sum of base RTT and reported queueing delay.
 *
 * Doubt ends after BELIEF_ROUNDS times T without disagreement. This wait is necessary because doubt
 * reduces the window, and the smaller window empties the queue. Reports of an empty queue then
 * agree with the measurements, even if the receiver is dishonest. False reports enlarge the window
 * before the sender can detect them. Therefore, when doubt begins, Wc is lowered to the window that
 * was in use a few rounds before the disagreement.
 */
class FeedbackCheck
{
  public:
    static constexpr double BELIEF_ROUNDS = 100; ///< doubt ends after a period of this many T
                                                 ///< without disagreement

    /// The state of one flow.
    struct State
    {
        int64_t baseRttNs{0};        ///< RTT of the empty path, ns; if 0 (unknown), no report is
                                     ///< doubted
        int64_t rttNs{-1};           ///< newest RTT sample, ns; -1 before the first
        int64_t roundStartNs{-1};    ///< start of the current round, ns; -1 before the first
        uint64_t deliveredBytes{0};  ///< bytes acknowledged in this round
        int64_t agreeSinceNs{-1};    ///< start of agreement, ns; -1 during disagreement
        int64_t disagreeSinceNs{-1}; ///< start of disagreement, ns; -1 during agreement
        bool doubted{false};         ///< true if the receiver's reports are doubted
        std::array<double, 4> windowBytes{}; ///< windows of the last rounds in which the reports
                                             ///< agreed with the measurements and were not doubted,
                                             ///< bytes, oldest first; 0 if unused
    };

    /// Measurements of one acknowledgement.
    struct Sample
    {
        int64_t nowNs;            ///< the sender's clock, ns
        int64_t rttNs;            ///< sample of the round-trip time, ns; -1 if there is none
        uint64_t newlyAckedBytes; ///< bytes acknowledged for the first time
        uint64_t inFlightBytes;   ///< bytes in flight
        double windowBytes;       ///< the window in force, bytes
        double reportedDelayNs;   ///< sum of the reported queueing delays of the path, ns
    };

    /**
     * Sets the length of a round and the tolerance of the check.
     * @param baseRttNs T, ns: length of a round, above 0
     * @param slack largest tolerated difference between measured and reported round-trip time, as a
     * multiple of T, 0 or more
     */
    void SetParameters(double baseRttNs, double slack);

    /**
     * Decides from an acknowledgement whether the flow's reports are doubted.
     * @param state the flow's state
     * @param sample the acknowledgement's measurements
     * @return true if the reports are doubted
     */
    bool Update(State& state, const Sample& sample) const;

    /**
     * Handles an acknowledgement. While the flow's reports are doubted, limits the growth of the
     * window. When doubt begins, lowers Wc to the window that was in use a few rounds before the
     * disagreement.
     * @param state the flow's state
     * @param flow the flow's state of the control law
     * @param sample the acknowledgement's measurements
     * @return true if doubt has begun or ended
     */
    bool Follow(State& state, HpccFlow& flow, const Sample& sample) const;

    /**
     * Adds up the queueing delays that records report.
     * @param hops records of a packet
     * @param count number of records
     * @param sojourn true to use the time in the switch instead of the queue length
     * @return the sum, ns
     */
    static double QueueDelayNs(const HopTelemetry* hops, uint32_t count, bool sojourn);

    /**
     * Returns the queueing delay of the path according to a report. Reports of some formats contain
     * either the delay or another quantity. If this report contains no delay, the function returns
     * the last delay that was reported.
     * @param flow the flow, before its control law processes the report
     * @param report the report, with at least one record
     * @param sojourn as for QueueDelayNs()
     * @return the delay, ns
     */
    static double ReportedDelayNs(const HpccFlow& flow, const HpccSample& report, bool sojourn);

  private:
    /**
     * Returns true if a period is at least as long as a duration.
     * @param rounds the duration, as a multiple of T
     * @param sinceNs start of the period, ns
     * @param nowNs end of the period, ns
     */
    bool LastsFor(double rounds, int64_t sinceNs, int64_t nowNs) const;

    double m_baseRttNs{5000}; ///< T
    double m_slackNs{2500};   ///< slack times T, ns
};

} // namespace ns3

#endif // HPCC_FEEDBACK_CHECK_H
