/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// TIMELY, patched TIMELY, DCTCP and the window around a rate: each law against steps computed by
// hand from the papers' algorithms.

#include "hpcc-test-policies.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/rdma-dctcp.h"
#include "ns3/rdma-patched-timely.h"
#include "ns3/rdma-timely.h"
#include "ns3/rdma-windowed.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using hpcctest::Get;
using hpcctest::PolicyQueuePair;
using hpcctest::US;

namespace
{

Ptr<RdmaCongestionOps>
Make(const std::string& name, int64_t baseRttNs = 13000)
{
    auto ops = hpcctest::Make(name);
    ops->SetNetworkBaseRtt(baseRttNs);
    EXPECT_EQ(ops->Validate(baseRttNs, nullptr), "") << name;
    return ops;
}

/// A queue pair whose ACKs the test makes up. Time and bytes only go on.
class QueuePair : public PolicyQueuePair
{
  public:
    explicit QueuePair(const Ptr<RdmaCongestionOps>& ops,
                       uint64_t lineRateBps = 100'000'000'000,
                       uint64_t firstSeq = 0)
        : PolicyQueuePair(ops, {7, lineRateBps, 1000, 48, 0, firstSeq}),
          m_acked(firstSeq),
          m_sent(firstSeq)
    {
    }

    /// The ACK of one more packet, or of more bytes, while the sender is a window ahead.
    void Ack(int64_t rttNs, bool marked = false, uint64_t bytes = 1000, uint64_t window = 50000)
    {
        m_acked += bytes;
        m_sent = std::max(m_sent, m_acked - bytes + window);
        m_nowNs += std::max<int64_t>(rttNs, 1);
        RdmaAckInfo ack{};
        ack.nowNs = m_nowNs;
        ack.ackSeq = m_acked;
        ack.sndNxt = m_sent;
        ack.newlyAckedBytes = bytes;
        ack.rttNs = rttNs;
        ack.congestionExperienced = marked;
        m_ops->OnAck(m_state, ack);
    }

    /// The ACK of everything sent until the last one: a round trip.
    void RoundTrip(int64_t rttNs, bool marked = false)
    {
        Ack(rttNs, marked, m_sent + 1000 - m_acked);
    }

    /// Round trips with these RTTs.
    void Rtts(const std::vector<int64_t>& us)
    {
        for (int64_t rtt : us)
        {
            RoundTrip(rtt * US);
        }
    }

    /// The packets of a window, of which the first ones are marked.
    void Window(uint32_t packets, uint32_t marked)
    {
        for (uint32_t i = 0; i < packets; ++i)
        {
            Ack(-1, i < marked, 1000, packets * 1000);
        }
    }

    double Bps() const
    {
        return m_state->rateBps;
    }

  private:
    uint64_t m_acked;
    uint64_t m_sent;
    int64_t m_nowNs{0};
};

double
Alpha(const QueuePair& qp)
{
    return static_cast<RdmaDctcpState*>(qp.State())->alpha;
}

struct Recorder
{
    void Value(uint32_t flowId, double value)
    {
        EXPECT_EQ(flowId, 7U);
        values.push_back(value);
    }

    std::vector<double> values;
};

} // namespace

// ---------------------------------------------------------------------------------------------
// TIMELY

TEST(RdmaTimelyTest, HasTheParametersOfThePapers)
{
    for (const auto* name : {"timely", "timely:authors", "timely:paper", "timely:snippet"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->GetInstanceTypeId(), RdmaTimely::GetTypeId());
        EXPECT_EQ(ops->Needs(), 0U);
        EXPECT_EQ(ops->GetDefaultMarking(), "");
        EXPECT_EQ(Get<TimeValue>(ops, "TLow").Get(), MicroSeconds(50));
        EXPECT_EQ(Get<DoubleValue>(ops, "Beta").Get(), 0.8);
        EXPECT_EQ(Get<DataRateValue>(ops, "Delta").Get(), DataRate("10Mbps"));
    }
    auto ops = Make("timely");
    EXPECT_EQ(Get<TimeValue>(ops, "THigh").Get(), MicroSeconds(500));
    EXPECT_EQ(Get<TimeValue>(ops, "MinRtt").Get(), MicroSeconds(20));
    EXPECT_EQ(Get<DoubleValue>(ops, "EwmaWeight").Get(), 0.875);
    EXPECT_EQ(Get<UintegerValue>(Make("timely:paper"), "UpdateBytes").Get(), 16384U);
    EXPECT_EQ(Get<DoubleValue>(Make("timely:snippet"), "EwmaWeight").Get(), 0.02);
    EXPECT_EQ(Get<DoubleValue>(Make("patched-timely"), "Beta").Get(), 0.008);
}

TEST(RdmaTimelyTest, StartsAtLineRateWithoutAWindowAndStoresTheFirstSample)
{
    QueuePair qp(Make("timely"));
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_EQ(qp.State()->windowBytes, std::numeric_limits<double>::infinity());
    qp.Rtts({10000}); // far above THigh
    EXPECT_EQ(qp.Gbps(), 100);
}

TEST(RdmaTimelyTest, AboveTHighTheRateFallsWithTheDistance)
{
    QueuePair qp(Make("timely"));
    qp.Rtts({1000, 1000});
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.8 * (1 - 500.0 / 1000)), 1e-9); // 60
    qp.Rtts({2000});
    EXPECT_NEAR(qp.Gbps(), 60 * (1 - 0.8 * (1 - 500.0 / 2000)), 1e-9); // 24
}

TEST(RdmaTimelyTest, BetweenThresholdsARisingRttCutsByTheGradient)
{
    QueuePair qp(Make("timely"));
    qp.Rtts({100, 108});
    // d = 0.875 * 8 us = 7 us, g = 7/20 = 0.35
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.8 * 0.35), 1e-9); // 72
    qp.Rtts({110});
    // d = 0.125 * 7 + 0.875 * 2 = 2.625 us, g = 0.13125
    EXPECT_NEAR(qp.Gbps(), 72 * (1 - 0.8 * 0.13125), 1e-9);
}

TEST(RdmaTimelyTest, BetweenThresholdsAFallingRttRaisesTheRate)
{
    QueuePair qp(Make("timely"));
    qp.Rtts({1000, 1000}); // 60
    qp.Rtts({400});        // g < 0
    EXPECT_NEAR(qp.Gbps(), 60.1, 1e-9);
}

TEST(RdmaTimelyTest, TheGradientIsSignedAndRemembersOldDifferences)
{
    auto ops = Make("timely");
    Recorder gradient;
    ops->TraceConnectWithoutContext("Gradient", MakeCallback(&Recorder::Value, &gradient));
    QueuePair qp(ops);
    qp.Rtts({100, 84, 84, 84});
    ASSERT_EQ(gradient.values.size(), 3U);
    EXPECT_NEAR(gradient.values[0], -0.875 * 16 / 20, 1e-12);
    EXPECT_NEAR(gradient.values[1], -0.125 * 0.875 * 16 / 20, 1e-12);
    EXPECT_NEAR(gradient.values[2], -0.125 * 0.125 * 0.875 * 16 / 20, 1e-12);
}

TEST(RdmaTimelyTest, BelowTLowTheRateRisesWhateverTheGradient)
{
    QueuePair qp(Make("timely"));
    qp.Rtts({1000, 1000, 10}); // 60.1
    EXPECT_NEAR(qp.Gbps(), 60.1, 1e-9);
    qp.Rtts({20, 30, 49}); // rising
    EXPECT_NEAR(qp.Gbps(), 60.4, 1e-9);
}

TEST(RdmaTimelyTest, HyperactiveIncreaseBeginsWithTheFifthNegativeGradientInARow)
{
    QueuePair qp(Make("timely"));
    qp.Rtts({1000, 1000}); // 60
    qp.Rtts({400, 390, 380, 370});
    EXPECT_NEAR(qp.Gbps(), 60.4, 1e-9);
    qp.Rtts({360});
    EXPECT_NEAR(qp.Gbps(), 60.9, 1e-9);
    qp.Rtts({350});
    EXPECT_NEAR(qp.Gbps(), 61.4, 1e-9);
    qp.Rtts({370}); // g = 0.875 - about 0.05: the series ends
    const double cut = qp.Gbps();
    EXPECT_LT(cut, 61.4);
    qp.Rtts({300});
    EXPECT_NEAR(qp.Gbps(), cut + 0.1, 1e-9);
}

TEST(RdmaTimelyTest, BelowTLowThePaperHasNoHyperactiveIncreaseTheAuthorsOfHpccHave)
{
    for (const auto& [name, gain] :
         std::vector<std::pair<std::string, double>>{{"timely", 0.1}, {"timely:authors", 0.5}})
    {
        QueuePair qp(Make(name));
        qp.Rtts({1000, 1000, 40, 39, 38, 37, 36});
        EXPECT_NEAR(qp.Gbps(), 60.5, 1e-9) << name;
        qp.Rtts({35}); // the sixth increase
        EXPECT_NEAR(qp.Gbps(), 60.5 + gain, 1e-9) << name;
    }
}

TEST(RdmaTimelyTest, TheSnippetCountsDifferencesAndTakesHalfTheRateAtMost)
{
    auto ops = Make("timely:snippet");
    ops->SetAttribute("UpdateBytes", UintegerValue(0));
    QueuePair qp(ops);
    qp.Rtts({100'000, 100'000}); // 1 - 0.8 (1 - 1/100) = 0.208
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    // One steep fall makes g negative for long; without further differences nothing counts.
    qp.Rtts({900, 900, 900, 900, 900, 900, 900});
    EXPECT_NEAR(qp.Gbps(), 50.7, 1e-9);
    qp.Rtts({899, 898, 897, 896});
    EXPECT_NEAR(qp.Gbps(), 51.1, 1e-9);
    qp.Rtts({895});
    EXPECT_NEAR(qp.Gbps(), 51.6, 1e-9);
}

TEST(RdmaTimelyTest, DeltaGrowsWithTheLineRateUnlessTold)
{
    for (const auto& [name, lineGbps, deltaGbps] :
         std::vector<std::tuple<std::string, uint64_t, double>>{{"timely", 10, 0.01},
                                                                {"timely", 400, 0.4},
                                                                {"timely:paper", 400, 0.01}})
    {
        auto ops = Make(name);
        ops->SetAttribute("UpdateBytes", UintegerValue(0));
        QueuePair qp(ops, lineGbps * 1'000'000'000);
        qp.Rtts({1000, 1000});
        const double rate = qp.Gbps();
        qp.Rtts({30});
        EXPECT_NEAR(qp.Gbps(), rate + deltaGbps, 1e-9) << name << " " << lineGbps;
    }
}

TEST(RdmaTimelyTest, OneUpdatePerRoundTripHoweverManySamples)
{
    auto ops = Make("timely");
    Recorder rtt;
    ops->TraceConnectWithoutContext("Rtt", MakeCallback(&Recorder::Value, &rtt));
    QueuePair qp(ops);
    qp.Ack(1000 * US); // the sender is 50 packets ahead
    for (int packet = 2; packet <= 50; ++packet)
    {
        qp.Ack(1000 * US);
    }
    EXPECT_TRUE(rtt.values.empty());
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Ack(1000 * US);
    ASSERT_EQ(rtt.values.size(), 1U);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
    qp.Ack(1000 * US);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, AnAckWithoutASampleNeitherUpdatesNorLosesTheTurn)
{
    QueuePair qp(Make("timely"));
    qp.RoundTrip(1000 * US);
    qp.RoundTrip(-1);
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Ack(1000 * US);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, SegmentsCountBytes)
{
    auto ops = Make("timely");
    ops->SetAttribute("UpdateBytes", UintegerValue(4000));
    QueuePair qp(ops);
    qp.Ack(1000 * US);
    for (int packet = 0; packet < 3; ++packet)
    {
        qp.Ack(1000 * US);
        EXPECT_EQ(qp.Gbps(), 100);
    }
    qp.Ack(1000 * US);
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, StepsShrinkWithTheTimeBetweenUpdatesIfTold)
{
    auto ops = Make("timely");
    ops->SetAttribute("ScaleWithTime", BooleanValue(true));
    QueuePair qp(ops);
    qp.Rtts({1000, 1000});
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9); // 1000 us are more than MinRtt
    qp.Rtts({5});                     // 5 us after the last update
    EXPECT_NEAR(qp.Gbps(), 60 + 0.1 * 5 / 20, 1e-9);
}

TEST(RdmaTimelyTest, ASequenceNumberBeyond32BitsAndAnIdleStartAreNothingSpecial)
{
    QueuePair qp(Make("timely"), 100'000'000'000, 5'000'000'000);
    qp.Rtts({1000});
    EXPECT_EQ(qp.Gbps(), 100);
    qp.Rtts({1000});
    EXPECT_NEAR(qp.Gbps(), 60, 1e-9);
}

TEST(RdmaTimelyTest, TheRateStaysBetweenMinRateAndLineRateWhateverComes)
{
    for (const auto* name : {"timely",
                             "timely:authors",
                             "timely:paper",
                             "timely:snippet",
                             "patched-timely",
                             "patched-timely:paper"})
    {
        auto ops = Make(name);
        const auto floorBps =
            static_cast<double>(Get<DataRateValue>(ops, "MinRate").Get().GetBitRate());
        QueuePair qp(ops);
        uint64_t random = 1;
        double lowest = qp.Bps();
        for (int i = 0; i < 20000; ++i)
        {
            random = random * 6364136223846793005 + 1442695040888963407;
            const int64_t limit = i % 2000 < 1000 ? 3000 * US : 60 * US;
            qp.RoundTrip(1 + static_cast<int64_t>(random >> 33) % limit);
            ASSERT_GE(qp.Bps(), floorBps) << name;
            ASSERT_LE(qp.Bps(), 100e9) << name;
            lowest = std::min(lowest, qp.Bps());
        }
        EXPECT_LT(lowest, 50e9) << name;
    }
}

TEST(RdmaTimelyTest, ValidateNamesAttributeValueAndWhatIsAllowed)
{
    auto ops = Make("timely");
    ops->SetAttribute("TLow", TimeValue(MicroSeconds(501)));
    EXPECT_EQ(ops->Validate(5000, nullptr),
              "ns3::RdmaTimely::TLow is +501us, allowed is at most THigh, +500us");
    ops = Make("timely");
    ops->SetAttribute("MinRate", DataRateValue(DataRate(0)));
    EXPECT_EQ(ops->Validate(5000, nullptr), "ns3::RdmaTimely::MinRate is 0bps, allowed is above 0");
    ops = Make("patched-timely");
    ops->SetAttribute("TLow", TimeValue(Time(0)));
    EXPECT_EQ(ops->Validate(5000, nullptr),
              "ns3::RdmaPatchedTimely::ReferenceRtt is 0 and takes TLow, which is 0: one of them "
              "must be above 0");
    ops->SetAttribute("ReferenceRtt", TimeValue(MicroSeconds(30)));
    EXPECT_EQ(ops->Validate(5000, nullptr), "");
}

TEST(RdmaTimelyTest, AttributesRefuseValuesOutOfRange)
{
    auto ops = Make("timely");
    EXPECT_FALSE(ops->SetAttributeFailSafe("Beta", DoubleValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("Beta", DoubleValue(1.01)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("EwmaWeight", DoubleValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("MinRtt", TimeValue(Time(0))));
    EXPECT_FALSE(ops->SetAttributeFailSafe("TLow", TimeValue(NanoSeconds(-1))));
    EXPECT_FALSE(ops->SetAttributeFailSafe("HyperSteps", UintegerValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("HyperFactor", DoubleValue(0.5)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("HyperCount", StringValue("Always")));
    EXPECT_FALSE(ops->SetAttributeFailSafe("MaxCut", DoubleValue(0)));
}

// ---------------------------------------------------------------------------------------------
// Patched TIMELY

TEST(RdmaPatchedTimelyTest, WeighsIncreaseAndDecreaseByTheGradient)
{
    struct Step
    {
        int64_t rttUs;
        double weight;
    };

    // d = 0.875 * (RTT - 100) us and g = d/20 us: g of -0.25 and less, 0, 0.0875, 0.25 and more.
    for (const auto& [rttUs, weight] :
         std::vector<Step>{{90, 0}, {100, 0.5}, {102, 0.675}, {106, 1}})
    {
        QueuePair qp(Make("patched-timely"));
        qp.Rtts({1000, 1000}); // cut to 100 (1 - 0.008/2)
        const double before = qp.Gbps();
        EXPECT_NEAR(before, 99.6, 1e-9);
        auto* state = static_cast<RdmaTimelyState*>(qp.State());
        state->rttDiffNs = 0;
        state->lastRttNs = 100 * US;
        qp.Rtts({rttUs});
        const double error = (static_cast<double>(rttUs) - 50) / 50;
        EXPECT_NEAR(qp.Gbps(),
                    std::min(100.0, 0.1 * (1 - weight) + before * (1 - 0.008 * weight * error)),
                    1e-9)
            << rttUs;
    }
}

TEST(RdmaPatchedTimelyTest, BelowAndAboveTheThresholdsIsTimelyWithItsOwnBeta)
{
    QueuePair qp(Make("patched-timely"));
    qp.Rtts({1000, 1000});
    EXPECT_NEAR(qp.Gbps(), 100 * (1 - 0.008 * 0.5), 1e-9);
    qp.Rtts({49});
    EXPECT_NEAR(qp.Gbps(), 99.7, 1e-9);
}

TEST(RdmaPatchedTimelyTest, ItsFixedPointIsFairAndWhereThePaperSays)
{
    // Two flows on a 10 Gb/s link whose queue is the RTT, updated together: a discrete form of the
    // paper's fluid model, whose queue ends at (1 + N delta/(beta C)) Tlow.
    auto ops = Make("patched-timely");
    QueuePair fast(ops, 10'000'000'000);
    QueuePair slow(ops, 10'000'000'000);
    fast.State()->rateBps = 7e9;
    slow.State()->rateBps = 3e9;
    double queueUs = 60;
    for (int i = 0; i < 20000; ++i)
    {
        const auto rttNs = static_cast<int64_t>(queueUs * 1000);
        fast.RoundTrip(rttNs);
        slow.RoundTrip(rttNs);
        queueUs += 16 * ((fast.Bps() + slow.Bps()) / 10e9 - 1);
    }
    EXPECT_NEAR(fast.Gbps(), 5, 0.01);
    EXPECT_NEAR(slow.Gbps(), 5, 0.01);
    EXPECT_NEAR(queueUs, 50 * (1 + 2 * 0.01 / (0.008 * 10)), 0.5);
}

// ---------------------------------------------------------------------------------------------
// DCTCP

TEST(RdmaDctcpTest, StartsAtLineRateWithTheWindowOfT)
{
    auto ops = Make("dctcp");
    EXPECT_EQ(ops->GetInstanceTypeId(), RdmaDctcp::GetTypeId());
    EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_ECN);
    QueuePair qp(ops);
    EXPECT_EQ(qp.Gbps(), 100);
    EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 162500);
    EXPECT_EQ(Alpha(qp), 1);
}

TEST(RdmaDctcpTest, NamesSetIncreaseMarkingAndReactionToLoss)
{
    EXPECT_EQ(Make("dctcp")->GetDefaultMarking(), "10Gbps:30000:30000:1");
    EXPECT_EQ(Make("dctcp:paper")->GetDefaultMarking(), "10Gbps:97500:97500:1");
    auto authors = Make("dctcp:authors");
    EXPECT_EQ(Get<DataRateValue>(authors, "RateAi").Get(), DataRate("615Mbps"));
    EXPECT_EQ(Get<DoubleValue>(authors, "LossCut").Get(), 0);
    EXPECT_EQ(Get<DoubleValue>(authors, "Gain").Get(), 0.0625);
}

TEST(RdmaDctcpTest, AlphaFollowsTheShareOfMarkedBytesOncePerWindow)
{
    auto ops = Make("dctcp");
    Recorder alpha;
    ops->TraceConnectWithoutContext("Alpha", MakeCallback(&Recorder::Value, &alpha));
    QueuePair qp(ops);
    qp.Window(10, 0); // the first ACK opens the first window, of 10 packets
    EXPECT_TRUE(alpha.values.empty());
    qp.Window(10, 0); // its first ACK ends that window
    double expected = 15.0 / 16;
    ASSERT_EQ(alpha.values.size(), 1U);
    EXPECT_NEAR(Alpha(qp), expected, 1e-12);
    qp.Window(10, 4);
    expected *= 15.0 / 16;
    expected += (1.0 / 16) * 1 / 10; // the last window and the first packet of this one
    EXPECT_NEAR(Alpha(qp), expected, 1e-12);
    qp.Window(10, 0);
    expected *= 15.0 / 16;
    expected += (1.0 / 16) * 3 / 10;
    EXPECT_NEAR(Alpha(qp), expected, 1e-12);
    EXPECT_EQ(alpha.values.size(), 3U);
}

TEST(RdmaDctcpTest, AMarkCutsByHalfOfAlphaOncePerWindow)
{
    QueuePair qp(Make("dctcp"));
    qp.Ack(-1, true); // alpha is still 1
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 81250);
    for (int packet = 2; packet <= 50; ++packet)
    {
        qp.Ack(-1, true);
        ASSERT_NEAR(qp.Gbps(), 50, 1e-9) << packet;
    }
    qp.Ack(-1, true); // beyond what was sent at the cut; all were marked, so alpha stays 1
    EXPECT_NEAR(qp.Gbps(), 25, 1e-9);
}

TEST(RdmaDctcpTest, AWindowWithoutACutAddsOnePacketPerT)
{
    QueuePair qp(Make("dctcp"));
    qp.Window(10, 1);
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    qp.Window(10, 0); // ends the window of the cut
    const double increase = 8000.0 / 13000;
    EXPECT_NEAR(qp.Gbps(), 50 + increase, 1e-9);
    qp.Window(10, 0);
    EXPECT_NEAR(qp.Gbps(), 50 + 2 * increase, 1e-9);
    EXPECT_NEAR(qp.State()->windowBytes, qp.Bps() * 13e-6 / 8, 1e-6);
}

TEST(RdmaDctcpTest, TheAuthorsIncreaseDoesNotDependOnT)
{
    QueuePair qp(Make("dctcp:authors", 5000));
    qp.Window(10, 1);
    qp.Window(10, 0);
    EXPECT_NEAR(qp.Gbps(), 50.615, 1e-9);
}

TEST(RdmaDctcpTest, AnAckOfSeveralPacketsCountsAllItsBytes)
{
    auto ops = Make("dctcp");
    ops->SetAttribute("InitialAlpha", DoubleValue(0));
    QueuePair qp(ops);
    qp.Ack(-1, true, 1000, 40000);
    for (int ack = 0; ack < 10; ++ack)
    {
        qp.Ack(-1, true, 4000, 40000);
    }
    EXPECT_NEAR(Alpha(qp), 1.0 / 16, 1e-12); // all marked, though 11 ACKs came for 41 packets
}

TEST(RdmaDctcpTest, ALossHalvesTheRateOncePerWindow)
{
    auto ops = Make("dctcp");
    QueuePair qp(ops);
    qp.Window(10, 0);
    ops->OnRollback(qp.State(), 0, 5000, false);
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);
    ops->OnRollback(qp.State(), 0, 5000, true);
    EXPECT_NEAR(qp.Gbps(), 50, 1e-9);

    auto authors = Make("dctcp:authors");
    QueuePair deaf(authors);
    authors->OnRollback(deaf.State(), 0, 5000, false);
    EXPECT_EQ(deaf.Gbps(), 100);
}

TEST(RdmaDctcpTest, TheRateStaysBetweenMinRateAndLineRateWhateverComes)
{
    QueuePair qp(Make("dctcp"), 100'000'000'000, 5'000'000'000);
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
    ops->SetNetworkBaseRtt(13000); // the user's T stays
    EXPECT_DOUBLE_EQ(QueuePair(ops).State()->windowBytes, 62500);
    ops->SetAttribute("MinRate", DataRateValue(DataRate(0)));
    EXPECT_EQ(ops->Validate(0, nullptr), "ns3::RdmaDctcp::MinRate is 0bps, allowed is above 0");
    EXPECT_FALSE(ops->SetAttributeFailSafe("Gain", DoubleValue(0)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("Gain", DoubleValue(1.1)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("InitialAlpha", DoubleValue(-0.1)));
    EXPECT_FALSE(ops->SetAttributeFailSafe("LossCut", DoubleValue(1.1)));
}

// ---------------------------------------------------------------------------------------------
// A window around a rate

TEST(RdmaWindowedTest, EachNameOfAPolicyWithoutAWindowCanBeGivenOne)
{
    int wrapped = 0;
    for (const auto& name : HpccPresets::Names(RdmaCongestionOps::GetTypeId()))
    {
        ObjectFactory plain;
        ObjectFactory windowed;
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, plain));
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name + "+win", windowed));
        EXPECT_EQ(windowed.GetTypeId(), RdmaWindowed::GetTypeId());
        auto ops = windowed.Create<RdmaCongestionOps>();
        ops->SetNetworkBaseRtt(13000);
        PointerValue inner;
        ops->GetAttribute("Inner", inner);
        EXPECT_EQ(inner.Get<RdmaCongestionOps>()->GetInstanceTypeId(), plain.GetTypeId()) << name;
        if (ops->Needs() & RdmaCongestionOps::NEED_TELEMETRY ||
            !ops->Validate(13000, nullptr).empty())
        {
            continue;
        }
        ++wrapped;
        QueuePair qp(ops);
        EXPECT_DOUBLE_EQ(qp.State()->windowBytes, 162500) << name;
        EXPECT_EQ(ops->GetDefaultMarking(), plain.Create<RdmaCongestionOps>()->GetDefaultMarking());
        EXPECT_EQ(ops->Needs(), plain.Create<RdmaCongestionOps>()->Needs());
        EXPECT_EQ(ops->GetCnpIntervalNs(), plain.Create<RdmaCongestionOps>()->GetCnpIntervalNs());
        EXPECT_EQ(ops->WantsSent(), plain.Create<RdmaCongestionOps>()->WantsSent());
    }
    EXPECT_GE(wrapped, 11); // 4 names of DCQCN, 4 of TIMELY, 2 of patched TIMELY, none
}

TEST(RdmaWindowedTest, TheParametersOfAVariantAreThoseInside)
{
    PointerValue inner;
    Make("dcqcn:paper+win")->GetAttribute("Inner", inner);
    EXPECT_EQ(Get<TimeValue>(inner.Get<RdmaCongestionOps>(), "IncreaseInterval").Get(),
              MicroSeconds(55));
}

TEST(RdmaWindowedTest, RateAndTimerAreThePolicysAndTheWindowFollows)
{
    for (const std::string name : {"dcqcn", "dcqcn:paper", "timely"})
    {
        auto plainOps = Make(name);
        auto windowedOps = Make(name + "+win");
        QueuePair plain(plainOps);
        QueuePair windowed(windowedOps);
        uint64_t random = 1;
        for (int i = 1; i < 5000; ++i)
        {
            random = random * 6364136223846793005 + 1442695040888963407;
            const int64_t nowNs = i * 10 * US;
            for (auto [ops, qp] : {std::pair(plainOps, &plain), std::pair(windowedOps, &windowed)})
            {
                while (qp->State()->timerNs <= nowNs)
                {
                    ops->OnTimer(qp->State(), qp->State()->timerNs);
                }
                if (random >> 63)
                {
                    ops->OnCnp(qp->State(), nowNs);
                }
                ops->OnSent(qp->State(), nowNs, 1048);
                qp->RoundTrip(1 + static_cast<int64_t>(random >> 45) % (600 * US));
            }
            ASSERT_EQ(windowed.Bps(), plain.Bps()) << name;
            ASSERT_EQ(windowed.State()->timerNs, plain.State()->timerNs) << name;
            ASSERT_NEAR(windowed.State()->windowBytes, plain.Bps() * 13e-6 / 8, 1e-6);
            ASSERT_NEAR(windowedOps->Observe(windowed.State()).windowBytes,
                        plain.Bps() * 13e-6 / 8,
                        1e-6);
        }
        EXPECT_LT(plain.Gbps(), 99) << name;
    }
}

TEST(RdmaWindowedTest, PoliciesWithAWindowAreRefused)
{
    for (const auto& [name, type] :
         std::vector<std::pair<std::string, std::string>>{{"dctcp+win", "ns3::RdmaDctcp"},
                                                          {"dcqcn+win+win", "ns3::RdmaWindowed"}})
    {
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory));
        auto ops = factory.Create<RdmaCongestionOps>();
        ops->SetNetworkBaseRtt(13000);
        EXPECT_EQ(ops->Validate(13000, nullptr),
                  "ns3::RdmaWindowed::Policy is " + type +
                      ", which has a window of its own; allowed are policies without");
    }
}

TEST(RdmaWindowedTest, ValidateSaysWhatIsMissingOrWrongInside)
{
    auto empty = CreateObject<RdmaWindowed>();
    empty->SetNetworkBaseRtt(13000);
    EXPECT_EQ(empty->Needs(), 0U);
    EXPECT_EQ(empty->GetDefaultMarking(), "");
    EXPECT_EQ(empty->Validate(13000, nullptr),
              "ns3::RdmaWindowed::Policy is ns3::RdmaCongestionOps, allowed are policies");
    ObjectFactory factory;
    ASSERT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), "timely+win", factory));
    auto ops = factory.Create<RdmaCongestionOps>();
    EXPECT_EQ(ops->Validate(0, nullptr),
              "ns3::RdmaWindowed::T is 0 and the network's base RTT is unknown: T must be above 0");
    ops->SetAttribute("T", TimeValue(MicroSeconds(5)));
    EXPECT_EQ(ops->Validate(0, nullptr), "");
    EXPECT_DOUBLE_EQ(QueuePair(ops).State()->windowBytes, 62500);
    ops->SetAttribute("Policy", StringValue("ns3::RdmaTimely[MinRate=0bps]"));
    EXPECT_EQ(ops->Validate(0, nullptr), "ns3::RdmaTimely::MinRate is 0bps, allowed is above 0");
}

TEST(RdmaWindowedTest, NamesThatAreNoPolicysAreNotFoundAndTheChoicesTellOfTheSuffix)
{
    ObjectFactory factory;
    const TypeId base = RdmaCongestionOps::GetTypeId();
    for (const auto* name : {"+win", "nosuch+win", "dcqcn+wi", "dcqcn+win:paper", "*+win"})
    {
        EXPECT_FALSE(HpccPresets::Find(base, name, factory)) << name;
    }
    const std::string choices = HpccPresets::Choices(base);
    EXPECT_EQ(choices.substr(choices.rfind(' ') + 1), "NAME+win");
}
