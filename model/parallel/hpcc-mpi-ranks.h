/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_RANKS_H
#define HPCC_MPI_RANKS_H

#include "ns3/hpcc-frame-serializer.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-ranks.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Base of ranks over MPI, for any way of synchronisation: the ranks that exist, and the links
 * between them. Both ends of a link give it the same number, since both ranks call Join() in the
 * same order.
 *
 * The ranks have a communicator of their own. An error of MPI, a message that no rank has sent, and
 * an exception that ends one rank but not the others print one line and end all ranks. A rank that
 * waits for long sleeps, so that other work of the machine has the processor.
 */
class HpccMpiRanks : public HpccRanks
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Starts MPI, unless it runs.
    HpccMpiRanks();
    ~HpccMpiRanks() override;

    uint32_t GetRank() const override;
    uint32_t GetSize() const override;
    void Begin() override;
    void End() override;
    void AddFormat(const TelemetryFormat* format) override;
    std::vector<std::string> Exchange(const std::string& mine) override;

    static constexpr uint64_t MAX_CHUNK_BYTES = 1U << 30; ///< MPI's sizes have 31 bits

  protected:
    /// @return the communicator
    MPI_Comm GetCommunicator() const
    {
        return m_communicator;
    }

    /**
     * Ends all ranks after one line.
     * @param why the reason
     */
    [[noreturn]] void Abort(const std::string& why) const;

    /**
     * Waits, and leaves the processor to others meanwhile.
     * @param done returns true when the wait is over
     */
    static void WaitUntil(const std::function<bool()>& done);

    /// Waits for the end of requests in the same way.
    /// @param requests what to wait for; empty afterwards
    static void WaitFor(std::vector<MPI_Request>& requests);

    /**
     * Adds a link to another rank.
     * @param channel the link
     * @param here its end at this rank
     * @param lookaheadNs how far ahead of its arrival a frame is announced to the other rank, ns
     */
    void AddLink(QbbChannel& channel, QbbNetDevice& here, int64_t lookaheadNs);

    /// @return what writes the frames that go to other ranks
    const FrameSerializer& GetSerializer() const
    {
        return m_serializer;
    }

    /**
     * Announces the frames in a message of another rank. Ends all ranks with one line if the
     * message is not what the serializer writes.
     * @param bytes what FrameSerializer::Append() wrote, any number of times
     * @param end the byte after them
     * @param links the devices here, by number of the link
     */
    void Announce(const char* bytes, const char* end, const std::vector<QbbNetDevice*>& links);

    /**
     * @param rank another rank
     * @return the ends here of the links to it
     */
    const std::vector<QbbNetDevice*>& LinksTo(uint32_t rank) const
    {
        return m_links[rank];
    }

    void DoDispose() override;

  private:
    FrameSerializer m_serializer;                    ///< knows the same formats at all ranks
    std::unique_ptr<FramePool> m_frames;             ///< frames that came from other ranks
    std::vector<std::vector<QbbNetDevice*>> m_links; ///< the ends here, by the other end's rank
    MPI_Comm m_communicator{MPI_COMM_NULL};          ///< of all ranks
    MPI_Comm m_ends{MPI_COMM_NULL};                  ///< the same, to see whether all end
    bool m_initialized{false};                       ///< this object has started MPI
};

} // namespace ns3

#endif // HPCC_MPI_RANKS_H
