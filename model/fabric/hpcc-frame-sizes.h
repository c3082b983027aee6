/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_SIZES_H
#define HPCC_FRAME_SIZES_H

#include "hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/// Sizes on the wire of headers and trailers, bytes.
constexpr uint32_t IPV4_HEADER_BYTES = 20; ///< without options
constexpr uint32_t IPV6_HEADER_BYTES = 40;
constexpr uint32_t UDP_HEADER_BYTES = 8;
constexpr uint32_t BTH_BYTES = 12;
constexpr uint32_t RETH_BYTES = 16;
constexpr uint32_t AETH_BYTES = 4;
constexpr uint32_t NAMED_PSN_BYTES = 4; ///< RoceNamedPsnHeader
constexpr uint32_t ICRC_BYTES = 4;

/// Largest packet that QbbNetDevice::Tso accepts and QbbNetDevice::Gro creates, in bytes from the
/// IP header on. The limit of IP is 65,535 bytes.
constexpr uint32_t MAX_OFFLOAD_BYTES = 65400;

/**
 * Returns the size of the IP header without options, bytes.
 * @param ipv6 true for IPv6
 */
constexpr uint32_t
IpHeaderBytes(bool ipv6)
{
    return ipv6 ? IPV6_HEADER_BYTES : IPV4_HEADER_BYTES;
}

} // namespace ns3

#endif // HPCC_FRAME_SIZES_H
