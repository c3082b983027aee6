/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_GRADED_H
#define RDMA_HPCC_GRADED_H

#include "hpcc-port-loads.h"
#include "rdma-hpcc-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++ for queue pairs whose packets take several paths: the control law of RdmaHpccPlusPlus with
 * telemetry by (switch, port), see HpccPortLoads. The attribute Combine says how U of the queue
 * pair follows from those of the ports:
 *
 * | name            | Combine | U                                                              |
 * |-----------------|---------|----------------------------------------------------------------|
 * | hpcc++:graded   | Graded  | larger one of shared ports' U and the mean of the paths,       |
 * |                 |         | weighted by their shares                                       |
 * | hpcc++:max      | Max     | largest one of a path                                          |
 * | hpcc++:mean     | Mean    | mean of the paths                                              |
 * | hpcc++:median   | Median  | median of the paths                                            |
 * | hpcc++:per-path | PerPath | as if each path had a window of its own                        |
 *
 * W is at most LargestWindow W_init, because with several paths coalesced SACKs and packets that
 * meet at several ports, none of which has a lasting queue, make round trips longer than T. R stays
 * at most the line rate.
 *
 * It grades the paths for entropies that use that (RdmaCongestionState::shares), such as graded. A
 * path is known by the entropy value of the acknowledgement that returns its telemetry; without
 * values, and with a feedback other than the default, all shares stay equal.
 *
 * Runs at the sender, and needs a format with the ids of switches and ports and with timestamps.
 * hpcc++:graded also takes formats with queue delay and utilisation of the bottleneck hop in turn,
 * such as CSIG: U then averages the records of all paths, and each entropy value is graded by its
 * own, see HpccValueLoads.
 */
class RdmaHpccGraded : public RdmaHpccBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaHpccGraded();

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    std::string ValidateCompute() const override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;

  private:
    std::string GetDefaultTelemetry() const override;
    void DoOpen(RdmaHpccState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /// @return the class's defaults
    static Defaults GetDefaults();

    HpccPortLoads::Combine m_combine; ///< attribute
    double m_largestWindow;           ///< attribute
};

} // namespace ns3

#endif // RDMA_HPCC_GRADED_H
