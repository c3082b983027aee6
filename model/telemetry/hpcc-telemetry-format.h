/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TELEMETRY_FORMAT_H
#define HPCC_TELEMETRY_FORMAT_H

#include "hpcc-hop-telemetry.h"

#include "ns3/object.h"

#include <cstddef>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A wire format of in-band telemetry: how a source opens it, how a hop inserts its report, how the
 * reader gets it back, and the exact bytes. A format is immutable once traffic runs, so one object
 * serves a whole network.
 *
 * A new format is one file pair: derive, register a TypeId and its names with AddHpccPresets(),
 * done. Nothing else names it.
 */
class TelemetryFormat : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @return what a record of this format carries
    const TelemetryCapabilities& GetCapabilities() const;

    /// @return the format's number in the reflection header, 1 to 255
    virtual uint8_t GetReflectionId() const = 0;

    /// @return UDP destination port that marks this format on the wire; 0 if the port stays the
    /// original one
    virtual uint16_t GetUdpPort() const = 0;

    /**
     * Open an empty stack, as the sending host does.
     * @param stack the stack to initialise
     * @param originalPort UDP destination port that the marking displaces
     */
    virtual void Open(TelemetryStack& stack, uint16_t originalPort) const = 0;

    /**
     * Insert a hop's report.
     * @param stack the frame's stack
     * @param hop what the port knows
     * @param roomBytes bytes by which the frame may still grow before it exceeds the egress MTU
     * @return true if a record was inserted; the frame then has grown by GetHopBytes(). If false,
     * flags and skippedHops say so
     */
    virtual bool Insert(TelemetryStack& stack,
                        const HopSnapshot& hop,
                        uint32_t roomBytes) const = 0;

    /**
     * Read one record.
     * @param stack the stack
     * @param index position on the path, 0 is the first hop
     * @return the record with TelemetryField bits for what is available (all ones on the wire means
     * it is not)
     */
    virtual HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const = 0;

    /// @return bytes that the format adds to a frame at the source
    virtual uint32_t GetBaseBytes() const = 0;

    /// @return bytes that each inserting hop adds to the frame; 0 if GetBaseBytes() has them all
    virtual uint32_t GetHopBytes() const = 0;

    /**
     * @param stack a stack
     * @return bytes of the format on the wire with this stack
     */
    uint32_t GetWireBytes(const TelemetryStack& stack) const
    {
        return GetBaseBytes() + stack.hops * GetHopBytes();
    }

    /**
     * @param stack a stack
     * @return bytes that the receiver puts into the reflection header for the records of this stack
     */
    virtual uint32_t GetReflectedBytes(const TelemetryStack& stack) const = 0;

    /**
     * Write the format's bytes as they stand on the wire.
     * @param stack the stack
     * @param out at least GetWireBytes(stack) bytes
     */
    virtual void Serialize(const TelemetryStack& stack, uint8_t* out) const = 0;

    /**
     * Read the format's bytes.
     * @param in the bytes from the format's first byte on
     * @param size bytes available
     * @param stack filled on success
     * @return bytes consumed; 0 if the bytes are not well-formed
     */
    virtual size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const = 0;

    /**
     * Write the records as the reflection header carries them.
     * @param stack the stack
     * @param out at least GetReflectedBytes(stack) bytes
     */
    virtual void SerializeRecords(const TelemetryStack& stack, uint8_t* out) const = 0;

    /**
     * Read the records of a reflection header.
     * @param in the bytes of the records
     * @param size bytes available
     * @param hops records present
     * @param stack filled on success
     * @return bytes consumed; 0 if the bytes are not well-formed
     */
    virtual size_t DeserializeRecords(const uint8_t* in,
                                      size_t size,
                                      uint8_t hops,
                                      TelemetryStack& stack) const = 0;

  protected:
    TelemetryCapabilities m_capabilities{}; ///< set by the subclass before traffic runs
};

} // namespace ns3

#endif // HPCC_TELEMETRY_FORMAT_H
