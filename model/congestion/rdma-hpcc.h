/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_H
#define RDMA_HPCC_H

#include "rdma-hpcc-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC, "HPCC: High Precision Congestion Control" (SIGCOMM 2019), Algorithm 1, and the variants
 * with which the paper compares it. The control law is that of RdmaHpccPlusPlus; the defaults
 * differ: T 13 us, W_ai 80 bytes (section 5.1), telemetry in the paper's own format.
 *
 * - "hpcc": the values in the paper's text: MaxStage 5, Eta 0.95.
 * - "hpcc:authors": the simulator published with the paper. MaxStage is 0 and MinRate 1 Gb/s. W_ai
 *   is W_init/2500 (Wai 0 and N 125, with Eta 0.95), because that simulator adds 10 Mb/s per 25
 *   Gb/s of line rate.
 * - "hpcc:rx-rate": MaxStage 0, RateTerm Rx (figure 6).
 * - "hpcc:per-hop": MaxStage 0, PerHop, a window for each hop.
 * - "hpcc:per-ack": MaxStage 0, Reaction PerAck. This reaction is too strong (section 3.2, figure
 *   13).
 * - "hpcc:per-rtt": MaxStage 0, Reaction PerRtt. This reaction is too late (section 3.2, figure
 *   13).
 *
 * The simulator published with the paper stores the rate instead of the window and normalises the
 * queue as qlen B_nic/(B_j W_init). Since W_init = B_nic T and R = W/T, the simulator's control law
 * is equivalent to HpccLaw.
 *
 * With PerRtt, every acknowledgement updates U and the stored records. Only one acknowledgement per
 * RTT updates W.
 *
 * Attributes: those of RdmaHpccBase.
 */
class RdmaHpcc : public RdmaHpccBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaHpcc();

  private:
    std::string GetDefaultTelemetry() const override;

    /// Returns the class's defaults.
    static Defaults GetDefaults();
};

} // namespace ns3

#endif // RDMA_HPCC_H
