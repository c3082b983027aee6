/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_H
#define RDMA_HOST_H

#include "rdma-connection.h"
#include "rdma-host-counters.h"
#include "rdma-nic-scheduler.h"
#include "rdma-queue-pair.h"
#include "rdma-timer-heap.h"

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-frame-handler.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-telemetry-inventory.h"
#include "ns3/hpcc-worst-hop.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/qbb-net-device.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/traced-callback.h"

#include <array>
#include <boost/pool/pool.hpp>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The RoCEv2 stack of a host with one QbbNetDevice: queue pairs, the NIC's scheduler, loss
 * recovery, acknowledgements and CNPs.
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

    /// How a responder returns congestion marks to a requester.
    enum CongestionEcho
    {
        ECHO_CNP, ///< by a CNP, at most one per CnpInterval and queue pair
        ECHO_ACK, ///< by the BECN bit of each ACK that acknowledges a marked packet
    };

    /// Sizes of headers on the wire.
    enum WireProfile
    {
        ROCE,    ///< RoCEv2 as the codec writes it
        AUTHORS, ///< the HPCC authors' simulator: AuthorsHeaderBytes before the payload, ACK of 60
                 ///< bytes, or 46 and telemetry
    };

    /// Signature of MessageAcknowledged and MessageDelivered.
    typedef void (*MessageTracedCallback)(const RdmaMessageRecord& record);
    /// Signature of Acknowledged: queue pair, time in ns, round-trip time sample in ns or -1.
    typedef void (*AcknowledgedTracedCallback)(const RdmaQueuePair& qp,
                                               int64_t nowNs,
                                               int64_t rttNs);
    /// Signature of FeedbackRejected: queue pair, why.
    typedef void (*FeedbackRejectedTracedCallback)(const RdmaQueuePair& qp, FeedbackRejection why);
    /// Signature of PathChange: queue pair, with the new UDP source port, time in ns.
    typedef void (*PathChangeTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs);
    /// Signature of HeldBack: queue pair, time in ns.
    typedef void (*HeldBackTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs);
    /// Signature of Received: queue pair at the responder, time in ns, payload bytes in order.
    typedef void (*ReceivedTracedCallback)(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes);

    /**
     * Takes over a node with one QbbNetDevice.
     * @param node the node
     * @param address the host's IPv4 address, host byte order
     */
    void Install(Ptr<Node> node, uint32_t address);

    /// @param inventory line rates for formats that do not carry them
    void SetInventory(Ptr<const TelemetryInventory> inventory);

    /**
     * @param priority of data packets
     * @param inventory bandwidths for their telemetry: shares of line rates, where reports are
     * about classes
     */
    void SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory);

    /**
     * Connects a queue pair, before simulated time starts: stands for the exchange of the
     * connection manager. Aborts if the policy needs telemetry and there is none, or if a full
     * packet (without RETH) does not fit the port's Mtu.
     * @param peer the other host
     * @param config the configuration
     * @return index of the queue pair at this host
     */
    uint32_t Connect(Ptr<RdmaHost> peer, const RdmaQueuePairConfig& config);

    /**
     * Posts a message. A second one on a queue pair for a single message aborts.
     * @param queuePair index as returned by Connect()
     * @param verb what it does, not READ_RESPONSE; READ needs a responderPolicy
     * @param bytes payload, at least 1; of a READ at most 2^32 - 1
     * @return number of the message on its queue pair
     */
    uint32_t Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes);

    /**
     * @param queuePair an index; aborts if it is of a queue pair for a single message that is not
     * on its way
     * @return the queue pair
     */
    const RdmaQueuePair& GetQueuePair(uint32_t queuePair) const;

    /**
     * @param number of a queue pair, as on the wire
     * @return its index at its host
     */
    static uint32_t IndexOfNumber(uint32_t number)
    {
        return number - FIRST_QPN;
    }

    /// @return queue pairs of this host
    uint32_t GetQueuePairs() const
    {
        return static_cast<uint32_t>(m_ends.size());
    }

    /// @return queue pairs for which this host has had memory at the same time
    uint32_t GetSlots() const
    {
        return static_cast<uint32_t>(m_queuePairs.size());
    }

    /// @return the port
    QbbNetDevice& GetPort() const
    {
        return *m_port;
    }

    /// @return the host's IPv4 address
    uint32_t GetAddress() const
    {
        return m_address;
    }

    /// @return largest payload of a packet, bytes
    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    /**
     * @param payloadBytes payload of a packet
     * @param opcode its opcode
     * @param format telemetry; may be null
     * @return its size without FCS when it leaves the host
     */
    uint32_t DataFrameBytes(uint32_t payloadBytes,
                            uint8_t opcode,
                            const TelemetryFormat* format) const;

    /**
     * @param format telemetry; may be null
     * @return true if its packets travel in IPv6
     */
    bool UsesIpv6(const TelemetryFormat* format) const;

    /**
     * @param format telemetry that an ACK returns; may be null
     * @param hops records that it returns
     * @return its size without FCS
     */
    uint32_t AckFrameBytes(const TelemetryFormat* format, uint32_t hops) const;

    void ReceiveFrame(QbbNetDevice& port, Frame* frame, int64_t nowNs) override;
    void StartOfTransmission(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    void LoseFrame(QbbNetDevice& port, const Frame& frame) override;
    /// Random streams that a host uses.
    static constexpr int64_t STREAMS = 1;

    /**
     * Uses a fixed random stream.
     * @param stream first stream
     * @return streams used
     */
    int64_t AssignStreams(int64_t stream);

    void ExpectFrame(const Frame& frame) override;
    bool SuppliesFrames() const override;
    uint8_t ReadyPriorities(QbbNetDevice& port, int64_t nowNs) override;
    Frame* PullFrame(QbbNetDevice& port, uint8_t priority, int64_t nowNs) override;
    int64_t NextPullNs(QbbNetDevice& port, uint8_t priorities, int64_t freeNs) override;
    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t FIRST_QPN = 2; ///< queue pairs 0 and 1 are the fabric's own (IBTA)

    // Set-up and timers: rdma-host.cc
    /**
     * Appends a message.
     * @param qp a queue pair
     * @param verb what it does
     * @param bytes payload
     * @param address RdmaMessage::address
     * @param nowNs current time
     * @return its number
     */
    uint32_t Append(RdmaQueuePair& qp,
                    RdmaVerb verb,
                    uint64_t bytes,
                    uint64_t address,
                    int64_t nowNs);
    /**
     * @param name short name of a loss recovery
     * @return it, made on first use
     */
    const RdmaRecovery& FindRecovery(const std::string& name);

    /// A flow that has not begun.
    struct HeldFlow
    {
        uint32_t slot;   ///< of its queue pair
        int64_t sinceNs; ///< since when, ns
    };

    // Queue pairs and their slots: rdma-connect.cc
    /**
     * Stores the roles of both ends of a connection.
     * @param sender properties of this end
     * @param own gets this end's role
     * @param peer the other host
     * @param remote gets the other end's role
     */
    void KeepRoles(RdmaSenderRole sender, RdmaEnd& own, RdmaHost& peer, RdmaEnd& remote);
    /**
     * @param policy of this end
     * @param config of the queue pair
     * @return what this end is like
     */
    RdmaSenderRole MakeSenderRole(Ptr<RdmaCongestionOps> policy,
                                  const RdmaQueuePairConfig& config) const;
    /**
     * @param config of a queue pair that sends from here
     * @return the parameters for its policy, except flowId and firstSeq
     */
    RdmaFlowInfo FlowInfoOf(const RdmaQueuePairConfig& config) const;
    /**
     * @param config of a sender here
     * @return DSCP of its packets
     */
    uint8_t DscpOf(const RdmaQueuePairConfig& config) const;
    /**
     * @param baseRttNs a base RTT, ns
     * @return full packets that this port sends in it
     */
    double PacketsPerRtt(int64_t baseRttNs) const;
    /**
     * @param like what the other end is like
     * @return what this end is like
     */
    RdmaReceiverRole MakeReceiverRole(const RdmaSenderRole& like) const;
    /**
     * Gives both ends of a queue pair an authenticator, if feedback is authenticated.
     * @param sender the queue pair at the sender
     * @param receiver its other end
     */
    void Authenticate(RdmaQueuePair& sender, RdmaQueuePair& receiver);
    /**
     * @param index of a queue pair
     * @return it, in a slot from now on
     */
    RdmaQueuePair& Open(uint32_t index);
    /**
     * Sets up a queue pair that sends.
     * @param qp of this host
     * @param role its properties
     */
    void SetUpSender(RdmaQueuePair& qp, const RdmaSenderRole& role);
    /**
     * Sets up a queue pair that receives.
     * @param qp of this host
     * @param role its properties
     */
    void SetUpReceiver(RdmaQueuePair& qp, const RdmaReceiverRole& role);
    /**
     * Frees the slot of a queue pair whose single message is over, unless the NIC scheduler has it
     * in a ring.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void LeaveIfDone(RdmaQueuePair& qp, int64_t nowNs);

    /**
     * @param frame a RoCE frame that has arrived
     * @return true if it is for this host, and from the other end of the queue pair that it names,
     * if there is one
     */
    bool IsAddressed(const Frame& frame) const;
    /**
     * @param number from the wire
     * @return the queue pair, or null if it is not in use
     */
    RdmaQueuePair* Find(uint32_t number);
    /**
     * @param number from the wire
     * @return the queue pair that receives, in use from now on; null if there is none
     */
    RdmaQueuePair* FindReceiver(uint32_t number);

    /**
     * @param qp a queue pair
     * @return its slot, by which timers and the NIC scheduler know it
     */
    static uint32_t IndexOf(const RdmaQueuePair& qp)
    {
        return qp.slot;
    }

    /**
     * Updates the NIC scheduler for a queue pair whose window, rate or messages have changed.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void Reschedule(RdmaQueuePair& qp, int64_t nowNs);
    /// Makes sure that the timers run at a time.
    /// @param atNs the time, ns
    void NoteTimer(int64_t atNs);
    /// Runs the timers that are due.
    /// @param nowNs current time
    void RunTimers(int64_t nowNs);

    // Requester: rdma-requester.cc
    /**
     * @param qp a queue pair that may send
     * @param nowNs current time
     * @return its next packet
     */
    Frame* MakePacket(RdmaQueuePair& qp, int64_t nowNs);
    /// @param frame feedback; dropped if it is for no requester, freed if that is done and closed
    /// @return the queue pair that it is for; null if the frame is gone
    RdmaQueuePair* FindRequester(Frame* frame);
    /**
     * @param qp a queue pair, before Advance()
     * @param psn everything before it is acknowledged
     * @param negative by a NAK
     * @param nowNs current time
     * @return sample of the round-trip time, ns; -1 if there is none
     */
    static int64_t SampleRtt(RdmaQueuePair& qp, uint64_t psn, bool negative, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @param sentNs when a packet left, -1 if unknown
     * @param nowNs current time
     * @return sample of the round-trip time, ns; -1 if there is none
     */
    static int64_t RttSince(RdmaQueuePair& qp, int64_t sentNs, int64_t nowNs);
    /**
     * Handles an ACK or NAK.
     * @param frame the ACK or NAK
     * @param nowNs current time
     */
    void ReceiveAck(Frame* frame, int64_t nowNs);
    /**
     * Applies an ACK, NAK or notification to a queue pair.
     * @param qp a queue pair
     * @param frame an ACK, NAK or notification
     * @param answered RdmaAckInfo::ackSeq of a notification, whose telemetry is accepted already;
     * null for other frames
     * @param nowNs current time
     */
    void Acknowledge(RdmaQueuePair& qp, Frame* frame, const uint64_t* answered, int64_t nowNs);
    /**
     * Handles a CNP.
     * @param frame the CNP
     * @param nowNs current time
     */
    void ReceiveCnp(Frame* frame, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @param psn everything before it is acknowledged
     * @param nowNs current time
     * @return bytes newly acknowledged
     */
    uint64_t Advance(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @param psn a packet in flight
     * @return its message
     */
    static const RdmaMessage& MessageOf(const RdmaQueuePair& qp, uint64_t psn);
    /**
     * @param qp a queue pair
     * @param message a message
     * @param psn one of its packets
     * @return payload
     */
    static uint16_t PayloadOf(const RdmaQueuePair& qp, const RdmaMessage& message, uint64_t psn);
    /**
     * @param qp a queue pair that has lost packets
     * @param nowNs current time
     * @return the one that leaves now
     */
    uint64_t TakeLost(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * Advances the state of a queue pair whose packet sndNxtPsn leaves.
     * @param qp the queue pair
     * @param payloadBytes its payload
     * @param last true if the packet is the last of its message
     * @param nowNs current time
     */
    void AdvanceNext(RdmaQueuePair& qp, uint16_t payloadBytes, bool last, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @return where it stands
     */
    static RdmaRetransmission::Position PositionOf(const RdmaQueuePair& qp);
    /// Updates the flags of a queue pair whose retransmission may have changed.
    /// @param qp the queue pair
    static void UpdateRecovery(RdmaQueuePair& qp);
    /**
     * Retransmits from a packet on.
     *
     * @param qp a queue pair
     * @param psn the first packet to retransmit, in the oldest message
     * @param nowNs current time
     * @param timeout true after a time-out
     */
    void Rollback(RdmaQueuePair& qp, uint64_t psn, int64_t nowNs, bool timeout);
    /**
     * Recovers from a loss.
     * @param qp a queue pair that has lost packets
     * @param backTo packet to go back to, or NONE
     * @param nowNs current time
     * @param timeout true after a time-out
     */
    void Recover(RdmaQueuePair& qp, uint64_t backTo, int64_t nowNs, bool timeout);
    /**
     * Handles the retransmission time-out of a queue pair.
     * @param qp a queue pair
     * @param nowNs current time
     */
    void OnTimeout(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @param psn the responder has kept this packet
     * @param ack gets the sample of its round-trip time
     * @return bytes newly acknowledged
     */
    static uint64_t TakeSelective(RdmaQueuePair& qp, uint64_t psn, RdmaAckInfo& ack);
    /**
     * @param qp a queue pair
     * @param frame its ACK, or notification, with telemetry
     * @return true if that is authentic and fresh, or need not be
     */
    bool AcceptFeedback(RdmaQueuePair& qp, const Frame& frame);
    /**
     * @param format a format
     * @param stack telemetry
     * @param priority of the data
     * @param hops gets the records
     * @return how many
     */
    uint32_t ReadHops(const TelemetryFormat& format,
                      const TelemetryStack& stack,
                      uint8_t priority,
                      HopTelemetry* hops);
    /**
     * Reads the telemetry of an ACK.
     * @param qp a queue pair
     * @param frame its ACK
     * @param ofPathProbe true if it answers a path probe
     * @param ack filled with the telemetry
     */
    void ReadTelemetry(RdmaQueuePair& qp, const Frame& frame, bool ofPathProbe, RdmaAckInfo& ack);
    /// Sets the time of the next packet, after one has left.
    /// @param qp the queue pair
    void Pace(RdmaQueuePair& qp) const;
    /// Moves the time of the next packet after the rate may have changed.
    /// @param qp the queue pair
    void Repace(RdmaQueuePair& qp) const;
    /**
     * Starts or restarts the retransmission time-out.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void StartTimeout(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * Sets the timer of a queue pair's policy. Follows every event of the policy.
     * @param qp the queue pair
     */
    void Obey(RdmaQueuePair& qp);
    /**
     * Raises the event of a loss.
     * @param qp the queue pair; what it still has to send is known
     * @param timeout true after a retransmission time-out, false after a NAK
     * @param nowNs current time, ns
     */
    void RaiseLoss(RdmaQueuePair& qp, bool timeout, int64_t nowNs);
    /// Closes the requester's side of @p qp if nothing is left to send or acknowledge.
    /// @param qp the queue pair
    void CloseIfDone(RdmaQueuePair& qp);

    /**
     * Opens the telemetry of a packet and marks the packet for its format.
     * @param qp a queue pair
     * @param frame one of its packets
     */
    static void OpenTelemetry(RdmaQueuePair& qp, Frame& frame);
    /**
     * Reports a packet without data to the policy if the policy has requested its telemetry.
     * @param qp a queue pair
     * @param frame a packet that collects telemetry
     * @param nowNs current time, ns
     */
    void ReportProbe(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);

    /**
     * Sets the line rate of a hop whose format does not carry it.
     * @param hop the hop
     * @param inventory the line rates
     */
    void LookUpRate(HopTelemetry& hop, const TelemetryInventory& inventory);

    // Probes, notifications, reports of one hop, both halves: rdma-out-of-band.cc
    /**
     * @param qp a queue pair with a choice of feedback
     * @param nowNs a data packet leaves now
     * @return true if that collects telemetry
     */
    bool SamplesTelemetry(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @param psn a packet that has left, or the next one
     * @return its first byte; 0 if it is before those in flight
     */
    static uint64_t ByteOf(const RdmaQueuePair& qp, uint64_t psn);
    /**
     * Requests the next probe of a queue pair if one is wanted, and sets the probe timer.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void ContinueProbes(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * @param frame a probe that leaves, or is lost at the port
     * @param nowNs current time
     * @return its queue pair; null if that does not send any more
     */
    RdmaQueuePair* NoteProbe(const Frame& frame, int64_t nowNs);
    /// Sends the probes that are wanted, as far as ProbeSpacing permits.
    /// @param nowNs current time
    void SendProbes(int64_t nowNs);
    /**
     * @param qp a queue pair
     * @return its probe, not stamped
     */
    Frame* MakeProbe(RdmaQueuePair& qp);
    /// Handles the probes that have timed out.
    /// @param nowNs current time
    void RunProbeTimers(int64_t nowNs);
    /**
     * Handles a probe.
     * @param frame the probe
     * @param nowNs current time
     */
    void ReceiveProbe(Frame* frame, int64_t nowNs);
    /**
     * Handles a notification.
     * @param frame the notification
     * @param nowNs current time
     */
    void ReceiveNotification(Frame* frame, int64_t nowNs);
    /**
     * Reads a report of one hop.
     * @param qp a queue pair
     * @param frame an acknowledgement with telemetry
     * @param ack gets the hop; no hop if the report is not of the agreed kind
     */
    void ReadReport(const RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);
    /**
     * Replaces the telemetry of an acknowledgement by a report of the bottleneck hop.
     * @param qp a queue pair
     * @param frame the acknowledgement
     * @param nowNs current time
     */
    void Condense(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);
    /**
     * @param frame a data packet, without telemetry afterwards
     * @return a frame with the telemetry, whose psn is that of the data packet plus 1
     */
    Frame* DetachTelemetry(Frame& frame);
    /**
     * Turns a frame into a notification and sends it.
     * @param qp a queue pair
     * @param frame the frame
     * @param named what the notification answers, see Frame::Reflection
     * @param nowNs current time
     */
    void SendNotification(RdmaQueuePair& qp, Frame* frame, uint32_t named, int64_t nowNs);

    // Responses by switches: rdma-switch-response.cc
    /**
     * Sets the fields of a data packet that ask for feedback.
     * @param qp a queue pair with a choice of feedback
     * @param frame its data packet, whose telemetry is open if it collects
     */
    static void AskForFeedback(const RdmaQueuePair& qp, Frame& frame);
    /**
     * Handles a switch response.
     * @param frame the response
     * @param nowNs current time
     */
    void ReceiveSwitchResponse(Frame* frame, int64_t nowNs);
    /**
     * @param qp a queue pair at the sender
     * @param frame a response to one of its packets
     * @param nowNs current time
     * @return true if it is about a packet in flight
     */
    bool TakeSwitchResponse(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);
    /**
     * @param peer the other end's address
     * @param number the queue pair's number there
     * @return the queue pair; null if there is none, or it is not in use
     */
    RdmaQueuePair* FindByPeer(uint32_t peer, uint32_t number);
    // Paths of what is sent: rdma-host-paths.cc
    /**
     * @param qp a queue pair
     * @param frame what acknowledges it, with telemetry
     * @return true if the telemetry is that of a path probe, which the policy does not see
     */
    static bool AnswersPathProbe(const RdmaQueuePair& qp, const Frame& frame);
    /**
     * Updates the path of a queue pair by an ACK.
     * @param qp a queue pair whose path the host may change
     * @param frame its ACK
     * @param ack what the ACK says; its telemetry is removed if the policy must not see it
     * @param packets acknowledged for the first time
     * @param ofPathProbe true if the ACK answers a path probe
     */
    void FollowPath(RdmaQueuePair& qp,
                    const Frame& frame,
                    RdmaAckInfo& ack,
                    uint32_t packets,
                    bool ofPathProbe);
    /**
     * Moves a queue pair to RdmaPathState::nextPort.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void ChangePath(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * Moves a queue pair that waits until nothing is in flight, if that is so now.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void FinishDrain(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * Sends a path probe: repeats the packet acknowledged last.
     * @param qp the queue pair
     * @param port UDP source port
     * @param nowNs current time, ns
     */
    void SendScout(RdmaQueuePair& qp, uint16_t port, int64_t nowNs);
    /**
     * Holds back a new flow if no known path admits it.
     * @param qp the queue pair, about to send for the first time
     * @param nowNs current time
     */
    void HoldBack(RdmaQueuePair& qp, int64_t nowNs);
    /**
     * Releases the flows to an address that need no longer be held back.
     * @param destination the address
     * @param nowNs current time
     */
    void ReleaseHeld(uint32_t destination, int64_t nowNs);

    // Responder: rdma-responder.cc
    /**
     * Handles a data packet.
     * @param frame the packet
     * @param nowNs current time
     */
    void ReceiveData(Frame* frame, int64_t nowNs);
    /**
     * Processes a data packet of a queue pair at the responder.
     * @param qp the queue pair
     * @param frame the packet
     * @param nowNs current time
     */
    void Respond(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);
    /**
     * @param qp a queue pair with a reflector
     * @param frame a data packet
     * @param nowNs current time
     * @return true if it shall be acknowledged at once
     */
    bool Collect(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);
    /**
     * @param qp a queue pair
     * @return packets per ACK
     */
    uint32_t AckIntervalOf(const RdmaQueuePair& qp) const;
    /**
     * Delivers the next packet in order.
     * @param qp a queue pair
     * @param arrival the packet
     * @param nowNs current time
     */
    void Deliver(RdmaQueuePair& qp, const RdmaArrival& arrival, int64_t nowNs);
    /**
     * Handles an out-of-order packet.
     * @param qp a queue pair
     * @param frame a packet ahead of the one expected
     * @param psn its sequence number
     * @param nowNs current time
     */
    void ReceiveEarly(RdmaQueuePair& qp, Frame* frame, uint64_t psn, int64_t nowNs);
    /**
     * Completes the oldest READ, whose last byte has arrived.
     * @param qp the queue pair
     * @param nowNs current time
     */
    void CompleteRead(RdmaQueuePair& qp, int64_t nowNs);
    /// Requests the rest of the oldest READ once more.
    /// @param qp the queue pair
    void RequestAgain(RdmaQueuePair& qp);
    /**
     * Retransmits a READ response from the byte that a request names.
     * @param qp a queue pair
     * @param request a READ request for a response that has begun
     * @param nowNs current time
     */
    void RepeatResponse(RdmaQueuePair& qp, const Frame& request, int64_t nowNs);
    /// @param qp a queue pair that begins its message again, if recovery wants that
    /// @return true if it does
    static bool Restart(RdmaQueuePair& qp);
    /**
     * @param qp a queue pair
     * @param frame a data packet
     * @return true if it is a path probe whose telemetry AnswerPathProbe() returns
     */
    static bool IsPathProbe(const RdmaQueuePair& qp, const Frame& frame);
    /**
     * Turns a path probe into its ACK and sends it.
     * @param qp a queue pair
     * @param frame the path probe
     * @param nowNs current time
     */
    void AnswerPathProbe(RdmaQueuePair& qp, Frame* frame, int64_t nowNs);
    /**
     * Sets the UDP source port of an acknowledgement to that of the packet that it answers.
     * @param qp a queue pair
     * @param frame an acknowledgement
     * @param port the port
     */
    static void EchoPort(const RdmaQueuePair& qp, Frame& frame, uint16_t port);
    /**
     * Turns a frame into an ACK or NAK and sends it.
     * @param qp a queue pair
     * @param frame the frame
     * @param syndrome of the ACK or NAK
     * @param nowNs current time
     */
    void SendAck(RdmaQueuePair& qp, Frame* frame, uint8_t syndrome, int64_t nowNs);
    /**
     * Fills the headers of an acknowledgement.
     * @param qp a queue pair
     * @param frame the acknowledgement
     * @param opcode its opcode
     * @param syndrome its syndrome
     */
    void FillAcknowledgement(const RdmaQueuePair& qp,
                             Frame& frame,
                             uint8_t opcode,
                             uint8_t syndrome) const;
    /**
     * Completes an ACK or NAK whose headers are filled, and sends it.
     * @param qp a queue pair
     * @param frame the ACK or NAK
     * @param allHops see FinishReflection()
     * @param nowNs current time
     */
    void FinishAck(RdmaQueuePair& qp, Frame* frame, bool allHops, int64_t nowNs);
    /**
     * Numbers and signs an acknowledgement that returns telemetry.
     * @param qp a queue pair
     * @param frame the acknowledgement
     * @param allHops true to return the records of all hops whatever the feedback says
     * @param nowNs current time
     */
    void FinishReflection(RdmaQueuePair& qp, Frame& frame, bool allHops, int64_t nowNs);
    /**
     * Sends a CNP if the interval between CNPs has passed.
     * @param qp a queue pair
     * @param nowNs current time
     */
    void SendCnpIfDue(RdmaQueuePair& qp, int64_t nowNs);
    // Policies at the receiver: rdma-receiver-computes.cc
    /**
     * Runs the policy at the receiver for a data packet.
     * @param qp a queue pair whose policy runs here
     * @param frame the packet; loses its telemetry if this end computes
     * @param nowNs current time
     */
    void RunReceiver(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);
    /**
     * Counts the flow of a data packet.
     * @param qp a queue pair
     * @param frame a data packet for it
     * @param nowNs current time
     */
    void CountFlow(RdmaQueuePair& qp, const Frame& frame, int64_t nowNs);
    /**
     * Writes the window or rate into a CNP.
     * @param qp a queue pair whose sender's window is computed here
     * @param notification the window or rate to send
     * @param frame the CNP
     */
    void WriteWindow(RdmaQueuePair& qp, const RdmaNotification& notification, Frame& frame);
    /**
     * @param qp a queue pair whose window is computed at the other end
     * @param frame a CNP that carries the window
     * @return true if it is new, and authentic or need not be
     */
    bool AcceptWindow(RdmaQueuePair& qp, const Frame& frame);
    /**
     * Counts and traces feedback that is ignored.
     * @param qp a queue pair
     * @param why the reason
     */
    void RejectFeedback(const RdmaQueuePair& qp, FeedbackRejection why);

    // Responder, as above
    /**
     * Checks what the policy at the receiver has set, follows its timer and sends its message.
     * Throws HpccInputError if a value cannot be used.
     * @param qp a queue pair whose policy has run here
     * @param notification the notification for the sender
     * @param nowNs current time, ns
     * @param aheadNs the timer must be at least so far ahead, ns
     */
    void FollowReceiver(RdmaQueuePair& qp,
                        const RdmaNotification& notification,
                        int64_t nowNs,
                        int64_t aheadNs = 0);
    /**
     * Sends a CNP.
     * @param qp a queue pair
     * @param notification its content
     */
    void SendCnp(RdmaQueuePair& qp, const RdmaNotification& notification);
    /**
     * Fills the addresses and headers of a packet of a queue pair.
     * @param qp a queue pair
     * @param frame the packet
     */
    void FillHeaders(const RdmaQueuePair& qp, Frame& frame) const;

    /// By priority of data.
    using Inventories = std::array<Ptr<const TelemetryInventory>, PRIORITIES>;

    QbbNetDevice* m_port{nullptr};                          ///< the port
    NodeAgenda* m_agenda{nullptr};                          ///< the node's agenda
    std::vector<RdmaEnd> m_ends;                            ///< of all queue pairs, by index
    std::vector<RdmaSenderRole> m_senderRoles;              ///< what they are like
    std::vector<RdmaReceiverRole> m_receiverRoles;          ///< what they are like
    std::array<HpccFlowCounter, PRIORITIES> m_flowCounters; ///< flows to this host by class
    bool m_countsFlows{false};                              ///< they are in use
    RdmaQueuePairs m_queuePairs;                            ///< those in use, by slot
    std::vector<uint32_t> m_freeSlots;                      ///< slots not in use
    RdmaNicScheduler m_scheduler;                           ///< who sends next
    RdmaTimerHeap m_policyTimers;                           ///< timers of policies
    RdmaTimerHeap m_timeoutTimers;                 ///< retransmission time-outs, checked lazily
    RdmaTimerHeap m_ackTimers;                     ///< delayed ACKs
    RdmaTimerHeap m_receiverTimers;                ///< timers of policies at the receiver
    RdmaTimerHeap m_probeTimers;                   ///< time-outs of probes
    std::deque<uint32_t> m_wantedProbes;           ///< queue pairs by number that want a probe
    int64_t m_nextProbeNs{0};                      ///< no probe before
    int64_t m_notedNs{RdmaTimerHeap::NEVER};       ///< earliest noted timer
    uint32_t m_timer{0};                           ///< index on the agenda
    Inventories m_inventories;                     ///< bandwidths by priority of data
    Ptr<UniformRandomVariable> m_random;           ///< for RdmaFeedback
    boost::pool<> m_messages{sizeof(RdmaMessage)}; ///< memory of messages
    uint32_t m_address{0};                         ///< IPv4 address
    uint32_t m_mtu;                                ///< attribute
    uint8_t m_dataDscp;                            ///< attribute
    uint8_t m_ackDscp;                             ///< attribute
    uint8_t m_cnpDscp;                             ///< attribute
    uint8_t m_probeDscp;                           ///< attribute
    Time m_probeSpacing;                           ///< attribute
    uint8_t m_ttl;                                 ///< attribute
    bool m_ipv6;                                   ///< attribute
    uint32_t m_ackInterval;                        ///< attribute
    Time m_ackDelay;                               ///< attribute
    std::string m_recovery;                        ///< attribute
    std::map<std::string, Ptr<RdmaRecovery>> m_recoveries; ///< by short name
    Time m_retransmitTimeout;                              ///< attribute
    Time m_nakInterval;                                    ///< attribute
    Time m_cnpInterval;                                    ///< attribute
    CongestionEcho m_congestionEcho;                       ///< attribute
    Ptr<RdmaRepathing> m_repathing;                        ///< attribute
    std::vector<HeldFlow> m_held;                          ///< flows held back
    WireProfile m_wireProfile;                             ///< attribute
    uint32_t m_authorsHeaderBytes;                         ///< attribute
    bool m_retimePending;                                  ///< attribute
    bool m_paceByRate;                                     ///< attribute
    std::string m_feedbackKey;                             ///< attribute
    Time m_dishonestFrom;                                  ///< attribute
    std::map<uint32_t, IdlePathForger> m_forgers;          ///< by queue pair number, if dishonest
    std::deque<FeedbackAuthenticator> m_authenticators;    ///< of both ends of the queue pairs that
                                                           ///< this host has connected
    std::unordered_map<uint64_t, uint32_t> m_byPeer;       ///< indices by the other end, filled as
                                                           ///< far as responses have needed it
    uint32_t m_knownByPeer{0};                             ///< queue pairs in it
    HpccWorstHop m_report{};                               ///< the one being read or written
    TelemetryCapabilities m_bare{};                        ///< what three values carry
    TracedCallback<const RdmaMessageRecord&> m_acknowledgedTrace;      ///< MessageAcknowledged
    TracedCallback<const RdmaMessageRecord&> m_deliveredTrace;         ///< MessageDelivered
    TracedCallback<const RdmaQueuePair&, int64_t, int64_t> m_ackTrace; ///< Acknowledged
    TracedCallback<const RdmaQueuePair&, int64_t, uint32_t> m_receivedTrace; ///< Received
    TracedCallback<const RdmaQueuePair&, int64_t> m_pathTrace;               ///< PathChange
    TracedCallback<const RdmaQueuePair&, int64_t> m_heldTrace;               ///< HeldBack
    TracedCallback<const RdmaQueuePair&, FeedbackRejection>
        m_feedbackRejectedTrace; ///< FeedbackRejected
};

} // namespace ns3

#endif // RDMA_HOST_H
