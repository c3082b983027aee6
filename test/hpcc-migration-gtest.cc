/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the loads of paths, and the moves of a flow in response to these loads.

#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-migration.h"
#include "ns3/rdma-path-loads.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t T_NS = 10000;
constexpr uint64_t LINK_BPS = 100'000'000'000;
constexpr uint16_t OWN_PORT = 50000;
const TelemetryCapabilities FORMAT{TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                                       TELEMETRY_UTILIZATION | TELEMETRY_QUEUE |
                                       TELEMETRY_BANDWIDTH,
                                   0,
                                   0,
                                   false};

/// Returns a record of a link of 100 Gb/s.
HopTelemetry
Link(uint32_t switchId, int64_t atNs, double utilization, uint64_t queueBytes = 0)
{
    HopTelemetry hop{};
    hop.fields = FORMAT.fields;
    hop.switchId = switchId;
    hop.portId = 1;
    hop.timestampNs = static_cast<uint64_t>(atNs);
    hop.utilization = utilization;
    hop.queueBytes = queueBytes;
    hop.bandwidthBps = LINK_BPS;
    return hop;
}

/// An acknowledgement that carries the records of a spine and of the link to the receiver.
struct PathAck
{
    PathAck(int64_t nowNs, uint32_t spine, double load, double last = 0)
        : hops{Link(spine, nowNs, load), Link(99, nowNs, last)}
    {
        info.nowNs = nowNs;
        info.hops = hops.data();
        info.hopCount = static_cast<uint32_t>(hops.size());
        info.telemetry = &FORMAT;
    }

    std::vector<HopTelemetry> hops;
    RdmaAckInfo info{};
};

TEST(RdmaPathLoads, EachPathIsMeasuredByItsOwnRecords)
{
    RdmaPathLoads loads(T_NS);
    std::map<uint32_t, uint64_t> keys;
    for (int64_t nowNs = T_NS; nowNs <= 5 * T_NS; nowNs += T_NS)
    {
        for (uint32_t spine : {1, 2})
        {
            const PathAck ack(nowNs, spine, spine == 1 ? 0.9 : 0.2, 0.5);
            keys[spine] = RdmaPathLoads::KeyOf(ack.info);
            const auto& path = loads.Record(keys[spine], ack.info);
            EXPECT_EQ(path.measuredNs, nowNs == T_NS ? -1 : nowNs) << "a rate takes two records";
        }
    }
    ASSERT_EQ(loads.GetPaths().size(), 2U);
    const auto* full = loads.Find(keys[1]);
    const auto* idle = loads.Find(keys[2]);
    ASSERT_TRUE(full && idle && full != idle);
    EXPECT_DOUBLE_EQ(RdmaPathLoads::GetLoad(*full, nullptr), 0.9);
    EXPECT_DOUBLE_EQ(RdmaPathLoads::GetLoad(*idle, nullptr), 0.5);
    EXPECT_DOUBLE_EQ(RdmaPathLoads::GetLoad(*idle, full), 0.2) << "the last link is common";
    EXPECT_DOUBLE_EQ(RdmaPathLoads::GetLoad(*idle, full, 30e9), 0.5) << "with 30 Gb/s more";
    EXPECT_DOUBLE_EQ(RdmaPathLoads::GetLoad(*full, full), 0) << "nothing is its own";
}

TEST(RdmaPathLoads, PathsLongUnusedAreForgottenForNewOnes)
{
    RdmaPathLoads loads(T_NS);
    for (uint32_t spine = 0; spine < RdmaPathLoads::MAX_PATHS + 10; ++spine)
    {
        const PathAck ack(spine + 1, spine + 100, 0);
        loads.Record(RdmaPathLoads::KeyOf(ack.info), ack.info);
    }
    EXPECT_EQ(loads.GetPaths().size(), RdmaPathLoads::MAX_PATHS);
    const PathAck first(1, 100, 0);
    const PathAck last(1, RdmaPathLoads::MAX_PATHS + 109, 0);
    EXPECT_EQ(loads.Find(RdmaPathLoads::KeyOf(first.info)), nullptr);
    EXPECT_NE(loads.Find(RdmaPathLoads::KeyOf(last.info)), nullptr);
}

/// Tests with a flow of 10 Gb/s whose path leads over spine 1, which is fully loaded. UDP ports
/// above OWN_PORT lead to spines 2 to 4.
class RdmaMigrationTest : public ::testing::Test
{
  protected:
    RdmaMigrationTest()
    {
        state = migration->MakeState();
        cc.rateBps = 10e9;
        qp.cc = &cc;
        qp.baseRttNs = T_NS;
        qp.local = 1;
        qp.peer = 2;
        qp.udpSourcePort = OWN_PORT;
        random->SetStream(1);
    }

    RdmaRepathing::Advice Ack(int64_t nowNs, uint16_t port, uint32_t spine, double load)
    {
        const PathAck ack(nowNs, spine, load, 0.1);
        return migration->OnAck(*state,
                                {nowNs, 0, 1, 1, false, &ack.info, port, &qp, PeekPointer(random)});
    }

    /**
     * Runs the flow, and returns the times at which it moves. The flow gets an acknowledgement
     * every T/10. After T, each path probe is answered with the load of the spine that its port
     * selects. The flow makes each move that RdmaMigration advises.
     * @param ownLoad load of the flow's own path
     * @param othersLoad load of the other paths
     * @param lastsNs duration of the run
     * @return times of the moves
     */
    std::vector<int64_t> Run(double ownLoad, double othersLoad, int64_t lastsNs)
    {
        return Run([=](uint32_t, int64_t) { return ownLoad; },
                   [=](uint32_t, int64_t) { return othersLoad; },
                   lastsNs);
    }

    using Load = std::function<double(uint32_t spine, int64_t nowNs)>;

    std::vector<int64_t> Run(const Load& ownLoad, const Load& othersLoad, int64_t lastsNs)
    {
        std::multimap<int64_t, uint16_t> answers;
        std::vector<int64_t> moves;
        for (const int64_t endNs = clockNs + lastsNs; clockNs < endNs; clockNs += T_NS / 10)
        {
            const uint32_t own = SpineOf(qp.udpSourcePort);
            auto advice = Ack(clockNs, qp.udpSourcePort, own, ownLoad(own, clockNs));
            while (!advice.move && !answers.empty() && answers.begin()->first <= clockNs)
            {
                const uint16_t port = answers.begin()->second;
                answers.erase(answers.begin());
                const uint32_t spine = SpineOf(port);
                const auto scouted = Ack(clockNs, port, spine, othersLoad(spine, clockNs));
                EXPECT_EQ(scouted.elsewhere, port != qp.udpSourcePort);
                advice.move |= scouted.move;
                advice.port = std::max(advice.port, scouted.port);
                Send(scouted, clockNs, answers);
            }
            Send(advice, clockNs, answers);
            if (advice.move)
            {
                moves.push_back(clockNs);
                qp.udpSourcePort = advice.port;
            }
        }
        return moves;
    }

    static uint32_t SpineOf(uint16_t port)
    {
        return port == OWN_PORT ? 1 : 2 + port % 3;
    }

    void Send(const RdmaRepathing::Advice& advice,
              int64_t nowNs,
              std::multimap<int64_t, uint16_t>& answers)
    {
        scouts += advice.pathProbes.size();
        for (uint16_t port : advice.pathProbes)
        {
            answers.emplace(nowNs + T_NS, port);
        }
    }

    Ptr<RdmaMigration> migration{CreateObject<RdmaMigration>()};
    Ptr<UniformRandomVariable> random{CreateObject<UniformRandomVariable>()};
    std::unique_ptr<RdmaPathState> state;
    RdmaCongestionState cc;
    RdmaQueuePair qp;
    size_t scouts{0};
    int64_t clockNs{T_NS};
};

TEST_F(RdmaMigrationTest, AFlowLeavesAFullPathForAnIdleOneAndStaysThere)
{
    std::set<uint32_t> spines;
    for (uint32_t number = 2; number < 10; ++number)
    {
        state = migration->MakeState();
        qp.number = number;
        qp.udpSourcePort = OWN_PORT;
        const auto moves = Run(0.95, 0.05, 8 * T_NS);
        ASSERT_LE(moves.size(), 2U);
        spines.insert(SpineOf(qp.udpSourcePort));
    }
    EXPECT_EQ(spines.size(), 4U) << "flows of a host take different paths, one of them the old one";
}

TEST_F(RdmaMigrationTest, NothingIsExploredWhileThePathIsNotFull)
{
    EXPECT_TRUE(Run(0.69, 0, 50 * T_NS).empty());
    EXPECT_EQ(scouts, 0U);
}

TEST_F(RdmaMigrationTest, NothingIsExploredWhileThePathIsFullOfTheFlowItself)
{
    cc.rateBps = 90e9;
    EXPECT_TRUE(Run(0.95, 0, 50 * T_NS).empty());
    EXPECT_EQ(scouts, 0U);
}

TEST_F(RdmaMigrationTest, APathThatWouldBeHardlyBetterIsNoReasonToMove)
{
    EXPECT_TRUE(Run(0.95, 0.76, 200 * T_NS).empty()) << "0.76 + 0.1 is less than 0.1 below";
    EXPECT_TRUE(Run(0.95, 0.65, 200 * T_NS).empty()) << "0.65 + 0.1 is less than 0.25 below";
    EXPECT_GT(scouts, 0U);
    // Each of the two runs sends three rounds of 16 probes, then up to 4 probes every 4 T.
    EXPECT_LT(scouts, 2 * (48 + 200U));
}

TEST_F(RdmaMigrationTest, AFlowMovesNoMoreThanItsMovesInAPeriod)
{
    // The idle path changes over time, and is never the path of the flow.
    constexpr int64_t periodNs = 1000 * T_NS;
    auto idle = [](uint32_t spine, int64_t nowNs) {
        return nowNs / (30 * T_NS) % 4 + 1 == spine ? 0.05 : 0.95;
    };
    for (uint32_t limit : {1, 2, 3})
    {
        migration->SetAttribute("Moves", UintegerValue(limit));
        migration->SetAttribute("Period", TimeValue(NanoSeconds(periodNs)));
        migration->SetAttribute("Rest", TimeValue(NanoSeconds(T_NS)));
        size_t most = 0;
        for (qp.number = 2; qp.number < 10; ++qp.number)
        {
            state = migration->MakeState();
            qp.udpSourcePort = OWN_PORT;
            most =
                std::max(most, Run([](uint32_t, int64_t) { return 0.95; }, idle, periodNs).size());
        }
        EXPECT_EQ(most, limit);
    }
}

TEST_F(RdmaMigrationTest, ANewPeriodAllowsNewMoves)
{
    constexpr int64_t periodNs = 200 * T_NS;
    auto idle = [](uint32_t spine, int64_t nowNs) {
        return nowNs / (30 * T_NS) % 4 + 1 == spine ? 0.05 : 0.95;
    };
    migration->SetAttribute("Moves", UintegerValue(1));
    migration->SetAttribute("Period", TimeValue(NanoSeconds(periodNs)));
    migration->SetAttribute("Rest", TimeValue(NanoSeconds(T_NS)));
    std::vector<int64_t> moves;
    for (qp.number = 2; qp.number < 10 && moves.size() < 2; ++qp.number)
    {
        state = migration->MakeState();
        qp.udpSourcePort = OWN_PORT;
        moves = Run([](uint32_t, int64_t) { return 0.95; }, idle, 10 * periodNs);
    }
    ASSERT_GE(moves.size(), 2U);
    for (size_t i = 1; i < moves.size(); ++i)
    {
        EXPECT_GE(moves[i] - moves[i - 1], periodNs);
    }
}

TEST_F(RdmaMigrationTest, WithoutTelemetryNothingHappens)
{
    RdmaAckInfo none{};
    none.nowNs = T_NS;
    const auto advice =
        migration->OnAck(*state, {T_NS, 0, 1, 1, false, &none, OWN_PORT, &qp, PeekPointer(random)});
    EXPECT_FALSE(advice.move || advice.elsewhere || !advice.pathProbes.empty());
}

TEST_F(RdmaMigrationTest, APathThatTheFeedbackDoesNotReportIsProbedEverySecondT)
{
    RdmaAckInfo none{};
    uint32_t probes = 0;
    for (int64_t nowNs = T_NS; nowNs < 21 * T_NS; nowNs += T_NS / 10)
    {
        const auto advice = migration->OnAck(
            *state,
            {nowNs, 0, 1, 1, false, &none, OWN_PORT, &qp, PeekPointer(random), false});
        EXPECT_FALSE(advice.move);
        for (uint16_t port : advice.pathProbes)
        {
            EXPECT_EQ(port, OWN_PORT);
            ++probes;
        }
    }
    EXPECT_EQ(probes, 10U);
}

TEST_F(RdmaMigrationTest, APathWhoseRecordsAreRareIsProbedOnceItsLoadIsNotFresh)
{
    // The flow's own feedback returns records once in 10 T. A path probe is answered after T.
    std::vector<int64_t> probes;
    int64_t answerNs = INT64_MAX;
    for (int64_t nowNs = T_NS; nowNs < 101 * T_NS; nowNs += T_NS / 10)
    {
        const bool answered = nowNs >= answerNs;
        answerNs = answered ? INT64_MAX : answerNs;
        const PathAck ack(nowNs, 1, 0.5);
        const RdmaAckInfo none{};
        const bool records = answered || nowNs % (10 * T_NS) == 0;
        const auto advice = migration->OnAck(*state,
                                             {nowNs,
                                              0,
                                              1,
                                              1,
                                              false,
                                              records ? &ack.info : &none,
                                              OWN_PORT,
                                              &qp,
                                              PeekPointer(random)});
        for (uint16_t port : advice.pathProbes)
        {
            EXPECT_EQ(port, OWN_PORT);
            probes.push_back(nowNs);
            answerNs = nowNs + T_NS;
        }
    }
    // A path probe is sent only when the last known load is 4 T old. After the records at 10 k T, a
    // probe is sent at (10 k + 4) T. Its answer arrives after T, so the next probe is sent at (10 k
    // + 9) T.
    ASSERT_GE(probes.size(), 18U);
    EXPECT_LE(probes.size(), 21U);
    EXPECT_GE(probes.front(), 5 * T_NS) << "a new flow waits for its own records";
}

TEST_F(RdmaMigrationTest, LoadsAreMeasuredByRecordsOfOneKind)
{
    // The timestamps of two formats wrap at different times. At a clock of 5 s, one timestamp is
    // 0.7 s less than the other.
    constexpr uint64_t wrap = uint64_t{1} << 32;
    constexpr int64_t clockNs = 5'000'000'000;
    constexpr uint16_t fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                                TELEMETRY_TX_BYTES | TELEMETRY_QUEUE | TELEMETRY_BANDWIDTH;
    const std::vector<TelemetryCapabilities> formats{{fields, wrap, wrap, false},
                                                     {fields, 1'000'000'000, wrap, false}};
    migration->SetAttribute("AdmissionHold", TimeValue(NanoSeconds(10 * T_NS)));
    int64_t nowNs = T_NS;
    for (uint32_t i = 0; i < 200; ++i, nowNs += T_NS / 10)
    {
        PathAck ack(nowNs, 1, 0);
        const TelemetryCapabilities& format = formats[i % 2];
        for (HopTelemetry& hop : ack.hops)
        {
            hop.fields = fields;
            const auto atNs = static_cast<uint64_t>(clockNs + nowNs);
            hop.timestampNs = atNs % format.timestampModulus;
            hop.txBytes = atNs * 119 / 10 % format.txBytesModulus; // 95 percent of the line rate
        }
        ack.info.telemetry = &format;
        migration->OnAck(*state,
                         {nowNs, 0, 1, 1, false, &ack.info, OWN_PORT, &qp, PeekPointer(random)});
        if (i > 100)
        {
            EXPECT_GT(migration->HoldUntilNs(qp.peer, nowNs, nowNs), nowNs)
                << "the path is full at " << nowNs << " ns";
        }
    }
}

TEST(RdmaMigration, ATargetThatHasNoEffectOrAdmitsFlowsToFullLinksIsRefused)
{
    const auto migration = CreateObject<RdmaMigration>();
    EXPECT_EQ(migration->Validate(&FORMAT), "");
    EXPECT_EQ(migration->ValidateEta(0.5), "") << "no flow waits";
    migration->SetAttribute("Target", DoubleValue(0.9));
    EXPECT_EQ(migration->Validate(&FORMAT),
              "ns3::RdmaMigration::Target is 0.9, but AdmissionHold is 0, so no flow waits; set "
              "AdmissionHold above 0");
    migration->SetAttribute("AdmissionHold", TimeValue(NanoSeconds(1)));
    EXPECT_EQ(migration->Validate(&FORMAT), "");
    EXPECT_EQ(migration->ValidateEta(0.95), "");
    EXPECT_EQ(migration->ValidateEta(0.9),
              "ns3::RdmaMigration::Target is 0.9, allowed with AdmissionHold is below the policy's "
              "Eta, 0.9; full links would often count as free");
}

} // namespace
