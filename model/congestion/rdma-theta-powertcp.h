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
    int64_t lastRttNs{-1}; ///< last sample of the RTT, ns; -1 before the first
    int64_t lastNs{0};     ///< when that came, ns
    double baseRttNs{0};   ///< RTT that a power of 1 has, ns
};

/**
 * @ingroup hpcc
 *
 * theta-PowerTCP, NSDI 2022, Algorithm 2; see RdmaPowerTcpBase. Power by round-trip times alone:
 * (dRTT/dt + 1) RTT/tau, dt being the time between two samples, moves the smoothed power by the
 * weight min(dt, tau)/tau. The window follows once per round trip. By the paper's simplification, a
 * link below its rate looks like a full one with an empty queue: free bandwidth is taken by beta
 * only.
 *
 * Each acknowledgement gives a sample, except those of packets that were in flight when the sender
 * went back. The first sample, and the first one after going back, is only stored. RTTs that fall
 * faster than time passes, as after an ACK was held, count as a current of 0. An acknowledgement is
 * one sample, whatever the number of hops, and telemetry is neither needed nor used.
 *
 * Names and their settings:
 *
 * - "theta-powertcp": the paper's law and Gamma, 0.9, with its simulator's MinCurrent.
 * - "theta-powertcp:paper": MinCurrent 0.
 * - "theta-powertcp:authors": the simulator published with the paper,
 *   github.com/inet-tub/ns3-datacenter: Gamma 0.7, RateAi 150 Mb/s at any line rate, Eta 1.05,
 *   EwmaWindow Reference, Update Ack, MinRttTracked, MinRate 100 Mb/s.
 *
 * Attributes beyond those of RdmaPowerTcpBase, of which T 0 is the flow's own base RTT, or the
 * network's if that is unknown:
 *
 * - MinRttTracked: whether a sample below tau takes its place in the power; W and R keep tau.
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

    bool m_minRttTracked; ///< whether the base RTT is the smallest sample
};

} // namespace ns3

#endif // RDMA_THETA_POWERTCP_H
