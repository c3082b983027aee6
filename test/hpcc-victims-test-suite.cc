/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests that PCN does not reduce the rate of a victim, and that other policies do. A victim is a
// flow that is delayed by pauses that other flows cause. The tests use the network of HpccVictims,
// whose measurement starts with the first burst.

#include "../examples/hpcc-victims/hpcc-victims-study.h"

#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-np-ecn-agent.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr uint64_t BUFFER_BYTES = 2'000'000; ///< memory of a switch
constexpr double SOURCE_BPS = 40e9;          ///< rate of the victim's host

/// Results of a run.
struct Run
{
    HpccVictims::Outcome outcome; ///< results of the flows
    uint64_t heldUp{0};           ///< number of packets that switches did not mark because of a
                                  ///< pause
    uint64_t drops{0};            ///< number of frames dropped
    size_t limits{0};             ///< number of rows of the victim's limit over time
};

/// Runs the scenario under one policy, for at most 2 ms.
Run
RunVictims(const std::string& cc,
           const Settings& settings = {},
           HpccVictims::Parameters parameters = {})
{
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    Run run;
    {
        parameters.end = std::min(parameters.end, MilliSeconds(2));
        HpccVictims victims(parameters);
        auto spec = HpccFabricHelper::MakePolicy(cc);
        for (const auto& [attribute, value] : settings)
        {
            spec.policy.Set(attribute, StringValue(value));
        }
        HpccFabricHelper fabric;
        fabric.SetBufferAttribute("BufferBytes", UintegerValue(BUFFER_BYTES));
        fabric.SetEcnAttribute("Thresholds", StringValue("40Gbps:5000:200000:0.01"));
        fabric.Install(victims.MakeTopology());
        fabric.AssignStreams(1);
        auto flows = victims.MakeFlows();
        for (auto& flow : flows)
        {
            flow.queuePair = fabric.Connect(flow.source, flow.destination, spec);
            fabric.AddMessage(flow.source, flow.queuePair, flow.bytes, NanoSeconds(flow.startNs));
        }
        HpccMonitor monitor(fabric, flows, 0, HpccMonitor::FLOW_SERIES);
        victims.Watch(fabric);
        fabric.EndAt(parameters.end);
        Simulator::Run();
        run.drops = monitor.Summarize().drops;
        run.outcome = victims.Collect(fabric, monitor);
        run.limits = victims.GetLimits(HpccVictims::VICTIM).size();
        for (uint32_t node = 0; node < fabric.GetTopology().GetNodes(); ++node)
        {
            if (auto agent = fabric.GetNodes().Get(node)->GetObject<NpEcnAgent>())
            {
                run.heldUp += agent->GetHeldUp();
            }
        }
    }
    Simulator::Destroy();
    return run;
}

/// Returns the results of PCN with its defaults. The run is executed only once, at the first call.
const Run&
Pcn()
{
    static const Run run = RunVictims("pcn");
    return run;
}

class SparedTestCase : public TestCase
{
  public:
    SparedTestCase()
        : TestCase("PCN does not cut a flow that waits for the pauses of others, and cuts the one "
                   "that causes them to its share")
    {
    }

  private:
    void DoRun() override
    {
        const auto& o = Pcn().outcome;
        NS_TEST_EXPECT_MSG_GT(o.uplinkPausedNs, 100000, "the uplink is paused");
        NS_TEST_EXPECT_MSG_GT(o.victimPausedNs, 100000, "and pauses the victim's host");
        NS_TEST_EXPECT_MSG_GT(Pcn().heldUp, 1000, "packets are held up");
        NS_TEST_EXPECT_MSG_EQ(o.victim.cuts, 0, "cuts of the victim");
        NS_TEST_EXPECT_MSG_EQ_TOL(o.victim.lowestBps, SOURCE_BPS, 1, "the victim's lowest limit");
        NS_TEST_EXPECT_MSG_GT(o.culprit.cuts, 0, "cuts of the culprit");
        // While all bursts are active, 15 flows share 100 Gb/s.
        NS_TEST_EXPECT_MSG_LT(o.culprit.lowestBps, 100e9 / 15, "the culprit's lowest limit");
        NS_TEST_EXPECT_MSG_EQ(Pcn().drops, 0, "drops");
        NS_TEST_EXPECT_MSG_GT(o.lastBurstNs, 0, "the bursts end");
    }
};

class AnyBurstsTestCase : public TestCase
{
  public:
    AnyBurstsTestCase()
        : TestCase("PCN spares the victim whatever the bursts and the flows' rates are")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t burstBytes : {64000, 128000})
        {
            for (int64_t gapUs : {20, 80})
            {
                for (uint64_t sourceGbps : {25, 45})
                {
                    HpccVictims::Parameters parameters;
                    parameters.burstBytes = burstBytes;
                    parameters.gap = MicroSeconds(gapUs);
                    parameters.source = DataRate(sourceGbps * 1'000'000'000);
                    const auto o = RunVictims("pcn", {}, parameters).outcome;
                    const std::string what = std::to_string(burstBytes) + " bytes each " +
                                             std::to_string(gapUs) + " us, " +
                                             std::to_string(sourceGbps) + " Gb/s";
                    NS_TEST_EXPECT_MSG_GT(o.uplinkPausedNs, 20000, what << ": pauses");
                    NS_TEST_EXPECT_MSG_EQ(o.victim.cuts, 0, what << ": cuts of the victim");
                    NS_TEST_EXPECT_MSG_GT(o.culprit.cuts, 0, what << ": cuts of the culprit");
                }
            }
        }
    }
};

class CutTestCase : public TestCase
{
  public:
    explicit CutTestCase(const std::string& cc)
        : TestCase(cc + " cuts the victim in the same place"),
          m_cc(cc)
    {
    }

  private:
    void DoRun() override
    {
        const auto o = RunVictims(m_cc).outcome;
        NS_TEST_EXPECT_MSG_GT(o.uplinkPausedNs, 50000, "the uplink is paused");
        NS_TEST_EXPECT_MSG_GT(o.victim.cuts, 0, "cuts of the victim");
        NS_TEST_EXPECT_MSG_LT(o.victim.lowestBps, 0.7 * SOURCE_BPS, "the victim's lowest limit");
    }

    std::string m_cc;
};

class ShareTestCase : public TestCase
{
  public:
    ShareTestCase()
        : TestCase("it is the share of marked packets that tells PCN's receiver who is a victim")
    {
    }

  private:
    void DoRun() override
    {
        const auto o = RunVictims("pcn", {{"CongestedShare", "0.01"}}).outcome;
        NS_TEST_EXPECT_MSG_GT(o.victim.cuts, 0, "cuts of the victim if few marks will do");
        NS_TEST_EXPECT_MSG_LT(o.victim.lowestBps, 0.95 * SOURCE_BPS, "the victim's lowest limit");
    }
};

class GoodputWindowTestCase : public TestCase
{
  public:
    GoodputWindowTestCase()
        : TestCase("goodput counts all payload of the measured time, wherever that time begins")
    {
    }

  private:
    static constexpr int64_t LENGTH_NS = 20000;            ///< duration of the measurement, ns
    static constexpr double PACKET_BPS = 8e12 / LENGTH_NS; ///< 1,000 bytes of payload in that time

    void DoRun() override
    {
        // The rates of the long flows do not change before the first bursts. Therefore the results
        // of two intervals differ by at most a packet at each end.
        const auto even = Measure(500);
        const auto odd = Measure(501);
        NS_TEST_EXPECT_MSG_GT(even.victim.goodputBps, 10 * PACKET_BPS, "the victim receives");
        NS_TEST_EXPECT_MSG_EQ_TOL(odd.victim.goodputBps,
                                  even.victim.goodputBps,
                                  2 * PACKET_BPS,
                                  "the victim");
        NS_TEST_EXPECT_MSG_EQ_TOL(odd.culprit.goodputBps,
                                  even.culprit.goodputBps,
                                  2 * PACKET_BPS,
                                  "the culprit");
        NS_TEST_EXPECT_MSG_EQ_TOL(odd.burstsBps, even.burstsBps, 2 * PACKET_BPS, "the bursts");
    }

    /// Runs the scenario without a policy and with one burst.
    HpccVictims::Outcome Measure(int64_t fromUs)
    {
        HpccVictims::Parameters parameters;
        parameters.bursts = 1;
        parameters.from = MicroSeconds(fromUs);
        parameters.end = parameters.from + NanoSeconds(LENGTH_NS);
        return RunVictims("none", {}, parameters).outcome;
    }
};

class PauseWindowTestCase : public TestCase
{
  public:
    PauseWindowTestCase()
        : TestCase("pauses count in the measured time only, also those that have not ended")
    {
    }

  private:
    void DoRun() override
    {
        // Two hosts can send at the rate of the uplink, so each is paused for half of the time. The
        // tolerance is one cycle of pause and resume. In 100 us, there are about 12 cycles.
        HpccVictims::Parameters parameters;
        parameters.bursters = 1;
        parameters.bursts = 1;
        parameters.burstBytes = 1;
        parameters.source = DataRate("100Gbps");
        parameters.from = MicroSeconds(1000);
        parameters.end = MicroSeconds(1100);
        const auto half = RunVictims("none", {}, parameters).outcome;
        NS_TEST_EXPECT_MSG_EQ_TOL(half.victimPausedNs, 50000, 10000, "half of 100 us");
        NS_TEST_EXPECT_MSG_GT(half.pauses, 0, "pauses ended");
        NS_TEST_EXPECT_MSG_LT(half.pauses, 50, "of more than 200 from time 0 on");
        parameters.end = MicroSeconds(1001);
        const auto brief = RunVictims("none", {}, parameters).outcome;
        NS_TEST_EXPECT_MSG_LT(brief.victimPausedNs, 1001, "at most the measured time");

        HpccVictims::Parameters open;
        open.bursts = 1;
        open.end = MicroSeconds(520);
        const auto still = RunVictims("none", {}, open).outcome;
        NS_TEST_EXPECT_MSG_EQ(still.pauses, 0, "pauses ended");
        NS_TEST_EXPECT_MSG_GT(still.uplinkPausedNs, 1000, "the uplink is still paused");
        NS_TEST_EXPECT_MSG_LT(still.uplinkPausedNs, 20000, "since the bursts began");
    }
};

class NoAcknowledgementTestCase : public TestCase
{
  public:
    NoAcknowledgementTestCase()
        : TestCase("a flow has no limit before its first acknowledgement")
    {
    }

  private:
    void DoRun() override
    {
        HpccVictims::Parameters parameters;
        parameters.from = NanoSeconds(1);
        parameters.end = MicroSeconds(1);
        parameters.gap = NanoSeconds(1);
        const auto run = RunVictims("none", {}, parameters);
        NS_TEST_EXPECT_MSG_EQ(run.outcome.victim.cuts, 0, "cuts of the victim");
        NS_TEST_EXPECT_MSG_EQ(std::isinf(run.outcome.victim.lowestBps), true, "no lowest limit");
        NS_TEST_EXPECT_MSG_EQ(run.limits, 0, "no limits over time");
    }
};

class LineRateTestCase : public TestCase
{
  public:
    LineRateTestCase()
        : TestCase("a window above the line rate is no limit, and its fall no cut")
    {
    }

  private:
    void DoRun() override
    {
        // The window of NSCC is 1.5 BDP at the start, and decreases to 1.25 BDP.
        const auto o = RunVictims("nscc").outcome;
        NS_TEST_EXPECT_MSG_EQ(o.victim.lowestBps, SOURCE_BPS, "lowest limit of the victim");
        NS_TEST_EXPECT_MSG_EQ(o.victim.cuts, 0, "cuts of the victim");
        NS_TEST_EXPECT_MSG_GT(o.culprit.cuts, 0, "cuts of the culprit");
    }
};

class HpccVictimsTestSuite : public TestSuite
{
  public:
    HpccVictimsTestSuite()
        : TestSuite("hpcc-victims", Type::SYSTEM)
    {
        AddTestCase(new SparedTestCase);
        AddTestCase(new AnyBurstsTestCase);
        AddTestCase(new CutTestCase("dcqcn"));
        AddTestCase(new CutTestCase("timely"));
        AddTestCase(new ShareTestCase);
        AddTestCase(new GoodputWindowTestCase);
        AddTestCase(new PauseWindowTestCase);
        AddTestCase(new NoAcknowledgementTestCase);
        AddTestCase(new LineRateTestCase);
    }
};

HpccVictimsTestSuite g_hpccVictimsTestSuite; ///< the suite

} // namespace
