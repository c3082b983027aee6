/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_PORT_TRACES_H
#define QBB_PORT_TRACES_H

#include "hpcc-drop-reason.h"
#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"
#include "qbb-channel.h"
#include "qbb-port-counters.h"
#include "qbb-port-watch.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The trace sources of a port (registered by QbbNetDevice::GetTypeId()), and the functions that
 * drop frames of the port. A frame is converted to an ns-3 packet only if a connected trace source
 * or the receive error model needs a packet.
 */
class QbbPortTraces
{
  public:
    /**
     * Creates the trace sources of a port.
     * @param end link end of the port, which provides its address
     * @param counts counters of the port
     */
    QbbPortTraces(const QbbLinkEnd& end, QbbPortCounts& counts)
        : m_end(end),
          m_portCounts(counts)
    {
    }

    /// Direction of a frame, which determines its MAC addresses.
    enum class Way : uint8_t
    {
        IN,  ///< the frame has arrived; the source address is the neighbour's
        OUT, ///< the frame is about to leave; the source address is this port's
    };

    /**
     * Counts, traces and frees a dropped frame.
     * @param frame frame to drop
     * @param reason reason for the drop
     * @param way whether the frame arrives or leaves
     */
    void Drop(Frame* frame, DropReason reason, Way way = Way::IN);

    /**
     * Counts and traces a packet that does not become a frame.
     * @param packet the packet, from the IP header on
     * @param reason reason for the drop
     */
    void DropPacket(Ptr<const Packet> packet, DropReason reason);

    /**
     * Converts a frame to an ns-3 packet.
     * @param frame a frame of this port
     * @param way whether the frame arrives or leaves
     * @return the packet, with the present bytes of the frame; its uid is the same at all hops
     */
    Ptr<const Packet> PacketOf(Frame& frame, Way way) const;

    /// Returns true if a connected trace source needs packets.
    bool WantPackets() const;

    /**
     * Adds an object to be called for every frame, see QbbNetDevice::AddWatch().
     * @param watch the object. An object that already belongs to a port throws HpccInputError,
     * because a watch stores its successor in the port's list and therefore fits only one list
     */
    void AddWatch(QbbPortWatch& watch)
    {
        HPCC_REFUSE_IF(watch.m_used,
                       "ns3::QbbNetDevice::AddWatch: the object belongs to a port already; allowed "
                       "is one of its own for each port");
        watch.m_used = true;
        watch.m_next = m_watch;
        m_watch = &watch;
    }

    /**
     * Fires the trace of an ECN mark.
     * @param frame the frame just marked
     */
    void NotifyEcnMark(Frame& frame)
    {
        TracePacket(m_ecnMarkTrace, frame, Way::OUT);
    }

    /**
     * Fires the trace of a frame that joins an egress queue or, at an idle port, is sent
     * immediately.
     * @param frame the frame
     */
    void NotifyEnqueue(Frame& frame)
    {
        TracePacket(m_enqueueTrace, frame, Way::OUT);
    }

    /**
     * Fires the traces and calls the watches for a frame whose transmission starts.
     * @param frame frame whose first bit is sent now
     * @param nowNs current time, ns
     */
    void NotifyTransmit(Frame& frame, int64_t nowNs)
    {
        for (QbbPortWatch* watch = m_watch; watch; watch = watch->m_next)
        {
            watch->Transmitted(nowNs, frame);
        }
        if (!m_transmitTrace.IsEmpty())
        {
            m_transmitTrace(nowNs, frame);
        }
        TracePacket(m_dequeueTrace, frame, Way::OUT);
        TracePacket(m_snifferTrace, frame, Way::OUT);
    }

    /**
     * Fires the trace of a frame that has arrived, PFC included.
     * @param frame frame that has arrived
     */
    void NotifyArrival(Frame& frame)
    {
        TracePacket(m_snifferTrace, frame, Way::IN);
    }

    /**
     * Fires the trace of a frame that has been received and is not PFC.
     * @param frame frame that has been received
     */
    void NotifyReceive(Frame& frame)
    {
        TracePacket(m_macRxTrace, frame, Way::IN);
    }

    /**
     * Fires the trace and calls the watches for a change of an egress queue.
     * @param priority priority of the queue
     * @param bytes bytes in the queue
     * @param portBytes bytes in all queues of the port
     * @param nowNs current time, ns
     */
    void NotifyQueue(uint8_t priority, uint64_t bytes, uint64_t portBytes, int64_t nowNs)
    {
        for (QbbPortWatch* watch = m_watch; watch; watch = watch->m_next)
        {
            watch->QueueChanged(portBytes, nowNs);
        }
        if (!m_queueBytesTrace.IsEmpty())
        {
            m_queueBytesTrace(priority, bytes, portBytes, nowNs);
        }
    }

    /**
     * Fires the trace of a sent PFC frame, for each priority in it.
     * @param frame sent PFC frame
     */
    void NotifyPfcSent(const Frame& frame);

    /**
     * Fires the trace of a received PFC frame.
     * @param priority a priority in the frame
     * @param quanta pause time of this priority, in units of 512 bit times; 0 resumes
     */
    void NotifyPfcReceived(uint8_t priority, uint16_t quanta)
    {
        m_pfcReceivedTrace(priority, quanta);
    }

    /**
     * Fires the trace of the start of a pause.
     * @param priority priority that is paused, 0 to 7
     * @param nowNs current time, ns
     */
    void NotifyPauseStart(uint8_t priority, int64_t nowNs)
    {
        m_pauseStartTrace(priority, nowNs);
    }

    /**
     * Fires the trace of the end of a pause.
     * @param priority priority that was paused, 0 to 7
     * @param startNs start of the pause, ns
     * @param nowNs current time, ns
     * @param expired true if the timer of the pause expired
     */
    void NotifyPauseEnd(uint8_t priority, int64_t startNs, int64_t nowNs, bool expired)
    {
        m_pauseEndTrace(priority, startNs, nowNs, expired);
    }

  private:
    /// QbbNetDevice::GetTypeId() registers the trace sources.
    friend class QbbNetDevice;

    TracedCallback<Ptr<const Packet>> m_enqueueTrace;          ///< trace source Enqueue
    TracedCallback<Ptr<const Packet>> m_dequeueTrace;          ///< trace source Dequeue
    TracedCallback<Ptr<const Packet>> m_ecnMarkTrace;          ///< trace source EcnMark
    TracedCallback<Ptr<const Packet>> m_macRxTrace;            ///< trace source MacRx
    TracedCallback<Ptr<const Packet>> m_snifferTrace;          ///< trace source PromiscSniffer
    TracedCallback<Ptr<const Packet>, DropReason> m_dropTrace; ///< trace source Drop
    TracedCallback<uint8_t, uint64_t, uint64_t, int64_t> m_queueBytesTrace; ///< trace QueueBytes
    TracedCallback<int64_t, const Frame&> m_transmitTrace;           ///< trace source Transmit
    TracedCallback<uint8_t, uint16_t> m_pfcSentTrace;                ///< trace source PfcSent
    TracedCallback<uint8_t, uint16_t> m_pfcReceivedTrace;            ///< trace source PfcReceived
    TracedCallback<uint8_t, int64_t> m_pauseStartTrace;              ///< trace source PauseStart
    TracedCallback<uint8_t, int64_t, int64_t, bool> m_pauseEndTrace; ///< trace source PauseEnd

    /**
     * Fires a trace of packets, if it is connected.
     * @param trace trace source to fire
     * @param frame frame that the sinks get as a packet
     * @param way whether the frame arrives or leaves
     */
    void TracePacket(const TracedCallback<Ptr<const Packet>>& trace, Frame& frame, Way way)
    {
        if (!trace.IsEmpty())
        {
            trace(PacketOf(frame, way));
        }
    }

    const QbbLinkEnd& m_end;        ///< the port
    QbbPortCounts& m_portCounts;    ///< counters
    QbbPortWatch* m_watch{nullptr}; ///< first of the watches
};

} // namespace ns3

#endif // QBB_PORT_TRACES_H
