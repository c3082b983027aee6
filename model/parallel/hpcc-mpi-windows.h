/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_WINDOWS_H
#define HPCC_MPI_WINDOWS_H

#include "hpcc-mpi-ranks.h"

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
 * Ranks that need only MPI, not ns-3's module mpi: each runs ns-3's ordinary simulator, in which an
 * event at every multiple of the window exchanges what the links between ranks have carried. The
 * window is the shortest delay of such a link, of all ranks: an action of a node in one window
 * reaches no other rank before the next window.
 *
 * Nodes at such links lag within a window (NodeAgenda::LagWithin), the others as in one process.
 * One exchange is one message to each other rank, of any size, with all frames of the window; they
 * are announced in the order of the ranks, then in the order in which they left. Frames sent at the
 * end of a window are received when a node at such a link next becomes active, usually at the end
 * of the next window: so no rank waits for another that is less than a window behind.
 *
 * The ranks end together: when no rank has an event left, or when each stops at the same time, in
 * the same event. A time without events is passed window by window, some 10 us each.
 *
 * Only QbbChannels may join two ranks.
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
    void End() override;
    void Join(QbbChannel& channel, QbbNetDevice& here) override;
    void Carry(uint32_t rank, uint32_t link, Frame* frame) override;

  private:
    /// Messages to all ranks, and what MPI knows of them.
    struct Mail;

    /// Agrees on the window when the simulation starts.
    void Start();
    /// Sends the frames of a window that has ended.
    void EndWindow();
    /// @return true if all nodes at links to other ranks lag a window
    bool MayFetchLate() const;
    /// Sends the contents of m_mail.
    /// @param idle true if this rank has no event left, and sends no frame
    void Send(bool idle);
    /// Receives a message into m_in.
    /// @param rank who sends it
    void ReceiveFrom(uint32_t rank);
    /// Receives what the others have sent at the end of the last window, unless that was done.
    void Fetch() override;
    /// Receives as Fetch() does.
    /// @param announce whether to announce the frames, which needs nodes that still exist
    void Receive(bool announce);

    std::array<std::unique_ptr<Mail>, 2> m_mail; ///< of this time window, and of the one before
    std::string m_in;                            ///< message received
    bool m_fetched{true};                        ///< see Fetch()
    bool m_othersIdle{true};       ///< no rank had an event left, as far as was received
    int64_t m_windowNs{INT64_MAX}; ///< length of a window, ns
    int64_t m_endNs{0};            ///< end of the current one, ns
    uint64_t m_chunkBytes{0};      ///< attribute ChunkBytes
};

} // namespace ns3

#endif // HPCC_MPI_WINDOWS_H
