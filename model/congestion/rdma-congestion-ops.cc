/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-ops.h"

#include "rdma-receiver-ops.h"

#include "ns3/hpcc-type-id.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid = HpccTypeId::Of<RdmaCongestionOps, Object>("ns3::RdmaCongestionOps");
    return tid;
}

std::string
RdmaCongestionOps::ValidateReceiver()
{
    const RdmaReceiverOps* receiver = GetReceiver();
    return receiver ? receiver->ValidateCompute()
                    : GetInstanceTypeId().GetName() + " cannot compute at the receiver";
}

std::string
RdmaCongestionOps::ValidateBaseRtt(const Time& own) const
{
    return BaseRttNs(own) > 0
               ? ""
               : GetInstanceTypeId().GetName() +
                     "::T is 0 and the network's base RTT is unknown: T must be above 0";
}

std::string
RdmaCongestionOps::ValidateMinRate(const DataRate& own) const
{
    return own.GetBitRate() > 0
               ? ""
               : GetInstanceTypeId().GetName() + "::MinRate is 0bps, allowed is above 0";
}

RdmaPolicyDescription
RdmaCongestionDefaults::Describe(const TelemetryCapabilities*) const
{
    return {};
}

std::string
RdmaCongestionDefaults::Validate(int64_t, const TelemetryCapabilities*) const
{
    return "";
}

RdmaCongestionSample
RdmaCongestionDefaults::Observe(const RdmaCongestionState* state) const
{
    RdmaCongestionSample sample;
    sample.windowBytes = state->windowBytes;
    sample.rateBps = state->rateBps;
    return sample;
}

RdmaReceiverOps*
RdmaCongestionDefaults::GetReceiver()
{
    return nullptr;
}

void
RdmaCongestionDefaults::OnAck(RdmaCongestionState*, const RdmaAckInfo&)
{
}

void
RdmaCongestionDefaults::OnCongestionMessage(RdmaCongestionState*, const RdmaCongestionMessage&)
{
}

void
RdmaCongestionDefaults::OnSwitchResponse(RdmaCongestionState*, const RdmaAckInfo&)
{
}

void
RdmaCongestionDefaults::OnTimer(RdmaCongestionState* state, int64_t)
{
    state->timerNs = std::numeric_limits<int64_t>::max();
}

void
RdmaCongestionDefaults::OnSent(RdmaCongestionState*, const RdmaSentInfo&)
{
}

void
RdmaCongestionDefaults::OnLoss(RdmaCongestionState*, const RdmaLossInfo&)
{
}

void
RdmaCongestionDefaults::OnRestart(RdmaCongestionState*, const RdmaRestartInfo&)
{
}

void
RdmaCongestionDefaults::OnPathChange(RdmaCongestionState*, int64_t)
{
}

RdmaNotification
RdmaReceiverOps::OnReceiverResponse(RdmaReceiverState*, const RdmaAckInfo&)
{
    return {};
}

RdmaNotification
RdmaReceiverOps::OnReceiverTimer(RdmaReceiverState* state, int64_t)
{
    state->timerNs = std::numeric_limits<int64_t>::max();
    return {};
}

} // namespace ns3
