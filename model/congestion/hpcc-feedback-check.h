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
 * Compares a receiver's reports with the sender's own measurements. A receiver that reports empty
 * queues gets more than its share (RFC 8888 section 8; draft-miao-tsv-hpcc-01 section 9.1 asks for
 * feedback that can be trusted, and an authenticator proves the reporter, not the report). But its
 * acknowledgements still return late, and no faster than the bottleneck permits.
 *
 * The report is doubted when both conditions have held for at least T:
 * - the round-trip time exceeds base RTT plus reported queueing delay by more than the slack;
 * - the delivery rate is below 3/4 of the bytes in flight over that round-trip time.
 *
 * It is believed again after BELIEF_ROUNDS times T without disagreement: a window reduced in doubt
 * empties the queue, so agreement right afterwards is no evidence that the reports are true. False
 * reports open the window before their effect can be seen, so the window of some rounds before the
 * disagreement is kept to return to.
 */
class FeedbackCheck
{
  public:
    static constexpr double BELIEF_ROUNDS = 100; ///< T without disagreement that end a doubt

    /// The state of one flow.
    struct State
    {
        int64_t baseRttNs{0};       ///< RTT of the empty path, ns; 0 if unknown: nothing is doubted
        int64_t rttNs{-1};          ///< newest sample, ns; -1 before the first
        int64_t roundStartNs{-1};   ///< start of the current round, ns; -1 before the first
        uint64_t deliveredBytes{0}; ///< acknowledged in this round
        int64_t agreeSinceNs{-1};   ///< since when they agree, ns; -1 if they do not
        int64_t disagreeSinceNs{-1};         ///< since when the two disagree, ns; -1 if they do not
        bool doubted{false};                 ///< the report is not believed
        std::array<double, 4> windowBytes{}; ///< of the last rounds without disagreement, oldest
                                             ///< first; 0 while there are fewer
    };

    /// Measurements of one acknowledgement.
    struct Sample
    {
        int64_t nowNs;            ///< the sender's clock, ns
        int64_t rttNs;            ///< sample of the round-trip time, ns; -1 if it gives none
        uint64_t newlyAckedBytes; ///< bytes acknowledged for the first time
        uint64_t inFlightBytes;   ///< bytes in flight
        double windowBytes;       ///< the window in force
        double reportedDelayNs;   ///< sum of the reported queueing delays of the path, ns
    };

    /**
     * @param baseRttNs T, ns: length of a round, above 0
     * @param slack by how much of T the round-trip time may exceed what is reported, above 0
     */
    void SetParameters(double baseRttNs, double slack);

    /**
     * Takes an acknowledgement and updates whether its report is doubted.
     * @param state the flow's state
     * @param sample the acknowledgement's measurements
     * @return true if the report is doubted
     */
    bool Update(State& state, const Sample& sample) const;

    /**
     * Takes an acknowledgement, and caps the growth of its flow's window while the report is
     * doubted. When doubt begins, the window returns to its earlier value.
     * @param state the flow's state
     * @param flow the flow
     * @param sample the acknowledgement's measurements
     * @return true if doubt has begun or ended
     */
    bool Follow(State& state, HpccFlow& flow, const Sample& sample) const;

    /**
     * Adds up the queueing delays that records report.
     * @param hops the records
     * @param count number of records
     * @param sojourn true if a record's time in the switch counts instead of its queue length
     * @return the sum, ns
     */
    static double QueueDelayNs(const HopTelemetry* hops, uint32_t count, bool sojourn);

    /**
     * Returns the queueing delay that a report stands for. If the format carries one quantity at a
     * time, this is the last delay that it has carried.
     * @param flow the flow, before its law takes the report
     * @param report the report, with at least one record
     * @param sojourn as for QueueDelayNs()
     * @return the delay, ns
     */
    static double ReportedDelayNs(const HpccFlow& flow, const HpccSample& report, bool sojourn);

  private:
    /**
     * @param rounds of T
     * @param sinceNs start
     * @param nowNs end
     * @return true if it was that long
     */
    bool LastsFor(double rounds, int64_t sinceNs, int64_t nowNs) const;

    double m_baseRttNs{5000}; ///< T
    double m_slackNs{2500};   ///< slack times T
};

} // namespace ns3

#endif // HPCC_FEEDBACK_CHECK_H
