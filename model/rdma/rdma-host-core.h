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

#include "ns3/hpcc-node-agenda.h"
#include "ns3/ptr.h"
#include "ns3/qbb-net-device.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * What the parts of a host share: its port, its agenda, its queue pairs and the NIC scheduler. The
 * host owns it and the parts; no part knows the host.
 */
struct RdmaHostCore
{
    /**
     * @param settings the host's attributes
     * @param traces its trace sources
     * @param counts its counters
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
     * Attaches it to a port.
     * @param device the port
     * @param ipv4 the host's IPv4 address
     * @param client handles the host's timer
     */
    void Install(QbbNetDevice& device, uint32_t ipv4, AgendaClient& client)
    {
        port = &device;
        agenda = &device.GetAgenda();
        address = ipv4;
        packets.SetPort(device);
        timerIndex = agenda->Register(AgendaKind::HOST_TIMER, &client);
    }

    /**
     * Makes sure that the host's timers run at a time.
     * @param atNs the time, ns
     */
    void ScheduleTimers(int64_t atNs)
    {
        if (atNs < timersNs)
        {
            timersNs = atNs;
            agenda->Note(AgendaKind::HOST_TIMER, timerIndex, atNs);
        }
    }

    /**
     * Sends a frame of feedback: an ACK, NAK, CNP, probe, notification or repeated request.
     * @param frame the frame, with its size
     */
    void SendFeedback(Frame* frame)
    {
        counts.feedbackBytes += frame->bytes;
        if (!nic || !nic->HoldOutgoing(frame))
        {
            port->Enqueue(frame);
        }
    }

    /**
     * Appends a message to those of a queue pair when the NIC can send its first packet.
     * @param qp the queue pair
     * @param nowNs current time, ns
     * @param append called with the time when the NIC can send the first packet, ns
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
     * Reports a finished message to applications.
     * @param record the message
     * @param report called with it, when applications know
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

    const RdmaHostSettings& settings;                   ///< attributes
    RdmaHostTraces& traces;                             ///< trace sources
    RdmaHostCounts& counts;                             ///< counters
    QbbNetDevice* port{nullptr};                        ///< the port
    NodeAgenda* agenda{nullptr};                        ///< the node's agenda
    RdmaNic* nic{nullptr};                              ///< its delays; null if it has none
    uint32_t address{0};                                ///< IPv4 address
    uint32_t timerIndex{0};                             ///< index of the timer on the agenda
    int64_t timersNs{RdmaTimerHeap::NEVER};             ///< when the timers run next
    RdmaPackets packets;                                ///< fills headers, computes sizes
    RdmaTelemetryReader telemetry;                      ///< reads records
    RdmaConnections connections;                        ///< queue pairs
    RdmaNicScheduler scheduler{connections.queuePairs}; ///< who sends next
    Ptr<UniformRandomVariable> random{CreateObject<UniformRandomVariable>()}; ///< random numbers
};

} // namespace ns3

#endif // RDMA_HOST_CORE_H
