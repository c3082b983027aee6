/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-tcp-sockets.h"

#include "ns3/hpcc-ip-headers.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/object-ptr-container.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <array>
#include <boost/endian/conversion.hpp>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Finds the key of the connection of a socket.
 * @param socket a TCP socket
 * @param key set to the key of its connection on success
 * @return false if the connection has ended, or has an IPv6 address to which switches cannot
 * forward packets
 */
bool
KeyOf(const TcpSocketBase& socket, HpccTcpSockets::Key& key)
{
    Address local;
    Address peer;
    if (socket.GetPeerName(peer) != 0 || socket.GetSockName(local) != 0)
    {
        return false;
    }
    if (InetSocketAddress::IsMatchingType(peer))
    {
        const auto remote = InetSocketAddress::ConvertFrom(peer);
        key = {remote.GetIpv4().Get(),
               InetSocketAddress::ConvertFrom(local).GetPort(),
               remote.GetPort(),
               false};
        return true;
    }
    const auto remote = Inet6SocketAddress::ConvertFrom(peer);
    std::array<uint8_t, 16> bytes;
    remote.GetIpv6().GetBytes(bytes.data());
    key = {boost::endian::load_big_u32(&bytes[12]),
           Inet6SocketAddress::ConvertFrom(local).GetPort(),
           remote.GetPort(),
           true};
    return bytes == Ipv6AddressOf(std::get<0>(key));
}

} // namespace

HpccTcpSockets::HpccTcpSockets(std::function<bool(const Key&)> isKnown)
    : m_isKnown(std::move(isKnown))
{
}

Ptr<TcpSocketBase>
HpccTcpSockets::Find(const Node& node, const Key& key)
{
    auto found = m_found.find(key);
    Key now;
    if (found == m_found.end() || !KeyOf(*found->second, now) || now != key)
    {
        m_found = List(node);
        for (auto it = m_found.begin(); it != m_found.end();)
        {
            it = it->first != key && m_isKnown(it->first) ? m_found.erase(it) : std::next(it);
        }
        found = m_found.find(key);
    }
    if (found == m_found.end())
    {
        return nullptr;
    }
    auto socket = found->second;
    m_found.erase(found);
    return socket;
}

bool
HpccTcpSockets::HasUnacknowledged(const TcpSocketBase& socket)
{
    UintegerValue buffer;
    socket.GetAttribute("SndBufSize", buffer);
    return socket.GetTxAvailable() < buffer.Get();
}

void
HpccTcpSockets::Clear()
{
    m_found.clear();
}

HpccTcpSockets::Sockets
HpccTcpSockets::List(const Node& node)
{
    Sockets list;
    ObjectPtrContainerValue sockets;
    node.GetObject<TcpL4Protocol>()->GetAttribute("SocketList", sockets);
    for (auto it = sockets.Begin(); it != sockets.End(); ++it)
    {
        auto socket = DynamicCast<TcpSocketBase>(it->second);
        Key key;
        if (socket && KeyOf(*socket, key))
        {
            list.emplace(key, socket);
        }
    }
    return list;
}

} // namespace ns3
