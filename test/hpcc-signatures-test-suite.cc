/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the typical behaviour of each policy in a small incast, which is long enough for all
// policies to react. For a new policy, add its short name to POLICIES, and add variants that must
// behave differently to REACTIONS.

#include "ns3/data-rate.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SENDERS = 4;        ///< number of hosts that send to one receiver
constexpr uint64_t BYTES = 4'000'000;  ///< payload of each sender
constexpr int64_t DELAY_NS = 5000;     ///< delay of a link, ns
constexpr int64_t SETTLE_NS = 600'000; ///< start of the statistics, ns

const std::vector<std::string> POLICIES{"hpcc++",
                                        "hpcc",
                                        "dcqcn",
                                        "dcqcn+win",
                                        "timely",
                                        "timely+win",
                                        "patched-timely",
                                        "patched-timely+win",
                                        "dctcp",
                                        "swift",
                                        "powertcp",
                                        "theta-powertcp",
                                        "pcn",
                                        "hpcc-pint",
                                        "rcp",
                                        "xcp",
                                        "pcn+win",
                                        "none",
                                        "none+win"};

/// A policy, and attributes that are set in addition to those that its short name sets.
struct Variant
{
    std::string cc;                                            ///< short name of the policy
    std::vector<std::pair<std::string, std::string>> settings; ///< attributes and values
};

/// A policy, and variants of it that must behave differently: other short names, and the policy
/// with one further attribute set.
struct Reactions
{
    Variant base;                                                ///< the policy that the variants
                                                                 ///< are compared with
    std::vector<std::string> names;                              ///< other short names
    std::vector<std::pair<std::string, std::string>> attributes; ///< further variants; each element
                                                                 ///< sets one attribute
};

const std::vector<Reactions> REACTIONS{
    // With the default of MinRtt, the first decrease would immediately reach MinRate. The default
    // of TLow exceeds most RTTs.
    {{"timely", {{"MinRtt", "60us"}, {"TLow", "10us"}}},
     {"timely", "timely:authors", "timely:paper", "timely:snippet"},
     {{"TLow", "50us"},
      {"THigh", "100us"},
      {"MinRtt", "100us"},
      {"EwmaWeight", "0.5"},
      {"Beta", "0.5"},
      {"Delta", "50Mbps"},
      {"ReferenceRate", "0bps"},
      {"UpdateBytes", "64000"},
      {"ScaleWithTime", "true"},
      {"MaxCut", "0.05"},
      {"HyperFactor", "10"},
      {"HyperSteps", "2"},
      {"HyperCount", "Increase"},
      {"MinRate", "20Gbps"}}},
    // The default decreases of patched-timely are too small to affect such short flows.
    {{"patched-timely", {{"Beta", "0.2"}}},
     {"patched-timely:paper"},
     {{"Beta", "0.3"}, {"ReferenceRtt", "80us"}, {"Delta", "50Mbps"}}},
    {{"dctcp", {}},
     {"dctcp:authors", "dctcp:paper"},
     {{"Gain", "0.5"},
      {"InitialAlpha", "0.1"},
      {"RateAi", "5Gbps"},
      {"T", "40us"},
      {"MinRate", "60Gbps"}}},
    {{"swift", {}},
     {"swift:htsim"},
     {{"Ai", "4"},
      {"Beta", "0.2"},
      {"MaxMdf", "0.1"},
      {"BaseTarget", "30us"},
      {"HopScale", "10us"},
      {"FsRange", "50us"},
      {"FsMinCwnd", "1"},
      {"FsMaxCwnd", "50"},
      {"MinCwnd", "150"},
      {"MaxCwnd", "80"},
      {"InitialCwnd", "50"}}},
    {{"powertcp", {}},
     {"powertcp:paper", "powertcp:authors"},
     {{"T", "40us"},
      {"Gamma", "0.5"},
      {"RateAi", "1Gbps"},
      {"N", "50"},
      {"Eta", "0.95"},
      {"MinCurrent", "0.2"},
      {"EwmaWindow", "Reference"},
      {"Update", "RoundTrip"},
      {"MinRate", "30Gbps"}}},
    {{"theta-powertcp", {}},
     {"theta-powertcp:paper", "theta-powertcp:authors"},
     {{"T", "40us"},
      {"Gamma", "0.5"},
      {"RateAi", "1Gbps"},
      {"N", "50"},
      {"Eta", "0.95"},
      {"MinCurrent", "0.2"},
      {"Update", "Ack"},
      {"MinRate", "30Gbps"}}},
    {{"theta-powertcp", {{"T", "40us"}, {"Update", "Ack"}}},
     {},
     {{"MinRttTracked", "true"}, {"EwmaWindow", "Reference"}}},
    // With the defaults, the queue of the first interval would not drain before the flows end.
    {{"pcn", {{"MinWeight", "0.25"}}},
     {"pcn"},
     {{"Interval", "20us"},
      {"CongestedShare", "0.01"},
      {"MinWeight", "0.3"},
      {"MaxWeight", "0.9"},
      {"MinRate", "30Gbps"}}},
    {{"hpcc++", {}},
     {"hpcc++:authors"},
     {{"Eta", "0.9"},
      {"MaxStage", "2"},
      {"N", "20"},
      {"Wai", "1000"},
      {"T", "40us"},
      {"InitialU", "0.2"},
      {"FirstSample", "Estimate"},
      {"QueueFilter", "Current"},
      {"MinRate", "20Gbps"}}},
    {{"hpcc", {}}, {"hpcc:authors", "hpcc:rx-rate", "hpcc:per-ack", "hpcc:per-rtt"}, {}},
    {{"hpcc-pint", {}},
     {"hpcc-pint:authors"},
     {{"Eta", "0.9"}, {"MaxStage", "2"}, {"Wai", "1000"}, {"MinRate", "20Gbps"}}},
    {{"rcp", {}}, {"rcp:fct"}, {{"StartAtLineRate", "true"}}},
    {{"xcp", {}}, {}, {{"InitialPackets", "10"}}},
    {{"dcqcn", {{"RateOnFirstCnp", "0.5"}}},
     {"dcqcn:paper"},
     {{"AlphaInterval", "20us"},
      {"ByteCounter", "100000"},
      {"ClampTargetRate", "true"},
      {"DecreaseInterval", "50us"},
      {"CnpInterval", "50us"},
      {"FastRecoverySteps", "3"},
      {"Gain", "0.1"},
      {"IncreaseInterval", "30us"},
      {"InitialAlpha", "0.2"},
      {"MinRate", "20Gbps"},
      {"RateOnFirstCnp", "0.8"},
      {"ReferenceRate", "0bps"}}},
    {{"dcqcn+win", {}}, {"dcqcn:paper+win"}, {{"T", "40us"}}},
    {{"timely+win", {}}, {"timely:authors+win"}, {{"T", "40us"}}},
};

/// Results of a run.
struct Outcome
{
    std::vector<int64_t> endsNs;   ///< completion time by flow, ns; -1 if the flow has not ended
    HpccSummary summary;           ///< statistics from SETTLE_NS on
    uint64_t dataFrames{0};        ///< number of data packets sent to the receiver
    uint64_t dataBytes{0};         ///< bytes of these packets
    uint64_t marked{0};            ///< number of data packets with a congestion mark
    int64_t baseRttNs{0};          ///< RTT of the empty network, ns
    std::vector<double> rttNs;     ///< RTT samples that the first sender's policy traced
    std::vector<double> gradients; ///< gradients of these samples

    /// Returns the values of which at least one must differ between policies.
    auto Fingerprint() const
    {
        return std::tuple(endsNs, summary.queuePeakBytes, summary.queueMeanBytes);
    }
};

void
NoteFrame(Outcome* outcome, int64_t, const Frame& frame)
{
    if (frame.payloadBytes > 0)
    {
        ++outcome->dataFrames;
        outcome->dataBytes += frame.bytes;
        outcome->marked += (frame.tos & 3) == 3;
    }
}

void
NoteValue(std::vector<double>* values, uint32_t, double value)
{
    values->push_back(value);
}

/// Runs an incast with a policy.
Outcome
RunIncast(const Variant& variant, uint32_t senders = SENDERS, int64_t delayNs = DELAY_NS)
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    Outcome outcome;
    {
        auto spec = HpccFabricHelper::MakePolicy(variant.cc);
        for (const auto& [name, value] : variant.settings)
        {
            spec.policy.Set(name, StringValue(value));
        }
        HpccFabricHelper fabric;
        const std::string marking = spec.Describe().marking;
        if (!marking.empty())
        {
            fabric.SetEcnAttribute("Thresholds", StringValue(marking));
        }
        fabric.Install(
            HpccTopology::Star(senders + 1,
                               {DataRate("100Gbps"), DataRate("100Gbps"), NanoSeconds(delayNs)}));
        fabric.AssignStreams(1);
        outcome.baseRttNs = fabric.GetPath(0, senders).baseRttNs;
        std::vector<HpccFlowPlan> flows;
        for (uint32_t sender = 0; sender < senders; ++sender)
        {
            uint32_t queuePair = fabric.Connect(sender, senders, spec);
            fabric.AddMessage(sender, queuePair, BYTES, Time(0));
            flows.push_back({sender, senders, BYTES, 0, queuePair, 0});
        }
        fabric.GetSwitch(senders + 1)
            ->GetPorts()[senders]
            ->TraceConnectWithoutContext("Transmit", MakeBoundCallback(&NoteFrame, &outcome));
        auto policy = fabric.GetHost(0)->GetQueuePair(0).ops;
        policy->TraceConnectWithoutContext("Rtt", MakeBoundCallback(&NoteValue, &outcome.rttNs));
        policy->TraceConnectWithoutContext("Gradient",
                                           MakeBoundCallback(&NoteValue, &outcome.gradients));
        HpccMonitor monitor(fabric, flows, SETTLE_NS);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        outcome.summary = monitor.Summarize();
        for (const auto& result : monitor.GetResults())
        {
            outcome.endsNs.push_back(result.endNs);
        }
    }
    Simulator::Destroy();
    return outcome;
}

/// @return results for a short name, which are computed at the first call
const Outcome&
RunOf(const std::string& cc)
{
    static std::map<std::string, Outcome> outcomes;
    auto found = outcomes.find(cc);
    if (found == outcomes.end())
    {
        found = outcomes.emplace(cc, RunIncast({cc, {}})).first;
    }
    return found->second;
}

class FinishTestCase : public TestCase
{
  public:
    FinishTestCase()
        : TestCase("each policy finishes every flow without a drop")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& cc : POLICIES)
        {
            const auto& outcome = RunOf(cc);
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsFinished, SENDERS, cc);
            NS_TEST_EXPECT_MSG_EQ(outcome.summary.drops, 0, cc);
            NS_TEST_EXPECT_MSG_EQ(outcome.dataFrames, SENDERS * BYTES / 1000, cc << ": packets");
        }
    }
};

class DisguiseTestCase : public TestCase
{
  public:
    DisguiseTestCase()
        : TestCase("no policy is another one in disguise")
    {
    }

  private:
    void DoRun() override
    {
        for (size_t i = 0; i < POLICIES.size(); ++i)
        {
            for (size_t j = 0; j < i; ++j)
            {
                bool same = RunOf(POLICIES[i]).Fingerprint() == RunOf(POLICIES[j]).Fingerprint();
                NS_TEST_EXPECT_MSG_EQ(same, false, POLICIES[i] << " and " << POLICIES[j]);
            }
        }
    }
};

class ReactionTestCase : public TestCase
{
  public:
    explicit ReactionTestCase(const Reactions& reactions)
        : TestCase(reactions.base.cc + " reacts to each of its parameters"),
          m_reactions(reactions)
    {
    }

  private:
    void DoRun() override
    {
        const auto& [base, names, attributes] = m_reactions;
        auto fingerprint = RunIncast(base).Fingerprint();
        for (const auto& name : names)
        {
            bool same = RunIncast({name, {}}).Fingerprint() == fingerprint;
            NS_TEST_EXPECT_MSG_EQ(same, false, name << " gives the same as " << base.cc);
        }
        for (const auto& attribute : attributes)
        {
            Variant variant = base;
            variant.settings.push_back(attribute);
            bool same = RunIncast(variant).Fingerprint() == fingerprint;
            NS_TEST_EXPECT_MSG_EQ(same,
                                  false,
                                  base.cc << " " << attribute.first << " " << attribute.second
                                          << " gives the same as without");
        }
    }

    Reactions m_reactions; ///< variants that must have an effect
};

class BytesTestCase : public TestCase
{
  public:
    BytesTestCase()
        : TestCase("policies without telemetry send not a byte more than no control at all")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& cc : POLICIES)
        {
            const bool telemetry = HpccFabricHelper::MakePolicy(cc).format != nullptr;
            const bool more = RunOf(cc).dataBytes > RunOf("none").dataBytes;
            NS_TEST_EXPECT_MSG_EQ(more, telemetry, cc);
        }
    }
};

class TimelySignatureTestCase : public TestCase
{
  public:
    explicit TimelySignatureTestCase(const std::string& cc)
        : TestCase(cc + " measures the RTT and its gradient, and needs no marks"),
          m_cc(cc)
    {
    }

  private:
    void DoRun() override
    {
        auto alone = RunIncast({m_cc, {}}, 1);
        NS_TEST_ASSERT_MSG_GT(alone.rttNs.size(), 10, "updates");
        for (double rttNs : alone.rttNs)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(rttNs, static_cast<double>(alone.baseRttNs), 10, "RTT alone");
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(alone.endsNs[0]),
                                  static_cast<double>(alone.baseRttNs) +
                                      static_cast<double>(alone.dataBytes) * 0.08,
                                  0.03 * static_cast<double>(alone.endsNs[0]),
                                  "a lone flow keeps the line rate");

        const auto& incast = RunOf(m_cc);
        NS_TEST_EXPECT_MSG_EQ(incast.marked, 0, "packets are not ECN-capable");
        auto [low, high] = std::minmax_element(incast.gradients.begin(), incast.gradients.end());
        NS_TEST_EXPECT_MSG_GT(*high, 1, "the queue grows");
        auto longest = *std::max_element(incast.rttNs.begin(), incast.rttNs.end());
        auto queueNs = static_cast<double>(incast.summary.queuePeakBytes) * 0.08;
        NS_TEST_EXPECT_MSG_EQ_TOL(longest, queueNs, 0.1 * queueNs, "RTT is queueing");
        // The first sample that contains the queue is that of a packet that is sent after the first
        // RTT. Queueing delays this packet by N further RTTs. Until it is acknowledged, the queue
        // grows at N - 1 times the line rate.
        double blind = (SENDERS - 1) * (SENDERS + 1) * static_cast<double>(incast.baseRttNs) / 0.08;
        auto peak = static_cast<double>(incast.summary.queuePeakBytes);
        if (m_cc == "timely")
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(peak, blind, 0.05 * blind, "peak");
            NS_TEST_EXPECT_MSG_LT(*low, -1, "the queue drains");
        }
        else
        {
            NS_TEST_EXPECT_MSG_GT(peak, 2 * blind, "peak: its first cuts are small");
        }
    }

    std::string m_cc; ///< short name of the policy
};

class DctcpSignatureTestCase : public TestCase
{
  public:
    DctcpSignatureTestCase()
        : TestCase("dctcp holds the queue at its marking threshold and shares fairly")
    {
    }

  private:
    void DoRun() override
    {
        constexpr double K = 300'000; // 30 KB per 10 Gb/s
        auto outcome = RunIncast({"dctcp", {}}, 8, 1000);
        NS_TEST_EXPECT_MSG_GT(outcome.marked, 0, "marks");
        NS_TEST_EXPECT_MSG_LT(outcome.marked, outcome.dataFrames, "not all");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.summary.queueMeanBytes, 0.85 * K, 0.2 * K, "mean queue");
        NS_TEST_EXPECT_MSG_LT(outcome.summary.queueP99Bytes, 1.2 * K, "99th percentile");
        NS_TEST_EXPECT_MSG_GT(outcome.summary.throughputMinGbps, 99, "the link never idles");
        NS_TEST_EXPECT_MSG_GT(outcome.summary.jainIndex, 0.98, "Jain's index");
        auto half = RunIncast({"dctcp", {{"Marking", "100Gbps:150000:150000:1"}}}, 8, 1000);
        NS_TEST_EXPECT_MSG_EQ_TOL(half.summary.queueMeanBytes, 0.85 * K / 2, 0.1 * K, "half of K");
    }
};

class WindowSignatureTestCase : public TestCase
{
  public:
    WindowSignatureTestCase()
        : TestCase("a window bounds what all senders have in flight to N B T")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& cc : POLICIES)
        {
            auto plus = cc.rfind("+win");
            if (plus == std::string::npos)
            {
                continue;
            }
            const auto& outcome = RunOf(cc);
            auto plain = RunOf(cc.substr(0, plus)).summary.queuePeakBytes;
            // T includes the headers of a packet. The window contains only payload, to which
            // headers are added.
            double bound = SENDERS * (static_cast<double>(outcome.baseRttNs) / 0.08 + 1100) * 1.1;
            NS_TEST_EXPECT_MSG_LT(outcome.summary.queuePeakBytes, bound, cc);
            NS_TEST_EXPECT_MSG_GT(plain,
                                  1.9 * static_cast<double>(outcome.summary.queuePeakBytes),
                                  cc << " without it");
        }
    }
};

class HpccSignaturesTestSuite : public TestSuite
{
  public:
    HpccSignaturesTestSuite()
        : TestSuite("hpcc-signatures", Type::SYSTEM)
    {
        AddTestCase(new FinishTestCase);
        AddTestCase(new DisguiseTestCase);
        AddTestCase(new BytesTestCase);
        for (const auto& reactions : REACTIONS)
        {
            AddTestCase(new ReactionTestCase(reactions));
        }
        AddTestCase(new TimelySignatureTestCase("timely"));
        AddTestCase(new TimelySignatureTestCase("patched-timely"));
        AddTestCase(new DctcpSignatureTestCase);
        AddTestCase(new WindowSignatureTestCase);
    }
};

HpccSignaturesTestSuite g_hpccSignaturesTestSuite; ///< the suite

} // namespace
