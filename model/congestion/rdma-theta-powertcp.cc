/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-theta-powertcp.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaThetaPowerTcp);

TypeId
RdmaThetaPowerTcp::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaThetaPowerTcp, RdmaPowerTcpBase>("ns3::RdmaThetaPowerTcp"),
                      UPDATE_ROUND_TRIP)
            .Presets("theta-powertcp;"
                     "theta-powertcp:paper=MinCurrent:0;"
                     "theta-powertcp:authors=Gamma:0.7,RateAi:150Mbps,Eta:1.05,"
                     "EwmaWindow:Reference,Update:Ack,MinRttTracked:true,MinRate:100Mbps")
            .Attribute("MinRttTracked",
                       "Whether the power is computed with the smallest RTT seen if that is below "
                       "tau. False: with tau.",
                       HpccField(&RdmaThetaPowerTcp::m_minRttTracked, false));
    return tid;
}

RdmaPolicyDescription
RdmaThetaPowerTcp::Describe(const TelemetryCapabilities* telemetry) const
{
    RdmaPolicyDescription needs = RdmaPowerTcpBase::Describe(telemetry);
    needs.rttOfEachAck = true;
    return needs;
}

void
RdmaThetaPowerTcp::DoOpen(RdmaThetaPowerTcpState& state, const RdmaFlowInfo& info, int64_t)
{
    state.baseRttNs =
        HasBaseRtt() || info.baseRttNs <= 0 ? GetBaseRttNs() : static_cast<double>(info.baseRttNs);
    Start(state, info, state.baseRttNs);
}

void
RdmaThetaPowerTcp::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    if (ack.rttNs < 0 || (own.lastRttNs >= 0 && ack.nowNs <= own.lastNs))
    {
        return;
    }
    const auto rtt = static_cast<double>(ack.rttNs);
    if (m_minRttTracked)
    {
        own.baseRttNs = std::min(own.baseRttNs, rtt);
    }
    const bool first = own.lastRttNs < 0;
    const auto dt = static_cast<double>(ack.nowNs - own.lastNs);
    const double gradient = static_cast<double>(ack.rttNs - own.lastRttNs) / dt;
    own.lastRttNs = ack.rttNs;
    own.lastNs = ack.nowNs;
    if (first)
    {
        own.lastUpdateSeq = ack.sndNxt;
        return;
    }
    const double power = std::max(gradient + 1, GetMinCurrent()) * rtt / own.baseRttNs;
    const double weight = std::min(dt / own.baseRttNs, 1.0);
    own.power = (1 - weight) * own.power + weight * power;
    Follow(own, ack);
}

void
RdmaThetaPowerTcp::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    auto& own = Own(state);
    own.lastUpdateSeq = std::min(own.lastUpdateSeq, loss.sndNxt);
    own.lastRttNs = -1;
}

} // namespace ns3
