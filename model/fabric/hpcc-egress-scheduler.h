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
 * Decides which priority of a port sends next. Each port has its own object. PFC and emitted frames
 * bypass the scheduler; paused priorities are never candidates.
 *
 * A port calls it in this order: Choose() if several priorities may send; Served() when a frame of
 * a watched priority starts; Charge() with the bytes of each frame that starts, if WantsBytes(), or
 * if telemetry counts the bytes of classes (QbbPortSettings::CountClasses()). A frame's size is
 * known only then: a NIC makes a frame when its turn comes, and a switch may lengthen it by
 * telemetry.
 *
 * To add a scheduler, write a file pair: derive, implement Choose(), register a TypeId and its
 * short names with AddHpccPresets(). --scheduler=NAME, HpccFabricHelper::SetScheduler() and
 * QbbNetDevice::Scheduler choose it.
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

    /// What the attributes of a port say about its priorities.
    struct Classes
    {
        uint8_t lossless{0};                        ///< lossless priorities, one bit each
        std::array<uint16_t, PRIORITIES> weights{}; ///< by priority; 0 without
        uint32_t quantumBytes{1600};                ///< what the smallest weight sends in a turn

        /**
         * Sets the weights.
         * @param text "priority:weight" pairs, separated by commas: priorities 0 to 7, at least
         * two, each once, and weights 1 to MAX_WEIGHT; empty for none
         * @param why set to what is wrong on failure, which leaves the old weights
         * @return true if the text is well-formed
         */
        bool SetWeights(const std::string& text, std::string& why);

        /// @return the weights as text
        std::string GetWeights() const;
    };

    /**
     * Takes over what a port says about its priorities, at the beginning and after each change. The
     * default ignores lossless priorities and throws HpccInputError if there are weights, because
     * they would have no effect.
     * @param classes what it says
     */
    virtual void SetClasses(const Classes& classes);

    /**
     * Chooses a priority.
     * @param candidates priorities that may send a frame now, one bit each, at least one
     * @param port the port; QbbNetDevice::GetHead() is the frame that would go, if it exists yet
     * @return one of the candidates. The port may find no frame after all; then, for a watched
     * priority, Served() does not follow
     */
    virtual uint8_t Choose(uint8_t candidates, const QbbNetDevice& port) = 0;

    /// @return priorities for which Served() is wanted, one bit each; asked for after SetClasses()
    virtual uint8_t GetWatched() const
    {
        return 0;
    }

    /**
     * Called when the transmission starts of a frame that Choose() has selected or that was the
     * only candidate.
     * @param priority its priority
     */
    virtual void Served(uint8_t priority)
    {
        (void)priority;
    }

    /// @return true if Charge() is wanted; asked for after SetClasses()
    virtual bool WantsBytes() const
    {
        return false;
    }

    /**
     * Charges for a frame, whatever has selected it.
     * @param priority its priority
     * @param linkBytes bytes by which it occupies the link
     */
    virtual void Charge(uint8_t priority, uint32_t linkBytes)
    {
        (void)priority;
        (void)linkBytes;
    }

    /**
     * @param priority a priority
     * @return priorities whose frames go first whenever they have any, one bit each
     */
    virtual uint8_t GetAhead(uint8_t priority) const;

    /**
     * @param priority a priority
     * @return the other priorities of its rank, one bit each
     */
    virtual uint8_t GetPeers(uint8_t priority) const;

    /**
     * @param priority a priority
     * @return guaranteed fraction, 0 to 1, of the capacity that higher priorities leave, when all
     * of its peers are backlogged. The default is 0, no guarantee: HpccFabricHelper then refuses
     * telemetry that reports shares
     */
    virtual double GetShare(uint8_t priority) const;
};

} // namespace ns3

#endif // HPCC_EGRESS_SCHEDULER_H
