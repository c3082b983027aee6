/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_IOAM_H
#define HPCC_TEST_IOAM_H

#include "hpcc-test-telemetry.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-ioam-trace-format.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of IOAM traces share: formats, two example hops, and a frame.
 */

namespace hpcctest
{

using namespace ns3;

constexpr uint8_t UDP_PROTOCOL = 17;

/// Attribute values of a format.
struct Choice
{
    bool incremental{false};
    bool hopLatency{false};
    bool txBytes{true};
    bool figureOrder{false};
    uint8_t hops{0};
    uint16_t space{123};
};

/// Returns a format with the attribute values of @p choice.
inline Ptr<IoamTraceFormat>
CreateIoam(const Choice& choice = {})
{
    auto format = CreateObject<IoamTraceFormat>();
    format->SetAttribute("Incremental", BooleanValue(choice.incremental));
    format->SetAttribute("HopLatency", BooleanValue(choice.hopLatency));
    format->SetAttribute("TxBytes", BooleanValue(choice.txBytes));
    format->SetAttribute("FigureOrder", BooleanValue(choice.figureOrder));
    format->SetAttribute("NamespaceId", UintegerValue(choice.space));
    format->SetAttribute("Hops", UintegerValue(choice.hops));
    return format;
}

/// @return every combination of the boolean attributes
inline std::vector<Choice>
AllChoices()
{
    std::vector<Choice> choices;
    for (unsigned bits = 0; bits < 16; ++bits)
    {
        choices.push_back({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) == 0, (bits & 8) != 0});
    }
    return choices;
}

/// @return a hop in which every field is set
inline HopSnapshot
FirstHop()
{
    HopSnapshot hop{};
    hop.ttl = 63;
    hop.switchId = 1;
    hop.ingressPort = 201;
    hop.egressPort = 202;
    hop.timestampNs = 5999999999;
    hop.hopLatencyNs = 1234;
    hop.queueBytes = 0;
    hop.txBytes = 0x7ffffff00;
    hop.bandwidthBps = 100000000000;
    return hop;
}

/// Returns a hop whose values exceed their fields or are at a limit.
inline HopSnapshot
SecondHop()
{
    HopSnapshot hop = FirstHop();
    hop.ttl = 62;
    hop.switchId = 0xabcdef;
    hop.ingressPort = 0xfffe;
    hop.egressPort = 0;
    hop.timestampNs = 6000000017;
    hop.hopLatencyNs = 0xffffffff;
    hop.queueBytes = 0x123456;
    hop.txBytes = 7;
    return hop;
}

/// Fills @p frame as an RDMA WRITE ONLY packet with 8 bytes of payload that collects telemetry.
inline void
FillFrame(Frame& frame, const TelemetryFormat& format)
{
    frame.kind = Frame::Kind::ROCE;
    frame.source = 0x0a000001;
    frame.destination = 0x0a000002;
    frame.sourcePort = 0xc001;
    frame.destinationPort = ROCE_UDP_PORT;
    frame.protocol = UDP_PROTOCOL;
    frame.tos = 26 << 2 | ECN_ECT0;
    frame.ttl = 64;
    frame.ipv6 = true;
    frame.opcode = ROCE_WRITE_ONLY;
    frame.bthFlags = ROCE_ACK_REQUEST;
    frame.destinationQp = 0x12;
    frame.psn = 103;
    frame.payloadBytes = 8;
    frame.reth = {0x1122334455667788, 0xdeadbeef, 4096};
    frame.format = &format;
    format.Open(frame.telemetry, {ROCE_UDP_PORT, UDP_PROTOCOL, 26});
}

} // namespace hpcctest

#endif // HPCC_TEST_IOAM_H
