/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PCN_H
#define RDMA_PCN_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"
#include "rdma-receiver-ops.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under PCN.
 */
struct RdmaPcnState : RdmaCongestionState
{
    double weight{0};      ///< w, share of the gap to the line rate that the next increase closes
    double lineRateBps{0}; ///< rate of the sender's own port, bit/s
};

/**
 * @ingroup hpcc
 *
 * State of a queue pair's receiver under PCN: counters for the current interval.
 */
struct RdmaPcnReceiver : RdmaReceiverState
{
    uint64_t bytes{0};         ///< bytes of the received packets on the link
    uint32_t packets{0};       ///< received packets
    uint32_t marked{0};        ///< received packets with a congestion mark
    int64_t gapNs{0};          ///< time from the last packet before the interval to the first
                               ///< packet in it, ns
    int64_t lastArrivalNs{-1}; ///< arrival of the last packet in any interval, ns; -1 before the
                               ///< first
};

/**
 * @ingroup hpcc
 *
 * PCN, Photonic Congestion Notification ("Re-architecting Congestion Management in Lossless
 * Ethernet", Cheng et al., NSDI 2020). PCN distinguishes flows that cause congestion from victim
 * flows, which only wait for the resulting pauses. Packets delayed by a pause are not marked. A
 * flow is regarded as congested only if nearly all of its packets are marked.
 *
 * - Switches mark a packet if other packets remain in the queue when the packet leaves, and if no
 *   pause has delayed the packet (figure 7 of the paper). Describe() names the SwitchAgent. Packets
 *   are ECT(1), so that policies that need other marks can share the switches.
 * - The receiver measures for one Interval, starting with the first packet. The flow is congested
 *   if at least CongestedShare of the packets were marked. The receiver sends a CNP with this
 *   result and the receiving rate, and starts a new Interval. After an Interval without packets,
 *   the receiver waits for the next packet.
 * - The sender (Algorithm 1) starts at line rate C with w = MinWeight. R_rx is the receiving rate.
 *   If the flow is congested, R = min(R, (1 - MinWeight) R_rx) and w = MinWeight. Otherwise R =
 *   (1 - w) R + w C, and then w = (1 - w) w + MaxWeight w, which converges to MaxWeight.
 *
 * Figure 7 and Algorithm 1 are from the paper itself, and the weights agree with the curve of
 * figure 10. The receiver's Interval of 50 us and CongestedShare of 95 % are from summaries of the
 * paper. Two details are not from the paper. First, the only packet in an Interval may arrive more
 * than an Interval after the previous packet. In this case the receiving rate is computed over the
 * time between these two packets. If the rate were computed over an Interval instead, it could
 * never be below one packet per Interval. Second, MinRate is a lower bound that keeps pacing times
 * finite. A loss does not change the rate, because the paper assumes a lossless network.
 *
 * Names: "pcn" and "pcn:paper", both with the defaults.
 *
 * Attributes:
 *
 * - Interval: T, above 0.
 * - CongestedShare: in (0, 1].
 * - MinWeight: w_min, above 0, at most MaxWeight. MaxWeight: w_max, at most 1.
 * - MinRate: above 0.
 */
class RdmaPcn : public RdmaCongestionOpsBase<RdmaPcnState>,
                public RdmaReceiverOps,
                public RdmaControlGoal
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    Goal GetGoal(const Bottleneck& bottleneck) const override;
    RdmaReceiverOps* GetReceiver() override;
    std::string ValidateCompute() const override;
    RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo& info) override;
    void CloseReceiver(RdmaReceiverState* state) override;
    RdmaNotification OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival) override;
    RdmaNotification OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs) override;
    void OnCongestionMessage(RdmaCongestionState* state,
                             const RdmaCongestionMessage& message) override;

  private:
    void DoOpen(RdmaPcnState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    Time m_interval;         ///< T, the time over which the receiver measures
    double m_congestedShare; ///< a flow is congested if at least this share of its packets is
                             ///< marked
    double m_minWeight;      ///< smallest w
    double m_maxWeight;      ///< largest w
    DataRate m_minRate;      ///< floor of the rate

    TracedCallback<uint32_t, double> m_traceRate;   ///< trace source of the rate, bit/s
    TracedCallback<uint32_t, double> m_traceWeight; ///< trace source of w
};

} // namespace ns3

#endif // RDMA_PCN_H
