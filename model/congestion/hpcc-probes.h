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
 * The probes of one flow (draft-miao-tsv-hpcc-01, section 6.2.1): decides when a probe is wanted,
 * which answers count, and what they acknowledge. HpccProbeEngine serves the probes of all flows of
 * a host.
 *
 * - The first probe is wanted with the first data packet, the next one when the answer has come
 *   while data is in flight, otherwise with the next data packet.
 * - A probe without an answer times out after max(4 T, 2 RTT of the last one answered), doubled for
 *   each preceding time-out in a row, up to a limit.
 * - The answer to a probe that has timed out still counts, but requests no other probe while a
 *   younger one is unanswered. An answer does not count if its probe is unknown, has been answered,
 *   or is older than one that has been answered.
 * - With a limit of idle answers, probes pause: once that many answers or time-outs have followed
 *   one another without a data packet sent or acknowledged in between, the next probe waits for T,
 *   the one after that for 2 T and so on, because what was in flight has been lost.
 */
class HpccProbes
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time

    /// Properties of the answer to a probe.
    struct Answer
    {
        bool known;      ///< it counts: its probe is unanswered
        uint64_t ackSeq; ///< sequence number for the control law, bytes
        uint64_t byte;   ///< snd_nxt of the probe, bytes
        int64_t sentNs;  ///< when the probe left
    };

    /**
     * Initialises the state.
     * @param baseRttNs T of the network, ns; 0 if unknown: then 5 us, the drafts' default
     * @param maxDoublings largest number of doublings of the time-out, 0 to 15
     * @param pauseAfter answers or time-outs without data sent or acknowledged in between after
     * which probes pause; 0: never
     */
    void Open(int64_t baseRttNs, uint8_t maxDoublings = 0, uint32_t pauseAfter = 0);

    /**
     * Handles a data packet that leaves, which ends a pause.
     * @return true if a probe is wanted that was not wanted before
     */
    bool OnData();

    /**
     * Handles an acknowledgement of data, which ends a pause.
     * @return true if there was a pause: the next probe is due, see Resume()
     */
    bool OnAcknowledged();

    /**
     * Handles a probe that leaves, or is lost at the port.
     * @param id identifies it in its answer. It should differ from those of other probes even if
     * snd_nxt is the same, as it is while the window is closed: see GetDepartures(). Otherwise a
     * duplicated answer could be taken for that to the next probe
     * @param byte snd_nxt, bytes
     * @param nowNs current time
     */
    void OnDeparture(uint64_t id, uint64_t byte, int64_t nowNs);

    /// Withdraws a wanted probe: it does not leave, because nothing is in flight any more.
    void Withdraw();

    /**
     * Handles an answer. For the control law a probe stands for the byte that follows it: the
     * answer to a probe that left after the last answer acknowledges the first byte sent after that
     * one, even if the closed window has let no data go. So it commits (line 22), whereas the
     * answer to an older probe does not.
     * @param id identifier of the probe that it answers
     * @param nowNs current time
     * @return its properties
     */
    Answer OnAnswer(uint64_t id, int64_t nowNs);

    /**
     * Continues after an answer has been handled, or at the time-out.
     * @param nowNs current time
     * @param inFlight data is in flight
     * @return true if a probe is wanted that was not wanted before
     */
    bool Continue(int64_t nowNs, bool inFlight);

    /**
     * Ends a pause.
     * @param inFlight data is in flight
     * @return true if a probe is wanted that was not wanted before
     */
    bool Resume(bool inFlight);

    /**
     * Starts the time-out for an answer to something other than a probe.
     * @param nowNs current time
     */
    void Await(int64_t nowNs);

    /// Stops the time-out that Await() has started: the answer has arrived.
    void Heard();

    /// @return when the unanswered probe times out, ns; NEVER if there is none
    int64_t GetTimeoutNs() const
    {
        return m_timeoutNs;
    }

    /// @return when the time-out or the end of a pause is due, ns; NEVER if none is
    int64_t GetDueNs() const
    {
        return std::min(m_timeoutNs, m_resumeNs);
    }

    /// @return true if a probe is wanted that has not left
    bool IsWanted() const
    {
        return m_wanted;
    }

    /// @return round-trip time of the last probe answered, ns; 0 before the first
    int64_t GetRttNs() const
    {
        return m_rttNs;
    }

    /// @return probes that have left, which is also the number of the next one
    uint64_t GetDepartures() const
    {
        return m_departures;
    }

    /// @return probes that have timed out
    uint64_t GetTimeouts() const
    {
        return m_timeouts;
    }

    /// @return probes that have timed out since the last answer
    uint32_t GetTimeoutsInRow() const
    {
        return m_timeoutsInRow;
    }

  private:
    template <typename Key>
    friend class HpccProbeEngine;

    /// Doublings of the longest pause.
    static constexpr uint32_t MAX_PAUSE_DOUBLINGS = 16;

    /// Unanswered probes that are remembered.
    static constexpr size_t MAX_UNANSWERED = 16;

    /// An unanswered probe.
    struct Departure
    {
        uint64_t id;      ///< identifies it in its answer
        uint64_t byte;    ///< snd_nxt, bytes
        int64_t sentNs;   ///< when it left
        uint64_t answers; ///< answers that had arrived before
    };

    /// Requests a probe.
    /// @return true if none was wanted before
    bool Want();

    std::deque<Departure> m_unanswered; ///< oldest first
    int64_t m_baseRttNs{0};             ///< T
    int64_t m_rttNs{0};                 ///< see GetRttNs()
    int64_t m_timeoutNs{NEVER};         ///< see GetTimeoutNs()
    int64_t m_resumeNs{NEVER};          ///< end of the pause, ns; NEVER if there is none
    int64_t m_armedNs{NEVER};           ///< time of the flow at its engine, ns; at most GetDueNs()
    uint64_t m_answers{0};              ///< answers so far
    uint64_t m_departures{0};           ///< see GetDepartures()
    uint64_t m_timeouts{0};             ///< see GetTimeouts()
    uint32_t m_timeoutsInRow{0};        ///< see GetTimeoutsInRow()
    uint32_t m_pauseAfter{0};           ///< see Open()
    uint32_t m_idleAnswers{0}; ///< answers and time-outs since data was sent or acknowledged
    uint8_t m_maxDoublings{0}; ///< of the time-out
    bool m_wanted{false};      ///< see IsWanted()
};

} // namespace ns3

#endif // HPCC_PROBES_H
