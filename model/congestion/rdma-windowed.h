/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_WINDOWED_H
#define RDMA_WINDOWED_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/nstime.h"
#include "ns3/object-factory.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Gives a rate-based policy a window that follows its rate: W = B T R/B = R T, with B the line
 * rate, R the policy's rate and T the network-wide base RTT, and so B T at the start. This is how
 * "HPCC: High Precision Congestion Control" (SIGCOMM 2019, section 5.1) makes DCQCN+win and
 * TIMELY+win, and the simulator published with it (HAS_WIN and VAR_WIN). Everything else is the
 * policy's: its feedback, rate and timer.
 *
 * "NAME+win" is this around the policy of the short name NAME, for every NAME whose policy has no
 * window of its own.
 *
 * Attributes:
 *
 * - Policy: what makes the policy inside, such as "ns3::RdmaDcqcn[Gain=0.1]". Set by the short
 *   name.
 * - Inner: that policy, for its trace sources; read only.
 * - T: 0 takes the network's.
 */
class RdmaWindowed : public RdmaCongestionOps, public RdmaControlGoal
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    uint32_t Needs() const override;
    int64_t GetCnpIntervalNs() const override;
    std::string GetDefaultTelemetry() const override;
    std::string GetPortAgent() const override;
    std::string GetDefaultMarking() const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    Goal GetGoal(const Bottleneck& bottleneck) const override;
    void SetNetworkBaseRtt(int64_t baseRttNs) override;
    RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t nowNs) override;
    void Close(RdmaCongestionState* state) override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;
    void OnCnp(RdmaCongestionState* state, int64_t nowNs) override;
    RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo& info) override;
    void CloseReceiver(RdmaReceiverState* state) override;
    RdmaNotification OnArrival(RdmaReceiverState* state, const RdmaArrivalInfo& arrival) override;
    RdmaNotification OnReceiverTimer(RdmaReceiverState* state, int64_t nowNs) override;
    void OnNotification(RdmaCongestionState* state,
                        int64_t nowNs,
                        const RdmaNotification& notification) override;
    void OnTimer(RdmaCongestionState* state, int64_t nowNs) override;
    void OnSent(RdmaCongestionState* state, int64_t nowNs, uint32_t wireBytes) override;
    void OnAsked(RdmaCongestionState* state) override;
    void OnRollback(RdmaCongestionState* state,
                    int64_t nowNs,
                    uint64_t sndNxt,
                    bool timeout) override;
    void OnRestart(RdmaCongestionState* state, int64_t nowNs, uint64_t sndNxt) override;
    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override;
    bool WantsSent() const override;

  protected:
    void DoDispose() override;

  private:
    /// @param factory makes the policy inside
    void SetPolicy(ObjectFactory factory);
    /// @return what makes the policy inside
    ObjectFactory GetPolicy() const;

    /// Computes the window of a queue pair whose rate may have changed.
    /// @param state the queue pair
    void Follow(RdmaCongestionState* state) const;

    /// @return T in force, ns
    double GetBaseRttNs() const;

    ObjectFactory m_factory;        ///< attribute Policy
    Ptr<RdmaCongestionOps> m_inner; ///< the policy inside; null if there is none
    Time m_baseRtt;                 ///< attribute T
    Time m_networkBaseRtt;          ///< the network's
};

} // namespace ns3

#endif // RDMA_WINDOWED_H
