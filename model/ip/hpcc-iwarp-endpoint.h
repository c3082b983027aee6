/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IWARP_ENDPOINT_H
#define HPCC_IWARP_ENDPOINT_H

#include "hpcc-iwarp-framing.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The region that the passive side of iWARP lets the peer write to. It is announced in the private
 * data of the MPA reply, which RFC 5044 leaves to applications: STag (4 bytes), tagged offset of
 * the first byte (8), size in bytes (8).
 */
struct HpccIwarpRegion
{
    uint32_t stag{0};  ///< its name
    uint64_t base{0};  ///< tagged offset of its first byte
    uint64_t bytes{0}; ///< its size

    /// @return private data
    std::vector<uint8_t> Encode() const;

    /**
     * @param privateData of a reply
     * @return true if it encodes a region, which is then stored in this object
     */
    bool Decode(const std::vector<uint8_t>& privateData);

    /**
     * @param offset tagged offset
     * @param size bytes
     * @return true if they lie in the region
     */
    bool Contains(uint64_t offset, uint64_t size) const
    {
        return offset >= base && offset - base <= bytes && size <= bytes - (offset - base);
    }
};

/**
 * @ingroup hpcc
 *
 * The last message of the active side, an RDMAP Send: how many bytes it has written (8 bytes) and
 * the CRC32c of these in the order in which they were written (4).
 */
struct HpccIwarpSummary
{
    uint64_t bytes{0}; ///< written
    uint32_t crc{0};   ///< of these

    static constexpr uint32_t QUEUE = 0;   ///< queue number of Sends (RFC 5040, section 5.2)
    static constexpr uint32_t MESSAGE = 1; ///< it is the first one

    /// @return payload of the Send
    std::vector<uint8_t> Encode() const;

    /**
     * @param payload of the Send
     * @param size number of these bytes
     * @return true if that is a summary, which is then stored in this object
     */
    bool Decode(const uint8_t* payload, size_t size);
};

/**
 * @ingroup hpcc
 *
 * Base of both sides of an iWARP connection: RDMAP over DDP over MPA over one of ns-3's TCP
 * sockets, with any congestion control. CRCs are used if either side wants them, markers never; a
 * peer that asks for markers is refused. A refusal is traced with its reason, and the connection is
 * closed; data that still arrives is read and discarded. No Terminate message is sent.
 */
class HpccIwarpEndpoint : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ~HpccIwarpEndpoint() override;

    /// Signature of Closed: why, and when, ns.
    typedef void (*ClosedTracedCallback)(HpccIwarpError reason, int64_t nowNs);

    /// @return true once the connection has ended
    bool IsClosed() const
    {
        return m_closed;
    }

    /// @return why it has ended; NONE if it has not
    HpccIwarpError GetError() const
    {
        return m_error;
    }

  protected:
    /// @param reply whether the peer's start-up frame is to be a reply
    explicit HpccIwarpEndpoint(bool reply);

    void DoDispose() override;
    void StopApplication() override;

    /// Uses a socket as the connection from now on.
    /// @param socket the socket
    void Attach(Ptr<Socket> socket);

    /// Sends a frame.
    /// @param frame the frame; there must be room for it
    void Send(const std::vector<uint8_t>& frame);

    /// Ends the connection.
    /// @param error the reason; NONE if everything is done
    void Close(HpccIwarpError error);

    /**
     * Handles the peer's start-up frame.
     *
     * @param start the frame
     * @return the error
     */
    virtual HpccIwarpError Started(const MpaStart& start) = 0;

    /**
     * Handles a segment.
     * @param segment headers
     * @param payload behind them
     * @param size number of these bytes
     * @return the error
     */
    virtual HpccIwarpError Received(const DdpSegment& segment,
                                    const uint8_t* payload,
                                    uint32_t size) = 0;

    /// @return true if nothing more is expected of the peer
    virtual bool IsComplete() const = 0;

    Address m_address;    ///< attribute of the sides
    Ptr<Socket> m_socket; ///< the connection; null without
    bool m_crc;           ///< attribute Crc, then whether CRCs are used

  private:
    /// Reads the frames that have arrived.
    /// @param socket the connection
    void Read(Ptr<Socket> socket);
    /// @return the first error in the frames received; NONE if none
    HpccIwarpError TakeFrames();
    /// @return the error in the peer's start-up frame
    HpccIwarpError TakeStart();
    /// Handles that the peer has closed.
    /// @param socket the connection
    void PeerClosed(Ptr<Socket> socket);
    /// Handles that TCP has given up.
    /// @param socket the connection
    void PeerLost(Ptr<Socket> socket);

    MpaReader m_reader;                           ///< of what comes
    bool m_closed{false};                         ///< see IsClosed()
    HpccIwarpError m_error{HpccIwarpError::NONE}; ///< see GetError()

    TracedCallback<HpccIwarpError, int64_t> m_closedTrace; ///< Closed
};

} // namespace ns3

#endif // HPCC_IWARP_ENDPOINT_H
