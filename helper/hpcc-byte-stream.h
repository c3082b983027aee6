/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BYTE_STREAM_H
#define HPCC_BYTE_STREAM_H

#include <cstddef>
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
 * which they were written, by the same program.
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

    /// @return the bytes written
    const std::string& GetBytes() const
    {
        return m_bytes;
    }

    /// @return true if all bytes have been read
    bool IsAtEnd() const
    {
        return m_next == m_bytes.size();
    }

    /// Writes a value.
    /// @param value the value
    template <typename Value>
    void Put(const Value& value)
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(Value));
    }

    /// Writes the number of values, then the values.
    /// @param values the values
    template <typename Value>
    void Put(const std::vector<Value>& values)
    {
        Put(values.size());
        for (const auto& value : values)
        {
            Put(value);
        }
    }

    /// @return the next value
    template <typename Value>
    Value Get()
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        Value value;
        std::memcpy(&value, m_bytes.data() + m_next, sizeof(Value));
        m_next += sizeof(Value);
        return value;
    }

    /// @return the next values
    template <typename Value>
    std::vector<Value> GetVector()
    {
        std::vector<Value> values(Get<size_t>());
        for (auto& value : values)
        {
            value = Get<Value>();
        }
        return values;
    }

  private:
    std::string m_bytes; ///< the bytes
    size_t m_next{0};    ///< index of the next byte to read
};

} // namespace ns3

#endif // HPCC_BYTE_STREAM_H
