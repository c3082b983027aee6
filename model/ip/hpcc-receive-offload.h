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
 * stack as few large ones (QbbNetDevice::Gro). Segments of a connection are delivered to the stack
 * in the order of their arrival, those of different connections need not be.
 *
 * The held segments of a connection are delivered when the TcpJoiner is complete; when a packet of
 * the connection arrives that does not fit, ahead of it; when no IP packet has arrived for some
 * time, which ends the burst; and some time after the first segment at the latest. Packets that
 * cannot be joined pass at once.
 */
class ReceiveOffload : public AgendaClient
{
  public:
    /// Takes what goes up: packet from the IP header on, whether IPv6.
    using Up = std::function<void(Ptr<Packet> packet, bool ipv6)>;

    /// How long segments are held.
    struct Times
    {
        int64_t gapNs;     ///< without a packet of IP, ns
        int64_t timeoutNs; ///< since the first segment, ns
    };

    /// Counters.
    struct Counters
    {
        uint64_t received{0}; ///< packets that came
        uint64_t handedUp{0}; ///< packets that went up
    };

    /**
     * Makes the receive offload of a port.
     * @param agenda of the node
     * @param up takes the packets that go up
     */
    ReceiveOffload(NodeAgenda& agenda, Up up);

    /**
     * Handles a packet that has arrived.
     * @param packet from the IP header on
     * @param frame the frame it came in
     * @param times how long it may be held
     */
    void Take(Ptr<Packet> packet, const Frame& frame, const Times& times);

    /// @return its counters
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// Forgets what is held.
    void Clear()
    {
        m_held.clear();
    }

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time

    /// Names a connection: addresses, ports, IPv6.
    using Key = std::tuple<uint32_t, uint32_t, uint16_t, uint16_t, bool>;

    /// The held segments of a connection.
    struct Held
    {
        TcpJoiner joiner; ///< the segments
        int64_t firstNs;  ///< when the first came
    };

    /**
     * Passes a packet up.
     * @param packet the packet
     * @param ipv6 true for IPv6, false for IPv4
     */
    void HandUp(Ptr<Packet> packet, bool ipv6);
    /**
     * @param held a connection's; goes up
     * @return the one behind it
     */
    std::map<Key, Held>::iterator Release(std::map<Key, Held>::iterator held);
    /// Makes sure that Due() is called at a time.
    /// @param atNs the time, ns
    void Note(int64_t atNs);

    NodeAgenda& m_agenda;       ///< of the node
    Up m_up;                    ///< takes what goes up
    Times m_times{0, 0};        ///< of the last packet
    uint32_t m_timer;           ///< index on the agenda
    int64_t m_lastNs{0};        ///< when the last packet came
    int64_t m_notedNs{NEVER};   ///< when Due() comes
    std::map<Key, Held> m_held; ///< by connection
    Counters m_counters;        ///< see GetCounters()
};

} // namespace ns3

#endif // HPCC_RECEIVE_OFFLOAD_H
