/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-inflight.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

constexpr double FULL_UTILIZATION = 0.95; ///< from here on a link may have a queue

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
 * @param extreme the stored state of the bottleneck hop
 * @param round in which one of the two signals came
 * @param sinceNs time since then, ns
 * @param baseRttNs T, ns
 * @return true if that signal and one of now are of the same time: of this round or the one before,
 * or where few records come back, of less than T ago
 */
bool
IsFresh(const HpccFlow::Extreme& extreme, uint32_t round, double sinceNs, double baseRttNs)
{
    return extreme.packetsPerRecord > 0 ? sinceNs < baseRttNs : extreme.round - round <= 1;
}

} // namespace

void
HpccInflight::SetParameters(const HpccParameters& parameters)
{
    m_parameters = parameters;
    m_perBaseRtt = 1 / parameters.baseRttNs;
    m_bpsPerByte = 8e9 / parameters.baseRttNs;
}

const HpccParameters&
HpccInflight::GetParameters() const
{
    return m_parameters;
}

PathSpread
HpccInflight::ToleratedSpread(const TelemetryCapabilities& telemetry)
{
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    if (telemetry.pathExtreme || (telemetry.fields & ids) == ids)
    {
        return PathSpread::EVERY_PACKET;
    }
    return telemetry.pathIdentified ? PathSpread::OCCASIONAL : PathSpread::NONE;
}

bool
HpccInflight::NeedsBandwidth(const HpccParameters& parameters,
                             const TelemetryCapabilities& telemetry)
{
    return !telemetry.pathExtreme && (parameters.queueSignal == HpccParameters::SIGNAL_LENGTH ||
                                      telemetry.fields & TELEMETRY_TX_BYTES);
}

uint16_t
HpccInflight::RequiredFields(const TelemetryCapabilities& telemetry) const
{
    constexpr uint16_t ifCarried = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP;
    const uint16_t queue = m_parameters.queueSignal == HpccParameters::SIGNAL_LENGTH
                               ? TELEMETRY_QUEUE
                               : TELEMETRY_HOP_LATENCY;
    const uint16_t rate =
        telemetry.fields & TELEMETRY_TX_BYTES ? TELEMETRY_TX_BYTES : TELEMETRY_UTILIZATION;
    return queue | rate | (telemetry.fields & ifCarried);
}

HpccInflight::Measurement
HpccInflight::MeasureInflight(HpccFlow& flow, const HpccSample& sample)
{
    const TelemetryCapabilities& format = *sample.telemetry;
    if (format.pathExtreme)
    {
        return format.fields & TELEMETRY_LOAD ? TakeLoad(flow, sample)
                                              : MeasureExtreme(flow, sample);
    }
    if (sample.previous)
    {
        flow.TakePrevious(sample);
    }
    uint32_t hops = std::min(sample.hopCount, MAX_TELEMETRY_HOPS);
    m_skippedHops += sample.hopCount - hops;
    m_outcome.hopCount = static_cast<uint8_t>(hops);
    if (flow.sprayed)
    {
        flow.SelectPath(sample, hops);
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
        if (m_parameters.skipEmptyHops && hop.queueBytes == 0 &&
            sample.ackSeq <= flow.lastUpdateSeq)
        {
            if (flow.hopWindows)
            {
                (*flow.hopWindows)[i].measured = false;
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
        last.SetBandwidth(hop);
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
        last.Store(hop, queueNow); // line 27
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

HpccReset
HpccInflight::FindReset(const HpccFlow& flow, const HpccSample& sample, uint32_t hops) const
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

HpccInflight::Measurement
HpccInflight::StoreFirst(HpccFlow& flow, const HpccSample& sample, uint32_t hops)
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
        double hopU;
        if ((hop.fields & required) != required ||
            (hop.bandwidthBps == 0 && NeedsBandwidth(m_parameters, *sample.telemetry)))
        {
            m_skippedHops += !(hop.fields & TELEMETRY_LOAD);
            // A load from behind a domain edge is u' itself.
            hopU = hop.fields & TELEMETRY_LOAD ? hop.load - 1 : 0;
        }
        else
        {
            record.SetBandwidth(hop);
            const uint64_t queue = sojourn ? hop.hopLatencyNs : hop.queueBytes;
            record.Store(hop, queue);
            hopU = static_cast<double>(queue) * (sojourn ? 1 : record.nsPerByte) * m_perBaseRtt;
        }
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
HpccInflight::AverageHop(HpccFlow::HopWindow& hop, double u, double tauNs) const
{
    const double weight = std::min(tauNs, m_parameters.baseRttNs) * m_perBaseRtt;
    hop.utilization = (1 - weight) * hop.utilization + weight * u;
    hop.measured = true;
}

bool
HpccInflight::Complete(HpccFlow& flow, const HpccSample& sample)
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

HpccInflight::Measurement
HpccInflight::MeasureExtreme(HpccFlow& flow, const HpccSample& sample)
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
        extreme.mayQueue = true;
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
    if (hop.fields & TELEMETRY_QUEUE_DELAY)
    {
        extreme.delayCommitSeq = flow.lastUpdateSeq;
    }
    flow.records[0].switchId = 0;
    flow.records[0].portId = hop.portId;

    const auto sinceDelayNs = static_cast<double>(sample.nowNs - extreme.delayAtNs);
    const bool delayFresh =
        extreme.delayKnown &&
        IsFresh(extreme, extreme.delayRound, sinceDelayNs, m_parameters.baseRttNs);
    const bool unanswered = extreme.packetsPerRecord > 0 && extreme.delayKnown &&
                            extreme.mayQueue && extreme.delayCommitSeq == flow.lastUpdateSeq;
    const double u1 = delayFresh || unanswered ? extreme.u1 : 0;
    const auto sinceUtilizationNs = static_cast<double>(sample.nowNs - extreme.utilizationAtNs);
    const bool utilizationFresh =
        extreme.utilizationKnown &&
        IsFresh(extreme, extreme.utilizationRound, sinceUtilizationNs, m_parameters.baseRttNs);
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

void
HpccInflight::StoreExtreme(HpccFlow::Extreme& extreme, const HopTelemetry& hop, int64_t nowNs) const
{
    if (hop.fields & TELEMETRY_UTILIZATION)
    {
        extreme.u2 = hop.utilization;
        extreme.utilizationKnown = true;
        extreme.utilizationRound = extreme.round;
        extreme.utilizationAtNs = nowNs;
        extreme.mayQueue = hop.utilization >= std::min(m_parameters.eta, FULL_UTILIZATION);
    }
    if (hop.fields & TELEMETRY_QUEUE_DELAY)
    {
        const auto sinceNs = static_cast<double>(nowNs - extreme.delayAtNs);
        const bool comparable =
            extreme.delayKnown &&
            IsFresh(extreme, extreme.delayRound, sinceNs, m_parameters.baseRttNs) &&
            extreme.locator == hop.portId;
        const bool late = sinceNs >= m_parameters.baseRttNs;
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

HpccInflight::Measurement
HpccInflight::TakeLoad(HpccFlow& flow, const HpccSample& sample)
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

double
HpccInflight::QueuedLoad(const HpccSample& sample)
{
    double u = 0;
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        double load = 0;
        double delayNs = 0;
        if (hop.fields & TELEMETRY_LOAD)
        {
            load = hop.load;
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
            load = 1 + delayNs * m_perBaseRtt;
        }
        if (load > u)
        {
            u = load;
            m_outcome.bottleneck = static_cast<uint8_t>(i);
        }
    }
    return u;
}

} // namespace ns3
