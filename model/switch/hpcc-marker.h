/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MARKER_H
#define HPCC_MARKER_H

#include "ns3/hpcc-frame.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Decides which frames a switch marks CE (RFC 3168). Each switch has its own marker.
 *
 * QbbSwitch adds its ports in the order of their index. QbbSwitch calls MustMark() for each
 * ECN-capable frame when the transmission of the frame starts. This includes frames that already
 * have the codepoint CE; if such a frame is marked again, the mark is also counted. MustMark() is
 * not called for frames with a codepoint that a port agent marks itself
 * (PortAgent::GetMarkedCodepoint()), nor for frames created by this switch. The switch sets the
 * codepoint, and counts and traces the mark.
 *
 * To add a marker, write a file pair: derive a class, implement the pure functions, register a
 * TypeId and its short names with HpccTypeId::Presets(), and add NS_OBJECT_ENSURE_REGISTERED. A
 * program selects the marker by --marking=NAME, HpccFabricHelper::SetMarking() or the attribute
 * EcnMarker of QbbSwitch, which accepts any Marker.
 *
 * A marker that draws random numbers creates one random variable per port in AddPort() and
 * overrides SetStream(). MustMark() uses the random variable of the port. EcnMarker is an example.
 */
class Marker : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Records that a switch uses this object. Throws HpccInputError if a switch already uses it,
    /// because the ports of the two switches would have the same numbers.
    void SetOwned();

    /// Adds the next port.
    /// @param rateBps line rate of the port, bit/s
    virtual void AddPort(uint64_t rateBps) = 0;

    /**
     * Decides whether a frame is marked.
     * @param port egress port; its queues do not contain the frame
     * @param frame the frame; Frame::arrivalNs is the time of its arrival at the switch
     * @param nowNs simulated time, ns
     * @return true if the switch must mark the frame
     */
    virtual bool MustMark(const QbbNetDevice& port, const Frame& frame, int64_t nowNs) = 0;

    /// Returns false if this object never marks; called once, in QbbSwitch::Install().
    virtual bool IsEnabled() const
    {
        return true;
    }

    /**
     * Uses a fixed random stream for a port. Default: does nothing.
     * @param port index of the port
     * @param stream stream number for this port
     */
    virtual void SetStream(uint32_t port, int64_t stream)
    {
        (void)port;
        (void)stream;
    }

  private:
    bool m_owned{false}; ///< true once a switch has the object
};

} // namespace ns3

#endif // HPCC_MARKER_H
