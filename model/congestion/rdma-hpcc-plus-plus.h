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
 * HPCC++ in its sender-driven mode, draft-miao-tsv-hpcc-01, sections 4 and 5. Names and their
 * settings:
 * - "hpcc++": the draft's defaults.
 * - "hpcc++:authors": MaxStage 0, which the authors of HPCC say they used in simulation.
 * - "hpcc++:sojourn": QueueSignal Sojourn, section 9.3.
 * - "hpcc++:per-hop": PerHop, a window for each hop.
 *
 * Defaults: T 5 us, Eta 0.95, MaxStage 5, W_ai = W_init (1 - Eta)/N with N = 100. The draft does
 * not specify N; 100 corresponds to the W_ai of 80 bytes in the SIGCOMM 2019 paper at 100 Gb/s and
 * 13 us. RdmaHpccBase describes the other attributes. The policy supports any telemetry format that
 * carries the queue length, and either the sent bytes or the utilisation. With QueueSignal Sojourn,
 * the format must carry the time in the switch instead of the queue length. The default is INT-MD.
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

    /// Returns the class's defaults.
    static Defaults GetDefaults();
};

} // namespace ns3

#endif // RDMA_HPCC_PLUS_PLUS_H
