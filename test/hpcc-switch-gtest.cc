/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/hpcc-dscp-priority-map.h"
#include "ns3/hpcc-ecmp-table.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/node.h"
#include "ns3/rdma-timer-heap.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace ns3;

namespace
{

using Verdict = SharedBuffer::Verdict;

/// What a SharedBuffer is made of.
struct BufferSpec
{
    uint64_t bytes{1000000};     ///< BufferBytes
    uint64_t reserved{1000};     ///< ReservedBytes
    uint64_t headroom{20000};    ///< HeadroomBytes
    uint64_t resumeOffset{3000}; ///< ResumeOffset
    double alpha{0.5};           ///< Alpha
    double egressAlpha{1.0};     ///< EgressAlpha
    std::string alphaPerRate;    ///< AlphaPerRate
    uint32_t ports{4};           ///< ports, all alike
    uint8_t lossless{1 << 3};    ///< lossless priorities
};

/// Port limits of 100 Gb/s, 1 us, frames of 1 KB.
constexpr uint64_t RATE = 100000000000;
constexpr int64_t DELAY_NS = 1000;
constexpr uint32_t MAX_FRAME = 1100;

Ptr<SharedBuffer>
MakeBuffer(const BufferSpec& spec)
{
    auto buffer = CreateObject<SharedBuffer>();
    buffer->SetAttribute("BufferBytes", UintegerValue(spec.bytes));
    buffer->SetAttribute("ReservedBytes", UintegerValue(spec.reserved));
    buffer->SetAttribute("HeadroomBytes", UintegerValue(spec.headroom));
    buffer->SetAttribute("ResumeOffset", UintegerValue(spec.resumeOffset));
    buffer->SetAttribute("Alpha", DoubleValue(spec.alpha));
    buffer->SetAttribute("EgressAlpha", DoubleValue(spec.egressAlpha));
    buffer->SetAttribute("AlphaPerRate", StringValue(spec.alphaPerRate));
    for (uint32_t i = 0; i < spec.ports; ++i)
    {
        buffer->AddPort({RATE, DELAY_NS, MAX_FRAME, spec.lossless});
    }
    return buffer;
}

/// Admit frames until the neighbour must pause. @return how many
uint64_t
FillUntilPause(SharedBuffer& buffer, uint32_t ingress, uint8_t priority, uint32_t frameBytes)
{
    uint64_t frames = 0;
    while (!buffer.MustPause(ingress, priority))
    {
        EXPECT_EQ(buffer.Admit(ingress, 0, priority, frameBytes), Verdict::ADMIT);
        ++frames;
    }
    return frames;
}

TEST(SharedBuffer, WhatIsSetAsideIsReservationsAndOneHeadroomPerLosslessQueue)
{
    BufferSpec spec;
    spec.lossless = 1 << 3 | 1 << 4;
    EXPECT_EQ(MakeBuffer(spec)->GetSharedBytes(), 1000000 - 4 * (8 * 1000 + 2 * 20000));
}

TEST(SharedBuffer, HeadroomIsTheRoundTripAndThreeFramesAndEightPfcFrames)
{
    BufferSpec spec;
    spec.headroom = 0;
    // 2 * 1 us * 100 Gb/s = 25,000 bytes; a PFC frame occupies 84.
    EXPECT_EQ(MakeBuffer(spec)->GetHeadroomBytes(0), 25000 + 1 + 3 * MAX_FRAME + 8 * 84);
    spec.lossless = 0;
    EXPECT_EQ(MakeBuffer(spec)->GetHeadroomBytes(0), 0);
}

TEST(SharedBuffer, AloneAQueueTakesItsReservationAndAlphaOverOnePlusAlphaOfTheSharedPart)
{
    for (double alpha : {1.0 / 64, 0.125, 0.5, 1.0, 8.0})
    {
        BufferSpec spec;
        spec.alpha = alpha;
        auto buffer = MakeBuffer(spec);
        auto shared = static_cast<double>(buffer->GetSharedBytes());
        FillUntilPause(*buffer, 1, 3, 100);
        // Choudhury and Hahne 1998, equation for one queue. One frame of tolerance.
        EXPECT_NEAR(static_cast<double>(buffer->GetSharedUsedBytes()),
                    alpha / (1 + alpha) * shared,
                    101)
            << alpha;
        uint64_t beyond = buffer->GetUsedBytes() - buffer->GetSharedUsedBytes() - 1000;
        EXPECT_LE(beyond, 100) << "reservation, shared part, at most one frame of headroom";
    }
}

TEST(SharedBuffer, QueuesShareByTheDynamicThreshold)
{
    BufferSpec spec;
    spec.alpha = 1;
    auto buffer = MakeBuffer(spec);
    auto shared = static_cast<double>(buffer->GetSharedBytes());
    // n queues filled in turn, frame by frame: each ends at alpha / (1 + n alpha).
    bool more = true;
    while (more)
    {
        more = false;
        for (uint32_t port = 0; port < 3; ++port)
        {
            if (!buffer->MustPause(port, 3))
            {
                buffer->Admit(port, 3, 3, 100);
                more = true;
            }
        }
    }
    EXPECT_NEAR(static_cast<double>(buffer->GetSharedUsedBytes()), 3.0 / 4 * shared, 500);
}

TEST(SharedBuffer, AlphaDependsOnThePortsSpeed)
{
    BufferSpec spec;
    spec.alphaPerRate = "400Gbps:0.125,100Gbps:1";
    auto buffer = MakeBuffer(spec);
    FillUntilPause(*buffer, 0, 3, 100);
    EXPECT_NEAR(static_cast<double>(buffer->GetSharedUsedBytes()),
                static_cast<double>(buffer->GetSharedBytes()) / 2,
                101);
}

TEST(SharedBuffer, ReservedBytesCannotBeTakenByOthers)
{
    BufferSpec spec;
    spec.egressAlpha = 64;
    auto buffer = MakeBuffer(spec);
    // Lossy priority 0 of port 0 takes all that it can.
    while (buffer->Admit(0, 0, 0, 10) == Verdict::ADMIT)
    {
    }
    // All lossy priorities of all ports still have what is theirs.
    for (uint32_t port = 0; port < 4; ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            if (port != 0 || priority != 0)
            {
                EXPECT_EQ(buffer->Admit(port, 1, priority, 1000), Verdict::ADMIT);
            }
        }
    }
    EXPECT_LE(buffer->GetUsedBytes(), 1000000);
}

TEST(SharedBuffer, EveryLosslessQueueHasAHeadroomOfItsOwn)
{
    BufferSpec spec;
    spec.lossless = 0xff;
    spec.alpha = 1e-6;
    auto buffer = MakeBuffer(spec);
    for (uint32_t port = 0; port < 4; ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            EXPECT_EQ(buffer->Admit(port, 0, priority, 1000), Verdict::ADMIT) << "reserved";
            for (uint32_t i = 0; i < 20; ++i)
            {
                EXPECT_EQ(buffer->Admit(port, 0, priority, 1000), Verdict::ADMIT) << "headroom";
                EXPECT_TRUE(buffer->MustPause(port, priority));
            }
            EXPECT_EQ(buffer->Admit(port, 0, priority, 1000), Verdict::BUFFER_FULL);
        }
    }
}

TEST(SharedBuffer, ALossyEgressQueueIsLimitedAndTheRefusedFrameIsNotCharged)
{
    BufferSpec spec;
    spec.egressAlpha = 0.5;
    auto buffer = MakeBuffer(spec);
    auto shared = static_cast<double>(buffer->GetSharedBytes());
    uint32_t ingress = 0;
    uint64_t admitted = 0;
    while (buffer->Admit(ingress, 2, 0, 100) == Verdict::ADMIT)
    {
        admitted += 100;
        ingress = (ingress + 1) % 4;
    }
    // q = alpha * (S - s) + reserved, where 4 ingress queues hold their reservation and s the rest.
    double expected = (0.5 * (shared + 4 * 1000) + 1000) / 1.5;
    EXPECT_NEAR(static_cast<double>(admitted), expected, 201);
    EXPECT_EQ(buffer->Admit(0, 2, 0, 100), Verdict::EGRESS_LIMIT);
    EXPECT_EQ(buffer->GetUsedBytes(), admitted);
    EXPECT_EQ(buffer->Admit(0, 1, 0, 100), Verdict::ADMIT) << "another egress port is not limited";
    EXPECT_EQ(buffer->Admit(0, 2, 3, 100), Verdict::ADMIT) << "nor is a lossless priority";
}

TEST(SharedBuffer, APauseEndsOnlyBelowTheThresholdByTheResumeOffset)
{
    BufferSpec spec;
    spec.alpha = 1;
    auto buffer = MakeBuffer(spec);
    uint64_t frames = FillUntilPause(*buffer, 1, 3, 100);
    uint64_t atPause = buffer->GetSharedUsedBytes();
    while (!buffer->MayResume(1, 3))
    {
        buffer->Release(1, 0, 3, 100);
        --frames;
    }
    uint64_t atResume = buffer->GetSharedUsedBytes();
    // Both sides of shared + offset <= alpha * (S - shared) move: half the offset for alpha = 1.
    EXPECT_NEAR(static_cast<double>(atPause - atResume), 3000.0 / 2, 200);
    while (frames-- > 0)
    {
        EXPECT_TRUE(buffer->MayResume(1, 3));
        buffer->Release(1, 0, 3, 100);
    }
    EXPECT_TRUE(buffer->IsEmpty());
}

TEST(SharedBuffer, APauseEndsWhenTheQueueIsEmptyHoweverSmallTheThreshold)
{
    BufferSpec spec;
    spec.alpha = 1e-6;
    auto buffer = MakeBuffer(spec);
    for (int i = 0; i < 3; ++i)
    {
        buffer->Admit(1, 0, 3, 1000);
    }
    EXPECT_TRUE(buffer->MustPause(1, 3));
    buffer->Release(1, 0, 3, 1000);
    EXPECT_FALSE(buffer->MayResume(1, 3)) << "headroom in use";
    buffer->Release(1, 0, 3, 1000);
    EXPECT_TRUE(buffer->MayResume(1, 3));
}

TEST(SharedBuffer, WhateverComesAndGoesTheBooksBalance)
{
    std::mt19937_64 random(1);
    for (int run = 0; run < 50; ++run)
    {
        BufferSpec spec;
        spec.bytes = 200000 + random() % 100000;
        spec.headroom = 3000 + random() % 3000;
        spec.alpha = std::ldexp(1.0, static_cast<int>(random() % 8) - 5);
        spec.egressAlpha = std::ldexp(1.0, static_cast<int>(random() % 8) - 5);
        spec.lossless = static_cast<uint8_t>(random());
        auto buffer = MakeBuffer(spec);
        ASSERT_EQ(buffer->Validate(), "");

        struct Held
        {
            uint32_t ingress;
            uint32_t egress;
            uint8_t priority;
            uint32_t bytes;
        };

        std::vector<Held> held;
        std::map<std::pair<uint32_t, uint8_t>, uint64_t> byIngress;
        uint64_t sum = 0;
        for (int step = 0; step < 5000; ++step)
        {
            if (held.empty() || random() % 100 < (step < 3000 ? 60U : 40U))
            {
                Held frame{static_cast<uint32_t>(random() % 4),
                           static_cast<uint32_t>(random() % 4),
                           static_cast<uint8_t>(random() % 8),
                           static_cast<uint32_t>(60 + random() % 1500)};
                auto verdict =
                    buffer->Admit(frame.ingress, frame.egress, frame.priority, frame.bytes);
                bool lossless = spec.lossless >> frame.priority & 1;
                EXPECT_FALSE(lossless && verdict == Verdict::EGRESS_LIMIT);
                if (verdict == Verdict::ADMIT)
                {
                    held.push_back(frame);
                    sum += frame.bytes;
                    byIngress[{frame.ingress, frame.priority}] += frame.bytes;
                }
            }
            else
            {
                std::swap(held[random() % held.size()], held.back());
                const Held& frame = held.back();
                buffer->Release(frame.ingress, frame.egress, frame.priority, frame.bytes);
                sum -= frame.bytes;
                byIngress[{frame.ingress, frame.priority}] -= frame.bytes;
                if (byIngress[{frame.ingress, frame.priority}] == 0)
                {
                    EXPECT_TRUE(buffer->MayResume(frame.ingress, frame.priority)) << "no deadlock";
                }
                held.pop_back();
            }
            ASSERT_EQ(buffer->GetUsedBytes(), sum);
            ASSERT_LE(sum, spec.bytes) << "the memory is not oversubscribed";
            ASSERT_LE(buffer->GetSharedUsedBytes(), buffer->GetSharedBytes());
        }
        for (const auto& frame : held)
        {
            EXPECT_FALSE(buffer->IsEmpty());
            buffer->Release(frame.ingress, frame.egress, frame.priority, frame.bytes);
        }
        EXPECT_TRUE(buffer->IsEmpty());
    }
}

TEST(SharedBuffer, MemoryThatIsAllSetAsideIsRefusedWithOneLine)
{
    BufferSpec spec;
    spec.bytes = 4 * (8 * 1000 + 20000);
    std::string why = MakeBuffer(spec)->Validate();
    EXPECT_NE(why.find("BufferBytes 112000"), std::string::npos) << why;
    EXPECT_NE(why.find("112000 bytes set aside"), std::string::npos) << why;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    ++spec.bytes;
    EXPECT_EQ(MakeBuffer(spec)->Validate(), "");
}

TEST(EcnMarker, ASpeedWithAnEntryHasItsThresholdsOthersScaleTheFirst)
{
    auto marker = CreateObject<EcnMarker>();
    marker->SetAttribute("Thresholds", StringValue("25Gbps:100000:400000:0.2,100Gbps:5:6:0.7"));
    auto exact = marker->ForRate(100000000000);
    EXPECT_EQ(exact.kminBytes, 5);
    EXPECT_EQ(exact.kmaxBytes, 6);
    EXPECT_EQ(exact.pmax, 0.7);
    for (double factor : {0.4, 1.0, 2.0, 16.0, 32.0})
    {
        auto scaled = marker->ForRate(static_cast<uint64_t>(25e9 * factor));
        EXPECT_DOUBLE_EQ(scaled.kminBytes, 100000 * factor);
        EXPECT_DOUBLE_EQ(scaled.kmaxBytes, 400000 * factor);
        EXPECT_EQ(scaled.pmax, 0.2);
    }
}

TEST(EcnMarkerDeathTest, MalformedThresholdsAreRefused)
{
    for (const char* text : {"",
                             "25Gbps",
                             "25Gbps:1:2",
                             "25Gbps:3:2:0.5",
                             "25Gbps:1:2:1.5",
                             "25Gbps:-1:2:0.5",
                             "25Gbps:1:2:0.5x",
                             "25Gbps:1;2:0.5",
                             "25Xbps:1:2:0.5",
                             "0bps:1:2:0.5",
                             "25Gbps:1:2:nan",
                             ":1:2:0.5",
                             "25Gbps:1:2:0.5,oops"})
    {
        auto marker = CreateObject<EcnMarker>();
        EXPECT_DEATH(marker->SetAttribute("Thresholds", StringValue(text)),
                     "EcnMarker::Thresholds: .*RATE:KMIN:KMAX:PMAX")
            << text;
    }
}

TEST(SharedBufferDeathTest, MalformedAlphasAreRefused)
{
    for (const char* text :
         {"400Gbps", "400Gbps:", "400Gbps:0", "400Gbps:-1", "400Gbps:0.5x", "x:0.5", "0bps:1", ","})
    {
        auto buffer = CreateObject<SharedBuffer>();
        EXPECT_DEATH(buffer->SetAttribute("AlphaPerRate", StringValue(text)),
                     "SharedBuffer::AlphaPerRate: .*RATE:ALPHA")
            << text;
    }
}

TEST(DscpPriorityMap, ReadsPairsAndGivesTheRestPriorityZero)
{
    DscpPriorityMap map;
    std::string why;
    ASSERT_TRUE(map.Parse("26:3,48:6,63:7,0:1", why)) << why;
    for (unsigned tos = 0; tos < 256; ++tos)
    {
        unsigned dscp = tos >> 2;
        unsigned expected = dscp == 26 ? 3 : dscp == 48 ? 6 : dscp == 63 ? 7 : dscp == 0 ? 1 : 0;
        EXPECT_EQ(map[static_cast<uint8_t>(tos)], expected) << "the ECN bits do not matter";
    }
    EXPECT_EQ(map.ToString(), "0:1,26:3,48:6,63:7");
    ASSERT_TRUE(map.Parse("", why));
    EXPECT_EQ(map.ToString(), "");
    ASSERT_TRUE(map.Parse(DscpPriorityMap::DEFAULT, why));
    EXPECT_EQ(map[26 << 2], 3);
    EXPECT_EQ(map[24 << 2], 3);
    EXPECT_EQ(map[48 << 2], 6);
}

TEST(DscpPriorityMap, RefusesWhatIsMalformedAndKeepsTheOldMap)
{
    DscpPriorityMap map;
    std::string why;
    ASSERT_TRUE(map.Parse("26:3", why));
    for (const char* text : {"64:1",
                             "26:8",
                             "26",
                             "26:",
                             ":3",
                             "26:3:1",
                             "26-3",
                             "-1:3",
                             "26:-1",
                             "x",
                             "26:3,,24:3",
                             ","})
    {
        why.clear();
        EXPECT_FALSE(map.Parse(text, why)) << text;
        EXPECT_NE(why, "") << text;
        EXPECT_EQ(map.ToString(), "26:3");
    }
}

TEST(EcmpTable, GivesTheRoutesThatWereSetAndNoOthers)
{
    EcmpTable table;
    EXPECT_TRUE(table.GetRoute(5).empty());
    table.SetRoute(100, {7});
    table.SetRoute(90, {1, 2, 3});
    table.SetRoute(110, {1, 2, 3});
    table.SetRoute(105, {4});
    EXPECT_EQ(table.Lookup(100, 12345), 7);
    EXPECT_EQ(table.Lookup(105, 12345), 4);
    EXPECT_EQ(table.GetRoute(90), (std::vector<uint16_t>{1, 2, 3}));
    EXPECT_EQ(table.GetRoute(110), (std::vector<uint16_t>{1, 2, 3}));
    for (uint32_t address : {0U, 89U, 91U, 99U, 101U, 104U, 109U, 111U, UINT32_MAX})
    {
        EXPECT_EQ(table.Lookup(address, 1), EcmpTable::NO_ROUTE) << address;
        EXPECT_TRUE(table.GetRoute(address).empty()) << address;
    }
    table.SetRoute(100, {});
    EXPECT_EQ(table.Lookup(100, 12345), EcmpTable::NO_ROUTE);
}

/// @return hashes of the flows of a permutation and an incast: neighbouring addresses and ports
std::vector<uint32_t>
FlowHashes(uint32_t flows)
{
    std::vector<uint32_t> hashes;
    for (uint32_t i = 0; i < flows; ++i)
    {
        hashes.push_back(HashFiveTuple(0x0b000001 + i % 64,
                                       0x0b000001 + (i % 2 ? 64 : 64 + i % 64),
                                       static_cast<uint16_t>(49152 + i / 64),
                                       4791,
                                       17));
    }
    return hashes;
}

/// @return chi-square of counts against an even spread
double
ChiSquare(const std::vector<uint32_t>& counts)
{
    double total = 0;
    for (uint32_t count : counts)
    {
        total += count;
    }
    double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (uint32_t count : counts)
    {
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

/// @return what chi-square with n degrees of freedom exceeds with a probability of 1e-6
/// (Wilson and Hilferty 1931)
double
ChiSquareLimit(double n)
{
    double a = 2 / (9 * n);
    return n * std::pow(1 - a + 4.7534 * std::sqrt(a), 3);
}

TEST(EcmpTable, SpreadsFlowsEvenly)
{
    auto hashes = FlowHashes(4096);
    for (uint32_t ways : {2, 3, 4, 7, 8, 16, 32})
    {
        std::vector<uint16_t> ports(ways);
        for (uint16_t i = 0; i < ways; ++i)
        {
            ports[i] = i;
        }
        for (uint32_t seed = 0; seed < 64; ++seed)
        {
            EcmpTable table;
            table.SetSeed(seed);
            table.SetRoute(1, ports);
            std::vector<uint32_t> counts(ways);
            for (uint32_t hash : hashes)
            {
                ++counts[table.Lookup(1, hash)];
            }
            EXPECT_LT(ChiSquare(counts), ChiSquareLimit(ways - 1))
                << ways << " ways, seed " << seed;
        }
    }
}

TEST(EcmpTable, SwitchesChooseIndependentlyOfEachOther)
{
    // Polarisation: flows that one switch sends to one port meet at a second that sends them all
    // to one port again. The pairs of choices must be as even as independent ones.
    auto hashes = FlowHashes(4096);
    for (uint32_t ways : {2, 4, 8})
    {
        std::vector<uint16_t> ports(ways);
        for (uint16_t i = 0; i < ways; ++i)
        {
            ports[i] = i;
        }
        for (uint32_t first = 0; first < 40; ++first)
        {
            for (uint32_t second = first + 1; second < 40; ++second)
            {
                EcmpTable a;
                EcmpTable b;
                a.SetSeed(first);
                b.SetSeed(second);
                a.SetRoute(1, ports);
                b.SetRoute(1, ports);
                std::vector<uint32_t> counts(ways * ways);
                for (uint32_t hash : hashes)
                {
                    ++counts[a.Lookup(1, hash) * ways + b.Lookup(1, hash)];
                }
                EXPECT_LT(ChiSquare(counts), ChiSquareLimit(ways * ways - 1))
                    << ways << " ways, switches " << first << " and " << second;
            }
        }
    }
}

TEST(FlowHash, EveryPartOfTheFiveTupleMatters)
{
    uint32_t hash = HashFiveTuple(1, 2, 3, 4, 5);
    std::set<uint32_t> hashes{hash,
                              HashFiveTuple(9, 2, 3, 4, 5),
                              HashFiveTuple(1, 9, 3, 4, 5),
                              HashFiveTuple(1, 2, 9, 4, 5),
                              HashFiveTuple(1, 2, 3, 9, 5),
                              HashFiveTuple(1, 2, 3, 4, 9),
                              HashFiveTuple(2, 1, 4, 3, 5)};
    EXPECT_EQ(hashes.size(), 7);
}

/// Notes what comes due, and notes more while it is at it.
class Diary : public AgendaClient
{
  public:
    /// An entry.
    struct Entry
    {
        int64_t nowNs;   ///< when
        AgendaKind kind; ///< what
        uint32_t index;  ///< of which

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

    int64_t maxLagNs{0};                     ///< how late an entry may be
    std::vector<Entry> entries;              ///< in the order of the calls
    std::function<void(const Entry&)> onDue; ///< what else
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
    Diary diary;            ///< its only client
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
        agenda->Note(entry.kind, entry.index, entry.nowNs);
    }
    Simulator::Run();
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(diary.entries == expected);
    EXPECT_EQ(agenda->GetPendingEvents(), 0);
}

TEST_F(NodeAgendaTest, WhatIsNotedWhileItRunsComesInItsPlace)
{
    // Each item of a first generation notes another at the same or a later time.
    std::mt19937 random(2);
    uint64_t noted = 0;
    diary.onDue = [&](const Diary::Entry& entry) {
        if (noted < 5000)
        {
            ++noted;
            agenda->Note(static_cast<AgendaKind>(random() % KINDS),
                         static_cast<uint32_t>(random() % INDICES),
                         entry.nowNs + static_cast<int64_t>(random() % 20));
        }
    };
    for (uint32_t i = 0; i < 50; ++i)
    {
        ++noted;
        agenda->Note(AgendaKind::ARRIVAL, i % INDICES, random() % 50);
    }
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), noted);
    for (size_t i = 1; i < diary.entries.size(); ++i)
    {
        ASSERT_LE(diary.entries[i - 1].nowNs, diary.entries[i].nowNs);
    }
    EXPECT_EQ(agenda->GetPendingEvents(), 0);
}

TEST_F(NodeAgendaTest, AnEarlierItemIsNotHeldUpByALaterOne)
{
    // Falling times: each needs an event of its own, more than the agenda remembers.
    for (int64_t atNs = 1000; atNs > 0; atNs -= 10)
    {
        agenda->Note(AgendaKind::SAMPLER, 0, atNs);
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
        agenda->Note(AgendaKind::ARRIVAL, index, 500);
        agenda->Note(AgendaKind::PORT_FREE, index, 500);
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
    std::vector<Diary::Entry> noted;
    diary.onDue = [&](const Diary::Entry& entry) {
        EXPECT_EQ(agenda->NowNs(), entry.nowNs);
        EXPECT_EQ(agenda->CatchUp(), entry.nowNs) << "nothing to do: the agenda is at it";
        if (noted.size() < 5000)
        {
            noted.push_back({entry.nowNs + static_cast<int64_t>(random() % 20),
                             static_cast<AgendaKind>(random() % KINDS),
                             static_cast<uint32_t>(random() % INDICES)});
            agenda->Note(noted.back().kind, noted.back().index, noted.back().nowNs);
        }
    };
    for (uint32_t i = 0; i < 50; ++i)
    {
        noted.push_back({static_cast<int64_t>(random() % 50), AgendaKind::ARRIVAL, i % INDICES});
        agenda->Note(noted.back().kind, noted.back().index, noted.back().nowNs);
    }
    uint32_t early = agenda->GetPendingEvents();
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), noted.size());
    for (size_t i = 1; i < diary.entries.size(); ++i)
    {
        ASSERT_LE(diary.entries[i - 1].nowNs, diary.entries[i].nowNs);
    }
    std::sort(noted.begin(), noted.end());
    std::sort(diary.entries.begin(), diary.entries.end());
    EXPECT_TRUE(diary.entries == noted);
    EXPECT_LE(agenda->GetEvents(), static_cast<uint64_t>(noted.back().nowNs / 40 + 1) + early);
    EXPECT_EQ(agenda->GetPendingEvents(), 0);
}

TEST_F(NodeAgendaTest, CatchingUpDoesWhatWasDueBeforeNow)
{
    agenda->SetAttribute("MaxLag", TimeValue(NanoSeconds(1000)));
    diary.maxLagNs = 1000;
    for (int64_t atNs : {300, 499, 500, 501})
    {
        agenda->Note(AgendaKind::SAMPLER, 0, atNs);
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
        agenda->Note(AgendaKind::SAMPLER, 0, atNs);
    }
    Simulator::Schedule(NanoSeconds(450), [this] {
        agenda->EndAt(500);
        Simulator::Stop(NanoSeconds(50));
    });
    Simulator::Run();
    ASSERT_EQ(diary.entries.size(), 2);
    EXPECT_EQ(diary.entries.back().nowNs, 499);
}

TEST(RdmaTimerHeap, AgreesWithASortedSet)
{
    std::mt19937 random(1);
    RdmaTimerHeap heap;
    std::map<uint32_t, int64_t> timeOf;
    std::set<std::pair<int64_t, uint32_t>> sorted;
    for (int step = 0; step < 200000; ++step)
    {
        auto id = static_cast<uint32_t>(random() % 300);
        if (auto found = timeOf.find(id); found != timeOf.end())
        {
            sorted.erase({found->second, id});
            timeOf.erase(found);
        }
        uint32_t action = random() % 10;
        if (action == 0)
        {
            heap.Remove(id);
        }
        else if (action == 1)
        {
            heap.Set(id, RdmaTimerHeap::NEVER);
        }
        else
        {
            auto atNs = static_cast<int64_t>(random() % 1000);
            heap.Set(id, atNs);
            timeOf[id] = atNs;
            sorted.insert({atNs, id});
        }
        ASSERT_EQ(heap.TopNs(), sorted.empty() ? RdmaTimerHeap::NEVER : sorted.begin()->first);
        if (!sorted.empty())
        {
            ASSERT_EQ(heap.TopId(), sorted.begin()->second) << "ties by queue pair";
        }
        if (step % 5000 == 4999)
        {
            while (!sorted.empty())
            {
                ASSERT_EQ(heap.TopNs(), sorted.begin()->first);
                ASSERT_EQ(heap.TopId(), sorted.begin()->second);
                heap.Remove(heap.TopId());
                timeOf.erase(sorted.begin()->second);
                sorted.erase(sorted.begin());
            }
            ASSERT_EQ(heap.TopNs(), RdmaTimerHeap::NEVER);
        }
    }
}

} // namespace
