/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-feedback-attacker.h"
#include "ns3/rdma-hpcc-base.h"

#include <algorithm>

using namespace hpcctest;

namespace
{

/// Four hosts send 1 MB each to a fifth at 100 Gb/s. The first one's feedback is attacked.
class IntegrityTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    static constexpr uint32_t SENDERS = 4;
    static constexpr uint32_t SWITCH = SENDERS + 1;
    static constexpr uint64_t BYTES = 1000000;

    /// What a run shows.
    struct Outcome
    {
        std::vector<double> fctUs; ///< by sender
        uint64_t forged;           ///< rejected at sender 0
        uint64_t replayed;         ///< rejected at sender 0
        uint64_t doubts;           ///< times that a sender began to doubt
        uint64_t queueBytes;       ///< largest queue from 140 us on
    };

    Outcome Run(const std::string& telemetry,
                const std::string& attack,
                const std::string& key,
                bool check,
                Time dishonestFrom = Time::Max())
    {
        Fabric().SetHostAttribute("FeedbackKey", StringValue(key));
        Fabric().SetHostAttribute("DishonestFrom", TimeValue(dishonestFrom));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        if (!attack.empty())
        {
            m_attacker = CreateObject<FeedbackAttacker>();
            m_attacker->SetAttribute("Attack", StringValue(attack));
            m_attacker->SetVictim(HpccFabricHelper::GetAddress(0));
            Fabric().GetSwitch(SWITCH)->AddAgent(PeekPointer(m_attacker));
        }
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", telemetry);
        spec.policy.Set("CheckFeedback", BooleanValue(check));
        Outcome outcome{std::vector<double>(SENDERS), 0, 0, 0, 0};
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            uint32_t qp = Fabric().Connect(i, SENDERS, spec, 0, false);
            Post(i, qp, BYTES);
            auto* ops = dynamic_cast<RdmaHpccBase*>(Host(i).GetQueuePair(qp).ops);
            ops->TraceConnectWithoutContext("Doubt",
                                            MakeBoundCallback(&CountDoubt, &outcome.doubts));
        }
        for (const auto& port : Fabric().GetSwitch(SWITCH)->GetPorts())
        {
            OnQueue(*port, [&outcome](int64_t nowNs, uint64_t bytes) {
                if (nowNs >= 140000)
                {
                    outcome.queueBytes = std::max(outcome.queueBytes, bytes);
                }
            });
        }
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, "every flow ends");
        for (const auto& message : m_acknowledged)
        {
            outcome.fctUs[HpccFabricHelper::GetHostNumber(message.source)] =
                static_cast<double>(message.completedNs) / 1e3;
        }
        outcome.forged = Host(0).GetRejectedFeedback(FeedbackRejection::FORGED);
        outcome.replayed = Host(0).GetRejectedFeedback(FeedbackRejection::REPLAYED);
        m_acknowledged.clear();
        RdmaTestCase::DoTeardown();
        return outcome;
    }

    static void CountDoubt(uint64_t* doubts, uint32_t, bool doubted)
    {
        *doubts += doubted;
    }

    Ptr<FeedbackAttacker> m_attacker; ///< outlives the switch
};

/// A key costs its bytes and changes nothing else.
class KeyTestCase : public IntegrityTestCase
{
  public:
    KeyTestCase()
        : IntegrityTestCase("authenticated feedback is believed, all of it")
    {
    }

  private:
    void DoRun() override
    {
        Outcome plain = Run("int-md", "", "", false);
        Outcome keyed = Run("int-md", "", "secret", true);
        NS_TEST_EXPECT_MSG_EQ(keyed.forged + keyed.replayed, 0, "nothing is rejected");
        NS_TEST_EXPECT_MSG_EQ(keyed.doubts, 0, "nobody is doubted");
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(keyed.fctUs[i], plain.fctUs[i], 0.1 * plain.fctUs[i], i);
        }
    }
};

/// Forged and replayed feedback beside the true one.
class AttackTestCase : public IntegrityTestCase
{
  public:
    AttackTestCase(const std::string& telemetry, const std::string& attack)
        : IntegrityTestCase(attack + " over " + telemetry +
                            ": wins without a key, is counted and ignored with one"),
          m_telemetry(telemetry),
          m_attack(attack)
    {
    }

  private:
    void DoRun() override
    {
        Outcome open = Run(m_telemetry, m_attack, "", false);
        double others = *std::min_element(open.fctUs.begin() + 1, open.fctUs.end());
        NS_TEST_EXPECT_MSG_LT(open.fctUs[0], 0.6 * others, "the attacked flow takes the link");
        NS_TEST_EXPECT_MSG_EQ(open.forged + open.replayed, 0, "nobody looks");

        Outcome keyed = Run(m_telemetry, m_attack, "secret", false);
        NS_TEST_EXPECT_MSG_EQ((m_attack == "Forge" ? keyed.forged : keyed.replayed),
                              m_attacker->GetFalse(),
                              "each is noticed");
        NS_TEST_EXPECT_MSG_EQ((m_attack == "Forge" ? keyed.replayed : keyed.forged), 0, "as such");
        double fastest = *std::min_element(keyed.fctUs.begin(), keyed.fctUs.end());
        NS_TEST_EXPECT_MSG_GT(fastest, 0.75 * 4 * BYTES * 8 / 100e3, "the link is shared");
    }

    std::string m_telemetry; ///< format
    std::string m_attack;    ///< attack
};

/// Who can alter feedback can drop it, too: no false report gets through.
class AlterTestCase : public IntegrityTestCase
{
  public:
    AlterTestCase()
        : IntegrityTestCase("altered feedback is noticed each time")
    {
    }

  private:
    void DoRun() override
    {
        Outcome keyed = Run("int-md", "Alter", "secret", false);
        NS_TEST_EXPECT_MSG_EQ(keyed.forged, m_attacker->GetFalse(), "each is noticed");
        NS_TEST_EXPECT_MSG_EQ(keyed.forged, BYTES / 1000, "one per packet");
    }
};

/// The receiver lies to all.
class DishonestTestCase : public IntegrityTestCase
{
  public:
    DishonestTestCase()
        : IntegrityTestCase("a receiver that reports idle paths is doubted, and growth capped")
    {
    }

  private:
    void DoRun() override
    {
        Outcome blind = Run("int-md", "", "", false, MicroSeconds(100));
        Outcome checked = Run("int-md", "", "", true, MicroSeconds(100));
        NS_TEST_EXPECT_MSG_EQ(blind.doubts, 0, "nobody looks");
        NS_TEST_EXPECT_MSG_GT(checked.doubts, 0, "the lie is noticed");
        NS_TEST_EXPECT_MSG_LT(checked.queueBytes, 0.75 * blind.queueBytes, "and its harm is less");
    }
};

class HpccIntegrityTestSuite : public TestSuite
{
  public:
    HpccIntegrityTestSuite()
        : TestSuite("hpcc-integrity", UNIT)
    {
        AddTestCase(new KeyTestCase, TestCase::QUICK);
        AddTestCase(new AttackTestCase("int-md", "Forge"), TestCase::QUICK);
        AddTestCase(new AttackTestCase("sigcomm19", "Forge"), TestCase::QUICK);
        AddTestCase(new AttackTestCase("int-md-no-ts", "Replay"), TestCase::QUICK);
        AddTestCase(new AlterTestCase, TestCase::QUICK);
        AddTestCase(new DishonestTestCase, TestCase::QUICK);
    }
};

HpccIntegrityTestSuite g_hpccIntegrityTestSuite; ///< registers itself

} // namespace
