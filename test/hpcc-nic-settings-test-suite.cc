/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the settings of a NIC: steps of its rate limiter, presets, and refused values.

#include "hpcc-test-nic.h"
#include "hpcc-test-refusal.h"
#include "hpcc-test-text.h"

#include "ns3/random-variable-stream.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

class RateStepTestCase : public NicTestCase
{
  public:
    RateStepTestCase(double rateGbps, const std::string& step, double pacedGbps)
        : NicTestCase("a rate limiter with steps of " + step + " sends " + Text(rateGbps) +
                      " Gbps at " + Text(pacedGbps)),
          m_rateBps(rateGbps * 1e9),
          m_step(step),
          m_pacedBps(pacedGbps * 1e9)
    {
    }

  private:
    void DoRun() override
    {
        SetDelays({{"RateStep", m_step}});
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Outcome outcome;
        Observe(outcome, 1);
        auto policy = CreateObject<FixedPolicy>();
        policy->rate = m_rateBps;
        Post(0, Connect(0, 1, policy), 101 * MTU);
        Finish(outcome);
        const auto& middle = outcome.sender[ROCE_WRITE_MIDDLE].atNs;
        NS_TEST_ASSERT_MSG_EQ(middle.size(), 99, "packets");
        const double gapNs = static_cast<double>(middle.back() - middle.front()) / 98;
        NS_TEST_EXPECT_MSG_EQ_TOL(gapNs, (1058 + 24) * 8e9 / m_pacedBps, 0.1, "pacing");
    }

    double m_rateBps;   ///< rate of the policy
    std::string m_step; ///< RateStep
    double m_pacedBps;  ///< expected rate
};

class PresetTestCase : public NicTestCase
{
  public:
    PresetTestCase()
        : NicTestCase("ideal hosts have no NIC to visit; pcie adds 1507 ns before the first packet "
                      "and 200 ns at completion")
    {
    }

  private:
    Outcome RunPreset(const std::string& name)
    {
        Fabric().SetNic(name);
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        Outcome outcome;
        Observe(outcome, 1);
        Post(0, Connect(0, 1, CreateObject<FixedPolicy>()), MTU);
        return Finish(outcome);
    }

    void DoRun() override
    {
        const Outcome ideal = RunPreset("ideal");
        const Outcome pcie = RunPreset("pcie");
        NS_TEST_ASSERT_MSG_EQ(pcie.acknowledged.size(), 1, "messages");
        NS_TEST_ASSERT_MSG_EQ(ideal.acknowledged.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(pcie.sender.at(ROCE_WRITE_ONLY).atNs[0] -
                                  ideal.sender.at(ROCE_WRITE_ONLY).atNs[0],
                              1507,
                              "packet");
        NS_TEST_EXPECT_MSG_EQ(pcie.acknowledged[0].completedNs - ideal.acknowledged[0].completedNs,
                              1707,
                              "completion");
    }
};

class RefusalTestCase : public NicTestCase
{
  public:
    RefusalTestCase()
        : NicTestCase("delays that a random variable may draw below 0, or beyond the run, are "
                      "refused; so are delays beyond the time-out, a NIC or a variable of two "
                      "hosts, and a negative draw")
    {
    }

  private:
    /// @return message with which a delay is refused in a run of 1 ms; empty if it is accepted
    static std::string Refusal(const std::string& variable)
    {
        auto nic = CreateObject<RdmaNic>();
        nic->SetAttribute("AckTurnaround", StringValue(variable));
        return nic->Validate(MilliSeconds(1));
    }

    void DoRun() override
    {
        for (const auto& [variable, line] : std::vector<std::pair<std::string, std::string>>{
                 {Constant(-1), "Constant=-1; allowed are 0 to 1000000 ns"},
                 {Constant(1000001), "Constant=1000001; allowed"},
                 {"ns3::UniformRandomVariable[Min=-5|Max=7]", "Min=-5"},
                 {"ns3::UniformRandomVariable[Min=0|Max=2e6]", "Max=2000000; allowed"},
                 {"ns3::ExponentialRandomVariable[Mean=2e6]", "Mean=2000000; allowed"},
                 // The default of Bound differs between versions of ns-3, but in all of them its
                 // first digit is 1.
                 {"ns3::NormalRandomVariable[Mean=5|Variance=9]", "Mean=5 and Bound=1"},
                 {"ns3::NormalRandomVariable[Mean=5|Variance=9|Bound=6]", "Mean=5 and Bound=6"}})
        {
            const std::string said = Refusal(variable);
            NS_TEST_EXPECT_MSG_NE(said.find(line), std::string::npos, variable + ": " + said);
            NS_TEST_EXPECT_MSG_EQ(said.find("ns3::RdmaNic::AckTurnaround"), 0, said);
        }
        for (const std::string& variable :
             {Constant(0),
              Constant(1000000),
              UpTo(1000),
              std::string("ns3::NormalRandomVariable[Mean=5|Variance=9|Bound=5]")})
        {
            NS_TEST_EXPECT_MSG_EQ(Refusal(variable), "", variable);
        }
        RefuseLateAcks();
        ShareNic();
        ShareVariable();
        DrawNegative();
    }

    /// Tests hosts whose delays make the round trip longer than the time-out of 4 ms, or almost as
    /// long.
    void RefuseLateAcks()
    {
        for (const auto& [feedback, turnaround, line] :
             std::vector<std::tuple<std::string, std::string, std::string>>{
                 {Constant(3000000), Constant(1000000), "of which ns3::RdmaNic delays 4000000 ns"},
                 {"ns3::UniformRandomVariable[Min=4000000|Max=5000000]", Constant(0), "4000000 ns"},
                 {"ns3::UniformRandomVariable[Min=3000000|Max=5000000]", Constant(0), ""},
                 {Constant(3000000), Constant(900000), ""}})
        {
            SetDelays({{"FeedbackDelay", feedback}, {"AckTurnaround", turnaround}});
            Install(BackToBack("100Gbps", MicroSeconds(1)));
            const std::string said =
                RefusalOf([this] { Connect(0, 1, CreateObject<FixedPolicy>()); });
            NS_TEST_EXPECT_MSG_EQ(said.empty(), line.empty(), feedback + ": " + said);
            NS_TEST_EXPECT_MSG_NE(said.find(line), std::string::npos, said);
            DoTeardown();
        }
    }

    void ShareNic()
    {
        auto nic = CreateObject<RdmaNic>();
        nic->SetAttribute("PostDelay", StringValue(Constant(1)));
        Fabric().SetHostAttribute("Nic", PointerValue(nic));
        const std::string said =
            RefusalOf([this] { Install(BackToBack("100Gbps", MicroSeconds(1))); });
        NS_TEST_EXPECT_MSG_NE(said.find("two hosts"), std::string::npos, said);
        DoTeardown();
    }

    void ShareVariable()
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto variable = CreateObject<DeterministicRandomVariable>();
        const auto installAt = [&](uint32_t host) {
            auto nic = CreateObject<RdmaNic>();
            nic->SetAttribute("PostDelay", PointerValue(variable));
            nic->Install(Host(host).GetPort(), Host(host));
        };
        installAt(0);
        NS_TEST_EXPECT_MSG_EQ(
            RefusalOf([&] { installAt(1); }),
            "ns3::RdmaNic: two hosts have the same "
            "ns3::DeterministicRandomVariable, which cannot be copied; each needs "
            "one of its own",
            "a variable of two hosts");
        DoTeardown();
    }

    void DrawNegative()
    {
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto variable = CreateObject<DeterministicRandomVariable>();
        double values[] = {7, -3};
        variable->SetValueArray(values, 2);
        auto nic = CreateObject<RdmaNic>();
        nic->SetAttribute("PostDelay", PointerValue(variable));
        nic->Install(Host(0).GetPort(), Host(0));
        const std::string said = RefusalOf([&] {
            for (uint64_t key : {1, 2})
            {
                nic->Hold(RdmaNic::POST, key, 0, [](int64_t) {});
            }
        });
        NS_TEST_EXPECT_MSG_EQ(said,
                              "ns3::RdmaNic::PostDelay of node 0 draws -3 ns at 0 ns; allowed are "
                              "delays from 0 to 3.6e+12 ns",
                              "a negative draw");
        Simulator::Destroy();
    }
};

class HpccNicSettingsTestSuite : public TestSuite
{
  public:
    HpccNicSettingsTestSuite()
        : TestSuite("hpcc-nic-settings", Type::UNIT)
    {
        AddTestCase(new RateStepTestCase(2.7, "1Gbps", 2));
        AddTestCase(new RateStepTestCase(0.3, "1Gbps", 1));
        AddTestCase(new RateStepTestCase(3, "1Gbps", 3));
        AddTestCase(new RateStepTestCase(100, "7Gbps", 100));
        AddTestCase(new PresetTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

HpccNicSettingsTestSuite g_hpccNicSettingsTestSuite; ///< registers itself

} // namespace
