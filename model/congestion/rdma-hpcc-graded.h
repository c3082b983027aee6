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
 * telemetry by (switch, port), see HpccPortLoads. The attribute Combine selects how U of the queue
 * pair is computed from U of the ports:
 *
 * | name            | Combine | U                                                              |
 * |-----------------|---------|----------------------------------------------------------------|
 * | hpcc++:graded   | Graded  | the larger of two values: the largest U of the shared ports,   |
 * |                 |         | and the mean over the paths, weighted by their shares          |
 * | hpcc++:max      | Max     | largest U of a path                                            |
 * | hpcc++:mean     | Mean    | mean over the paths                                            |
 * | hpcc++:median   | Median  | median over the paths                                          |
 * | hpcc++:per-path | PerPath | computed as if each path had a window of its own               |
 *
 * W may exceed W_init: the limit is LargestWindow times W_init. LargestWindow is from 1 to 100, by
 * default 1.5. A window above W_init is needed because round trips over several paths are longer
 * than T: SACKs are coalesced, and packets meet at several ports even if no port has a lasting
 * queue. R is at most the line rate.
 *
 * The policy grades the paths: it sets RdmaCongestionState::shares. Entropy classes such as
 * "graded" choose entropy values by these shares. RdmaAckInfo::entropyValue is the entropy value of
 * the packet that collected the returned telemetry, so the policy can assign each value to a path.
 * Without entropy values, or with a feedback mode other than the default, all shares remain equal.
 *
 * The policy runs at the sender. It needs a format with timestamps and with the ids of switches and
 * ports. The variant hpcc++:graded also supports formats that carry either queue delay or
 * utilisation of the bottleneck hop, such as CSIG. With these formats, U is the average over the
 * records of all paths, and each entropy value is graded by its own records, see HpccValueLoads.
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

    /// Returns the class's defaults.
    static Defaults GetDefaults();

    HpccPortLoads::Combine m_combine; ///< attribute Combine
    double m_largestWindow;           ///< attribute LargestWindow
};

} // namespace ns3

#endif // RDMA_HPCC_GRADED_H
