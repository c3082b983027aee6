/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INFLIGHT_H
#define HPCC_INFLIGHT_H

#include "hpcc-flow.h"
#include "hpcc-parameters.h"

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/hpcc-path-spread.h"

#include <array>
#include <cstdint>

namespace ns3
{

/// The effect of an acknowledgement on the window.
enum class HpccBranch : uint8_t
{
    NONE,   ///< nothing: no telemetry, none that is new, or a first record
    COMMIT, ///< line 23
    FAST,   ///< line 26
};

/**
 * @ingroup hpcc
 *
 * The effect of the last call, for traces and tests.
 */
struct HpccOutcome
{
    HpccBranch branch;  ///< what happened to the window
    HpccReset reset;    ///< whether the record was a first one, and why
    uint8_t hopCount;   ///< hops looked at
    uint8_t bottleneck; ///< index of the hop with the largest u'; only after COMMIT or FAST
    uint32_t switchId;  ///< its switch
    uint32_t portId;    ///< its egress port, or its locator
    double u;           ///< its u'
    double tauNs;       ///< tau of line 8, ns
    std::array<double, MAX_TELEMETRY_HOPS>
        hopU; ///< u' of each hop; negative if the hop was skipped
};

/**
 * @ingroup hpcc
 *
 * How much of a path is in use, U: function MeasureInflight, lines 1 to 10 of
 * draft-miao-tsv-hpcc-01, section 4.2, which are those of Algorithm 1 of "HPCC: High Precision
 * Congestion Control" (SIGCOMM 2019). For HpccLaw, and for others who look at telemetry without
 * following that law.
 *
 * Decisions where the drafts are silent:
 * - Hops are compared by (switch, port), never by position alone. A list that differs from the
 *   stored one, or another path identifier, is a new path: L is dropped, U = InitialU, incStage =
 *   0; W and Wc are kept. Formats without ids compare the path identifier and the number of hops.
 * - A hop counts only if its timestamp is newer: the difference, modulo the format's timestamps, is
 *   above 0 and at most half of the modulus. Otherwise the record is a repetition or overtaken, and
 *   the hop and what is stored for it are left alone. With no new hop nothing changes at all.
 * - A pair of byte counters counts only if the counter cannot have advanced by its whole modulus:
 *   dts < modulus * 8/B. Otherwise, and if a counter without modulus has gone back, the record is a
 *   first one for that hop.
 * - A time without data in flight above T, or a time between two records in which the timestamps
 *   may have wrapped, makes the record a first one. U and W are kept.
 * - tau starts as the first valid hop's, so that an idle path pulls U down; of equal u' the first
 *   hop on the path wins.
 * - Formats that carry the utilisation instead of a byte counter give the second term of line 5
 *   directly. Without timestamps tau is the time between two records at the reader's own clock.
 * - A hop with an unknown bandwidth, or whose record lacks a field, is skipped; GetSkippedHops()
 *   counts these. With SIGNAL_SOJOURN and the utilisation instead of a byte counter the bandwidth
 *   is not needed.
 * - With SIGNAL_SOJOURN a queue stands for the time in it wherever lines 4 to 7 or this list speak
 *   of it.
 * - Hops beyond MAX_TELEMETRY_HOPS are ignored and counted as skipped.
 * - A record with TELEMETRY_LOAD gives u' itself, without bandwidth, queue and rate; its tau is the
 *   time between two records at the reader's own clock.
 * - Formats that carry one record of the bottleneck hop (TelemetryCapabilities::pathExtreme) give
 *   either u1, queue delay over T, or u2, utilisation (draft-miao-ccwg-hpcc-info-04, section 3.1).
 *   Then u' is last u1 + last u2, each of this round or the one before; a round ends as in line 22.
 *   If u2 is missing or older, a queue stands for u2 = 1, and without a queue nothing is measured.
 *   A missing or older u1 is 0: with a queue, it would have been asked for. u1 takes the smaller of
 *   two queue delays only if HopTelemetry::portId, the locator, is the same in both. tau is the
 *   time between two measurements at the reader's own clock. HpccLaw::WantedSignal() says what to
 *   ask for. N as the receiver counts it is not used, because the last hop cannot be distinguished
 *   from the others.
 * - Where few of those records come back (HpccFlow::Extreme::packetsPerRecord) a round may be one
 *   record, so u1 and u2 must be younger than T instead. But a u2 that may come with a queue, of
 *   eta or more or of 0.95, takes the last u1 along until a commit has answered that: alone it
 *   would undo what the queue has done to W.
 * - With HpccFlow::sprayed, each path, identified by the ids of its hops, has its own L, so that no
 *   record is compared with one of another path. tau is divided by the number of known paths: U is
 *   the average over the paths. The MAX_PATHS last used ones are known.
 * - Where the bottleneck hop's record is a load that the switches have averaged (pathExtreme with
 *   TELEMETRY_LOAD; PINT, SIGCOMM 2020), it is U itself. A record without one, as of packets that
 *   were not chosen to carry it, counts as no record and is not counted as skipped.
 * - With HpccParameters::MISSING_SKIPS and a format with switch ids, records of some hops of the
 *   known path, in its order, are of that path: the others have skipped the packet, as switches do
 *   that insert less often (draft-pan-tsvwg-hpccplus-02, section 6). They keep their record, and
 *   their last u' takes part in lines 6 and 7 for 2 T, with the time since the last sample as tau.
 *   It is known from the first time on that a hop has skipped one.
 * - Where the receiver reports the hop with the largest u' only (HpccSample::previous), L is what
 *   that hop said before, since the last report may have been of another. If that is not known, the
 *   record is the first one of a path. Because the last hop cannot be distinguished from the
 *   others, N always counts.
 *
 * About RATE_RX: the arrivals at a switch that reports only what it sends can be computed: between
 * two snapshots, they are what left plus what the queue has gained. The paper shows by this rate
 * that reacting to arrivals double counts the queue (figure 6).
 */
class HpccInflight
{
  public:
    /// The result of MeasureInflight for a record.
    enum class Measurement : uint8_t
    {
        STALE, ///< nothing in it is new; nothing has changed
        FIRST, ///< it was stored as the first record
        VALID  ///< U is updated
    };

    /**
     * Sets the parameters that the calls that follow use. The law of several flows is given those
     * of a flow before each call for it.
     * @param parameters the parameters; not checked: the user of the law does
     */
    void SetParameters(const HpccParameters& parameters);

    /// @return the parameters
    const HpccParameters& GetParameters() const;

    /**
     * Runs the function MeasureInflight, lines 1 to 10, together with L = ack.L of line 27.
     * @param flow the flow's state; U and L are updated
     * @param sample the acknowledgement, at least one record
     * @return whether U was updated
     */
    Measurement MeasureInflight(HpccFlow& flow, const HpccSample& sample);

    /**
     * @param telemetry what a format carries
     * @return how far the packets of a flow may take different paths: every packet, if hops have
     * ids or there is one record of the worst; now and then, if at least paths have ids
     */
    static PathSpread ToleratedSpread(const TelemetryCapabilities& telemetry);

    /**
     * @param parameters the choices
     * @param telemetry what a format carries
     * @return true if a hop's record is of no use without the bandwidth that its numbers refer to
     */
    static bool NeedsBandwidth(const HpccParameters& parameters,
                               const TelemetryCapabilities& telemetry);

    /// @return the last call's outcome
    const HpccOutcome& GetOutcome() const
    {
        return m_outcome;
    }

    /// @return hops skipped so far for want of a bandwidth, a field, or room
    uint64_t GetSkippedHops() const
    {
        return m_skippedHops;
    }

  protected:
    /**
     * @param sample a switch's report
     * @return the largest 1 + qlen/(B T) of its hops with a queue; 0 if there is none
     */
    double QueuedLoad(const HpccSample& sample);

    HpccParameters m_parameters;     ///< the parameters
    double m_perBaseRtt{1.0 / 5000}; ///< 1/T, 1/ns
    double m_bpsPerByte{8e9 / 5000}; ///< 8/T, bit/s per byte of window
    HpccOutcome m_outcome{};         ///< what the last call did

  private:
    /**
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @param hops records to look at
     * @return why the sample cannot be compared with L; NONE if it can
     */
    HpccReset FindReset(const HpccFlow& flow, const HpccSample& sample, uint32_t hops) const;

    /**
     * Fills L with the first records of a path.
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @param hops records to look at
     * @return FIRST, or VALID if U was estimated from the queues
     */
    Measurement StoreFirst(HpccFlow& flow, const HpccSample& sample, uint32_t hops);

    /**
     * @param flow the flow's state
     * @return true if its first record is only stored
     */
    bool SkipsFirst(const HpccFlow& flow) const
    {
        return m_parameters.firstSample == HpccParameters::FIRST_SKIP ||
               (m_parameters.firstSample == HpccParameters::FIRST_DEFAULT && !flow.sparse);
    }

    /**
     * Completes a sample from which hops of the known path are missing.
     * @param flow the flow's state
     * @param sample the acknowledgement, fewer records than L
     * @return true if its hops are some of L's in L's order: m_completed then has all, and
     * m_missing marks those that were added
     */
    bool Complete(HpccFlow& flow, const HpccSample& sample);

    /**
     * Runs MeasureInflight for TelemetryCapabilities::pathExtreme.
     * @param flow the flow's state
     * @param sample the acknowledgement, at least one record
     * @return whether U was updated
     */
    Measurement MeasureExtreme(HpccFlow& flow, const HpccSample& sample);

    /**
     * Runs MeasureInflight for TelemetryCapabilities::pathExtreme with TELEMETRY_LOAD.
     * @param flow the flow's state
     * @param sample the acknowledgement, at least one record
     * @return whether U was updated
     */
    Measurement TakeLoad(HpccFlow& flow, const HpccSample& sample);

    /**
     * Stores what a record of the bottleneck hop says.
     * @param extreme the flow's
     * @param hop the record
     * @param nowNs reader's clock, ns
     */
    void StoreExtreme(HpccFlow::Extreme& extreme, const HopTelemetry& hop, int64_t nowNs) const;

    /**
     * Lines 8 and 9 for a hop with HpccParameters::perHop.
     * @param hop the hop
     * @param u its u'
     * @param tauNs time that it is for, ns
     */
    void AverageHop(HpccFlow::HopWindow& hop, double u, double tauNs) const;

    /**
     * @param telemetry what a format carries
     * @return the fields without which a record of it cannot be used
     */
    uint16_t RequiredFields(const TelemetryCapabilities& telemetry) const;

    uint64_t m_skippedHops{0}; ///< see GetSkippedHops
    uint32_t m_missing{0};     ///< hops of m_completed that were added, one bit each; 0 while a
                               ///< sample is as it came
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> m_completed; ///< see Complete
};

} // namespace ns3

#endif // HPCC_INFLIGHT_H
