/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../examples/hpcc-workload/hpcc-authors-ideal.h"
#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include "ns3/hpcc-outages.h"

#include <map>
#include <utility>
#include <vector>

/// Tests links that go down and come up.

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Base class of the cases, with checks that they share.
class FailureTestCase : public RdmaTestCase
{
  public:
    using RdmaTestCase::RdmaTestCase;

  protected:
    /// Returns the number of frames that any device has dropped for @p reason.
    uint64_t GetDropsFor(DropReason reason)
    {
        uint64_t drops = 0;
        for (const auto& device : Fabric().GetDevices())
        {
            drops += device->GetDrops(reason);
        }
        return drops;
    }

    /// Expects that no frames and no pauses remain after the run.
    void ExpectNothingStuck()
    {
        uint64_t ended = 0;
        for (const auto& device : Fabric().GetDevices())
        {
            ended += device->GetPausesEnded();
            NS_TEST_EXPECT_MSG_EQ(device->GetQueueBytes(), 0, "bytes queued");
        }
        NS_TEST_EXPECT_MSG_EQ(ended, GetPauses(), "pauses that have ended");
        for (uint32_t node = 0; node < Fabric().GetTopology().GetNodes(); ++node)
        {
            if (Fabric().GetTopology().IsSwitch(node))
            {
                NS_TEST_EXPECT_MSG_EQ(Fabric().GetSwitch(node)->GetBuffer()->GetUsedBytes(),
                                      0,
                                      "buffer of switch " << node);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(AllFramesFree(), true, "frames are back in their pools");
    }

    /**
     * Returns the device at one end of a link.
     * @param link number of the link in the topology
     * @param side 0 for the first end of the link, 1 for the second
     */
    QbbNetDevice& Device(uint32_t link, uint32_t side)
    {
        return *Fabric().GetDevices()[2 * link + side];
    }
};

/// Tests how many frames are lost when the link between two hosts fails.
class InFlightTestCase : public FailureTestCase
{
  public:
    InFlightTestCase()
        : FailureTestCase("frames in flight on a failing link are lost, and their message "
                          "completes after the link recovers")
    {
    }

  private:
    void DoRun() override
    {
        // The transmission of a full frame takes (1000 + 58 + 24) * 8 / 100 = 86.56 ns.
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(200)));
        Fabric().ScheduleLinkDown(0, MicroSeconds(50));
        Fabric().ScheduleLinkUp(0, MicroSeconds(80));
        Install(BackToBack("100Gbps", MicroSeconds(10)));
        Post(0, Connect(0, 1, CreateObject<FixedPolicy>()), 4000000);
        uint64_t sentWhileDown = 0;
        for (uint32_t side : {0, 1})
        {
            OnTransmit(Device(0, side), [&sentWhileDown](int64_t nowNs, const Frame&) {
                sentWhileDown += nowNs >= 50000 && nowNs < 80000;
            });
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_delivered.size(), 1, "messages delivered");
        NS_TEST_EXPECT_MSG_EQ(m_delivered[0].bytes, 4000000, "bytes of it");
        NS_TEST_EXPECT_MSG_EQ(sentWhileDown, 0, "frames sent while the link was down");
        // All full frames are lost whose transmission began in the 10.09 us before the failure. The
        // tolerance is one frame.
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(Device(0, 1).GetDrops(DropReason::LINK_DOWN)),
                                  10086.56 / 86.56,
                                  1.5,
                                  "packets lost");
        NS_TEST_EXPECT_MSG_GT(Device(0, 0).GetDrops(DropReason::LINK_DOWN), 50, "ACKs lost");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(), GetDropsFor(DropReason::LINK_DOWN), "all drops");
        ExpectNothingStuck();
    }
};

/// Tests a leaf-spine network that loses one uplink.
class RerouteTestCase : public FailureTestCase
{
  public:
    RerouteTestCase()
        : FailureTestCase("the ends of a failed link reroute traffic at once, other nodes after "
                          "the convergence delay, and traffic returns when the link recovers")
    {
    }

  private:
    static constexpr int64_t DOWN = 100000;
    static constexpr int64_t UP = 400000;
    static constexpr int64_t CONVERGENCE = 50000;

    void DoRun() override
    {
        // Hosts 0 to 3 are at leaf 8, hosts 4 to 7 at leaf 9; 10 and 11 are spines.
        auto topology = HpccTopology::LeafSpine(2, 2, 4, {});
        const uint32_t link = topology.FindLinks(8, 10).at(0);
        const uint32_t other = topology.FindLinks(9, 10).at(0);
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(200)));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(20)));
        Fabric().SetConvergenceDelay(NanoSeconds(CONVERGENCE));
        Fabric().ScheduleLinkDown(link, NanoSeconds(DOWN));
        Fabric().ScheduleLinkUp(link, NanoSeconds(UP));
        Install(topology);
        auto spec = HpccFabricHelper::MakePolicy("hpcc++");
        for (uint32_t i = 0; i < 8; ++i)
        {
            for (int flow = 0; flow < 4; ++flow)
            {
                Fabric().AddMessage(i,
                                    Fabric().Connect(i, (i + 4) % 8, spec),
                                    1500000,
                                    NanoSeconds(100 * i));
            }
        }
        std::map<std::string, uint64_t> sent;
        auto note = [&sent](const std::string& where, QbbNetDevice& device, auto& test) {
            test.OnTransmit(device, [&sent, where](int64_t nowNs, const Frame& frame) {
                if (frame.kind != Frame::Kind::ROCE)
                {
                    return;
                }
                sent[where + (nowNs < DOWN                 ? " before"
                              : nowNs < DOWN + CONVERGENCE ? " converging"
                              : nowNs < UP                 ? " down"
                              : nowNs < UP + CONVERGENCE   ? " up"
                                                           : " after")]++;
            });
        };
        note("failed", Device(link, 0), *this);
        note("failed", Device(link, 1), *this);
        note("towards", Device(other, 0), *this);
        uint64_t unrouted = 0;
        At(NanoSeconds(DOWN + CONVERGENCE + 3000),
           [&] { unrouted = GetDropsFor(DropReason::NO_ROUTE); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 32, "messages delivered");
        NS_TEST_EXPECT_MSG_GT(sent["failed before"], 100, "frames on the link before");
        NS_TEST_EXPECT_MSG_EQ(sent["failed converging"] + sent["failed down"] + sent["failed up"],
                              0,
                              "frames on the link while it is down or not yet in the routes");
        NS_TEST_EXPECT_MSG_GT(sent["failed after"], 100, "frames on it after");
        NS_TEST_EXPECT_MSG_GT(sent["towards converging"], 0, "frames to a spine without a way on");
        NS_TEST_EXPECT_MSG_EQ(sent["towards down"], 0, "the same once routes are known");
        NS_TEST_EXPECT_MSG_GT(unrouted, 0, "frames that the spine has no route for");
        NS_TEST_EXPECT_MSG_EQ(GetDropsFor(DropReason::NO_ROUTE), unrouted, "no more of them later");
        NS_TEST_EXPECT_MSG_EQ(Fabric().GetSwitch(10)->GetPorts().size(), 2, "ports of the spine");
        NS_TEST_EXPECT_MSG_EQ(GetDrops(),
                              unrouted + GetDropsFor(DropReason::LINK_DOWN),
                              "every drop has one of two reasons");
        NS_TEST_EXPECT_MSG_GT(GetDropsFor(DropReason::LINK_DOWN), 0, "frames lost on the link");
        ExpectNothingStuck();
    }
};

/// Tests the ideal completion times during an outage.
class IdealTimeTestCase : public FailureTestCase
{
  public:
    IdealTimeTestCase()
        : FailureTestCase("an outage does not change ideal times and T")
    {
    }

  private:
    void DoRun() override
    {
        // Switches 3, 4 and 5 form a triangle, and each has one host. If the link between 3 and 4
        // fails, the path between hosts 0 and 1 has one more switch. If the link of host 2 fails,
        // host 2 is unreachable.
        HpccTopology topology;
        for (uint32_t i = 0; i < 6; ++i)
        {
            topology.AddNode(i >= 3);
        }
        const DataRate rate("100Gbps");
        for (auto [a, b] : {std::pair(0, 3), {1, 4}, {2, 5}, {3, 4}, {4, 5}, {5, 3}})
        {
            topology.AddLink(
                {static_cast<uint32_t>(a), static_cast<uint32_t>(b), rate, Time("1us")});
        }
        Fabric().SetConvergenceDelay(MicroSeconds(10));
        Fabric().ScheduleLinkDown(topology.FindLinks(3, 4).at(0), MicroSeconds(100));
        Fabric().ScheduleLinkDown(topology.FindLinks(2, 5).at(0), MicroSeconds(100));
        Fabric().ScheduleLinkUp(topology.FindLinks(3, 4).at(0), MicroSeconds(300));
        Fabric().ScheduleLinkUp(topology.FindLinks(2, 5).at(0), MicroSeconds(300));
        Install(topology);
        const std::vector<int64_t> whole = Times();
        for (int64_t us : {105, 200, 305, 400})
        {
            At(MicroSeconds(us), [this, us, whole] {
                NS_TEST_EXPECT_MSG_EQ((Times() == whole), true, "after " << us << " us");
                NS_TEST_EXPECT_MSG_EQ(Fabric().GetPath(0, 1).hops, 3, "links after " << us);
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), MicroSeconds(400), "end of the run");
    }

    /// @return all times that HpccFabricHelper computes for paths, ns
    std::vector<int64_t> Times()
    {
        std::vector<int64_t> times;
        for (auto [source, destination] : {std::pair(0, 1), {0, 2}, {2, 0}})
        {
            times.push_back(Fabric().GetIdealFctNs(source, destination, 50000));
            times.push_back(Fabric().GetIdealDeliveryNs(source, destination, 50000));
            times.push_back(GetAuthorsIdealFctNs(Fabric(), source, destination, 50000));
            times.push_back(Fabric().GetPath(source, destination).baseRttNs);
        }
        return times;
    }
};

/// Tests links that fail while one end has paused the other end.
class PausedLinkTestCase : public FailureTestCase
{
  public:
    PausedLinkTestCase()
        : FailureTestCase("links that fail while paused by PFC leave nothing paused")
    {
    }

  private:
    void DoRun() override
    {
        // An incast from 7 hosts without congestion control causes pauses of uplinks and hosts.
        auto topology = HpccTopology::LeafSpine(2, 2, 4, {});
        Fabric().SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(300)));
        Fabric().SetHostAttribute("NakInterval", TimeValue(MicroSeconds(20)));
        Fabric().SetBufferAttribute("BufferBytes", UintegerValue(800000));
        Fabric().SetConvergenceDelay(MicroSeconds(20));
        const uint32_t uplink = topology.FindLinks(9, 10).at(0);
        const uint32_t downlink = topology.FindLinks(8, 11).at(0);
        Fabric().ScheduleLinkDown(uplink, MicroSeconds(90));
        Fabric().ScheduleLinkUp(uplink, MicroSeconds(150));
        Fabric().ScheduleLinkDown(downlink, MicroSeconds(250));
        Fabric().ScheduleLinkUp(downlink, MicroSeconds(260));
        Fabric().ScheduleLinkDown(1, MicroSeconds(120));
        Fabric().ScheduleLinkUp(1, MicroSeconds(200));
        Install(topology);
        for (uint32_t i = 1; i < 8; ++i)
        {
            for (int flow = 0; flow < 4; ++flow)
            {
                Post(i, Connect(i, 0, CreateObject<FixedPolicy>()), 500000);
            }
        }
        std::map<uint32_t, uint64_t> paused;
        for (auto [link, before] : {std::pair(uplink, 89999), {downlink, 249999}, {1U, 119999}})
        {
            At(NanoSeconds(before), [this, link = link, &paused] {
                paused[link] = Device(link, 0).GetPauses() + Device(link, 1).GetPauses() -
                               Device(link, 0).GetPausesEnded() - Device(link, 1).GetPausesEnded();
            });
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 28, "messages delivered");
        for (uint32_t link : {uplink, downlink, 1U})
        {
            NS_TEST_EXPECT_MSG_EQ(paused[link], 1, "pauses of link " << link << " when it fails");
        }
        NS_TEST_EXPECT_MSG_EQ(GetDropsFor(DropReason::BUFFER_FULL), 0, "lossless all the same");
        ExpectNothingStuck();
    }
};

/// Tests a paused port whose link fails and recovers long before the end of the pause.
class PauseEndsTestCase : public NetworkTestCase
{
  public:
    PauseEndsTestCase()
        : NetworkTestCase("pauses and requests for pauses end when their link fails")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", NanoSeconds(100));
        // A pause lasts 65535 quanta of 64 ns, which is 4.2 ms. It would be renewed after half of
        // this time.
        m_ports[1]->RequestPause(3);
        bool before = false;
        bool after = true;
        for (const auto& port : m_ports)
        {
            port->ScheduleLink(10000, false);
            port->ScheduleLink(20000, true);
        }
        At(NanoSeconds(9000), [&] { before = m_ports[0]->IsPaused(3); });
        At(NanoSeconds(11000), [&] { after = m_ports[0]->IsPaused(3); });
        At(NanoSeconds(21000), [this] { Send(0, {}); });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(before, true, "is paused before the failure");
        NS_TEST_EXPECT_MSG_EQ(after, false, "is paused after it");
        NS_TEST_EXPECT_MSG_EQ(m_ports[0]->GetPauses(), 1, "pauses, without a refresh");
        NS_TEST_EXPECT_MSG_EQ(m_ports[0]->GetPausesEnded(), 1, "pauses ended");
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.size(), 1, "frames");
        if (IsStatusFailure())
        {
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(m_hosts[1]->arrivals[0].atNs, 21000 + 1024 + 100, "not delayed");
    }
};

/// Tests a pause that a program requests while the link is down.
class PauseOfDownLinkTestCase : public NetworkTestCase
{
  public:
    PauseOfDownLinkTestCase()
        : NetworkTestCase("a pause requested while a link is down begins when the link is up")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", NanoSeconds(100));
        for (const auto& port : m_ports)
        {
            port->ScheduleLink(10000, false);
            port->ScheduleLink(20000, true);
        }
        bool before = true;
        bool after = false;
        At(NanoSeconds(15000), [this] { m_ports[1]->RequestPause(3); });
        At(NanoSeconds(19999), [&] { before = m_ports[0]->IsPaused(3); });
        // The transmission of a PFC frame takes 64 ns, or at most 100 ns with FCS, preamble and
        // gap.
        At(NanoSeconds(20300), [&] { after = m_ports[0]->IsPaused(3); });
        Simulator::Stop(MicroSeconds(21));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(before, false, "is paused while the link is down");
        NS_TEST_EXPECT_MSG_EQ(after, true, "is paused when the link is up");
    }
};

/// Tests that a frame in flight is lost after any number of failures of its link.
class ManyFailuresTestCase : public NetworkTestCase
{
  public:
    ManyFailuresTestCase()
        : NetworkTestCase("a frame in flight is lost if its link fails 256 times")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", MilliSeconds(1));
        Send(0, {});
        for (int64_t failure = 0; failure < 256; ++failure)
        {
            for (const auto& port : m_ports)
            {
                port->ScheduleLink(2000 * failure + 10000, false);
                port->ScheduleLink(2000 * failure + 11000, true);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_hosts[1]->arrivals.size(), 0, "frames that arrive");
        NS_TEST_EXPECT_MSG_EQ(m_ports[1]->GetDrops(DropReason::LINK_DOWN), 1, "drops");
    }
};

/// Tests that plans of outages that are impossible are refused.
class BadPlanTestCase : public RdmaTestCase
{
  public:
    BadPlanTestCase()
        : RdmaTestCase("an impossible plan of failures is refused before simulated time starts")
    {
    }

  private:
    /// Returns the error message with which the network refuses a plan.
    /// @param plan function that makes the plan
    static std::string Refusal(const std::function<void(HpccFabricHelper&)>& plan)
    {
        HpccFabricHelper fabric;
        try
        {
            plan(fabric);
            fabric.Install(HpccTopology::Star(3, {}));
        }
        catch (const HpccInputError& error)
        {
            return error.what();
        }
        return "";
    }

    /// Returns the error message with which an outage is refused.
    /// @param text value of --fail
    static std::string Outage(const std::string& text)
    {
        return Refusal([&text](HpccFabricHelper& fabric) {
            HpccOutages(text).Schedule(HpccTopology::Star(3, {}), fabric);
        });
    }

    void Expect(const std::string& said, const std::string& wanted)
    {
        NS_TEST_EXPECT_MSG_EQ((said.find(wanted) != std::string::npos),
                              true,
                              "\"" << said << "\" should contain \"" << wanted << "\"");
    }

    void DoRun() override
    {
        Time t = MicroSeconds(5);
        Expect(Refusal([t](auto& f) { f.ScheduleLinkDown(3, t); }), "links are 0 to 2");
        Expect(Refusal([t](auto& f) { f.ScheduleLinkUp(0, t); }), "it has not been down");
        Expect(Refusal([](auto& f) { f.ScheduleLinkDown(0, Time(0)); }), "link 0 goes down at 0");
        Expect(Refusal([t](auto& f) {
                   f.ScheduleLinkDown(0, t);
                   f.ScheduleLinkDown(0, 2 * t);
               }),
               "it went down at 5000 ns");
        Expect(Refusal([t](auto& f) {
                   f.ScheduleLinkDown(0, t);
                   f.ScheduleLinkUp(0, t);
               }),
               "must alternate");
        for (const auto* text : {"0-3",
                                 "0-3@",
                                 "0-3@5",
                                 "0-3@-5us",
                                 "0-3@0us",
                                 "0-3@5us-",
                                 "a-3@5us",
                                 "0-3@5us-4us",
                                 "0-3@5us-5us",
                                 "0-3@5us-6us-7us",
                                 "0--3@5us",
                                 "0:3@5us",
                                 "0-3#@5us",
                                 "0#1@5us",
                                 "0-3#x@5us"})
        {
            Expect(Outage(text), "NODE-NODE@DOWN");
            Expect(Outage(text), text);
        }
        Expect(Outage("0-1@5us"), "no link joins node 0 and node 1");
        Expect(Outage("0-9@5us"), "no link joins");
        Expect(Outage("0-3#1@5us"), "1 links, counted from 0, join node 0 and node 3");
        Expect(Outage("9@5us"), "node 9 has no links");
        NS_TEST_EXPECT_MSG_EQ(Outage("0-3#0@5us,1@5us"), "", "a link by number, and a node");
        NS_TEST_EXPECT_MSG_EQ(Outage("0-3@5us,3-1@5us-6us"), "", "a plan that can be");
    }
};

class HpccFailuresTestSuite : public TestSuite
{
  public:
    HpccFailuresTestSuite()
        : TestSuite("hpcc-failures", Type::SYSTEM)
    {
        AddTestCase(new InFlightTestCase);
        AddTestCase(new RerouteTestCase);
        AddTestCase(new IdealTimeTestCase);
        AddTestCase(new PausedLinkTestCase);
        AddTestCase(new PauseOfDownLinkTestCase);
        AddTestCase(new ManyFailuresTestCase);
        AddTestCase(new PauseEndsTestCase);
        AddTestCase(new BadPlanTestCase);
    }
};

HpccFailuresTestSuite g_hpccFailuresTestSuite; ///< registers the suite

} // namespace
