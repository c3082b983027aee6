/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ROCE_HEADERS_H
#define HPCC_ROCE_HEADERS_H

#include "hpcc-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Base transport header, 12 bytes (IBTA volume 1, 9.2; the FECN and BECN bits from Annex A17).
 */
struct RoceBthHeader
{
    uint8_t opcode{0};     ///< operation
    bool solicited{false}; ///< solicited event (SE)
    /// MigReq (M): 1 for a queue pair that never migrates; 0 in CNPs, as in the CNPs of real NICs
    bool migrated{true};
    uint8_t padBytes{0};        ///< bytes that extend the payload to a multiple of 4, 0 to 3
    uint8_t version{0};         ///< TVer, 4 bits; 0 is the only version defined
    uint16_t partition{0xffff}; ///< P_Key; 0xffff is the default partition
    bool fecn{false};           ///< FECN (F)
    bool becn{false};           ///< BECN (B)
    uint32_t destinationQp{0};  ///< 24 bits
    bool ackRequest{false};     ///< acknowledge request (A)
    /// the 7 reserved bits after the bit A. In a probe, these bits contain the probe's number; in
    /// data packets, they contain RoceEpoch. In other packets they are sent as 0 and ignored on
    /// receipt
    uint8_t note{0};
    uint32_t psn{0}; ///< packet sequence number, 24 bits

    /**
     * Writes the header in network byte order.
     * @param out room for 12 bytes; other reserved bits are written as 0
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in 12 bytes; other reserved bits are ignored
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * RDMA extended transport header, 16 bytes (IBTA volume 1, 9.3.3).
 */
struct RoceRethHeader
{
    uint64_t address{0}; ///< virtual address
    uint32_t key{0};     ///< R_Key
    uint32_t length{0};  ///< DMA length, bytes

    /**
     * Writes the header in network byte order.
     * @param out room for 16 bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in 16 bytes
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * ACK extended transport header, 4 bytes (IBTA volume 1, 9.3.5).
 */
struct RoceAethHeader
{
    uint8_t syndrome{0}; ///< RoceSyndrome
    uint32_t msn{0};     ///< message sequence number, 24 bits

    /**
     * Writes the header in network byte order.
     * @param out room for 4 bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in 4 bytes
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The 4 bytes after an AETH that contain a sequence number. In an answer to a probe, the first 8
 * bits are the number of the probe; in other packets, they are 0. The other 24 bits are the
 * sequence number. No standard defines this header. In a NAK with the syndrome
 * ROCE_SYNDROME_NAK_SELECTIVE, the sequence number is the PSN of an out-of-order packet that was
 * kept, as in IRN (Mittal et al., SIGCOMM 2018, section 3.1). In a notification, the sequence
 * number is the sender's snd_nxt just after the answered packet was sent. If the answered packet is
 * a probe, this number is the probe's PSN; if it is a data packet, this number is the packet's PSN
 * plus 1.
 */
struct RoceNamedPsnHeader
{
    uint32_t psn{0}; ///< sequence number in the lower 24 bits, number of a probe in the upper 8

    /**
     * Writes the header in network byte order.
     * @param out room for 4 bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in 4 bytes
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The 24 bytes after the AETH of a SACK or of a NACK of a trimmed packet. No standard defines this
 * header, which contains the same values as ACK_CC and NACK of Ultra Ethernet 1.0. The byte order
 * is big-endian:
 *
 * | bytes | field |
 * |---|---|
 * | 0 | flags, RoceSack::Flag |
 * | 1-3 | PSN of the packet that triggered the SACK or NACK |
 * | 4 | zero |
 * | 5-7 | PSN represented by bit 0 of the bitmap |
 * | 8-15 | bitmap, bit 0 is the least significant |
 * | 16-17 | received packets that wait for a preceding packet |
 * | 18-23 | payload bytes received so far |
 *
 * The BTH of the SACK or NACK contains the PSN of the next expected packet.
 */
struct RoceSackHeader
{
    static constexpr uint32_t BYTES = 24;                   ///< size
    static constexpr uint64_t COUNT_MASK = 0xffffffffffffU; ///< mask of receivedBytes

    RoceSack sack; ///< the fields

    /**
     * Writes the header in network byte order.
     * @param out room for BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in BYTES bytes; reserved bits are ignored
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The header of a switch response (opcode 0xC2) between its BTH and its reflection header, 8 bytes:
 * 4 bits version 1, 4 bits flags, 24 zero bits, 32 bits switch id. The BTH has the same destination
 * queue pair and sequence number as the data packet that triggered the response, because a switch
 * knows no other values. The IP addresses are also those of the data packet, swapped if the
 * response is sent to the sender. The UDP ports are those of the data packet, not swapped. No
 * standard defines this header; draft-miao-tsv-hpcc-00 calls for responses of switches.
 */
struct RoceSwitchResponseHeader
{
    static constexpr uint32_t BYTES = 8;       ///< size
    static constexpr uint8_t VERSION = 1;      ///< the version described here
    static constexpr uint8_t FOR_RECEIVER = 1; ///< flag: the response is sent to the receiver of
                                               ///< the data packet

    bool forReceiver{false}; ///< the flag
    uint32_t switchId{0};    ///< id of the switch that sends the response

    /**
     * Writes the header in network byte order.
     * @param out room for BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in BYTES bytes; reserved bits are ignored
     * @return true if the version is known
     */
    bool Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * Content of the 16 bytes after the BTH of a CNP. IBTA Annex A17 reserves these bytes: they must be
 * sent as 0 and ignored on receipt. This module uses the 16 bytes for a rate or a window. In a
 * plain CNP, all of them are 0. The byte order is big-endian:
 *
 * | bytes | field |
 * |---|---|
 * | 0 | kind |
 * | 1 | bit 7 congested, bit 6 authenticated, zeros |
 * | 2-3 | message number |
 * | 4-7 | zeros |
 * | 8-15 | value |
 *
 * If the header is authenticated, the 12 bytes of a FeedbackTag follow the header.
 */
struct RoceNotificationHeader
{
    static constexpr size_t BYTES = 16; ///< size without tag

    /// The kind of the value.
    enum Kind : uint8_t
    {
        NONE = 0,   ///< no value: the CNP is plain
        RATE = 1,   ///< a rate, bit/s; it includes all bytes that frames occupy on the link
        WINDOW = 2, ///< a window W, payload bytes times 2^16
    };

    static constexpr double WINDOW_UNITS = 65536; ///< number of units of a WINDOW value per byte

    uint8_t kind{NONE};        ///< Kind; an unknown kind is read as NONE
    bool congested{false};     ///< true if the path is congested
    bool authenticated{false}; ///< true if a FeedbackTag follows the header
    uint16_t number{0}; ///< number of the message in its queue pair, from 1, modulo 65536; 0 if
                        ///< messages are not numbered
    uint64_t value{0};  ///< unit and meaning depend on kind

    /**
     * Writes the header in network byte order.
     * @param out room for BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads the header in network byte order.
     * @param in BYTES bytes; reserved bits are ignored
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The header after the EtherType of a MAC control frame for priority-based flow control (IEEE
 * 802.1Qbb, now 802.3 Annex 31D). Deserialize() also accepts a PAUSE frame (802.3 Annex 31B), and
 * converts it to a PFC frame with the same pause time for all eight priorities.
 */
struct PfcHeader
{
    /// Size of a PFC frame's opcode, class enable vector and pause times, bytes.
    static constexpr size_t PFC_BYTES = 20;
    /// Size of a PAUSE frame's opcode and pause time, bytes.
    static constexpr size_t PAUSE_BYTES = 4;

    uint8_t classEnable{0};           ///< bit n is set if the frame contains a pause time for
                                      ///< priority n
    std::array<uint16_t, 8> quanta{}; ///< pause times in units of 512 bit times; 0 resumes

    /**
     * Writes the header in network byte order.
     * @param out room for PFC_BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * Reads a PFC or PAUSE frame.
     * @param in the bytes; the upper half of the class enable vector is reserved and is ignored
     * @param size number of bytes
     * @param why set to the reason on failure
     * @return true if this is a PFC or PAUSE frame
     */
    bool Deserialize(const uint8_t* in, size_t size, std::string& why);

    /**
     * Writes the content of an 802.3x PAUSE frame: opcode and time.
     * @param quanta pause time in units of 512 bit times; 0 resumes
     * @param out room for PAUSE_BYTES
     */
    static void SerializePause(uint16_t quanta, uint8_t* out);
};

} // namespace ns3

#endif // HPCC_ROCE_HEADERS_H
