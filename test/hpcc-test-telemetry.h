/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_TELEMETRY_H
#define HPCC_TEST_TELEMETRY_H

#include "hpcc-test-bytes.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of telemetry formats share: creation of hops, and encoding and decoding
 * of stacks.
 */

namespace hpcctest
{

using namespace ns3;

constexpr uint64_t GBPS = 1000000000;
constexpr uint32_t AMPLE_ROOM = 10000;
constexpr uint16_t ROCE_PORT = 4791;

/// Returns the telemetry format with the short name @p preset.
inline Ptr<TelemetryFormat>
CreateFormat(const std::string& preset)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), preset, factory)) << preset;
    return factory.Create<TelemetryFormat>();
}

/// Returns the telemetry stack of a RoCE packet when the source host sends it.
inline TelemetryStack
OpenStack(const TelemetryFormat& format)
{
    TelemetryStack stack{};
    format.Open(stack, {ROCE_PORT, 17, 26});
    return stack;
}

/// Returns a hop at 100 Gb/s. Every format can carry at least one of its values.
inline HopSnapshot
PlainHop()
{
    HopSnapshot hop{};
    hop.timestampNs = 123456789;
    hop.txBytes = 128000;
    hop.bandwidthBps = 100 * GBPS;
    hop.queueBytes = 8000;
    hop.switchId = 7;
    hop.egressPort = 2;
    hop.ingressPort = 1;
    hop.hopLatencyNs = 900;
    hop.utilizationPpm = 500000;
    hop.queueId = 3;
    hop.ttl = 63;
    return hop;
}

/// Returns a random hop. Half of these hops have ids that any format can carry.
inline HopSnapshot
RandomHop(std::mt19937_64& random)
{
    HopSnapshot hop{};
    hop.timestampNs = random();
    hop.txBytes = random();
    hop.bandwidthBps = std::array<uint64_t, 4>{10, 100, 400, 333}[random() % 4] * GBPS;
    hop.queueBytes = random() >> random() % 64;
    const bool smallIds = random() % 2;
    hop.switchId = smallIds ? random() % 4096 : random();
    hop.egressPort = smallIds ? random() % 256 : random() >> random() % 64;
    hop.ingressPort = smallIds ? random() % 256 : random() >> random() % 64;
    hop.hopLatencyNs = random();
    hop.utilizationPpm = random() % 1000001;
    hop.queueId = random() % 8;
    hop.ttl = random();
    hop.ecn = random() % 4;
    return hop;
}

/// Inserts a hop into an empty stack, and returns the values of this hop that the format carries.
inline HopTelemetry
InsertAndRead(const TelemetryFormat& format, const HopSnapshot& hop)
{
    TelemetryStack stack = OpenStack(format);
    EXPECT_GE(format.Insert(stack, hop, AMPLE_ROOM), 0);
    return format.Read(stack, 0);
}

/// @return the telemetry as encoded in a data packet
inline Bytes
ToBytes(const TelemetryFormat& format, const TelemetryStack& stack)
{
    Bytes bytes(format.GetWireBytes(stack));
    format.Serialize(stack, bytes.data());
    return bytes;
}

/// @return the records as encoded in an acknowledgement
inline Bytes
RecordsToBytes(const TelemetryFormat& format, const TelemetryStack& stack)
{
    Bytes bytes(format.GetReflectedBytes(stack));
    format.SerializeRecords(stack, bytes.data());
    return bytes;
}

/// Decodes telemetry from a memory block of exactly the size of @p bytes, so that a sanitizer
/// detects reads beyond its end.
inline size_t
FromBytes(const TelemetryFormat& format, const Bytes& bytes, TelemetryStack& stack)
{
    Bytes exact(bytes.begin(), bytes.end());
    exact.shrink_to_fit();
    return format.Deserialize(exact.data(), exact.size(), stack);
}

/// Expects that all values of two records are equal.
inline void
ExpectSameHop(const HopTelemetry& a, const HopTelemetry& b)
{
    EXPECT_EQ(a.timestampNs, b.timestampNs);
    EXPECT_EQ(a.txBytes, b.txBytes);
    EXPECT_EQ(a.bandwidthBps, b.bandwidthBps);
    EXPECT_EQ(a.queueBytes, b.queueBytes);
    EXPECT_EQ(a.utilization, b.utilization);
    EXPECT_EQ(a.switchId, b.switchId);
    EXPECT_EQ(a.portId, b.portId);
    EXPECT_EQ(a.hopLatencyNs, b.hopLatencyNs);
    EXPECT_EQ(a.fields, b.fields);
}

/// Expects that all records of two stacks are equal.
inline void
ExpectSameRecords(const TelemetryFormat& format, const TelemetryStack& a, const TelemetryStack& b)
{
    ASSERT_EQ(a.hops, b.hops);
    EXPECT_EQ(a.pathId, b.pathId);
    for (uint32_t i = 0; i < a.hops; ++i)
    {
        ExpectSameHop(format.Read(a, i), format.Read(b, i));
    }
}

} // namespace hpcctest

#endif // HPCC_TEST_TELEMETRY_H
