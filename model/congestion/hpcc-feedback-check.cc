/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-feedback-check.h"

#include <algorithm>

namespace ns3
{

void
FeedbackCheck::SetParameters(double baseRttNs, double slack)
{
    m_baseRttNs = baseRttNs;
    m_slackNs = slack * baseRttNs;
}

bool
FeedbackCheck::LastsFor(double rounds, int64_t sinceNs, int64_t nowNs) const
{
    return static_cast<double>(nowNs - sinceNs) >= rounds * m_baseRttNs;
}

bool
FeedbackCheck::Update(State& state, const Sample& sample) const
{
    constexpr double deliveredShare = 0.75;
    state.rttNs = sample.rttNs >= 0 ? sample.rttNs : state.rttNs;
    state.deliveredBytes += sample.newlyAckedBytes;
    if (state.roundStartNs < 0)
    {
        state.roundStartNs = sample.nowNs;
    }
    const auto elapsedNs = static_cast<double>(sample.nowNs - state.roundStartNs);
    if (elapsedNs < m_baseRttNs || state.rttNs < 0 || state.baseRttNs == 0)
    {
        return state.doubted;
    }
    const double reportedRttNs = static_cast<double>(state.baseRttNs) + sample.reportedDelayNs;
    const double expectedBytes =
        static_cast<double>(sample.inFlightBytes) * elapsedNs / reportedRttNs;
    const bool late = static_cast<double>(state.rttNs) > reportedRttNs + m_slackNs;
    const bool slow = static_cast<double>(state.deliveredBytes) < deliveredShare * expectedBytes;
    state.roundStartNs = sample.nowNs;
    state.deliveredBytes = 0;
    if (late && slow)
    {
        state.agreeSinceNs = -1;
        state.disagreeSinceNs = state.disagreeSinceNs < 0 ? sample.nowNs : state.disagreeSinceNs;
        state.doubted = state.doubted || LastsFor(1, state.disagreeSinceNs, sample.nowNs);
        return state.doubted;
    }
    state.disagreeSinceNs = -1;
    state.agreeSinceNs = state.agreeSinceNs < 0 ? sample.nowNs : state.agreeSinceNs;
    state.doubted = state.doubted && !LastsFor(BELIEF_ROUNDS, state.agreeSinceNs, sample.nowNs);
    if (!state.doubted)
    {
        std::rotate(state.windowBytes.begin(),
                    state.windowBytes.begin() + 1,
                    state.windowBytes.end());
        state.windowBytes.back() = sample.windowBytes;
    }
    return state.doubted;
}

bool
FeedbackCheck::Follow(State& state, HpccFlow& flow, const Sample& sample) const
{
    const bool before = state.doubted;
    flow.growthCapped = Update(state, sample);
    if (flow.growthCapped == before)
    {
        return false;
    }
    const double trusted = state.windowBytes.front();
    if (flow.growthCapped && trusted > 0)
    {
        flow.referenceBytes = std::min(flow.referenceBytes, trusted);
    }
    return true;
}

double
FeedbackCheck::QueueDelayNs(const HopTelemetry* hops, uint32_t count, bool sojourn)
{
    double delayNs = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const HopTelemetry& hop = hops[i];
        if (hop.fields & TELEMETRY_QUEUE_DELAY)
        {
            delayNs += hop.queueDelayNs;
        }
        else if (sojourn && hop.fields & TELEMETRY_HOP_LATENCY)
        {
            delayNs += hop.hopLatencyNs;
        }
        else if (hop.fields & TELEMETRY_QUEUE && hop.bandwidthBps > 0)
        {
            delayNs +=
                static_cast<double>(hop.queueBytes) * 8e9 / static_cast<double>(hop.bandwidthBps);
        }
    }
    return delayNs;
}

double
FeedbackCheck::ReportedDelayNs(const HpccFlow& flow, const HpccSample& report, bool sojourn)
{
    const bool remembered =
        report.telemetry->pathExtreme && !(report.hops[0].fields & TELEMETRY_QUEUE_DELAY);
    return remembered ? flow.extreme.delayNs : QueueDelayNs(report.hops, report.hopCount, sojourn);
}

} // namespace ns3
