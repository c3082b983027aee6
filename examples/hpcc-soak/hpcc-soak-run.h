/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SOAK_RUN_H
#define HPCC_SOAK_RUN_H

#include "hpcc-soak-scenario.h"

#include "ns3/hpcc-drop-reason.h"
#include "ns3/hpcc-fabric-helper.h"

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * One randomised run, and the properties that it must have for every draw:
 * - no frame of a class under PFC is dropped for lack of memory, unless PFC frames may have been
 *   lost or reset: by an error model, a link that failed, or a watchdog that drops;
 * - frames are dropped only for reasons that the scenario contains;
 * - every message arrives once and is acknowledged once, with all of its bytes. Exceptions are
 *   messages of hosts that a failed link cuts off for good; an unresolved cyclic buffer dependency,
 *   which a watchdog must have noticed; and messages that still lose packets or progress at the
 *   end;
 * - if all have arrived, no frame, no byte in a queue or memory, and no pause is left.
 */
class HpccSoakRun
{
  public:
    /// The result of a run.
    struct Outcome
    {
        std::string wrong;    ///< the fault, one line; empty if all is well
        std::string excuse;   ///< why messages have not arrived; empty if all have
        uint64_t hops{0};     ///< frames sent over links
        uint64_t pauses{0};   ///< pause intervals
        uint64_t drops{0};    ///< frames dropped
        uint64_t storms{0};   ///< storms that the watchdog has seen
        uint64_t timeouts{0}; ///< of the hosts
        int64_t endNs{0};     ///< when all was quiet, ns
    };

    /// @param scenario to run; outlives this object
    explicit HpccSoakRun(const HpccSoakScenario& scenario);

    /// Builds the network. A refusal by the module throws HpccInputError.
    void Build();

    /**
     * Runs it.
     * @param limitNs when to give up, ns
     * @return its outcome
     */
    Outcome Run(int64_t limitNs);

    /**
     * @param topology a network
     * @param reservedBytes SharedBuffer::ReservedBytes
     * @param deviceMtu QbbNetDevice::Mtu
     * @param lossless lossless priorities, one bit each
     * @return the most that a switch sets aside for reservations and headroom, bytes
     */
    static uint64_t GetSetAside(const HpccTopology& topology,
                                uint64_t reservedBytes,
                                uint32_t deviceMtu,
                                uint8_t lossless);

  private:
    /// Address and queue pair number of a requester.
    using QueuePairKey = std::pair<uint32_t, uint32_t>;

    /// Numbers of frames by DropReason.
    using DropCounts = std::array<uint64_t, static_cast<size_t>(DropReason::COUNT)>;

    /// Sizes of the messages of a queue pair.
    struct Messages
    {
        uint32_t source;                      ///< host that asks
        uint32_t destination;                 ///< the other host
        std::multiset<uint64_t> planned;      ///< all of them
        std::multiset<uint64_t> delivered;    ///< those that have arrived
        std::multiset<uint64_t> acknowledged; ///< those that are acknowledged
    };

    /// @return lossless priorities, one bit each
    uint8_t Lossless() const;
    /// Sets the attributes.
    void Configure();
    /// Schedules the failures of links.
    void PlanOutages();
    /// Slows down some hosts.
    void SlowDown();
    /// Schedules storms in which hosts pause their switch.
    void PlanStorms();
    /**
     * Begins or ends a storm of pauses by a host.
     * @param host its number
     * @param starts true if it begins, false if it ends
     */
    void Storm(uint32_t host, bool starts);
    /// Adds watchdogs to the switches.
    void AddWatchdog();
    /// Connects queue pairs and schedules their messages.
    void Connect();
    /**
     * @param host its number
     * @return DSCP of its data
     */
    int8_t DscpOf(uint32_t host) const;

    /// Notes a message that is delivered.
    /// @param record the message
    void Delivered(const RdmaMessageRecord& record);
    /// Notes a message that is acknowledged.
    /// @param record the message
    void Acknowledged(const RdmaMessageRecord& record);
    /**
     * Notes the time at which payload arrives.
     * @param qp responder
     * @param nowNs time
     * @param bytes payload in order
     */
    void Received(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes);
    /**
     * Counts a frame that is dropped.
     * @param packet the frame
     * @param reason the reason for the drop
     */
    void Dropped(Ptr<const Packet> packet, DropReason reason);

    /// @return anything left over at the end; empty if nothing is
    std::string Leftovers() const;
    /// Notes drops since the last call.
    /// @param nowNs current time, ns
    void NoteProgress(int64_t nowNs);
    /// @return frames dropped
    DropCounts CountDrops() const;
    /**
     * @param reason a reason
     * @return true if it is lack of memory
     */
    static bool IsForMemory(DropReason reason);
    /// @return true if PFC frames may get lost, or pauses be forgotten
    bool LosesPauses() const;
    /**
     * @param reason a reason
     * @return true if the scenario has such drops
     */
    bool MayDrop(DropReason reason) const;
    /// Checks that all drops are allowed.
    /// @param wrong gets drops that are not
    void CheckDrops(std::ostream& wrong) const;
    /// Checks that messages have arrived as they were sent.
    /// @param wrong gets messages that have not
    void CheckMessages(std::ostream& wrong) const;
    /**
     * @param nowNs current time, ns
     * @param wrong gets what is inexcusable
     * @return why messages have not arrived
     */
    std::string Excuse(int64_t nowNs, std::ostream& wrong) const;
    /**
     * @param nowNs current time, ns
     * @return true if nothing moves because switches wait for one another
     */
    bool IsDeadlocked(int64_t nowNs) const;
    /// @return true if each message that is missing is of a host that is cut off for good
    bool AreMissingCutOff() const;
    /// @return frames sent over links
    uint64_t CountHops() const;
    /// @return storms that watchdogs have seen
    uint64_t CountStorms() const;

    const HpccSoakScenario& m_scenario;          ///< scenario to run
    HpccFabricHelper m_fabric;                   ///< the network
    std::map<QueuePairKey, Messages> m_messages; ///< of all queue pairs
    uint64_t m_done{0};                          ///< messages acknowledged
    uint64_t m_losslessDrops{0};                 ///< with MIXED: under PFC, for lack of memory
    uint64_t m_lost{0};                          ///< frames dropped, when last looked at
    int64_t m_lostNs{-1};                        ///< when this number was reached, ns
    int64_t m_movedNs{0};                        ///< when the last packet arrived, ns
};

} // namespace ns3

#endif // HPCC_SOAK_RUN_H
