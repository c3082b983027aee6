/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PRIORITY_SCHEDULER_H
#define HPCC_PRIORITY_SCHEDULER_H

#include "hpcc-egress-scheduler.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Serves priorities in strict order, the highest first. Exception: the priorities of one group have
 * a common rank, which is that of the group's highest member. The group shares the rate left by
 * higher priorities:
 *
 * - with QbbNetDevice::Weights, the group consists of the priorities with weights and is served by
 *   deficit weighted round robin;
 * - otherwise the attribute Sharing determines the group: either the lossless priorities, which
 *   take turns frame by frame (the ring); or no priority; or all priorities, each with a weight of
 *   1.
 *
 * Deficit round robin ("Efficient fair queuing using deficit round-robin", SIGCOMM 1995) must know
 * the size of a frame before it can choose the frame. Here this size is not known, because a NIC
 * builds a frame only when the frame is to be sent, and because a switch may still add telemetry to
 * a frame. Therefore a class may send while its deficit is above 0. When a frame starts, its class
 * is charged for the bytes that the frame occupies on the link. If the deficit becomes negative,
 * the quanta of later turns repay this debt. Shares are exact in the long run. At any time, a class
 * is ahead of its share by at most a quantum plus a frame.
 *
 * A class that cannot send at its turn, because it is empty or paused, loses the turn and the rest
 * of its deficit. The quanta of lost turns only repay a debt, so a class never accumulates credit.
 * While a class is paused, the other classes use its share. The class is not compensated for this
 * after the pause. The port is never idle while a class may send.
 */
class PriorityScheduler final : public EgressScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Priorities that share a rank if there are no weights.
    enum Sharing
    {
        LOSSLESS, ///< the lossless priorities, frame by frame
        NONE,     ///< no priorities; weights are refused
        ALL,      ///< all priorities, byte by byte
    };

    void SetClasses(const Classes& classes) override;
    uint8_t Choose(uint8_t candidates, const QbbNetDevice& port) override;
    uint8_t GetWatched() const override;
    void Served(uint8_t priority) override;
    bool WantsBytes() const override;
    void Charge(uint8_t priority, uint32_t linkBytes) override;
    uint8_t GetAhead(uint8_t priority) const override;
    uint8_t GetPeers(uint8_t priority) const override;

    /**
     * Returns the share of a priority in its group: its weight divided by the sum of weights. In a
     * ring of n members, the share is 1/n, which assumes frames of equal size. If the priority is
     * not in the group, the share is 1.
     * @param priority priority whose share is returned, 0 to 7
     */
    double GetShare(uint8_t priority) const override;

  private:
    /// Applies a change of the attribute Sharing to the port.
    void ShareAgain();

    /**
     * Returns the priority whose turn it is in the ring.
     * @param group candidates that are members of the ring
     */
    uint8_t NextInRing(uint8_t group) const;
    /**
     * Advances the deficit round robin to the next priority that may send.
     * @param group candidates that have a weight
     * @return the priority whose turn it is
     */
    uint8_t NextTurn(uint8_t group);

    Sharing m_sharing{LOSSLESS};                  ///< attribute Sharing
    uint8_t m_group{0};                           ///< priorities that share a rank
    uint8_t m_turn{0};                            ///< member of the group that was served last
    bool m_weighted{false};                       ///< true if the members of the group have weights
    std::array<uint16_t, PRIORITIES> m_weights{}; ///< weights; 0: no weight
    int64_t m_unitsPerByte{1}; ///< factor by which quanta and deficits in bytes are multiplied: the
                               ///< smallest weight, so that every quantum is a whole number
    std::array<int64_t, PRIORITIES> m_quanta{};  ///< bytes that a priority may send per turn, times
                                                 ///< m_unitsPerByte
    std::array<int64_t, PRIORITIES> m_deficit{}; ///< bytes that may be sent, times m_unitsPerByte;
                                                 ///< debt if negative
};

} // namespace ns3

#endif // HPCC_PRIORITY_SCHEDULER_H
