/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IP_FLOWS_H
#define HPCC_IP_FLOWS_H

// Flows of TCP, UDP and iWARP for HpccExperiment. This file contains the values of --cc and
// --feedback for these flows, and creates the applications that send and receive.

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/hpcc-byte-stream.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-internet-helper.h"
#include "ns3/hpcc-iwarp-target.h"
#include "ns3/hpcc-iwarp-writer.h"
#include "ns3/hpcc-nic-format.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-tcp-helper.h"
#include "ns3/hpcc-tcp-nic.h"
#include "ns3/hpcc-udp-application.h"
#include "ns3/hpcc-udp-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-hpcc-plus-plus.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

inline constexpr uint16_t FIRST_PORT = 10000;
inline constexpr uint8_t TCP_DSCP = 0; ///< DSCP of data in TCP segments

inline const std::string HPCC = "tcp-hpcc++";
inline const std::string UDP_HPCC = "udp-hpcc++";
inline const std::string IWARP_HPCC = "iwarp-hpcc++";
inline const std::string OPTION = "max-load"; ///< short name of the telemetry format with
                                              ///< --feedback=compact

/// HPCC++ as a congestion control of TCP.
inline const HpccExperiment::OtherPolicy TCP_HPCC{"ns3::TcpHpccPlusPlus",
                                                  {"probe",
                                                   "probe:n",
                                                   "in-band",
                                                   "in-band:n",
                                                   "compact",
                                                   "compact:every-8",
                                                   "compact:per-rtt",
                                                   "compact:receiver"},
                                                  "int-md:dscp",
                                                  "",
                                                  {{"compact", OPTION},
                                                   {"compact:every-8", OPTION},
                                                   {"compact:per-rtt", OPTION},
                                                   {"compact:receiver", OPTION}},
                                                  FindNicFormat};

/// The policies that --cc accepts, by name. The marking threshold of DCTCP is 300 KB at 100 Gb/s,
/// and proportional to the line rate.
inline const std::map<std::string, HpccExperiment::OtherPolicy> HPCC_IP_POLICIES{
    {HPCC, TCP_HPCC},
    {IWARP_HPCC, TCP_HPCC},
    {UDP_HPCC,
     {"ns3::HpccUdpApplication", {"probe", "probe:n"}, "int-md:dscp", "", {}, FindNicFormat, true}},
    {"tcp-dctcp", {"ns3::TcpDctcp", {}, "none", "100Gbps:300000:300000:1"}},
    {"tcp-cubic", {"ns3::TcpCubic", {}, "none", ""}},
    {"tcp-bbr", {"ns3::TcpBbr", {}, "none", ""}}};

/// Attributes of the NICs with each feedback mode, by the name of the mode in --feedback.
inline const std::map<std::string, std::map<std::string, std::string>> HPCC_IP_FEEDBACKS{
    {"probe", {{"Feedback", "Probe"}, {"CountFlows", "false"}}},
    {"probe:n", {{"Feedback", "Probe"}, {"CountFlows", "true"}}},
    {"in-band", {{"Feedback", "InBand"}, {"CountFlows", "false"}}},
    {"in-band:n", {{"Feedback", "InBand"}, {"CountFlows", "true"}}},
    {"compact", {{"Feedback", "Compact"}}},
    {"compact:every-8", {{"Feedback", "Compact"}, {"TagEvery", "8"}}},
    {"compact:per-rtt", {{"Feedback", "Compact"}, {"TagOncePerRtt", "true"}}},
    {"compact:receiver", {{"Feedback", "CompactReceiver"}}}};

/// Command-line options of the flows.
struct HpccIpWishes
{
    bool ipv6;                               ///< --ipv6
    uint32_t rdma;                           ///< --rdma: number of RDMA flows
    HpccFabricHelper::PolicySpec rdmaPolicy; ///< policy of RDMA flows
};

/// Creates the flows of a simulation and records their results.
class HpccIpFlows
{
  public:
    /**
     * Installs the transport of the flows, and creates the flows.
     * @param fabric the network
     * @param transport transport of the flows
     * @param monitor records the payload that arrives
     * @param wishes options of the flows
     */
    HpccIpFlows(HpccFabricHelper& fabric,
                const HpccExperiment::Transport& transport,
                HpccMonitor& monitor,
                const HpccIpWishes& wishes)
        : m_monitor(monitor),
          m_iwarp(transport.policy == IWARP_HPCC),
          m_received(monitor.GetFlows().size(), 0),
          m_underWay(monitor.GetFlows().size(), 0),
          m_givenUp(monitor.GetFlows().size(), false)
    {
        const auto& [policy, telemetry, feedback] = transport;
        const auto& [ipv6, rdma, rdmaPolicy] = wishes;
        m_internet.SetIpv6(ipv6);
        if (policy == UDP_HPCC)
        {
            CheckUdpPorts(rdmaPolicy, m_received.size() - rdma);
            m_internet.Install(fabric);
            m_udp = std::make_unique<HpccUdpHelper>();
            m_udp->SetTelemetry(FormatOf(transport));
            m_udp->SetNicAttribute("CountFlows", BooleanValue(feedback == "probe:n"));
            Named(transport, [&] { m_udp->Install(fabric); });
            CheckBorders(fabric, transport, [] {
                return CreateObjectWithAttributes<HpccUdpApplication>("MaxBytes",
                                                                      UintegerValue(0),
                                                                      "PacketSize",
                                                                      UintegerValue(1000));
            });
            WatchDrops(fabric);
        }
        else
        {
            InstallTcp(fabric, transport);
        }
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
        }
        m_internet.AssignStreams(fabric, fabric.GetNextStream()); // use the random streams after
                                                                  // those already in use
    }

    /// Combines the results of all ranks. Before this call, each rank has only the results of its
    /// own hosts.
    /// @param fabric the network
    void Merge(const HpccFabricHelper& fabric)
    {
        std::vector<uint64_t> lost(m_received.size(), 0);
        for (const auto& [flow, sender] : m_udpSenders)
        {
            lost[flow] = sender->GetWindow().GetLost();
        }
        ShareWithRanks(fabric, lost);
        m_lostBytes = 0;
        for (size_t i = 0; i < lost.size(); ++i)
        {
            // The sender counts bytes as lost if a probe overtakes them. Some of these bytes may
            // still have arrived later.
            m_lostBytes += std::min(lost[i], m_monitor.GetFlows()[i].bytes - m_received[i]);
        }
    }

    /// Returns the payload that UDP flows have lost, bytes. Call Merge() first.
    uint64_t GetLostBytes() const
    {
        return m_lostBytes;
    }

    /// Returns the queues between the IP stacks and the ports, by host. Call Merge() first.
    const std::vector<HpccInternetHelper::Queue>& GetQueues() const
    {
        return m_queues;
    }

  private:
    /**
     * Exchanges the results with the other ranks and combines them.
     * @param fabric the network
     * @param lost payload lost by each flow, bytes. On entry: the losses that this rank knows. On
     * return: the losses of all ranks
     */
    void ShareWithRanks(const HpccFabricHelper& fabric, std::vector<uint64_t>& lost)
    {
        HpccByteStream mine;
        for (size_t i = 0; i < lost.size(); ++i)
        {
            mine.Put(lost[i]);
            mine.Put(m_received[i]);
        }
        for (const auto& queue : m_internet.GetQueues())
        {
            m_queues.push_back(*queue);
            mine.Put(m_queues.back());
        }
        if (!fabric.GetRanks())
        {
            return;
        }
        for (const std::string& bytes : fabric.GetRanks()->Exchange(mine.GetBytes()))
        {
            HpccByteStream theirs(bytes);
            for (size_t i = 0; i < lost.size(); ++i)
            {
                lost[i] = std::max(lost[i], theirs.Get<uint64_t>());
                m_received[i] = std::max(m_received[i], theirs.Get<uint64_t>());
            }
            for (auto& queue : m_queues)
            {
                // Only the rank that simulates a host uses the host's queue, so its record has the
                // latest time.
                const auto other = theirs.Get<HpccInternetHelper::Queue>();
                queue = other.sinceNs > queue.sinceNs ? other : queue;
            }
        }
    }

    /// Returns the short name of the telemetry format of a transport. A transport that names no
    /// format uses the format of its policy.
    /// @param transport transport of the flows
    static const std::string& FormatOf(const HpccExperiment::Transport& transport)
    {
        return transport.telemetry.empty() ? HPCC_IP_POLICIES.at(transport.policy).telemetry
                                           : transport.telemetry;
    }

    /**
     * Refuses a UDP port that both marks packets with RDMA's telemetry and is the destination port
     * of a UDP flow. With such a port, a switch could not determine from the bytes of a datagram
     * whether telemetry follows the UDP header.
     * @param rdma policy of RDMA flows
     * @param flows number of UDP flows
     */
    static void CheckUdpPorts(const HpccFabricHelper::PolicySpec& rdma, size_t flows)
    {
        const uint32_t port = rdma.format ? rdma.format->GetMarking().udpPort : 0;
        const size_t end = FIRST_PORT + flows;
        HPCC_REFUSE_IF(port >= FIRST_PORT && port < end,
                       "UDP port " + std::to_string(port) + " marks packets of " +
                           rdma.format->GetInstanceTypeId().GetName() +
                           ", but is the port of a UDP flow; allowed are ports other than " +
                           std::to_string(FIRST_PORT) + " to " + std::to_string(end - 1));
    }

    /// Installs NICs. If they refuse a feedback mode in which switches or hosts count the active
    /// flows, adds the names of the mode and of the format to the error message.
    template <typename Install>
    static void Named(const HpccExperiment::Transport& transport, const Install& install)
    {
        try
        {
            install();
        }
        catch (const HpccInputError& error)
        {
            const auto found = HPCC_IP_FEEDBACKS.find(transport.feedback);
            const bool counts = found != HPCC_IP_FEEDBACKS.end() &&
                                found->second.count("CountFlows") > 0 &&
                                found->second.at("CountFlows") == "true";
            if (!counts)
            {
                throw;
            }
            throw HpccInputError("--feedback " + transport.feedback + " with --telemetry " +
                                 FormatOf(transport) + ": " + error.what());
        }
    }

    /**
     * If the path of a flow crosses a domain edge, refuses a control law that needs more than the
     * load of each hop, because no other telemetry crosses a domain edge.
     * @param fabric the network
     * @param transport transport of the flows
     * @param make function that creates an object with the attributes of the control law
     */
    template <typename Make>
    void CheckBorders(const HpccFabricHelper& fabric,
                      const HpccExperiment::Transport& transport,
                      const Make& make) const
    {
        const auto& flows = m_monitor.GetFlows();
        if (transport.feedback.rfind("compact", 0) == 0 ||
            FindNicFormat(FormatOf(transport))->GetCapabilities().pathExtreme ||
            std::none_of(flows.begin(), flows.end(), [&fabric](const HpccFlowPlan& flow) {
                return fabric.CrossesBorder(flow.source, flow.destination);
            }))
        {
            return;
        }
        const auto law = make();
        using Choice = std::array<const char*, 3>;
        for (const auto& [attribute, refused, allowed] :
             {Choice{"QueueSignal", "Sojourn", "Length"}, Choice{"RateTerm", "Rx", "Tx"}})
        {
            StringValue value;
            law->GetAttribute(attribute, value);
            HPCC_REFUSE_IF(value.Get() == refused,
                           law->GetInstanceTypeId().GetName() + "::" + attribute + " is " +
                               refused +
                               ", but the telemetry border lets only a load pass; "
                               "allowed is " +
                               allowed);
        }
    }

    void InstallTcp(HpccFabricHelper& fabric, const HpccExperiment::Transport& transport)
    {
        const auto& [policy, telemetry, feedback] = transport;
        Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                           StringValue(HPCC_IP_POLICIES.at(policy).className));
        m_internet.Install(fabric);
        HpccTcpHelper tcp;
        if (policy == HPCC || policy == IWARP_HPCC)
        {
            tcp.SetTelemetry(telemetry);
            for (const auto& [name, value] : HPCC_IP_FEEDBACKS.at(feedback))
            {
                tcp.SetNicAttribute(name, StringValue(value));
            }
            Named(transport, [&] { tcp.Install(fabric); });
            CheckBorders(fabric, transport, [] { return CreateObject<TcpHpccPlusPlus>(); });
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
        if (const auto nic = node->GetObject<HpccTcpNic>())
        {
            nic->CheckData(TCP_DSCP);
            nic->CheckPeer(to);
        }
        if (m_iwarp)
        {
            // Set these attributes at creation, so that the writer never uses their defaults. If
            // the command line sets such a default, the program then recognises that the default
            // has no effect, and refuses it.
            auto writer = CreateObjectWithAttributes<HpccIwarpWriter>("Remote",
                                                                      AddressValue(to),
                                                                      "MaxBytes",
                                                                      UintegerValue(flow.bytes));
            writer->TraceConnectWithoutContext("Closed",
                                               MakeBoundCallback(&HpccIpFlows::ClosedBy, i));
            writer->SetStartTime(start);
            node->AddApplication(writer);
            return;
        }
        if (m_udp)
        {
            auto sender = DynamicCast<HpccUdpApplication>(m_udp->Add(node, to, flow.bytes, start));
            m_udpSenders.emplace_back(i, sender);
            if (m_watches)
            {
                sender->TraceConnectWithoutContext(
                    "Tx",
                    MakeBoundCallback(&HpccIpFlows::SentBy, this, i));
            }
            sender->TraceConnectWithoutContext(
                "Finished",
                MakeBoundCallback(&HpccIpFlows::FinishedBy, this, i));
            return;
        }
        BulkSendHelper bulk("ns3::TcpSocketFactory", to);
        bulk.SetAttribute("MaxBytes", UintegerValue(flow.bytes));
        bulk.SetAttribute("SendSize", UintegerValue(100000));
        bulk.Install(node).Start(start);
    }

    /**
     * Throws HpccInputError if data of RDMA and data of TCP or UDP have different priorities.
     * @param host a sender
     */
    static void CheckRdmaPriority(const RdmaHost& host)
    {
        const auto priorityOf = [&host](uint64_t dscp) {
            return uint32_t{host.GetPort().GetPriority(static_cast<uint8_t>(dscp << 2))};
        };
        const uint32_t wanted = priorityOf(TCP_DSCP);
        UintegerValue given;
        host.GetAttribute("DataDscp", given);
        const uint32_t found = priorityOf(given.Get());
        std::string allowed;
        for (uint64_t dscp = 0; found != wanted && dscp < 64; ++dscp)
        {
            if (priorityOf(dscp) == wanted)
            {
                allowed += (allowed.empty() ? "" : ", ") + std::to_string(dscp);
            }
        }
        HPCC_REFUSE_IF(found != wanted,
                       "--rdma: ns3::RdmaHost::DataDscp " + std::to_string(given.Get()) +
                           " has priority " + std::to_string(found) + ", but data with DSCP " +
                           std::to_string(TCP_DSCP) + " has " + std::to_string(wanted) +
                           "; allowed are " + allowed);
    }

    void AddRdma(HpccFabricHelper& fabric, size_t i, const HpccFabricHelper::PolicySpec& spec)
    {
        const HpccFlowPlan& flow = m_monitor.GetFlows()[i];
        CheckRdmaPriority(*fabric.GetHost(flow.source));
        const uint32_t queuePair = fabric.Connect(flow.source, flow.destination, spec);
        fabric.AddMessage(flow.source, queuePair, flow.bytes, NanoSeconds(flow.startNs));
    }

    void AddReceiver(Ptr<Node> node, size_t i, const Address& to)
    {
        if (m_iwarp)
        {
            auto target = CreateObjectWithAttributes<HpccIwarpTarget>(
                "Local",
                AddressValue(to),
                "RegionBytes",
                UintegerValue(m_monitor.GetFlows()[i].bytes));
            target->TraceConnectWithoutContext("Written",
                                               MakeBoundCallback(&HpccIpFlows::WrittenBy, this, i));
            target->TraceConnectWithoutContext("Closed",
                                               MakeBoundCallback(&HpccIpFlows::ClosedBy, i));
            node->AddApplication(target);
            return;
        }
        PacketSinkHelper sink(m_udp ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory", to);
        sink.Install(node).Get(0)->TraceConnectWithoutContext(
            "Rx",
            MakeBoundCallback(&HpccIpFlows::ReceivedBy, this, i));
    }

    static void WrittenBy(HpccIpFlows* flows, size_t flow, uint32_t, uint64_t, uint32_t bytes)
    {
        flows->Received(flow, bytes);
    }

    static void ClosedBy(size_t flow, HpccIwarpError error, int64_t nowNs)
    {
        NS_ABORT_MSG_UNLESS(error == HpccIwarpError::NONE,
                            "flow " << flow << ": iWARP ended at " << nowNs << " ns with "
                                    << ToString(error));
    }

    /// Starts to record the datagrams that ports and queue discs drop. Does nothing with several
    /// ranks, because this rank cannot record the drops of other ranks.
    void WatchDrops(const HpccFabricHelper& fabric)
    {
        m_watches = !fabric.GetRanks();
        if (!m_watches)
        {
            return;
        }
        for (const auto& device : fabric.GetDevices())
        {
            device->TraceConnectWithoutContext("Drop",
                                               MakeBoundCallback(&HpccIpFlows::DroppedBy, this));
        }
        for (uint32_t host : fabric.GetTopology().GetHosts())
        {
            Ptr<Node> node = fabric.GetNodes().Get(host);
            Ptr<QueueDisc> root = node->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(
                Ptr<NetDevice>(&fabric.GetHost(host)->GetPort()));
            for (size_t i = 0; i < root->GetNQueueDiscClasses(); ++i)
            {
                root->GetQueueDiscClass(i)->GetQueueDisc()->TraceConnectWithoutContext(
                    "Drop",
                    MakeBoundCallback(&HpccIpFlows::DiscardedBy, this));
            }
        }
    }

    static void SentBy(HpccIpFlows* flows, size_t flow, Ptr<const Packet> packet)
    {
        flows->m_datagrams[packet->GetUid()] = {flow, packet->GetSize()};
        flows->m_underWay[flow] += packet->GetSize();
    }

    static void DroppedBy(HpccIpFlows* flows, Ptr<const Packet> packet, DropReason)
    {
        flows->Gone(packet->GetUid());
    }

    static void DiscardedBy(HpccIpFlows* flows, Ptr<const QueueDiscItem> item)
    {
        flows->Gone(item->GetPacket()->GetUid());
    }

    /// Records that a datagram has arrived or was dropped. Ends the flow if its sender has finished
    /// and no other datagram of the flow is in flight.
    /// @param uid unique id of the packet. Packets that are not datagrams of a flow are ignored
    void Gone(uint64_t uid)
    {
        const auto found = m_datagrams.find(uid);
        if (found == m_datagrams.end())
        {
            return;
        }
        const auto [flow, bytes] = found->second;
        m_datagrams.erase(found);
        m_underWay[flow] -= bytes;
        FinishIfLost(flow, Simulator::Now().GetNanoSeconds());
    }

    /// Ends an incomplete UDP flow if its sender has finished and none of its datagrams is in
    /// flight.
    void FinishIfLost(size_t flow, int64_t nowNs)
    {
        if (m_givenUp[flow] && m_underWay[flow] == 0 && !IsComplete(flow))
        {
            m_monitor.NoteLost(flow, nowNs);
        }
    }

    /// Returns true if all payload of the flow has arrived.
    bool IsComplete(size_t flow) const
    {
        return m_received[flow] == m_monitor.GetFlows()[flow].bytes;
    }

    /// Handles the event that a UDP sender has finished. At this time the sender regards each byte
    /// as received or lost. However, datagrams that it regards as lost may still wait in queues.
    /// The flow ends only when these datagrams have arrived or have been dropped.
    static void FinishedBy(HpccIpFlows* flows, size_t flow, uint64_t, uint64_t, int64_t nowNs)
    {
        flows->m_givenUp[flow] = true;
        flows->FinishIfLost(flow, nowNs);
    }

    static void ReceivedBy(HpccIpFlows* flows,
                           size_t flow,
                           Ptr<const Packet> packet,
                           const Address&)
    {
        flows->Received(flow, packet->GetSize());
        flows->Gone(packet->GetUid());
    }

    void Received(size_t flow, uint32_t bytes)
    {
        const int64_t nowNs = Simulator::Now().GetNanoSeconds();
        m_monitor.NoteReceived(flow, nowNs, bytes);
        m_received[flow] += bytes;
        if (IsComplete(flow))
        {
            m_monitor.NoteFinished(flow, nowNs);
        }
    }

    HpccMonitor& m_monitor;                                               ///< records arrivals
    bool m_iwarp;                                                         ///< true if the flows are
                                                                          ///< iWARP (RDMA over TCP)
    HpccInternetHelper m_internet;                                        ///< the IP stacks
    std::unique_ptr<HpccUdpHelper> m_udp;                                 ///< null for TCP
    std::vector<std::pair<size_t, Ptr<HpccUdpApplication>>> m_udpSenders; ///< UDP senders by flow
    std::vector<HpccInternetHelper::Queue> m_queues;                      ///< queues between IP
                                                                          ///< stacks and ports, by
                                                                          ///< host
    std::vector<uint64_t> m_received; ///< payload received, bytes, by flow over TCP,
                                      ///< UDP or iWARP
    std::unordered_map<uint64_t, std::pair<size_t, uint32_t>>
        m_datagrams;                  ///< flow and payload in bytes of each UDP datagram in flight,
                                      ///< by packet id
    std::vector<uint64_t> m_underWay; ///< payload in flight, bytes, by UDP flow
    std::vector<bool> m_givenUp;      ///< true once the flow's UDP sender has finished
    uint64_t m_lostBytes{0};          ///< payload that UDP flows have lost, bytes
    bool m_watches{false};            ///< true if WatchDrops() records drops
};

} // namespace ns3

#endif // HPCC_IP_FLOWS_H
