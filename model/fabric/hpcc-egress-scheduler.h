/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EGRESS_SCHEDULER_H
#define HPCC_EGRESS_SCHEDULER_H

#include "hpcc-frame.h"

#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Chooses which priority of a port sends next. Each port has its own scheduler. PFC frames and
 * frames sent by QbbNetDevice::Emit() bypass the scheduler; paused priorities are never candidates.
 *
 * For each frame, a port calls these functions in this order:
 *
 * - Choose(), if several priorities may send
 * - Served(), when the transmission of a frame starts; only if its priority is in GetWatched()
 * - Charge(), when the transmission of a frame starts; only if WantsBytes() is true or telemetry
 *   counts the bytes of classes (QbbPortSettings::CountClasses())
 *
 * A frame's size is known only when its transmission starts: a NIC builds a frame only then, and a
 * switch may add telemetry to a frame until then.
 *
 * To add a scheduler, write a file pair: derive a class, implement Choose(), register a TypeId and
 * its short names with HpccTypeId::Presets(), and add NS_OBJECT_ENSURE_REGISTERED. The option
 * --scheduler=NAME, HpccFabricHelper::SetScheduler() and QbbNetDevice::Scheduler select the new
 * class.
 */
class EgressScheduler : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    static constexpr uint32_t MAX_WEIGHT = 100; ///< largest weight

    /// A port that has a scheduler.
    class Owner
    {
      public:
        /**
         * Passes the priority configuration to the scheduler. Throws HpccInputError if the new
         * configuration changes shares that hosts have already used. The caller must then restore
         * the changed attribute.
         * @param attribute full name of the attribute that has changed, for the message
         */
        virtual void ConfigureShares(const std::string& attribute) = 0;

      protected:
        ~Owner() = default;
    };

    /// Priority configuration of a port.
    struct Classes
    {
        uint8_t lossless{0};                        ///< lossless priorities, one bit each
        std::array<uint16_t, PRIORITIES> weights{}; ///< weight of each priority; 0: no weight
        uint32_t quantumBytes{1600};                ///< quantum (bytes per turn) of the priority
                                                    ///< with the smallest weight

        /**
         * Sets the weights.
         * @param text "priority:weight" pairs, separated by commas, for at least two different
         * priorities from 0 to 7, with weights from 1 to MAX_WEIGHT; empty for no weights
         * @param why set to the reason on failure; a failure leaves the weights unchanged
         * @return true if the text is well-formed
         */
        bool SetWeights(const std::string& text, std::string& why);

        /// Returns the weights as text, in the syntax of SetWeights().
        std::string GetWeights() const;
    };

    /**
     * Sets the priority configuration of the port, initially and after each change. The default
     * implementation ignores lossless priorities. The default implementation throws HpccInputError
     * if there are weights, because they would have no effect.
     * @param classes lossless priorities, weights and quantum of the port
     */
    virtual void SetClasses(const Classes& classes);

    /**
     * Chooses a priority.
     * @param candidates priorities that may send a frame now, one bit each, at least one
     * @param port the port. On a host, QbbNetDevice::GetHead() returns null for a candidate whose
     * frame the NIC has not built yet
     * @return the chosen candidate. Served() is not called if the host turns out to have no frame
     * of this priority
     */
    virtual uint8_t Choose(uint8_t candidates, const QbbNetDevice& port) = 0;

    /// Returns the priorities for which the port must call Served(), one bit each. The port reads
    /// this value after each call of SetClasses().
    virtual uint8_t GetWatched() const
    {
        return 0;
    }

    /**
     * Handles the start of transmission of a frame whose priority is in GetWatched(). If only one
     * priority may send, the port calls Served() without calling Choose().
     * @param priority the priority of the frame
     */
    virtual void Served(uint8_t priority)
    {
        (void)priority;
    }

    /// Returns true if the port must call Charge(). The port reads this value after each call of
    /// SetClasses().
    virtual bool WantsBytes() const
    {
        return false;
    }

    /**
     * Charges a frame to its priority. Called for every frame except PFC frames. Frames that
     * Choose() has not selected, such as emitted frames, are charged, too.
     * @param priority priority of the frame
     * @param linkBytes bytes that the frame occupies on the link
     */
    virtual void Charge(uint8_t priority, uint32_t linkBytes)
    {
        (void)priority;
        (void)linkBytes;
    }

    /**
     * Returns the priorities that are always served before a given priority, one bit each. Default:
     * none.
     * @param priority given priority, 0 to 7
     */
    virtual uint8_t GetAhead(uint8_t priority) const;

    /**
     * Returns the other priorities with the same rank as a given priority, one bit each. Default:
     * all others.
     * @param priority given priority, 0 to 7
     */
    virtual uint8_t GetPeers(uint8_t priority) const;

    /**
     * Returns the share, 0 to 1, that a priority gets even if all priorities of its rank have
     * frames. The share refers to the bandwidth that priorities of higher ranks do not use. The
     * default, 0, means no guarantee; HpccFabricHelper then refuses the values Share and Residual
     * of TelemetryAgent::Bandwidth.
     * @param priority priority that is guaranteed the share, 0 to 7
     */
    virtual double GetShare(uint8_t priority) const;

    /**
     * Assigns the scheduler to a port. Throws HpccInputError if the scheduler already belongs to
     * another port.
     * @param port owner; null releases the scheduler
     */
    void SetOwner(Owner* port);

  protected:
    /**
     * Passes the priority configuration to SetClasses() again. Must be called after a change of a
     * scheduler attribute that determines classes or shares. Does nothing if the scheduler belongs
     * to no port. Throws HpccInputError if the change would alter shares that hosts have already
     * used. If HpccAttribute::Then() has caused the call, the attribute then keeps its previous
     * value.
     * @param attribute name of the attribute
     */
    void Reconfigure(const std::string& attribute);

  private:
    Owner* m_owner{nullptr}; ///< see SetOwner()
};

} // namespace ns3

#endif // HPCC_EGRESS_SCHEDULER_H
