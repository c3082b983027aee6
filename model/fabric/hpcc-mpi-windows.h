/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_WINDOWS_H
#define HPCC_MPI_WINDOWS_H

#include "hpcc-mpi-ranks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Ranks that need only MPI, not ns-3's module mpi: each runs ns-3's ordinary simulator, in which an
 * event at every multiple of the window exchanges what the links between ranks have carried. The
 * window is the shortest delay of such a link, of all ranks: what a node does in one window reaches
 * no other rank before the next.
 *
 * Nodes at such links lag within a window (NodeAgenda::LagWithin), the others as in one process.
 * One exchange is one message to each other rank, of any size, with all frames of the window; they
 * are announced in the order of the ranks, then in that in which they left. Nothing is on its way
 * between windows.
 *
 * The ranks end together: when no rank has an event left, or when each stops at the same time, in
 * the same event. A time without events is passed window by window, some 1 us each.
 *
 * Links of other kinds do not reach another rank.
 */
class HpccMpiWindows : public HpccMpiRanks
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Begin() override;
    void End() override;
    void Join(QbbChannel& channel, QbbNetDevice& here) override;
    void Carry(uint32_t rank, uint32_t link, Frame* frame) override;

    /// @return exchanges so far
    uint64_t GetExchanges() const
    {
        return m_exchanges;
    }

  private:
    /// Time starts: agree on the window.
    void Start();
    /// A window is over: exchange its frames.
    void EndWindow();

    std::vector<std::string> m_out; ///< message to be sent, by rank
    std::string m_in;               ///< message received
    int64_t m_windowNs{INT64_MAX};  ///< length of a window, ns
    int64_t m_endNs{0};             ///< end of the current one, ns
    uint64_t m_exchanges{0};        ///< exchanges so far
};

} // namespace ns3

#endif // HPCC_MPI_WINDOWS_H
