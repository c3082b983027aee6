/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"
#include "hpcc-test-refusal.h"

#include "ns3/config.h"
#include "ns3/hpcc-law.h"
#include "ns3/rdma-hpcc-base.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

/// Tests how packets select a path, and how policies behave on several paths.

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Base class with a leaf-spine network of two leaves. The hosts of the first leaf have the lower
/// numbers.
class PathsTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /**
     * Installs a leaf-spine network.
     * @param spines number of spines
     * @param hosts hosts per leaf
     * @param fabric line rate of the links between switches
     */
    void InstallLeafSpine(uint32_t spines, uint32_t hosts, const std::string& fabric = "100Gbps")
    {
        m_spines = spines;
        m_hosts = hosts;
        HpccTopology::LinkSpeeds speeds;
        speeds.fabric = DataRate(fabric);
        Install(HpccTopology::LeafSpine(2, spines, hosts, speeds));
        for (uint32_t spine = 0; spine < spines; ++spine)
        {
            OnTransmit(Uplink(spine), [this, spine](int64_t, const Frame& frame) {
                if (frame.kind == Frame::Kind::ROCE)
                {
                    ++m_frames[spine];
                    m_spinesOf[frame.source].insert(spine);
                }
            });
        }
    }

    /// Returns the first leaf's port to @p spine.
    QbbNetDevice& Uplink(uint32_t spine)
    {
        return *Fabric().GetDeviceTo(2 * m_hosts, 2 * m_hosts + 2 + spine);
    }

    /**
     * Returns a UDP source port for which ECMP chooses a spine.
     * @param source host on the first leaf
     * @param destination host on the second leaf
     * @param spine the spine
     * @param after UDP port after which the search starts
     */
    uint16_t SourcePortVia(uint32_t source, uint32_t destination, uint32_t spine, uint16_t after)
    {
        auto& routes = Fabric().GetSwitch(2 * m_hosts)->GetRoutes();
        for (uint16_t port = after + 1;; ++port)
        {
            uint32_t hash = HashFiveTuple(HpccFabricHelper::GetAddress(source),
                                          HpccFabricHelper::GetAddress(destination),
                                          port,
                                          ROCE_UDP_PORT,
                                          17);
            if (routes.Lookup(HpccFabricHelper::GetAddress(destination), hash) == m_hosts + spine)
            {
                return port;
            }
        }
    }

    /// Returns the number of out-of-order packets at all hosts.
    uint64_t GetOutOfOrder()
    {
        uint64_t early = 0;
        for (uint32_t host = 0; host < 2 * m_hosts; ++host)
        {
            for (uint32_t i = 0; i < Host(host).GetQueuePairs(); ++i)
            {
                early += Host(host).GetQueuePair(i).outOfOrder;
            }
        }
        return early;
    }

    uint32_t m_spines{0};                              ///< number of spines
    uint32_t m_hosts{0};                               ///< number of hosts per leaf
    std::map<uint32_t, uint64_t> m_frames;             ///< number of frames by uplink
    std::map<uint32_t, std::set<uint32_t>> m_spinesOf; ///< uplinks used, by source address
};

class DevicesTestCase : public PathsTestCase
{
  public:
    DevicesTestCase()
        : PathsTestCase("a device is found by node and port, and by its neighbours")
    {
    }

  private:
    void DoRun() override
    {
        InstallLeafSpine(2, 2);
        for (uint32_t spine = 0; spine < 2; ++spine)
        {
            const uint32_t leaf = 4;
            const auto up = Fabric().GetDeviceTo(leaf, 6 + spine);
            const auto down = Fabric().GetDeviceTo(6 + spine, leaf);
            NS_TEST_EXPECT_MSG_EQ(up, Fabric().GetDevice(leaf, 2 + spine), "above the hosts");
            NS_TEST_EXPECT_MSG_EQ(up->GetPortIndex(), 2 + spine, "its own number");
            NS_TEST_EXPECT_MSG_EQ(up->GetNode(), Fabric().GetNodes().Get(leaf), "its node");
            NS_TEST_EXPECT_MSG_EQ(down->GetNode(), Fabric().GetNodes().Get(6 + spine), "its node");
            NS_TEST_EXPECT_MSG_EQ(up->GetChannel(), down->GetChannel(), "two ends of a link");
        }
        NS_TEST_EXPECT_MSG_EQ(RefusalOf([this] { Fabric().GetDevice(4, 4); }),
                              "node 4 has no port 4; it has 4, counted from 0",
                              "the line");
        NS_TEST_EXPECT_MSG_EQ(RefusalOf([this] { Fabric().GetDevice(8, 0); }),
                              "node 8 does not exist; the topology has 8 nodes",
                              "the line");
        NS_TEST_EXPECT_MSG_EQ(RefusalOf([this] { Fabric().GetDeviceTo(0, 1); }),
                              "no link joins nodes 0 and 1",
                              "the line");
    }
};

class SprayTestCase : public PathsTestCase
{
  public:
    /**
     * @param paths short name of the path selection
     * @param tolerance allowed relative deviation of the load of an uplink from an equal share
     */
    SprayTestCase(const std::string& paths, double tolerance)
        : PathsTestCase(paths + " loads all uplinks alike and leaves U what links can give"),
          m_paths(paths),
          m_tolerance(tolerance)
    {
    }

  private:
    static constexpr uint32_t FLOWS = 3; // not 4, because with round robin each of 4 flows would
                                         // use only one uplink
    static constexpr uint64_t BYTES = 4000000;

    void DoRun() override
    {
        Fabric().SetPaths(m_paths);
        Fabric().SetHostAttribute("Recovery", StringValue("irn"));
        InstallLeafSpine(4, 4);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++", "int-md");
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            uint32_t qp = Fabric().Connect(i, 4 + i, spec);
            Fabric().AddMessage(i, qp, BYTES, Time(0));
            Host(i).GetQueuePair(qp).ops->TraceConnectWithoutContext(
                "Reset",
                MakeCallback(&SprayTestCase::NoteReset, this));
            Host(i).TraceConnectWithoutContext("Acknowledged",
                                               MakeCallback(&SprayTestCase::NoteAck, this));
        }
        for (const auto& device : Fabric().GetDevices())
        {
            OnQueue(*device,
                    [this](int64_t, uint64_t bytes) { m_queue = std::max(m_queue, bytes); });
        }
        NS_TEST_EXPECT_MSG_EQ(Fabric().LosesOrder(), false, "irn keeps what comes early");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), FLOWS, "messages delivered");
        uint64_t all = 0;
        for (const auto& [spine, frames] : m_frames)
        {
            all += frames;
        }
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(m_frames[spine]) /
                                          static_cast<double>(all),
                                      0.25,
                                      m_tolerance,
                                      "share of uplink " << spine);
        }
        NS_TEST_EXPECT_MSG_EQ(m_resets[HpccReset::PATH_CHANGE], 0, "paths taken for changed");
        NS_TEST_EXPECT_MSG_EQ(m_resets[HpccReset::FIRST_RECORD], 4 * FLOWS, "first records");
        // According to line 5, U is at most 1, for the rate of a link, plus q/(B T), for its queue.
        // Quantisation adds at most 2 %.
        double base = static_cast<double>(Fabric().GetNetworkBaseRttNs());
        double limit = 1.02 + static_cast<double>(m_queue) * 0.08 / base;
        NS_TEST_EXPECT_MSG_LT(m_largestU, limit, "largest U");
        NS_TEST_EXPECT_MSG_GT(m_smallestU, 0, "smallest U");
        NS_TEST_EXPECT_MSG_EQ_TOL(m_sumU / static_cast<double>(m_samples), 0.95, 0.1, "mean U");
    }

    void NoteReset(uint32_t, HpccReset reset)
    {
        ++m_resets[reset];
    }

    void NoteAck(const RdmaQueuePair& qp, int64_t nowNs, int64_t)
    {
        double u = qp.ops->Observe(qp.cc).utilization;
        m_largestU = std::max(m_largestU, u);
        m_smallestU = std::min(m_smallestU, u);
        if (nowNs > 100000 && qp.InFlight() > 0)
        {
            m_sumU += u;
            ++m_samples;
        }
    }

    std::string m_paths;                    ///< short name of the path selection
    double m_tolerance;                     ///< tolerance of the shares
    uint64_t m_queue{0};                    ///< longest queue, bytes
    std::map<HpccReset, uint32_t> m_resets; ///< resets by reason
    double m_largestU{0};                   ///< largest U of all flows
    double m_smallestU{1e9};                ///< smallest U of all flows
    double m_sumU{0};                       ///< sum of U after the rates have settled
    uint64_t m_samples{0};                  ///< number of samples in m_sumU
};

class SprayGoBackTestCase : public PathsTestCase
{
  public:
    SprayGoBackTestCase()
        : PathsTestCase("go-back-n gets every byte through a network that sprays, at the price of "
                        "sending much again")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetPaths("spray");
        InstallLeafSpine(4, 4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            auto policy = CreateObject<FixedPolicy>();
            policy->window = 100000;
            Post(i, Connect(i, 4 + i, policy), 1000000);
        }
        NS_TEST_EXPECT_MSG_EQ(Fabric().LosesOrder(), true, "a warning is due");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 4, "messages delivered");
        for (const auto& message : m_delivered)
        {
            NS_TEST_EXPECT_MSG_EQ(message.bytes, 1000000, "bytes delivered");
        }
        NS_TEST_EXPECT_MSG_GT(GetOutOfOrder(), 0, "packets overtake one another");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), 0, "drops");
    }
};

class SinglePathTestCase : public RdmaTestCase
{
  public:
    SinglePathTestCase()
        : RdmaTestCase("a policy whose telemetry cannot tell paths apart is refused where packets "
                       "spread")
    {
    }

  private:
    /// Returns the error message for the combination of a path selector, a policy and a format;
    /// empty if it is accepted.
    static std::string Refusal(const std::string& paths,
                               const std::string& cc,
                               const std::string& telemetry)
    {
        HpccFabricHelper fabric;
        try
        {
            fabric.SetPaths(paths);
            fabric.Install(HpccTopology::LeafSpine(2, 2, 1, {}));
            fabric.Connect(0, 1, HpccFabricHelper::MakePolicy(cc, telemetry));
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        for (const std::string cc : {"hpcc", "powertcp"})
        {
            std::string said = Refusal("spray", cc, "sigcomm19");
            NS_TEST_EXPECT_MSG_EQ(
                (said.find("telemetry sigcomm19 cannot distinguish") != std::string::npos),
                true,
                said);
            NS_TEST_EXPECT_MSG_EQ(Refusal("flowlet", cc, "sigcomm19"), "", "paths have ids");
            NS_TEST_EXPECT_MSG_EQ(Refusal("spray", cc, "int-md"), "", "hops have ids");
            NS_TEST_EXPECT_MSG_EQ(Refusal("plb", cc, "sigcomm19"), "", "the host knows");
        }
        NS_TEST_EXPECT_MSG_EQ(Refusal("spray", "hpcc++", "csig"),
                              "",
                              "one record of the bottleneck hop");
        NS_TEST_EXPECT_MSG_EQ(Refusal("spray", "dcqcn", ""), "", "no telemetry at all");
        std::string said = Refusal("nosuch", "dcqcn", "");
        for (const auto* name : {"nosuch", "ecmp", "spray", "flowlet", "plb"})
        {
            NS_TEST_EXPECT_MSG_EQ((said.find(name) != std::string::npos), true, said);
        }
    }
};

/// Tests a flow that sends bursts with gaps between them, while steady traffic fills queues.
class FlowletTestCase : public PathsTestCase
{
  public:
    /**
     * @param gapNs flowlet gap
     * @param ordered true if packets must arrive in order
     */
    FlowletTestCase(int64_t gapNs, bool ordered)
        : PathsTestCase("flowlets of " + std::to_string(gapNs) + " ns " +
                        (ordered ? "use all uplinks and keep the order of packets"
                                 : "are too short to keep the order of packets")),
          m_gapNs(gapNs),
          m_ordered(ordered)
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::FlowletPaths::Gap", TimeValue(NanoSeconds(m_gapNs)));
        Fabric().SetPaths("flowlet");
        InstallLeafSpine(4, 4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            auto policy = CreateObject<FixedPolicy>();
            policy->window = 60000;
            uint32_t qp = Connect(i, 4 + i, policy);
            for (int burst = 0; burst < 50; ++burst)
            {
                Post(i, qp, 60000, MicroSeconds(50 * burst) + NanoSeconds(700 * i));
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 200, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ((GetOutOfOrder() == 0), m_ordered, "order of packets");
        for (const auto& [source, spines] : m_spinesOf)
        {
            NS_TEST_EXPECT_MSG_EQ(spines.size(), 4, "uplinks of a host");
        }
    }

    void DoTeardown() override
    {
        Config::Reset();
        PathsTestCase::DoTeardown();
    }

    int64_t m_gapNs; ///< flowlet gap
    bool m_ordered;  ///< true if packets must arrive in order
};

class LeastLoadedTestCase : public PathsTestCase
{
  public:
    LeastLoadedTestCase()
        : PathsTestCase("a new flowlet goes where least is queued")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetPaths("flowlet:least-loaded");
        InstallLeafSpine(2, 2, "50Gbps");
        // Host 0 permanently overloads one uplink. Host 1 sends a packet from time to time.
        auto busy = CreateObject<FixedPolicy>();
        busy->window = 300000;
        Post(0, Connect(0, 2, busy), 20000000);
        uint32_t qp = Connect(1, 3, CreateObject<FixedPolicy>());
        for (int i = 1; i <= 20; ++i)
        {
            Post(1, qp, 500, MicroSeconds(100 * i));
        }
        Simulator::Run();
        auto address = [](uint32_t host) { return HpccFabricHelper::GetAddress(host); };
        NS_TEST_ASSERT_MSG_EQ(m_spinesOf[address(0)].size(), 1, "uplinks of the busy host");
        NS_TEST_ASSERT_MSG_EQ(m_spinesOf[address(1)].size(), 1, "uplinks of the other host");
        NS_TEST_EXPECT_MSG_NE(*m_spinesOf[address(0)].begin(),
                              *m_spinesOf[address(1)].begin(),
                              "uplink of the other host");
    }
};

/// Tests PLB with two flows that start on the same uplink or on different uplinks.
class PlbTestCase : public PathsTestCase
{
  public:
    /// @param collide true if both flows start on the same uplink
    explicit PlbTestCase(bool collide)
        : PathsTestCase(collide ? "PLB moves a flow away from another one within N rounds"
                                : "PLB leaves flows alone that meet no congestion"),
          m_collide(collide)
    {
    }

  private:
    /// Counts the path changes that are reported to the policy.
    class ToldPolicy : public FixedPolicy
    {
      public:
        void OnPathChange(RdmaCongestionState*, int64_t) override
        {
            ++changes;
        }

        uint32_t changes{0}; ///< reported path changes
    };

    static constexpr uint64_t BYTES = 20000000;
    static constexpr uint32_t WINDOW = 100000; // less than the 109 KB needed to fill the path

    void DoRun() override
    {
        Fabric().SetPaths("plb");
        Fabric().SetEcnAttribute("Thresholds", StringValue("100Gbps:20000:20000:1"));
        InstallLeafSpine(2, 2);
        std::vector<Ptr<ToldPolicy>> policies;
        std::array<std::set<uint16_t>, 2> ports; // UDP ports echoed in ACKs
        std::array<uint16_t, 2> first{};         // UDP ports of the first packets
        for (uint32_t i = 0; i < 2; ++i)
        {
            RdmaQueuePairConfig config;
            auto policy = CreateObject<ToldPolicy>();
            policy->window = WINDOW;
            policy->onAck = [&ports = ports[i]](RdmaCongestionState&, const RdmaAckInfo& ack) {
                ports.insert(ack.entropy);
            };
            policies.push_back(policy);
            config.policy = policy;
            config.udpSourcePort = SourcePortVia(i, 2 + i, m_collide ? 0 : i, 50000);
            first[i] = config.udpSourcePort;
            uint32_t qp = Host(i).Connect(Fabric().GetHost(2 + i), config);
            Post(i, qp, BYTES);
            Host(i).TraceConnectWithoutContext("PathChange",
                                               MakeCallback(&PlbTestCase::NoteChange, this));
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 2, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(policies[0]->echoes + policies[1]->echoes,
                              0,
                              "marks that policies see which did not ask for them");
        NS_TEST_EXPECT_MSG_EQ(policies[0]->changes + policies[1]->changes,
                              m_changes.size(),
                              "changes that policies hear of");
        for (uint32_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(ports[i].size(),
                                  policies[i]->changes + 1,
                                  "paths that ACKs tell apart");
            NS_TEST_EXPECT_MSG_EQ(ports[i].count(first[i]), 1, "the path of the first packet");
        }
        if (!m_collide)
        {
            NS_TEST_EXPECT_MSG_EQ(m_changes.size(), 0, "changes of path");
            return;
        }
        NS_TEST_ASSERT_MSG_GT(m_changes.size(), 0, "changes of path");
        // While both windows share one path of 100 Gb/s, a round trip takes 16 us.
        NS_TEST_EXPECT_MSG_LT(m_changes.front(), 15 * 2 * WINDOW * 8 / 100, "first change, ns");
        NS_TEST_EXPECT_MSG_GT(m_changes.front(), 10 * 2 * WINDOW * 8 / 100, "first change, ns");
        // A flow of 20 MB takes 1.9 ms if it is alone, and 3.5 ms if both flows share a path until
        // their end.
        NS_TEST_EXPECT_MSG_LT(m_delivered.back().completedNs, 2600000, "completion of both");
    }

    void NoteChange(const RdmaQueuePair&, int64_t nowNs)
    {
        m_changes.push_back(nowNs);
    }

    bool m_collide;                 ///< true if both flows start on the same uplink
    std::vector<int64_t> m_changes; ///< times of path changes
};

class PathBaseRttTestCase : public PathsTestCase
{
  public:
    PathBaseRttTestCase()
        : PathsTestCase("with T per path, W_init is the line rate times the base RTT of the path")
    {
    }

  private:
    /// Returns the initial windows of a flow within the rack and of a flow across racks.
    /// @param perPath argument of SetPerPathBaseRtt()
    std::pair<double, double> Windows(bool perPath)
    {
        Fabric().SetPerPathBaseRtt(perPath);
        InstallLeafSpine(2, 2);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        uint32_t near = Fabric().Connect(0, 1, spec);
        uint32_t far = Fabric().Connect(0, 2, spec);
        Fabric().AddMessage(0, near, 1000, Time(0));
        Fabric().AddMessage(0, far, 1000, Time(0));
        m_nearRtt = static_cast<double>(Fabric().GetPath(0, 1).baseRttNs);
        m_farRtt = static_cast<double>(Fabric().GetPath(0, 2).baseRttNs);
        Simulator::Stop(MicroSeconds(1));
        Simulator::Run();
        std::pair<double, double> windows{Host(0).GetQueuePair(near).cc->windowBytes,
                                          Host(0).GetQueuePair(far).cc->windowBytes};
        DoTeardown();
        return windows;
    }

    void DoRun() override
    {
        constexpr double bytesPerNs = 12.5;
        auto [nearOwn, farOwn] = Windows(true);
        NS_TEST_EXPECT_MSG_EQ_TOL(nearOwn, bytesPerNs * m_nearRtt, 1, "within the rack");
        NS_TEST_EXPECT_MSG_EQ_TOL(farOwn, bytesPerNs * m_farRtt, 1, "across");
        NS_TEST_EXPECT_MSG_LT(nearOwn, 0.6 * farOwn, "the shorter path");
        auto [near, far] = Windows(false);
        NS_TEST_EXPECT_MSG_EQ_TOL(near, farOwn, 1, "within the rack, with the network's T");
        NS_TEST_EXPECT_MSG_EQ_TOL(far, farOwn, 1, "across, with the network's T");
    }

    double m_nearRtt{0}; ///< RTT of the flow within the rack, ns
    double m_farRtt{0};  ///< RTT of the flow across racks, ns
};

class TestbedTestCase : public RdmaTestCase
{
  public:
    TestbedTestCase()
        : RdmaTestCase("the testbed has its paper's base RTTs, 5.4 us in a rack and 8.5 us across")
    {
    }

  private:
    void DoRun() override
    {
        Install(HpccTopology::ByName("testbed"));
        NS_TEST_EXPECT_MSG_EQ_TOL(Fabric().GetPath(0, 1).baseRttNs, 5400, 54, "in a rack");
        NS_TEST_EXPECT_MSG_EQ_TOL(Fabric().GetPath(0, 8).baseRttNs, 8500, 85, "across");
    }
};

class HpccPathsTestSuite : public TestSuite
{
  public:
    HpccPathsTestSuite()
        : TestSuite("hpcc-paths", Type::SYSTEM)
    {
        // If 12,000 packets choose ports at random, the standard deviation of an uplink's share is
        // 0.4 %.
        AddTestCase(new SprayTestCase("spray", 0.016));
        AddTestCase(new SprayTestCase("spray:round-robin", 0.001));
        AddTestCase(new SprayGoBackTestCase);
        AddTestCase(new SinglePathTestCase);
        AddTestCase(new FlowletTestCase(20000, true));
        AddTestCase(new FlowletTestCase(10, false));
        AddTestCase(new LeastLoadedTestCase);
        AddTestCase(new PlbTestCase(true));
        AddTestCase(new PlbTestCase(false));
        AddTestCase(new PathBaseRttTestCase);
        AddTestCase(new TestbedTestCase);
        AddTestCase(new DevicesTestCase);
    }
};

HpccPathsTestSuite g_hpccPathsTestSuite; ///< registers itself

} // namespace
