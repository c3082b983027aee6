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
    bool solicited{false}; ///< SE
    /// M; 1 for a queue pair that never migrates, 0 in CNPs, as real NICs send them
    bool migrated{true};
    uint8_t padBytes{0}; ///< bytes after the payload that fill it up to a multiple of 4, 0 to 3
    uint8_t version{0};  ///< TVer, 4 bits, 0 is the only one there is
    uint16_t partition{0xffff}; ///< P_Key; 0xffff is the default partition
    bool fecn{false};           ///< F
    bool becn{false};           ///< B
    uint32_t destinationQp{0};  ///< 24 bits
    bool ackRequest{false};     ///< A
    /// the 7 reserved bits after A. We use them for the number of a probe and, in data, for
    /// RoceEpoch; otherwise they are 0 when sent and ignored when received
    uint8_t note{0};
    uint32_t psn{0}; ///< packet sequence number, 24 bits

    /**
     * @param out room for 12 bytes; other reserved bits are written as 0
     */
    void Serialize(uint8_t* out) const;

    /**
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
     * @param out room for 16 bytes
     */
    void Serialize(uint8_t* out) const;

    /**
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
     * @param out room for 4 bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * @param in 4 bytes
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * A sequence number, 4 bytes after an AETH: 8 bits, 0 except in answers to probes, and 24 bits of
 * the number. No standard defines it. In a NAK with the syndrome ROCE_SYNDROME_NAK_SELECTIVE it is
 * the number of a packet that was kept; its meaning is from IRN (Mittal et al., SIGCOMM 2018,
 * section 3.1). In a notification it is the sender's next number when the answered packet left: a
 * probe's PSN, or one more than a data packet's; the 8 bits contain the probe's number.
 */
struct RoceNamedPsnHeader
{
    uint32_t psn{0}; ///< 24 bits, and above them 8 of a probe's number

    /**
     * @param out room for 4 bytes
     */
    void Serialize(uint8_t* out) const;

    /**
     * @param in 4 bytes
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The 24 bytes after the AETH of a SACK or of a NACK of a trimmed packet. No standard defines them;
 * their content is that of ACK_CC and NACK of Ultra Ethernet 1.0. Big-endian:
 *
 * | bytes | field |
 * |---|---|
 * | 0 | flags, RoceSack::Flag |
 * | 1-3 | packet that has triggered it |
 * | 4 | zero |
 * | 5-7 | packet of bit 0 of the bitmap |
 * | 8-15 | bitmap, bit 0 is the least significant |
 * | 16-17 | packets that wait for one before them |
 * | 18-23 | payload bytes that have arrived |
 *
 * The PSN of the BTH is the packet expected.
 */
struct RoceSackHeader
{
    static constexpr uint32_t BYTES = 24;                   ///< size
    static constexpr uint64_t COUNT_MASK = 0xffffffffffffU; ///< of the bytes that have arrived

    RoceSack sack; ///< the fields

    /**
     * @param out room for BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * @param in BYTES bytes; reserved bits are ignored
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The header of a switch response (opcode 0xC2) between its BTH and its reflection header, 8 bytes:
 * 4 bits version 1, 4 bits flags, 24 zero bits, 32 bits switch id. Its BTH has the destination
 * queue pair and the sequence number of the data packet that triggered it, because a switch knows
 * no other; its IP addresses are that packet's, swapped if it goes to the sender; its UDP ports are
 * that packet's, not swapped. No standard defines it; draft-miao-tsv-hpcc-00 asks for such packets.
 */
struct RoceSwitchResponseHeader
{
    static constexpr uint32_t BYTES = 8;       ///< size
    static constexpr uint8_t VERSION = 1;      ///< the version described here
    static constexpr uint8_t FOR_RECEIVER = 1; ///< flag: it goes to the packet's receiver

    bool forReceiver{false}; ///< the flag
    uint32_t switchId{0};    ///< the switch that sends it

    /**
     * @param out room for BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * @param in BYTES bytes; reserved bits are ignored
     * @return true if the version is known
     */
    bool Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The content of the 16 bytes that follow the BTH of a CNP, which Annex A17 reserves: 0 when sent,
 * ignored when received. All 0 is a plain CNP. Big-endian:
 *
 * | bytes | field |
 * |---|---|
 * | 0 | kind |
 * | 1 | bit 7 congested, bit 6 authenticated, zeros |
 * | 2-3 | message number |
 * | 4-7 | zeros |
 * | 8-15 | value |
 *
 * Behind an authenticated header are the 12 bytes of a FeedbackTag.
 */
struct RoceNotificationHeader
{
    static constexpr size_t BYTES = 16; ///< size, without tag

    /// The kind of the value.
    enum Kind : uint8_t
    {
        NONE = 0,   ///< nothing: a plain CNP
        RATE = 1,   ///< a rate, bit/s of link bytes
        WINDOW = 2, ///< a window W, payload bytes times 2^16
    };

    static constexpr double WINDOW_UNITS = 65536; ///< units of a WINDOW in a byte

    uint8_t kind{NONE};        ///< Kind; one that is not known stands for NONE
    bool congested{false};     ///< the value holds for a congested path
    bool authenticated{false}; ///< a FeedbackTag follows
    uint16_t number{0}; ///< counts the messages of a queue pair that have numbers, from 1, and
                        ///< wraps; 0 in others
    uint64_t value{0};  ///< as kind says

    /**
     * @param out room for BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * @param in BYTES bytes; reserved bits are ignored
     */
    void Deserialize(const uint8_t* in);
};

/**
 * @ingroup hpcc
 *
 * The header that follows the EtherType of a MAC control frame that pauses: priority-based flow
 * control (IEEE 802.1Qbb, now 802.3 Annex 31D), and read-only also PAUSE (802.3 Annex 31B), which
 * is taken as a PFC frame that gives all eight priorities the same time.
 */
struct PfcHeader
{
    /// Bytes of a PFC opcode, class enable vector and times.
    static constexpr size_t PFC_BYTES = 20;
    /// Bytes of a PAUSE opcode and time.
    static constexpr size_t PAUSE_BYTES = 4;

    uint8_t classEnable{0};           ///< bit n: priority n is meant
    std::array<uint16_t, 8> quanta{}; ///< pause times in units of 512 bit times; 0 resumes

    /**
     * @param out room for PFC_BYTES
     */
    void Serialize(uint8_t* out) const;

    /**
     * @param in the bytes; the upper half of the class enable vector is reserved and ignored
     * @param size number of bytes
     * @param why set to the reason on failure
     * @return true if this is a PFC or PAUSE frame
     */
    bool Deserialize(const uint8_t* in, size_t size, std::string& why);

    /**
     * Writes a PAUSE instead of a PFC frame.
     * @param quanta pause time in units of 512 bit times; 0 resumes
     * @param out room for PAUSE_BYTES
     */
    static void SerializePause(uint16_t quanta, uint8_t* out);
};

} // namespace ns3

#endif // HPCC_ROCE_HEADERS_H
