/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CUT_POLICY_H
#define CUT_POLICY_H

// A policy that reads the utilisation of links: once per round trip, it halves the window if the
// utilisation of a link was above 90 %, and adds one packet otherwise.

#include "ns3/hpcc-type-id.h"
#include "ns3/rdma-congestion-ops.h"

#include <algorithm>

namespace ns3
{

/// State of a queue pair.
struct CutState : RdmaCongestionState
{
    double mtu;            ///< bytes
    double largest;        ///< largest window, bytes
    uint64_t nextRound{0}; ///< lowest sequence number whose ACK may change the window again
};

class RdmaCut : public RdmaCongestionOpsBase<CutState>
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<RdmaCut, RdmaCongestionOps>("ns3::RdmaCut")
                                .Presets("cut")
                                .Trace("Window",
                                       "Window after each change, bytes.",
                                       &RdmaCut::m_traceWindow,
                                       "ns3::RdmaCongestionOps::FlowValueTracedCallback");
        return tid;
    }

    RdmaPolicyDescription Describe(const TelemetryCapabilities*) const override
    {
        RdmaPolicyDescription needs;
        needs.telemetry = "int-md";
        needs.requests = TELEMETRY_UTILIZATION;
        return needs;
    }

    std::string Validate(int64_t, const TelemetryCapabilities* telemetry) const override
    {
        return telemetry && telemetry->fields & TELEMETRY_UTILIZATION
                   ? ""
                   : "ns3::RdmaCut: the telemetry format carries no utilisation";
    }

    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override
    {
        CutState& own = Own(state);
        if (ack.ackSeq < own.nextRound)
        {
            return;
        }
        own.nextRound = ack.sndNxt;
        double largest = 0;
        for (uint32_t i = 0; i < ack.hopCount; ++i)
        {
            if (ack.hops[i].fields & TELEMETRY_UTILIZATION)
            {
                largest = std::max(largest, ack.hops[i].utilization);
            }
        }
        SetWindow(own, largest > 0.9 ? own.windowBytes / 2 : own.windowBytes + own.mtu);
    }

  private:
    void DoOpen(CutState& state, const RdmaFlowInfo& info, int64_t) override
    {
        state.mtu = info.mtuBytes;
        state.largest = std::max(state.rateBps * info.baseRttNs / 8e9, 2 * state.mtu);
        SetWindow(state, state.largest);
    }

    void SetWindow(CutState& state, double bytes)
    {
        state.windowBytes = std::clamp(bytes, state.mtu, state.largest);
        m_traceWindow(state.flowId, state.windowBytes);
    }

    TracedCallback<uint32_t, double> m_traceWindow; ///< window
};

NS_OBJECT_ENSURE_REGISTERED(RdmaCut);

} // namespace ns3

#endif // CUT_POLICY_H
