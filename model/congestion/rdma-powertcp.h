/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POWERTCP_H
#define RDMA_POWERTCP_H

#include "hpcc-law.h"
#include "rdma-powertcp-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under PowerTCP.
 */
struct RdmaPowerTcpPathState : RdmaPowerTcpState
{
    HpccFlow path;                ///< last records, and the power computed from them
    int64_t bottleneckSwitch{-1}; ///< switch with the largest power; -1 before the first sample, or
                                  ///< if the record contains no switch id
    int64_t bottleneckPort{-1};   ///< egress port with the largest power; -1 before the first
                                  ///< sample, or if the record lacks the id of the port or of the
                                  ///< switch
};

/**
 * @ingroup hpcc
 *
 * PowerTCP, NSDI 2022, Algorithm 1; see RdmaPowerTcpBase. The current of a hop is the arrival rate
 * at its queue, dtxBytes/dt + dqlen/dt. The voltage of a hop is qlen + B tau. The normalised power
 * of a hop is current times voltage, divided by B^2 tau. The largest power of the path updates the
 * smoothed power with the weight min(dt, tau)/tau, where dt is the time between two records of the
 * hop with this power.
 *
 * HpccLaw computes the smoothed power, with the parameters HpccParameters::LOAD_POWER, RATE_RX and
 * QUEUE_CURRENT. HpccLaw also matches the records, and handles duplicate, overtaken, wrapped and
 * first records. A new path starts with a power of 1. A first record is only stored. Exception: if
 * switches insert records at intervals, a first record that shows a queue yields a power of 1 +
 * qlen/(B tau). A negative current, which inconsistent records could yield, is replaced by 0. If
 * the format carries the utilisation instead of a byte counter, the utilisation is the first term
 * of the current. A load reported by a domain edge (TELEMETRY_LOAD) is used as the power. Load and
 * power are equal in two cases: if the queue is empty, and if the link is busy and the queue does
 * not change.
 *
 * Names and their settings:
 *
 * - "powertcp": the paper's control law and Gamma, 0.9, with the MinCurrent of its simulator.
 * - "powertcp:paper": MinCurrent 0.
 * - "powertcp:authors": the simulator published with the paper, github.com/inet-tub/ns3-datacenter:
 *   RateAi 150 Mb/s at any line rate, Eta 0.95, EwmaWindow Reference, MinRate 100 Mb/s. That
 *   simulator already computes a power from a flow's first record, by comparing this record with an
 *   empty one. This class makes no such comparison.
 *
 * Attributes are those of RdmaPowerTcpBase; a T of 0 selects the base RTT of the network.
 */
class RdmaPowerTcp : public RdmaCongestionOpsBase<RdmaPowerTcpPathState, RdmaPowerTcpBase>
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Signature of the Reset trace.
     * @param flowId the queue pair's number at its host
     * @param reason why the record was treated as the first one of a path
     */
    typedef void (*ResetTracedCallback)(uint32_t flowId, HpccReset reason);

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnPathChange(RdmaCongestionState* state, int64_t nowNs) override;
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;

  private:
    void DoOpen(RdmaPowerTcpPathState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    HpccLaw m_law;                                    ///< computes the power of the path
    TracedCallback<uint32_t, HpccReset> m_traceReset; ///< why a record was treated as a first one
};

} // namespace ns3

#endif // RDMA_POWERTCP_H
