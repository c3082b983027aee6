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
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requester's half of a queue pair's loss recovery: selects the packets to retransmit. The
 * object is created at the first loss; with SACKs, together with the state of the queue pair. The
 * object is notified of cumulative acknowledgements only while IsActive() is true.
 *
 * A scheme can go back to a packet: this packet and all later packets are then retransmitted. A
 * scheme can also select lost packets individually, or do both. Packet numbers are not wrapped.
 */
class RdmaRetransmission
{
  public:
    static constexpr uint64_t NONE = UINT64_MAX; ///< no packet

    /// The position of the requester in the sequence of packets.
    struct Position
    {
        uint64_t unaPsn;     ///< first packet not acknowledged
        uint64_t nxtPsn;     ///< next packet to send, apart from individually retransmitted packets
        uint64_t messagePsn; ///< first packet of the oldest message not acknowledged
    };

    virtual ~RdmaRetransmission() = default;

    /**
     * Handles a NAK that is not selective: it contains only the number of the packet that the
     * responder expects.
     * @param at the requester's position after the packets before @p psn have been acknowledged
     * @param psn number of the expected packet
     * @return packet to go back to, at most nxtPsn; NONE if the requester does not go back
     */
    virtual uint64_t OnNak(const Position& at, uint64_t psn) = 0;

    /**
     * Handles a retransmission time-out: no packet has been acknowledged since the time-out was
     * started.
     * @param at the requester's position
     * @return packet to go back to; NONE if NextLost() selects the packets to retransmit
     */
    virtual uint64_t OnTimeout(const Position& at) = 0;

    /**
     * Handles a selective NAK, which reports that the responder has kept an out-of-order packet.
     * The base class ignores the NAK.
     * @param at the requester's position after the cumulative acknowledgement of the NAK has been
     * applied
     * @param psn number of the packet that the responder has kept
     * @param bytes payload of this packet, bytes, at least 1
     * @return true if this NAK is the first to report the arrival of the packet
     */
    virtual bool OnSelective(const Position& at, uint64_t psn, uint32_t bytes);

    /**
     * Handles an advance of the cumulative acknowledgement. Called while IsActive() is true.
     * @param unaPsn number of the first packet that is not yet acknowledged
     * @return payload bytes of packets before @p unaPsn that OnSelective() has reported
     */
    virtual uint64_t OnAcknowledged(uint64_t unaPsn);

    /**
     * Returns the number of the next lost packet, which is sent before new packets; NONE if no
     * packet is lost. The base class returns NONE.
     * @param unaPsn number of the first packet not acknowledged
     */
    virtual uint64_t NextLost(uint64_t unaPsn);

    /// Records that a packet that NextLost() has returned is retransmitted now.
    /// @param psn number of the packet
    virtual void OnRetransmitted(uint64_t psn);

    /// Returns true while OnAcknowledged() must be called for acknowledgements. Default: false.
    virtual bool IsActive() const;
};

/**
 * @ingroup hpcc
 *
 * The description of a data packet that has arrived. While a responder keeps an out-of-order
 * packet, it stores only this description.
 */
struct RdmaArrival
{
    uint32_t readBytes; ///< requested bytes of a READ request
    uint16_t bytes;     ///< payload, bytes
    uint8_t opcode;     ///< BTH opcode
};

/**
 * @ingroup hpcc
 *
 * The responder's half of a queue pair's loss recovery: decides what to do with out-of-order
 * packets. The object is created when it is first needed. For in-order packets, the object is
 * called only while HasKept() is true. A scheme that keeps out-of-order packets tolerates any
 * reordering of packets, whatever its cause.
 */
class RdmaSequencing
{
  public:
    /// The fate of an out-of-order packet.
    enum class Fate : uint8_t
    {
        DROPPED,  ///< dropped, must be retransmitted
        KEPT,     ///< kept, reported in a selective NAK
        REPEATED, ///< kept already, so this packet is a duplicate
    };

    virtual ~RdmaSequencing() = default;

    /**
     * Handles an out-of-order packet. The base class drops the packet.
     * @param expectedPsn number of the expected packet
     * @param psn number of the packet, which is higher than the expected number
     * @param arrival description of the packet
     * @return the fate of the packet
     */
    virtual Fate OnOutOfOrder(uint64_t expectedPsn, uint64_t psn, const RdmaArrival& arrival);

    /**
     * Returns the number of the packet from which the requester must continue after a packet was
     * dropped. This number is at least @p messagePsn. The responder treats this packet and all
     * later packets as not received. The base class returns @p expectedPsn.
     * @param expectedPsn number of the expected packet
     * @param messagePsn number of the first packet of the message that contains the expected packet
     */
    virtual uint64_t RestartAt(uint64_t expectedPsn, uint64_t messagePsn) const;

    /// Returns true if at least one packet is kept. Default: false.
    virtual bool HasKept() const;

    /**
     * Removes the expected packet if it was kept.
     * @param expectedPsn number of the expected packet
     * @param arrival receives the description of the packet if the packet was kept
     * @return true if the packet was kept
     */
    virtual bool Take(uint64_t expectedPsn, RdmaArrival& arrival);
};

/**
 * @ingroup hpcc
 *
 * The limits that a scheme imposes on a sender at all times, even without losses.
 */
struct RdmaSendLimits
{
    uint32_t packets{std::numeric_limits<uint32_t>::max()}; ///< largest number of packets in flight
    uint32_t fewPackets{0};                                 ///< largest number of packets in flight
                                                            ///< for which shortTimeoutNs applies
    int64_t timeoutNs{0};                                   ///< time-out, ns
    int64_t shortTimeoutNs{0}; ///< time-out while at most fewPackets are in flight, ns; at most
                               ///< timeoutNs
};

/**
 * @ingroup hpcc
 *
 * Settings of a scheme with SACKs for a queue pair, see RdmaSack.
 */
struct RdmaSackTerms
{
    uint32_t ackBytes{1};   ///< payload after which a SACK is sent, bytes
    bool sleek{false};      ///< true to infer losses by Sleek (see RdmaSack), for networks that do
                            ///< not trim
    int64_t baseRttNs{0};   ///< base RTT used to infer losses, ns
    double mostPackets{0};  ///< upper limit of Sleek's threshold, packets. Losses are inferred when
                            ///< this threshold is reached by the number of packets that wait at the
                            ///< responder
    int64_t timeoutRtts{0}; ///< lower limit of the time-out, in units of the last round-trip time;
                            ///< 0 once a packet has been trimmed
};

/**
 * @ingroup hpcc
 *
 * A scheme of loss recovery. One object serves all queue pairs of a host that use the scheme. This
 * object stores the attributes and creates the requester's and the responder's half, which store
 * the state of a queue pair.
 *
 * To add a scheme, write a file pair (.h and .cc): derive a class, register a TypeId and its short
 * names with HpccTypeId::Presets(), and add NS_OBJECT_ENSURE_REGISTERED. The option --recovery=NAME
 * and RdmaHost::Recovery select the scheme; no other file needs a change.
 */
class RdmaRecovery : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Properties of a queue pair on which a scheme depends.
    struct Path
    {
        uint64_t lineRateBps; ///< rate of the requester's port, bit/s
        uint32_t mtuBytes;    ///< largest payload of a packet, bytes
        int64_t baseRttNs;    ///< largest base RTT of the network, ns; 0 if unknown
        int64_t timeoutNs;    ///< RdmaHost::RetransmitTimeout, ns

        /// Returns the number of bytes that the port sends during the base RTT.
        double BdpBytes() const
        {
            return static_cast<double>(lineRateBps) * static_cast<double>(baseRttNs) / 8e9;
        }
    };

    /// Returns true if packets that arrive out of order can be delivered without a retransmission.
    /// Default: false.
    virtual bool ToleratesReordering() const;

    /**
     * Returns true if the responder may drop an out-of-order packet. RdmaHost::NakInterval has an
     * effect only if the responder may drop out-of-order packets. By default, the responder drops
     * all out-of-order packets.
     * @param path properties of the queue pair
     */
    virtual bool DropsOutOfOrder(const Path& path) const;

    /// Returns true if a lost or overtaken packet restarts its message. If messages restart, a long
    /// message may never be delivered. Default: false.
    virtual bool RestartsMessages() const;

    /// Creates the requester's half of the recovery of a queue pair.
    /// @return the requester's half; an RdmaSackSender if the scheme uses SACKs
    virtual std::unique_ptr<RdmaRetransmission> MakeRetransmission() const = 0;

    /// Creates the responder's half of the recovery of a queue pair.
    /// @return the responder's half; an RdmaIrnSequencing if the scheme uses SACKs
    virtual std::unique_ptr<RdmaSequencing> MakeSequencing() const;

    /**
     * Returns the limits for a queue pair. By default, the only limit is the host's time-out.
     * @param path properties of the queue pair
     */
    virtual RdmaSendLimits GetLimits(const Path& path) const;

    /**
     * Returns the settings of a scheme with SACKs for a queue pair; null (the default) if the
     * scheme does not use SACKs.
     * @param path properties of the queue pair
     */
    virtual std::unique_ptr<RdmaSackTerms> GetSackTerms(const Path& path) const;

    /// Returns true if the scheme uses SACKs. A queue pair with SACKs supports only WRITEs.
    /// RdmaEntropy requires SACKs.
    bool UsesSacks() const
    {
        return GetSackTerms({1, 1, 0, 1}) != nullptr;
    }

    /**
     * Checks whether the attributes are consistent, before simulated time starts.
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    virtual std::string Validate() const;

    /// Returns the name of the attribute that sets RdmaSendLimits::timeoutNs; by default
    /// ns3::RdmaHost::RetransmitTimeout.
    virtual std::string GetTimeoutName() const;
};

} // namespace ns3

#endif // RDMA_RECOVERY_H
