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
 * One randomised run, and the properties that it must have in every scenario:
 * - no frame of a class under PFC is dropped for lack of memory. This does not apply to scenarios
 * with an error model, which may lose PFC frames, or with a failing link, which may reset pauses;
 * - frames are dropped only for reasons that can occur in the scenario;
 * - every message arrives once and is acknowledged once, with all of its bytes. Messages may be
 * missing in three cases. First, failed links have cut off their hosts for good. Second, the run
 * was stopped while packets still moved: frames were dropped or payload arrived in its last
 * quarter. Third, the run ends in a cyclic buffer dependency. In the third case, a watchdog of the
 * scenario must have detected a storm;
 * - if all messages have arrived, no frames, no bytes in a queue or memory, and no pauses remain.
 */
class HpccSoakRun
{
  public:
    /// The result of a run.
    struct Outcome
    {
        std::string wrong;    ///< the violated properties, on one line; empty if none
        std::string excuse;   ///< reason why messages are missing; empty if no message is missing
        uint64_t hops{0};     ///< number of frames sent over links
        uint64_t pauses{0};   ///< number of pauses
        uint64_t drops{0};    ///< number of frames dropped
        uint64_t storms{0};   ///< number of pause storms that watchdogs detected
        uint64_t timeouts{0}; ///< number of retransmission time-outs at all hosts
        int64_t endNs{0};     ///< time at the end of the run, ns
    };

    /// Creates the run of a scenario.
    /// @param scenario the scenario to run; must outlive this object
    explicit HpccSoakRun(const HpccSoakScenario& scenario);

    /// Builds the network. Throws HpccInputError if the module refuses the scenario.
    void Build();

    /**
     * Runs the scenario.
     * @param limitNs simulated time at which the run is stopped if it has not ended, ns
     * @return outcome of the run
     */
    Outcome Run(int64_t limitNs);

    /**
     * Returns the memory that switches set aside for reservations and headroom, bytes: the largest
     * value of any switch.
     * @param topology a network
     * @param reservedBytes SharedBuffer::ReservedBytes
     * @param deviceMtu QbbNetDevice::Mtu
     * @param lossless lossless priorities, one bit each
     */
    static uint64_t GetSetAside(const HpccTopology& topology,
                                uint64_t reservedBytes,
                                uint32_t deviceMtu,
                                uint8_t lossless);

  private:
    /// Address and queue pair number of a requester.
    using QueuePairKey = std::pair<uint32_t, uint32_t>;

    /// Numbers of dropped frames by DropReason.
    using DropCounts = std::array<uint64_t, static_cast<size_t>(DropReason::COUNT)>;

    /// Sizes in bytes of the messages of a queue pair.
    struct Messages
    {
        uint32_t source;                      ///< host of the requester
        uint32_t destination;                 ///< host of the responder
        std::multiset<uint64_t> planned;      ///< sizes of all messages
        std::multiset<uint64_t> delivered;    ///< sizes of messages that have arrived
        std::multiset<uint64_t> acknowledged; ///< sizes of acknowledged messages
    };

    /// Returns the lossless priorities, one bit each.
    uint8_t Lossless() const;
    /// Sets the attributes of the scenario.
    void Configure();
    /// Schedules the failures of links.
    void PlanOutages();
    /// Sets the rates at which the scenario's slow hosts process received packets.
    void SlowDown();
    /// Schedules the scenario's storms, in which hosts pause their switch.
    void PlanStorms();
    /**
     * Begins or ends a storm of pauses by a host.
     * @param host number of the host
     * @param starts true if the storm begins, false if it ends
     */
    void Storm(uint32_t host, bool starts);
    /// Adds the scenario's watchdog to each switch.
    void AddWatchdog();
    /// Connects queue pairs and schedules their messages.
    void Connect();
    /**
     * Returns the DSCP of the data of a host.
     * @param host number of the host
     */
    int8_t DscpOf(uint32_t host) const;

    /// Records that a message has been delivered.
    /// @param record the message
    void Delivered(const RdmaMessageRecord& record);
    /// Records that a message has been acknowledged.
    /// @param record the message
    void Acknowledged(const RdmaMessageRecord& record);
    /**
     * Records the time at which payload arrives.
     * @param qp queue pair at the responder
     * @param nowNs current time, ns
     * @param bytes payload that has arrived in order
     */
    void Received(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes);
    /**
     * Counts a frame that is dropped.
     * @param packet the frame
     * @param reason the reason for the drop
     */
    void Dropped(Ptr<const Packet> packet, DropReason reason);

    /// Returns a description of the frames, queued bytes and pauses that remain at the end; empty
    /// if none remain.
    std::string Leftovers() const;
    /// Checks whether frames have been dropped since the last check. If so, updates the number of
    /// drops and their time.
    /// @param nowNs current time, ns
    void NoteProgress(int64_t nowNs);
    /// Returns the number of frames dropped, by reason.
    DropCounts CountDrops() const;
    /**
     * Returns true if a reason for drops means lack of memory.
     * @param reason a reason
     */
    static bool IsForMemory(DropReason reason);
    /// Returns true if PFC frames may be lost or pauses may be reset.
    bool LosesPauses() const;
    /**
     * Returns true if the scenario allows drops for a reason.
     * @param reason a reason
     */
    bool MayDrop(DropReason reason) const;
    /// Checks that all drops are allowed in the scenario.
    /// @param wrong receives a description of drops that are not allowed
    void CheckDrops(std::ostream& wrong) const;
    /// Checks that messages have arrived as they were sent.
    /// @param wrong receives a description of each violation
    void CheckMessages(std::ostream& wrong) const;
    /**
     * Returns the reason why messages are missing.
     * @param nowNs current time, ns
     * @param wrong receives a description of each violation
     * @return the reason. If the scenario does not permit it, this function also describes it in @p
     * wrong
     */
    std::string Excuse(int64_t nowNs, std::ostream& wrong) const;
    /**
     * Returns true if the run is deadlocked: paused switches wait for one another in a cycle, and
     * in the second half of the run no payload has arrived and no frame has been dropped.
     * @param nowNs current time, ns
     */
    bool IsDeadlocked(int64_t nowNs) const;
    /// Returns true if every missing message is from or to a host that is cut off for good.
    bool AreMissingCutOff() const;
    /// Returns the number of frames sent over links.
    uint64_t CountHops() const;
    /// Returns the number of pause storms detected by watchdogs.
    uint64_t CountStorms() const;

    const HpccSoakScenario& m_scenario;          ///< scenario to run
    HpccFabricHelper m_fabric;                   ///< the network
    std::map<QueuePairKey, Messages> m_messages; ///< sizes of messages, by queue pair
    uint64_t m_done{0};                          ///< number of messages acknowledged
    uint64_t m_losslessDrops{0};                 ///< number of lossless frames dropped for lack of
                                                 ///< memory; counted only with MIXED
    uint64_t m_lost{0};                          ///< number of frames dropped before the last check
    int64_t m_lostNs{-1};                        ///< time of the last check that found new drops,
                                                 ///< ns
    int64_t m_movedNs{0};                        ///< arrival time of the last payload, ns
};

} // namespace ns3

#endif // HPCC_SOAK_RUN_H
