/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_STORM_REPORT_H
#define HPCC_STORM_REPORT_H

#include "hpcc-fabric-helper.h"

#include "ns3/hpcc-ranks.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts the storms that the watchdogs of a network detect, and describes the first one.
 */
class HpccStormReport
{
  public:
    /// Records the storms in a network.
    /// @param fabric the network, whose switches have watchdogs; simulated only while this exists
    void Watch(const HpccFabricHelper& fabric);

    /**
     * Warns of the storms of all ranks, if there are any.
     * @param run name of the program and the run, with which the warning begins
     * @param ranks the processes; rank 0 prints the warning. Null for one process
     */
    void Print(const std::string& run, const Ptr<HpccRanks>& ranks) const;

  private:
    /// Storms.
    struct Storms
    {
        uint64_t count{0};          ///< their number
        int64_t sinceNs{INT64_MAX}; ///< begin of the first pause, ns
        uint32_t node{0};           ///< its switch
        uint32_t port{0};           ///< its port
        uint8_t priority{0};        ///< its priority
        uint64_t queueBytes{0};     ///< bytes that waited when its storm was detected

        /// Adds other storms.
        /// @param other the storms
        void Add(const Storms& other);
    };

    /// Records a storm, with the signature of PfcWatchdog::Storm.
    void Record(uint32_t node,
                uint32_t port,
                uint8_t priority,
                int64_t sinceNs,
                uint64_t queueBytes);

    Storms m_storms; ///< those of the switches of this process
};

} // namespace ns3

#endif // HPCC_STORM_REPORT_H
