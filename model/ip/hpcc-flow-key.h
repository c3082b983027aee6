/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_KEY_H
#define HPCC_FLOW_KEY_H

#include "ns3/hpcc-frame.h"

#include <cstdint>
#include <tuple>

namespace ns3
{

/// Identifies a flow of ns-3's IP stack at one of its two hosts. The elements are the remote
/// address, the local port, the remote port, and a flag that is true for IPv6.
using HpccFlowKey = std::tuple<uint32_t, uint16_t, uint16_t, bool>;

/**
 * Returns the flow of a sent packet.
 * @param frame a packet that the host sends
 */
inline HpccFlowKey
KeyOfSent(const FrameHeaders& frame)
{
    return {frame.destination, frame.sourcePort, frame.destinationPort, bool{frame.ipv6}};
}

/**
 * Returns the flow of a received packet.
 * @param frame a packet that the host has received
 */
inline HpccFlowKey
KeyOfReceived(const FrameHeaders& frame)
{
    return {frame.source, frame.destinationPort, frame.sourcePort, bool{frame.ipv6}};
}

} // namespace ns3

#endif // HPCC_FLOW_KEY_H
