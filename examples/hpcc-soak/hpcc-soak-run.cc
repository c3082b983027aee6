/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-soak-run.h"

#include "ns3/data-rate.h"
#include "ns3/hpcc-pfc-watchdog.h"
#include "ns3/hpcc-shared-buffer.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* PRIORITIES_BY_DSCP = "23:3,24:3,25:3,26:3,48:6,34:4,41:5,42:5";
constexpr uint8_t FIRST_CLASS = 3;        ///< priority of the first class, and of ACKs
constexpr uint8_t SECOND_CLASS = 4;       ///< priority of the second class
constexpr uint8_t CNPS = 6;               ///< priority of CNPs
constexpr int8_t SECOND_DSCP = 34;        ///< DSCP of the second class
constexpr int64_t FIRST_LOOK_NS = 100000; ///< simulated time of the first check for completion, ns
constexpr uint64_t MOST_HOPS = 500000;    ///< a run is stopped after this number of frames sent
                                          ///< over links, summed over all links
constexpr int64_t DEADLOCK_NS = 20000000; ///< a deadlocked run is stopped after this simulated
                                          ///< time, ns
constexpr int64_t QUIET_NS = 100000000;   ///< time after the last message within which the network
                                          ///< must become empty, ns

/// Returns the sum of the values of a function over all hosts.
template <typename Function>
uint64_t
SumOverHosts(const HpccFabricHelper& fabric, Function function)
{
    uint64_t sum = 0;
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        sum += function(*fabric.GetHost(host));
    }
    return sum;
}

} // namespace

HpccSoakRun::HpccSoakRun(const HpccSoakScenario& scenario)
    : m_scenario(scenario)
{
}

uint8_t
HpccSoakRun::Lossless() const
{
    switch (m_scenario.classes)
    {
    case HpccSoakScenario::LOSSY:
        return 0;
    case HpccSoakScenario::LOSSLESS:
    case HpccSoakScenario::MIXED:
        return 1U << FIRST_CLASS | 1U << CNPS;
    default:
        return 1U << FIRST_CLASS | 1U << SECOND_CLASS | 1U << CNPS;
    }
}

uint64_t
HpccSoakRun::GetSetAside(const HpccTopology& topology,
                         uint64_t reservedBytes,
                         uint32_t deviceMtu,
                         uint8_t lossless)
{
    constexpr uint64_t plenty = 1ULL << 40;
    uint64_t most = 0;
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        auto buffer = CreateObject<SharedBuffer>();
        buffer->SetAttribute("BufferBytes", UintegerValue(plenty));
        buffer->SetAttribute("ReservedBytes", UintegerValue(reservedBytes));
        for (const auto& link : topology.GetLinks())
        {
            if (link.a == node || link.b == node)
            {
                buffer->AddPort({link.rate.GetBitRate(),
                                 link.delay.GetNanoSeconds(),
                                 deviceMtu + 14 + MAX_TELEMETRY_TAG_BYTES + 24,
                                 lossless});
            }
        }
        most = std::max(most, plenty - buffer->GetSharedBytes());
    }
    return most;
}

void
HpccSoakRun::Configure()
{
    const auto& s = m_scenario;
    m_fabric.SetDeviceAttribute("DscpToPriority", StringValue(PRIORITIES_BY_DSCP));
    m_fabric.SetDeviceAttribute("LosslessPriorities", UintegerValue(Lossless()));
    for (const auto& [name, value] : s.device)
    {
        m_fabric.SetDeviceAttribute(name, StringValue(value));
    }
    for (const auto& [name, value] : s.host)
    {
        m_fabric.SetHostAttribute(name, StringValue(value));
    }
    m_fabric.SetHostAttribute("Recovery", StringValue(s.recovery));
    for (const auto& [name, value] : s.buffer)
    {
        m_fabric.SetBufferAttribute(name, StringValue(value));
    }
    m_fabric.SetBufferAttribute("ReservedBytes", UintegerValue(s.reservedBytes));
    const uint64_t setAside = GetSetAside(s.topology, s.reservedBytes, s.deviceMtu, Lossless());
    m_fabric.SetBufferAttribute("BufferBytes", UintegerValue(setAside + s.sharedBytes));
    if (s.headroomBytes > 0)
    {
        m_fabric.SetBufferAttribute("HeadroomBytes", UintegerValue(s.headroomBytes));
    }
    for (const auto& [name, value] : s.ecn)
    {
        m_fabric.SetEcnAttribute(name, StringValue(value));
    }
    m_fabric.SetMaxLag(NanoSeconds(s.maxLagNs));
    m_fabric.SetPaths(s.paths);
    m_fabric.SetEntropy(s.entropy, s.entropyValues);
    m_fabric.SetTrimming(s.trimming);
    PlanOutages();
}

void
HpccSoakRun::PlanOutages()
{
    m_fabric.SetConvergenceDelay(NanoSeconds(m_scenario.convergenceNs));
    for (const auto& outage : m_scenario.outages)
    {
        m_fabric.ScheduleLinkDown(outage.link, NanoSeconds(outage.downNs));
        if (outage.upNs > 0)
        {
            m_fabric.ScheduleLinkUp(outage.link, NanoSeconds(outage.upNs));
        }
    }
}

void
HpccSoakRun::SlowDown()
{
    for (const auto& slow : m_scenario.slowHosts)
    {
        QbbNetDevice& port = m_fabric.GetHost(slow.host)->GetPort();
        const uint64_t rate = port.GetRateBps();
        const uint64_t roundTrip =
            2 * static_cast<uint64_t>(port.GetQbbChannel()->GetDelayNs()) * rate / 8000000000 + 1;
        const uint64_t headroom = roundTrip + 3 * (port.GetMaxFrameBytes() + 24) + 8 * 84;
        port.SetAttribute("ReceiveDrainRate", DataRateValue(DataRate(rate * slow.percent / 100)));
        port.SetAttribute("ReceivePauseThreshold", UintegerValue(slow.pauseBytes));
        port.SetAttribute("ReceiveResumeThreshold", UintegerValue(slow.resumeBytes));
        port.SetAttribute("ReceiveBuffer", UintegerValue(slow.pauseBytes + headroom));
    }
}

void
HpccSoakRun::PlanStorms()
{
    for (const auto& storm : m_scenario.storms)
    {
        Simulator::Schedule(NanoSeconds(storm.fromNs), &HpccSoakRun::Storm, this, storm.host, true);
        Simulator::Schedule(NanoSeconds(storm.untilNs),
                            &HpccSoakRun::Storm,
                            this,
                            storm.host,
                            false);
    }
}

void
HpccSoakRun::Storm(uint32_t host, bool starts)
{
    m_fabric.CatchUp();
    QbbNetDevice& port = m_fabric.GetHost(host)->GetPort();
    if (!port.IsLinkUp())
    {
        return;
    }
    for (uint8_t priority : {FIRST_CLASS, SECOND_CLASS})
    {
        if (!starts)
        {
            port.ReleasePause(priority);
        }
        else if (port.GetLosslessPriorities() >> priority & 1)
        {
            port.RequestPause(priority);
        }
    }
}

void
HpccSoakRun::AddWatchdog()
{
    if (m_scenario.watchdog.empty())
    {
        return;
    }
    m_fabric.AddSwitchAgent(m_scenario.watchdog);
    for (uint32_t node = 0; node < m_scenario.topology.GetNodes(); ++node)
    {
        if (auto watchdog = m_fabric.GetNodes().Get(node)->GetObject<PfcWatchdog>())
        {
            watchdog->SetAttribute("DetectionTime", TimeValue(NanoSeconds(m_scenario.detectionNs)));
        }
    }
}

int8_t
HpccSoakRun::DscpOf(uint32_t host) const
{
    const bool second = m_scenario.classes != HpccSoakScenario::LOSSLESS &&
                        m_scenario.classes != HpccSoakScenario::LOSSY && host % 2;
    return second ? SECOND_DSCP : -1;
}

void
HpccSoakRun::Connect()
{
    std::vector<HpccFabricHelper::PolicySpec> specs;
    for (const auto& policy : m_scenario.policies)
    {
        specs.push_back(
            HpccFabricHelper::MakePolicy(policy, m_scenario.telemetry, m_scenario.feedback));
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> queuePairs;
    for (const auto& flow : m_scenario.flows)
    {
        auto [use, isNew] = queuePairs.try_emplace({flow.source, flow.destination});
        if (isNew || m_scenario.singleMessage)
        {
            auto spec = specs[flow.source % specs.size()];
            spec.dscp = DscpOf(flow.source);
            use->second = m_fabric.Connect(flow.source,
                                           flow.destination,
                                           spec,
                                           0,
                                           m_scenario.singleMessage,
                                           flow.verb == RdmaVerb::READ);
        }
        m_fabric.AddMessage(flow.source,
                            use->second,
                            flow.bytes,
                            NanoSeconds(flow.startNs),
                            flow.verb);
        auto& messages = m_messages[{HpccFabricHelper::GetAddress(flow.source), use->second}];
        messages.source = flow.source;
        messages.destination = flow.destination;
        messages.planned.insert(flow.bytes);
    }
}

void
HpccSoakRun::Build()
{
    Configure();
    m_fabric.Install(m_scenario.topology);
    SlowDown();
    AddWatchdog();
    m_fabric.AssignStreams(1);
    Connect();
    for (uint32_t host : m_scenario.topology.GetHosts())
    {
        auto stack = m_fabric.GetHost(host);
        stack->TraceConnectWithoutContext("MessageDelivered",
                                          MakeCallback(&HpccSoakRun::Delivered, this));
        stack->TraceConnectWithoutContext("MessageAcknowledged",
                                          MakeCallback(&HpccSoakRun::Acknowledged, this));
        stack->TraceConnectWithoutContext("Received", MakeCallback(&HpccSoakRun::Received, this));
    }
    for (const auto& device : m_fabric.GetDevices())
    {
        if (m_scenario.classes == HpccSoakScenario::MIXED)
        {
            device->TraceConnectWithoutContext("Drop", MakeCallback(&HpccSoakRun::Dropped, this));
        }
    }
    PlanStorms();
}

HpccSoakRun::Outcome
HpccSoakRun::Run(int64_t limitNs)
{
    int64_t stepNs = FIRST_LOOK_NS;
    int64_t nowNs = 0;
    int64_t doneNs = -1;
    while (nowNs < limitNs && CountHops() < MOST_HOPS &&
           !(doneNs >= 0 && (Leftovers().empty() || nowNs > doneNs + QUIET_NS)))
    {
        Simulator::Stop(NanoSeconds(stepNs));
        Simulator::Run();
        m_fabric.CatchUp();
        nowNs = Simulator::Now().GetNanoSeconds();
        NoteProgress(nowNs);
        if (doneNs < 0 && m_done == m_scenario.flows.size())
        {
            doneNs = nowNs;
            stepNs = FIRST_LOOK_NS;
        }
        else if (doneNs < 0 && (AreMissingCutOff() || IsDeadlocked(nowNs)))
        {
            break;
        }
        stepNs = std::min(stepNs + stepNs / 4, limitNs / 20);
    }
    Outcome outcome;
    outcome.endNs = nowNs;
    std::ostringstream wrong;
    CheckDrops(wrong);
    CheckMessages(wrong);
    if (doneNs >= 0)
    {
        wrong << Leftovers();
    }
    else
    {
        outcome.excuse = Excuse(nowNs, wrong);
    }
    for (const auto& device : m_fabric.GetDevices())
    {
        outcome.pauses += device->GetPauses();
        outcome.drops += device->GetDrops();
    }
    outcome.hops = CountHops();
    outcome.storms = CountStorms();
    outcome.timeouts =
        SumOverHosts(m_fabric, [](const RdmaHost& host) { return host.GetTimeouts(); });
    outcome.wrong = wrong.str();
    return outcome;
}

void
HpccSoakRun::Delivered(const RdmaMessageRecord& record)
{
    m_messages[{record.source, RdmaHost::IndexOfNumber(record.queuePair)}].delivered.insert(
        record.bytes);
}

void
HpccSoakRun::Acknowledged(const RdmaMessageRecord& record)
{
    ++m_done;
    m_messages[{record.source, RdmaHost::IndexOfNumber(record.queuePair)}].acknowledged.insert(
        record.bytes);
}

void
HpccSoakRun::Received(const RdmaQueuePair&, int64_t nowNs, uint32_t)
{
    m_movedNs = std::max(m_movedNs, nowNs);
}

void
HpccSoakRun::Dropped(Ptr<const Packet> packet, DropReason reason)
{
    // Copy the Ethernet header, which ends with the EtherType, and the first two bytes of the IP
    // header, which contain the DSCP (RFC 791, RFC 8200). If a tag follows the Ethernet header, the
    // class of the frame is unknown.
    std::array<uint8_t, 16> bytes{};
    packet->CopyData(bytes.data(), bytes.size());
    const auto type = static_cast<uint16_t>(bytes[12] << 8 | bytes[13]);
    const bool ipv4 = type == 0x0800;
    const uint8_t tos = ipv4 ? bytes[15] : static_cast<uint8_t>(bytes[14] << 4 | bytes[15] >> 4);
    if ((ipv4 || type == 0x86dd) && IsForMemory(reason) && tos >> 2 != SECOND_DSCP)
    {
        ++m_losslessDrops;
    }
}

bool
HpccSoakRun::IsForMemory(DropReason reason)
{
    return reason == DropReason::BUFFER_FULL || reason == DropReason::EGRESS_LIMIT ||
           reason == DropReason::RECEIVE_BUFFER;
}

HpccSoakRun::DropCounts
HpccSoakRun::CountDrops() const
{
    DropCounts drops{};
    for (const auto& device : m_fabric.GetDevices())
    {
        for (size_t i = 0; i < drops.size(); ++i)
        {
            drops[i] += device->GetDrops(static_cast<DropReason>(i));
        }
    }
    return drops;
}

void
HpccSoakRun::NoteProgress(int64_t nowNs)
{
    const DropCounts drops = CountDrops();
    const uint64_t lost = std::accumulate(drops.begin(), drops.end(), uint64_t{0});
    if (lost != m_lost)
    {
        m_lost = lost;
        m_lostNs = nowNs;
    }
}

bool
HpccSoakRun::LosesPauses() const
{
    return m_scenario.errorRate > 0 || !m_scenario.outages.empty();
}

bool
HpccSoakRun::MayDrop(DropReason reason) const
{
    const bool fails = !m_scenario.outages.empty();
    switch (reason)
    {
    case DropReason::RECEIVE_ERROR:
        return m_scenario.errorRate > 0;
    case DropReason::BUFFER_FULL:
        return m_scenario.classes >= HpccSoakScenario::MIXED || LosesPauses();
    case DropReason::EGRESS_LIMIT:
        return m_scenario.classes >= HpccSoakScenario::MIXED;
    case DropReason::RECEIVE_BUFFER:
        return LosesPauses() && !m_scenario.slowHosts.empty();
    case DropReason::LINK_DOWN:
    case DropReason::NO_ROUTE:
    case DropReason::TTL_EXPIRED:
        return fails;
    case DropReason::REFUSED: // the queue of trimmed packets may be full
        return m_scenario.trimming != "none";
    case DropReason::PFC_WATCHDOG:
        return !m_scenario.watchdog.empty() && CountStorms() > 0;
    default:
        return false;
    }
}

void
HpccSoakRun::CheckDrops(std::ostream& wrong) const
{
    const DropCounts drops = CountDrops();
    for (size_t i = 0; i < drops.size(); ++i)
    {
        const auto reason = static_cast<DropReason>(i);
        if (drops[i] > 0 && !MayDrop(reason))
        {
            wrong << drops[i] << " drops for " << ToString(reason) << "; ";
        }
    }
    if (m_losslessDrops > 0 && !LosesPauses())
    {
        wrong << m_losslessDrops << " drops for lack of memory under PFC; ";
    }
}

void
HpccSoakRun::CheckMessages(std::ostream& wrong) const
{
    for (const auto& [key, m] : m_messages)
    {
        auto holds = [](const auto& all, const auto& some) {
            return std::includes(all.begin(), all.end(), some.begin(), some.end());
        };
        if (!holds(m.planned, m.delivered) || !holds(m.delivered, m.acknowledged))
        {
            wrong << "queue pair " << key.second << " from host " << m.source << " to host "
                  << m.destination << ": of " << m.planned.size() << " messages "
                  << m.delivered.size() << " delivered, " << m.acknowledged.size()
                  << " acknowledged, or with other sizes; ";
        }
    }
}

std::string
HpccSoakRun::Leftovers() const
{
    std::ostringstream left;
    for (const auto& device : m_fabric.GetDevices())
    {
        if (device->GetPauses() != device->GetPausesEnded() || device->GetQueueBytes() != 0)
        {
            left << "node " << device->GetNode()->GetId() << " port " << device->GetPortIndex()
                 << ": " << device->GetPauses() - device->GetPausesEnded() << " pauses, "
                 << device->GetQueueBytes() << " bytes left; ";
        }
    }
    for (uint32_t node = 0; node < m_scenario.topology.GetNodes(); ++node)
    {
        const auto frames =
            NodeAgenda::Of(m_fabric.GetNodes().Get(node))->Frames().GetOutstanding();
        if (frames != 0)
        {
            left << frames << " frames of node " << node << " left; ";
        }
        if (m_scenario.topology.IsSwitch(node) && !m_fabric.GetSwitch(node)->GetBuffer()->IsEmpty())
        {
            left << "memory of switch " << node << " not empty; ";
        }
    }
    return left.str();
}

uint64_t
HpccSoakRun::CountHops() const
{
    const auto& devices = m_fabric.GetDevices();
    return std::accumulate(
        devices.begin(),
        devices.end(),
        uint64_t{0},
        [](uint64_t hops, const auto& device) { return hops + device->GetTxFrames(); });
}

uint64_t
HpccSoakRun::CountStorms() const
{
    uint64_t storms = 0;
    for (uint32_t node = 0; node < m_scenario.topology.GetNodes(); ++node)
    {
        if (auto watchdog = m_fabric.GetNodes().Get(node)->GetObject<PfcWatchdog>())
        {
            storms += watchdog->GetStorms();
        }
    }
    return storms;
}

bool
HpccSoakRun::AreMissingCutOff() const
{
    const auto& topology = m_scenario.topology;
    std::vector<uint32_t> part(topology.GetNodes());
    std::iota(part.begin(), part.end(), 0);
    // Find the connected parts of the network without the links that failed for good. A part is
    // identified by its smallest node number. Each pass propagates this number over further links.
    for (bool changes = true; changes;)
    {
        changes = false;
        for (uint32_t i = 0; i < topology.GetLinks().size(); ++i)
        {
            const auto& link = topology.GetLinks()[i];
            const bool gone = std::any_of(
                m_scenario.outages.begin(),
                m_scenario.outages.end(),
                [i](const auto& outage) { return outage.link == i && outage.upNs == 0; });
            if (!gone && part[link.a] != part[link.b])
            {
                part[link.a] = part[link.b] = std::min(part[link.a], part[link.b]);
                changes = true;
            }
        }
    }
    return std::all_of(m_messages.begin(), m_messages.end(), [&part](const auto& entry) {
        const Messages& m = entry.second;
        return m.acknowledged == m.planned || part[m.source] != part[m.destination];
    });
}

bool
HpccSoakRun::IsDeadlocked(int64_t nowNs) const
{
    return nowNs > DEADLOCK_NS && m_movedNs < nowNs / 2 && m_lostNs < nowNs / 2 &&
           !m_fabric.FindPauseCycle().empty();
}

std::string
HpccSoakRun::Excuse(int64_t nowNs, std::ostream& wrong) const
{
    if (AreMissingCutOff())
    {
        return "cut off";
    }
    const int64_t recentNs = nowNs / 4;
    if (m_lostNs >= nowNs - recentNs)
    {
        return "still losing";
    }
    if (m_movedNs >= nowNs - recentNs)
    {
        return "slow";
    }
    if (!m_fabric.FindPauseCycle().empty())
    {
        if (!m_scenario.watchdog.empty() && CountStorms() == 0)
        {
            wrong << "a cyclic buffer dependency that the watchdog has not seen; ";
        }
        return "deadlock";
    }
    wrong << m_scenario.flows.size() - m_done << " of " << m_scenario.flows.size()
          << " messages are stuck, nothing has arrived since " << m_movedNs << " ns; ";
    return "stuck";
}

} // namespace ns3
