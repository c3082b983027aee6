/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"

#include <algorithm>
#include <limits>

// Runs lines 9 to 20 of the draft's algorithm separately for each hop if HpccParameters::perHop is
// set. Each hop has its own tau, U, Wc and incStage. The smallest W of all hops is W of the flow,
// and on a commit also Wc of the flow. Appendix A.3 of the HPCC paper describes this variant for
// several bottlenecks; the authors' simulator calls it multi-rate. If a hop was not measured since
// the last commit, its Wc is used as its W. Hops of a new path start with the flow's Wc, U =
// InitialU and incStage = 0. U of the flow is the same as without perHop. The variant does not
// support HpccFlow::sprayed. It does not support formats with TelemetryCapabilities::pathExtreme
// either, because they do not distinguish hops.

namespace ns3
{

void
HpccInflight::AverageHop(HpccFlow::HopWindow& hop, double u, double tauNs) const
{
    hop.utilization = Average(hop.utilization, u, std::min(tauNs, m_parameters.baseRttNs));
    hop.measured = true;
}

double
HpccLaw::ComputeHopWinds(HpccFlow& flow, bool updateWc) const
{
    double least = std::numeric_limits<double>::infinity();
    uint32_t stage = flow.incStage;
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        HpccFlow::HopWindow& hop = (*flow.hopWindows)[i];
        const double w =
            hop.measured
                ? ComputeWind(flow, hop.utilization, hop.referenceBytes, hop.incStage, updateWc)
                : hop.referenceBytes;
        if (w < least)
        {
            least = w;
            stage = hop.incStage;
        }
        hop.measured &= !updateWc;
    }
    if (updateWc)
    {
        flow.referenceBytes = least;
        flow.incStage = stage;
    }
    return least;
}

HpccFlow::HopWindow*
HpccLaw::FindHopWindow(HpccFlow& flow, const HopTelemetry& hop, uint32_t position)
{
    for (uint32_t i = 0; flow.hopWindows && i < flow.hopCount; ++i)
    {
        const HpccFlow::Record& record = flow.records[i];
        if ((!(hop.fields & TELEMETRY_SWITCH_ID) || hop.switchId == record.switchId) &&
            (hop.fields & TELEMETRY_PORT_ID ? hop.portId == record.portId : i == position))
        {
            return &(*flow.hopWindows)[i];
        }
    }
    return nullptr;
}

void
HpccLaw::SetHopUtilization(HpccFlow& flow, double u)
{
    for (uint32_t i = 0; flow.hopWindows && i < flow.hopCount; ++i)
    {
        HpccFlow::HopWindow& hop = (*flow.hopWindows)[i];
        hop.utilization = u;
        hop.measured = true;
    }
}

void
HpccLaw::LowerHopReference(HpccFlow& flow, const HpccFlow::HopWindow* only, double windowBytes)
{
    for (uint32_t i = 0; flow.hopWindows && i < flow.hopCount; ++i)
    {
        HpccFlow::HopWindow& hop = (*flow.hopWindows)[i];
        if (!only || only == &hop)
        {
            hop.referenceBytes = std::min(hop.referenceBytes, windowBytes);
            hop.incStage = 0;
        }
    }
}

} // namespace ns3
