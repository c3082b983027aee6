/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-classes-study.h"

#include "ns3/enum.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-telemetry-agent.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::array<const char*, HpccClasses::MODES> MODE_NAMES{"plain", "share", "residual"};
constexpr const char* DSCPS = "26:3,34:4,48:6"; ///< DSCP to priority

} // namespace

HpccClasses::HpccClasses(const Parameters& parameters)
    : m_parameters(parameters)
{
    const auto& p = m_parameters;
    RequireRange("flows", p.flows, 1, HpccTopology::MAX_NODES);
    RequireRange("other-flows", p.otherFlows, 1, HpccTopology::MAX_NODES);
    const auto us = [](Time time) { return FormatUs(time.GetNanoSeconds()) + " us"; };
    HPCC_REFUSE_IF(p.join <= p.settle,
                   "--join is " + us(p.join) + ", allowed is above --warm-up, " + us(p.settle));
    HPCC_REFUSE_IF(p.end <= p.join + p.settle,
                   "--end is " + us(p.end) +
                       ", allowed is above the sum of --join and --warm-up, " +
                       us(p.join + p.settle));
    EgressScheduler::Classes classes;
    std::string why;
    const bool sensible = classes.SetWeights(p.weights, why);
    HPCC_REFUSE_IF(!sensible, "weights: " + why);
    HPCC_REFUSE_IF(
        !(p.weights.empty() || (classes.weights[OWN] != 0 && classes.weights[OTHER] != 0)),
        "weights: \"" + p.weights + "\" lacks priority " + std::to_string(OWN) + " or " +
            std::to_string(OTHER) + ", the two classes");
    HpccFabricHelper::MakePolicy(p.other);
}

HpccClasses::Mode
HpccClasses::ModeOf(const std::string& name)
{
    const auto found = std::find(MODE_NAMES.begin(), MODE_NAMES.end(), name);
    HPCC_REFUSE_IF(
        found == MODE_NAMES.end(),
        DescribeUnknown("--modes: unknown", name, {MODE_NAMES.begin(), MODE_NAMES.end()}));
    return static_cast<Mode>(found - MODE_NAMES.begin());
}

HpccTopology
HpccClasses::MakeTopology() const
{
    const auto& p = m_parameters;
    const uint32_t senders = p.flows + p.otherFlows;
    HpccTopology topology;
    for (uint32_t i = 0; i <= senders; ++i)
    {
        topology.AddNode(false);
    }
    const uint32_t hub = topology.AddNode(true);
    for (uint32_t i = 0; i <= senders; ++i)
    {
        const bool other = i >= p.flows && i < senders;
        topology.AddLink({i, hub, other ? p.otherRate : p.rate, p.delay});
    }
    return topology;
}

std::vector<HpccFlowPlan>
HpccClasses::MakeFlows() const
{
    const auto& p = m_parameters;
    const auto endless = [&p](DataRate rate) {
        return static_cast<uint64_t>(static_cast<double>(rate.GetBitRate()) / 8 *
                                     p.end.GetSeconds()) +
               1;
    };
    const uint32_t receiver = p.flows + p.otherFlows;
    std::vector<HpccFlowPlan> flows;
    for (uint32_t i = 0; i < p.flows; ++i)
    {
        flows.push_back({i, receiver, endless(p.rate), 0, 0, 0});
    }
    for (uint32_t i = p.flows; i < receiver; ++i)
    {
        flows.push_back({i, receiver, endless(p.otherRate), p.join.GetNanoSeconds(), 0, 0});
    }
    return flows;
}

HpccExperiment::Scenario
HpccClasses::MakeScenario()
{
    HpccExperiment::Scenario scenario;
    scenario.topology = MakeTopology();
    scenario.flows = MakeFlows();
    scenario.beside = {m_parameters.other};
    scenario.perFlowSeries = true;
    scenario.stop = m_parameters.end;
    scenario.connect = [this](HpccFabricHelper& fabric,
                              const HpccFlowPlan& flow,
                              const HpccFabricHelper::PolicySpec& spec) {
        return Connect(fabric, flow, spec);
    };
    scenario.connected = [this](HpccFabricHelper& fabric) { Watch(fabric); };
    return scenario;
}

void
HpccClasses::Configure(HpccFabricHelper& fabric, Mode mode) const
{
    const auto& p = m_parameters;
    constexpr std::array<TelemetryAgent::Bandwidth, MODES> bandwidths{TelemetryAgent::LINE_RATE,
                                                                      TelemetryAgent::SHARE,
                                                                      TelemetryAgent::RESIDUAL};
    fabric.SetTelemetryAgentAttribute("Bandwidth", EnumValue(bandwidths[mode]));
    fabric.SetDeviceAttribute("DscpToPriority", StringValue(DSCPS));
    fabric.SetDeviceAttribute("Weights", StringValue(p.weights));
    fabric.SetDeviceAttribute("LosslessPriorities",
                              UintegerValue(1U << OWN | (p.weights.empty() ? 0 : 1U << OTHER)));
}

uint32_t
HpccClasses::Connect(HpccFabricHelper& fabric,
                     const HpccFlowPlan& flow,
                     const HpccFabricHelper::PolicySpec& own) const
{
    if (flow.source < m_parameters.flows)
    {
        return fabric.Connect(flow.source, flow.destination, own);
    }
    HpccFabricHelper::PolicySpec other = HpccFabricHelper::MakePolicy(m_parameters.other);
    other.dscp = OTHER_DSCP;
    return fabric.Connect(flow.source, flow.destination, other);
}

void
HpccClasses::Watch(HpccFabricHelper& fabric)
{
    m_classes = {};
    m_times = {};
    m_port = PeekPointer(fabric.GetDevices().back());
    m_port->TraceConnectWithoutContext("QueueBytes",
                                       MakeBoundCallback(&HpccClasses::QueueChanged, this));
    m_port->TraceConnectWithoutContext("Transmit",
                                       MakeBoundCallback(&HpccClasses::Transmitted, this));
}

int64_t
HpccClasses::FromNs(Phase phase) const
{
    const auto& p = m_parameters;
    return (phase == ALONE ? p.settle : p.join + p.settle).GetNanoSeconds();
}

int64_t
HpccClasses::UntilNs(Phase phase) const
{
    return (phase == ALONE ? m_parameters.join : m_parameters.end).GetNanoSeconds();
}

void
HpccClasses::Count(uint8_t priority, int64_t nowNs)
{
    Class& own = m_classes[priority];
    for (Phase phase : {ALONE, SHARED})
    {
        const int64_t ns = std::min(nowNs, UntilNs(phase)) - std::max(own.sinceNs, FromNs(phase));
        if (ns > 0)
        {
            own.records[phase].timeAt[own.bytes] += ns;
        }
    }
    own.sinceNs = nowNs;
}

void
HpccClasses::QueueChanged(HpccClasses* classes,
                          uint8_t priority,
                          uint64_t bytes,
                          uint64_t,
                          int64_t nowNs)
{
    classes->Count(priority, nowNs);
    classes->m_classes[priority].bytes = bytes;
}

void
HpccClasses::Transmitted(HpccClasses* classes, int64_t nowNs, const Frame& frame)
{
    const uint32_t linkBytes = classes->m_port->GetLinkBytes(frame.bytes);
    const auto sent = classes->m_times.Next(*classes->m_port, nowNs, linkBytes);
    for (Phase phase : {ALONE, SHARED})
    {
        const double part = sent.GetShare(classes->FromNs(phase), classes->UntilNs(phase));
        if (frame.kind == Frame::Kind::ROCE)
        {
            Record& record = classes->m_classes[frame.priority].records[phase];
            record.linkBytes += part * linkBytes;
            record.payloadBytes += part * frame.payloadBytes;
        }
    }
}

HpccClasses::Outcome
HpccClasses::GetOutcome(Phase phase, uint8_t priority) const
{
    HpccClasses now = *this;
    now.Count(priority, UntilNs(phase));
    const Record& record = now.m_classes[priority].records[phase];
    const auto ns = static_cast<double>(UntilNs(phase) - FromNs(phase));
    const EgressScheduler& scheduler = m_port->GetScheduler();
    const bool guaranteed = !(scheduler.GetAhead(priority) & (1U << OWN | 1U << OTHER));
    Outcome outcome;
    outcome.shareBps =
        guaranteed ? scheduler.GetShare(priority) * static_cast<double>(m_port->GetRateBps()) : 0;
    outcome.throughputBps = record.linkBytes * 8e9 / ns;
    outcome.goodputBps = record.payloadBytes * 8e9 / ns;
    double below = 0;
    bool have99 = false;
    for (const auto& [bytes, time] : record.timeAt)
    {
        outcome.queueMeanBytes += static_cast<double>(bytes) * static_cast<double>(time) / ns;
        outcome.queuePeakBytes = bytes;
        below += static_cast<double>(time);
        if (!have99 && below >= 0.99 * ns)
        {
            outcome.queueP99Bytes = bytes;
            have99 = true;
        }
    }
    return outcome;
}

} // namespace ns3
