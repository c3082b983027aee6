/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// @return what a flow keeps of a hop by itself; null without HpccParameters::perHop, or if the hop
/// is not in L
/// @param flow the flow's state
/// @param hop a report of the hop
/// @param position of the hop on the path
HpccFlow::HopWindow*
FindHopWindow(HpccFlow& flow, const HopTelemetry& hop, uint32_t position)
{
    for (uint32_t i = 0; flow.hopWindows && i < flow.hopCount; ++i)
    {
        const HpccFlow::Record& record = flow.records[i];
        if ((!(hop.fields & TELEMETRY_SWITCH_ID) || hop.switchId == record.switchId) &&
            (hop.fields & TELEMETRY_PORT_ID ? hop.portId == record.portId : i == position))
        {
            return &(*flow.hopWindows)[i];
        }
    }
    return nullptr;
}

} // namespace

void
HpccLaw::Open(HpccFlow& flow, double lineRateBps, uint64_t firstSeq) const
{
    flow.lineRateBps = lineRateBps;
    flow.initialBytes = lineRateBps / m_bpsPerByte;
    flow.minBytes = std::min(m_parameters.minRateBps / m_bpsPerByte, flow.initialBytes);
    flow.waiBytes = m_parameters.waiBytes > 0
                        ? m_parameters.waiBytes
                        : flow.initialBytes * (1 - m_parameters.eta) / m_parameters.expectedFlows;
    Restart(flow, firstSeq);
    flow.windowBytes *= m_parameters.initialWindow;
    flow.referenceBytes = flow.windowBytes;
    flow.pendingReset = HpccReset::FIRST_RECORD;
    flow.hopWindows = m_parameters.perHop ? std::make_unique<HpccFlow::HopWindows>() : nullptr;
}

void
HpccLaw::Restart(HpccFlow& flow, uint64_t sndNxt) const
{
    flow.Forget(HpccReset::IDLE_GAP);
    flow.windowBytes = flow.initialBytes;
    flow.referenceBytes = flow.initialBytes;
    flow.utilization = m_parameters.initialU;
    flow.incStage = 0;
    flow.lastUpdateSeq = sndNxt;
}

void
HpccLaw::Rollback(HpccFlow& flow, uint64_t sndNxt, bool timeout) const
{
    flow.lastUpdateSeq = std::min(flow.lastUpdateSeq, sndNxt);
    flow.responseSeq = std::min(flow.responseSeq, sndNxt);
    flow.extreme.roundEndSeq = std::min(flow.extreme.roundEndSeq, sndNxt);
    if (timeout)
    {
        flow.Forget(HpccReset::TIMEOUT);
    }
}

void
HpccLaw::ChangePath(HpccFlow& flow) const
{
    flow.Forget(HpccReset::PATH_CHANGE);
}

const HpccOutcome&
HpccLaw::NewAck(HpccFlow& flow, const HpccSample& sample)
{
    m_outcome.branch = HpccBranch::NONE;
    m_outcome.reset = HpccReset::NONE;
    m_outcome.hopCount = 0;
    if (sample.hopCount == 0)
    {
        TakeQuiet(flow, sample);
        return m_outcome;
    }
    auto measurement = MeasureInflight(flow, sample);
    if (measurement == Measurement::FIRST)
    {
        flow.lastUpdateSeq = sample.sndNxt;
    }
    if (measurement != Measurement::VALID)
    {
        return m_outcome;
    }
    if (!sample.held && (sample.ackSeq > flow.lastUpdateSeq || // line 22
                         m_parameters.reaction == HpccParameters::REACT_PER_ACK ||
                         m_outcome.reset != HpccReset::NONE))
    {
        UpdateWai(flow, sample.reportedFlows);
        flow.windowBytes = ComputeWind(flow, true); // line 23
        flow.lastUpdateSeq = sample.sndNxt;         // line 24
        m_outcome.branch = HpccBranch::COMMIT;
    }
    else if (m_parameters.reaction == HpccParameters::REACT_REFERENCE)
    {
        flow.windowBytes = ComputeWind(flow, false); // line 26
        m_outcome.branch = HpccBranch::FAST;
    }
    if (sample.ackSeq < flow.responseSeq)
    {
        flow.windowBytes = std::min(flow.windowBytes, flow.responseBytes);
    }
    return m_outcome;
}

void
HpccLaw::TakeQuiet(HpccFlow& flow, const HpccSample& sample)
{
    if (m_parameters.quietLoad > 0 && sample.telemetry && !sample.telemetry->pathExtreme &&
        flow.windowBytes < flow.initialBytes && sample.ackSeq > flow.lastUpdateSeq &&
        !sample.held &&
        static_cast<double>(sample.nowNs - flow.lastSampleNs) > 2 * m_parameters.baseRttNs)
    {
        flow.utilization = m_parameters.quietLoad;
        for (uint32_t i = 0; flow.hopWindows && i < flow.hopCount; ++i)
        {
            HpccFlow::HopWindow& hop = (*flow.hopWindows)[i];
            hop.utilization = m_parameters.quietLoad;
            hop.measured = true;
        }
        flow.windowBytes = ComputeWind(flow, true);
        flow.lastUpdateSeq = sample.sndNxt;
        m_outcome.branch = HpccBranch::COMMIT;
        m_outcome.u = m_parameters.quietLoad;
        m_outcome.tauNs = m_parameters.baseRttNs;
    }
}

const HpccOutcome&
HpccLaw::TakeResponse(HpccFlow& flow, const HpccSample& sample)
{
    m_outcome.branch = HpccBranch::NONE;
    m_outcome.reset = HpccReset::NONE;
    m_outcome.hopCount = 0;
    const double load = QueuedLoad(sample);
    double weight = 1;
    if (flow.hopCount > 0)
    {
        const auto sinceNs = static_cast<double>(sample.nowNs - flow.lastSampleNs);
        weight = std::min(std::max(sinceNs, 0.0) * m_perBaseRtt, 1.0);
    }
    if (load == 0)
    {
        return m_outcome;
    }
    HpccFlow::HopWindow* hop =
        FindHopWindow(flow, sample.hops[m_outcome.bottleneck], m_outcome.bottleneck);
    const double u = (1 - weight) * (hop ? hop->utilization : flow.utilization) + weight * load;
    if (u < m_parameters.eta)
    {
        return m_outcome;
    }
    const double reference = hop ? hop->referenceBytes : flow.referenceBytes;
    const double w = std::max(reference / (u / m_parameters.eta) + flow.waiBytes, flow.minBytes);
    m_outcome.branch = HpccBranch::FAST;
    if (sample.ackSeq > flow.lastUpdateSeq)
    {
        for (uint32_t i = 0; flow.hopWindows && i < flow.hopCount; ++i)
        {
            HpccFlow::HopWindow& other = (*flow.hopWindows)[i];
            if (!hop || hop == &other)
            {
                other.referenceBytes = std::min(other.referenceBytes, w);
                other.incStage = 0;
            }
        }
        flow.referenceBytes = std::min(flow.referenceBytes, w);
        flow.incStage = 0;
        flow.lastUpdateSeq = sample.sndNxt;
        m_outcome.branch = HpccBranch::COMMIT;
    }
    flow.windowBytes = std::min(flow.windowBytes, w);
    flow.responseSeq = std::max(flow.responseSeq, sample.ackSeq);
    flow.responseBytes = flow.windowBytes;
    return m_outcome;
}

double
HpccLaw::ComputeWind(HpccFlow& flow, bool updateWc) const
{
    const double w =
        flow.hopWindows && flow.hopCount > 0
            ? ComputeHopWinds(flow, updateWc)
            : Step(flow, flow.utilization, flow.referenceBytes, flow.incStage, updateWc);
    if (updateWc)
    {
        flow.roundSamples = 0;
        flow.roundLastHop = 0;
    }
    return w; // line 20
}

double
HpccLaw::ComputeHopWinds(HpccFlow& flow, bool updateWc) const
{
    double least = std::numeric_limits<double>::infinity();
    uint32_t stage = flow.incStage;
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        HpccFlow::HopWindow& hop = (*flow.hopWindows)[i];
        const double w =
            hop.measured ? Step(flow, hop.utilization, hop.referenceBytes, hop.incStage, updateWc)
                         : hop.referenceBytes;
        if (w < least)
        {
            least = w;
            stage = hop.incStage;
        }
        hop.measured &= !updateWc;
    }
    if (updateWc)
    {
        flow.referenceBytes = least;
        flow.incStage = stage;
    }
    return least;
}

double
HpccLaw::Step(const HpccFlow& flow,
              double u,
              double& referenceBytes,
              uint32_t& incStage,
              bool updateWc) const
{
    const bool multiplicative =
        u >= m_parameters.eta || incStage >= m_parameters.maxStage; // line 12
    double w = flow.initialBytes;
    if (!multiplicative)
    {
        w = referenceBytes + flow.waiBytes; // line 17
    }
    else if (u > 0)
    {
        w = referenceBytes / (u / m_parameters.eta) + flow.waiBytes; // line 13
    }
    if (flow.growthCapped)
    {
        w = std::min(w, flow.referenceBytes + flow.waiBytes);
    }
    w = std::max(std::min(w, flow.initialBytes), flow.minBytes);
    if (updateWc) // lines 14 and 18
    {
        incStage = multiplicative ? 0 : incStage + 1; // lines 15 and 19
        referenceBytes = w;
    }
    return w;
}

void
HpccLaw::UpdateWai(HpccFlow& flow, uint16_t reportedFlows) const
{
    if (reportedFlows > 0 && m_parameters.waiBytes == 0)
    {
        const bool lastHop = 2 * flow.roundLastHop > flow.roundSamples;
        const double counted = reportedFlows;
        const double expected = m_parameters.expectedFlows;
        const double share =
            lastHop ? std::max(m_parameters.countedShare / counted, 1 / std::max(counted, expected))
                    : 1 / expected;
        flow.waiBytes = flow.initialBytes * (1 - m_parameters.eta) * share;
    }
}

namespace
{

/**
 * @param extreme a flow's
 * @param most queue delays in turn
 * @return what is asked in its turn
 */
uint16_t
NextInTurn(const HpccFlow::Extreme& extreme, uint8_t most)
{
    return extreme.delaysAsked < most ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
}

/**
 * @param extreme a flow's
 * @return what the packets for the next record ask, where few come back
 */
uint16_t
NextForRecord(const HpccFlow::Extreme& extreme)
{
    if (extreme.delayNs == 0 && !extreme.mayQueue)
    {
        return TELEMETRY_UTILIZATION;
    }
    return NextInTurn(extreme, 1);
}

/**
 * Notes the quantity that a packet asks for.
 * @param extreme the flow's state
 * @param request the quantity that the packet asks for in its turn
 */
void
NoteTurn(HpccFlow::Extreme& extreme, uint16_t request)
{
    extreme.delaysAsked = request == TELEMETRY_QUEUE_DELAY ? extreme.delaysAsked + 1 : 0;
}

} // namespace

uint16_t
HpccLaw::WantedSignal(const HpccFlow& flow)
{
    const HpccFlow::Extreme& extreme = flow.extreme;
    if (extreme.packetsPerRecord == 0)
    {
        const bool queued = extreme.delayNs > 0;
        const bool other = extreme.packets % 4 == 3;
        return queued != other ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
    }
    if (extreme.packets % extreme.packetsPerRecord > 0)
    {
        return extreme.delaysAsked > 0 ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
    }
    return NextForRecord(extreme);
}

void
HpccLaw::NoteSent(HpccFlow& flow)
{
    HpccFlow::Extreme& extreme = flow.extreme;
    if (extreme.packetsPerRecord > 0 && extreme.packets % extreme.packetsPerRecord == 0)
    {
        NoteTurn(extreme, NextForRecord(extreme));
    }
    ++extreme.packets;
}

uint16_t
HpccLaw::AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, bool single)
{
    ++flow.extreme.packets;
    if (!AsksInTurn(telemetry))
    {
        return 0;
    }
    if (!single)
    {
        return WantedSignal(flow);
    }
    const uint16_t request = NextInTurn(flow.extreme, flow.extreme.delayNs > 0 ? 2 : 1);
    NoteTurn(flow.extreme, request);
    return request;
}

} // namespace ns3
