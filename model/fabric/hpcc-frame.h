/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_H
#define HPCC_FRAME_H

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class FramePool;
class TelemetryFormat;

/// Number of priorities (IEEE 802.1Q traffic classes) of a port.
constexpr uint8_t PRIORITIES = 8;

/// Sizes of Ethernet headers and frames on the wire, bytes. For other headers, see
/// hpcc-frame-sizes.h.
constexpr uint32_t ETHERNET_HEADER_BYTES = 14;
constexpr uint32_t MIN_FRAME_BYTES = 60;         ///< without FCS
constexpr uint32_t ETHERNET_OVERHEAD_BYTES = 24; ///< FCS 4, preamble and SFD 8, gap 12

/// UDP destination port of RoCEv2 (IBTA Annex A17).
constexpr uint16_t ROCE_UDP_PORT = 4791;

/// BTH opcodes of the reliable connection service and of CNPs (IBTA volume 1, 9.2; Annex A17).
/// Opcodes from 0xc0 on are defined by this module, in the range that IBTA reserves for
/// manufacturers.
enum RoceOpcode : uint8_t
{
    ROCE_SEND_FIRST = 0x00,
    ROCE_SEND_MIDDLE = 0x01,
    ROCE_SEND_LAST = 0x02,
    ROCE_SEND_ONLY = 0x04,
    ROCE_WRITE_FIRST = 0x06,
    ROCE_WRITE_MIDDLE = 0x07,
    ROCE_WRITE_LAST = 0x08,
    ROCE_WRITE_ONLY = 0x0a,
    ROCE_READ_REQUEST = 0x0c,
    ROCE_READ_RESPONSE_FIRST = 0x0d,
    ROCE_READ_RESPONSE_MIDDLE = 0x0e,
    ROCE_READ_RESPONSE_LAST = 0x0f,
    ROCE_READ_RESPONSE_ONLY = 0x10,
    ROCE_ACK = 0x11,
    ROCE_CNP = 0x81,
    ROCE_PROBE = 0xc0,           ///< probe: collects telemetry of the path; its PSN is the sender's
                                 ///< snd_nxt
    ROCE_NOTIFICATION = 0xc1,    ///< returns the telemetry of a probe or data packet
    ROCE_SWITCH_RESPONSE = 0xc2, ///< sent by a switch; returns telemetry of the path of a data
                                 ///< packet
};

/**
 * Returns true if a packet is the last of its message.
 * @param opcode opcode of the data packet
 */
constexpr bool
EndsRoceMessage(uint8_t opcode)
{
    return opcode == ROCE_WRITE_LAST || opcode == ROCE_WRITE_ONLY || opcode == ROCE_SEND_LAST ||
           opcode == ROCE_SEND_ONLY || opcode == ROCE_READ_REQUEST ||
           opcode == ROCE_READ_RESPONSE_LAST || opcode == ROCE_READ_RESPONSE_ONLY;
}

/// AETH syndromes.
enum RoceSyndrome : uint8_t
{
    ROCE_SYNDROME_ACK = 0x1f,           ///< ACK, no credit limit
    ROCE_SYNDROME_NAK_SEQUENCE = 0x60,  ///< NAK, PSN sequence error
    ROCE_SYNDROME_NAK_SELECTIVE = 0x70, ///< NAK: an out-of-order packet has been kept. IBTA volume
                                        ///< 1, 9.7.5.2.8 reserves this code
    ROCE_SYNDROME_SACK = 0x71,          ///< SACK: a RoceSackHeader follows. This code is also
                                        ///< reserved
    ROCE_SYNDROME_NACK_TRIMMED = 0x72,  ///< a packet has arrived without its payload: a
                                        ///< RoceSackHeader identifies the packet. This code is also
                                        ///< reserved
};

/// Bits of Frame::bthFlags.
enum RoceBthFlag : uint8_t
{
    ROCE_ACK_REQUEST = 1 << 0, ///< acknowledge request (A): the responder must acknowledge now
    ROCE_FECN = 1 << 1,        ///< FECN (F); in data of a queue pair with SACKs, it marks a
                               ///< retransmission
    ROCE_BECN = 1 << 2,        ///< BECN (B): congestion echo, set in CNPs and in ACKs that echo an
                               ///< ECN mark
    ROCE_SOLICITED = 1 << 3,   ///< solicited event (SE); in data of a queue pair with SACKs, it
                               ///< marks the last packet of a message
};

/// The upper four bits of Frame::bthFlags in a data packet. If the receiver computes the window,
/// these bits are the low four bits of the epoch. The epoch is the number of the newest window that
/// the sender has received from the receiver and applied. If the sender computes the window, these
/// bits are 0.
struct RoceEpoch
{
    static constexpr uint8_t SHIFT = 4;  ///< position in Frame::bthFlags
    static constexpr uint8_t MASK = 0xf; ///< largest value
};

/// The two low bits of Frame::tos (RFC 3168).
enum EcnCodepoint : uint8_t
{
    ECN_NOT_ECT = 0,
    ECN_ECT1 = 1,
    ECN_ECT0 = 2,
    ECN_CE = 3,
};

struct Frame;

/**
 * @ingroup hpcc
 *
 * The headers of a frame and its state at the present hop, as plain fields that can be copied byte
 * by byte. The fields that are used most often are first.
 */
struct FrameHeaders
{
    /// The content of the frame.
    enum class Kind : uint8_t
    {
        ROCE, ///< IPv4 or IPv6, UDP, BTH
        IP,   ///< a packet of ns-3's IP stack
        PFC,  ///< MAC control, IEEE 802.1Qbb priority-based flow control
    };

    /// Fields of the RDMA extended transport header.
    struct Reth
    {
        uint64_t address; ///< virtual address
        uint32_t key;     ///< R_Key
        uint32_t length;  ///< DMA length, bytes
    };

    /// Fields of an ACK's reflection header, and of the RoceNamedPsnHeader before it.
    struct Reflection
    {
        FeedbackTag tag;   ///< authenticator, if REFLECTION_AUTHENTICATED is set
        uint8_t flags;     ///< ReflectionFlag bits
        uint32_t namedPsn; ///< see RoceNamedPsnHeader
    };

    /// Fields after the BTH of a switch response, see RoceSwitchResponseHeader. The first two
    /// fields are the same as in Reflection, because the code that writes and signs reflections
    /// accesses both structs as Reflection.
    struct SwitchResponse
    {
        FeedbackTag tag;   ///< authenticator, if REFLECTION_AUTHENTICATED is set
        uint8_t flags;     ///< ReflectionFlag bits
        uint32_t switchId; ///< id of the switch that sends the response
        bool forReceiver;  ///< true if the response is sent to the receiver of the data packet;
                           ///< false if it is sent to the sender
    };

    /// Fields that follow the BTH of a CNP, see RoceNotificationHeader.
    struct Notification
    {
        uint64_t value;         ///< unit and meaning depend on kind
        uint8_t kind;           ///< RoceNotificationHeader::Kind
        bool congested : 1;     ///< true if the path is congested
        bool authenticated : 1; ///< true if the CNP carries the tag
        uint16_t number;        ///< message number
        FeedbackTag tag;        ///< authenticator
    };

    /// Fields of a PFC frame.
    struct Pfc
    {
        uint16_t classEnable; ///< bit n is set if the frame contains a pause time for priority n
        std::array<uint16_t, PRIORITIES>
            quanta; ///< pause times in units of 512 bit times; 0 resumes
    };

    static constexpr uint32_t FRACTION_BITS = 16; ///< binary digits of Frame::fraction

    Frame* next;       ///< the next frame in a queue, on a link or in the pool
    int64_t arrivalNs; ///< in flight: when the last bit arrives at the next node, ns; in an egress
                       ///< queue: when the frame joined the queue, ns
    uint32_t bytes;    ///< size from destination MAC to the last byte before the FCS
    uint32_t admittedBytes;   ///< size that the frame had when it was admitted to the switch's
                              ///< buffer; the buffer is charged for this size
    uint32_t flowHash;        ///< hash of the 5-tuple as it was before telemetry replaced port or
                              ///< protocol; not on the wire
    uint32_t source;          ///< IPv4 source address
    uint32_t destination;     ///< IPv4 destination address
    uint16_t sourcePort;      ///< UDP source port
    uint16_t destinationPort; ///< original UDP destination port; on the wire, a telemetry format
                              ///< may replace it by another port
    uint16_t ingressPort;     ///< port by which the frame entered the switch, or NOT_ADMITTED
    uint8_t priority;         ///< priority at the current node
    Kind kind;                ///< kind of content
    uint8_t tos;              ///< DSCP in the upper 6 bits, ECN in the lower 2
    uint8_t ttl;              ///< IPv4 time to live, or IPv6 hop limit
    uint8_t opcode;   ///< BTH opcode, see RoceOpcode. In an IP frame: ROCE_PROBE for a probe,
                      ///< ROCE_ACK for the answer to a probe, 0 for other packets. In a PFC frame:
                      ///< 0
    uint8_t bthFlags; ///< RoceBthFlag bits, and RoceEpoch
    uint32_t destinationQp;        ///< BTH destination queue pair, 24 bits
    uint32_t psn;                  ///< BTH packet sequence number, 24 bits
    const TelemetryFormat* format; ///< telemetry format; null without telemetry
    uint32_t msn; ///< AETH message sequence number, 24 bits; in a probe, the probe's number
    uint16_t payloadBytes;  ///< RDMA payload, without pad
    uint16_t reportedFlows; ///< reflection header: number of flows on the last hop; 0: not reported
    uint16_t reflectionSeq; ///< reflection header: sequence number
    uint8_t syndrome;       ///< AETH syndrome
    uint8_t protocol;       ///< IPv4 protocol, or IPv6 next header
    uint16_t ipId;          ///< IPv4 identification; 0 in IPv6
    uint16_t linkEpoch;     ///< number of failures of the link before the frame was sent,
                            ///< modulo 65536
    bool ipv6 : 1;          ///< true if the frame is sent over IPv6, with the addresses
                            ///< Ipv6AddressOf(source) and Ipv6AddressOf(destination)
    bool trimmed : 1;       ///< true if a switch has cut the payload; on the wire, only the DSCP
                            ///< shows that the frame is trimmed
    uint16_t fraction; ///< exact arrival time minus arrivalNs, in units of 2^-FRACTION_BITS ns; 0
                       ///< unless ports carry fractions (QbbNetDevice::CarryFractions)

    union {
        Reth reth;                 ///< valid if the opcode has a RETH
        Reflection reflection;     ///< valid in an ACK, NAK or notification
        SwitchResponse response;   ///< valid in a switch response
        Notification notification; ///< valid in a CNP
        Pfc pfc;                   ///< valid if kind is PFC
    };
};

/// Fields of a RoceSackHeader.
struct RoceSack
{
    /// Bits of flags.
    enum Flag : uint8_t
    {
        RESENT = 1 << 0,   ///< the SACK was triggered by a retransmission
        LAST_HOP = 1 << 1, ///< the packet was trimmed at the last switch
        PROBE = 1 << 2,    ///< the SACK was triggered by a probe; psn is the probe's number
    };

    uint64_t bitmap;        ///< bit n is 1 if packet basePsn + n is known to have arrived; if the
                            ///< bit is 0, the packet may have arrived or not
    uint64_t receivedBytes; ///< payload that has arrived so far, modulo 2^48
    uint32_t psn;           ///< PSN of the packet that triggered the SACK, 24 bits
    uint32_t basePsn;       ///< PSN represented by bit 0 of bitmap, 24 bits
    uint16_t outOfOrder;    ///< number of received packets that wait for a preceding packet, at
                            ///< most 65535
    uint8_t flags;          ///< Flag bits
};

/**
 * @ingroup hpcc
 *
 * A frame on a link or in a queue. A frame consists of its exact size, its header fields and
 * telemetry; the payload of RDMA traffic is virtual. FrameCodec converts a frame to bytes only when
 * bytes are needed.
 */
struct Frame : FrameHeaders
{
    FramePool* pool;          ///< pool that owns the memory of the frame
    Ptr<Packet> packet;       ///< ns-3 packet that the frame carries or that was created for a
                              ///< trace; null if there is none
    TelemetryStack telemetry; ///< hop records, valid if format is set
    RoceSack sack;            ///< valid if HasSack()

    static constexpr uint16_t NOT_ADMITTED = UINT16_MAX; ///< the frame is not charged to a buffer

    /// Prefetches the headers and the telemetry of a few hops into the cache.
    void Prefetch() const
    {
        constexpr size_t line = 64;
        for (size_t offset = 0; offset < 5 * line; offset += line)
        {
            __builtin_prefetch(reinterpret_cast<const char*>(this) + offset);
        }
    }

    /// Returns true for an ACK, NAK or notification, which acknowledge packets and may return
    /// telemetry.
    bool IsAcknowledgement() const
    {
        return opcode == ROCE_ACK || opcode == ROCE_NOTIFICATION;
    }

    /// Returns true if the frame may have a reflection header.
    bool MayReflect() const
    {
        return IsAcknowledgement() || opcode == ROCE_SWITCH_RESPONSE;
    }

    /// Returns true for an ACK, NAK, notification, switch response or CNP.
    bool IsRoceFeedback() const
    {
        return MayReflect() || opcode == ROCE_CNP;
    }

    /// Returns true for a NAK that acknowledges a packet selectively.
    bool IsSelective() const
    {
        return opcode == ROCE_ACK && syndrome == ROCE_SYNDROME_NAK_SELECTIVE;
    }

    /// Returns true for a SACK or a NACK of a trimmed packet.
    bool HasSack() const
    {
        return opcode == ROCE_ACK &&
               (syndrome == ROCE_SYNDROME_SACK || syndrome == ROCE_SYNDROME_NACK_TRIMMED);
    }

    /// Returns true for an acknowledgement that returns an HpccBottleneckHop instead of records.
    /// The HpccBottleneckHop is in the first words of the telemetry stack.
    bool ReportsBottleneckHop() const
    {
        return reflection.flags & (REFLECTION_BOTTLENECK_HOP | REFLECTION_BARE_HOP);
    }

    /// Returns true if the frame has a RoceNamedPsnHeader.
    bool NamesPacket() const
    {
        return IsSelective() || opcode == ROCE_NOTIFICATION;
    }

    /// Returns true if switches may insert telemetry into the frame: it has a telemetry format and
    /// is not feedback. An IP frame that collects telemetry carries TCP or UDP.
    bool CollectsTelemetry() const
    {
        return format && !IsRoceFeedback();
    }
};

/**
 * @ingroup hpcc
 *
 * Owns the memory of frames. Every frame returns to the pool that allocated it, even if another
 * node frees it.
 */
class FramePool
{
  public:
    FramePool() = default;
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;
    ~FramePool();

    /// Returns a frame of the pool. The returned frame has no packet, no telemetry and no next
    /// frame. The fields trimmed and fraction are 0; all other fields are undefined.
    Frame* Allocate()
    {
        Frame* frame = m_free ? m_free : Create();
        m_free = frame->next;
        ++m_outstanding;
        frame->next = nullptr;
        frame->format = nullptr;
        frame->trimmed = false;
        frame->fraction = 0;
        return frame;
    }

    /**
     * Returns a copy of a frame, allocated from this pool. The copy has the same headers and
     * telemetry, but no packet.
     * @param frame a frame of any node
     */
    Frame* Clone(const Frame& frame);

    /**
     * Puts a frame back into its own pool.
     * @param frame frame to free
     */
    static void Free(Frame* frame)
    {
        if (frame->packet)
        {
            frame->packet = nullptr;
        }
        FramePool* pool = frame->pool;
        frame->next = pool->m_free;
        pool->m_free = frame;
        --pool->m_outstanding;
    }

    /// Returns the number of frames allocated and not yet freed.
    uint64_t GetOutstanding() const
    {
        return m_outstanding;
    }

  private:
    /// A block of memory for several frames, which are created in order, from the start of the
    /// block.
    struct Slab
    {
        Frame* frames;  ///< the memory
        size_t size;    ///< number of frames that fit
        size_t created; ///< number of frames created
    };

    /**
     * Creates a frame in the last slab, or in a new slab if the last one is full. Frames are
     * created one by one, because the first access to a page of memory is slow: the operating
     * system clears the page.
     * @return the frame; its member next is null
     */
    Frame* Create();

    static constexpr size_t FEWEST_SLAB_FRAMES = 8;  ///< least number of frames in a slab
    static constexpr size_t MOST_SLAB_FRAMES = 4096; ///< largest number of frames in a slab

    Frame* m_free{nullptr};    ///< free frames
    uint64_t m_outstanding{0}; ///< number of allocated frames
    std::vector<Slab> m_slabs; ///< memory
};

/**
 * Computes the hash of a 5-tuple. Each switch combines this hash with a value of its own to select
 * one of several equal-cost paths.
 * @param source IPv4 source address
 * @param destination IPv4 destination address
 * @param sourcePort source port
 * @param destinationPort original destination port
 * @param protocol original IP protocol
 * @return the hash, 32 well-mixed bits
 */
uint32_t HashFiveTuple(uint32_t source,
                       uint32_t destination,
                       uint16_t sourcePort,
                       uint16_t destinationPort,
                       uint8_t protocol);

} // namespace ns3

#endif // HPCC_FRAME_H
