/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compares the sender and the receiver of PCN with steps computed by hand from Algorithm 1 of the
// paper, and with the curve of its figure 10. Also tests the notification that the receiver sends.

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/nstime.h"
#include "ns3/rdma-pcn.h"
#include "ns3/rdma-windowed.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace ns3;

namespace
{

constexpr int64_t US = 1000;
constexpr uint64_t GBPS = 1'000'000'000;
constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

Ptr<RdmaCongestionOps>
Make(const std::string& name)
{
    ObjectFactory factory;
    EXPECT_TRUE(HpccPresets::Find(RdmaCongestionOps::GetTypeId(), name, factory)) << name;
    auto ops = factory.Create<RdmaCongestionOps>();
    ops->SetNetworkBaseRtt(13 * US);
    return ops;
}

/// A queue pair at 100 Gb/s that receives notifications.
class Sender
{
  public:
    explicit Sender(const Ptr<RdmaCongestionOps>& ops)
        : m_ops(ops),
          m_state(ops->Open({7, 100 * GBPS, 1000, 48, 0, 0}, 0))
    {
    }

    ~Sender()
    {
        m_ops->Close(m_state);
    }

    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void Congested(uint64_t receivedBps)
    {
        const RdmaNotification notification{true, true, receivedBps};
        m_ops->OnCongestionMessage(m_state, {0, &notification});
    }

    void Increase(uint32_t times = 1)
    {
        for (uint32_t i = 0; i < times; ++i)
        {
            const RdmaNotification notification{true, false, 0};
            m_ops->OnCongestionMessage(m_state, {0, &notification});
        }
    }

    double Gbps() const
    {
        return m_state->rateBps / 1e9;
    }

    double Weight() const
    {
        return static_cast<const RdmaPcnState*>(m_state)->weight;
    }

    double WindowBytes() const
    {
        return m_state->windowBytes;
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    RdmaCongestionState* m_state;
};

/// The receiver-side part of a policy, with a responder that runs its timer.
class Receiver
{
  public:
    explicit Receiver(const Ptr<RdmaCongestionOps>& ops)
        : m_ops(ops),
          m_receiver(ops->GetReceiver()),
          m_state(m_receiver->OpenReceiver({}))
    {
    }

    ~Receiver()
    {
        m_receiver->CloseReceiver(m_state);
    }

    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    void Packet(int64_t nowNs, bool marked = false)
    {
        EXPECT_LE(nowNs, m_state->timerNs) << "the timer comes first";
        EXPECT_FALSE(m_receiver->OnArrival(m_state, {nowNs, 1072, marked}).given);
    }

    /// Passes packets to the receiver, evenly spaced over an interval of 50 us. The first @p marked
    /// packets are marked.
    void Interval(int64_t startNs, uint32_t packets, uint32_t marked)
    {
        for (uint32_t i = 0; i < packets; ++i)
        {
            Packet(startNs + 50 * US * i / packets, i < marked);
        }
    }

    RdmaNotification Timer()
    {
        EXPECT_NE(m_state->timerNs, NEVER);
        return m_receiver->OnReceiverTimer(m_state, m_state->timerNs);
    }

    int64_t DueNs() const
    {
        return m_state->timerNs;
    }

  private:
    Ptr<RdmaCongestionOps> m_ops;
    RdmaReceiverOps* m_receiver;
    RdmaReceiverState* m_state;
};

TEST(RdmaPcn, StartsAtLineRateWithoutAWindowAndCannotGoHigher)
{
    Sender sender(Make("pcn"));
    EXPECT_EQ(sender.Gbps(), 100);
    EXPECT_EQ(sender.WindowBytes(), std::numeric_limits<double>::infinity());
    sender.Increase(20);
    EXPECT_DOUBLE_EQ(sender.Gbps(), 100);
}

TEST(RdmaPcn, ACongestedFlowDropsInOneStepToAShareOfWhatIsReceived)
{
    Sender sender(Make("pcn"));
    sender.Congested(10 * GBPS);
    EXPECT_DOUBLE_EQ(sender.Gbps(), 10 * 127.0 / 128);
    sender.Congested(50 * GBPS);
    EXPECT_DOUBLE_EQ(sender.Gbps(), 10 * 127.0 / 128) << "a cut raises nothing";
    sender.Congested(5 * GBPS);
    EXPECT_DOUBLE_EQ(sender.Gbps(), 5 * 127.0 / 128);
}

TEST(RdmaPcn, IncreasesGrowAndACutMakesThemSmallAgain)
{
    Sender sender(Make("pcn"));
    sender.Congested(10 * GBPS);
    EXPECT_DOUBLE_EQ(sender.Weight(), 1.0 / 128);
    // R = 9.921875 * 127/128 + 100/128; w = 1/128 (127/128 + 1/2).
    sender.Increase();
    EXPECT_DOUBLE_EQ(sender.Gbps(), 10.6256103515625);
    EXPECT_DOUBLE_EQ(sender.Weight(), 191.0 / 16384);
    // R = 10.6256103515625 * 16193/16384 + 100 * 191/16384.
    sender.Increase();
    EXPECT_NEAR(sender.Gbps(), 11.6675115, 5e-7);
    EXPECT_DOUBLE_EQ(sender.Weight(), 191.0 / 16384 * (1.5 - 191.0 / 16384));
    sender.Congested(200 * GBPS);
    EXPECT_NEAR(sender.Gbps(), 11.6675115, 5e-7);
    EXPECT_DOUBLE_EQ(sender.Weight(), 1.0 / 128);
}

TEST(RdmaPcn, WeightAndRateFollowFigure10)
{
    // The expected values were read from the curves of the figure, whose line width is about 0.02.
    struct Point
    {
        uint32_t loops;
        double weight;
        double rate;
    };

    constexpr Point figure[] = {{5, 0.05, 0.1},
                                {8, 0.16, 0.3},
                                {10, 0.27, 0.54},
                                {12, 0.39, 0.78},
                                {15, 0.48, 0.96}};
    Sender sender(Make("pcn"));
    sender.Congested(1);
    uint32_t loops = 0;
    for (const auto& point : figure)
    {
        sender.Increase(point.loops - loops);
        loops = point.loops;
        EXPECT_NEAR(sender.Weight(), point.weight, 0.02) << loops;
        EXPECT_NEAR(sender.Gbps() / 100, point.rate, 0.02) << loops;
    }
    sender.Increase(30);
    EXPECT_NEAR(sender.Weight(), 0.5, 1e-6) << "w_max";
}

TEST(RdmaPcn, TheRateHasAFloor)
{
    auto ops = Make("pcn");
    ops->SetAttribute("MinRate", DataRateValue(DataRate("2Gbps")));
    Sender sender(ops);
    sender.Congested(GBPS);
    EXPECT_EQ(sender.Gbps(), 2);
}

TEST(RdmaPcn, WeightsAreAttributes)
{
    auto ops = Make("pcn");
    ops->SetAttribute("MinWeight", DoubleValue(0.25));
    ops->SetAttribute("MaxWeight", DoubleValue(0.75));
    Sender sender(ops);
    sender.Congested(16 * GBPS);
    EXPECT_DOUBLE_EQ(sender.Gbps(), 12);
    sender.Increase();
    EXPECT_DOUBLE_EQ(sender.Gbps(), 34);
    EXPECT_DOUBLE_EQ(sender.Weight(), 0.375);
}

TEST(RdmaPcn, TheReceiverMeasuresForAnIntervalFromTheFirstPacketOn)
{
    Receiver receiver(Make("pcn"));
    EXPECT_EQ(receiver.DueNs(), NEVER);
    receiver.Interval(7 * US, 100, 0);
    EXPECT_EQ(receiver.DueNs(), 57 * US);
    RdmaNotification told = receiver.Timer();
    EXPECT_TRUE(told.given);
    EXPECT_FALSE(told.congested);
    // 100 * 1072 bytes in 50 us.
    EXPECT_EQ(told.rateBps, 17'152'000'000);
    EXPECT_EQ(receiver.DueNs(), 107 * US) << "the next interval follows";
    receiver.Interval(57 * US, 50, 0);
    EXPECT_EQ(receiver.Timer().rateBps, 8'576'000'000) << "counts anew";
}

TEST(RdmaPcn, AnIntervalWithoutPacketsSaysNothingAndWaitsForOne)
{
    Receiver receiver(Make("pcn"));
    receiver.Interval(0, 10, 0);
    EXPECT_TRUE(receiver.Timer().given);
    EXPECT_FALSE(receiver.Timer().given);
    EXPECT_EQ(receiver.DueNs(), NEVER);
    receiver.Packet(1000 * US);
    EXPECT_EQ(receiver.DueNs(), 1050 * US);
}

TEST(RdmaPcn, AFlowIsCongestedFrom95PercentOfMarksOn)
{
    Receiver receiver(Make("pcn"));
    int64_t startNs = 0;
    for (auto [packets, marked, congested] : {std::tuple{100, 94, false},
                                              {100, 95, true},
                                              {100, 100, true},
                                              {100, 0, false},
                                              {20, 19, true},
                                              {20, 18, false},
                                              {10, 9, false}})
    {
        receiver.Interval(startNs, packets, marked);
        EXPECT_EQ(receiver.Timer().congested, congested) << marked << " of " << packets;
        startNs += 50 * US;
    }
}

TEST(RdmaPcn, ALonePacketIsMeasuredOverTheTimeSinceTheOneBefore)
{
    Receiver receiver(Make("pcn"));
    receiver.Packet(0, true);
    RdmaNotification told = receiver.Timer();
    EXPECT_TRUE(told.congested);
    EXPECT_EQ(told.rateBps, 171'520'000) << "1072 bytes in 50 us: there is none before";
    EXPECT_FALSE(receiver.Timer().given);
    receiver.Packet(200 * US);
    EXPECT_EQ(receiver.Timer().rateBps, 42'880'000) << "1072 bytes in 200 us";
    receiver.Packet(260 * US);
    EXPECT_EQ(receiver.Timer().rateBps, 142'933'333) << "1072 bytes in 60 us";
    EXPECT_FALSE(receiver.Timer().given);
    receiver.Packet(900 * US);
    receiver.Packet(901 * US);
    EXPECT_EQ(receiver.Timer().rateBps, 343'040'000) << "two make a rate of their own";
}

TEST(RdmaPcn, IntervalAndShareAreAttributes)
{
    auto ops = Make("pcn");
    ops->SetAttribute("Interval", TimeValue(MicroSeconds(10)));
    ops->SetAttribute("CongestedShare", DoubleValue(0.5));
    Receiver receiver(ops);
    receiver.Packet(0, true);
    receiver.Packet(5 * US);
    EXPECT_EQ(receiver.DueNs(), 10 * US);
    RdmaNotification told = receiver.Timer();
    EXPECT_TRUE(told.congested);
    EXPECT_EQ(told.rateBps, 1'715'200'000);
}

TEST(RdmaPcn, NamesAndNeeds)
{
    for (const char* name : {"pcn", "pcn:paper"})
    {
        auto ops = Make(name);
        EXPECT_EQ(ops->Validate(13 * US, nullptr), "");
        EXPECT_EQ(ops->Describe(nullptr).ecn, RdmaPolicyDescription::ECT1);
        EXPECT_TRUE(ops->Describe(nullptr).receiverPart);
        EXPECT_EQ(ops->Describe(nullptr).switchAgent, "np-ecn");
        Sender sender(ops);
        sender.Congested(10 * GBPS);
        EXPECT_DOUBLE_EQ(sender.Gbps(), 10 * 127.0 / 128);
    }
}

TEST(RdmaPcn, AttributesThatDoNotFitAreNamed)
{
    auto ops = Make("pcn");
    ops->SetAttribute("MinWeight", DoubleValue(0.6));
    EXPECT_EQ(ops->Validate(0, nullptr),
              "ns3::RdmaPcn::MinWeight is 0.600000, allowed is at most MaxWeight, 0.500000");
    ops = Make("pcn");
    ops->SetAttribute("MinRate", DataRateValue(DataRate(0)));
    EXPECT_EQ(ops->Validate(0, nullptr), "ns3::RdmaPcn::MinRate is 0bps, allowed is above 0");
}

TEST(RdmaPcn, AWindowAroundItFollowsItsRateAndLeavesTheReceiverAlone)
{
    auto ops = Make("pcn+win");
    EXPECT_EQ(ops->Validate(13 * US, nullptr), "");
    EXPECT_EQ(ops->Describe(nullptr).switchAgent, "np-ecn");
    Sender sender(ops);
    EXPECT_DOUBLE_EQ(sender.WindowBytes(), 162500) << "100 Gb/s times 13 us";
    sender.Congested(10 * GBPS);
    EXPECT_DOUBLE_EQ(sender.WindowBytes(), 16250 * 127.0 / 128);
    Receiver receiver(ops);
    receiver.Interval(0, 100, 95);
    EXPECT_TRUE(receiver.Timer().congested);
}

TEST(RoceNotificationHeader, HasTheBytesOfTheDocumentation)
{
    std::array<uint8_t, RoceNotificationHeader::BYTES> bytes;
    RoceNotificationHeader header;
    header.kind = RoceNotificationHeader::RATE;
    header.congested = true;
    header.number = 0x3344;
    header.value = 0x1122334455667788;
    header.Serialize(bytes.data());
    EXPECT_EQ(
        bytes,
        (std::array<
            uint8_t,
            16>{1, 0x80, 0x33, 0x44, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}));
    bytes = {2, 0x7f, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0};
    header.Deserialize(bytes.data());
    EXPECT_EQ(header.kind, RoceNotificationHeader::WINDOW);
    EXPECT_FALSE(header.congested) << "reserved bits are ignored";
    EXPECT_TRUE(header.authenticated);
    EXPECT_EQ(header.number, 1);
    EXPECT_EQ(header.value, 256);
}

} // namespace
