/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WINDOWED_H
#define RDMA_WINDOWED_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"
#include "rdma-fixed-rate.h"
#include "rdma-setting-warnings.h"

#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <optional>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Adds a window to a rate-based policy. The window is proportional to the rate: W = B T R/B = R T,
 * where B is the line rate, R the policy's rate and T the network-wide base RTT. A flow that starts
 * at line rate starts with W = B T. DCQCN+win and TIMELY+win are defined in this way in "HPCC: High
 * Precision Congestion Control" (SIGCOMM 2019, section 5.1) and in the simulator published with it
 * (HAS_WIN and VAR_WIN). The wrapped policy determines everything else: requirements, rate, timer
 * and receiver part. The event functions of RdmaCongestionOps are pure virtual. If an event is
 * added there, this class does not compile until it passes that event on.
 *
 * The short name "NAME+win" selects this class as a wrapper of the policy NAME. NAME may be any
 * policy without a window of its own.
 *
 * Attributes:
 *
 * - Policy: factory of the wrapped policy, such as "ns3::RdmaDcqcn[Gain=0.1]". The short name
 *   "NAME+win" sets this attribute.
 * - Inner: the wrapped policy, to access its trace sources; read only.
 * - T: base RTT; 0 selects the base RTT of the network.
 */
class RdmaWindowed : public RdmaCongestionOps,
                     public RdmaControlGoal,
                     public RdmaFixedRate,
                     public RdmaSettingWarnings
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Goal GetGoal(const Bottleneck& bottleneck) const override;
    bool KeepsLineRate() const override;
    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) override;
    void Close(RdmaCongestionState* state) override;
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;
    RdmaReceiverOps* GetReceiver() override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnCongestionMessage(RdmaCongestionState* state,
                             const RdmaCongestionMessage& message) override;
    void OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo& response) override;
    void OnTimer(RdmaCongestionState* state, int64_t nowNs) override;
    void OnSent(RdmaCongestionState* state, const RdmaSentInfo& sent) override;
    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override;
    void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo& restart) override;
    void OnPathChange(RdmaCongestionState* state, int64_t nowNs) override;

  protected:
    void DoDispose() override;

  private:
    std::vector<std::string> ListWarnings(int64_t baseRttNs, const Flows& flows) const override;

    /// Creates the wrapped policy unless its class is abstract.
    void CreatePolicy();

    /// Passes the network's base RTT to the wrapped policy, and returns the wrapped policy.
    RdmaCongestionOps& Inner() const;

    /// Computes the window of a queue pair whose rate may have changed.
    /// @param state the queue pair
    void Follow(RdmaCongestionState* state) const;

    /**
     * Passes an event to the wrapped policy, and then computes the window.
     * @param event the event
     * @param state the queue pair
     * @param info data of the event
     */
    template <typename Parameter, typename Info>
    void Pass(void (RdmaCongestionOps::*event)(RdmaCongestionState*, Parameter),
              RdmaCongestionState* state,
              const Info& info) const;

    ObjectFactory m_factory;        ///< attribute Policy
    Ptr<RdmaCongestionOps> m_inner; ///< the wrapped policy; null if there is none
    /// true if the wrapped policy has a window of its own; empty until the first trial, which is
    /// not repeated because it calls trace sinks
    mutable std::optional<bool> m_hasWindow;
    Time m_baseRtt; ///< attribute T
};

} // namespace ns3

#endif // RDMA_WINDOWED_H
