/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_LOSSES_H
#define HPCC_TEST_LOSSES_H

#include "ns3/hpcc-topology.h"

#include <cstdint>

/// Networks with random packet losses.
namespace hpcctest
{

using namespace ns3;

/**
 * Returns a copy of a network with random losses.
 * @param topology the network
 * @param lossRate probability of loss of a packet on each link
 */
inline HpccTopology
WithLosses(const HpccTopology& topology, double lossRate)
{
    HpccTopology lossy;
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        lossy.AddNode(topology.IsSwitch(node));
    }
    for (auto link : topology.GetLinks())
    {
        link.errorRate = lossRate;
        lossy.AddLink(link);
    }
    return lossy;
}

} // namespace hpcctest

#endif // HPCC_TEST_LOSSES_H
