/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-plb.h"

#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPlb);

TypeId
RdmaPlb::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaPlb")
                           .SetParent<RdmaRepathing>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaPlb>(),
                       "plb")
            .AddAttribute("MarkedShare",
                          "K: share of marked packets from which on a round is congested.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RdmaPlb::m_markedShare),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
            .AddAttribute("IdleRounds",
                          "M: congested rounds after which the path changes when nothing is in "
                          "flight.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RdmaPlb::m_idleRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ForceRounds",
                          "N: congested rounds after which the path changes at once.",
                          UintegerValue(12),
                          MakeUintegerAccessor(&RdmaPlb::m_forceRounds),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Suspension",
                          "Time after a time-out in which the path does not change.",
                          TimeValue(Seconds(60)),
                          MakeTimeAccessor(&RdmaPlb::m_suspension),
                          MakeTimeChecker(Time(0)));
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
