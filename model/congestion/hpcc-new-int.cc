/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"
#include "hpcc-reaction.h"

// Implements the control law of a receiver: lines 28 to 34 of draft-miao-tsv-hpcc-01, section
// 6.3.2. Calls without a line number belong to variants. MeasureInflight and ComputeWind are in
// hpcc-new-ack.cc.

namespace ns3
{

const HpccOutcome&
HpccLaw::NewInt(HpccFlow& flow, HpccSample packet, bool held) // line 28
{
    // At the receiver, HpccFlow::lastUpdateSeq is a time in ns: lastUpdateTime + T.
    const auto now = static_cast<uint64_t>(packet.nowNs);
    packet.ackSeq = now;
    packet.sndNxt = now + static_cast<uint64_t>(m_parameters.baseRttNs);
    if (!Measure(flow, packet)) // lines 30 and 34: MeasureInflight(int)
    {
        return m_outcome;
    }
    if (now > flow.lastUpdateSeq && !held) // line 29
    {
        UpdateWai(flow, packet.reportedFlows);
        flow.windowBytes = ComputeWind(flow, true); // line 30
        m_outcome.branch = HpccBranch::COMMIT;      // line 31: the caller sends W
        flow.lastUpdateSeq = packet.sndNxt;         // line 32
    }
    else if (HpccReaction::FollowsBetweenCommits(m_parameters)) // line 33
    {
        flow.windowBytes = ComputeWind(flow, false); // line 34
        m_outcome.branch = HpccBranch::FAST;
    }
    BoundByResponse(flow, packet);
    return m_outcome;
}

} // namespace ns3
