/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FUZZ_INPUT_H
#define HPCC_FUZZ_INPUT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace hpcctest
{

using Bytes = std::vector<uint8_t>;

/**
 * Throws std::logic_error with the text @p what if @p holds is false.
 * @param holds condition to check
 * @param what text of the exception
 */
inline void
Require(bool holds, const char* what)
{
    if (!holds)
    {
        throw std::logic_error(what);
    }
}

/// Reads bytes that a fuzzer has chosen, from the first to the last. After the last byte, zeros are
/// read.
class FuzzInput
{
  public:
    /// @param bytes the input
    explicit FuzzInput(Bytes bytes)
        : m_bytes(std::move(bytes))
    {
    }

    /**
     * Consumes @p size bytes and returns them as a big-endian number. Zeros replace missing bytes.
     * @param size 1 to 8 bytes
     * @return the number
     */
    uint64_t Number(size_t size = 1)
    {
        uint64_t number = 0;
        for (uint8_t byte : Take(size, true))
        {
            number = number << 8 | byte;
        }
        return number;
    }

    /**
     * Consumes up to @p size bytes and returns them.
     * @param size number of bytes wanted
     * @param fill true to append zeros in place of missing bytes
     * @return the bytes; fewer than @p size if the input is exhausted and @p fill is false
     */
    Bytes Take(size_t size, bool fill = false)
    {
        size_t taken = std::min(size, Left());
        Bytes bytes(m_bytes.begin() + m_at, m_bytes.begin() + m_at + taken);
        m_at += taken;
        if (fill)
        {
            bytes.resize(size);
        }
        return bytes;
    }

    /// Discards bytes.
    /// @param size number of bytes, at most Left()
    void Skip(size_t size)
    {
        m_at += size;
    }

    /// @return number of bytes left
    size_t Left() const
    {
        return m_bytes.size() - m_at;
    }

    /// @return the bytes left, in memory of exactly that size
    Bytes Rest() const
    {
        return {m_bytes.begin() + m_at, m_bytes.end()};
    }

  private:
    Bytes m_bytes;  ///< the input
    size_t m_at{0}; ///< bytes consumed
};

} // namespace hpcctest

#endif // HPCC_FUZZ_INPUT_H
