/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Swift, PowerTCP and theta-PowerTCP step by step, and the departure times that two of them need.
// Expected values are computed by hand from the papers' formulas.

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/nstime.h"
#include "ns3/rdma-departures.h"
#include "ns3/rdma-powertcp.h"
#include "ns3/rdma-swift.h"
#include "ns3/rdma-theta-powertcp.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t US = 1000;
constexpr uint64_t LINE_RATE = 100'000'000'000;
constexpr uint16_t INT_FIELDS = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                                TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
const TelemetryCapabilities INT{INT_FIELDS, 0, 0, false};

using Settings = std::vector<std::pair<std::string, std::string>>;

Ptr<RdmaCongestionOps>
Make(const std::string& name, const Settings& settings = {})
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory)) << name;
    auto ops = factory.Create<RdmaCongestionOps>();
    for (const auto& [attribute, value] : settings)
    {
        ops->SetAttribute(attribute, StringValue(value));
    }
    return ops;
}

RdmaAckInfo
EmptyAck(int64_t nowNs)
{
    RdmaAckInfo ack{};
    ack.nowNs = nowNs;
    ack.rttNs = -1;
    return ack;
}

/// A hop at 100 Gb/s.
HopTelemetry
Hop(uint64_t timestampNs, uint64_t txBytes, uint64_t queueBytes, uint32_t switchId = 3)
{
    HopTelemetry hop{};
    hop.fields = INT_FIELDS;
    hop.switchId = switchId;
    hop.portId = 4;
    hop.timestampNs = timestampNs;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = LINE_RATE;
    return hop;
}

/// A queue pair at 100 Gb/s with packets of 1,000 bytes.
class QueuePair
{
  public:
    explicit QueuePair(const Ptr<RdmaCongestionOps>& ops, int64_t baseRttNs = 5 * US)
        : m_ops(ops),
          m_state(ops->Open({7, LINE_RATE, 1000, 90, baseRttNs, 0}, 0))
    {
    }

    ~QueuePair()
    {
        m_ops->Close(m_state);
    }

    QueuePair(const QueuePair&) = delete;
    QueuePair& operator=(const QueuePair&) = delete;

    /// An acknowledgement. @param endsRound of the first packet sent after the last such one
    void Ack(RdmaAckInfo ack, bool endsRound)
    {
        if (endsRound)
        {
            m_acked = m_sent + 1000;
            m_sent += 100'000;
        }
        ack.ackSeq = m_acked;
        ack.sndNxt = m_sent;
        m_ops->OnAck(m_state, ack);
    }

    /// An acknowledgement with a sample of the RTT.
    void Rtt(int64_t nowNs, int64_t rttNs, bool endsRound = true, uint64_t bytes = 1000)
    {
        RdmaAckInfo ack = EmptyAck(nowNs);
        ack.rttNs = rttNs;
        ack.newlyAckedBytes = bytes;
        ack.hopsBack = 1;
        Ack(ack, endsRound);
    }

    /// An acknowledgement with telemetry.
    void Records(int64_t nowNs,
                 const std::vector<HopTelemetry>& hops,
                 bool endsRound = true,
                 const TelemetryCapabilities& format = INT,
                 int64_t idleNs = 0)
    {
        RdmaAckInfo ack = EmptyAck(nowNs);
        ack.hops = hops.data();
        ack.hopCount = static_cast<uint32_t>(hops.size());
        ack.telemetry = &format;
        ack.idleNs = idleNs;
        Ack(ack, endsRound);
    }

    void Rollback(int64_t nowNs, bool timeout)
    {
        m_ops->OnRollback(m_state, nowNs, m_acked, timeout);
    }

    double Window() const
    {
        return m_state->windowBytes;
    }

    double RateGbps() const
    {
        return m_state->rateBps / 1e9;
    }

    double Cwnd() const
    {
        return static_cast<const RdmaSwiftState*>(m_state)->cwnd;
    }

    double Power() const
    {
        return static_cast<const RdmaPowerTcpState*>(m_state)->power;
    }

    RdmaCongestionSample Observe() const
    {
        return m_ops->Observe(m_state);
    }

    const RdmaCongestionState* State() const
    {
        return m_state;
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    RdmaCongestionState* m_state;
    uint64_t m_acked{0};
    uint64_t m_sent{100'000};
};

/// Sets one attribute to a value out of its range. @return whether it was taken
bool
Takes(const std::string& name, const std::string& attribute, const std::string& value)
{
    return Make(name)->SetAttributeFailSafe(attribute, StringValue(value));
}

std::string
Why(const std::string& name,
    const Settings& settings,
    const TelemetryCapabilities* format = nullptr)
{
    return Make(name, settings)->Validate(5 * US, format);
}

} // namespace

// ---------------------------------------------------------------------------------------------
// Departure times

TEST(RdmaDeparturesTest, EachPacketInFlightIsFoundWhateverTheWindowDoes)
{
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    RdmaDepartures departures;
    std::map<uint64_t, int64_t> expected;
    uint64_t unacknowledged = 0;
    uint64_t next = 0;
    for (int64_t now = 0; now < 20000; ++now)
    {
        const uint64_t window = now < 10000 ? 10 : 3000;
        if (next - unacknowledged < window && random() % 4 != 0)
        {
            departures.Add(next, unacknowledged, now);
            expected[next++] = now;
        }
        else if (next > unacknowledged)
        {
            const uint64_t psn = unacknowledged + random() % (next - unacknowledged);
            ASSERT_EQ(departures.Find(psn), expected.at(psn));
            unacknowledged = psn + 1;
        }
        if (random() % 1000 == 0)
        {
            departures.Forget(next);
            for (auto& [psn, time] : expected)
            {
                time = -1;
            }
        }
    }
    EXPECT_GT(next, 3000U);
}

// ---------------------------------------------------------------------------------------------
// Swift

TEST(RdmaSwiftTest, NamesAndNeeds)
{
    for (const std::string name : {"swift", "swift:htsim"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->GetInstanceTypeId(), RdmaSwift::GetTypeId());
        EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_RTT);
        EXPECT_EQ(ops->Validate(5 * US, nullptr), "");
    }
    EXPECT_DOUBLE_EQ(QueuePair(Make("swift:htsim")).Cwnd(), 12);
}

TEST(RdmaSwiftTest, AFlowStartsWithTheWindowOfLineRateAndBaseRtt)
{
    QueuePair qp(Make("swift"), 4 * US);
    EXPECT_DOUBLE_EQ(qp.Window(), 50'000);
    EXPECT_DOUBLE_EQ(qp.RateGbps(), 100);
    EXPECT_DOUBLE_EQ(QueuePair(Make("swift", {{"InitialCwnd", "12"}})).Window(), 12'000);
    EXPECT_DOUBLE_EQ(QueuePair(Make("swift"), 0).Window(), 250'000) << "BaseTarget";
}

TEST(RdmaSwiftTest, TheTargetGrowsWithHopsAndAsTheWindowShrinks)
{
    auto ops = DynamicCast<RdmaSwift>(Make("swift"));
    const double a = 100'000 / (1 / std::sqrt(0.1) - 0.1);
    EXPECT_NEAR(a, 32655.4, 0.1);
    EXPECT_NEAR(ops->GetTargetNs(1, 1), 20'000 + 3053 + a * 0.9, 1e-6);
    EXPECT_NEAR(ops->GetTargetNs(4, 5), 20'000 + 5 * 3053 + a * 0.4, 1e-6);
    EXPECT_NEAR(ops->GetTargetNs(1.5, 0) - ops->GetTargetNs(1, 0),
                a * (1 / std::sqrt(1.5) - 1),
                1e-6)
        << "fractions of a packet count";
    EXPECT_NEAR(ops->GetTargetNs(0.25, 0), 20'000 + a * 1.9, 1e-6)
        << "a window below one packet is not one of none";
    EXPECT_NEAR(ops->GetTargetNs(0.1, 0), 120'000, 1e-6);
    EXPECT_DOUBLE_EQ(ops->GetTargetNs(0.001, 0), 120'000) << "FsRange is the most";
    EXPECT_NEAR(ops->GetTargetNs(100, 0), 20'000, 1e-6);
    EXPECT_DOUBLE_EQ(ops->GetTargetNs(400, 0), 20'000) << "never below";

    ops->SetAttribute("FsRange", TimeValue(Time(0)));
    EXPECT_DOUBLE_EQ(ops->GetTargetNs(0.1, 2), 26'106);
}

TEST(RdmaSwiftTest, BelowTheTargetTheWindowGrowsByAiPerRoundTrip)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "10"}}));
    qp.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 10.1);
    qp.Rtt(11 * US, 5 * US, true, 3000);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 10.1 + 3 / 10.1);
    qp.Rtt(12 * US, 5 * US, true, 0);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 10.1 + 3 / 10.1);

    QueuePair small(Make("swift", {{"InitialCwnd", "0.25"}, {"Ai", "0.125"}}));
    small.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(small.Cwnd(), 0.375) << "below 1 the step is not divided by the window";
    small.Rtt(20 * US, 5 * US, true, 2000);
    EXPECT_DOUBLE_EQ(small.Cwnd(), 0.625);
}

TEST(RdmaSwiftTest, AtAndAboveTheTargetItFallsWithTheExcessAtMostByMaxMdf)
{
    const Settings plain{{"InitialCwnd", "100"}, {"HopScale", "0us"}};
    QueuePair qp(Make("swift", plain));
    qp.Rtt(100 * US, 25 * US);
    EXPECT_NEAR(qp.Cwnd(), 100 * (1 - 0.8 * 5 / 25), 1e-9);

    QueuePair far(Make("swift", plain));
    far.Rtt(100 * US, 2000 * US);
    EXPECT_DOUBLE_EQ(far.Cwnd(), 50);

    QueuePair exact(Make("swift", plain));
    exact.Rtt(100 * US, 20 * US);
    EXPECT_DOUBLE_EQ(exact.Cwnd(), 100) << "no increase at the target";
}

TEST(RdmaSwiftTest, ItFallsOncePerRoundTrip)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "100"}, {"HopScale", "0us"}, {"FsRange", "0us"}}));
    qp.Rtt(100 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 60);
    qp.Rtt(120 * US, 40 * US);
    qp.Rtt(139 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 60) << "acknowledgements in between do not prolong the wait";
    qp.Rtt(140 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 36);
    qp.Rtt(150 * US, 10 * US);
    const double raised = 36 + 1 / 36.0;
    EXPECT_DOUBLE_EQ(qp.Cwnd(), raised) << "it may grow at once";
    qp.Rtt(190 * US, 40 * US);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), raised * 0.6) << "an increase does not restart the wait";
}

TEST(RdmaSwiftTest, BelowOnePacketTheyLeaveOneRoundTripByTheWindowApart)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "1"}, {"FsRange", "0us"}}));
    EXPECT_DOUBLE_EQ(qp.RateGbps(), 100) << "one packet is not paced";
    qp.Rtt(100 * US, 80 * US);
    ASSERT_DOUBLE_EQ(qp.Cwnd(), 0.5);
    const double intervalNs = 1090 * 8 / qp.RateGbps();
    EXPECT_NEAR(intervalNs, 80'000 / qp.Cwnd(), 1e-6);
    qp.Rtt(150 * US, 40 * US);
    EXPECT_NEAR(1090 * 8 / qp.RateGbps(), 40'000 / qp.Cwnd(), 1e-6)
        << "the last RTT, also without a change of the window";
    EXPECT_DOUBLE_EQ(qp.Window(), 1000 * qp.Cwnd());
}

TEST(RdmaSwiftTest, TheWindowStaysBetweenItsLimits)
{
    QueuePair qp(Make("swift", {{"MaxCwnd", "50.5"}}));
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 50.5);
    qp.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 50.5);
    for (int i = 1; i < 40; ++i)
    {
        qp.Rtt(i * 10'000 * US, 9000 * US);
    }
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 0.001);
    EXPECT_NEAR(1090 * 8 / qp.RateGbps(), 9e9, 1) << "1,000 round trips";
}

TEST(RdmaSwiftTest, ALossTakesMaxMdfOncePerRoundTripAndManyTimeoutsTakeAll)
{
    const Settings settings{{"InitialCwnd", "64"}, {"RetxResetThreshold", "3"}};
    QueuePair qp(Make("swift", settings));
    qp.Rollback(100 * US, false);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 32);
    qp.Rollback(104 * US, false);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 32) << "within a round trip";
    qp.Rollback(105 * US, true);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 16);
    qp.Rollback(200 * US, true);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 8);
    qp.Rollback(201 * US, true);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 0.001) << "the third in a row, at any time";

    QueuePair progressing(Make("swift", settings));
    for (int i = 1; i <= 6; ++i)
    {
        progressing.Rollback(i * 100 * US, true);
        RdmaAckInfo ack = EmptyAck(i * 100 * US + 1);
        ack.newlyAckedBytes = 1000;
        progressing.Ack(ack, true);
    }
    EXPECT_DOUBLE_EQ(progressing.Cwnd(), 1) << "64/2^6: progress ends the row";
}

TEST(RdmaSwiftTest, AnAcknowledgementWithoutASampleLeavesTheWindowAlone)
{
    QueuePair qp(Make("swift", {{"InitialCwnd", "10"}}));
    qp.Rtt(100 * US, -1);
    EXPECT_DOUBLE_EQ(qp.Cwnd(), 10);
}

TEST(RdmaSwiftTest, RefusesWhatCannotBe)
{
    EXPECT_EQ(Why("swift", {{"FsMinCwnd", "100"}}),
              "ns3::RdmaSwift::FsMinCwnd is 100, allowed is below FsMaxCwnd, 100");
    EXPECT_EQ(Why("swift", {{"MaxCwnd", "0.0001"}}),
              "ns3::RdmaSwift::MinCwnd is 0.001, allowed is at most MaxCwnd, 0.0001");
    for (const std::string attribute :
         {"Ai", "Beta", "MaxMdf", "FsMinCwnd", "FsMaxCwnd", "MinCwnd", "MaxCwnd"})
    {
        EXPECT_FALSE(Takes("swift", attribute, "0")) << attribute;
    }
    EXPECT_FALSE(Takes("swift", "MaxMdf", "1"));
    EXPECT_FALSE(Takes("swift", "InitialCwnd", "-1"));
    EXPECT_FALSE(Takes("swift", "RetxResetThreshold", "0"));
    EXPECT_FALSE(Takes("swift", "BaseTarget", "0us"));
    EXPECT_FALSE(Takes("swift", "HopScale", "-1us"));
    EXPECT_FALSE(Takes("swift", "FsRange", "-1us"));
}

// ---------------------------------------------------------------------------------------------
// PowerTCP: 5 us at 100 Gb/s, so that B tau is 62,500 bytes and beta 6,250

namespace
{

const Settings FIVE_US{{"T", "5us"}};

Ptr<RdmaCongestionOps>
PowerTcp(const Settings& settings = {})
{
    Settings all = FIVE_US;
    all.insert(all.end(), settings.begin(), settings.end());
    return Make("powertcp:paper", all);
}

} // namespace

TEST(RdmaPowerTcpTest, NamesAndNeeds)
{
    for (const std::string name : {"powertcp", "powertcp:paper", "powertcp:authors"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->GetInstanceTypeId(), RdmaPowerTcp::GetTypeId());
        EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_TELEMETRY);
        EXPECT_EQ(ops->GetDefaultTelemetry(), "sigcomm19");
        ops->SetNetworkBaseRtt(5 * US);
        EXPECT_EQ(ops->Validate(5 * US, &INT), "");
    }
}

TEST(RdmaPowerTcpTest, AFlowStartsAtLineRateWithTheWindowOfT)
{
    QueuePair qp(PowerTcp());
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    EXPECT_DOUBLE_EQ(qp.RateGbps(), 100);

    auto ops = Make("powertcp");
    ops->SetNetworkBaseRtt(4160);
    EXPECT_DOUBLE_EQ(QueuePair(ops, 0).Window(), 52'000);
}

TEST(RdmaPowerTcpTest, TheFirstRecordIsOnlyStored)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 1'000'000'000, 500'000)});
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    EXPECT_DOUBLE_EQ(qp.Power(), 1);
}

TEST(RdmaPowerTcpTest, ABusyLinkWithoutAQueueHasAPowerOfOne)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(13 * US, {Hop(6000, 62'500, 0)});
    EXPECT_DOUBLE_EQ(qp.Power(), 1);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
}

TEST(RdmaPowerTcpTest, PowerIsCurrentTimesVoltageOfArrivalsAndQueue)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    // Arrivals: B sent and B queued; 62,500 bytes queued beside 62,500 in the pipe.
    qp.Records(13 * US, {Hop(6000, 62'500, 62'500)});
    EXPECT_DOUBLE_EQ(qp.Power(), 4);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (62'500 / 4.0 + 6250) + 0.1 * 62'500);
    EXPECT_DOUBLE_EQ(qp.RateGbps(), qp.Window() * 8 / 5000);
    // The queue halves: arrivals at half the rate. A law of voltage alone would go on braking.
    const double old = qp.Window();
    qp.Records(18 * US, {Hop(11'000, 125'000, 31'250)});
    EXPECT_DOUBLE_EQ(qp.Power(), 0.5 * 1.5);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (old / 0.75 + 6250) + 0.1 * old);
    EXPECT_GT(qp.Window(), old);
}

TEST(RdmaPowerTcpTest, ACurrentBelowZeroIsTheLeastOne)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 200'000)});
    qp.Records(13 * US, {Hop(6000, 62'500, 100'000)});
    EXPECT_DOUBLE_EQ(qp.Power(), 0);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500) << "the largest window";

    QueuePair draining(Make("powertcp", FIVE_US));
    draining.Records(8 * US, {Hop(1000, 0, 200'000)});
    draining.Records(13 * US, {Hop(6000, 62'500, 100'000)});
    EXPECT_DOUBLE_EQ(draining.Power(), 0.5 * 2.6);
    EXPECT_LT(draining.Window(), 62'500) << "there is still a queue";
}

TEST(RdmaPowerTcpTest, PowerIsSmoothedOverTau)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(9 * US, {Hop(2000, 12'500, 12'500)});
    const double power = 2 * 1.2;
    EXPECT_DOUBLE_EQ(qp.Power(), 0.8 + 0.2 * power);
}

TEST(RdmaPowerTcpTest, WithinARoundTripTheWindowFollowsFromTheOneOfTheRoundTripBefore)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 62'500)});
    qp.Records(13 * US, {Hop(6000, 62'500, 62'500)});
    const double reference = 0.9 * (62'500 / 2.0 + 6250) + 0.1 * 62'500;
    EXPECT_DOUBLE_EQ(qp.Observe().referenceWindowBytes, reference);
    double window = reference;
    for (int i = 1; i <= 20; ++i)
    {
        qp.Records(13'000 + 100 * i, {Hop(6000 + 100 * i, 62'500 + 1250 * i, 62'500)}, false);
        window = 0.9 * (reference / 2 + 6250) + 0.1 * window;
        EXPECT_NEAR(qp.Window(), window, 1e-6);
    }
    EXPECT_DOUBLE_EQ(qp.Observe().referenceWindowBytes, reference);
    EXPECT_NEAR(window, reference / 2 + 6250, 1e-6) << "twenty cuts are one";
}

TEST(RdmaPowerTcpTest, TheLargestPowerOfThePathCounts)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0, 1), Hop(1000, 0, 0, 2), Hop(1000, 0, 0, 3)});
    qp.Records(13 * US,
               {Hop(6000, 62'500, 0, 1), Hop(6000, 62'500, 31'250, 2), Hop(6000, 30'000, 0, 3)});
    EXPECT_DOUBLE_EQ(qp.Power(), 1.5 * 1.5);
    EXPECT_EQ(qp.Observe().bottleneckSwitch, 2);
    EXPECT_EQ(qp.Observe().bottleneckPort, 4);
    EXPECT_DOUBLE_EQ(qp.Observe().utilization, 2.25);
}

TEST(RdmaPowerTcpTest, AnOvertakenOrRepeatedRecordChangesNothing)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(13 * US, {Hop(6000, 62'500, 0)});
    qp.Records(14 * US, {Hop(5000, 50'000, 60'000)});
    qp.Records(15 * US, {Hop(6000, 62'500, 0)});
    EXPECT_DOUBLE_EQ(qp.Power(), 1);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    qp.Records(18 * US, {Hop(11'000, 125'000, 62'500)});
    EXPECT_DOUBLE_EQ(qp.Power(), 4) << "against the newest record";
}

TEST(RdmaPowerTcpTest, CountersThatWrapAreDifferencesThatDoNot)
{
    const TelemetryCapabilities format{INT_FIELDS, 1 << 24, 1 << 20, false};
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop((1 << 24) - 2000, (1 << 20) - 500, 0)}, true, format);
    qp.Records(13 * US, {Hop(3000, 62'000, 62'500)}, true, format);
    EXPECT_DOUBLE_EQ(qp.Power(), 4);
    // 100 us at 100 Gb/s are more bytes than the counter counts.
    const double window = qp.Window();
    qp.Records(113 * US, {Hop(103'000, 62'000, 500'000)}, true, format);
    EXPECT_DOUBLE_EQ(qp.Power(), 4);
    EXPECT_DOUBLE_EQ(qp.Window(), window);
}

TEST(RdmaPowerTcpTest, ANewPathStartsAnewAndKeepsTheWindow)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(13 * US, {Hop(6000, 62'500, 62'500)});
    const double window = qp.Window();
    qp.Records(18 * US, {Hop(11'000, 7'000'000, 1'000'000, 9)});
    EXPECT_DOUBLE_EQ(qp.Window(), window);
    qp.Records(20 * US, {Hop(13'000, 7'025'000, 1'000'000, 9)});
    EXPECT_DOUBLE_EQ(qp.Power(), 0.6 + 0.4 * 17) << "from 1, not from the other path's 4";
}

TEST(RdmaPowerTcpTest, AfterAnIdleTimeOrATimeoutARecordIsAFirstOne)
{
    for (const bool timeout : {false, true})
    {
        QueuePair qp(PowerTcp());
        qp.Records(8 * US, {Hop(1000, 0, 0)});
        qp.Records(13 * US, {Hop(6000, 62'500, 62'500)});
        const double window = qp.Window();
        if (timeout)
        {
            qp.Rollback(20 * US, true);
        }
        qp.Records(113 * US, {Hop(106'000, 70'000, 0)}, true, INT, timeout ? 0 : 6 * US);
        EXPECT_DOUBLE_EQ(qp.Window(), window) << "an idle link is not read as room";
        qp.Records(118 * US, {Hop(111'000, 132'500, 0)});
        EXPECT_DOUBLE_EQ(qp.Power(), 1);
    }
}

TEST(RdmaPowerTcpTest, UtilisationStandsInForAByteCounter)
{
    const TelemetryCapabilities format{
        static_cast<uint16_t>((INT_FIELDS & ~TELEMETRY_TX_BYTES) | TELEMETRY_UTILIZATION),
        0,
        0,
        false};
    auto record = [&format](uint64_t timestampNs, double utilization, uint64_t queueBytes) {
        HopTelemetry hop = Hop(timestampNs, 0, queueBytes);
        hop.fields = format.fields;
        hop.utilization = utilization;
        return std::vector<HopTelemetry>{hop};
    };
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, record(1000, 1, 0), true, format);
    qp.Records(13 * US, record(6000, 0.5, 62'500), true, format);
    EXPECT_DOUBLE_EQ(qp.Power(), 1.5 * 2);
}

TEST(RdmaPowerTcpTest, EachParameterDoesWhatItSays)
{
    auto window = [](const Settings& settings) {
        QueuePair qp(PowerTcp(settings));
        qp.Records(8 * US, {Hop(1000, 0, 62'500)});
        qp.Records(13 * US, {Hop(6000, 62'500, 62'500)}); // p = 2
        qp.Records(14 * US, {Hop(7000, 75'000, 62'500)}, false);
        qp.Records(19 * US, {Hop(12'000, 75'000, 62'500)}, false);  // p = 0
        qp.Records(20 * US, {Hop(13'000, 100'000, 62'500)}, false); // 4, weight 0.2: p = 0.8
        return qp.Window();
    };
    const double first = 0.9 * (31'250 + 6250) + 6250;
    EXPECT_DOUBLE_EQ(window({{"Update", "RoundTrip"}}), first);
    EXPECT_DOUBLE_EQ(window({{"Gamma", "1"}}), 37'500 / 0.8 + 6250);
    EXPECT_NEAR(window({{"EwmaWindow", "Reference"}}),
                0.9 * (first / 0.8 + 6250) + 0.1 * first,
                1e-6);
    EXPECT_NEAR(window({}), 0.9 * (first / 0.8 + 6250) + 0.1 * 62'500, 1e-6);
    const double small = 0.9 * (31'250 + 625) + 6250;
    EXPECT_NEAR(window({{"N", "100"}}), 0.9 * (small / 0.8 + 625) + 0.1 * 62'500, 1e-6);
    EXPECT_NEAR(window({{"RateAi", "1Gbps"}}), window({{"N", "100"}}), 1e-6);
    const double braked = 0.9 * (0.5 * 31'250 + 6250) + 6250;
    EXPECT_NEAR(window({{"Eta", "0.5"}}), 0.9 * (0.5 * braked / 0.8 + 6250) + 0.1 * 62'500, 1e-6);
    // The current of the fourth record counts as 0.5: p = 1, then 0.8 + 0.8.
    const double half = 0.9 * (first + 6250) + 0.1 * (0.9 * (first / 2 + 6250) + 0.1 * first);
    EXPECT_NEAR(window({{"MinCurrent", "0.5"}}), 0.9 * (first / 1.6 + 6250) + 0.1 * half, 1e-6);
    EXPECT_DOUBLE_EQ(window({{"MinRate", "100Gbps"}}), 62'500);
}

TEST(RdmaPowerTcpTest, TheAuthorsSetIsTheirFormula)
{
    auto ops = Make("powertcp:authors", FIVE_US);
    QueuePair qp(ops);
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(9 * US, {Hop(2000, 12'500, 12'500)});
    // Rates instead of windows: u = A (8 q + B tau)/(B B tau), smoothed from 1 on, R = 0.9 (Rc
    // 0.95/u + 150 Mb/s) + 0.1 Rc.
    double u = 0.8 + 0.2 * 2 * 1.2;
    double gbps = 0.9 * (100 * 0.95 / u + 0.15) + 0.1 * 100;
    EXPECT_NEAR(qp.RateGbps(), gbps, 1e-9);
    qp.Records(10 * US, {Hop(3000, 15'000, 12'500)}, false);
    u = 0.8 * u + 0.2 * 0.5 * 1.2;
    EXPECT_NEAR(qp.RateGbps(), 0.9 * (gbps * 0.95 / u + 0.15) + 0.1 * gbps, 1e-9);
}

TEST(RdmaPowerTcpTest, RefusesWhatCannotBe)
{
    EXPECT_EQ(Why("powertcp", {}, nullptr),
              "ns3::RdmaPowerTcp needs a telemetry format, for instance sigcomm19");
    TelemetryCapabilities format = INT;
    format.fields &= ~TELEMETRY_QUEUE;
    const std::string noQueue =
        "ns3::RdmaPowerTcp: the telemetry format carries no queue length of each hop";
    EXPECT_EQ(Why("powertcp", {}, &format), noQueue);
    format = INT;
    format.pathExtreme = true;
    EXPECT_EQ(Why("powertcp", {}, &format), noQueue);
    format = INT;
    format.fields &= ~TELEMETRY_TX_BYTES;
    EXPECT_EQ(Why("powertcp", {}, &format),
              "ns3::RdmaPowerTcp: the telemetry format carries neither sent bytes nor utilisation");
    format.fields |= TELEMETRY_UTILIZATION;
    EXPECT_EQ(Why("powertcp", {}, &format), "");
    EXPECT_EQ(Make("powertcp")->Validate(0, &INT),
              "ns3::RdmaPowerTcp::T is 0 and the network's base RTT is unknown: T must be above 0");
    for (const std::string name : {"powertcp", "theta-powertcp"})
    {
        EXPECT_FALSE(Takes(name, "Gamma", "0"));
        EXPECT_FALSE(Takes(name, "Gamma", "1.1"));
        EXPECT_FALSE(Takes(name, "Eta", "0"));
        EXPECT_FALSE(Takes(name, "Eta", "2.1"));
        EXPECT_FALSE(Takes(name, "N", "0"));
        EXPECT_FALSE(Takes(name, "MinCurrent", "-0.1"));
        EXPECT_FALSE(Takes(name, "MinCurrent", "1.1"));
        EXPECT_FALSE(Takes(name, "T", "-1us"));
        EXPECT_FALSE(Takes(name, "Update", "Never"));
        EXPECT_FALSE(Takes(name, "EwmaWindow", "None"));
    }
}

// ---------------------------------------------------------------------------------------------
// theta-PowerTCP

TEST(RdmaThetaPowerTcpTest, NamesAndNeeds)
{
    for (const std::string name :
         {"theta-powertcp", "theta-powertcp:paper", "theta-powertcp:authors"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->GetInstanceTypeId(), RdmaThetaPowerTcp::GetTypeId());
        EXPECT_EQ(ops->Needs(), RdmaCongestionOps::NEED_RTT);
        EXPECT_EQ(ops->GetDefaultTelemetry(), "");
        EXPECT_EQ(ops->Validate(5 * US, nullptr), "");
        EXPECT_NE(ops->Validate(0, nullptr), "");
    }
}

TEST(RdmaThetaPowerTcpTest, TauIsTheUsersElseTheFlowsElseTheNetworks)
{
    auto ops = Make("theta-powertcp");
    ops->SetNetworkBaseRtt(8 * US);
    EXPECT_DOUBLE_EQ(QueuePair(ops, 0).Window(), 100'000);
    EXPECT_DOUBLE_EQ(QueuePair(ops, 4 * US).Window(), 50'000);
    ops->SetAttribute("T", TimeValue(MicroSeconds(5)));
    EXPECT_DOUBLE_EQ(QueuePair(ops, 4 * US).Window(), 62'500);
}

TEST(RdmaThetaPowerTcpTest, PowerIsGradientPlusOneTimesRtt)
{
    QueuePair qp(Make("theta-powertcp"));
    qp.Rtt(10 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Power(), 1) << "the first sample is only stored";
    qp.Rtt(15 * US, 10 * US);
    EXPECT_DOUBLE_EQ(qp.Power(), 2 * 2);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (62'500 / 4.0 + 6250) + 0.1 * 62'500);
    EXPECT_DOUBLE_EQ(qp.RateGbps(), qp.Window() * 8 / 5000);
    const double old = qp.Window();
    qp.Rtt(20 * US, 7500);
    EXPECT_DOUBLE_EQ(qp.Power(), 0.5 * 1.5);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (old / 0.75 + 6250) + 0.1 * old);
}

TEST(RdmaThetaPowerTcpTest, EachSampleIsSmoothedButTheWindowMovesOncePerRoundTrip)
{
    QueuePair qp(Make("theta-powertcp"));
    qp.Rtt(10 * US, 5 * US);
    qp.Rtt(11 * US, 6 * US, false);
    double power = 0.8 + 0.2 * 2 * 1.2;
    EXPECT_DOUBLE_EQ(qp.Power(), power);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    qp.Rtt(12 * US, 6 * US, true);
    power = 0.8 * power + 0.2 * 1.2;
    EXPECT_DOUBLE_EQ(qp.Power(), power);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (62'500 / power + 6250) + 6250);
}

TEST(RdmaThetaPowerTcpTest, AnAcknowledgementIsOneSampleHoweverManyHops)
{
    QueuePair plain(Make("theta-powertcp"));
    QueuePair hops(Make("theta-powertcp"));
    const std::vector<HopTelemetry> records{Hop(1000, 0, 0, 1), Hop(1000, 0, 0, 2)};
    for (int i = 1; i < 10; ++i)
    {
        RdmaAckInfo ack = EmptyAck(i * 700);
        ack.rttNs = 5000 + i * i * 37;
        plain.Ack(ack, true);
        ack.hops = records.data();
        ack.hopCount = 2;
        ack.telemetry = &INT;
        hops.Ack(ack, true);
    }
    EXPECT_LT(plain.Window(), 62'500);
    EXPECT_EQ(plain.Window(), hops.Window());
}

TEST(RdmaThetaPowerTcpTest, NoTimeBetweenTwoAcknowledgementsIsNoSample)
{
    QueuePair qp(Make("theta-powertcp"));
    qp.Rtt(10 * US, 5 * US);
    qp.Rtt(15 * US, 10 * US);
    const double window = qp.Window();
    qp.Rtt(15 * US, 12 * US);
    EXPECT_DOUBLE_EQ(qp.Power(), 4);
    EXPECT_DOUBLE_EQ(qp.Window(), window);
}

TEST(RdmaThetaPowerTcpTest, ARttThatFallsFasterThanTimePassesIsTheLeastCurrent)
{
    for (const std::string name : {"theta-powertcp", "theta-powertcp:paper"})
    {
        QueuePair qp(Make(name));
        qp.Rtt(10 * US, 20 * US);
        qp.Rtt(15 * US, 10 * US);
        EXPECT_DOUBLE_EQ(qp.Power(), name == "theta-powertcp" ? 0.5 * 2 : 0);
        EXPECT_TRUE(std::isfinite(qp.Window()));
    }
}

TEST(RdmaThetaPowerTcpTest, AfterARollbackTheNextSampleIsOnlyStored)
{
    QueuePair qp(Make("theta-powertcp"));
    qp.Rtt(10 * US, 5 * US);
    qp.Rtt(15 * US, 10 * US);
    const double window = qp.Window();
    qp.Rollback(16 * US, true);
    qp.Rtt(17 * US, -1);
    qp.Rtt(18 * US, 500 * US);
    EXPECT_DOUBLE_EQ(qp.Power(), 4);
    EXPECT_DOUBLE_EQ(qp.Window(), window);
    qp.Rtt(23 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Power(), 0.5) << "495 us less in 5 us";
}

TEST(RdmaThetaPowerTcpTest, TheAuthorsSetIsTheirFormula)
{
    QueuePair qp(Make("theta-powertcp:authors"));
    qp.Rtt(10 * US, 5 * US);
    qp.Rtt(11 * US, 6 * US, false);
    // u = A RTT/(1.05 min RTT), smoothed, R = 0.7 (Rc/u + 150 Mb/s) + 0.3 Rc.
    const double p = 0.8 + 0.2 * 2 * 1.2;
    EXPECT_NEAR(qp.RateGbps(), 0.7 * (100 * 1.05 / p + 0.15) + 0.3 * 100, 1e-9);

    QueuePair tracked(Make("theta-powertcp:authors"));
    tracked.Rtt(10 * US, 4 * US);
    tracked.Rtt(14 * US, 8 * US);
    EXPECT_DOUBLE_EQ(tracked.Power(), 2 * 2) << "against 4 us";
    QueuePair fixed(Make("theta-powertcp:authors", {{"MinRttTracked", "false"}}));
    fixed.Rtt(10 * US, 4 * US);
    fixed.Rtt(14 * US, 8 * US);
    EXPECT_DOUBLE_EQ(fixed.Power(), 0.2 + 0.8 * 2 * 1.6) << "against 5 us";
}
