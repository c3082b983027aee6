/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "hpcc-drop-reason.h"
#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"
#include "qbb-channel.h"
#include "qbb-port-counters.h"
#include "qbb-port-settings.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class FrameHandler;
class QbbEgress;
class QbbFlowControl;
class QbbPortWatch;
class StackPort;

struct QbbPortParts;

/**
 * @ingroup hpcc
 *
 * An Ethernet port with eight priorities and priority-based flow control (IEEE 802.1Qbb). This
 * class is the interface of the port to ns-3 and the node. The device owns the parts that implement
 * the port, none of which uses a NetDevice: QbbIngress receives, QbbEgress queues and sends,
 * QbbFlowControl handles PFC, and LazyStackPort is the interface to ns-3's IP stack. The base
 * classes contain the attributes and counters, and QbbPortTraces contains the trace sources.
 *
 * ns-3 Packets are created only for a receive error model, a connected trace source or ns-3's IP
 * stack.
 */
class QbbNetDevice : public NetDevice,
                     public QbbLinkEnd,
                     public QbbPortSettings,
                     public QbbPortCounters,
                     public AgendaClient
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    QbbNetDevice();

    /**
     * Creates a port that has the attributes of another port and no node. Copying is many times
     * faster than setting each attribute through ns-3. Throws HpccInputError if the other port has
     * a node, or a Scheduler, which only one port can have.
     * @param other the other port
     */
    QbbNetDevice(const QbbNetDevice& other);

    ~QbbNetDevice() override;

    /// Signature of Enqueue, Dequeue, EcnMark, MacRx and PromiscSniffer.
    typedef void (*PacketTracedCallback)(Ptr<const Packet> packet);
    /// Signature of Drop.
    typedef void (*DropTracedCallback)(Ptr<const Packet> packet, DropReason reason);
    /// Signature of PfcSent and PfcReceived: priority, pause time in quanta of 512 bit times (0
    /// resumes).
    typedef void (*PfcTracedCallback)(uint8_t priority, uint16_t quanta);
    /// Signature of PauseStart: priority, time in ns.
    typedef void (*PauseStartTracedCallback)(uint8_t priority, int64_t nowNs);
    /// Signature of PauseEnd: priority, start and end in ns, true if the pause timer expired.
    typedef void (*PauseEndTracedCallback)(uint8_t priority,
                                           int64_t startNs,
                                           int64_t endNs,
                                           bool expired);
    /// Signature of QueueBytes: priority, bytes in the queue of this priority, bytes in all queues
    /// of the port, time in ns.
    typedef void (*QueueBytesTracedCallback)(uint8_t priority,
                                             uint64_t bytes,
                                             uint64_t portBytes,
                                             int64_t nowNs);
    /// Signature of Transmit: start of transmission in ns, the frame.
    typedef void (*TransmitTracedCallback)(int64_t nowNs, const Frame& frame);

    /**
     * Attaches the device to a channel. The node must be set before. Throws HpccInputError if the
     * device is attached already.
     * @param channel channel with at least one free end
     */
    void Attach(Ptr<QbbChannel> channel);

    void NotifyLinkUp(QbbChannel* channel) override;

    uint64_t GetSendRateBps() const override
    {
        return GetRateBps();
    }

    /**
     * Sets the handler of the node's frames, and refuses later changes of the attributes that the
     * handler has used, see SetInstalled(). Throws HpccInputError if the port already has a
     * handler.
     * @param handler switch or RDMA stack of the node; must outlive the simulation
     * @param where function that installs the handler, for the message
     */
    void Install(FrameHandler& handler, const std::string& where);

    /// Sets the handler of the node's frames.
    /// @param handler the handler; if null, IP frames are passed to ns-3's stack and other frames
    /// are dropped
    void SetFrameHandler(FrameHandler* handler);

    /**
     * Schedules a change of this end of the link to down or up. The change must be scheduled at
     * both ends, because an end does not signal the change to the other end.
     *
     * When the link goes down, frames that are queued at this port or in flight are dropped with
     * DropReason::LINK_DOWN, and pauses in both directions end. Frames passed to the port while the
     * link is down are dropped too. When the link comes up, the port again pulls frames from a
     * handler that supplies frames, see FrameHandler::PullFrame().
     * @param atNs time of the change, ns; a time before now throws HpccInputError
     * @param up true if the link comes up, false if it goes down
     */
    void ScheduleLink(int64_t atNs, bool up);

    /// Throws HpccInputError if the attributes contradict each other. A pause must be refreshed in
    /// time. The thresholds of the receive buffer must be consistent. The receive buffer must be
    /// able to store the bytes that arrive before a pause takes effect. Also calls the checks added
    /// by AddCheck(), which may throw HpccInputError, too. The device calls this function when
    /// simulated time starts and after each later change of a checked attribute. HpccFabricHelper
    /// calls it earlier.
    void CheckSettings() const;

    /**
     * Adds an object that the port calls for every frame.
     * @param watch the object, which must exist until the run has ended. HpccInputError is thrown
     * if the object already belongs to a port
     */
    void AddWatch(QbbPortWatch& watch);

    /**
     * Queues a frame, or starts its transmission if the port is idle and the priority not paused.
     * @param frame the frame, priority set; owned by the device from now on
     */
    void Enqueue(Frame* frame);

    /**
     * Sends a frame created at this node, before all queued frames but after PFC frames. While its
     * priority is paused, the frame waits outside the queues, so neither telemetry nor a buffer
     * counts it. The function may be called while another frame is being started.
     * @param frame the frame; its DSCP determines its priority
     */
    void Emit(Frame* frame);

    /**
     * Makes the port call PullFrame(). Must be called after a change that may allow PullFrame() to
     * return a frame.
     * @param atNs the earliest time at which PullFrame() may return a frame, ns
     */
    void Kick(int64_t atNs);

    /**
     * Counts, traces and frees a frame that has arrived and is dropped.
     * @param frame frame to drop
     * @param reason reason for the drop
     */
    void Drop(Frame* frame, DropReason reason);

    /**
     * Counts, traces and frees a frame that was to leave by this port and is dropped.
     * @param frame frame to drop
     * @param reason reason for the drop
     */
    void DropOutgoing(Frame* frame, DropReason reason);

    /**
     * Counts and traces a dropped packet of ns-3's stack that has not become a frame.
     * @param packet the packet, from the IP header on
     * @param reason reason for the drop
     */
    void DropPacket(Ptr<const Packet> packet, DropReason reason);

    /**
     * Fires the trace of an ECN mark.
     * @param frame the frame just marked
     */
    void NotifyEcnMark(Frame& frame);

    /// Returns the size of all queued frames, without FCS, bytes.
    uint64_t GetQueueBytes() const;

    /**
     * Returns the size of the frames in the queue of a priority, without FCS, bytes.
     * @param priority priority of the queue, 0 to 7
     */
    uint64_t GetQueueBytes(uint8_t priority) const;

    /**
     * Returns the first frame in the queue of a priority; null if the queue is empty.
     * Frame::arrivalNs is the time at which the frame joined the queue.
     * @param priority priority of the queue, 0 to 7
     */
    const Frame* GetHead(uint8_t priority) const;

    /// Returns the part of the port that queues and sends frames. Code that runs for every packet
    /// calls this part directly.
    QbbEgress& GetEgress()
    {
        return m_egress;
    }

    /// Returns the part of the port that queues and sends frames. Code that runs for every packet
    /// calls this part directly.
    const QbbEgress& GetEgress() const
    {
        return m_egress;
    }

    /**
     * Asks the neighbour to pause a priority, and repeats the request until ReleasePause().
     * @param priority a lossless priority; other priorities throw HpccInputError
     */
    void RequestPause(uint8_t priority);

    /**
     * Allows the neighbour to resume.
     * @param priority priority to resume, 0 to 7; another number throws HpccInputError
     */
    void ReleasePause(uint8_t priority);

    /**
     * Returns true if the neighbour pauses a priority.
     * @param priority priority to query, 0 to 7
     */
    bool IsPaused(uint8_t priority) const;

    /// Returns the part that requests and obeys pauses.
    const QbbFlowControl& GetFlowControl() const
    {
        return m_flowControl;
    }

    /// Returns the interface to ns-3's stack. The first call creates it. Aborts with an error
    /// message if the build has no such interface.
    StackPort& GetStackPort();

    /**
     * Passes an IP frame to ns-3's stack.
     * @param frame the frame, which this function frees
     */
    void DeliverToStack(Frame* frame);

    /// Returns true if there is a receive callback, usually that of ns-3's stack.
    bool HasReceiver() const
    {
        return !m_receive.IsNull();
    }

    /**
     * Passes a packet to the receive callbacks; HasReceiver() must be true.
     * @param packet the packet, from the IP header on
     * @param etherType EtherType of the packet
     */
    void HandUp(Ptr<Packet> packet, uint16_t etherType);

    /// Returns the channel, even while the link is down; null before Attach().
    QbbChannel* GetQbbChannel() const
    {
        return PeekPointer(m_channel);
    }

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

    // NetDevice
    void SetIfIndex(const uint32_t index) override
    {
        m_ifIndex = index;
    }

    uint32_t GetIfIndex() const override
    {
        return m_ifIndex;
    }

    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;

    bool IsBroadcast() const override
    {
        return true;
    }

    Address GetBroadcast() const override;

    bool IsMulticast() const override
    {
        return true;
    }

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
    /// Returns the name of the port for error messages: "node 1, port 0".
    std::string Name() const;

    /// Called before a trace of packets is connected or an error model is set. Throws
    /// HpccInputError if the run has started and the node may lag: the trace or error model would
    /// see frames late.
    void RequireNoLag()
    {
        HPCC_REFUSE_IF(
            IsInitialized() && m_agenda && m_agenda->GetLagNs() > 0,
            "ns3::QbbNetDevice: traces of packets, pcap files and error models of node " +
                std::to_string(m_agenda->GetNodeId()) +
                " that are set during the run would be late by up to "
                "ns3::NodeAgenda::MaxLag; allowed is to set them before the run, or "
                "MaxLag 0");
    }

    /// Calls CheckSettings() if simulated time has started.
    void CheckInitialized();

    /**
     * Changes the state of the link.
     * @param up true if the link comes up, false if it goes down
     * @param nowNs current time, ns
     */
    void ChangeLink(bool up, int64_t nowNs);

    std::unique_ptr<QbbPortParts> m_parts;            ///< the parts
    QbbEgress& m_egress;                              ///< see GetEgress()
    QbbFlowControl& m_flowControl;                    ///< see GetFlowControl()
    Ptr<QbbChannel> m_channel;                        ///< the channel
    std::vector<std::pair<int64_t, bool>> m_linkPlan; ///< planned link changes: time in ns, and
                                                      ///< true if the link comes up
    Ptr<Node> m_node;                                 ///< the node
    uint32_t m_ifIndex{0};                            ///< interface index
    NetDevice::ReceiveCallback m_receive;             ///< receives packets
    PromiscReceiveCallback m_promiscuous;             ///< receives packets before m_receive
    TracedCallback<> m_linkChange;                    ///< link change callbacks
};

} // namespace ns3

#endif // QBB_NET_DEVICE_H
