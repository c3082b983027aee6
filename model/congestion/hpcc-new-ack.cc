/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"
#include "hpcc-link-records.h"
#include "hpcc-reaction.h"

#include <algorithm>

// Implements the control law of a sender: lines 1 to 27 of draft-miao-tsv-hpcc-01, section 4.2,
// which is Algorithm 1 of "HPCC: High Precision Congestion Control" (SIGCOMM 2019). Calls without a
// line number belong to variants, which are in separate files; hpcc-law.h lists these files. Lines
// 28 to 34 are in hpcc-new-int.cc.

namespace ns3
{

HpccInflight::Measurement
HpccInflight::MeasureInflight(HpccFlow& flow, const HpccSample& ack, uint32_t missing) // line 1
{
    HpccLinkRecords links(*this, m_plan, flow, ack, missing, m_outcome, m_skippedHops);
    double u = -1; // line 2; below 0 until a link is measured
    double tau = 0;
    uint32_t bottleneck = 0;
    for (uint32_t i = 0; i < links.GetCount(); ++i) // line 3
    {
        HpccLinkChange link; // from L[i] to ack.L[i]
        const HpccLinkNews news = links.Compare(i, link);
        if (news == HpccLinkNews::NONE)
        {
            continue;
        }
        double load = link.load; // u', if a variant of lines 4 and 5 has computed it
        if (news == HpccLinkNews::COUNTERS)
        {
            const double txRate = link.txBytes * link.nsPerByte / link.dtNs; // line 4, divided by B
            const double qlen = static_cast<double>(std::min(link.queueBytes, link.lastQueueBytes));
            load = qlen * link.nsPerByte * m_perWindowTime + txRate; // line 5
        }
        links.StoreLoad(i, link, load);
        if (load > u) // line 6
        {
            u = load; // line 7
            tau = link.dtNs;
            bottleneck = i;
        }
    }
    const Measurement measurement = links.Finish(u >= 0, bottleneck);
    if (measurement == Measurement::VALID)
    {
        tau = std::min(links.SharePath(tau), m_parameters.baseRttNs); // line 8
        flow.utilization = Average(flow.utilization, u, tau);         // line 9
        Report(flow, bottleneck, u, tau);
    }
    return measurement; // line 10
}

double
HpccInflight::Average(double oldU, double u, double tau) const // line 9
{
    const double weight = tau * m_perBaseRtt;
    return (1 - weight) * oldU + weight * u;
}

double
HpccLaw::ComputeWind(const HpccFlow& flow, // line 11
                     double u,
                     double& referenceBytes,
                     uint32_t& incStage,
                     bool updateWc) const
{
    double w;
    if (u >= m_parameters.eta || incStage >= m_parameters.maxStage) // line 12
    {
        w = u > 0 ? referenceBytes / (u / m_parameters.eta) + flow.waiBytes // line 13
                  : flow.initialBytes;
        w = Bound(flow, w);
        if (updateWc) // line 14
        {
            incStage = 0; // line 15
            referenceBytes = w;
        }
    }
    else // line 16
    {
        w = Bound(flow, referenceBytes + flow.waiBytes); // line 17
        if (updateWc)                                    // line 18
        {
            ++incStage; // line 19
            referenceBytes = w;
        }
    }
    return w; // line 20
}

const HpccOutcome&
HpccLaw::NewAck(HpccFlow& flow, const HpccSample& ack) // line 21
{
    if (!Measure(flow, ack)) // lines 23 and 26: MeasureInflight(ack)
    {
        return m_outcome;
    }
    const bool atOnce = HpccReaction::CommitsAtOnce(m_parameters, flow, m_outcome);
    if (ack.ackSeq > flow.lastUpdateSeq || atOnce) // line 22
    {
        UpdateWai(flow, ack.reportedFlows);
        flow.windowBytes = ComputeWind(flow, true); // line 23
        flow.lastUpdateSeq = ack.sndNxt;            // line 24
        m_outcome.branch = HpccBranch::COMMIT;
    }
    else if (HpccReaction::FollowsBetweenCommits(m_parameters)) // line 25
    {
        flow.windowBytes = ComputeWind(flow, false); // line 26
        m_outcome.branch = HpccBranch::FAST;
    }
    BoundByResponse(flow, ack);
    return m_outcome; // line 27: the loop of line 3 has already set L = ack.L, link by link
}

double
HpccLaw::RateBps(const HpccFlow& flow) const // line 27: R = W/T
{
    return flow.windowBytes < flow.initialBytes ? flow.windowBytes * m_bpsPerByte
                                                : flow.lineRateBps;
}

} // namespace ns3
