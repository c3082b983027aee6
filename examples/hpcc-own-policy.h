/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_OWN_POLICY_H
#define HPCC_OWN_POLICY_H

// The policy of hpcc-own-policy, with the short name "aimd". It increases the window by one packet
// per round trip. If telemetry shows a queue above Threshold at any hop, or if a packet is lost,
// the policy multiplies the window by Keep, at most once per round trip. After a time-out, it sets
// the window to one packet. The policy declares the telemetry that it needs. It gets no information
// other than what packets carry.

#include "ns3/hpcc-type-id.h"
#include "ns3/rdma-congestion-ops.h"

#include <algorithm>

namespace ns3
{

/// State of a queue pair. The base class contains the window, the rate and the timer. This policy
/// never sets the rate, so the rate remains the line rate.
struct AimdState : RdmaCongestionState
{
    double mtu;          ///< payload of a full packet, bytes
    double largest;      ///< largest window: line rate times base RTT, bytes
    uint64_t nextCut{0}; ///< lowest sequence number whose ACK or loss may reduce the window again
};

class RdmaAimd : public RdmaCongestionOpsBase<AimdState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<RdmaAimd, RdmaCongestionOps>("ns3::RdmaAimd")
                                .Presets("aimd;aimd:gentle=Keep:0.8")
                                .Attribute("Keep",
                                           "Share of the window that a cut leaves, below 1.",
                                           HpccField(&RdmaAimd::m_keep, 0.5, 0, 1))
                                .Attribute("Threshold",
                                           "Queue above which the window is cut, bytes.",
                                           HpccField(&RdmaAimd::m_threshold, 50000, 0))
                                .Trace("Window",
                                       "Window after each change, bytes.",
                                       &RdmaAimd::m_traceWindow,
                                       "ns3::RdmaCongestionOps::FlowValueTracedCallback");
        return tid;
    }

    RdmaPolicyDescription Describe(const TelemetryCapabilities*) const override
    {
        RdmaPolicyDescription needs;
        needs.telemetry = "int-md"; // default format; --telemetry may select another one
        return needs;
    }

    std::string Validate(int64_t, const TelemetryCapabilities* telemetry) const override
    {
        if (m_keep >= 1)
        {
            return "ns3::RdmaAimd::Keep is 1, allowed is below 1";
        }
        return telemetry && telemetry->fields & TELEMETRY_QUEUE
                   ? ""
                   : "ns3::RdmaAimd: the telemetry format carries no queue length";
    }

    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override
    {
        AimdState& own = Own(state);
        bool congested = false;
        for (uint32_t i = 0; i < ack.hopCount; ++i)
        {
            congested |= static_cast<double>(ack.hops[i].queueBytes) > m_threshold;
        }
        if (congested && ack.ackSeq >= own.nextCut)
        {
            own.nextCut = ack.sndNxt;
            SetWindow(own, own.windowBytes * m_keep);
            return;
        }
        SetWindow(own, own.windowBytes + own.mtu * ack.newlyAckedBytes / own.windowBytes);
    }

    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss) override
    {
        AimdState& own = Own(state);
        if (loss.cause == RdmaLossInfo::TIMEOUT)
        {
            SetWindow(own, own.mtu);
        }
        else if (loss.lostSeq >= own.nextCut)
        {
            own.nextCut = loss.sndNxt;
            SetWindow(own, own.windowBytes * m_keep);
        }
    }

  private:
    void DoOpen(AimdState& state, const RdmaFlowInfo& info, int64_t) override
    {
        state.mtu = info.mtuBytes;
        state.largest = std::max(state.rateBps * info.baseRttNs / 8e9, 2 * state.mtu);
        SetWindow(state, state.largest);
    }

    void SetWindow(AimdState& state, double bytes)
    {
        state.windowBytes = std::clamp(bytes, state.mtu, state.largest);
        m_traceWindow(state.flowId, state.windowBytes);
    }

    double m_keep;                                  ///< attribute Keep
    double m_threshold;                             ///< attribute Threshold, bytes
    TracedCallback<uint32_t, double> m_traceWindow; ///< window after each change, bytes
};

NS_OBJECT_ENSURE_REGISTERED(RdmaAimd);

} // namespace ns3

#endif // HPCC_OWN_POLICY_H
