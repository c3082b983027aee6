/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-internet-helper.h"

#include "hpcc-ip-checks.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-ip-headers.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

constexpr const char* IPV4_MASK = "255.0.0.0";
constexpr uint8_t IPV6_PREFIX_BITS = 96;
constexpr uint32_t MAX_HEADERS_BYTES = 100; ///< headers of IPv6, and of TCP with options
constexpr uint64_t MAX_SEGMENT_BYTES = MAX_OFFLOAD_BYTES - MAX_HEADERS_BYTES;

void
CheckSegmentSize(const HpccFabricHelper& fabric)
{
    TypeId::AttributeInformation size;
    TypeId::LookupByName("ns3::TcpSocket").LookupAttributeByName("SegmentSize", &size);
    const uint64_t bytes = DynamicCast<const UintegerValue>(size.initialValue)->Get();
    HPCC_REFUSE_IF(bytes > MAX_SEGMENT_BYTES,
                   "ns3::TcpSocket::SegmentSize is " + std::to_string(bytes) +
                       ", allowed is up to " + std::to_string(MAX_SEGMENT_BYTES) +
                       ": ns-3 would lose larger packets, which IP cannot carry");
    if (!fabric.GetDevices().front()->GetOffload().tso)
    {
        fabric.CheckPackets("segments of ns3::TcpSocket::SegmentSize " + std::to_string(bytes),
                            static_cast<uint32_t>(bytes) + MAX_HEADERS_BYTES,
                            false);
    }
}

} // namespace

void
HpccInternetHelper::SetIpv6(bool enable)
{
    RequireBeforeInstall("HpccInternetHelper::SetIpv6", !m_queues.empty());
    m_ipv6 = enable;
}

void
HpccInternetHelper::SetQueueSize(const std::string& maxSize)
{
    RequireBeforeInstall("HpccInternetHelper::SetQueueSize", !m_queues.empty());
    std::istringstream in(maxSize);
    QueueSize size;
    HPCC_REFUSE_IF(!(in >> size) || in.peek() != std::istringstream::traits_type::eof(),
                   "ns3::HpccInternetHelper::SetQueueSize: \"" + maxSize +
                       "\" is not allowed; a size such as 16MB or 1000p");
    m_queueSize = maxSize;
}

Ipv4Address
HpccInternetHelper::GetIpv4Address(uint32_t host)
{
    return Ipv4Address(HpccFabricHelper::GetAddress(host));
}

Ipv6Address
HpccInternetHelper::GetIpv6Address(uint32_t host)
{
    auto bytes = Ipv6AddressOf(HpccFabricHelper::GetAddress(host));
    return Ipv6Address(bytes.data());
}

void
HpccInternetHelper::Install(const HpccFabricHelper& fabric)
{
    HPCC_REFUSE_IF(!m_queues.empty(),
                   "ns3::HpccInternetHelper::Install: installed already; install it only once");
    RequireNetwork("HpccInternetHelper::Install", fabric);
    CheckSegmentSize(fabric);
    InternetStackHelper hosts;
    hosts.SetIpv6StackInstall(m_ipv6);
    InternetStackHelper switches;
    switches.SetIpv6StackInstall(false);
    switches.SetRoutingHelper(Ipv4StaticRoutingHelper());
    const HpccTopology& topology = fabric.GetTopology();
    HPCC_REFUSE_IF(topology.GetMostPorts() > 1,
                   "ns3::HpccInternetHelper: a host has " +
                       std::to_string(topology.GetMostPorts()) +
                       " ports; TCP and UDP run on hosts with one port");
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        Ptr<Node> node = fabric.GetNodes().Get(i);
        HPCC_REFUSE_IF(node->GetObject<Ipv4>() ||
                           (m_ipv6 && !topology.IsSwitch(i) && node->GetObject<Ipv6>()),
                       "ns3::HpccInternetHelper::Install: node " + std::to_string(i) +
                           " has an IP stack already; allowed are nodes without one");
    }
    std::vector<Ptr<QbbNetDevice>> ports;
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        Ptr<Node> node = fabric.GetNodes().Get(i);
        if (topology.IsSwitch(i))
        {
            switches.Install(node);
        }
        else
        {
            hosts.Install(node);
            ports.emplace_back(&fabric.GetHost(i)->GetPort());
            InstallHost(i, ports.back());
        }
    }
    fabric.OnFormat([ports](const Ptr<const TelemetryFormat>& format) {
        for (const auto& port : ports)
        {
            QbbIpPort::Of(*port).AddFormat(format);
        }
    });
}

int64_t
HpccInternetHelper::AssignStreams(const HpccFabricHelper& fabric, int64_t stream) const
{
    return InternetStackHelper().AssignStreams(fabric.GetNodes(), stream);
}

void
HpccInternetHelper::InstallHost(uint32_t host, Ptr<QbbNetDevice> device)
{
    InstallQueues(host, device);
    QbbIpPort::Of(*device).SetAddress(HpccFabricHelper::GetAddress(host));
    auto ipv4 = device->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(GetIpv4Address(host), IPV4_MASK));
    ipv4->SetUp(interface);
    if (auto ipv6 = device->GetNode()->GetObject<Ipv6>())
    {
        device->GetNode()->GetObject<Icmpv6L4Protocol>()->SetAttribute("DAD", BooleanValue(false));
        const uint32_t interface6 = ipv6->AddInterface(device);
        ipv6->SetUp(interface6);
        ipv6->AddAddress(interface6,
                         Ipv6InterfaceAddress(GetIpv6Address(host), Ipv6Prefix(IPV6_PREFIX_BITS)));
    }
}

void
HpccInternetHelper::InstallQueues(uint32_t host, Ptr<QbbNetDevice> device)
{
    QbbIpPort::Of(*device).EnableQueues();
    TrafficControlHelper control;
    const uint16_t root = control.SetRootQueueDisc("ns3::MqQueueDisc");
    const auto classes = control.AddQueueDiscClasses(root, PRIORITIES, "ns3::QueueDiscClass");
    control.AddChildQueueDiscs(root,
                               classes,
                               "ns3::FifoQueueDisc",
                               "MaxSize",
                               StringValue(m_queueSize));
    Ptr<QueueDisc> mq = control.Install(device).Get(0);
    auto queue = std::make_shared<Queue>(); // the callbacks may outlive this helper
    m_queues.push_back(queue);
    queue->host = host;
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        Ptr<QueueDisc> fifo = mq->GetQueueDiscClass(p)->GetQueueDisc();
        fifo->TraceConnectWithoutContext("BytesInQueue", MakeBoundCallback(&Changed, queue));
        fifo->TraceConnectWithoutContext("Drop", MakeBoundCallback(&Dropped, queue));
    }
}

void
HpccInternetHelper::Changed(std::shared_ptr<Queue> queue, uint32_t before, uint32_t now)
{
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    queue->byteNs +=
        static_cast<double>(queue->bytes) * static_cast<double>(nowNs - queue->sinceNs);
    queue->sinceNs = nowNs;
    queue->bytes += now;
    queue->bytes -= before;
    queue->peakBytes = std::max(queue->peakBytes, queue->bytes);
}

void
HpccInternetHelper::Dropped(std::shared_ptr<Queue> queue, Ptr<const QueueDiscItem>)
{
    ++queue->drops;
}

} // namespace ns3
