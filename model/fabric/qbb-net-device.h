/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "hpcc-drop-reason.h"
#include "hpcc-dscp-priority-map.h"
#include "hpcc-egress-scheduler.h"
#include "hpcc-frame-handler.h"
#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"
#include "hpcc-stack-port.h"
#include "qbb-channel.h"
#include "qbb-link-end.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * An Ethernet port with eight priorities and priority-based flow control (IEEE 802.1Qbb).
 *
 * Egress: one queue per priority; an EgressScheduler decides which one sends, by default a
 * PriorityScheduler. PFC frames go before everything else. At a host, a free port also pulls from
 * the node's FrameHandler; within a priority, queued ACKs go before pulled data and other queued
 * frames alternate with it.
 *
 * A transmission takes exactly bytes * 8 / rate: the part below 1 ns is carried from frame to frame
 * while the port is busy, so any rate runs at its exact value on ns-3's clock of 1 ns.
 *
 * ns-3 Packets are made only for a receive error model, a connected trace source or ns-3's IP
 * stack.
 */
class QbbNetDevice : public NetDevice, public QbbLinkEnd
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    QbbNetDevice();
    ~QbbNetDevice() override;

    /// Signature of Enqueue, Dequeue, EcnMark and the packet traces.
    typedef void (*PacketTracedCallback)(Ptr<const Packet> packet);
    /// Signature of Drop.
    typedef void (*DropTracedCallback)(Ptr<const Packet> packet, DropReason reason);
    /// Signature of PfcSent and PfcReceived: priority, pause time in quanta of 512 bit times (0
    /// resumes).
    typedef void (*PfcTracedCallback)(uint8_t priority, uint16_t quanta);
    /// Signature of PauseStart: priority, time in ns.
    typedef void (*PauseStartTracedCallback)(uint8_t priority, int64_t nowNs);
    /// Signature of PauseEnd: priority, start and end in ns, true if the pause timer ran out.
    typedef void (*PauseEndTracedCallback)(uint8_t priority,
                                           int64_t startNs,
                                           int64_t endNs,
                                           bool expired);
    /// Signature of QueueBytes: priority, bytes in its queue, bytes in all queues of the port.
    typedef void (*QueueBytesTracedCallback)(uint8_t priority, uint64_t bytes, uint64_t portBytes);
    /// Signature of Transmit: start of transmission in ns, frame bytes, payload bytes, telemetry
    /// and feedback bytes.
    typedef void (*TransmitTracedCallback)(int64_t nowNs, const Frame& frame);

    /**
     * Joins a channel. The node must be set before.
     * @param channel the channel
     */
    void Attach(Ptr<QbbChannel> channel);

    /// Sets the handler of the node's frames.
    /// @param handler the handler; null hands IP frames to ns-3's stack and drops others
    void SetFrameHandler(FrameHandler* handler);

    /**
     * Queues a frame for transmission, or starts it if the port is idle.
     * @param frame the frame, priority set; owned by the device from now on
     */
    void Enqueue(Frame* frame);

    /**
     * Sends a frame made here, ahead of all queues but after PFC frames. It obeys the pause of its
     * priority, waits in no queue that telemetry or a buffer would count, and may be emitted while
     * another frame starts.
     * @param frame the frame; its priority follows from its DSCP
     */
    void Emit(Frame* frame);

    /**
     * Makes the port call PullFrame() after a change that may let it return a frame.
     * @param atNs the earliest time at which it might, ns
     */
    void Kick(int64_t atNs);

    /**
     * Asks the neighbour to pause a priority, and keeps asking until ReleasePause().
     * @param priority the priority
     */
    void RequestPause(uint8_t priority);

    /**
     * Lets the neighbour resume.
     * @param priority the priority
     */
    void ReleasePause(uint8_t priority);

    /**
     * Counts, traces and frees a frame that goes no further.
     * @param frame the frame
     * @param reason the reason
     */
    void Drop(Frame* frame, DropReason reason);

    /**
     * Schedules that the link of this end goes down or comes up. Both ends must get the same plan,
     * because neither signals it to the other.
     *
     * Down: what is queued here and what is on its way is lost and dropped with
     * DropReason::LINK_DOWN, as is what is sent before the link is up again; pauses in both
     * directions end. Up: the port starts with what there is to send.
     * @param atNs when, ns, not before now
     * @param up whether it comes up
     */
    void ScheduleLink(int64_t atNs, bool up);

    /**
     * Counts and traces a packet that does not become a frame.
     * @param packet the packet, from the IP header on
     * @param reason the reason
     */
    void DropPacket(Ptr<const Packet> packet, DropReason reason);

    /**
     * Fires the trace of an ECN mark.
     * @param frame the frame just marked
     */
    void NotifyEcnMark(Frame& frame);

    /**
     * Passes an IP frame to ns-3's stack.
     * @param frame the frame; freed
     */
    void DeliverToStack(Frame* frame);

    /// @return true if somebody receives packets, ns-3's stack as a rule
    bool HasReceiver() const
    {
        return !m_receive.IsNull();
    }

    /**
     * Calls those who receive packets, of whom there is one.
     * @param packet the packet, from the IP header on
     * @param etherType its EtherType
     */
    void HandUp(Ptr<Packet> packet, uint16_t etherType);

    /// @return priorities whose queues of the stack are stopped, one bit each
    uint8_t GetStopped() const
    {
        return m_stopped;
    }

    /**
     * Sets which queues of the stack are stopped: StackPort::QueueShrank() is called for these.
     * @param priorities theirs, one bit each
     */
    void SetStopped(uint8_t priorities)
    {
        m_stopped = priorities;
    }

    /// @return the side that ns-3's stack sees, made by the first call. Aborts with one line if the
    /// build has none
    StackPort& GetStackPort();

    void NotifyLinkUp(QbbChannel* channel) override;

    /**
     * @param frame a frame of this port
     * @return the frame as an ns-3 packet with its bytes of this moment; the same uid along the
     * whole path
     */
    Ptr<const Packet> PacketOf(Frame& frame);

    /// @return line rate, bit/s
    uint64_t GetRateBps() const
    {
        return m_rateBps;
    }

    /**
     * @param priority a priority
     * @return true if the neighbour pauses it
     */
    bool IsPaused(uint8_t priority) const
    {
        return m_paused >> priority & 1;
    }

    /**
     * @param priority a priority
     * @return when its current or last pause began, ns
     */
    int64_t GetPausedSinceNs(uint8_t priority) const
    {
        return m_pause[priority].sinceNs;
    }

    /**
     * Drops all frames that wait in a queue.
     * @param priority the queue
     * @param reason the reason
     */
    void DropQueue(uint8_t priority, DropReason reason);

    /// @return the channel, for the hot path
    QbbChannel* GetQbbChannel() const
    {
        return PeekPointer(m_channel);
    }

    /// @return bytes waiting in all queues, frames without FCS
    uint64_t GetQueueBytes() const
    {
        return m_totalBytes;
    }

    /**
     * @param priority a priority
     * @return bytes waiting in its queue
     */
    uint64_t GetQueueBytes(uint8_t priority) const
    {
        return m_queues[priority].bytes;
    }

    /**
     * Returns the ingress ports of a queue's frames.
     * @param priority its priority
     * @return ports by which its frames entered the switch, each once, ascending
     */
    std::vector<uint16_t> GetIngressPorts(uint8_t priority) const;

    /// @return bytes in all queues above which packets of ns-3's stack are dropped
    uint64_t GetQueueLimitBytes() const
    {
        return m_queueLimitBytes;
    }

    /// @return bytes in the queue of a priority from which on the stack's queue is stopped
    uint64_t GetQueueStopBytes() const
    {
        return m_queueStopBytes;
    }

    /// Offloads of the port for the stack's TCP, see the attributes.
    struct Offload
    {
        bool tso;              ///< Tso
        bool gro;              ///< Gro
        uint16_t mtu;          ///< TsoMtu, bytes
        uint16_t segmentBytes; ///< TsoSegment, bytes; 0 is what the Mtu allows
        int64_t gapNs;         ///< GroGap, ns
        int64_t timeoutNs;     ///< GroTimeout, ns
    };

    /// @return what the port does for the stack's TCP
    Offload GetOffload() const
    {
        return {m_tso,
                m_gro,
                m_tsoMtu,
                m_tsoSegmentBytes,
                m_groGap.GetNanoSeconds(),
                m_groTimeout.GetNanoSeconds()};
    }

    /// @return largest packet on the wire, bytes from the IP header on; GetMtu() is what the stack
    /// is offered
    uint16_t GetWireMtu() const
    {
        return m_mtu;
    }

    /// @return MAC address at the other end of the channel
    Address GetPeerAddress() const;

    /// @return bytes sent so far, in the unit of the line rate (see attribute CountOverhead)
    uint64_t GetTxBytes() const
    {
        return m_txBytes;
    }

    /// Counts sent bytes by priority from now on, as a port whose scheduler wants them does anyway.
    void CountClasses()
    {
        m_countsClasses = true;
    }

    /**
     * @param priority a priority
     * @return bytes sent so far in frames of this priority, in the unit of the line rate, since
     * CountClasses()
     */
    uint64_t GetTxBytes(uint8_t priority) const
    {
        return m_classTxBytes[priority];
    }

    /// @return priority of the frame whose transmission has started last, since CountClasses();
    /// PRIORITIES if it was a PFC frame, or there was none
    uint8_t GetLastPriority() const
    {
        return m_lastPriority;
    }

    /// @return what decides which priority sends next, and knows their shares; once attached
    const EgressScheduler& GetScheduler() const
    {
        return *m_scheduler;
    }

    /**
     * @param priority a priority
     * @return the first frame in its queue; null if it is empty. Frame::arrivalNs is when it joined
     */
    const Frame* GetHead(uint8_t priority) const
    {
        return m_queues[priority].head;
    }

    /// @return when the frame in transmission ends, or the last one ended, ns
    int64_t GetFreeNs() const
    {
        return m_freeNs;
    }

    /// @return frames sent so far, PFC frames excluded: this port's packet-hops
    uint64_t GetTxFrames() const
    {
        return m_txFrames;
    }

    /**
     * @param reason a reason
     * @return frames dropped at this device for it
     */
    uint64_t GetDrops(DropReason reason) const
    {
        return m_drops[static_cast<size_t>(reason)];
    }

    /// @return frames dropped at this device
    uint64_t GetDrops() const;

    /// @return pause intervals that have begun here
    uint64_t GetPauses() const
    {
        return m_pauses;
    }

    /// @return pause intervals that have ended here
    uint64_t GetPausesEnded() const
    {
        return m_pausesEnded;
    }

    /// @return time in pause, ns, summed over the priorities, closed intervals only
    int64_t GetPausedNs() const
    {
        return m_pausedNs;
    }

    /**
     * @param priority a priority
     * @return end of its last pause here, ns; negative if there was none. A frame of it that has
     * arrived by then and goes out now was held up by a pause.
     */
    int64_t GetResumedNs(uint8_t priority) const
    {
        return m_pause[priority].endNs;
    }

    /// @return lossless priorities, one bit each
    uint8_t GetLosslessPriorities() const
    {
        return m_pfcEnabled ? m_lossless : 0;
    }

    /**
     * @param tos the TOS byte of a frame
     * @return the priority that it has at this port
     */
    uint8_t GetPriority(uint8_t tos) const
    {
        return m_dscpMap[tos];
    }

    /**
     * @param bytes a frame's size without FCS
     * @return bytes by which it occupies the link
     */
    uint32_t GetLinkBytes(uint32_t bytes) const;

    /// @return true if times are shortened to whole ns below them (attribute WholeNanoseconds)
    bool TruncatesToNanoseconds() const
    {
        return m_wholeNanoseconds;
    }

    /// @return largest frame that this port sends, with a telemetry tag and without FCS
    uint32_t GetMaxFrameBytes() const;

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    static constexpr uint64_t BITS_NS =
        8ULL * 1000 * 1000 * 1000; ///< bits a byte times ns a second

    /// A queue of frames.
    struct FrameQueue
    {
        Frame* head{nullptr}; ///< first
        Frame* tail{nullptr}; ///< last
        uint64_t bytes{0};    ///< their bytes

        /// Appends a frame at the end.
        /// @param frame the frame
        void Push(Frame* frame);
        /// @return the first, removed
        Frame* Pop();
        /**
         * @param open priorities, one bit each
         * @return their first frame, removed; null if none
         */
        Frame* PopFirst(uint8_t open);
    };

    /// Pause state of a priority.
    struct Pause
    {
        int64_t untilNs{0};   ///< end of the received pause
        int64_t sinceNs{0};   ///< its beginning
        int64_t endNs{-1};    ///< when the last one ended
        int64_t refreshNs{0}; ///< when to repeat the sent pause; 0 if none is asked for
    };

    /// @param rate line rate, 1 kb/s to 10 Tb/s
    void SetRate(DataRate rate);
    /// @return line rate
    DataRate GetRate() const;
    /// @param rate attribute ReceiveDrainRate
    void SetDrainRate(DataRate rate);
    /// @return attribute ReceiveDrainRate
    DataRate GetDrainRate() const;
    /// @param priorities attribute LosslessPriorities
    void SetLossless(uint8_t priorities);
    /// @return attribute LosslessPriorities
    uint8_t GetLossless() const;
    /// @param scheduler attribute Scheduler
    void SetScheduler(Ptr<EgressScheduler> scheduler);
    /// @return attribute Scheduler
    Ptr<EgressScheduler> GetSchedulerObject() const;
    /// @param text see EgressScheduler::Classes
    void SetWeights(std::string text);
    /// @return the weights as text
    std::string GetWeights() const;
    /// @param bytes attribute Quantum
    void SetQuantum(uint32_t bytes);
    /// @return attribute Quantum
    uint32_t GetQuantum() const;
    /// Hands the scheduler, once there is one, what the attributes say about the priorities.
    void ConfigureScheduler();
    /// @param text see DscpPriorityMap
    void SetDscpMap(std::string text);
    /// @return the map as text
    std::string GetDscpMap() const;

    /// Starts the next frame if the port is free and one may go.
    /// @param nowNs current time
    void TransmitNext(int64_t nowNs);
    /**
     * @param nowNs current time
     * @return the next frame by priority, or null
     */
    Frame* SelectFrame(int64_t nowNs);

    /// Reports the start of a frame to the scheduler, if it watches its priority.
    /// @param priority its priority
    void CountServed(uint8_t priority)
    {
        if (m_watched >> priority & 1)
        {
            m_scheduler->Served(priority);
        }
    }

    /**
     * Counts a frame that starts for its class.
     * @param frame the frame
     * @param txBytes what it adds to the bytes sent
     * @param linkBytes by which it occupies the link
     */
    void CountClass(const Frame& frame, uint32_t txBytes, uint32_t linkBytes);
    /**
     * Starts the transmission of a frame.
     * @param frame the frame, whose first bit leaves now
     * @param nowNs current time
     */
    void StartTransmission(Frame* frame, int64_t nowNs);

    /// @return true if a frame waits in a queue
    bool HasQueued() const
    {
        return m_queued || m_control.head || m_emitted.head;
    }

    /**
     * Changes the state of the link.
     * @param up true if it comes up, false if it goes down
     * @param nowNs current time
     */
    void ChangeLink(bool up, int64_t nowNs);
    /**
     * Drops all frames of a queue.
     * @param queue the queue
     * @param reason the reason for the drops
     */
    void Lose(FrameQueue& queue, DropReason reason);
    /// Drops all frames that wait here and ends all pauses.
    /// @param nowNs current time
    void GoDown(int64_t nowNs);
    /// Makes sure that TransmitNext() runs at a time.
    /// @param atNs the time, ns
    void NoteWake(int64_t atNs);
    /**
     * Handles a frame that has arrived.
     * @param frame the frame
     * @param nowNs current time
     */
    void Receive(Frame* frame, int64_t nowNs);
    /**
     * Hands a frame that has passed the receive buffer to the node.
     * @param frame the frame
     * @param nowNs current time
     */
    void Deliver(Frame* frame, int64_t nowNs);
    /**
     * Puts a frame into the receive buffer, or drops it if there is no room.
     * @param frame the frame
     * @param nowNs current time
     */
    void JoinReceiveBuffer(Frame* frame, int64_t nowNs);
    /// Takes the next frame out of the receive buffer and delivers it.
    /// @param nowNs current time
    void DrainReceiveBuffer(int64_t nowNs);
    /**
     * Handles a PFC frame.
     * @param frame the frame
     * @param nowNs current time
     */
    void ReceivePfc(const Frame& frame, int64_t nowNs);
    /**
     * Ends the pause of a priority.
     * @param priority the priority
     * @param nowNs current time
     * @param expired true if the timer ran out
     */
    void EndPause(uint8_t priority, int64_t nowNs, bool expired);
    /**
     * Sends a PFC frame for a priority.
     * @param priority the priority
     * @param quanta pause time
     */
    void SendPfc(uint8_t priority, uint16_t quanta);
    /**
     * Fires a trace for each priority of a PFC frame.
     * @param frame a PFC frame
     * @param trace the trace
     */
    void TracePfc(const Frame& frame, const TracedCallback<uint8_t, uint16_t>& trace) const;
    /// Informs the trace and the stack's queue of a priority that its queue has changed.
    /// @param priority the priority
    void NotifyQueue(uint8_t priority);
    /**
     * @param quanta units of 512 bit times
     * @return ns
     */
    int64_t QuantaNs(uint16_t quanta) const;

    // Hot in transmission.
    FrameHandler* m_handler{nullptr};      ///< what the node does with frames
    QbbChannel* m_link{nullptr};           ///< the channel, once it has both ends
    int64_t m_freeNs{0};                   ///< when the port can start a frame
    uint64_t m_remainder{0};               ///< exact end minus m_freeNs, in ns / rate
    uint64_t m_rateBps;                    ///< line rate
    int64_t m_wakeNs{FrameHandler::NEVER}; ///< earliest noted wake
    uint64_t m_totalBytes{0};              ///< bytes in all queues
    uint64_t m_txBytes{0};                 ///< bytes sent, in the unit of the line rate
    uint64_t m_txFrames{0};                ///< frames sent
    uint8_t m_queued{0};                   ///< priorities with frames
    uint8_t m_paused{0};                   ///< priorities paused by the neighbour
    uint8_t m_lossless;                    ///< lossless priorities
    uint8_t m_watched{0};                  ///< priorities whose frames the scheduler counts
    bool m_pulls{false};                   ///< the handler supplies frames
    uint8_t m_pulledLast{0};               ///< priorities whose last frame was pulled
    bool m_countsClasses{false};           ///< bytes are counted by priority
    bool m_starting{false};                ///< a frame is being started: its end is not known yet
    bool m_ethernetOverhead;               ///< attribute
    bool m_countOverhead;                  ///< attribute
    bool m_wholeNanoseconds;               ///< attribute
    bool m_pfcEnabled;                     ///< attribute
    uint8_t m_stopped{0};                  ///< see GetStopped()
    uint8_t m_linkEpoch{0};                ///< how often the link has gone down, modulo 256
    Ptr<EgressScheduler> m_scheduler;      ///< which priority is next; null until attached
    std::array<FrameQueue, PRIORITIES> m_queues; ///< egress queues
    FrameQueue m_control;                        ///< PFC frames
    FrameQueue m_emitted;                        ///< emitted frames
    DscpPriorityMap m_dscpMap;                   ///< DSCP to priority
    Ptr<ErrorModel> m_receiveErrorModel;         ///< attribute
    uint64_t m_drainBps;                         ///< attribute ReceiveDrainRate; 0 is unlimited
    TracedCallback<int64_t, const Frame&> m_transmitTrace;         ///< Transmit
    TracedCallback<Ptr<const Packet>> m_dequeueTrace;              ///< Dequeue
    TracedCallback<Ptr<const Packet>> m_snifferTrace;              ///< PromiscSniffer
    TracedCallback<Ptr<const Packet>> m_enqueueTrace;              ///< Enqueue
    TracedCallback<uint8_t, uint64_t, uint64_t> m_queueBytesTrace; ///< QueueBytes
    TracedCallback<Ptr<const Packet>> m_macRxTrace;                ///< MacRx

    // Classes.
    EgressScheduler::Classes m_classes;                ///< as given to the scheduler last
    std::array<uint64_t, PRIORITIES> m_classTxBytes{}; ///< bytes sent by priority
    uint8_t m_lastPriority{PRIORITIES};                ///< of the frame that started last

    // Flow control.
    std::array<Pause, PRIORITIES> m_pause; ///< pause state by priority
    uint16_t m_pauseQuanta;                ///< attribute
    uint64_t m_pauses{0};                  ///< intervals begun
    uint64_t m_pausesEnded{0};             ///< intervals ended
    int64_t m_pausedNs{0};                 ///< paused time

    // Receive buffer of a host.
    uint64_t m_receiveBufferBytes; ///< attribute
    uint64_t m_receivePauseBytes;  ///< attribute
    uint64_t m_receiveResumeBytes; ///< attribute
    FrameQueue m_receiveQueue;     ///< frames being drained
    uint64_t m_drainRemainder{0};  ///< exact end of draining minus its whole ns, in ns / rate

    // ns-3 side.
    Ptr<QbbChannel> m_channel;                        ///< the channel
    std::vector<std::pair<int64_t, bool>> m_linkPlan; ///< planned changes: when, whether up
    Ptr<Node> m_node;                                 ///< the node
    Mac48Address m_address;                           ///< MAC address
    uint32_t m_ifIndex{0};                            ///< interface index
    uint16_t m_mtu;                                   ///< attribute
    uint64_t m_queueLimitBytes;                       ///< attribute
    uint64_t m_queueStopBytes;                        ///< attribute
    bool m_tso;                                       ///< attribute
    bool m_gro;                                       ///< attribute
    uint16_t m_tsoMtu;                                ///< attribute
    uint16_t m_tsoSegmentBytes;                       ///< attribute
    Time m_groGap;                                    ///< attribute
    Time m_groTimeout;                                ///< attribute
    Ptr<StackPort> m_stack;                           ///< see GetStackPort()
    NetDevice::ReceiveCallback m_receive;             ///< receives packets
    PromiscReceiveCallback m_promiscuous;             ///< receives them before
    TracedCallback<> m_linkChange;                    ///< link change callbacks
    std::array<uint64_t, static_cast<size_t>(DropReason::COUNT)> m_drops{}; ///< drops by reason

    TracedCallback<Ptr<const Packet>, DropReason> m_dropTrace;       ///< Drop
    TracedCallback<Ptr<const Packet>> m_ecnMarkTrace;                ///< EcnMark
    TracedCallback<uint8_t, uint16_t> m_pfcSentTrace;                ///< PfcSent
    TracedCallback<uint8_t, uint16_t> m_pfcReceivedTrace;            ///< PfcReceived
    TracedCallback<uint8_t, int64_t> m_pauseStartTrace;              ///< PauseStart
    TracedCallback<uint8_t, int64_t, int64_t, bool> m_pauseEndTrace; ///< PauseEnd
};

} // namespace ns3

#endif // QBB_NET_DEVICE_H
