/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares the module with IOAM traces that Linux routers have filled.
// test/oracle/check_ioam_kernel.py has recorded the traces.

#include "hpcc-test-ioam.h"

#include "ns3/hpcc-frame-codec.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Formats of the packets that were sent to the routers, by name.
const std::map<std::string, Choice> KERNEL_CASES{
    {"room-for-3", {false, false, false, false, 3}},
    {"room-for-1", {false, false, false, false, 1}},
    {"tx-bytes", {false, false, true, false, 0}},
    {"transit-delay", {false, true, true, false, 0}},
    {"transit-delay-only", {false, true, false, false, 0}},
};

/// The routers' ids, as check_ioam_kernel.py sets them.
struct Router
{
    uint32_t node;
    uint32_t ingress;
    uint32_t egress;
};

constexpr Router ROUTERS[] = {{1, 201, 202}, {2, 301, 302}};

/// Returns the path at which check_ioam_kernel.py expects the file @p name.
/// @return the path; empty if HPCC_ORACLE_DIR is not set
std::string
OraclePath(const std::string& name)
{
    const char* directory = std::getenv("HPCC_ORACLE_DIR");
    return directory ? directory + ("/" + name) : "";
}

Bytes
SentToRouters(const Choice& choice)
{
    Frame frame{};
    Ptr<IoamTraceFormat> format = CreateIoam(choice);
    FillFrame(frame, *format);
    return FrameCodec::Encode(frame, SOURCE, DESTINATION);
}

/// @return the bytes from the IP header on, in hexadecimal
std::string
IpOf(const Bytes& frame)
{
    return ToHex({frame.begin() + ETHERNET_HEADER_BYTES, frame.end()});
}

/// Clears the fields that depend on clocks and queues, and the fields that the kernel does not
/// fill.
void
TakeOut(const Choice& choice, TelemetryStack& stack)
{
    uint32_t words = 4 + choice.hopLatency + choice.txBytes;
    for (uint32_t hop = 0; hop < stack.hops; ++hop)
    {
        std::fill_n(&stack.words[hop * words + 2], words - 2, 0);
    }
}

/// A frame as sent to the routers, and as received behind them.
struct Passage
{
    std::string name;
    Bytes sent;
    Bytes received;
};

std::vector<Passage>
ReadPassages(const std::string& path)
{
    std::ifstream file(path);
    std::vector<Passage> passages;
    std::string name;
    std::string sent;
    std::string received;
    while (file >> name >> sent >> received)
    {
        passages.push_back({name, FromHex(sent), FromHex(received)});
    }
    return passages;
}

} // namespace

/**
 * If HPCC_ORACLE_DIR is set, writes ioam-sent.txt to that directory for check_ioam_kernel.py.
 */
TEST(IoamKernel, RoutersWereSentThePacketsOfToday)
{
    std::string path = OraclePath("ioam-sent.txt");
    if (!path.empty())
    {
        std::ofstream file(path);
        for (const auto& [name, choice] : KERNEL_CASES)
        {
            file << name << " " << ToHex(SentToRouters(choice)) << "\n";
        }
        ASSERT_TRUE(file.flush()) << path;
    }
    auto passages = ReadPassages(NS_TEST_SOURCEDIR "/data/ioam/linux-6.18.txt");
    ASSERT_EQ(passages.size(), KERNEL_CASES.size());
    for (const Passage& passage : passages)
    {
        EXPECT_EQ(ToHex(passage.sent), ToHex(SentToRouters(KERNEL_CASES.at(passage.name))));
    }
}

/**
 * Expects that two switches fill a packet as two Linux routers did. The packets are from a recorded
 * run or, if HPCC_ORACLE_DIR is set, from ioam-received.txt in that directory.
 */
TEST(IoamKernel, RoutersAndSwitchesFillAPacketAlike)
{
    std::string live = OraclePath("ioam-received.txt");
    auto passages =
        ReadPassages(live.empty() ? NS_TEST_SOURCEDIR "/data/ioam/linux-6.18.txt" : live);
    ASSERT_EQ(passages.size(), KERNEL_CASES.size());
    for (const Passage& passage : passages)
    {
        SCOPED_TRACE(passage.name);
        const Choice& choice = KERNEL_CASES.at(passage.name);
        Ptr<IoamTraceFormat> format = CreateIoam(choice);
        FrameCodec codec;
        codec.AddFormat(PeekPointer(format));
        std::string why;
        Frame routed{};
        ASSERT_TRUE(codec.Decode(passage.received.data(), passage.received.size(), routed, why))
            << why;
        ASSERT_EQ(routed.format, PeekPointer(format));
        EXPECT_EQ(IpOf(FrameCodec::Encode(routed, SOURCE, DESTINATION)), IpOf(passage.received));

        Frame switched{};
        ASSERT_TRUE(codec.Decode(passage.sent.data(), passage.sent.size(), switched, why)) << why;
        for (const Router& router : ROUTERS)
        {
            HopSnapshot hop{};
            hop.ttl = --switched.ttl;
            hop.switchId = router.node;
            hop.ingressPort = router.ingress;
            hop.egressPort = router.egress;
            format->Insert(switched.telemetry, hop, 0);
        }
        ASSERT_EQ(routed.telemetry.hops, switched.telemetry.hops);
        for (uint32_t i = 0; i < routed.telemetry.hops; ++i)
        {
            HopTelemetry hop = format->Read(routed.telemetry, i);
            EXPECT_EQ(hop.fields,
                      TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                          TELEMETRY_QUEUE)
                << "Linux reports neither transit delay nor bytes";
            EXPECT_EQ(hop.switchId, ROUTERS[i].node);
            EXPECT_EQ(hop.portId, ROUTERS[i].egress);
            EXPECT_LT(hop.timestampNs, 1000000u) << "Linux counts microseconds";
        }
        TakeOut(choice, routed.telemetry);
        TakeOut(choice, switched.telemetry);
        EXPECT_EQ(ToHex(FrameCodec::Encode(switched, SOURCE, DESTINATION)),
                  ToHex(FrameCodec::Encode(routed, SOURCE, DESTINATION)));
    }
}
