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
                "K: share of marked packets from which on a round is congested.",
                HpccField(&RdmaPlb::m_markedShare, 0.5, std::numeric_limits<double>::min(), 1))
            .Attribute("IdleRounds",
                       "M: congested rounds after which the path changes when nothing is in "
                       "flight.",
                       HpccField(&RdmaPlb::m_idleRounds, 3, 1))
            .Attribute("ForceRounds",
                       "N: congested rounds after which the path changes at once.",
                       HpccField(&RdmaPlb::m_forceRounds, 12, 1))
            .Attribute("Suspension",
                       "Time after a time-out in which the path does not change.",
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
