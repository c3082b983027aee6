/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PROBES_H
#define HPCC_PROBES_H

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The probes of a flow (draft-miao-tsv-hpcc-01, section 6.2.1). Decides when a probe is wanted, and
 * what its answer acknowledges. A plain class, for RDMA, TCP and UDP; its user makes the packets.
 *
 * The first probe is wanted with the first data packet, the next when the answer has come while
 * data is in flight, else with the next data packet. A probe without an answer times out after
 * max(4 T, 2 RTT of the last one answered), doubled for each preceding time-out in a row, up to a
 * limit; its answer still counts if it comes later, but then asks for no other probe as long as a
 * younger one is out.
 */
class HpccProbes
{
  public:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time

    /// Properties of the answer to a probe.
    struct Answer
    {
        bool known;      ///< a probe with that id is unanswered
        uint64_t ackSeq; ///< sequence number for the law, bytes
        uint64_t byte;   ///< snd_nxt of the probe, bytes
        int64_t sentNs;  ///< when the probe left
    };

    /**
     * Initialises the state.
     * @param baseRttNs T of the network, ns; 0 if unknown: then 5 us, the drafts' default
     * @param maxDoublings largest number of doublings of the time-out, 0 to 15
     */
    void Open(int64_t baseRttNs, uint8_t maxDoublings = 0);

    /**
     * Handles a data packet that leaves.
     * @return true if a probe is wanted that was not wanted before
     */
    bool OnData();

    /**
     * Handles a probe that is about to leave.
     * @param id what its answer will name. The same snd_nxt may be said by several probes while the
     * window is closed, and a duplicate of one answer must not answer another, or each duplicate
     * would start another train of probes: so the id should differ even then, see GetDepartures()
     * @param byte snd_nxt, bytes
     * @param nowNs current time
     */
    void OnDeparture(uint64_t id, uint64_t byte, int64_t nowNs);

    /// Withdraws a wanted probe: it will not leave, because nothing is in flight any more.
    void Withdraw();

    /**
     * Handles an answer. For the law a probe stands for the byte that follows it: the answer to a
     * probe that left after the last answer acknowledges the first byte sent after that one, even
     * if the closed window has let no data go. So it commits (line 22), whereas that to an older
     * probe does not.
     * @param id of the probe that it answers
     * @param nowNs current time
     * @return what it is worth
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
     * Starts the time-out for an answer to something other than a probe, or for an answer that is
     * still to come.
     * @param nowNs current time
     */
    void Await(int64_t nowNs);

    /// Notes that the answer for which Await() waited has arrived.
    void Heard();

    /// @return when the time-out comes, ns; NEVER if no probe is out
    int64_t GetTimeoutNs() const
    {
        return m_timeoutNs;
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

    /// @return probes that have left
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
    /// Unanswered probes that are remembered.
    static constexpr size_t MAX_UNANSWERED = 16;

    /// An unanswered probe.
    struct Departure
    {
        uint64_t id;      ///< what the answer names
        uint64_t byte;    ///< snd_nxt, bytes
        int64_t sentNs;   ///< when it left
        uint64_t answers; ///< answers that had come by then
    };

    /// @return true if a probe is wanted that was not wanted before
    bool Want();

    std::deque<Departure> m_unanswered; ///< oldest first
    int64_t m_baseRttNs{0};             ///< T
    int64_t m_rttNs{0};                 ///< see GetRttNs()
    int64_t m_timeoutNs{NEVER};         ///< see GetTimeoutNs()
    uint64_t m_answers{0};              ///< answers so far
    uint64_t m_departures{0};           ///< see GetDepartures()
    uint64_t m_timeouts{0};             ///< see GetTimeouts()
    uint32_t m_timeoutsInRow{0};        ///< see GetTimeoutsInRow()
    uint8_t m_maxDoublings{0};          ///< of the time-out
    bool m_wanted{false};               ///< see IsWanted()
};

} // namespace ns3

#endif // HPCC_PROBES_H
