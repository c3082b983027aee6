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
 * Table of the sockets of ns-3's TCP in a node. The keys are those that a NIC uses for connections.
 *
 * TCP provides only a list of all sockets. The result of a scan of this list is cached, so that
 * connections that begin together need only one scan.
 */
class HpccTcpSockets
{
  public:
    using Key = HpccFlowKey;                           ///< identifies a connection
    using Sockets = std::map<Key, Ptr<TcpSocketBase>>; ///< sockets by connection

    /**
     * Creates the table without any sockets.
     * @param isKnown function that returns true for a connection whose socket will not be
     * requested. Such a socket is not cached, because the cached pointer would keep the socket
     * alive
     */
    explicit HpccTcpSockets(std::function<bool(const Key&)> isKnown);

    /**
     * Finds the socket of a connection.
     * @param node a host with ns-3's TCP
     * @param key a connection
     * @return socket of the connection; null if there is none
     */
    Ptr<TcpSocketBase> Find(const Node& node, const Key& key);

    /**
     * Lists the TCP sockets of a host.
     * @param node a host with ns-3's TCP
     * @return sockets of the host whose connections have not ended
     */
    static Sockets List(const Node& node);

    /**
     * Returns true if a socket has unsent or unacknowledged data. If the result is false, a data
     * packet of this connection that leaves now is an old packet that was delayed.
     * @param socket a TCP socket
     */
    static bool HasUnacknowledged(const TcpSocketBase& socket);

    /// Discards the stored sockets.
    void Clear();

  private:
    std::function<bool(const Key&)> m_isKnown; ///< see HpccTcpSockets()
    Sockets m_found;                           ///< sockets from the last scan
};

} // namespace ns3

#endif // HPCC_TCP_SOCKETS_H
