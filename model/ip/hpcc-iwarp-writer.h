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
 * The active side of iWARP (draft-miao-tsv-hpcc-01, section 7, names it next to RoCE): connects to
 * an HpccIwarpTarget over ns3::TcpSocketFactory, posts RDMA WRITEs one after the other until
 * MaxBytes are written, announces this to the target by a Send, and closes.
 *
 * WRITE number k, from 0, goes to the tagged offset base + k WriteSize of the region that the
 * target has announced; the last one has the rest. A WRITE is cut into FPDUs that fit a segment
 * of TCP, see GetMaxTaggedPayload(); where the segment size is a multiple of 4, each full FPDU
 * fills one segment. A short FPDU at the end of a WRITE shifts those behind it, since ns-3's TCP
 * keeps no boundaries. No FPDU is short if WriteSize is a multiple of that payload.
 *
 * It is done when all is acknowledged by TCP and the target has closed, too. It gets no error
 * report about the last bytes, because there are no Terminate messages.
 *
 * It sends the bytes GetContent(), which depend on the offset, so that a byte at a wrong offset is
 * noticed.
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
     * @param index of a byte that is written, from 0
     * @return its value
     */
    static uint8_t GetContent(uint64_t index)
    {
        return static_cast<uint8_t>(index * 0x9e3779b97f4a7c15 >> 56);
    }

    /// @return payload given to TCP, bytes
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

    /// Handles that TCP is connected.
    /// @param socket the connection
    void Connected(Ptr<Socket> socket);
    /// Handles that TCP could not connect.
    /// @param socket the connection
    void Failed(Ptr<Socket> socket);
    /**
     * Handles that TCP has room.
     *
     * @param socket the connection
     * @param room bytes
     */
    void Writable(Ptr<Socket> socket, uint32_t room);
    /// Passes TCP as much as it has room for.
    void Write();
    /// @return the next FPDU of a WRITE
    std::vector<uint8_t> NextFpdu();

    uint64_t m_maxBytes;        ///< attribute
    uint32_t m_writeBytes;      ///< attribute WriteSize
    uint32_t m_emss{0};         ///< payload of a TCP segment, bytes
    HpccIwarpRegion m_region;   ///< the target's
    HpccIwarpSummary m_summary; ///< of what is written
    Crc32c m_contentCrc;        ///< the same
    bool m_told{false};         ///< the last message is sent
};

} // namespace ns3

#endif // HPCC_IWARP_WRITER_H
