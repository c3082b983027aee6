/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-leaks.h"

#include "ns3/hpcc-closed-loop.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-static-buffer.h"
#include "ns3/hpcc-topology.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// @return message of the HpccInputError that a function throws; empty if it throws none
template <typename Function>
std::string
RefusalOf(const Function& function)
{
    try
    {
        function();
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

/**
 * Returns a topology of two hosts and a switch. In the direction from host 0 to host 1, links have
 * 100 Gb/s.
 * @param back rate of the links in the other direction
 * @return the topology
 */
HpccTopology
SlowBackwards(const DataRate& back)
{
    HpccTopology topology;
    for (const bool isSwitch : {false, false, true})
    {
        topology.AddNode(isSwitch);
    }
    topology.AddLink({0, 2, DataRate("100Gbps"), MicroSeconds(1), 0, back});
    topology.AddLink({2, 1, DataRate("100Gbps"), MicroSeconds(1), 0, back});
    return topology;
}

/// Destroys the simulator after each test.
class HpccHelper : public testing::Test
{
  protected:
    ~HpccHelper() override
    {
        Simulator::Destroy();
    }

    HpccFabricHelper m_fabric; ///< the helper under test
};

} // namespace

TEST_F(HpccHelper, ASwitchMayHavePartsOfItsOwn)
{
    m_fabric.SetBuffer("static");
    m_fabric.SetBufferAttribute("QueueBytes", UintegerValue(20000));
    auto& parts = m_fabric.PartsOf(4);
    parts.SetBufferAttribute("QueueBytes", UintegerValue(30000));
    parts.SetMarking("sojourn");
    parts.SetScheduler("fifo");
    m_fabric.PartsOf(5).SetBuffer("dynamic");
    m_fabric.Install(HpccTopology::LeafSpine(2, 2, 2, {}));
    const auto queueBytes = [this](uint32_t node) {
        return DynamicCast<StaticBuffer>(m_fabric.GetSwitch(node)->GetBuffer())->GetQueueBytes();
    };
    const auto typeOf = [](const Object& part) { return part.GetInstanceTypeId().GetName(); };
    EXPECT_EQ(queueBytes(4), 30000U);
    EXPECT_EQ(queueBytes(6), 20000U);
    EXPECT_EQ(typeOf(*m_fabric.GetSwitch(5)->GetBuffer()), "ns3::SharedBuffer");
    EXPECT_EQ(typeOf(*m_fabric.GetSwitch(4)->GetMarker()), "ns3::SojournMarker");
    EXPECT_EQ(typeOf(*m_fabric.GetSwitch(6)->GetMarker()), "ns3::EcnMarker");
    EXPECT_EQ(typeOf(m_fabric.GetDeviceTo(4, 6)->GetScheduler()), "ns3::FifoScheduler");
    EXPECT_EQ(typeOf(m_fabric.GetDeviceTo(6, 4)->GetScheduler()), "ns3::PriorityScheduler");
}

TEST_F(HpccHelper, ValuesForRatesThatNoPortOfTheSwitchHasAreRefused)
{
    // Switch 1 has ports of 100 and 400 Gb/s, and switch 2 has ports of 400 and 25 Gb/s.
    HpccTopology topology;
    for (const bool isSwitch : {false, true, true, false})
    {
        topology.AddNode(isSwitch);
    }
    topology.AddLink({0, 1, DataRate("100Gbps"), MicroSeconds(1)});
    topology.AddLink({1, 2, DataRate("400Gbps"), MicroSeconds(1)});
    topology.AddLink({2, 3, DataRate("25Gbps"), MicroSeconds(1)});
    const auto refusal = [&](const std::function<void(HpccFabricHelper&)>& set) {
        HpccFabricHelper fabric;
        const std::string why = RefusalOf([&] {
            set(fabric);
            fabric.Install(topology);
        });
        Simulator::Destroy();
        return why;
    };
    const StringValue other("10Gbps:1000:2000:1,40Gbps:1000:2000:1");
    const StringValue of1("10Gbps:1000:2000:1,100Gbps:1000:2000:1");
    const auto thresholds = [](HpccSwitchParts& parts, const StringValue& value) {
        parts.SetEcnAttribute("Thresholds", value);
    };
    const std::string only = ", and only the first entry is scaled to others; allowed are the "
                             "rates of these ports, or one entry";
    EXPECT_EQ(refusal([&](auto& fabric) { fabric.SetEcnAttribute("Thresholds", other); }),
              "ns3::EcnMarker::Thresholds is \"" + other.Get() +
                  "\", but no port of the switches has one of these rates" + only);
    EXPECT_EQ(refusal([&](auto& fabric) { thresholds(fabric.PartsOf(2), of1); }),
              "ns3::EcnMarker::Thresholds is \"" + of1.Get() +
                  "\", but no port of switch 2 has one of these rates" + only);
    EXPECT_EQ(refusal([&](auto& fabric) {
                  fabric.SetBufferAttribute("AlphaPerRate", StringValue("200Gbps:0.5"));
              }),
              "ns3::SharedBuffer::AlphaPerRate is \"200Gbps:0.5\", but no port of the switches has "
              "one of these rates; allowed are the rates of these ports");
    HpccFabricHelper withoutSwitches;
    withoutSwitches.SetBufferAttribute("AlphaPerRate", StringValue("200Gbps:0.5"));
    HpccTopology pair;
    pair.AddNode(false);
    pair.AddNode(false);
    pair.AddLink({0, 1, DataRate("100Gbps"), MicroSeconds(1)});
    EXPECT_EQ(RefusalOf([&] { withoutSwitches.Install(pair); }), "");
    Simulator::Destroy();
    const std::vector<std::function<void(HpccFabricHelper&)>> allowed{
        [&](auto& fabric) { thresholds(fabric.PartsOf(1), of1); },
        [&](auto& fabric) { fabric.SetEcnAttribute("Thresholds", of1); },
        [&](auto& fabric) {
            fabric.SetEcnAttribute("Thresholds", of1);
            fabric.PartsOf(2).SetBufferAttribute("BufferBytes", UintegerValue(4000000));
        },
        [&](auto& fabric) { thresholds(fabric.PartsOf(2), StringValue("10Gbps:1000:2000:1")); },
        [&](auto& fabric) { fabric.SetThresholds(other.Get()); },
        [&](auto& fabric) {
            fabric.SetEcnAttribute("Thresholds", other);
            fabric.SetThresholds(of1.Get());
        },
        [&](auto& fabric) {
            fabric.SetEcnAttribute("Thresholds", other);
            fabric.SetMarking("sojourn");
        }};
    for (size_t i = 0; i < allowed.size(); ++i)
    {
        EXPECT_EQ(refusal(allowed[i]), "") << i;
    }
}

TEST_F(HpccHelper, PartsOfANodeThatIsNoSwitchAreRefused)
{
    m_fabric.PartsOf(1).SetScheduler("fifo");
    EXPECT_EQ(RefusalOf([this] { m_fabric.Install(HpccTopology::Star(3, {})); }),
              "ns3::HpccFabricHelper::PartsOf: node 1 is no switch of the topology; allowed are "
              "its switches");
    HpccFabricHelper other;
    other.PartsOf(9);
    EXPECT_NE(RefusalOf([&other] { other.Install(HpccTopology::Star(3, {})); }).find("node 9"),
              std::string::npos);
    EXPECT_NE(RefusalOf([&other] {
                  other.PartsOf(3).SetSchedulerAttribute("Nosuch", UintegerValue(1));
              }).find("has no attribute Nosuch"),
              std::string::npos);
}

TEST_F(HpccHelper, AValueThatAPartCannotTakeIsRefused)
{
    EXPECT_EQ(RefusalOf([this] {
                  m_fabric.PartsOf(3).SetSchedulerAttribute("Sharing", StringValue("Strict"));
              }),
              "ns3::PriorityScheduler::Sharing: \"Strict\" is not allowed; "
              "one of Lossless, None, All");
}

TEST_F(HpccHelper, SharesOfALinkNeedEqualSchedulers)
{
    m_fabric.SetTelemetryAgentAttribute("Bandwidth", StringValue("Share"));
    m_fabric.PartsOf(3).SetSchedulerAttribute("Sharing", StringValue("All"));
    EXPECT_NE(RefusalOf([this] { m_fabric.Install(HpccTopology::Star(3, {})); }).find("node 3"),
              std::string::npos);
}

TEST_F(HpccHelper, AClosedLoopPostsEachMessageWhenAnotherIsComplete)
{
    m_fabric.Install(HpccTopology::Star(3, {}));
    const uint32_t queuePair = m_fabric.Connect(0, 2, HpccFabricHelper::MakePolicy("hpcc++"));
    const uint32_t other = m_fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++"));
    m_fabric.AddMessage(0, other, 500000, MicroSeconds(1));
    std::vector<uint64_t> sizes{30000, 10000, 20000, 5000};
    size_t next = 0;
    HpccClosedLoop loop(
        m_fabric,
        0,
        queuePair,
        [&] { return next < sizes.size() ? sizes[next++] : 0; },
        MicroSeconds(3),
        2);
    std::vector<RdmaMessageRecord> records;
    const std::function<void(const RdmaMessageRecord&)> note =
        [&](const RdmaMessageRecord& record) {
            if (RdmaHost::IndexOfNumber(record.queuePair) == queuePair)
            {
                records.push_back(record);
            }
        };
    m_fabric.GetHost(0)->TraceConnectWithoutContext("MessageAcknowledged",
                                                    Callback<void, const RdmaMessageRecord&>(note));
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    ASSERT_EQ(records.size(), 4U);
    EXPECT_EQ(loop.GetCompleted(), 4U);
    for (size_t i = 0; i < records.size(); ++i)
    {
        EXPECT_EQ(records[i].bytes, sizes[i]);
        EXPECT_EQ(records[i].postedNs, i < 2 ? 3000 : records[i - 2].completedNs) << i;
    }
    EXPECT_NE(RefusalOf([&] {
                  HpccClosedLoop(
                      m_fabric,
                      0,
                      queuePair,
                      [] { return 0; },
                      Time(0),
                      0);
              }).find("host 0"),
              std::string::npos);
    const auto spec = HpccFabricHelper::MakePolicy("hpcc++");
    const uint32_t single = m_fabric.Connect(0, 2, spec, 0, true);
    EXPECT_NE(RefusalOf([&] {
                  HpccClosedLoop(m_fabric, 0, single, [] { return 1000; });
              }).find("a second message"),
              std::string::npos);
}

TEST_F(HpccHelper, MessagesPlannedDuringARunOrBetweenRunsArePostedAtTheirTimes)
{
    m_fabric.Install(HpccTopology::Star(2, {}));
    const auto queuePair = m_fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    const auto ofLoop = m_fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
    std::vector<int64_t> posted;
    m_fabric.GetHost(0)->TraceConnectWithoutContext(
        "MessageAcknowledged",
        Callback<void, const RdmaMessageRecord&>(
            [&posted](const RdmaMessageRecord& record) { posted.push_back(record.postedNs); }));
    const auto plan = [&](int64_t us) {
        return RefusalOf([&] { m_fabric.AddMessage(0, queuePair, 1000, MicroSeconds(us)); });
    };
    EXPECT_NE(plan(-5).find("-5000 ns; allowed is 0 ns"), std::string::npos);
    EXPECT_EQ(plan(1000), "");
    uint32_t sizes = 2;
    std::unique_ptr<HpccClosedLoop> loop;
    Simulator::Schedule(Time(0), [&] { EXPECT_EQ(plan(30), ""); });
    Simulator::Schedule(MicroSeconds(50), [&] {
        EXPECT_EQ(plan(70), "");
        EXPECT_EQ(plan(60), "");
        EXPECT_NE(plan(40).find("40000 ns; allowed is 50000 ns"), std::string::npos);
    });
    Simulator::Schedule(MicroSeconds(1500), [&] {
        loop = std::make_unique<HpccClosedLoop>(
            m_fabric,
            0,
            ofLoop,
            [&sizes]() -> uint64_t { return sizes-- > 0 ? 1000 : 0; },
            MicroSeconds(1600));
    });
    Simulator::Stop(MicroSeconds(2000));
    Simulator::Run();
    EXPECT_EQ(plan(2500), "");
    Simulator::Stop(MicroSeconds(1000));
    Simulator::Run();
    ASSERT_EQ(posted.size(), 7U);
    EXPECT_EQ(loop->GetCompleted(), 2U);
    posted.erase(posted.begin() + 5); // the second message that the loop posted
    EXPECT_EQ(posted, (std::vector<int64_t>{30000, 60000, 70000, 1000000, 1600000, 2500000}));
}

TEST_F(HpccHelper, TheQueueSeriesOfAChosenPortIsThatOfItsTrace)
{
    m_fabric.Install(HpccTopology::Dumbbell(3, 1, {}));
    std::vector<HpccFlowPlan> flows;
    for (uint32_t source = 0; source < 3; ++source)
    {
        const auto queuePair = m_fabric.Connect(source, 3, HpccFabricHelper::MakePolicy("hpcc++"));
        m_fabric.AddMessage(source, queuePair, 50000, MicroSeconds(1));
        flows.push_back({source, 3, 50000, 1000, queuePair, 0});
    }
    uint64_t peak = 0;
    m_fabric.GetDeviceTo(4, 5)->TraceConnectWithoutContext(
        "QueueBytes",
        Callback<void, uint8_t, uint64_t, uint64_t, int64_t>(
            [&](uint8_t, uint64_t, uint64_t bytes, int64_t) { peak = std::max(peak, bytes); }));
    HpccMonitor monitor(m_fabric, flows, 2000);
    monitor.SetQueueResolutionNs(1);
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    monitor.Summarize();
    double seriesPeak = 0;
    for (const auto& sample : monitor.GetQueueSeries(4, 3))
    {
        seriesPeak = std::max(seriesPeak, sample.value);
    }
    ASSERT_GT(peak, 10000U);
    EXPECT_EQ(static_cast<uint64_t>(seriesPeak), peak);
    for (const auto& sample : monitor.GetQueueSeries(5, 0))
    {
        EXPECT_LT(sample.value, 10000) << "the second switch has one sender";
    }
    EXPECT_NE(RefusalOf([&] { monitor.GetQueueSeries(0, 0); }).find("is a host"),
              std::string::npos);
    EXPECT_NE(RefusalOf([&] { monitor.GetQueueSeries(4, 7); }), "");
}

TEST_F(HpccHelper, WithoutAQueueTheBottleneckIsTheSwitchPortThatSendsMost)
{
    HpccTopology topology;
    for (const bool isSwitch : {false, false, false, true})
    {
        topology.AddNode(isSwitch);
    }
    topology.AddLink({0, 3, DataRate("25Gbps"), MicroSeconds(1)});
    topology.AddLink({1, 3, DataRate("25Gbps"), MicroSeconds(1)});
    topology.AddLink({2, 3, DataRate("100Gbps"), MicroSeconds(1)});
    m_fabric.Install(topology);
    const auto queuePair = m_fabric.Connect(1, 2, HpccFabricHelper::MakePolicy("none"));
    m_fabric.AddMessage(1, queuePair, 200000, MicroSeconds(1));
    HpccMonitor monitor(m_fabric, {{1, 2, 200000, 1000, queuePair, 0}}, 0);
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    ASSERT_EQ(monitor.Summarize().queuePeakBytes, 0U);
    EXPECT_EQ(monitor.GetBottleneck(), std::pair(3U, 2U));
    double bytes = 0;
    for (const auto& sample : monitor.GetThroughputSeries())
    {
        bytes += sample.value * HpccMonitor::BIN_NS / 8;
    }
    EXPECT_GT(bytes, 200000);
}

TEST_F(HpccHelper, AMonitorCountsTheEndOfAFlowOnce)
{
    m_fabric.Install(HpccTopology::Star(3, {}));
    HpccMonitor monitor(m_fabric, {{0, 2, 50000, 1000, 0, 0}, {1, 2, 50000, 1000, 0, 0}}, 2000);
    monitor.NoteLost(0, 7000);
    EXPECT_EQ(monitor.GetResults()[0].receiverEndNs, -1) << "its last byte was never received";
    monitor.NoteFinished(0, 9000);
    EXPECT_EQ(monitor.GetUnfinished(), 1U);
    EXPECT_EQ(monitor.GetResults()[0].endNs, 7000);
    EXPECT_EQ(monitor.GetResults()[0].receiverEndNs, -1);
    monitor.NoteFinished(1, 8000);
    monitor.NoteFinished(1, 9000);
    EXPECT_EQ(monitor.GetUnfinished(), 0U);
    EXPECT_EQ(monitor.GetResults()[1].endNs, 8000);
    EXPECT_EQ(monitor.GetResults()[1].receiverEndNs, 8000);
    Simulator::Stop(MicroSeconds(20));
    Simulator::Run();
    EXPECT_EQ(monitor.Summarize().flowsFinished, 2U);
}

TEST_F(HpccHelper, TheUsersOfALinkAreTheHostsWhosePacketsMayCrossItNowOrAfterAFailure)
{
    // Hosts 0 and 1 are at leaf 4, and hosts 2 and 3 at leaf 5. Host 6 is at the end of a detour.
    HpccTopology topology;
    for (uint32_t node = 0; node < 10; ++node)
    {
        topology.AddNode(node >= 4 && node != 6);
    }
    const DataRate rate("100Gbps");
    const Time delay = MicroSeconds(1);
    for (const auto& [from, to] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 4},
                                                                             {1, 4},
                                                                             {2, 5},
                                                                             {3, 5},
                                                                             {4, 7},
                                                                             {7, 5},
                                                                             {4, 8},
                                                                             {8, 9},
                                                                             {9, 5},
                                                                             {6, 9}})
    {
        topology.AddLink({from, to, rate, delay});
    }
    const auto users = [&topology](bool fails, uint32_t node, uint32_t neighbour, uint32_t to) {
        HpccFabricHelper fabric;
        if (fails)
        {
            fabric.ScheduleLinkDown(4, MicroSeconds(10)); // the link between 4 and 7
        }
        fabric.Install(topology);
        const auto found = fabric.FindUsers(node, neighbour, to);
        std::vector<uint32_t> hosts;
        for (uint32_t host = 0; host < found.size(); ++host)
        {
            if (found[host])
            {
                hosts.push_back(host);
            }
        }
        Simulator::Destroy();
        return hosts;
    };
    using Hosts = std::vector<uint32_t>;
    EXPECT_EQ(users(false, 4, 7, 2), (Hosts{0, 1}));
    EXPECT_EQ(users(false, 7, 4, 2), Hosts{});
    EXPECT_EQ(users(false, 7, 4, 0), (Hosts{2, 3}));
    EXPECT_EQ(users(false, 8, 9, 2), Hosts{}); // the detour is longer
    EXPECT_EQ(users(true, 8, 9, 2), (Hosts{0, 1}));
    EXPECT_EQ(users(true, 4, 7, 2), (Hosts{0, 1})); // before the failure
    EXPECT_EQ(users(false, 8, 9, 6), (Hosts{0, 1}));
    EXPECT_EQ(users(false, 5, 3, 3), (Hosts{0, 1, 2, 6}));
}

TEST_F(HpccHelper, AHostIsCutOffFromTheLastFailureOnThatLeavesItNoPath)
{
    constexpr int64_t never = INT64_MAX;
    m_fabric.SetConvergenceDelay(MicroSeconds(5));
    // Links 0 to 3 lead from hosts 0 to 3 to leaves 4 and 5; links 4 and 5 to the only spine.
    const auto topology = HpccTopology::LeafSpine(2, 1, 2, {});
    const auto& links = topology.GetLinks();
    const auto linkOf = [&links](uint32_t a, uint32_t b) {
        const auto found = std::find_if(links.begin(), links.end(), [&](const auto& link) {
            return std::minmax(link.a, link.b) == std::minmax(a, b);
        });
        return static_cast<uint32_t>(found - links.begin());
    };
    m_fabric.ScheduleLinkDown(linkOf(4, 6), MicroSeconds(10));
    m_fabric.ScheduleLinkUp(linkOf(4, 6), MicroSeconds(20));
    m_fabric.ScheduleLinkDown(linkOf(4, 6), MicroSeconds(30));
    m_fabric.ScheduleLinkDown(linkOf(3, 5), MicroSeconds(40));
    m_fabric.Install(topology);
    const auto found = [this](uint32_t destination) {
        std::vector<int64_t> byHost;
        for (const auto& byPort : m_fabric.FindCutOffsNs(destination, 0))
        {
            byHost.insert(byHost.end(), byPort.begin(), byPort.end());
        }
        return byHost;
    };
    EXPECT_EQ(found(2), (std::vector<int64_t>{30000, 30000, never, 40000}));
    EXPECT_EQ(found(0), (std::vector<int64_t>{never, never, 30000, 30000}));
}

TEST_F(HpccHelper, BothEndsOfReadsHaveTheBaseRttOfTheirOwnData)
{
    m_fabric.Install(SlowBackwards(DataRate("10Gbps")));
    const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
    m_fabric.Connect(0, 1, spec, 0, false, true);
    for (const uint32_t host : {0, 1})
    {
        EXPECT_EQ(m_fabric.GetHost(host)->GetQueuePair(0).baseRttNs,
                  m_fabric.GetPath(host, 1 - host).baseRttNs);
    }
    EXPECT_NE(m_fabric.GetPath(0, 1).baseRttNs, m_fabric.GetPath(1, 0).baseRttNs);
}

TEST_F(HpccHelper, AConnectionWithNothingPostedNeedsOnlyItsRecords)
{
    // Many connections, so that one additional huge page (2 MB) adds only 20 bytes per connection.
    constexpr uint32_t CONNECTIONS = 100000;
#ifdef HPCC_TEST_FINDS_LEAKS
    constexpr double MOST = 400; // the address sanitizer adds memory to each allocation
#else
    constexpr double MOST = 200;
#endif
    const auto resident = [] {
        double total = 0;
        double pages = 0;
        std::ifstream("/proc/self/statm") >> total >> pages;
        return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
    };
    m_fabric.Install(HpccTopology::Star(2, {}));
    const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
    m_fabric.Connect(0, 1, spec);
    const double before = resident();
    for (uint32_t i = 0; i < CONNECTIONS; ++i)
    {
        m_fabric.Connect(0, 1, spec);
    }
    EXPECT_LT((resident() - before) / CONNECTIONS, MOST) << "bytes for both ends";
}

TEST_F(HpccHelper, AQueuePairKeepsTheAttributesThatItsHostHadWhenItWasConnected)
{
    m_fabric.Install(HpccTopology::Star(2, {}));
    const auto spec = HpccFabricHelper::MakePolicy("dcqcn");
    m_fabric.Connect(0, 1, spec);
    m_fabric.GetHost(0)->SetAttribute("RetransmitTimeout", TimeValue(MilliSeconds(7)));
    m_fabric.GetHost(1)->SetAttribute("AckInterval", UintegerValue(5));
    m_fabric.Connect(0, 1, spec);
    for (const uint32_t i : {0, 1})
    {
        EXPECT_EQ(m_fabric.GetHost(1)->GetQueuePair(i).ackInterval, i == 0 ? 1U : 5U);
        EXPECT_EQ(m_fabric.GetHost(0)->GetQueuePair(i).limits.timeoutNs == 7000000, i == 1);
    }
}

/// Returns a topology of two hosts with two ports. The path from port 0 has two switches, and the
/// path from port 1 has one switch.
HpccTopology
OneLongPlane()
{
    HpccTopology topology;
    for (const bool isSwitch : {false, false, true, true, true})
    {
        topology.AddNode(isSwitch);
    }
    for (const auto& [from, to] : {std::pair(0U, 2U),
                                   std::pair(1U, 3U),
                                   std::pair(2U, 3U),
                                   std::pair(0U, 4U),
                                   std::pair(1U, 4U)})
    {
        topology.AddLink({from, to, DataRate("100Gbps"), MicroSeconds(1)});
    }
    return topology;
}

TEST_F(HpccHelper, TIsThatOfThePortsInUse)
{
    m_fabric.SetPorts("0");
    m_fabric.Install(OneLongPlane());
    const int64_t longNs = m_fabric.GetPath(0, 1, {0, 0}).baseRttNs;
    EXPECT_GT(longNs, m_fabric.GetPath(0, 1, {1, 1}).baseRttNs);
    EXPECT_EQ(m_fabric.GetNetworkBaseRttNs(), longNs);
    HpccFabricHelper late;
    late.Install(OneLongPlane());
    EXPECT_EQ(late.GetNetworkBaseRttNs(), late.GetPath(0, 1, {1, 1}).baseRttNs);
    late.SetPorts("0+move");
    EXPECT_NE(RefusalOf([&] {
                  late.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++"));
              }).find("SetPorts(\"0\") after Install(): the path from host 0 to host 1"),
              std::string::npos);
    late.SetPerPathBaseRtt(true);
    late.Connect(0, 1, HpccFabricHelper::MakePolicy("hpcc++"));
}

TEST_F(HpccHelper, AReadIsRefusedIfItsResponsesWouldTimeOut)
{
    // At 1 Gb/s, the transmission of a full packet takes 8.7 us, and that of an ACK takes 0.7 us.
    m_fabric.SetHostAttribute("RetransmitTimeout", TimeValue(MicroSeconds(15)));
    m_fabric.Install(SlowBackwards(DataRate("1Gbps")));
    const auto spec = HpccFabricHelper::MakePolicy("none");
    m_fabric.Connect(0, 1, spec);
    EXPECT_NE(RefusalOf([&] { m_fabric.Connect(0, 1, spec, 0, false, true); })
                  .find("RetransmitTimeout is 15000 ns, but the round trip from 11.0.0.2 to "
                        "11.0.0.1 takes"),
              std::string::npos);
}

TEST_F(HpccHelper, AProgramThatCatchesARefusalGoesOn)
{
    EXPECT_NE(RefusalOf([] { HpccFabricHelper::MakePolicy("hpcx"); }).find("unknown policy"),
              std::string::npos);
    EXPECT_NE(RefusalOf([this] { m_fabric.SetBuffer("nosuch"); }), "");
    m_fabric.Install(HpccTopology::Star(2, {}));
    const auto policy = HpccFabricHelper::MakePolicy("hpcc++");
    EXPECT_NE(RefusalOf([&] { m_fabric.Connect(0, 7, policy); }), "");
    m_fabric.AddMessage(0, m_fabric.Connect(0, 1, policy), 100000, MicroSeconds(1));
    uint32_t delivered = 0;
    m_fabric.GetHost(1)->TraceConnectWithoutContext(
        "MessageDelivered",
        Callback<void, const RdmaMessageRecord&>(
            [&delivered](const RdmaMessageRecord&) { ++delivered; }));
    Simulator::Stop(MicroSeconds(100));
    Simulator::Run();
    EXPECT_EQ(delivered, 1U);
}

TEST(TopologyDescription, EachPortOfASwitchIsNamedWithItsLink)
{
    HpccTopology::LinkSpeeds speeds{DataRate("25Gbps"), DataRate("100Gbps"), NanoSeconds(500)};
    EXPECT_EQ(DescribeTopology(HpccTopology::LeafSpine(2, 2, 3, speeds)),
              "6 hosts: 0-5; 4 switches: 6-9; 10 links\n"
              "switch 6: ports 0-2 to hosts 0-2 (25 Gb/s, 0.5 us); ports 3-4 to switches 8-9 (100 "
              "Gb/s, 0.5 us)\n"
              "switch 7: ports 0-2 to hosts 3-5 (25 Gb/s, 0.5 us); ports 3-4 to switches 8-9 (100 "
              "Gb/s, 0.5 us)\n"
              "switch 8: ports 0-1 to switches 6-7 (100 Gb/s, 0.5 us)\n"
              "switch 9: ports 0-1 to switches 6-7 (100 Gb/s, 0.5 us)\n");
    HpccTopology mixed;
    mixed.AddNode(true);
    mixed.AddNode(false);
    mixed.AddNode(false);
    mixed.AddLink({0, 2, DataRate("25Gbps"), MicroSeconds(1), 0.001});
    mixed.AddLink({0, 1, DataRate("25Gbps"), MicroSeconds(1)});
    EXPECT_EQ(DescribeTopology(mixed),
              "2 hosts: 1-2; 1 switches: 0; 2 links\n"
              "switch 0: port 0 to host 2 (25 Gb/s, 1 us, error rate 0.001); port 1 to host 1 (25 "
              "Gb/s, 1 us)\n");
}

TEST(TopologyDescription, LinksWhoseDelaysDifferByANanosecondAreToldApart)
{
    HpccTopology topology;
    topology.AddNode(true);
    for (const int64_t ns : {1234567, 1234568})
    {
        topology.AddLink({0, topology.AddNode(false), DataRate("25Gbps"), NanoSeconds(ns)});
    }
    EXPECT_EQ(DescribeTopology(topology),
              "2 hosts: 1-2; 1 switches: 0; 2 links\n"
              "switch 0: port 0 to host 1 (25 Gb/s, 1234.567 us); port 1 to host 2 (25 Gb/s, "
              "1234.568 us)\n");
}

TEST(TopologyDescription, TheNumbersOfSwitchesAreThoseThatTheDocumentationStates)
{
    const std::map<std::string, std::vector<std::string>> lines{
        {"star:4", {"switch 4: ports 0-3 to hosts 0-3"}},
        {"dumbbell:2,3",
         {"switch 5: ports 0-1 to hosts 0-1 (100 Gb/s, 1 us); port 2 to switch 6",
          "switch 6: ports 0-2 to hosts 2-4 (100 Gb/s, 1 us); port 3 to switch 5"}},
        {"leaf-spine:2,2,4",
         {"switch 9: ports 0-3 to hosts 4-7", "switch 11: ports 0-1 to switches 8-9"}},
        {"mixed-rates:1,2,25Gbps,100Gbps", {"switch 5: ports 0-1 to hosts 2-3 (100 Gb/s"}},
        {"parking-lot:2",
         {"switch 6: ports 0-1 to hosts 0, 2",
          "switch 7: ports 0-1 to hosts 3-4",
          "switch 8: ports 0-1 to hosts 1, 5"}},
        {"fat-tree:4",
         {"switch 16: ports 0-1 to hosts 0-1 (100 Gb/s, 1 us); ports 2-3 to switches 24-25",
          "switch 25: ports 0-3 to switches 16-17, 34-35",
          "switch 35: ports 0-3 to switches 25, 27, 29, 31"}},
        {"paper-fat-tree",
         {"switch 339: ports 0-15 to hosts 304-319",
          "switch 359: ports 0-7 to switches 336-339, 372-375",
          "switch 375: ports 0-4 to switches 343, 347, 351, 355, 359"}},
        {"testbed-pod",
         {"switch 245: ports 0-13 to hosts 216-229", "switch 253: ports 0-15 to switches 230-245"}},
        {"testbed",
         {"switch 35: ports 0-7 to hosts 24-31", "switch 36: ports 0-3 to switches 32-35"}},
        {"powertcp",
         {"switch 263: ports 0-31 to hosts 224-255",
          "switch 271: ports 0-1 to switches 262-263",
          "switch 275: ports 0-3 to switches 265, 267, 269, 271"}},
    };
    for (const auto& [name, expected] : lines)
    {
        const std::string text = DescribeTopology(HpccTopology::ByName(name));
        for (const auto& line : expected)
        {
            EXPECT_NE(text.find("\n" + line), std::string::npos) << name << ": " << line << "\n"
                                                                 << text;
        }
    }
}

TEST(TopologyDescription, ADrawingHasEachSwitchOnceAndTheHostsOfEach)
{
    const std::string svg = DrawTopology(HpccTopology::FatTree(4, {}));
    for (uint32_t node = 16; node < 36; ++node)
    {
        const std::string label = ">" + std::to_string(node) + "</text>";
        const auto first = svg.find(label);
        ASSERT_NE(first, std::string::npos) << node;
        EXPECT_EQ(svg.find(label, first + 1), std::string::npos) << node;
    }
    EXPECT_NE(svg.find(">14-15</text>"), std::string::npos);
    EXPECT_EQ(DrawTopology(HpccTopology::FatTree(16, {})), "") << "128 racks";
    EXPECT_NE(DrawTopology(HpccTopology::ByName("paper-fat-tree")), "");
}
