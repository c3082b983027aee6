/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-migration.h"

#include "rdma-queue-pair.h"

#include "ns3/hpcc-type-id.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaMigration);

namespace
{

constexpr int64_t DEFAULT_T_NS = 10000; ///< T if the base RTT is unknown, ns
constexpr uint32_t ROUNDS = 3;          ///< rounds of exploration before paths are compared
constexpr double DEFAULT_TARGET = 0.8;  ///< default of Target
constexpr int64_t OWN_ROUNDS = 2;       ///< interval of path probes on the present path, in T
constexpr int64_t LOOK_ROUNDS = 4;      ///< interval of comparisons, in T
constexpr int64_t USEFUL_ROUNDS = 4;    ///< interval of path probes after the first ROUNDS rounds,
                                        ///< in T
constexpr int64_t USELESS_ROUNDS = 16;  ///< interval of path probes if every known path contains
                                        ///< the full links of the present path, in T
constexpr int64_t REST_ROUNDS = 16;     ///< default of Rest, in T
constexpr uint32_t FIRST_PORT = 0xc000; ///< lowest random UDP source port
constexpr uint32_t PORTS = 0x4000;      ///< size of the range of random UDP source ports

/**
 * Returns the base RTT of the queue pair of an acknowledgement, ns; DEFAULT_T_NS if it is unknown.
 * @param progress description of the acknowledgement
 */
int64_t
BaseRttNsOf(const RdmaRepathing::Progress& progress)
{
    return progress.qp->baseRttNs > 0 ? progress.qp->baseRttNs : DEFAULT_T_NS;
}

/// Returns the sum of the base-@p base digits of all numbers, modulo @p base. The result changes
/// whenever a single digit changes, and usually when one of the numbers increases by 1.
size_t
GetRank(std::initializer_list<uint64_t> numbers, size_t base)
{
    size_t sum = 0;
    for (uint64_t rest : numbers)
    {
        for (; base > 1 && rest > 0; rest /= base)
        {
            sum += rest % base;
        }
    }
    return sum % std::max<size_t>(base, 1);
}

} // namespace

/// State of a queue pair.
struct RdmaMigration::State : RdmaPathState
{
    uint64_t key{0};            ///< key of the present path; 0 if unknown
    uint32_t moves{0};          ///< moves in this period
    uint32_t rounds{0};         ///< rounds of exploration so far
    bool compared{false};       ///< paths have been compared at least once
    int64_t periodNs{0};        ///< start of this period, ns
    int64_t restUntilNs{0};     ///< end of the pause in which the queue pair does not move or
                                ///< explore other paths, ns
    int64_t nextPathProbeNs{0}; ///< earliest time of the next path probes on other paths, ns
    int64_t nextOwnNs{0};       ///< earliest time of the next path probe on the present path, ns
    /// Time until which the queue pair's own feedback makes path probes on the present path
    /// unnecessary, ns; -1 before the first acknowledgement.
    int64_t ownFreshUntilNs{-1};
    int64_t nextLookNs{0}; ///< earliest time of the next comparison, ns
};

TypeId
RdmaMigration::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaMigration, RdmaRepathing>("ns3::RdmaMigration")
            .Presets("migrate;migrate:admission=AdmissionHold:100us")
            .Attribute("Full",
                       "Load of a link at or above which its flows look for another path.",
                       HpccField(&RdmaMigration::m_full, 0.7, 0))
            .Attribute("Target",
                       "Load of a link at or above which its paths admit no new flow. Keep it "
                       "below eta (0.95), around which the load of full links oscillates.",
                       HpccField(&RdmaMigration::m_target, DEFAULT_TARGET, 0))
            .Attribute("Hysteresis",
                       "Smallest difference in load for a move: the load of the present path minus "
                       "that of the other path with the flow added.",
                       HpccField(&RdmaMigration::m_hysteresis, 0.25, 0))
            .Attribute("PathProbes",
                       "Path probes per round in the first three rounds of exploring other paths.",
                       HpccField(&RdmaMigration::m_pathProbes, 16, 1, 64))
            .Attribute("Rest",
                       "Time after a move, or after a first comparison that selects the present "
                       "path, in which a flow does not move. 0: 16 T.",
                       HpccField(&RdmaMigration::m_rest, Time(0), Time(0)))
            .Attribute("Fresh",
                       "Largest age of a measured load that is used. 0: 4 T.",
                       HpccField(&RdmaMigration::m_freshness, Time(0), Time(0)))
            .Attribute("Moves",
                       "Largest number of moves of a flow in a Period.",
                       HpccField(&RdmaMigration::m_moves, 2, 1))
            .Attribute("Period",
                       "Time in which a flow may move at most Moves times.",
                       HpccField(&RdmaMigration::m_period, MilliSeconds(10), NanoSeconds(1)))
            .Attribute("AdmissionHold",
                       "Longest time for which a new flow waits while all paths with a fresh load "
                       "are full (see Target). 0: no wait.",
                       HpccField(&RdmaMigration::m_admissionHold, Time(0), Time(0)));
    return tid;
}

std::unique_ptr<RdmaPathState>
RdmaMigration::MakeState() const
{
    return std::make_unique<State>();
}

std::string
RdmaMigration::Validate(const TelemetryCapabilities* telemetry) const
{
    constexpr uint16_t ids = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID;
    if (!telemetry || telemetry->pathExtreme || (telemetry->fields & ids) != ids)
    {
        return "RdmaMigration needs telemetry with the ids of each hop";
    }
    if (m_admissionHold.IsZero() && m_target != DEFAULT_TARGET)
    {
        std::ostringstream why;
        why << "ns3::RdmaMigration::Target is " << m_target
            << ", but AdmissionHold is 0, so no flow waits; set AdmissionHold above 0";
        return why.str();
    }
    return "";
}

std::string
RdmaMigration::ValidateEta(double eta) const
{
    if (m_admissionHold.IsZero() || m_target < eta)
    {
        return "";
    }
    std::ostringstream why;
    why << "ns3::RdmaMigration::Target is " << m_target << ", allowed with AdmissionHold is below "
        << "the policy's Eta, " << eta << "; full links would often count as free";
    return why.str();
}

RdmaMigration::Destination&
RdmaMigration::FindDestination(const Progress& progress)
{
    const TelemetryCapabilities& kind = *progress.ack->telemetry;
    auto& known = m_destinations[progress.qp->peer];
    for (const auto& found : known)
    {
        if (found->kind.fields == kind.fields &&
            found->kind.timestampModulus == kind.timestampModulus &&
            found->kind.txBytesModulus == kind.txBytesModulus)
        {
            return *found;
        }
    }
    const int64_t t = BaseRttNsOf(progress);
    known.emplace_back(new Destination{kind, t, RdmaPathLoads(t)});
    return *known.back();
}

bool
RdmaMigration::NeedsOwnProbe(State& state, const Progress& progress) const
{
    const int64_t t = BaseRttNsOf(progress);
    if (progress.ownReported && state.ownFreshUntilNs < 0)
    {
        state.ownFreshUntilNs = progress.nowNs + GetFreshnessNs(t);
    }
    if (progress.nowNs < state.nextOwnNs || progress.nowNs < state.ownFreshUntilNs)
    {
        return false;
    }
    state.nextOwnNs = progress.nowNs + OWN_ROUNDS * t;
    return true;
}

int64_t
RdmaMigration::GetFreshnessNs(int64_t t) const
{
    return m_freshness.IsZero() ? 4 * t : m_freshness.GetNanoSeconds();
}

int64_t
RdmaMigration::GetRestNs(int64_t t) const
{
    return m_rest.IsZero() ? REST_ROUNDS * t : m_rest.GetNanoSeconds();
}

bool
RdmaMigration::IsFresh(const Path& path, int64_t t, int64_t nowNs) const
{
    return path.measuredNs >= 0 && nowNs - path.measuredNs <= GetFreshnessNs(t);
}

RdmaRepathing::Advice
RdmaMigration::OnAck(RdmaPathState& base, const Progress& progress)
{
    auto& state = static_cast<State&>(base);
    Advice advice;
    if (progress.ack->hopCount == 0)
    {
        if (NeedsOwnProbe(state, progress))
        {
            advice.pathProbes.push_back(progress.qp->udpSourcePort);
        }
        return advice;
    }
    Destination& destination = FindDestination(progress);
    const uint64_t key = RdmaPathLoads::KeyOf(*progress.ack);
    Path& path = destination.loads.Record(key, *progress.ack);
    path.port = progress.port;
    if (progress.port == progress.qp->udpSourcePort)
    {
        state.key = key;
        if (progress.ownReported && path.measuredNs >= 0)
        {
            state.ownFreshUntilNs = path.measuredNs + GetFreshnessNs(destination.baseRttNs);
        }
        advice.arrived = state.unannounced;
    }
    else
    {
        advice.elsewhere = true;
    }
    if (state.key != 0 && !state.unannounced && !state.draining && MayMove(state, progress.nowNs))
    {
        Consider(state, destination, progress, advice);
        if (!advice.move)
        {
            advice.pathProbes = Explore(state, destination, progress);
        }
    }
    return advice;
}

bool
RdmaMigration::MayMove(State& state, int64_t nowNs) const
{
    if (nowNs - state.periodNs >= m_period.GetNanoSeconds())
    {
        state.moves = 0;
    }
    return nowNs >= state.restUntilNs && state.moves < m_moves;
}

bool
RdmaMigration::IsCrowded(const Path& own, const Path* except, double rateBps) const
{
    return RdmaPathLoads::GetLoad(own, except) >= m_full &&
           RdmaPathLoads::GetLoad(own, except, -rateBps) >= m_hysteresis;
}

double
RdmaMigration::GetGain(const Path& own, const Path& other, double rateBps) const
{
    if (!IsCrowded(own, &other, rateBps))
    {
        return 0;
    }
    const double load = RdmaPathLoads::GetLoad(own, &other);
    const double gain = load - RdmaPathLoads::GetLoad(other, &own, rateBps);
    return gain >= m_hysteresis ? gain / load : 0;
}

void
RdmaMigration::Consider(State& state,
                        Destination& destination,
                        const Progress& progress,
                        Advice& advice) const
{
    const int64_t nowNs = progress.nowNs;
    const int64_t t = destination.baseRttNs;
    const Path* own = destination.loads.Find(state.key);
    if (nowNs < state.nextLookNs || state.rounds < ROUNDS || !own || !IsFresh(*own, t, nowNs))
    {
        return;
    }
    state.nextLookNs = nowNs + LOOK_ROUNDS * t;
    const double rateBps = progress.qp->cc->rateBps;
    std::vector<const Path*> choices{own};
    for (const auto& path : destination.loads.GetPaths())
    {
        if (path.get() != own && IsFresh(*path, t, nowNs) && GetGain(*own, *path, rateBps) > 0)
        {
            choices.push_back(path.get());
        }
    }
    std::sort(choices.begin(), choices.end(), [](const Path* a, const Path* b) {
        return a->key < b->key;
    });
    const bool first = !state.compared;
    state.compared = true;
    const size_t rank = first ? GetRank({progress.qp->local, progress.qp->number}, choices.size())
                              : progress.random->GetInteger(0, choices.size() - 1);
    const Path* choice = choices[rank];
    if (first && choice == own && choices.size() > 1)
    {
        // The flow rests, because other flows may be leaving the path. The path seems full until
        // its queue has drained.
        state.restUntilNs = nowNs + GetRestNs(t);
        return;
    }
    const double gain = choice == own ? 0 : GetGain(*own, *choice, rateBps);
    if (progress.random->GetValue() >= (first ? 2 : 0.5) * gain)
    {
        return;
    }
    advice.move = true;
    advice.inOrder = true;
    advice.port = choice->port;
    state.restUntilNs = nowNs + GetRestNs(t);
    if (state.moves++ == 0)
    {
        state.periodNs = nowNs;
    }
}

std::vector<uint16_t>
RdmaMigration::Explore(State& state, Destination& destination, const Progress& progress) const
{
    const int64_t nowNs = progress.nowNs;
    const int64_t t = destination.baseRttNs;
    const double rateBps = progress.qp->cc->rateBps;
    const Path* own = destination.loads.Find(state.key);
    std::vector<uint16_t> ports;
    if (nowNs < state.nextPathProbeNs || !own || !IsFresh(*own, t, nowNs) ||
        !IsCrowded(*own, nullptr, rateBps))
    {
        return ports;
    }
    bool useful = destination.loads.GetPaths().size() == 1;
    for (const auto& path : destination.loads.GetPaths())
    {
        if (path.get() != own && ports.size() < m_pathProbes)
        {
            ports.push_back(path->port);
            useful |= IsCrowded(*own, path.get(), rateBps);
        }
    }
    const size_t all = ++state.rounds <= ROUNDS ? m_pathProbes : ports.size() + 1;
    while (ports.size() < all)
    {
        ports.push_back(
            static_cast<uint16_t>(FIRST_PORT + progress.random->GetInteger(0, PORTS - 1)));
    }
    state.nextPathProbeNs = nowNs + (!useful                 ? USELESS_ROUNDS
                                     : state.rounds < ROUNDS ? 1
                                                             : USEFUL_ROUNDS) *
                                        t;
    if (state.rounds == ROUNDS)
    {
        state.nextLookNs = nowNs + 2 * t;
    }
    return ports;
}

bool
RdmaMigration::SendsPathProbes() const
{
    return true;
}

void
RdmaMigration::OnTimeout(RdmaPathState&, int64_t)
{
}

int64_t
RdmaMigration::HoldUntilNs(uint32_t destination, int64_t sinceNs, int64_t nowNs) const
{
    auto found = m_destinations.find(destination);
    if (m_admissionHold.IsZero() || found == m_destinations.end())
    {
        return nowNs;
    }
    int64_t staleNs = INT64_MIN / 2; // time at which the newest load becomes stale, ns
    for (const auto& known : found->second)
    {
        const int64_t t = known->baseRttNs;
        for (const auto& path : known->loads.GetPaths())
        {
            if (!IsFresh(*path, t, nowNs))
            {
                continue;
            }
            if (RdmaPathLoads::GetLoad(*path, nullptr) < m_target)
            {
                return nowNs;
            }
            staleNs = std::max(staleNs, path->measuredNs + GetFreshnessNs(t));
        }
    }
    return std::max(nowNs, std::min(staleNs, sinceNs + m_admissionHold.GetNanoSeconds()));
}

} // namespace ns3
