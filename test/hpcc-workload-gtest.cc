/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-seeds.h"

#include "ns3/hpcc-histogram.h"
#include "ns3/hpcc-workload-monitor.h"
#include "ns3/hpcc-workload.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace ns3;

namespace
{

/// @return message of the HpccInputError that a call throws; empty if it throws none
template <typename Call>
std::string
Complaint(const Call& call)
{
    try
    {
        call();
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

HpccFlowSizes
SizesOf(const std::string& text)
{
    std::istringstream in(text);
    return {in, "sizes.txt"};
}

HpccFlowTrace
TraceOf(const std::string& text)
{
    std::istringstream in(text);
    return HpccFlowTrace::Read(in, "flows.txt", HpccTopology::Star(4, {}));
}

std::string
TextOf(const HpccFlowTrace& trace)
{
    std::ostringstream out;
    trace.Write(out, "a test");
    return out.str();
}

/// Expected properties of a published distribution. The published percentiles of some distributions
/// are rounded.
struct Published
{
    const char* name; ///< short name
    double meanBytes; ///< mean, computed as an exact integral, bytes
    uint64_t p50;     ///< median, bytes
    uint64_t p90;     ///< 90th percentile, bytes
    uint64_t p99;     ///< 99th percentile, bytes
    uint64_t max;     ///< largest size, bytes
    double tolerance; ///< tolerance of the percentiles
};

constexpr Published PUBLISHED[] = {
    {"websearch", 1711250, 73077, 5000000, 23333333, 30000000, 1e-4},
    {"fb-hadoop", 120420.75, 700, 120000, 2000000, 10000000, 1e-4},
    {"ali-storage", 40869.8, 6340, 31000, 1290000, 2000000, 0.02},
    {"google-rpc", 2891.6, 257, 1700, 30600, 15158197, 0.03},
};

} // namespace

TEST(HpccFlowSizes, PublishedDistributionsHaveTheirMeansAndPercentiles)
{
    for (const auto& expected : PUBLISHED)
    {
        SCOPED_TRACE(expected.name);
        auto sizes = HpccFlowSizes::Load(expected.name);
        EXPECT_NEAR(sizes.GetMeanBytes(), expected.meanBytes, 0.1);
        for (auto [share, bytes] : {std::pair(0.5, expected.p50),
                                    std::pair(0.9, expected.p90),
                                    std::pair(0.99, expected.p99)})
        {
            auto exact = static_cast<double>(bytes);
            EXPECT_NEAR(static_cast<double>(sizes.GetBytes(share)),
                        exact,
                        expected.tolerance * exact + 1);
        }
        EXPECT_EQ(sizes.GetBytes(1), expected.max);
        EXPECT_EQ(sizes.GetBytes(0), 1);
    }
}

TEST(HpccFlowSizes, TheMeanIsThatOfTheSizesDrawn)
{
    for (const auto& expected : PUBLISHED)
    {
        auto sizes = HpccFlowSizes::Load(expected.name);
        constexpr int STEPS = 1000000;
        double sum = 0;
        uint64_t last = 0;
        for (int i = 0; i < STEPS; ++i)
        {
            uint64_t bytes = sizes.GetBytes((i + 0.5) / STEPS);
            EXPECT_GE(bytes, last);
            last = bytes;
            sum += static_cast<double>(bytes);
        }
        // Sizes are truncated to whole bytes, which reduces them by half a byte on average.
        EXPECT_NEAR(sum / STEPS, sizes.GetMeanBytes() - 0.5, 0.5 + 1e-4 * sizes.GetMeanBytes())
            << expected.name;
    }
}

TEST(HpccFlowSizes, AJumpAndAFirstShareAboveZeroAreAllowed)
{
    auto sizes = SizesOf("100 50 # half of them\n200 50\n\n# comment\n200 100\n");
    EXPECT_DOUBLE_EQ(sizes.GetMeanBytes(), 150);
    EXPECT_EQ(sizes.GetBytes(0.2), 100);
    EXPECT_EQ(sizes.GetBytes(0.5), 100);
    EXPECT_EQ(sizes.GetBytes(0.6), 200);
}

TEST(HpccFlowSizes, TheMeanCountsSizesBelow1AsTheyAreDrawn)
{
    EXPECT_DOUBLE_EQ(SizesOf("0 50\n10 100\n").GetMeanBytes(), 0.5 * 1 + 0.5 * 5);
    EXPECT_DOUBLE_EQ(SizesOf("0 0\n0.5 40\n100 40\n100 100\n").GetMeanBytes(), 0.4 * 1 + 0.6 * 100);
}

TEST(HpccFlowSizes, BadFilesAreRefusedWithFileAndLine)
{
    const std::pair<const char*, const char*> cases[] = {
        {"", "sizes.txt:0: there is no point"},
        {"# nothing\n", "sizes.txt:1: there is no point"},
        {"0 0\n1000 50\n500 100\n", "sizes.txt:3: sizes and shares must not decrease"},
        {"0 0\n1000 50\n2000 40\n", "sizes.txt:3: sizes and shares must not decrease"},
        {"0 0\n1000 50\n", "sizes.txt:2: the last share is 50 %, not 100"},
        {"0 0\n1000 0.5\n2000 1\n",
         "sizes.txt:3: the last share is 1, not 100: shares are in percent, not fractions of 1"},
        {"0 0\n1000\n", "sizes.txt:2: a line is"},
        {"0 0\n1000 50 60\n", "sizes.txt:2: a line is"},
        {"0 0\nabc 100\n", "sizes.txt:2: a line is"},
        {"-1 0\n1000 100\n", "sizes.txt:1: size"},
        {"0 -1\n1000 100\n", "sizes.txt:1: share"},
        {"0 0\n1000 101\n", "sizes.txt:2: share"},
        {"0 0\n0 100\n", "sizes.txt:2: all sizes are 0"},
    };
    for (const auto& [text, expected] : cases)
    {
        std::string why = Complaint([text = text] { SizesOf(text); });
        EXPECT_EQ(why.rfind(expected, 0), 0) << "\"" << text << "\" gives \"" << why << "\"";
    }
    EXPECT_NE(Complaint([] { HpccFlowSizes::Load("nosuch"); }).find("websearch"),
              std::string::npos);
}

TEST(HpccFlowTrace, WhatIsWrittenIsReadBack)
{
    const uint32_t seed = hpcctest::ChooseSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    HpccFlowTrace trace;
    for (int i = 0; i < 1000; ++i)
    {
        uint32_t source = random() % 4;
        trace.Add({source,
                   (source + 1 + static_cast<uint32_t>(random() % 3)) % 4,
                   1 + random() % 1000000000000,
                   static_cast<int64_t>(random() % 1000),
                   0,
                   0},
                  random() % 2 ? HpccFlowClass::INCAST : HpccFlowClass::BACKGROUND);
    }
    trace.Sort();
    std::string text = TextOf(trace);
    EXPECT_EQ(TextOf(TraceOf(text)), text);
    for (size_t i = 1; i < trace.GetFlows().size(); ++i)
    {
        EXPECT_LE(trace.GetFlows()[i - 1].startNs, trace.GetFlows()[i].startNs);
    }
}

TEST(HpccFlowTrace, FlowFilesOfTheAuthorsAreRead)
{
    auto trace = TraceOf("2\n0 1 3 100 1000 2.000001\n3 2 3 200 500000 0.5\n");
    ASSERT_EQ(trace.GetFlows().size(), 2);
    EXPECT_EQ(trace.GetFlows()[0].source, 3);
    EXPECT_EQ(trace.GetFlows()[0].destination, 2);
    EXPECT_EQ(trace.GetFlows()[0].bytes, 500000);
    EXPECT_EQ(trace.GetFlows()[0].startNs, 500000000);
    EXPECT_EQ(trace.GetClass(0), HpccFlowClass::INCAST);
    EXPECT_NEAR(static_cast<double>(trace.GetFlows()[1].startNs), 2000001000.0, 1);
    EXPECT_EQ(trace.GetClass(1), HpccFlowClass::BACKGROUND);
    // The flow file of the authors' simulator ends with an explanation.
    EXPECT_EQ(TraceOf("1\n0 1 3 100 5 2\n\nFirst line: # of flows\nsrc0 dst0 3 dst_port0\n")
                  .GetFlows()
                  .size(),
              1);
}

TEST(HpccFlowTrace, StartsInSecondsAreTruncatedAsInTheAuthorsSimulator)
{
    // The expected values were computed with int64x64_t, the type that the authors' simulator uses.
    const std::pair<double, int64_t> cases[] = {
        {2.0, 2000000000},
        {2.000000001, 2000000001},
        {2.000000003, 2000000002},
        {2.000005115, 2000005114},
        {0.00001, 9999},
        {0.000003, 2999},
        {1e-9, 0},
        {0, 0},
        {-1e-20, -1},
        {1e300, 1000000000000000000},
    };
    for (const auto& [seconds, ns] : cases)
    {
        EXPECT_EQ(HpccFlowTrace::AuthorsStartNs(seconds), ns) << seconds;
    }
    EXPECT_EQ(TraceOf("1\n0 1 3 100 5 0.00001\n").GetFlows()[0].startNs, 9999);
}

TEST(HpccFlowTrace, BadFilesAreRefusedWithFileAndLine)
{
    const std::pair<const char*, const char*> cases[] = {
        {"", "flows.txt:0: there is no flow"},
        {"flows 0\n", "flows.txt:1: there is no flow"},
        {"flow 1\n0 1 5 0 background\n", "flows.txt:1: \"flow\" is neither"},
        {"flows 2\n0 1 5 0 background\n", "flows.txt:2: the file is truncated: it has 1 of 2"},
        {"flows 1\n0 1 5 0 background\n0 1 5 0 background\n", "flows.txt:3: there are more"},
        {"flows 1\n# here\n0 4 5 0 background\n", "flows.txt:3: node 4 is not a host"},
        {"flows 1\n9 1 5 0 background\n", "flows.txt:2: node 9 is not a host"},
        {"flows 1\n1 1 5 0 background\n", "flows.txt:2: a flow from host 1 to itself"},
        {"flows 1\n0 1 0 0 background\n", "flows.txt:2: a flow is impossible: 0 bytes"},
        {"flows 1\n0 1 -5 0 background\n", "flows.txt:2: the size \"-5\""},
        {"flows 1\n0 1 5 -1 background\n", "flows.txt:2: a flow starts before 0"},
        {"flows 1\n0 1 5 0 job\n", "flows.txt:2: class \"job\""},
        {"flows 1\n0 1 5 0\n", "flows.txt:2: the class \"\""},
        {"flows 1\n0 1 5 0 background x\n", "flows.txt:2: \"x\" is one word too many"},
        {"1\n0 1 3 100 0 2\n", "flows.txt:2: a flow is impossible: 0 bytes"},
        {"1\n0 1 3 100 5\n", "flows.txt:2: the start \"\""},
        {"1\n0 1 3 100 5 2\n0 1 3 100 5 2\n", "flows.txt:3: there are more than the 1"},
        {"flows 1\n0 1 5 0 background\nend\n", "flows.txt:3: there are more"},
    };
    for (const auto& [text, expected] : cases)
    {
        std::string why = Complaint([text = text] { TraceOf(text); });
        EXPECT_EQ(why.rfind(expected, 0), 0) << "\"" << text << "\" gives \"" << why << "\"";
    }
}

/// Tests of Poisson arrivals in the network of the HPCC paper.
class HpccPoisson : public testing::Test
{
  protected:
    void SetUp() override
    {
        RngSeedManager::SetSeed(7);
        RngSeedManager::SetRun(1);
    }

    HpccFlowTrace Draw(const HpccPoissonTraffic& traffic, const HpccTopology& topology) const
    {
        HpccFlowTrace trace;
        traffic.AddTo(trace, topology, m_sizes, 1000);
        return trace;
    }

    HpccFlowSizes m_sizes = HpccFlowSizes::Load("fb-hadoop");
};

TEST_F(HpccPoisson, FlowsOfferTheLoadAsked)
{
    auto topology = HpccTopology::ByName("paper-fat-tree");
    auto trace = Draw({0.5, HpccPoissonTraffic::HOST_LINKS, MilliSeconds(2)}, topology);
    // With 320 hosts of 100 Gb/s and a load of 50 %, load * rate / (8 * mean) gives 1,660,843 flows
    // in 0.1 s.
    double expected = 320 * 0.5 * 100e9 / (8 * m_sizes.GetMeanBytes()) * 0.002;
    EXPECT_NEAR(expected, 33217, 1);
    auto flows = static_cast<double>(trace.GetFlows().size());
    EXPECT_NEAR(flows, expected, 4 * std::sqrt(expected));
    double bytes = 0;
    double squares = 0;
    for (const auto& flow : trace.GetFlows())
    {
        bytes += static_cast<double>(flow.bytes);
        squares += static_cast<double>(flow.bytes) * static_cast<double>(flow.bytes);
        EXPECT_NE(flow.source, flow.destination);
        EXPECT_LT(flow.startNs, 2000000);
    }
    // The payload of all flows is a compound Poisson variable. Its variance is the sum of the
    // squared sizes.
    EXPECT_NEAR(bytes, expected * m_sizes.GetMeanBytes(), 4 * std::sqrt(squares));
}

TEST_F(HpccPoisson, TheLoadRefersToTheRateAtWhichAHostSends)
{
    const DataRate slow("10Gbps");
    const DataRate fast("100Gbps");
    std::vector<size_t> flows;
    for (const bool hostFirst : {true, false})
    {
        HpccTopology topology;
        for (uint32_t node = 0; node < 5; ++node)
        {
            topology.AddNode(node == 4);
        }
        for (uint32_t host = 0; host < 4; ++host)
        {
            topology.AddLink({hostFirst ? host : 4,
                              hostFirst ? 4 : host,
                              hostFirst ? slow : fast,
                              MicroSeconds(1),
                              0,
                              hostFirst ? fast : slow});
        }
        const auto links = HpccPoissonTraffic::HOST_LINKS;
        flows.push_back(Draw({0.5, links, MilliSeconds(20)}, topology).GetFlows().size());
        const double expected = 4 * 0.5 * 10e9 / (8 * m_sizes.GetMeanBytes()) * 0.02;
        EXPECT_NEAR(static_cast<double>(flows.back()), expected, 4 * std::sqrt(expected));
    }
    EXPECT_EQ(flows.front(), flows.back());
}

TEST_F(HpccPoisson, GapsAreExponentialAndDestinationsUniform)
{
    auto topology = HpccTopology::Star(17, {});
    auto trace = Draw({0.5, HpccPoissonTraffic::HOST_LINKS, MilliSeconds(50)}, topology);
    trace.Sort();
    std::map<uint32_t, std::vector<double>> starts;
    std::map<std::pair<uint32_t, uint32_t>, double> pairs;
    for (const auto& flow : trace.GetFlows())
    {
        starts[flow.source].push_back(static_cast<double>(flow.startNs));
        ++pairs[{flow.source, flow.destination}];
    }
    auto flows = static_cast<double>(trace.GetFlows().size());
    double mean = 0;
    double squares = 0;
    double gaps = 0;
    for (const auto& [host, times] : starts)
    {
        for (size_t i = 1; i < times.size(); ++i)
        {
            double gap = times[i] - times[i - 1];
            mean += gap;
            squares += gap * gap;
            ++gaps;
        }
    }
    mean /= gaps;
    EXPECT_NEAR(squares / gaps / (mean * mean), 2, 0.1) << "as of an exponential distribution";
    double cells = 17 * 16;
    double chi2 = 0;
    for (const auto& [pair, count] : pairs)
    {
        chi2 += (count - flows / cells) * (count - flows / cells) / (flows / cells);
    }
    EXPECT_EQ(pairs.size(), 272);
    EXPECT_LT(chi2, cells + 4 * std::sqrt(2 * cells));
}

TEST_F(HpccPoisson, RunNumberAndHostDecideOnTheFlows)
{
    auto text = [this](uint64_t run, uint32_t hosts) {
        RngSeedManager::SetRun(run);
        auto trace = Draw({0.5, HpccPoissonTraffic::HOST_LINKS, MilliSeconds(1)},
                          HpccTopology::Star(hosts, {}));
        return TextOf(trace);
    };
    EXPECT_EQ(text(3, 8), text(3, 8));
    EXPECT_NE(text(3, 8), text(4, 8));
}

TEST_F(HpccPoisson, LoadOfUplinksCountsWhatLeavesTheRack)
{
    // A rack has 8 hosts of 100 Gb/s and 2 uplinks of 100 Gb/s. Of 31 destinations, 24 are in other
    // racks. Therefore the hosts of a rack have to offer 0.5 * 200 Gb/s / (24/31) in total.
    auto topology = HpccTopology::LeafSpine(4, 2, 8, {});
    Time duration = MilliSeconds(50);
    auto trace = Draw({0.5, HpccPoissonTraffic::TOR_UPLINKS, duration}, topology);
    double expected =
        4 * 0.5 * 200e9 * 31 / 24 / (8 * m_sizes.GetMeanBytes()) * duration.GetSeconds();
    EXPECT_NEAR(static_cast<double>(trace.GetFlows().size()), expected, 4 * std::sqrt(expected));
    EXPECT_NE(Complaint([&] {
                  Draw({0.5, HpccPoissonTraffic::TOR_UPLINKS, duration}, HpccTopology::Star(4, {}));
              }).find("--load-on"),
              std::string::npos);
}

TEST_F(HpccPoisson, LoadsOfUplinksThatTheLinksOfHostsCannotCarryAreRefused)
{
    // A rack has 4 uplinks and 2 hosts, and 2 of the 3 other hosts are in the other rack.
    // Therefore, for load 1, two hosts with 100 Gb/s each would have to offer 400 Gb/s * 3 / 2.
    const auto topology = HpccTopology::ByName("leaf-spine:2,4,2");
    const auto draw = [&](double load) {
        Draw({load, HpccPoissonTraffic::TOR_UPLINKS, MicroSeconds(10)}, topology);
    };
    draw(1.0 / 3);
    const std::string why = Complaint([&] { draw(0.8); });
    EXPECT_EQ(why.rfind("--load: at 0.8000 of the uplinks of switch 4, host 0 would send 240", 0),
              0)
        << why;
    EXPECT_NE(why.find("allowed is at most 0.3333"), std::string::npos) << why;
    EXPECT_NE(Complaint([&] { draw(0.334); }), "");
}

TEST_F(HpccPoisson, TheLoadRefersToPortsThatLeadToAllHosts)
{
    // If the load were relative to all ports, including those to the NVSwitches, load 0.3 would be
    // 3 times the rate of the port to the network.
    const HpccPoissonTraffic traffic{0.3, HpccPoissonTraffic::HOST_LINKS, MilliSeconds(1)};
    const auto text = [&](const HpccTopology& topology) {
        std::ostringstream out;
        Draw(traffic, topology).Write(out, "");
        return out.str();
    };
    const auto textOf = [&](const std::string& name) { return text(HpccTopology::ByName(name)); };
    EXPECT_EQ(textOf("nvswitch:4,2,400Gbps,25ns,rail:2,4,2"), textOf("rail:2,4,2"));
    EXPECT_EQ(textOf("planes:4,2,1,1,host=50Gbps"), textOf("star:4,host=100Gbps"));
    // Each of switches 3 to 5 connects two hosts. No port leads to all hosts. Therefore all ports
    // are included.
    HpccTopology pairs;
    for (uint32_t node = 0; node < 6; ++node)
    {
        pairs.AddNode(node >= 3);
    }
    for (uint32_t host = 0; host < 3; ++host)
    {
        pairs.AddLink({host, 3 + host, DataRate("50Gbps"), MicroSeconds(1)});
        pairs.AddLink({host, 3 + (host + 1) % 3, DataRate("50Gbps"), MicroSeconds(1)});
    }
    pairs.Validate();
    EXPECT_EQ(text(pairs), textOf("star:3,host=100Gbps"));
    const HpccRecurringIncast incast{4, 1000, 0.1, MilliSeconds(1)};
    EXPECT_DOUBLE_EQ(
        incast.GetMeanGapNs(HpccTopology::ByName("nvswitch:4,2,400Gbps,25ns,rail:2,4,2")),
        incast.GetMeanGapNs(HpccTopology::ByName("rail:2,4,2")));
}

TEST_F(HpccPoisson, LoadsOutsideTheRangeAreRefused)
{
    for (double load : {0.0, -0.1, 1.01, std::nan("")})
    {
        EXPECT_EQ(Complaint([&] {
                      Draw({load, HpccPoissonTraffic::HOST_LINKS, MilliSeconds(1)},
                           HpccTopology::Star(4, {}));
                  }).rfind("--load: ", 0),
                  0);
    }
}

TEST(HpccIncast, EventsComeAsOftenAsTheLoadSays)
{
    RngSeedManager::SetSeed(7);
    RngSeedManager::SetRun(1);
    auto topology = HpccTopology::ByName("paper-fat-tree");
    HpccRecurringIncast incast{60, 500000, 0.02, MilliSeconds(100)};
    // A load of 2 % of 320 * 100 Gb/s is 640 Gb/s. An incast has 30 MB, so there is one incast in
    // 375 us.
    EXPECT_NEAR(incast.GetMeanGapNs(topology), 375000, 1e-6);
    HpccFlowTrace trace;
    incast.AddTo(trace, topology, 5);
    const auto& flows = trace.GetFlows();
    ASSERT_EQ(flows.size() % 60, 0);
    double expected = 100e6 / 375000;
    EXPECT_NEAR(static_cast<double>(flows.size()) / 60, expected, 4 * std::sqrt(expected));
    std::set<uint32_t> receivers;
    for (size_t first = 0; first < flows.size(); first += 60)
    {
        std::set<uint32_t> members{flows[first].destination};
        for (size_t i = first; i < first + 60; ++i)
        {
            EXPECT_EQ(flows[i].startNs, flows[first].startNs);
            EXPECT_EQ(flows[i].destination, flows[first].destination);
            EXPECT_EQ(flows[i].bytes, 500000);
            members.insert(flows[i].source);
        }
        EXPECT_EQ(members.size(), 61) << "60 different senders, none of them the receiver";
        receivers.insert(flows[first].destination);
    }
    EXPECT_GT(receivers.size(), 100);
}

TEST(HpccIncast, MoreSendersThanHostsAreRefused)
{
    HpccFlowTrace trace;
    HpccRecurringIncast incast;
    std::string why = Complaint([&] { incast.AddTo(trace, HpccTopology::Star(17, {}), 1); });
    EXPECT_EQ(why, "--incast: 60 senders; in a topology of 17 hosts 1 to 16 are possible");
}

TEST(HpccHistogram, QuantilesAreThoseOfTheNumbersToTheStep)
{
    const uint32_t seed = hpcctest::ChooseSeed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    HpccHistogram histogram;
    std::vector<uint64_t> values;
    for (int i = 0; i < 10000; ++i)
    {
        values.push_back(random() >> (random() % 60 + 4));
        histogram.Add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.9999, 1.0})
    {
        auto rank = static_cast<size_t>(std::ceil(q * 10000)) - 1;
        uint64_t exact = values[rank];
        uint64_t found = histogram.GetQuantile(q);
        EXPECT_GE(found, exact);
        EXPECT_LE(found - exact, exact < 1024 ? 0 : exact / 512) << q;
    }
    EXPECT_EQ(histogram.GetQuantile(1), values.back()) << "the largest number is exact";
    auto steps = histogram.GetSteps();
    EXPECT_DOUBLE_EQ(steps.back().share, 1);
    for (size_t i = 1; i < steps.size(); ++i)
    {
        EXPECT_LT(steps[i - 1].value, steps[i].value);
        EXPECT_LT(steps[i - 1].share, steps[i].share);
    }
}

TEST(HpccWorkloadMonitor, BinsHaveEqualNumbersOfFlowsOfAscendingSize)
{
    HpccFlowTrace trace;
    std::vector<HpccFlowOutcome> results;
    for (uint32_t i = 0; i < 100; ++i)
    {
        // The slowdowns are 1.01, 1.02, ..., 2.00. The ideal times are 10 us, and one flow does not
        // finish.
        trace.Add({0, 1, 1000 + i, 0, 0, 0}, HpccFlowClass::BACKGROUND);
        results.push_back({i == 99 ? -1 : 10100 + 100 * int64_t{i}, 0, 10000});
        trace.Add({0, 1, 5, 0, 0, 0}, HpccFlowClass::INCAST);
        results.push_back({900000, 0, 10000});
    }
    auto bins = HpccWorkloadMonitor::GetSlowdowns(trace.GetFlows(),
                                                  trace,
                                                  results,
                                                  HpccFlowClass::BACKGROUND,
                                                  3,
                                                  0);
    ASSERT_EQ(bins.size(), 3);
    for (size_t i = 0; i < 3; ++i)
    {
        auto first = static_cast<double>(33 * i);
        EXPECT_EQ(bins[i].flows, 33);
        EXPECT_EQ(bins[i].maxBytes, 1000 + 33 * i + 32);
        EXPECT_NEAR(bins[i].p50, 1.01 + (first + 16) / 100, 1e-9);
        EXPECT_NEAR(bins[i].p95, 1.01 + (first + 31) / 100, 1e-9);
        EXPECT_NEAR(bins[i].p99, 1.01 + (first + 32) / 100, 1e-9);
        EXPECT_NEAR(bins[i].mean, 1.01 + (first + 16) / 100, 1e-9);
    }
    auto floored = HpccWorkloadMonitor::GetSlowdowns(trace.GetFlows(),
                                                     trace,
                                                     results,
                                                     HpccFlowClass::BACKGROUND,
                                                     1,
                                                     1.5);
    EXPECT_NEAR(floored.front().p50, 1.5, 1e-9);
}

TEST(HpccWorkloadMonitor, WithFewerFlowsThanBinsEachBinKeepsItsQuantile)
{
    HpccFlowTrace trace;
    std::vector<HpccFlowOutcome> results;
    for (uint64_t bytes : {100, 200})
    {
        trace.Add({0, 1, bytes, 0, 0, 0}, HpccFlowClass::BACKGROUND);
        results.push_back({20000, 0, 10000});
    }
    const auto bins = HpccWorkloadMonitor::GetSlowdowns(trace.GetFlows(),
                                                        trace,
                                                        results,
                                                        HpccFlowClass::BACKGROUND,
                                                        6,
                                                        0);
    ASSERT_EQ(bins.size(), 2);
    EXPECT_EQ(bins[0].number, 3) << "up to the median";
    EXPECT_EQ(bins[1].number, 6);
}

TEST(HpccWorkloadMonitor, SamplesBeginAfterTheFirstStartAndLeaveOutSwitchesWithoutLinks)
{
    HpccTopology topology = HpccTopology::Star(3, {});
    topology.AddNode(true);
    const std::pair<int64_t, uint64_t> cases[] = {{0, 10},
                                                  {999, 10},
                                                  {1000, 9},
                                                  {8500, 2},
                                                  {10000, 0}};
    for (const auto& [fromNs, times] : cases)
    {
        {
            HpccFabricHelper fabric;
            fabric.Install(topology);
            HpccWorkloadMonitor monitor(fabric, 1000, 10000, fromNs);
            fabric.EndAt(MicroSeconds(20));
            Simulator::Run();
            EXPECT_EQ(monitor.GetQueues().GetTotal(), 3 * times) << fromNs << " ns, three ports";
        }
        Simulator::Destroy();
    }
}
