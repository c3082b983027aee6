/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Tests hosts with several ports, and parallel links.

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint32_t PORTS = 4;

/// Base class that counts the bytes that devices have sent, and records moves of queue pairs to
/// other ports.
class PortsTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// @return bytes that each device has sent, in the order of the links
    std::vector<uint64_t> SentBytes()
    {
        std::vector<uint64_t> bytes;
        for (const auto& device : Fabric().GetDevices())
        {
            bytes.push_back(device->GetTxBytes());
        }
        return bytes;
    }

    /**
     * @param source number of the sending host
     * @param destination number of the receiving host
     * @param spec policy specification
     * @param bytes payload of the message
     * @param singleMessage true if the queue pair carries only one message
     */
    void Send(uint32_t source,
              uint32_t destination,
              const HpccFabricHelper::PolicySpec& spec,
              uint64_t bytes,
              bool singleMessage = false)
    {
        const uint32_t queuePair = Fabric().Connect(source, destination, spec, 0, singleMessage);
        Fabric().AddMessage(source, queuePair, bytes, NanoSeconds(0));
    }

    /// Records the moves of a host's queue pairs.
    /// @param host the host
    void NoteMoves(uint32_t host)
    {
        Host(host).TraceConnectWithoutContext("PortChange",
                                              MakeCallback(&PortsTestCase::NoteMove, this));
    }

    /// Time of each move, ns, and new port.
    std::vector<std::pair<int64_t, uint32_t>> m_moves;

  private:
    /// @param qp queue pair that has moved
    /// @param nowNs current time, ns
    void NoteMove(const RdmaQueuePair& qp, int64_t nowNs)
    {
        m_moves.emplace_back(nowNs, qp.port);
    }
};

/// Tests that four flows load the links in the same way between hosts with one port each as between
/// two hosts with four ports.
class SameLoadTestCase : public PortsTestCase
{
  public:
    /// Bytes that each device has sent, and completion times of the messages, ns.
    using Loads = std::pair<std::vector<uint64_t>, std::multiset<int64_t>>;

    /**
     * @param cc short name of the policy
     * @param known results with one port per host; the test stores them here if @p severalPorts is
     * false, and otherwise compares its own results with them
     * @param severalPorts true: two hosts with four ports each; false: hosts with one port each
     */
    SameLoadTestCase(const std::string& cc, Loads& known, bool severalPorts)
        : PortsTestCase("two hosts with four ports load the links as eight with one, " + cc +
                        (severalPorts ? ": four ports" : ": one port")),
          m_cc(cc),
          m_known(known),
          m_severalPorts(severalPorts)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t hosts = m_severalPorts ? 2 : 2 * PORTS;
        HpccTopology topology;
        for (uint32_t i = 0; i < hosts + PORTS + 1; ++i)
        {
            topology.AddNode(i >= hosts);
        }
        for (uint32_t p = 0; p < PORTS; ++p)
        {
            const DataRate fast("100Gbps");
            topology.AddLink({m_severalPorts ? 0 : p, hosts + p, fast, MicroSeconds(1)});
            // The slower link causes a queue.
            topology.AddLink(
                {m_severalPorts ? 1 : PORTS + p, hosts + p, DataRate("40Gbps"), MicroSeconds(1)});
            topology.AddLink({hosts + p, hosts + PORTS, fast, MicroSeconds(1)});
        }
        Fabric().SetPorts("turns");
        Install(topology);
        Fabric().SetNetworkBaseRttNs(8000); // use the same value in both networks
        const auto spec = HpccFabricHelper::MakePolicy(m_cc);
        for (uint32_t p = 0; p < PORTS; ++p)
        {
            Send(m_severalPorts ? 0 : p,
                 m_severalPorts ? 1 : PORTS + p,
                 spec,
                 100000 * (uint64_t{p} + 1));
        }
        Simulator::Run();
        Loads found{SentBytes(), {}};
        for (const auto& message : m_delivered)
        {
            found.second.insert(message.completedNs);
        }
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), PORTS, "messages delivered");
        if (!m_severalPorts)
        {
            m_known = found;
            return;
        }
        NS_TEST_EXPECT_MSG_EQ((found.first == m_known.first), true, "bytes of each link");
        NS_TEST_EXPECT_MSG_EQ((found.second == m_known.second), true, "ends of the messages");
        for (const auto& message : m_delivered)
        {
            NS_TEST_EXPECT_MSG_EQ(message.source, HpccFabricHelper::GetAddress(0), "source");
            NS_TEST_EXPECT_MSG_EQ(message.destination,
                                  HpccFabricHelper::GetAddress(1),
                                  "destination");
        }
    }

    std::string m_cc;    ///< short name of the policy
    Loads& m_known;      ///< results with one port per host
    bool m_severalPorts; ///< true: two hosts with four ports each; false: hosts with one port each
};

/// Tests the failure of one of two planes.
class FailedPlaneTestCase : public PortsTestCase
{
  public:
    /// What the queue pairs carry.
    enum Kind
    {
        LASTING,        ///< each queue pair carries many messages
        SINGLE_MESSAGE, ///< each queue pair carries one message
        READ,           ///< queue pairs carry READs
    };

    FailedPlaneTestCase(const std::string& ports, bool comesBack, Kind kind)
        : PortsTestCase("with --ports=" + ports + " and a plane that fails" +
                        (comesBack ? " and comes back" : "") +
                        (kind == SINGLE_MESSAGE ? ", single messages"
                         : kind == READ         ? ", READs"
                                                : "") +
                        ", all that can arrive arrives"),
          m_ports(ports),
          m_comesBack(comesBack),
          m_kind(kind)
    {
    }

  private:
    static constexpr int64_t DOWN = 20000;
    static constexpr int64_t UP = 500000;
    static constexpr int64_t CONVERGENCE = 30000;
    static constexpr uint64_t BYTES = 10000000;

    void DoRun() override
    {
        // Nodes 0 to 3 are hosts, switch 4 is plane 0, and switch 5 is plane 1.
        const auto topology = HpccTopology::Planes(4, 2, 1, 0, {});
        const bool moves = m_ports.find("+move") != std::string::npos;
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(200)));
        Fabric().SetPorts(m_ports);
        Fabric().SetConvergenceDelay(NanoSeconds(CONVERGENCE));
        for (uint32_t link = 4; link < 8; ++link)
        {
            Fabric().ScheduleLinkDown(link, NanoSeconds(DOWN));
            if (m_comesBack)
            {
                Fabric().ScheduleLinkUp(link, NanoSeconds(UP));
            }
        }
        Install(topology);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t turn = 0; turn < 2; ++turn)
        {
            const uint32_t queuePair =
                Fabric().Connect(0, 1, spec, 0, m_kind == SINGLE_MESSAGE, m_kind == READ);
            Fabric().AddMessage(0,
                                queuePair,
                                BYTES,
                                NanoSeconds(0),
                                m_kind == READ ? RdmaVerb::READ : RdmaVerb::WRITE);
        }
        NoteMoves(0);
        NoteMoves(1);
        Fabric().EndAt(MilliSeconds(10));
        Simulator::Run();
        if (!moves && !m_comesBack)
        {
            NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 1, "only the flow of the other plane ends");
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_delivered[0].bytes + m_delivered[1].bytes, 2 * BYTES, "bytes");
        std::vector<std::pair<int64_t, uint32_t>> expected;
        if (moves)
        {
            expected = {{DOWN + CONVERGENCE, 0}, {DOWN + CONVERGENCE, 0}};
        }
        if (moves && m_comesBack)
        {
            expected.insert(expected.end(), {{UP + CONVERGENCE, 1}, {UP + CONVERGENCE, 1}});
        }
        NS_TEST_EXPECT_MSG_EQ((m_moves == expected), true, m_moves.size() << " moves");
        // A single message takes 0.87 ms at 100 Gb/s. Two messages in one plane take twice as long.
        const int64_t lastNs = std::max(m_delivered[0].completedNs, m_delivered[1].completedNs);
        NS_TEST_EXPECT_MSG_GT(lastNs, moves && !m_comesBack ? 1600000 : 1000000, "the cost");
        NS_TEST_EXPECT_MSG_LT(lastNs, 3000000, "and no more than that");
        for (const auto& device : Fabric().GetDevices())
        {
            NS_TEST_EXPECT_MSG_EQ(device->GetDrops(DropReason::WRONG_ADDRESS), 0, "late frames");
        }
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames are back in their pools");
    }

    std::string m_ports; ///< argument of SetPorts()
    bool m_comesBack;    ///< true if the plane recovers
    Kind m_kind;         ///< use of the queue pairs
};

/// Tests a network of servers, each with two GPUs and a switch, and a star that connects all GPUs.
class ServersTestCase : public PortsTestCase
{
  public:
    ServersTestCase()
        : PortsTestCase("traffic inside a server takes its switch, and other traffic never does; "
                        "each path has its T")
    {
    }

  private:
    void DoRun() override
    {
        // Hosts 0 to 3 are connected to switch 4. In addition, hosts 0 and 1 are connected to
        // switch 5, and hosts 2 and 3 to switch 6.
        Install(HpccTopology::ByName("nvswitch:2,1,400Gbps,25ns,star:4"));
        const auto inside = Fabric().GetPath(0, 1);
        const auto outside = Fabric().GetPath(0, 2);
        NS_TEST_EXPECT_MSG_EQ(inside.propagationNs, 50, "inside");
        NS_TEST_EXPECT_MSG_EQ(outside.propagationNs, 2000, "outside");
        NS_TEST_EXPECT_MSG_EQ(Fabric().GetNetworkBaseRttNs(), outside.baseRttNs, "T");
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        Send(0, 1, spec, 100000);
        Send(0, 2, spec, 200000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2, "messages delivered");
        const uint64_t nic = Fabric().GetDevice(0, 0)->GetTxBytes();
        const uint64_t inner = Fabric().GetDevice(0, 1)->GetTxBytes();
        NS_TEST_EXPECT_MSG_GT(nic, 200000, "by the NIC");
        NS_TEST_EXPECT_MSG_LT(nic, 250000, "by the NIC");
        NS_TEST_EXPECT_MSG_GT(inner, 100000, "by the switch of the server");
        NS_TEST_EXPECT_MSG_LT(inner, 125000, "by the switch of the server");
        const RdmaQueuePair& toNear = Host(0).GetQueuePair(0);
        const RdmaQueuePair& toFar = Host(0).GetQueuePair(1);
        NS_TEST_EXPECT_MSG_EQ(toNear.baseRttNs, inside.baseRttNs, "T inside");
        NS_TEST_EXPECT_MSG_EQ((toNear.ops == toFar.ops), false, "policies with T of their own");
    }
};

/// Tests two switches joined by two parallel links, one of which fails.
class ParallelLinksTestCase : public PortsTestCase
{
  public:
    ParallelLinksTestCase()
        : PortsTestCase("flows use both of two parallel links, and one when the other has failed")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t hosts = 8;
        constexpr int64_t down = 50000;
        auto topology = HpccTopology::Dumbbell(hosts / 2, hosts / 2, {});
        topology.AddLink({hosts, hosts + 1, DataRate("100Gbps"), MicroSeconds(1)});
        const auto links = topology.FindLinks(hosts, hosts + 1);
        NS_TEST_ASSERT_MSG_EQ(links.size(), 2, "parallel links");
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(200)));
        Fabric().ScheduleLinkDown(links[1], NanoSeconds(down));
        Install(topology);
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t i = 0; i < hosts; ++i)
        {
            Send(i, (i + hosts / 2) % hosts, spec, 1000000);
        }
        std::map<uint32_t, std::pair<uint64_t, uint64_t>> sent; // bytes sent before and after the
                                                                // failure, by link
        for (const uint32_t link : links)
        {
            OnTransmit(*Fabric().GetDevices()[2 * link],
                       [&sent, link](int64_t nowNs, const Frame& frame) {
                           auto& [before, after] = sent[link];
                           (nowNs < down ? before : after) += frame.bytes;
                       });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), hosts, "messages delivered");
        NS_TEST_EXPECT_MSG_GT(sent[links[0]].first, 50000, "before, one link");
        NS_TEST_EXPECT_MSG_GT(sent[links[1]].first, 50000, "before, the other link");
        NS_TEST_EXPECT_MSG_GT(sent[links[0]].second, 1000000, "after, one link");
        NS_TEST_EXPECT_MSG_EQ(sent[links[1]].second, 0, "after, the failed link");
    }
};

/// Tests how queue pairs are bound to ports.
class BindingTestCase : public PortsTestCase
{
  public:
    BindingTestCase()
        : PortsTestCase("queue pairs are bound by turns, hash, first port or number")
    {
    }

  private:
    /**
     * @param name argument of SetPorts()
     * @return number of queue pairs by port of the source, for 64 queue pairs in a network of four
     * planes
     */
    std::vector<uint32_t> Count(const std::string& name)
    {
        HpccFabricHelper fabric;
        fabric.SetPorts(name);
        fabric.Install(HpccTopology::ByName("planes:4,4,2,2"));
        const auto spec = HpccFabricHelper::MakePolicy("none");
        std::vector<uint32_t> count(PORTS, 0);
        for (uint32_t i = 0; i < 64; ++i)
        {
            const uint32_t index = fabric.Connect(0, 1 + i % 3, spec);
            const auto& qp = fabric.GetHost(0)->GetQueuePair(index);
            ++count[qp.port];
            NS_TEST_EXPECT_MSG_EQ(qp.local, HpccFabricHelper::GetAddress(0, qp.port), "own");
            NS_TEST_EXPECT_MSG_EQ(qp.peer,
                                  HpccFabricHelper::GetAddress(1 + i % 3, qp.port),
                                  "peer in the same plane");
            NS_TEST_EXPECT_MSG_EQ(HpccFabricHelper::GetHostNumber(qp.peer), 1 + i % 3, "host");
        }
        return count;
    }

    void DoRun() override
    {
        using Counts = std::vector<uint32_t>;
        NS_TEST_EXPECT_MSG_EQ((Count("turns") == Counts{16, 16, 16, 16}), true, "turns");
        NS_TEST_EXPECT_MSG_EQ((Count("first") == Counts{64, 0, 0, 0}), true, "first");
        NS_TEST_EXPECT_MSG_EQ((Count("2") == Counts{0, 0, 64, 0}), true, "2");
        const auto hashed = Count("hash");
        for (const uint32_t count : hashed)
        {
            NS_TEST_EXPECT_MSG_GT(count, 6, "hash");
            NS_TEST_EXPECT_MSG_LT(count, 30, "hash");
        }
        Simulator::Destroy();
    }
};

/// Tests hosts with several ports, and parallel links.
class HpccPortsTestSuite : public TestSuite
{
  public:
    HpccPortsTestSuite()
        : TestSuite("hpcc-ports", Type::SYSTEM)
    {
        for (const std::string cc : {"hpcc++", "dcqcn"})
        {
            AddTestCase(new SameLoadTestCase(cc, m_loads[cc], false));
            AddTestCase(new SameLoadTestCase(cc, m_loads[cc], true));
        }
        using Plane = FailedPlaneTestCase;
        for (const bool comesBack : {false, true})
        {
            AddTestCase(new Plane("turns", comesBack, Plane::LASTING));
            for (const auto kind : {Plane::LASTING, Plane::SINGLE_MESSAGE, Plane::READ})
            {
                AddTestCase(new Plane("turns+move", comesBack, kind));
            }
        }
        AddTestCase(new ServersTestCase);
        AddTestCase(new ParallelLinksTestCase);
        AddTestCase(new BindingTestCase);
    }

  private:
    std::map<std::string, SameLoadTestCase::Loads> m_loads; ///< results by policy
};

HpccPortsTestSuite g_hpccPortsTestSuite; ///< registers the suite

} // namespace
