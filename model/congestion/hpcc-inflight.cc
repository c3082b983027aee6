/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-inflight.h"

#include <algorithm>

// Sets the parameters, and computes U for formats with TelemetryCapabilities::pathExtreme and for
// flows with HpccFlow::pathState.

namespace ns3
{

void
HpccInflight::SetParameters(const HpccParameters& parameters)
{
    m_parameters = parameters;
    // The draft uses T for two times: the averaging time of lines 8 and 9, and the window time of
    // W_init, R and line 5. HpccParameters::windowNs can set the window time to a different value.
    const double windowNs = parameters.windowNs > 0 ? parameters.windowNs : parameters.baseRttNs;
    m_perBaseRtt = 1 / parameters.baseRttNs;
    m_perWindowTime = 1 / windowNs;
    m_bpsPerByte = 8e9 / windowNs;
    m_plan.computed = false;
}

Multipath
HpccInflight::ToleratedMultipath(const TelemetryCapabilities& telemetry)
{
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    if (telemetry.pathExtreme || (telemetry.fields & ids) == ids)
    {
        return Multipath::EVERY_PACKET;
    }
    return telemetry.pathIdentified ? Multipath::OCCASIONAL : Multipath::NONE;
}

bool
HpccInflight::NeedsBandwidth(const HpccParameters& parameters,
                             const TelemetryCapabilities& telemetry)
{
    return HpccLinkPlan::NeedsBandwidth(parameters, telemetry);
}

HpccInflight::Measurement
HpccInflight::MeasureExtreme(HpccFlow& flow, const HpccSample& sample)
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
    // If other paths are known, the first record of a path must not delay the next commit. STALE
    // has this effect, because the caller then does not change lastUpdateSeq.
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
