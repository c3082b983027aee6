/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qbb-helper.h"

#include "hpcc-ip-checks.h"

#include "ns3/hpcc-factory-attribute.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-pcap-file.h"
#include "ns3/ipv4.h"
#include "ns3/qbb-ip-port.h"
#include "ns3/qbb-switch.h"
#include "ns3/simulator.h"

#include <sstream>
#include <string>

namespace ns3
{

namespace
{

void
LearnRoutes(Ptr<QbbSwitch> lan)
{
    for (const auto* port : lan->GetPorts())
    {
        Ptr<NetDevice> end = port->GetQbbChannel()->GetPeer(port);
        auto ipv4 = end->GetNode()->GetObject<Ipv4>();
        const int32_t interface = ipv4 ? ipv4->GetInterfaceForDevice(end) : -1;
        if (interface < 0)
        {
            continue;
        }
        for (uint32_t i = 0; i < ipv4->GetNAddresses(interface); ++i)
        {
            lan->GetRoutes().SetRoute(ipv4->GetAddress(interface, i).GetLocal().Get(),
                                      {static_cast<uint16_t>(port->GetPortIndex())});
        }
    }
}

void
WriteDrop(Ptr<OutputStreamWrapper> stream,
          std::string context,
          Ptr<const Packet> packet,
          DropReason reason)
{
    *stream->GetStream() << "d " << Simulator::Now().GetSeconds() << " " << context << " "
                         << ToString(reason) << " " << *packet << std::endl;
}

void
EnableQueues(const NetDeviceContainer& devices)
{
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        QbbIpPort::Of(*DynamicCast<QbbNetDevice>(devices.Get(i))).EnableQueues();
    }
}

} // namespace

QbbHelper::QbbHelper()
{
    m_devices.SetTypeId("ns3::QbbNetDevice");
    m_channels.SetTypeId("ns3::QbbChannel");
}

void
QbbHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    SetFactoryAttribute(m_devices, name, value);
}

void
QbbHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    SetFactoryAttribute(m_channels, name, value);
}

NetDeviceContainer
QbbHelper::Link(Ptr<Node> a, Ptr<Node> b) const
{
    RequireNode("QbbHelper::Install", a);
    RequireNode("QbbHelper::Install", b);
    HPCC_REFUSE_IF(a == b,
                   "ns3::QbbHelper::Install: both nodes are node " + std::to_string(a->GetId()) +
                       "; allowed are two different nodes");
    NetDeviceContainer devices;
    auto channel = m_channels.Create<QbbChannel>();
    for (const auto& node : {a, b})
    {
        auto device = m_devices.Create<QbbNetDevice>();
        node->AddDevice(device);
        device->Attach(channel);
        devices.Add(device);
    }
    return devices;
}

NetDeviceContainer
QbbHelper::Install(Ptr<Node> a, Ptr<Node> b) const
{
    NetDeviceContainer devices = Link(a, b);
    EnableQueues(devices);
    return devices;
}

NetDeviceContainer
QbbHelper::Install(const NodeContainer& nodes) const
{
    HPCC_REFUSE_IF(nodes.GetN() < 2,
                   "ns3::QbbHelper::Install: " + std::to_string(nodes.GetN()) +
                       " nodes; at least 2 are needed");
    if (nodes.GetN() == 2)
    {
        return Install(nodes.Get(0), nodes.Get(1));
    }
    NetDeviceContainer devices;
    auto node = CreateObject<Node>();
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        devices.Add(Link(nodes.Get(i), node).Get(0));
    }
    EnableQueues(devices);
    auto lan = CreateObject<QbbSwitch>();
    node->AggregateObject(lan);
    lan->Install(node);
    Simulator::ScheduleWithContext(node->GetId(), Time(0), &LearnRoutes, lan);
    return devices;
}

void
QbbHelper::EnablePcapInternal(std::string prefix,
                              Ptr<NetDevice> device,
                              bool,
                              bool explicitFilename)
{
    auto port = DynamicCast<QbbNetDevice>(device);
    if (!port)
    {
        return;
    }
    RecordFrames(port,
                 explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device));
}

void
QbbHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                               std::string prefix,
                               Ptr<NetDevice> device,
                               bool explicitFilename)
{
    auto port = DynamicCast<QbbNetDevice>(device);
    if (!port)
    {
        return;
    }
    Packet::EnablePrinting();
    if (!stream)
    {
        AsciiTraceHelper ascii;
        stream = ascii.CreateFileStream(
            explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
    }
    std::ostringstream path;
    path << "/NodeList/" << device->GetNode()->GetId() << "/DeviceList/" << device->GetIfIndex()
         << "/$ns3::QbbNetDevice/";
    const auto connect = [&](const std::string& name, auto sink) {
        port->TraceConnect(name, path.str() + name, MakeBoundCallback(sink, stream));
    };
    connect("Enqueue", &AsciiTraceHelper::DefaultEnqueueSinkWithContext);
    connect("Dequeue", &AsciiTraceHelper::DefaultDequeueSinkWithContext);
    connect("MacRx", &AsciiTraceHelper::DefaultReceiveSinkWithContext);
    connect("Drop", &WriteDrop);
}

} // namespace ns3
