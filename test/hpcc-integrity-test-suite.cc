/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/hpcc-feedback-attacker.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-roce-packet.h"
#include "ns3/hpcc-telemetry-border.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/rdma-hpcc-base.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace hpcctest;

namespace
{

/// Base class in which four hosts send 1 MB each to a fifth host at 100 Gb/s. A switch may attack
/// the feedback to the first host.
class IntegrityTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    static constexpr uint32_t SENDERS = 4;
    static constexpr uint32_t SWITCH = SENDERS + 1;
    static constexpr uint64_t BYTES = 1000000;

    /// Results of a run.
    struct Outcome
    {
        std::vector<double> fctUs; ///< completion times, us, by sender
        uint64_t forged;           ///< number of feedback packets that sender 0 rejected as forged
        uint64_t replayed;         ///< number of feedback packets that sender 0 rejected as
                                   ///< replayed
        uint64_t doubts;           ///< times that a sender began to doubt
        uint64_t queueBytes;       ///< longest queue from 140 us on, bytes
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
        if (m_border)
        {
            Fabric().AddTelemetryBorder(SWITCH, SENDERS);
        }
        if (!attack.empty())
        {
            m_attacker = CreateObject<FeedbackAttacker>();
            m_attacker->SetAttribute("Attack", StringValue(attack));
            m_attacker->SetTarget(HpccFabricHelper::GetAddress(0));
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

    Ptr<FeedbackAttacker> m_attacker; ///< the attacker; must outlive the switch
    bool m_border{false};             ///< true if the receiver is beyond a domain edge
};

/// Tests that a feedback key adds bytes to feedback and changes nothing else.
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

/// Tests forged and replayed feedback that is sent in addition to the genuine feedback.
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

/// Tests that no falsified record is accepted. More cannot be proved, because an attacker that can
/// alter feedback can also drop it.
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

/// Tests a receiver that sends forged records to all senders.
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
        for (const std::string recovery : {"go-back-n", "sack"})
        {
            Fabric().SetHostAttribute("Recovery", StringValue(recovery));
            const Outcome blind = Run("int-md", "", "", false, MicroSeconds(100));
            Fabric().SetHostAttribute("Recovery", StringValue(recovery));
            const Outcome honest = Run("int-md", "", "", true);
            Fabric().SetHostAttribute("Recovery", StringValue(recovery));
            const Outcome checked = Run("int-md", "", "", true, MicroSeconds(100));
            NS_TEST_EXPECT_MSG_EQ(blind.doubts, 0, recovery << ": nobody looks");
            NS_TEST_EXPECT_MSG_EQ(honest.doubts, 0, recovery << ": nobody honest is doubted");
            NS_TEST_EXPECT_MSG_EQ(checked.doubts, SENDERS, recovery << ": all notice the lie");
            NS_TEST_EXPECT_MSG_LT(checked.queueBytes,
                                  0.75 * blind.queueBytes,
                                  recovery << ": and its harm is less");
        }
    }
};

/// Tests genuine feedback, forged feedback and feedback of a dishonest receiver if it carries only
/// a load.
class BorderedIntegrityTestCase : public IntegrityTestCase
{
  public:
    explicit BorderedIntegrityTestCase(const std::string& telemetry)
        : IntegrityTestCase(telemetry + " behind a border: true feedback is believed, forged "
                                        "feedback is counted and ignored, and a receiver that "
                                        "reports idle paths is doubted"),
          m_telemetry(telemetry)
    {
        m_border = true;
    }

  private:
    void DoRun() override
    {
        const Outcome plain = Run(m_telemetry, "", "", false);
        const Outcome keyed = Run(m_telemetry, "", "secret", true);
        NS_TEST_EXPECT_MSG_EQ(keyed.forged + keyed.replayed, 0, "nothing true is rejected");
        NS_TEST_EXPECT_MSG_EQ(keyed.doubts, 0, "nobody honest is doubted");
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(keyed.fctUs[i], plain.fctUs[i], 0.1 * plain.fctUs[i], i);
        }
        const Outcome forged = Run(m_telemetry, "Forge", "secret", false);
        NS_TEST_EXPECT_MSG_GT(m_attacker->GetFalse(), 100, "the attack takes place");
        NS_TEST_EXPECT_MSG_EQ(forged.forged, m_attacker->GetFalse(), "each is noticed");
        const double fastest = *std::min_element(forged.fctUs.begin(), forged.fctUs.end());
        NS_TEST_EXPECT_MSG_GT(fastest, 0.75 * 4 * BYTES * 8 / 100e3, "the link is shared");
        const Outcome lied = Run(m_telemetry, "", "secret", true, MicroSeconds(100));
        NS_TEST_EXPECT_MSG_GT(lied.doubts, 0, "the lie is noticed");
        NS_TEST_EXPECT_MSG_EQ(lied.forged + lied.replayed, 0, "its authenticator is right");
    }

    std::string m_telemetry; ///< format
};

/// Tests flows from one network to another. Inside the domain, there are hosts 0 to 3 at switch 5,
/// the parallel switches 6 and 7, and switch 8, which is the domain edge. Outside, there are switch
/// 9 and host 4. The links inside have a tenth of the rate of the links outside.
class BorderTestCase : public RdmaTestCase
{
  public:
    explicit BorderTestCase(const std::string& telemetry)
        : RdmaTestCase(telemetry + " over a border: what is inside stays inside, and is obeyed"),
          m_telemetry(telemetry)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;
    static constexpr uint32_t BORDER = 8;
    static constexpr uint32_t OUTSIDE = 9;

    static HpccTopology TwoNetworks()
    {
        HpccTopology topology;
        for (uint32_t node = 0; node < 10; ++node)
        {
            topology.AddNode(node > SENDERS);
        }
        const Time delay = MicroSeconds(1);
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            topology.AddLink({host, 5, DataRate("100Gbps"), delay});
        }
        for (auto [a, b] : {std::pair(5, 6), std::pair(5, 7), std::pair(6, 8), std::pair(7, 8)})
        {
            topology.AddLink({uint32_t(a), uint32_t(b), DataRate("10Gbps"), delay});
        }
        topology.AddLink({BORDER, OUTSIDE, DataRate("100Gbps"), delay});
        topology.AddLink({OUTSIDE, SENDERS, DataRate("100Gbps"), delay});
        return topology;
    }

    void DoRun() override
    {
        const uint64_t open = Run(false);
        const uint64_t closed = Run(true);
        NS_TEST_EXPECT_MSG_LT(closed, 25000, "the bottleneck inside keeps its queue short");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(closed, 2 * open, "and not much longer than without a border");
    }

    /**
     * Runs the flows with or without a domain edge.
     * @param border true to configure a domain edge
     * @return longest queue inside the domain once the flows share the bottleneck, bytes
     */
    uint64_t Run(bool border)
    {
        DoTeardown();
        m_acknowledged.clear();
        Install(TwoNetworks());
        if (border)
        {
            Fabric().AddTelemetryBorder(BORDER, OUTSIDE);
        }
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_telemetry);
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            Post(i, Fabric().Connect(i, SENDERS, spec, 0, false), 2000000);
        }
        std::map<uint32_t, std::set<uint32_t>> tagsOfFlow;
        OnTransmit(*Fabric().GetSwitch(OUTSIDE)->GetPorts().back(), [&](int64_t, const Frame& f) {
            if (border && f.CollectsTelemetry())
            {
                tagsOfFlow[f.destinationQp].insert(CheckOutside(f));
            }
        });
        uint64_t queue = 0;
        for (uint32_t node : {5, 6, 7})
        {
            for (const auto& port : Fabric().GetSwitch(node)->GetPorts())
            {
                OnQueue(*port, [&queue](int64_t nowNs, uint64_t bytes) {
                    queue = nowNs > 1500000 ? std::max(queue, bytes) : queue;
                });
            }
        }
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, "every flow ends");
        std::set<uint32_t> tags;
        for (const auto& [flow, ofFlow] : tagsOfFlow)
        {
            NS_TEST_EXPECT_MSG_EQ(ofFlow.size(), 1, "a path has one tag");
            tags.insert(ofFlow.begin(), ofFlow.end());
        }
        NS_TEST_EXPECT_MSG_EQ(tags.size(), (border ? 2 : 0), "each of the two paths has its own");
        if (border)
        {
            auto agent = Fabric().GetNodes().Get(BORDER)->GetObject<TelemetryBorder>();
            NS_TEST_EXPECT_MSG_GT_OR_EQ(agent->GetReplaced(), 8000, "each packet is treated");
            NS_TEST_EXPECT_MSG_EQ(agent->GetRemoved(), 0, "and none loses its report");
        }
        return queue;
    }

    /**
     * Checks the telemetry of a frame that leaves the switch outside the domain.
     * @param frame the frame as it leaves
     * @return tag that identifies the path inside the domain
     */
    uint32_t CheckOutside(const Frame& frame)
    {
        NS_TEST_EXPECT_MSG_EQ(+frame.telemetry.hops, 2, "the inside and the outer switch");
        HopTelemetry inside = frame.format->Read(frame.telemetry, 0);
        HopTelemetry outside = frame.format->Read(frame.telemetry, 1);
        const uint16_t ids = frame.format->GetCapabilities().fields & TELEMETRY_SWITCH_ID;
        NS_TEST_EXPECT_MSG_EQ(inside.fields, (ids | TELEMETRY_LOAD), "no more");
        NS_TEST_EXPECT_MSG_EQ(frame.bytes, RoceFrameBytes(frame), "the size is exact");
        if (ids)
        {
            NS_TEST_EXPECT_MSG_GT(inside.switchId, 9, "not an id");
            NS_TEST_EXPECT_MSG_EQ(outside.switchId, OUTSIDE, "the outer switch shows itself");
        }
        return ids ? inside.switchId : frame.telemetry.pathId;
    }

    std::string m_telemetry; ///< format
};

/// Tests four flows to one host beyond a domain edge.
class FlatBorderTestCase : public RdmaTestCase
{
  public:
    explicit FlatBorderTestCase(const std::string& telemetry)
        : RdmaTestCase(telemetry +
                       " over a border: the bottleneck hop stays unknown and is obeyed"),
          m_telemetry(telemetry)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 4;

    void DoRun() override
    {
        const uint64_t open = Run(false);
        const uint64_t closed = Run(true);
        NS_TEST_EXPECT_MSG_GT(open, 0, "there is a queue");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(closed, 2 * open, "not much longer than without a border");
    }

    /**
     * Runs the flows with or without a domain edge.
     * @param border true to configure a domain edge
     * @return longest queue once the flows share the bottleneck, bytes
     */
    uint64_t Run(bool border)
    {
        DoTeardown();
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        if (border)
        {
            Fabric().AddTelemetryBorder(SENDERS + 1, SENDERS);
        }
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_telemetry);
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            Post(i, Fabric().Connect(i, SENDERS, spec, 0, false), 1000000);
        }
        QbbNetDevice& port = *Fabric().GetSwitch(SENDERS + 1)->GetPorts().back();
        const uint32_t nobody = spec.format->Read(Opened(*spec.format), 0).portId;
        OnTransmit(port, [&](int64_t, const Frame& f) {
            if (border && f.CollectsTelemetry())
            {
                NS_TEST_EXPECT_MSG_EQ(f.format->Read(f.telemetry, 0).portId, nobody, "nobody's");
            }
        });
        uint64_t queue = 0;
        OnQueue(port, [&queue](int64_t nowNs, uint64_t bytes) {
            queue = nowNs > 150000 && nowNs < 300000 ? std::max(queue, bytes) : queue;
        });
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        return queue;
    }

    /// Returns a telemetry stack in the state in which the sender sends it.
    static TelemetryStack Opened(const TelemetryFormat& format)
    {
        TelemetryStack stack;
        format.Open(stack, {4791, 17, 0});
        return stack;
    }

    std::string m_telemetry; ///< format
};

/// Tests feedback modes that return few records or compute the window at the receiver, in a network
/// whose domain edge replaces the records by a load.
class SparseBorderTestCase : public RdmaTestCase
{
  public:
    explicit SparseBorderTestCase(const std::string& telemetry)
        : RdmaTestCase("behind a domain edge " + telemetry +
                       " keeps the queue of an incast below a BDP after 30 T under every feedback"),
          m_telemetry(telemetry)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    void DoRun() override
    {
        for (const std::string feedback : {"probe", "per-rtt", "random", "receiver"})
        {
            DoTeardown();
            Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
            Fabric().AddTelemetryBorder(SENDERS + 1, SENDERS);
            auto spec = HpccFabricHelper::MakePolicy("hpcc++", m_telemetry, feedback);
            for (uint32_t i = 0; i < SENDERS; ++i)
            {
                Post(i, Fabric().Connect(i, SENDERS, spec, 0, false), 500000);
            }
            const int64_t baseRttNs = Fabric().GetNetworkBaseRttNs();
            uint64_t queue = 0;
            OnQueue(*Fabric().GetSwitch(SENDERS + 1)->GetPorts().back(),
                    [&queue, baseRttNs](int64_t nowNs, uint64_t bytes) {
                        queue = nowNs > 30 * baseRttNs ? std::max(queue, bytes) : queue;
                    });
            Simulator::Stop(MicroSeconds(600));
            Simulator::Run();
            // According to section 3.2 of the HPCC paper, the bytes in flight settle at eta times
            // the BDP.
            const auto bdpBytes = static_cast<uint64_t>(baseRttNs * 100 / 8);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(queue, bdpBytes, feedback);
            NS_TEST_EXPECT_MSG_GT(queue, 0, feedback << ": there is a queue");
        }
    }

    std::string m_telemetry; ///< format
};

/// Tests HPCC-PINT, which has no additive stages and therefore reacts to each load at once.
class LeapingBorderTestCase : public RdmaTestCase
{
  public:
    explicit LeapingBorderTestCase(const std::string& telemetry)
        : RdmaTestCase("HPCC-PINT over " + telemetry +
                       " keeps the 99th percentile of an incast's queue behind a domain edge "
                       "within twice of that without one"),
          m_telemetry(telemetry)
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;

    void DoRun() override
    {
        const uint64_t open = Run(false);
        NS_TEST_EXPECT_MSG_GT(open, 0, "there is a queue");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Run(true), 2 * open, "behind the edge");
    }

    /**
     * Runs the flows with or without a domain edge.
     * @param border true to configure a domain edge
     * @return 99th percentile of the queue after 30 T, bytes
     */
    uint64_t Run(bool border)
    {
        DoTeardown();
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        if (border)
        {
            Fabric().AddTelemetryBorder(SENDERS + 1, SENDERS);
        }
        auto spec = HpccFabricHelper::MakePolicy("hpcc-pint", m_telemetry);
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            const uint32_t qp = Fabric().Connect(i, SENDERS, spec);
            Post(i, qp, 500000);
            flows.push_back({i, SENDERS, 500000, 0, qp, 0});
        }
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        return monitor.Summarize().queueP99Bytes;
    }

    std::string m_telemetry; ///< format
};

/// Tests flows with two formats whose timestamps wrap at different times, after both have wrapped.
class MixedBorderTestCase : public RdmaTestCase
{
  public:
    MixedBorderTestCase()
        : RdmaTestCase("flows with IFA and IOAM keep the 99th percentile of an incast's queue "
                       "behind a domain edge within twice of that without one")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 8;

    void DoRun() override
    {
        const uint64_t open = Run(false);
        NS_TEST_EXPECT_MSG_GT(open, 0, "there is a queue");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(Run(true), 2 * open, "behind the edge");
    }

    /**
     * Runs the flows with or without a domain edge.
     * @param border true to configure a domain edge
     * @return 99th percentile of the queue after 30 T, bytes
     */
    uint64_t Run(bool border)
    {
        DoTeardown();
        Fabric().SetTelemetryAgentAttribute("ClockOffset", TimeValue(MilliSeconds(1500)));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        if (border)
        {
            Fabric().AddTelemetryBorder(SENDERS + 1, SENDERS);
        }
        const std::vector specs{HpccFabricHelper::MakePolicy("hpcc++", "ifa"),
                                HpccFabricHelper::MakePolicy("hpcc++", "ioam")};
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            const uint32_t qp = Fabric().Connect(i, SENDERS, specs[i % 2]);
            Post(i, qp, 1500000);
            flows.push_back({i, SENDERS, 1500000, 0, qp, 0});
        }
        HpccMonitor monitor(Fabric(), flows, 30 * Fabric().GetNetworkBaseRttNs());
        Simulator::Stop(MilliSeconds(2));
        Simulator::Run();
        return monitor.Summarize().queueP99Bytes;
    }
};

/// Tests that formats that cannot cross a domain edge are refused, in any order of configuration.
class RefusedBorderTestCase : public RdmaTestCase
{
  public:
    RefusedBorderTestCase()
        : RdmaTestCase("formats without room for a load, and reports of one hop, are refused")
    {
    }

  private:
    /// Returns the error message with which @p setUp is refused.
    static std::string LineOf(const std::function<void()>& setUp)
    {
        try
        {
            setUp();
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        const std::vector<std::array<std::string, 4>> refused{
            {"hpcc++", "sigcomm19:authors", "packet", "telemetry format sigcomm19:authors: "},
            {"rcp", "rcp", "packet", "telemetry format rcp: "},
            {"xcp", "xcp", "packet", "telemetry format xcp: "},
            {"hpcc++", "int-md", "packet:worst-hop", "--feedback packet:worst-hop: "}};
        for (const auto& [cc, telemetry, feedback, line] : refused)
        {
            for (const bool first : {true, false})
            {
                DoTeardown();
                Install(HpccTopology::Dumbbell(1, 1, {}));
                auto spec = HpccFabricHelper::MakePolicy(cc, telemetry, feedback);
                const std::string said = LineOf([&] {
                    if (first)
                    {
                        Fabric().AddTelemetryBorder(2, 3);
                    }
                    Fabric().Connect(0, 1, spec, 0, false);
                    if (!first)
                    {
                        Fabric().AddTelemetryBorder(2, 3);
                    }
                });
                NS_TEST_EXPECT_MSG_EQ(said.find(line), 0, said);
                NS_TEST_EXPECT_MSG_NE(said.find(" of node 2"), std::string::npos, said);
            }
        }
        DoTeardown();
        Install(HpccTopology::Dumbbell(1, 1, {}));
        NS_TEST_EXPECT_MSG_NE(LineOf([this] { Fabric().AddTelemetryBorder(2, 0x10000); }),
                              "",
                              "a border needs a link");
    }
};

class HpccIntegrityTestSuite : public TestSuite
{
  public:
    HpccIntegrityTestSuite()
        : TestSuite("hpcc-integrity", Type::UNIT)
    {
        AddTestCase(new KeyTestCase);
        AddTestCase(new AttackTestCase("int-md", "Forge"));
        AddTestCase(new AttackTestCase("sigcomm19", "Forge"));
        AddTestCase(new AttackTestCase("int-md-no-ts", "Replay"));
        AddTestCase(new AlterTestCase);
        AddTestCase(new DishonestTestCase);
        for (const char* telemetry : {"int-md", "ifa", "ioam", "sigcomm19"})
        {
            AddTestCase(new BorderedIntegrityTestCase(telemetry));
        }
        AddTestCase(new BorderTestCase("int-md"));
        AddTestCase(new BorderTestCase("int-md-no-ts"));
        AddTestCase(new BorderTestCase("ifa"));
        AddTestCase(new BorderTestCase("ioam"));
        AddTestCase(new BorderTestCase("ioam-incremental"));
        AddTestCase(new BorderTestCase("sigcomm19"));
        AddTestCase(new FlatBorderTestCase("csig"));
        AddTestCase(new FlatBorderTestCase("csig-wide"));
        for (const std::string telemetry : {"int-md", "ifa", "ioam", "sigcomm19"})
        {
            AddTestCase(new SparseBorderTestCase(telemetry));
            AddTestCase(new LeapingBorderTestCase(telemetry));
        }
        AddTestCase(new MixedBorderTestCase);
        AddTestCase(new RefusedBorderTestCase);
    }
};

HpccIntegrityTestSuite g_hpccIntegrityTestSuite; ///< registers the suite

} // namespace
