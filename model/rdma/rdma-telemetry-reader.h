/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TELEMETRY_READER_H
#define RDMA_TELEMETRY_READER_H

#include "rdma-host-counters.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/ptr.h"
#include "ns3/rdma-congestion-ops.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Reads the telemetry records of frames at a host, and looks up the line rates that the telemetry
 * format does not carry.
 */
class RdmaTelemetryReader
{
  public:
    /// Creates a reader without an inventory.
    /// @param counts counters of the host; the reader increments RdmaHostCounts::unknownLinks
    explicit RdmaTelemetryReader(RdmaHostCounts& counts)
        : m_counts(counts)
    {
    }

    /// Sets the bandwidths of links for data of all priorities.
    /// @param inventory the bandwidths: line rates, or shares of line rates if records are per
    /// traffic class
    void SetInventory(Ptr<const TelemetryInventory> inventory)
    {
        m_inventories.fill(inventory);
    }

    /**
     * Sets the bandwidths of links for data of one priority.
     * @param priority the priority
     * @param inventory the bandwidths: line rates, or shares of line rates if records are per
     * traffic class
     */
    void SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory)
    {
        m_inventories[priority] = inventory;
    }

    /**
     * Reads the records of a frame.
     * @param format format of the records
     * @param stack telemetry of the frame
     * @param priority priority of the data packets
     * @param hops receives the records
     * @return number of records
     */
    uint32_t ReadHops(const TelemetryFormat& format,
                      const TelemetryStack& stack,
                      uint8_t priority,
                      HopTelemetry* hops);

    /**
     * Reads the telemetry of an acknowledgement that returns the records of all hops.
     * @param qp queue pair of the acknowledgement
     * @param frame the acknowledgement
     * @param ack receives the telemetry
     */
    void ReadAck(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Reads the data that an acknowledgement returns in addition to records.
     * @param qp queue pair of the acknowledgement
     * @param frame the acknowledgement
     * @param ack receives path identifier, number of flows, and the idle time of the queue pair
     */
    static void ReadContext(RdmaQueuePair& qp, const Frame& frame, RdmaAckInfo& ack);

    /**
     * Sets the line rate of a hop from the inventory, if the host has an inventory and the record
     * of the hop carries no line rate.
     * @param hop record of the hop
     * @param priority priority of the data packets
     */
    void LookUpRate(HopTelemetry& hop, uint8_t priority);

  private:
    /**
     * Sets the line rate of a hop from an inventory.
     * @param hop record of the hop
     * @param inventory the line rates
     */
    void LookUpRate(HopTelemetry& hop, const TelemetryInventory& inventory);

    RdmaHostCounts& m_counts; ///< counters
    /// Inventories, by priority of the data packets.
    std::array<Ptr<const TelemetryInventory>, PRIORITIES> m_inventories;
};

} // namespace ns3

#endif // RDMA_TELEMETRY_READER_H
