/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-leaks.h"

#include "ns3/hpcc-node-agenda.h"
#include "ns3/node.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/// A client that records due items, and may schedule further items when it is called.
class Diary : public AgendaClient
{
  public:
    /// An entry.
    struct Entry
    {
        int64_t nowNs;   ///< time of the call, ns
        AgendaKind kind; ///< kind of the item
        uint32_t index;  ///< index of the item

        bool operator<(const Entry& other) const
        {
            return std::tie(nowNs, kind, index) < std::tie(other.nowNs, other.kind, other.index);
        }

        bool operator==(const Entry& other) const
        {
            return std::tie(nowNs, kind, index) == std::tie(other.nowNs, other.kind, other.index);
        }
    };

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override
    {
        EXPECT_LE(nowNs, Simulator::Now().GetNanoSeconds());
        EXPECT_GE(nowNs, Simulator::Now().GetNanoSeconds() - maxLagNs);
        entries.push_back({nowNs, kind, index});
        if (onDue)
        {
            onDue(entries.back());
        }
    }

    int64_t maxLagNs{0};                     ///< maximum delay of an entry, ns
    std::vector<Entry> entries;              ///< entries in the order of the calls
    std::function<void(const Entry&)> onDue; ///< additional action
};

class NodeAgendaTest : public testing::Test
{
  protected:
    static constexpr auto KINDS = static_cast<uint32_t>(AgendaKind::COUNT);
    static constexpr uint32_t INDICES = 20;

    void SetUp() override
    {
        agenda = NodeAgenda::Of(CreateObject<Node>());
        for (uint32_t kind = 0; kind < KINDS; ++kind)
        {
            for (uint32_t index = 0; index < INDICES; ++index)
            {
                EXPECT_EQ(agenda->Register(static_cast<AgendaKind>(kind), &diary), index);
            }
        }
    }

    void TearDown() override
    {
        agenda = nullptr;
        Simulator::Destroy();
    }

    Ptr<NodeAgenda> agenda; ///< the agenda
    Diary diary;            ///< only client of the agenda
};

TEST_F(NodeAgendaTest, ItemsOfOneNanosecondRunByKindThenIndexHoweverTheyWereNoted)
{
    std::vector<Diary::Entry> expected;
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i)
    {
        expected.push_back({static_cast<int64_t>(random() % 100),
                            static_cast<AgendaKind>(random() % KINDS),
                            static_cast<uint32_t>(random() % INDICES)});
    }
    for (const auto& entry : expected)
    {
        agenda->Schedule(entry.kind, entry.index, entry.nowNs);
    }
    Simulator::Run();
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(diary.entries == expected);
    EXPECT_EQ(agenda->GetPendingEvents(), 0);
}

TEST_F(NodeAgendaTest, WhatIsNotedWhileItRunsComesInItsPlace)
{
    // Each item that is executed schedules another item at the same time or later, up to a total of
    // 5,000 items.
    std::mt19937 random(2);
    uint64_t scheduled = 0;
    diary.onDue = [&](const Diary::Entry& entry) {
        if (scheduled < 5000)
        {
            ++scheduled;
            agenda->Schedule(static_cast<AgendaKind>(random() % KINDS),
                             static_cast<uint32_t>(random() % INDICES),
                             entry.nowNs + static_cast<int64_t>(random() % 20));
        }
    };
    for (uint32_t i = 0; i < 50; ++i)
    {
        ++scheduled;
        agenda->Schedule(AgendaKind::ARRIVAL, i % INDICES, random() % 50);
    }
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), scheduled);
    for (size_t i = 1; i < diary.entries.size(); ++i)
    {
        ASSERT_LE(diary.entries[i - 1].nowNs, diary.entries[i].nowNs);
    }
    EXPECT_EQ(agenda->GetPendingEvents(), 0);
}

TEST_F(NodeAgendaTest, AnEarlierItemIsNotHeldUpByALaterOne)
{
    // The times of successive items decrease, so each item needs its own ns-3 event. There are more
    // events than the agenda can store.
    for (int64_t atNs = 1000; atNs > 0; atNs -= 10)
    {
        agenda->Schedule(AgendaKind::SAMPLER, 0, atNs);
    }
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), 100);
    for (size_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(diary.entries[i].nowNs, 10 * static_cast<int64_t>(i) + 10);
    }
}

TEST_F(NodeAgendaTest, OneEventServesAllItemsOfANanosecond)
{
    for (uint32_t index = 0; index < INDICES; ++index)
    {
        agenda->Schedule(AgendaKind::ARRIVAL, index, 500);
        agenda->Schedule(AgendaKind::PORT_FREE, index, 500);
    }
    Simulator::Run();
    EXPECT_EQ(diary.entries.size(), 2 * INDICES);
    EXPECT_EQ(agenda->GetEvents(), 1);
}

TEST_F(NodeAgendaTest, ALaggingNodeDoesTheSameInFewerEvents)
{
    agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(100)));
    agenda->LimitLag(41);
    EXPECT_EQ(agenda->GetLagNs(), 40) << "less than the delay";
    diary.maxLagNs = 40;
    std::mt19937 random(3);
    std::vector<Diary::Entry> scheduled;
    diary.onDue = [&](const Diary::Entry& entry) {
        EXPECT_EQ(agenda->NowNs(), entry.nowNs);
        EXPECT_EQ(agenda->CatchUp(), entry.nowNs) << "nothing to do: the agenda is at it";
        if (scheduled.size() < 5000)
        {
            scheduled.push_back({entry.nowNs + static_cast<int64_t>(random() % 20),
                                 static_cast<AgendaKind>(random() % KINDS),
                                 static_cast<uint32_t>(random() % INDICES)});
            agenda->Schedule(scheduled.back().kind, scheduled.back().index, scheduled.back().nowNs);
        }
    };
    for (uint32_t i = 0; i < 50; ++i)
    {
        scheduled.push_back(
            {static_cast<int64_t>(random() % 50), AgendaKind::ARRIVAL, i % INDICES});
        agenda->Schedule(scheduled.back().kind, scheduled.back().index, scheduled.back().nowNs);
    }
    uint32_t early = agenda->GetPendingEvents();
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), scheduled.size());
    for (size_t i = 1; i < diary.entries.size(); ++i)
    {
        ASSERT_LE(diary.entries[i - 1].nowNs, diary.entries[i].nowNs);
    }
    std::sort(scheduled.begin(), scheduled.end());
    std::sort(diary.entries.begin(), diary.entries.end());
    EXPECT_TRUE(diary.entries == scheduled);
    EXPECT_LE(agenda->GetEvents(), static_cast<uint64_t>(scheduled.back().nowNs / 40 + 1) + early);
    EXPECT_EQ(agenda->GetPendingEvents(), 0);
}

TEST_F(NodeAgendaTest, CatchingUpDoesWhatWasDueBeforeNow)
{
    agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(1000)));
    diary.maxLagNs = 1000;
    for (int64_t atNs : {300, 499, 500, 501})
    {
        agenda->Schedule(AgendaKind::SAMPLER, 0, atNs);
    }
    Simulator::Schedule(NanoSeconds(500), [this] {
        EXPECT_EQ(diary.entries.size(), 0);
        EXPECT_EQ(agenda->CatchUp(), 500);
        EXPECT_EQ(diary.entries.size(), 2);
    });
    Simulator::Run();
    EXPECT_EQ(diary.entries.size(), 4);
}

TEST_F(NodeAgendaTest, ALaggingNodeEndsWithTheSimulation)
{
    agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(1000)));
    diary.maxLagNs = 1000;
    for (int64_t atNs : {100, 499, 500, 501})
    {
        agenda->Schedule(AgendaKind::SAMPLER, 0, atNs);
    }
    Simulator::Schedule(NanoSeconds(450), [this] {
        agenda->EndAt(500);
        Simulator::Stop(NanoSeconds(50));
    });
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), 2);
    EXPECT_EQ(diary.entries.back().nowNs, 499);
}

TEST_F(NodeAgendaTest, TheLagMayChangeWhileItemsArePending)
{
    enum class Change
    {
        LONGER,
        SHORTER,
        LIMIT,
    };

    for (const Change change : {Change::LONGER, Change::SHORTER, Change::LIMIT})
    {
        SetUp();
        diary.entries.clear();
        const bool longer = change == Change::LONGER;
        agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(longer ? 0 : 1000)));
        diary.maxLagNs = 1000;
        const int64_t startNs = Simulator::Now().GetNanoSeconds();
        for (const int64_t atNs : {300, 600, 5000})
        {
            agenda->Schedule(AgendaKind::SAMPLER, 0, startNs + atNs);
        }
        Simulator::Schedule(NanoSeconds(500), [&] {
            EXPECT_EQ(diary.entries.size(), longer ? 1U : 0U) << "a lag of 1000 ns";
            if (change == Change::LIMIT)
            {
                agenda->LimitLag(11);
            }
            else
            {
                agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(longer ? 1000 : 10)));
            }
            EXPECT_EQ(diary.entries.size(), 1U) << "everything that was due before";
            diary.maxLagNs = longer ? 1000 : 10;
        });
        Simulator::Run();
        EXPECT_EQ(diary.entries.size(), 3U);
    }
}

TEST_F(NodeAgendaTest, ANodeGoesOnAfterAnExceptionOfAClient)
{
    const hpcctest::LeaksAllowed allowed; // ns-3 does not free an event that throws an exception
    SetUp();                              // creates a new agenda, so that its event is created
                                          // while leaks are allowed
    for (const bool replaces : {false, true})
    {
        diary.entries.clear();
        const int64_t nowNs = Simulator::Now().GetNanoSeconds();
        for (int64_t atNs : {100, 200, 300})
        {
            agenda->Schedule(AgendaKind::SAMPLER, 0, nowNs + atNs);
        }
        diary.onDue = [&](const Diary::Entry& entry) {
            if (entry.nowNs == nowNs + 200)
            {
                if (replaces)
                {
                    agenda->Schedule(AgendaKind::SAMPLER, 1, nowNs + 250);
                }
                throw std::runtime_error("a client");
            }
        };
        EXPECT_THROW(Simulator::Run(), std::runtime_error);
        EXPECT_EQ(agenda->NowNs(), nowNs + 200);
        ASSERT_EQ(diary.entries.size(), 2u);
        Simulator::Run();
        ASSERT_EQ(diary.entries.size(), replaces ? 4u : 3u);
        EXPECT_EQ(diary.entries.back().nowNs, nowNs + 300);
    }
}

TEST_F(NodeAgendaTest, AnIndexHasOneClient)
{
    agenda->Register(AgendaKind::SAMPLER, 3, &diary);
    Diary other;
    EXPECT_DEATH(agenda->Register(AgendaKind::SAMPLER, 3, &other), "has a client already");
}

TEST_F(NodeAgendaTest, AHostLeavesTheTimersOfThoseThatCameFirst)
{
    auto node = CreateObject<Node>();
    auto port = CreateObject<QbbNetDevice>();
    node->AddDevice(port);
    auto own = NodeAgenda::Of(node);
    const uint32_t first = own->Register(AgendaKind::HOST_TIMER, &diary);
    auto host = CreateObject<RdmaHost>();
    host->Install(node, 0x0b000001);
    own->Schedule(AgendaKind::HOST_TIMER, first, 70);
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), 1u);
    EXPECT_EQ(diary.entries.front().nowNs, 70);
    host->Dispose();
}

} // namespace
