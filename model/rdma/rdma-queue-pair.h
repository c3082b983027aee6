/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_QUEUE_PAIR_H
#define RDMA_QUEUE_PAIR_H

#include "rdma-message.h"
#include "rdma-recovery.h"
#include "rdma-repathing.h"

#include "ns3/hpcc-cache-lines.h"
#include "ns3/hpcc-frame.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-receiver-ops.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class FeedbackAuthenticator;
class RdmaDepartures;
class RdmaReceiverControl;
class RdmaReflector;
class TelemetryFormat;

struct RdmaFeedbackState;
struct RdmaSackReceiver;
struct RdmaSackState;

/// Optional features that a requester uses: bits of RdmaQueuePair::requesterUses.
enum RdmaRequesterUse : uint8_t
{
    USES_FEEDBACK = 1 << 0,      ///< a feedback mode other than the default
                                 ///< (RdmaQueuePair::feedback)
    USES_PATHS = 1 << 1,         ///< this host chooses paths (RdmaQueuePair::path)
    USES_AUTHENTICATOR = 1 << 2, ///< checks reflections (RdmaQueuePair::authenticator)
    SENDS_SPRAYED = 1 << 3,      ///< loss recovery with SACKs (RdmaQueuePair::sack)
};

/// Optional features that a responder uses: bits of RdmaQueuePair::responderUses.
enum RdmaResponderUse : uint8_t
{
    USES_REFLECTOR = 1 << 0,       ///< stores telemetry (RdmaQueuePair::reflector)
    USES_RECEIVER_POLICY = 1 << 1, ///< runs a policy (RdmaQueuePair::receiverOps)
    USES_FLOW_COUNT = 1 << 2,      ///< the host counts the flows that arrive
    USES_SIGNER = 1 << 3,          ///< signs reflections (RdmaQueuePair::signer)
    USES_FORGER = 1 << 4,          ///< the host may forge telemetry, see DishonestFrom
    USES_SACK = 1 << 5,            ///< answers with SACKs (RdmaQueuePair::sackReceiver)
};

/**
 * @ingroup hpcc
 *
 * State for losses and READs, which most queue pairs never need.
 */
struct RdmaRareState
{
    std::unique_ptr<RdmaRetransmission>
        retransmission; ///< selects the packets to retransmit; without SACKs, null before the first
                        ///< loss
    std::unique_ptr<RdmaSequencing> sequencing; ///< handles out-of-order packets; null until it is
                                                ///< needed
    RdmaOpenReads reads;                        ///< READs
    uint64_t recoveryPsn{0};   ///< losses of packets with numbers below this value have been
                               ///< reported to the policy
    uint64_t repeatedBytes{0}; ///< number of bytes after sndUnaByte that are already acknowledged.
                               ///< A go-back that lowers sndUnaByte increases this number
};

/**
 * @ingroup hpcc
 *
 * One end of a connected queue pair: the requester, which sends messages, and the responder, which
 * receives messages of the other end. A host may have thousands of queue pairs, so this is a plain
 * record; RdmaRequester and RdmaResponder implement the behaviour. Members that only some queue
 * pairs use are at the end. A host accesses them only after losses, or if requesterUses or
 * responderUses is not 0.
 *
 * Packet sequence numbers have 24 bits on the wire and 64 bits here.
 */
struct alignas(64) RdmaQueuePair
{
    /// The state of the requester at the NIC scheduler.
    enum class Schedule : uint8_t
    {
        IDLE,  ///< nothing to send, or the window is closed
        READY, ///< in the ring of its priority
        PACED, ///< waits for its pacing time
    };

    RdmaQueuePair();
    ~RdmaQueuePair();
    RdmaQueuePair& operator=(RdmaQueuePair&& other);

    /// Size of the members in cache lines 0 to 5, bytes. The code for ordinary packets accesses
    /// only these members.
    static constexpr uint32_t HOT_BYTES = 384;

    /// Size of cache lines 0 and 1, which are accessed when a data packet arrives, bytes.
    static constexpr uint32_t RESPONDER_BYTES = 128;

    /// Offset of the members that are accessed when a packet is sent or its ACK arrives, bytes.
    static constexpr uint32_t REQUESTER_BEGIN = 64;

    /// Size of the members that begin at REQUESTER_BEGIN, bytes.
    static constexpr uint32_t REQUESTER_BYTES = 256;

    /// Number of leading bytes of the policy's state that are prefetched for an ACK.
    static constexpr uint32_t ACK_STATE_BYTES = 512;

    /// Value of progressNs while no time-out runs. A recovery that sets the expiry time directly
    /// (RdmaSackRequester) may make progressNs negative, so this constant is far below any valid
    /// value.
    static constexpr int64_t NOT_RUNNING = INT64_MIN / 2;

    // Cache line 0: members of the responder that are accessed when a packet arrives.
    uint64_t expectedPsn{0};       ///< number of the next expected packet
    uint64_t messagePsn{0};        ///< first packet of the message that contains packet expectedPsn
    uint64_t receivedBytes{0};     ///< payload received in order
    uint64_t messageBytes{0};      ///< payload of the current message received in order
    Frame* pendingAck{nullptr};    ///< newest packet if its ACK is delayed, otherwise null
    uint64_t reflections{0};       ///< number of ACKs that returned telemetry
    uint32_t deliveredMessages{0}; ///< number of complete messages
    uint32_t unacknowledged{0};    ///< packets since the last ACK
    uint32_t ackInterval{1};       ///< packets per ACK
    bool nakSent{false};           ///< a NAK for expectedPsn has been sent
    bool keeps{false};             ///< at least one out-of-order packet is stored at present
    bool echoPending{false};       ///< the next ACK must echo a mark
    bool restarted{false};         ///< a message has been restarted

    // Cache line 1: header fields of packets and properties of the queue pair, for requester and
    // responder.
    int64_t rttNs{-1};         ///< last sample of the round-trip time, ns; -1 before the first
    uint32_t lastLinkBytes{0}; ///< bytes of the last packet on the link
    uint32_t number{0};        ///< queue pair number at this host
    uint32_t slot{0}; ///< index among the queue pairs in use at this host; identifies the queue
                      ///< pair in timers and in the NIC scheduler
    uint32_t peerNumber{0};            ///< queue pair number at the other end
    uint32_t mtu{0};                   ///< largest payload, bytes
    uint32_t local{0};                 ///< IPv4 address of this end's port
    uint32_t peer{0};                  ///< IPv4 address of the other end's port
    uint32_t flowHash{0};              ///< hash of the 5-tuple of packets
    uint16_t udpSourcePort{0};         ///< UDP source port of its packets
    uint8_t tos{0};                    ///< TOS of its packets
    uint8_t priority{0};               ///< priority of its packets at the NIC
    uint8_t port{0};                   ///< port of this end at its host
    Schedule schedule{Schedule::IDLE}; ///< state at the NIC scheduler
    uint8_t requesterUses{0};          ///< RdmaRequesterUse bits
    uint8_t responderUses{0};          ///< RdmaResponderUse bits
    bool sendsCnp{false};              ///< the responder answers marks with CNPs
    bool congestionEcho{false};        ///< the responder echoes marks in ACKs
    bool receives{false};              ///< the other end may send messages
    bool ipv6{false};                  ///< its packets use IPv6
    bool singleMessage{false};         ///< the slot is freed after the single message
    bool lost{false}; ///< true if RdmaRetransmission::NextLost() returns a packet; this packet is
                      ///< sent before new packets
    bool recovering{false};      ///< RdmaRetransmission::OnAcknowledged() must get each ACK
    bool lostNeedsRoom{false};   ///< lost packets are sent only if the window has room
    bool mayExceedWindow{false}; ///< with SACKs: one packet may exceed the window, see
                                 ///< AllowPacketIfStalled()
    bool hasWindow{false};       ///< the window was finite when the policy was opened
    bool reportsSent{false};     ///< the policy gets OnSent() for each data packet
    bool receiverPart{false};    ///< the policy has a part that runs at the receiver
    bool echoForPolicy{true};    ///< the policy is notified of echoed marks

    // Cache lines 2 to 4: members of the requester that are accessed when a packet is sent or an
    // ACK is handled.
    RdmaCongestionState* cc{nullptr}; ///< congestion state; null before the first message
    RdmaMessage* current{nullptr};    ///< message of packet sndNxtPsn; null if all messages have
                                      ///< been sent
    uint64_t sndNxtPsn{0};            ///< next packet to send, apart from lost packets
    uint64_t sndNxtByte{0};           ///< first byte of packet sndNxtPsn
    uint64_t sndUnaByte{0};           ///< first byte not acknowledged
    uint64_t sndUnaPsn{0};            ///< first packet not acknowledged
    uint64_t sndMaxPsn{0};            ///< one more than the highest number of a packet sent so far
    const TelemetryFormat* format{nullptr}; ///< telemetry format of its packets; null without
                                            ///< telemetry

    double departureNs{-1e18};       ///< nominal departure time of the last packet, not rounded, ns
    double nextSendNs{0};            ///< pacing time of the next packet, ns
    RdmaCongestionOps* ops{nullptr}; ///< policy
    RdmaSendLimits limits;           ///< limits of its loss recovery
    uint64_t selectiveBytes{0};      ///< bytes between sndUna and sndNxt that are not in flight,
                                     ///< because they are acknowledged selectively or, with SACKs,
                                     ///< lost
    uint64_t rttPsn{UINT64_MAX};     ///< packet whose round-trip time is measured

    int64_t rttSentNs{0};         ///< departure time of packet rttPsn, ns
    RdmaMessage* oldest{nullptr}; ///< oldest message not yet acknowledged
    uint64_t oldestEndPsn{0}; ///< one more than the number of the last packet of message oldest;
                              ///< stored here so that an ACK that does not complete this message
                              ///< need not access the message
    int64_t progressNs{NOT_RUNNING}; ///< start of the running time-out, ns; NOT_RUNNING if none
                                     ///< runs
    /// Time of the queue pair's entry in the heap of time-outs, ns; INT64_MAX if there is none.
    int64_t timeoutArmedNs{INT64_MAX};
    std::unique_ptr<RdmaDepartures> departures; ///< departure times of all packets, used in place
                                                ///< of rttPsn and rttSentNs; null unless the policy
                                                ///< needs them
    std::unique_ptr<RdmaRareState> rare; ///< state for losses and READs; null until it is needed
    int64_t idleNs{0}; ///< longest idle period since the last telemetry sample, ns. A queue pair is
                       ///< idle while all posted messages are acknowledged

    // Cache line 5: members that are accessed per message or per congestion mark, not per packet.
    RdmaMessage* newest{nullptr};     ///< message posted last
    uint64_t endPsn{0};               ///< one more than the number of the last packet posted
    uint64_t endByte{0};              ///< number of bytes posted so far
    uint32_t messages{0};             ///< number of messages posted
    int64_t idleSinceNs{0};           ///< time at which the last message was acknowledged, ns
    int64_t cnpIntervalNs{0};         ///< minimum time between two CNPs, ns
    int64_t lastCnpNs{INT64_MIN / 2}; ///< time at which the last CNP was sent, ns

    // Members of requester and responder that are used only after losses or by optional features.
    const RdmaRecovery* recovery{nullptr}; ///< scheme of loss recovery
    uint64_t retransmissions{0};           ///< number of packets retransmitted
    int64_t lastNakNs{0};                  ///< time at which the last NAK was sent, ns
    uint64_t furthestPsn{0}; ///< largest value that expectedPsn had before a message was restarted
    uint32_t duplicates{0};  ///< number of duplicates received
    uint32_t outOfOrder{0};  ///< out-of-order packets received, kept or dropped
    int64_t baseRttNs{0};    ///< base RTT for the policy, ns; 0 if unknown
    std::unique_ptr<RdmaPathState> path; ///< state of RdmaRepathing; null if the host does not
                                         ///< choose paths
    std::unique_ptr<RdmaFeedbackState> feedback; ///< state of a feedback mode; null for the default
                                                 ///< mode, in which every packet collects telemetry
                                                 ///< and its ACK returns this telemetry
    uint64_t lastReflection{0}; ///< message number of the newest reflection accepted
    const FeedbackAuthenticator* authenticator{nullptr}; ///< checks the reflections that this end
                                                         ///< receives; null if reflections are not
                                                         ///< authenticated
    const FeedbackAuthenticator* signer{nullptr};        ///< the other end's authenticator; signs
                                                         ///< the reflections that this end returns
    RdmaReceiverOps* receiverOps{nullptr}; ///< receiver part of a policy; null if there is none
    RdmaReceiverState* receiver{nullptr}; ///< state of receiverOps for this queue pair; null before
                                          ///< the first packet
    std::unique_ptr<RdmaReflector> reflector;       ///< selects the telemetry that ACKs return;
                                                    ///< null if each ACK returns the telemetry of
                                                    ///< its packet
    std::unique_ptr<RdmaReceiverControl> control;   ///< computes the sender's window or counts
                                                    ///< flows; null if this end does neither
    std::unique_ptr<RdmaSackState> sack;            ///< SACK state of the requester; null without
                                                    ///< SACKs
    std::unique_ptr<RdmaSackReceiver> sackReceiver; ///< SACK state of the responder; null without
                                                    ///< SACKs

    /// Value of rttPsn if the round-trip times of the queue pair are measured in another way, as
    /// with SACKs.
    static constexpr uint64_t NO_RTT_PSN = UINT64_MAX - 1;

    /// Returns the payload in flight, bytes, without selectiveBytes.
    uint64_t InFlight() const
    {
        return sndNxtByte - sndUnaByte - selectiveBytes;
    }

    /// Returns the number of packets in flight, counted from the first packet not acknowledged.
    uint64_t PacketsInFlight() const
    {
        return sndNxtPsn - sndUnaPsn;
    }

    /// Returns true if the window and the limits of the recovery allow a new packet.
    bool HasRoom() const
    {
        return static_cast<double>(InFlight()) < cc->windowBytes &&
               PacketsInFlight() < limits.packets;
    }

    /// Returns true if the newest packet must request an ACK: the window has no room for another
    /// packet, or the payload in flight is at least RdmaCongestionState::askBytes.
    bool AsksForAck() const
    {
        return !HasRoom() || static_cast<double>(InFlight()) >= cc->askBytes;
    }

    /// Returns true if the queue pair has a packet that may be sent now. Lost packets need room in
    /// the window only if lostNeedsRoom is true. Without SACKs, lostNeedsRoom is false, because
    /// lost packets are then included in the packets in flight. With SACKs, lostNeedsRoom is false
    /// only during a Sleek recovery, see RdmaSack.
    bool MaySend() const
    {
        return (lost && !lostNeedsRoom) || ((current || lost) && (HasRoom() || mayExceedWindow));
    }

    /**
     * Allows one packet to exceed the window of a queue pair with SACKs under three conditions: the
     * window is full, no packet in flight requests a SACK, and the payload in flight is less than
     * RdmaSackTerms::ackBytes. Without this packet, the responder could wait for more payload while
     * the requester waits for its time-out. All three conditions can be true only if the window has
     * become smaller since the last packet was sent.
     */
    void AllowPacketIfStalled();

    /**
     * Returns the message of a packet.
     * @param psn number of a packet in flight
     */
    const RdmaMessage& MessageOf(uint64_t psn) const;

    /**
     * Returns the sequence number of the first byte of a packet; 0 if the packet is acknowledged.
     * @param psn number of a packet that has been sent, or the next packet
     */
    uint64_t ByteOf(uint64_t psn) const;

    /**
     * Returns the position that is reported to a policy for a packet, see RdmaAckInfo::ackSeq.
     * @param psn one more than the number of the packet
     * @return the byte after the payload of the packet; with SACKs, the time of the packet's last
     * departure, ns; 0 if unknown
     */
    uint64_t PositionOf(uint64_t psn) const;

    /**
     * Returns the position that is reported to a policy for the next packet, see
     * RdmaAckInfo::sndNxt.
     * @param nowNs current time, ns
     * @return the next byte; with SACKs, the current time, ns
     */
    uint64_t NextPosition(int64_t nowNs) const
    {
        return sack ? static_cast<uint64_t>(nowNs) : sndNxtByte;
    }

    /**
     * Takes a sample of the round-trip time.
     * @param sentNs departure time of a packet, ns; -1 if unknown
     * @param nowNs current time, ns
     * @return the sample, ns; -1 if there is none
     */
    int64_t SampleRtt(int64_t sentNs, int64_t nowNs)
    {
        if (sentNs < 0)
        {
            return -1;
        }
        rttNs = nowNs - sentNs;
        return rttNs;
    }

    /// Returns the oldest READ that is not complete; null if there is none.
    const RdmaRead* CurrentRead() const
    {
        return rare && !rare->reads.open.empty() ? &rare->reads.open.front() : nullptr;
    }

    /// Returns the state for losses and READs. The first call creates it.
    RdmaRareState& Rare()
    {
        if (!rare)
        {
            rare = std::make_unique<RdmaRareState>();
        }
        return *rare;
    }

    /// Returns the requester's half of loss recovery. The first call creates it.
    RdmaRetransmission& Retransmission()
    {
        auto& half = Rare().retransmission;
        if (!half)
        {
            half = recovery->MakeRetransmission();
        }
        return *half;
    }

    /// Returns the responder's half of loss recovery. The first call creates it.
    RdmaSequencing& Sequencing()
    {
        auto& half = Rare().sequencing;
        if (!half)
        {
            half = recovery->MakeSequencing();
        }
        return *half;
    }

    /// Returns the time at which the running time-out expires, ns.
    int64_t TimeoutNs() const
    {
        return progressNs +
               (PacketsInFlight() <= limits.fewPackets ? limits.shortTimeoutNs : limits.timeoutNs);
    }

    /// Prefetches the members that are accessed when a data packet arrives.
    /// @param qp a queue pair
    static void PrefetchResponder(const RdmaQueuePair* qp)
    {
        PrefetchLines(qp, RESPONDER_BYTES);
    }

    /// Prefetches the members that are accessed when a packet is sent or its ACK arrives.
    /// @param qp a queue pair; may be null
    static void PrefetchRequester(const RdmaQueuePair* qp)
    {
        PrefetchLines(
            reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(qp) + REQUESTER_BEGIN),
            REQUESTER_BYTES);
    }
};

/**
 * Unwraps a 24-bit sequence number.
 * @param psn sequence number as on the wire, 24 bits
 * @param reference a full sequence number that differs from the result by less than 2^23
 * @return the full sequence number that ends with the 24 bits of @p psn and is nearest to the
 * reference
 */
inline uint64_t
UnwrapPsn(uint32_t psn, uint64_t reference)
{
    uint32_t difference = (psn - static_cast<uint32_t>(reference)) & 0xffffff;
    return difference < 0x800000 ? reference + difference : reference - (0x1000000 - difference);
}

} // namespace ns3

#endif // RDMA_QUEUE_PAIR_H
