/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BYTE_STREAM_H
#define HPCC_BYTE_STREAM_H

#include "ns3/hpcc-input-error.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Converts values to bytes and back, for HpccRanks::Exchange(). Values must be read in the order in
 * which they were written, by the same program. Reading throws HpccInputError if the bytes end too
 * early, which happens if another rank runs a different command.
 */
class HpccByteStream
{
  public:
    HpccByteStream() = default;

    /// Makes a stream for reading.
    /// @param bytes bytes written by another stream
    explicit HpccByteStream(const std::string& bytes)
        : m_bytes(bytes)
    {
    }

    /// Returns the bytes written.
    const std::string& GetBytes() const
    {
        return m_bytes;
    }

    /// Returns true if all bytes have been read.
    bool IsAtEnd() const
    {
        return m_next == m_bytes.size();
    }

    /// Writes a value.
    /// @param value value to append, trivially copyable
    template <typename Value>
    void Put(const Value& value)
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(Value));
    }

    /// Writes the number of values, then the values.
    /// @param values values to append
    template <typename Value>
    void Put(const std::vector<Value>& values)
    {
        Put(values.size());
        for (const auto& value : values)
        {
            Put(value);
        }
    }

    /// Reads the next value.
    /// @return the value
    template <typename Value>
    Value Get()
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        Require(1, sizeof(Value));
        Value value;
        std::memcpy(&value, m_bytes.data() + m_next, sizeof(Value));
        m_next += sizeof(Value);
        return value;
    }

    /**
     * Reads an index; throws HpccInputError if the index is not below @p size.
     * @param size number of values that may be indexed
     * @return the index
     */
    uint32_t GetIndex(size_t size)
    {
        const auto index = Get<uint32_t>();
        if (index >= size)
        {
            Refuse();
        }
        return index;
    }

    /// Reads the next vector of values.
    /// @return the values
    template <typename Value>
    std::vector<Value> GetVector()
    {
        const auto number = Get<size_t>();
        Require(number, sizeof(Value));
        std::vector<Value> values(number);
        for (auto& value : values)
        {
            value = Get<Value>();
        }
        return values;
    }

    /// Throws an HpccInputError with the message that the data of the ranks do not match.
    [[noreturn]] static void Refuse()
    {
        throw HpccInputError("--mpi: the data of the ranks do not match; all ranks must run the "
                             "same command");
    }

    /// Throws HpccInputError unless all bytes have been read.
    void RequireEnd() const
    {
        if (!IsAtEnd())
        {
            Refuse();
        }
    }

  private:
    /**
     * Throws HpccInputError if fewer values than requested are left to read.
     * @param number number of values requested
     * @param size size of a value, bytes
     */
    void Require(size_t number, size_t size) const
    {
        if (number > (m_bytes.size() - m_next) / size)
        {
            Refuse();
        }
    }

    std::string m_bytes; ///< the bytes
    size_t m_next{0};    ///< index of the next byte to read
};

} // namespace ns3

#endif // HPCC_BYTE_STREAM_H
