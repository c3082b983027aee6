/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-law.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param modulus of a clock, ns; 0 means 2^64
 * @return the largest difference of two readings that is taken for progress, ns
 */
uint64_t
HalfRange(uint64_t modulus)
{
    return modulus == 0 ? uint64_t{1} << 63 : modulus / 2;
}

/**
 * @param record the stored record; its nsPerByte is brought up to date
 * @param hop what the hop reports, with a bandwidth
 */
void
SetBandwidth(HpccFlow::Record& record, const HopTelemetry& hop)
{
    if (record.bandwidthBps != hop.bandwidthBps)
    {
        record.bandwidthBps = hop.bandwidthBps;
        record.nsPerByte = 8e9 / static_cast<double>(hop.bandwidthBps);
    }
}

} // namespace

uint16_t
HpccLaw::RequiredFields(const TelemetryCapabilities& telemetry) const
{
    constexpr uint16_t ifCarried = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP;
    const uint16_t queue = m_parameters.queueSignal == HpccParameters::SIGNAL_LENGTH
                               ? TELEMETRY_QUEUE
                               : TELEMETRY_HOP_LATENCY;
    const uint16_t rate =
        telemetry.fields & TELEMETRY_TX_BYTES ? TELEMETRY_TX_BYTES : TELEMETRY_UTILIZATION;
    return queue | rate | (telemetry.fields & ifCarried);
}

bool
HpccLaw::NeedsBandwidth(const HpccParameters& parameters, const TelemetryCapabilities& telemetry)
{
    return !telemetry.pathExtreme && (parameters.queueSignal == HpccParameters::SIGNAL_LENGTH ||
                                      telemetry.fields & TELEMETRY_TX_BYTES);
}

void
HpccLaw::SetParameters(const HpccParameters& parameters)
{
    m_parameters = parameters;
    m_perBaseRtt = 1 / parameters.baseRttNs;
    m_bpsPerByte = 8e9 / parameters.baseRttNs;
}

const HpccParameters&
HpccLaw::GetParameters() const
{
    return m_parameters;
}

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
    Forget(flow, HpccReset::IDLE_GAP);
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
        Forget(flow, HpccReset::TIMEOUT);
    }
}

void
HpccLaw::ChangePath(HpccFlow& flow) const
{
    Forget(flow, HpccReset::PATH_CHANGE);
}

void
HpccLaw::Forget(HpccFlow& flow, HpccReset why)
{
    if (flow.hopCount > 0)
    {
        flow.pendingReset = why;
    }
    flow.hopCount = 0;
    flow.paths.clear();
}

PathSpread
HpccLaw::ToleratedSpread(const TelemetryCapabilities& telemetry)
{
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    if (telemetry.pathExtreme || (telemetry.fields & ids) == ids)
    {
        return PathSpread::EVERY_PACKET;
    }
    return telemetry.pathIdentified ? PathSpread::OCCASIONAL : PathSpread::NONE;
}

void
HpccLaw::SelectPath(HpccFlow& flow, const HpccSample& sample, uint32_t hops)
{
    uint64_t key = hops;
    for (uint32_t i = 0; i < hops; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const uint64_t id = hop.fields & TELEMETRY_SWITCH_ID ? uint64_t{hop.switchId} << 32 : 0;
        const uint64_t port = hop.fields & TELEMETRY_PORT_ID ? hop.portId : i;
        key = ((key ^ id ^ port) * 0x9e3779b97f4a7c15) ^ key >> 29;
    }
    if (key == flow.pathKey && flow.hopCount > 0)
    {
        return;
    }
    auto find = [&flow](uint64_t wanted) {
        return std::find_if(flow.paths.begin(), flow.paths.end(), [wanted](const auto& path) {
            return path.key == wanted;
        });
    };
    if (auto old = find(flow.pathKey); flow.hopCount > 0 && old != flow.paths.end())
    {
        old->lastSampleNs = flow.lastSampleNs;
        old->pathId = flow.pathId;
        old->records.assign(flow.records.begin(), flow.records.begin() + flow.hopCount);
    }
    flow.pathKey = key;
    auto path = find(key);
    if (path != flow.paths.end())
    {
        std::copy(path->records.begin(), path->records.end(), flow.records.begin());
        flow.hopCount = static_cast<uint8_t>(path->records.size());
        flow.lastSampleNs = path->lastSampleNs;
        flow.pathId = path->pathId;
        return;
    }
    if (flow.hopCount > 0)
    {
        flow.hopCount = 0;
        flow.pendingReset = HpccReset::FIRST_RECORD;
    }
    if (flow.paths.size() == MAX_PATHS)
    {
        flow.paths.erase(std::min_element(
            flow.paths.begin(),
            flow.paths.end(),
            [](const auto& a, const auto& b) { return a.lastSampleNs < b.lastSampleNs; }));
    }
    flow.paths.push_back({key, sample.nowNs, sample.pathId, {}});
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
    if ((sample.ackSeq > flow.lastUpdateSeq && !sample.held) ||
        m_parameters.reaction == HpccParameters::REACT_PER_ACK ||
        m_outcome.reset != HpccReset::NONE) // line 22
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

HpccLaw::Measurement
HpccLaw::MeasureInflight(HpccFlow& flow, const HpccSample& sample)
{
    const TelemetryCapabilities& format = *sample.telemetry;
    if (format.pathExtreme)
    {
        return format.fields & TELEMETRY_LOAD ? TakeLoad(flow, sample)
                                              : MeasureExtreme(flow, sample);
    }
    if (sample.previous)
    {
        TakePrevious(flow, sample);
    }
    uint32_t hops = std::min(sample.hopCount, MAX_TELEMETRY_HOPS);
    m_skippedHops += sample.hopCount - hops;
    m_outcome.hopCount = static_cast<uint8_t>(hops);
    if (flow.sprayed)
    {
        SelectPath(flow, sample, hops);
    }
    if (hops < flow.hopCount && m_parameters.missingHop == HpccParameters::MISSING_SKIPS &&
        Complete(flow, sample))
    {
        HpccSample completed = sample;
        completed.hops = m_completed.data();
        completed.hopCount = flow.hopCount;
        const Measurement measurement = MeasureInflight(flow, completed);
        m_missing = 0;
        return measurement;
    }
    m_outcome.reset = FindReset(flow, sample, hops);
    if (m_outcome.reset != HpccReset::NONE)
    {
        return StoreFirst(flow, sample, hops);
    }

    const uint16_t required = RequiredFields(format);
    const bool ownClock = !(format.fields & TELEMETRY_TIMESTAMP);
    const bool carriesTxBytes = required & TELEMETRY_TX_BYTES;
    const bool sojourn = m_parameters.queueSignal == HpccParameters::SIGNAL_SOJOURN;
    const uint64_t progress = HalfRange(format.timestampModulus);
    bool stored = false;
    double u = -1; // line 2
    double tau = 0;
    for (uint32_t i = 0; i < hops; ++i) // line 3
    {
        const HopTelemetry& hop = sample.hops[i];
        HpccFlow::Record& last = flow.records[i];
        m_outcome.hopU[i] = -1;
        if ((hop.fields & required) != required ||
            (hop.bandwidthBps == 0 && NeedsBandwidth(m_parameters, format)))
        {
            const bool missing = m_missing >> i & 1;
            last.counted = last.counted && missing;
            if (!(hop.fields & TELEMETRY_LOAD))
            {
                ++m_skippedHops;
            }
            else if (sample.nowNs > flow.lastSampleNs)
            {
                m_outcome.hopU[i] = missing ? -1 : hop.load;
                if (flow.hopWindows)
                {
                    AverageHop((*flow.hopWindows)[i],
                               hop.load,
                               static_cast<double>(sample.nowNs - flow.lastSampleNs));
                }
                if (hop.load > u)
                {
                    u = hop.load;
                    tau = static_cast<double>(sample.nowNs - flow.lastSampleNs);
                    m_outcome.bottleneck = static_cast<uint8_t>(i);
                }
                stored = stored || !missing;
            }
            continue;
        }
        uint64_t dts =
            ownClock
                ? static_cast<uint64_t>(sample.nowNs - flow.lastSampleNs)
                : ModularDifference(hop.timestampNs, last.timestampNs, format.timestampModulus);
        if (last.counted && (dts == 0 || dts > progress))
        {
            continue;
        }
        SetBandwidth(last, hop);
        const uint64_t queueNow = sojourn ? hop.hopLatencyNs : hop.queueBytes;
        const double dt = static_cast<double>(dts);
        const double txBytes = static_cast<double>(
            ModularDifference(hop.txBytes, last.txBytes, format.txBytesModulus));
        const bool pairValid =
            last.counted &&
            (!carriesTxBytes ||
             (format.txBytesModulus == 0
                  ? hop.txBytes >= last.txBytes
                  : dt < static_cast<double>(format.txBytesModulus) * last.nsPerByte));
        if (pairValid)
        {
            const bool current =
                m_parameters.queueFilter == HpccParameters::QUEUE_CURRENT ||
                (dt >= m_parameters.baseRttNs &&
                 (m_parameters.queueFilter == HpccParameters::QUEUE_AUTO ||
                  (flow.sparse && m_parameters.queueFilter == HpccParameters::QUEUE_DEFAULT)));
            const auto queue =
                static_cast<double>(current ? queueNow : std::min(queueNow, last.queue));
            double rate = carriesTxBytes ? txBytes * last.nsPerByte / dt // line 4
                                         : hop.utilization;
            if (m_parameters.rateTerm == HpccParameters::RATE_RX)
            {
                const double growth =
                    static_cast<double>(queueNow) - static_cast<double>(last.queue);
                rate = std::max(rate + growth * last.nsPerByte / dt, 0.0);
            }
            rate = std::max(rate, m_parameters.minRateTerm);
            const double queueTerm = queue * (sojourn ? 1 : last.nsPerByte) * m_perBaseRtt;
            const double hopU = m_parameters.load == HpccParameters::LOAD_POWER
                                    ? (queueTerm + 1) * rate
                                    : queueTerm + rate; // line 5
            m_outcome.hopU[i] = hopU;
            if (flow.hopWindows)
            {
                AverageHop((*flow.hopWindows)[i], hopU, dt);
            }
            if (hopU > u) // line 6
            {
                u = hopU; // line 7
                tau = dt;
                m_outcome.bottleneck = static_cast<uint8_t>(i);
            }
        }
        Store(last, hop, queueNow); // line 27
        stored = true;
    }
    if (!stored)
    {
        return Measurement::STALE;
    }
    flow.lastSampleNs = sample.nowNs;
    for (uint32_t i = 0; i < flow.lastLoads.size(); ++i)
    {
        if (m_outcome.hopU[i] >= 0)
        {
            flow.lastLoads[i] = {m_outcome.hopU[i], sample.nowNs};
        }
    }
    if (u < 0)
    {
        m_outcome.reset = HpccReset::COUNTER_WRAP;
        return Measurement::FIRST;
    }

    if (flow.sprayed)
    {
        tau /= static_cast<double>(std::max<size_t>(flow.paths.size(), 1));
    }
    tau = std::min(tau, m_parameters.baseRttNs); // line 8
    const double weight = tau * m_perBaseRtt;
    flow.utilization = (1 - weight) * flow.utilization + weight * u; // line 9
    ++flow.roundSamples;
    flow.roundLastHop += m_outcome.bottleneck + 1U == hops;
    m_outcome.u = u;
    m_outcome.tauNs = tau;
    m_outcome.switchId = flow.records[m_outcome.bottleneck].switchId;
    m_outcome.portId = flow.records[m_outcome.bottleneck].portId;
    return Measurement::VALID;
}

bool
HpccLaw::Complete(HpccFlow& flow, const HpccSample& sample)
{
    constexpr int64_t never = std::numeric_limits<int64_t>::min() / 2;
    if (!(sample.telemetry->fields & TELEMETRY_SWITCH_ID))
    {
        return false;
    }
    uint32_t missing = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        const HpccFlow::Record& record = flow.records[i];
        const HopTelemetry* hop = next < sample.hopCount ? &sample.hops[next] : nullptr;
        if (hop && (hop->fields & TELEMETRY_SWITCH_ID) && hop->switchId == record.switchId &&
            (!(hop->fields & TELEMETRY_PORT_ID) || hop->portId == record.portId))
        {
            m_completed[i] = *hop;
            ++next;
            continue;
        }
        missing |= 1U << i;
        m_completed[i] = {};
        m_completed[i].fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_LOAD;
        m_completed[i].switchId = record.switchId;
        m_completed[i].portId = record.portId;
        m_completed[i].load = -1;
    }
    if (next < sample.hopCount)
    {
        return false;
    }
    flow.lastLoads.resize(flow.hopCount, {0, never});
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        const HpccFlow::LastLoad& last = flow.lastLoads[i];
        if (missing >> i & 1 &&
            static_cast<double>(sample.nowNs - last.atNs) <= 2 * m_parameters.baseRttNs)
        {
            m_completed[i].load = last.u;
        }
    }
    m_missing = missing;
    return true;
}

double
HpccLaw::QueuedLoad(const HpccSample& sample)
{
    double u = 0;
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        double delayNs = 0;
        if (hop.fields & TELEMETRY_LOAD)
        {
            u = std::max(u, hop.load);
        }
        else if (hop.fields & TELEMETRY_QUEUE_DELAY)
        {
            delayNs = hop.queueDelayNs;
        }
        else if (hop.fields & TELEMETRY_QUEUE && hop.bandwidthBps > 0)
        {
            delayNs =
                static_cast<double>(hop.queueBytes) * 8e9 / static_cast<double>(hop.bandwidthBps);
        }
        else
        {
            m_skippedHops += !sample.telemetry->pathExtreme;
        }
        if (delayNs > 0)
        {
            u = std::max(u, 1 + delayNs * m_perBaseRtt);
        }
    }
    return u;
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
    const double u = (1 - weight) * flow.utilization + weight * load;
    if (load == 0 || u < m_parameters.eta)
    {
        return m_outcome;
    }
    const double w =
        std::max(flow.referenceBytes / (u / m_parameters.eta) + flow.waiBytes, flow.minBytes);
    m_outcome.branch = HpccBranch::FAST;
    if (sample.ackSeq > flow.lastUpdateSeq)
    {
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

void
HpccLaw::TakeQuiet(HpccFlow& flow, const HpccSample& sample)
{
    if (m_parameters.quietLoad > 0 && sample.telemetry && !sample.telemetry->pathExtreme &&
        flow.windowBytes < flow.initialBytes && sample.ackSeq > flow.lastUpdateSeq &&
        static_cast<double>(sample.nowNs - flow.lastSampleNs) > 2 * m_parameters.baseRttNs)
    {
        flow.utilization = m_parameters.quietLoad;
        flow.windowBytes = ComputeWind(flow, true);
        flow.lastUpdateSeq = sample.sndNxt;
        m_outcome.branch = HpccBranch::COMMIT;
        m_outcome.u = m_parameters.quietLoad;
        m_outcome.tauNs = m_parameters.baseRttNs;
    }
}

void
HpccLaw::TakePrevious(HpccFlow& flow, const HpccSample& sample)
{
    if (flow.hopCount == 0)
    {
        return;
    }
    const HopTelemetry& previous = *sample.previous;
    if (previous.fields == 0)
    {
        Forget(flow, HpccReset::PATH_CHANGE);
        return;
    }
    HpccFlow::Record& record = flow.records[0];
    const bool ids = previous.fields & TELEMETRY_SWITCH_ID;
    record.switchId = ids ? previous.switchId : 0;
    record.portId = previous.fields & TELEMETRY_PORT_ID ? previous.portId : 0;
    Store(record, previous, previous.queueBytes);
}

HpccLaw::Measurement
HpccLaw::MeasureExtreme(HpccFlow& flow, const HpccSample& sample)
{
    HpccFlow::Extreme& extreme = flow.extreme;
    const HopTelemetry& hop = sample.hops[0];
    m_outcome.hopCount = 1;
    m_outcome.hopU[0] = -1;
    if (!(hop.fields & (TELEMETRY_QUEUE_DELAY | TELEMETRY_UTILIZATION)))
    {
        ++m_skippedHops;
        return Measurement::STALE;
    }
    m_outcome.reset = FindReset(flow, sample, 1);
    const bool first = m_outcome.reset != HpccReset::NONE;
    if (!first && sample.nowNs <= flow.lastSampleNs)
    {
        return Measurement::STALE;
    }
    if (first)
    {
        extreme.delayKnown = false;
        extreme.utilizationKnown = false;
        extreme.delayNs = 0;
        flow.hopCount = 1;
    }
    if (m_outcome.reset == HpccReset::PATH_CHANGE)
    {
        flow.utilization = m_parameters.initialU;
        flow.incStage = 0;
    }
    if (sample.ackSeq > extreme.roundEndSeq)
    {
        ++extreme.round;
        extreme.roundEndSeq = sample.sndNxt;
    }
    StoreExtreme(extreme, hop, sample.nowNs);
    flow.records[0].switchId = 0;
    flow.records[0].portId = hop.portId;

    const bool delayFresh = extreme.delayKnown && extreme.round - extreme.delayRound <= 1;
    const double u1 = delayFresh ? extreme.u1 : 0;
    const bool utilizationFresh =
        extreme.utilizationKnown && extreme.round - extreme.utilizationRound <= 1;
    if (first && (u1 == 0 || SkipsFirst(flow)))
    {
        flow.lastSampleNs = sample.nowNs;
        return Measurement::FIRST;
    }
    if (!utilizationFresh && u1 == 0)
    {
        return Measurement::STALE;
    }
    const double u = u1 + (utilizationFresh ? extreme.u2 : 1);
    const double tau = first ? m_parameters.baseRttNs
                             : std::min(static_cast<double>(sample.nowNs - flow.lastSampleNs),
                                        m_parameters.baseRttNs);
    const double weight = tau * m_perBaseRtt;
    flow.utilization = (1 - weight) * flow.utilization + weight * u;
    flow.lastSampleNs = sample.nowNs;
    m_outcome.hopU[0] = u;
    m_outcome.u = u;
    m_outcome.tauNs = tau;
    m_outcome.bottleneck = 0;
    m_outcome.switchId = 0;
    m_outcome.portId = hop.portId;
    return Measurement::VALID;
}

HpccLaw::Measurement
HpccLaw::TakeLoad(HpccFlow& flow, const HpccSample& sample)
{
    const HopTelemetry& hop = sample.hops[0];
    m_outcome.hopCount = 1;
    m_outcome.hopU[0] = -1;
    if (!(hop.fields & TELEMETRY_LOAD))
    {
        return Measurement::STALE;
    }
    m_outcome.reset = flow.hopCount == 0 ? flow.pendingReset : HpccReset::NONE;
    if (m_outcome.reset == HpccReset::PATH_CHANGE)
    {
        flow.incStage = 0;
    }
    flow.hopCount = 1;
    flow.records[0].switchId = 0;
    flow.records[0].portId = hop.portId;
    flow.lastSampleNs = sample.nowNs;
    flow.utilization = hop.load;
    m_outcome.hopU[0] = hop.load;
    m_outcome.u = hop.load;
    m_outcome.tauNs = m_parameters.baseRttNs;
    m_outcome.bottleneck = 0;
    m_outcome.switchId = 0;
    m_outcome.portId = hop.portId;
    const bool first = m_outcome.reset != HpccReset::NONE;
    return first && SkipsFirst(flow) ? Measurement::FIRST : Measurement::VALID;
}

void
HpccLaw::StoreExtreme(HpccFlow::Extreme& extreme, const HopTelemetry& hop, int64_t nowNs) const
{
    if (hop.fields & TELEMETRY_UTILIZATION)
    {
        extreme.u2 = hop.utilization;
        extreme.utilizationKnown = true;
        extreme.utilizationRound = extreme.round;
    }
    if (hop.fields & TELEMETRY_QUEUE_DELAY)
    {
        const bool comparable = extreme.delayKnown && extreme.round - extreme.delayRound <= 1 &&
                                extreme.locator == hop.portId;
        const bool late = static_cast<double>(nowNs - extreme.delayAtNs) >= m_parameters.baseRttNs;
        const bool current = m_parameters.queueFilter == HpccParameters::QUEUE_CURRENT ||
                             (m_parameters.queueFilter == HpccParameters::QUEUE_AUTO && late);
        const double delayNs =
            comparable && !current ? std::min(hop.queueDelayNs, extreme.delayNs) : hop.queueDelayNs;
        extreme.u1 = delayNs * m_perBaseRtt;
        extreme.delayNs = hop.queueDelayNs;
        extreme.locator = hop.portId;
        extreme.delayKnown = true;
        extreme.delayRound = extreme.round;
        extreme.delayAtNs = nowNs;
    }
}

double
HpccLaw::ComputeWind(HpccFlow& flow, bool updateWc) const
{
    const double w =
        flow.hopWindows
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

void
HpccLaw::AverageHop(HpccFlow::HopWindow& hop, double u, double tauNs) const
{
    const double weight = std::min(tauNs, m_parameters.baseRttNs) * m_perBaseRtt;
    hop.utilization = (1 - weight) * hop.utilization + weight * u;
    hop.measured = true;
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

HpccReset
HpccLaw::FindReset(const HpccFlow& flow, const HpccSample& sample, uint32_t hops) const
{
    if (flow.hopCount == 0)
    {
        return flow.pendingReset;
    }
    const TelemetryCapabilities& format = *sample.telemetry;
    if (hops != flow.hopCount || (format.pathIdentified && sample.pathId != flow.pathId))
    {
        return HpccReset::PATH_CHANGE;
    }
    for (uint32_t i = 0; i < hops; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const HpccFlow::Record& last = flow.records[i];
        if (((hop.fields & TELEMETRY_SWITCH_ID) && hop.switchId != last.switchId) ||
            ((hop.fields & TELEMETRY_PORT_ID) && hop.portId != last.portId))
        {
            return HpccReset::PATH_CHANGE;
        }
    }
    if (m_parameters.idleGapResets && static_cast<double>(sample.idleNs) > m_parameters.baseRttNs)
    {
        return HpccReset::IDLE_GAP;
    }
    if ((format.fields & TELEMETRY_TIMESTAMP) &&
        static_cast<uint64_t>(sample.nowNs - flow.lastSampleNs) >
            HalfRange(format.timestampModulus))
    {
        return HpccReset::COUNTER_WRAP;
    }
    return HpccReset::NONE;
}

HpccLaw::Measurement
HpccLaw::StoreFirst(HpccFlow& flow, const HpccSample& sample, uint32_t hops)
{
    if (m_outcome.reset == HpccReset::PATH_CHANGE)
    {
        flow.utilization = m_parameters.initialU;
        flow.incStage = 0;
    }
    if (m_outcome.reset == HpccReset::IDLE_GAP)
    {
        flow.paths.clear();
    }
    if (flow.hopWindows && (flow.hopCount == 0 || m_outcome.reset == HpccReset::PATH_CHANGE))
    {
        flow.hopWindows->fill({flow.referenceBytes, flow.utilization, flow.incStage, false});
    }
    const uint16_t required = RequiredFields(*sample.telemetry);
    const bool sojourn = m_parameters.queueSignal == HpccParameters::SIGNAL_SOJOURN;
    double u = 0;
    for (uint32_t i = 0; i < hops; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        HpccFlow::Record& record = flow.records[i];
        record.switchId = hop.fields & TELEMETRY_SWITCH_ID ? hop.switchId : 0;
        record.portId = hop.fields & TELEMETRY_PORT_ID ? hop.portId : i;
        record.bandwidthBps = 0;
        record.counted = false;
        m_outcome.hopU[i] = -1;
        if ((hop.fields & required) != required ||
            (hop.bandwidthBps == 0 && NeedsBandwidth(m_parameters, *sample.telemetry)))
        {
            m_skippedHops += !(hop.fields & TELEMETRY_LOAD);
            continue;
        }
        SetBandwidth(record, hop);
        const uint64_t queue = sojourn ? hop.hopLatencyNs : hop.queueBytes;
        Store(record, hop, queue);
        const double hopU =
            static_cast<double>(queue) * (sojourn ? 1 : record.nsPerByte) * m_perBaseRtt;
        if (flow.hopWindows && hopU > 0 && !SkipsFirst(flow))
        {
            AverageHop((*flow.hopWindows)[i], 1 + hopU, m_parameters.baseRttNs);
        }
        if (hopU > u)
        {
            u = hopU;
            m_outcome.bottleneck = static_cast<uint8_t>(i);
        }
    }
    flow.hopCount = static_cast<uint8_t>(hops);
    flow.pathId = sample.pathId;
    flow.lastSampleNs = sample.nowNs;
    flow.lastLoads.clear();
    if (u == 0 || SkipsFirst(flow))
    {
        return Measurement::FIRST;
    }
    flow.utilization = 1 + u;
    m_outcome.u = 1 + u;
    m_outcome.tauNs = m_parameters.baseRttNs;
    m_outcome.hopU[m_outcome.bottleneck] = 1 + u;
    m_outcome.switchId = flow.records[m_outcome.bottleneck].switchId;
    m_outcome.portId = flow.records[m_outcome.bottleneck].portId;
    return Measurement::VALID;
}

void
HpccLaw::Store(HpccFlow::Record& record, const HopTelemetry& hop, uint64_t queue)
{
    record.timestampNs = hop.timestampNs;
    record.txBytes = hop.txBytes;
    record.queue = queue;
    record.counted = true;
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

} // namespace ns3
