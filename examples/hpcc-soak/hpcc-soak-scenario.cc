/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-soak-scenario.h"

#include "ns3/hpcc-flow-sizes.h"
#include "ns3/hpcc-packet-trimmer.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-entropy.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-repathing.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint64_t LARGEST_BUDGET = 1500000; ///< largest payload of all flows of a run, bytes
constexpr uint64_t MOST_FLOWS = 300;         ///< largest number of messages of a run
constexpr const char* WRAPPER = "NAME";      ///< placeholder for the wrapped policy in
                                             ///< HpccPresets::Choices()

/// Returns the values of a list such as "a, b, c".
std::vector<std::string>
Split(const std::string& choices)
{
    std::vector<std::string> names;
    std::istringstream in(choices);
    std::string name;
    while (std::getline(in >> std::ws, name, ','))
    {
        names.push_back(name);
    }
    return names;
}

/// Returns true if the recovery of a scenario uses SACKs.
/// @param s a scenario
bool
UsesSacks(const HpccSoakScenario& s)
{
    ObjectFactory recovery;
    HpccPresets::Find(RdmaRecovery::GetTypeId(), s.recovery, recovery);
    return recovery.Create<RdmaRecovery>()->UsesSacks();
}

template <typename T>
std::string
Text(const T& value)
{
    std::ostringstream out;
    out << value;
    return out.str();
}

} // namespace

HpccSoakScenario::Attributes
HpccSoakScenario::Describe() const
{
    constexpr const char* classNames[] = {"lossless", "strict", "weighted", "mixed", "lossy"};
    static_assert(sizeof(classNames) / sizeof(classNames[0]) == CLASSES);
    uint64_t bytes = 0;
    for (const auto& flow : flows)
    {
        bytes += flow.bytes;
    }
    const bool forGood = std::any_of(outages.begin(), outages.end(), [](const auto& outage) {
        return outage.upNs == 0;
    });
    return {{"network", network},
            {"hosts", Text(topology.GetHosts().size())},
            {"cc", policies.front()},
            {"other_cc", policies.size() > 1 ? policies.back() : "none"},
            {"telemetry", telemetry.empty() ? "own" : telemetry},
            {"feedback", feedback},
            {"recovery", recovery},
            {"paths", paths},
            {"classes", classNames[classes]},
            {"workload", workload},
            {"verb",
             flows.empty()                          ? "none"
             : flows.front().verb == RdmaVerb::READ ? "read"
             : flows.front().verb == RdmaVerb::SEND ? "send"
                                                    : "write"},
            {"flows", Text(flows.size())},
            {"bytes", Text(bytes)},
            {"shared_bytes", Text(sharedBytes)},
            {"error_rate", Text(errorRate)},
            {"outages", forGood ? "for good" : Text(outages.size())},
            {"host_storms", Text(storms.size())},
            {"slow_hosts", Text(slowHosts.size())},
            {"watchdog", watchdog.empty() ? "none" : watchdog},
            {"entropy", entropy},
            {"trimming", trimming}};
}

HpccSoakDraw::HpccSoakDraw(uint64_t seed)
    : m_random(seed)
{
}

uint64_t
HpccSoakDraw::Uniform(uint64_t low, uint64_t high)
{
    return low + m_random() % (high - low + 1);
}

double
HpccSoakDraw::Share()
{
    return static_cast<double>(m_random() >> 11) * 0x1p-53;
}

uint64_t
HpccSoakDraw::LogUniform(uint64_t low, uint64_t high)
{
    const double ratio = static_cast<double>(high) / static_cast<double>(low);
    return static_cast<uint64_t>(
        std::lround(static_cast<double>(low) * std::exp(Share() * std::log(ratio))));
}

int64_t
HpccSoakDraw::TimeNs(uint64_t low, uint64_t high)
{
    return static_cast<int64_t>(LogUniform(low, high));
}

bool
HpccSoakDraw::OneIn(uint64_t n)
{
    return Uniform(1, n) == 1;
}

template <typename T>
T
HpccSoakDraw::OneOf(std::initializer_list<T> choices)
{
    return choices.begin()[m_random() % choices.size()];
}

std::string
HpccSoakDraw::OneOf(const std::vector<std::string>& choices)
{
    return choices[m_random() % choices.size()];
}

DataRate
HpccSoakDraw::Rate()
{
    return DataRate(OneOf<uint64_t>({10, 25, 40, 50, 100, 200, 400}) * 1000000000);
}

std::string
HpccSoakDraw::Policy()
{
    const TypeId base = RdmaCongestionOps::GetTypeId();
    std::string policy = OneOf(HpccPresets::Names(base));
    std::vector<std::string> suffixes;
    for (const auto& choice : Split(HpccPresets::Choices(base)))
    {
        if (choice.rfind(WRAPPER, 0) == 0)
        {
            suffixes.push_back(choice.substr(std::string(WRAPPER).size()));
        }
    }
    if (!suffixes.empty() && OneIn(5))
    {
        policy += OneOf(suffixes);
    }
    return policy;
}

HpccSoakScenario
HpccSoakDraw::Draw()
{
    HpccSoakScenario s;
    DrawNetwork(s);
    DrawPolicies(s);
    DrawAttributes(s);
    DrawTraffic(s);
    DrawTrouble(s);
    DrawSpraying(s);
    return s;
}

HpccTopology
HpccSoakDraw::DrawPlan(HpccSoakScenario& s)
{
    auto number = [this](uint64_t low, uint64_t high) {
        return static_cast<uint32_t>(Uniform(low, high));
    };
    s.network = OneOf<const char*>(
        {"star", "dumbbell", "leaf-spine", "fat-tree", "parking-lot", "mixed-rates", "ring"});
    if (s.network == "star")
    {
        return HpccTopology::Star(number(3, 16), {});
    }
    if (s.network == "dumbbell")
    {
        const uint32_t left = number(1, 8);
        return HpccTopology::Dumbbell(left, number(2, 8), {});
    }
    if (s.network == "leaf-spine")
    {
        const uint32_t leaves = number(2, 4);
        const uint32_t spines = number(1, 3);
        return HpccTopology::LeafSpine(leaves, spines, number(2, 5), {});
    }
    if (s.network == "fat-tree")
    {
        return HpccTopology::FatTree(4, {});
    }
    if (s.network == "parking-lot")
    {
        return HpccTopology::ParkingLot(number(1, 5), {});
    }
    if (s.network == "mixed-rates")
    {
        std::vector<DataRate> rates(number(2, 4));
        std::generate(rates.begin(), rates.end(), [this] { return Rate(); });
        const uint32_t spines = number(1, 3);
        return HpccTopology::MixedRates(spines, number(1, 4), rates, {});
    }
    HpccTopology ring;
    const uint32_t switches = number(3, 7);
    for (uint32_t node = 0; node < 2 * switches; ++node)
    {
        ring.AddNode(node >= switches);
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        ring.AddLink({i, switches + i, Rate(), MicroSeconds(1)});
        ring.AddLink({switches + i, switches + (i + 1) % switches, Rate(), MicroSeconds(1)});
    }
    return ring;
}

void
HpccSoakDraw::DrawNetwork(HpccSoakScenario& s)
{
    const HpccTopology plan = DrawPlan(s);
    const bool sameRate = OneIn(2);
    const bool sameDelay = OneIn(2);
    const DataRate rate = Rate();
    const Time delay = NanoSeconds(TimeNs(1, 10000));
    // Error rates are so low that at most a few percent of the packets of a path are lost.
    const bool errors = OneIn(6);
    for (uint32_t i = 0; i < plan.GetNodes(); ++i)
    {
        s.topology.AddNode(plan.IsSwitch(i));
    }
    for (const auto& link : plan.GetLinks())
    {
        HpccTopology::Link copy = link;
        copy.rate = s.network == "mixed-rates" ? link.rate : sameRate ? rate : Rate();
        copy.delay = sameDelay ? delay : NanoSeconds(TimeNs(1, 10000));
        copy.errorRate = errors && OneIn(2) ? 1e-6 * static_cast<double>(LogUniform(10, 5000)) : 0;
        s.errorRate = std::max(s.errorRate, copy.errorRate);
        s.topology.AddLink(copy);
    }
}

void
HpccSoakDraw::DrawPolicies(HpccSoakScenario& s)
{
    s.policies.push_back(Policy());
    if (OneIn(4))
    {
        s.policies.push_back(Policy());
    }
    if (OneIn(2))
    {
        s.telemetry = OneOf(HpccPresets::Names(TelemetryFormat::GetTypeId()));
    }
    s.feedback = OneOf(HpccPresets::Names(RdmaFeedbackPart::GetTypeId()));
    if (OneIn(2))
    {
        s.feedback = "packet";
    }
    s.recovery = OneOf(HpccPresets::Names(RdmaRecovery::GetTypeId()));
    std::vector<std::string> paths = HpccPresets::Names(PathSelector::GetTypeId());
    for (const auto& name : HpccPresets::Names(RdmaRepathing::GetTypeId()))
    {
        paths.push_back(name);
    }
    s.paths = OneIn(2) ? OneOf(paths) : "ecmp";
    s.classes = static_cast<HpccSoakScenario::Classes>(Uniform(0, HpccSoakScenario::CLASSES - 1));
    if (OneIn(3))
    {
        s.classes = HpccSoakScenario::LOSSLESS;
    }
}

void
HpccSoakDraw::DrawAttributes(HpccSoakScenario& s)
{
    auto time = [this](uint64_t low, uint64_t high) { return Text(TimeNs(low, high)) + "ns"; };
    const auto mtu = OneOf<uint32_t>({256, 1000, 1024, 4096, 8192});
    // The MTU of a port is one of two values. The first is the payload plus 600 bytes, which are
    // usually enough for headers and telemetry. The second is 9216, the default for jumbo frames.
    s.deviceMtu = OneOf<uint32_t>({mtu + 600, 9216});
    s.device = {{"Mtu", Text(s.deviceMtu)},
                {"EthernetOverhead", OneIn(4) ? "false" : "true"},
                {"PauseQuanta", Text(LogUniform(320, 65535))}};
    if (s.classes == HpccSoakScenario::WEIGHTED)
    {
        const uint64_t weight = Uniform(1, 8);
        s.device.emplace_back("Weights", "3:" + Text(weight) + ",4:" + Text(Uniform(1, 8)));
        s.device.emplace_back("Quantum", Text(LogUniform(500, 20000)));
    }
    s.host = {{"Mtu", Text(mtu)},
              {"AckInterval", Text(OneOf<uint32_t>({1, 1, 4, 32}))},
              {"AckDelay", time(1000, 50000)},
              {"RetransmitTimeout", time(200000, 4000000)},
              {"NakInterval", time(5000, 500000)},
              {"CongestionEcho", OneIn(4) ? "Ack" : "Cnp"},
              {"RetimePending", OneIn(4) ? "false" : "true"},
              {"Ipv6", OneIn(8) ? "true" : "false"},
              {"FeedbackKey", OneIn(8) ? "secret" : ""}};
    s.reservedBytes = OneOf<uint64_t>({0, 2000, 4096});
    // If a class is lossy, the memory is so large that a queue can hold at least two frames, even
    // with the smallest share of the memory.
    const bool drops = s.classes >= HpccSoakScenario::MIXED;
    s.sharedBytes = LogUniform(drops ? 16 * (mtu + 600) : 1000, 3000000);
    s.buffer = {{"Alpha", Text(std::ldexp(1, -static_cast<int>(Uniform(0, 7))))},
                {"EgressAlpha", Text(std::ldexp(1, 2 - static_cast<int>(Uniform(0, 5))))},
                {"ResumeOffset", Text(Uniform(0, 10000))}};
    s.ownMarking = OneIn(2);
    const uint64_t kmin = LogUniform(1000, 50000);
    s.ecn = {{"Thresholds", "100Gbps:" + Text(kmin) + ":" + Text(kmin * Uniform(1, 4)) + ":0.5"}};
    s.maxLagNs = OneIn(3) ? 0 : 1000;
}

void
HpccSoakDraw::DrawTraffic(HpccSoakScenario& s)
{
    s.workload =
        OneOf<const char*>({"incast", "poisson", "all-to-all", "permutation", "elephants"});
    s.singleMessage = OneIn(2);
    const uint64_t budget = LogUniform(50000, LARGEST_BUDGET);
    if (s.workload == "poisson")
    {
        DrawPoisson(s, budget);
    }
    else
    {
        DrawPattern(s, budget);
    }
    const auto verb = OneOf({RdmaVerb::WRITE, RdmaVerb::WRITE, RdmaVerb::SEND, RdmaVerb::READ});
    for (auto& flow : s.flows)
    {
        flow.verb = UsesSacks(s) ? RdmaVerb::WRITE : verb;
    }
}

void
HpccSoakDraw::DrawPoisson(HpccSoakScenario& s, uint64_t budget)
{
    const auto hosts = s.topology.GetHosts();
    const auto sizes = HpccFlowSizes::Load(OneOf(Split(HpccFlowSizes::Choices())));
    const double load = 0.1 + 0.8 * Share();
    // Compute the mean gap between flows as if every host had 100 Gb/s, which is 80 ps per byte.
    const double gapNs = sizes.GetMeanBytes() * 0.08 / load / static_cast<double>(hosts.size());
    double startNs = 0;
    for (uint64_t bytes = 0; bytes < budget && s.flows.size() < MOST_FLOWS;)
    {
        startNs -= gapNs * std::log(1 - Share());
        const size_t source = Uniform(0, hosts.size() - 1);
        const size_t step = Uniform(1, hosts.size() - 1);
        const uint64_t size = std::min(sizes.GetBytes(Share()), budget - bytes);
        s.flows.push_back({hosts[source],
                           hosts[(source + step) % hosts.size()],
                           size,
                           static_cast<int64_t>(startNs),
                           0,
                           0});
        bytes += size;
    }
}

void
HpccSoakDraw::DrawPattern(HpccSoakScenario& s, uint64_t budget)
{
    auto hosts = s.topology.GetHosts();
    std::shuffle(hosts.begin(), hosts.end(), m_random);
    const size_t n = hosts.size();
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    const size_t receivers = s.workload == "incast" && n > 3 ? Uniform(1, 2) : 1;
    const size_t some = s.workload == "elephants" ? std::min<size_t>(n, 3) : n;
    for (size_t i = 0; i < some; ++i)
    {
        if (s.workload == "incast" && i >= receivers)
        {
            pairs.emplace_back(hosts[i], hosts[Uniform(0, receivers - 1)]);
        }
        for (size_t step = 1; s.workload == "all-to-all" && step < n; ++step)
        {
            pairs.emplace_back(hosts[i], hosts[(i + step) % n]);
        }
        if (s.workload == "permutation" || s.workload == "elephants")
        {
            pairs.emplace_back(hosts[i], hosts[(i + 1) % n]);
        }
    }
    const uint64_t largest = std::max<uint64_t>(budget / pairs.size(), 1);
    const bool together = OneIn(2);
    for (const auto& [source, destination] : pairs)
    {
        for (uint64_t messages = Uniform(1, 3); messages > 0; --messages)
        {
            const uint64_t bytes = OneIn(2) ? largest : LogUniform(1, largest);
            const auto startNs = static_cast<int64_t>(together ? 0 : Uniform(0, 50000));
            s.flows.push_back({source, destination, bytes, startNs, 0, 0});
        }
    }
}

void
HpccSoakDraw::DrawTrouble(HpccSoakScenario& s)
{
    const auto hosts = s.topology.GetHosts();
    s.convergenceNs = TimeNs(1000, 200000);
    for (uint64_t i = OneIn(4) ? Uniform(1, 3) : 0; i > 0; --i)
    {
        const auto link = static_cast<uint32_t>(Uniform(0, s.topology.GetLinks().size() - 1));
        const bool taken = std::any_of(s.outages.begin(), s.outages.end(), [link](const auto& o) {
            return o.link == link;
        });
        const bool forGood = OneIn(10);
        int64_t atNs = TimeNs(1000, 200000);
        for (uint64_t flaps = forGood ? 1 : Uniform(1, 3); !taken && flaps > 0; --flaps)
        {
            const int64_t upNs = atNs + TimeNs(1000, 500000);
            s.outages.push_back({link, atNs, forGood ? 0 : upNs});
            atNs = upNs + TimeNs(1, 200000);
        }
    }
    for (uint64_t i = OneIn(6) ? Uniform(1, 2) : 0; i > 0; --i)
    {
        const int64_t fromNs = TimeNs(1, 100000);
        s.storms.push_back(
            {hosts[Uniform(0, hosts.size() - 1)], fromNs, fromNs + TimeNs(10000, 3000000)});
    }
    for (uint32_t host : hosts)
    {
        if (s.classes != HpccSoakScenario::LOSSY && s.classes != HpccSoakScenario::MIXED &&
            OneIn(24))
        {
            const uint64_t threshold = LogUniform(1, 50000);
            s.slowHosts.push_back(
                {host, static_cast<uint32_t>(LogUniform(2, 95)), threshold, Uniform(0, threshold)});
        }
    }
    if (OneIn(3))
    {
        s.watchdog = OneOf<const char*>({"pfc-watchdog", "pfc-watchdog:drop"});
        s.detectionNs = TimeNs(20000, 1000000);
    }
}

void
HpccSoakDraw::DrawSpraying(HpccSoakScenario& s)
{
    if (!UsesSacks(s))
    {
        return;
    }
    if (!OneIn(4))
    {
        s.entropy = OneOf(HpccPresets::Names(RdmaEntropy::GetTypeId()));
        s.entropyValues = OneOf<uint32_t>({1, 2, 16, 64, 1024});
        s.paths = OneIn(8) ? s.paths : "ecmp"; // in some scenarios with an entropy, other paths
                                               // remain; the module may refuse such scenarios
    }
    if (OneIn(2))
    {
        s.trimming = OneOf(HpccPresets::Names(PacketTrimmer::GetTypeId()));
        if (!OneIn(8)) // in some scenarios with trimming, other classes remain; the module may
                       // refuse such scenarios
        {
            s.classes = HpccSoakScenario::LOSSY;
            s.sharedBytes = std::max<uint64_t>(s.sharedBytes, 16 * s.deviceMtu);
            s.slowHosts.clear();
        }
    }
}

} // namespace ns3
