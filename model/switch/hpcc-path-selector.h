/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PATH_SELECTOR_H
#define HPCC_PATH_SELECTOR_H

#include "hpcc-ecmp-table.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Chooses among a switch's ports of equal cost. A switch without a selector uses ECMP by 5-tuple
 * hash, see EcmpTable. Each switch has its own selector. The state of a selector must depend only
 * on the frames of its switch, so that results are reproducible.
 *
 * To add a path selector, write a file pair: derive a class, implement Select() and GetMultipath(),
 * register a TypeId and its short names with HpccTypeId::Presets(), and add
 * NS_OBJECT_ENSURE_REGISTERED. A selector that uses random numbers also implements AssignStreams().
 * A program selects the selector by --paths=NAME, HpccFabricHelper::SetPaths() or
 * QbbSwitch::PathSelector.
 */
class PathSelector : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Chooses a port.
     * @param frame the frame to route
     * @param choices ports to choose from, at least 2
     * @param ports the ports of the switch by index
     * @param nowNs simulated time, ns
     * @return one of the choices
     */
    virtual uint32_t Select(const Frame& frame,
                            const EcmpTable::Choices& choices,
                            const std::vector<QbbNetDevice*>& ports,
                            int64_t nowNs) = 0;

    /// Returns how often packets of a flow change their path: NONE, OCCASIONAL or EVERY_PACKET.
    virtual Multipath GetMultipath() const = 0;

    /**
     * Uses fixed random streams. The default implementation uses none.
     * @param stream first stream
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);
};

} // namespace ns3

#endif // HPCC_PATH_SELECTOR_H
