/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-bytes.h"
#include "hpcc-test-seeds.h"

#include "ns3/hpcc-iwarp-endpoint.h"
#include "ns3/hpcc-iwarp-framing.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

using Item = MpaReader::Item;

const std::string PAYLOAD = "hpcc over tcp";
constexpr uint32_t STAG = 0x12345678;

// Output of test/oracle/make_iwarp_vectors.py.
const std::string REQUEST = "4d504120494420526571204672616d6540010000";
const std::string REPLY = "4d504120494420526570204672616d65a001000770726976617465";
const std::string WRITE =
    "001b8140123456780123456789abcdef68706363206f766572207463700000008b74f1c2";
const std::string LAST_WRITE = "0010c140123456780123456789abcdfc6870000000000000";
const std::string LAST_SEND = "001f41430000000000000000000000070a0b0c0d"
                              "68706363206f76657220746370000000f3c232f4";

/// Returns the bytes of @p text.
Bytes
BytesOf(const std::string& text)
{
    return {text.begin(), text.end()};
}

/// Returns the CRC32c of @p bytes.
uint32_t
CrcOf(const Bytes& bytes)
{
    Crc32c crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

/**
 * Returns an encoded FPDU.
 * @param segment DDP headers
 * @param payload payload
 * @param crc true to append the CRC
 */
Bytes
Fpdu(const DdpSegment& segment, const Bytes& payload, bool crc = true)
{
    return EncodeFpdu(segment, payload.data(), payload.size(), crc);
}

/**
 * Returns the headers of a segment of a WRITE.
 * @param offset tagged offset
 * @param last last flag
 */
DdpSegment
Write(uint64_t offset, bool last)
{
    DdpSegment segment;
    segment.stag = STAG;
    segment.offset = offset;
    segment.last = last;
    return segment;
}

/// @return headers of a Send
DdpSegment
Send()
{
    DdpSegment segment;
    segment.opcode = DdpSegment::SEND;
    segment.message = 7;
    segment.messageOffset = 0x0a0b0c0d;
    return segment;
}

/**
 * Returns the error with which a stream ends.
 * @param bytes stream that follows the MPA request
 * @return the error; NONE if the stream is correct
 */
HpccIwarpError
ErrorOf(const Bytes& bytes)
{
    MpaReader reader(false);
    const Bytes request = FromHex(REQUEST);
    reader.Append(request.data(), request.size());
    EXPECT_EQ(reader.Next(), Item::START);
    reader.Append(bytes.data(), bytes.size());
    Item item = Item::SEGMENT;
    while (item == Item::SEGMENT)
    {
        item = reader.Next();
    }
    return reader.GetError();
}

/// Tests with random numbers. A failure message contains the seed.
class Iwarp : public testing::Test
{
  protected:
    Iwarp()
    {
        m_seed = ChooseSeed();
        m_random.seed(m_seed);
    }

    uint32_t Draw(uint32_t most)
    {
        return static_cast<uint32_t>(m_random() % (uint64_t{most} + 1));
    }

    uint32_t m_seed;          ///< seed of m_random
    std::mt19937_64 m_random; ///< source of random choices
};

} // namespace

TEST_F(Iwarp, TheCrcIsThatOfRfc3720)
{
    Bytes counting(32);
    std::iota(counting.begin(), counting.end(), 0);
    EXPECT_EQ(CrcOf(Bytes(32, 0)), 0x8a9136aa);
    EXPECT_EQ(CrcOf(Bytes(32, 0xff)), 0x62a8ab43);
    EXPECT_EQ(CrcOf(counting), 0x46dd794e);
    EXPECT_EQ(CrcOf({counting.rbegin(), counting.rend()}), 0x113fdb5c);
    EXPECT_EQ(CrcOf(BytesOf("123456789")), 0xe3069283);
}

TEST_F(Iwarp, FramesAreThoseOfTheRfcs)
{
    EXPECT_EQ(EncodeMpaStart({}), FromHex(REQUEST));
    MpaStart reply;
    reply.reply = true;
    reply.markers = true;
    reply.crc = false;
    reply.rejected = true;
    reply.privateData = BytesOf("private");
    EXPECT_EQ(EncodeMpaStart(reply), FromHex(REPLY));
    const uint64_t offset = 0x0123456789abcdef;
    EXPECT_EQ(Fpdu(Write(offset, false), BytesOf(PAYLOAD)), FromHex(WRITE));
    EXPECT_EQ(Fpdu(Write(offset + PAYLOAD.size(), true), BytesOf("hp"), false),
              FromHex(LAST_WRITE));
    EXPECT_EQ(Fpdu(Send(), BytesOf(PAYLOAD)), FromHex(LAST_SEND));
}

TEST_F(Iwarp, AStartUpFrameIsReadAsItWasWritten)
{
    const Bytes bytes = FromHex(REPLY);
    MpaReader reader(true);
    reader.Append(bytes.data(), bytes.size());
    ASSERT_EQ(reader.Next(), Item::START);
    EXPECT_TRUE(reader.GetStart().reply);
    EXPECT_TRUE(reader.GetStart().markers);
    EXPECT_FALSE(reader.GetStart().crc);
    EXPECT_TRUE(reader.GetStart().rejected);
    EXPECT_EQ(reader.GetStart().privateData, BytesOf("private"));
    EXPECT_TRUE(reader.IsBetweenFrames());
}

TEST_F(Iwarp, AStreamIsReadHoweverTcpCutsIt)
{
    for (int round = 0; round < 200; ++round)
    {
        Bytes stream = FromHex(REQUEST);
        std::vector<DdpSegment> sent(1 + Draw(20));
        std::vector<Bytes> payloads;
        for (auto& segment : sent)
        {
            segment = Draw(3) ? Write(m_random(), Draw(1)) : Send();
            segment.message = segment.opcode == DdpSegment::SEND ? Draw(UINT32_MAX) : 0;
            payloads.emplace_back(Draw(Draw(1) ? 40 : 2000));
            for (uint8_t& byte : payloads.back())
            {
                byte = static_cast<uint8_t>(Draw(255));
            }
            const Bytes frame = Fpdu(segment, payloads.back());
            stream.insert(stream.end(), frame.begin(), frame.end());
        }
        MpaReader reader(false);
        size_t found = 0;
        const uint32_t most = 1U << Draw(12);
        for (size_t at = 0; at < stream.size();)
        {
            const size_t size = std::min<size_t>(1 + Draw(most), stream.size() - at);
            reader.Append(&stream[at], size);
            at += size;
            for (Item item = reader.Next(); item != Item::NONE; item = reader.Next())
            {
                ASSERT_NE(item, Item::ERROR) << "HPCC_TEST_SEED=" << m_seed;
                if (item == Item::START)
                {
                    continue;
                }
                ASSERT_LT(found, sent.size()) << "HPCC_TEST_SEED=" << m_seed;
                const DdpSegment& segment = reader.GetSegment();
                EXPECT_EQ(segment.opcode, sent[found].opcode) << "HPCC_TEST_SEED=" << m_seed;
                EXPECT_EQ(segment.last, sent[found].last) << "HPCC_TEST_SEED=" << m_seed;
                EXPECT_EQ(segment.stag, sent[found].stag) << "HPCC_TEST_SEED=" << m_seed;
                EXPECT_EQ(segment.offset, sent[found].offset) << "HPCC_TEST_SEED=" << m_seed;
                EXPECT_EQ(segment.message, sent[found].message) << "HPCC_TEST_SEED=" << m_seed;
                EXPECT_EQ(
                    Bytes(reader.GetPayload(), reader.GetPayload() + reader.GetPayloadBytes()),
                    payloads[found])
                    << "HPCC_TEST_SEED=" << m_seed;
                ++found;
            }
        }
        EXPECT_EQ(found, sent.size()) << "HPCC_TEST_SEED=" << m_seed;
        EXPECT_TRUE(reader.IsBetweenFrames()) << "HPCC_TEST_SEED=" << m_seed;
    }
}

TEST_F(Iwarp, WhatIsCutOffIsNoFrame)
{
    for (const std::string& text : {WRITE, LAST_SEND})
    {
        const Bytes frame = FromHex(text);
        for (size_t size = 1; size < frame.size(); ++size)
        {
            Bytes stream = FromHex(REQUEST);
            stream.insert(stream.end(), frame.begin(), frame.begin() + size);
            MpaReader reader(false);
            reader.Append(stream.data(), stream.size());
            EXPECT_EQ(reader.Next(), Item::START);
            EXPECT_EQ(reader.Next(), Item::NONE) << size;
            EXPECT_FALSE(reader.IsBetweenFrames()) << size;
        }
    }
    const Bytes reply = FromHex(REPLY);
    for (size_t size = 1; size < reply.size(); ++size)
    {
        MpaReader reader(true);
        reader.Append(reply.data(), size);
        EXPECT_EQ(reader.Next(), Item::NONE) << size;
    }
}

TEST_F(Iwarp, EveryFlippedBitOfAnFpduIsNoticed)
{
    for (const std::string& text : {WRITE, LAST_SEND})
    {
        const size_t bits = FromHex(text).size() * 8;
        for (size_t bit = 0; bit < bits; ++bit)
        {
            Bytes frame = FromHex(text);
            frame[bit / 8] ^= 1 << bit % 8;
            // A flipped bit may increase the length field. Therefore append enough bytes for any
            // length.
            frame.resize(70000, 0);
            const HpccIwarpError error = ErrorOf(frame);
            EXPECT_TRUE(error == HpccIwarpError::BAD_CRC ||
                        (bit < 16 && error == HpccIwarpError::BAD_LENGTH))
                << "bit " << bit << ": " << ToString(error);
        }
    }
}

TEST_F(Iwarp, WhatIsNoWriteOrSendIsRefused)
{
    /// Changes one byte of an FPDU without a CRC and returns the resulting error.
    const auto errorOf = [](size_t at, uint8_t value) {
        Bytes frame = Fpdu(Write(0, true), BytesOf(PAYLOAD), false);
        frame[at] = value;
        MpaReader reader(false);
        const Bytes request = FromHex(REQUEST);
        reader.Append(request.data(), request.size());
        reader.SetCrc(false);
        EXPECT_EQ(reader.Next(), Item::START);
        reader.Append(frame.data(), frame.size());
        reader.Next();
        return reader.GetError();
    };
    EXPECT_EQ(errorOf(2, 0xc1), HpccIwarpError::NONE);
    EXPECT_EQ(errorOf(1, 13), HpccIwarpError::BAD_LENGTH);
    EXPECT_EQ(errorOf(1, 14), HpccIwarpError::NONE);
    EXPECT_EQ(errorOf(2, 0xc2), HpccIwarpError::BAD_VERSION);
    EXPECT_EQ(errorOf(3, 0x80), HpccIwarpError::BAD_VERSION);
    for (uint8_t opcode = 1; opcode < 16; ++opcode)
    {
        EXPECT_EQ(errorOf(3, 0x40 | opcode), HpccIwarpError::BAD_OPCODE) << int(opcode);
    }
    EXPECT_EQ(errorOf(2, 0x41), HpccIwarpError::BAD_OPCODE) << "an untagged WRITE";
    Bytes send = Fpdu(Send(), {});
    send[1] = 17;
    send.resize(20);
    const uint32_t crc = CrcOf(send);
    for (int i = 0; i < 4; ++i)
    {
        send.push_back(static_cast<uint8_t>(crc >> 8 * i));
    }
    EXPECT_EQ(ErrorOf(send), HpccIwarpError::BAD_LENGTH) << "a Send shorter than its headers";
}

TEST_F(Iwarp, AWrongStartUpFrameIsRefusedAtItsFirstWrongByte)
{
    const auto errorOf = [](bool reply, const Bytes& bytes) {
        MpaReader reader(reply);
        reader.Append(bytes.data(), bytes.size());
        reader.Next();
        return reader.GetError();
    };
    const Bytes request = FromHex(REQUEST);
    EXPECT_EQ(errorOf(false, request), HpccIwarpError::NONE);
    EXPECT_EQ(errorOf(true, request), HpccIwarpError::BAD_KEY);
    EXPECT_EQ(errorOf(false, BytesOf("GET")), HpccIwarpError::BAD_KEY);
    for (size_t at = 0; at < 16; ++at)
    {
        Bytes bytes = request;
        bytes[at] ^= 0x20;
        bytes.resize(at + 1);
        EXPECT_EQ(errorOf(false, bytes), HpccIwarpError::BAD_KEY) << at;
    }
    Bytes bytes = request;
    bytes[17] = 2;
    EXPECT_EQ(errorOf(false, bytes), HpccIwarpError::BAD_REVISION);
    bytes = request;
    bytes[18] = 2;
    EXPECT_EQ(errorOf(false, bytes), HpccIwarpError::NONE) << "512 bytes of private data";
    bytes[19] = 1;
    EXPECT_EQ(errorOf(false, bytes), HpccIwarpError::BAD_PRIVATE_DATA);
}

TEST_F(Iwarp, AnFpduFitsASegmentOfTcp)
{
    for (uint32_t emss = 128; emss < 70000; ++emss)
    {
        const uint32_t payload = GetMaxTaggedPayload(emss);
        const uint32_t fpdu = (2 + DdpSegment::TAGGED_BYTES + payload + 3) / 4 * 4 + 4;
        EXPECT_LE(fpdu, emss);
        EXPECT_LE(payload + DdpSegment::TAGGED_BYTES, 65535U);
        EXPECT_TRUE(fpdu + 4 > emss || fpdu == 65536) << "as much as fits " << emss;
    }
}

TEST_F(Iwarp, ARegionContainsItsBytesOnly)
{
    const HpccIwarpRegion region{STAG, UINT64_MAX - 99, 99};
    EXPECT_TRUE(region.Contains(UINT64_MAX - 99, 99));
    EXPECT_TRUE(region.Contains(UINT64_MAX - 1, 1));
    EXPECT_FALSE(region.Contains(UINT64_MAX - 1, 2));
    EXPECT_FALSE(region.Contains(UINT64_MAX, 1));
    EXPECT_FALSE(region.Contains(UINT64_MAX - 100, 1));
    EXPECT_FALSE(region.Contains(0, 1));
    HpccIwarpRegion read;
    ASSERT_TRUE(read.Decode(region.Encode()));
    EXPECT_EQ(read.stag, region.stag);
    EXPECT_EQ(read.base, region.base);
    EXPECT_EQ(read.bytes, region.bytes);
    EXPECT_FALSE(read.Decode(Bytes(19)));
    EXPECT_FALSE(read.Decode(Bytes(21)));
}
