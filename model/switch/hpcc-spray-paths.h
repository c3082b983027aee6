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
 * INFOCOM 2013). A port is chosen for each frame, including ACKs, regardless of its flow. Packets
 * of a flow overtake one another if the queues of the paths differ.
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

    /// The rule for choosing the next port.
    enum Order
    {
        RANDOM,     ///< uniformly and independently for each frame
        ROUND_ROBIN ///< the ports of the set in turn, starting at a random port
    };

    uint32_t Select(const Frame& frame,
                    const EcmpTable::Choices& choices,
                    const std::vector<QbbNetDevice*>& ports,
                    int64_t nowNs) override;
    Multipath GetMultipath() const override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    Order m_order;                          ///< attribute Order
    Ptr<UniformRandomVariable> m_random;    ///< random choices
    std::vector<uint32_t> m_next;           ///< index of the port last chosen in each set of ports,
                                            ///< or NO_TURN
    static constexpr uint32_t NO_TURN = ~0; ///< value for a set of ports that no frame has used yet
};

} // namespace ns3

#endif // HPCC_SPRAY_PATHS_H
