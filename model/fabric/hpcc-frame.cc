/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame.h"

#include <algorithm>

namespace ns3
{

Frame*
FramePool::Clone(const Frame& frame)
{
    Frame* clone = Allocate();
    *clone = frame;
    clone->next = nullptr;
    clone->pool = this;
    clone->packet = nullptr;
    return clone;
}

void
FramePool::Grow()
{
    size_t frames = FIRST_SLAB_FRAMES << std::min(m_slabs.size(), LAST_DOUBLING);
    m_slabs.push_back(std::unique_ptr<Frame[]>(new Frame[frames]));
    Frame* slab = m_slabs.back().get();
    for (size_t i = frames; i-- > 0;)
    {
        slab[i].pool = this;
        slab[i].next = m_free;
        m_free = &slab[i];
    }
}

namespace
{

/// Applies the finalizer of a 64-bit mixing function (multiply, xor-shift).
uint64_t
Mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    return x;
}

} // namespace

uint32_t
HashFiveTuple(uint32_t source,
              uint32_t destination,
              uint16_t sourcePort,
              uint16_t destinationPort,
              uint8_t protocol)
{
    uint64_t addresses = static_cast<uint64_t>(source) << 32 | destination;
    uint64_t ports = static_cast<uint64_t>(protocol) << 32 |
                     static_cast<uint64_t>(sourcePort) << 16 | destinationPort;
    return static_cast<uint32_t>(Mix(Mix(addresses) ^ ports));
}

} // namespace ns3
