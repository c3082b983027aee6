/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests PowerTCP and theta-PowerTCP step by step. Expected values are computed by hand from the
// paper's formulas.

#include "hpcc-test-policies.h"

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-control-goal.h"
#include "ns3/rdma-powertcp.h"
#include "ns3/rdma-theta-powertcp.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

// ---------------------------------------------------------------------------------------------
// PowerTCP with tau 5 us at 100 Gb/s, so that B tau is 62,500 bytes and beta is 6,250 bytes

namespace
{

using QueuePair = StateQueuePair<RdmaPowerTcpState>;

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
        EXPECT_EQ(ops->Describe(nullptr).telemetry, "sigcomm19");
        ops->SetNetworkBaseRtt(5 * US);
        EXPECT_EQ(ops->Validate(5 * US, &INT), "");
    }
}

TEST(RdmaPowerTcpTest, AFlowStartsAtLineRateWithTheWindowOfT)
{
    QueuePair qp(PowerTcp());
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    EXPECT_DOUBLE_EQ(qp.Gbps(), 100);

    auto ops = Make("powertcp");
    ops->SetNetworkBaseRtt(4160);
    EXPECT_DOUBLE_EQ(QueuePair(ops, 0).Window(), 52'000);
}

TEST(RdmaPowerTcpTest, TheFirstRecordIsOnlyStored)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 1'000'000'000, 500'000)});
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    EXPECT_DOUBLE_EQ(qp.Own().power, 1);
}

TEST(RdmaPowerTcpTest, ABusyLinkWithoutAQueueHasAPowerOfOne)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(13 * US, {Hop(6000, 62'500, 0)});
    EXPECT_DOUBLE_EQ(qp.Own().power, 1);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
}

TEST(RdmaPowerTcpTest, PowerIsCurrentTimesVoltageOfArrivalsAndQueue)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    // The arrival rate is 2 B: B is sent and B is added to the queue. 62,500 bytes are in the
    // queue, in addition to 62,500 bytes in flight on the links.
    qp.Records(13 * US, {Hop(6000, 62'500, 62'500)});
    EXPECT_DOUBLE_EQ(qp.Own().power, 4);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (62'500 / 4.0 + 6250) + 0.1 * 62'500);
    EXPECT_DOUBLE_EQ(qp.Gbps(), qp.Window() * 8 / 5000);
    // The queue is halved, and the arrival rate is half the line rate. An algorithm based on
    // voltage alone would continue to decrease the window.
    const double old = qp.Window();
    qp.Records(18 * US, {Hop(11'000, 125'000, 31'250)});
    EXPECT_DOUBLE_EQ(qp.Own().power, 0.5 * 1.5);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (old / 0.75 + 6250) + 0.1 * old);
    EXPECT_GT(qp.Window(), old);
}

TEST(RdmaPowerTcpTest, ACurrentBelowZeroIsTheLeastOne)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 200'000)});
    qp.Records(13 * US, {Hop(6000, 62'500, 100'000)});
    EXPECT_DOUBLE_EQ(qp.Own().power, 0);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500) << "the largest window";

    QueuePair draining(Make("powertcp", FIVE_US));
    draining.Records(8 * US, {Hop(1000, 0, 200'000)});
    draining.Records(13 * US, {Hop(6000, 62'500, 100'000)});
    EXPECT_DOUBLE_EQ(draining.Own().power, 0.5 * 2.6);
    EXPECT_LT(draining.Window(), 62'500) << "there is still a queue";
}

TEST(RdmaPowerTcpTest, PowerIsSmoothedOverTau)
{
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop(1000, 0, 0)});
    qp.Records(9 * US, {Hop(2000, 12'500, 12'500)});
    const double power = 2 * 1.2;
    EXPECT_DOUBLE_EQ(qp.Own().power, 0.8 + 0.2 * power);
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 1.5 * 1.5);
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 1);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    qp.Records(18 * US, {Hop(11'000, 125'000, 62'500)});
    EXPECT_DOUBLE_EQ(qp.Own().power, 4) << "against the newest record";
}

TEST(RdmaPowerTcpTest, CountersThatWrapAreDifferencesThatDoNot)
{
    const TelemetryCapabilities format{INT_FIELDS, 1 << 24, 1 << 20, false};
    QueuePair qp(PowerTcp());
    qp.Records(8 * US, {Hop((1 << 24) - 2000, (1 << 20) - 500, 0)}, true, format);
    qp.Records(13 * US, {Hop(3000, 62'000, 62'500)}, true, format);
    EXPECT_DOUBLE_EQ(qp.Own().power, 4);
    // In 100 us at 100 Gb/s, more bytes are sent than the counter can represent.
    const double window = qp.Window();
    qp.Records(113 * US, {Hop(103'000, 62'000, 500'000)}, true, format);
    EXPECT_DOUBLE_EQ(qp.Own().power, 4);
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 0.6 + 0.4 * 17) << "from 1, not from the other path's 4";
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
        EXPECT_DOUBLE_EQ(qp.Own().power, 1);
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 1.5 * 2);
}

TEST(RdmaPowerTcpTest, EachParameterDoesWhatItSays)
{
    auto window = [](const Settings& settings) {
        QueuePair qp(PowerTcp(settings));
        qp.Records(8 * US, {Hop(1000, 0, 62'500)});
        qp.Records(13 * US, {Hop(6000, 62'500, 62'500)}); // p = 2
        qp.Records(14 * US, {Hop(7000, 75'000, 62'500)}, false);
        qp.Records(19 * US, {Hop(12'000, 75'000, 62'500)}, false);  // p = 0
        qp.Records(20 * US, {Hop(13'000, 100'000, 62'500)}, false); // sample 4, weight 0.2: p = 0.8
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
    // MinCurrent raises the current of the fourth record to 0.5. Then p is 1, and the smoothed
    // value is 0.8 + 0.8.
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
    // The authors' variant uses rates instead of windows: u = A (8 q + B tau)/(B B tau), smoothed
    // starting from 1, and R = 0.9 (Rc 0.95/u + 150 Mb/s) + 0.1 Rc.
    double u = 0.8 + 0.2 * 2 * 1.2;
    double gbps = 0.9 * (100 * 0.95 / u + 0.15) + 0.1 * 100;
    EXPECT_NEAR(qp.Gbps(), gbps, 1e-9);
    qp.Records(10 * US, {Hop(3000, 15'000, 12'500)}, false);
    u = 0.8 * u + 0.2 * 0.5 * 1.2;
    EXPECT_NEAR(qp.Gbps(), 0.9 * (gbps * 0.95 / u + 0.15) + 0.1 * gbps, 1e-9);
}

// ---------------------------------------------------------------------------------------------
// Fluid model of eight equal, synchronised flows at a link of 100 Gb/s. A flow sends at its rate as
// long as its window permits. Data arrives at the queue T/2 after it is sent, and is acknowledged
// T/2 after it has left the queue.

namespace
{

class FluidIncast : public PolicyQueuePair
{
  public:
    static constexpr int STEPS = 50; ///< steps per T of 5 us
    static constexpr double FLOWS = 8;

    /**
     * @param ops the policy
     * @param steps number of steps between two samples
     */
    FluidIncast(const Ptr<RdmaCongestionOps>& ops, int steps)
        : PolicyQueuePair(ops, {7, LINE_RATE, 1000, 90, 5 * US, 0}),
          m_steps(steps)
    {
    }

    /**
     * Runs the model.
     * @param rtts duration of the run in units of T
     * @return the longest queue in the second half of the run, bytes
     */
    double LongestQueue(int rtts)
    {
        double longest = 0;
        for (int now = 1; now <= rtts * STEPS; ++now)
        {
            Step(now);
            longest = 2 * now > rtts * STEPS ? std::max(longest, m_queue) : longest;
        }
        return longest;
    }

  private:
    static constexpr int64_t STEP_NS = 5 * US / STEPS;
    static constexpr double LINK_BYTES = 12.5 * STEP_NS; ///< bytes that 100 Gb/s carry per step

    /// @return the value of a series T/2 before its last value
    static double Delayed(const std::vector<double>& series)
    {
        const size_t ago = STEPS / 2;
        return series.size() > ago ? series[series.size() - 1 - ago] : 0;
    }

    void Step(int now)
    {
        const double acked = Delayed(m_left);
        const double room = std::max(FLOWS * m_state->windowBytes - (Last(m_sent) - acked), 0.0);
        const double paced = FLOWS * m_state->rateBps / 8e9 * STEP_NS;
        m_sent.push_back(Last(m_sent) + std::min(paced, room));
        m_queue = std::max(Delayed(m_sent) - Last(m_left) - LINK_BYTES, 0.0);
        m_left.push_back(Delayed(m_sent) - m_queue);
        m_queues.push_back(m_queue);
        if (now % m_steps == 0 && acked > 0)
        {
            Sample(now * STEP_NS, acked);
        }
    }

    void Sample(int64_t nowNs, double acked)
    {
        const std::vector<HopTelemetry> hops{Hop(static_cast<uint64_t>(nowNs - 2500),
                                                 static_cast<uint64_t>(acked),
                                                 static_cast<uint64_t>(Delayed(m_queues)))};
        RdmaAckInfo ack = EmptyAck(nowNs);
        ack.ackSeq = static_cast<uint64_t>(acked / FLOWS);
        ack.sndNxt = static_cast<uint64_t>(Last(m_sent) / FLOWS);
        ack.hops = hops.data();
        ack.hopCount = 1;
        ack.telemetry = &INT;
        m_ops->OnAck(m_state, ack);
    }

    static double Last(const std::vector<double>& series)
    {
        return series.empty() ? 0 : series.back();
    }

    int m_steps;                  ///< number of steps between two samples
    double m_queue{0};            ///< queue length, bytes
    std::vector<double> m_sent;   ///< bytes sent so far by all flows together, by step
    std::vector<double> m_left;   ///< bytes that have left the queue so far, by step
    std::vector<double> m_queues; ///< queue at the end of each step, bytes
};

/// @return the goal of a policy for eight flows at 100 Gb/s with T of 5 us
RdmaControlGoal::Goal
GoalOfEight(const Ptr<RdmaCongestionOps>& ops, double packetsPerSample)
{
    auto* declared = dynamic_cast<RdmaControlGoal*>(PeekPointer(ops));
    EXPECT_TRUE(declared);
    return declared->GetGoal(
        {1e11, 5000, 8, HUGE_VAL, 1000, 1, true, true, false, packetsPerSample});
}

} // namespace

TEST(RdmaPowerTcpTest, TheGoalHasRoomForTheWindowsThatNoSampleHasSeen)
{
    const auto ops = Make("powertcp:authors", FIVE_US);
    const double bdp = 62'500;
    const double ofEachFlow = 8 * (2 * 93.75 + 1000);
    EXPECT_DOUBLE_EQ(GoalOfEight(ops, 1).queueBytes, 1.5 * bdp + ofEachFlow);
    EXPECT_DOUBLE_EQ(GoalOfEight(ops, 2).queueBytes, 1.5 * bdp + ofEachFlow);
    // A fair share is 7,812.5 bytes.
    const double five = std::pow(0.95 / 0.5, 1 + 5000 / 7812.5) - 1;
    EXPECT_NEAR(GoalOfEight(ops, 5).queueBytes, five * bdp + ofEachFlow, 1e-6);
    const double window = std::pow(0.95 / 0.5, 1 + 8812.5 / 7812.5) - 1;
    EXPECT_NEAR(GoalOfEight(ops, 20).queueBytes, window * bdp + ofEachFlow, 1e-6);
    EXPECT_NEAR(GoalOfEight(ops, HUGE_VAL).queueBytes, window * bdp + ofEachFlow, 1e-6);
    ops->SetAttribute("MinCurrent", DoubleValue(0.1));
    EXPECT_NEAR(GoalOfEight(ops, 20).queueBytes, 7 * bdp + ofEachFlow, 1e-6)
        << "no window exceeds a BDP";
}

TEST(RdmaPowerTcpTest, SamplesARoundTripApartSwingWithinTheGoal)
{
    const double bdp = 62'500;
    const auto longest = [](int steps) {
        return FluidIncast(Make("powertcp:authors", FIVE_US), steps).LongestQueue(200);
    };
    EXPECT_LT(longest(1), 0.1 * bdp) << "the power is smoothed";
    const double swing = longest(FluidIncast::STEPS);
    EXPECT_GT(swing, 0.5 * bdp);
    EXPECT_LT(swing, GoalOfEight(Make("powertcp:authors", FIVE_US), HUGE_VAL).queueBytes);
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
        EXPECT_TRUE(ops->Describe(nullptr).rttOfEachAck);
        EXPECT_EQ(ops->Describe(nullptr).telemetry, "");
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 1) << "the first sample is only stored";
    qp.Rtt(15 * US, 10 * US);
    EXPECT_DOUBLE_EQ(qp.Own().power, 2 * 2);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (62'500 / 4.0 + 6250) + 0.1 * 62'500);
    EXPECT_DOUBLE_EQ(qp.Gbps(), qp.Window() * 8 / 5000);
    const double old = qp.Window();
    qp.Rtt(20 * US, 7500);
    EXPECT_DOUBLE_EQ(qp.Own().power, 0.5 * 1.5);
    EXPECT_DOUBLE_EQ(qp.Window(), 0.9 * (old / 0.75 + 6250) + 0.1 * old);
}

TEST(RdmaThetaPowerTcpTest, EachSampleIsSmoothedButTheWindowMovesOncePerRoundTrip)
{
    QueuePair qp(Make("theta-powertcp"));
    qp.Rtt(10 * US, 5 * US);
    qp.Rtt(11 * US, 6 * US, false);
    double power = 0.8 + 0.2 * 2 * 1.2;
    EXPECT_DOUBLE_EQ(qp.Own().power, power);
    EXPECT_DOUBLE_EQ(qp.Window(), 62'500);
    qp.Rtt(12 * US, 6 * US, true);
    power = 0.8 * power + 0.2 * 1.2;
    EXPECT_DOUBLE_EQ(qp.Own().power, power);
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 4);
    EXPECT_DOUBLE_EQ(qp.Window(), window);
}

TEST(RdmaThetaPowerTcpTest, ARttThatFallsFasterThanTimePassesIsTheLeastCurrent)
{
    for (const std::string name : {"theta-powertcp", "theta-powertcp:paper"})
    {
        QueuePair qp(Make(name));
        qp.Rtt(10 * US, 20 * US);
        qp.Rtt(15 * US, 10 * US);
        EXPECT_DOUBLE_EQ(qp.Own().power, name == "theta-powertcp" ? 0.5 * 2 : 0);
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
    EXPECT_DOUBLE_EQ(qp.Own().power, 4);
    EXPECT_DOUBLE_EQ(qp.Window(), window);
    qp.Rtt(23 * US, 5 * US);
    EXPECT_DOUBLE_EQ(qp.Own().power, 0.5) << "495 us less in 5 us";
}

TEST(RdmaThetaPowerTcpTest, TheAuthorsSetIsTheirFormula)
{
    QueuePair qp(Make("theta-powertcp:authors"));
    qp.Rtt(10 * US, 5 * US);
    qp.Rtt(11 * US, 6 * US, false);
    // In the authors' variant, u = A RTT/(1.05 min RTT), smoothed, and R = 0.7 (Rc/u + 150 Mb/s) +
    // 0.3 Rc.
    const double p = 0.8 + 0.2 * 2 * 1.2;
    EXPECT_NEAR(qp.Gbps(), 0.7 * (100 * 1.05 / p + 0.15) + 0.3 * 100, 1e-9);

    QueuePair tracked(Make("theta-powertcp:authors"));
    tracked.Rtt(10 * US, 4 * US);
    tracked.Rtt(14 * US, 8 * US);
    EXPECT_DOUBLE_EQ(tracked.Own().power, 2 * 2) << "against 4 us";
    QueuePair fixed(Make("theta-powertcp:authors", {{"MinRttTracked", "false"}}));
    fixed.Rtt(10 * US, 4 * US);
    fixed.Rtt(14 * US, 8 * US);
    EXPECT_DOUBLE_EQ(fixed.Own().power, 0.2 + 0.8 * 2 * 1.6) << "against 5 us";
}
