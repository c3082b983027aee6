/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_NETWORK_H
#define HPCC_TEST_NETWORK_H

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/hpcc-frame-sizes.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/qbb-channel.h"
#include "ns3/qbb-net-device.h"
#include "ns3/qbb-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Contains networks of hosts without a transport. In them a test creates and observes every frame.
namespace hpcctest
{

using namespace ns3;

/// Maps DSCP n to priority n.
constexpr const char* DSCP_IS_PRIORITY = "1:1,2:2,3:3,4:4,5:5,6:6,7:7";

/// Returns the address of the host with number @p host.
inline uint32_t
AddressOf(uint32_t host)
{
    return 0x0b000001 + host;
}

/// Properties of a frame that tests compare.
struct Note
{
    int64_t atNs;     ///< time of the event, ns
    uint32_t bytes;   ///< frame size
    uint32_t psn;     ///< packet sequence number
    uint32_t source;  ///< source address
    uint8_t priority; ///< priority
    uint8_t ttl;      ///< TTL
    uint8_t tos;      ///< TOS
    bool hasPacket;   ///< true if the frame contains an ns-3 packet
};

/**
 * The frame handler of a host. It records the frames that arrive or are sent. The port can pull
 * frames from it, whose number the test sets.
 */
class TestHost : public FrameHandler
{
  public:
    /// Creates the next frame of a priority.
    using Maker = std::function<Frame*(uint8_t priority)>;

    bool keepNotes{true};                           ///< true: record frames in arrivals and starts
    std::vector<Note> arrivals;                     ///< frames that have arrived
    std::vector<Note> starts;                       ///< frames whose transmission has started,
                                                    ///< without PFC frames
    std::function<void(Frame&, int64_t)> onReceive; ///< called for each arrival
    std::function<void(Frame&, int64_t)> onStart;   ///< called for each frame whose transmission
                                                    ///< starts, including PFC frames
    std::array<uint64_t, PRIORITIES> toPull{};      ///< number of frames that the port may pull, by
                                                    ///< priority
    Maker make;                                     ///< creates pulled frames

    void ReceiveFrame(QbbNetDevice&, Frame* frame, int64_t nowNs) override
    {
        if (keepNotes)
        {
            arrivals.push_back(NoteOf(*frame, nowNs));
        }
        if (onReceive)
        {
            onReceive(*frame, nowNs);
        }
        FramePool::Free(frame);
    }

    void StartOfTransmission(QbbNetDevice&, Frame& frame, int64_t nowNs) override
    {
        if (keepNotes && frame.kind != Frame::Kind::PFC)
        {
            starts.push_back(NoteOf(frame, nowNs));
        }
        if (onStart)
        {
            onStart(frame, nowNs);
        }
    }

    bool SuppliesFrames() const override
    {
        return true;
    }

    uint8_t ReadyPriorities(QbbNetDevice&, int64_t) override
    {
        uint8_t ready = 0;
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            ready |= (toPull[p] > 0) << p;
        }
        return ready;
    }

    Frame* PullFrame(QbbNetDevice&, uint8_t priority, int64_t) override
    {
        --toPull[priority];
        return make(priority);
    }

    int64_t NextPullNs(QbbNetDevice& port, uint8_t priorities, int64_t freeNs) override
    {
        return ReadyPriorities(port, freeNs) & priorities ? freeNs : NEVER;
    }

  private:
    static Note NoteOf(const Frame& frame, int64_t nowNs)
    {
        return {nowNs,
                frame.bytes,
                frame.psn,
                frame.source,
                frame.priority,
                frame.ttl,
                frame.tos,
                frame.packet != nullptr};
    }
};

/// Properties of a frame to send.
struct FrameSpec
{
    uint32_t bytes{1000};       ///< frame size, at least 60; for encoding, 2 more than a multiple
                                ///< of 4
    uint8_t dscp{3};            ///< DSCP
    uint32_t psn{0};            ///< packet sequence number
    uint32_t source{0};         ///< number of the sending host
    uint32_t destination{1};    ///< number of the receiving host
    uint16_t sourcePort{49152}; ///< UDP source port
    uint8_t ttl{64};            ///< TTL
    uint8_t ecn{ECN_NOT_ECT};   ///< ECN codepoint
    const TelemetryFormat* format{nullptr}; ///< telemetry, included in bytes; null for none
};

/// A port agent that observes every frame that a port admits or sends, after marking and telemetry.
class Observer : public PortAgent
{
  public:
    std::function<void(QbbNetDevice&, Frame&, int64_t)> onDequeue; ///< called when a frame starts
    std::function<void(QbbNetDevice&, Frame&, int64_t)> onEnqueue; ///< called on admission

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override
    {
        if (onDequeue)
        {
            onDequeue(port, frame, nowNs);
        }
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override
    {
        if (onEnqueue)
        {
            onEnqueue(port, frame, nowNs);
        }
    }

    bool WantsEnqueue() const override
    {
        return static_cast<bool>(onEnqueue);
    }
};

/**
 * Returns a SEND packet.
 * @param device device that will send the packet
 * @param spec properties of the packet
 */
inline Frame*
MakeFrame(QbbNetDevice& device, const FrameSpec& spec)
{
    Frame* frame = device.GetAgenda().Frames().Allocate();
    frame->kind = Frame::Kind::ROCE;
    frame->bytes = spec.bytes;
    frame->source = AddressOf(spec.source);
    frame->destination = AddressOf(spec.destination);
    frame->sourcePort = spec.sourcePort;
    frame->destinationPort = ROCE_UDP_PORT;
    frame->protocol = 17;
    frame->tos = static_cast<uint8_t>(spec.dscp << 2 | spec.ecn);
    frame->priority = device.GetPriority(frame->tos);
    frame->ttl = spec.ttl;
    frame->opcode = ROCE_SEND_ONLY;
    frame->bthFlags = 0;
    frame->destinationQp = 2;
    frame->psn = spec.psn;
    frame->ipId = 0;
    frame->ipv6 = false;
    frame->flowHash = HashFiveTuple(frame->source,
                                    frame->destination,
                                    frame->sourcePort,
                                    frame->destinationPort,
                                    frame->protocol);
    uint32_t headers = ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES + BTH_BYTES +
                       ICRC_BYTES + (spec.format ? spec.format->GetBaseBytes() : 0);
    frame->payloadBytes = static_cast<uint16_t>(spec.bytes > headers ? spec.bytes - headers : 0);
    frame->format = spec.format;
    if (spec.format)
    {
        spec.format->Open(frame->telemetry, {ROCE_UDP_PORT, 17, 0});
    }
    return frame;
}

/**
 * Returns a PFC frame.
 * @param device device that will send the frame
 * @param classes bit mask of the priorities that the frame pauses or resumes
 * @param quanta pause times by priority; those outside @p classes are ignored
 */
inline Frame*
MakePfc(QbbNetDevice& device, uint8_t classes, const std::array<uint16_t, PRIORITIES>& quanta)
{
    Frame* frame = device.GetAgenda().Frames().Allocate();
    frame->kind = Frame::Kind::PFC;
    frame->bytes = MIN_FRAME_BYTES;
    frame->opcode = 0;
    frame->tos = 0;
    frame->pfc.classEnable = classes;
    frame->pfc.quanta = quanta;
    return frame;
}

/// Base class of tests with a network, which is destroyed at the end of the test.
class NetworkTestCase : public TestCase
{
  public:
    /// @param name name of the test case
    explicit NetworkTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// Both ends of a link.
    using Ends = std::array<Ptr<QbbNetDevice>, 2>;

    /**
     * Connects two nodes by a link.
     * @param a the first node
     * @param b the second node
     * @param rate line rate
     * @param delay propagation delay
     * @return the devices of both nodes
     */
    Ends Join(Ptr<Node> a, Ptr<Node> b, const std::string& rate, Time delay)
    {
        auto channel = CreateObject<QbbChannel>();
        channel->SetAttribute("Delay", TimeValue(delay));
        m_device.Set("DataRate", StringValue(rate));
        Ends ends;
        for (size_t i = 0; i < 2; ++i)
        {
            ends[i] = m_device.Create<QbbNetDevice>();
            if (m_scheduler.IsTypeIdSet())
            {
                ends[i]->SetAttribute("Scheduler",
                                      PointerValue(m_scheduler.Create<EgressScheduler>()));
            }
            (i == 0 ? a : b)->AddDevice(ends[i]);
            ends[i]->Attach(channel);
        }
        return ends;
    }

    /**
     * Creates two hosts and a link between them. Their ports are m_ports[0] and m_ports[1], and
     * their handlers m_hosts[0] and m_hosts[1].
     * @param rate line rate
     * @param delay propagation delay
     */
    void MakeLink(const std::string& rate, Time delay)
    {
        Ends ends = Join(CreateObject<Node>(), CreateObject<Node>(), rate, delay);
        for (const auto& port : ends)
        {
            AddHost(port);
        }
    }

    /**
     * Creates hosts and connects them to m_switch. Host i is at port i.
     * @param hosts number of hosts
     * @param rate line rate
     * @param delay propagation delay
     */
    void MakeStar(uint32_t hosts, const std::string& rate, Time delay)
    {
        auto hub = CreateObject<Node>();
        for (uint32_t i = 0; i < hosts; ++i)
        {
            AddHost(Join(CreateObject<Node>(), hub, rate, delay)[0]);
        }
        m_switch = CreateObject<QbbSwitch>();
        m_switch->SetAttribute("Buffer", PointerValue(m_buffer.Create<BufferPolicy>()));
        m_switch->SetAttribute("EcnMarker", PointerValue(m_marker.Create<Marker>()));
        m_switch->Install(hub);
        m_switch->AssignStreams(1);
        hub->AggregateObject(m_switch);
        for (uint16_t i = 0; i < hosts; ++i)
        {
            m_switch->GetRoutes().SetRoute(AddressOf(i), {i});
        }
    }

    /// Installs a TestHost at the port of a host. It sends plain frames.
    /// @param port the port
    void AddHost(Ptr<QbbNetDevice> port)
    {
        auto host = std::make_unique<TestHost>();
        auto source = static_cast<uint32_t>(m_hosts.size());
        host->make = [port = PeekPointer(port), source, number = 0U](uint8_t priority) mutable {
            FrameSpec spec;
            spec.dscp = priority;
            spec.source = source;
            spec.destination = source == 0 ? 1 : 0;
            spec.psn = number++;
            return MakeFrame(*port, spec);
        };
        port->SetFrameHandler(host.get());
        m_ports.push_back(port);
        m_hosts.push_back(std::move(host));
    }

    /**
     * Queues a frame at a host now.
     * @param host number of the host
     * @param spec properties of the frame
     */
    void Send(uint32_t host, const FrameSpec& spec)
    {
        m_ports[host]->Enqueue(MakeFrame(*m_ports[host], spec));
    }

    /**
     * Sends four ECN-capable frames from each of hosts 0 and 1 to host 2 at once, and runs the
     * simulation.
     * @return for each frame that arrived, in order, '+' if it is marked and '-' if it is not
     */
    std::string MarksOfTwoBursts()
    {
        for (uint32_t source : {0, 1})
        {
            FrameSpec spec;
            spec.source = source;
            spec.destination = 2;
            spec.ecn = ECN_ECT0;
            for (int i = 0; i < 4; ++i)
            {
                Send(source, spec);
            }
        }
        Simulator::Run();
        std::string marks;
        for (const auto& note : m_hosts[2]->arrivals)
        {
            marks += (note.tos & 3) == ECN_CE ? '+' : '-';
        }
        return marks;
    }

    /**
     * Schedules an action.
     * @param at time of the action
     * @param action the action
     */
    static void At(Time at, std::function<void()> action)
    {
        Simulator::Schedule(at, [action = std::move(action)] { action(); });
    }

    /// @return number of frames of all hosts and of the switch that have not returned to their
    /// pools
    uint64_t GetOutstandingFrames() const
    {
        uint64_t frames = 0;
        for (const auto& port : m_ports)
        {
            frames += port->GetAgenda().Frames().GetOutstanding();
        }
        if (m_switch)
        {
            frames += m_switch->GetPorts().front()->GetAgenda().Frames().GetOutstanding();
        }
        return frames;
    }

    void DoSetup() override
    {
        m_device.SetTypeId("ns3::QbbNetDevice");
        m_device.Set("DscpToPriority", StringValue(DSCP_IS_PRIORITY));
        m_buffer.SetTypeId("ns3::SharedBuffer");
        m_marker.SetTypeId("ns3::EcnMarker");
    }

    void DoTeardown() override
    {
        m_ports.clear();
        m_switch = nullptr;
        Simulator::Destroy();
        m_hosts.clear();
    }

    ObjectFactory m_device;    ///< factory of devices
    ObjectFactory m_buffer;    ///< factory of switch buffers
    ObjectFactory m_marker;    ///< factory of markers
    ObjectFactory m_scheduler; ///< factory of schedulers; without a type id, the default scheduler
                               ///< is used
    std::vector<Ptr<QbbNetDevice>> m_ports;         ///< ports of the hosts
    std::vector<std::unique_ptr<TestHost>> m_hosts; ///< handlers of the hosts
    Ptr<QbbSwitch> m_switch;                        ///< switch of the star
};

} // namespace hpcctest

#endif // HPCC_TEST_NETWORK_H
