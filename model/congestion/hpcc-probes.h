/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PROBES_H
#define HPCC_PROBES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

template <typename Key>
class HpccProbeEngine;

/**
 * @ingroup hpcc
 *
 * The probes of one flow (draft-miao-tsv-hpcc-01, section 6.2.1). The class decides when a probe
 * should be sent (is wanted), which answers are valid, and which bytes the answers acknowledge.
 * HpccProbeEngine schedules the probes of all flows of a host and sends the wanted probes.
 *
 * - The first probe is wanted with the first data packet. If data is in flight when the answer
 *   arrives, the next probe is wanted immediately; otherwise it is wanted with the next data
 *   packet.
 * - An unanswered probe times out after max(4 T, twice the RTT of the last answered probe). The
 *   time-out is doubled for each probe that has timed out since the last answer, up to a limit.
 * - The answer to a probe that has timed out is still valid. A late answer does not cause a further
 *   probe while a later probe is unanswered. An answer is invalid if its probe is unknown, was
 *   answered before, or is older than an answered probe.
 * - Probes pause after a given number of consecutive answers or time-outs, if no data packet was
 *   sent or acknowledged in between. In this case, the data in flight must have been lost. The next
 *   probe is then delayed by T, and the delay doubles with each further probe.
 */
class HpccProbes
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; ///< value of a time that is not set

    /// Properties of the answer to a probe.
    struct Answer
    {
        bool known;      ///< true if the answer is valid; otherwise the other fields are 0
        uint64_t ackSeq; ///< sequence number for the control law, bytes
        uint64_t byte;   ///< snd_nxt of the probe, bytes
        int64_t sentNs;  ///< when the probe left, ns
    };

    /**
     * Initialises the state.
     * @param baseRttNs T of the network, ns; if 0 (unknown), the drafts' default of 5 us is used
     * @param maxDoublings largest number of doublings of the time-out, 0 to 15
     * @param pauseAfter number of consecutive answers or time-outs, without data sent or
     * acknowledged in between, after which probes pause; 0: probes never pause
     */
    void Open(int64_t baseRttNs, uint8_t maxDoublings = 0, uint32_t pauseAfter = 0);

    /**
     * Handles a data packet that leaves. The packet ends a pause.
     * @return true if a probe is wanted now and none was wanted before
     */
    bool OnData();

    /**
     * Handles an acknowledgement of data.
     * @return true during a pause; the caller must then call Resume() to end the pause
     */
    bool OnAcknowledged();

    /**
     * Handles a probe that has left the host, or was lost at the host's port.
     * @param id number that identifies the probe in its answer. The number should be unique even if
     * snd_nxt does not change, for example while the window is closed; GetDepartures() is such a
     * number. If two probes had the same number, a duplicated answer to the first could be mistaken
     * for the answer to the second
     * @param byte snd_nxt, bytes
     * @param nowNs current time, ns
     */
    void OnDeparture(uint64_t id, uint64_t byte, int64_t nowNs);

    /// Cancels a wanted probe because no data is in flight any more.
    void Withdraw();

    /**
     * Handles an answer. For the control law, a probe is treated as one byte that follows the data
     * sent before the probe. If no other answer has arrived since the probe left, the answer to the
     * probe acknowledges this byte by the sequence number snd_nxt + 1. Such an answer causes a
     * commit (line 22), even if the window is closed and no data has left in the meantime. If
     * another answer has arrived since the probe left, the answer acknowledges only snd_nxt and
     * causes no commit.
     * @param id identifier of the answered probe
     * @param nowNs current time, ns
     * @return properties of the answer
     */
    Answer OnAnswer(uint64_t id, int64_t nowNs);

    /**
     * Decides whether the next probe is wanted, after an answer has been handled or at the
     * time-out. May start a pause.
     * @param nowNs current time, ns
     * @param inFlight whether data is in flight
     * @return true if a probe is wanted now and none was wanted before
     */
    bool Continue(int64_t nowNs, bool inFlight);

    /**
     * Ends a pause.
     * @param inFlight whether data is in flight
     * @return true if a probe is wanted now and none was wanted before
     */
    bool Resume(bool inFlight);

    /**
     * Starts a time-out for an answer that is not caused by a probe, such as the answer to a data
     * packet.
     * @param nowNs current time, ns
     */
    void StartTimeout(int64_t nowNs);

    /// Stops the time-out that StartTimeout() has started, because the answer has arrived.
    void StopTimeout();

    /// Returns the time at which the newest unanswered probe times out, ns; NEVER if no time-out is
    /// running.
    int64_t GetTimeoutNs() const
    {
        return m_timeoutNs;
    }

    /// Returns the time of the time-out or of the end of the pause, whichever is earlier, ns; NEVER
    /// if no time is set.
    int64_t GetDueNs() const
    {
        return std::min(m_timeoutNs, m_resumeNs);
    }

    /// Returns true if a probe is wanted but has not left yet.
    bool IsWanted() const
    {
        return m_wanted;
    }

    /// Returns the round-trip time of the last answered probe, ns; 0 before the first.
    int64_t GetRttNs() const
    {
        return m_rttNs;
    }

    /// Returns the number of probes that have left, which is also the number of the next probe.
    uint64_t GetDepartures() const
    {
        return m_departures;
    }

    /// Returns the number of probes that have timed out.
    uint64_t GetTimeouts() const
    {
        return m_timeouts;
    }

    /// Returns the number of probes that have timed out since the last answer.
    uint32_t GetTimeoutsInRow() const
    {
        return m_timeoutsInRow;
    }

  private:
    template <typename Key>
    friend class HpccProbeEngine;

    /// Largest number of doublings of a pause.
    static constexpr uint32_t MAX_PAUSE_DOUBLINGS = 16;

    /// Largest number of unanswered probes that are stored.
    static constexpr size_t MAX_UNANSWERED = 16;

    /// An unanswered probe.
    struct Departure
    {
        uint64_t id;      ///< number that identifies the probe in its answer
        uint64_t byte;    ///< snd_nxt, bytes
        int64_t sentNs;   ///< time when the probe left, ns
        uint64_t answers; ///< number of answers that had arrived when the probe left
    };

    /// Requests a probe.
    /// @return true if no probe was already wanted
    bool Want();

    std::deque<Departure> m_unanswered; ///< unanswered probes, oldest first
    int64_t m_baseRttNs{0};             ///< T, ns
    int64_t m_rttNs{0};                 ///< see GetRttNs()
    int64_t m_timeoutNs{NEVER};         ///< see GetTimeoutNs()
    int64_t m_resumeNs{NEVER};          ///< end of the pause, ns; NEVER if there is none
    int64_t m_armedNs{NEVER};           ///< time for which the engine has set the flow's timer, ns;
                                        ///< at most GetDueNs(). NEVER if no timer is set
    uint64_t m_answers{0};              ///< number of answers so far
    uint64_t m_departures{0};           ///< see GetDepartures()
    uint64_t m_timeouts{0};             ///< see GetTimeouts()
    uint32_t m_timeoutsInRow{0};        ///< see GetTimeoutsInRow()
    uint32_t m_pauseAfter{0};           ///< see Open()
    /// Number of answers and time-outs since data was last sent or acknowledged.
    uint32_t m_idleAnswers{0};
    uint8_t m_maxDoublings{0}; ///< largest number of doublings of the time-out
    bool m_wanted{false};      ///< see IsWanted()
};

} // namespace ns3

#endif // HPCC_PROBES_H
