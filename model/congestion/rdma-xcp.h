/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_XCP_H
#define RDMA_XCP_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/hpcc-xcp-format.h"

#include <array>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under XCP.
 */
struct RdmaXcpState : RdmaCongestionState
{
    std::array<uint32_t, XcpFormat::WORDS> words{}; ///< words of the XCP header that the sender
                                                    ///< writes
    double lineRateBps{0};                          ///< rate of the sender's own port, bit/s
    double packetBytes{0};  ///< s: size of a full packet on the link with its XCP header, bytes
    double payloadShare{1}; ///< share of payload in packetBytes
    double mtuBytes{0};     ///< payload of a full packet, bytes
    double cwndBytes{0};    ///< cwnd, bytes on the link
    double rttNs{0};        ///< smoothed RTT, ns; 0 if unknown
    int64_t feedbackNs{0};  ///< time when the last feedback arrived, ns
    int64_t cutNs{0};       ///< time when a loss last reduced the window, ns
};

/**
 * @ingroup hpcc
 *
 * XCP, the eXplicit Control Protocol ("Congestion Control for High Bandwidth-Delay Product
 * Networks", Katabi, Handley, Rohrs, SIGCOMM 2002), for RDMA. Each packet carries the window and
 * RTT of its flow and a requested increase of the window. Each switch lowers this increase to the
 * amount that it can grant. The acknowledgement returns the result, and the sender sets cwnd =
 * max(cwnd + H_feedback, s) (section 3.3). The control law runs at the switches, in the XcpAgent
 * that queue pairs of this policy install.
 *
 * H_cwnd, H_feedback and s are in bytes on the link, including XCP's header, as the switches count
 * them. The payload in flight is limited to cwnd times the share of payload in a full packet. The
 * sender paces at cwnd/RTT. A packet requests the increase that would reach the line rate after one
 * round trip, (rate RTT - cwnd) s/cwnd. Since no switch controls the host's own port, the sender
 * limits cwnd to the line rate times the RTT. The RTT is a moving average in which each new sample
 * has a weight of 1/8 (RFC 6298). Before the first sample, the sender uses the base RTT, which is
 * assumed to be known from connection set-up. The feedback in an ACK of n packets is applied n
 * times.
 *
 * A flow starts with a window of InitialPackets. When an idle flow restarts and the last feedback
 * is more than an RTT old, a window above InitialPackets is reduced to InitialPackets. A loss
 * reduces cwnd at most once per RTT: a time-out sets cwnd to s, and any other loss halves cwnd. The
 * paper says only that XCP reacts to losses as TCP does.
 *
 * Attributes:
 *
 * - PortAgent: short name of the XcpAgent.
 * - InitialPackets: initial window, in full packets, at least 1.
 */
class RdmaXcp : public RdmaCongestionOpsBase<RdmaXcpState>, public RdmaControlGoal
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
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;
    void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart) override;

  private:
    void DoOpen(RdmaXcpState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /**
     * Bounds and sets the window.
     * @param state a queue pair
     * @param cwndBytes the new window before the bounds are applied, bytes on the link
     */
    void SetWindow(RdmaXcpState& state, double cwndBytes);

    std::string m_portAgent;   ///< attribute PortAgent
    uint32_t m_initialPackets; ///< attribute InitialPackets

    TracedCallback<uint32_t, double> m_traceWindow;   ///< trace source of cwnd, bytes on the link
    TracedCallback<uint32_t, double> m_traceFeedback; ///< trace source of H_feedback, bytes
};

} // namespace ns3

#endif // RDMA_XCP_H
