/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QBB_FLOW_CONTROL_H
#define QBB_FLOW_CONTROL_H

#include "hpcc-frame.h"
#include "hpcc-node-agenda.h"
#include "qbb-port-core.h"

#include <array>
#include <cstdint>

namespace ns3
{

class QbbEgress;

/**
 * @ingroup hpcc
 *
 * The part of a port that implements priority-based flow control (IEEE 802.1Qbb): it pauses the
 * neighbour, and obeys the pauses that the neighbour requests.
 */
class QbbFlowControl : public AgendaClient
{
  public:
    /**
     * Creates the part of a port that requests and obeys pauses.
     * @param core state shared by the parts of the port
     * @param egress sends the PFC frames and obeys the pauses
     */
    QbbFlowControl(const QbbPortCore& core, QbbEgress& egress)
        : m_core(core),
          m_egress(egress)
    {
    }

    /// Throws HpccInputError if a priority is not lossless.
    /// @param priority priority that a program wants to pause
    void RequireLossless(uint8_t priority) const;

    /// Repeats the requests for pauses that were made while the link was down.
    void RepeatRequests();

    /**
     * Asks the neighbour to pause a priority, and repeats the request until ReleasePause().
     * @param priority the priority; nothing happens unless it is lossless
     */
    void RequestPause(uint8_t priority);

    /**
     * Allows the neighbour to resume.
     * @param priority the priority; nothing happens unless a pause is requested. A number above 7
     * throws HpccInputError
     */
    void ReleasePause(uint8_t priority);

    /**
     * Returns true if the port has requested a pause of a priority: between RequestPause() and
     * ReleasePause().
     * @param priority priority to query, 0 to 7
     */
    bool RequestsPause(uint8_t priority) const
    {
        return m_pause[priority].refreshNs != 0;
    }

    /**
     * Handles a PFC frame.
     * @param frame received PFC frame
     * @param nowNs current time, ns
     */
    void Receive(const Frame& frame, int64_t nowNs);

    /// Ends all pauses, requested and received, because the link goes down. Starts no frame.
    /// @param nowNs current time, ns
    void EndAll(int64_t nowNs);

    /**
     * Returns true if the neighbour pauses a priority.
     * @param priority priority to query, 0 to 7
     */
    bool IsPaused(uint8_t priority) const;

    /**
     * Returns the start of the present or last pause of a priority, ns.
     * @param priority priority to query, 0 to 7
     */
    int64_t GetPausedSinceNs(uint8_t priority) const
    {
        return m_pause[priority].sinceNs;
    }

    /**
     * Returns the end of the last pause of a priority at this port, ns; negative if there was none.
     * If a frame that is sent now joined its queue no later than this time, the pause has delayed
     * the frame.
     * @param priority priority to query, 0 to 7
     */
    int64_t GetResumedNs(uint8_t priority) const
    {
        return m_pause[priority].endNs;
    }

    /**
     * Returns the total time for which the neighbour has paused the port since the start of the
     * simulation. Present pauses are included, whereas QbbPortCounters::GetPausedNs() counts only
     * pauses that have ended.
     * @param nowNs current time, ns
     * @return the time, ns, summed over the priorities
     */
    int64_t GetPausedNs(int64_t nowNs) const;

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    /// Pause state of a priority.
    struct Pause
    {
        int64_t untilNs{0};   ///< end of the received pause
        int64_t sinceNs{0};   ///< start of the received pause
        int64_t endNs{-1};    ///< end of the last received pause; -1 if none
        int64_t refreshNs{0}; ///< when the requested pause is repeated; 0 if no pause is requested
    };

    /**
     * Ends the pause of a priority.
     * @param priority paused priority, 0 to 7
     * @param nowNs current time, ns
     * @param expired true if the time of the pause has expired
     */
    void EndPause(uint8_t priority, int64_t nowNs, bool expired);

    /**
     * Sends a PFC frame for a priority, or adds the priority to a waiting PFC frame.
     * @param priority priority to pause or resume, 0 to 7
     * @param quanta pause time in units of 512 bit times; 0 resumes
     */
    void SendPfc(uint8_t priority, uint16_t quanta);

    /**
     * Returns a pause time in ns.
     * @param quanta the pause time, in units of 512 bit times
     * @param rateBps rate that defines the bit time, bit/s
     */
    static int64_t QuantaNs(uint16_t quanta, uint64_t rateBps);

    /**
     * Computes the time after which this port repeats the request for a pause. The neighbour
     * measures a pause in its own bit times, and its rate may differ from the rate of this port.
     * The function uses the higher rate, so that the pause is repeated before it ends.
     * @param quanta requested pause time, in units of 512 bit times
     * @return half the pause time, ns, at least 1
     */
    int64_t RefreshNs(uint16_t quanta) const;

    /**
     * Returns the index of this port's agenda items PAUSE_EXPIRY and PFC_REFRESH for a priority.
     * @param priority priority at this port, 0 to 7
     */
    uint32_t AgendaIndex(uint8_t priority) const;

    const QbbPortCore m_core;              ///< state shared by the parts
    QbbEgress& m_egress;                   ///< see the constructor
    std::array<Pause, PRIORITIES> m_pause; ///< pause state by priority
};

} // namespace ns3

#endif // QBB_FLOW_CONTROL_H
