/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-hpcc-graded.h"

#include "hpcc-signal-request.h"
#include "hpcc-value-loads.h"

#include "ns3/hpcc-type-id.h"

#include <memory>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHpccGraded);

TypeId
RdmaHpccGraded::GetTypeId()
{
    static TypeId tid =
        AddParameters(HpccTypeId::Of<RdmaHpccGraded, RdmaHpccBase>("ns3::RdmaHpccGraded"),
                      GetDefaults())
            .Presets("hpcc++:graded;hpcc++:max=Combine:Max;hpcc++:mean=Combine:Mean;"
                     "hpcc++:median=Combine:Median;hpcc++:per-path=Combine:PerPath")
            .Attribute(
                "Combine",
                "U computed from the U of the paths: Graded, the larger of shared ports' U and "
                "the mean weighted by shares; Max; Mean; Median; PerPath, as if each path had its "
                "own window.",
                HpccField(&RdmaHpccGraded::m_combine,
                          HpccPortLoads::SHARED_AND_MEAN,
                          HpccPortLoads::SHARED_AND_MEAN,
                          "Graded",
                          HpccPortLoads::MAXIMUM,
                          "Max",
                          HpccPortLoads::MEAN,
                          "Mean",
                          HpccPortLoads::MEDIAN,
                          "Median",
                          HpccPortLoads::PER_PATH,
                          "PerPath"))
            .Attribute("LargestWindow",
                       "Largest window, as a multiple of W_init.",
                       HpccField(&RdmaHpccGraded::m_largestWindow, 1.5, 1, 100));
    return tid;
}

RdmaHpccBase::Defaults
RdmaHpccGraded::GetDefaults()
{
    return {MicroSeconds(5), 0};
}

RdmaHpccGraded::RdmaHpccGraded()
    : RdmaHpccBase(GetDefaults())
{
}

std::string
RdmaHpccGraded::GetDefaultTelemetry() const
{
    return TakesSojourn() ? "int-md:latency" : "int-md";
}

RdmaPolicyDescription
RdmaHpccGraded::Describe(const TelemetryCapabilities* telemetry) const
{
    RdmaPolicyDescription needs = RdmaHpccBase::Describe(telemetry);
    needs.bottleneckHop = false;
    needs.gradesPaths = true;
    return needs;
}

std::string
RdmaHpccGraded::Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const
{
    constexpr uint16_t needed = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP;
    const std::string name = GetInstanceTypeId().GetName();
    const bool extreme = telemetry && HpccSignalRequest::AsksInTurn(*telemetry);
    if (telemetry && !extreme && (telemetry->pathExtreme || (telemetry->fields & needed) != needed))
    {
        return name +
               " needs records of all hops with switch id, port id and timestamp, or queue delay "
               "and utilisation of the bottleneck hop alternately, which the telemetry format "
               "does not carry; allowed are formats that do, such as int-md and csig";
    }
    if (extreme && m_combine != HpccPortLoads::SHARED_AND_MEAN)
    {
        return name + "::Combine other than Graded needs records of all hops, and the telemetry "
                      "format carries one of the bottleneck hop; allowed is Graded";
    }
    if (perHop)
    {
        return name + "::PerHop true needs a flow with a single path; allowed is false";
    }
    if (missingHop != HpccParameters().missingHop)
    {
        return name +
               "::MissingHop is Changes, allowed is Skips: each packet may take another path";
    }
    return RdmaHpccBase::Validate(baseRttNs, telemetry);
}

std::string
RdmaHpccGraded::ValidateCompute() const
{
    return GetInstanceTypeId().GetName() +
           " computes at the sender, which chooses the paths; allowed are feedbacks without "
           "Computation";
}

void
RdmaHpccGraded::DoOpen(RdmaHpccState& state, const RdmaFlowInfo& info, int64_t nowNs)
{
    RdmaHpccBase::DoOpen(state, info, nowNs);
    if (info.telemetry && info.telemetry->pathExtreme)
    {
        state.flow.pathState = std::make_unique<HpccValueLoads>(info.entropyValues,
                                                                GetLawParameters().baseRttNs,
                                                                windowNs);
    }
    else
    {
        state.flow.pathState = std::make_unique<HpccPortLoads>(m_combine,
                                                               info.entropyValues,
                                                               info.mtuBytes + info.headerBytes,
                                                               GetLawParameters());
    }
    state.shares = info.entropyValues > 0 ? state.flow.pathState->GetShares().data() : nullptr;
    state.flow.largestBytes *= m_largestWindow;
    state.flow.sprayed = false;
}

void
RdmaHpccGraded::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    Own(state).flow.pathState->SetValue(ack.entropyValue);
    RdmaHpccBase::OnAck(state, ack);
}

} // namespace ns3
