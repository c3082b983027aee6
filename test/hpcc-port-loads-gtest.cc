/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the control law with HpccPortLoads, which stores telemetry per port and computes the shares
// of paths.

#include "hpcc-test-law.h"

#include "ns3/hpcc-port-loads.h"

#include <cmath>
#include <map>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t LEAF = 100; ///< switch at which the paths diverge
constexpr uint32_t LAST = 200; ///< switch of the receiver

/// Tests with a flow over several paths. They use different ports of LEAF and different next
/// switches, and the same switch LAST.
class HpccPortLoadsTest : public HpccLawTest
{
  protected:
    void Open(HpccPortLoads::Combine combine, uint32_t values)
    {
        flow = HpccFlow();
        bytes.clear();
        at.clear();
        nowNs = 0;
        HpccLawTest::Open();
        auto made = std::make_unique<HpccPortLoads>(combine, values, packetBytes, parameters);
        loads = made.get();
        flow.pathState = std::move(made);
    }

    /// @return the record of a port that is busy for the given share of the time and has no queue
    HopTelemetry Port(uint32_t switchId, uint32_t portId, double busy, uint64_t gbps = 100)
    {
        uint64_t& sent = bytes[{switchId, portId}];
        int64_t& last = at[{switchId, portId}];
        sent += static_cast<uint64_t>(static_cast<double>(gbps) / 8 * busy *
                                      static_cast<double>(nowNs - last));
        last = nowNs;
        HopTelemetry hop = Hop(switchId, static_cast<uint64_t>(nowNs), sent);
        hop.portId = portId;
        hop.bandwidthBps = gbps * 1'000'000'000;
        return hop;
    }

    /**
     * Passes the records of a packet that arrives 1 us after the previous packet.
     * @param path path of the packet
     * @param busy load of the ports that only this path uses
     * @param lastHop load of the port to the receiver
     * @param value entropy value of the packet
     * @param gbps rate of the ports that only this path uses, Gb/s
     */
    void Packet(uint32_t path,
                double busy,
                double lastHop,
                uint32_t value = HpccPortLoads::NO_VALUE,
                uint64_t gbps = 100)
    {
        nowNs += 1000;
        loads->SetValue(value);
        const auto now = static_cast<uint64_t>(nowNs);
        Ack({Port(LEAF, path, busy, gbps), Port(1 + path, 1, busy, gbps), Port(LAST, 1, lastHop)},
            now,
            now);
    }

    /// Passes the records of a packet that arrives 1 us after the previous packet. Only the last
    /// hop has inserted a record.
    /// @param busy load of the port to the receiver
    void LastHop(double busy)
    {
        nowNs += 1000;
        const auto now = static_cast<uint64_t>(nowNs);
        Ack({Port(LAST, 1, busy)}, now, now);
    }

    /// Passes the records of a packet that arrives over a detour, 1 us after the previous packet.
    /// @param busy load of each port of the detour
    void Detour(double busy)
    {
        nowNs += 1000;
        const auto now = static_cast<uint64_t>(nowNs);
        Ack({Port(LEAF, 9, busy),
             Port(10, 2, busy),
             Port(101, 1, busy),
             Port(11, 1, busy),
             Port(LAST, 1, busy)},
            now,
            now);
    }

    uint32_t packetBytes{0};                                 ///< size of a packet, bytes; if 0,
                                                             ///< every queue is part of the load
    HpccPortLoads* loads{nullptr};                           ///< loads of the flow's ports
    int64_t nowNs{0};                                        ///< current time
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes; ///< bytes sent, by port
    std::map<std::pair<uint32_t, uint32_t>, int64_t> at;     ///< time of the last record, by port
};

} // namespace

TEST_F(HpccPortLoadsTest, APacketRefreshesThePortsThatItCrossesWhicheverItsPath)
{
    // Each path is sampled once in 40 us, and the last hop once in 1 us.
    Open(HpccPortLoads::SHARED_AND_MEAN, 0);
    for (uint32_t i = 0; i < 400; ++i)
    {
        Packet(i % 40, 0.3, i < 320 ? 0.9 : 0.6);
    }
    EXPECT_EQ(loads->CountPaths(), 40);
    EXPECT_NEAR(flow.utilization, 0.6, 0.01);
}

TEST_F(HpccPortLoadsTest, ThePortsOfANewPathDoNotDelayTheNextCommit)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 0);
    Packet(0, 0.5, 0.5);
    Packet(0, 0.5, 0.5);
    const uint64_t before = flow.lastUpdateSeq;
    nowNs += 1000;
    Ack({Port(LEAF, 1, 0.5), Port(2, 1, 0.5), Port(LAST, 2, 0.5)},
        before,
        static_cast<uint64_t>(nowNs));
    EXPECT_EQ(flow.lastUpdateSeq, before);
    EXPECT_EQ(loads->CountPaths(), 2);
}

TEST_F(HpccPortLoadsTest, GradedTakesTheLargerOneOfSharedPortsAndTheMeanOfThePaths)
{
    for (const double lastHop : {0.2, 0.9})
    {
        Open(HpccPortLoads::SHARED_AND_MEAN, 0);
        for (uint32_t i = 0; i < 200; ++i)
        {
            Packet(i % 4, i % 4 == 3 ? 1.0 : 0.4, lastHop);
        }
        EXPECT_NEAR(flow.utilization, std::max(lastHop, 0.55), 0.06) << lastHop;
    }
}

TEST_F(HpccPortLoadsTest, TheOthersTakeTheMaximumMeanOrMedianOfThePaths)
{
    const std::map<HpccPortLoads::Combine, double> expected{{HpccPortLoads::MAXIMUM, 1.0},
                                                            {HpccPortLoads::MEAN, 0.55},
                                                            {HpccPortLoads::MEDIAN, 0.4}};
    for (const auto& [combine, u] : expected)
    {
        Open(combine, 0);
        for (uint32_t i = 0; i < 200; ++i)
        {
            Packet(i % 4, i % 4 == 3 ? 1.0 : 0.4, 0.1);
        }
        EXPECT_NEAR(flow.utilization, u, 0.01) << combine;
    }
}

TEST_F(HpccPortLoadsTest, AQueueOfPacketsThatMeetByChanceIsNoLoadUnlessAllPathsShareThePort)
{
    packetBytes = 1000;
    const double chance = 1000 * 0.95 * 0.95 / (2 * 0.05); // 9025 bytes
    const auto run = [this](uint32_t paths, double queue) {
        Open(HpccPortLoads::MEAN, 0);
        for (uint32_t i = 0; i < 200; ++i)
        {
            nowNs += 1000;
            const auto now = static_cast<uint64_t>(nowNs);
            HopTelemetry hop = Hop(LEAF, now, now * 10, static_cast<uint64_t>(queue));
            hop.portId = 1 + i % paths;
            Ack({hop}, now, now);
        }
        return flow.utilization;
    };
    for (const double queue : {5000.0, 20000.0, 60000.0})
    {
        EXPECT_NEAR(run(1, queue), 0.8 + queue / W_INIT, 1e-3) << queue;
        EXPECT_NEAR(run(2, queue), 0.8 + std::max(queue - chance, 0.0) / W_INIT, 1e-3) << queue;
    }
    parameters.windowNs = 2 * parameters.baseRttNs;
    EXPECT_NEAR(run(2, 20000), 0.8 + (20000 - chance) / (2 * W_INIT), 1e-3) << "as in line 5";
    parameters.windowNs = 0;
    parameters.eta = 1; // with eta 1, the mean queue of random arrivals has no bound
    EXPECT_NEAR(run(2, W_INIT), 0.8 + 0.5, 1e-3);
}

TEST_F(HpccPortLoadsTest, InTheMeanAPathWeighsItsCapacity)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 0);
    for (uint32_t i = 0; i < 200; ++i)
    {
        const bool slow = i % 4 == 3;
        Packet(i % 4, slow ? 1.0 : 0.4, 0.1, HpccPortLoads::NO_VALUE, slow ? 50 : 100);
    }
    EXPECT_NEAR(flow.utilization, (3 * 0.4 + 0.5 * 1.0) / 3.5, 0.01);
}

TEST_F(HpccPortLoadsTest, InTheMeanAnOverloadedPathCountsAsLittleAboveTheLeastLoadedOne)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 0);
    for (uint32_t i = 0; i < 200; ++i)
    {
        Packet(i % 4, i % 4 == 3 ? 3.0 : 0.4, 0.1);
    }
    const double most = HpccPortLoads::LARGEST_EXCESS * parameters.eta;
    EXPECT_NEAR(flow.utilization, (3 * 0.4 + most) / 4, 0.03); // tolerance, because the samples
                                                               // were taken at different times
}

TEST_F(HpccPortLoadsTest, PathsWithoutASampleCountAsLoadedByEta)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 0);
    for (const uint32_t path : {0, 1, 0, 0, 0, 0, 2})
    {
        Packet(path, 0.2, 0.1);
    }
    // Path 0 has five samples, and two other paths have one sample each. Therefore two of the seven
    // samples are the only samples of their paths, and the estimated probability that a packet
    // takes an unknown path is 2/7.
    double u = parameters.initialU;
    for (const double tauNs : {2000, 1000, 1000, 1000})
    {
        u += tauNs / parameters.baseRttNs * (0.2 - u);
    }
    EXPECT_NEAR(flow.utilization, 5.0 / 7 * u + 2.0 / 7 * parameters.eta, 1e-6);
}

TEST_F(HpccPortLoadsTest, AWindowPerPathIsDividedByItsOwnLoad)
{
    // Without shares, W is the sum of four windows. Each is a quarter of the whole window divided
    // by 0.6 or 1.2. Together they are 35/24 of the whole window.
    Open(HpccPortLoads::PER_PATH, 0);
    for (uint32_t i = 0; i < 200; ++i)
    {
        Packet(i % 4, i % 4 == 3 ? 1.2 : 0.6, 0.1);
    }
    EXPECT_NEAR(flow.utilization, 24.0 / 35, 0.02);
    // With shares, the third round is the first one that starts T after all paths have become
    // known. The shares are then multiplied by the inverse of U, after two steps of line 9 with a
    // weight of 4 us/T.
    Open(HpccPortLoads::PER_PATH, 4);
    for (uint32_t i = 0; i < 12; ++i)
    {
        Packet(i % 4, i % 4 == 3 ? 1.2 : 0.6, 0.1, i % 4);
    }
    const double left = std::pow(1 - 4000 / parameters.baseRttNs, 2);
    const double expected = (0.6 + 0.4 * left) / (1.2 - 0.2 * left);
    EXPECT_NEAR(loads->GetShares()[3], expected, 0.05);
}

TEST_F(HpccPortLoadsTest, ALoadedPathGetsFewPacketsAndComesBack)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 8);
    auto run = [this](double third) {
        for (uint32_t i = 0; i < 400; ++i)
        {
            Packet(i % 4, i % 4 == 3 ? third : 0.7, 0.1, i % 8);
        }
    };
    run(0.7);
    for (uint32_t value = 0; value < 8; ++value)
    {
        EXPECT_NEAR(loads->GetShares()[value], 1, 0.05) << value;
    }
    run(1.0);
    EXPECT_NEAR(loads->GetShares()[3], HpccPortLoads::LEAST_SHARE, 1e-6);
    EXPECT_NEAR(loads->GetShares()[7], HpccPortLoads::LEAST_SHARE, 1e-6);
    EXPECT_GT(loads->GetShares()[0], 0.8);
    run(0.55);
    EXPECT_FLOAT_EQ(loads->GetShares()[3], 1);
}

TEST_F(HpccPortLoadsTest, QuietPathsAreNotGraded)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 8);
    for (uint32_t i = 0; i < 800; ++i)
    {
        Packet(i % 4, 0.1 * (1 + i % 4), 0.9, i % 8);
    }
    for (const float share : loads->GetShares())
    {
        EXPECT_NEAR(share, 1, 0.1); // the initial U is 1
    }
}

TEST_F(HpccPortLoadsTest, TheValuesOfAPathDivideItsShare)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 4);
    for (uint32_t i = 0; i < 400; ++i)
    {
        Packet(i % 4 == 0 ? 0 : 1, 0.4, 0.4, i % 4); // values 1, 2 and 3 share a path
    }
    EXPECT_FLOAT_EQ(loads->GetShares()[0], 1);
    for (const uint32_t value : {1, 2, 3})
    {
        EXPECT_NEAR(loads->GetShares()[value], 1.0 / 3, 0.05);
    }
}

TEST_F(HpccPortLoadsTest, APathWithoutValuesIsForgotten)
{
    Open(HpccPortLoads::MAXIMUM, 2);
    for (uint32_t i = 0; i < 40; ++i)
    {
        Packet(i % 2, i % 2 ? 1.0 : 0.4, 0.1, i % 2);
    }
    EXPECT_EQ(loads->CountPaths(), 2);
    EXPECT_NEAR(flow.utilization, 1.0, 0.01);
    for (uint32_t i = 0; i < 40; ++i)
    {
        Packet(0, 0.4, 0.1, i % 2);
    }
    EXPECT_EQ(loads->CountPaths(), 1);
    EXPECT_NEAR(flow.utilization, 0.4, 0.01);
}

TEST_F(HpccPortLoadsTest, WithoutValuesAPathThatIsNotTakenAnyMoreIsForgotten)
{
    Open(HpccPortLoads::MAXIMUM, 0);
    for (uint32_t i = 0; i < 20; ++i)
    {
        Packet(i % 2, i % 2 ? 1.0 : 0.4, 0.1);
    }
    EXPECT_EQ(loads->CountPaths(), 2);
    for (uint32_t i = 0; i < 40; ++i)
    {
        Packet(0, 0.4, 0.1);
    }
    EXPECT_EQ(loads->CountPaths(), 1);
    EXPECT_NEAR(flow.utilization, 0.4, 0.01);
}

TEST_F(HpccPortLoadsTest, AListWithoutAHopRefreshesPortsAndIsNoPath)
{
    Open(HpccPortLoads::SHARED_AND_MEAN, 0);
    flow.sparse = true;
    for (uint32_t i = 0; i < 40; ++i)
    {
        Packet(i % 2, 0.3, 0.9);
    }
    for (uint32_t i = 0; i < 40; ++i)
    {
        LastHop(0.6);
    }
    EXPECT_EQ(loads->CountPaths(), 2);
    EXPECT_NEAR(flow.utilization, 0.6, 0.01);
}

TEST_F(HpccPortLoadsTest, ALongerPathIsNoReasonToIgnoreTheOthers)
{
    for (const uint32_t values : {0, 2})
    {
        Open(HpccPortLoads::MAXIMUM, values);
        for (uint32_t i = 0; i < 40; ++i)
        {
            Packet(i % 2, 1.0, 0.1, i % 2);
        }
        Detour(1.0);
        for (uint32_t i = 0; i < 160; ++i)
        {
            Packet(2 + i % 2, 0.4, 0.1, i % 2);
        }
        EXPECT_EQ(loads->CountPaths(), 2) << values;
        EXPECT_NEAR(flow.utilization, 0.4, 0.01) << values;
    }
}

TEST_F(HpccPortLoadsTest, ALongerPathOfLongAgoDoesNotMakeSparseSamplesIncomplete)
{
    Open(HpccPortLoads::MEAN, 0);
    flow.sparse = true;
    Detour(0.9);
    for (uint32_t i = 0; i < 200; ++i)
    {
        Packet(i % 2, 0.4, 0.1);
    }
    EXPECT_EQ(loads->CountPaths(), 2);
    EXPECT_NEAR(flow.utilization, 0.4, 0.01);
}

TEST_F(HpccPortLoadsTest, WithSparseSamplesALoadIsOldTwoRoundsAfterTheLastRecord)
{
    for (const bool sparse : {false, true})
    {
        Open(HpccPortLoads::MAXIMUM, 2);
        flow.sparse = sparse;
        for (uint32_t i = 0; i < 60; ++i)
        {
            Packet(i % 2, 1.0, 0.4, i % 2);
        }
        // With two paths and T = 5 us, the load of the ports of each path is valid for 20 us.
        for (uint32_t i = 0; i < 19; ++i)
        {
            LastHop(0.4);
        }
        EXPECT_NEAR(flow.utilization, 1.0, 0.01) << sparse;
        LastHop(0.4);
        LastHop(0.4);
        EXPECT_NEAR(flow.utilization, sparse ? 0.4 : 1.0, 0.01) << sparse;
    }
}

TEST_F(HpccPortLoadsTest, WithSparseSamplesTheFirstRecordsOfOtherPortsCommitOncePerRoundTrip)
{
    Open(HpccPortLoads::MAXIMUM, 0);
    flow.sparse = true;
    for (uint32_t port = 0; port < 4; ++port)
    {
        HopTelemetry hop = Hop(LEAF, 1000 + port, 0, 62500);
        hop.portId = port;
        const HpccBranch branch = Ack({hop}, 1 + port, 100).branch;
        EXPECT_EQ(branch, port == 0 ? HpccBranch::COMMIT : HpccBranch::FAST) << port;
    }
}

TEST_F(HpccPortLoadsTest, IfTheLoadsOfAllPathsAreOldThoseOfTheSampleCount)
{
    Open(HpccPortLoads::MAXIMUM, 0);
    flow.sparse = true;
    for (uint32_t i = 0; i < 60; ++i)
    {
        Packet(0, 1.0, 0.4);
    }
    for (uint32_t i = 0; i < 20; ++i)
    {
        nowNs += 1000;
        const auto now = static_cast<uint64_t>(nowNs);
        Ack({Port(LEAF, 1, 0.6)}, now, now);
    }
    EXPECT_NEAR(flow.utilization, 0.6, 0.01);
}
