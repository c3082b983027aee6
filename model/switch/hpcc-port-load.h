/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PORT_LOAD_H
#define HPCC_PORT_LOAD_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The load U of a port as HPCC-PINT's switches compute it ("PINT: Probabilistic In-band Network
 * Telemetry", SIGCOMM 2020). For each packet, the switch computes
 *
 *     U = (T - tau)/T U + tau/T u,  u = qlen/(B T) + byte/(B tau)
 *
 * where tau is the time since the previous packet, at most T, and byte is the number of bytes sent
 * in that time. The load of a port is the same for all flows. In HPCC, U differs between flows,
 * because each sender averages the load over its own packets.
 */
class PortLoad
{
  public:
    /**
     * Creates the computation of the load of a port.
     * @param lineRateBps B, bit/s
     * @param baseRttNs T, ns
     */
    PortLoad(double lineRateBps, double baseRttNs)
        : m_perByte(8e9 / (lineRateBps * baseRttNs)),
          m_baseRttNs(baseRttNs)
    {
    }

    /**
     * Updates the load for a packet that leaves.
     * @param nowNs time, ns, never less than before
     * @param txBytes all bytes that the port has sent before this packet
     * @param queueBytes bytes in the queue behind this packet
     * @return U, 0 or more
     */
    double Update(int64_t nowNs, uint64_t txBytes, uint64_t queueBytes)
    {
        const auto gapNs = static_cast<double>(nowNs - m_lastNs);
        const double weight = std::min(gapNs, m_baseRttNs) / m_baseRttNs;
        m_load = (1 - weight) * m_load + weight * static_cast<double>(queueBytes) * m_perByte +
                 static_cast<double>(txBytes - m_lastTxBytes) * m_perByte;
        m_lastNs = nowNs;
        m_lastTxBytes = txBytes;
        return m_load;
    }

  private:
    double m_perByte;          ///< 1/(B T), 1/bytes
    double m_baseRttNs;        ///< T
    double m_load{0};          ///< U
    int64_t m_lastNs{0};       ///< time at which the previous packet left
    uint64_t m_lastTxBytes{0}; ///< bytes that the port had sent before the previous packet
};

} // namespace ns3

#endif // HPCC_PORT_LOAD_H
