/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PATH_SPREAD_H
#define HPCC_PATH_SPREAD_H

#include <cstdint>

namespace ns3
{

/// How often switches change the path of a flow's packets, from never to most often.
enum class PathSpread : uint8_t
{
    NONE,        ///< one path
    OCCASIONAL,  ///< one path at a time, changed occasionally
    EVERY_PACKET ///< each packet may take a different path
};

} // namespace ns3

#endif // HPCC_PATH_SPREAD_H
