/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOWLET_PATHS_H
#define HPCC_FLOWLET_PATHS_H

#include "hpcc-path-selector.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Flowlet switching. A flow may move to another port if its last packet passed this switch at least
 * Gap ago, because that packet is then too far ahead to be overtaken. By default the new port is
 * selected at random, as in LetFlow (Vanini et al., "Let It Flow", NSDI 2017). Alternatively, the
 * port with the shortest queues is selected, similar to the local part of CONGA's path metric
 * (Alizadeh et al., SIGCOMM 2014). Both papers use a gap of 500 us on links of 10 Gb/s.
 *
 * Flows are identified only by a hash, as in both papers. Two flows with the same table entry use
 * the same port. Packets stay in order if Gap exceeds the largest difference in delay between two
 * paths, queues included. Rate-controlled RDMA traffic is paced and has few gaps, so the path of a
 * message rarely changes.
 */
class FlowletPaths : public PathSelector
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    FlowletPaths();

    /// The rule for choosing the port of a new flowlet.
    enum Choice
    {
        RANDOM,      ///< uniformly
        LEAST_LOADED ///< the port with the fewest queued bytes; among several such ports, one at
                     ///< random
    };

    uint32_t Select(const Frame& frame,
                    const EcmpTable::Choices& choices,
                    const std::vector<QbbNetDevice*>& ports,
                    int64_t nowNs) override;
    Multipath GetMultipath() const override;
    int64_t AssignStreams(int64_t stream) override;

    /// Returns the number of flowlets that have begun at this switch.
    uint64_t GetFlowlets() const
    {
        return m_flowlets;
    }

  private:
    /// The state of the flows with one hash.
    struct Entry
    {
        int64_t lastNs{INT64_MIN / 2}; ///< time of the last packet with this hash, ns
        uint32_t port{0};              ///< port of the flows with this hash
    };

    /**
     * Returns the port of a new flowlet.
     * @param choices ports to choose from
     * @param ports ports of the switch
     */
    uint32_t Choose(const EcmpTable::Choices& choices, const std::vector<QbbNetDevice*>& ports);

    Time m_gap;                          ///< attribute Gap
    uint32_t m_tableSize;                ///< attribute TableSize
    Choice m_choice;                     ///< attribute Choice
    std::vector<Entry> m_table;          ///< states of the flows, by hash modulo TableSize
    Ptr<UniformRandomVariable> m_random; ///< random choices
    uint64_t m_flowlets{0};              ///< see GetFlowlets()
};

} // namespace ns3

#endif // HPCC_FLOWLET_PATHS_H
