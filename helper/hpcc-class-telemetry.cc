/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-class-telemetry.h"

#include "ns3/hpcc-input-error.h"

namespace ns3
{

void
HpccClassTelemetry::Check(TelemetryAgent::Bandwidth bandwidth) const
{
    if (bandwidth == TelemetryAgent::LINE_RATE)
    {
        return;
    }
    const bool residual = bandwidth == TelemetryAgent::RESIDUAL;
    const TelemetryCapabilities& carried = format.GetCapabilities();
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    const bool normalised = carried.pathExtreme || !needsBandwidth;
    std::string why;
    if (needsSwitchAgent || !format.GetSwitchAgent().empty())
    {
        why = "the switch agent that it needs measures whole ports; allowed is LineRate";
    }
    else if (residual && carried.fields & TELEMETRY_TX_BYTES)
    {
        why = "it has one byte counter and cannot report what other classes leave; allowed are "
              "Share, LineRate, and formats that carry the utilisation";
    }
    else if (residual && !normalised)
    {
        why = "it does not carry the residual bandwidth, which " + algorithm +
              " must know to judge a queue length; allowed are Share, LineRate, and a sojourn time "
              "as the queue signal";
    }
    else if (!residual && !normalised && (carried.fields & ids) != ids)
    {
        why =
            "it does not say which hop a share belongs to; allowed are LineRate, and formats with "
            "the ids of hops";
    }
    HPCC_REFUSE_IF(!why.empty(),
                   "ns3::TelemetryAgent::Bandwidth " +
                       std::string(residual ? "Residual" : "Share") + " with telemetry format " +
                       telemetryName + ": " + why);
}

} // namespace ns3
