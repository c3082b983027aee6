/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_EVENT_POLICY_H
#define HPCC_TEST_EVENT_POLICY_H

#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-receiver-ops.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace hpcctest
{

using namespace ns3;

/// A rate-based policy that passes each event to the test. The test may change the state of the
/// policy.
class EventPolicy : public RdmaCongestionOps, public RdmaReceiverOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::hpcctest::EventPolicy")
                                .SetParent<RdmaCongestionOps>()
                                .AddConstructor<EventPolicy>();
        return tid;
    }

    /// Called for each event.
    std::function<void(const std::string& event, RdmaCongestionState& state)> onEvent;

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override
    {
        RdmaPolicyDescription needs;
        needs.telemetry = "int-md";
        needs.bottleneckHop = needs.promptFeedback = needs.rttOfEachAck = true;
        needs.bandwidth = false;
        needs.toleratedMultipath = telemetry ? Multipath::OCCASIONAL : Multipath::NONE;
        needs.sentPackets = needs.cnps = needs.receiverPart = true;
        needs.ecn = RdmaPolicyDescription::ECT1;
        needs.cnpIntervalNs = 7;
        needs.marking = "10Gbps:1:2:1";
        needs.switchAgent = "np-ecn";
        return needs;
    }

    std::string Validate(int64_t, const TelemetryCapabilities*) const override
    {
        return "";
    }

    RdmaCongestionState* Open(const RdmaFlowInfo& info, int64_t) override
    {
        m_state = {};
        m_state.rateBps = static_cast<double>(info.lineRateBps);
        return &m_state;
    }

    void Close(RdmaCongestionState*) override
    {
    }

    RdmaCongestionSample Observe(const RdmaCongestionState* state) const override
    {
        RdmaCongestionSample sample;
        sample.windowBytes = state->windowBytes;
        sample.stage = 5;
        return sample;
    }

    RdmaReceiverOps* GetReceiver() override
    {
        return this;
    }

    void OnAck(RdmaCongestionState* state, const RdmaAckInfo&) override
    {
        onEvent("OnAck", *state);
    }

    void OnCongestionMessage(RdmaCongestionState* state, const RdmaCongestionMessage&) override
    {
        onEvent("OnCongestionMessage", *state);
    }

    void OnSwitchResponse(RdmaCongestionState* state, const RdmaAckInfo&) override
    {
        onEvent("OnSwitchResponse", *state);
    }

    void OnTimer(RdmaCongestionState* state, int64_t) override
    {
        onEvent("OnTimer", *state);
    }

    void OnSent(RdmaCongestionState* state, const RdmaSentInfo&) override
    {
        onEvent("OnSent", *state);
    }

    void OnLoss(RdmaCongestionState* state, const RdmaLossInfo&) override
    {
        onEvent("OnLoss", *state);
    }

    void OnRestart(RdmaCongestionState* state, const RdmaRestartInfo&) override
    {
        onEvent("OnRestart", *state);
    }

    void OnPathChange(RdmaCongestionState* state, int64_t) override
    {
        onEvent("OnPathChange", *state);
    }

    std::string ValidateCompute() const override
    {
        return "";
    }

    RdmaReceiverState* OpenReceiver(const RdmaReceiverInfo&) override
    {
        return nullptr;
    }

    void CloseReceiver(RdmaReceiverState*) override
    {
    }

    RdmaNotification OnArrival(RdmaReceiverState*, const RdmaArrivalInfo&) override
    {
        return {};
    }

  private:
    RdmaCongestionState m_state; ///< state of the only queue pair
};

/// Returns the name of each event of a policy, and a function that causes the event.
template <typename Raise>
std::vector<std::pair<std::string, std::function<void()>>>
EveryEvent(Raise raise)
{
    return {
        {"OnAck", [raise] { raise(&RdmaCongestionOps::OnAck, RdmaAckInfo{}); }},
        {"OnCongestionMessage",
         [raise] { raise(&RdmaCongestionOps::OnCongestionMessage, RdmaCongestionMessage{}); }},
        {"OnSwitchResponse",
         [raise] { raise(&RdmaCongestionOps::OnSwitchResponse, RdmaAckInfo{}); }},
        {"OnTimer", [raise] { raise(&RdmaCongestionOps::OnTimer, int64_t{0}); }},
        {"OnSent", [raise] { raise(&RdmaCongestionOps::OnSent, RdmaSentInfo{}); }},
        {"OnLoss", [raise] { raise(&RdmaCongestionOps::OnLoss, RdmaLossInfo{}); }},
        {"OnRestart", [raise] { raise(&RdmaCongestionOps::OnRestart, RdmaRestartInfo{}); }},
        {"OnPathChange", [raise] { raise(&RdmaCongestionOps::OnPathChange, int64_t{0}); }},
    };
}

} // namespace hpcctest

#endif // HPCC_TEST_EVENT_POLICY_H
