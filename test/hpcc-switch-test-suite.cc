/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the processing of a frame by a switch: forwarding, marking, and additions by port agents.

#include "hpcc-test-drops.h"
#include "hpcc-test-network.h"

#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-presets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

class TtlAndRouteTestCase : public NetworkTestCase
{
  public:
    TtlAndRouteTestCase()
        : NetworkTestCase(
              "a switch decrements the TTL, drops at 0 and without a route, and says why")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(2, "8Gbps", NanoSeconds(100));
        DropLog log;
        log.Watch(*m_switch);
        FrameSpec spec;
        for (uint8_t ttl : {64, 2, 1, 0, 255})
        {
            spec.ttl = ttl;
            Send(0, spec);
        }
        spec.ttl = 64;
        spec.destination = 9;
        Send(0, spec);
        Simulator::Run();
        std::vector<uint32_t> ttls;
        for (const auto& note : m_hosts[1]->arrivals)
        {
            ttls.push_back(note.ttl);
        }
        NS_TEST_ASSERT_MSG_EQ((ttls == std::vector<uint32_t>{63, 1, 254}), true, "TTLs");
        NS_TEST_ASSERT_MSG_EQ(CountDrops(*m_switch, DropReason::TTL_EXPIRED), 2, "TTL 1 and 0");
        NS_TEST_ASSERT_MSG_EQ(log.Get(DropReason::TTL_EXPIRED), 2, "traced");
        NS_TEST_ASSERT_MSG_EQ(CountDrops(*m_switch, DropReason::NO_ROUTE), 1, "no route");
        NS_TEST_ASSERT_MSG_EQ(log.Get(DropReason::NO_ROUTE), 1, "traced");
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "nothing stays charged");
        NS_TEST_ASSERT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }
};

class OnePathTestCase : public NetworkTestCase
{
  public:
    OnePathTestCase()
        : NetworkTestCase("all packets of a flow take one path, with and without telemetry, of any "
                          "DSCP, ECN codepoint, TTL and size; flows spread over all paths")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t flows = 400;
        MakeStar(5, "100Gbps", NanoSeconds(100));
        m_switch->GetRoutes().SetRoute(AddressOf(9), {1, 2, 3, 4});
        std::vector<Ptr<TelemetryFormat>> formats{nullptr};
        for (const char* name : {"sigcomm19", "int-md"})
        {
            ObjectFactory factory;
            bool found = HpccPresets::Find(TelemetryFormat::GetTypeId(), name, factory);
            NS_TEST_ASSERT_MSG_EQ(found, true, name);
            formats.push_back(factory.Create<TelemetryFormat>());
        }
        uint32_t sent = 0;
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            for (uint32_t i = 0; i < 24; ++i)
            {
                FrameSpec spec;
                spec.destination = 9;
                spec.sourcePort = static_cast<uint16_t>(49152 + flow);
                spec.psn = flow;
                spec.format = PeekPointer(formats[i % formats.size()]);
                spec.dscp = i * 7 % 64;
                spec.ecn = i % 4;
                spec.ttl = static_cast<uint8_t>(2 + i);
                spec.bytes = 130 + 40 * i;
                Send(0, spec);
                ++sent;
            }
        }
        Simulator::Run();
        std::map<uint32_t, std::set<uint32_t>> paths;
        std::array<uint32_t, 4> flowsOn{};
        uint32_t arrived = 0;
        for (uint32_t host = 1; host < 5; ++host)
        {
            for (const auto& note : m_hosts[host]->arrivals)
            {
                flowsOn[host - 1] += paths[note.psn].insert(host).second;
                ++arrived;
            }
        }
        NS_TEST_ASSERT_MSG_EQ(arrived, sent, "all frames");
        for (const auto& [flow, hosts] : paths)
        {
            NS_TEST_ASSERT_MSG_EQ(hosts.size(), 1, "paths of flow " << flow);
        }
        for (uint32_t count : flowsOn)
        {
            // The count has a binomial distribution with p = 1/4. Its mean is 100 flows, and its
            // standard deviation is sqrt(400 * 3/16). The tolerance is 4 standard deviations.
            NS_TEST_ASSERT_MSG_EQ_TOL(count, 100.0, 4 * std::sqrt(75.0), "flows on a path");
        }
    }
};

/// Tests marks while three hosts overload the port of a fourth host. Their packets are ECT(0),
/// ECT(1) and Not-ECT, respectively.
class EcnTestCase : public NetworkTestCase
{
  public:
    EcnTestCase()
        : NetworkTestCase("ECT packets are marked never up to Kmin, always above Kmax, in between "
                          "with a probability that rises linearly to Pmax; others never")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t frames = 8000;
        constexpr double kmin = 500000;
        constexpr double kmax = 8500000;
        constexpr double pmax = 0.3;
        constexpr uint32_t bands = 4;
        m_marker.Set("Thresholds", StringValue("8Gbps:500000:8500000:0.3"));
        MakeStar(4, "8Gbps", NanoSeconds(100));
        for (uint32_t host = 0; host < 3; ++host)
        {
            m_hosts[host]->keepNotes = false;
            m_hosts[host]->make = [this, host](uint8_t) {
                FrameSpec spec;
                spec.dscp = 0;
                spec.source = host;
                spec.destination = 3;
                spec.ecn = host == 0 ? ECN_ECT0 : host == 1 ? ECN_ECT1 : ECN_NOT_ECT;
                return MakeFrame(*m_ports[host], spec);
            };
            m_hosts[host]->toPull[0] = frames;
            m_ports[host]->Kick(0);
        }
        std::array<double, bands> expected{};
        std::array<double, bands> variance{};
        std::array<double, bands> marked{};
        uint64_t notEct = 0;
        uint64_t marks = 0;
        uint64_t below = 0;
        uint64_t above = 0;
        uint64_t wrong = 0;
        Observer observer;
        observer.onDequeue = [&](QbbNetDevice& port, Frame& frame, int64_t) {
            auto queue = static_cast<double>(port.GetQueueBytes(frame.priority));
            bool ce = (frame.tos & 3) == ECN_CE;
            marks += ce;
            if (frame.source == AddressOf(2))
            {
                ++notEct;
                wrong += (frame.tos & 3) != ECN_NOT_ECT;
            }
            else if (queue <= kmin)
            {
                ++below;
                wrong += ce;
            }
            else if (queue > kmax)
            {
                ++above;
                wrong += !ce;
            }
            else
            {
                double share = (queue - kmin) / (kmax - kmin);
                auto band = std::min<size_t>(static_cast<size_t>(share * bands), bands - 1);
                double p = pmax * share;
                expected[band] += p;
                variance[band] += p * (1 - p);
                marked[band] += ce;
            }
        };
        m_switch->AddAgent(&observer);
        m_switch->GetPorts()[3]->TraceConnectWithoutContext(
            "EcnMark",
            MakeCallback(&EcnTestCase::Marked, this));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(notEct, frames, "Not-ECT packets sent");
        NS_TEST_ASSERT_MSG_GT(below, 500, "samples up to Kmin");
        NS_TEST_ASSERT_MSG_GT(above, 1000, "samples above Kmax");
        NS_TEST_ASSERT_MSG_EQ(wrong, 0, "wrong outside the band, or on Not-ECT");
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetEcnMarks(), marks, "marks counted");
        NS_TEST_ASSERT_MSG_EQ(m_traced, marks, "marks traced");
        for (uint32_t band = 0; band < bands; ++band)
        {
            NS_TEST_ASSERT_MSG_GT(expected[band], 20, "samples in quarter " << band);
            NS_TEST_ASSERT_MSG_EQ_TOL(marked[band],
                                      expected[band],
                                      4 * std::sqrt(variance[band]),
                                      "marks in quarter " << band);
        }
    }

    void Marked(Ptr<const Packet> packet)
    {
        uint8_t bytes[16];
        packet->CopyData(bytes, sizeof(bytes));
        m_traced += (bytes[ETHERNET_HEADER_BYTES + 1] & 3) == ECN_CE;
    }

    uint64_t m_traced{0}; ///< number of marked packets that the trace source EcnMark has reported
};

/// Tests marks whose random numbers are predefined, while two hosts overload a third host.
class MarkingVariableTestCase : public NetworkTestCase
{
  public:
    MarkingVariableTestCase()
        : NetworkTestCase("a packet is marked if the number drawn for it is below the probability")
    {
    }

  private:
    void DoRun() override
    {
        m_marker.Set("Thresholds", StringValue("8Gbps:500:8500:0.8"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        auto numbers = CreateObject<DeterministicRandomVariable>();
        double values[] = {0.14, 0.26, 0.34, 0.24, 0.16, 0.04};
        numbers->SetValueArray(values, std::size(values));
        DynamicCast<EcnMarker>(m_switch->GetMarker())->SetVariable(numbers);
        for (uint32_t source : {0, 1})
        {
            FrameSpec spec;
            spec.source = source;
            spec.destination = 2;
            spec.ecn = ECN_ECT0;
            for (int i = 0; i < 4; ++i)
            {
                Send(source, spec);
            }
        }
        Simulator::Run();
        std::string marks;
        for (const auto& note : m_hosts[2]->arrivals)
        {
            marks += (note.tos & 3) == ECN_CE ? '+' : '-';
        }
        NS_TEST_ASSERT_MSG_EQ(marks, "-+-++-+-", "marks of queues of 0 2 3 4 3 2 1 0 frames");
    }
};

/// Tests a marking probability that is a step instead of a ramp, while two hosts overload a third
/// host.
class StepMarkingTestCase : public NetworkTestCase
{
  public:
    StepMarkingTestCase()
        : NetworkTestCase("with Kmin = Kmax a queue of exactly that length is not marked, a longer "
                          "one always")
    {
    }

  private:
    void DoRun() override
    {
        m_marker.Set("Thresholds", StringValue("8Gbps:2000:2000:1"));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        NS_TEST_ASSERT_MSG_EQ(MarksOfTwoBursts(),
                              "--+++---",
                              "marks of queues of 0 2 3 4 3 2 1 0 frames");
    }
};

/**
 * An example of a user-defined agent. If a frame arrives at a queue that is not empty, the agent
 * sends a notification to the sender of the frame through the switch. When a frame is sent, the
 * agent sends an echo with the packet number of the frame through the same port. A timer sends
 * beacons.
 */
class NotifyingAgent : public PortAgent
{
  public:
    static constexpr int64_t PERIOD_NS = 10000;       ///< time between beacons, ns
    static constexpr int64_t END_NS = 95000;          ///< end of the beacons, ns
    static constexpr uint32_t NOTIFICATION = 1000000; ///< packet number of notifications
    static constexpr uint32_t ECHO = 2000000;         ///< number that is added to the packet
                                                      ///< numbers of echoes
    static constexpr uint32_t BEACON = 3000000;       ///< packet number of beacons

    explicit NotifyingAgent(Ptr<QbbSwitch> device)
        : m_switch(PeekPointer(device))
    {
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        ++enqueued;
        if (port.GetQueueBytes() > 0)
        {
            ++notified;
            m_switch->Inject(Make(port, frame.source - AddressOf(0), NOTIFICATION));
        }
    }

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t) override
    {
        ++dequeued;
        port.Emit(Make(port, 2, ECHO + frame.psn));
    }

    int64_t OnTimer(QbbNetDevice& port, int64_t nowNs) override
    {
        ++ticks;
        port.Emit(Make(port, 2, BEACON));
        return nowNs + PERIOD_NS < END_NS ? nowNs + PERIOD_NS : 0;
    }

    bool WantsEnqueue() const override
    {
        return true;
    }

    bool WantsTimer() const override
    {
        return true;
    }

    uint32_t enqueued{0}; ///< number of calls of OnEnqueue
    uint32_t dequeued{0}; ///< number of calls of OnDequeue
    uint32_t notified{0}; ///< number of notifications sent
    uint32_t ticks{0};    ///< number of calls of OnTimer()

  private:
    static Frame* Make(QbbNetDevice& port, uint32_t destination, uint32_t psn)
    {
        return MakeFrame(port, {100, 6, psn, 99, destination});
    }

    QbbSwitch* m_switch; ///< switch of the agent
};

class PortAgentTestCase : public NetworkTestCase
{
  public:
    PortAgentTestCase()
        : NetworkTestCase("a port agent of the user's own emits frames on enqueue, on dequeue and "
                          "on a timer, without a change to the switch")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(3, "8Gbps", NanoSeconds(100));
        NotifyingAgent agent(m_switch);
        m_switch->AddAgent(&agent);
        for (uint32_t host = 0; host < 2; ++host)
        {
            m_hosts[host]->make = [this, host, psn = 0U](uint8_t) mutable {
                return MakeFrame(*m_ports[host], {1000, 3, ++psn, host, 2});
            };
            m_hosts[host]->toPull[3] = 20;
            m_ports[host]->Kick(0);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(agent.enqueued, 40, "frames admitted, emitted ones not among them");
        NS_TEST_ASSERT_MSG_EQ(agent.dequeued, 40, "frames sent, emitted ones not among them");
        // The timers of three ports expire at 0, 10, ..., 90 us.
        NS_TEST_ASSERT_MSG_EQ(agent.ticks, 30, "calls of OnTimer");
        std::array<uint32_t, 3> beacons{};
        uint32_t notifications = 0;
        uint32_t data = 0;
        uint32_t echoes = 0;
        for (uint32_t host = 0; host < 3; ++host)
        {
            for (const auto& note : m_hosts[host]->arrivals)
            {
                beacons[host] += note.psn == NotifyingAgent::BEACON;
                notifications += note.psn == NotifyingAgent::NOTIFICATION && host < 2;
                echoes += note.psn > NotifyingAgent::ECHO && note.psn < NotifyingAgent::BEACON &&
                          host == 2;
                data += note.psn <= 20 && host == 2;
                NS_TEST_ASSERT_MSG_EQ(+note.ttl, (note.psn <= 20 ? 63 : 64), "TTL");
            }
        }
        NS_TEST_ASSERT_MSG_EQ((beacons == std::array<uint32_t, 3>{10, 10, 10}), true, "beacons");
        NS_TEST_ASSERT_MSG_GT(notifications, 30, "notifications");
        NS_TEST_ASSERT_MSG_EQ(notifications, agent.notified, "notifications");
        NS_TEST_ASSERT_MSG_EQ(echoes, 40, "echoes");
        NS_TEST_ASSERT_MSG_EQ(data, 40, "data");
        // Each link carries one frame at a time.
        for (const auto& host : m_hosts)
        {
            for (size_t i = 1; i < host->arrivals.size(); ++i)
            {
                NS_TEST_ASSERT_MSG_GT_OR_EQ(host->arrivals[i].atNs - host->arrivals[i - 1].atNs,
                                            host->arrivals[i].bytes + 24,
                                            "arrivals");
            }
        }
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetBuffer()->IsEmpty(), true, "empty in the end");
        NS_TEST_ASSERT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }
};

/// A port agent that marks ECT(1) packets instead of the switch, and counts timer calls.
class EarlyAgent : public PortAgent
{
  public:
    int64_t OnTimer(QbbNetDevice&, int64_t nowNs) override
    {
        ++ticks;
        return nowNs < 9000 ? nowNs + 1000 : 0;
    }

    uint8_t GetMarkedCodepoint() const override
    {
        return ECN_ECT1;
    }

    bool WantsTimer() const override
    {
        return true;
    }

    uint32_t ticks{0}; ///< calls of OnTimer
};

class AgentBeforeInstallTestCase : public NetworkTestCase
{
  public:
    AgentBeforeInstallTestCase()
        : NetworkTestCase("an agent that is added before the switch is installed has its timers "
                          "and its codepoint")
    {
    }

  private:
    void DoRun() override
    {
        auto hub = CreateObject<Node>();
        for (uint32_t i = 0; i < 2; ++i)
        {
            AddHost(Join(CreateObject<Node>(), hub, "8Gbps", NanoSeconds(100))[0]);
        }
        m_switch = CreateObject<QbbSwitch>();
        EarlyAgent agent;
        m_switch->AddAgent(&agent);
        auto marker = m_marker.Create<EcnMarker>();
        marker->SetAttribute("Thresholds", StringValue("8Gbps:1:2:1"));
        m_switch->SetAttribute("EcnMarker", PointerValue(marker));
        m_switch->Install(hub);
        m_switch->AssignStreams(1);
        hub->AggregateObject(m_switch);
        for (uint16_t i = 0; i < 2; ++i)
        {
            m_switch->GetRoutes().SetRoute(AddressOf(i), {i});
        }
        for (uint32_t psn = 0; psn < 20; ++psn)
        {
            for (uint32_t host : {0, 1})
            {
                FrameSpec spec{1000, 3, psn, host, 0};
                spec.ecn = ECN_ECT1;
                Send(host, spec);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(agent.ticks, 20, "at 0, 1, ..., 9 us on each of two ports");
        NS_TEST_EXPECT_MSG_EQ(m_switch->GetEcnMarks(), 0, "marks that are the agent's to make");
    }
};

class InjectWithoutRouteTestCase : public NetworkTestCase
{
  public:
    InjectWithoutRouteTestCase()
        : NetworkTestCase("an injected frame without a route is dropped with the reason")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(2, "8Gbps", NanoSeconds(100));
        DropLog log;
        log.Watch(*m_switch);
        m_switch->Inject(MakeFrame(*m_switch->GetPorts()[0], {1000, 3, 0, 0, 9}));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(log.Get(DropReason::NO_ROUTE), 1, "drops");
        NS_TEST_ASSERT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
    }
};

/// Tests the switch: forwarding, marking, and agents.
class HpccSwitchTestSuite : public TestSuite
{
  public:
    HpccSwitchTestSuite()
        : TestSuite("hpcc-switch", Type::UNIT)
    {
        AddTestCase(new TtlAndRouteTestCase);
        AddTestCase(new OnePathTestCase);
        AddTestCase(new EcnTestCase);
        AddTestCase(new MarkingVariableTestCase);
        AddTestCase(new StepMarkingTestCase);
        AddTestCase(new PortAgentTestCase);
        AddTestCase(new AgentBeforeInstallTestCase);
        AddTestCase(new InjectWithoutRouteTestCase);
    }
};

/// Registers the suite.
HpccSwitchTestSuite g_hpccSwitchTestSuite;

} // namespace
