/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TELEMETRY_BORDER_H
#define HPCC_TELEMETRY_BORDER_H

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Hides the internals of a network at its domain edge, the ports that lead out of the network.
 * According to draft-miao-tsv-hpcc-01, section 9.1, only a ratio, and no absolute value, should be
 * sent across autonomous systems. In a frame that leaves at the domain edge, one record replaces
 * all records of this network. The new record contains the largest load u' = qlen/(B T) +
 * utilisation of the replaced records, and an opaque tag that changes when the path inside the
 * network changes. No id, line rate, queue length or timestamp leaves the network. Records that
 * another domain edge has inserted stay as they are. If a format carries only a record of the
 * bottleneck hop, that record remains, and only its locator is removed
 * (TelemetryFormat::ForgetOrigin()).
 *
 * If a record has a byte counter instead of the utilisation, the domain edge measures the
 * utilisation since an earlier record of the same hop. If records arrive often enough, the earlier
 * record is older than the new one by a quarter to a half of T. If it were older by T or more, the
 * sender would get the load so late that an algorithm without additive stages (MaxStage 0) would
 * overreact. Hops without ids are distinguished by flow, path identifier and position. Until two
 * records have arrived, a hop with a queue is regarded as fully utilised, and a hop without a queue
 * as idle.
 *
 * The records of this network are removed without a replacement if the format cannot carry a load
 * (TelemetryFormat::CarriesLoad), or if the records lack the fields for computing a load.
 * HpccFabricHelper refuses formats whose TelemetryFormat::CrossesBorder() is false. Add this agent
 * to the switch after the TelemetryAgent, so that the record of this switch is replaced, too.
 */
class TelemetryBorder : public Object, public PortAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Adds a port that leads out of the network.
    /// @param portIndex the port
    void AddPort(uint32_t portIndex);

    /// Sets the line rates of this network.
    /// @param inventory the line rates
    void SetInventory(Ptr<const TelemetryInventory> inventory);

    /// Sets T, unless the attribute T was set.
    /// @param baseRtt T
    void SetDefaultBaseRtt(Time baseRtt);

    void OnDequeue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;

    /// Returns the number of frames whose records were replaced.
    uint64_t GetReplaced() const
    {
        return m_replaced;
    }

    /// Returns the number of frames whose records were removed, because their load could not be
    /// computed.
    uint64_t GetRemoved() const
    {
        return m_removed;
    }

    /// Signature of Removed, which fires if the records of this network are removed from a frame
    /// because no load could be computed: index of the egress port.
    typedef void (*RemovedTracedCallback)(uint32_t portIndex);

  private:
    /// A record of a hop.
    struct Reading
    {
        int64_t atNs;         ///< arrival by the domain edge's clock, ns
        uint64_t timestampNs; ///< time in the record
        uint64_t txBytes;     ///< byte counter in the record
    };

    /// The state of a hop whose records have a byte counter.
    struct Meter
    {
        bool begun{false};     ///< true if the readings are set
        Reading first{};       ///< earlier reading, with which new readings are compared
        Reading second{};      ///< newer reading; it replaces "first" when a record arrives that is
                               ///< newer than this one by at least a quarter of T
        double utilization{0}; ///< share of the line rate, 0 to 1
    };

    /// The states of hops whose records have the same moduli of timestamps and byte counters.
    struct Meters
    {
        uint64_t timestampModulus;                 ///< modulus of the timestamps, ns
        uint64_t txBytesModulus;                   ///< modulus of the byte counters
        std::unordered_map<uint64_t, Meter> byHop; ///< state by hop
    };

    /**
     * Measures the utilisation of a hop.
     * @param hop a record
     * @param rateBps line rate of the hop, bit/s
     * @param key identifies the hop
     * @param nowNs time by the domain edge's clock, ns
     * @param meters states of the hops whose records have the same moduli as @p hop
     * @return the utilisation, 0 to 1
     */
    double Measure(const HopTelemetry& hop,
                   uint64_t rateBps,
                   uint64_t key,
                   int64_t nowNs,
                   Meters& meters) const;

    /**
     * Returns the state of the hops in records with the same moduli of timestamps and byte
     * counters. The first call for these moduli creates the state.
     * @param carried capabilities of a format
     */
    Meters& FindMeters(const TelemetryCapabilities& carried);

    std::vector<Meters> m_meters;              ///< states of hops; hops whose records have the same
                                               ///< two moduli share an entry
    std::vector<bool> m_leadsOut;              ///< by port index
    Ptr<const TelemetryInventory> m_inventory; ///< line rates
    uint32_t m_secret;                         ///< attribute Secret
    Time m_baseRtt;                            ///< attribute T; 0 selects the default
    double m_baseRttNs{5000};                  ///< T in force, ns
    uint64_t m_replaced{0};                    ///< see GetReplaced()
    uint64_t m_removed{0};                     ///< see GetRemoved()
    TracedCallback<uint32_t> m_removedTrace;   ///< Removed
};

} // namespace ns3

#endif // HPCC_TELEMETRY_BORDER_H
