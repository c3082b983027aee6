/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RECEIVE_OFFLOAD_H
#define HPCC_RECEIVE_OFFLOAD_H

#include "hpcc-tcp-segment.h"

#include "ns3/hpcc-node-agenda.h"
#include "ns3/packet.h"

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Generic receive offload of a host's port: holds TCP segments that arrive, and passes them to the
 * stack as a few large segments (QbbNetDevice::Gro). Segments of the same connection are passed in
 * the order of their arrival; segments of different connections may be reordered.
 *
 * The held segments of a connection are passed to the stack when one of these happens:
 *
 * - no further segment can be joined (TcpJoiner::IsComplete())
 * - a packet of the connection arrives that cannot be joined to the held segments; the segments are
 *   then passed before this packet
 * - no IP packet has arrived for Times::gapNs, which ends the burst
 * - the first segment has been held for Times::timeoutNs
 *
 * Packets that can never be joined are passed to the stack immediately.
 */
class ReceiveOffload : public AgendaClient
{
  public:
    /// Function that passes a packet to the stack. The arguments of the function are the packet,
    /// from the IP header on, and a bool that is true for IPv6.
    using Up = std::function<void(Ptr<Packet> packet, bool ipv6)>;

    /// The times for which segments are held.
    struct Times
    {
        int64_t gapNs;     ///< if no IP packet arrives for this time, the held segments are passed
                           ///< to the stack, ns
        int64_t timeoutNs; ///< longest time for which the first segment of a connection is held, ns
    };

    /// Counters.
    struct Counters
    {
        uint64_t received{0}; ///< packets that have arrived
        uint64_t handedUp{0}; ///< packets passed to the stack
    };

    /**
     * Creates the receive offload of a port.
     * @param agenda agenda of the node
     * @param up passes packets to the stack
     */
    ReceiveOffload(NodeAgenda& agenda, Up up);

    /**
     * Handles a packet that has arrived.
     * @param packet the packet, from the IP header on
     * @param frame frame that contained the packet
     * @param times longest times for which segments may be held
     */
    void Take(Ptr<Packet> packet, const Frame& frame, const Times& times);

    /// Returns the counters of the offload.
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// Discards all held segments.
    void Clear()
    {
        m_held.clear();
    }

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time is set

    /// Identifies a connection: addresses, ports, IPv6.
    using Key = std::tuple<uint32_t, uint32_t, uint16_t, uint16_t, bool>;

    /// The held segments of a connection.
    struct Held
    {
        TcpJoiner joiner; ///< the segments
        int64_t firstNs;  ///< arrival of the first segment, ns
    };

    /**
     * Passes a packet to the stack and counts it.
     * @param packet the packet
     * @param ipv6 true for IPv6, false for IPv4
     */
    void HandUp(Ptr<Packet> packet, bool ipv6);
    /**
     * Joins the held segments of a connection and passes them to the stack.
     * @param held entry of the connection, which is removed
     * @return the entry after the removed entry
     */
    std::map<Key, Held>::iterator Release(std::map<Key, Held>::iterator held);
    /// Schedules a call of Due().
    /// @param atNs the time, ns
    void ScheduleTimer(int64_t atNs);

    NodeAgenda& m_agenda;       ///< agenda of the node
    Up m_up;                    ///< passes packets to the stack
    Times m_times{0, 0};        ///< longest hold times, as passed to Take() with the last packet
    uint32_t m_timer;           ///< index of the timer on the event agenda
    int64_t m_lastNs{0};        ///< arrival of the last packet
    int64_t m_notedNs{NEVER};   ///< time for which Due() is scheduled
    std::map<Key, Held> m_held; ///< held segments by connection
    Counters m_counters;        ///< see GetCounters()
};

} // namespace ns3

#endif // HPCC_RECEIVE_OFFLOAD_H
