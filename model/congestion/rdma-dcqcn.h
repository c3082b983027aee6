/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_H
#define RDMA_DCQCN_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of a queue pair under DCQCN.
 */
struct RdmaDcqcnState : RdmaCongestionState
{
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max(); ///< value of a time that
                                                                          ///< is not set

    double targetBps{0};           ///< target rate, bit/s
    double alpha{1};               ///< estimate of congestion, 0 to 1
    double lineRateBps{0};         ///< rate of the sender's own port, bit/s
    int64_t alphaDueNs{NEVER};     ///< time of the next update of alpha, ns
    int64_t decreaseDueNs{NEVER};  ///< time of the next check for a decrease, ns
    int64_t increaseDueNs{NEVER};  ///< time of the next timer step, ns
    int64_t lastNotificationNs{0}; ///< time of the last CNP or echo handled, ns
    uint64_t sentBytes{0};         ///< bytes sent since the last byte step
    uint32_t timerSteps{0};        ///< timer steps since the last decrease
    uint32_t byteSteps{0};         ///< byte steps since the last decrease
    bool notified{false};          ///< true if a CNP or echo has arrived
    bool alphaNotified{false};     ///< true if a CNP or echo has arrived since the last update of
                                   ///< alpha
    bool decreaseNotified{false};  ///< true if a CNP or echo has arrived since the last check for a
                                   ///< decrease
};

/**
 * @ingroup hpcc
 *
 * DCQCN, the reaction point of "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM
 * 2015), and its implementations in NICs. Flows start at line rate without a window. A CNP, or the
 * echo of a congestion mark in an acknowledgement, lowers the rate; a timer and a byte counter
 * raise it.
 *
 * Names and their settings:
 *
 * - "dcqcn", "dcqcn:authors": the configuration with which HPCC (SIGCOMM 2019) is compared. This
 *   configuration has the NIC vendor's 300 us between increases and 4 us between decreases. Alpha
 *   is updated every 1 us, g is 1/256, F is 1, and MinRate is 1 Gb/s. Additive and hyper increase
 *   are 5 and 50 Mb/s per 25 Gb/s of line rate. There is no byte counter. These are the class's
 *   defaults. Values and order of events are as in the simulator published with that paper.
 * - "dcqcn:vendor": ConnectX-4 defaults as mlxconfig lists them (RPG_TIME_RESET 300,
 *   RATE_REDUCE_MONITOR_PERIOD 4, DCE_TCP_RTT 1, DCE_TCP_G 1019 of 1024, RPG_THRESHOLD 1,
 *   RPG_AI_RATE 5, RPG_HAI_RATE 50, RPG_MIN_RATE 1, CLAMP_TGT_RATE 0). Unlike "dcqcn", g is 5/1024,
 *   increases do not grow with the line rate, and MinRate is 1 Mb/s. The NIC sets its byte counter
 *   to the largest value, so this preset has no byte counter.
 * - "dcqcn:paper": SIGCOMM 2015, section 5. Each CNP causes a decrease, and the receiver sends at
 *   most one CNP per 50 us. Alpha decays every 55 us without a CNP. The timer is 55 us, the byte
 *   counter 10 MB, F 5, R_AI 40 Mb/s and g 1/256. Hyper increase is that of QCN (IEEE 802.1Qau),
 *   where the target grows by (min(T, BC) - F) R_HAI. R_HAI is 200 Mb/s, as in the configuration
 *   published by the paper's first author.
 *
 * Control law: a decrease sets Rt = Rc (depending on ClampTargetRate) and Rc = Rc (1 - alpha/2). A
 * decrease also clears both step counters, T and BC, and restarts the timer and the byte counter.
 * The kind of an increase depends on the number of steps since the last decrease. If max(T, BC) <
 * F, the increase is fast recovery, and Rt does not change. If min(T, BC) > F, the increase is
 * hyper increase, Rt += R_HAI. In all other cases, the increase is additive increase, Rt += R_AI.
 * Each kind then sets Rc = (Rt + Rc)/2, never above the line rate. Without a byte counter only T is
 * used, so F = 1 yields one fast and one additive step, then hyper steps.
 *
 * With DecreaseInterval 0, each CNP decreases the rate immediately. The CNP then sets alpha = (1 -
 * g) alpha + g. After each AlphaInterval without a CNP, alpha = (1 - g) alpha. With a
 * DecreaseInterval above 0, updates of alpha and checks for a decrease run periodically from the
 * first CNP on. Each check runs 1 ns after an update of alpha. An update sets alpha = (1 - g)
 * alpha, plus g if a CNP arrived since the last update. A check decreases the rate if a CNP arrived
 * since the last check. At the first CNP, alpha is still InitialAlpha. This CNP multiplies the rate
 * by RateOnFirstCnp, and the first check then decreases the rate again. With the default intervals
 * of 300 us and 4 us, an increase and a decrease are often due in the same nanosecond. Events that
 * are due in the same nanosecond run in the order in which they were scheduled. The event with the
 * longer interval runs first; if the intervals are equal, the decrease runs first. With the
 * defaults, the increase therefore runs before the decrease restarts the timer.
 *
 * Attributes:
 *
 * - AlphaInterval, IncreaseInterval: times, at least 1 ns. DecreaseInterval: 0 or more.
 * - CnpInterval: shortest time between two CNPs of a queue pair. The default equals the default
 *   DecreaseInterval, because a second CNP between two checks has no effect. The paper uses 50 us.
 * - ByteCounter: bytes on the wire; 0 for none.
 * - FastRecoverySteps: F, at least 1.
 * - RateAi, RateHai: increases at a line rate of ReferenceRate; they scale with the line rate
 *   unless ReferenceRate is 0.
 * - HyperIncreaseGrows: whether hyper increase is multiplied by min(T, BC) - F.
 * - Gain: g, in (0, 1]. InitialAlpha: 0 to 1. RateOnFirstCnp: factor by which the first CNP
 *   multiplies the rate, in (0, 1].
 * - ClampTargetRate: whether each decrease sets Rt = Rc. If false, only the first decrease after an
 *   increase sets Rt, and further decreases do not change Rt.
 * - MinRate: floor of Rc, above 0.
 * - EchoInterval: an echoed mark is ignored if it arrives less than this time after the last CNP,
 *   or after the last echoed mark that was handled. CNPs are never ignored. "dcqcn:paper" uses 50
 *   us, because the paper relies on the spacing of CNPs by the receiver, and echoed marks have no
 *   such spacing.
 *
 * The updates of alpha are computed when alpha is next used, so the trace of alpha fires only at
 * decreases.
 */
class RdmaDcqcn : public RdmaCongestionOpsBase<RdmaDcqcnState>, public RdmaControlGoal
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
    void OnCongestionMessage(RdmaCongestionState* state,
                             const RdmaCongestionMessage& message) override;
    void OnTimer(RdmaCongestionState* state, int64_t nowNs) override;
    void OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent) override;

  private:
    void DoOpen(RdmaDcqcnState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /**
     * Runs the increases and decreases due at or before @p nowNs, in order of time.
     * @param state the queue pair
     * @param nowNs local time, ns
     */
    void RunDue(RdmaDcqcnState& state, int64_t nowNs);

    /**
     * Handles a CNP or an echo.
     * @param state the queue pair
     * @param nowNs local time, ns
     */
    void Notify(RdmaDcqcnState& state, int64_t nowNs);

    /**
     * Updates alpha.
     * @param state the queue pair
     * @param nowNs local time, ns
     */
    void UpdateAlpha(RdmaDcqcnState& state, int64_t nowNs) const;

    /**
     * Lowers the rate.
     * @param state the queue pair
     * @param nowNs time of the decrease, ns
     */
    void Decrease(RdmaDcqcnState& state, int64_t nowNs);

    /**
     * Raises the rate by one step.
     * @param state the queue pair
     */
    void Increase(RdmaDcqcnState& state);

    /**
     * Sets RdmaCongestionState::timerNs.
     * @param state the queue pair
     */
    void ArmTimer(RdmaDcqcnState& state) const;

    /**
     * Returns a rate increase, scaled from the reference rate to the line rate of the sender's own
     * port, bit/s. If the reference rate is 0, the increase is not scaled.
     * @param increase increase at the reference rate
     * @param lineRateBps rate of the sender's own port, bit/s
     */
    double Scaled(const DataRate& increase, double lineRateBps) const;

    Time m_alphaInterval;         ///< time between updates of alpha
    Time m_cnpInterval;           ///< shortest time between two CNPs of a queue pair
    Time m_decreaseInterval;      ///< time between checks for a decrease; 0: decrease at each CNP
    Time m_increaseInterval;      ///< time between timer steps
    uint64_t m_byteCounter;       ///< bytes between byte steps; 0 for none
    uint32_t m_fastRecoverySteps; ///< F: number of steps with fast recovery
    DataRate m_rateAi;            ///< R_AI: additive increase of the target rate
    DataRate m_rateHai;           ///< R_HAI: hyper increase of the target rate
    DataRate m_referenceRate;     ///< line rate to which R_AI and R_HAI refer; 0: no scaling
    bool m_hyperIncreaseGrows;    ///< whether hyper increase is multiplied by the number of steps
                                  ///< beyond F
    double m_gain;                ///< g: weight of a new sample in alpha
    double m_initialAlpha;        ///< alpha at the first CNP
    double m_rateOnFirstCnp;      ///< factor by which the first CNP multiplies the rate
    bool m_clampTargetRate;       ///< whether each decrease sets the target rate
    DataRate m_minRate;           ///< floor of the rate
    Time m_echoInterval;          ///< time after a CNP or an echo during which echoed marks are
                                  ///< ignored

    TracedCallback<uint32_t, double> m_traceRate;   ///< trace source of the rate, bit/s
    TracedCallback<uint32_t, double> m_traceTarget; ///< trace source of the target rate, bit/s
    TracedCallback<uint32_t, double> m_traceAlpha;  ///< trace source of alpha
};

} // namespace ns3

#endif // RDMA_DCQCN_H
