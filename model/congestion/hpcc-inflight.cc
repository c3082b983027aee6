/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-inflight.h"

#include <algorithm>

// Chooses the records that lines 1 to 10 compare, or the variant that replaces these lines.

namespace ns3
{

void
HpccInflight::SetParameters(const HpccParameters& parameters)
{
    m_parameters = parameters;
    m_perBaseRtt = 1 / parameters.baseRttNs;
    m_bpsPerByte = 8e9 / parameters.baseRttNs;
    m_plan.computed = false;
}

PathSpread
HpccInflight::ToleratedSpread(const TelemetryCapabilities& telemetry)
{
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    if (telemetry.pathExtreme || (telemetry.fields & ids) == ids)
    {
        return PathSpread::EVERY_PACKET;
    }
    return telemetry.pathIdentified ? PathSpread::OCCASIONAL : PathSpread::NONE;
}

bool
HpccInflight::NeedsBandwidth(const HpccParameters& parameters,
                             const TelemetryCapabilities& telemetry)
{
    return HpccLinkPlan::NeedsBandwidth(parameters, telemetry);
}

HpccInflight::Measurement
HpccInflight::MeasureInflight(HpccFlow& flow, const HpccSample& sample)
{
    if (sample.telemetry->pathExtreme)
    {
        const Measurement measurement = sample.telemetry->fields & TELEMETRY_LOAD
                                            ? TakeAveragedLoad(flow, sample)
                                            : MeasureBottleneck(flow, sample);
        if (flow.pathState && measurement != Measurement::STALE)
        {
            flow.utilization = flow.pathState->Update(flow, sample, m_outcome.hopU.data());
        }
        return measurement;
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
    if (hops < flow.hopCount && m_parameters.missingHop == HpccParameters::MISSING_SKIPS)
    {
        HpccSample completed = sample;
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

HpccInflight::Measurement
HpccInflight::MeasurePorts(HpccFlow& flow, const HpccSample& sample, uint32_t hops)
{
    flow.pathState->Select(flow, sample, hops);
    const Measurement measurement = MeasurePath(flow, sample, 0);
    if (measurement == Measurement::STALE)
    {
        return measurement;
    }
    const double u = flow.pathState->Update(flow, sample, m_outcome.hopU.data());
    if (measurement == Measurement::VALID)
    {
        flow.utilization = u;
    }
    // If other paths are known, the first record of a path does not delay the next commit.
    const bool others = u >= 0 && m_outcome.reset != HpccReset::IDLE_GAP;
    return measurement == Measurement::FIRST && others ? Measurement::STALE : measurement;
}

void
HpccInflight::ReportOnly(const HpccFlow& flow, double u, double tau)
{
    m_outcome.hopU[0] = u;
    Report(flow, 0, u, tau);
}

} // namespace ns3
