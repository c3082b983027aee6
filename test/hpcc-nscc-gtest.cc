/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares NSCC with steps computed by hand from table 3-76 and section 3.6.13 of the Ultra
// Ethernet specification.

#include "ns3/hpcc-presets.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-nscc.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

constexpr int64_t T = 14023;       ///< base RTT of a fat-tree of three tiers at 100 Gb/s, ns
constexpr double PACKET = 4150;    ///< bytes
constexpr uint32_t PAYLOAD = 4086; ///< bytes
constexpr double SCALE = PACKET / PAYLOAD;

/// A queue pair at 100 Gb/s.
class Flow
{
  public:
    explicit Flow(const std::string& name, uint32_t initial = 0, int64_t openNs = 0)
    {
        ObjectFactory factory;
        EXPECT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory));
        factory.Set("InitialPackets", UintegerValue(initial));
        m_ops = factory.Create<RdmaCongestionOps>();
        m_ops->SetNetworkBaseRtt(T);
        RdmaFlowInfo info{};
        info.lineRateBps = 100000000000;
        info.mtuBytes = PAYLOAD;
        info.headerBytes = 64;
        m_state = m_ops->Open(info, openNs);
    }

    ~Flow()
    {
        m_ops->Close(m_state);
    }

    /// Passes an acknowledgement of one packet with an RTT sample to the policy.
    void Sample(int64_t nowNs, int64_t rttNs)
    {
        RdmaAckInfo ack{};
        ack.nowNs = nowNs;
        ack.rttNs = rttNs;
        ack.receivedBytes = PAYLOAD;
        m_ops->OnAck(m_state, ack);
    }

    /// Passes an acknowledgement with a queueing delay to the policy. A negative delay means that
    /// there is no RTT sample.
    void Ack(int64_t nowNs, int64_t delayNs, bool marked, uint64_t inFlight = 0, int packets = 1)
    {
        RdmaAckInfo ack{};
        ack.nowNs = nowNs;
        ack.rttNs = delayNs < 0 ? -1 : std::lround(S().baseRttNs) + delayNs;
        ack.congestionExperienced = marked;
        ack.receivedBytes = int64_t{packets} * PAYLOAD;
        ack.inFlightBytes = inFlight;
        m_ops->OnAck(m_state, ack);
    }

    void Lose(int64_t nowNs, RdmaLossInfo::Cause cause, uint64_t inFlight = 0, int64_t rttNs = -1)
    {
        RdmaLossInfo loss{nowNs, cause, 0, 0};
        loss.lostBytes = PAYLOAD;
        loss.inFlightBytes = inFlight;
        loss.rttNs = rttNs;
        m_ops->OnLoss(m_state, loss);
    }

    /// Reports a loss without naming the lost packet, as recoveries without SACKs and Sleek do.
    void LoseUnknown(int64_t nowNs, RdmaLossInfo::Cause cause, uint64_t inFlight = 0)
    {
        m_ops->OnLoss(m_state, {nowNs, cause, 0, 0, 0, inFlight});
    }

    RdmaNsccState& S()
    {
        return RdmaNscc::Of(m_state);
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    RdmaCongestionState* m_state;
};

} // namespace

TEST(RdmaNsccTest, TheConstantsOfUetHtsimAreThoseOfThePreset)
{
    Flow flow("nscc:htsim");
    EXPECT_NEAR(flow.S().maxWindow, 262926, 10);
    EXPECT_NEAR(flow.S().targetNs, 10517, 1);
    EXPECT_NEAR(flow.S().fairIncrease, 23874, 2);
    EXPECT_NEAR(flow.S().eta, 716, 0.5);
    EXPECT_NEAR(flow.S().fastScale, 0.25 * 1.169, 1e-3);
    EXPECT_NEAR(flow.S().alpha, 4 * 4086 * 1.1686 * 0.8764 / 10517, 1e-3);
    EXPECT_EQ(flow.S().windowBytes, 63 * PAYLOAD) << "whole packets";
    EXPECT_NEAR(Flow("nscc:htsim-drop").S().targetNs, 14023, 0);
}

TEST(RdmaNsccTest, TheSpecificationCountsInPacketsWithHeaders)
{
    Flow flow("nscc");
    EXPECT_NEAR(flow.S().fairIncrease, 23874 * SCALE, 2);
    EXPECT_NEAR(flow.S().eta, 716 * SCALE, 0.5);
}

TEST(RdmaNsccTest, AnUnmarkedLongDelayIncreasesFairly)
{
    Flow flow("nscc:htsim", 20);
    flow.Ack(100, 11000, false);
    EXPECT_DOUBLE_EQ(flow.S().pending, flow.S().fairIncrease * PACKET);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 20 * PACKET);
}

TEST(RdmaNsccTest, AnUnmarkedShortDelayIncreasesInProportion)
{
    Flow flow("nscc:htsim", 20);
    flow.Ack(100, 4000, false);
    EXPECT_DOUBLE_EQ(flow.S().pending, flow.S().alpha * PACKET * (flow.S().targetNs - 4000));
}

TEST(RdmaNsccTest, AMarkedShortDelayChangesNothing)
{
    Flow flow("nscc:htsim", 20);
    flow.Ack(100, 4000, true);
    EXPECT_EQ(flow.S().pending, 0);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 20 * PACKET);
}

TEST(RdmaNsccTest, AMarkedLongDelayDecreasesByTheAverageOnceABaseRtt)
{
    Flow flow("nscc:htsim", 40);
    flow.S().averageNs = 20000;
    flow.Ack(20000, 12000, true);
    const double average = 20000 + 0.0125 * (12000 - 20000);
    const double factor = 1 - 0.8 * (average - flow.S().targetNs) / average;
    // More than T has passed since eta was added last.
    EXPECT_NEAR(flow.S().cwnd, 40 * PACKET * factor + flow.S().eta, 1e-6);
    const double after = flow.S().cwnd;
    flow.Ack(20100, 12000, true);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, after);
    flow.S().averageNs = 1e6;
    flow.Ack(34100, 12000, true);
    EXPECT_NEAR(flow.S().cwnd, after / 2 + flow.S().eta, 1e-6) << "at most by half";
}

TEST(RdmaNsccTest, PendingIncreasesAreFulfilledAfterEightPacketsAndEtaComesOnceAT)
{
    Flow flow("nscc:htsim", 20);
    for (int i = 0; i < 8; ++i)
    {
        flow.Ack(100 + i, 11000, false);
    }
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 20 * PACKET);
    flow.Ack(200, 11000, false);
    EXPECT_NEAR(flow.S().cwnd,
                20 * PACKET + 9 * flow.S().fairIncrease * PACKET / (20 * PACKET),
                1e-6);
    EXPECT_EQ(flow.S().pending, 0);
    const double before = flow.S().cwnd;
    flow.Ack(T + 1, 4000, true);
    EXPECT_NEAR(flow.S().cwnd, before + flow.S().eta, 1e-6);
}

TEST(RdmaNsccTest, ThePendingIncreaseWrapsAt32BitsOnlyInUetHtsim)
{
    Flow spec("nscc:drop", 20);
    Flow htsim("nscc:htsim-drop", 20);
    for (auto* flow : {&spec, &htsim})
    {
        flow->S().fairIncrease = 4e5; // as with a bandwidth-delay product of 2.9 MB
        flow->Ack(100, 15000, false, 0, 3);
        const double wrapped = flow == &htsim ? 4294967296 : 0;
        EXPECT_NEAR(flow->S().pending, 3 * 4e5 * PACKET - wrapped, 1);
    }
}

TEST(RdmaNsccTest, AWindowOfBytesWithoutDelayTurnsFastIncreaseOn)
{
    Flow flow("nscc:htsim", 4);
    for (int i = 0; i < 4; ++i)
    {
        flow.Ack(100, 500, false);
        EXPECT_FALSE(flow.S().fast);
    }
    flow.Ack(101, 500, false);
    EXPECT_TRUE(flow.S().fast);
    EXPECT_NEAR(flow.S().cwnd, 4 * PACKET + PACKET * flow.S().fastScale, 1e-6);
    flow.Ack(102, 1000, false);
    EXPECT_FALSE(flow.S().fast);
    EXPECT_EQ(flow.S().fastCount, 0);
}

TEST(RdmaNsccTest, ATrimmedPacketTakesItsSizeAndFeedsTheAverageWithT)
{
    Flow flow("nscc:htsim", 20);
    flow.Lose(100, RdmaLossInfo::TRIMMED);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 19 * PACKET);
    EXPECT_DOUBLE_EQ(flow.S().averageNs, 0.0125 * T);
    EXPECT_TRUE(flow.S().trimmed);
    flow.Lose(200, RdmaLossInfo::TIMEOUT);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 18 * PACKET);
    flow.Lose(300, RdmaLossInfo::NAK);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 18 * PACKET);
    for (int i = 0; i < 100; ++i)
    {
        flow.Lose(400, RdmaLossInfo::TIMEOUT);
    }
    EXPECT_DOUBLE_EQ(flow.S().cwnd, PACKET) << "at least a packet";
}

TEST(RdmaNsccTest, TheRoundTripTimeOfATrimmedPacketCountsForItsOwnNack)
{
    Flow flow("nscc:htsim");
    flow.Lose(100, RdmaLossInfo::TRIMMED, 0, 5000); // starts the first period of quick adapt
    EXPECT_DOUBLE_EQ(flow.S().baseRttNs, 5000);
    EXPECT_DOUBLE_EQ(flow.S().adaptEndNs, 100 + 5000 + flow.S().targetNs);
}

TEST(RdmaNsccTest, WithoutSacksANakIsATrimmedPacketAndATimeoutTakesTheWholeWindow)
{
    for (const bool sacks : {false, true})
    {
        Flow flow("nscc", 20);
        if (sacks)
        {
            flow.Ack(100, -1, false);
        }
        flow.LoseUnknown(200, RdmaLossInfo::NAK);
        EXPECT_DOUBLE_EQ(flow.S().cwnd, (sacks ? 20 : 19) * PACKET);
        EXPECT_EQ(flow.S().trimmed, !sacks);
        EXPECT_DOUBLE_EQ(flow.S().averageNs, sacks ? 0 : 0.0125 * T);
        flow.LoseUnknown(300, RdmaLossInfo::TIMEOUT);
        EXPECT_DOUBLE_EQ(flow.S().cwnd, PACKET);
    }
    Flow flow("nscc", 20);
    flow.LoseUnknown(100, RdmaLossInfo::NAK, PAYLOAD);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, 20 * PACKET) << "the first SACK has caused this NAK";
}

TEST(RdmaNsccTest, QuickAdaptTakesWhatHasArrivedAndThenIgnoresMarksOfWhatWasInFlight)
{
    Flow flow("nscc:htsim");
    flow.Ack(100, 4000, false); // starts the first period
    flow.Ack(200, 11000, true); // the only packet that arrives in this period
    const auto period = static_cast<int64_t>(flow.S().adaptEndNs);
    EXPECT_EQ(period, std::lround(100 + T + flow.S().targetNs));
    flow.Lose(period + 1, RdmaLossInfo::TRIMMED, 10 * PAYLOAD);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, PACKET);
    EXPECT_NEAR(flow.S().toIgnore, 10 * PACKET, 1e-6);
    flow.S().cwnd = 20 * PACKET;
    flow.S().averageNs = 1e6;
    for (int i = 1; i <= 9; ++i)
    {
        flow.Ack(period + 30000, 12000, true);
        EXPECT_DOUBLE_EQ(flow.S().cwnd, 20 * PACKET) << i;
    }
    flow.Ack(period + 30000, 12000, true);
    EXPECT_LT(flow.S().cwnd, 20 * PACKET);
}

TEST(RdmaNsccTest, QuickAdaptSparesAFlowThatGetsAnEighthOfTheLargestWindow)
{
    Flow flow("nscc:htsim");
    flow.Ack(100, 4000, false);
    flow.Ack(200, 4000, false, 0, 8); // 8 packets exceed 262,926/8 bytes
    const double before = flow.S().cwnd;
    flow.Lose(100000, RdmaLossInfo::TRIMMED);
    EXPECT_DOUBLE_EQ(flow.S().cwnd, before - PACKET);
    EXPECT_EQ(flow.S().achieved, 0);
}

TEST(RdmaNsccTest, AnAckWithoutARoundTripTimeCountsOnlyInUetHtsim)
{
    Flow spec("nscc", 20);
    spec.Ack(100, -1, false);
    EXPECT_EQ(spec.S().pending, 0);
    EXPECT_NEAR(spec.S().received, PACKET, 1e-9);
    Flow htsim("nscc:htsim", 20);
    htsim.S().averageNs = 3000;
    htsim.Ack(100, -1, false);
    EXPECT_NEAR(htsim.S().pending, htsim.S().alpha * PACKET * (htsim.S().targetNs - 3000), 1e-6);
}

TEST(RdmaNsccTest, AnAckWithoutARoundTripTimeLeavesTheAverageDelayUnchanged)
{
    Flow flow("nscc:htsim", 20);
    flow.S().averageNs = 20000; // above the target, so that an unmarked sample would reduce it
    flow.Ack(100, -1, false);
    EXPECT_EQ(flow.S().averageNs, 20000);
}

TEST(RdmaNsccTest, APacketAsksForAnAckIfOneMoreFillsTheWindowExactlyOnlyInUetHtsim)
{
    for (const auto* name : {"nscc:htsim", "nscc:htsim-drop"})
    {
        Flow exact(name, 3);
        EXPECT_EQ(exact.S().windowBytes, 3.0 * PAYLOAD) << name;
        EXPECT_EQ(exact.S().askBytes, 2.0 * PAYLOAD) << name;
        exact.Lose(1000, RdmaLossInfo::TIMEOUT);
        EXPECT_EQ(exact.S().askBytes, 1.0 * PAYLOAD) << name;
        Flow open(name); // 63.35 packets
        EXPECT_EQ(open.S().askBytes, open.S().windowBytes) << name;
    }
    EXPECT_TRUE(std::isinf(Flow("nscc", 3).S().askBytes));
}

TEST(RdmaNsccTest, TheLargestWindowFollowsTheSmallestRoundTripTime)
{
    Flow flow("nscc:htsim");
    flow.Sample(100, 10000);
    EXPECT_DOUBLE_EQ(flow.S().baseRttNs, 10000);
    EXPECT_DOUBLE_EQ(flow.S().maxWindow, 1.5 * 10000 * 12.5);
    EXPECT_LE(flow.S().cwnd, flow.S().maxWindow);
    flow.Sample(200, 12000);
    EXPECT_DOUBLE_EQ(flow.S().baseRttNs, 10000);
}

TEST(RdmaNsccTest, TheMedianOfTheNewestDelaysOutvotesASlowPath)
{
    Flow newest("nscc", 20);
    Flow median("nscc:median", 20);
    for (Flow* flow : {&newest, &median})
    {
        for (int64_t delayNs : {3000, 3000, 30000, 3000})
        {
            flow->Ack(100, delayNs, false);
        }
        flow->S().pending = 0;
        flow->Ack(101, 30000, false);
    }
    EXPECT_DOUBLE_EQ(newest.S().pending, newest.S().fairIncrease * PACKET);
    EXPECT_NEAR(median.S().pending, median.S().alpha * PACKET * (median.S().targetNs - 3000), 1e-6);
}

TEST(RdmaNsccTest, TheWindowDoesNotDependOnTheTimeAtWhichTheFlowStarts)
{
    for (const auto* name : {"nscc", "nscc:htsim"})
    {
        Flow first(name, 20);
        Flow later(name, 20, 10 * T);
        for (const int64_t afterNs : {T / 2, T, T + 1, 2 * T, 3 * T})
        {
            first.Ack(afterNs, 3000, false);
            later.Ack(10 * T + afterNs, 3000, false);
            EXPECT_EQ(first.S().cwnd, later.S().cwnd) << name << " after " << afterNs << " ns";
            EXPECT_EQ(first.S().pending, later.S().pending) << name;
        }
    }
}
