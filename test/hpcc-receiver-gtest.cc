/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests a policy that computes the window at the receiver. Compares it with lines 28 to 34 of
// draft-miao-tsv-hpcc-01 computed by hand, and tests the times of commits, the contents of
// messages, and the counted number of flows on a link.

#include "hpcc-test-policies.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-parameters.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/nstime.h"
#include "ns3/rdma-commit-rule.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-receiver-computation.h"
#include "ns3/rdma-receiver-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t T_NS = 5000;
constexpr double W_INIT = 62500; ///< initial window: T at LINE_RATE, bytes
constexpr double WAI = 100;

RdmaFlowInfo
Flow()
{
    RdmaFlowInfo info{};
    info.flowId = 7;
    info.lineRateBps = LINE_RATE;
    info.mtuBytes = 1000;
    info.telemetry = &INT;
    return info;
}

/// Tests with hpcc++ at the receiver of a flow: T = 5 us, eta = 0.95, maxStage = 0, W_ai = 100
/// bytes.
class ReceiverTest : public ::testing::Test
{
  protected:
    ReceiverTest()
    {
        ops->SetAttribute("T", TimeValue(NanoSeconds(T_NS)));
        ops->SetAttribute("MaxStage", UintegerValue(0));
        ops->SetAttribute("Wai", DoubleValue(WAI));
    }

    ~ReceiverTest() override
    {
        ops->GetReceiver()->CloseReceiver(state);
    }

    void Open(RdmaReceiverInfo::CommitRule rule)
    {
        state = ops->GetReceiver()->OpenReceiver({Flow(), rule, true});
    }

    RdmaNotification Packet(int64_t nowNs,
                            const HopTelemetry& hop,
                            bool current = true,
                            bool newPath = false,
                            int64_t idleNs = 0)
    {
        RdmaArrivalInfo arrival{nowNs, 1090, false};
        arrival.current = current;
        arrival.newPath = newPath;
        arrival.idleNs = idleNs;
        arrival.hops = &hop;
        arrival.hopCount = 1;
        arrival.telemetry = &INT;
        return ops->GetReceiver()->OnArrival(state, arrival);
    }

    /// Returns the window after a response of a switch that reports a queue of 62,500 bytes.
    RdmaNotification Respond(int64_t nowNs)
    {
        const HopTelemetry queued = Hop(1500, 0, 62500);
        RdmaAckInfo response{};
        response.nowNs = nowNs;
        response.hops = &queued;
        response.hopCount = 1;
        response.telemetry = &INT;
        return ops->GetReceiver()->OnReceiverResponse(state, response);
    }

    Ptr<RdmaCongestionOps> ops{Make("hpcc++")};
    RdmaReceiverState* state{nullptr};
};

TEST_F(ReceiverTest, TheTimeRuleIsLines28To34)
{
    Open(RdmaReceiverInfo::TIME);
    // The interval T starts with the first record, at 1000 ns.
    EXPECT_FALSE(Packet(1000, Hop(1000, 0, 62500)).given);
    // u' = 62500/62500 + 12500 B/us / 12500 B/us = 2. With tau = 1 us, U = 0.8 + 0.2 * 2. Line 34
    // is applied.
    EXPECT_FALSE(Packet(2000, Hop(2000, 12500, 62500)).given);
    // With tau = 4 us, U = 0.2 * 1.2 + 0.8 * 2 = 1.84. There is no commit, because the time is not
    // later than 1000 + T.
    EXPECT_FALSE(Packet(6000, Hop(6000, 62500, 62500), false).given);
    // With tau = 1 ns, U = (4999 * 1.84 + 2)/5000. Line 30 is applied, although the sender has not
    // received a window yet.
    RdmaNotification told = Packet(6001, Hop(6001, 62513, 62500), false);
    ASSERT_TRUE(told.given);
    const double u = (4999 * 1.84 + 1 + 13 / 12.5) / 5000;
    const double w = W_INIT / (u / 0.95) + WAI;
    EXPECT_NEAR(told.windowBytes, w, 1e-9);
    EXPECT_NEAR(static_cast<double>(told.rateBps), w * 8e9 / T_NS, 0.5);
    // Line 32 sets Wc to W. The next commit is more than T later, and starts from this window.
    EXPECT_FALSE(Packet(11001, Hop(11001, 62513 + 62500, 62500), false).given) << "line 34";
    told = Packet(11002, Hop(11002, 62513 + 62512, 62500), false);
    ASSERT_TRUE(told.given);
    EXPECT_NEAR(told.windowBytes, w / ((4999 * 2.0 + 1 + 12 / 12.5) / 5000 / 0.95) + WAI, 1e-6);
}

TEST_F(ReceiverTest, TheEpochRuleWaitsForAPacketUnderTheLastWindow)
{
    Open(RdmaReceiverInfo::EPOCH);
    Packet(1000, Hop(1000, 0, 0));
    ASSERT_TRUE(Packet(6001, Hop(6001, 62512, 625000)).given);
    // The queue drains in 50 us. Therefore packets that were sent under the old window may arrive
    // until 6001 ns + 2 T + 50 us.
    EXPECT_FALSE(Packet(40000, Hop(40000, 487500, 625000), false).given);
    EXPECT_FALSE(Packet(66001, Hop(66001, 812513, 0), false).given);
    EXPECT_TRUE(Packet(66001, Hop(66002, 812526, 0), true).given) << "the wait is over";
}

TEST_F(ReceiverTest, TheEpochRuleGivesUpAMessageThatIsLost)
{
    Open(RdmaReceiverInfo::EPOCH);
    Packet(1000, Hop(1000, 0, 0));
    ASSERT_TRUE(Packet(6001, Hop(6001, 62512, 625000)).given);
    EXPECT_FALSE(Packet(16001, Hop(16001, 187512, 125000), false).given);
    // After the commit at 6001 ns the receiver waits for 2 T plus 10 us, the queueing delay
    // reported at 16001 ns. The queueing delay of 50 us in the record that caused the commit is not
    // added, because it belongs to the interval before the commit.
    EXPECT_FALSE(Packet(26001, Hop(26001, 312512, 0), false).given);
    EXPECT_TRUE(Packet(26002, Hop(26002, 312525, 0), false).given);
}

TEST_F(ReceiverTest, UnderPerAckTheReceiverSendsAtMostOneWindowPerT)
{
    ops->GetReceiver()->CloseReceiver(state);
    for (auto rule : {RdmaReceiverInfo::EPOCH, RdmaReceiverInfo::TIME})
    {
        ops = Make("hpcc:per-ack");
        ops->SetAttribute("T", TimeValue(NanoSeconds(T_NS)));
        Open(rule);
        uint32_t told = 0;
        for (int64_t nowNs = 1000; nowNs <= 1000 + 10 * T_NS; nowNs += 100)
        {
            told +=
                Packet(nowNs, Hop(nowNs, static_cast<uint64_t>(nowNs) * 12, 62500)).given ? 1 : 0;
        }
        // Packets arrive every 100 ns. The first packet later than T after a commit causes the next
        // commit, so commits are 5.1 us apart.
        EXPECT_EQ(told, 9U) << rule;
        ops->GetReceiver()->CloseReceiver(state);
    }
    Open(RdmaReceiverInfo::EPOCH);
}

TEST_F(ReceiverTest, AnEstimateOnANewPathDoesNotCommitWithinT)
{
    ops->SetAttribute("FirstSample", EnumValue(HpccParameters::FIRST_ESTIMATE));
    Open(RdmaReceiverInfo::TIME);
    EXPECT_TRUE(Packet(1000, Hop(1000, 0, 62500)).given) << "nothing has been committed yet";
    EXPECT_FALSE(Packet(2000, Hop(2000, 12500, 62500), true, true).given);
    EXPECT_FALSE(Packet(6000, Hop(6000, 62500, 62500)).given);
    EXPECT_TRUE(Packet(6001, Hop(6001, 62513, 62500)).given);
}

TEST_F(ReceiverTest, AnEstimateOnANewPathWaitsForAPacketUnderTheLastWindow)
{
    ops->SetAttribute("FirstSample", EnumValue(HpccParameters::FIRST_ESTIMATE));
    Open(RdmaReceiverInfo::EPOCH);
    EXPECT_TRUE(Packet(1000, Hop(1000, 0, 62500)).given);
    EXPECT_FALSE(Packet(7000, Hop(7000, 75000, 62500), false, true).given);
    EXPECT_TRUE(Packet(7100, Hop(7100, 76250, 62500), true).given);
}

TEST_F(ReceiverTest, TheFirstSwitchResponseCommitsAtOnceAndOthersWaitAsRecordsDo)
{
    for (auto rule : {RdmaReceiverInfo::EPOCH, RdmaReceiverInfo::TIME})
    {
        SCOPED_TRACE(rule);
        Open(rule);
        Packet(1000, Hop(1000, 0, 0));
        // At 0.1 T after the first record, U is 0.9 * 1 + 0.1 * 2.
        RdmaNotification told = Respond(1500);
        ASSERT_TRUE(told.given);
        EXPECT_TRUE(told.congested);
        EXPECT_NEAR(told.windowBytes, W_INIT / (1.1 / 0.95) + WAI, 1e-6);
        EXPECT_FALSE(Respond(6500).given) << "T has not passed";
        if (rule == RdmaReceiverInfo::TIME)
        {
            EXPECT_TRUE(Respond(6501).given);
        }
        else
        {
            EXPECT_FALSE(Respond(6501).given) << "nothing has come under the last window";
            EXPECT_TRUE(Packet(6502, Hop(6502, 68750, 62500), true).given);
            EXPECT_FALSE(Respond(11503).given);
            EXPECT_TRUE(Packet(11503, Hop(11503, 131250, 62500), true).given);
        }
        ops->GetReceiver()->CloseReceiver(state);
    }
    Open(RdmaReceiverInfo::EPOCH);
}

TEST_F(ReceiverTest, ASwitchResponseToASprayedFlowDoesNotRelyOnTheOrderOfPackets)
{
    for (const bool sprayed : {false, true})
    {
        SCOPED_TRACE(sprayed);
        RdmaFlowInfo flow = Flow();
        flow.multipath = sprayed ? Multipath::EVERY_PACKET : Multipath::NONE;
        state = ops->GetReceiver()->OpenReceiver({flow, RdmaReceiverInfo::EPOCH, true});
        Packet(1000, Hop(1000, 0, 0));
        EXPECT_TRUE(Respond(1500).given) << "the first window";
        EXPECT_FALSE(Packet(6000, Hop(6000, 62500, 62500), true).given) << "T has not passed";
        // The packet that causes this response may be older than the packet that arrived at 6000.
        EXPECT_EQ(Respond(6501).given, !sprayed);
        if (sprayed)
        {
            EXPECT_FALSE(Respond(16500).given);
            EXPECT_TRUE(Respond(16501).given) << "2 T and the queueing delay of 5 us have passed";
        }
        ops->GetReceiver()->CloseReceiver(state);
    }
    Open(RdmaReceiverInfo::EPOCH);
}

TEST_F(ReceiverTest, AnotherPathBeginsAgain)
{
    Open(RdmaReceiverInfo::TIME);
    Packet(1000, Hop(1000, 0, 0));
    Packet(2000, Hop(2000, 12500, 0));
    EXPECT_FALSE(Packet(7000, Hop(7000, 75000, 0), true, true).given) << "a first record";
    EXPECT_FALSE(Packet(12000, Hop(12000, 137500, 0)).given) << "T begins with it";
    EXPECT_TRUE(Packet(12001, Hop(12001, 137513, 0)).given);
}

TEST_F(ReceiverTest, APauseBeyondPacingIsAnIdleGap)
{
    Open(RdmaReceiverInfo::TIME);
    Packet(1000, Hop(1000, 0, 0));
    // At line rate, a packet takes 87 ns.
    EXPECT_TRUE(Packet(6087, Hop(6087, 12500, 0), true, false, T_NS + 87).given);
    EXPECT_FALSE(Packet(11189, Hop(11189, 12500, 0), true, false, T_NS + 90).given);
}

TEST_F(ReceiverTest, TheSenderObeysWithinItsBounds)
{
    ops->SetAttribute("Wai", DoubleValue(0)); // the smallest window is then W_init 0.05/100
    RdmaCongestionState* sender = ops->Open(Flow(), 0);
    auto tell = [&](uint64_t rateBps, double windowBytes) {
        const RdmaNotification notification{true, false, rateBps, windowBytes};
        ops->OnCongestionMessage(sender, {0, &notification});
        return sender->windowBytes;
    };
    EXPECT_DOUBLE_EQ(tell(0, 31250.5), 31250.5);
    EXPECT_DOUBLE_EQ(sender->rateBps, 31250.5 * 8e9 / T_NS);
    EXPECT_DOUBLE_EQ(tell(10'000'000'000, 0), 6250) << "or a rate";
    EXPECT_DOUBLE_EQ(tell(0, 1e30), W_INIT);
    EXPECT_DOUBLE_EQ(sender->rateBps, static_cast<double>(LINE_RATE));
    EXPECT_DOUBLE_EQ(tell(UINT64_MAX, 0), W_INIT);
    EXPECT_DOUBLE_EQ(tell(0, 1e-9), W_INIT * (1 - 0.95) / 100);
    EXPECT_DOUBLE_EQ(tell(0, 0), W_INIT * (1 - 0.95) / 100);
    ops->Close(sender);
    Open(RdmaReceiverInfo::EPOCH);
}

TEST_F(ReceiverTest, AFlowBeginsWithItsShareOfTheWindow)
{
    ops->SetAttribute("InitialWindow", DoubleValue(0.1));
    RdmaCongestionState* sender = ops->Open(Flow(), 0);
    EXPECT_DOUBLE_EQ(sender->windowBytes, 0.1 * W_INIT);
    EXPECT_DOUBLE_EQ(sender->rateBps, 0.1 * static_cast<double>(LINE_RATE));
    const RdmaNotification notification{true, false, 0, W_INIT};
    ops->OnCongestionMessage(sender, {0, &notification});
    EXPECT_DOUBLE_EQ(sender->windowBytes, W_INIT) << "only at first";
    ops->Close(sender);
    Open(RdmaReceiverInfo::TIME);
    Packet(1000, Hop(1000, 0, 0));
    // U = 1, which is also the initial value at the receiver.
    EXPECT_NEAR(Packet(6001, Hop(6001, 62512, 0)).windowBytes, 0.95 * 0.1 * W_INIT + WAI, 1);
}

TEST(ReceiverFeedback, ChoosesWhatCanComputeAtTheReceiver)
{
    for (const char* name : {"hpcc++", "hpcc++:authors", "hpcc", "hpcc-pint"})
    {
        EXPECT_EQ(Make(name)->ValidateReceiver(), "") << name;
    }
    for (const char* name : {"dcqcn", "dcqcn+win", "timely", "swift", "powertcp", "rcp", "pcn"})
    {
        EXPECT_NE(Make(name)->ValidateReceiver(), "") << name;
    }
    for (const char* attribute : {"CheckFeedback", "RestartAtLineRate"})
    {
        auto ops = Make("hpcc++");
        ops->SetAttribute(attribute, BooleanValue(true));
        EXPECT_NE(
            ops->ValidateReceiver().find(std::string(attribute) + " is true, but must be false"),
            std::string::npos);
    }
}

TEST(ReceiverFeedback, RefusesWhatHasNoMeaning)
{
    auto feedback = [](const std::string& name) {
        ObjectFactory factory;
        EXPECT_TRUE(RdmaFeedback::Find(name, factory)) << name;
        return factory.Create<RdmaFeedback>();
    };
    auto ops = Make("hpcc++");
    TelemetryCapabilities worst = INT;
    worst.pathExtreme = true;
    for (const char* name : {"packet", "every-8", "packet:n", "receiver", "receiver:n"})
    {
        const std::string text = name;
        const bool counts = text.back() == 'n';
        const bool receiver = text.find("receiver") == 0;
        EXPECT_EQ(feedback(name)->ValidateFor(*ops, INT, T_NS), "") << name;
        EXPECT_EQ(feedback(name)->ValidateFor(*ops, worst, T_NS).empty(), !counts) << name;
        EXPECT_EQ(feedback(name)->ValidateFor(*ops, INT, 0).empty(), !counts) << name;
        EXPECT_EQ(feedback(name)->ValidateFor(*Make("powertcp"), INT, T_NS).empty(), !receiver)
            << name;
        EXPECT_EQ(feedback(name)->IsDefault(), text == "packet");
    }
}

TEST(RdmaReceiverControl, SaysWhatTheSenderReads)
{
    for (const char* computation : {"receiver", "receiver:rate"})
    {
        auto how =
            CreateObjectWithAttributes<RdmaFeedback>("Computation", StringValue(computation));
        RdmaReceiverControl control(PeekPointer(how));
        Frame frame{};
        EXPECT_EQ(control.Write({true, true, 12345678901, 1234.5}, frame), 1);
        EXPECT_EQ(control.Write({true, true, 12345678901, 1234.5}, frame), 2);
        EXPECT_EQ(frame.notification.number, 2);
        const bool rate = how->GetComputation()->SendsRate();
        EXPECT_EQ(frame.notification.value, rate ? 12345678901 : 1234 * 65536 + 32768);
        const RdmaNotification told = RdmaReceiverControl::Read(frame);
        EXPECT_TRUE(told.given);
        EXPECT_TRUE(told.congested);
        EXPECT_EQ(told.rateBps, rate ? 12345678901 : 0);
        EXPECT_EQ(told.windowBytes, rate ? 0 : 1234.5);
    }
    Frame plain{};
    plain.notification.value = 1;
    for (uint8_t kind : {0, 3, 255})
    {
        plain.notification.kind = kind;
        EXPECT_FALSE(RdmaReceiverControl::Read(plain).given) << "kind " << +kind;
    }
}

TEST(RdmaReceiverControl, SeesEpochsPathsAndPauses)
{
    auto how = CreateObjectWithAttributes<RdmaFeedback>("Computation", StringValue("receiver"));
    RdmaReceiverControl control(PeekPointer(how));
    auto note = [&](int64_t nowNs, uint8_t epoch, uint16_t port, bool last) {
        Frame frame{};
        frame.bthFlags = epoch << 4 | ROCE_ACK_REQUEST;
        frame.sourcePort = port;
        RdmaArrivalInfo arrival{nowNs, 0, false};
        control.OnArrival(frame, last, arrival);
        return arrival;
    };
    EXPECT_TRUE(note(1000, 0, 50000, false).current) << "nothing has been sent";
    Frame frame{};
    for (int i = 0; i < 17; ++i)
    {
        control.Write({true, false, 0, 1}, frame);
    }
    EXPECT_FALSE(note(2000, 0, 50000, false).current);
    RdmaArrivalInfo arrival = note(3000, 1, 50000, true);
    EXPECT_TRUE(arrival.current) << "4 bits of 17";
    for (int i = 0; i < 16; ++i)
    {
        control.Write({true, false, 0, 1}, frame);
        EXPECT_FALSE(note(3000, 1, 50000, true).current) << "still the same";
    }
    EXPECT_FALSE(note(3000, 0, 50000, true).current);
    EXPECT_TRUE(note(3000, 1, 50000, true).current) << "the newest one with these bits";
    EXPECT_FALSE(arrival.newPath);
    EXPECT_EQ(arrival.idleNs, 0) << "within a message";
    arrival = note(7000, 1, 50001, false);
    EXPECT_TRUE(arrival.newPath);
    EXPECT_EQ(arrival.idleNs, 4000) << "since a message ended";
    arrival = note(9000, 1, 50001, false);
    EXPECT_FALSE(arrival.newPath);
    EXPECT_EQ(arrival.idleNs, 0);
}

TEST(RdmaReceiverControl, TakesNoPortOfASprayedPacketForAMove)
{
    auto how = CreateObjectWithAttributes<RdmaFeedback>("Computation", StringValue("receiver"));
    RdmaReceiverControl control(PeekPointer(how), true);
    for (uint16_t port : {50000, 50001, 50007})
    {
        Frame frame{};
        frame.sourcePort = port;
        RdmaArrivalInfo arrival{1000, 0, false};
        control.OnArrival(frame, false, arrival);
        EXPECT_FALSE(arrival.newPath) << port;
    }
}

/// Compares the counter with a counter that stores a list of all packets of the window.
TEST(HpccFlowCounter, CountsLikeAListOfAllPackets)
{
    constexpr int64_t window = 1000;
    std::mt19937 random(1);
    HpccFlowCounter counter;
    counter.Cover(window);
    counter.Cover(window / 2);
    std::vector<std::unique_ptr<HpccFlowCounter::Flow>> flows(20);
    std::deque<std::pair<int64_t, size_t>> packets;
    int64_t nowNs = 0;
    for (int i = 0; i < 20000; ++i)
    {
        nowNs += static_cast<int64_t>(random() % (i % 2000 < 1000 ? 60 : 300));
        const size_t flow = random() % flows.size();
        if (random() % 50 == 0)
        {
            flows[flow] = nullptr; // the flow releases its slot
            for (auto& packet : packets)
            {
                packet.second = packet.second == flow ? SIZE_MAX : packet.second;
            }
        }
        if (!flows[flow])
        {
            flows[flow] = std::make_unique<HpccFlowCounter::Flow>();
        }
        packets.emplace_back(nowNs, flow);
        while (nowNs - packets.front().first > window)
        {
            packets.pop_front();
        }
        uint64_t seen = 0;
        for (const auto& packet : packets)
        {
            seen |= packet.second == SIZE_MAX ? 0 : uint64_t{1} << packet.second;
        }
        ASSERT_EQ(counter.Count(*flows[flow], nowNs), __builtin_popcountll(seen)) << i;
    }
}

} // namespace
