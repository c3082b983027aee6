/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_SERIALIZER_H
#define HPCC_FRAME_SERIALIZER_H

#include "hpcc-frame.h"

#include "ns3/hpcc-telemetry-format.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Writes frames as bytes that another process of the same program reads. Both know the same
 * telemetry formats.
 */
class FrameSerializer
{
  public:
    /// One frame in a message.
    struct Message
    {
        uint32_t link;        ///< number of the link
        const char* packet;   ///< the packet as ns-3 serialises it
        uint32_t packetBytes; ///< bytes of that; 0 without a packet
    };

    /**
     * Makes a telemetry format known. All processes do so in the same order.
     * @param format the format
     */
    void AddFormat(const TelemetryFormat* format);

    /// Forgets the formats.
    void Clear()
    {
        m_formats.clear();
    }

    /**
     * Appends a frame to a message.
     * @param link number of a link
     * @param frame a frame
     * @param bytes gets both appended
     */
    void Append(uint32_t link, const Frame& frame, std::string& bytes) const;

    /**
     * @param telemetry whether it carries telemetry
     * @return bytes that Append() writes of a frame with a packet, at most, without those of the
     * packet
     */
    static uint32_t MaxBytesBesidePacket(bool telemetry);

    /**
     * Reads one frame, without its packet, and checks that every field is one that Append() can
     * write.
     * @param bytes the unread part of a message; moved behind the frame
     * @param end the byte after the message
     * @param frame filled
     * @param message filled
     * @return an empty string, or the fault
     */
    std::string Read(const char*& bytes, const char* end, Frame& frame, Message& message) const;

  private:
    std::vector<const TelemetryFormat*> m_formats; ///< known to all processes by their index
};

} // namespace ns3

#endif // HPCC_FRAME_SERIALIZER_H
