/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests HpccValueLoads, with which the control law computes the shares of entropy values from
// records of the bottleneck hop alone.

#include "hpcc-test-law.h"

#include "ns3/hpcc-port-loads.h"
#include "ns3/hpcc-value-loads.h"

#include <cmath>
#include <memory>

using namespace ns3;

namespace
{

constexpr uint32_t VALUES = 8; ///< number of entropy values

/// Tests with a flow whose entropy values select paths with different loads.
class HpccValueLoadsTest : public HpccLawTest
{
  protected:
    HpccValueLoadsTest()
    {
        format = {TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION | TELEMETRY_PORT_ID,
                  0,
                  0,
                  false,
                  true};
        Open();
        auto made = std::make_unique<HpccValueLoads>(VALUES, parameters.baseRttNs);
        loads = made.get();
        flow.pathState = std::move(made);
    }

    /**
     * Passes the record of a packet to the control law.
     * @param value entropy value of the packet
     * @param field TELEMETRY_QUEUE_DELAY or TELEMETRY_UTILIZATION
     * @param content queue delay divided by T, or utilisation
     * @param afterNs time since the previous packet, ns
     */
    void Packet(uint32_t value, uint16_t field, double content, int64_t afterNs = 1000)
    {
        nowNs += afterNs;
        HopTelemetry hop{};
        hop.fields = field;
        hop.utilization = content;
        hop.queueDelayNs = content * parameters.baseRttNs;
        loads->SetValue(value);
        const auto now = static_cast<uint64_t>(nowNs);
        Ack({hop}, now, now, nowNs);
    }

    /**
     * Passes a queue delay and a utilisation for each value, in several rounds.
     * @param rounds number of rounds
     * @param slow number of values whose paths have a queue; these are the lowest values
     * @param delay delay of this queue divided by T
     */
    void Rounds(uint32_t rounds, uint32_t slow, double delay)
    {
        for (uint32_t i = 0; i < rounds; ++i)
        {
            for (uint32_t value = 0; value < VALUES; ++value)
            {
                const bool queued = value < slow;
                Packet(value, TELEMETRY_UTILIZATION, queued ? 1 : 0.8);
                Packet(value, TELEMETRY_QUEUE_DELAY, queued ? delay : 0);
            }
        }
    }

    float Share(uint32_t value) const
    {
        return loads->GetShares()[value];
    }

    HpccValueLoads* loads{nullptr}; ///< loads of the entropy values of the flow
    int64_t nowNs{0};               ///< current time
};

} // namespace

TEST_F(HpccValueLoadsTest, EqualLoadsLeaveSharesEqual)
{
    Rounds(20, 0, 0);
    for (uint32_t value = 0; value < VALUES; ++value)
    {
        EXPECT_FLOAT_EQ(Share(value), 1) << value;
    }
}

TEST_F(HpccValueLoadsTest, AShareComesBackWhenThePathHasLessLoadThanOthers)
{
    Rounds(50, 2, 1);
    Rounds(1, 2, 0);
    for (uint32_t i = 0; i < 50 * VALUES; ++i)
    {
        Packet(i % VALUES, TELEMETRY_UTILIZATION, i % VALUES < 2 ? 0.5 : 0.8, 5000);
    }
    EXPECT_GT(Share(0), 0.9);
}

TEST_F(HpccValueLoadsTest, AStepIsTheRootOfTheMeanOverTheLoadAndComesOncePerT)
{
    const int64_t baseRttNs = std::llround(parameters.baseRttNs);
    for (uint32_t value = 0; value < VALUES; ++value)
    {
        Packet(value, TELEMETRY_UTILIZATION, 0.8, baseRttNs);
    }
    Packet(0, TELEMETRY_UTILIZATION, 1.0, baseRttNs);
    const double mean = (0.8 * (VALUES - 1) + 1.0) / VALUES;
    EXPECT_NEAR(Share(0), std::sqrt(mean / 1.0), 1e-6);
    Packet(0, TELEMETRY_UTILIZATION, 1.0, baseRttNs - 1);
    EXPECT_NEAR(Share(0), std::sqrt(mean / 1.0), 1e-6);
}

TEST_F(HpccValueLoadsTest, WindowTimeDividesAQueueAsInLine5)
{
    const auto own = std::make_unique<HpccValueLoads>(2, 5000.0, 10000.0);
    HopTelemetry hop{};
    hop.fields = TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION;
    hop.utilization = 0.8;
    HpccSample sample{};
    sample.hops = &hop;
    sample.hopCount = 1;
    for (uint32_t value = 0; value < 2; ++value)
    {
        hop.queueDelayNs = value == 0 ? 0 : 5000;
        sample.nowNs += 10000;
        own->SetValue(value);
        own->Update(flow, sample, nullptr);
    }
    // Loads are 0.8 and 0.8 + 5000/10000.
    EXPECT_NEAR(own->GetShares()[1], std::sqrt((0.8 + 1.3) / 2 / 1.3), 1e-6);
}

TEST_F(HpccValueLoadsTest, AQueueLowersAShareWhereUtilisationsAreEqual)
{
    const int64_t baseRttNs = std::llround(parameters.baseRttNs);
    for (uint32_t value = 0; value < VALUES; ++value)
    {
        Packet(value, TELEMETRY_UTILIZATION, 0.8, baseRttNs);
    }
    Packet(0, TELEMETRY_QUEUE_DELAY, 1.0, baseRttNs);
    const double mean = (0.8 * (VALUES - 1) + 1.8) / VALUES;
    EXPECT_NEAR(Share(0), std::sqrt(mean / 1.8), 1e-6);
    EXPECT_FLOAT_EQ(Share(1), 1);
    Rounds(50, 1, 1);
    EXPECT_FLOAT_EQ(Share(0), HpccPortLoads::LEAST_SHARE);
    EXPECT_FLOAT_EQ(Share(1), 1);
}

TEST_F(HpccValueLoadsTest, UIsThatOfAllRecordsWhateverTheirValue)
{
    HpccFlow plain;
    HpccLaw other;
    other.SetParameters(parameters);
    other.Open(plain, LINE_RATE, 0);
    for (uint32_t i = 0; i < 40; ++i)
    {
        Packet(i % VALUES, TELEMETRY_UTILIZATION, i % 3 == 0 ? 0.9 : 0.6);
        HopTelemetry hop{};
        hop.fields = TELEMETRY_UTILIZATION;
        hop.utilization = i % 3 == 0 ? 0.9 : 0.6;
        const auto now = static_cast<uint64_t>(nowNs);
        other.NewAck(plain, {nowNs, now, now, 0, &hop, 1, 0, 0, &format});
        EXPECT_DOUBLE_EQ(flow.utilization, plain.utilization);
    }
}
