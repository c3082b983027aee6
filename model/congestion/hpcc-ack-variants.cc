/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"
#include "hpcc-reaction.h"

#include <algorithm>

// Selects the variant of the drafts' algorithm that handles an acknowledgement. Lines 1 to 27 of
// the algorithm are in hpcc-new-ack.cc. The choice depends on which records the acknowledgement
// returns, and on whether these records are the first of a path.

namespace ns3
{

bool
HpccLaw::Measure(HpccFlow& flow, const HpccSample& sample)
{
    m_outcome.branch = HpccBranch::NONE;
    m_outcome.reset = HpccReset::NONE;
    m_outcome.hopCount = 0;
    if (sample.hopCount == 0)
    {
        TakeQuiet(flow, sample);
        return false;
    }
    if (HpccReaction::LeavesOut(m_parameters, flow, sample))
    {
        return false;
    }
    const Measurement measurement = MeasureInflight(flow, sample);
    if (measurement == Measurement::FIRST)
    {
        flow.lastUpdateSeq = sample.sndNxt;
    }
    return measurement == Measurement::VALID;
}

double
HpccLaw::ComputeWind(HpccFlow& flow, bool updateWc) const
{
    const double w =
        flow.hopWindows && flow.hopCount > 0
            ? ComputeHopWinds(flow, updateWc)
            : ComputeWind(flow, flow.utilization, flow.referenceBytes, flow.incStage, updateWc);
    if (updateWc)
    {
        flow.roundSamples = 0;
        flow.roundLastHop = 0;
    }
    return w;
}

HpccInflight::Measurement
HpccInflight::MeasureInflight(HpccFlow& flow, const HpccSample& sample)
{
    if (sample.telemetry->pathExtreme)
    {
        return MeasureExtreme(flow, sample);
    }
    if (sample.previous)
    {
        flow.TakePrevious(sample);
    }
    const uint32_t hops = std::min(sample.hopCount, MAX_TELEMETRY_HOPS);
    m_skippedHops += sample.hopCount - hops;
    if (flow.pathState)
    {
        return MeasurePorts(flow, sample, hops);
    }
    if (flow.sprayed)
    {
        flow.SelectPath(sample, hops);
    }
    if ((hops < flow.hopCount || (flow.thinned && flow.hopCount > 0)) &&
        m_parameters.missingHop == HpccParameters::MISSING_SKIPS)
    {
        HpccSample completed = sample;
        completed.hopCount = hops;
        const uint32_t missing = m_missingHops.Complete(flow, completed, m_parameters.baseRttNs);
        return MeasurePath(flow, completed, missing);
    }
    return MeasurePath(flow, sample, 0);
}

HpccInflight::Measurement
HpccInflight::MeasurePath(HpccFlow& flow, const HpccSample& sample, uint32_t missing)
{
    m_outcome.hopCount = static_cast<uint8_t>(std::min(sample.hopCount, MAX_TELEMETRY_HOPS));
    if (!m_plan.IsFor(*sample.telemetry, flow.sparse))
    {
        m_plan = HpccLinkPlan(m_parameters, *sample.telemetry, flow.sparse);
    }
    m_outcome.reset = FindReset(flow, sample, m_outcome.hopCount);
    if (m_outcome.reset != HpccReset::NONE)
    {
        return StoreFirst(flow, sample);
    }
    return MeasureInflight(flow, sample, missing);
}

HpccReset
HpccInflight::FindReset(const HpccFlow& flow, const HpccSample& sample, uint32_t hops) const
{
    if (flow.hopCount == 0)
    {
        return flow.pendingReset;
    }
    const TelemetryCapabilities& format = *sample.telemetry;
    if (hops != flow.hopCount || (format.pathIdentified && sample.pathId != flow.pathId))
    {
        return HpccReset::PATH_CHANGE;
    }
    for (uint32_t i = 0; i < hops; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const HpccFlow::Record& last = flow.records[i];
        if ((hop.switchId != last.switchId && hop.fields & TELEMETRY_SWITCH_ID) ||
            (hop.portId != last.portId && hop.fields & TELEMETRY_PORT_ID))
        {
            return HpccReset::PATH_CHANGE;
        }
    }
    if (m_parameters.idleGapResets && static_cast<double>(sample.idleNs) > m_parameters.baseRttNs)
    {
        return HpccReset::IDLE_GAP;
    }
    if ((format.fields & TELEMETRY_TIMESTAMP) &&
        static_cast<uint64_t>(sample.nowNs - flow.lastSampleNs) >
            HpccLinkPlan::HalfRange(format.timestampModulus))
    {
        return HpccReset::COUNTER_WRAP;
    }
    return HpccReset::NONE;
}

} // namespace ns3
