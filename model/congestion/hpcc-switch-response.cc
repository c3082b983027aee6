/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"

#include <algorithm>

// A response of a switch (draft-miao-tsv-hpcc-00) covers the path up to the switch, and shows
// queues but no rates. A port with a queue is assumed to send at line rate, so u' = 1 + qlen/(B T).
// u' is averaged as in line 9, where tau is the time since the last sample, or T before the first
// sample. If the average is eta or more, W is lowered to the result of line 13, unless W is already
// lower. On a commit, Wc is lowered in the same way. U and L do not change, so the records that the
// packet itself returns later are processed as if there had been no response. Until that packet is
// acknowledged, W is at most the value set by the response.

namespace ns3
{

const HpccOutcome&
HpccLaw::TakeResponse(HpccFlow& flow, const HpccSample& sample)
{
    m_outcome.branch = HpccBranch::NONE;
    m_outcome.reset = HpccReset::NONE;
    m_outcome.hopCount = 0;
    const double load = QueuedLoad(sample);
    double weight = 1;
    if (flow.hopCount > 0)
    {
        const auto sinceNs = static_cast<double>(sample.nowNs - flow.lastSampleNs);
        weight = std::min(std::max(sinceNs, 0.0) * m_perBaseRtt, 1.0);
    }
    if (load == 0)
    {
        return m_outcome;
    }
    const HpccFlow::HopWindow* hop =
        FindHopWindow(flow, sample.hops[m_outcome.bottleneck], m_outcome.bottleneck);
    const double u = (1 - weight) * (hop ? hop->utilization : flow.utilization) + weight * load;
    if (u < m_parameters.eta)
    {
        return m_outcome;
    }
    const double reference = hop ? hop->referenceBytes : flow.referenceBytes;
    const double w = std::max(reference / (u / m_parameters.eta) + flow.waiBytes, flow.minBytes);
    m_outcome.branch = HpccBranch::FAST;
    if (sample.ackSeq > flow.lastUpdateSeq)
    {
        LowerHopReference(flow, hop, w);
        flow.referenceBytes = std::min(flow.referenceBytes, w);
        flow.incStage = 0;
        flow.lastUpdateSeq = sample.sndNxt;
        m_outcome.branch = HpccBranch::COMMIT;
    }
    flow.windowBytes = std::min(flow.windowBytes, w);
    flow.responseSeq = std::max(flow.responseSeq, sample.ackSeq);
    flow.responseBytes = flow.windowBytes;
    return m_outcome;
}

double
HpccLaw::QueuedLoad(const HpccSample& sample)
{
    double u = 0;
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const double load = QueuedLoadOfHop(sample, sample.hops[i]);
        if (load > u)
        {
            u = load;
            m_outcome.bottleneck = static_cast<uint8_t>(i);
        }
    }
    return u;
}

double
HpccLaw::QueuedLoadOfHop(const HpccSample& sample, const HopTelemetry& hop)
{
    double delayNs = 0;
    if (hop.fields & TELEMETRY_LOAD)
    {
        return hop.load;
    }
    if (hop.fields & TELEMETRY_QUEUE_DELAY)
    {
        delayNs = hop.queueDelayNs;
    }
    else if (hop.fields & TELEMETRY_QUEUE && hop.bandwidthBps > 0)
    {
        delayNs = static_cast<double>(hop.queueBytes) * 8e9 / static_cast<double>(hop.bandwidthBps);
    }
    else
    {
        m_skippedHops += !sample.telemetry->pathExtreme;
    }
    return delayNs > 0 ? 1 + delayNs * m_perWindowTime : 0;
}

} // namespace ns3
