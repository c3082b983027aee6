/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POWERTCP_BASE_H
#define RDMA_POWERTCP_BASE_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * The state of a queue pair that PowerTCP and theta-PowerTCP have in common.
 */
struct RdmaPowerTcpState : RdmaCongestionState
{
    double referenceBytes{0};  ///< W_old (cwnd_old in the paper), bytes
    double power{1};           ///< smoothed normalised power
    double maxBytes{0};        ///< initial and largest window, bytes
    double minBytes{0};        ///< smallest window, bytes
    double betaBytes{0};       ///< additive increase beta, bytes
    double lineRateBps{0};     ///< rate of the sender's own port, bit/s
    double tauNs{0};           ///< base RTT, ns
    uint64_t lastUpdateSeq{0}; ///< an ACK beyond this byte ends the round trip
};

/**
 * @ingroup hpcc
 *
 * Base of PowerTCP and theta-PowerTCP ("PowerTCP: Pushing the Performance Limits of Datacenter
 * Networks", Addanki, Michel and Schmid, NSDI 2022, Algorithms 1 and 2). Power is the product of
 * current (arrival rate at the queue) and voltage (bytes queued and in the pipe). Window and rate
 * follow from the normalised power p of the path:
 *
 *     W = Gamma (W_old Eta/p + beta) + (1 - Gamma) W,  R = W/tau
 *
 * W_old is the window one round trip ago. W_old is saved once per round trip, when the first packet
 * sent after the previous save is acknowledged. Both implementations by the paper's group
 * (ns3-datacenter and powertcp-linux of github.com/inet-tub) save W_old at the same time. Flows
 * start with W = B tau of the sender's own port, which is also the largest W. With n flows at a
 * bottleneck and Eta 1, a queue of n beta remains.
 *
 * Attributes:
 *
 * - T: base RTT tau. 0, the default, selects the base RTT of the network.
 * - Gamma: weight of the new window, in (0, 1].
 * - RateAi: beta as a rate, beta = RateAi tau. 0 selects the rule beta = B tau/N.
 * - N: flows that share the sender's port, 1 or more; without effect if RateAi is not 0. The rule
 *   is from the paper; the default of 10 is from powertcp-linux.
 * - Eta: target power, in (0, 2]; 1 in the paper.
 * - MinCurrent: lower bound of the current, as a share of the line rate, 0 to 1. 0.5 is the value
 *   of the paper's simulator; the paper has no bound. Without a bound, a queue that drains while no
 *   flow sends has a power near 0, and all windows open at the same time.
 * - EwmaWindow: the window that has the weight (1 - Gamma) in the average. Current selects W,
 *   Reference selects W_old. With Update RoundTrip, both windows are equal.
 * - Update: Ack or RoundTrip, how often W is computed from p.
 * - MinRate: lower bound of R; W is at least MinRate tau.
 */
class RdmaPowerTcpBase : public RdmaCongestionDefaults, public RdmaControlGoal
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
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;

  protected:
    /// The event at which W is computed from p.
    enum UpdateTime
    {
        UPDATE_ACK,       ///< with every new p
        UPDATE_ROUND_TRIP ///< once per round trip
    };

    /**
     * Adds the common attributes to a derived class.
     * @param tid the TypeId under construction
     * @param update the class's default of Update
     * @return the TypeId with the attributes
     */
    static HpccTypeId AddParameters(HpccTypeId tid, UpdateTime update);

    /// Returns the attribute T if set, else the base RTT of the network, ns; 0 if both are unknown.
    double GetBaseRttNs() const;

    /// Returns true if the user has set T.
    bool HasBaseRtt() const;

    /// Returns the attribute MinCurrent.
    double GetMinCurrent() const;

    /**
     * Sets the initial window.
     * @param state fresh state
     * @param info the queue pair
     * @param tauNs base RTT, ns, above 0
     */
    void Start(RdmaPowerTcpState& state, const RdmaFlowInfo& info, double tauNs);

    /**
     * Updates the window from the power.
     * @param state the queue pair with its new power
     * @param ack the acknowledgement from which the power was computed
     */
    void Follow(RdmaPowerTcpState& state, const RdmaAckInfo& ack);

  private:
    /// The W that has the weight (1 - Gamma) in the average.
    enum EwmaWindow
    {
        EWMA_CURRENT,  ///< W
        EWMA_REFERENCE ///< W_old
    };

    /// Fires the traces of a queue pair's state.
    /// @param state the queue pair
    void Trace(const RdmaPowerTcpState& state);

    Time m_baseRtt;           ///< T as set by the user; 0 if not set
    double m_gamma;           ///< Gamma: weight of the new window
    DataRate m_rateAi;        ///< beta as a rate, beta/tau; 0 selects beta = B tau/N
    uint32_t m_expectedFlows; ///< N: expected number of flows that share the sender's port
    double m_eta;             ///< target power
    double m_minCurrent;      ///< floor of the current
    EwmaWindow m_ewmaWindow;  ///< the W that has the weight (1 - Gamma)
    UpdateTime m_update;      ///< when W is computed from p
    DataRate m_minRate;       ///< floor of R

    TracedCallback<uint32_t, double> m_traceWindow; ///< trace source of W, bytes
    TracedCallback<uint32_t, double> m_traceRate;   ///< trace source of R, bit/s
    TracedCallback<uint32_t, double> m_tracePower;  ///< trace source of the smoothed power p
};

} // namespace ns3

#endif // RDMA_POWERTCP_BASE_H
