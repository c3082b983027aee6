/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RCP_H
#define RDMA_RCP_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/hpcc-rcp-format.h"

#include <array>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under RCP.
 */
struct RdmaRcpState : RdmaCongestionState
{
    std::array<uint32_t, RcpFormat::WORDS> words{}; ///< words of the RCP header that the sender
                                                    ///< writes
    double lineRateBps{0};                          ///< rate of the sender's own port, bit/s
    double startRateBps{0};                         ///< rate until the switches have granted a
                                                    ///< rate, bit/s
    double rttNs{0};                                ///< smoothed RTT, ns; 0 before the first sample
    int64_t grantedNs{0};                           ///< time when the switches last granted a rate,
                                                    ///< ns
};

/**
 * @ingroup hpcc
 *
 * RCP, the Rate Control Protocol (Dukkipati, Kobayashi, Zhang-Shen, McKeown: "Processor Sharing
 * Flows in the Internet", IWQoS 2005), for RDMA. The sender paces at the rate that the switches of
 * its path grant to each flow. There is no window; "rcp+win" adds a window of R T. The control law
 * runs at the switches, in the RcpAgent that queue pairs of this policy install.
 *
 * An RCP sender gets its first rate in the handshake. Here the connection exists before the first
 * byte, so a flow sends one packet per base RTT until the first acknowledgement arrives. A flow
 * that was idle restarts in the same way if the last grant is more than an RTT old. With
 * StartAtLineRate, flows start at the line rate instead. Both switches and sender measure rates in
 * bytes on the link. The RTT in a packet is a moving average in which each new sample has a weight
 * of 1/8 (RFC 6298).
 *
 * Names: "rcp" and "rcp:fct", which differ in the behaviour of the switches: see RcpAgent.
 *
 * Attributes:
 *
 * - PortAgent: short name of the RcpAgent.
 * - StartAtLineRate: whether flows start at the line rate.
 */
class RdmaRcp : public RdmaCongestionOpsBase<RdmaRcpState>, public RdmaControlGoal
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
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart) override;

  private:
    void DoOpen(RdmaRcpState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /**
     * Sets the rate, limited to the line rate.
     * @param state a queue pair
     * @param rateBps its new rate, bit/s
     */
    void SetRate(RdmaRcpState& state, double rateBps);

    std::string m_portAgent; ///< attribute PortAgent
    bool m_startAtLineRate;  ///< attribute StartAtLineRate

    TracedCallback<uint32_t, double> m_traceRate; ///< trace source of the rate, bit/s
};

} // namespace ns3

#endif // RDMA_RCP_H
