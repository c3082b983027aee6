/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_H
#define RDMA_HOST_H

#include "rdma-connection.h"
#include "rdma-host-counters.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame-handler.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/object.h"
#include "ns3/qbb-net-device.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class RdmaNic;

struct HpccAttribute;
struct RdmaHostParts;
struct RdmaHostSettings;

/**
 * @ingroup hpcc
 *
 * The RoCEv2 stack of a host. The host has 1 to 64 ports, each a QbbNetDevice. This class owns the
 * parts of the stack, such as RdmaRequester and RdmaResponder, and passes each frame, timer and
 * call to the part that handles it. Each port has an address; the address of the first port
 * identifies the host. A queue pair sends and receives at the port to which it is bound, until
 * MoveQueuePair() binds it to another port. The priority of a packet follows from its DSCP and the
 * DSCP map of the first port. Frames are dispatched in rdma-host-dispatch.cc.
 */
class RdmaHost : public Object, public FrameHandler, public AgendaClient, public RdmaHostCounters
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaHost();
    ~RdmaHost() override;

    /// Signature of MessagePosted, MessageAcknowledged, MessageDelivered, LastByteAcknowledged and
    /// LastByteArrived.
    typedef void (*MessageTracedCallback)(const RdmaMessageRecord& record);
    /// Signature of Acknowledged: queue pair, time in ns, round-trip time sample in ns (-1 if there
    /// is none).
    typedef void (*AcknowledgedTracedCallback)(const RdmaQueuePair& qp,
                                               int64_t nowNs,
                                               int64_t rttNs);
    /// Signature of FeedbackRejected: queue pair, reason.
    typedef void (*FeedbackRejectedTracedCallback)(const RdmaQueuePair& qp, FeedbackRejection why);
    /// Signature of PathChange: queue pair (with the new UDP source port), time in ns.
    typedef void (*PathChangeTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs);
    /// Signature of PortChange: queue pair (at its new port), time in ns.
    typedef void (*PortChangeTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs);
    /// Signature of OutOfOrder: queue pair, time in ns, true if the packet is kept, false if it is
    /// dropped.
    typedef void (*OutOfOrderTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs, bool kept);
    /// Signature of HeldBack: queue pair, time in ns.
    typedef void (*HeldBackTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs);
    /// Signature of Received: queue pair at the responder, time in ns, payload bytes delivered in
    /// order.
    typedef void (*ReceivedTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes);
    /// Signature of PayloadArrived: queue pair at the responder, time in ns, payload bytes, opcode
    /// of the packet.
    typedef void (*PayloadArrivedTracedCallback)(const RdmaQueuePair& qp,
                                                 int64_t nowNs,
                                                 uint32_t bytes,
                                                 uint8_t opcode);

    /**
     * Installs the host on a node. The node's QbbNetDevices become the ports of the host, in the
     * order of their indices.
     * @param node the node
     * @param address IPv4 address of the first port, host byte order
     * @param further IPv4 addresses of the other ports, host byte order
     */
    void Install(Ptr<Node> node, uint32_t address, const std::vector<uint32_t>& further = {});

    /// Sets the line rates of links, for telemetry formats that do not carry line rates. The line
    /// rates apply to data packets of all priorities.
    /// @param inventory line rates of links
    void SetInventory(Ptr<const TelemetryInventory> inventory);

    /**
     * Sets the bandwidths of links. The host uses them to evaluate the telemetry of data packets of
     * one priority.
     * @param priority priority of the data packets, 0 to 7; other values throw HpccInputError
     * @param inventory bandwidths of links: line rates, or shares of line rates if records are per
     * traffic class
     */
    void SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory);

    /**
     * Connects a queue pair. No packets are exchanged, unlike with a connection manager. Throws
     * HpccInputError in the following cases:
     * - the host or the peer is not installed;
     * - the policy needs telemetry but no format is set;
     * - RdmaCongestionOps::Validate() refuses the values of the policy's attributes, or the
     * policy's lowest rate is the line rate of the port or more;
     * - parts of the configuration do not work together;
     * - a full packet with RETH and telemetry exceeds the Mtu of the port;
     * - Simulator::Destroy() has removed the host.
     *
     * A host does not know the network. Unlike HpccFabricHelper::Connect(), this function therefore
     * does not pass the network's base RTT to the policy, and does not check whether policy, format
     * and feedback mode fit the switches and paths. Without HpccFabricHelper, call
     * RdmaCongestionOps::SetNetworkBaseRtt() first. Otherwise policies that need T are refused
     * unless their attribute T is set.
     *
     * @param peer the other host
     * @param config the configuration
     * @return index of the queue pair at this host
     */
    uint32_t Connect(Ptr<RdmaHost> peer, const RdmaQueuePairConfig& config);

    /**
     * Schedules the move of a queue pair to another port. Packets already sent from the old port
     * either arrive, or are lost and retransmitted. The caller must move both ends of the queue
     * pair at the same time. The queue pair keeps its line rate and T. Therefore, if this end has a
     * policy, the function throws HpccInputError for a new port with another line rate.
     * @param queuePair index as returned by Connect()
     * @param atNs time of the move, later than now, ns
     * @param port index of the new port, from 0
     * @param peer IPv4 address of a port of the other end's host; other addresses throw
     * HpccInputError
     */
    void MoveQueuePair(uint32_t queuePair, int64_t atNs, uint32_t port, uint32_t peer);

    /**
     * Posts a message. Throws HpccInputError for a second message on a queue pair with
     * RdmaQueuePairConfig::singleMessage, and after Simulator::Destroy(). Also throws
     * HpccInputError if a callback of another node makes the call while the clock of that node is
     * behind ns-3's clock (see NodeAgenda::MaxLag).
     * @param queuePair index as returned by Connect()
     * @param verb operation of the message, except READ_RESPONSE; READ requires
     * RdmaQueuePairConfig::responderPolicy
     * @param bytes payload, bytes, 1 to RDMA_MAX_MESSAGE_BYTES; at most 2^32 - 1 for a READ
     * @return number of the message on its queue pair
     */
    uint32_t Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes);

    /**
     * Throws HpccInputError for a message that Post() would refuse. A caller can thereby refuse a
     * planned message before the message is posted.
     * @param queuePair index as returned by Connect()
     * @param verb operation of the message
     * @param bytes payload of the message, bytes
     * @param first false if another message is planned before this message on the same queue pair
     */
    void CheckMessage(uint32_t queuePair, RdmaVerb verb, uint64_t bytes, bool first = true) const;

    /**
     * Returns a queue pair.
     * @param queuePair index as returned by Connect(); throws HpccInputError unless the queue pair
     * is in use
     */
    const RdmaQueuePair& GetQueuePair(uint32_t queuePair) const;

    /**
     * Returns the index of a queue pair at its host.
     * @param number number of the queue pair, as on the wire
     */
    static uint32_t IndexOfNumber(uint32_t number);

    /// Returns the number of queue pairs of this host.
    uint32_t GetQueuePairs() const;

    /// Returns the largest number of queue pairs that have been in use at the same time.
    uint32_t GetSlots() const;

    /// Returns the number of ports.
    uint32_t GetPorts() const;

    /**
     * Returns the device of a port.
     * @param port a port, counted from 0; throws HpccInputError unless it is less than GetPorts()
     */
    QbbNetDevice& GetPort(uint32_t port = 0) const;

    /// Returns the IPv4 address of the first port.
    uint32_t GetAddress() const;

    /// Returns the largest payload of a packet, bytes.
    uint32_t GetMtu() const;

    /**
     * Returns the number of data packets per ACK for new queue pairs whose responder is this host.
     * @param feedback feedback mode of the queue pairs; its ackInterval, if set, replaces the
     * attribute AckInterval. Null for the default mode
     */
    uint32_t GetAckInterval(const RdmaFeedback* feedback = nullptr) const;

    /**
     * Returns the feedback mode of a queue pair whose messages this host posts.
     * @param queuePair index as returned by Connect()
     * @return the feedback mode; null for the default mode, and if there is no such queue pair
     */
    Ptr<const RdmaFeedback> GetFeedback(uint32_t queuePair) const;

    /// Refuses changes of Mtu, Ipv6, WireProfile and AuthorsHeaderBytes from now on, because the
    /// network's base RTT is computed with them. Connect() has the same effect.
    void FreezeSizes();

    /**
     * Returns the size of a data packet as the host sends it, before switches insert records,
     * without FCS, bytes.
     * @param payloadBytes payload of the packet, bytes
     * @param opcode opcode of the packet
     * @param format telemetry format of the packet; may be null
     */
    uint32_t DataFrameBytes(uint32_t payloadBytes,
                            uint8_t opcode,
                            const TelemetryFormat* format) const;

    /**
     * Returns the size of an ACK without FCS, bytes.
     * @param format format of the telemetry that the ACK returns; may be null
     * @param hops number of records that the ACK returns
     * @param syndrome kind of ACK, such as ROCE_SYNDROME_SACK
     */
    uint32_t AckFrameBytes(const TelemetryFormat* format,
                           uint32_t hops,
                           uint8_t syndrome = ROCE_SYNDROME_ACK) const;

    /// Number of random streams of a host.
    static constexpr int64_t STREAMS = 1;

    /**
     * Assigns fixed random streams to the host and its NIC. The streams of the NIC are derived from
     * @p stream, but are in a separate range.
     * @param stream first stream
     * @return STREAMS
     */
    int64_t AssignStreams(int64_t stream);

    void ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs) override;
    void StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    void OnFrameLost(QbbNetDevice& port, const Frame& frame) override;
    void PrefetchFor(const Frame& frame) override;

    bool SuppliesFrames() const override
    {
        return true;
    }

    uint8_t ReadyPriorities(QbbNetDevice& port, int64_t nowNs) override;
    Frame* PullFrame(QbbNetDevice& port, uint8_t priority, int64_t nowNs) override;
    int64_t NextPullNs(QbbNetDevice& port, uint8_t priorities, int64_t freeNs) override;
    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /**
     * Describes an attribute that is a member of RdmaHostSettings.
     * @tparam place member of RdmaHostSettings that stores the attribute
     * @param initial default value, see HpccField()
     * @param range allowed values, see HpccField()
     * @return the attribute
     */
    template <auto place, typename V, typename... Range>
    static HpccAttribute Setting(const V& initial, Range... range);

    /**
     * Sets an attribute.
     * @tparam T type of the attribute
     * @tparam place member of RdmaHostSettings that stores the attribute
     * @param value new value of the attribute
     */
    template <typename T, T RdmaHostSettings::*place>
    void SetSetting(T value);

    /**
     * Returns the value of an attribute.
     * @tparam T type of an attribute
     * @tparam place member of RdmaHostSettings that stores the attribute
     */
    template <typename T, T RdmaHostSettings::*place>
    T GetSetting() const;

    /**
     * Passes an ACK or NAK to the requester of its queue pair.
     * @param frame the ACK or NAK
     * @param nowNs current time, ns
     */
    void ReceiveAck(Frame* frame, int64_t nowNs);

    /**
     * Passes a data packet to the responder.
     * @param frame the packet
     * @param nowNs current time, ns
     */
    void ReceiveData(Frame* frame, int64_t nowNs);

    /**
     * Passes a CNP, notification, probe or switch response to the part that handles it.
     * @param frame the CNP, notification, probe or switch response
     * @param nowNs current time, ns
     */
    void ReceiveControl(Frame* frame, int64_t nowNs);

    /**
     * Frees the slot of a queue pair if its single message is complete and the NIC scheduler does
     * not contain the queue pair.
     * @param qp the queue pair
     * @param nowNs current time, ns
     */
    void LeaveIfDone(RdmaQueuePair& qp, int64_t nowNs);

    std::unique_ptr<RdmaHostParts> m_parts; ///< the parts of the stack
};

} // namespace ns3

#endif // RDMA_HOST_H
