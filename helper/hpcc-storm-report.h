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
 * Counts the PFC storms that the watchdogs of a network detect, and describes the first one.
 */
class HpccStormReport
{
  public:
    /// Starts to record the storms in a network.
    /// @param fabric the network, whose switches have watchdogs; its simulation must end before
    /// this object is destroyed
    void Watch(const HpccFabricHelper& fabric);

    /**
     * If there were storms at any rank, prints a warning that describes them.
     * @param run name of the program and the run, with which the warning begins
     * @param ranks the processes; rank 0 prints the warning. Null for one process
     */
    void Print(const std::string& run, const Ptr<HpccRanks>& ranks) const;

  private:
    /// The number of storms, and a description of the first one.
    struct Storms
    {
        uint64_t count{0};          ///< number of storms
        int64_t sinceNs{INT64_MAX}; ///< start of the first pause that led to a storm, ns
        uint32_t node{0};           ///< number of the switch that was paused
        uint32_t port{0};           ///< index of the port that was paused
        uint8_t priority{0};        ///< priority that was paused
        uint64_t queueBytes{0};     ///< bytes in the paused queue when the first storm was detected

        /// Adds the count of other storms, and keeps the description of the storm that began first.
        /// @param other storms to add
        void Add(const Storms& other);
    };

    /// Records a storm, with the signature of PfcWatchdog::Storm.
    void Record(uint32_t node,
                uint32_t port,
                uint8_t priority,
                int64_t sinceNs,
                uint64_t queueBytes);

    Storms m_storms; ///< storms at the switches of this process
};

} // namespace ns3

#endif // HPCC_STORM_REPORT_H
