/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-signal-request.h"

namespace ns3
{

namespace
{

/**
 * Returns the quantity to request next if the queue delay may be requested at most @p most times in
 * a row.
 * @param extreme state of a flow
 * @param most largest number of consecutive requests for the queue delay
 */
uint16_t
NextInTurn(const HpccFlow::Extreme& extreme, uint8_t most)
{
    return extreme.delaysAsked < most ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
}

/**
 * Returns the quantity to request next if only some records return to the sender.
 * @param extreme state of a flow
 */
uint16_t
NextForRecord(const HpccFlow::Extreme& extreme)
{
    if (extreme.delayNs == 0 && !extreme.mayQueue)
    {
        return TELEMETRY_UTILIZATION;
    }
    return NextInTurn(extreme, 1);
}

/**
 * Stores which quantity a packet requests.
 * @param extreme the flow's state
 * @param request quantity that the packet requests
 */
void
NoteTurn(HpccFlow::Extreme& extreme, uint16_t request)
{
    extreme.delaysAsked = request == TELEMETRY_QUEUE_DELAY ? extreme.delaysAsked + 1 : 0;
}

} // namespace

uint16_t
HpccSignalRequest::WantedSignal(const HpccFlow& flow)
{
    const HpccFlow::Extreme& extreme = flow.extreme;
    if (extreme.packetsPerRecord == 0)
    {
        const bool queued = extreme.delayNs > 0;
        const bool other = extreme.packets % 4 == 3;
        return queued != other ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
    }
    if (extreme.packets % extreme.packetsPerRecord > 0)
    {
        return extreme.delaysAsked > 0 ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
    }
    return NextForRecord(extreme);
}

void
HpccSignalRequest::NoteSent(HpccFlow& flow)
{
    HpccFlow::Extreme& extreme = flow.extreme;
    if (extreme.packetsPerRecord > 0 && extreme.packets % extreme.packetsPerRecord == 0)
    {
        NoteTurn(extreme, NextForRecord(extreme));
    }
    ++extreme.packets;
}

uint16_t
HpccSignalRequest::AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, bool single)
{
    ++flow.extreme.packets;
    if (!AsksInTurn(telemetry))
    {
        return 0;
    }
    if (!single)
    {
        return WantedSignal(flow);
    }
    const uint16_t request = NextInTurn(flow.extreme, flow.extreme.delayNs > 0 ? 2 : 1);
    NoteTurn(flow.extreme, request);
    return request;
}

} // namespace ns3
