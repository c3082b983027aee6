/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_IDEAL_H
#define HPCC_AUTHORS_IDEAL_H

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/rdma-host.h"

#include <cstdint>

namespace ns3
{

/**
 * Returns the completion time of a flow in an idle network by the formula of the HPCC authors'
 * simulator, ns. It is the sum of three times: propagation in both directions, transmission of one
 * full payload over each link, and transmission of all packets, each with 48 bytes of headers, over
 * the slowest link. This formula counts the first packet twice and ignores ACKs.
 * @param fabric the network
 * @param source a host
 * @param destination another host
 * @param bytes payload of the message
 * @return the time, ns
 */
inline int64_t
GetAuthorsIdealFctNs(const HpccFabricHelper& fabric,
                     uint32_t source,
                     uint32_t destination,
                     uint64_t bytes)
{
    constexpr uint64_t headerBytes = 48; // headers of each packet
    const HpccFabricHelper::PathTimes path = fabric.GetPath(source, destination);
    const uint64_t mtu = fabric.GetHost(source)->GetMtu();
    auto ns = static_cast<uint64_t>(2 * path.propagationNs);
    for (uint64_t rate : path.rates)
    {
        ns += mtu * 8000000000 / rate;
    }
    const uint64_t wireBytes = bytes + (bytes + mtu - 1) / mtu * headerBytes;
    if (wireBytes > UINT64_MAX / 8000000000)
    {
        const long double bitNs = static_cast<long double>(wireBytes) * 8e9L;
        return static_cast<int64_t>(ns + static_cast<uint64_t>(bitNs / path.bottleneckBps));
    }
    return static_cast<int64_t>(ns + wireBytes * 8000000000 / path.bottleneckBps);
}

} // namespace ns3

#endif // HPCC_AUTHORS_IDEAL_H
