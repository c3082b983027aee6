/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LINK_RECORDS_H
#define HPCC_LINK_RECORDS_H

#include "hpcc-inflight.h"
#include "hpcc-link-plan.h"
#include "hpcc-load-arrivals.h"
#include "hpcc-load-power.h"
#include "hpcc-load-sojourn.h"
#include "hpcc-load-utilization.h"
#include "hpcc-reaction.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/// The difference between the record of a link in an acknowledgement and the record of the same
/// link in L.
struct HpccLinkChange
{
    double dtNs;             ///< ack.L[i].ts - L[i].ts, ns
    double txBytes;          ///< ack.L[i].txBytes - L[i].txBytes, bytes
    double nsPerByte;        ///< 8e9/B
    uint64_t queueBytes;     ///< ack.L[i].qlen
    uint64_t lastQueueBytes; ///< L[i].qlen, or ack.L[i].qlen if u' is computed only from the newer
                             ///< queue length
    double load;             ///< u'; not set if the caller computes u' by lines 4 and 5
    bool missing;            ///< true if the packet lacks a record of this hop; load is then an
                             ///< earlier u' of the hop
};

/// The way to compute the load of a link from its HpccLinkChange.
enum class HpccLinkNews : uint8_t
{
    NONE,     ///< no load is known
    COUNTERS, ///< the load is computed from the counters by lines 4 and 5
    LOAD,     ///< the load is HpccLinkChange::load
};

/**
 * @ingroup hpcc
 *
 * Compares the records of an acknowledgement, link by link, with those in L, and stores the new
 * records in L. Lines 4 to 7 and 27 call the two records of a link ack.L[i] and L[i].
 *
 * Decisions that the drafts leave open:
 * - A record is used only if its timestamp is newer than the stored one. Newer means that the
 *   difference of the two timestamps, modulo the format's timestamp modulus, is above 0 and at most
 *   half of the modulus. A record that is not newer is ignored, because it is a duplicate, or
 *   because a newer record has overtaken it. If no record is newer, nothing changes.
 * - Two values of a byte counter are compared only if the counter cannot have advanced by its whole
 *   modulus between the two records. This requires that the timestamps of the two records differ by
 *   less than modulus * 8/B. If they differ by this much or more, or if a counter without modulus
 *   has decreased, the record is treated as the first one of that hop.
 * - With HpccFlow::thinned, a hop's first record that shows a queue yields u' = 1 + qlen/(B T),
 *   unless HpccParameters::FirstSample excludes this estimate. If a sample of such a flow yields no
 *   load for any hop, the sample does not delay the next commit. The reason is that samples without
 *   a load are frequent while hops are added to L one by one.
 * - Without timestamps, tau is the time since the last sample by the local clock.
 * - A hop is skipped and counted (HpccInflight::GetSkippedHops()) if its bandwidth is unknown or
 *   its record lacks a field. Exception: a record inserted by a domain edge contains u' itself
 *   (TELEMETRY_LOAD). For such a record, tau is the time since the last sample by the local clock.
 */
class HpccLinkRecords
{
  public:
    /**
     * Prepares the comparison of a sample with L.
     * @param inflight provides the parameters, and averages U of each hop
     * @param plan settings for the comparison
     * @param flow the flow's state; L has as many records as the sample
     * @param sample the sample of an acknowledgement
     * @param missing bit mask of the hops whose records HpccMissingHops has added
     * @param outcome receives u' of the hops
     * @param skippedHops counter of records that cannot be used
     */
    HpccLinkRecords(const HpccInflight& inflight,
                    const HpccLinkPlan& plan,
                    HpccFlow& flow,
                    const HpccSample& sample,
                    uint32_t missing,
                    HpccOutcome& outcome,
                    uint64_t& skippedHops)
        : m_inflight(inflight),
          m_plan(plan),
          m_flow(flow),
          m_sample(sample),
          m_outcome(outcome),
          m_skippedHops(skippedHops),
          m_missing(missing),
          m_ignoresEmpty(HpccReaction::IgnoresEmptyHops(inflight.GetParameters(), flow, sample))
    {
    }

    /// Returns the number of links.
    uint32_t GetCount() const
    {
        return m_flow.hopCount;
    }

    /**
     * Compares the new record of a link with the record in L, and stores the new record in L (line
     * 27).
     * @param i the link's position
     * @param link receives the difference
     * @return whether the link has a load, and how to compute it
     */
    HpccLinkNews Compare(uint32_t i, HpccLinkChange& link);

    /**
     * Stores the load of a link, for traces and for HpccParameters::perHop.
     * @param i the link's position
     * @param link the difference from Compare()
     * @param load u'
     */
    void StoreLoad(uint32_t i, const HpccLinkChange& link, double load);

    /**
     * Ends the comparison.
     * @param measured true if at least one link has a load
     * @param bottleneck position of the link with the largest load
     * @return STALE if no record was new; VALID if a record was new and at least one link has a
     * load. If a record was new but no link has a load: STALE with HpccFlow::thinned, otherwise
     * FIRST
     */
    HpccInflight::Measurement Finish(bool measured, uint32_t bottleneck);

    /**
     * Scales tau for a flow with HpccFlow::sprayed, because U of such a flow is the average over
     * all paths.
     * @param tau time between the two records from which the largest u' was computed, ns (tau of
     * line 7)
     * @return tau divided by the number of known paths, ns; tau itself if the flow is not sprayed
     */
    double SharePath(double tau) const;

  private:
    /**
     * Handles a record that cannot be compared, because a field or the bandwidth is missing.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @param i the link's position
     * @param missing true if HpccMissingHops has added the record
     * @return a difference whose member load is the load in the record. This member is negative if
     * the record contains no load, or if no time has passed since the last sample
     */
    static HpccLinkChange CompareIncomplete(HpccFlow& flow,
                                            const HpccSample& sample,
                                            uint32_t i,
                                            bool missing);

    /**
     * Computes u' of a link whose first record shows a queue. The function is static so that the
     * compiler can keep the members of this object in registers.
     * @param inflight provides the parameters
     * @param plan how loads are computed
     * @param queue queue length, bytes, or sojourn time, ns
     * @param nsPerByte 8e9/B
     * @return u'
     */
    static double EstimateFirst(const HpccInflight& inflight,
                                const HpccLinkPlan& plan,
                                uint64_t queue,
                                double nsPerByte);

    /**
     * Computes u' of a link by the variants of lines 4 and 5.
     * @param inflight provides the parameters
     * @param plan settings for the comparison
     * @param hop the record
     * @param last the record of the same link in L
     * @param link difference of the two records
     * @return u'
     */
    static double VariantLoad(const HpccInflight& inflight,
                              const HpccLinkPlan& plan,
                              const HopTelemetry& hop,
                              const HpccFlow::Record& last,
                              const HpccLinkChange& link);

    const HpccInflight& m_inflight; ///< provides the parameters
    const HpccLinkPlan& m_plan;     ///< settings for the comparison
    HpccFlow& m_flow;               ///< the flow's state
    const HpccSample& m_sample;     ///< the acknowledgement
    HpccOutcome& m_outcome;         ///< receives u' of the hops
    uint64_t& m_skippedHops;        ///< counts records that cannot be used
    uint32_t m_missing;             ///< bit mask of the hops whose records were added
    bool m_ignoresEmpty;            ///< see HpccReaction::IgnoresEmptyHops()
    bool m_stored{false};           ///< true if at least one record was new
};

inline double
HpccLinkRecords::VariantLoad(const HpccInflight& inflight,
                             const HpccLinkPlan& plan,
                             const HopTelemetry& hop,
                             const HpccFlow::Record& last,
                             const HpccLinkChange& link)
{
    const HpccParameters& parameters = inflight.GetParameters();
    double rate = plan.counters ? link.txBytes * link.nsPerByte / link.dtNs // line 4
                                : HpccLoadUtilization::Rate(hop);
    if (parameters.rateTerm == HpccParameters::RATE_RX)
    {
        rate = HpccLoadArrivals::Rate(rate, link.queueBytes, last.queue, link.nsPerByte, link.dtNs);
    }
    const uint64_t queue = std::min(link.queueBytes, link.lastQueueBytes);
    const double queueTerm =
        plan.sojourn ? HpccLoadSojourn::QueueTerm(queue, inflight.GetPerWindowTime())
                     : static_cast<double>(queue) * link.nsPerByte * inflight.GetPerWindowTime();
    return parameters.load == HpccParameters::LOAD_POWER
               ? HpccLoadPower::Combine(queueTerm, rate, parameters.minRateTerm)
               : queueTerm + rate; // line 5
}

inline HpccLinkNews
HpccLinkRecords::Compare(uint32_t i, HpccLinkChange& link)
{
    const HpccLinkPlan& plan = m_plan;
    const HopTelemetry& hop = m_sample.hops[i];
    HpccFlow::Record& last = m_flow.records[i];
    m_outcome.hopU[i] = -1;
    if ((hop.fields & plan.required) != plan.required ||
        (hop.bandwidthBps == 0 && plan.needsBandwidth))
    {
        link = CompareIncomplete(m_flow, m_sample, i, m_missing >> i & 1);
        m_skippedHops += !(hop.fields & TELEMETRY_LOAD);
        m_stored = m_stored || (link.load >= 0 && !link.missing);
        return link.load < 0 ? HpccLinkNews::NONE : HpccLinkNews::LOAD;
    }
    if (m_ignoresEmpty && hop.queueBytes == 0)
    {
        if (m_flow.hopWindows)
        {
            (*m_flow.hopWindows)[i].measured = false;
        }
        return HpccLinkNews::NONE;
    }
    const uint64_t dts =
        plan.ownClock ? static_cast<uint64_t>(m_sample.nowNs - m_flow.lastSampleNs)
                      : ModularDifference(hop.timestampNs, last.timestampNs, plan.timestampModulus);
    const bool counted = last.counted;
    if (counted && (dts == 0 || dts > plan.progressNs))
    {
        return HpccLinkNews::NONE;
    }
    last.SetBandwidth(hop);
    link.missing = false;
    link.dtNs = static_cast<double>(dts);
    link.nsPerByte = last.nsPerByte;
    link.queueBytes = plan.sojourn ? hop.hopLatencyNs : hop.queueBytes;
    link.lastQueueBytes = link.dtNs >= plan.currentFromNs ? link.queueBytes : last.queue;
    link.txBytes = 0;
    bool comparable = counted;
    if (plan.counters)
    {
        const bool wentBack = plan.txBytesModulus == 0 && hop.txBytes < last.txBytes;
        link.txBytes =
            static_cast<double>(ModularDifference(hop.txBytes, last.txBytes, plan.txBytesModulus));
        comparable = counted && !wentBack && link.dtNs < plan.txBytesRange * link.nsPerByte;
    }
    if (comparable && !plan.asDraft)
    {
        link.load = VariantLoad(m_inflight, plan, hop, last, link);
    }
    last.Store(hop, link.queueBytes);
    m_stored = true;
    if (!counted && m_flow.thinned && plan.estimates && link.queueBytes > 0)
    {
        link.load = EstimateFirst(m_inflight, plan, link.queueBytes, link.nsPerByte);
        link.dtNs = m_inflight.GetParameters().baseRttNs;
        return HpccLinkNews::LOAD;
    }
    return !comparable    ? HpccLinkNews::NONE
           : plan.asDraft ? HpccLinkNews::COUNTERS
                          : HpccLinkNews::LOAD;
}

inline void
HpccLinkRecords::StoreLoad(uint32_t i, const HpccLinkChange& link, double load)
{
    m_outcome.hopU[i] = link.missing ? -1 : load;
    if (m_flow.hopWindows)
    {
        m_inflight.AverageHop((*m_flow.hopWindows)[i], load, link.dtNs);
    }
}

inline double
HpccLinkRecords::SharePath(double tau) const
{
    return m_flow.sprayed ? tau / static_cast<double>(std::max<size_t>(m_flow.paths.size(), 1))
                          : tau;
}

inline HpccInflight::Measurement
HpccLinkRecords::Finish(bool measured, uint32_t bottleneck)
{
    if (!m_stored)
    {
        return HpccInflight::Measurement::STALE;
    }
    m_flow.lastSampleNs = m_sample.nowNs;
    for (uint32_t i = 0; i < m_flow.lastLoads.size(); ++i)
    {
        if (m_outcome.hopU[i] >= 0)
        {
            m_flow.lastLoads[i] = {m_outcome.hopU[i], m_sample.nowNs};
        }
    }
    if (!measured && m_flow.thinned)
    {
        return HpccInflight::Measurement::STALE;
    }
    if (!measured)
    {
        m_outcome.reset = HpccReset::COUNTER_WRAP;
        return HpccInflight::Measurement::FIRST;
    }
    ++m_flow.roundSamples;
    m_flow.roundLastHop += bottleneck + 1U == m_flow.hopCount;
    return HpccInflight::Measurement::VALID;
}

} // namespace ns3

#endif // HPCC_LINK_RECORDS_H
