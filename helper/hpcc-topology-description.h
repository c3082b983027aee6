/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TOPOLOGY_DESCRIPTION_H
#define HPCC_TOPOLOGY_DESCRIPTION_H

#include "hpcc-topology.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Most switches per row of a drawing; with more, it would be illegible.
constexpr uint32_t MAX_DRAWN_SWITCHES = 64;

/**
 * @ingroup hpcc
 *
 * Describes a topology. The first line has the numbers of hosts, switches and links. Then one line
 * per switch lists the nodes to which its ports lead, and the links' rates and propagation delays.
 * @param topology the network
 * @return the text
 */
std::string DescribeTopology(const HpccTopology& topology);

/**
 * @ingroup hpcc
 *
 * Draws a topology with the numbers of its nodes. Hosts are at the bottom. There is a row of
 * switches for each distance from the hosts, and a colour for each kind of link.
 * @param topology the network
 * @return the picture as SVG, 1,100 pixels wide; empty if a row would have more than
 * MAX_DRAWN_SWITCHES switches
 */
std::string DrawTopology(const HpccTopology& topology);

} // namespace ns3

#endif // HPCC_TOPOLOGY_DESCRIPTION_H
