/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares DCTCP with steps computed by hand from the paper's algorithm.

#include "hpcc-test-rate-policies.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/rdma-dctcp.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

using namespace ns3;
using namespace hpcctest;

namespace
{

double
Alpha(const RateQueuePair& qp)
{
    return static_cast<RdmaDctcpState*>(qp.State())->alpha;
}

} // namespace

TEST(RdmaDctcpTest, StartsAtLineRateWithTheWindowOfT)
{
    auto ops = MakeRate("dctcp");
    EXPECT_EQ(ops->GetInstanceTypeId(), RdmaDctcp::GetTypeId());
    EXPECT_EQ(ops->Describe(nullptr).ecn, RdmaPolicyDescription::ECT0);
    EXPECT_FALSE(ops->Describe(nullptr).cnps);
    RateQueuePair qp(ops);
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 162500);
    EXPECT_EQ(Alpha(qp), 1);
}

TEST(RdmaDctcpTest, NamesSetIncreaseMarkingAndReactionToLoss)
{
    EXPECT_EQ(MakeRate("dctcp")->Describe(nullptr).marking, "10Gbps:30000:30000:1");
    EXPECT_EQ(MakeRate("dctcp:paper")->Describe(nullptr).marking, "10Gbps:97500:97500:1");
    auto authors = MakeRate("dctcp:authors");
    EXPECT_EQ(Get<DataRateValue>(authors, "RateAi").Get(), DataRate("615Mbps"));
    EXPECT_EQ(Get<DoubleValue>(authors, "LossCut").Get(), 0);
    EXPECT_EQ(Get<DoubleValue>(authors, "Gain").Get(), 0.0625);
}

TEST(RdmaDctcpTest, AlphaFollowsTheShareOfMarkedBytesOncePerWindow)
{
    auto ops = MakeRate("dctcp");
    Recorder alpha;
    ops->TraceConnectWithoutContext("Alpha", MakeCallback(&Recorder::Value, &alpha));
    RateQueuePair qp(ops);
    qp.Window(10, 0); // the first ACK starts the first window, which has 10 packets
    EXPECT_TRUE(alpha.values.empty());
    qp.Window(10, 0); // the first ACK of this window ends the preceding window
    double expected = 15.0 / 16;
    ASSERT_EQ(alpha.values.size(), 1U);
    EXPECT_NEAR(Alpha(qp), expected, 1e-12);
    qp.Window(10, 4);
    expected *= 15.0 / 16;
    expected += (1.0 / 16) * 1 / 10; // one of 10 packets is marked: the first packet of this window
                                     // and the 9 packets before it
    EXPECT_NEAR(Alpha(qp), expected, 1e-12);
    qp.Window(10, 0);
    expected *= 15.0 / 16;
    expected += (1.0 / 16) * 3 / 10;
    EXPECT_NEAR(Alpha(qp), expected, 1e-12);
    EXPECT_EQ(alpha.values.size(), 3U);
}

TEST(RdmaDctcpTest, AMarkCutsByHalfOfAlphaOncePerWindow)
{
    RateQueuePair qp(MakeRate("dctcp"));
    qp.Ack(-1, true); // alpha is still 1
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 81250);
    for (int packet = 2; packet <= 50; ++packet)
    {
        qp.Ack(-1, true);
        ASSERT_NEAR(qp.Gbps(), 50, 1e-9) << packet;
    }
    qp.Ack(-1, true); // the first packet sent after the cut; all were marked, so alpha stays 1
    EXPECT_NEAR(qp.Gbps(), 25, 1e-9);
}

TEST(RdmaDctcpTest, AWindowWithoutACutAddsOnePacketPerT)
{
    RateQueuePair qp(MakeRate("dctcp"));
    qp.Window(10, 1);
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    qp.Window(10, 0); // ends the window in which the rate was cut
    const double increase = 8000.0 / 13000;
    EXPECT_NEAR(qp.Gbps(), 50 + increase, 1e-9);
    qp.Window(10, 0);
    EXPECT_NEAR(qp.Gbps(), 50 + 2 * increase, 1e-9);
    EXPECT_NEAR(qp.State()->windowBytes, qp.Bps() * 13e-6 / 8, 1e-6);
}

TEST(RdmaDctcpTest, TheAuthorsIncreaseDoesNotDependOnT)
{
    RateQueuePair qp(MakeRate("dctcp:authors", 5000));
    qp.Window(10, 1);
    qp.Window(10, 0);
    EXPECT_NEAR(qp.Gbps(), 50.615, 1e-9);
}

TEST(RdmaDctcpTest, AnAckOfSeveralPacketsCountsAllItsBytes)
{
    auto ops = MakeRate("dctcp");
    ops->SetAttribute("InitialAlpha", DoubleValue(0));
    RateQueuePair qp(ops);
    qp.Ack(-1, true, 1000, 40000);
    for (int ack = 0; ack < 10; ++ack)
    {
        qp.Ack(-1, true, 4000, 40000);
    }
    EXPECT_NEAR(Alpha(qp), 1.0 / 16, 1e-12); // all packets are marked; 11 ACKs cover 41 packets
}

TEST(RdmaDctcpTest, ALossHalvesTheRateOncePerWindow)
{
    auto ops = MakeRate("dctcp");
    RateQueuePair qp(ops);
    qp.Window(10, 0);
    ops->OnLoss(qp.State(), {0, RdmaLossInfo::NAK, 5000, 5000});
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    ops->OnLoss(qp.State(), {0, RdmaLossInfo::TIMEOUT, 5000, 5000});
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);

    auto authors = MakeRate("dctcp:authors");
    RateQueuePair deaf(authors);
    authors->OnLoss(deaf.State(), {0, RdmaLossInfo::NAK, 5000, 5000});
    EXPECT_EQ(deaf.Gbps(), 100);
}

TEST(RdmaDctcpTest, TheRateStaysBetweenMinRateAndLineRateWhateverComes)
{
    RateQueuePair qp(MakeRate("dctcp"), 100'000'000'000, 5'000'000'000);
    uint64_t random = 1;
    double lowest = qp.Bps();
    for (int i = 0; i < 20000; ++i)
    {
        random = random * 6364136223846793005 + 1442695040888963407;
        qp.Ack(-1, i % 4000 < 2000 && (random >> 62) > 0);
        ASSERT_GE(qp.Bps(), 1e9);
        ASSERT_LE(qp.Bps(), 100e9);
        ASSERT_GE(Alpha(qp), 0);
        ASSERT_LE(Alpha(qp), 1);
        ASSERT_NEAR(qp.State()->windowBytes, qp.Bps() * 13e-6 / 8, 1e-6);
        lowest = std::min(lowest, qp.Bps());
    }
    EXPECT_LT(lowest, 2e9);
}

TEST(RdmaDctcpTest, ValidateAndRanges)
{
    auto ops = CreateObject<RdmaDctcp>();
    EXPECT_EQ(ops->Validate(0, nullptr),
              "ns3::RdmaDctcp::T is 0 and the network's base RTT is unknown: T must be above 0");
    ops->SetAttribute("T", TimeValue(MicroSeconds(5)));
    EXPECT_EQ(ops->Validate(0, nullptr), "");
    ops->SetNetworkBaseRtt(13000); // T as set by the user takes precedence
    EXPECT_DOUBLE_EQ(RateQueuePair(ops).State()->windowBytes, 62500);
    ops->SetAttribute("MinRate", DataRateValue(DataRate(0)));
    EXPECT_EQ(ops->Validate(0, nullptr), "ns3::RdmaDctcp::MinRate is 0bps, allowed is above 0");
    EXPECT_FALSE(ops->SetAttributeFailSafe("Gain", DoubleValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("Gain", DoubleValue(1.1)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("InitialAlpha", DoubleValue(-0.1)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("LossCut", DoubleValue(1.1)));
}
