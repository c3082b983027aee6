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
 * Strict priorities, with one group of priorities that share one rank. A higher priority goes
 * first. The group has the rank of its highest member, and its members share the rate that higher
 * priorities leave:
 *
 * - with QbbNetDevice::Weights, the group is that of the weights and is served by deficit weighted
 *   round robin;
 * - otherwise, as Sharing says, the lossless priorities take turns frame by frame (the ring), no
 *   priorities share a rank, or all priorities share by weights of 1.
 *
 * Deficit round robin ("Efficient fair queuing using deficit round-robin", SIGCOMM 1995) asks for
 * the size of a frame before it is taken. Here a frame may not exist yet (a NIC makes it when its
 * turn comes), or a switch may still lengthen it by telemetry. So a class is charged afterwards
 * with the bytes by which the frame has occupied the link, and may overdraw: it sends while its
 * deficit is above 0, gets its quantum at each turn, and pays back what it has overdrawn. Shares
 * are exact in the long run; in between, a class is at most a quantum and a frame ahead of its
 * share.
 *
 * A class that cannot send when it is asked, because it is empty or paused, loses its turn: it
 * forfeits the rest of its deficit, and a debt is paid off by the quanta of the turns that it
 * misses. So a class never accumulates credit. A pause gives the link to the others, and afterwards
 * the class has its share again, but not what it has missed. The port is never idle while some
 * class may send.
 */
class PriorityScheduler final : public EgressScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Which priorities share a rank without weights.
    enum Sharing
    {
        LOSSLESS, ///< the lossless ones, frame by frame
        NONE,     ///< none; weights are refused
        ALL,      ///< all, byte by byte
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
     * @param priority a priority
     * @return its weight over the sum of weights; in a ring, for frames of one size, one over its
     * members; 1 if it is in no group
     */
    double GetShare(uint8_t priority) const override;

  private:
    /**
     * @param group candidates among the ring
     * @return the priority whose turn it is
     */
    uint8_t NextInRing(uint8_t group) const;
    /**
     * @param group candidates among those with a weight
     * @return the priority whose turn it is
     */
    uint8_t NextTurn(uint8_t group);

    Sharing m_sharing{LOSSLESS};                  ///< attribute
    uint8_t m_group{0};                           ///< priorities that share a rank
    uint8_t m_turn{0};                            ///< of them, the one that was served last
    bool m_weighted{false};                       ///< the group has weights
    std::array<uint16_t, PRIORITIES> m_weights{}; ///< 0 without
    std::array<int64_t, PRIORITIES> m_quanta{};   ///< bytes of a turn
    std::array<int64_t, PRIORITIES> m_deficit{};  ///< bytes that may be sent; debt if negative
};

} // namespace ns3

#endif // HPCC_PRIORITY_SCHEDULER_H
