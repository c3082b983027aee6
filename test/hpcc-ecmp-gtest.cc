/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-authors-paths.h"
#include "ns3/hpcc-ecmp-table.h"
#include "ns3/hpcc-frame.h"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

TEST(EcmpTable, GivesTheRoutesThatWereSetAndNoOthers)
{
    EcmpTable table;
    EXPECT_TRUE(table.GetRoute(5).empty());
    table.SetRoute(100, {7});
    table.SetRoute(90, {1, 2, 3});
    table.SetRoute(110, {1, 2, 3});
    table.SetRoute(105, {4});
    EXPECT_EQ(table.Lookup(100, 12345), 7);
    EXPECT_EQ(table.Lookup(105, 12345), 4);
    EXPECT_EQ(table.GetRoute(90), (std::vector<uint16_t>{1, 2, 3}));
    EXPECT_EQ(table.GetRoute(110), (std::vector<uint16_t>{1, 2, 3}));
    for (uint32_t address : {0U, 89U, 91U, 99U, 101U, 104U, 109U, 111U, UINT32_MAX})
    {
        EXPECT_EQ(table.Lookup(address, 1), EcmpTable::NO_ROUTE) << address;
        EXPECT_TRUE(table.GetRoute(address).empty()) << address;
    }
    table.SetRoute(100, {});
    EXPECT_EQ(table.Lookup(100, 12345), EcmpTable::NO_ROUTE);
}

TEST(EcmpTable, TheWholeRouteKeepsPortsThatAreDown)
{
    EcmpTable table;
    EXPECT_EQ(table.FindWhole(5).count, 0U);
    table.SetRoute(100, {3, 1, 2});
    table.SetUsable(1, false);
    EXPECT_EQ(table.GetRoute(100), (std::vector<uint16_t>{3, 2}));
    const auto whole = table.FindWhole(100);
    EXPECT_EQ(std::vector<uint16_t>(whole.begin(), whole.end()), (std::vector<uint16_t>{3, 1, 2}));
}

TEST(AuthorsPaths, TheHashIsMurmurHash3OfAddressesAndPorts)
{
    // The expected values are from an implementation that reproduces MurmurHash3's published
    // vectors, such as 0x24884cba for "Hello, world!" with seed 0x9747b28c. The input of the hash
    // is the words 0x0b000001 + (source << 8), 0x0b000001 + (destination << 8) and source port +
    // (destination port << 16).
    EXPECT_EQ(AuthorsPaths::Hash(0, 319, 10000, 100, 320), 0x750e303dU);
    EXPECT_EQ(AuthorsPaths::Hash(319, 0, 100, 10000, 359), 0xc0f31f89U);
    EXPECT_EQ(AuthorsPaths::Hash(300, 5, 65535, 200, 0), 0x3dbfb7e9U);
}

/// @return hashes of the flows of a permutation and of an incast, whose addresses and ports are
/// consecutive numbers
std::vector<uint32_t>
FlowHashes(uint32_t flows)
{
    std::vector<uint32_t> hashes;
    for (uint32_t i = 0; i < flows; ++i)
    {
        hashes.push_back(HashFiveTuple(0x0b000001 + i % 64,
                                       0x0b000001 + (i % 2 ? 64 : 64 + i % 64),
                                       static_cast<uint16_t>(49152 + i / 64),
                                       4791,
                                       17));
    }
    return hashes;
}

/// @return chi-square of counts against a uniform distribution
double
ChiSquare(const std::vector<uint32_t>& counts)
{
    double total = 0;
    for (uint32_t count : counts)
    {
        total += count;
    }
    double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (uint32_t count : counts)
    {
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

/// Returns the value that chi-square with n degrees of freedom exceeds with a probability of 1e-6
/// (Wilson and Hilferty 1931).
double
ChiSquareLimit(double n)
{
    double a = 2 / (9 * n);
    return n * std::pow(1 - a + 4.7534 * std::sqrt(a), 3);
}

TEST(EcmpTable, SpreadsFlowsEvenly)
{
    auto hashes = FlowHashes(4096);
    for (uint32_t ways : {2, 3, 4, 7, 8, 16, 32})
    {
        std::vector<uint16_t> ports(ways);
        for (uint16_t i = 0; i < ways; ++i)
        {
            ports[i] = i;
        }
        for (uint32_t seed = 0; seed < 64; ++seed)
        {
            EcmpTable table;
            table.SetSeed(seed);
            table.SetRoute(1, ports);
            std::vector<uint32_t> counts(ways);
            for (uint32_t hash : hashes)
            {
                ++counts[table.Lookup(1, hash)];
            }
            EXPECT_LT(ChiSquare(counts), ChiSquareLimit(ways - 1))
                << ways << " ways, seed " << seed;
        }
    }
}

TEST(EcmpTable, SwitchesChooseIndependentlyOfEachOther)
{
    // With polarisation, a second switch sends all flows that a first switch has sent through the
    // same port through one port again. Without polarisation, the choices of two switches are
    // independent, so the pairs of their choices are uniformly distributed.
    auto hashes = FlowHashes(4096);
    for (uint32_t ways : {2, 4, 8})
    {
        std::vector<uint16_t> ports(ways);
        for (uint16_t i = 0; i < ways; ++i)
        {
            ports[i] = i;
        }
        for (uint32_t first = 0; first < 40; ++first)
        {
            for (uint32_t second = first + 1; second < 40; ++second)
            {
                EcmpTable a;
                EcmpTable b;
                a.SetSeed(first);
                b.SetSeed(second);
                a.SetRoute(1, ports);
                b.SetRoute(1, ports);
                std::vector<uint32_t> counts(ways * ways);
                for (uint32_t hash : hashes)
                {
                    ++counts[a.Lookup(1, hash) * ways + b.Lookup(1, hash)];
                }
                EXPECT_LT(ChiSquare(counts), ChiSquareLimit(ways * ways - 1))
                    << ways << " ways, switches " << first << " and " << second;
            }
        }
    }
}

TEST(FlowHash, EveryPartOfTheFiveTupleMatters)
{
    uint32_t hash = HashFiveTuple(1, 2, 3, 4, 5);
    std::set<uint32_t> hashes{hash,
                              HashFiveTuple(9, 2, 3, 4, 5),
                              HashFiveTuple(1, 9, 3, 4, 5),
                              HashFiveTuple(1, 2, 9, 4, 5),
                              HashFiveTuple(1, 2, 3, 9, 5),
                              HashFiveTuple(1, 2, 3, 4, 9),
                              HashFiveTuple(2, 1, 4, 3, 5)};
    EXPECT_EQ(hashes.size(), 7);
}

} // namespace
