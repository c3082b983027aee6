/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-link-bins.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint64_t>;

} // namespace

TEST(HpccLinkBins, AFrameIsDividedAmongTheBinsOfItsTransmission)
{
    HpccLinkBins bins(10000);
    bins.Add(8000, 9038, 1000000000); // 72.304 us at 1 Gb/s
    EXPECT_EQ(bins.GetBytes(), (Bytes{250, 1250, 1250, 1250, 1250, 1250, 1250, 1250, 38}));
    bins.Add(100000, 1250, 1000000000);
    EXPECT_EQ(bins.GetBytes().size(), 11U) << "a frame that ends with its bin";
    EXPECT_EQ(bins.GetBytes()[9], 0U) << "the link was idle";
    EXPECT_EQ(bins.GetBytes()[10], 1250U);
}

TEST(HpccLinkBins, OnlyBytesAfterTheStartOfTheFirstBinCount)
{
    HpccLinkBins bins(1000);
    bins.Add(-5000, 1000, 80000000000); // ends at -4,900 ns
    bins.Add(-60, 1000, 80000000000);   // 40 ns, or 400 bytes, after 0
    bins.Add(40, 1000, 80000000000);
    EXPECT_EQ(bins.GetBytes(), std::vector<uint64_t>{1400});
}

TEST(HpccLinkBins, ALongIdleTimeAndLargeRatesDoNotOverflow)
{
    HpccLinkBins bins(100000000000000);
    bins.Add(0, 9038, 100000000000000);
    bins.Add(99999999999999, 25000, 100000000000000); // 2 ns, of which 1 is in the first bin
    EXPECT_EQ(bins.GetBytes(), (Bytes{9038 + 12500, 12500}));
}

TEST(HpccLinkBins, ABusyLinkFillsEachBinAndAllBytesCount)
{
    const uint32_t seed = hpcctest::ChooseSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (const uint64_t gbps : {1, 25, 40, 100, 800})
    {
        const uint64_t rateBps = gbps * 1000000000;
        HpccLinkBins bins(10000);
        uint64_t sent = 0;
        while (sent * 8 < 200000 * gbps)
        {
            const auto frame = static_cast<uint32_t>(84 + random() % 8955);
            bins.Add(static_cast<int64_t>(sent * 8 / gbps), frame, rateBps);
            sent += frame;
        }
        const Bytes& bytes = bins.GetBytes();
        EXPECT_EQ(std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}), sent) << gbps;
        ASSERT_GE(bytes.size(), 20U) << gbps;
        for (size_t bin = 0; bin < 20; ++bin)
        {
            EXPECT_EQ(bytes[bin], 1250 * gbps) << "bin " << bin << " at " << gbps << " Gb/s";
        }
    }
}
