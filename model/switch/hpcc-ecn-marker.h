/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ECN_MARKER_H
#define HPCC_ECN_MARKER_H

#include "hpcc-marker.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * ECN marking by the instantaneous length of the egress queue, like DCQCN's RED. A frame is never
 * marked if this length is at most Kmin, and always marked if it is above Kmax. In between, the
 * probability of a mark grows linearly from 0 to Pmax. With Kmin = Kmax the probability is a step
 * function, as in DCTCP.
 */
class EcnMarker final : public Marker
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Thresholds of a port.
    struct Thresholds
    {
        double kminBytes; ///< queue length, bytes, at or below which no frame is marked
        double kmaxBytes; ///< queue length, bytes, above which every frame is marked
        double pmax;      ///< marking probability at a queue length of kmaxBytes
    };

    /**
     * Returns the thresholds of a port: those of the entry for its line rate. If there is no such
     * entry, returns the thresholds of the first entry, scaled in proportion to the line rate.
     * @param rateBps line rate of the port, bit/s
     */
    Thresholds ForRate(uint64_t rateBps) const;

    void AddPort(uint64_t rateBps) override;
    bool MustMark(const QbbNetDevice& port, const Frame& frame, int64_t nowNs) override;
    bool IsEnabled() const override;
    void SetStream(uint32_t port, int64_t stream) override;

    /**
     * Makes all ports use one common random variable instead of one variable per port. The ports
     * draw from this variable in the order in which packets leave. Call this function after the
     * switch is installed and its streams are assigned.
     * @param probability random variable from 0 to 1; a packet is marked if its value is below the
     * marking probability
     */
    void SetVariable(Ptr<RandomVariableStream> probability);

  protected:
    void DoDispose() override;

  private:
    /// An entry of the attribute Thresholds.
    struct Entry
    {
        uint64_t rateBps;      ///< line rate, bit/s
        Thresholds thresholds; ///< thresholds at this line rate
    };

    /// The marking state of a port.
    struct Port
    {
        Thresholds thresholds;                 ///< thresholds at the line rate of the port
        Ptr<RandomVariableStream> probability; ///< random variable of the port
    };

    /// Parses the attribute Thresholds; a malformed text throws HpccInputError.
    void ParseThresholds();

    bool m_enabled;               ///< attribute Enabled
    std::string m_text;           ///< attribute Thresholds
    std::vector<Entry> m_entries; ///< entries of m_text
    std::vector<Port> m_ports;    ///< ports by index
};

} // namespace ns3

#endif // HPCC_ECN_MARKER_H
