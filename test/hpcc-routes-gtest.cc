/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-ecmp-table.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

constexpr uint32_t HOST = 0x0b000001; ///< address of the first host

} // namespace

TEST(EcmpTable, WhateverTheOrderInWhichRoutesAreSetThoseSetLastAreFound)
{
    constexpr uint32_t SEED = 1;
    std::mt19937 random(SEED);
    const std::vector<std::vector<uint16_t>> choices{{}, {0}, {1}, {0, 1}, {2, 3, 4}};
    for (int round = 0; round < 20; ++round)
    {
        EcmpTable table;
        std::map<uint32_t, std::vector<uint16_t>> wanted;
        // Adjacent destinations often have equal routes. Therefore the changes make the table merge
        // and split pages.
        for (int change = 0; change < 300; ++change)
        {
            const uint32_t first = HOST + random() % 1000;
            const uint32_t count = random() % 2 ? 1 : random() % 100;
            const auto& ports = choices[random() % choices.size()];
            for (uint32_t host = first; host < first + count; ++host)
            {
                table.SetRoute(host, ports);
                wanted[host] = ports;
            }
        }
        for (uint32_t host = HOST - 100; host < HOST + 1300; ++host)
        {
            ASSERT_EQ(table.GetRoute(host), wanted[host]) << "seed " << SEED << " host " << host;
            const uint32_t port = table.Lookup(host, host * 2654435761U);
            ASSERT_EQ(port == EcmpTable::NO_ROUTE, wanted[host].empty());
        }
    }
}

TEST(EcmpTable, RoutesToDistantRacksTakeNoMemoryPerHost)
{
    // An edge switch of a fat-tree of 8,192 hosts: one port for each of its 16 hosts, and four
    // uplinks.
    EcmpTable edge;
    // A core switch: one port for each of 32 pods.
    EcmpTable core;
    for (uint32_t host = 0; host < 8192; ++host)
    {
        edge.SetRoute(HOST + host,
                      host / 16 == 5 ? std::vector<uint16_t>{static_cast<uint16_t>(host % 16)}
                                     : std::vector<uint16_t>{16, 17, 18, 19});
        core.SetRoute(HOST + host, {static_cast<uint16_t>(host / 256)});
    }
    EXPECT_EQ(edge.GetRoute(HOST + 5 * 16 + 3), std::vector<uint16_t>{3});
    EXPECT_EQ(core.GetRoute(HOST + 8191), std::vector<uint16_t>{31});
    // The memory consists of 256 page entries of 4 bytes, up to twice as much because a vector
    // reserves memory when it grows, and one or two pages that store a route per host.
    EXPECT_LE(edge.GetRouteBytes(), 2500U);
    EXPECT_LE(core.GetRouteBytes(), 2500U);
}
