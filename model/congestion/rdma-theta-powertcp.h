/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_THETA_POWERTCP_H
#define RDMA_THETA_POWERTCP_H

#include "rdma-powertcp-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under theta-PowerTCP.
 */
struct RdmaThetaPowerTcpState : RdmaPowerTcpState
{
    int64_t lastRttNs{-1}; ///< last sample of the RTT, ns; -1 if there is none since the start or
                           ///< the last loss
    int64_t lastNs{0};     ///< time when the last sample arrived, ns
    double baseRttNs{0};   ///< RTT at which the power is 1, ns
};

/**
 * @ingroup hpcc
 *
 * theta-PowerTCP, NSDI 2022, Algorithm 2; see RdmaPowerTcpBase. The power is computed from
 * round-trip times alone: (dRTT/dt + 1) RTT/tau, where dt is the time between two samples. Each new
 * power updates the smoothed power with the weight min(dt, tau)/tau. The window is computed once
 * per round trip. Round-trip times do not distinguish an underused link from a full link with an
 * empty queue. Therefore flows find free bandwidth only by the increase beta. The paper accepts
 * this.
 *
 * Each acknowledgement provides a sample, except those of packets that were in flight at a go-back.
 * The first sample, and the first sample after a loss, is only stored. The current is at least
 * MinCurrent, even if the RTT falls faster than time passes, for example after a delayed ACK. The
 * policy does not use telemetry.
 *
 * Names and their settings:
 *
 * - "theta-powertcp": the paper's control law and Gamma, 0.9, with the MinCurrent of its simulator.
 * - "theta-powertcp:paper": MinCurrent 0.
 * - "theta-powertcp:authors": the simulator published with the paper,
 *   github.com/inet-tub/ns3-datacenter: Gamma 0.7, RateAi 150 Mb/s at any line rate, Eta 1.05,
 *   EwmaWindow Reference, Update Ack, MinRttTracked, MinRate 100 Mb/s.
 *
 * The attributes are those of RdmaPowerTcpBase and MinRttTracked. A T of 0 selects the base RTT of
 * the flow's own path. If this RTT is unknown, the base RTT of the network is used.
 *
 * - MinRttTracked: whether a sample below tau replaces tau in the power; W and R still use tau.
 */
class RdmaThetaPowerTcp : public RdmaCongestionOpsBase<RdmaThetaPowerTcpState, RdmaPowerTcpBase>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;

  private:
    void DoOpen(RdmaThetaPowerTcpState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    bool m_minRttTracked; ///< whether the power is computed with the smallest RTT so far
};

} // namespace ns3

#endif // RDMA_THETA_POWERTCP_H
