/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PROBE_ENGINE_H
#define HPCC_PROBE_ENGINE_H

#include "hpcc-probes.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Schedules the probes of all flows of a host, for RDMA, TCP and UDP. Flows take turns, successive
 * probes leave at least GetProbeSpacingNs() apart, and unanswered probes time out. A transport owns
 * an HpccProbes object for each flow, sends the probes, and passes their answers to
 * HpccProbes::OnAnswer().
 *
 * A flow's timer is not moved if the flow becomes due later. Instead, the engine checks the flow at
 * the old time and sets a timer for the new time.
 * @tparam Key type of the identifier of a flow; flows due at the same time are served in the order
 * of their keys
 */
template <typename Key>
class HpccProbeEngine
{
  public:
    static constexpr int64_t NEVER = HpccProbes::NEVER; ///< value of a time that is not set

    /// The part of the engine that differs between transports.
    class Transport
    {
      public:
        virtual ~Transport() = default;

        /**
         * Returns the probes of a flow; null if the flow has ended.
         * @param key a flow
         */
        virtual HpccProbes* FindProbes(const Key& key) = 0;

        /**
         * Returns true if a flow has data in flight for which it should send probes.
         * @param key a flow that has not ended
         */
        virtual bool HasDataInFlight(const Key& key) = 0;

        /**
         * Sends a probe, and calls HpccProbeEngine::OnDeparture() when it leaves.
         * @param key a flow that has data in flight
         * @param nowNs current time, ns
         */
        virtual void SendProbe(const Key& key, int64_t nowNs) = 0;

        /**
         * Handles a probe that has timed out. The next probe may already have been sent.
         * @param key flow of the probe
         * @param nowNs current time, ns
         */
        virtual void ProbeTimedOut([[maybe_unused]] const Key& key, [[maybe_unused]] int64_t nowNs)
        {
        }

        /// Schedules a call of HpccProbeEngine::RunTimers().
        /// @param atNs the time, ns
        virtual void ScheduleProbes(int64_t atNs) = 0;

        /// Returns the shortest time between two probes of the host, ns; 0 by default.
        virtual int64_t GetProbeSpacingNs() const
        {
            return 0;
        }
    };

    /// Creates the engine of a transport.
    /// @param transport the transport, which must outlive this object
    explicit HpccProbeEngine(Transport& transport)
        : m_transport(transport)
    {
    }

    /**
     * Handles a data packet that leaves: queues the flow if a probe is wanted. SendDue() sends the
     * probe.
     * @param key the flow
     * @param probes probes of the flow
     */
    void OnData(const Key& key, HpccProbes& probes)
    {
        Request(key, probes.OnData());
    }

    /**
     * Handles an acknowledgement of data: ends a pause of the flow's probes.
     * @param key the flow
     * @param probes probes of the flow
     * @param nowNs current time, ns
     */
    void OnAcknowledged(const Key& key, HpccProbes& probes, int64_t nowNs)
    {
        if (probes.OnAcknowledged())
        {
            Request(key, probes.Resume(m_transport.HasDataInFlight(key)));
            SendDue(nowNs);
        }
    }

    /**
     * Starts the time-out of a probe that has left, or was lost at the port.
     * @param key the flow
     * @param probes probes of the flow
     * @param id identifies the probe in its answer, see HpccProbes::OnDeparture()
     * @param byte snd_nxt, bytes
     * @param nowNs current time, ns
     */
    void OnDeparture(const Key& key, HpccProbes& probes, uint64_t id, uint64_t byte, int64_t nowNs)
    {
        probes.OnDeparture(id, byte, nowNs);
        Arm(key, probes);
    }

    /**
     * Starts a time-out for an answer that is not caused by a probe, see
     * HpccProbes::StartTimeout().
     * @param key the flow
     * @param probes probes of the flow
     * @param nowNs current time, ns
     */
    void StartTimeout(const Key& key, HpccProbes& probes, int64_t nowNs)
    {
        probes.StartTimeout(nowNs);
        Arm(key, probes);
    }

    /**
     * Continues after a valid answer or a time-out: sends the next probe if data is in flight.
     * @param key the flow
     * @param probes probes of the flow
     * @param nowNs current time, ns
     */
    void Continue(const Key& key, HpccProbes& probes, int64_t nowNs)
    {
        Request(key, probes.Continue(nowNs, m_transport.HasDataInFlight(key)));
        Arm(key, probes);
        SendDue(nowNs);
    }

    /// Sends the wanted probes, at least GetProbeSpacingNs() apart. If wanted probes remain,
    /// schedules a call of RunTimers().
    /// @param nowNs current time, ns
    void SendDue(int64_t nowNs)
    {
        while (!m_wanted.empty() && m_nextNs <= nowNs)
        {
            const Key key = m_wanted.front();
            m_wanted.pop_front();
            HpccProbes* probes = m_transport.FindProbes(key);
            if (!probes)
            {
                continue;
            }
            if (!m_transport.HasDataInFlight(key))
            {
                probes->Withdraw();
                continue;
            }
            m_nextNs = nowNs + m_transport.GetProbeSpacingNs();
            m_transport.SendProbe(key, nowNs);
        }
        if (!m_wanted.empty())
        {
            Schedule(m_nextNs);
        }
    }

    /// Handles the probes that have timed out and the pauses that have ended, and sends the probes
    /// that are due.
    /// @param nowNs current time, ns
    void RunTimers(int64_t nowNs)
    {
        if (nowNs < m_scheduledNs)
        {
            return;
        }
        m_scheduledNs = nowNs; // Schedule() has no effect until NEVER is set below
        while (!m_timers.empty() && m_timers.top().first <= nowNs)
        {
            const auto [atNs, key] = m_timers.top();
            m_timers.pop();
            RunTimer(key, atNs, nowNs);
        }
        SendDue(nowNs);
        m_scheduledNs = NEVER;
        Schedule(GetNextNs());
    }

    /// Returns the time at which RunTimers() is due, ns; NEVER if no timer is set and no probe is
    /// wanted.
    int64_t GetNextNs() const
    {
        return std::min(m_timers.empty() ? NEVER : m_timers.top().first,
                        m_wanted.empty() ? NEVER : m_nextNs);
    }

    /// Returns true if no flow waits for its turn to send a probe.
    bool IsIdle() const
    {
        return m_wanted.empty();
    }

    /**
     * Cancels the probe that a flow wants to send, because the flow ends.
     * @param key the flow
     * @param probes probes of the flow
     */
    void Forget(const Key& key, const HpccProbes& probes)
    {
        if (probes.IsWanted())
        {
            m_wanted.erase(std::remove(m_wanted.begin(), m_wanted.end(), key), m_wanted.end());
        }
    }

  private:
    using Timer = std::pair<int64_t, Key>; ///< time in ns, flow

    /**
     * Adds a flow to the queue of flows that wait to send a probe.
     * @param key the flow
     * @param wanted true if the flow wants to send a probe; if false, the function does nothing
     */
    void Request(const Key& key, bool wanted)
    {
        if (wanted)
        {
            m_wanted.push_back(key);
        }
    }

    /**
     * Handles a flow whose timer has expired.
     * @param key the flow, which may have ended
     * @param atNs the time for which the timer was set, ns. If the flow's timer has been set to
     * another time since then, the expired timer is ignored
     * @param nowNs current time, ns
     */
    void RunTimer(const Key& key, int64_t atNs, int64_t nowNs)
    {
        HpccProbes* probes = m_transport.FindProbes(key);
        if (!probes || probes->m_armedNs != atNs)
        {
            return;
        }
        probes->m_armedNs = NEVER;
        if (probes->GetTimeoutNs() <= nowNs)
        {
            Continue(key, *probes, nowNs);
            m_transport.ProbeTimedOut(key, nowNs);
        }
        else if (probes->m_resumeNs <= nowNs)
        {
            Request(key, probes->Resume(m_transport.HasDataInFlight(key)));
            SendDue(nowNs);
        }
        if (HpccProbes* left = m_transport.FindProbes(key))
        {
            Arm(key, *left);
        }
    }

    /**
     * Sets the timer of a flow, unless the timer is already set to the same time or an earlier one.
     * @param key the flow
     * @param probes probes of the flow
     */
    void Arm(const Key& key, HpccProbes& probes)
    {
        const int64_t atNs = probes.GetDueNs();
        if (atNs < probes.m_armedNs)
        {
            probes.m_armedNs = atNs;
            m_timers.emplace(atNs, key);
            Schedule(atNs);
        }
    }

    /// Schedules a call of RunTimers().
    /// @param atNs the time, ns
    void Schedule(int64_t atNs)
    {
        if (atNs < m_scheduledNs)
        {
            m_scheduledNs = atNs;
            m_transport.ScheduleProbes(atNs);
        }
    }

    Transport& m_transport;       ///< sends the probes
    std::deque<Key> m_wanted;     ///< flows that want to send a probe, in the order in which they
                                  ///< will send
    int64_t m_nextNs{0};          ///< earliest time of the next probe, ns
    int64_t m_scheduledNs{NEVER}; ///< time for which RunTimers() is scheduled, ns; NEVER if it is
                                  ///< not scheduled
    std::priority_queue<Timer, std::vector<Timer>, std::greater<Timer>>
        m_timers; ///< timers, earliest first
};

} // namespace ns3

#endif // HPCC_PROBE_ENGINE_H
