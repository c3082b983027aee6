/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IWARP_FRAMING_H
#define HPCC_IWARP_FRAMING_H

#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Why an iWARP connection ended.
enum class HpccIwarpError : uint8_t
{
    NONE,              ///< all was written, announced and closed
    TCP,               ///< TCP could not connect, or gave up
    ENDED_EARLY,       ///< the peer closed in the middle of a frame, or before its last message
    BAD_KEY,           ///< the start-up frame has another key (RFC 5044, section 7.1.1)
    BAD_REVISION,      ///< it is not of revision 1
    MARKERS,           ///< it asks for markers, which are not supported
    REJECTED,          ///< the reply rejects the connection
    BAD_PRIVATE_DATA,  ///< private data above 512 bytes, or not what this program puts there
    BAD_LENGTH,        ///< an FPDU too short for its headers
    BAD_CRC,           ///< the CRC32c of an FPDU is wrong
    BAD_VERSION,       ///< DDP or RDMAP of another version than 1
    BAD_OPCODE,        ///< neither a tagged RDMA WRITE nor an untagged Send
    BAD_STAG,          ///< the STag is not of the region
    OUT_OF_REGION,     ///< the bytes do not lie in the region
    BAD_MESSAGE,       ///< a Send with other numbers or of another size than expected
    REGION_TOO_SMALL,  ///< the peer's region has no room for what is to be written
    DIFFERENT_CONTENT, ///< the placed bytes differ from those that the last message announces
};

/**
 * @param error a reason
 * @return the same in words, such as "bad-crc"
 */
const char* ToString(HpccIwarpError error);

/**
 * @ingroup hpcc
 *
 * A start-up frame of MPA (RFC 5044, section 7.1.1): key of 16 bytes, flags M, C and R, revision,
 * length of the private data in 16 bits, private data.
 */
struct MpaStart
{
    static constexpr uint32_t HEADER_BYTES = 20;       ///< without private data
    static constexpr uint32_t MAX_PRIVATE_BYTES = 512; ///< of private data
    static constexpr uint8_t REVISION = 1;             ///< of RFC 5044

    bool reply{false};                ///< the passive side's
    bool markers{false};              ///< M: the sender of this wants to receive markers
    bool crc{true};                   ///< C: the sender of this wants CRCs
    bool rejected{false};             ///< R: in a reply, no connection
    uint8_t revision{REVISION};       ///< of MPA
    std::vector<uint8_t> privateData; ///< for the application, at most MAX_PRIVATE_BYTES
};

/**
 * @param start a start-up frame
 * @return its bytes
 */
std::vector<uint8_t> EncodeMpaStart(const MpaStart& start);

/**
 * @ingroup hpcc
 *
 * A DDP segment of RDMAP, tagged or not (RFC 5041, section 4; RFC 5040, section 4).
 *
 * | bytes | tagged | untagged |
 * |---|---|---|
 * | 0 | T = 1, L, DV = 1 | T = 0, L, DV = 1 |
 * | 1 | RV = 1, opcode | RV = 1, opcode |
 * | 2-5 | STag | 0 |
 * | 6-13 | tagged offset | queue number, message sequence number |
 * | 14-17 | payload | message offset |
 */
struct DdpSegment
{
    static constexpr uint32_t TAGGED_BYTES = 14;   ///< headers of DDP and RDMAP, tagged
    static constexpr uint32_t UNTAGGED_BYTES = 18; ///< the same, untagged

    /// Opcodes of RDMAP (RFC 5040, section 4.3) that are used here.
    enum Opcode : uint8_t
    {
        RDMA_WRITE = 0, ///< tagged
        SEND = 3,       ///< untagged
    };

    bool last{true};           ///< L: the message ends here
    Opcode opcode{RDMA_WRITE}; ///< of RDMAP
    uint32_t stag{0};          ///< tagged: the region
    uint64_t offset{0};        ///< tagged: where in it
    uint32_t queue{0};         ///< untagged: queue number
    uint32_t message{0};       ///< untagged: message sequence number, from 1
    uint32_t messageOffset{0}; ///< untagged: of the payload in its message

    /// @return bytes of its headers
    uint32_t GetHeaderBytes() const
    {
        return opcode == RDMA_WRITE ? TAGGED_BYTES : UNTAGGED_BYTES;
    }
};

/**
 * @param segment its headers
 * @param payload behind them
 * @param size of the payload, bytes; with the headers at most 65535
 * @param crc whether CRCs are in use; without, the field is 0
 * @return the MPA FPDU (RFC 5044, section 4): length in 16 bits, segment, zeros up to a multiple
 * of 4, and the CRC32c of all that, least significant byte first. No markers
 */
std::vector<uint8_t> EncodeFpdu(const DdpSegment& segment,
                                const uint8_t* payload,
                                size_t size,
                                bool crc);

/**
 * @param emss payload of a TCP segment, bytes, at least 128
 * @return the largest payload of a tagged segment whose FPDU fits one segment of TCP (RFC 5044,
 * section 5.1, MULPDU), bytes
 */
uint32_t GetMaxTaggedPayload(uint32_t emss);

/// CRC32c (RFC 3720, appendix B.4): 0xe3069283 of "123456789".
using Crc32c = boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true>;

/**
 * @ingroup hpcc
 *
 * Reads the frames of MPA from a stream of TCP, which may cut and join them anywhere: first a
 * start-up frame, then FPDUs. After the first refused frame it only returns the same error.
 */
class MpaReader
{
  public:
    /// The result of Next().
    enum class Item : uint8_t
    {
        NONE,    ///< nothing: more bytes are needed
        START,   ///< the start-up frame, see GetStart()
        SEGMENT, ///< a segment, see GetSegment()
        ERROR,   ///< refused, see GetError()
    };

    /// @param reply whether the start-up frame is to be a reply
    explicit MpaReader(bool reply)
        : m_reply(reply)
    {
    }

    /**
     * Appends the next bytes of the stream.
     * @param bytes the bytes
     * @param size number of bytes
     */
    void Append(const uint8_t* bytes, size_t size);

    /// @return the next item
    Item Next();

    /// @param crc whether the CRCs of FPDUs are checked; the default is true
    void SetCrc(bool crc)
    {
        m_crc = crc;
    }

    /// @return the start-up frame
    const MpaStart& GetStart() const
    {
        return m_start;
    }

    /// @return headers of the segment found last
    const DdpSegment& GetSegment() const
    {
        return m_segment;
    }

    /// @return its payload; it stays until Append()
    const uint8_t* GetPayload() const
    {
        return m_payload;
    }

    /// @return bytes of that
    uint32_t GetPayloadBytes() const
    {
        return m_payloadBytes;
    }

    /// @return the error, or NONE
    HpccIwarpError GetError() const
    {
        return m_error;
    }

    /// @return true if no part of an incomplete frame has arrived
    bool IsBetweenFrames() const
    {
        return m_next == m_bytes.size();
    }

  private:
    /**
     * @param error the error
     * @return ERROR
     */
    Item Refuse(HpccIwarpError error);
    /// @return the next item if it is the start-up frame
    Item NextStart();
    /// @return the next item if it is an FPDU
    Item NextFpdu();
    /**
     * Reads an FPDU.
     *
     * @param ulpdu its segment
     * @param size number of these bytes
     * @return the error
     */
    HpccIwarpError ReadSegment(const uint8_t* ulpdu, uint32_t size);

    bool m_reply;                                 ///< see MpaReader()
    bool m_crc{true};                             ///< see SetCrc()
    bool m_started{false};                        ///< the start-up frame was there
    std::vector<uint8_t> m_bytes;                 ///< bytes that have arrived and are still needed
    size_t m_next{0};                             ///< first of these that is not read
    MpaStart m_start;                             ///< see GetStart()
    DdpSegment m_segment;                         ///< see GetSegment()
    const uint8_t* m_payload{nullptr};            ///< see GetPayload()
    uint32_t m_payloadBytes{0};                   ///< see GetPayloadBytes()
    HpccIwarpError m_error{HpccIwarpError::NONE}; ///< see GetError()
};

} // namespace ns3

#endif // HPCC_IWARP_FRAMING_H
