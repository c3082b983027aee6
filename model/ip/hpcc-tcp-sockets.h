/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_SOCKETS_H
#define HPCC_TCP_SOCKETS_H

#include "hpcc-flow-key.h"

#include "ns3/node.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The sockets that ns-3's TCP has in a node, by the keys that a NIC uses for their connections.
 *
 * TCP offers only its full list of sockets, so the result of a scan is cached: connections that
 * begin together cost one scan.
 */
class HpccTcpSockets
{
  public:
    using Key = HpccFlowKey;                           ///< names a connection
    using Sockets = std::map<Key, Ptr<TcpSocketBase>>; ///< by connection

    /**
     * @param isKnown returns true for a connection that will not be asked for: its socket is not
     * stored, because a stored pointer would keep it alive
     */
    explicit HpccTcpSockets(std::function<bool(const Key&)> isKnown);

    /**
     * @param node a host with ns-3's TCP
     * @param key a connection
     * @return its socket; null if there is none
     */
    Ptr<TcpSocketBase> Find(const Node& node, const Key& key);

    /**
     * @param node a host with ns-3's TCP
     * @return its sockets whose connections are not over
     */
    static Sockets List(const Node& node);

    /**
     * @param socket one of TCP
     * @return true if it has data to send, or data sent and not acknowledged. If not, a packet of
     * it that leaves now is an old one that was delayed
     */
    static bool HasUnacknowledged(const TcpSocketBase& socket);

    /// Keeps no socket.
    void Clear();

  private:
    std::function<bool(const Key&)> m_isKnown; ///< see HpccTcpSockets()
    Sockets m_found;                           ///< by the last look at the list
};

} // namespace ns3

#endif // HPCC_TCP_SOCKETS_H
