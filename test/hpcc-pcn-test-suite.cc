/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the parts of PCN in simulations: marks at the switch, a policy with a part at the receiver,
// and the first decrease of a rate.

#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/hpcc-np-ecn-agent.h"
#include "ns3/rdma-pcn.h"

#include <map>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// The state machine of figure 7 of the PCN paper for the frames of one port. When a pause ends, it
/// sets the counter PN to the number of queued frames.
class Figure7 : public PortAgent
{
  public:
    explicit Figure7(uint64_t threshold)
        : m_threshold(threshold)
    {
    }

    void OnEnqueue(QbbNetDevice&, Frame&, int64_t) override
    {
        ++m_queued;
    }

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        --m_queued;
        bool mark = false;
        if (m_heldUp > 0)
        {
            --m_heldUp;
            ++unmarked;
        }
        else
        {
            mark = port.GetQueueBytes(frame.priority) > m_threshold;
        }
        if (frame.source == AddressOf(0))
        {
            marks += mark;
            differences += mark != ((frame.tos & 3) == ECN_CE);
        }
    }

    bool WantsEnqueue() const override
    {
        return true;
    }

    void Resume(uint8_t, int64_t, int64_t, bool)
    {
        m_heldUp = m_queued;
    }

    uint64_t marks{0};       ///< number of frames of host 0 that have to be marked
    uint64_t differences{0}; ///< number of frames of host 0 that are marked or not marked contrary
                             ///< to the state machine
    uint64_t unmarked{0};    ///< number of frames that a pause has delayed

  private:
    uint64_t m_threshold;
    uint64_t m_queued{0};
    uint64_t m_heldUp{0};
};

/// Tests marks at the port of a host that two other hosts overload, and that the receiving host
/// pauses several times.
class NpEcnTestCase : public NetworkTestCase
{
  public:
    NpEcnTestCase(uint64_t threshold, const std::string& name)
        : NetworkTestCase(name),
          m_threshold(threshold)
    {
    }

  private:
    void DoRun() override
    {
        m_marker.Set("Thresholds", StringValue("8Gbps:3000:3000:1"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        auto agent = CreateObject<NpEcnAgent>();
        agent->SetAttribute("Threshold", UintegerValue(m_threshold));
        Figure7 figure(m_threshold);
        m_switch->AddAgent(PeekPointer(agent));
        m_switch->AddAgent(&figure);
        QbbNetDevice& port = *m_switch->GetPorts()[2];
        port.TraceConnectWithoutContext("PauseEnd", MakeCallback(&Figure7::Resume, &figure));
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_hosts[host]->make = [this, host](uint8_t) {
                FrameSpec spec;
                spec.source = host;
                spec.destination = 2;
                spec.ecn = host == 0 ? ECN_ECT1 : ECN_ECT0;
                return MakeFrame(*m_ports[host], spec);
            };
            // Host 1 sends in two bursts, so that the queue empties in between.
            m_hosts[host]->toPull[3] = host == 0 ? 300 : 40;
            m_ports[host]->Kick(0);
        }
        At(MicroSeconds(200), [this] {
            m_hosts[1]->toPull[3] = 40;
            m_ports[1]->Kick(200000);
        });
        // The times are chosen such that no frame arrives in the nanosecond in which a pause ends.
        // The last pause expires after 65535 quanta of 64 ns, when frames no longer arrive.
        for (int64_t us : {5, 30, 33, 120, 215})
        {
            At(NanoSeconds(us * 1000 + 37), [this] { m_ports[2]->RequestPause(3); });
            At(NanoSeconds(us * 1000 + 1491), [this] { m_ports[2]->ReleasePause(3); });
        }
        At(NanoSeconds(250037), [this] {
            std::array<uint16_t, PRIORITIES> quanta{};
            quanta[3] = 100;
            m_ports[2]->Emit(MakePfc(*m_ports[2], 1 << 3, quanta));
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_hosts[2]->arrivals.size(), 380, "frames");
        NS_TEST_EXPECT_MSG_EQ(figure.differences, 0, "frames marked unlike figure 7");
        NS_TEST_EXPECT_MSG_GT(figure.unmarked, 50, "frames held up");
        NS_TEST_EXPECT_MSG_GT(agent->GetHeldUp(), 20, "spared");
        NS_TEST_EXPECT_MSG_EQ(agent->GetMarks(), figure.marks, "marks");
        NS_TEST_EXPECT_MSG_GT(figure.marks, 50, "marks");
        NS_TEST_EXPECT_MSG_LT(figure.marks, 250, "not all are marked");
        uint64_t other = 0;
        for (const auto& note : m_hosts[2]->arrivals)
        {
            other += note.source == AddressOf(1) && (note.tos & 3) == ECN_CE;
        }
        NS_TEST_EXPECT_MSG_EQ(other,
                              m_switch->GetEcnMarks(),
                              "marks of the EcnMarker are ECT(0)'s");
        NS_TEST_EXPECT_MSG_GT(other, 20, "marks of the EcnMarker");
        NS_TEST_EXPECT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }

    uint64_t m_threshold;
};

/// A policy that counts packets at the receiver and sends their number to the sender.
class CountingPolicy : public FixedPolicy, public IdleReceiver
{
  public:
    struct Receiver : RdmaReceiverState
    {
        uint64_t packets{0};
        uint64_t marked{0};
    };

    std::vector<std::pair<int64_t, RdmaNotification>> told; ///< notifications that the sender has
                                                            ///< received, with their times
    uint64_t linkBytes{0};                                  ///< bytes that have arrived
    uint32_t opened{0};                                     ///< number of receiver states opened
    uint32_t closed{0};                                     ///< number of receiver states closed

    RdmaReceiverOps* GetReceiver() override
    {
        return this;
    }

    RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo&) override
    {
        ++opened;
        return new Receiver();
    }

    void CloseReceiver(RdmaReceiverState* state) override
    {
        ++closed;
        delete static_cast<Receiver*>(state);
    }

    RdmaNotification OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival) override
    {
        auto& own = *static_cast<Receiver*>(state);
        linkBytes += arrival.linkBytes;
        own.marked += arrival.congestionExperienced;
        if (++own.packets == 1)
        {
            own.timerNs = arrival.nowNs + 10000;
            return {true, false, 1};
        }
        return {};
    }

    RdmaNotification OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs) override
    {
        auto& own = *static_cast<Receiver*>(state);
        own.timerNs = own.packets < 100 ? nowNs + 10000 : std::numeric_limits<int64_t>::max();
        return {true, own.marked > 0, own.packets};
    }

    void OnCongestionMessage(RdmaCongestionState* state,
                             const RdmaCongestionMessage& message) override
    {
        FixedPolicy::OnCongestionMessage(state, message);
        if (message.notification)
        {
            told.emplace_back(message.nowNs, *message.notification);
        }
    }
};

class ReceiverTestCase : public RdmaTestCase
{
  public:
    ReceiverTestCase()
        : RdmaTestCase("a policy at the receiver sees every packet, keeps its own time and tells "
                       "the sender in CNPs; there are no others, and no echoes")
    {
    }

  private:
    void DoRun() override
    {
        auto policy = CreateObject<CountingPolicy>();
        policy->needs.ecn = RdmaPolicyDescription::ECT1;
        policy->needs.receiverPart = true;
        policy->rate = 10e9;
        // With Kmin 0, a frame is marked if another frame waits behind it. The second queue pair
        // ensures that frames wait.
        Fabric().SetEcnAttribute("Thresholds", StringValue("10Gbps:0:0:1"));
        Install(Star(3, "10Gbps", MicroSeconds(1)));
        std::map<uint8_t, uint64_t> codepoints;
        OnTransmit(Host(0).GetPort(), [&codepoints](int64_t, const Frame& frame) {
            codepoints[frame.tos & 3] += frame.kind == Frame::Kind::ROCE && !frame.IsRoceFeedback();
        });
        uint32_t qp = Connect(0, 2, policy);
        auto other = CreateObject<CountingPolicy>();
        other->needs.receiverPart = true;
        Post(0, qp, 100000);
        Post(1, Connect(1, 2, other), 100000);
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(codepoints[ECN_ECT1], 100, "packets are ECT(1)");
        NS_TEST_ASSERT_MSG_EQ(codepoints.size(), 1, "and nothing else");
        // Each packet has 1058 bytes and 24 bytes of link overhead; the first packet also has a
        // RETH of 16 bytes.
        NS_TEST_ASSERT_MSG_EQ(policy->linkBytes, 99 * 1082 + 1098, "link bytes");
        NS_TEST_ASSERT_MSG_EQ(policy->opened, 1, "receivers");
        NS_TEST_ASSERT_MSG_EQ(policy->cnps + policy->echoes, 0, "plain CNPs and echoes");
        uint64_t cnps = policy->told.size() + other->told.size();
        NS_TEST_ASSERT_MSG_EQ(Host(2).GetCnpsSent(), cnps, "CNPs");
        NS_TEST_ASSERT_MSG_GT(policy->told.size(), 10, "notifications");
        NS_TEST_ASSERT_MSG_EQ(policy->told[0].second.rateBps, 1, "the first packet's");
        NS_TEST_ASSERT_MSG_EQ(policy->told.back().second.rateBps, 100, "the last one's");
        NS_TEST_ASSERT_MSG_EQ(policy->told.back().second.congested, true, "marks are seen");
        NS_TEST_ASSERT_MSG_EQ(policy->told[0].second.congested, false, "the first has none");
        // A CNP is sent every 10 us. On each of the two links it may wait until an ACK of 64 + 24
        // bytes has been sent.
        for (size_t i = 1; i < policy->told.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ_TOL(policy->told[i].first - policy->told[0].first,
                                      static_cast<int64_t>(i) * 10000,
                                      2 * 150,
                                      "time of notification " << i);
        }
        NS_TEST_ASSERT_MSG_EQ(AllFramesFree(), true, "frames");
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_EQ(policy->closed, 1, "receivers closed");
        NS_TEST_ASSERT_MSG_EQ(other->closed, 1, "receivers closed");
    }
};

class OneStepTestCase : public RdmaTestCase
{
  public:
    OneStepTestCase()
        : RdmaTestCase("senders of an incast drop in one step to their share of the link, less "
                       "w_min, as soon as the receiver has measured for an interval")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("pcn");
        std::vector<uint32_t> queuePairs;
        for (uint32_t host = 0; host < senders; ++host)
        {
            queuePairs.push_back(Fabric().Connect(host, senders, spec));
            Post(host, queuePairs.back(), 20000000);
        }
        auto gbps = [&](uint32_t host) {
            return Host(host).GetQueuePair(queuePairs[host]).cc->rateBps / 1e9;
        };
        // The first packet arrives after 2.2 us, and the CNP takes 2 us to return.
        At(NanoSeconds(54000), [&] {
            for (uint32_t host = 0; host < senders; ++host)
            {
                NS_TEST_EXPECT_MSG_EQ(gbps(host), 100, "line rate until then");
            }
        });
        At(MicroSeconds(57), [&] {
            double sum = 0;
            for (uint32_t host = 0; host < senders; ++host)
            {
                // The tolerance is one packet: 8 * 1082 bits in 50 us.
                NS_TEST_EXPECT_MSG_EQ_TOL(gbps(host), 100.0 / 8 * 127 / 128, 0.18, "share");
                sum += gbps(host);
            }
            // The packet that starts an interval is also counted. Therefore the rate of each flow
            // may be higher by one packet per interval.
            NS_TEST_EXPECT_MSG_GT(sum, 100.0 * 127 / 128 - 0.2, "the link's rate, less w_min");
            NS_TEST_EXPECT_MSG_LT(sum, 100.0 * 127 / 128 + senders * 0.18, "and not more");
        });
        Fabric().EndAt(MicroSeconds(60));
        Simulator::Run();
    }
};

class MixedTestCase : public RdmaTestCase
{
  public:
    MixedTestCase()
        : RdmaTestCase("flows of PCN and of DCQCN share a switch, each kind with its own marks")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 4;
        Install(Star(senders + 1, "100Gbps", MicroSeconds(1)));
        std::vector<uint32_t> queuePairs;
        for (uint32_t host = 0; host < senders; ++host)
        {
            auto spec = HpccFabricHelper::MakePolicy(host % 2 ? "pcn" : "dcqcn");
            queuePairs.push_back(Fabric().Connect(host, senders, spec));
            Post(host, queuePairs.back(), 4000000);
        }
        // After the switch, CE has replaced the original codepoint, so the source address
        // identifies the policy.
        std::map<uint32_t, uint64_t> marked;
        OnTransmit(*Fabric().GetSwitch(senders + 1)->GetPorts()[senders],
                   [&](int64_t, const Frame& frame) {
                       marked[HpccFabricHelper::GetHostNumber(frame.source) % 2] +=
                           (frame.tos & 3) == ECN_CE;
                   });
        bool cut = true;
        At(MicroSeconds(100), [&] {
            for (uint32_t host = 0; host < senders; ++host)
            {
                cut = cut && Host(host).GetQueuePair(queuePairs[host]).cc->rateBps < 50e9;
            }
        });
        Simulator::Run();
        auto agent = Fabric().GetNodes().Get(senders + 1)->GetObject<NpEcnAgent>();
        NS_TEST_ASSERT_MSG_EQ(cut, true, "all have been cut");
        NS_TEST_ASSERT_MSG_GT(marked[0], 0, "marks on DCQCN's packets");
        NS_TEST_ASSERT_MSG_EQ(marked[0], Fabric().GetSwitch(senders + 1)->GetEcnMarks(), "by RED");
        NS_TEST_ASSERT_MSG_GT(marked[1], marked[0], "marks on PCN's packets");
        NS_TEST_ASSERT_MSG_EQ(marked[1], agent->GetMarks(), "by the agent");
        NS_TEST_ASSERT_MSG_EQ(m_acknowledged.size(), senders, "messages");
    }
};

class ReadTestCase : public RdmaTestCase
{
  public:
    ReadTestCase()
        : RdmaTestCase("the requester of READs is the receiver that tells their responders")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t responders = 4;
        Install(Star(responders + 1, "100Gbps", MicroSeconds(1)));
        Fabric().AddSwitchAgent("np-ecn");
        auto policy = CreateObject<FixedPolicy>();
        std::vector<uint32_t> queuePairs;
        for (uint32_t host = 0; host < responders; ++host)
        {
            auto pcn = CreateObject<RdmaPcn>();
            queuePairs.push_back(Connect(responders, host, policy, pcn));
            Post(responders, queuePairs.back(), 4000000, NanoSeconds(0), RdmaVerb::READ);
        }
        At(MicroSeconds(70), [&] {
            for (uint32_t host = 0; host < responders; ++host)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(Host(host).GetQueuePair(0).cc->rateBps / 1e9,
                                          100.0 / responders * 127 / 128,
                                          0.2,
                                          "share of the link");
            }
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(Host(responders).GetCnpsSent(), 10 * responders, "CNPs");
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), responders, "messages");
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames");
    }
};

class HpccPcnTestSuite : public TestSuite
{
  public:
    HpccPcnTestSuite()
        : TestSuite("hpcc-pcn", Type::SYSTEM)
    {
        AddTestCase(new NpEcnTestCase(0,
                                      "ECT(1) packets are marked if they leave others behind and "
                                      "no pause has held them up, ECT(0) by the EcnMarker"));
        AddTestCase(new NpEcnTestCase(5000, "the same with a threshold"));
        AddTestCase(new ReceiverTestCase);
        AddTestCase(new OneStepTestCase);
        AddTestCase(new MixedTestCase);
        AddTestCase(new ReadTestCase);
    }
};

HpccPcnTestSuite g_hpccPcnTestSuite; ///< the suite

} // namespace
