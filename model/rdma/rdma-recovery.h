/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RECOVERY_H
#define RDMA_RECOVERY_H

#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of loss recovery, one per queue pair, made at the first loss: selects which
 * packets are retransmitted. Packets that are acknowledged in order do not touch it.
 *
 * A scheme goes back, so that everything from some packet on is retransmitted, or it names lost
 * packets one by one, or both. Packet numbers are not wrapped.
 */
class RdmaRetransmission
{
  public:
    static constexpr uint64_t NONE = UINT64_MAX; ///< no packet

    /// Where the requester stands.
    struct Position
    {
        uint64_t unaPsn;     ///< first packet not acknowledged
        uint64_t nxtPsn;     ///< next packet to send for the first time, or after going back
        uint64_t messagePsn; ///< first packet of the oldest message not acknowledged
    };

    virtual ~RdmaRetransmission() = default;

    /**
     * Handles a NAK that says only which packet the responder expects.
     * @param at the requester's position, after the acknowledgement that the NAK implies
     * @param psn the packet expected
     * @return packet to go back to, at most nxtPsn; NONE to stay
     */
    virtual uint64_t OnNak(const Position& at, uint64_t psn) = 0;

    /**
     * Handles a time-out: nothing was acknowledged for so long.
     * @param at the requester's position
     * @return packet to go back to; NONE to stay, because NextLost() names what is retransmitted
     */
    virtual uint64_t OnTimeout(const Position& at) = 0;

    /**
     * Handles a selective NAK: the responder has kept an out-of-order packet. The base class
     * ignores it.
     * @param at the requester's position, after the acknowledgement that came with it
     * @param psn the packet
     * @param bytes its payload, at least 1
     * @return true if the packet was not known to have arrived
     */
    virtual bool OnSelective(const Position& at, uint64_t psn, uint32_t bytes);

    /**
     * Notes that the first packet not acknowledged has moved while IsActive().
     * @param unaPsn the first packet not acknowledged now
     * @return payload bytes before it that OnSelective() has reported
     */
    virtual uint64_t OnAcknowledged(uint64_t unaPsn);

    /**
     * @param unaPsn first packet not acknowledged
     * @return the next lost packet, to be sent ahead of new ones; NONE if there is none
     */
    virtual uint64_t NextLost(uint64_t unaPsn);

    /// Notes that a packet returned by NextLost() leaves now.
    /// @param psn the packet
    virtual void OnRetransmitted(uint64_t psn);

    /// @return true while it must be notified of acknowledgements by OnAcknowledged()
    virtual bool IsActive() const;
};

/**
 * @ingroup hpcc
 *
 * The description of a packet that is kept until the packets before it arrive.
 */
struct RdmaArrival
{
    uint32_t readBytes; ///< READ request: bytes wanted
    uint16_t bytes;     ///< payload
    uint8_t opcode;     ///< BTH opcode
};

/**
 * @ingroup hpcc
 *
 * The responder's half of loss recovery, one per queue pair, made when it is first needed: decides
 * on packets that are not the expected one. Packets in order do not touch it, unless HasKept(). A
 * scheme that keeps out-of-order packets tolerates reordering, whatever its cause.
 */
class RdmaSequencing
{
  public:
    /// The fate of an out-of-order packet.
    enum class Fate : uint8_t
    {
        DROPPED,  ///< must be retransmitted
        KEPT,     ///< the responder says so in a selective NAK
        REPEATED, ///< was kept before
    };

    virtual ~RdmaSequencing() = default;

    /**
     * Handles an out-of-order packet. The base class drops it.
     * @param expectedPsn packet expected
     * @param psn the packet, higher
     * @param arrival its description
     * @return the decision
     */
    virtual Fate OnOutOfOrder(uint64_t expectedPsn, uint64_t psn, const RdmaArrival& arrival);

    /**
     * @param expectedPsn packet expected, of a message that begins at messagePsn
     * @param messagePsn first packet of that message
     * @return packet that the NAK for a dropped packet requests, not before messagePsn: all
     * between it and the expected one count as not received. In the base class the expected one
     */
    virtual uint64_t RestartAt(uint64_t expectedPsn, uint64_t messagePsn) const;

    /// @return true if packets are kept
    virtual bool HasKept() const;

    /**
     * @param expectedPsn packet expected
     * @param arrival set to its description if it was kept
     * @return true if it was; it no longer is
     */
    virtual bool Take(uint64_t expectedPsn, RdmaArrival& arrival);
};

/**
 * @ingroup hpcc
 *
 * Limits that a scheme sets for the sender at all times.
 */
struct RdmaSendLimits
{
    uint32_t packets{std::numeric_limits<uint32_t>::max()}; ///< most packets in flight
    uint32_t fewPackets{0};                                 ///< greatest number that counts as few
    int64_t timeoutNs{0};                                   ///< time-out, ns
    int64_t shortTimeoutNs{0}; ///< time-out with few packets in flight, ns, at most timeoutNs
};

/**
 * @ingroup hpcc
 *
 * What a scheme with SACKs sets for a queue pair, see RdmaSack.
 */
struct RdmaSackTerms
{
    uint32_t ackBytes{1};   ///< payload after which a SACK is sent, bytes
    bool sleek{false};      ///< losses are inferred, for networks that do not trim
    int64_t baseRttNs{0};   ///< base RTT for that, ns
    double mostPackets{0};  ///< most packets that may wait at the responder for that
    int64_t timeoutRtts{0}; ///< a packet counts as lost after this many of the last round-trip time
                            ///< at the earliest; 0 if one was trimmed
};

/**
 * @ingroup hpcc
 *
 * A scheme of loss recovery. One object serves every queue pair that a host connects with it: it
 * holds the attributes and makes the two halves that keep the state.
 *
 * To add a scheme, write a file pair: derive, register a TypeId and its short names with
 * HpccTypeId::Presets(), and add NS_OBJECT_ENSURE_REGISTERED. --recovery=NAME and
 * RdmaHost::Recovery choose it; no other file refers to it.
 */
class RdmaRecovery : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Properties of a queue pair, as given to a scheme.
    struct Path
    {
        uint64_t lineRateBps; ///< rate of the requester's port, bit/s
        uint32_t mtuBytes;    ///< largest payload of a packet, bytes
        int64_t baseRttNs;    ///< largest base RTT of the network, ns; 0 if unknown
        int64_t timeoutNs;    ///< RdmaHost::RetransmitTimeout, ns
    };

    /// @return true if a packet that others have overtaken need not be retransmitted
    virtual bool ToleratesReordering() const;

    /// @return true if a lost or overtaken packet restarts its message, which therefore may never
    /// be delivered
    virtual bool RestartsMessages() const;

    /// @return a requester's half; of a scheme with SACKs an RdmaSackSender
    virtual std::unique_ptr<RdmaRetransmission> MakeRetransmission() const = 0;

    /// @return a responder's half; of a scheme with SACKs an RdmaIrnSequencing
    virtual std::unique_ptr<RdmaSequencing> MakeSequencing() const;

    /**
     * @param path the queue pair
     * @return its limits; by default none, and the host's time-out
     */
    virtual RdmaSendLimits GetLimits(const Path& path) const;

    /**
     * @param path the queue pair
     * @return the settings of a scheme with SACKs; by default null: it has no SACKs
     */
    virtual std::unique_ptr<RdmaSackTerms> GetSackTerms(const Path& path) const;

    /// @return true if it uses SACKs, which carry only WRITEs and allow entropy
    bool UsesSacks() const
    {
        return GetSackTerms({1, 1, 0, 1}) != nullptr;
    }

    /**
     * Checks the attributes against each other, before simulated time starts.
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    virtual std::string Validate() const;
};

} // namespace ns3

#endif // RDMA_RECOVERY_H
