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

/// The difference between the record of a link in an acknowledgement and the one in L.
struct HpccLinkChange
{
    double dtNs;             ///< ack.L[i].ts - L[i].ts, ns
    double txBytes;          ///< ack.L[i].txBytes - L[i].txBytes
    double nsPerByte;        ///< 8e9/B
    uint64_t queueBytes;     ///< ack.L[i].qlen
    uint64_t lastQueueBytes; ///< L[i].qlen, or ack.L[i].qlen where that alone counts
    double load;             ///< u', if it does not come from lines 4 and 5
    bool missing;            ///< the hop has skipped the packet, and load is an earlier one
};

/// How the load of a link follows from its HpccLinkChange.
enum class HpccLinkNews : uint8_t
{
    NONE,     ///< not at all
    COUNTERS, ///< by lines 4 and 5
    LOAD,     ///< it is HpccLinkChange::load
};

/**
 * @ingroup hpcc
 *
 * The records of an acknowledgement, link by link, compared with those of L, which they replace:
 * the notations L[i] and ack.L[i] of lines 4 to 7 and 27.
 *
 * Decisions where the drafts are silent:
 * - A hop counts only if its timestamp is newer: the difference, modulo the format's timestamps, is
 *   above 0 and at most half of the modulus. Otherwise the record is a repetition or overtaken, and
 *   the hop and what is stored for it are left alone. With no new hop nothing changes at all.
 * - A pair of byte counters counts only if the counter cannot have advanced by its whole modulus:
 *   dts < modulus * 8/B. Otherwise, and if a counter without modulus has gone back, the record is a
 *   first one for that hop.
 * - Without timestamps tau is the time between two records at the reader's own clock.
 * - A hop with an unknown bandwidth, or whose record lacks a field, is skipped and counted
 *   (HpccInflight::GetSkippedHops()), unless the record contains u' itself (TELEMETRY_LOAD), as
 * from behind a domain edge. Its tau is the time since the last records at the reader's own clock.
 */
class HpccLinkRecords
{
  public:
    /**
     * @param inflight gives the parameters, and averages the hops' own U
     * @param plan how to compare
     * @param flow the flow's state; L has as many records as the sample
     * @param sample the acknowledgement
     * @param missing hops whose record was added (HpccMissingHops), one bit each
     * @param outcome gets u' of the hops
     * @param skippedHops counts records that cannot be used
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

    /// @return number of links
    uint32_t GetCount() const
    {
        return m_flow.hopCount;
    }

    /**
     * Compares the record of a link with the one in L, and stores it there (line 27).
     * @param i the link's position
     * @param link gets the difference
     * @return whether the link has a load, and how to compute it
     */
    HpccLinkNews Compare(uint32_t i, HpccLinkChange& link);

    /**
     * Notes the load of a link, for traces and for HpccParameters::perHop.
     * @param i the link's position
     * @param link from Compare()
     * @param load u'
     */
    void Note(uint32_t i, const HpccLinkChange& link, double load);

    /**
     * Ends the comparison.
     * @param measured a link has a load
     * @param bottleneck position of the link with the largest one
     * @return whether anything was new, and whether U can be computed
     */
    HpccInflight::Measurement Finish(bool measured, uint32_t bottleneck);

    /**
     * With HpccFlow::sprayed, U is the average over the paths: each path moves it by its part.
     * @param tau of line 7, ns
     * @return tau divided by the number of known paths, ns
     */
    double SharePath(double tau) const;

  private:
    /**
     * Handles a record that cannot be compared.
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @param i the link's position
     * @param missing the record was added
     * @return the difference, whose load is that of the record; negative if it contains none
     */
    static HpccLinkChange CompareIncomplete(HpccFlow& flow,
                                            const HpccSample& sample,
                                            uint32_t i,
                                            bool missing);

    /**
     * Computes u' of a link by the variants of lines 4 and 5.
     * @param inflight gives the parameters
     * @param plan how to compare
     * @param hop the record
     * @param last the one in L
     * @param link the difference
     * @return u'
     */
    static double VariantLoad(const HpccInflight& inflight,
                              const HpccLinkPlan& plan,
                              const HopTelemetry& hop,
                              const HpccFlow::Record& last,
                              const HpccLinkChange& link);

    const HpccInflight& m_inflight; ///< gives the parameters
    const HpccLinkPlan& m_plan;     ///< how to compare
    HpccFlow& m_flow;               ///< the flow's state
    const HpccSample& m_sample;     ///< the acknowledgement
    HpccOutcome& m_outcome;         ///< gets u' of the hops
    uint64_t& m_skippedHops;        ///< counts records that cannot be used
    uint32_t m_missing;             ///< hops whose record was added
    bool m_ignoresEmpty;            ///< see HpccReaction::IgnoresEmptyHops()
    bool m_stored{false};           ///< a record was new
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
        plan.sojourn ? HpccLoadSojourn::QueueTerm(queue, inflight.GetPerBaseRtt())
                     : static_cast<double>(queue) * link.nsPerByte * inflight.GetPerBaseRtt();
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
    return !comparable    ? HpccLinkNews::NONE
           : plan.asDraft ? HpccLinkNews::COUNTERS
                          : HpccLinkNews::LOAD;
}

inline void
HpccLinkRecords::Note(uint32_t i, const HpccLinkChange& link, double load)
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
