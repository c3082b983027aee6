/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_LAW_H
#define HPCC_TEST_LAW_H

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-law.h"

#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Fixture of the tests of the control law: a flow at 100 Gb/s, and records of the hops on its path.
 */

namespace ns3
{

constexpr uint16_t IDS = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
constexpr uint16_t COUNTERS =
    TELEMETRY_TIMESTAMP | TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;

/// Line rate, bit/s. It is 12.5 bytes/ns. With T = 5 us and N = 100, W_init is 62500 bytes and W_ai
/// is 31.25 bytes.
constexpr double LINE_RATE = 100e9;
constexpr double W_INIT = 62500;

/// Returns a record of a 100 Gb/s port of a switch.
inline HopTelemetry
Hop(uint32_t switchId, uint64_t timestampNs, uint64_t txBytes, uint64_t queueBytes = 0)
{
    HopTelemetry hop{};
    hop.fields = IDS | COUNTERS;
    hop.switchId = switchId;
    hop.portId = 1;
    hop.timestampNs = timestampNs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = 100'000'000'000;
    return hop;
}

class HpccLawTest : public ::testing::Test
{
  protected:
    void Open()
    {
        law.SetParameters(parameters);
        law.Open(flow, LINE_RATE, 0);
    }

    /// Passes records to the control law. The default of the time is the timestamp of the last
    /// record.
    const HpccOutcome& Ack(const std::vector<HopTelemetry>& hops,
                           uint64_t ackSeq,
                           uint64_t sndNxt,
                           int64_t nowNs = -1,
                           int64_t idleNs = 0)
    {
        if (nowNs < 0)
        {
            nowNs = hops.empty() ? 0 : static_cast<int64_t>(hops.back().timestampNs);
        }
        return law.NewAck(flow,
                          {nowNs,
                           ackSeq,
                           sndNxt,
                           idleNs,
                           hops.data(),
                           static_cast<uint32_t>(hops.size()),
                           pathId,
                           reportedFlows,
                           &format});
    }

    /// The part of a flow's state that must not change if an acknowledgement contains no new
    /// information.
    struct Held
    {
        double windowBytes;
        double utilization;
        uint64_t lastUpdateSeq;
    };

    Held Hold() const
    {
        return {flow.windowBytes, flow.utilization, flow.lastUpdateSeq};
    }

    HpccParameters parameters;
    TelemetryCapabilities format{IDS | COUNTERS, 0, 0, false};
    uint16_t pathId{0};
    uint16_t reportedFlows{0};
    HpccLaw law;
    HpccFlow flow;
};

} // namespace ns3

#endif // HPCC_TEST_LAW_H
