/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-base.h"

#include <algorithm>
#include <cmath>

// Runs the control law of RdmaHpccBase at the receiver.

namespace ns3
{

RdmaReceiverOps*
RdmaHpccBase::GetReceiver()
{
    return this;
}

std::string
RdmaHpccBase::ValidateCompute() const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (ChecksFeedback())
    {
        return name + "::CheckFeedback is true, but must be false if the receiver computes the "
                      "window, because it returns no reports";
    }
    if (m_restartAtLineRate)
    {
        return name + "::RestartAtLineRate is true, but must be false if the receiver computes "
                      "the window, because it cannot detect a restart of the sender";
    }
    return "";
}

RdmaReceiverState*
RdmaHpccBase::OpenReceiver(const RdmaReceiverInfo& info)
{
    auto* own = new RdmaHpccReceiver;
    m_law.SetParameters(GetLawParameters());
    m_law.Open(own->flow, static_cast<double>(info.flow.lineRateBps), 0);
    own->flow.sprayed = info.flow.multipath == Multipath::EVERY_PACKET;
    own->rule.Open(info.commitRule, GetBaseRttNs());
    own->flowId = info.flow.flowId;
    own->flow.sparse = info.flow.sparse;
    own->flow.thinned = info.flow.thinned;
    return own;
}

void
RdmaHpccBase::CloseReceiver(RdmaReceiverState* state)
{
    delete static_cast<RdmaHpccReceiver*>(state);
}

RdmaNotification
RdmaHpccBase::OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival)
{
    auto& own = *static_cast<RdmaHpccReceiver*>(state);
    HpccFlow& flow = own.flow;
    own.current = arrival.current;
    if (arrival.newPath)
    {
        m_law.ChangePath(flow);
    }
    if (arrival.hopCount == 0)
    {
        return {};
    }
    const auto pacedNs = static_cast<int64_t>(arrival.linkBytes * 8e9 / m_law.RateBps(flow));
    const bool held = own.rule.Holds(arrival.nowNs,
                                     arrival.current,
                                     QueueDelayNs(arrival.hops, arrival.hopCount));
    const HpccOutcome& outcome = m_law.NewInt(flow,
                                              {arrival.nowNs,
                                               0,
                                               0,
                                               std::max<int64_t>(arrival.idleNs - pacedNs, 0),
                                               arrival.hops,
                                               arrival.hopCount,
                                               arrival.pathId,
                                               arrival.reportedFlows,
                                               arrival.telemetry},
                                              held);
    TraceOutcome(own.flowId, flow, outcome);
    if (outcome.branch != HpccBranch::COMMIT)
    {
        return {};
    }
    own.rule.Commit(arrival.nowNs);
    own.current = false;
    own.sent = true;
    return {true,
            flow.extreme.delayNs > 0,
            static_cast<uint64_t>(std::llround(m_law.RateBps(flow))),
            flow.windowBytes};
}

RdmaNotification
RdmaHpccBase::OnReceiverResponse(RdmaReceiverState* state, const RdmaAckInfo& response)
{
    auto& own = *static_cast<RdmaHpccReceiver*>(state);
    HpccFlow& flow = own.flow;
    // On a single path, the packet that caused the response has not arrived yet, so it left no
    // earlier than the last packet that has arrived. If that last packet left after the sender had
    // applied the newest window (own.current), so did the packet that caused the response. If each
    // packet takes its own path, the order of arrival proves nothing. In that case, responses are
    // exempt from the rule only until the receiver has sent its first window. Until then, all
    // packets have left under the initial window.
    const bool current = own.current && !(flow.sprayed && own.sent);
    if (own.rule.Holds(response.nowNs, current, QueueDelayNs(response.hops, response.hopCount)))
    {
        return {};
    }
    // T is counted from the last commit. Before the first commit, a response need not wait for T.
    const auto nowNs = static_cast<uint64_t>(response.nowNs);
    const HpccOutcome& outcome =
        m_law.TakeResponse(flow,
                           {response.nowNs,
                            own.sent ? nowNs : std::max(nowNs, flow.lastUpdateSeq + 1),
                            static_cast<uint64_t>(response.nowNs + GetBaseRttNs()),
                            0,
                            response.hops,
                            response.hopCount,
                            response.pathId,
                            0,
                            response.telemetry});
    TraceOutcome(own.flowId, flow, outcome);
    if (outcome.branch != HpccBranch::COMMIT)
    {
        return {};
    }
    own.rule.Commit(response.nowNs);
    own.current = false;
    own.sent = true;
    return {true, true, static_cast<uint64_t>(std::llround(m_law.RateBps(flow))), flow.windowBytes};
}

} // namespace ns3
