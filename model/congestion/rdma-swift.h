/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWIFT_H
#define RDMA_SWIFT_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"
#include "rdma-setting-warnings.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under Swift.
 */
struct RdmaSwiftState : RdmaCongestionState
{
    static constexpr int64_t LONG_AGO =
        std::numeric_limits<int64_t>::min() / 2; ///< a time before the start of any
                                                 ///< simulation

    double cwnd{1};                   ///< window, packets
    double rttNs{0};                  ///< last sample of the RTT, ns; the base RTT before the first
                                      ///< sample
    double mtuBytes{0};               ///< payload of a full packet, bytes
    double packetBits{0};             ///< size of a full packet, including the header bytes that
                                      ///< pacing counts, bits
    double lineRateBps{0};            ///< rate of the sender's own port, bit/s
    int64_t lastDecreaseNs{LONG_AGO}; ///< time when the window was last decreased, ns
    uint32_t timeouts{0};             ///< time-outs since the last progress, counted at most once
                                      ///< per RTT
    int64_t lastTimeoutNs{LONG_AGO};  ///< time when a time-out was last counted, ns
};

/**
 * @ingroup hpcc
 *
 * Swift, "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter" (Kumar et
 * al., SIGCOMM 2020): a window in packets, cwnd, that keeps the fabric delay at a target. An
 * acknowledgement of n packets with a delay d has this effect:
 *
 *     d < target:               cwnd += Ai n/cwnd, or Ai n while cwnd is below 1
 *     else, once per RTT:       cwnd *= max(1 - Beta (d - target)/d, 1 - MaxMdf)
 *     target = BaseTarget + hops HopScale + min(max(0, a/sqrt(cwnd) + b), FsRange)
 *     a = FsRange/(1/sqrt(FsMinCwnd) - 1/sqrt(FsMaxCwnd)),  b = -a/sqrt(FsMaxCwnd)
 *
 * Once per RTT means: only if the time since the last decrease of cwnd is at least the last RTT
 * sample. Under the same condition, cwnd is multiplied by 1 - MaxMdf after a time-out, a trimmed
 * packet or a NAK. A NAK is RoCEv2's counterpart of the paper's fast recovery. After
 * RetxResetThreshold time-outs without progress in between, cwnd is set to MinCwnd. Several
 * time-outs within an RTT are counted as one, because with SACKs each packet of a window times out
 * separately. cwnd is always between MinCwnd and MaxCwnd. While cwnd is below 1, packets leave
 * RTT/cwnd apart, where RTT is the last sample; otherwise they leave at line rate as the window
 * opens.
 *
 * Delay: Swift has one window for the fabric and one for the endpoints, and uses the smaller one.
 * Only the fabric window is modelled. The delay of the fabric is the time from the start of a
 * packet's transmission at the sender's port until the ACK arrives. The delay of the fabric
 * includes no queue of the sending host, because hosts hand packets to the port when the port is
 * free. The receiving host answers immediately, so it adds only two delays: the ACK waits in the
 * host's port, and if RdmaHost::AckInterval is above 1, the ACK waits for further packets. No
 * RoCEv2 header carries these delays to the sender, so they are part of the fabric delay. Therefore
 * a window of the endpoints would never be the smaller one. The number of hops is the number of
 * switches that the ACK has passed. The sender derives this number from the TTL of the ACK, so both
 * hosts must use the same RdmaHost::Ttl.
 *
 * Acknowledgements of packets that were in flight at a go-back provide no delay sample. Such an
 * acknowledgement adds Ai to a cwnd below 1, and does not change a larger cwnd. The paper has no
 * such rule, because in the paper every packet carries a timestamp. The rule is needed for messages
 * that go-back-0 restarts after each loss: none of their packets provides a delay, so cwnd would
 * fall to MinCwnd.
 *
 * The paper gives the control law and the lower bound of 0.001 packets, but no other constants.
 * Names and their settings:
 *
 * - "swift": constants that the source of csg-htsim (github.com/Broadcom/csg-htsim, sim/swift.cpp)
 *   describes as guesses. Ai is 1, Beta 0.8, MaxMdf 0.5, BaseTarget 20 us, HopScale
 *   BaseTarget/6.55, FsRange 5 times BaseTarget, FsMinCwnd 0.1, FsMaxCwnd 100, and
 *   RetxResetThreshold 5. MinCwnd is the paper's 0.001. A flow starts with a window of line rate
 *   times base RTT, as with the other policies of this module.
 * - "swift:htsim": as "swift", with the limits of that simulator: MinCwnd 0.00667, which is 10
 *   bytes in packets of 1,500 bytes, MaxCwnd 1,000 and InitialCwnd 12.
 *
 * Attributes, where packets are packets of full payload:
 *
 * - Ai: packets, above 0. Beta: above 0. MaxMdf: above 0, at most 0.999999.
 * - BaseTarget: delay, at least 1 ns. HopScale: delay per switch, 0 or more.
 * - FsRange: delay; 0 for no flow scaling. FsMinCwnd, FsMaxCwnd: packets, above 0; FsMinCwnd must
 *   be below FsMaxCwnd.
 * - MinCwnd, MaxCwnd: packets, above 0; MinCwnd must be at most MaxCwnd.
 * - InitialCwnd: packets, MinCwnd to MaxCwnd, or 0. 0 selects the line rate times the base RTT of
 *   the flow, or times BaseTarget if this RTT is unknown. The selected window is bounded by MinCwnd
 *   and MaxCwnd.
 * - RetxResetThreshold: number of time-outs after which cwnd is set to MinCwnd, at least 1. At most
 *   one time-out per RTT is counted.
 */
class RdmaSwift : public RdmaCongestionOpsBase<RdmaSwiftState>,
                  public RdmaControlGoal,
                  public RdmaSettingWarnings
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

    /**
     * Returns the target delay for a window and a path, ns.
     * @param cwnd window, packets
     * @param hops switches on the path
     */
    double GetTargetNs(double cwnd, uint32_t hops) const;

  private:
    std::vector<std::string> ListWarnings(int64_t baseRttNs, const Flows& flows) const override;
    void DoOpen(RdmaSwiftState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /**
     * Returns true if cwnd may be decreased now: the time since the last decrease must be at least
     * the last RTT sample.
     * @param state the queue pair
     * @param nowNs local time, ns
     */
    static bool CanDecrease(const RdmaSwiftState& state, int64_t nowNs);

    /**
     * Sets cwnd, and from it window and rate.
     * @param state the queue pair
     * @param cwnd new window before it is bounded, packets
     * @param nowNs local time, ns
     */
    void SetCwnd(RdmaSwiftState& state, double cwnd, int64_t nowNs);

    double m_ai;          ///< Ai: additive increase per RTT, packets
    double m_beta;        ///< Beta: factor of a decrease
    double m_maxMdf;      ///< MaxMdf: largest share by which a decrease reduces cwnd
    Time m_baseTarget;    ///< BaseTarget: target delay without switches and flow scaling
    Time m_hopScale;      ///< HopScale: delay added to the target per switch
    Time m_fsRange;       ///< FsRange: largest delay that flow scaling adds to the target
    double m_fsMinCwnd;   ///< FsMinCwnd: flow scaling adds FsRange at and below this cwnd, packets
    double m_fsMaxCwnd;   ///< FsMaxCwnd: flow scaling adds nothing at and above this cwnd, packets
    double m_minCwnd;     ///< smallest cwnd, packets
    double m_maxCwnd;     ///< largest cwnd, packets
    double m_initialCwnd; ///< first cwnd, packets; 0 selects line rate times base RTT
    uint32_t m_retxResetThreshold; ///< number of time-outs after which cwnd is set to MinCwnd

    TracedCallback<uint32_t, double> m_traceCwnd;   ///< trace source of cwnd, packets
    TracedCallback<uint32_t, double> m_traceRtt;    ///< trace source of the delay samples, ns
    TracedCallback<uint32_t, double> m_traceTarget; ///< trace source of the target delay, ns
};

} // namespace ns3

#endif // RDMA_SWIFT_H
