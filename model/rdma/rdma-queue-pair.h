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

#include "ns3/hpcc-frame.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-receiver-ops.h"

#include <boost/container/deque.hpp>
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

/// What a requester uses beyond the default: bits of RdmaQueuePair::requesterUses.
enum RdmaRequesterUse : uint8_t
{
    USES_FEEDBACK = 1 << 0,      ///< RdmaQueuePair::feedback
    USES_PATHS = 1 << 1,         ///< RdmaQueuePair::path
    USES_AUTHENTICATOR = 1 << 2, ///< RdmaQueuePair::authenticator
    SENDS_SPRAYED = 1 << 3,      ///< RdmaQueuePair::sack
};

/// What a responder uses beyond the default: bits of RdmaQueuePair::responderUses.
enum RdmaResponderUse : uint8_t
{
    USES_REFLECTOR = 1 << 0,       ///< RdmaQueuePair::reflector
    USES_RECEIVER_POLICY = 1 << 1, ///< RdmaQueuePair::receiverOps
    USES_FLOW_COUNT = 1 << 2,      ///< the host counts the flows that arrive
    USES_SIGNER = 1 << 3,          ///< RdmaQueuePair::signer
    USES_FORGER = 1 << 4,          ///< the host may forge telemetry, see DishonestFrom
    USES_SACK = 1 << 5,            ///< RdmaQueuePair::sackReceiver
};

/**
 * @ingroup hpcc
 *
 * State that most queue pairs never need: for losses and READs.
 */
struct RdmaRareState
{
    std::unique_ptr<RdmaRetransmission>
        retransmission; ///< selects what is retransmitted; null before any loss
    std::unique_ptr<RdmaSequencing> sequencing; ///< decides on packets that are not expected;
                                                ///< null before any
    RdmaOpenReads reads;                        ///< READs
    uint64_t recoveryPsn{0};                    ///< losses before it are known to the policy
    uint64_t repeatedBytes{0};                  ///< bytes from sndUnaByte on acknowledged before
};

/**
 * @ingroup hpcc
 *
 * One end of a connected queue pair: the requester that sends messages and the responder that
 * answers the other end's. A plain record, because thousands of them live on a host; RdmaRequester
 * and RdmaResponder implement the behaviour. What only some queue pairs use stands at the end, and
 * one test of requesterUses or responderUses skips it.
 *
 * Packet sequence numbers have 24 bits on the wire and 64 bits here.
 */
struct alignas(64) RdmaQueuePair
{
    /// Where the requester stands with the NIC scheduler.
    enum class Schedule : uint8_t
    {
        IDLE,  ///< nothing to send, or the window is closed
        READY, ///< in the ring of its priority
        PACED, ///< waits for its pacing time
    };

    RdmaQueuePair();
    ~RdmaQueuePair();
    RdmaQueuePair& operator=(RdmaQueuePair&& other);

    /// Bytes that ordinary packets touch: everything before what only some queue pairs use.
    static constexpr uint32_t HOT_BYTES = 384;

    /// Value of progressNs while no time-out runs. A recovery that chooses the expiry time itself
    /// (RdmaSackRequester) may make progressNs negative, hence the large value.
    static constexpr int64_t NOT_RUNNING = INT64_MIN / 2;

    // Requester, in the order in which sending a packet touches it.
    RdmaQueuePair* nextReady{nullptr}; ///< next in the ring
    RdmaCongestionState* cc{nullptr};  ///< congestion state; null before the first message
    RdmaMessage* current{nullptr};     ///< message that sndNxtPsn belongs to; null if all is sent
    uint64_t sndNxtPsn{0};             ///< next packet to send, lost ones apart
    uint64_t sndNxtByte{0};            ///< its first byte
    uint64_t sndUnaByte{0};            ///< first byte not acknowledged
    uint64_t sndUnaPsn{0};             ///< first packet not acknowledged
    uint64_t sndMaxPsn{0};             ///< one more than the highest packet ever sent
    double departureNs{-1e18};         ///< nominal departure of the last packet, not rounded, ns
    double nextSendNs{0};              ///< pacing time of the next packet, ns
    uint32_t lastLinkBytes{0};         ///< link bytes of the last packet
    uint32_t number{0};                ///< queue pair number at this host
    uint32_t slot{0};          ///< position among the queue pairs in use at this host, by which
                               ///< timers and the NIC scheduler know it
    uint32_t peerNumber{0};    ///< queue pair number at the other end
    uint32_t mtu{0};           ///< largest payload, bytes
    uint32_t local{0};         ///< IPv4 address of its port
    uint32_t peer{0};          ///< IPv4 address of the other end's port
    uint32_t flowHash{0};      ///< of the 5-tuple of its packets
    uint16_t udpSourcePort{0}; ///< UDP source port of its packets
    uint8_t tos{0};            ///< TOS of its packets
    uint8_t priority{0};       ///< their priority at the NIC
    uint8_t port{0};           ///< its port at this host
    Schedule schedule{Schedule::IDLE}; ///< state at the NIC scheduler
    uint8_t requesterUses{0};          ///< RdmaRequesterUse bits
    uint8_t responderUses{0};          ///< RdmaResponderUse bits
    bool sendsCnp{false};              ///< as responder: answers marks with CNPs
    bool congestionEcho{false};        ///< as responder: echoes marks in ACKs
    bool ipv6{false};                  ///< its packets travel in IPv6
    bool singleMessage{false};         ///< it leaves its slot after its message
    bool lost{false};                  ///< RdmaRetransmission::NextLost() goes first
    bool recovering{false};            ///< RdmaRetransmission::IsActive()
    bool lostNeedsRoom{false};         ///< lost packets wait for the window
    bool readable{false};              ///< the other end can answer READs
    bool mayExceedWindow{false};       ///< one packet may, with SACKs: see AllowPacketIfStalled()
    bool hasWindow{false};             ///< the policy began with a finite window
    bool reportsSent{false};           ///< RdmaPolicyDescription::sentPackets
    bool receiverPart{false};          ///< RdmaPolicyDescription::receiverPart
    bool echoForPolicy{true};          ///< the policy gets the echo of marks
    const TelemetryFormat* format{nullptr}; ///< telemetry on its packets; null without
    RdmaCongestionOps* ops{nullptr};        ///< policy
    RdmaSendLimits limits;                  ///< of its scheme of recovery
    uint64_t selectiveBytes{0};             ///< bytes between sndUna and sndNxt not in flight:
                                            ///< acknowledged selectively, or lost with SACKs
    RdmaMessage* oldest{nullptr};           ///< oldest message not yet acknowledged
    RdmaMessage* newest{nullptr};           ///< message posted last
    uint64_t endPsn{0};                     ///< one more than the last packet posted
    uint64_t endByte{0};                    ///< one more than the last byte posted
    uint32_t messages{0};                   ///< messages posted
    int64_t progressNs{NOT_RUNNING};        ///< since when the time-out runs, or NOT_RUNNING
    /// when its entry in the heap of the host is due; INT64_MAX if there is none
    int64_t timeoutArmedNs{INT64_MAX};
    std::unique_ptr<RdmaRareState> rare;        ///< null before it is needed
    uint64_t rttPsn{UINT64_MAX};                ///< packet whose round-trip time is measured
    int64_t rttSentNs{0};                       ///< when it left
    std::unique_ptr<RdmaDepartures> departures; ///< departure times of all packets, used in place
                                                ///< of rttPsn and rttSentNs; null unless the policy
                                                ///< needs them
    int64_t rttNs{-1};      ///< last sample of the round-trip time; -1 before the first
    int64_t idleSinceNs{0}; ///< when the last message was acknowledged
    int64_t idleNs{0};      ///< longest time with nothing posted since the last telemetry sample

    // Responder, in the order in which receiving a packet touches it.
    uint64_t expectedPsn{0};          ///< next packet expected
    uint64_t messagePsn{0};           ///< first packet of the message that it belongs to
    uint64_t receivedBytes{0};        ///< payload received in order
    uint64_t messageBytes{0};         ///< of these in the current message
    Frame* pendingAck{nullptr};       ///< newest packet that still wants its acknowledgement
    uint64_t reflections{0};          ///< ACKs that returned telemetry
    uint32_t deliveredMessages{0};    ///< messages complete
    uint32_t unacknowledged{0};       ///< packets since the last ACK
    uint32_t ackInterval{1};          ///< packets per ACK
    bool nakSent{false};              ///< a NAK for expectedPsn is out
    bool keeps{false};                ///< RdmaSequencing::HasKept()
    bool echoPending{false};          ///< a mark waits to be echoed
    int64_t cnpIntervalNs{0};         ///< shortest time between two CNPs, ns
    int64_t lastCnpNs{INT64_MIN / 2}; ///< when the last CNP left

    // Both halves, after losses and beyond the default only.
    const RdmaRecovery* recovery{nullptr};       ///< scheme of loss recovery
    uint64_t retransmissions{0};                 ///< packets retransmitted
    int64_t lastNakNs{0};                        ///< when the last NAK left
    uint32_t duplicates{0};                      ///< packets received again
    uint32_t outOfOrder{0};                      ///< out-of-order packets received, kept or dropped
    int64_t baseRttNs{0};                        ///< RTT of the empty network, for the policy; 0 if
                                                 ///< unknown
    std::unique_ptr<RdmaPathState> path;         ///< null if the host leaves its path alone
    std::unique_ptr<RdmaFeedbackState> feedback; ///< null: telemetry on every packet, in its ACK
    uint64_t lastReflection{0}; ///< message number of the newest reflection accepted
    const FeedbackAuthenticator* authenticator{nullptr}; ///< of reflections of what it sends; null
                                                         ///< without
    const FeedbackAuthenticator* signer{nullptr};        ///< the other end's authenticator
    RdmaReceiverOps* receiverOps{nullptr};          ///< receiver part of a policy; null without
    RdmaReceiverState* receiver{nullptr};           ///< its state; null before the first packet
    std::unique_ptr<RdmaReflector> reflector;       ///< null: telemetry returns as it is, in ACKs
    std::unique_ptr<RdmaReceiverControl> control;   ///< null unless this end computes the sender's
                                                    ///< window, or counts flows
    std::unique_ptr<RdmaSackState> sack;            ///< as requester; null without SACKs
    std::unique_ptr<RdmaSackReceiver> sackReceiver; ///< as responder; null without SACKs

    /// Value of rttPsn of a queue pair whose round-trip times are measured in another way.
    static constexpr uint64_t NO_RTT_PSN = UINT64_MAX - 1;

    /// @return payload bytes in flight, without those acknowledged selectively
    uint64_t InFlight() const
    {
        return sndNxtByte - sndUnaByte - selectiveBytes;
    }

    /// @return packets in flight, counted from the first one not acknowledged
    uint64_t PacketsInFlight() const
    {
        return sndNxtPsn - sndUnaPsn;
    }

    /// @return true if the window and the scheme of recovery let a new packet go
    bool HasRoom() const
    {
        return static_cast<double>(InFlight()) < cc->windowBytes &&
               PacketsInFlight() < limits.packets;
    }

    /// @return true if there is something to send that may go. Lost packets need no room, unless
    /// lostNeedsRoom: they are counted as in flight already
    bool MaySend() const
    {
        return (lost && !lostNeedsRoom) || ((current || lost) && (HasRoom() || mayExceedWindow));
    }

    /**
     * Lets one packet exceed the window of a queue pair with SACKs if the window is full and no
     * packet in flight asks for a SACK: the responder could otherwise wait for more payload, and
     * the requester for its time-out. Such a window has become smaller since the last packet left.
     */
    void AllowPacketIfStalled();

    /**
     * @param psn a packet in flight
     * @return its message
     */
    const RdmaMessage& MessageOf(uint64_t psn) const;

    /**
     * @param psn a packet that has left, or the next one
     * @return its first byte; 0 if it is before those in flight
     */
    uint64_t ByteOf(uint64_t psn) const;

    /**
     * Returns the position of a packet for a policy, see RdmaAckInfo::ackSeq.
     * @param psn one more than the packet
     * @return the byte after its payload; with SACKs, when it left last, ns; 0 if it is not known
     */
    uint64_t PositionOf(uint64_t psn) const;

    /**
     * Returns the position of the next packet for a policy, see RdmaAckInfo::sndNxt.
     * @param nowNs current time, ns
     * @return the next byte; with SACKs the time, ns
     */
    uint64_t NextPosition(int64_t nowNs) const
    {
        return sack ? static_cast<uint64_t>(nowNs) : sndNxtByte;
    }

    /**
     * Takes a sample of the round-trip time.
     * @param sentNs when a packet left, ns; -1 if unknown
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

    /// @return the oldest READ that is not complete; null if there is none
    const RdmaRead* CurrentRead() const
    {
        return rare && !rare->reads.open.empty() ? &rare->reads.open.front() : nullptr;
    }

    /// @return the fields that most queue pairs never need, made now if they were not there
    RdmaRareState& Rare()
    {
        if (!rare)
        {
            rare = std::make_unique<RdmaRareState>();
        }
        return *rare;
    }

    /// @return the requester's half of loss recovery
    RdmaRetransmission& Retransmission()
    {
        auto& half = Rare().retransmission;
        if (!half)
        {
            half = recovery->MakeRetransmission();
        }
        return *half;
    }

    /// @return the responder's half of loss recovery
    RdmaSequencing& Sequencing()
    {
        auto& half = Rare().sequencing;
        if (!half)
        {
            half = recovery->MakeSequencing();
        }
        return *half;
    }

    /// @return when the time-out comes, if it runs, ns
    int64_t TimeoutNs() const
    {
        return progressNs +
               (PacketsInFlight() <= limits.fewPackets ? limits.shortTimeoutNs : limits.timeoutNs);
    }
};

/// A host's queue pairs by slot; references stay valid as it grows. The standard allocator,
/// because Boost's own does not align to cache lines. Small blocks, because most hosts of a large
/// network have few queue pairs.
using RdmaQueuePairs =
    boost::container::deque<RdmaQueuePair,
                            std::allocator<RdmaQueuePair>,
                            boost::container::deque_options_t<boost::container::block_size<8U>>>;

/// Bytes of a policy's state that are fetched ahead of their use.
constexpr uint32_t PREFETCHED_STATE_BYTES = 512;

/**
 * Fetches memory into the cache ahead of its use: with thousands of queue pairs the state of the
 * next one is never there. A hint only; any address will do.
 * @param address start
 * @param bytes size
 */
inline void
PrefetchLines(const void* address, uint32_t bytes)
{
    // As a number, since a null pointer must not be added to.
    const auto start = reinterpret_cast<uintptr_t>(address);
    for (uint32_t offset = 0; offset < bytes; offset += 64)
    {
        __builtin_prefetch(reinterpret_cast<const void*>(start + offset));
    }
}

/**
 * Unwrap a 24-bit sequence number.
 * @param psn as on the wire
 * @param reference a sequence number less than 2^23 away
 * @return the sequence number nearest to the reference with those 24 bits
 */
inline uint64_t
UnwrapPsn(uint32_t psn, uint64_t reference)
{
    uint32_t difference = (psn - static_cast<uint32_t>(reference)) & 0xffffff;
    return difference < 0x800000 ? reference + difference : reference - (0x1000000 - difference);
}

} // namespace ns3

#endif // RDMA_QUEUE_PAIR_H
