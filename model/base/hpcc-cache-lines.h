/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CACHE_LINES_H
#define HPCC_CACHE_LINES_H

#include <cstddef>
#include <cstdint>
#include <new>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Allocator for boost::pool whose blocks begin at the start of a cache line, so that an object
 * occupies as few cache lines as its size allows.
 */
struct HpccCacheLines
{
    using size_type = std::size_t;          ///< type of sizes, required by boost::pool
    using difference_type = std::ptrdiff_t; ///< type of differences, required by boost::pool

    static constexpr std::size_t BYTES = 64; ///< size of a cache line

    /**
     * Returns the size of an object, rounded up to whole cache lines, bytes.
     * @param bytes size of the object
     */
    static constexpr std::size_t RoundUp(std::size_t bytes)
    {
        return (bytes + BYTES - 1) / BYTES * BYTES;
    }

    /**
     * Allocates a block.
     * @param bytes size of the block
     * @return the block; null if there is no memory
     */
    static char* malloc(std::size_t bytes)
    {
        return static_cast<char*>(
            ::operator new(bytes, static_cast<std::align_val_t>(BYTES), std::nothrow));
    }

    /// Frees a block.
    /// @param block as returned by malloc()
    static void free(char* block)
    {
        ::operator delete(block, static_cast<std::align_val_t>(BYTES));
    }
};

/**
 * Prefetches memory into the cache. With thousands of queue pairs, the state of the next queue pair
 * is never in the cache without a prefetch. A prefetch is only a hint to the processor, so any
 * address is allowed.
 * @param address start of the memory
 * @param bytes size of the memory
 */
inline void
PrefetchLines(const void* address, std::size_t bytes)
{
    // Uses an integer, because arithmetic on a null pointer is undefined.
    const auto start = reinterpret_cast<uintptr_t>(address);
    for (std::size_t offset = 0; offset < bytes; offset += HpccCacheLines::BYTES)
    {
        __builtin_prefetch(reinterpret_cast<const void*>(start + offset));
    }
}

} // namespace ns3

#endif // HPCC_CACHE_LINES_H
