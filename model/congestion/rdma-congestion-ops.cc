/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-congestion-ops.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaCongestionOps);

TypeId
RdmaCongestionOps::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaCongestionOps").SetParent<Object>().SetGroupName("Hpcc");
    return tid;
}

int64_t
RdmaCongestionOps::GetCnpIntervalNs() const
{
    return 50000;
}

std::string
RdmaCongestionOps::GetDefaultTelemetry() const
{
    return "";
}

std::string
RdmaCongestionOps::GetPortAgent() const
{
    return "";
}

std::string
RdmaCongestionOps::GetDefaultMarking() const
{
    return "";
}

std::string
RdmaCongestionOps::Validate(int64_t, const TelemetryCapabilities*) const
{
    return "";
}

bool
RdmaCongestionOps::NeedsBandwidth(const TelemetryCapabilities&) const
{
    return true;
}

PathSpread
RdmaCongestionOps::GetToleratedSpread(const TelemetryCapabilities*) const
{
    return PathSpread::EVERY_PACKET;
}

void
RdmaCongestionOps::OnPathChange(RdmaCongestionState*, int64_t)
{
}

void
RdmaCongestionOps::SetNetworkBaseRtt(int64_t)
{
}

void
RdmaCongestionOps::OnAck(RdmaCongestionState*, const RdmaAckInfo&)
{
}

void
RdmaCongestionOps::OnCnp(RdmaCongestionState*, int64_t)
{
}

void
RdmaCongestionOps::OnSwitchResponse(RdmaCongestionState*, const RdmaAckInfo&)
{
}

RdmaNotification
RdmaCongestionOps::OnReceiverResponse(RdmaReceiverState*, const RdmaAckInfo&)
{
    return {};
}

std::string
RdmaCongestionOps::ValidateReceiver() const
{
    return GetInstanceTypeId().GetName() + " cannot compute at the receiver";
}

RdmaReceiverState*
RdmaCongestionOps::OpenReceiver(const RdmaReceiverInfo&)
{
    return nullptr;
}

void
RdmaCongestionOps::CloseReceiver(RdmaReceiverState*)
{
}

RdmaNotification
RdmaCongestionOps::OnArrival(RdmaReceiverState*, const RdmaArrivalInfo&)
{
    return {};
}

RdmaNotification
RdmaCongestionOps::OnReceiverTimer(RdmaReceiverState* state, int64_t)
{
    state->timerNs = std::numeric_limits<int64_t>::max();
    return {};
}

void
RdmaCongestionOps::OnNotification(RdmaCongestionState*, int64_t, const RdmaNotification&)
{
}

void
RdmaCongestionOps::OnTimer(RdmaCongestionState* state, int64_t)
{
    state->timerNs = std::numeric_limits<int64_t>::max();
}

void
RdmaCongestionOps::OnSent(RdmaCongestionState*, int64_t, uint32_t)
{
}

void
RdmaCongestionOps::OnAsked(RdmaCongestionState*)
{
}

void
RdmaCongestionOps::OnRollback(RdmaCongestionState*, int64_t, uint64_t, bool)
{
}

void
RdmaCongestionOps::OnRestart(RdmaCongestionState*, int64_t, uint64_t)
{
}

RdmaCongestionSample
RdmaCongestionOps::Observe(const RdmaCongestionState* state) const
{
    RdmaCongestionSample sample;
    sample.windowBytes = state->windowBytes;
    sample.rateBps = state->rateBps;
    return sample;
}

bool
RdmaCongestionOps::TakesWorstHop() const
{
    return false;
}

bool
RdmaCongestionOps::WantsSent() const
{
    return false;
}

} // namespace ns3
