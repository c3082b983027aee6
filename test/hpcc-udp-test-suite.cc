/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-bottleneck.h"
#include "hpcc-test-udp.h"

#include "ns3/config.h"
#include "ns3/hpcc-frame-codec.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-udp-probe-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t PROBE_DSCP = 21;
constexpr uint8_t ANSWER_DSCP = 22;
constexpr uint32_t UDP_PAYLOAD = 28; ///< offset of the UDP payload in an IPv4 packet, bytes

/// Returns Jain's fairness index of @p rates.
double
Jain(const std::vector<double>& rates)
{
    double sum = 0;
    double squares = 0;
    for (double rate : rates)
    {
        sum += rate;
        squares += rate * rate;
    }
    return sum * sum / (static_cast<double>(rates.size()) * squares);
}

class ProbesTestCase : public UdpTestCase
{
  public:
    explicit ProbesTestCase(bool ipv6)
        : UdpTestCase(std::string("an incast of HPCC++ UDP in ") + (ipv6 ? "IPv6" : "IPv4") +
                      " keeps its queue short by probes that neither IP nor applications see, and "
                      "datagrams carry nothing"),
          m_ipv6(ipv6)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 8;
        constexpr uint64_t bytes = 1000005;
        m_net.Make(HpccTopology::Star(senders + 1, FAST));
        IncastWatch watch;
        watch.Watch(m_net.fabric);
        watch.leaving = [this](const Frame& frame) { Leaving(frame); };
        for (uint32_t i = 0; i < senders; ++i)
        {
            m_net.Add(i, senders, bytes, MicroSeconds(10), m_ipv6);
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        uint64_t probes = 0;
        for (uint32_t i = 0; i < senders; ++i)
        {
            const auto& sender = *m_net.senders[i];
            NS_TEST_EXPECT_MSG_EQ(sender.HasFinished(), true, "end of flow " << i);
            NS_TEST_EXPECT_MSG_EQ(sender.GetWindow().GetReceived(), bytes, "bytes known to arrive");
            NS_TEST_EXPECT_MSG_EQ(sender.GetWindow().GetLost(), 0, "bytes lost");
            // The flow has 999 full datagrams and two datagrams for the remaining bytes, because a
            // datagram must contain at least a SeqTsHeader.
            NS_TEST_EXPECT_MSG_EQ(m_net.servers[i]->GetReceived(), 1001, "datagrams of flow " << i);
            NS_TEST_EXPECT_MSG_EQ(m_net.servers[i]->GetLost(), 0, "as the server counts");
            const auto& counters = m_net.NicOf(i)->GetCounters();
            NS_TEST_EXPECT_MSG_GT(counters.probesSent, 20, "probes of flow " << i);
            NS_TEST_EXPECT_MSG_EQ(counters.answersReceived, counters.probesSent, "answers");
            NS_TEST_EXPECT_MSG_EQ(counters.ignored + counters.unknownLinks, 0, "ignored");
            probes += counters.probesSent;
        }
        NS_TEST_EXPECT_MSG_EQ(m_net.NicOf(senders)->GetCounters().probesReceived,
                              probes,
                              "probes received");
        NS_TEST_EXPECT_MSG_EQ(watch.collecting, probes, "probes at the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(watch.strange, 0, "probes without a flow's hash or telemetry");
        NS_TEST_EXPECT_MSG_EQ(m_unmarked, 0, "probes without their DSCP");
        NS_TEST_EXPECT_MSG_EQ(m_data, senders * 1001, "bare datagrams at the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(watch.marked, 0, "probes and answers that reached ns-3's IP");
        NS_TEST_EXPECT_MSG_LT(watch.latePeak, watch.peak / 4, "longest queue after 200 us");
    }

    void Leaving(const Frame& frame)
    {
        if (frame.format)
        {
            m_unmarked += frame.tos >> 2 != PROBE_DSCP;
        }
        else if (frame.kind == Frame::Kind::IP && frame.protocol == 17)
        {
            const uint32_t headers =
                UDP_PAYLOAD + (m_ipv6 ? IPV6_HEADER_BYTES - IPV4_HEADER_BYTES : 0);
            m_data += frame.tos == 0 && frame.packet->GetSize() <= headers + 1000 &&
                      frame.packet->GetSize() >= headers + 12;
        }
    }

    bool m_ipv6;            ///< true for IPv6
    uint64_t m_unmarked{0}; ///< number of probes without the DSCP of probes
    uint64_t m_data{0};     ///< number of datagrams at the bottleneck
};

class BytesTestCase : public UdpTestCase
{
  public:
    BytesTestCase()
        : UdpTestCase("a probe says what was sent before it, its answer what of that was received, "
                      "and one is out at a time")
    {
    }

  private:
    void DoRun() override
    {
        m_net.Make(HpccTopology::Star(2, FAST));
        m_net.Add(0, 1, 300000);
        m_net.fabric.GetHost(0)->GetPort().TraceConnectWithoutContext(
            "Transmit",
            MakeCallback(&BytesTestCase::Sent, this));
        m_net.fabric.GetHost(1)->GetPort().TraceConnectWithoutContext(
            "Transmit",
            MakeCallback(&BytesTestCase::Answered, this));
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_sent, 300000, "bytes sent");
        NS_TEST_EXPECT_MSG_GT(m_numbers, 4, "probes");
        NS_TEST_EXPECT_MSG_EQ(m_answers, m_numbers, "answers");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "wrong bytes");
        NS_TEST_EXPECT_MSG_EQ(m_last, 300000, "the last answer settles all");
    }

    /**
     * Reads the probe header of a UDP frame.
     * @param frame frame to read
     * @param header set to the probe header on success
     * @param behind set to the bytes after the header
     */
    static bool Read(const Frame& frame, HpccUdpProbeHeader& header, std::vector<uint8_t>& behind)
    {
        std::vector<uint8_t> bytes(frame.packet->GetSize());
        frame.packet->CopyData(bytes.data(), bytes.size());
        behind.assign(bytes.begin() + UDP_PAYLOAD, bytes.end());
        const size_t used = header.Deserialize(behind.data(), behind.size());
        behind.erase(behind.begin(), behind.begin() + static_cast<ptrdiff_t>(used));
        return used > 0;
    }

    void Sent(int64_t, const Frame& frame)
    {
        if (frame.tos >> 2 != PROBE_DSCP)
        {
            m_sent += frame.packet->GetSize() - UDP_PAYLOAD;
            return;
        }
        HpccUdpProbeHeader header;
        std::vector<uint8_t> behind;
        m_wrong += !Read(frame, header, behind) || header.kind != HpccUdpProbeHeader::PROBE ||
                   header.number != m_numbers || header.bytes != m_sent || !behind.empty();
        m_wrong += m_numbers != m_answers; // the previous probe must have been answered
        m_wrong += FrameCodec::Encode(frame, Mac48Address(), Mac48Address()).size() != frame.bytes;
        m_asked = header.bytes;
        ++m_numbers;
    }

    void Answered(int64_t, const Frame& frame)
    {
        HpccUdpProbeHeader header;
        std::vector<uint8_t> behind;
        HpccReflectionHeader reflection;
        m_wrong += frame.tos >> 2 != ANSWER_DSCP || !Read(frame, header, behind) ||
                   header.kind != HpccUdpProbeHeader::ANSWER || header.number != m_answers ||
                   header.bytes != m_asked ||
                   reflection.Deserialize(behind.data(), behind.size()) == 0 ||
                   reflection.hops != 1 || frame.format;
        m_last = header.bytes;
        ++m_answers;
    }

    uint64_t m_sent{0};    ///< payload of datagrams sent
    uint64_t m_asked{0};   ///< snd_nxt of the last probe
    uint64_t m_last{0};    ///< byte number in the last answer
    uint32_t m_numbers{0}; ///< number of probes
    uint32_t m_answers{0}; ///< number of answers
    uint32_t m_wrong{0};   ///< number of faults
};

class SpacingTestCase : public UdpTestCase
{
  public:
    SpacingTestCase()
        : UdpTestCase("a host keeps its spacing of probes, its flows take turns, and the link is "
                      "full all the same")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t flows = 8;
        constexpr int64_t spacingNs = 5000;
        m_net.udp.SetNicAttribute("ProbeSpacing", TimeValue(NanoSeconds(spacingNs)));
        m_net.Make(HpccTopology::Star(flows + 1, FAST));
        for (uint32_t i = 0; i < flows; ++i)
        {
            m_net.Add(0, 1 + i, 0);
        }
        m_net.NicOf(0)->TraceConnectWithoutContext("ProbeSent",
                                                   MakeCallback(&SpacingTestCase::ProbeSent, this));
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_shortestNs, spacingNs, "shortest time between probes");
        NS_TEST_EXPECT_MSG_GT(m_probes, 180, "probes");
        NS_TEST_EXPECT_MSG_EQ(m_ports.size(), flows, "flows that probe");
        uint64_t received = 0;
        for (uint32_t i = 0; i < flows; ++i)
        {
            received += m_net.servers[i]->GetReceived() * 1000;
            NS_TEST_EXPECT_MSG_GT(m_ports[5000 + i] + 3, m_probes / flows, "turns of flow " << i);
        }
        NS_TEST_EXPECT_MSG_GT(received * 8 / 1000000, 75, "Gb/s of all");
    }

    void ProbeSent(uint16_t, uint16_t remotePort, uint64_t, int64_t nowNs)
    {
        m_shortestNs = m_probes ? std::min(m_shortestNs, nowNs - m_lastNs) : m_shortestNs;
        m_lastNs = nowNs;
        ++m_probes;
        ++m_ports[remotePort];
    }

    int64_t m_shortestNs{INT64_MAX};      ///< shortest time between two probes
    int64_t m_lastNs{0};                  ///< time at which the last probe was sent, ns
    uint64_t m_probes{0};                 ///< number of probes
    std::map<uint16_t, uint64_t> m_ports; ///< number of probes by remote port
};

/// Results of an incast.
struct Outcome
{
    HpccSummary summary; ///< results of the monitor
    double goodputGbps;  ///< goodput in the settled interval, Gb/s
    double jain;         ///< Jain's index in the settled interval
};

/// An incast of 32 MB in total, either over RDMA with telemetry in every packet or over UDP.
class Incast
{
  public:
    /// @param senders number of senders, at most 16
    explicit Incast(uint32_t senders)
        : m_senders(senders),
          m_bytes(32000000 / senders)
    {
    }

    /**
     * Runs the incast.
     * @param inFlight value of HpccUdpApplication::InFlight; empty to run RDMA instead
     * @param packetBytes payload of a datagram
     * @return results of the run
     */
    Outcome Run(const std::string& inFlight, uint32_t packetBytes = 1000)
    {
        UdpNetwork net;
        net.udp.SetPacketSize(packetBytes);
        if (!inFlight.empty())
        {
            net.udp.SetAttribute("InFlight", StringValue(inFlight));
        }
        net.internet.SetIpv6(false);
        net.Make(HpccTopology::Star(m_senders + 1, FAST));
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < m_senders; ++i)
        {
            flows.push_back({i, m_senders, m_bytes, 10000, 0, 0});
            if (inFlight.empty())
            {
                flows.back().queuePair =
                    net.fabric.Connect(i, m_senders, HpccFabricHelper::MakePolicy("hpcc++"));
                net.fabric.AddMessage(i, flows.back().queuePair, m_bytes, MicroSeconds(10));
            }
        }
        m_settleNs = 10000 + 60 * net.fabric.GetNetworkBaseRttNs();
        HpccMonitor monitor(net.fabric, flows, m_settleNs);
        m_monitor = &monitor;
        if (inFlight.empty())
        {
            net.fabric.GetHost(m_senders)->TraceConnectWithoutContext(
                "Received",
                MakeCallback(&Incast::RdmaReceived, this));
        }
        for (uint32_t i = 0; i < m_senders && !inFlight.empty(); ++i)
        {
            net.Add(i, m_senders, m_bytes);
            net.servers[i]->TraceConnectWithoutContext(
                "RxWithAddresses", // the arguments of "Rx" depend on the version of ns-3
                MakeBoundCallback(&Incast::UdpReceived, this, i));
        }
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        Outcome outcome{monitor.Summarize(), 0, 0};
        std::vector<double> bytes(m_settled.begin(), m_settled.begin() + m_senders);
        double sum = 0;
        for (double one : bytes)
        {
            sum += one;
        }
        outcome.goodputGbps = sum * 8 / static_cast<double>(m_endNs - m_settleNs);
        outcome.jain = Jain(bytes);
        net.senders.clear();
        net.servers.clear();
        Simulator::Destroy();
        Config::Reset();
        return outcome;
    }

  private:
    void RdmaReceived(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes)
    {
        Received(qp.peer & 0xff, nowNs, bytes, false);
    }

    static void UdpReceived(Incast* incast,
                            uint32_t flow,
                            Ptr<const Packet> packet,
                            const Address&,
                            const Address&)
    {
        incast->Received(flow, Simulator::Now().GetNanoSeconds(), packet->GetSize(), true);
    }

    void Received(uint32_t flow, int64_t nowNs, uint32_t bytes, bool tell)
    {
        if (tell)
        {
            m_monitor->NoteReceived(flow, nowNs, bytes);
        }
        m_received[flow % m_senders] += bytes;
        if (!m_over && nowNs >= m_settleNs)
        {
            m_settled[flow % m_senders] += bytes;
            m_endNs = nowNs;
        }
        if (m_received[flow % m_senders] == m_bytes)
        {
            m_over = true;
            if (tell)
            {
                m_monitor->NoteFinished(flow, nowNs);
            }
        }
    }

    uint32_t m_senders;              ///< number of senders
    uint64_t m_bytes;                ///< payload of a flow
    HpccMonitor* m_monitor{nullptr}; ///< monitor of the run
    int64_t m_settleNs{0};           ///< start of the measurement, ns
    int64_t m_endNs{0};              ///< end of the measurement, ns
    bool m_over{false};              ///< true if a flow has finished
    std::vector<uint64_t> m_received = std::vector<uint64_t>(16, 0); ///< payload received, bytes,
                                                                     ///< by flow
    std::vector<uint64_t> m_settled = std::vector<uint64_t>(16, 0);  ///< payload received during
                                                                     ///< the measurement, bytes, by
                                                                     ///< flow
};

class OutcomeTestCase : public TestCase
{
  public:
    OutcomeTestCase()
        : TestCase("in a 16:1 incast UDP has the queue and the fairness of RDMA with telemetry in "
                   "every packet, and 95 % of its goodput; alone it has more, and "
                   "under two thirds of that with a window against bytes settled")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome rdma = Show("16 flows, RDMA", Incast(16).Run(""));
        const Outcome udp = Show("16 flows, UDP", Incast(16).Run("Presumed"));
        NS_TEST_EXPECT_MSG_EQ(udp.summary.flowsFinished, 16, "flows finished");
        NS_TEST_EXPECT_MSG_EQ(udp.summary.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_LT(udp.summary.queueP99Bytes,
                              rdma.summary.queueP99Bytes + 3000,
                              "99th percentile of the queue");
        NS_TEST_EXPECT_MSG_GT(udp.goodputGbps, 0.95 * rdma.goodputGbps, "goodput");
        NS_TEST_EXPECT_MSG_GT(udp.jain, rdma.jain - 0.02, "Jain's index");
        const Outcome large =
            Show("16 flows, UDP, datagrams of 4000 bytes", Incast(16).Run("Presumed", 4000));
        NS_TEST_EXPECT_MSG_GT(large.goodputGbps,
                              0.9 * udp.goodputGbps,
                              "goodput with less than a datagram per round trip and flow");
        const Outcome alone = Show("1 flow, RDMA", Incast(1).Run(""));
        const Outcome presumed = Show("1 flow, UDP", Incast(1).Run("Presumed"));
        const Outcome settled = Show("1 flow, UDP, settled", Incast(1).Run("Settled"));
        NS_TEST_EXPECT_MSG_GT(presumed.goodputGbps, alone.goodputGbps, "goodput alone");
        NS_TEST_EXPECT_MSG_LT(settled.goodputGbps,
                              0.65 * presumed.goodputGbps,
                              "goodput of a window against bytes settled");
        NS_TEST_EXPECT_MSG_LT(presumed.summary.queueP99Bytes, 5000, "queue alone");
    }

    static const Outcome& Show(const std::string& name, const Outcome& outcome)
    {
        std::cout << "hpcc-udp: " << name << ": p99 " << outcome.summary.queueP99Bytes
                  << " bytes, peak " << outcome.summary.queuePeakBytes << " bytes, goodput "
                  << outcome.goodputGbps << " Gb/s, Jain " << outcome.jain << "\n";
        return outcome;
    }
};

/// Tests datagrams and probes that arrive at a host that is not their destination.
class MisroutedTestCase : public UdpTestCase
{
  public:
    MisroutedTestCase()
        : UdpTestCase("a datagram or probe for another host is dropped as such: neither answered "
                      "nor forwarded")
    {
    }

  private:
    void DoRun() override
    {
        m_net.Make(HpccTopology::Star(3, {}));
        const uint32_t destination = HpccFabricHelper::GetAddress(1);
        const auto hub = m_net.fabric.GetSwitch(3);
        hub->ScheduleRoutes(10000, {{destination, {2}}});
        hub->ScheduleRoutes(20000, {{destination, {1}}});
        m_net.Add(0, 1, 300000);
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        const QbbNetDevice& wrong = m_net.fabric.GetHost(2)->GetPort();
        NS_TEST_EXPECT_MSG_GT(wrong.GetDrops(DropReason::WRONG_ADDRESS), 0, "counted");
        NS_TEST_EXPECT_MSG_EQ(wrong.GetTxFrames(), 0, "sent by the host that they reached");
        NS_TEST_EXPECT_MSG_EQ(m_net.NicOf(2)->GetCounters().probesReceived,
                              0,
                              "probes for another host");
        NS_TEST_EXPECT_MSG_GT(m_net.servers.front()->GetReceived(), 0, "later ones arrive");
    }
};

class HpccUdpTestSuite : public TestSuite
{
  public:
    HpccUdpTestSuite()
        : TestSuite("hpcc-udp", Type::SYSTEM)
    {
        AddTestCase(new ProbesTestCase(false));
        AddTestCase(new ProbesTestCase(true));
        AddTestCase(new BytesTestCase);
        AddTestCase(new SpacingTestCase);
        AddTestCase(new OutcomeTestCase);
        AddTestCase(new MisroutedTestCase);
    }
};

HpccUdpTestSuite g_hpccUdpTestSuite; ///< the suite

} // namespace
