/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pcn.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPcn);

TypeId
RdmaPcn::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaPcn, RdmaCongestionOps>("ns3::RdmaPcn")
            .Presets("pcn;"
                     "pcn:paper")
            .Attribute("Interval",
                       "Time T for which the receiver measures before it notifies the sender.",
                       HpccField(&RdmaPcn::m_interval, MicroSeconds(50), NanoSeconds(1)))
            .Attribute(
                "CongestedShare",
                "Share of marked packets at or above which a flow counts as congested.",
                HpccField(&RdmaPcn::m_congestedShare, 0.95, std::numeric_limits<double>::min(), 1))
            .Attribute(
                "MinWeight",
                "Weight w_min of the first increase; a decrease sets the rate to at most 1 - w_min "
                "times the receiving rate.",
                HpccField(&RdmaPcn::m_minWeight, 1.0 / 128, std::numeric_limits<double>::min(), 1))
            .Attribute("MaxWeight",
                       "Weight w_max to which the weight w of increases converges.",
                       HpccField(&RdmaPcn::m_maxWeight, 0.5, std::numeric_limits<double>::min(), 1))
            .Attribute("MinRate",
                       "Lower bound of the rate, above 0.",
                       HpccField(&RdmaPcn::m_minRate, DataRate("1Mbps")))
            .Trace("Rate",
                   "Rate, bit/s.",
                   &RdmaPcn::m_traceRate,
                   "ns3::RdmaPcn::FlowValueTracedCallback")
            .Trace("Weight",
                   "Weight w of the next increase.",
                   &RdmaPcn::m_traceWeight,
                   "ns3::RdmaPcn::FlowValueTracedCallback");
    return tid;
}

RdmaPolicyDescription
RdmaPcn::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.ecn = RdmaPolicyDescription::ECT1;
    needs.receiverPart = true;
    needs.minRateBps = m_minRate.GetBitRate();
    needs.switchAgent = "np-ecn";
    return needs;
}

std::string
RdmaPcn::Validate(int64_t, const TelemetryCapabilities*) const
{
    const std::string name = GetInstanceTypeId().GetName();
    if (m_minWeight > m_maxWeight)
    {
        return name + "::MinWeight is " + std::to_string(m_minWeight) +
               ", allowed is at most MaxWeight, " + std::to_string(m_maxWeight);
    }
    return ValidateMinRate(m_minRate);
}

void
RdmaPcn::DoOpen(RdmaPcnState& state, const RdmaFlowInfo&, int64_t)
{
    state.weight = m_minWeight;
    state.lineRateBps = state.rateBps;
}

RdmaReceiverOps*
RdmaPcn::GetReceiver()
{
    return this;
}

std::string
RdmaPcn::ValidateCompute() const
{
    return GetInstanceTypeId().GetName() + " cannot compute at the receiver";
}

RdmaReceiverState*
RdmaPcn::OpenReceiver(const RdmaReceiverInfo&)
{
    return new RdmaPcnReceiver();
}

void
RdmaPcn::CloseReceiver(RdmaReceiverState* state)
{
    delete static_cast<RdmaPcnReceiver*>(state);
}

RdmaNotification
RdmaPcn::OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival)
{
    auto& own = *static_cast<RdmaPcnReceiver*>(state);
    if (own.timerNs == std::numeric_limits<int64_t>::max())
    {
        own.timerNs = arrival.nowNs + m_interval.GetNanoSeconds();
    }
    if (own.packets == 0)
    {
        own.gapNs = own.lastArrivalNs < 0 ? 0 : arrival.nowNs - own.lastArrivalNs;
    }
    own.lastArrivalNs = arrival.nowNs;
    own.bytes += arrival.linkBytes;
    ++own.packets;
    own.marked += arrival.congestionExperienced;
    return {};
}

RdmaNotification
RdmaPcn::OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs)
{
    auto& own = *static_cast<RdmaPcnReceiver*>(state);
    if (own.packets == 0)
    {
        own.timerNs = std::numeric_limits<int64_t>::max();
        return {};
    }
    const int64_t intervalNs = m_interval.GetNanoSeconds();
    const int64_t measuredNs = own.packets == 1 ? std::max(intervalNs, own.gapNs) : intervalNs;
    RdmaNotification notification;
    notification.given = true;
    notification.congested = own.marked >= m_congestedShare * own.packets;
    notification.rateBps = static_cast<uint64_t>(static_cast<double>(own.bytes) * 8e9 /
                                                 static_cast<double>(measuredNs));
    own.timerNs = nowNs + intervalNs;
    own.bytes = 0;
    own.packets = 0;
    own.marked = 0;
    return notification;
}

void
RdmaPcn::OnCongestionMessage(RdmaCongestionState* state, const RdmaCongestionMessage& message)
{
    if (!message.notification)
    {
        return;
    }
    const RdmaNotification& notification = *message.notification;
    auto& own = Own(state);
    double rateBps = 0;
    if (notification.congested)
    {
        const double receivedBps = static_cast<double>(notification.rateBps) * (1 - m_minWeight);
        rateBps = std::min(own.rateBps, receivedBps);
        own.weight = m_minWeight;
    }
    else
    {
        rateBps = own.rateBps * (1 - own.weight) + own.lineRateBps * own.weight;
        own.weight = own.weight * (1 - own.weight) + m_maxWeight * own.weight;
    }
    const double floorBps = std::min(static_cast<double>(m_minRate.GetBitRate()), own.lineRateBps);
    own.rateBps = std::max(rateBps, floorBps);
    m_traceRate(own.flowId, own.rateBps);
    m_traceWeight(own.flowId, own.weight);
}

RdmaControlGoal::Goal
RdmaPcn::GetGoal(const Bottleneck& bottleneck) const
{
    // Flows start at the line rate. After one interval each receiver has sent the receiving rate to
    // its sender.
    const double reactionNs = bottleneck.baseRttNs + m_interval.GetDouble();
    return {bottleneck.markBytes + (bottleneck.flows - 1) * bottleneck.BytesIn(reactionNs),
            0.7,
            FAIR};
}

} // namespace ns3
