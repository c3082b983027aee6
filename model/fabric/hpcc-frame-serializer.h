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
 * Serialises frames for another process that runs the same program. The other process deserialises
 * the frames. Both processes register the same telemetry formats.
 */
class FrameSerializer
{
  public:
    /// Data that is serialised together with a frame, but is not part of Frame.
    struct Message
    {
        uint32_t link;        ///< number of the link
        const char* packet;   ///< the ns-3 packet, serialised by ns-3
        uint32_t packetBytes; ///< size of the packet, bytes; 0 without a packet
    };

    /**
     * Registers a telemetry format. All processes register the same formats in the same order.
     * @param format format to register; must outlive this object
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
     * @param frame frame to serialise
     * @param bytes the message to extend
     */
    void Append(uint32_t link, const Frame& frame, std::string& bytes) const;

    /**
     * Returns the largest number of bytes that Append() adds to a message for a frame that contains
     * a packet, not counting the bytes of the packet itself.
     * @param telemetry true if the frame carries telemetry
     */
    static uint32_t MaxBytesBesidePacket(bool telemetry);

    /**
     * Reads one frame, without its packet, and checks that each field has a value that Append() can
     * write.
     * @param bytes start of the unread part of a message; set to the byte after the frame
     * @param end the byte after the message
     * @param frame receives the frame
     * @param message receives the other values of the message
     * @return an empty string, or the error
     */
    std::string Read(const char*& bytes, const char* end, Frame& frame, Message& message) const;

  private:
    std::vector<const TelemetryFormat*> m_formats; ///< registered formats, in the same order in all
                                                   ///< processes
};

} // namespace ns3

#endif // HPCC_FRAME_SERIALIZER_H
