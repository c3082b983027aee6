/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_SOCKET_WATCH_H
#define HPCC_TCP_SOCKET_WATCH_H

#include "ns3/hpcc-node-agenda.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides when a NIC asks TCP which sockets still exist. The NIC asks for the first time one
 * interval after a packet has passed. While packets pass, it asks again after each interval. If no
 * packets pass, the interval doubles after each query. After MAX_RESTS queries without a packet,
 * the NIC stops asking, so that an idle network schedules no more events. With an interval of 1 s
 * the last query is 511 s after the last packet. By then, ns-3's TCP has given up a connection
 * without packets: with default attributes, TCP's retransmissions are at most 192 s apart.
 */
class HpccTcpSocketWatch : public AgendaClient
{
  public:
    /**
     * Creates the watch of a NIC.
     * @param agenda the host's agenda; must outlive this object
     * @param intervalNs the interval, ns; if 0, TCP is never asked
     * @param knows function that returns true if the NIC knows any connection
     * @param ask function that asks TCP which sockets exist
     */
    HpccTcpSocketWatch(NodeAgenda& agenda,
                       int64_t intervalNs,
                       std::function<bool()> knows,
                       std::function<void()> ask);

    /// Handles a packet that passes the NIC.
    void OnPacket();

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time is set
    static constexpr uint8_t MAX_RESTS = 9;     ///< largest number of queries while no packet
                                                ///< passes

    /// Schedules the next query if the NIC knows any connection.
    void AskLater();

    NodeAgenda& m_agenda;          ///< the host's event agenda
    int64_t m_intervalNs;          ///< see HpccTcpSocketWatch()
    std::function<bool()> m_knows; ///< see HpccTcpSocketWatch()
    std::function<void()> m_ask;   ///< see HpccTcpSocketWatch()
    uint32_t m_timer;              ///< index of the timer on the event agenda
    int64_t m_askNs{NEVER};        ///< time of the next query, ns
    uint8_t m_rests{0};            ///< queries since the last packet
};

} // namespace ns3

#endif // HPCC_TCP_SOCKET_WATCH_H
