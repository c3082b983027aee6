/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-frame.h"

#include <algorithm>
#include <memory>
#include <new>

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

FramePool::~FramePool()
{
    for (const Slab& slab : m_slabs)
    {
        std::destroy_n(slab.frames, slab.created);
        std::allocator<Frame>().deallocate(slab.frames, slab.size);
    }
}

Frame*
FramePool::Create()
{
    if (m_slabs.empty() || m_slabs.back().created == m_slabs.back().size)
    {
        // No frame is free, so m_outstanding is the number of all frames. The new slab has half as
        // many, within limits.
        const size_t size =
            std::clamp<size_t>(m_outstanding / 2, FEWEST_SLAB_FRAMES, MOST_SLAB_FRAMES);
        m_slabs.push_back({std::allocator<Frame>().allocate(size), size, 0});
    }
    Slab& slab = m_slabs.back();
    auto* frame = new (&slab.frames[slab.created]) Frame;
    ++slab.created;
    frame->pool = this;
    frame->next = nullptr;
    return frame;
}

namespace
{

/// Mixes the bits of a number by multiplications and xor-shifts, as in the final step of a 64-bit
/// hash function.
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
