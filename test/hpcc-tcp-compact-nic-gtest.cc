/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests how a NIC handles the TCP option, without a network.

#include "hpcc-test-compact.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-max-load-format.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-tcp-compact.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr int64_t BASE_RTT_NS = 5000;
constexpr uint32_t SEGMENT = 1000;

/// Tests with the part of a NIC that handles the TCP option, and with segments that the test
/// creates.
class CompactNic : public Compact
{
  protected:
    static HpccTcpCompact::Settings Windows()
    {
        HpccTcpCompact::Settings settings;
        settings.windows = true;
        settings.parameters = [](const HpccTcpCompact::Key&) {
            HpccParameters parameters;
            parameters.baseRttNs = BASE_RTT_NS;
            parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
            return parameters;
        };
        settings.lineRateBps = 100e9;
        return settings;
    }

    /// Returns a frame that contains a TCP segment without payload.
    Frame* Make()
    {
        return FrameOf(m_pool, MakePacket(false, {}, {}), false);
    }

    /**
     * Passes a data segment with the option to the NIC's HpccTcpCompact.
     * @param sequence sequence number of the segment
     * @param load load in the option
     */
    void Arrive(HpccTcpCompact& nic, uint32_t sequence, double load)
    {
        Frame* frame = Make();
        m_format->Open(frame->telemetry, {5000, TCP_PROTOCOL, 0});
        MaxLoadFormat::Raise(frame->telemetry, MaxLoadFormat::Encode(load));
        nic.Collected(m_key, *frame, sequence, SEGMENT, m_nowNs);
        m_nowNs += 100;
        FramePool::Free(frame);
    }

    /// Returns the values that the NIC inserts into an acknowledgement that it sends.
    HpccTcpCompact::Returned Acknowledge(HpccTcpCompact& nic)
    {
        Frame* frame = Make();
        const auto [returned, bytes] = nic.Attach(m_key, *frame, 20, 1000, false);
        EXPECT_EQ(bytes, returned.IsGiven() ? 8 : 0);
        EXPECT_EQ(frame->bytes, returned.IsGiven() ? 62 : 60);
        EXPECT_EQ(frame->format != nullptr, returned.IsGiven());
        FramePool::Free(frame);
        return returned;
    }

    FramePool m_pool;                                               ///< frames
    Ptr<MaxLoadFormat> m_format{CreateObject<MaxLoadFormat>()};     ///< the option
    HpccTcpCompact::Key m_key{TCP_DESTINATION, 49153, 5000, false}; ///< connection
    int64_t m_nowNs{0};                                             ///< current time
};

TEST_F(CompactNic, OneOfSoManySegmentsCollectsOrOneInAnInterval)
{
    HpccTcpCompact::Settings settings;
    auto count = [this, &settings](int segments, int64_t gapNs) {
        const HpccTcpCompact nic(*m_format, settings);
        HpccTcpCompact::Turn turn;
        int taken = 0;
        for (int i = 0; i < segments; ++i)
        {
            const bool takes = nic.Takes(turn, i * gapNs);
            EXPECT_TRUE(i > 0 || takes) << "the first one does";
            taken += takes;
        }
        return taken;
    };
    EXPECT_EQ(count(100, 10), 100);
    settings.every = 8;
    EXPECT_EQ(count(100, 10), 13);
    settings.every = 1;
    settings.intervalNs = 95;
    EXPECT_EQ(count(100, 10), 10);
    EXPECT_EQ(count(100, 95), 100);
}

TEST_F(CompactNic, WhatCameLastGoesBackOnce)
{
    HpccTcpCompact nic(*m_format, {});
    Arrive(nic, 1, 3);
    EXPECT_EQ(nic.GetPending(), 0) << "of a connection without a SYN";
    nic.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, true);
    EXPECT_FALSE(Acknowledge(nic).IsGiven());
    Arrive(nic, 1, 3);
    Arrive(nic, 1001, 2);
    EXPECT_EQ(nic.GetPending(), 1);
    EXPECT_EQ(Acknowledge(nic).load, 2);
    EXPECT_FALSE(Acknowledge(nic).IsGiven());
    EXPECT_EQ(nic.GetPending(), 0);
    Arrive(nic, 2001, 0);
    EXPECT_FALSE(Acknowledge(nic).IsGiven()) << "no switch has seen it";
    nic.Follow(m_key, TcpHeader::RST, false);
    Arrive(nic, 3001, 2);
    EXPECT_EQ(nic.GetPending(), 0) << "on the way when the connection was reset";
}

TEST_F(CompactNic, AnOptionWithoutRoomIsLeftOut)
{
    HpccTcpCompact nic(*m_format, {});
    nic.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, true);
    for (const auto& [headerBytes, roomBytes, bytes] :
         {std::tuple(52U, 8U, 8U), std::tuple(56U, 8U, 0U), std::tuple(20U, 7U, 0U)})
    {
        Arrive(nic, 1, 3);
        Frame* frame = Make();
        const auto [returned, added] = nic.Attach(m_key, *frame, headerBytes, roomBytes, true);
        EXPECT_EQ(added, bytes);
        EXPECT_EQ(frame->format != nullptr, bytes > 0);
        EXPECT_EQ(frame->bytes, bytes > 0 ? 62 : 60);
        EXPECT_EQ(nic.GetPending(), bytes > 0 ? 0 : 1);
        FramePool::Free(frame);
    }
    EXPECT_EQ(Acknowledge(nic).load, 3) << "in the next segment with room";
    EXPECT_EQ(nic.GetPending(), 0);
}

TEST_F(CompactNic, TheReceiverCommitsOncePerWindow)
{
    HpccTcpCompact nic(*m_format, Windows());
    nic.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, true);
    // W_init is 62,500 bytes. With eta 0.95, a load of 1.9 halves the window.
    const double wInit = 100e9 / 8e9 * BASE_RTT_NS;
    const double wai = wInit * 0.05 / 100;
    Arrive(nic, 1, 1.9);
    double window = Acknowledge(nic).windowBytes;
    EXPECT_NEAR(window, wInit / 2 + wai, wInit / 1000);
    // The reference window does not change while segments arrive that were sent before the sender
    // received this window. At the target load, W is the reference window plus W_ai.
    uint32_t sequence = 1 + SEGMENT;
    for (; sequence < 1 + wInit; sequence += SEGMENT)
    {
        Arrive(nic, sequence, 0.95);
        window = Acknowledge(nic).windowBytes;
        EXPECT_NEAR(window, wInit / 2 + 2 * wai, 2 * wai) << "segment at " << sequence;
    }
    for (int round = 0; round < 3; ++round)
    {
        const double before = window;
        Arrive(nic, sequence + SEGMENT, 0.95);
        window = Acknowledge(nic).windowBytes;
        EXPECT_NEAR(window, before + (round > 0 ? wai : 0), 1e-6) << round;
        sequence += static_cast<uint32_t>(window) + 3 * SEGMENT;
    }
    Arrive(nic, sequence, 1.9);
    EXPECT_NEAR(Acknowledge(nic).windowBytes, wInit / 4, 5 * wai);
}

TEST_F(CompactNic, EachConnectionHasALawOfItsOwn)
{
    auto settings = Windows();
    const HpccTcpCompact::Key other{TCP_DESTINATION, 49154, 5000, false};
    settings.parameters = [&](const HpccTcpCompact::Key& key) {
        HpccParameters parameters;
        parameters.baseRttNs = BASE_RTT_NS;
        parameters.firstSample = HpccParameters::FIRST_ESTIMATE;
        parameters.waiBytes = key == other ? 5000 : 1;
        return parameters;
    };
    HpccTcpCompact nic(*m_format, settings);
    const HpccTcpCompact::Key mine = m_key;
    const uint8_t synAck = TcpHeader::SYN | TcpHeader::ACK;
    nic.Follow(mine, synAck, false);
    nic.Follow(other, synAck, false);
    // The segments of the two connections alternate. Therefore the test fails if a connection uses
    // the state of the other connection.
    std::map<HpccTcpCompact::Key, double> windows;
    for (int i = 0; i < 2; ++i)
    {
        for (const auto& key : {mine, other})
        {
            m_key = key;
            Arrive(nic, 1 + i * SEGMENT, 1.9);
            windows[key] = Acknowledge(nic).windowBytes;
        }
    }
    const double wInit = 12.5 * BASE_RTT_NS;
    const auto first = windows.begin();
    EXPECT_NEAR(first->second, wInit / 4, 100) << "line 13 twice";
    EXPECT_NEAR(std::next(first)->second, (wInit / 2 + 5000) / 2 + 5000, 100);
}

TEST_F(CompactNic, SequenceNumbersMayWrap)
{
    HpccTcpCompact nic(*m_format, Windows());
    nic.Follow(m_key, TcpHeader::SYN | TcpHeader::ACK, false);
    uint32_t sequence = 0xffffffff - 20 * SEGMENT;
    int steps = 0;
    double last = 0;
    for (int i = 0; i < 200; ++i, sequence += SEGMENT)
    {
        Arrive(nic, sequence, 1.2);
        const double window = Acknowledge(nic).windowBytes;
        steps += window != last;
        EXPECT_GT(window, 0);
        last = window;
    }
    EXPECT_GT(steps, 4) << "rounds that end";
}

TEST_F(CompactNic, AConnectionIsKeptFromItsSynToItsEnd)
{
    HpccTcpCompact nic(*m_format, Windows());
    Arrive(nic, 1, 2);
    EXPECT_EQ(nic.GetPending(), 0) << "without a SYN nothing is known";
    const uint8_t synAck = TcpHeader::SYN | TcpHeader::ACK;
    const uint8_t finAck = TcpHeader::FIN | TcpHeader::ACK;
    nic.Follow(m_key, TcpHeader::SYN, false);
    EXPECT_EQ(nic.GetPeers(), 0);
    nic.Follow(m_key, synAck, true);
    EXPECT_EQ(nic.GetPeers(), 1);
    nic.Follow(m_key, finAck, false);
    Arrive(nic, 1, 2);
    EXPECT_TRUE(Acknowledge(nic).IsGiven()) << "data that the FIN has overtaken";
    nic.Follow(m_key, finAck, false);
    EXPECT_EQ(nic.GetPeers(), 1) << "this end has not finished";
    nic.Follow(m_key, finAck, true);
    EXPECT_EQ(nic.GetPeers(), 0);
    nic.Follow(m_key, synAck, false);
    Arrive(nic, 1, 2);
    nic.Follow(m_key, TcpHeader::RST, false);
    EXPECT_EQ(nic.GetPeers(), 0);
    EXPECT_EQ(nic.GetPending(), 0);
    const HpccTcpCompact echoes(*m_format, {});
    EXPECT_EQ(echoes.GetPeers(), 0);
}

TEST_F(Compact, SettingsThatDoNotGoTogetherAreRefused)
{
    auto nic = CreateObject<HpccTcpNic>();
    auto option = CreateObject<MaxLoadFormat>();
    ObjectFactory factory;
    ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), "int-md:dscp", factory));
    auto other = factory.Create<TelemetryFormat>();
    EXPECT_EQ(nic->Check(*other), "");
    EXPECT_EQ(nic->Check(*option),
              "telemetry format ns3::MaxLoadFormat is an option of TCP; ns3::HpccTcpNic::Feedback "
              "must be Compact or CompactReceiver for it");
    nic->SetAttribute("TagEvery", UintegerValue(8));
    const std::string tags = "ns3::HpccTcpNic::TagEvery and TagOncePerRtt are for options of TCP; "
                             "ns3::HpccTcpNic::Feedback must be Compact or CompactReceiver for "
                             "them";
    EXPECT_EQ(nic->Check(*other), tags);
    nic->SetAttribute("Feedback", StringValue("InBand"));
    EXPECT_EQ(nic->Check(*other), tags);
    for (const char* feedback : {"Compact", "CompactReceiver"})
    {
        nic->SetAttribute("Feedback", StringValue(feedback));
        EXPECT_EQ(nic->Check(*option), "");
        EXPECT_EQ(nic->Check(*other),
                  "telemetry format ns3::IntMdFormat is no option of TCP, which "
                  "ns3::HpccTcpNic::Feedback Compact and CompactReceiver need");
    }
    nic->SetAttribute("TagOncePerRtt", BooleanValue(true));
    EXPECT_EQ(nic->Check(*option),
              "ns3::HpccTcpNic::TagEvery is 8 and TagOncePerRtt is true; only one of them may be "
              "set");
}

} // namespace
