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
 * Inserts and removes options in the bytes of a TCP header, and updates data offset and checksum.
 */
namespace TcpOptions
{

constexpr uint32_t MAX_HEADER_BYTES = 60; ///< size of the TCP header with options

/**
 * Updates a checksum after a change of one word that it covers, without reading the other words
 * (RFC 1624, equation 3).
 * @param checksum the old Internet checksum
 * @param before the old word
 * @param after the new word
 * @return the new checksum
 */
uint16_t UpdateChecksum(uint16_t checksum, uint16_t before, uint16_t after);

/**
 * Updates the checksum of a segment into which bytes are inserted, or from which bytes are removed,
 * without reading the other bytes of the segment.
 * @param tcp header of the segment
 * @param segmentBytes size of the segment before the change
 * @param words the inserted or removed bytes: an even number, at an even offset in the segment
 * @param size number of bytes; negative if bytes are removed
 */
void UpdateChecksum(uint8_t* tcp, size_t segmentBytes, const uint8_t* words, int size);

/**
 * Inserts an option before a segment's other options. The new option cannot be appended, because
 * the other options are not padded to words, and because a receiver reads nothing after an
 * end-of-list option.
 * @param bytes any bytes that end with a TCP segment
 * @param tcp offset of the TCP header
 * @param option the option, a multiple of 4 bytes; aborts if the header would exceed
 * MAX_HEADER_BYTES
 * @param checksum true to update the checksum incrementally, false to keep it unchanged
 */
void Insert(std::vector<uint8_t>& bytes,
            size_t tcp,
            const std::vector<uint8_t>& option,
            bool checksum);

/**
 * Removes an option, the reverse of Insert().
 * @param bytes any bytes that end with a TCP segment
 * @param tcp offset of the TCP header
 * @param at offset of the option in the header
 * @param size size of the option, bytes
 * @param checksum true to update the checksum incrementally
 */
void Remove(std::vector<uint8_t>& bytes, size_t tcp, size_t at, size_t size, bool checksum);

/**
 * Returns the position of the first option that begins at a multiple of 4 bytes and for which @p
 * matches returns true.
 * @param tcp a TCP segment
 * @param size size of the segment, bytes
 * @param matches function called for each option that begins at a multiple of 4 bytes; returns true
 * to end the search. Arguments: the start of the option, and the number of bytes from this start to
 * the end of all options
 * @return offset of the option from the start of the header; 0 if there is none
 */
size_t Find(const uint8_t* tcp,
            size_t size,
            const std::function<bool(const uint8_t*, size_t)>& matches);

} // namespace TcpOptions

} // namespace ns3

#endif // HPCC_TCP_OPTIONS_H
