/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares whole frames with IOAM traces byte for byte.

#include "hpcc-test-ioam.h"

#include "ns3/hpcc-frame-codec.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Bytes before and after the hop-by-hop header in all vectors.
const std::string ADDRESSES = "fd68706363000000000000000a000001fd68706363000000000000000a000002";
const std::string ETHERNET = "02000000000202000000000186dd";
const std::string WRITE_ONLY =
    "c00112b7003000000a40ffff00000012800000671122334455667788deadbeef0000"
    "10000000000000000000b75a5568";
/// The records of both hops, with fields in the order of the bits or of the figure.
const std::string FIRST = "3f00000100c900ca3b9ac9ff00000000ffffff00";
const std::string SECOND = "3eabcdeffffe0000000000110012345600000007";
const std::string FIRST_DELAY = "3f00000100c900ca3b9ac9ff000004d200000000ffffff00";
const std::string SECOND_DELAY = "3eabcdeffffe000000000011800000000012345600000007";
const std::string FIRST_FIGURE = "3f00000100c900ca000000003b9ac9ffffffff00";
const std::string SECOND_FIGURE = "3eabcdeffffe0000001234560000001100000007";
const std::string FIRST_BOTH = "3f00000100c900ca000000003b9ac9ff000004d2ffffff00";
const std::string SECOND_BOTH = "3eabcdeffffe000000123456000000118000000000000007";

/// Returns a frame with the given payload length, hop limit and hop-by-hop header.
std::string
VectorOf(const std::string& lengthAndHopLimit, const std::string& hopByHop)
{
    return ETHERNET + "66a00000" + lengthAndHopLimit + ADDRESSES + hopByHop + WRITE_ONLY;
}

/// Vectors of whole frames.
class IoamVector : public testing::Test
{
  protected:
    /**
     * Encodes a frame that has passed hops, compares the bytes with the expected bytes, and decodes
     * them.
     * @param choice the format
     * @param hops number of hops, 0 to 3; the third hop is a copy of the second
     * @param expected the bytes
     */
    static void Check(const Choice& choice, uint32_t hops, const std::string& expected)
    {
        SCOPED_TRACE(expected);
        Ptr<IoamTraceFormat> format = CreateIoam(choice);
        Frame frame{};
        FillFrame(frame, *format);
        for (uint32_t hop = 0; hop < hops; ++hop)
        {
            frame.ttl = hop == 0 ? 63 : 62;
            format->Insert(frame.telemetry, hop == 0 ? FirstHop() : SecondHop(), AMPLE_ROOM);
        }
        EXPECT_EQ(ToHex(FrameCodec::Encode(frame, SOURCE, DESTINATION)), expected);

        FrameCodec codec;
        codec.AddFormat(PeekPointer(format));
        Bytes bytes = FromHex(expected);
        Frame read{};
        std::string why;
        ASSERT_TRUE(codec.Decode(bytes.data(), bytes.size(), read, why)) << why;
        ASSERT_EQ(read.format, PeekPointer(format));
        EXPECT_EQ(read.ttl, frame.ttl);
        EXPECT_EQ(read.protocol, UDP_PROTOCOL);
        ASSERT_EQ(read.telemetry.hops, frame.telemetry.hops);
        EXPECT_EQ(read.telemetry.remainingHops, frame.telemetry.remainingHops);
        EXPECT_EQ(read.telemetry.flags, frame.telemetry.flags);
        EXPECT_EQ(ToHex(FrameCodec::Encode(read, SOURCE, DESTINATION)), expected);
    }
};

} // namespace

// test/oracle/make_ioam_vectors.py prints the expected frames.

TEST_F(IoamVector, PreAllocatedTrace)
{
    Check({false, false, true, false, 3},
          2,
          VectorOf("0080003e",
                   "1109010031460000007b2805d2080000" + std::string(40, '0') + SECOND + FIRST +
                       "01020000"));
}

TEST_F(IoamVector, PreAllocatedTraceThatOverflows)
{
    Check({false, false, true, false, 2},
          3,
          VectorOf("0068003e", "1106010031320000007b2c00d2080000" + SECOND + FIRST));
}

TEST_F(IoamVector, IncrementalTrace)
{
    Choice incremental{true};
    Check(incremental, 0, VectorOf("00400040", "11010100310a0001007b283cd2080000"));
    Check(incremental,
          1,
          VectorOf("0058003f", "11040100311e0001007b2837d2080000" + FIRST + "01020000"));
    Check(incremental,
          2,
          VectorOf("0068003e", "1106010031320001007b2832d2080000" + SECOND + FIRST));
}

TEST_F(IoamVector, TransitDelay)
{
    Check({false, true, true, false, 2},
          2,
          VectorOf("0070003e", "11070100313a0000007b3000da080000" + SECOND_DELAY + FIRST_DELAY));
}

TEST_F(IoamVector, OrderOfTheDraftsFigure)
{
    Check({false, false, true, true, 2},
          2,
          VectorOf("0068003e", "1106010031320000007b2800d2080000" + SECOND_FIGURE + FIRST_FIGURE));
    Check({false, true, true, true, 2},
          2,
          VectorOf("0070003e", "11070100313a0000007b3000da080000" + SECOND_BOTH + FIRST_BOTH));
}
