/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AGENT_FORMAT_H
#define HPCC_AGENT_FORMAT_H

#include "hpcc-telemetry-format.h"

namespace ns3
{

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * Base class of formats whose header is filled in by a SwitchAgent instead of TelemetryAgent. The
 * header has a fixed size, is between UDP and BTH, and is marked by a dedicated UDP port. Hops
 * change the header in place. The original UDP port is not stored, because it is always 4791
 * (RoCEv2). The receiver returns the header to the sender unchanged.
 *
 * The header is stored in TelemetryStack::words: byte i is byte i % 4 of word i / 4, where byte 0
 * of a word is the most significant. There is always one record
 * (TelemetryCapabilities::pathExtreme). A domain edge between networks resets the header to its
 * initial state, unless CrossesBorder() returns true.
 *
 * Derived classes have the attribute UdpPort, 1 to 65535, unless their header is a TCP option
 * (TcpOptionFormat). The default ports are not assigned by IANA.
 */
class AgentTelemetryFormat : public TelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    uint8_t GetReflectionId() const override;

    // Does nothing; the SwitchAgent fills in the header.
    int32_t Insert(TelemetryStack& stack,
                   const HopSnapshot& hop,
                   uint32_t roomBytes) const override;
    uint32_t GetBaseBytes() const override;
    uint32_t GetHopBytes() const override;
    uint32_t GetReflectedBytes(const TelemetryStack& stack) const override;
    void Serialize(const TelemetryStack& stack, uint8_t* out) const override;
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;
    void SerializeRecords(const TelemetryStack& stack, uint8_t* out) const override;
    size_t DeserializeRecords(const uint8_t* in,
                              size_t size,
                              uint8_t hops,
                              TelemetryStack& stack) const override;

  protected:
    /**
     * Creates a format whose header a switch agent fills in.
     * @param bytes size of the header, bytes
     * @param fields TelemetryField bits of the record in the header
     * @param senderWords number of words at the start of the header that the sender fills in
     * @param reflectionId number that identifies the format in the reflection header
     */
    AgentTelemetryFormat(uint32_t bytes,
                         uint16_t fields,
                         uint8_t senderWords,
                         uint8_t reflectionId);

    /**
     * Adds the attribute of the UDP port.
     * @param tid the TypeId under construction
     * @param port default UDP port
     * @return the TypeId with the attribute
     */
    static HpccTypeId AddUdpPort(HpccTypeId tid, uint16_t port);

    /// Changes the size of the header. Must be called before the format is used.
    /// @param bytes the new size, bytes
    void SetBytes(uint32_t bytes)
    {
        m_bytes = bytes;
    }

  private:
    void DoOpen(TelemetryStack& stack) const override;
    void Tell(TelemetryStack& stack, const uint32_t* words) const override;

    uint32_t m_bytes;             ///< size of the header, bytes
    const uint8_t m_reflectionId; ///< number that identifies the format in the reflection header
};

} // namespace ns3

#endif // HPCC_AGENT_FORMAT_H
