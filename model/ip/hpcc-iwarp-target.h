/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IWARP_TARGET_H
#define HPCC_IWARP_TARGET_H

#include "hpcc-iwarp-endpoint.h"

#include <boost/icl/interval_set.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The passive side of iWARP: registers a region, to which one HpccIwarpWriter may write. The target
 * accepts one connection; other connections are closed immediately. The content of the region is
 * not stored. The target checks the CRC32c of each FPDU if CRCs are used, and records which offsets
 * have been written. When the writer's last message arrives, the target compares the number and the
 * CRC32c of all written bytes with the values in the message.
 */
class HpccIwarpTarget : public HpccIwarpEndpoint
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HpccIwarpTarget();
    ~HpccIwarpTarget() override;

    /// Signature of Written: STag, tagged offset, and payload of an FPDU, bytes.
    typedef void (*WrittenTracedCallback)(uint32_t stag, uint64_t offset, uint32_t bytes);
    /// Signature of Completed: number of completed WRITEs, and time in ns.
    typedef void (*CompletedTracedCallback)(uint64_t writes, int64_t nowNs);

    /// Returns the number of bytes of the region that have been written.
    uint64_t GetPlacedBytes() const
    {
        return boost::icl::cardinality(m_placed);
    }

    /// Returns the number of payload bytes that arrived for offsets that had already been written.
    uint64_t GetRepeatedBytes() const
    {
        return m_received.bytes - GetPlacedBytes();
    }

    /// Returns the number of WRITEs whose last byte has arrived.
    uint64_t GetCompletedWrites() const
    {
        return m_completed;
    }

    /// Returns true if the writer's last message has arrived and matches the data, and no error has
    /// followed.
    bool HasAll() const
    {
        return m_told && GetError() == HpccIwarpError::NONE;
    }

    /// Returns the number of connections refused because the target had already accepted another
    /// connection.
    uint64_t GetRefusedConnections() const
    {
        return m_refused;
    }

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    HpccIwarpError Started(const MpaStart& start) override;
    HpccIwarpError Received(const DdpSegment& segment,
                            const uint8_t* payload,
                            uint32_t size) override;
    bool IsComplete() const override;

    /**
     * Handles a connection that has been accepted.
     *
     * @param socket the connection
     * @param from address of the peer
     */
    void Accepted(Ptr<Socket> socket, const Address& from);
    /// Handles a segment of a WRITE. See Received().
    HpccIwarpError Place(const DdpSegment& segment, const uint8_t* payload, uint32_t size);
    /// Handles the last message. See Received().
    HpccIwarpError Compare(const DdpSegment& segment, const uint8_t* payload, uint32_t size);

    uint32_t m_stag;          ///< attribute Stag
    uint64_t m_regionBase;    ///< attribute RegionBase
    uint64_t m_regionBytes;   ///< attribute RegionBytes
    HpccIwarpRegion m_region; ///< the region that the three attributes above describe
    Ptr<Socket> m_listener;   ///< accepts connections
    boost::icl::interval_set<uint64_t> m_placed; ///< tagged offsets that have been written
    HpccIwarpSummary m_received;                 ///< number of payload bytes in all WRITEs that
                                                 ///< have arrived
    Crc32c m_contentCrc;                         ///< CRC32c of the payload of all WRITEs that have
                                                 ///< arrived
    uint64_t m_completed{0};                     ///< see GetCompletedWrites()
    uint64_t m_refused{0};                       ///< see GetRefusedConnections()
    bool m_inWrite{false};                       ///< true if a WRITE has begun but not ended
    bool m_told{false};                          ///< see HasAll()

    TracedCallback<uint32_t, uint64_t, uint32_t> m_writtenTrace; ///< trace source Written
    TracedCallback<uint64_t, int64_t> m_completedTrace;          ///< trace source Completed
};

} // namespace ns3

#endif // HPCC_IWARP_TARGET_H
