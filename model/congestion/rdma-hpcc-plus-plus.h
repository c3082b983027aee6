/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_PLUS_PLUS_H
#define RDMA_HPCC_PLUS_PLUS_H

#include "rdma-hpcc-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++ in its sender-driven mode, draft-miao-tsv-hpcc-01, sections 4 and 5: names "hpcc++" with
 * the draft's defaults and "hpcc++:authors" with MaxStage 0, which the authors of HPCC say they
 * used in simulation. "hpcc++:sojourn" is section 9.3: QueueSignal Sojourn. "hpcc++:per-hop" has a
 * window for each hop: PerHop.
 *
 * Defaults: T 5 us, Eta 0.95, MaxStage 5, W_ai = W_init (1 - Eta)/N with N = 100 (the draft leaves
 * N open; 100 is what the 80 bytes of the SIGCOMM 2019 paper amount to at 100 Gb/s and 13 us). The
 * other attributes are described at RdmaHpccBase. Takes any telemetry format that carries the queue
 * length, with QueueSignal Sojourn the time in the switch, and either the sent bytes or the
 * utilisation; INT-MD by default.
 */
class RdmaHpccPlusPlus : public RdmaHpccBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaHpccPlusPlus();

  private:
    std::string GetDefaultTelemetry() const override;

    /// @return the class's defaults
    static Defaults GetDefaults();
};

} // namespace ns3

#endif // RDMA_HPCC_PLUS_PLUS_H
