/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../examples/hpcc-soak/hpcc-soak-run.h"

#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-repathing.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

/// Tests that the randomised runs of the example hpcc-soak detect the intended faults.

using namespace ns3;

namespace
{

constexpr int64_t LIMIT_NS = 50000000; ///< simulated time at which a run is stopped, ns

class DrawTestCase : public TestCase
{
  public:
    DrawTestCase()
        : TestCase("the same seed draws the same, and every short name is drawn")
    {
    }

  private:
    void DoRun() override
    {
        std::map<std::string, std::set<std::string>> drawn;
        for (uint64_t seed = 1; seed <= 700; ++seed)
        {
            const auto description = HpccSoakDraw(seed).Draw().Describe();
            for (const auto& [property, value] : description)
            {
                drawn[property].insert(value);
            }
            if (seed <= 20)
            {
                NS_TEST_EXPECT_MSG_EQ((HpccSoakDraw(seed).Draw().Describe() == description),
                                      true,
                                      "seed " << seed);
            }
        }
        Expect(drawn["cc"], RdmaCongestionOps::GetTypeId());
        Expect(drawn["telemetry"], TelemetryFormat::GetTypeId());
        Expect(drawn["feedback"], RdmaFeedbackPart::GetTypeId());
        Expect(drawn["recovery"], RdmaRecovery::GetTypeId());
        Expect(drawn["paths"], PathSelector::GetTypeId());
        Expect(drawn["paths"], RdmaRepathing::GetTypeId());
        Expect(drawn["entropy"], RdmaEntropy::GetTypeId());
        Expect(drawn["trimming"], PacketTrimmer::GetTypeId());
        const bool wrapped =
            std::any_of(drawn["cc"].begin(), drawn["cc"].end(), [](const std::string& name) {
                return name.find("+win") != std::string::npos;
            });
        NS_TEST_EXPECT_MSG_EQ(wrapped, true, "a policy that is wrapped");
        NS_TEST_EXPECT_MSG_EQ(drawn["classes"].size(), HpccSoakScenario::CLASSES, "classes");
        NS_TEST_EXPECT_MSG_EQ(drawn["network"].size(), 7, "kinds of networks");
        NS_TEST_EXPECT_MSG_EQ(drawn["workload"].size(), 5, "kinds of traffic");
        NS_TEST_EXPECT_MSG_EQ(drawn["verb"].size(), 3, "verbs");
    }

    /**
     * Expects that every short name of a family has been drawn.
     * @param drawn values that have been drawn
     * @param base type id of the base class of the family
     */
    void Expect(const std::set<std::string>& drawn, TypeId base)
    {
        for (const auto& name : HpccPresets::Names(base))
        {
            NS_TEST_EXPECT_MSG_EQ(drawn.count(name), 1, base.GetName() << " " << name);
        }
    }
};

/// Tests the verdict on an incast of three hosts at a switch with little memory.
class VerdictTestCase : public TestCase
{
  public:
    /**
     * @param name name of the case
     * @param spoil function that changes the scenario
     * @param wrong text that the description of the violations must contain
     * @param excuse expected reason why messages are missing
     */
    VerdictTestCase(const std::string& name,
                    void (*spoil)(HpccSoakScenario&),
                    const std::string& wrong,
                    const std::string& excuse)
        : TestCase(name),
          m_spoil(spoil),
          m_wrong(wrong),
          m_excuse(excuse)
    {
    }

  private:
    static HpccSoakScenario Incast()
    {
        HpccSoakScenario s;
        s.topology = HpccTopology::Star(4, {});
        s.policies = {"none"};
        s.feedback = "packet";
        s.recovery = "go-back-n";
        s.paths = "ecmp";
        s.sharedBytes = 20000;
        for (uint32_t host = 1; host < 4; ++host)
        {
            s.flows.push_back({host, 0, 300000, 0, 0, 0});
        }
        return s;
    }

    void DoRun() override
    {
        HpccSoakScenario scenario = Incast();
        m_spoil(scenario);
        HpccSoakRun::Outcome outcome;
        {
            HpccSoakRun run(scenario);
            run.Build();
            outcome = run.Run(LIMIT_NS);
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(outcome.wrong.empty(), m_wrong.empty(), outcome.wrong);
        NS_TEST_EXPECT_MSG_EQ((outcome.wrong.find(m_wrong) != std::string::npos),
                              true,
                              "\"" << outcome.wrong << "\" should contain \"" << m_wrong << "\"");
        NS_TEST_EXPECT_MSG_EQ(outcome.excuse, m_excuse, "excuse");
    }

    void (*m_spoil)(HpccSoakScenario&); ///< changes the scenario
    std::string m_wrong;                ///< expected fault
    std::string m_excuse;               ///< expected reason
};

void
Keep(HpccSoakScenario&)
{
}

void
TakeHeadroom(HpccSoakScenario& s)
{
    s.headroomBytes = 1;
}

void
TakeHeadroomOfOneClass(HpccSoakScenario& s)
{
    s.classes = HpccSoakScenario::MIXED;
    s.headroomBytes = 1;
    s.topology = HpccTopology::Star(9, {});
    for (uint32_t host = 4; host < 9; ++host)
    {
        s.flows.push_back({host, 0, 300000, 0, 0, 0});
    }
}

void
PauseForever(HpccSoakScenario& s)
{
    s.storms.push_back({0, 10000, 2 * LIMIT_NS});
}

void
PauseForeverUnderWatch(HpccSoakScenario& s)
{
    PauseForever(s);
    s.watchdog = "pfc-watchdog:drop";
    s.detectionNs = 100000;
}

void
CutOff(HpccSoakScenario& s)
{
    s.outages.push_back({0, 10000, 0});
}

class HpccSoakTestSuite : public TestSuite
{
  public:
    HpccSoakTestSuite()
        : TestSuite("hpcc-soak", Type::SYSTEM)
    {
        AddTestCase(new DrawTestCase);
        AddTestCase(new VerdictTestCase("nothing is wrong with a lossless incast", &Keep, "", ""));
        AddTestCase(new VerdictTestCase("a switch without headroom is found out",
                                        &TakeHeadroom,
                                        "drops for buffer-full",
                                        ""));
        AddTestCase(new VerdictTestCase("so it is next to a lossy class, which may drop",
                                        &TakeHeadroomOfOneClass,
                                        "drops for lack of memory under PFC",
                                        ""));
        AddTestCase(new VerdictTestCase("flows that stand still are found out",
                                        &PauseForever,
                                        "3 of 3 messages are stuck",
                                        "stuck"));
        AddTestCase(new VerdictTestCase("a watchdog that drops accounts for losses",
                                        &PauseForeverUnderWatch,
                                        "",
                                        "still losing"));
        AddTestCase(new VerdictTestCase("a host that is cut off for good is excused",
                                        &CutOff,
                                        "",
                                        "cut off"));
    }
};

HpccSoakTestSuite g_hpccSoakTestSuite; ///< registers itself

} // namespace
