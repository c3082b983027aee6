/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What does HPCC++ give ns-3's TCP and UDP, and iWARP (draft-miao-tsv-hpcc-01, sections 7 and 7.2),
// next to DCTCP, CUBIC and BBR? An incast, short flows that join a long one, or flows that join one
// after the other, made by ns-3's own applications.

#include "ns3/abort.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/hpcc-byte-stream.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-iwarp-target.h"
#include "ns3/hpcc-iwarp-writer.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>

using namespace ns3;

namespace
{

constexpr uint16_t FIRST_PORT = 10000;
constexpr int64_t SETTLE_RTTS = 30;

const std::string HPCC = "tcp-hpcc++";
const std::string UDP_HPCC = "udp-hpcc++";
const std::string IWARP_HPCC = "iwarp-hpcc++";
const std::string RDMA_HPCC = "hpcc++";
const std::string OPTION = "max-load"; ///< telemetry of --feedback=compact

/// HPCC++ of TCP.
const HpccExperiment::OtherPolicy TCP_HPCC{
    "ns3::TcpHpccPlusPlus",
    {"probe", "in-band", "compact", "compact:every-8", "compact:per-rtt", "compact:receiver"},
    "int-md:dscp",
    "",
    {{"compact", OPTION},
     {"compact:every-8", OPTION},
     {"compact:per-rtt", OPTION},
     {"compact:receiver", OPTION}}};

/// By name of --cc. DCTCP has K = 300 KB at 100 Gb/s, in proportion at other rates.
const std::map<std::string, HpccExperiment::OtherPolicy> POLICIES{
    {HPCC, TCP_HPCC},
    {IWARP_HPCC, TCP_HPCC},
    {UDP_HPCC, {"ns3::HpccUdpApplication", {"probe"}, "int-md:dscp", "", {}}},
    {"tcp-dctcp", {"ns3::TcpDctcp", {}, "none", "100Gbps:300000:300000:1"}},
    {"tcp-cubic", {"ns3::TcpCubic", {}, "none", ""}},
    {"tcp-bbr", {"ns3::TcpBbr", {}, "none", ""}}};

/// Attributes of the cards by name of --feedback.
const std::map<std::string, std::map<std::string, std::string>> FEEDBACKS{
    {"probe", {{"Feedback", "Probe"}}},
    {"in-band", {{"Feedback", "InBand"}}},
    {"compact", {{"Feedback", "Compact"}}},
    {"compact:every-8", {{"Feedback", "Compact"}, {"TagEvery", "8"}}},
    {"compact:per-rtt", {{"Feedback", "Compact"}, {"TagOncePerRtt", "true"}}},
    {"compact:receiver", {{"Feedback", "CompactReceiver"}}}};

/// What --scenario may be.
struct Kind
{
    uint32_t senders; ///< default of --senders
    uint64_t bytes;   ///< default of --bytes
};

const std::map<std::string, Kind> KINDS{{"incast", {16, 2000000}},
                                        {"long-short", {2, 20000000}},
                                        {"fairness", {4, 40000000}}};

/// All DSCPs of data, probes and answers in RDMA's priority, for --rdma.
const std::string ONE_PRIORITY = "0:3,21:3,22:3,23:3,24:3,26:3,48:6";

/// What options say of the flows.
struct Wishes
{
    bool ipv6;                               ///< --ipv6
    uint32_t rdma;                           ///< --rdma
    HpccFabricHelper::PolicySpec rdmaPolicy; ///< of those
};

/// The flows of a simulation.
class Flows
{
  public:
    /// @param fabric the network @param transport of the flows @param monitor told of what arrives
    /// @param wishes how
    Flows(HpccFabricHelper& fabric,
          const HpccExperiment::Transport& transport,
          HpccMonitor& monitor,
          const Wishes& wishes)
        : m_monitor(monitor),
          m_iwarp(transport.policy == IWARP_HPCC),
          m_received(monitor.GetFlows().size(), 0)
    {
        const auto& [policy, telemetry, feedback] = transport;
        const auto& [ipv6, rdma, rdmaPolicy] = wishes;
        m_internet.SetIpv6(ipv6);
        if (policy == UDP_HPCC)
        {
            m_internet.Install(fabric);
            m_udp = std::make_unique<HpccUdpHelper>();
            m_udp->SetTelemetry(telemetry.empty() ? POLICIES.at(policy).telemetry : telemetry);
            m_udp->Install(fabric);
        }
        else
        {
            InstallTcp(fabric, transport);
        }
        int64_t lastStartNs = 0;
        for (size_t i = 0; i < m_received.size(); ++i)
        {
            if (i + rdma < m_received.size())
            {
                Add(fabric, i, ipv6);
            }
            else
            {
                AddRdma(fabric, i, rdmaPolicy);
            }
            lastStartNs = std::max(lastStartNs, monitor.GetFlows()[i].startNs);
        }
        m_settleNs = lastStartNs + SETTLE_RTTS * fabric.GetNetworkBaseRttNs();
    }

    /// Add up what the ranks have, each for its own hosts. @param fabric the network
    void Merge(const HpccFabricHelper& fabric)
    {
        HpccByteStream mine;
        mine.Put(m_settled);
        mine.Put(m_endNs);
        for (const auto& queue : m_internet.GetQueues())
        {
            m_queues.push_back(*queue);
            mine.Put(m_queues.back());
        }
        if (!fabric.GetRanks())
        {
            return;
        }
        m_settled = 0;
        for (const std::string& bytes : fabric.GetRanks()->Exchange(mine.GetBytes()))
        {
            HpccByteStream theirs(bytes);
            m_settled += theirs.Get<uint64_t>();
            m_endNs = std::max(m_endNs, theirs.Get<int64_t>());
            for (auto& queue : m_queues)
            {
                // All but one rank never have anything in it.
                const auto other = theirs.Get<HpccInternetHelper::Queue>();
                queue = other.sinceNs > queue.sinceNs ? other : queue;
            }
        }
    }

    /// @return payload of all flows in Gb/s, from settling to the first completion
    double GetGoodputGbps() const
    {
        return m_endNs > m_settleNs
                   ? static_cast<double>(m_settled) * 8 / static_cast<double>(m_endNs - m_settleNs)
                   : 0;
    }

    /// @return payload that UDP has lost, bytes
    uint64_t GetLostBytes() const
    {
        uint64_t lost = 0;
        for (const auto& sender : m_udpSenders)
        {
            lost += sender->GetWindow().GetLost();
        }
        return lost;
    }

    /// @return what waits between stacks and ports
    const std::vector<HpccInternetHelper::Queue>& GetQueues() const
    {
        return m_queues;
    }

  private:
    void InstallTcp(HpccFabricHelper& fabric, const HpccExperiment::Transport& transport)
    {
        const auto& [policy, telemetry, feedback] = transport;
        Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                           StringValue(POLICIES.at(policy).className));
        m_internet.Install(fabric);
        HpccTcpHelper tcp;
        if (policy == HPCC || policy == IWARP_HPCC)
        {
            tcp.SetTelemetry(telemetry);
            for (const auto& [name, value] : FEEDBACKS.at(feedback))
            {
                tcp.SetNicAttribute(name, StringValue(value));
            }
            tcp.Install(fabric);
        }
        else
        {
            tcp.Tune(fabric);
        }
    }

    void Add(HpccFabricHelper& fabric, size_t i, bool ipv6)
    {
        const HpccFlowPlan& flow = m_monitor.GetFlows()[i];
        const auto port = static_cast<uint16_t>(FIRST_PORT + i);
        const Address to =
            ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(flow.destination),
                                              port))
                 : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(flow.destination),
                                             port));
        if (fabric.IsHere(flow.source))
        {
            AddSender(fabric.GetNodes().Get(flow.source), i, to);
        }
        if (fabric.IsHere(flow.destination))
        {
            AddReceiver(fabric.GetNodes().Get(flow.destination), i, to);
        }
    }

    void AddSender(Ptr<Node> node, size_t i, const Address& to)
    {
        const HpccFlowPlan& flow = m_monitor.GetFlows()[i];
        const Time start = NanoSeconds(flow.startNs);
        if (m_iwarp)
        {
            auto writer = CreateObject<HpccIwarpWriter>();
            writer->SetAttribute("Remote", AddressValue(to));
            writer->SetAttribute("MaxBytes", UintegerValue(flow.bytes));
            writer->TraceConnectWithoutContext("Closed", MakeBoundCallback(&Flows::ClosedBy, i));
            writer->SetStartTime(start);
            node->AddApplication(writer);
            return;
        }
        if (m_udp)
        {
            m_udpSenders.push_back(m_udp->Add(node, to, flow.bytes, start));
            m_udpSenders.back()->TraceConnectWithoutContext(
                "Finished",
                MakeBoundCallback(&Flows::FinishedBy, this, i));
            return;
        }
        BulkSendHelper bulk("ns3::TcpSocketFactory", to);
        bulk.SetAttribute("MaxBytes", UintegerValue(flow.bytes));
        bulk.SetAttribute("SendSize", UintegerValue(100000));
        bulk.Install(node).Start(start);
    }

    void AddRdma(HpccFabricHelper& fabric, size_t i, const HpccFabricHelper::PolicySpec& spec)
    {
        const HpccFlowPlan& flow = m_monitor.GetFlows()[i];
        const uint32_t queuePair = fabric.Connect(flow.source, flow.destination, spec);
        fabric.AddMessage(flow.source, queuePair, flow.bytes, NanoSeconds(flow.startNs));
        if (!m_rdma)
        {
            m_rdma = true;
            fabric.GetHost(flow.destination)
                ->TraceConnectWithoutContext("Received", MakeBoundCallback(&Flows::RdmaBy, this));
        }
    }

    /// Each host sends one flow, whose number is that of the host. The monitor sees RDMA itself.
    static void RdmaBy(Flows* flows, const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes)
    {
        const uint32_t flow = HpccFabricHelper::GetHostNumber(qp.peer);
        if (flows->Count(flow, bytes, nowNs))
        {
            flows->m_over = true;
        }
    }

    void AddReceiver(Ptr<Node> node, size_t i, const Address& to)
    {
        if (m_iwarp)
        {
            auto target = CreateObject<HpccIwarpTarget>();
            target->SetAttribute("Local", AddressValue(to));
            target->SetAttribute("RegionBytes", UintegerValue(m_monitor.GetFlows()[i].bytes));
            target->TraceConnectWithoutContext("Written",
                                               MakeBoundCallback(&Flows::WrittenBy, this, i));
            target->TraceConnectWithoutContext("Closed", MakeBoundCallback(&Flows::ClosedBy, i));
            node->AddApplication(target);
            return;
        }
        PacketSinkHelper sink(m_udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory", to);
        sink.Install(node).Get(0)->TraceConnectWithoutContext(
            "Rx",
            MakeBoundCallback(&Flows::ReceivedBy, this, i));
    }

    static void WrittenBy(Flows* flows, size_t flow, uint32_t, uint64_t, uint32_t bytes)
    {
        flows->Received(flow, bytes);
    }

    static void ClosedBy(size_t flow, HpccIwarpError error, int64_t nowNs)
    {
        NS_ABORT_MSG_UNLESS(error == HpccIwarpError::NONE,
                            "flow " << flow << ": iWARP ended at " << nowNs << " ns with "
                                    << ToString(error));
    }

    /// The sender of UDP knows that the rest is lost.
    static void FinishedBy(Flows* flows, size_t flow, uint64_t, uint64_t lostBytes, int64_t nowNs)
    {
        if (lostBytes > 0 && flows->m_received[flow] < flows->m_monitor.GetFlows()[flow].bytes)
        {
            flows->Finish(flow, nowNs);
        }
    }

    static void ReceivedBy(Flows* flows, size_t flow, Ptr<const Packet> packet, const Address&)
    {
        flows->Received(flow, packet->GetSize());
    }

    void Received(size_t flow, uint32_t bytes)
    {
        const int64_t nowNs = Simulator::Now().GetNanoSeconds();
        m_monitor.NoteReceived(flow, nowNs, bytes);
        if (Count(flow, bytes, nowNs))
        {
            Finish(flow, nowNs);
        }
    }

    /// @return true if all of it has come
    bool Count(size_t flow, uint32_t bytes, int64_t nowNs)
    {
        m_received[flow] += bytes;
        if (!m_over && nowNs >= m_settleNs)
        {
            m_settled += bytes;
            m_endNs = nowNs;
        }
        return m_received[flow] == m_monitor.GetFlows()[flow].bytes;
    }

    void Finish(size_t flow, int64_t nowNs)
    {
        m_over = true;
        m_monitor.NoteFinished(flow, nowNs);
    }

    HpccMonitor& m_monitor;                            ///< told of what arrives
    bool m_iwarp;                                      ///< RDMA over TCP
    HpccInternetHelper m_internet;                     ///< the stacks
    std::unique_ptr<HpccUdpHelper> m_udp;              ///< null for TCP
    std::vector<Ptr<HpccUdpApplication>> m_udpSenders; ///< of UDP
    bool m_rdma{false};                                ///< some flows are of RDMA
    std::vector<HpccInternetHelper::Queue> m_queues;   ///< after Merge(), by host
    std::vector<uint64_t> m_received;                  ///< payload by flow
    int64_t m_settleNs{0};                             ///< when goodput begins to count, ns
    int64_t m_endNs{0};                                ///< last receipt that counts, ns
    uint64_t m_settled{0};                             ///< payload that counts
    bool m_over{false};                                ///< a flow has finished
};

/// What cards have counted.
struct CardCounts
{
    uint64_t probes{0};   ///< sent
    uint64_t timeouts{0}; ///< of which given up
    uint64_t answers{0};  ///< received
    uint64_t bytes{0};    ///< of both

    /// @param counters of a card, which are added
    template <typename Counters>
    void Add(const Counters& counters)
    {
        probes += counters.probesSent;
        timeouts += counters.probeTimeouts;
        answers += counters.answersReceived;
        bytes += counters.bytes;
    }
};

/// @param fabric the network @return what the cards of all hosts have counted
CardCounts
CountersOf(const HpccFabricHelper& fabric)
{
    CardCounts sum;
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        Ptr<Node> node = fabric.GetNodes().Get(host);
        if (auto nic = node->GetObject<HpccTcpNic>())
        {
            sum.Add(nic->GetCounters());
        }
        if (auto nic = node->GetObject<HpccUdpNic>())
        {
            sum.Add(nic->GetCounters());
        }
    }
    std::vector<uint64_t> counts{sum.probes, sum.timeouts, sum.answers, sum.bytes};
    fabric.AddUp(counts);
    return {counts[0], counts[1], counts[2], counts[3]};
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        std::string kind = "incast";
        uint32_t senders = 0;
        uint64_t bytes = 0;
        Time gap = MicroSeconds(200);
        DataRate rate("100Gbps");
        Time delay = MicroSeconds(1);
        bool ipv6 = false;
        uint32_t expectedFlows = 0;
        uint32_t rdma = 0;
        HpccExperiment experiment("hpcc-tcp",
                                  "HPCC++ for ns-3's TCP and UDP, and for iWARP",
                                  "tcp-hpcc++,tcp-dctcp,tcp-cubic,tcp-bbr");
        experiment.SetOtherPolicies(POLICIES, "probe");
        experiment.AddOption("scenario",
                             "incast: all senders start at once; long-short: all but the first "
                             "start after --gap and have a tenth of the payload; fairness: each "
                             "starts --gap after the one before",
                             kind);
        experiment.AddOption("senders",
                             "hosts that send to another one, 2 to 1000; 0 for 16 in an incast, 2 "
                             "in long-short, 4 in fairness",
                             senders);
        experiment.AddOption("bytes",
                             "payload of a flow, bytes, at least 120; 0 for 2 MB in an incast, 20 "
                             "MB in long-short, 40 MB in fairness",
                             bytes);
        experiment.AddOption("gap", "time between starts", gap);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.AddOption("ipv6", "IPv6 instead of IPv4", ipv6);
        experiment.AddOption(
            "expected-flows",
            "N, the flows on a link that W_ai is meant for; 0 for as many as there "
            "are senders",
            expectedFlows);
        experiment.AddOption("rdma",
                             "senders, the last ones, that use RDMA with HPCC++ instead, in one "
                             "priority with the others",
                             rdma);
        experiment.AddTable("tcp.csv", 1);
        experiment.AddTable("qdisc.csv", 2);
        experiment.Parse(argc, argv);
        const auto known = KINDS.find(kind);
        if (known == KINDS.end())
        {
            throw HpccInputError("--scenario: unknown \"" + kind +
                                 "\"; choices: fairness, incast, long-short");
        }
        senders = senders ? senders : known->second.senders;
        bytes = bytes ? bytes : known->second.bytes;
        if (senders < 2 || senders > 1000)
        {
            throw HpccInputError("--senders: " + std::to_string(senders) + " is outside 2 to 1000");
        }
        if (bytes < 120)
        {
            throw HpccInputError("--bytes: " + std::to_string(bytes) + "; at least 120");
        }
        const auto& policies = experiment.GetPolicies();
        if (experiment.GetRanks() &&
            std::find(policies.begin(), policies.end(), UDP_HPCC) != policies.end())
        {
            // Whether a flow that lost packets is over takes the counts of both its ends.
            throw HpccInputError("--mpi: " + UDP_HPCC + " runs in one process only");
        }
        if (rdma > senders)
        {
            throw HpccInputError("--rdma: " + std::to_string(rdma) + " is above --senders, " +
                                 std::to_string(senders));
        }
        if (rdma > 0 && experiment.GetRanks())
        {
            throw HpccInputError("--mpi: --rdma runs in one process only");
        }
        expectedFlows = expectedFlows ? expectedFlows : senders;
        experiment.SetPolicyAttribute("N", std::to_string(expectedFlows));
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {rate, rate, delay, {}, {}});
        const int64_t firstNs = 10000;
        for (uint32_t i = 0; i < senders; ++i)
        {
            const int64_t steps = kind == "incast" ? 0 : kind == "fairness" ? i : std::min(i, 1U);
            const uint64_t payload = kind == "long-short" && i > 0 ? bytes / 10 : bytes;
            scenario.flows.push_back(
                {i, senders, payload, firstNs + steps * gap.GetNanoSeconds(), 0, 0});
        }
        scenario.perFlowSeries = kind != "incast";
        HpccCsvFile tcp(experiment.PathOf("tcp.csv"),
                        "cc,w_init_bytes,first_rtt_bytes,goodput_gbps,probes,probe_timeouts,"
                        "answers,probe_bytes,lost_bytes");
        HpccCsvFile queues(experiment.PathOf("qdisc.csv"), "cc,host,peak_bytes,mean_bytes,drops");
        std::unique_ptr<Flows> flows;
        const Wishes wishes{ipv6,
                            rdma,
                            rdma > 0 ? experiment.RdmaSpecOf(RDMA_HPCC)
                                     : HpccFabricHelper::PolicySpec()};
        scenario.drive = [&](HpccFabricHelper& fabric,
                             const HpccExperiment::Transport& transport,
                             HpccMonitor& monitor) {
            flows = std::make_unique<Flows>(fabric, transport, monitor, wishes);
        };
        scenario.addsUp = true;
        scenario.finished =
            [&](HpccFabricHelper& fabric, const std::vector<HpccFlowPlan>&, const HpccMonitor&) {
                flows->Merge(fabric);
                const double window = static_cast<double>(rate.GetBitRate()) / 8e9 *
                                      static_cast<double>(fabric.GetNetworkBaseRttNs());
                const auto counters = CountersOf(fabric);
                tcp << experiment.GetLabel() << "," << FormatFixed(window, 0) << ","
                    << FormatFixed((senders - 1) * window, 0) << ","
                    << FormatFixed(flows->GetGoodputGbps(), 3) << "," << counters.probes << ","
                    << counters.timeouts << "," << counters.answers << "," << counters.bytes << ","
                    << flows->GetLostBytes() << "\n";
                const auto endNs = static_cast<double>(Simulator::Now().GetNanoSeconds() - firstNs);
                for (const auto& queue : flows->GetQueues())
                {
                    queues << experiment.GetLabel() << "," << queue.host << "," << queue.peakBytes
                           << "," << FormatFixed(queue.byteNs / endNs, 1) << "," << queue.drops
                           << "\n";
                }
            };
        experiment.Run(scenario, [rdma](HpccFabricHelper& fabric) {
            if (rdma > 0)
            {
                fabric.SetDeviceAttribute("DscpToPriority", StringValue(ONE_PRIORITY));
            }
        });
        tcp.Commit();
        queues.Commit();
    });
}
