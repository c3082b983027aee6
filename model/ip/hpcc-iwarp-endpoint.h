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
 * The memory region to which the active side of an iWARP connection may write. The passive side
 * announces the region in the private data of the MPA reply, whose content RFC 5044 leaves to
 * applications. The private data contains the STag (4 bytes), the tagged offset of the first byte
 * (8 bytes), and the size of the region in bytes (8 bytes).
 */
struct HpccIwarpRegion
{
    uint32_t stag{0};  ///< STag of the region
    uint64_t base{0};  ///< tagged offset of the first byte of the region
    uint64_t bytes{0}; ///< size of the region, bytes

    /// Returns the private data that describes the region.
    std::vector<uint8_t> Encode() const;

    /**
     * Reads a region from private data into this object.
     * @param privateData private data of a reply
     * @return true if the private data encodes a region; otherwise the object is unchanged
     */
    bool Decode(const std::vector<uint8_t>& privateData);

    /**
     * Returns true if a range of bytes is in the region.
     * @param offset tagged offset of the first byte
     * @param size number of bytes
     */
    bool Contains(uint64_t offset, uint64_t size) const
    {
        return offset >= base && offset - base <= bytes && size <= bytes - (offset - base);
    }
};

/**
 * @ingroup hpcc
 *
 * The payload of the last message of the active side, which is an RDMAP Send. The payload contains
 * the number of bytes that this side has written (8 bytes) and the CRC32c of these bytes in the
 * order of writing (4 bytes).
 */
struct HpccIwarpSummary
{
    uint64_t bytes{0}; ///< number of bytes written
    uint32_t crc{0};   ///< CRC32c of the bytes written, in the order of writing

    static constexpr uint32_t QUEUE = 0;   ///< queue number of Sends (RFC 5040, section 5.2)
    static constexpr uint32_t MESSAGE = 1; ///< message sequence number of the first Send

    /// Returns the payload of the Send.
    std::vector<uint8_t> Encode() const;

    /**
     * Reads a summary into this object.
     * @param payload payload of the Send
     * @param size size of the payload, bytes
     * @return true if the payload is a summary; otherwise the object is unchanged
     */
    bool Decode(const uint8_t* payload, size_t size);
};

/**
 * @ingroup hpcc
 *
 * Base class of both sides of an iWARP connection: RDMAP over DDP over MPA over an ns-3 TCP socket
 * with any congestion control. CRCs are used if either side requests them. Markers are not
 * supported; a peer that requests them is refused. After an error or a refusal, the reason is
 * traced and the connection is closed. Data that still arrives is read and discarded. No Terminate
 * message is sent.
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

    /// Signature of Closed: reason, and time in ns.
    typedef void (*ClosedTracedCallback)(HpccIwarpError reason, int64_t nowNs);

    /// Returns true once the connection has ended.
    bool IsClosed() const
    {
        return m_closed;
    }

    /// Returns the error that has ended the connection; NONE if the connection is open or has ended
    /// without an error.
    HpccIwarpError GetError() const
    {
        return m_error;
    }

  protected:
    /// Creates the endpoint of a new connection.
    /// @param reply true if the peer's start-up frame must be a reply, false if it must be a
    /// request
    explicit HpccIwarpEndpoint(bool reply);

    void DoDispose() override;
    void StopApplication() override;

    /// Uses a socket as the connection from now on.
    /// @param socket the socket
    void Attach(Ptr<Socket> socket);

    /// Sends a frame.
    /// @param frame the frame; TCP's send buffer must have room for it
    void Send(const std::vector<uint8_t>& frame);

    /// Closes the connection.
    /// @param error the reason; NONE if there is no error
    void Close(HpccIwarpError error);

    /**
     * Handles the peer's start-up frame.
     *
     * @param start the frame
     * @return the error; NONE if there is none
     */
    virtual HpccIwarpError Started(const MpaStart& start) = 0;

    /**
     * Handles a segment.
     * @param segment headers of the segment
     * @param payload payload of the segment
     * @param size size of the payload, bytes
     * @return the error; NONE if there is none
     */
    virtual HpccIwarpError Received(const DdpSegment& segment,
                                    const uint8_t* payload,
                                    uint32_t size) = 0;

    /// Returns true if the peer may close the connection now.
    virtual bool IsComplete() const = 0;

    Address m_address;    ///< attribute Local or Remote of the derived class
    Ptr<Socket> m_socket; ///< the connection; null if there is none
    bool m_crc;           ///< attribute Crc; after the start-up frames, true if CRCs are used

  private:
    /// Reads the frames that have arrived.
    /// @param socket the connection
    void Read(Ptr<Socket> socket);
    /// Processes the frames that have arrived.
    /// @return the first error in the frames received; NONE if none
    HpccIwarpError TakeFrames();
    /// Processes the peer's start-up frame.
    /// @return the error in the peer's start-up frame; NONE if the frame is accepted
    HpccIwarpError TakeStart();
    /// Reacts to the peer closing the connection.
    /// @param socket the connection
    void PeerClosed(Ptr<Socket> socket);
    /// Handles the failure of the TCP connection.
    /// @param socket the connection
    void PeerLost(Ptr<Socket> socket);

    MpaReader m_reader;                           ///< reads the frames that arrive
    bool m_closed{false};                         ///< see IsClosed()
    HpccIwarpError m_error{HpccIwarpError::NONE}; ///< see GetError()

    TracedCallback<HpccIwarpError, int64_t> m_closedTrace; ///< trace source Closed
};

} // namespace ns3

#endif // HPCC_IWARP_ENDPOINT_H
