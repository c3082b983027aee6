/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_OPTIONS_H
#define HPCC_TCP_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Inserts and removes options in the bytes of a TCP header, and keeps data offset and checksum
 * correct.
 */
namespace TcpOptions
{

constexpr uint32_t MAX_HEADER_BYTES = 60; ///< of TCP, with options

/**
 * Updates a checksum after a word that it covers has changed, without reading the others (RFC 1624,
 * equation 3).
 * @param checksum the Internet checksum before
 * @param before the word before
 * @param after the word after
 * @return the checksum after
 */
uint16_t UpdateChecksum(uint16_t checksum, uint16_t before, uint16_t after);

/**
 * Puts an option in front of a segment's others. Those are not padded to words, and may end with an
 * end-of-list, behind which nothing is read.
 * @param bytes any bytes that end with a TCP segment
 * @param tcp offset of its header
 * @param option the option, a multiple of 4 bytes; aborts if the header would exceed
 * MAX_HEADER_BYTES
 * @param checksum true to update the checksum incrementally; false leaves it as it is
 */
void Insert(std::vector<uint8_t>& bytes,
            size_t tcp,
            const std::vector<uint8_t>& option,
            bool checksum);

/**
 * Removes an option, the reverse of Insert().
 * @param bytes any bytes that end with a TCP segment
 * @param tcp offset of its header
 * @param at offset of the option in the header
 * @param size of the option, bytes
 * @param checksum update the checksum incrementally
 */
void Remove(std::vector<uint8_t>& bytes, size_t tcp, size_t at, size_t size, bool checksum);

/**
 * Returns the position of an option that begins at a multiple of 4 bytes.
 * @param tcp a TCP segment
 * @param size its bytes
 * @param matches called for each such option, with its start and the number of bytes from there to
 * the end of the options; true ends the search
 * @return where the option begins, from the header on; 0 if there is none
 */
size_t Find(const uint8_t* tcp,
            size_t size,
            const std::function<bool(const uint8_t*, size_t)>& matches);

} // namespace TcpOptions

} // namespace ns3

#endif // HPCC_TCP_OPTIONS_H
