/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-law.h"
#include "hpcc-test-refusal.h"

#include "ns3/hpcc-flow-filter.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-commit-rule.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-receiver-computation.h"
#include "ns3/rdma-sampling.h"
#include "ns3/string.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Tests the control law with a flow whose packets do not carry the records of all hops.
class SparseLawTest : public HpccLawTest
{
  protected:
    void SetUp() override
    {
        parameters.missingHop = HpccParameters::MISSING_SKIPS;
        Open();
    }

    /// Passes the acknowledgement and the records of a packet that was sent after all earlier
    /// acknowledgements had arrived.
    const HpccOutcome& Ack(int64_t nowNs, const std::vector<HopTelemetry>& hops)
    {
        seq += 1000;
        return HpccLawTest::Ack(hops, seq, seq, nowNs);
    }

    uint64_t seq{0};
};

TEST_F(SparseLawTest, AHopThatSkipsAPacketIsNoPathChange)
{
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0), Hop(3, 1000, 0)});
    for (const auto& some : std::vector<std::vector<HopTelemetry>>{
             {Hop(1, 2000, 6250), Hop(3, 2000, 12500)},
             {Hop(2, 3000, 12500)},
             {Hop(1, 4000, 18750), Hop(2, 4000, 18750), Hop(3, 4000, 25000)}})
    {
        const auto& outcome = Ack(static_cast<int64_t>(some[0].timestampNs), some);
        EXPECT_EQ(outcome.reset, HpccReset::NONE);
        EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
        EXPECT_EQ(outcome.hopCount, 3);
    }
    EXPECT_EQ(law.GetSkippedHops(), 0U);
}

TEST_F(SparseLawTest, AHopThatSkippedIsMeasuredSinceItsOwnLastRecord)
{
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0)});
    Ack(2000, {Hop(1, 2000, 3125)});
    const auto& outcome = Ack(3000, {Hop(1, 3000, 6250), Hop(2, 3000, 20000)});
    EXPECT_DOUBLE_EQ(outcome.hopU[0], 0.25);
    EXPECT_DOUBLE_EQ(outcome.hopU[1], 0.8);
    EXPECT_DOUBLE_EQ(outcome.tauNs, 2000);
}

TEST_F(SparseLawTest, OtherHopsOrAnotherOrderAreAPathChange)
{
    for (const auto& other : std::vector<std::vector<HopTelemetry>>{
             {Hop(4, 2000, 0)},
             {Hop(3, 2000, 0), Hop(1, 2000, 0)},
             {Hop(1, 2000, 0), Hop(4, 2000, 0), Hop(3, 2000, 0)},
             {Hop(1, 2000, 0), Hop(2, 2000, 0), Hop(3, 2000, 0), Hop(4, 2000, 0)}})
    {
        Open();
        Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0), Hop(3, 1000, 0)});
        EXPECT_EQ(Ack(2000, other).reset, HpccReset::PATH_CHANGE);
    }
}

TEST_F(SparseLawTest, WithTheLiteralRuleOrWithoutIdsAMissingHopIsAPathChange)
{
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0)});
    format.fields &= ~IDS;
    EXPECT_EQ(Ack(2000, {Hop(1, 2000, 0)}).reset, HpccReset::PATH_CHANGE);
    format.fields |= IDS;
    parameters.missingHop = HpccParameters::MISSING_CHANGES;
    Open();
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0)});
    EXPECT_EQ(Ack(2000, {Hop(1, 2000, 0)}).reset, HpccReset::PATH_CHANGE);
}

TEST_F(SparseLawTest, TheLastLoadOfAHopThatSkipsCountsForTwoBaseRtts)
{
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0)});
    Ack(2000, {Hop(1, 2000, 6250)}); // loads are stored from this ACK on
    Ack(3000, {Hop(1, 3000, 12500), Hop(2, 3000, 22500)});
    for (int64_t now : {4000, 8000, 13000})
    {
        const auto ts = static_cast<uint64_t>(now);
        const auto& outcome = Ack(now, {Hop(1, ts, 12500 + (ts - 3000) * 25 / 4)});
        EXPECT_DOUBLE_EQ(outcome.u, 0.9) << now;
        EXPECT_EQ(outcome.bottleneck, 1) << now;
        EXPECT_LT(outcome.hopU[1], 0) << now;
    }
    const auto& outcome = Ack(13001, {Hop(1, 13001, 12500 + 62507)});
    EXPECT_EQ(outcome.bottleneck, 0);
    EXPECT_LT(outcome.u, 0.6);
}

TEST_F(SparseLawTest, AHopWithAWindowOfItsOwnKeepsItsUWhileItsLoadIsUnknown)
{
    parameters.perHop = true;
    Open();
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0)});
    Ack(2000, {Hop(1, 2000, 6250), Hop(2, 2000, 6250)});
    const double u = (*flow.hopWindows)[1].utilization;
    Ack(3000, {Hop(1, 3000, 12500)}); // the first packet without hop 2
    EXPECT_EQ((*flow.hopWindows)[1].utilization, u);
}

TEST_F(SparseLawTest, ADuplicateWithoutAHopChangesNothing)
{
    Ack(1000, {Hop(1, 1000, 0), Hop(2, 1000, 0)});
    Ack(2000, {Hop(1, 2000, 6250), Hop(2, 2000, 6250)});
    const double u = flow.utilization;
    EXPECT_EQ(Ack(3000, {Hop(1, 2000, 6250)}).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.utilization, u);
}

TEST_F(SparseLawTest, PacketsWithoutAnyRecordForTwoBaseRttsCountAsAQuietPath)
{
    parameters.quietLoad = 0.85;
    parameters.maxStage = 0;
    Open();
    Ack(1000, {Hop(1, 1000, 0)});
    Ack(6000, {Hop(1, 6000, 62500, 62500)});
    EXPECT_EQ(flow.windowBytes, 62500 / (1 / 0.95) + 31.25);
    Ack(11000, {Hop(1, 11000, 125000, 62500)});
    const double w = flow.referenceBytes;
    EXPECT_EQ(Ack(21000, {}).branch, HpccBranch::NONE) << "2 T";
    EXPECT_EQ(Ack(21001, {}).branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(flow.windowBytes, w / (0.85 / 0.95) + 31.25);
    flow.lastUpdateSeq = seq + 5000;
    EXPECT_EQ(Ack(21002, {}).branch, HpccBranch::NONE) << "once a round";
    EXPECT_EQ(flow.windowBytes, flow.referenceBytes);
    flow.lastUpdateSeq = 0;
    flow.windowBytes = flow.initialBytes;
    EXPECT_EQ(Ack(21003, {}).branch, HpccBranch::NONE) << "W is at its limit";
}

TEST_F(SparseLawTest, IfSwitchesInsertRecordsAtIntervalsPacketsWithoutRecordsSayNothing)
{
    parameters.quietLoad = 0.85;
    for (const auto thinning : {THINNED_BY_LOAD, THINNED_BY_TIME})
    {
        Open();
        flow.thinned = thinning;
        Ack(1000, {Hop(1, 1000, 0)});
        Ack(6000, {Hop(1, 6000, 62500, 62500)});
        Ack(11000, {Hop(1, 11000, 125000, 62500)});
        ASSERT_LT(flow.windowBytes, flow.initialBytes);
        EXPECT_EQ(Ack(21001, {}).branch,
                  thinning == THINNED_BY_LOAD ? HpccBranch::COMMIT : HpccBranch::NONE);
    }
}

TEST_F(SparseLawTest, WithoutAQuietLoadPacketsWithoutRecordsChangeNothing)
{
    parameters.quietLoad = 0;
    Open();
    Ack(1000, {Hop(1, 1000, 0)});
    Ack(6000, {Hop(1, 6000, 62500, 62500)});
    Ack(11000, {Hop(1, 11000, 125000, 62500)});
    const double w = flow.windowBytes;
    ASSERT_LT(w, flow.initialBytes);
    EXPECT_EQ(Ack(9'000'000, {}).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.windowBytes, w);
}

TEST_F(SparseLawTest, TheDefaultsForSparseSamplesAreTheCurrentQueueAndAnEstimateAtFirst)
{
    parameters.queueFilter = HpccParameters::QUEUE_DEFAULT;
    parameters.firstSample = HpccParameters::FIRST_DEFAULT;
    for (bool sparse : {false, true})
    {
        Open();
        flow.sparse = sparse;
        EXPECT_EQ(Ack(1000, {Hop(1, 1000, 0, 31250)}).branch,
                  sparse ? HpccBranch::COMMIT : HpccBranch::NONE);
        EXPECT_EQ(flow.utilization, sparse ? 1.5 : 1);
        EXPECT_EQ(Ack(5999, {Hop(1, 5999, 0, 62500)}).u, 0.5) << "less than T apart";
        EXPECT_EQ(Ack(10999, {Hop(1, 10999, 0, 93750)}).u, sparse ? 1.5 : 1) << "T apart";
    }
}

/// Tests with a flow over switches that insert records only into some packets.
class ThinnedLawTest : public SparseLawTest
{
  protected:
    void SetUp() override
    {
        SparseLawTest::SetUp();
        flow.sparse = true;
        flow.thinned = THINNED_BY_TIME;
    }

    /// Returns the switches in L, in the order of L.
    std::vector<uint32_t> Path() const
    {
        std::vector<uint32_t> path;
        for (uint32_t i = 0; i < flow.hopCount; ++i)
        {
            path.push_back(flow.records[i].switchId);
        }
        return path;
    }
};

TEST_F(ThinnedLawTest, ThePathIsAssembledFromTheRecordsOfSeveralPackets)
{
    Ack(1000, {Hop(2, 1000, 0)});
    for (const auto& [some, path] :
         std::vector<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>>{
             {{4}, {2, 4}},
             {{3, 4}, {2, 3, 4}},
             {{1, 4}, {2, 3, 1, 4}},
             {{1, 2}, {1, 3, 2, 4}},
             {{1, 2, 5, 4}, {1, 3, 2, 5, 4}},
             {{2, 3}, {1, 2, 3, 5, 4}},
             {{1, 5}, {1, 2, 3, 5, 4}},
             {{4, 5}, {1, 2, 3, 4, 5}}})
    {
        std::vector<HopTelemetry> hops;
        const int64_t nowNs = static_cast<int64_t>(seq) + 1000;
        for (const uint32_t id : some)
        {
            hops.push_back(Hop(id, static_cast<uint64_t>(nowNs), 0));
        }
        EXPECT_EQ(Ack(nowNs, hops).reset, HpccReset::NONE) << nowNs;
        EXPECT_EQ(Path(), path) << nowNs;
    }
}

TEST_F(ThinnedLawTest, AHopKeepsItsRecordAndItsLoadWhenHopsAreAdded)
{
    Ack(1000, {Hop(2, 1000, 0)});
    Ack(2000, {Hop(2, 2000, 11250)}); // 0.9
    Ack(2500, {Hop(1, 2500, 0)});
    const auto& outcome = Ack(3000, {Hop(1, 3000, 3125)}); // 0.5
    EXPECT_EQ(Path(), (std::vector<uint32_t>{2, 1}));
    EXPECT_DOUBLE_EQ(outcome.hopU[1], 0.5);
    const auto& both = Ack(4000, {Hop(1, 4000, 9375), Hop(2, 4000, 31250)});
    EXPECT_EQ(Path(), (std::vector<uint32_t>{1, 2}));
    EXPECT_DOUBLE_EQ(both.hopU[0], 0.5);
    EXPECT_DOUBLE_EQ(both.hopU[1], 0.8);
    EXPECT_DOUBLE_EQ(Ack(5000, {Hop(1, 5000, 15625)}).u, 0.8) << "the last load of hop 2";
}

TEST_F(ThinnedLawTest, AnAddedHopWithAQueueIsMeasuredAtOnceAndOneWithoutDelaysNoCommit)
{
    Ack(1000, {Hop(1, 1000, 0)});
    const uint64_t round = flow.lastUpdateSeq;
    EXPECT_EQ(Ack(2000, {Hop(2, 2000, 0)}).branch, HpccBranch::NONE);
    EXPECT_EQ(flow.lastUpdateSeq, round);
    const auto& outcome = Ack(3000, {Hop(3, 3000, 0, 31250)});
    EXPECT_EQ(outcome.branch, HpccBranch::COMMIT);
    EXPECT_DOUBLE_EQ(outcome.u, 1.5);
    EXPECT_DOUBLE_EQ(flow.utilization, 1.5);
    parameters.firstSample = HpccParameters::FIRST_SKIP;
    Open();
    Ack(11000, {Hop(1, 11000, 0)});
    EXPECT_EQ(Ack(12000, {Hop(2, 12000, 0, 31250)}).branch, HpccBranch::NONE);
}

TEST_F(ThinnedLawTest, AnAddedHopGetsTheFlowsWindowAsItsOwn)
{
    parameters.perHop = true;
    Open();
    Ack(1000, {Hop(1, 1000, 0)});
    Ack(6000, {Hop(1, 6000, 62500, 62500)});
    ASSERT_LT(flow.referenceBytes, W_INIT);
    Ack(7000, {Hop(2, 7000, 0)});
    EXPECT_EQ(Path(), (std::vector<uint32_t>{1, 2}));
    EXPECT_EQ((*flow.hopWindows)[1].referenceBytes, flow.referenceBytes);
    EXPECT_EQ((*flow.hopWindows)[1].utilization, flow.utilization);
}

TEST_F(ThinnedLawTest, AnotherPortOfAKnownSwitchOrMoreThan16HopsAreAPathChange)
{
    Ack(1000, {Hop(1, 1000, 0)});
    Ack(2000, {Hop(2, 2000, 0)});
    HopTelemetry other = Hop(1, 3000, 0);
    other.portId = 2;
    EXPECT_EQ(Ack(3000, {other}).reset, HpccReset::PATH_CHANGE);
    EXPECT_EQ(Path(), (std::vector<uint32_t>{1}));
    for (uint32_t id = 2; id <= MAX_TELEMETRY_HOPS; ++id)
    {
        EXPECT_EQ(Ack(4000 + id, {Hop(id, 4000 + id, 0)}).reset, HpccReset::NONE) << id;
    }
    EXPECT_EQ(flow.hopCount, MAX_TELEMETRY_HOPS);
    EXPECT_EQ(Ack(5000, {Hop(99, 5000, 0)}).reset, HpccReset::PATH_CHANGE);
}

TEST(FlowFilterTest, LetsAFlowThroughOncePerPeriod)
{
    FlowFilter filter;
    filter.SetPeriod(1000);
    EXPECT_TRUE(filter.Add(7, 400));
    EXPECT_FALSE(filter.Add(7, 401));
    EXPECT_TRUE(filter.Add(8, 402));
    EXPECT_FALSE(filter.Add(7, 999));
    EXPECT_TRUE(filter.Add(7, 1000)) << "periods begin at multiples";
    EXPECT_FALSE(filter.Add(7, 1999));
    EXPECT_TRUE(filter.Add(7, 9500));
}

TEST(FlowFilterTest, TakesFewFlowsForOthers)
{
    FlowFilter filter;
    filter.SetPeriod(1000);
    uint32_t mistaken = 0;
    for (int64_t period = 0; period < 100; ++period)
    {
        for (uint32_t flow = 0; flow < 100; ++flow)
        {
            const auto hash = static_cast<uint32_t>(period * 100 + flow) * 2654435761U;
            mistaken += !filter.Add(hash, period * 1000);
        }
    }
    // According to the header file, the false-positive rate is 1 in 440 for the 100th flow. The
    // average over all flows is about a third of this rate.
    EXPECT_LT(mistaken, 10000 / 440);
}

/// @return a feedback mode with a sampling
Ptr<RdmaFeedback>
FeedbackWith(const std::string& sampling)
{
    return CreateObjectWithAttributes<RdmaFeedback>("Sampling", StringValue(sampling));
}

/// @return numbers of the packets that collect telemetry, among 24 packets that are sent every 500
/// ns
std::vector<uint32_t>
Sampled(const std::string& sampling, int64_t networkBaseRttNs)
{
    auto flow = FeedbackWith(sampling)->GetSampling()->Open(networkBaseRttNs);
    auto random = CreateObject<UniformRandomVariable>();
    std::vector<uint32_t> sampled;
    for (uint32_t packet = 0; packet < 24; ++packet)
    {
        if (flow->Collects({}, packet * 500, *random))
        {
            sampled.push_back(packet);
        }
    }
    return sampled;
}

TEST(RdmaSamplingTest, EachSamplesItsPackets)
{
    using List = std::vector<uint32_t>;
    EXPECT_EQ(FeedbackWith("")->GetSampling(), nullptr) << "all packets collect";
    EXPECT_EQ(Sampled("every-8", 4000), (List{0, 8, 16}));
    EXPECT_EQ(Sampled("per-rtt", 3750), (List{0, 8, 16})) << "the first one after 3750 ns";
    EXPECT_EQ(Sampled("ns3::RdmaRoundSampling[Round=6us]", 3750), (List{0, 12}));
}

TEST(RdmaSamplingTest, ARandomShareOfThePacketsIsSampled)
{
    auto flow =
        FeedbackWith("ns3::RdmaRandomSampling[Probability=0.25]")->GetSampling()->Open(4000);
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(1);
    uint32_t sampled = 0;
    for (uint32_t packet = 0; packet < 10000; ++packet)
    {
        sampled += flow->Collects({}, 0, *random);
    }
    EXPECT_NEAR(sampled, 2500, 5 * 43.3) << "5 standard deviations";
}

TEST(RdmaSamplingTest, SamplesAreSparseIfTheFirstRoundMayBringLessThanTwo)
{
    auto sparse = [](const std::string& sampling) { return FeedbackWith(sampling)->IsSparse(50); };
    EXPECT_FALSE(sparse(""));
    EXPECT_FALSE(sparse("every-8"));
    EXPECT_FALSE(sparse("ns3::RdmaIntervalSampling[Interval=50]"));
    EXPECT_TRUE(sparse("ns3::RdmaIntervalSampling[Interval=51]"));
    EXPECT_TRUE(sparse("random"));
    EXPECT_TRUE(sparse("per-rtt"));
}

TEST(RdmaFeedbackTest, ANameOfAPartIsAWayOfFeedbackWithThatPartAlone)
{
    const std::map<std::string, std::string> families{
        {"every-8", "Sampling"},
        {"random", "Sampling"},
        {"per-rtt", "Sampling"},
        {"probe", "Sampling"},
        {"notification", "Return"},
        {"packet:delayed-ack", "Return"},
        {"packet:delayed-ack-8", "Return"},
        {"packet:delayed-ack-urgent", "Return"},
        {"packet:every-8th-ack", "Return"},
        {"packet:worst-hop", "Report"},
        {"receiver", "Computation"},
        {"receiver:literal", "Computation"},
        {"receiver:rate", "Computation"},
        {"switch", "Subscription"},
        {"switch:dscp", "Subscription"},
        {"packet:n", "FlowCount"},
    };
    for (const auto& [name, family] : families)
    {
        ObjectFactory factory;
        ASSERT_TRUE(RdmaFeedback::Find(name, factory)) << name;
        const auto feedback = factory.Create<RdmaFeedback>();
        for (const char* attribute :
             {"Sampling", "Return", "Report", "Computation", "Subscription", "FlowCount"})
        {
            StringValue chosen;
            feedback->GetAttribute(attribute, chosen);
            EXPECT_EQ(chosen.Get(), attribute == family ? name : "") << name << " " << attribute;
        }
    }
    ObjectFactory factory;
    EXPECT_FALSE(RdmaFeedback::Find("nosuch", factory));
    ASSERT_TRUE(RdmaFeedback::Find("packet", factory));
    EXPECT_TRUE(factory.Create<RdmaFeedback>()->IsDefault());
}

TEST(RdmaFeedbackTest, APartThatDoesNotExistOrIsOfAnotherFamilyIsRefused)
{
    auto said = [](const std::string& text) {
        return hpcctest::RefusalOf([&] { FeedbackWith(text); });
    };
    EXPECT_EQ(said("evry-8"),
              "ns3::RdmaFeedback::Sampling: unknown \"evry-8\"; choices: "
              "ns3::CLASS[ATTRIBUTE=VALUE|...], every-8, per-rtt, probe, random; did you mean "
              "\"every-8\"?");
    for (const char* text : {"notification",
                             "ns3::RdmaAckReturn",
                             "ns3::RdmaSampling",
                             "ns3::RdmaRoundSampling[Nosuch=1]",
                             "ns3::RdmaIntervalSampling[Interval=0]",
                             "ns3::RdmaIntervalSampling[Interval=4",
                             "ns3::RdmaIntervalSampling[Interval]",
                             "ns3::Nosuch"})
    {
        EXPECT_EQ(said(text).find("ns3::RdmaFeedback::Sampling: unknown \""), 0U) << text;
    }
}

TEST(RdmaFeedbackTest, AClassWithAttributesIsAChoiceIfEachValueIsAllowed)
{
    auto made = [](const std::string& text) {
        bool asGiven = false;
        hpcctest::RefusalOf([&] {
            const auto feedback =
                CreateObjectWithAttributes<RdmaFeedback>("Computation", StringValue(text));
            const auto& computation = feedback->GetComputation();
            asGiven =
                computation->GetCommitRule() == RdmaReceiverInfo::TIME && computation->SendsRate();
        });
        return asGiven;
    };
    EXPECT_TRUE(made("ns3::RdmaReceiverComputation[CommitRule=Time|Message=Rate]"));
    EXPECT_FALSE(made("ns3::RdmaReceiverComputation[CommitRule=Time|Message=Rat]"));
    EXPECT_FALSE(made("ns3::RdmaReceiverComputation"));
}

} // namespace
