/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nscc.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNscc);

namespace
{

// Constants of table 3-76 of the Ultra Ethernet 1.0 specification.
constexpr double REFERENCE_BDP = 150000;   ///< 100 Gb/s times 12 us, bytes
constexpr double REFERENCE_RTT_NS = 12000; ///< 12 us
constexpr double MOST_BDPS = 1.5;          ///< largest window in bandwidth-delay products
constexpr double ALPHA_PACKETS = 4;        ///< alpha: packets per target delay
constexpr double FAIR_PACKETS = 5;         ///< fi: packets
constexpr double FAST_SCALE = 0.25;        ///< fi_scale
constexpr double ETA_PACKETS = 0.15;       ///< eta: packets
constexpr double GAMMA = 0.8;              ///< gamma
constexpr double LEAST_FACTOR = 0.5;       ///< smallest factor by which a decrease multiplies cwnd
constexpr double ADJUST_PACKETS = 8; ///< pending increases are applied to cwnd after the bytes of
                                     ///< this many packets have been received

// Constants that the specification does not define. The values are from the simulator uet-htsim.
constexpr double NO_DELAY_NS = 1000;           ///< a delay below this value is treated as 0, ns
constexpr double AVERAGE_WEIGHT = 0.0125;      ///< weight of a sample in the average delay
constexpr double UNMARKED_SHARE = 0.25;        ///< if a packet was not marked, although its delay
                                               ///< exceeds the target, this multiple of the base
                                               ///< RTT replaces the delay in the average
constexpr double PENDING_MODULUS = 4294967296; ///< modulus of the pending increase if PendingWraps

} // namespace

TypeId
RdmaNscc::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaNscc, RdmaCongestionOps>("ns3::RdmaNscc")
            .Presets(
                "nscc;nscc:drop=TargetShare:1,QaThreshold:4;"
                "nscc:htsim=PayloadUnits:true,QaThreshold:4,AverageIfNoRtt:true,AskEarly:true,"
                "PendingWraps:true;"
                "nscc:htsim-drop=PayloadUnits:true,QaThreshold:4,AverageIfNoRtt:true,AskEarly:true,"
                "TargetShare:1,PendingWraps:true;"
                "nscc:median=MedianOf:4")
            .Attribute("T",
                       "Base RTT T. 0: the base RTT of the network.",
                       HpccField(&RdmaNscc::m_baseRtt, Time(0), Time(0)))
            .Attribute("TargetShare",
                       "Target queueing delay as a multiple of T: 0.75 if switches trim, else 1.",
                       HpccField(&RdmaNscc::m_targetShare, 0.75, 0.01, 100))
            .Attribute("QaThreshold",
                       "Queueing delay, as a multiple of the target, above which quick adapt may "
                       "act. 0: delay does not trigger it.",
                       HpccField(&RdmaNscc::m_qaThreshold, 0, 0))
            .Attribute("QaGate",
                       "Quick adapt acts only if the bytes received in its period are below the "
                       "largest window times 2 to the power of -QaGate.",
                       HpccField(&RdmaNscc::m_qaGate, 3, 0, 16))
            .Attribute("MedianOf",
                       "Number of newest delays whose median is used, at most half a window of "
                       "packets. 0: the newest delay is used.",
                       HpccField(&RdmaNscc::m_medianOf, 0, 0, RdmaNsccState::MOST_DELAYS))
            .Attribute(
                "PayloadUnits",
                "Whether alpha, fi and eta are in units of a packet's payload. False: of its size.",
                HpccField(&RdmaNscc::m_payloadUnits, false))
            .Attribute("AverageIfNoRtt",
                       "Whether an acknowledgement without an RTT sample is handled with the "
                       "average delay. False: it does not change the window.",
                       HpccField(&RdmaNscc::m_averageIfNoRtt, false))
            .Attribute("AskEarly",
                       "Whether a packet requests an acknowledgement also if one more packet fills "
                       "the window exactly. False: only if the window has no room for one more.",
                       HpccField(&RdmaNscc::m_askEarly, false))
            .Attribute("PendingWraps",
                       "Whether the pending increase is stored modulo 2^32, as in uet-htsim.",
                       HpccField(&RdmaNscc::m_pendingWraps, false))
            .Attribute("InitialPackets",
                       "Initial window, packets. 0: the largest window.",
                       HpccField(&RdmaNscc::m_initial, 0))
            .Attribute("Marking",
                       "Value that EcnMarker::Thresholds of the switches should have. Default: 0.2 "
                       "and 0.8 bandwidth-delay products of 12 us.",
                       HpccField(&RdmaNscc::m_marking, "100Gbps:30000:120000:1"));
    return tid;
}

RdmaPolicyDescription
RdmaNscc::Describe(const TelemetryCapabilities*) const
{
    RdmaPolicyDescription needs;
    needs.ecn = RdmaPolicyDescription::ECT0;
    needs.rttOfEachAck = true;
    needs.reactsToTrims = true;
    needs.marking = m_marking;
    return needs;
}

std::string
RdmaNscc::Validate(int64_t, const TelemetryCapabilities*) const
{
    return ValidateBaseRtt(m_baseRtt);
}

void
RdmaNscc::DoOpen(RdmaNsccState& state, const RdmaFlowInfo& info, int64_t nowNs)
{
    state.networkRttNs = BaseRttNs(m_baseRtt);
    state.bytesPerNs = static_cast<double>(info.lineRateBps) / 8e9;
    state.payloadBytes = info.mtuBytes;
    state.packetBytes = info.mtuBytes + info.headerBytes;
    const double a = state.networkRttNs * state.bytesPerNs / REFERENCE_BDP;
    state.targetNs = m_targetShare * state.networkRttNs;
    const double b = state.targetNs / REFERENCE_RTT_NS;
    const double unit = m_payloadUnits ? state.payloadBytes : state.packetBytes;
    state.alpha = ALPHA_PACKETS * unit * a * b / state.targetNs;
    state.fairIncrease = FAIR_PACKETS * unit * a;
    state.fastScale = FAST_SCALE * a;
    state.eta = ETA_PACKETS * unit * a;
    state.baseRttNs = state.networkRttNs;
    state.maxWindow = MOST_BDPS * state.baseRttNs * state.bytesPerNs;
    state.cwnd = m_initial > 0 ? m_initial * state.packetBytes : state.maxWindow;
    Clamp(state);
    state.adjustedNs = static_cast<double>(nowNs);
    state.decreasedNs = static_cast<double>(nowNs);
}

RdmaCongestionSample
RdmaNscc::Observe(const RdmaCongestionState* state) const
{
    RdmaCongestionSample sample;
    sample.windowBytes = Own(state).windowBytes;
    return sample;
}

void
RdmaNscc::OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack)
{
    auto& own = Own(state);
    if (ack.negative)
    {
        return;
    }
    const double scale = own.packetBytes / own.payloadBytes;
    const double bytes =
        scale * (ack.receivedBytes >= 0 ? static_cast<double>(ack.receivedBytes)
                                        : static_cast<double>(ack.newlyAckedBytes));
    own.achieved += bytes;
    own.received += bytes;
    own.ignored += bytes;
    own.selective = own.selective || ack.receivedBytes >= 0;
    const bool marked = ack.congestionExperienced;
    double delayNs = own.averageNs;
    if (ack.rttNs >= 0)
    {
        TakeRtt(own, static_cast<double>(ack.rttNs));
        delayNs = Filter(own, static_cast<double>(ack.rttNs) - own.baseRttNs);
        FeedAverage(own, delayNs, marked);
    }
    else if (!m_averageIfNoRtt)
    {
        return;
    }
    const Event event{static_cast<double>(ack.nowNs),
                      bytes,
                      delayNs,
                      marked,
                      false,
                      scale * static_cast<double>(ack.inFlightBytes)};
    if (!QuickAdapt(own, event))
    {
        Quadrant(own, event);
        Clamp(own);
        Fulfil(own, event.nowNs);
    }
    Clamp(own);
}

void
RdmaNscc::OnLoss(RdmaCongestionState* state, const RdmaLossInfo& loss)
{
    auto& own = Own(state);
    const bool one = loss.lostBytes > 0; // the lost packet is known, because SACKs are used
    const bool sacks = own.selective || loss.inFlightBytes > 0;
    const double size = one ? loss.lostBytes + own.packetBytes - own.payloadBytes : own.packetBytes;
    if (loss.cause == RdmaLossInfo::TIMEOUT)
    {
        own.cwnd = one ? own.cwnd - size : own.packetBytes;
    }
    else if (loss.cause == RdmaLossInfo::TRIMMED || !(one || sacks))
    {
        if (loss.rttNs >= 0)
        {
            TakeRtt(own, static_cast<double>(loss.rttNs));
        }
        own.ignored += size;
        FeedAverage(own, own.networkRttNs, true);
        own.trimmed = true;
        const double inFlight =
            own.packetBytes / own.payloadBytes * static_cast<double>(loss.inFlightBytes);
        if (!QuickAdapt(own, {static_cast<double>(loss.nowNs), 0, 0, true, true, inFlight}))
        {
            own.cwnd -= size;
        }
    }
    Clamp(own);
}

void
RdmaNscc::TakeRtt(RdmaNsccState& state, double rttNs) const
{
    if (rttNs < state.baseRttNs)
    {
        state.baseRttNs = rttNs;
        state.maxWindow = MOST_BDPS * rttNs * state.bytesPerNs;
    }
}

void
RdmaNscc::FeedAverage(RdmaNsccState& state, double delayNs, bool marked) const
{
    const double fed =
        !marked && delayNs > state.targetNs ? UNMARKED_SHARE * state.baseRttNs : delayNs;
    state.averageNs += AVERAGE_WEIGHT * (fed - state.averageNs);
}

double
RdmaNscc::Filter(RdmaNsccState& state, double delayNs) const
{
    if (m_medianOf == 0)
    {
        return delayNs;
    }
    state.delays[state.samples++ % state.delays.size()] = delayNs;
    const double half = std::floor(state.cwnd / state.packetBytes / 2);
    const auto wanted = static_cast<uint64_t>(std::clamp<double>(half, 1, m_medianOf));
    const uint64_t count = std::min(wanted, state.samples);
    std::array<double, RdmaNsccState::MOST_DELAYS> newest{};
    for (uint64_t i = 0; i < count; ++i)
    {
        newest[i] = state.delays[(state.samples - 1 - i) % state.delays.size()];
    }
    const auto middle = newest.begin() + static_cast<std::ptrdiff_t>((count - 1) / 2);
    std::nth_element(newest.begin(), middle, newest.begin() + static_cast<std::ptrdiff_t>(count));
    return *middle;
}

bool
RdmaNscc::QuickAdapt(RdmaNsccState& state, const Event& event) const
{
    bool done = false;
    if (state.ignored < state.toIgnore && event.marked)
    {
        done = true;
    }
    else if (event.nowNs > state.adaptEndNs)
    {
        const bool slow = m_qaThreshold > 0 && event.delayNs > m_qaThreshold * state.targetNs;
        const double gate = std::ldexp(state.maxWindow, -static_cast<int>(m_qaGate));
        if (state.adaptEndNs > 0 && (state.trimmed || event.lost || slow) && state.achieved < gate)
        {
            state.cwnd = std::max(state.achieved, state.packetBytes);
            state.toIgnore = event.inFlight;
            state.ignored = 0;
            state.trimmed = false;
            done = true;
        }
        state.achieved = 0;
        state.adaptEndNs = event.nowNs + state.baseRttNs + state.targetNs;
    }
    if (done)
    {
        state.pending = 0;
        state.received = 0;
    }
    return done;
}

void
RdmaNscc::Quadrant(RdmaNsccState& state, const Event& event) const
{
    if (event.delayNs >= state.targetNs)
    {
        if (event.marked)
        {
            Decrease(state, event.nowNs);
        }
        else
        {
            AddPending(state, state.fairIncrease * event.bytes);
        }
    }
    else if (!event.marked && !FastIncrease(state, event))
    {
        AddPending(state, state.alpha * event.bytes * (state.targetNs - event.delayNs));
    }
}

void
RdmaNscc::AddPending(RdmaNsccState& state, double increase) const
{
    state.pending += increase;
    if (m_pendingWraps)
    {
        state.pending = std::fmod(state.pending, PENDING_MODULUS);
    }
}

bool
RdmaNscc::FastIncrease(RdmaNsccState& state, const Event& event) const
{
    if (event.delayNs >= NO_DELAY_NS)
    {
        state.fastCount = 0;
        state.fast = false;
        return false;
    }
    state.fastCount += event.bytes;
    state.fast = state.fast || state.fastCount > state.cwnd;
    state.cwnd += state.fast ? event.bytes * state.fastScale : 0;
    return state.fast;
}

void
RdmaNscc::Decrease(RdmaNsccState& state, double nowNs) const
{
    state.fast = false;
    state.fastCount = 0;
    if (state.averageNs > state.targetNs && nowNs - state.decreasedNs > state.baseRttNs)
    {
        const double over = (state.averageNs - state.targetNs) / state.averageNs;
        state.cwnd *= std::max(1 - GAMMA * over, LEAST_FACTOR);
        state.decreasedNs = nowNs;
    }
}

void
RdmaNscc::Fulfil(RdmaNsccState& state, double nowNs)
{
    const bool periodOver = nowNs - state.adjustedNs > state.networkRttNs;
    if (state.received <= ADJUST_PACKETS * state.packetBytes && !periodOver)
    {
        return;
    }
    state.cwnd += state.pending / state.cwnd;
    if (periodOver)
    {
        state.cwnd += state.eta;
        state.adjustedNs = nowNs;
    }
    state.pending = 0;
    state.received = 0;
}

void
RdmaNscc::Clamp(RdmaNsccState& state) const
{
    state.cwnd = std::max(std::min(state.cwnd, state.maxWindow), state.packetBytes);
    const double packets = state.cwnd / state.packetBytes;
    state.windowBytes = std::floor(packets) * state.payloadBytes;
    if (m_askEarly)
    {
        state.askBytes = (std::ceil(packets) - 1) * state.payloadBytes;
    }
}

} // namespace ns3
