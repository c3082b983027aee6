/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Drives the policy "aimd" without a network: its events are called one by one.

#include "hpcc-own-policy.h"

#include "ns3/hpcc-presets.h"

#include <iostream>

using namespace ns3;

int g_failed = 0;

void
Expect(double actual, double expected, const char* sentence)
{
    if (actual != expected)
    {
        std::cerr << "FAILED: " << sentence << ": " << actual << ", not " << expected << "\n";
        ++g_failed;
    }
}

/// @return an acknowledgement of bytes 0 to ackSeq with one record of telemetry
RdmaAckInfo
MakeAck(uint64_t ackSeq, uint64_t sndNxt, uint64_t queueBytes)
{
    static HopTelemetry hop{};
    hop.fields = TELEMETRY_QUEUE;
    hop.queueBytes = queueBytes;
    RdmaAckInfo ack{};
    ack.ackSeq = ackSeq;
    ack.sndNxt = sndNxt;
    ack.newlyAckedBytes = 1000;
    ack.hops = &hop;
    ack.hopCount = 1;
    return ack;
}

int
main()
{
    ObjectFactory factory;
    if (!HpccPresets::Find(RdmaCongestionOps::GetTypeId(), "aimd", factory))
    {
        std::cerr << "FAILED: no policy is called aimd\n";
        return 1;
    }
    auto policy = factory.Create<RdmaCongestionOps>();

    // Flow 7 at 100 Gb/s, packets of 1,000 bytes with 90 bytes of headers, base RTT 8 us.
    RdmaCongestionState* flow = policy->Open({7, 100'000'000'000, 1000, 90, 8000, 0}, 0);
    Expect(flow->windowBytes, 100000, "a flow starts with line rate times base RTT");

    policy->OnAck(flow, MakeAck(1000, 100000, 60000));
    Expect(flow->windowBytes, 50000, "a queue above the threshold halves the window");

    policy->OnAck(flow, MakeAck(2000, 101000, 60000));
    Expect(flow->windowBytes, 50020, "a second cut waits for a round trip");

    policy->OnAck(flow, MakeAck(100000, 150000, 60000));
    Expect(flow->windowBytes, 25010, "and comes after it");

    policy->Close(flow);
    std::cout << (g_failed == 0 ? "aimd: all checks passed\n" : "");
    return g_failed;
}
