/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SPRAY_PATHS_H
#define HPCC_SPRAY_PATHS_H

#include "hpcc-path-selector.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Per-packet spraying (Dixit et al., "On the Impact of Packet Spraying in Data Center Networks",
 * INFOCOM 2013): each frame takes a port of its own, whatever its flow, ACKs included. Packets of a
 * flow overtake one another where queues differ.
 */
class SprayPaths : public PathSelector
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SprayPaths();

    /// How the next port is found.
    enum Order
    {
        RANDOM,     ///< uniformly, each frame on its own
        ROUND_ROBIN ///< in turn, per set of ports, from a random one on
    };

    uint32_t Select(const Frame& frame,
                    const EcmpTable::Choices& choices,
                    const std::vector<QbbNetDevice*>& ports,
                    int64_t nowNs) override;
    PathSpread GetSpread() const override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    Order m_order;                          ///< attribute
    Ptr<UniformRandomVariable> m_random;    ///< random choices
    std::vector<uint32_t> m_next;           ///< turn by set of ports; NO_TURN before the first
    static constexpr uint32_t NO_TURN = ~0; ///< no frame has gone there
};

} // namespace ns3

#endif // HPCC_SPRAY_PATHS_H
