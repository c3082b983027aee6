/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-plb.h"

#include "ns3/hpcc-type-id.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPlb);

TypeId
RdmaPlb::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaPlb, RdmaRepathing>("ns3::RdmaPlb")
            .Presets("plb")
            .Attribute(
                "MarkedShare",
                "K: share of marked packets at or above which a round trip is congested.",
                HpccField(&RdmaPlb::m_markedShare, 0.5, std::numeric_limits<double>::min(), 1))
            .Attribute("IdleRounds",
                       "M: consecutive congested round trips after which the path changes as soon "
                       "as nothing is in flight.",
                       HpccField(&RdmaPlb::m_idleRounds, 3, 1))
            .Attribute("ForceRounds",
                       "N: consecutive congested round trips after which the path changes at once.",
                       HpccField(&RdmaPlb::m_forceRounds, 12, 1))
            .Attribute("Suspension",
                       "Time after a time-out for which the path does not change.",
                       HpccField(&RdmaPlb::m_suspension, Seconds(60), Time(0)));
    return tid;
}

RdmaRepathing::Advice
RdmaPlb::OnAck(RdmaPathState& state, const Progress& progress)
{
    state.acked += progress.packets;
    state.marked += progress.marked ? progress.packets : 0;
    const bool idle = progress.unaPsn == progress.nxtPsn;
    if (state.acked > 0 && (progress.unaPsn >= state.roundEndPsn || idle))
    {
        const bool congested = state.marked >= m_markedShare * state.acked;
        state.congestedRounds = congested ? state.congestedRounds + 1 : 0;
        state.acked = 0;
        state.marked = 0;
        state.roundEndPsn = progress.nxtPsn;
    }
    if (state.congestedRounds < (idle ? m_idleRounds : m_forceRounds) ||
        progress.nowNs < state.suspendedUntilNs)
    {
        return {};
    }
    state.congestedRounds = 0;
    return {true};
}

void
RdmaPlb::OnTimeout(RdmaPathState& state, int64_t nowNs)
{
    state.congestedRounds = 0;
    state.suspendedUntilNs = nowNs + m_suspension.GetNanoSeconds();
}

} // namespace ns3
