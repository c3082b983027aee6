/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-options.h"

#include "ns3/abort.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

namespace TcpOptions
{

namespace
{

constexpr size_t FIXED_BYTES = 20;
constexpr size_t OFFSET_AND_FLAGS = 12;
constexpr size_t CHECKSUM = 16;
constexpr uint32_t OFFSET_SHIFT = 12; ///< position of the data offset in its word, bits
constexpr uint8_t END_OF_LIST = 0;
constexpr uint8_t NO_OPERATION = 1;

/// Returns the size of the TCP header, bytes.
size_t
HeaderBytes(const uint8_t* tcp)
{
    return (tcp[OFFSET_AND_FLAGS] >> 4) * 4U;
}

/// Updates the data offset and the checksum for an option that is inserted or removed.
void
Account(uint8_t* tcp, size_t segmentBytes, const uint8_t* option, int size, bool checksum)
{
    const uint16_t before = load_big_u16(tcp + OFFSET_AND_FLAGS);
    const auto after = static_cast<uint16_t>(before + size / 4 * (1 << OFFSET_SHIFT));
    store_big_u16(tcp + OFFSET_AND_FLAGS, after);
    if (checksum)
    {
        store_big_u16(tcp + CHECKSUM, UpdateChecksum(load_big_u16(tcp + CHECKSUM), before, after));
        UpdateChecksum(tcp, segmentBytes, option, size);
    }
}

} // namespace

uint16_t
UpdateChecksum(uint16_t checksum, uint16_t before, uint16_t after)
{
    uint32_t sum = static_cast<uint16_t>(~checksum);
    sum += static_cast<uint16_t>(~before);
    sum += after;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

void
UpdateChecksum(uint8_t* tcp, size_t segmentBytes, const uint8_t* words, int size)
{
    // The length in the pseudo-header also changes.
    uint16_t sum = UpdateChecksum(load_big_u16(tcp + CHECKSUM),
                                  static_cast<uint16_t>(segmentBytes),
                                  static_cast<uint16_t>(segmentBytes + size));
    for (int i = 0; i < std::abs(size); i += 2)
    {
        const uint16_t word = load_big_u16(words + i);
        sum = size > 0 ? UpdateChecksum(sum, 0, word) : UpdateChecksum(sum, word, 0);
    }
    store_big_u16(tcp + CHECKSUM, sum);
}

void
Insert(std::vector<uint8_t>& bytes, size_t tcp, const std::vector<uint8_t>& option, bool checksum)
{
    NS_ABORT_MSG_IF(option.size() % 4 != 0 ||
                        HeaderBytes(&bytes[tcp]) + option.size() > MAX_HEADER_BYTES,
                    "an option of " << option.size() << " bytes does not fit a TCP header of "
                                    << HeaderBytes(&bytes[tcp]));
    Account(&bytes[tcp],
            bytes.size() - tcp,
            option.data(),
            static_cast<int>(option.size()),
            checksum);
    bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(tcp + FIXED_BYTES),
                 option.begin(),
                 option.end());
}

void
Remove(std::vector<uint8_t>& bytes, size_t tcp, size_t at, size_t size, bool checksum)
{
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(tcp + at);
    const std::vector<uint8_t> option(begin, begin + static_cast<ptrdiff_t>(size));
    Account(&bytes[tcp], bytes.size() - tcp, option.data(), -static_cast<int>(size), checksum);
    bytes.erase(begin, begin + static_cast<ptrdiff_t>(size));
}

size_t
Find(const uint8_t* tcp, size_t size, const std::function<bool(const uint8_t*, size_t)>& matches)
{
    const size_t end = size < FIXED_BYTES ? 0 : std::min(HeaderBytes(tcp), size);
    for (size_t at = FIXED_BYTES; at < end && tcp[at] != END_OF_LIST;)
    {
        if (tcp[at] == NO_OPERATION)
        {
            ++at;
            continue;
        }
        if (at % 4 == 0 && matches(tcp + at, end - at))
        {
            return at;
        }
        const size_t bytes = at + 1 < end ? tcp[at + 1] : 0;
        if (bytes < 2)
        {
            return 0;
        }
        at += bytes;
    }
    return 0;
}

} // namespace TcpOptions

} // namespace ns3
