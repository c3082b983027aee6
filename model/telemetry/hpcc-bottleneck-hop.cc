/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-bottleneck-hop.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint64_t NONE = UINT64_MAX;
constexpr uint64_t BPS_PER_MBPS = 1000000;

uint32_t
QueueWord(const HopTelemetry& hop)
{
    return static_cast<uint32_t>(std::min<uint64_t>(hop.queueBytes, UINT32_MAX));
}

/// Returns the sent bytes if the format carries them, otherwise the utilisation in millionths.
uint64_t
Progress(const TelemetryCapabilities& format, const HopTelemetry& hop)
{
    return format.fields & TELEMETRY_TX_BYTES
               ? hop.txBytes
               : static_cast<uint64_t>(std::llround(hop.utilization * 1e6));
}

void
SetProgress(const TelemetryCapabilities& format, uint64_t value, HopTelemetry& hop)
{
    hop.txBytes = value;
    hop.utilization = static_cast<double>(value) / 1e6;
    hop.fields = format.fields & (TELEMETRY_TIMESTAMP | TELEMETRY_QUEUE | TELEMETRY_TX_BYTES |
                                  TELEMETRY_UTILIZATION);
}

void
Store(uint64_t value, uint32_t* words)
{
    words[0] = static_cast<uint32_t>(value >> 32);
    words[1] = static_cast<uint32_t>(value);
}

uint64_t
Load(const uint32_t* words)
{
    return uint64_t{words[0]} << 32 | words[1];
}

} // namespace

void
HpccBottleneckHop::Write(const TelemetryCapabilities& format, uint32_t* words) const
{
    words[0] = now.switchId;
    words[1] = now.portId;
    words[2] = QueueWord(now);
    words[3] = QueueWord(before);
    const bool carriesRate = format.fields & now.fields & TELEMETRY_BANDWIDTH;
    words[4] = carriesRate ? static_cast<uint32_t>(now.bandwidthBps / BPS_PER_MBPS) : 0;
    Store(now.timestampNs, words + 5);
    Store(Progress(format, now), words + 7);
    Store(before.fields ? before.timestampNs : NONE, words + 9);
    Store(before.fields ? Progress(format, before) : NONE, words + 11);
}

void
HpccBottleneckHop::Read(const TelemetryCapabilities& format, const uint32_t* words)
{
    now = {};
    before = {};
    now.switchId = words[0];
    now.portId = words[1];
    now.queueBytes = words[2];
    now.bandwidthBps = words[4] * BPS_PER_MBPS;
    now.timestampNs = Load(words + 5);
    SetProgress(format, Load(words + 7), now);
    now.fields |= format.fields & (TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID);
    now.fields |= now.bandwidthBps ? TELEMETRY_BANDWIDTH : 0;
    if (Load(words + 9) != NONE)
    {
        before = now;
        before.queueBytes = words[3];
        before.timestampNs = Load(words + 9);
        SetProgress(format, Load(words + 11), before);
        before.fields = now.fields;
    }
}

void
HpccBottleneckHop::WriteBare(const TelemetryCapabilities& format, uint32_t* words) const
{
    words[0] = QueueWord(now);
    Store(now.timestampNs, words + 1);
    Store(Progress(format, now), words + 3);
}

void
HpccBottleneckHop::ReadBare(const TelemetryCapabilities& format, const uint32_t* words)
{
    now = {};
    before = {};
    now.queueBytes = words[0];
    now.timestampNs = Load(words + 1);
    SetProgress(format, Load(words + 3), now);
}

TelemetryCapabilities
HpccBottleneckHop::BareCapabilities(const TelemetryCapabilities& format)
{
    TelemetryCapabilities bare = format;
    bare.fields &= TELEMETRY_TIMESTAMP | TELEMETRY_QUEUE | TELEMETRY_TX_BYTES |
                   TELEMETRY_UTILIZATION | TELEMETRY_BANDWIDTH;
    bare.pathIdentified = false;
    return bare;
}

bool
HpccBottleneckHop::CanReport(const TelemetryCapabilities& format)
{
    return !format.pathExtreme && format.fields & TELEMETRY_QUEUE &&
           format.fields & (TELEMETRY_TX_BYTES | TELEMETRY_UTILIZATION);
}

} // namespace ns3
