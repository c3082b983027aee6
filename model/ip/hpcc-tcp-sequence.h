/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_SEQUENCE_H
#define HPCC_TCP_SEQUENCE_H

#include <cstdint>

namespace ns3
{

/**
 * @param low a sequence number of TCP
 * @param near a number of 64 bits
 * @return the number nearest to it that has low as its lower 32 bits
 */
inline uint64_t
UnwrapTcpSequence(uint32_t low, uint64_t near)
{
    return near + static_cast<uint64_t>(static_cast<int64_t>(
                      static_cast<int32_t>(low - static_cast<uint32_t>(near))));
}

} // namespace ns3

#endif // HPCC_TCP_SEQUENCE_H
