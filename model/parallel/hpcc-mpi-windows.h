/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_WINDOWS_H
#define HPCC_MPI_WINDOWS_H

#include "hpcc-mpi-ranks.h"

#include "ns3/event-id.h"
#include "ns3/hpcc-node-agenda.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Ranks that need only MPI, not ns-3's module mpi. Each rank runs ns-3's ordinary simulator. At
 * every multiple of the time window, an event exchanges the frames that were sent over links
 * between ranks. The window is the shortest delay of all such links, so an action of a node in a
 * window cannot affect another rank before the next window.
 *
 * Nodes at links between ranks do not lag past the end of a window (NodeAgenda::LagWithin). Other
 * nodes lag as in a simulation with one process. In an exchange, a rank sends one message to every
 * other rank, with the frames of the window for that rank. The received frames are announced in the
 * order of the ranks, and per rank in the order in which they were sent. A rank receives the
 * messages of a window when one of its nodes at a link between ranks next becomes active. This time
 * is usually the end of the next window. Therefore a rank does not wait for another rank that is
 * less than a window behind.
 *
 * The ranks end together when no rank has an event left, or when the same event at the same
 * simulated time stops all ranks. Each window costs about 10 us of computing time. With the
 * scheduler of GetScheduler(), the ranks skip the windows in which no rank has an event.
 *
 * Only QbbChannels may connect two ranks.
 */
class HpccMpiWindows : public HpccMpiRanks, private AgendaSource
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HpccMpiWindows();
    ~HpccMpiWindows() override;

    void Begin() override;
    ObjectFactory GetScheduler() override;
    void End() override;
    void Join(QbbChannel& channel, QbbNetDevice& here) override;
    void Carry(uint32_t rank, uint32_t link, Frame* frame) override;

  private:
    /// Messages to all ranks, and their MPI requests.
    struct Mail;
    /// Event scheduler whose next event HpccMpiWindows can read.
    class Events;

    /// Agrees with all ranks on the length of the window when the simulation starts.
    void Start();
    /// Sends the frames of a window that has ended.
    void EndWindow();
    /// Returns true if all nodes at links to other ranks lag to the end of a window.
    bool MayFetchLate() const;
    /// Sends the contents of m_mail.
    void Send();
    /**
     * Returns the time of this rank's next event.
     * @return the time, ns; NO_EVENT if there is no event. The result is 0 if the time is not
     * known, or if the rank sends a frame at the end of this window. With 0, no rank skips the next
     * window
     */
    int64_t GetNextNs() const;
    /// Skips the windows in which no rank has an event.
    void SkipWindows();
    /// Receives a message into m_in.
    /// @param rank rank that sends it
    /// @return the time of that rank's next event, see GetNextNs()
    int64_t ReceiveFrom(uint32_t rank);
    /// Receives the messages that the other ranks sent at the end of the last window, unless these
    /// messages have already been received.
    void Fetch() override;
    /// Receives the messages that the other ranks sent at the end of the last window.
    /// @param announce true to announce the frames, which requires that the nodes still exist
    void Receive(bool announce);

    std::array<std::unique_ptr<Mail>, 2> m_mail; ///< messages of the present and of the previous
                                                 ///< time window
    std::string m_in;                            ///< message received
    bool m_fetched{true};                        ///< see Fetch()
    const Events* m_events{nullptr};             ///< scheduler of GetScheduler(), if it is in use
    EventId m_endEvent;                          ///< next EndWindow()
    int64_t m_nextNs{0}; ///< earliest next event (GetNextNs()) of this rank and of the ranks whose
                         ///< messages have arrived, ns
    int64_t m_windowNs{INT64_MAX}; ///< length of a window, ns
    int64_t m_endNs{0};            ///< end of the current window, ns
    uint64_t m_chunkBytes{0};      ///< attribute ChunkBytes
};

} // namespace ns3

#endif // HPCC_MPI_WINDOWS_H
