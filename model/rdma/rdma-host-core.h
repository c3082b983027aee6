/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_CORE_H
#define RDMA_HOST_CORE_H

#include "rdma-connections.h"
#include "rdma-host-counters.h"
#include "rdma-host-settings.h"
#include "rdma-host-traces.h"
#include "rdma-message.h"
#include "rdma-nic-scheduler.h"
#include "rdma-nic.h"
#include "rdma-packets.h"
#include "rdma-telemetry-reader.h"
#include "rdma-timer-heap.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/ptr.h"
#include "ns3/qbb-egress.h"
#include "ns3/qbb-net-device.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State shared by the parts of a host: its ports, agenda, queue pairs and NIC schedulers. The host
 * owns this state and the parts; no part refers to the host.
 */
struct RdmaHostCore
{
    static constexpr size_t MAX_PORTS = 64; ///< largest number of ports

    /// A port of the host.
    struct Port
    {
        QbbNetDevice* device;        ///< device of the port
        uint32_t address;            ///< IPv4 address of the port
        RdmaNicScheduler* scheduler; ///< chooses among the queue pairs bound to the port
    };

    /**
     * Creates the shared state of a host.
     * @param settings the host's attributes
     * @param traces the host's trace sources
     * @param counts the host's counters
     */
    RdmaHostCore(const RdmaHostSettings& settings, RdmaHostTraces& traces, RdmaHostCounts& counts)
        : settings(settings),
          traces(traces),
          counts(counts),
          packets(settings),
          telemetry(counts)
    {
    }

    /**
     * Attaches the host to its first port.
     * @param device device of the port
     * @param ipv4 the host's IPv4 address
     * @param client object that handles the timer of the host
     */
    void Install(QbbNetDevice& device, uint32_t ipv4, AgendaClient& client)
    {
        port = &device;
        agenda = &device.GetAgenda();
        address = ipv4;
        packets.SetPort(device);
        timerIndex = agenda->Register(AgendaKind::HOST_TIMER, &client);
        ports.push_back({port, address, &scheduler});
    }

    /**
     * Attaches the host to a further port. Call after Install().
     * @param device device of the port
     * @param ipv4 IPv4 address of the port
     */
    void AddPort(QbbNetDevice& device, uint32_t ipv4)
    {
        connections.AddAddress(ipv4, address);
        furtherSchedulers.emplace_back(connections.queuePairs);
        ports.push_back({&device, ipv4, &furtherSchedulers.back()});
    }

    /**
     * Returns the port of a queue pair.
     * @param qp a queue pair
     */
    const Port& PortOf(const RdmaQueuePair& qp) const
    {
        return ports[qp.port];
    }

    /**
     * Returns the port that has a given address; null if there is no such port.
     * @param ipv4 an IPv4 address
     */
    const Port* FindPort(uint32_t ipv4) const
    {
        const auto found = std::find_if(ports.begin(), ports.end(), [ipv4](const Port& known) {
            return known.address == ipv4;
        });
        return found == ports.end() ? nullptr : &*found;
    }

    /**
     * Finds a port. Throws HpccInputError if the host has no such port.
     * @param number number of the port, counted from 0
     * @return device of the port
     */
    QbbNetDevice& DeviceAt(uint32_t number) const
    {
        HPCC_REFUSE_IF(number >= ports.size(),
                       "ns3::RdmaHost::GetPort: port " + std::to_string(number) +
                           " does not exist; the host has " + std::to_string(ports.size()) +
                           ", counted from 0");
        return *ports[number].device;
    }

    /**
     * Returns the scheduler of a port.
     * @param device a port of this host
     */
    RdmaNicScheduler& SchedulerOf(const QbbNetDevice& device)
    {
        if (&device == port)
        {
            return scheduler;
        }
        const auto found = std::find_if(ports.begin(), ports.end(), [&device](const Port& known) {
            return known.device == &device;
        });
        return *found->scheduler;
    }

    /**
     * Returns the port that has a given address; the first port if there is no such port.
     * @param ipv4 an IPv4 address
     */
    QbbNetDevice& DeviceOf(uint32_t ipv4) const
    {
        const Port* const found = ipv4 == address ? nullptr : FindPort(ipv4);
        return found ? *found->device : *port;
    }

    /**
     * Drops a received frame at the port to which it is addressed.
     * @param frame the frame
     * @param reason reason of the drop
     */
    void Drop(Frame* frame, DropReason reason) const
    {
        DeviceOf(frame->destination).Drop(frame, reason);
    }

    /**
     * Checks the addresses of a frame.
     * @param frame a RoCE frame that has arrived
     * @return true if the destination is this host and the source is the host at the other end of
     * the queue pair. The source is not checked if the queue pair does not exist, or if the frame
     * is a switch's response to the sender
     */
    bool IsAddressed(const Frame& frame) const
    {
        if (frame.destination != address && !FindPort(frame.destination))
        {
            return false;
        }
        // A switch's response to the sender contains the queue pair number at the receiver.
        // Therefore the source is not checked here; RdmaSwitchResponses looks up the queue pair by
        // address. If the queue pair has moved since the packet was sent, the source may be another
        // port of the peer. Therefore the hosts are compared as well as the ports.
        const RdmaQueuePair* qp = connections.Find(frame.destinationQp);
        if (qp && qp->peer == frame.source)
        {
            return true;
        }
        const RdmaEnd* end = connections.FindEnd(frame.destinationQp);
        return !end || end->peer == frame.source ||
               connections.HostOf(end->peer) == connections.HostOf(frame.source) ||
               (frame.opcode == ROCE_SWITCH_RESPONSE && !frame.response.forReceiver);
    }

    /**
     * Finds the requester to which feedback is addressed.
     * @param frame feedback. If its requester has finished and is closed, the frame is freed and
     * not counted. If there is no such requester, or it has not posted a message yet, the port
     * drops the frame and counts the drop
     * @return the queue pair; null if the frame was dropped or freed
     */
    RdmaQueuePair* FindRequester(Frame* frame)
    {
        RdmaQueuePair* qp = connections.Find(frame->destinationQp);
        if (qp && qp->cc)
        {
            return qp;
        }
        const RdmaEnd* end = connections.FindEnd(frame->destinationQp);
        if (qp ? qp->messages > 0 : end && end->done)
        {
            FramePool::Free(frame);
        }
        else
        {
            Drop(frame, DropReason::UNKNOWN_QUEUE_PAIR);
        }
        return nullptr;
    }

    /**
     * Ensures that the timers of the host run at a given time or earlier.
     * @param atNs latest time at which the timers run, ns
     */
    void ScheduleTimers(int64_t atNs)
    {
        if (atNs < timersNs)
        {
            timersNs = atNs;
            agenda->Schedule(AgendaKind::HOST_TIMER, timerIndex, atNs);
        }
    }

    /**
     * Sends a control frame (ACK, NAK, CNP, notification, probe, path probe or repeated READ
     * request) from the port that has the frame's source address.
     * @param frame the frame; its size is set
     */
    void SendFeedback(Frame* frame)
    {
        counts.feedbackBytes += frame->bytes;
        QbbNetDevice& device = DeviceOf(frame->source);
        if (!nic || !nic->HoldOutgoing(device, frame))
        {
            device.GetEgress().Enqueue(frame);
        }
    }

    /**
     * Calls a function that posts a message. The call is delayed until the NIC can send the first
     * packet of the message.
     * @param qp the queue pair
     * @param nowNs current time, ns
     * @param append function that posts the message; its argument is the current time, ns
     */
    template <typename Append>
    void Post(const RdmaQueuePair& qp, int64_t nowNs, Append append)
    {
        if (!nic || !nic->Hold(RdmaNic::POST, qp.number, nowNs, append))
        {
            append(nowNs);
        }
    }

    /**
     * Returns the record of a message with each port's address replaced by the address of the first
     * port of the same host.
     * @param record a finished message, with the addresses of the ports of its queue pair
     */
    RdmaMessageRecord NameHosts(RdmaMessageRecord record) const
    {
        record.source = connections.HostOf(record.source);
        record.destination = connections.HostOf(record.destination);
        return record;
    }

    /**
     * Reports a finished message to applications.
     * @param record the message, see NameHosts()
     * @param report function that is called with the record after the NIC's CompletionDelay
     */
    template <typename Report>
    void Complete(RdmaMessageRecord record, Report report)
    {
        const uint64_t key = uint64_t{record.source} << 32 | record.queuePair;
        if (!nic || !nic->Hold(RdmaNic::COMPLETION,
                               key,
                               record.completedNs,
                               [record, report](int64_t nowNs) mutable {
                                   record.completedNs = nowNs;
                                   report(record);
                               }))
        {
            report(record);
        }
    }

    const RdmaHostSettings& settings; ///< attributes
    RdmaHostTraces& traces;           ///< trace sources
    RdmaHostCounts& counts;           ///< counters
    QbbNetDevice* port{nullptr};      ///< the first port
    NodeAgenda* agenda{nullptr};      ///< the node's agenda
    RdmaNic* nic{nullptr};  ///< adds the processing delays of the NIC; null if there are none
    uint32_t address{0};    ///< IPv4 address of the first port
    uint32_t timerIndex{0}; ///< index of the timer on the agenda
    int64_t timersNs{RdmaTimerHeap::NEVER}; ///< time at which the timers run next, ns
    RdmaPackets packets;                    ///< fills headers and computes sizes of packets
    RdmaTelemetryReader telemetry;          ///< reads telemetry records
    RdmaConnections connections;            ///< queue pairs of the host
    RdmaNicScheduler scheduler{connections.queuePairs}; ///< scheduler of the first port
    std::deque<RdmaNicScheduler> furtherSchedulers;     ///< schedulers of the other ports
    std::vector<Port> ports;                            ///< all ports
    Ptr<UniformRandomVariable> random{CreateObject<UniformRandomVariable>()}; ///< random numbers
};

} // namespace ns3

#endif // RDMA_HOST_CORE_H
