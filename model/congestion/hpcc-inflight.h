/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INFLIGHT_H
#define HPCC_INFLIGHT_H

#include "hpcc-flow.h"
#include "hpcc-link-plan.h"
#include "hpcc-missing-hops.h"
#include "hpcc-parameters.h"

#include "ns3/hpcc-hop-telemetry.h"

#include <array>
#include <cstdint>

namespace ns3
{

/// The effect of an acknowledgement on the window.
enum class HpccBranch : uint8_t
{
    NONE, ///< W was not computed. Examples: no record was new; the records were the first of a path
          ///< and were only stored; W changes only on a commit (HpccParameters::reaction), and this
          ///< acknowledgement did not commit
    COMMIT, ///< W was computed with a commit (line 23)
    FAST,   ///< W was computed without a commit (line 26)
};

/**
 * @ingroup hpcc
 *
 * The effect of the last sample, for traces and tests.
 */
struct HpccOutcome
{
    HpccBranch branch;  ///< effect on the window
    HpccReset reset;    ///< why the record was treated as a first one; NONE if it was not
    uint8_t hopCount;   ///< number of hops evaluated
    uint8_t bottleneck; ///< index of the hop with the largest u'; valid after COMMIT or FAST, but
                        ///< not for a packet without records (hpcc-quiet-path.cc)
    uint32_t switchId;  ///< switch id of the bottleneck hop
    uint32_t portId;    ///< egress port id or locator of the bottleneck hop
    double u;           ///< u' of the bottleneck hop
    double tauNs;       ///< tau of line 8, ns, at most T: usually the time between the two records
                        ///< from which u was computed
    std::array<double, MAX_TELEMETRY_HOPS>
        hopU; ///< u' of each hop; negative if the hop was skipped
};

/**
 * @ingroup hpcc
 *
 * Computes U, the normalised bytes in flight of a path: function MeasureInflight, lines 1 to 10 of
 * draft-miao-tsv-hpcc-01, section 4.2. HpccLaw derives from this class. Code that needs only U and
 * not the rest of the control law, such as path migration, uses the class alone. The code of these
 * lines is in hpcc-new-ack.cc. The other parts are:
 *
 * | part                       | file                                                  |
 * |----------------------------|-------------------------------------------------------|
 * | choice of the variant      | hpcc-ack-variants.cc                                  |
 * | comparison of the records  | HpccLinkRecords                                       |
 * | u' from a utilisation      | HpccLoadUtilization                                   |
 * | u' from sojourn time       | HpccLoadSojourn                                       |
 * | u' from arrival rate       | HpccLoadArrivals                                      |
 * | u' as power                | HpccLoadPower                                         |
 * | u' of the bottleneck hop   | HpccBottleneckRecord, requested by HpccSignalRequest  |
 * | U averaged by switches     | hpcc-averaged-load.cc                                 |
 * | first record of a path     | hpcc-first-record.cc                                  |
 * | hops without a record      | HpccMissingHops                                       |
 * | sprayed paths              | hpcc-sprayed-paths.cc                                 |
 * | L by port, U of all paths  | HpccPathState                                         |
 * | report of a single hop     | HpccFlow::TakePrevious()                              |
 *
 * The drafts leave some questions open. Each part listed above documents its own decisions. The
 * remaining decisions are:
 * - Records are matched by (switch, port), never by position alone. If the list of hops or the path
 *   identifier differs from the stored one, the path is new. L is then dropped, U = InitialU, and
 *   incStage = 0; W and Wc do not change. If the format has no ids, the path identifier and the
 *   number of hops are compared instead.
 * - A record is also treated as a first one if the sender had no message for more than T, or if the
 *   timestamps may have wrapped since the last record. In both cases, U and W do not change, unless
 *   HpccParameters::FirstSample selects an estimate.
 * - If several hops have the largest u', the first of them on the path is used. If all u' are 0,
 *   the tau of the first hop is used, so that U decreases on an idle path.
 * - Hops beyond MAX_TELEMETRY_HOPS are ignored and counted as skipped.
 */
class HpccInflight
{
  public:
    /// The result of MeasureInflight for a sample.
    enum class Measurement : uint8_t
    {
        STALE, ///< no record is new; U and W do not change
        FIRST, ///< the records were stored as the first of a path; they were not used for U
        VALID  ///< U is updated
    };

    /**
     * Sets the parameters that the following calls use. If one object serves several flows, the
     * parameters of a flow must be set before each call for this flow.
     * @param parameters parameters of the control law; HpccLawAttributes::ValidateLaw() checks
     * them, this function does not
     */
    void SetParameters(const HpccParameters& parameters);

    /// Returns the parameters of the control law.
    const HpccParameters& GetParameters() const
    {
        return m_parameters;
    }

    /// Returns the factor 1/T of the queue term qlen/(B T), 1/ns. T is replaced by
    /// HpccParameters::windowNs if that is set.
    double GetPerWindowTime() const
    {
        return m_perWindowTime;
    }

    /**
     * Updates U from the records of an acknowledgement (lines 1 to 10), and stores these records in
     * L (line 27).
     * @param flow the flow's state; U and L are updated
     * @param sample the sample of an acknowledgement, with at least one record
     * @return whether U was updated
     */
    Measurement MeasureInflight(HpccFlow& flow, const HpccSample& sample);

    /**
     * Averages a new u' of a hop into the hop's own U (lines 8 and 9). Used for hops that have a
     * window of their own.
     * @param hop the hop
     * @param u u' of the hop
     * @param tauNs time since the previous record or sample, ns; values above T are treated as T
     */
    void AverageHop(HpccFlow::HopWindow& hop, double u, double tauNs) const;

    /**
     * Returns the kind of multipath that the control law tolerates with a format:
     * - EVERY_PACKET if records contain switch and port ids, or if the format has only a record of
     *   the bottleneck hop;
     * - otherwise OCCASIONAL if paths have ids;
     * - otherwise NONE.
     * @param telemetry capabilities of the format
     */
    static Multipath ToleratedMultipath(const TelemetryCapabilities& telemetry);

    /**
     * Returns true if the control law cannot use a record without the bandwidth of the link that
     * the record describes.
     * @param parameters the parameters
     * @param telemetry capabilities of a format
     */
    static bool NeedsBandwidth(const HpccParameters& parameters,
                               const TelemetryCapabilities& telemetry);

    /// Returns the outcome of the last call.
    const HpccOutcome& GetOutcome() const
    {
        return m_outcome;
    }

    /// Returns the number of records skipped so far because a bandwidth or field was missing, or
    /// because the path had too many hops.
    uint64_t GetSkippedHops() const
    {
        return m_skippedHops;
    }

  protected:
    HpccParameters m_parameters;        ///< the parameters
    double m_perBaseRtt{1.0 / 5000};    ///< 1/T, 1/ns
    double m_perWindowTime{1.0 / 5000}; ///< see GetPerWindowTime()
    double m_bpsPerByte{8e9 / 5000};    ///< rate R that corresponds to a window W of 1 byte, bit/s
    HpccOutcome m_outcome{};            ///< result of the last call
    uint64_t m_skippedHops{0};          ///< see GetSkippedHops

  private:
    /**
     * Compares the records of a path with L and updates U, or stores the records if they are the
     * first of a path.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @param missing bit mask of the hops whose records HpccMissingHops has added
     * @return whether U was updated
     */
    Measurement MeasurePath(HpccFlow& flow, const HpccSample& sample, uint32_t missing);

    /**
     * Does the work of MeasurePath() for a flow with HpccFlow::pathState, which stores L of all its
     * paths.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @param hops number of records to use
     * @return whether U was updated
     */
    Measurement MeasurePorts(HpccFlow& flow, const HpccSample& sample, uint32_t hops);

    /**
     * Updates U from records of the path that L describes (lines 1 to 10).
     * @param flow the flow's state
     * @param ack the acknowledgement
     * @param missing bit mask of the hops whose records HpccMissingHops has added
     * @return whether U was updated
     */
    Measurement MeasureInflight(HpccFlow& flow, const HpccSample& ack, uint32_t missing);

    /**
     * Averages a new u' into U (line 9): U = (1 - tau/T) U + (tau/T) u'.
     * @param oldU U before the update
     * @param u the new u': the largest u' of the path, or u' of a single hop
     * @param tau tau of line 8, ns: usually the time between the two records from which u' was
     * computed; divided by the number of known paths if the flow is sprayed
     * @return the new U
     */
    double Average(double oldU, double u, double tau) const;

    /**
     * Updates U for a format with TelemetryCapabilities::pathExtreme.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement, with at least one record
     * @return whether U was updated
     */
    Measurement MeasureExtreme(HpccFlow& flow, const HpccSample& sample);

    /**
     * Updates U from a record of the bottleneck hop that contains the queue delay or the
     * utilisation.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement, with at least one record
     * @return whether U was updated
     */
    Measurement MeasureBottleneck(HpccFlow& flow, const HpccSample& sample);

    /**
     * Sets U to the value that the switches have averaged.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement, with at least one record
     * @return whether U was updated
     */
    Measurement TakeAveragedLoad(HpccFlow& flow, const HpccSample& sample);

    /**
     * Returns the reason why a sample cannot be compared with L; NONE if it can.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @param hops number of records to use
     */
    HpccReset FindReset(const HpccFlow& flow, const HpccSample& sample, uint32_t hops) const;

    /**
     * Resets U and incStage if the path has changed.
     * @param flow the flow's state
     */
    void StartPath(HpccFlow& flow) const;

    /**
     * Fills L with the first records of a path.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @return FIRST, or VALID if U was estimated from the queues
     */
    Measurement StoreFirst(HpccFlow& flow, const HpccSample& sample);

    /**
     * Stores the first record of a hop.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @param i the hop's position
     * @return queue term qlen/(B T) of the hop; if the record contains a load instead, load - 1
     */
    double StoreFirstOfHop(HpccFlow& flow, const HpccSample& sample, uint32_t i);

    /**
     * Returns true if a first record of a flow is only stored and not used for U.
     * @param flow the flow's state
     */
    bool SkipsFirst(const HpccFlow& flow) const;

    /**
     * Stores the bottleneck hop, its u' and tau in the outcome.
     * @param flow the flow's state
     * @param bottleneck position of the bottleneck hop
     * @param u u' of the bottleneck hop
     * @param tau tau of line 8, ns: usually the time between the two records from which u' was
     * computed; divided by the number of known paths if the flow is sprayed
     */
    void Report(const HpccFlow& flow, uint32_t bottleneck, double u, double tau)
    {
        m_outcome.bottleneck = static_cast<uint8_t>(bottleneck);
        m_outcome.u = u;
        m_outcome.tauNs = tau;
        m_outcome.switchId = flow.records[bottleneck].switchId;
        m_outcome.portId = flow.records[bottleneck].portId;
    }

    /**
     * Stores u' and tau in the outcome for a path with a single record.
     * @param flow the flow's state
     * @param u u' of the hop
     * @param tau time since the last sample, at most T, ns; T if u' is the first one or a load that
     * the switches have averaged
     */
    void ReportOnly(const HpccFlow& flow, double u, double tau);

    HpccLinkPlan m_plan;           ///< settings for comparing records, computed for the format of
                                   ///< the last sample
    HpccMissingHops m_missingHops; ///< adds the records that a packet lacks
};

} // namespace ns3

#endif // HPCC_INFLIGHT_H
