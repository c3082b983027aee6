/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests how a host chooses the entropy of its packets.

#include "ns3/hpcc-presets.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-entropy.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Feedback = RdmaEntropyFeedback;

/// An entropy scheme with its state.
class Scheme
{
  public:
    Scheme(const std::string& name, uint32_t values)
    {
        m_random->SetStream(1);
        ObjectFactory factory;
        EXPECT_TRUE(HpccPresets::Find(RdmaEntropy::GetTypeId(), name, factory));
        factory.Set("Evs", UintegerValue(values));
        m_entropy = factory.Create<RdmaEntropy>();
        m_state = m_entropy->MakeState();
    }

    uint16_t Next()
    {
        return m_state->Next(*m_random, shares.empty() ? nullptr : shares.data());
    }

    std::vector<uint16_t> Take(size_t count)
    {
        std::vector<uint16_t> values;
        while (values.size() < count)
        {
            values.push_back(Next());
        }
        return values;
    }

    void Say(uint16_t value, Feedback feedback, int64_t nowNs = 0)
    {
        m_state->OnFeedback(value, feedback, nowNs);
    }

    std::string Validate() const
    {
        return m_entropy->Validate();
    }

    std::vector<float> shares; ///< shares from the policy; empty if the policy sets none

  private:
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
    Ptr<RdmaEntropy> m_entropy;
    std::unique_ptr<RdmaEntropyState> m_state;
};

} // namespace

TEST(RdmaEntropyTest, AllValuesOfASchemeAreBelowEvs)
{
    for (const std::string& name : HpccPresets::Names(RdmaEntropy::GetTypeId()))
    {
        Scheme scheme(name, 16);
        for (uint16_t value : scheme.Take(1000))
        {
            ASSERT_LT(value, 16) << name;
            scheme.Say(value, static_cast<Feedback>(value % 4), 1000);
        }
    }
}

TEST(RdmaEntropyTest, SchemesThatWalkNeedAPowerOfTwo)
{
    for (const char* name : {"oblivious", "bitmap", "mixed", "graded"})
    {
        EXPECT_EQ(Scheme(name, 64).Validate(), "") << name;
        EXPECT_NE(Scheme(name, 48).Validate().find("::Evs 48 is no power of two"),
                  std::string::npos)
            << name;
    }
    EXPECT_EQ(Scheme("reps", 48).Validate(), "");
}

TEST(RdmaEntropyTest, ObliviousTakesEachValueOnceARoundInChangingOrder)
{
    Scheme scheme("oblivious", 64);
    std::set<std::vector<uint16_t>> orders;
    for (int round = 0; round < 20; ++round)
    {
        const std::vector<uint16_t> values = scheme.Take(64);
        EXPECT_EQ(std::set<uint16_t>(values.begin(), values.end()).size(), 64);
        orders.insert(values);
    }
    EXPECT_GT(orders.size(), 10);
}

TEST(RdmaEntropyTest, BitmapPassesOverAValueOnceForEachPointOfItsPenalty)
{
    for (const auto& [feedback, penalty] :
         {std::pair(Feedback::MARKED, 1), {Feedback::TRIMMED, 4}, {Feedback::TIMEOUT, 15}})
    {
        Scheme scheme("bitmap", 8);
        scheme.Say(5, feedback);
        int packets = 0;
        while (scheme.Next() != 5)
        {
            ++packets;
        }
        // Value 5 is used once per round of 8 values. If the order of the values changes, the
        // distance between two uses may differ.
        EXPECT_GE(packets, 7 * penalty);
        EXPECT_LE(packets, 8 * (penalty + 1));
    }
}

TEST(RdmaEntropyTest, BitmapStillSendsIfAllValuesHaveAPenalty)
{
    Scheme scheme("bitmap", 4);
    for (uint16_t value = 0; value < 4; ++value)
    {
        scheme.Say(value, Feedback::TIMEOUT);
        scheme.Say(value, Feedback::TIMEOUT);
    }
    std::map<uint16_t, int> taken;
    for (uint16_t value : scheme.Take(400))
    {
        ++taken[value];
    }
    EXPECT_EQ(taken.size(), 4);
}

TEST(RdmaEntropyTest, RepsTakesTheValuesOfGoodPacketsOnceOldestFirst)
{
    Scheme scheme("reps", 1 << 14);
    for (uint16_t value : {11, 12, 13})
    {
        scheme.Say(value, Feedback::GOOD);
    }
    scheme.Say(14, Feedback::MARKED);
    scheme.Say(15, Feedback::TRIMMED);
    EXPECT_EQ(scheme.Take(3), (std::vector<uint16_t>{11, 12, 13}));
    const std::vector<uint16_t> rest = scheme.Take(100);
    EXPECT_GT(std::set<uint16_t>(rest.begin(), rest.end()).size(), 90);
    for (uint16_t value = 0; value < 10; ++value)
    {
        scheme.Say(value, Feedback::GOOD);
    }
    EXPECT_EQ(scheme.Take(8), (std::vector<uint16_t>{2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(RdmaEntropyTest, RepsFreezesAfterATimeOutAndThawsAfterFreezeTime)
{
    Scheme scheme("reps", 1 << 14);
    for (uint16_t value : {1, 2, 3})
    {
        scheme.Say(value, Feedback::GOOD, 1000);
    }
    scheme.Take(3);
    scheme.Say(9, Feedback::TIMEOUT, 2000);
    std::map<uint16_t, int> taken;
    for (uint16_t value : scheme.Take(30))
    {
        ++taken[value];
    }
    EXPECT_EQ(taken, (std::map<uint16_t, int>{{1, 10}, {2, 10}, {3, 10}}));
    scheme.Say(4, Feedback::GOOD, 10002000);
    EXPECT_LE(scheme.Next(), 4) << "frozen until after 10 ms";
    scheme.Say(5, Feedback::GOOD, 10002001);
    const std::vector<uint16_t> explored = scheme.Take(16);
    EXPECT_GT(std::set<uint16_t>(explored.begin(), explored.end()).size(), 14);
    scheme.Say(9, Feedback::TIMEOUT, 10003000);
    EXPECT_EQ(scheme.Next(), 5) << "the buffer was emptied before";
}

TEST(RdmaEntropyTest, MixedTakesRecycledValuesFirstAndElseThoseOfTheBitmap)
{
    Scheme scheme("mixed", 8);
    scheme.Say(3, Feedback::GOOD);
    scheme.Say(5, Feedback::TIMEOUT);
    scheme.Say(3, Feedback::GOOD);
    EXPECT_EQ(scheme.Take(2), (std::vector<uint16_t>{3, 3}));
    for (uint16_t value : scheme.Take(40))
    {
        EXPECT_NE(value, 5);
    }
}

TEST(RdmaEntropyTest, ThePortOfAPacketTellsItsValue)
{
    for (uint32_t port = 0; port <= UINT16_MAX; port += 257)
    {
        for (uint32_t value = 0; value < RdmaEntropy::MAX_VALUES; value += 61)
        {
            const uint16_t packetPort =
                RdmaEntropy::PortOf(static_cast<uint16_t>(port), static_cast<uint16_t>(value));
            ASSERT_GE(packetPort, 0xc000);
            ASSERT_EQ(RdmaEntropy::ValueOf(static_cast<uint16_t>(port), packetPort), value);
        }
    }
}

TEST(RdmaEntropyTest, GradedTakesValuesInProportionToTheirShares)
{
    Scheme scheme("graded", 8);
    std::map<uint16_t, int> equal;
    for (uint16_t value : scheme.Take(800))
    {
        ++equal[value];
    }
    EXPECT_EQ(equal[0], 100);
    scheme.shares = {1, 1, 0.5, 1, 0.25, 1, 0, 1};
    std::map<uint16_t, int> taken;
    for (uint16_t value : scheme.Take(5750))
    {
        ++taken[value];
    }
    EXPECT_NEAR(taken[0], 1000, 2);
    EXPECT_NEAR(taken[2], 500, 2);
    EXPECT_NEAR(taken[4], 250, 2);
    EXPECT_EQ(taken[6], 0);
}

TEST(RdmaEntropyTest, GradedPassesOverAValueForATrimAndLongForATimeout)
{
    for (const auto& [feedback, rounds] :
         {std::pair(Feedback::GOOD, 0), {Feedback::TRIMMED, 1}, {Feedback::TIMEOUT, 16}})
    {
        Scheme scheme("graded", 8);
        scheme.Say(5, feedback);
        int packets = 0;
        while (scheme.Next() != 5)
        {
            ++packets;
        }
        EXPECT_GE(packets, 7 * rounds);
        EXPECT_LT(packets, 8 * (rounds + 1));
    }
}

TEST(RdmaEntropyTest, GradedTakesAValueEvenIfNothingIsHeardOfAny)
{
    Scheme scheme("graded", 4);
    for (uint16_t value = 0; value < 4; ++value)
    {
        scheme.Say(value, Feedback::TIMEOUT);
    }
    EXPECT_EQ(scheme.Take(100).size(), 100);
}
