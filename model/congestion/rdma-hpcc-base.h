/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HPCC_BASE_H
#define RDMA_HPCC_BASE_H

#include "hpcc-feedback-check.h"
#include "hpcc-law-attributes.h"
#include "hpcc-law.h"
#include "rdma-commit-rule.h"
#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"
#include "rdma-receiver-ops.h"
#include "rdma-setting-warnings.h"

namespace ns3
{

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * State of a queue pair under HPCC or HPCC++.
 */
struct RdmaHpccState : RdmaCongestionState
{
    int64_t bottleneckSwitch{-1}; ///< switch of the last bottleneck hop; -1 before the first, or if
                                  ///< the hop's record contains no switch id
    int64_t bottleneckPort{-1};   ///< egress port of the last bottleneck hop; -1 before the first,
                                  ///< or if the hop's record lacks the id of the port or of the
                                  ///< switch
    HpccFlow flow;                ///< state of the control law
    FeedbackCheck::State check;   ///< check of the receiver's reports, with CheckFeedback
};

/**
 * @ingroup hpcc
 *
 * State at the receiver of a queue pair, if the receiver runs the control law.
 */
struct RdmaHpccReceiver : RdmaReceiverState
{
    HpccFlow flow;       ///< state of the control law
    RdmaCommitRule rule; ///< rule that decides when the receiver may commit
    uint32_t flowId{0};  ///< the sender's flow id, for traces
    bool current{true};  ///< true if the sender had applied the newest window when it sent the last
                         ///< packet received; also true before the first window
    bool sent{false};    ///< true if a window has been sent to the sender
};

/**
 * @ingroup hpcc
 *
 * Base of the HPCC policies. The sender runs HpccLaw for every acknowledgement that carries
 * telemetry. Window and rate both limit the sender: a packet leaves while fewer than W bytes of
 * payload are in flight, and wire bytes are paced at R = W/T.
 *
 * Alternatively the receiver runs HpccLaw for every data packet that carries telemetry
 * (draft-miao-tsv-hpcc-01, section 6.3.2, lines 28 to 34). The receiver commits when T has passed
 * and RdmaCommitRule allows the commit, and sends W to the sender once per commit. Between commits,
 * each packet updates U, L and W (line 34). The traces show these values, but the receiver does not
 * send them. The receiver counts the first interval T from the first record. The sender bounds the
 * W that it receives: the lower bound is the larger of its own W_ai and the window at MinRate, the
 * upper bound is W_init. To find idle gaps, the receiver measures the time between two messages of
 * the flow, and subtracts the time that pacing needs. If the result exceeds T, the time is an idle
 * gap.
 *
 * Attributes of every derived class are those of HpccLawAttributes, and:
 *
 * - WindowTime: window time; 0 selects T. W_init is the line rate times WindowTime, R =
 *   W/WindowTime, and the queue term of u' is qlen/(B WindowTime). U is still averaged over T
 *   (lines 8 and 9). In the HPCC authors' simulator, W_init is the largest product of a path's base
 *   RTT and the rate of its slowest link.
 * - RateAi: additive increase as a rate; W_ai = RateAi WindowTime. 0 selects the attribute Wai.
 * - RestartAtLineRate: whether a message on an idle queue pair starts at W_init; otherwise W is
 *   kept.
 *
 * The first argument of each trace source is the flow id. Trace sources fire at the host that runs
 * the control law, the sender or the receiver. Exception: AppliedWindow fires at the sender when
 * the sender applies a window from the receiver.
 */
class RdmaHpccBase : public RdmaCongestionOpsBase<RdmaHpccState>,
                     public RdmaReceiverOps,
                     public RdmaControlGoal,
                     public RdmaSettingWarnings,
                     public HpccLawAttributes
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Signature of the IncStage trace.
     * @param flowId the queue pair's number at its host
     * @param incStage the new value
     */
    typedef void (*FlowStageTracedCallback)(uint32_t flowId, uint32_t incStage);

    /**
     * Signature of the HopU trace.
     * @param flowId the queue pair's number at its host
     * @param hop the hop's position on the path, 0 is the first
     * @param switchId the id of the hop's switch; 0 if the format carries no switch ids
     * @param portId the hop's egress port; the hop's position on the path if the format carries no
     * port ids
     * @param u normalised bytes in flight of the hop, u' (line 5)
     */
    typedef void (*HopUTracedCallback)(uint32_t flowId,
                                       uint32_t hop,
                                       uint32_t switchId,
                                       uint32_t portId,
                                       double u);

    /**
     * Signature of the Reaction trace.
     * @param flowId the queue pair's number at its host
     * @param branch COMMIT (line 23) or FAST (line 26)
     */
    typedef void (*ReactionTracedCallback)(uint32_t flowId, HpccBranch branch);

    /**
     * Signature of the Reset trace.
     * @param flowId the queue pair's number at its host
     * @param reason why the record was treated as the first one of a path
     */
    typedef void (*ResetTracedCallback)(uint32_t flowId, HpccReset reason);

    /**
     * Signature of the Doubt trace.
     * @param flowId the queue pair's number at its host
     * @param doubted whether the receiver's reports are now doubted
     */
    typedef void (*DoubtTracedCallback)(uint32_t flowId, bool doubted);

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    Goal GetGoal(const Bottleneck& bottleneck) const override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response) override;
    RdmaReceiverOps* GetReceiver() override;
    std::string ValidateCompute() const override;
    RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo& info) override;
    void CloseReceiver(RdmaReceiverState* state) override;
    RdmaNotification OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival) override;
    RdmaNotification OnReceiverResponse(RdmaReceiverState* state,
                                        const RdmaAckInfo& response) override;
    void OnCongestionMessage(RdmaCongestionState* state,
                             const RdmaCongestionMessage& message) override;
    void OnPathChange(RdmaCongestionState* state, int64_t nowNs) override;
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;
    void OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent) override;
    void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart) override;
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;

    /// Returns the control law, for its counters.
    const HpccLaw& GetLaw() const;

  protected:
    /**
     * Creates a policy with the defaults of a class.
     * @param defaults the class's defaults
     */
    explicit RdmaHpccBase(const Defaults& defaults);

    /**
     * Adds the common attributes to a derived class.
     * @param tid the TypeId under construction
     * @param defaults the class's defaults
     * @return the TypeId with the attributes
     */
    static HpccTypeId AddParameters(HpccTypeId tid, const Defaults& defaults);

    void DoOpen(RdmaHpccState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

  private:
    /// Returns the short name of the telemetry format that the class uses by default.
    virtual std::string GetDefaultTelemetry() const = 0;

    int64_t NetworkBaseRttNs() const override;
    std::vector<std::string> ListWarnings(int64_t baseRttNs, const Flows& flows) const override;

    /**
     * Returns the queueing delay that records report, ns. The delay is the sum over all hops, or
     * the delay at the bottleneck hop if the format carries only a record of this hop.
     * @param hops records, first hop of the path first
     * @param count number of records
     */
    double QueueDelayNs(const HopTelemetry* hops, uint32_t count) const;

    /**
     * Compares an acknowledgement's report with the sender's own measurements.
     * @param state the queue pair
     * @param ack the acknowledgement, with telemetry
     */
    void Check(RdmaHpccState& state, const RdmaAckInfo& ack);

    /**
     * Fires the traces of window, rate and U.
     * @param state the queue pair
     */
    void TraceFlow(const RdmaHpccState& state);

    /**
     * Fires the traces that show the effect of a sample.
     * @param flowId the queue pair's number at its host
     * @param flow the queue pair's state of the control law
     * @param outcome outcome of the sample
     */
    void TraceOutcome(uint32_t flowId, const HpccFlow& flow, const HpccOutcome& outcome);

    HpccLaw m_law;            ///< the control law
    bool m_restartAtLineRate; ///< whether an idle queue pair restarts at line rate

    TracedCallback<uint32_t, double> m_traceWindow;      ///< trace source of W, bytes
    TracedCallback<uint32_t, double> m_traceApplied;     ///< W of the receiver, as applied by the
                                                         ///< sender
    TracedCallback<uint32_t, double> m_traceReference;   ///< trace source of Wc, bytes
    TracedCallback<uint32_t, double> m_traceRate;        ///< trace source of R, bit/s
    TracedCallback<uint32_t, double> m_traceUtilization; ///< trace source of U
    TracedCallback<uint32_t, uint32_t> m_traceIncStage;  ///< trace source of incStage
    TracedCallback<uint32_t, uint32_t, uint32_t, uint32_t, double> m_traceHopU; ///< u' of each hop
    TracedCallback<uint32_t, HpccBranch> m_traceReaction; ///< commit or fast reaction
    TracedCallback<uint32_t, HpccReset> m_traceReset;     ///< why a record was treated as a first
                                                          ///< one
    TracedCallback<uint32_t, bool> m_traceDoubt;          ///< whether reports are doubted
};

} // namespace ns3

#endif // RDMA_HPCC_BASE_H
