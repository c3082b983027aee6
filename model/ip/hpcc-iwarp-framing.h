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

/// The reason for the end of an iWARP connection.
enum class HpccIwarpError : uint8_t
{
    NONE,         ///< no error: all data was written, and the connection was closed
    TCP,          ///< TCP could not connect, or has given up
    ENDED_EARLY,  ///< the peer closed in the middle of a frame or before its last message, or the
                  ///< application was stopped
    BAD_KEY,      ///< the start-up frame has a wrong key (RFC 5044, section 7.1.1)
    BAD_REVISION, ///< the revision of the start-up frame is not 1
    MARKERS,      ///< the peer requests markers, which are not supported
    REJECTED,     ///< the reply rejects the connection
    BAD_PRIVATE_DATA, ///< private data of more than 512 bytes, or not an HpccIwarpRegion
    BAD_LENGTH,       ///< an FPDU is too short for its headers
    BAD_CRC,          ///< the CRC32c of an FPDU is wrong
    BAD_VERSION,      ///< the version of DDP or RDMAP is not 1
    BAD_OPCODE,       ///< a segment is neither a tagged RDMA WRITE nor an untagged Send
    BAD_STAG,         ///< the STag differs from the STag of the region
    OUT_OF_REGION,    ///< some of the bytes are outside the region
    BAD_MESSAGE, ///< an unexpected message, or a Send with a wrong queue, sequence number or size
    REGION_TOO_SMALL,  ///< the peer's region is too small for the data to be written
    DIFFERENT_CONTENT, ///< the written bytes do not match the summary in the last message
};

/**
 * Returns the name of a reason, such as "bad-crc".
 * @param error reason to describe
 */
const char* ToString(HpccIwarpError error);

/**
 * @ingroup hpcc
 *
 * A start-up frame of MPA (RFC 5044, section 7.1.1). The fields of a start-up frame are: key (16
 * bytes), flags M, C and R, revision, length of the private data (16 bits), private data.
 */
struct MpaStart
{
    static constexpr uint32_t HEADER_BYTES = 20;       ///< size without private data
    static constexpr uint32_t MAX_PRIVATE_BYTES = 512; ///< largest size of private data
    static constexpr uint8_t REVISION = 1;             ///< revision of RFC 5044

    bool reply{false};                ///< true in a reply, which the passive side sends
    bool markers{false};              ///< M: the sender of this frame requests markers
    bool crc{true};                   ///< C: the sender of this frame requests CRCs
    bool rejected{false};             ///< R: the reply rejects the connection
    uint8_t revision{REVISION};       ///< revision of MPA
    std::vector<uint8_t> privateData; ///< private data of the application, at most
                                      ///< MAX_PRIVATE_BYTES
};

/**
 * Encodes a start-up frame.
 * @param start a start-up frame
 * @return bytes of the frame
 */
std::vector<uint8_t> EncodeMpaStart(const MpaStart& start);

/**
 * @ingroup hpcc
 *
 * The headers of a DDP segment of RDMAP, tagged or untagged (RFC 5041, section 4; RFC 5040, section
 * 4).
 *
 * | bytes | tagged | untagged |
 * |---|---|---|
 * | 0 | T = 1, L, DV = 1 | T = 0, L, DV = 1 |
 * | 1 | RV = 1, opcode | RV = 1, opcode |
 * | 2-5 | STag | 0 (reserved for the ULP) |
 * | 6-13 | tagged offset | queue number, message sequence number |
 * | 14-17 | payload | message offset |
 */
struct DdpSegment
{
    static constexpr uint32_t TAGGED_BYTES = 14;   ///< headers of DDP and RDMAP, tagged
    static constexpr uint32_t UNTAGGED_BYTES = 18; ///< headers of DDP and RDMAP, untagged

    /// The opcodes of RDMAP (RFC 5040, section 4.3) that this model uses.
    enum Opcode : uint8_t
    {
        RDMA_WRITE = 0, ///< tagged
        SEND = 3,       ///< untagged
    };

    bool last{true};           ///< L: true if the message ends with this segment
    Opcode opcode{RDMA_WRITE}; ///< opcode of RDMAP
    uint32_t stag{0};          ///< tagged: the region
    uint64_t offset{0};        ///< tagged: tagged offset of the payload
    uint32_t queue{0};         ///< untagged: queue number
    uint32_t message{0};       ///< untagged: message sequence number, from 1
    uint32_t messageOffset{0}; ///< untagged: offset of the payload in its message

    /// Returns the size of the segment's headers, bytes.
    uint32_t GetHeaderBytes() const
    {
        return opcode == RDMA_WRITE ? TAGGED_BYTES : UNTAGGED_BYTES;
    }
};

/**
 * Encodes a segment as an FPDU.
 * @param segment headers of a segment
 * @param payload payload of the segment
 * @param size size of the payload, bytes; at most 65535 with the headers
 * @param crc true if CRCs are used; if false, the CRC field is 0
 * @return the MPA FPDU (RFC 5044, section 4) without markers. The FPDU contains the length of the
 * segment (16 bits), the segment, zeros up to a multiple of 4 bytes, and the CRC32c of all these
 * bytes, least significant byte first
 */
std::vector<uint8_t> EncodeFpdu(const DdpSegment& segment,
                                const uint8_t* payload,
                                size_t size,
                                bool crc);

/**
 * Returns the largest payload of a tagged segment whose FPDU fits into one TCP segment (RFC 5044,
 * section 5.1, MULPDU), bytes.
 * @param emss largest payload of a TCP segment (EMSS), bytes, at least 128
 */
uint32_t GetMaxTaggedPayload(uint32_t emss);

/// CRC32c (RFC 3720, appendix B.4). The CRC of the text "123456789" is 0xe3069283.
using Crc32c = boost::crc_optimal<32, 0x1edc6f41, 0xffffffff, 0xffffffff, true, true>;

/**
 * @ingroup hpcc
 *
 * Reads the frames of MPA from a TCP stream: first a start-up frame, then FPDUs. The stream may
 * split and merge the frames anywhere. Once the reader has refused a frame, Next() always returns
 * ERROR, and GetError() does not change.
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
        ERROR,   ///< a frame was refused, see GetError()
    };

    /// Creates the reader of a new connection.
    /// @param reply true if the start-up frame must be a reply, false if it must be a request
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

    /// Reads the next item.
    /// @return the item
    Item Next();

    /// Selects whether the CRCs of FPDUs are checked.
    /// @param crc true if the CRCs of FPDUs are checked, which is the default
    void SetCrc(bool crc)
    {
        m_crc = crc;
    }

    /// Returns the start-up frame.
    const MpaStart& GetStart() const
    {
        return m_start;
    }

    /// Returns the headers of the last segment that was read.
    const DdpSegment& GetSegment() const
    {
        return m_segment;
    }

    /// Returns the payload of the last segment that was read, valid until Append().
    const uint8_t* GetPayload() const
    {
        return m_payload;
    }

    /// Returns the size of GetPayload(), bytes.
    uint32_t GetPayloadBytes() const
    {
        return m_payloadBytes;
    }

    /// Returns the error; NONE if there is none.
    HpccIwarpError GetError() const
    {
        return m_error;
    }

    /// Returns true if no part of an incomplete frame has arrived.
    bool IsBetweenFrames() const
    {
        return m_next == m_bytes.size();
    }

  private:
    /**
     * Refuses a frame.
     * @param error error to report
     * @return ERROR
     */
    Item Refuse(HpccIwarpError error);
    /// Reads the start-up frame.
    /// @return the item
    Item NextStart();
    /// Reads the next FPDU.
    /// @return the item
    Item NextFpdu();
    /**
     * Reads an FPDU.
     *
     * @param ulpdu content of the FPDU (ULPDU): a segment with its headers
     * @param size size of the ULPDU, bytes
     * @return the error; NONE if there is none
     */
    HpccIwarpError ReadSegment(const uint8_t* ulpdu, uint32_t size);

    bool m_reply;                 ///< see MpaReader()
    bool m_crc{true};             ///< see SetCrc()
    bool m_started{false};        ///< true once the start-up frame has been read
    std::vector<uint8_t> m_bytes; ///< bytes that have arrived and are still needed
    size_t m_next{0};             ///< index of the first byte in m_bytes that has not been read
    MpaStart m_start;             ///< see GetStart()
    DdpSegment m_segment;         ///< see GetSegment()
    const uint8_t* m_payload{nullptr};            ///< see GetPayload()
    uint32_t m_payloadBytes{0};                   ///< see GetPayloadBytes()
    HpccIwarpError m_error{HpccIwarpError::NONE}; ///< see GetError()
};

} // namespace ns3

#endif // HPCC_IWARP_FRAMING_H
