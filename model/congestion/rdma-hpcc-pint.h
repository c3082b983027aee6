/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_PINT_H
#define RDMA_HPCC_PINT_H

#include "rdma-hpcc-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC-PINT ("PINT: Probabilistic In-band Network Telemetry", Ben Basat et al., SIGCOMM 2020):
 * HPCC's control law with the U that switches compute and that PintFormat carries as a digest. This
 * U replaces the sender's own average over the records of all hops. Acknowledgements without a
 * digest have no effect. By default, the first digest starts the first round but does not change
 * the window.
 *
 * - "hpcc-pint": MaxStage 0, Eta 0.95, W_ai 80 bytes, and T 13 us while the network's base RTT is
 *   unknown, as for HPCC in the paper.
 * - "hpcc-pint:authors": the simulator published with the paper: MinRate 1 Gb/s and W_ai =
 *   W_init/2500 (Wai 0 and N 125), as in "hpcc:authors".
 *
 * The telemetry format determines how many packets carry a digest: --telemetry=pint, pint:16,
 * pint:256.
 *
 * Attributes: those of RdmaHpccBase. QueueFilter, IdleGapResets, InitialU, MissingHop and QuietLoad
 * have no effect, because the sender does not compute U itself. CheckFeedback is refused.
 */
class RdmaHpccPint : public RdmaHpccBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaHpccPint();

  private:
    std::string GetDefaultTelemetry() const override;

    /// Returns the class's defaults.
    static Defaults GetDefaults();
};

} // namespace ns3

#endif // RDMA_HPCC_PINT_H
