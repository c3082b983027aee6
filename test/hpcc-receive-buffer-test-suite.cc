/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests the receive buffers of hosts that process frames more slowly than they arrive.

#include "hpcc-test-network.h"
#include "hpcc-test-refusal.h"

#include "ns3/hpcc-fabric-helper.h"

#include <string>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests a host that processes frames more slowly than they arrive from its switch.
class ReceiveBufferTestCase : public NetworkTestCase
{
  public:
    explicit ReceiveBufferTestCase(bool pfc)
        : NetworkTestCase(pfc ? "a host that drains at half the line rate pauses its switch, "
                                "loses nothing and takes frames at exactly its rate"
                              : "without PFC a host that drains too slowly drops what does not "
                                "fit, with the reason"),
          m_pfc(pfc)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t frames = 2000;
        m_device.Set("PfcEnabled", BooleanValue(m_pfc));
        MakeStar(2, "8Gbps", NanoSeconds(500));
        Ptr<QbbNetDevice> slow = m_ports[1];
        slow->SetAttribute("ReceiveDrainRate", StringValue("4Gbps"));
        slow->SetAttribute("ReceivePauseThreshold", UintegerValue(50000));
        slow->SetAttribute("ReceiveResumeThreshold", UintegerValue(40000));
        // The headroom is 1000 bytes for the delay of the link in both directions, three frames,
        // and a PFC frame.
        slow->SetAttribute("ReceiveBuffer", UintegerValue(50000 + 1000 + 3 * 1000 + 84));
        uint64_t dropped = 0;
        slow->TraceConnectWithoutContext("Drop",
                                         MakeCallback(&ReceiveBufferTestCase::Dropped, this));
        m_hosts[0]->toPull[3] = frames;
        m_ports[0]->Kick(0);
        Simulator::Run();
        const auto& arrivals = m_hosts[1]->arrivals;
        dropped = slow->GetDrops(DropReason::RECEIVE_BUFFER);
        NS_TEST_ASSERT_MSG_EQ(slow->GetDrops(), dropped, "no other reason");
        NS_TEST_ASSERT_MSG_EQ(m_traced, dropped, "every drop is traced");
        NS_TEST_ASSERT_MSG_EQ(arrivals.size() + dropped, frames, "conservation of frames");
        NS_TEST_ASSERT_MSG_EQ(GetOutstandingFrames(), 0, "frames still held");
        for (size_t i = 1; i < arrivals.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(arrivals[i].atNs - arrivals[i - 1].atNs,
                                  2000,
                                  "1000 bytes at 4 Gb/s, never idle");
        }
        uint64_t pauses = m_switch->GetPorts()[1]->GetPauses();
        NS_TEST_ASSERT_MSG_EQ(m_switch->GetPorts()[1]->GetPausesEnded(), pauses, "pauses closed");
        if (m_pfc)
        {
            NS_TEST_ASSERT_MSG_EQ(dropped, 0, "drops");
            NS_TEST_ASSERT_MSG_GT(pauses, 10, "the switch was paused");
        }
        else
        {
            // A frame arrives every 1024 byte times, and the host processes a frame every 2000 byte
            // times. Frames for which the buffer has no memory are dropped.
            double expected = frames * (1 - 1024.0 / 2000) - 54084.0 / 1000;
            NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(dropped), expected, 2, "drops");
            NS_TEST_ASSERT_MSG_EQ(pauses, 0, "pauses");
        }
    }

    void Dropped(Ptr<const Packet>, DropReason reason)
    {
        m_traced += reason == DropReason::RECEIVE_BUFFER;
    }

    bool m_pfc;           ///< attribute PfcEnabled
    uint64_t m_traced{0}; ///< number of drops that the trace source has reported
};

class SwitchHasNoReceiveBufferTestCase : public NetworkTestCase
{
  public:
    SwitchHasNoReceiveBufferTestCase()
        : NetworkTestCase("ReceiveDrainRate set for all devices is about hosts: a switch's ports "
                          "have no receive buffer")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("ReceiveDrainRate", StringValue("4Gbps"));
        MakeStar(2, "8Gbps", NanoSeconds(500));
        Send(0, FrameSpec{});
        Simulator::Run();
        // The frame crosses two links. Then the host processes its 1000 bytes at 4 Gb/s.
        NS_TEST_ASSERT_MSG_EQ(m_hosts[1]->arrivals.at(0).atNs,
                              2 * (1000 + ETHERNET_OVERHEAD_BYTES + 500) + 2000,
                              "time through one receive buffer");
    }
};

class ReceiveThresholdsTestCase : public NetworkTestCase
{
  public:
    ReceiveThresholdsTestCase()
        : NetworkTestCase("a host that drains slowly needs a pause threshold below its buffer and "
                          "a resume threshold not above that, unless nothing is lossless")
    {
    }

  private:
    /// Returns the message with which a host refuses its thresholds; empty if it accepts them.
    std::string WhyNot(uint64_t buffer, uint64_t pause, uint64_t resume, bool pfc = true) const
    {
        auto port = CreateObject<QbbNetDevice>();
        CreateObject<Node>()->AddDevice(port);
        port->SetAttribute("PfcEnabled", BooleanValue(pfc));
        port->SetAttribute("ReceiveDrainRate", StringValue("4Gbps"));
        port->SetAttribute("ReceiveBuffer", UintegerValue(buffer));
        port->SetAttribute("ReceivePauseThreshold", UintegerValue(pause));
        port->SetAttribute("ReceiveResumeThreshold", UintegerValue(resume));
        return RefusalOf([&port] { port->Initialize(); });
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(WhyNot(10001, 10000, 10000), "", "the limits");
        NS_TEST_EXPECT_MSG_EQ(WhyNot(10000, 10000, 10000),
                              "ns3::QbbNetDevice::ReceivePauseThreshold is 10000, allowed is less "
                              "than 10000, ns3::QbbNetDevice::ReceiveBuffer",
                              "the buffer is full at the threshold");
        NS_TEST_EXPECT_MSG_EQ(WhyNot(10001, 9999, 10000),
                              "ns3::QbbNetDevice::ReceiveResumeThreshold is 10000, allowed is at "
                              "most 9999, ns3::QbbNetDevice::ReceivePauseThreshold",
                              "a pause that may end at once");
        NS_TEST_EXPECT_MSG_EQ(WhyNot(10000, 20000, 30000, false), "", "nothing pauses");
    }
};

/// Tests that the headroom of a receive buffer covers the round trip on the link.
class ReceiveHeadroomTestCase : public NetworkTestCase
{
  public:
    ReceiveHeadroomTestCase()
        : NetworkTestCase("a host whose receive buffer cannot hold what arrives before a pause "
                          "takes effect is refused, and the least buffer allowed loses nothing")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t least = 1000000 + 2188664; // the headroom: about 3 MB arrive at 400
                                                      // Gb/s, of which the host processes a quarter
        for (const uint64_t missing : {0, 1})
        {
            HpccFabricHelper fabric;
            fabric.SetBufferAttribute("BufferBytes", UintegerValue(128 << 20));
            const DataRate rate("400Gbps");
            fabric.Install(HpccTopology::Star(3, {rate, rate, MicroSeconds(30)}));
            QbbNetDevice& port = fabric.GetHost(2)->GetPort();
            port.SetAttribute("ReceiveDrainRate", StringValue("100Gbps"));
            port.SetAttribute("ReceivePauseThreshold", UintegerValue(1000000));
            port.SetAttribute("ReceiveResumeThreshold", UintegerValue(500000));
            port.SetAttribute("ReceiveBuffer", UintegerValue(least - missing));
            const auto connect = [&fabric] {
                for (uint32_t sender : {0, 1})
                {
                    const uint32_t queuePair =
                        fabric.Connect(sender, 2, HpccFabricHelper::MakePolicy("none"));
                    fabric.AddMessage(sender, queuePair, 5'000'000, Seconds(0));
                }
            };
            NS_TEST_EXPECT_MSG_EQ(
                RefusalOf(connect),
                (missing ? "node 2: ns3::QbbNetDevice::ReceiveBuffer is 3188663, allowed is at "
                           "least 3188664: ns3::QbbNetDevice::ReceivePauseThreshold, 1000000, and "
                           "2188664 bytes that arrive before a pause takes effect"
                         : ""),
                "the limit");
            if (!missing)
            {
                fabric.EndAt(MilliSeconds(2));
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(port.GetDrops(), 0, "drops");
                NS_TEST_EXPECT_MSG_GT(fabric.GetDevice(3, 2)->GetPauses(), 0, "pauses");
            }
            const auto check = [&port] {
                port.SetAttribute("ReceiveBuffer", UintegerValue(2000000)); // too small, which is
                                                                            // refused during a run
                port.CheckSettings();
            };
            NS_TEST_EXPECT_MSG_NE(RefusalOf(check).find("round trip"),
                                  std::string::npos,
                                  "a port by itself knows the delay and the rates");
            Simulator::Destroy();
        }
    }
};

/// Tests the receive buffers of hosts.
class HpccReceiveBufferTestSuite : public TestSuite
{
  public:
    HpccReceiveBufferTestSuite()
        : TestSuite("hpcc-receive-buffer", Type::UNIT)
    {
        AddTestCase(new ReceiveBufferTestCase(true));
        AddTestCase(new ReceiveBufferTestCase(false));
        AddTestCase(new SwitchHasNoReceiveBufferTestCase);
        AddTestCase(new ReceiveThresholdsTestCase);
        AddTestCase(new ReceiveHeadroomTestCase);
    }
};

/// Registers the suite.
HpccReceiveBufferTestSuite g_hpccReceiveBufferTestSuite;

} // namespace
