/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"

#include <algorithm>

// Starts and restarts flows, handles rollbacks and path changes, and sets the bounds of the window.
// The numbered lines of the draft are in hpcc-new-ack.cc and hpcc-new-int.cc.

namespace ns3
{

void
HpccLaw::Open(HpccFlow& flow, double lineRateBps, uint64_t firstSeq) const
{
    flow.lineRateBps = lineRateBps;
    flow.initialBytes = lineRateBps / m_bpsPerByte;
    flow.largestBytes = flow.initialBytes;
    flow.minBytes = std::min(m_parameters.minRateBps / m_bpsPerByte, flow.initialBytes);
    flow.waiBytes = m_parameters.waiBytes > 0
                        ? m_parameters.waiBytes
                        : flow.initialBytes * (1 - m_parameters.eta) / m_parameters.expectedFlows;
    Restart(flow, firstSeq);
    flow.windowBytes *= m_parameters.initialWindow;
    flow.referenceBytes = flow.windowBytes;
    flow.pendingReset = HpccReset::FIRST_RECORD;
    flow.hopWindows = m_parameters.perHop ? std::make_unique<HpccFlow::HopWindows>() : nullptr;
}

void
HpccLaw::Restart(HpccFlow& flow, uint64_t sndNxt) const
{
    flow.Forget(HpccReset::IDLE_GAP);
    flow.windowBytes = flow.initialBytes;
    flow.referenceBytes = flow.initialBytes;
    flow.utilization = m_parameters.initialU;
    flow.incStage = 0;
    flow.lastUpdateSeq = sndNxt;
}

void
HpccLaw::Rollback(HpccFlow& flow, uint64_t sndNxt, bool timeout) const
{
    flow.lastUpdateSeq = std::min(flow.lastUpdateSeq, sndNxt);
    flow.responseSeq = std::min(flow.responseSeq, sndNxt);
    flow.extreme.roundEndSeq = std::min(flow.extreme.roundEndSeq, sndNxt);
    if (timeout)
    {
        flow.Forget(HpccReset::TIMEOUT);
    }
}

void
HpccLaw::ChangePath(HpccFlow& flow) const
{
    flow.Forget(HpccReset::PATH_CHANGE);
}

void
HpccLaw::UpdateWai(HpccFlow& flow, uint16_t reportedFlows) const
{
    if (reportedFlows > 0 && m_parameters.waiBytes == 0)
    {
        const bool lastHop = 2 * flow.roundLastHop > flow.roundSamples;
        const double counted = reportedFlows;
        const double expected = m_parameters.expectedFlows;
        const double share =
            lastHop ? std::max(m_parameters.countedShare / counted, 1 / std::max(counted, expected))
                    : 1 / expected;
        flow.waiBytes = flow.initialBytes * (1 - m_parameters.eta) * share;
    }
}

} // namespace ns3
