/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ENTROPY_H
#define RDMA_ENTROPY_H

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/// The fate of a packet as far as its sender knows, for RdmaEntropyState.
enum class RdmaEntropyFeedback : uint8_t
{
    GOOD,    ///< it has arrived without a mark, or was trimmed without a mark at the last switch
    MARKED,  ///< it has arrived with a mark, or was trimmed with one at the last switch
    TRIMMED, ///< it was trimmed at another switch
    TIMEOUT, ///< nothing was heard of it
};

/**
 * @ingroup hpcc
 *
 * The entropy of a queue pair's packets.
 */
class RdmaEntropyState
{
  public:
    virtual ~RdmaEntropyState() = default;

    /**
     * Chooses the entropy value of a packet.
     * @param random random numbers
     * @param shares RdmaCongestionState::shares of the queue pair; may be null
     * @return the value, below RdmaEntropy::Evs
     */
    virtual uint16_t Next(UniformRandomVariable& random, const float* shares) = 0;

    /**
     * Handles what is known of a packet.
     * @param value its entropy value, below RdmaEntropy::Evs
     * @param feedback its fate, as far as the sender knows
     * @param nowNs local time, ns
     */
    virtual void OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t nowNs) = 0;
};

/**
 * @ingroup hpcc
 *
 * How a host chooses the entropy of its packets: a value for each packet, which goes into the UDP
 * source port and so selects one of several paths. One object serves a host and makes the state of
 * each queue pair. Only for queue pairs whose recovery uses SACKs.
 *
 * A new one is one file pair: derive, register a TypeId and its short names with
 * HpccTypeId::Presets().
 * --entropy=NAME, HpccFabricHelper::SetEntropy() and RdmaHost::Entropy choose it.
 */
class RdmaEntropy : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t MAX_VALUES = 1 << 14; ///< most entropy values

    /// @return the state of a queue pair
    virtual std::unique_ptr<RdmaEntropyState> MakeState() const = 0;

    /// @return true if the number of values must be a power of two
    virtual bool NeedsPowerOfTwo() const = 0;

    /// @return true if it needs a policy with RdmaPolicyDescription::gradesPaths
    virtual bool NeedsShares() const
    {
        return false;
    }

    /// @return the number of values
    uint32_t GetValues() const
    {
        return m_values;
    }

    /// @return an empty string, or one line that says which attribute is wrong
    std::string Validate() const;

    /**
     * @param port the UDP source port of a queue pair
     * @param value an entropy value
     * @return the UDP source port of a packet with that value
     */
    static uint16_t PortOf(uint16_t port, uint16_t value)
    {
        return static_cast<uint16_t>(0xc000 | ((port + value) & (MAX_VALUES - 1)));
    }

    /**
     * @param port the UDP source port of a queue pair
     * @param packetPort that of one of its packets
     * @return the entropy value of the packet
     */
    static uint16_t ValueOf(uint16_t port, uint16_t packetPort)
    {
        return static_cast<uint16_t>((packetPort - port) & (MAX_VALUES - 1));
    }

  private:
    uint32_t m_values; ///< attribute Evs
};

/**
 * @ingroup hpcc
 *
 * A walk over entropy values: each value once, in an order that is drawn anew for each round.
 */
class RdmaEntropyWalk
{
  public:
    /// @param values number of values, a power of two
    explicit RdmaEntropyWalk(uint32_t values)
        : m_mask(static_cast<uint16_t>(values - 1))
    {
    }

    /**
     * Moves on.
     * @param random random numbers
     * @return the next value
     */
    uint16_t Next(UniformRandomVariable& random)
    {
        if (m_index == 0)
        {
            m_mix = static_cast<uint16_t>(random.GetInteger(0, m_mask));
        }
        const auto value = static_cast<uint16_t>(m_index ^ m_mix);
        m_index = (m_index + 1) & m_mask;
        return value;
    }

  private:
    uint16_t m_mask;     ///< values minus 1
    uint16_t m_mix{0};   ///< order of this round
    uint16_t m_index{0}; ///< values of this round that are used
};

} // namespace ns3

#endif // RDMA_ENTROPY_H
