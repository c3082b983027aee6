/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-feedback.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-presets.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFeedback);

TypeId
RdmaFeedback::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaFeedback")
                           .SetParent<Object>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaFeedback>(),
                       "packet;every-8=Forward:Interval;random=Forward:Random;"
                       "per-rtt=Forward:Round")
            .AddAttribute("Forward",
                          "Which data packets collect telemetry: Packet (all), Interval, Random, "
                          "or Round.",
                          EnumValue(EVERY_PACKET),
                          MakeHpccEnumAccessor<Forward>(&RdmaFeedback::m_forward),
                          MakeEnumChecker(EVERY_PACKET,
                                          "Packet",
                                          INTERVAL,
                                          "Interval",
                                          RANDOM,
                                          "Random",
                                          ROUND,
                                          "Round"))
            .AddAttribute("Interval",
                          "One data packet in so many collects telemetry, with Forward Interval.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaFeedback::m_interval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Probability",
                          "Share of data packets that collect telemetry, with Forward Random.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&RdmaFeedback::m_probability),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
            .AddAttribute("Round",
                          "Time between two data packets that collect telemetry, with Forward "
                          "Round; 0 for the network's base RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaFeedback::m_round),
                          MakeTimeChecker(Time(0)));
    return tid;
}

std::string
RdmaFeedback::Validate() const
{
    return "";
}

void
RdmaFeedback::Open(State& state, int64_t networkBaseRttNs) const
{
    state.how = this;
    state.roundNs = m_round.IsZero() ? networkBaseRttNs : m_round.GetNanoSeconds();
}

bool
RdmaFeedback::Samples(State& state, int64_t nowNs, UniformRandomVariable& random) const
{
    switch (m_forward)
    {
    case INTERVAL:
        if (state.untilSample > 0)
        {
            --state.untilSample;
            return false;
        }
        state.untilSample = m_interval - 1;
        return true;
    case RANDOM:
        return random.GetValue() < m_probability;
    case ROUND:
        if (nowNs < state.nextRoundNs)
        {
            return false;
        }
        state.nextRoundNs = nowNs + state.roundNs;
        return true;
    default:
        return true;
    }
}

} // namespace ns3
