/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCTCP_H
#define RDMA_DCTCP_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under DCTCP.
 */
struct RdmaDctcpState : RdmaCongestionState
{
    double alpha{1};         ///< estimate of congestion, 0 to 1
    double lineRateBps{0};   ///< rate of the sender's own port, bit/s
    double increaseBps{0};   ///< rate added at the end of each window of data without a cut, bit/s
    uint64_t windowEnd{0};   ///< an ACK beyond this byte ends the window of data
    uint64_t cutEnd{0};      ///< an ACK beyond this byte ends the window of the last cut
    uint64_t ackedBytes{0};  ///< bytes acknowledged in this window of data
    uint64_t markedBytes{0}; ///< part of ackedBytes whose ACKs echo a mark
    bool opened{false};      ///< true if the first acknowledgement has arrived
    bool cut{false};         ///< true if the window of data of the last cut has not ended yet
};

/**
 * @ingroup hpcc
 *
 * DCTCP ("Data Center TCP", Alizadeh et al., SIGCOMM 2010; RFC 8257) for RDMA. As in the evaluation
 * of HPCC (SIGCOMM 2019), a rate R and a window R T replace cwnd. Flows start at line rate, without
 * slow start, and the receiver echoes the mark of each packet.
 *
 * Once per window of data, alpha = (1 - Gain) alpha + Gain F, where F is the share of the window's
 * bytes whose acknowledgements echo a mark (RFC 8257, section 3.3). A mark multiplies the rate R by
 * 1 - alpha/2, at most once per window of data (section 3.4). At the end of a window of data,
 * RateAi is added unless the rate was cut less than a window ago. A loss, whether it is detected by
 * a NAK, a time-out or trimming, reduces the rate by the share LossCut, also at most once per
 * window (section 3.5). The first window of data begins with the first acknowledgement. With
 * AckInterval above 1, an acknowledgement covers several packets. If it echoes a mark, all its
 * bytes are treated as marked, so F is too high.
 *
 * Switches must mark packets by a step function of the queue length (Kmin = Kmax, Pmax = 1); see
 * Describe().
 *
 * Names and their settings:
 *
 * - "dctcp": Gain 1/16 and RFC 8257's increase of one packet per T. As in the evaluation of HPCC,
 *   switches mark above 30 KB per 10 Gb/s of link rate, and MinRate is 1 Gb/s. These are the
 *   class's defaults.
 * - "dctcp:authors": the simulator published with HPCC. RateAi is 615 Mb/s (1 KB per 13 us),
 *   whatever T is. A loss does not change the rate.
 * - "dctcp:paper": SIGCOMM 2010: switches mark above 65 packets of 1500 bytes at 10 Gb/s.
 *
 * Attributes:
 *
 * - T: base RTT in the window R T; 0 selects the base RTT of the network.
 * - Gain: g, in (0, 1]. InitialAlpha: 0 to 1.
 * - RateAi: additive increase; 0 selects one packet's payload per T.
 * - LossCut: share by which a loss reduces the rate, 0 to 1.
 * - MinRate: floor of R, above 0.
 * - Marking: the value for EcnMarker::Thresholds of the switches.
 */
class RdmaDctcp : public RdmaCongestionOpsBase<RdmaDctcpState>, public RdmaControlGoal
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

  private:
    void DoOpen(RdmaDctcpState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /// Updates alpha at the end of a window of data.
    /// @param state the queue pair
    void UpdateAlpha(RdmaDctcpState& state);

    /**
     * Reduces the rate.
     * @param state the queue pair
     * @param share share by which the rate is reduced
     * @param end an ACK beyond this byte ends the window of the cut
     */
    void Cut(RdmaDctcpState& state, double share, uint64_t end);

    /**
     * Bounds and sets the rate.
     * @param state the queue pair
     * @param rateBps the new rate before the bounds are applied, bit/s
     */
    void SetRate(RdmaDctcpState& state, double rateBps);

    Time m_baseRtt;        ///< attribute T
    double m_gain;         ///< g: weight of a new sample in alpha
    double m_initialAlpha; ///< alpha at the start
    DataRate m_rateAi;     ///< additive increase; 0 for a packet per T
    double m_lossCut;      ///< share by which a loss reduces the rate
    DataRate m_minRate;    ///< floor of the rate
    std::string m_marking; ///< thresholds for switches

    TracedCallback<uint32_t, double> m_traceRate;  ///< trace source of the rate, bit/s
    TracedCallback<uint32_t, double> m_traceAlpha; ///< trace source of alpha
};

} // namespace ns3

#endif // RDMA_DCTCP_H
