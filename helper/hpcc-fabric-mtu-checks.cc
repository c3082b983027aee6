/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-fabric-checks.h"
#include "hpcc-fabric-ways.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-roce-headers.h"
#include "ns3/rdma-recovery.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// The part of HpccFabricHelper that refuses frames that do not fit MTUs, buffers or trimming
// thresholds. It also finds the loss recovery of the hosts.

namespace ns3
{

namespace
{

/**
 * Returns the number of bytes that the receive buffer of a host must hold above its pause
 * threshold. This is the headroom that a switch would need, less two quantities: the preambles of
 * the frames, and the bytes that the host drains before the pause takes effect. A frame that is
 * partly drained does not count as drained.
 * @param port the port of the host
 * @param frameBytes size of the frames, bytes
 * @return the size, bytes; 0 if the host drains frames as fast as they arrive
 */
uint64_t
ReceiveHeadroomBytes(const QbbNetDevice& port, uint32_t frameBytes)
{
    const uint32_t linkBytes = port.GetLinkBytes(frameBytes);
    const BufferPolicy::PortLimits limits{port.GetRateBps(),
                                          port.GetQbbChannel()->GetDelayNs(),
                                          linkBytes,
                                          port.GetLosslessPriorities(),
                                          port.GetQbbChannel()->GetPeerRateBps(&port)};
    const auto frame = static_cast<double>(frameBytes);
    const double stored = frame / linkBytes;
    const double drained = static_cast<double>(port.GetReceiveBuffer().drainBps) /
                           static_cast<double>(limits.GetArrivalBps());
    if (drained >= stored)
    {
        return 0;
    }
    const auto later = static_cast<double>(BufferPolicy::GetHeadroomBytes(limits) - linkBytes);
    const double bytes = frame + later * stored - std::max(0.0, later * drained - frame);
    return static_cast<uint64_t>(std::ceil(bytes));
}

/**
 * Refuses a receive buffer that is smaller than a frame, or that would lose frames of a lossless
 * priority because a pause takes effect too late.
 * @param port the port of the host
 * @param node the host
 * @param bytes size of the frame, bytes
 * @param priority priority of the frame
 * @param what name of such packets, for the message
 */
void
CheckReceiveBuffer(const QbbNetDevice& port,
                   uint32_t node,
                   uint32_t bytes,
                   uint8_t priority,
                   const std::string& what)
{
    const QbbPortSettings::ReceiveBuffer buffer = port.GetReceiveBuffer();
    if (buffer.drainBps == 0)
    {
        return;
    }
    const bool lossless = port.GetLosslessPriorities() >> priority & 1;
    const uint64_t headroom = lossless ? ReceiveHeadroomBytes(port, bytes) : 0;
    const uint64_t least =
        std::max<uint64_t>(bytes, headroom > 0 ? buffer.pauseBytes + headroom : 0);
    HPCC_REFUSE_IF(buffer.bytes < least,
                   "node " + std::to_string(node) + ": ns3::QbbNetDevice::ReceiveBuffer is " +
                       std::to_string(buffer.bytes) + ", allowed is at least " +
                       std::to_string(least) +
                       (least == bytes ? ", as " + what + " have up to that many bytes"
                                       : ": ns3::QbbNetDevice::ReceivePauseThreshold, " +
                                             std::to_string(buffer.pauseBytes) + ", and " +
                                             std::to_string(headroom) +
                                             " bytes that arrive before a pause takes effect"));
}

/// Returns the name of a node for messages.
std::string
NameNode(uint32_t node)
{
    return "node " + std::to_string(node);
}

/// Packets that switches must be able to trim.
struct TrimmedPackets
{
    std::string name;      ///< beginning of the error message: names the trimmer and the packets
    uint32_t payloadBytes; ///< payload of a packet, bytes
    uint32_t frameBytes;   ///< size of the largest frame of the packets, bytes
    uint8_t priority;      ///< priority of the packets
};

/// A port of a switch with a trimmer.
struct TrimPort
{
    Ptr<QbbSwitch> device;  ///< the switch; null if it is at another rank
    Ptr<SwitchAgent> agent; ///< the trimmer
    uint32_t node;          ///< number of the switch
    uint32_t port;          ///< index of the port
};

/**
 * Throws HpccInputError if no port trims packets. The reason may be the trimmer's attributes, or a
 * buffer that drops frames before the queue reaches the threshold for trimming.
 * @param packets the packets
 * @param ports all ports of all switches
 */
void
RequireTrimming(const TrimmedPackets& packets, const std::vector<TrimPort>& ports)
{
    std::string first;
    for (const auto& [device, agent, node, port] : ports)
    {
        const Ptr<BufferPolicy> buffer = device ? device->GetBuffer() : nullptr;
        if (!buffer)
        {
            return; // some switch is at another rank, where its buffer is unknown
        }
        const TrimPlan plan = agent->GetTrimPlan();
        if (!(plan.priorities >> packets.priority & 1) || plan.payload >= packets.payloadBytes)
        {
            continue;
        }
        const uint64_t besides = 2 * uint64_t{packets.frameBytes};
        const uint64_t most =
            buffer->GetLargestQueueBytes(port, packets.priority, packets.frameBytes);
        const uint64_t threshold = agent->GetTrimThreshold(port);
        // The trimmer compares its threshold with a sum of three: the queue, the frame being sent,
        // and the arriving frame.
        if (threshold < besides || most > threshold - besides)
        {
            return;
        }
        if (first.empty())
        {
            first = " has thresholds above the largest queues, so that all ports drop packets "
                    "instead of trimming them; at port " +
                    std::to_string(port) + " of node " + std::to_string(node) +
                    " the threshold is " + std::to_string(threshold) + " bytes, but " +
                    buffer->GetInstanceTypeId().GetName() + " admits at most " +
                    std::to_string(most) +
                    "; allowed are thresholds of at most that, or larger buffers";
        }
    }
    HPCC_REFUSE_IF(!first.empty(), packets.name + first);
    HPCC_REFUSE_IF(!ports.empty(),
                   packets.name +
                       " trims them at no switch; at least one switch needs "
                       "Priorities with that priority and a Payload below " +
                       std::to_string(packets.payloadBytes) + " bytes");
}

} // namespace

const std::pair<const std::string, Ptr<RdmaRecovery>>&
HpccFabricHelper::Checks::FindRecovery() const
{
    StringValue name;
    m_fabric.GetHost(m_network.topology.GetHosts().front())->GetAttribute("Recovery", name);
    for (const auto& known : m_network.recoveries)
    {
        if (known.first == name.Get())
        {
            return known;
        }
    }
    ObjectFactory factory;
    const bool exists = HpccPresets::Find(RdmaRecovery::GetTypeId(), name.Get(), factory);
    const Ptr<RdmaRecovery> made = exists ? factory.Create<RdmaRecovery>() : nullptr;
    return m_network.recoveries.emplace_back(name.Get(), made);
}

bool
HpccFabricHelper::Checks::UsesSacks() const
{
    const Ptr<RdmaRecovery>& scheme = FindRecovery().second;
    return scheme && scheme->UsesSacks();
}

bool
HpccFabricHelper::Checks::FitsAllPorts(const Ptr<TelemetryFormat>& format, uint32_t bytes)
{
    const auto [known, isNew] = m_network.fits.try_emplace({format, bytes}, true);
    for (size_t i = 0; isNew && known->second && i < m_network.devices.size(); ++i)
    {
        known->second = !m_network.devices[i] ||
                        !m_network.topology.IsSwitch(m_fabric.GetNodeOf(i)) ||
                        bytes <= m_network.devices[i]->GetMaxFrameBytes(PeekPointer(format));
    }
    return known->second;
}

HpccFabricHelper::Checks::FrameGrowth
HpccFabricHelper::Checks::GrowthOf(const PolicySpec& spec, uint32_t host) const
{
    const Ptr<RdmaHost> sender = m_fabric.GetHost(host);
    const uint32_t mtu = sender->GetMtu();
    const auto room = m_network.room.find(spec.format);
    return {mtu,
            sender->DataFrameBytes(mtu, ROCE_WRITE_ONLY, PeekPointer(spec.format)),
            spec.format ? spec.format->GetHopBytes() : 0,
            room == m_network.room.end() ? UINT32_MAX : room->second};
}

uint32_t
HpccFabricHelper::GetArrivingTelemetryBytes(uint32_t node, uint32_t port) const
{
    const uint32_t sender = m_network->edges[node][port].neighbour;
    const uint32_t switches = m_network->topology.IsSwitch(sender) ? m_network->longestPath - 1 : 0;
    uint32_t most = 0;
    for (const auto& [format, name] : m_network->formats)
    {
        const auto room = m_network->room.find(format);
        const uint32_t records =
            room == m_network->room.end() ? switches : std::min(switches, room->second);
        most = std::max(most, format->GetBaseBytes() + records * format->GetHopBytes());
    }
    return most;
}

void
HpccFabricHelper::Checks::NoteTightPorts(const PolicySpec& spec, uint32_t host)
{
    if (!FitsAllPorts(spec.format, GrowthOf(spec, host).BytesWith(m_network.longestPath)))
    {
        m_network.tight.insert(spec.format);
    }
}

void
HpccFabricHelper::Checks::CheckMtus(const PolicySpec& spec,
                                    uint32_t source,
                                    uint32_t destination,
                                    const PortPair& ports,
                                    uint32_t turn,
                                    bool responses)
{
    const FrameGrowth growth = GrowthOf(spec, responses ? destination : source);
    const Ways ways(m_fabric);
    auto states = ways.LinkStates();
    auto pairs = ways.PortsLater(source, destination, ports, turn, states);
    states.insert(states.begin(),
                  {-1, std::vector<bool>(m_network.topology.GetLinks().size(), false)});
    pairs.insert(pairs.begin(), ports);
    for (size_t i = 0; i < states.size(); ++i)
    {
        const auto& down = states[i].down;
        const size_t state = i == 0 ? Ways::WHOLE : i - 1;
        const auto [mine, theirs] = pairs[i];
        const auto& tree = responses ? ways.TreeTo(source, mine, state, down)
                                     : ways.TreeTo(destination, theirs, state, down);
        const auto& first =
            responses ? m_network.edges[destination][theirs] : m_network.edges[source][mine];
        if (!down[first.link] && ways.LeadsTo(tree, first))
        {
            CheckMtus(spec, growth, tree, first.neighbour, down);
        }
    }
}

void
HpccFabricHelper::Checks::CheckMtus(const PolicySpec& spec,
                                    const FrameGrowth& growth,
                                    const Network::Tree& tree,
                                    uint32_t node,
                                    const std::vector<bool>& down) const
{
    using Place = std::tuple<uint32_t, uint32_t, uint32_t>; // switch, number of records of domains
                                                            // that the packet has left, number of
                                                            // records of the packet's present
                                                            // domain
    for (std::set<Place> at{{node, 0, 0}}; !at.empty();)
    {
        std::set<Place> next;
        for (const auto& [here, outside, inside] : at)
        {
            for (const uint16_t port : Ways(m_fabric).PortsOf(tree, here, down))
            {
                const Ptr<QbbNetDevice> device = m_fabric.GetDevice(here, port);
                const uint32_t bytes = growth.BytesWith(outside + inside + 1);
                HPCC_REFUSE_IF(
                    device && bytes > device->GetMaxFrameBytes(PeekPointer(spec.format)),
                    "ns3::QbbNetDevice::Mtu of node " + std::to_string(here) + ", port " +
                        std::to_string(port) + ", is " + std::to_string(device->GetWireMtu()) +
                        ", but frames of ns3::RdmaHost::Mtu " + std::to_string(growth.payload) +
                        (growth.perHop == 0
                             ? " need "
                             : " with telemetry " + spec.telemetryName + " of " +
                                   std::to_string(outside + inside + 1) + " switches need ") +
                        std::to_string(device->GetWireMtu() + bytes -
                                       device->GetMaxFrameBytes(PeekPointer(spec.format))) +
                        "; allowed is that or more, or a smaller ns3::RdmaHost::Mtu (--mtu)");
                const uint32_t neighbour = m_network.edges[here][port].neighbour;
                const bool border = std::count(m_network.borders.begin(),
                                               m_network.borders.end(),
                                               std::pair(here, neighbour)) > 0;
                if (neighbour != tree.host)
                {
                    next.insert(border ? Place{neighbour, outside + 1, 0}
                                       : Place{neighbour, outside, inside + 1});
                }
            }
        }
        at = std::move(next);
    }
}

void
HpccFabricHelper::Checks::CheckBuffers(const RdmaPolicyDescription& needs,
                                       const PolicySpec& spec,
                                       uint32_t host,
                                       Network::Limits& limits)
{
    const Ptr<RdmaHost> sender = m_fabric.GetHost(host);
    const QbbNetDevice& port = sender->GetPort();
    const uint32_t mtu = sender->GetMtu();
    const uint8_t priority = PriorityOf(spec, host);
    const uint32_t data = GrowthOf(spec, host).bytes;
    RequireRoom(data, priority, "packets of ns3::RdmaHost::Mtu " + std::to_string(mtu), limits);
    const uint32_t beside = port.GetMaxFrameBytes(PeekPointer(spec.format)) - port.GetWireMtu();
    if (data - beside > m_network.leastMtu)
    {
        limits.emplace_back([&network = m_network, least = data - beside] {
            network.leastMtu = std::max(network.leastMtu, least);
            for (const auto& device : network.devices)
            {
                if (device)
                {
                    device->RequireMtu(least);
                }
            }
        });
    }
    StringValue echo;
    sender->GetAttribute("CongestionEcho", echo);
    std::vector<std::string> dscps{"AckDscp"};
    if (needs.cnps && echo.Get() == "Cnp")
    {
        dscps.emplace_back("CnpDscp");
    }
    for (const std::string& name : dscps)
    {
        UintegerValue dscp;
        sender->GetAttribute(name, dscp);
        const uint8_t own = port.GetPriority(static_cast<uint8_t>(dscp.Get() << 2));
        const uint32_t bytes = sender->AckFrameBytes(nullptr, 0);
        RequireRoom(bytes,
                    own,
                    "packets of ns3::RdmaHost::" + name + " " + std::to_string(dscp.Get()),
                    limits);
    }
}

void
HpccFabricHelper::Checks::RequireRoom(uint32_t bytes,
                                      uint8_t priority,
                                      const std::string& what,
                                      Network::Limits& limits)
{
    if (m_network.packets.count({bytes, priority}) > 0)
    {
        return;
    }
    for (uint32_t node = 0; node < m_network.topology.GetNodes(); ++node)
    {
        if (m_network.topology.IsSwitch(node) && m_network.IsHere(node))
        {
            m_fabric.GetSwitch(node)->GetBuffer()->CheckRoom(NameNode(node), priority, bytes, what);
        }
    }
    for (size_t i = 0; i < m_network.devices.size(); ++i)
    {
        const uint32_t node = m_fabric.GetNodeOf(i);
        if (m_network.devices[i] && !m_network.topology.IsSwitch(node))
        {
            CheckReceiveBuffer(*m_network.devices[i], node, bytes, priority, what);
        }
    }
    limits.emplace_back([&fabric = m_fabric, &network = m_network, bytes, priority, what] {
        if (network.packets.insert({bytes, priority}).second)
        {
            LimitRoom(fabric, bytes, priority, what);
        }
    });
}

void
HpccFabricHelper::Checks::LimitRoom(const HpccFabricHelper& fabric,
                                    uint32_t bytes,
                                    uint8_t priority,
                                    const std::string& what)
{
    const Network& network = *fabric.m_network;
    for (uint32_t node = 0; node < network.topology.GetNodes(); ++node)
    {
        if (network.topology.IsSwitch(node) && network.IsHere(node))
        {
            const Ptr<BufferPolicy> buffer = fabric.GetSwitch(node)->GetBuffer();
            buffer->RequireFrames(NameNode(node), priority, bytes, what);
        }
    }
    for (size_t i = 0; i < network.devices.size(); ++i)
    {
        const uint32_t node = fabric.GetNodeOf(i);
        if (network.devices[i] && !network.topology.IsSwitch(node))
        {
            network.devices[i]->AddCheck([=](const QbbNetDevice& port) {
                CheckReceiveBuffer(port, node, bytes, priority, what);
            });
        }
    }
}

void
HpccFabricHelper::Checks::RequireStackRoom(const StackPackets& packets, Network::Limits& limits)
{
    const std::string& what = packets.what;
    const uint32_t frame = std::max(packets.bytes + ETHERNET_HEADER_BYTES, MIN_FRAME_BYTES);
    std::set<uint8_t> priorities;
    for (const uint32_t host : m_network.topology.GetHosts())
    {
        QbbNetDevice& port = m_fabric.GetHost(host)->GetPort();
        priorities.insert(port.GetPriority(static_cast<uint8_t>(packets.dscp << 2)));
        const auto check = [host, frame, what](const QbbNetDevice& queued) {
            const uint64_t limit = queued.GetStackQueue().limitBytes;
            HPCC_REFUSE_IF(limit < frame,
                           "node " + std::to_string(host) + ": ns3::QbbNetDevice::QueueLimit is " +
                               std::to_string(limit) + ", allowed is at least " +
                               std::to_string(frame) + ", as " + what +
                               " have up to that many bytes");
        };
        check(port);
        limits.emplace_back([&port, check] { port.AddCheck(check); });
    }
    for (const uint8_t priority : priorities)
    {
        RequireRoom(frame, priority, what, limits);
    }
}

void
HpccFabricHelper::CheckRoom(const std::string& what, uint32_t bytes, uint8_t dscp) const
{
    m_network->RequireComplete("CheckRoom");
    Network::Limits limits;
    Checks(*this).RequireStackRoom({what, bytes, dscp}, limits);
    for (const auto& set : limits)
    {
        set();
    }
}

void
HpccFabricHelper::Checks::CheckTrims(const PolicySpec& spec,
                                     uint32_t host,
                                     Network::Limits& limits) const
{
    const uint32_t mtu = m_fabric.GetHost(host)->GetMtu();
    const FrameGrowth growth = GrowthOf(spec, host);
    const uint32_t bytes = growth.bytes;
    const uint8_t priority = PriorityOf(spec, host);
    const uint32_t largestBytes = growth.BytesWith(m_network.longestPath);
    const std::tuple checked(mtu, largestBytes, priority);
    if (m_network.trimmable.count(checked) > 0)
    {
        return;
    }
    for (const auto& [kind, running] : m_network.switchAgents)
    {
        if (running.name != m_network.trimming || running.agents.empty())
        {
            continue;
        }
        TrimPlan plan = running.agents.front().agent->GetTrimPlan();
        for (const auto& [agent, node] : running.agents)
        {
            plan.leastBytes = std::min(plan.leastBytes, agent->GetTrimPlan().leastBytes);
        }
        const std::string packets = "--trimming " + m_network.trimming + " with packets of " +
                                    std::to_string(mtu) + " bytes of payload and priority " +
                                    std::to_string(priority) + ": " + kind.GetName();
        HPCC_REFUSE_IF(!(plan.priorities >> priority & 1),
                       packets + "::Priorities lacks that priority; it is needed");
        HPCC_REFUSE_IF(plan.payload >= mtu,
                       packets + "::Payload " + std::to_string(plan.payload) +
                           " leaves them whole; allowed is a smaller one");
        HPCC_REFUSE_IF(plan.leastBytes < bytes,
                       packets + " has a threshold of " + std::to_string(plan.leastBytes) +
                           " bytes and trims all of them; allowed are at least " +
                           std::to_string(bytes) + " bytes");
        const TrimmedPackets trimmed{packets, mtu, largestBytes, priority};
        const auto ports = std::make_shared<std::vector<TrimPort>>();
        for (const auto& [agent, node] : running.agents)
        {
            const auto device = m_network.IsHere(node) ? m_fabric.GetSwitch(node) : nullptr;
            for (const auto& edge : m_network.edges[node])
            {
                ports->push_back({device, agent, node, edge.port});
            }
        }
        const auto check = [trimmed, ports] { RequireTrimming(trimmed, *ports); };
        check();
        limits.emplace_back([&network = m_network, checked, check, ports] {
            for (const TrimPort& trimmer : *ports)
            {
                if (trimmer.device && trimmer.port == 0 && network.trimmable.count(checked) == 0)
                {
                    trimmer.device->GetBuffer()->AddCheck(check);
                    trimmer.device->GetPorts()[0]->AddCheck([check](const auto&) { check(); });
                }
            }
        });
    }
    limits.emplace_back([&network = m_network, checked] { network.trimmable.insert(checked); });
}

} // namespace ns3
