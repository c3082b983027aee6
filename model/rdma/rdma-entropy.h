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

struct HpccAttribute;

/// The fate of a packet, as observed by its sender.
enum class RdmaEntropyFeedback : uint8_t
{
    GOOD,    ///< arrived without a mark, or was trimmed at the last switch without a mark
    MARKED,  ///< arrived with a mark, or was trimmed at the last switch with a mark
    TRIMMED, ///< was trimmed at a switch other than the last
    TIMEOUT, ///< was not acknowledged before its time-out
};

/**
 * @ingroup hpcc
 *
 * Chooses the entropy values of a queue pair's packets, and stores the state required for the
 * choice.
 */
class RdmaEntropyState
{
  public:
    virtual ~RdmaEntropyState() = default;

    /**
     * Chooses the entropy value of a packet.
     * @param random source of random numbers
     * @param shares RdmaCongestionState::shares of the queue pair; may be null
     * @return the value, below RdmaEntropy::Evs
     */
    virtual uint16_t Next(UniformRandomVariable& random, const float* shares) = 0;

    /**
     * Handles feedback on a packet.
     * @param value entropy value of the packet, below RdmaEntropy::Evs
     * @param feedback the fate of the packet
     * @param nowNs local time, ns
     */
    virtual void OnFeedback(uint16_t value, RdmaEntropyFeedback feedback, int64_t nowNs) = 0;
};

/**
 * @ingroup hpcc
 *
 * Defines how a host chooses the entropy value of each packet. The value determines the UDP source
 * port, which selects one of several paths. A host has one RdmaEntropy object, which creates a
 * state for each queue pair. RdmaEntropy requires a recovery with SACKs.
 *
 * To add a subclass, write a file pair (.h and .cc): derive a class, and register a TypeId and its
 * short names with HpccTypeId::Presets(). The option --entropy=NAME, HpccFabricHelper::SetEntropy()
 * and RdmaHost::Entropy select the new class.
 */
class RdmaEntropy : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t MAX_VALUES = 1 << 14; ///< largest number of entropy values

    /// Creates the state of a queue pair.
    /// @return the new state
    virtual std::unique_ptr<RdmaEntropyState> MakeState() const = 0;

    /// Returns true if the number of entropy values must be a power of two.
    virtual bool NeedsPowerOfTwo() const = 0;

    /// Returns true if this class needs a policy with RdmaPolicyDescription::gradesPaths.
    virtual bool NeedsShares() const
    {
        return false;
    }

    /// Returns the number of entropy values.
    uint32_t GetValues() const
    {
        return m_values;
    }

    /// Checks the attributes.
    /// @return an empty string, or one line that names the invalid attribute
    std::string Validate() const;

    /// Refuses later changes of the attributes, because a queue pair has been connected.
    void Fix() const
    {
        m_fixed = true;
    }

    /// Returns true if the attributes may no longer change.
    bool IsFixed() const
    {
        return m_fixed;
    }

    /**
     * Returns the UDP source port of a packet.
     * @param port the UDP source port of a queue pair
     * @param value entropy value of the packet, below Evs
     */
    static uint16_t PortOf(uint16_t port, uint16_t value)
    {
        return static_cast<uint16_t>(0xc000 | ((port + value) & (MAX_VALUES - 1)));
    }

    /**
     * Returns the entropy value of a packet.
     * @param port the UDP source port of a queue pair
     * @param packetPort the UDP source port of a packet of this queue pair
     */
    static uint16_t ValueOf(uint16_t port, uint16_t packetPort)
    {
        return static_cast<uint16_t>((packetPort - port) & (MAX_VALUES - 1));
    }

  protected:
    /**
     * Declares that an attribute may not change after the first Connect(), because existing states
     * would keep the previous value.
     * @param attribute an attribute of the class
     * @return the attribute with this restriction
     */
    static HpccAttribute OfConnect(const HpccAttribute& attribute);

  private:
    uint32_t m_values;           ///< attribute Evs
    mutable bool m_fixed{false}; ///< see Fix()
};

/**
 * @ingroup hpcc
 *
 * A walk over entropy values that visits each value once per round. Each round has a new random
 * order.
 */
class RdmaEntropyWalk
{
  public:
    /// Creates a walk over entropy values.
    /// @param values number of values, a power of two
    explicit RdmaEntropyWalk(uint32_t values)
        : m_mask(static_cast<uint16_t>(values - 1))
    {
    }

    /**
     * Advances to the next value.
     * @param random source of random numbers
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
    uint16_t m_mask;     ///< number of entropy values minus 1
    uint16_t m_mix{0};   ///< random number that defines the order of this round
    uint16_t m_index{0}; ///< number of values already used in this round
};

} // namespace ns3

#endif // RDMA_ENTROPY_H
