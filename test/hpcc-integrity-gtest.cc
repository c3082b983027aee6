/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-feedback-check.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"

#include <gtest/gtest.h>
#include <iomanip>
#include <numeric>
#include <set>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

std::string
Hex(const FeedbackTag& tag)
{
    std::ostringstream out;
    for (uint8_t byte : tag)
    {
        out << std::hex << std::setw(2) << std::setfill('0') << +byte;
    }
    return out.str();
}

/// Returns 20 bytes with the values 0, 1, 2, ...
std::vector<uint8_t>
Message()
{
    std::vector<uint8_t> message(20);
    std::iota(message.begin(), message.end(), 0);
    return message;
}

} // namespace

// Python: key = hmac.new(b"a secret", b"1/2-3/4", sha256).digest();
// hmac.new(key, number.to_bytes(8, "big") + bytes(range(20)), sha256).digest()[:12].hex()
TEST(FeedbackAuthenticator, AgreesWithPythonsHmac)
{
    FeedbackAuthenticator authenticator("a secret", "1/2-3/4");
    auto message = Message();
    EXPECT_EQ(Hex(authenticator.Sign(0x0102030405060708, message.data(), message.size())),
              "94333a2dd05d97905b3a0b18");
    EXPECT_EQ(Hex(authenticator.Sign(0x0102030405060709, message.data(), message.size())),
              "4420727c48c351c8ef19a47e");
}

TEST(FeedbackAuthenticator, EveryBitAndTheQueuePairCount)
{
    FeedbackAuthenticator authenticator("a secret", "1/2-3/4");
    auto message = Message();
    const FeedbackTag right = authenticator.Sign(7, message.data(), message.size());
    for (size_t bit = 0; bit < 8 * message.size(); ++bit)
    {
        auto altered = message;
        altered[bit / 8] ^= 1U << bit % 8;
        EXPECT_NE(authenticator.Sign(7, altered.data(), altered.size()), right) << bit;
    }
    FeedbackAuthenticator other("a secret", "1/2-3/5");
    EXPECT_NE(other.Sign(7, message.data(), message.size()), right);
}

namespace
{

/// Tests of a check with T 5 us, a slack of T/2, and a path with a base RTT of 4 us.
class FeedbackCheckTest : public testing::Test
{
  protected:
    FeedbackCheckTest()
    {
        m_check.SetParameters(5000, 0.5);
        m_state.baseRttNs = 4000;
    }

    /// Passes an ACK to the check every 100 ns for @p forNs, with 50,000 bytes in flight, and
    /// returns the last verdict.
    bool Run(int64_t forNs, int64_t rttNs, double reportedDelayNs)
    {
        bool doubted = false;
        for (int64_t end = m_nowNs + forNs; m_nowNs < end; m_nowNs += 100)
        {
            auto acked = static_cast<uint64_t>(50000.0 * 100 / static_cast<double>(rttNs));
            doubted =
                m_check.Update(m_state, {m_nowNs, rttNs, acked, 50000, 50000, reportedDelayNs});
        }
        return doubted;
    }

    FeedbackCheck m_check;
    FeedbackCheck::State m_state;
    int64_t m_nowNs{0};
};

} // namespace

TEST_F(FeedbackCheckTest, AnHonestReportIsBelieved)
{
    EXPECT_FALSE(Run(100000, 4000, 0));
    EXPECT_FALSE(Run(100000, 14000, 10000));
    EXPECT_FALSE(Run(100000, 6400, 0)) << "within the slack";
}

TEST_F(FeedbackCheckTest, AnEmptyQueueThatTakesTimeIsDoubtedAfterARound)
{
    EXPECT_FALSE(Run(20000, 4000, 0));
    EXPECT_FALSE(Run(5000, 14000, 0)) << "not before T has passed";
    EXPECT_TRUE(Run(15000, 14000, 0));
    EXPECT_TRUE(Run(490000, 14000, 10000)) << "not before 100 T";
    EXPECT_FALSE(Run(20000, 14000, 10000)) << "the truth is believed again";
}

TEST_F(FeedbackCheckTest, LatePacketsAloneAreNotEnough)
{
    // The round-trip time is long although the throughput is as high as on an empty path. Therefore
    // the standing queue is caused by other flows.
    for (int i = 0; i < 1000; ++i, m_nowNs += 100)
    {
        EXPECT_FALSE(m_check.Update(m_state, {m_nowNs, 14000, 1250, 50000, 50000, 0}));
    }
}

TEST_F(FeedbackCheckTest, AnUnknownPathIsNeverDoubted)
{
    m_state.baseRttNs = 0;
    EXPECT_FALSE(Run(100000, 14000, 0));
}

TEST(IdlePathForger, CannotForgeWhatSwitchesCompute)
{
    const std::set<std::string> refused{"pint",
                                        "pint:16",
                                        "pint:256",
                                        "pint:authors",
                                        "rcp",
                                        "xcp"};
    std::set<std::string> found;
    for (const std::string& name : HpccPresets::Names(TelemetryFormat::GetTypeId()))
    {
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory));
        if (!IdlePathForger::CanForge(*factory.Create<TelemetryFormat>()))
        {
            found.insert(name);
        }
    }
    EXPECT_EQ(found, refused);
}

TEST(IdlePathForger, ReportsTheSameHopsIdleInEveryFormat)
{
    for (const std::string& name : HpccPresets::Names(TelemetryFormat::GetTypeId()))
    {
        SCOPED_TRACE(name);
        ObjectFactory factory;
        ASSERT_TRUE(HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory));
        auto format = factory.Create<TelemetryFormat>();
        IdlePathForger forger;
        std::vector<HopTelemetry> before;
        for (uint64_t round : {0, 1})
        {
            TelemetryStack stack{};
            format->Open(stack, {4791, 17, 26});
            for (uint32_t hop = 0; hop < 3; ++hop)
            {
                HopSnapshot snapshot{};
                snapshot.timestampNs = 1000000 + 5000 * round + 1000 * hop;
                snapshot.txBytes = (uint64_t{1} << 16) * (10 + round);
                snapshot.bandwidthBps = 100000000000;
                snapshot.queueBytes = 80000;
                snapshot.switchId = 10 + hop;
                snapshot.egressPort = hop;
                snapshot.utilizationPpm = 900000;
                format->Insert(stack, snapshot, 9000);
            }
            const TelemetryStack reported = stack;
            forger.Forge(*format, stack);
            EXPECT_EQ(stack.hops, reported.hops);
            EXPECT_EQ(stack.pathId, reported.pathId);
            EXPECT_EQ(stack.originalPort, 4791);
            for (uint32_t i = 0; i < stack.hops; ++i)
            {
                HopTelemetry truth = format->Read(reported, i);
                HopTelemetry lie = format->Read(stack, i);
                EXPECT_EQ(lie.fields, truth.fields);
                if (format->GetCapabilities().pathExtreme)
                {
                    EXPECT_EQ(lie.queueDelayNs, 0);
                    continue;
                }
                EXPECT_EQ(lie.switchId, truth.switchId);
                EXPECT_EQ(lie.portId, truth.portId);
                EXPECT_EQ(lie.bandwidthBps, truth.bandwidthBps);
                EXPECT_EQ(lie.timestampNs, truth.timestampNs);
                EXPECT_EQ(lie.queueBytes, 0u);
                EXPECT_EQ(lie.utilization, 0);
                if (round == 0)
                {
                    before.push_back(lie);
                }
                else
                {
                    EXPECT_EQ(lie.txBytes, before[i].txBytes);
                }
            }
        }
    }
}
