/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_COMPACT_H
#define HPCC_TEST_COMPACT_H

#include "hpcc-test-bytes.h"
#include "hpcc-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/tcp-header.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of the TCP option share: random numbers, and packets with checksums.
 */

namespace hpcctest
{

using namespace ns3;

constexpr uint32_t TCP_SOURCE = 0x0b000001;
constexpr uint32_t TCP_DESTINATION = 0x0b000002;
constexpr uint8_t TCP_PROTOCOL = 6;

/// Fixture that provides random numbers, prints their seed on failure, and enables TCP's checksums.
class Compact : public testing::Test
{
  protected:
    Compact()
    {
        m_seed = ChooseSeed();
        m_random.seed(m_seed);
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    }

    ~Compact() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    }

    uint32_t Draw(uint32_t most)
    {
        return static_cast<uint32_t>(m_random() % (uint64_t{most} + 1));
    }

    /// @return random bytes
    Bytes DrawBytes(size_t size)
    {
        Bytes bytes(size);
        std::generate(bytes.begin(), bytes.end(), [this] { return Draw(255); });
        return bytes;
    }

    uint32_t m_seed;          ///< seed of m_random
    std::mt19937_64 m_random; ///< source of random choices
};

/// @return the sum of all words of a packet that TCP's checksum covers, including the
/// pseudo-header; 0xffff if the packet's checksum is correct
inline uint32_t
FullSum(const uint8_t* ip, size_t size)
{
    const bool ipv6 = ip[0] >> 4 == 6;
    const size_t headerBytes = ipv6 ? IPV6_HEADER_BYTES : (ip[0] & 0xf) * 4U;
    Bytes covered(ip + (ipv6 ? 8 : 12), ip + (ipv6 ? 40 : 20));
    covered.insert(covered.end(), ip + headerBytes, ip + size);
    uint32_t sum = TCP_PROTOCOL + static_cast<uint32_t>(size - headerBytes);
    covered.resize(covered.size() + covered.size() % 2);
    for (size_t i = 0; i < covered.size(); i += 2)
    {
        sum += boost::endian::load_big_u16(&covered[i]);
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/**
 * Returns a TCP packet with a correct checksum.
 * @param ipv6 true for IPv6, false for IPv4
 * @param options TCP options, a multiple of 4 bytes
 * @param payload payload
 */
inline Bytes
MakePacket(bool ipv6, const Bytes& options, const Bytes& payload)
{
    const size_t ipBytes = IpHeaderBytes(ipv6);
    Bytes ip(ipBytes + 20);
    const auto size = static_cast<uint16_t>(20 + options.size() + payload.size());
    if (ipv6)
    {
        ip[0] = 0x60;
        boost::endian::store_big_u16(&ip[4], size);
        ip[6] = TCP_PROTOCOL;
        ip[7] = 64;
        const auto source = Ipv6AddressOf(TCP_SOURCE);
        const auto destination = Ipv6AddressOf(TCP_DESTINATION);
        std::copy(source.begin(), source.end(), &ip[8]);
        std::copy(destination.begin(), destination.end(), &ip[24]);
    }
    else
    {
        ip[0] = 0x45;
        boost::endian::store_big_u16(&ip[2], ipBytes + size);
        ip[8] = 64;
        ip[9] = TCP_PROTOCOL;
        boost::endian::store_big_u32(&ip[12], TCP_SOURCE);
        boost::endian::store_big_u32(&ip[16], TCP_DESTINATION);
        uint32_t sum = 0;
        for (size_t i = 0; i < ipBytes; i += 2)
        {
            sum += boost::endian::load_big_u16(&ip[i]);
        }
        boost::endian::store_big_u16(&ip[10], ~((sum & 0xffff) + (sum >> 16)));
    }
    uint8_t* tcp = &ip[ipBytes];
    boost::endian::store_big_u16(tcp, 49153);
    boost::endian::store_big_u16(tcp + 2, 5000);
    boost::endian::store_big_u32(tcp + 4, 0xfedcba98);
    tcp[12] = static_cast<uint8_t>((5 + options.size() / 4) << 4);
    tcp[13] = TcpHeader::ACK;
    ip.insert(ip.end(), options.begin(), options.end());
    ip.insert(ip.end(), payload.begin(), payload.end());
    boost::endian::store_big_u16(&ip[ipBytes + 16], ~FullSum(ip.data(), ip.size()));
    return ip;
}

/// @return a frame that contains a TCP packet, as ns-3's stack passes it to a port
inline Frame*
FrameOf(FramePool& pool, const Bytes& packet, bool ipv6)
{
    Frame* frame = pool.Allocate();
    DropReason why;
    EXPECT_TRUE(QbbIpPort::FillFrame(Create<Packet>(packet.data(), packet.size()),
                                     ipv6 ? 0x86dd : 0x0800,
                                     *frame,
                                     why));
    return frame;
}

} // namespace hpcctest

#endif // HPCC_TEST_COMPACT_H
