/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SOAK_SCENARIO_H
#define HPCC_SOAK_SCENARIO_H

#include "ns3/hpcc-monitor.h"
#include "ns3/hpcc-topology.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The description of one randomised run: network, policies, traffic, and faults.
 */
struct HpccSoakScenario
{
    /// The traffic classes of the ports: their number, their scheduling, and whether they are
    /// lossless.
    enum Classes
    {
        LOSSLESS, ///< one class under PFC
        STRICT,   ///< two classes under PFC, with strict priority for the second class
        WEIGHTED, ///< two classes under PFC that share each port by deficit weighted round robin
        MIXED,    ///< two classes: the first under PFC, the second lossy
        LOSSY,    ///< one lossy class
        CLASSES,  ///< number of kinds of traffic classes
    };

    /// A link that fails.
    struct Outage
    {
        uint32_t link;  ///< number of the link
        int64_t downNs; ///< time of the failure, ns
        int64_t upNs;   ///< time of the repair, ns; 0 for never
    };

    /// A host that pauses its switch although it does not need pauses.
    struct Storm
    {
        uint32_t host;   ///< number of the host
        int64_t fromNs;  ///< time of the first pause, ns
        int64_t untilNs; ///< time at which the host stops pausing, ns
    };

    /// A host that processes received packets slowly.
    struct SlowHost
    {
        uint32_t host;        ///< number of the host
        uint32_t percent;     ///< rate at which the host processes packets, in % of its link's rate
        uint64_t pauseBytes;  ///< bytes in the receive buffer above which the host pauses its
                              ///< switch
        uint64_t resumeBytes; ///< number of bytes to which the receive buffer must drain before the
                              ///< switch may resume
    };

    /// Attributes of the objects of one kind.
    using Attributes = std::vector<std::pair<std::string, std::string>>;

    std::string network;               ///< kind of topology
    HpccTopology topology;             ///< the network
    std::vector<std::string> policies; ///< one or two policies; host i uses policy number i mod the
                                       ///< number of policies
    std::string telemetry;             ///< short name; empty: the format of each policy
    std::string feedback;              ///< short name
    std::string recovery;              ///< short name
    std::string paths;                 ///< argument of HpccFabricHelper::SetPaths()
    std::string entropy{"none"};       ///< argument of HpccFabricHelper::SetEntropy()
    uint32_t entropyValues{0};         ///< number of entropy values; argument of SetEntropy()
    std::string trimming{"none"};      ///< argument of HpccFabricHelper::SetTrimming()
    std::string watchdog;              ///< short name; empty for none
    int64_t detectionNs{0};            ///< detection time of the watchdog, ns
    Classes classes{LOSSLESS};         ///< traffic classes
    uint32_t deviceMtu{9216};          ///< largest IP packet, bytes
    uint64_t reservedBytes{0};         ///< memory reserved for each queue, bytes
    uint64_t sharedBytes{0};           ///< memory of a switch that its queues share, without
                                       ///< reservations and headroom, bytes
    bool ownMarking{false};            ///< true if switches use the marking thresholds of the first
                                       ///< policy
    Attributes device;                 ///< attributes of every port
    Attributes host;                   ///< attributes of every host
    Attributes buffer;                 ///< attributes of every buffer
    Attributes ecn;                    ///< attributes of every marker
    int64_t maxLagNs{0};               ///< NodeAgenda::MaxLag, ns
    int64_t convergenceNs{1};          ///< HpccFabricHelper::SetConvergenceDelay(), ns
    std::string workload;              ///< kind of traffic
    bool singleMessage{false};         ///< true if each message has its own queue pair
    std::vector<HpccFlowPlan> flows;   ///< the messages
    double errorRate{0};               ///< highest error rate of a link
    std::vector<Outage> outages;       ///< links that fail
    std::vector<Storm> storms;         ///< hosts that pause their switch
    std::vector<SlowHost> slowHosts;   ///< hosts that are slow
    uint64_t headroomBytes{0};         ///< SharedBuffer::HeadroomBytes

    /// Returns the scenario as pairs of property and value. The list of properties is the same for
    /// all scenarios.
    Attributes Describe() const;
};

/**
 * @ingroup hpcc
 *
 * Generates random scenarios. Chooses exchangeable parts among all registered short names,
 * including those that another module or a user's program has added. The random choices depend only
 * on the seed. They do not use ns-3's random numbers.
 */
class HpccSoakDraw
{
  public:
    /// Creates the generator of scenarios.
    /// @param seed determines all scenarios
    explicit HpccSoakDraw(uint64_t seed);

    /// Generates the next scenario. The module may refuse the scenario's combination of parts.
    /// @return the scenario
    HpccSoakScenario Draw();

  private:
    /**
     * Generates a random number.
     * @param low smallest value
     * @param high largest value
     * @return a number that is uniformly distributed from @p low to @p high
     */
    uint64_t Uniform(uint64_t low, uint64_t high);
    /**
     * Generates a random number.
     * @param low smallest value, at least 1
     * @param high largest value
     * @return a number from @p low to @p high whose logarithm is uniformly distributed
     */
    uint64_t LogUniform(uint64_t low, uint64_t high);
    /**
     * Generates a random time.
     * @return a time from @p low to @p high whose logarithm is uniformly distributed, ns
     * @param low smallest value, ns, at least 1
     * @param high largest value, ns
     */
    int64_t TimeNs(uint64_t low, uint64_t high);
    /// Returns a random number, at least 0 and less than 1.
    double Share();
    /**
     * Returns true with probability 1/n.
     * @param n at least 1
     */
    bool OneIn(uint64_t n);
    /**
     * Returns one of some values, chosen at random.
     * @param choices some values
     */
    template <typename T>
    T OneOf(std::initializer_list<T> choices);
    /**
     * Returns one of some values, chosen at random.
     * @param choices some values
     */
    std::string OneOf(const std::vector<std::string>& choices);
    /// Returns a link rate that is used in practice, chosen at random.
    DataRate Rate();
    /// Returns the name of a policy, chosen at random.
    std::string Policy();

    /// Chooses the network of a scenario.
    /// @param s the scenario
    void DrawNetwork(HpccSoakScenario& s);
    /**
     * Chooses the topology of a scenario.
     * @param s the scenario; receives the kind of its network
     * @return the topology
     */
    HpccTopology DrawPlan(HpccSoakScenario& s);
    /// Chooses policies, telemetry, feedback mode and recovery.
    /// @param s the scenario
    void DrawPolicies(HpccSoakScenario& s);
    /// Chooses attributes.
    /// @param s the scenario
    void DrawAttributes(HpccSoakScenario& s);
    /// Chooses the traffic.
    /// @param s the scenario
    void DrawTraffic(HpccSoakScenario& s);
    /**
     * Generates flows that arrive as a Poisson process.
     * @param s the scenario
     * @param budget payload of all flows together in bytes
     */
    void DrawPoisson(HpccSoakScenario& s, uint64_t budget);
    /**
     * Generates flows of a pattern other than Poisson.
     * @param s the scenario
     * @param budget payload of all flows together in bytes
     */
    void DrawPattern(HpccSoakScenario& s, uint64_t budget);
    /// Chooses faults.
    /// @param s the scenario
    void DrawTrouble(HpccSoakScenario& s);
    /// Chooses entropy and packet trimming if the recovery of the scenario uses SACKs.
    /// @param s the scenario
    void DrawSpraying(HpccSoakScenario& s);

    std::mt19937_64 m_random; ///< generator of all random numbers
};

} // namespace ns3

#endif // HPCC_SOAK_SCENARIO_H
