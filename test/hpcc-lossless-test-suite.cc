/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../examples/hpcc-soak/hpcc-soak-run.h"
#include "hpcc-test-seeds.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <set>
#include <sstream>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Map from DSCPs to priorities: DSCP n has priority n.
constexpr const char* PRIORITIES_BY_DSCP = "1:1,2:2,3:3,4:4,5:5,6:6,7:7";

/// Simulated time after which undelivered data is regarded as stuck, s.
constexpr double STUCK_SECONDS = 10;

/**
 * A random network with congestion at one or two hosts. A seed determines all of its properties.
 * Switches have so little shared memory that frames would be lost without PFC.
 */
class RandomIncast
{
  public:
    explicit RandomIncast(uint64_t seed)
        : m_random(seed)
    {
    }

    /// Builds the network and runs it.
    /// @return description of the faults; empty if there is none
    std::string Run()
    {
        Build();
        Load();
        Simulator::Stop(Seconds(STUCK_SECONDS));
        Simulator::Run();
        return Check();
    }

    /// @return pause intervals
    uint64_t GetPauses() const
    {
        return m_pauses;
    }

    /// @return frames sent over links
    uint64_t GetHops() const
    {
        return m_hops;
    }

  private:
    /// Returns a random number that is uniformly distributed from @p low to @p high.
    uint64_t Uniform(uint64_t low, uint64_t high)
    {
        return low + m_random() % (high - low + 1);
    }

    /**
     * Returns a random number from @p low to @p high whose logarithm is uniformly distributed.
     * @param low least number, at least 1
     * @param high greatest number
     */
    uint64_t LogUniform(uint64_t low, uint64_t high)
    {
        double u = static_cast<double>(m_random() >> 11) * 0x1p-53;
        double log = std::log(static_cast<double>(low)) +
                     u * std::log(static_cast<double>(high) / static_cast<double>(low));
        return static_cast<uint64_t>(std::lround(std::exp(log)));
    }

    /// Returns one of @p choices at random, all with equal probability.
    template <typename T>
    T OneOf(std::initializer_list<T> choices)
    {
        return choices.begin()[m_random() % choices.size()];
    }

    DataRate Rate()
    {
        return DataRate(OneOf<uint64_t>({10, 25, 40, 50, 100, 200, 400}) * 1000000000);
    }

    /// Returns a random topology, whose links have equal or individual rates and delays.
    HpccTopology Topology()
    {
        HpccTopology plan;
        switch (Uniform(0, 2))
        {
        case 0:
            plan = HpccTopology::Star(static_cast<uint32_t>(Uniform(3, 16)), {});
            break;
        case 1:
            plan = HpccTopology::Dumbbell(static_cast<uint32_t>(Uniform(1, 8)),
                                          static_cast<uint32_t>(Uniform(2, 8)),
                                          {});
            break;
        default:
            plan = HpccTopology::LeafSpine(static_cast<uint32_t>(Uniform(2, 4)),
                                           static_cast<uint32_t>(Uniform(1, 3)),
                                           static_cast<uint32_t>(Uniform(2, 5)),
                                           {});
        }
        bool alike = Uniform(0, 1);
        DataRate rate = Rate();
        Time delay = NanoSeconds(LogUniform(1, 10000));
        HpccTopology topology;
        for (uint32_t i = 0; i < plan.GetNodes(); ++i)
        {
            topology.AddNode(plan.IsSwitch(i));
        }
        for (const auto& link : plan.GetLinks())
        {
            topology.AddLink({link.a,
                              link.b,
                              alike ? rate : Rate(),
                              alike ? delay : NanoSeconds(LogUniform(1, 10000))});
        }
        return topology;
    }

    /// Chooses and installs everything except the traffic.
    void Build()
    {
        auto topology = Topology();
        uint32_t mtu = OneOf<uint32_t>({256, 1000, 1024, 4096, 8192});
        // The MTU is either large enough for headers and the telemetry of a few hops, or the
        // default for jumbo frames.
        m_deviceMtu = OneOf<uint32_t>({mtu + 320, 9216});
        m_lossless = static_cast<uint8_t>(Uniform(1, 255));
        m_fabric.SetDeviceAttribute("Mtu", UintegerValue(m_deviceMtu));
        m_fabric.SetDeviceAttribute("DscpToPriority", StringValue(PRIORITIES_BY_DSCP));
        m_fabric.SetDeviceAttribute("LosslessPriorities", UintegerValue(m_lossless));
        m_fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(Uniform(0, 3) > 0));
        // The pause time is between the shortest one that can be renewed in time and the longest
        // one that a PFC frame can request.
        m_fabric.SetDeviceAttribute("PauseQuanta", UintegerValue(LogUniform(320, 65535)));
        m_fabric.SetHostAttribute("Mtu", UintegerValue(mtu));
        m_fabric.SetHostAttribute("AckInterval", UintegerValue(OneOf<uint32_t>({1, 1, 4, 32})));
        m_fabric.SetHostAttribute("RetransmitTimeout", TimeValue(Seconds(2 * STUCK_SECONDS)));
        std::ostringstream ecn;
        uint64_t kmin = LogUniform(1000, 50000);
        ecn << "100Gbps:" << kmin << ":" << LogUniform(kmin, 4 * kmin) << ":0.5";
        m_fabric.SetEcnAttribute("Thresholds", StringValue(ecn.str()));
        uint64_t reserved = OneOf<uint64_t>({0, 2000, 4096});
        m_fabric.SetBufferAttribute("ReservedBytes", UintegerValue(reserved));
        m_fabric.SetBufferAttribute("Alpha",
                                    DoubleValue(std::ldexp(1, -static_cast<int>(Uniform(0, 7)))));
        m_fabric.SetBufferAttribute("ResumeOffset", UintegerValue(Uniform(0, 10000)));
        m_fabric.SetBufferAttribute(
            "BufferBytes",
            UintegerValue(HpccSoakRun::GetSetAside(topology, reserved, m_deviceMtu, m_lossless) +
                          LogUniform(1000, 300000)));
        m_fabric.Install(topology);
        m_fabric.AssignStreams(1);
        for (const auto& device : m_fabric.GetDevices())
        {
            device->TraceConnectWithoutContext("Drop", MakeCallback(&RandomIncast::Dropped, this));
        }
        for (uint32_t host : topology.GetHosts())
        {
            auto stack = m_fabric.GetHost(host);
            stack->SetAttribute("DataDscp", UintegerValue(LosslessPriority()));
            stack->SetAttribute("AckDscp", UintegerValue(LosslessPriority()));
            stack->SetAttribute("CnpDscp", UintegerValue(LosslessPriority()));
            stack->TraceConnectWithoutContext("MessageDelivered",
                                              MakeCallback(&RandomIncast::Delivered, this));
            stack->TraceConnectWithoutContext("MessageAcknowledged",
                                              MakeCallback(&RandomIncast::Acknowledged, this));
        }
    }

    /// Returns one of the lossless priorities.
    uint8_t LosslessPriority()
    {
        for (;;)
        {
            auto priority = static_cast<uint8_t>(Uniform(0, 7));
            if (m_lossless >> priority & 1)
            {
                return priority;
            }
        }
    }

    /// Plans the traffic: senders, and one or two receivers, which may be slow.
    void Load()
    {
        auto hosts = m_fabric.GetTopology().GetHosts();
        std::shuffle(hosts.begin(), hosts.end(), m_random);
        size_t receivers = hosts.size() > 3 ? Uniform(1, 2) : 1;
        for (size_t i = 0; i < receivers; ++i)
        {
            if (Uniform(0, 3) == 0)
            {
                SlowDown(m_fabric.GetHost(hosts[i])->GetPort());
            }
        }
        std::vector<HpccFabricHelper::PolicySpec> specs{HpccFabricHelper::MakePolicy("none"),
                                                        HpccFabricHelper::MakePolicy("dcqcn"),
                                                        HpccFabricHelper::MakePolicy("hpcc++")};
        size_t policy = Uniform(0, 3);
        uint64_t budget = LogUniform(200000, 1500000);
        uint64_t largest = 2 * budget / hosts.size();
        for (size_t i = receivers; i < hosts.size(); ++i)
        {
            const auto& spec = specs[policy < 3 ? policy : Uniform(0, 2)];
            uint32_t receiver = hosts[Uniform(0, receivers - 1)];
            for (uint64_t messages = Uniform(1, 3); messages > 0; --messages)
            {
                uint32_t qp = m_fabric.Connect(hosts[i], receiver, spec, 0, true);
                uint64_t bytes = Uniform(0, 1) ? largest : LogUniform(1, largest);
                m_fabric.AddMessage(hosts[i],
                                    qp,
                                    bytes,
                                    NanoSeconds(Uniform(0, 1) * Uniform(0, 50000)));
                m_posted.insert(bytes);
            }
        }
    }

    /// Makes a host process received frames at less than the line rate.
    /// @param port port of the host
    void SlowDown(QbbNetDevice& port)
    {
        uint64_t rate = port.GetRateBps();
        uint64_t threshold = LogUniform(1, 50000);
        uint64_t roundTrip =
            2 * static_cast<uint64_t>(port.GetQbbChannel()->GetDelayNs()) * rate / 8000000000 + 1;
        uint64_t headroom = roundTrip + 3 * (port.GetMaxFrameBytes() + 24) + 8 * 84;
        port.SetAttribute("ReceiveDrainRate",
                          DataRateValue(DataRate(rate * Uniform(20, 95) / 100)));
        port.SetAttribute("ReceivePauseThreshold", UintegerValue(threshold));
        port.SetAttribute("ReceiveResumeThreshold", UintegerValue(Uniform(0, threshold)));
        port.SetAttribute("ReceiveBuffer", UintegerValue(threshold + headroom));
    }

    void Dropped(Ptr<const Packet>, DropReason reason)
    {
        m_dropReasons.insert(ToString(reason));
    }

    void Delivered(const RdmaMessageRecord& record)
    {
        m_delivered.insert(record.bytes);
    }

    void Acknowledged(const RdmaMessageRecord&)
    {
        ++m_acknowledged;
    }

    /// Returns a description of the faults in the state of the network after the end of all
    /// transmissions; empty if there is none.
    std::string Check()
    {
        std::ostringstream wrong;
        if (m_delivered != m_posted)
        {
            wrong << m_delivered.size() << " of " << m_posted.size() << " messages delivered; ";
        }
        if (m_acknowledged != m_posted.size())
        {
            wrong << m_acknowledged << " of " << m_posted.size() << " messages acknowledged; ";
        }
        for (const auto& reason : m_dropReasons)
        {
            wrong << "drops: " << reason << "; ";
        }
        for (const auto& device : m_fabric.GetDevices())
        {
            m_pauses += device->GetPauses();
            m_hops += device->GetTxFrames();
            if (device->GetDrops() != 0)
            {
                wrong << device->GetDrops() << " drops; ";
            }
            if (device->GetPauses() != device->GetPausesEnded())
            {
                wrong << device->GetPauses() - device->GetPausesEnded() << " pauses open; ";
            }
            if (device->GetQueueBytes() != 0)
            {
                wrong << device->GetQueueBytes() << " bytes queued; ";
            }
        }
        const auto& topology = m_fabric.GetTopology();
        for (uint32_t node = 0; node < topology.GetNodes(); ++node)
        {
            auto agenda = NodeAgenda::Of(m_fabric.GetNodes().Get(node));
            if (agenda->Frames().GetOutstanding() != 0)
            {
                wrong << agenda->Frames().GetOutstanding() << " frames of node " << node << "; ";
            }
            if (topology.IsSwitch(node))
            {
                if (!m_fabric.GetSwitch(node)->GetBuffer()->IsEmpty())
                {
                    wrong << "buffer of switch " << node << " not empty; ";
                }
            }
            else
            {
                auto host = m_fabric.GetHost(node);
                uint64_t again = host->GetTimeouts() + host->GetNaksSent();
                if (again != 0)
                {
                    wrong << "host " << node << " sent again what was not lost; ";
                }
            }
        }
        return wrong.str();
    }

    std::mt19937_64 m_random;            ///< source of all random choices
    HpccFabricHelper m_fabric;           ///< the network
    uint32_t m_deviceMtu{0};             ///< MTU of every device
    uint8_t m_lossless{0};               ///< lossless priorities
    std::multiset<uint64_t> m_posted;    ///< sizes of messages
    std::multiset<uint64_t> m_delivered; ///< sizes of messages that arrived
    uint64_t m_acknowledged{0};          ///< messages acknowledged
    std::set<std::string> m_dropReasons; ///< reasons that the trace source Drop has reported
    uint64_t m_pauses{0};                ///< pause intervals
    uint64_t m_hops{0};                  ///< frames sent over links
};

class RandomIncastsTestCase : public TestCase
{
  public:
    RandomIncastsTestCase()
        : TestCase(
              "in randomised lossless incasts nothing is dropped, nothing is stuck, every byte "
              "is delivered once, every pause ends, and every buffer is empty in the end")
    {
    }

  private:
    void DoRun() override
    {
        const auto [first, runs] = ChooseRuns(FullOrShort(1000, 100));
        uint64_t paused = 0;
        uint64_t pauses = 0;
        uint64_t hops = 0;
        for (uint64_t seed = first; seed < first + runs; ++seed)
        {
            std::string wrong;
            {
                RandomIncast incast(seed);
                wrong = incast.Run();
                paused += incast.GetPauses() > 0;
                pauses += incast.GetPauses();
                hops += incast.GetHops();
            }
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_EQ(wrong, "", "HPCC_TEST_SEED=" << seed << " HPCC_TEST_RUNS=1");
        }
        std::cout << "hpcc-lossless: seeds " << first << " to " << first + runs - 1 << ", " << hops
                  << " packet-hops, " << pauses << " pauses in " << paused << " of " << runs
                  << " runs" << std::endl;
        if (runs >= 20)
        {
            NS_TEST_EXPECT_MSG_GT(paused, runs * 6 / 10, "runs in which PFC was needed");
        }
    }
};

/// Tests flow control between two hosts whose links have different rates in the two directions.
class UnequalDirectionsTestCase : public TestCase
{
  public:
    /**
     * @param slowHost true if the receiving host drains slowly, false if its link is slow
     * @param name the sentence that the case proves
     */
    UnequalDirectionsTestCase(bool slowHost, const std::string& name)
        : TestCase(name),
          m_slowHost(slowHost)
    {
    }

  private:
    void DoRun() override
    {
        const DataRate fast("100Gbps");
        const DataRate slow("5Gbps");
        HpccTopology topology;
        for (bool isSwitch : {false, false, true})
        {
            topology.AddNode(isSwitch);
        }
        // The port that pauses its neighbour receives data at the high rate and sends PFC frames at
        // the low rate.
        if (m_slowHost)
        {
            topology.AddLink({0, 2, fast, MicroSeconds(1)});
            topology.AddLink({1, 2, slow, MicroSeconds(1), 0, fast});
        }
        else
        {
            topology.AddLink({0, 2, fast, MicroSeconds(10), 0, slow});
            topology.AddLink({1, 2, DataRate("10Gbps"), MicroSeconds(1)});
        }
        HpccFabricHelper fabric;
        fabric.SetBufferAttribute("BufferBytes", UintegerValue(m_slowHost ? 32 << 20 : 4 << 20));
        fabric.Install(topology);
        fabric.AssignStreams(1);
        if (m_slowHost)
        {
            // The host needs 320 us to process 400 KB. At 100 Gb/s, a pause lasts 61 us.
            QbbNetDevice& port = fabric.GetHost(1)->GetPort();
            port.SetAttribute("PauseQuanta", UintegerValue(12000));
            port.SetAttribute("ReceiveDrainRate", StringValue("10Gbps"));
            port.SetAttribute("ReceivePauseThreshold", UintegerValue(500000));
            port.SetAttribute("ReceiveResumeThreshold", UintegerValue(100000));
            port.SetAttribute("ReceiveBuffer", UintegerValue(1000000));
        }
        const uint32_t queuePair = fabric.Connect(0, 1, HpccFabricHelper::MakePolicy("none"));
        fabric.AddMessage(0, queuePair, 5'000'000, Seconds(0));
        fabric.EndAt(MilliSeconds(10));
        Simulator::Run();
        uint64_t drops = 0;
        uint64_t pauses = 0;
        for (const auto& device : fabric.GetDevices())
        {
            drops += device->GetDrops();
            pauses += device->GetPauses();
        }
        NS_TEST_EXPECT_MSG_EQ(drops, 0, "drops");
        NS_TEST_EXPECT_MSG_GT(pauses, 0, "pauses");
        Simulator::Destroy();
    }

    bool m_slowHost; ///< true if the receiving host drains slowly, false if its link is slow
};

/// Tests that lossless networks do not lose frames.
class HpccLosslessTestSuite : public TestSuite
{
  public:
    HpccLosslessTestSuite()
        : TestSuite("hpcc-lossless", Type::SYSTEM)
    {
        AddTestCase(new RandomIncastsTestCase);
        AddTestCase(new UnequalDirectionsTestCase(
            true,
            "a host whose link is slow towards the switch pauses it without a gap"));
        AddTestCase(new UnequalDirectionsTestCase(
            false,
            "a switch has headroom for a host that sends faster than the switch sends to it"));
    }
};

/// Registers the suite.
HpccLosslessTestSuite g_hpccLosslessTestSuite;

} // namespace
