/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PFC_WATCHDOG_H
#define HPCC_PFC_WATCHDOG_H

#include "hpcc-switch-agent.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <map>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Detects egress queues that stay paused. The cause may be a neighbour that never stops pausing, or
 * a cycle of switches that wait for one another. PFC alone never resolves such a cycle ("Deadlocks
 * in Datacenter Networks: Why Do They Form, and How to Avoid Them", HotNets 2016). Commercial
 * switches have such a watchdog with the same two actions, Report and Drop.
 *
 * A storm begins when a queue's priority has been paused for DetectionTime without a break and
 * frames wait in the queue. The storm ends when the pause ends.
 *
 * Names: "pfc-watchdog"; "pfc-watchdog:drop" with Action Drop.
 *
 * Attributes: DetectionTime, above 0; Action, Report or Drop. With Drop, the frames in the queue
 * are discarded with DropReason::PFC_WATCHDOG. The first discard is at the beginning of the storm;
 * further discards follow at intervals of DetectionTime / 10 until the storm ends. The switch can
 * then allow its upstream neighbours to resume.
 *
 * Trace sources: Storm and StormEnd.
 */
class PfcWatchdog : public SwitchAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// The action against a storm.
    enum Action
    {
        REPORT, ///< the storm is traced and counted
        DROP,   ///< the waiting frames are also dropped
    };

    /// Signature of Storm and StormEnd: node, port, priority, start of the pause in ns, bytes in
    /// the queue.
    typedef void (*StormTracedCallback)(uint32_t node,
                                        uint32_t port,
                                        uint8_t priority,
                                        int64_t sinceNs,
                                        uint64_t queueBytes);

    void Install(const std::vector<QbbNetDevice*>& ports, Time baseRtt) override;
    bool SetBaseRtt(Time baseRtt) override;
    bool WantsTimer() const override;
    int64_t OnTimer(QbbNetDevice& port, int64_t nowNs) override;

    /// Returns the number of storms so far.
    uint64_t GetStorms() const
    {
        return m_storms;
    }

  private:
    /**
     * Acts against a storm.
     * @param port egress port with the queue
     * @param priority the priority of the queue
     */
    void Act(QbbNetDevice& port, uint8_t priority) const;

    Time m_detectionTime; ///< attribute DetectionTime
    Action m_action;      ///< attribute Action
    /// starts of the pauses for which Storm has fired, ns, by port and priority
    std::map<std::pair<const QbbNetDevice*, uint8_t>, int64_t> m_storming;
    uint64_t m_storms{0}; ///< number of storms
    TracedCallback<uint32_t, uint32_t, uint8_t, int64_t, uint64_t> m_stormTrace;    ///< Storm
    TracedCallback<uint32_t, uint32_t, uint8_t, int64_t, uint64_t> m_stormEndTrace; ///< StormEnd
};

} // namespace ns3

#endif // HPCC_PFC_WATCHDOG_H
