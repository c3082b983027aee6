/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EGRESS_SCHEDULER_H
#define HPCC_EGRESS_SCHEDULER_H

#include "hpcc-frame.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides which priority of a port sends next. A higher priority goes first. One group of
 * priorities is an exception: it ranks where its highest member ranks, and its members share what
 * is left for the group:
 *
 * - a ring takes turns frame by frame;
 * - with weights, the group is that of the weights and is served by deficit weighted round robin.
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
class EgressScheduler
{
  public:
    static constexpr uint32_t MAX_WEIGHT = 100; ///< largest weight

    /// Sets the priorities that take turns frame by frame as long as there are no weights.
    /// @param ring priorities, one bit each
    void SetRing(uint8_t ring);

    /// @return the ring
    uint8_t GetRing() const
    {
        return m_ring;
    }

    /**
     * @param text "priority:weight" pairs, separated by commas: priorities 0 to 7, at least two,
     * each once, and weights 1 to MAX_WEIGHT; empty for none
     * @param why set to what is wrong on failure
     * @return true if the text is well-formed; it is then in force
     */
    bool SetWeights(const std::string& text, std::string& why);

    /// @return the weights as text
    std::string GetWeights() const;

    /// Sets what the smallest weight may send in a turn; others send proportionally more.
    /// @param bytes link bytes, above 0
    void SetQuantum(uint32_t bytes);

    /// @return that
    uint32_t GetQuantum() const
    {
        return m_quantumBytes;
    }

    /**
     * @param candidates priorities that may send a frame now, one bit each, at least one
     * @return the one whose turn it is. Call Served() once it has given a frame; another call
     * without it stands for a turn that was not taken
     */
    uint8_t Choose(uint8_t candidates);

    /**
     * Notes that a frame starts which Choose() has selected, or which is the only one.
     * @param priority its priority
     */
    void Served(uint8_t priority)
    {
        if (!(m_group >> priority & 1))
        {
            return;
        }
        if (m_weighted)
        {
            NextTurn(1U << priority);
        }
        else
        {
            m_turn = priority;
        }
    }

    /**
     * Charges for a frame, whatever has selected it. Means nothing without weights.
     * @param priority its priority
     * @param linkBytes bytes by which it occupies the link
     */
    void Charge(uint8_t priority, uint32_t linkBytes)
    {
        m_deficit[priority] -= linkBytes;
    }

    /**
     * @param priority a priority
     * @return priorities whose frames go first whenever they have any, one bit each
     */
    uint8_t GetAhead(uint8_t priority) const;

    /**
     * @param priority a priority
     * @return the other priorities of its group, one bit each; none if it is in no group
     */
    uint8_t GetPeers(uint8_t priority) const;

    /**
     * @param priority a priority
     * @return its share of what the priorities ahead leave, 0 to 1, while all of its group want
     * theirs: its weight over the sum of weights; in a ring, for frames of one size, one over its
     * members; else 1
     */
    double GetShare(uint8_t priority) const;

  private:
    /// Derives the group and its quanta.
    void Configure();
    /**
     * @param group candidates among the ring
     * @return whose turn it is
     */
    uint8_t NextInRing(uint8_t group) const;
    /**
     * @param group candidates among those with a weight
     * @return whose turn it is
     */
    uint8_t NextTurn(uint8_t group);

    uint8_t m_group{0};                           ///< priorities that share a place
    uint8_t m_turn{0};                            ///< of them, the one that was served last
    bool m_weighted{false};                       ///< the group has weights
    uint8_t m_ring{0};                            ///< see SetRing()
    uint32_t m_quantumBytes{1600};                ///< see SetQuantum()
    std::array<uint16_t, PRIORITIES> m_weights{}; ///< 0 without
    std::array<int64_t, PRIORITIES> m_quanta{};   ///< bytes of a turn
    std::array<int64_t, PRIORITIES> m_deficit{};  ///< bytes that may be sent; debt if negative
};

} // namespace ns3

#endif // HPCC_EGRESS_SCHEDULER_H
