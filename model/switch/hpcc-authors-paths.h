/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_PATHS_H
#define HPCC_AUTHORS_PATHS_H

#include "hpcc-path-selector.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * ECMP as in the HPCC authors' simulator: a flow uses port number h mod n of the n ports of equal
 * cost. h is MurmurHash3 (x86, 32 bits; Austin Appleby, public domain) of three words: source
 * address, destination address, and source port plus 2^16 times destination port. The seed of the
 * hash is the switch's node number. As in that simulator, the address of host i is 11.(i / 256).(i
 * % 256).1.
 *
 * RoCE packets have the destination port 4791 unless SetFlowPorts() sets the ports of that
 * simulator. In answers to data, such as ACKs, source and destination port are exchanged.
 *
 * Name: "ecmp:authors".
 */
class AuthorsPaths : public PathSelector
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Destination ports of flows.
    struct FlowPorts
    {
        uint16_t common;                               ///< port of all flows without an entry in
                                                       ///< "others"
        std::unordered_map<uint64_t, uint16_t> others; ///< ports of other flows, by KeyOf()
    };

    /**
     * Returns the key of a flow in FlowPorts.
     * @param source number of the host that sends the flow
     * @param destination number of the host that receives the flow
     * @param sourcePort UDP source port of the flow
     */
    static uint64_t KeyOf(uint32_t source, uint32_t destination, uint16_t sourcePort)
    {
        return uint64_t{source} << 40 | uint64_t{destination} << 16 | sourcePort;
    }

    /// Sets the destination ports of flows.
    /// @param ports destination ports by flow; shared by all switches
    void SetFlowPorts(std::shared_ptr<const FlowPorts> ports);

    /**
     * Returns the hash of a packet.
     * @param sourceHost number of the host that sends the packet
     * @param destinationHost number of the host that receives the packet
     * @param sourcePort source port of the packet
     * @param destinationPort destination port of the packet
     * @param seed number of the switch
     */
    static uint32_t Hash(uint32_t sourceHost,
                         uint32_t destinationHost,
                         uint16_t sourcePort,
                         uint16_t destinationPort,
                         uint32_t seed);

    uint32_t Select(const Frame& frame,
                    const EcmpTable::Choices& choices,
                    const std::vector<QbbNetDevice*>& ports,
                    int64_t nowNs) override;
    Multipath GetMultipath() const override;

  private:
    std::shared_ptr<const FlowPorts> m_flowPorts; ///< destination ports of flows; null: all flows
                                                  ///< use RoCE's port
};

} // namespace ns3

#endif // HPCC_AUTHORS_PATHS_H
