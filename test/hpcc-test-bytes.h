/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_BYTES_H
#define HPCC_TEST_BYTES_H

#include "ns3/mac48-address.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the tests of wire formats share: bytes, their hexadecimal text, and the addresses
 * in the frames of test vectors.
 */

namespace hpcctest
{

using namespace ns3;

using Bytes = std::vector<uint8_t>;

inline const Mac48Address SOURCE("02:00:00:00:00:01");
inline const Mac48Address DESTINATION("02:00:00:00:00:02");

/// Converts a hexadecimal text to bytes.
/// @param hex two digits per byte
inline Bytes
FromHex(const std::string& hex)
{
    Bytes bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/// @return the bytes as hexadecimal text, two lower-case digits per byte
inline std::string
ToHex(const Bytes& bytes)
{
    std::string hex;
    for (uint8_t byte : bytes)
    {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 0xf];
    }
    return hex;
}

} // namespace hpcctest

#endif // HPCC_TEST_BYTES_H
