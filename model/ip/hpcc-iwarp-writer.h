/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IWARP_WRITER_H
#define HPCC_IWARP_WRITER_H

#include "hpcc-iwarp-endpoint.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The active side of iWARP, a transport that draft-miao-tsv-hpcc-01, section 7, mentions besides
 * RoCE. The writer connects to an HpccIwarpTarget over ns3::TcpSocketFactory and posts RDMA WRITEs
 * one after the other until MaxBytes are written. Then the writer sends the target a summary in a
 * Send and closes the connection.
 *
 * WRITE number k, counted from 0, writes to the tagged offset base + k * WriteSize of the region
 * that the target has announced; the last WRITE carries the remaining bytes. A WRITE is cut into
 * FPDUs. Each FPDU fits into one TCP segment, see GetMaxTaggedPayload(). If the segment size is a
 * multiple of 4, each full FPDU fills one segment. A short FPDU at the end of a WRITE shifts the
 * following FPDUs relative to the segments, because ns-3's TCP does not preserve the boundaries of
 * FPDUs. If WriteSize is a multiple of GetMaxTaggedPayload(), only the last FPDU of the last WRITE
 * can be short.
 *
 * The connection ends without an error if TCP has acknowledged all data before the target closes
 * the connection. The writer cannot detect an error in the last bytes, because there are no
 * Terminate messages.
 *
 * The value of each byte depends on its index (GetContent()), so that the target detects a byte at
 * a wrong offset.
 */
class HpccIwarpWriter : public HpccIwarpEndpoint
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HpccIwarpWriter();
    ~HpccIwarpWriter() override;

    /**
     * Returns the value of a written byte.
     * @param index index of the byte, from 0
     */
    static uint8_t GetContent(uint64_t index)
    {
        return static_cast<uint8_t>(index * 0x9e3779b97f4a7c15 >> 56);
    }

    /// Returns the size of the payload passed to TCP so far, bytes.
    uint64_t GetWritten() const
    {
        return m_summary.bytes;
    }

  private:
    void StartApplication() override;
    HpccIwarpError Started(const MpaStart& start) override;
    HpccIwarpError Received(const DdpSegment& segment,
                            const uint8_t* payload,
                            uint32_t size) override;
    bool IsComplete() const override;

    /// Handles the success of TCP's connection set-up.
    /// @param socket the connection
    void Connected(Ptr<Socket> socket);
    /// Handles the failure of TCP's connection set-up.
    /// @param socket the connection
    void Failed(Ptr<Socket> socket);
    /**
     * Handles free space in TCP's send buffer.
     *
     * @param socket the connection
     * @param room free space, bytes
     */
    void Writable(Ptr<Socket> socket, uint32_t room);
    /// Passes FPDUs to TCP while its send buffer has room for them.
    void Write();
    /// Encodes the next FPDU of the current or next WRITE.
    /// @return the FPDU
    std::vector<uint8_t> NextFpdu();

    uint64_t m_maxBytes;        ///< attribute MaxBytes
    uint32_t m_writeBytes;      ///< attribute WriteSize
    uint32_t m_emss{0};         ///< largest payload of a TCP segment, bytes
    HpccIwarpRegion m_region;   ///< the region of the target
    HpccIwarpSummary m_summary; ///< summary of the bytes written so far
    Crc32c m_contentCrc;        ///< CRC32c of the bytes written so far
    bool m_told{false};         ///< true once the last message has been sent
};

} // namespace ns3

#endif // HPCC_IWARP_WRITER_H
