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
 * Base class of ranks that communicate over MPI, for any kind of synchronisation. The class manages
 * the ranks and the links between them. A link has the same number at both ranks, because both
 * ranks call Join() for their links in the same order.
 *
 * The ranks have their own MPI communicator. All ranks end if MPI reports an error, if a message is
 * invalid, or if an exception ends only some of the ranks. Before that, one line with the reason is
 * printed: after an exception by the program, otherwise by this class. During a long wait a rank
 * sleeps, so that other processes can use the processor.
 */
class HpccMpiRanks : public HpccRanks
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Starts MPI, unless MPI is already running.
    HpccMpiRanks();
    ~HpccMpiRanks() override;

    uint32_t GetRank() const override;
    uint32_t GetSize() const override;
    void Begin() override;
    void End() override;
    void AddFormat(const TelemetryFormat* format) override;
    std::vector<std::string> Exchange(const std::string& mine) override;

    static constexpr uint64_t MAX_CHUNK_BYTES = 1U << 30; ///< largest number of bytes per MPI call;
                                                          ///< MPI's sizes have 31 bits

  protected:
    /// Returns the communicator.
    MPI_Comm GetCommunicator() const
    {
        return m_communicator;
    }

    /**
     * Prints one line and ends all ranks.
     * @param why the reason
     */
    [[noreturn]] void Abort(const std::string& why) const;

    /**
     * Waits for a condition. During a long wait the process sleeps, so that other processes can use
     * the processor.
     * @param done returns true if the condition is met
     */
    static void WaitUntil(const std::function<bool()>& done);

    /// Waits until all requests are complete. During a long wait the process sleeps, see
    /// WaitUntil().
    /// @param requests the requests; empty on return
    static void WaitFor(std::vector<MPI_Request>& requests);

    /**
     * Adds a link to another rank.
     * @param channel the link
     * @param here end of the link at this rank
     * @param lookaheadNs time between the announcement of a frame to the other rank and the frame's
     * arrival, ns
     */
    void AddLink(QbbChannel& channel, QbbNetDevice& here, int64_t lookaheadNs);

    /// Returns the serializer of the frames sent to other ranks.
    const FrameSerializer& GetSerializer() const
    {
        return m_serializer;
    }

    /**
     * Announces the frames in a message of another rank. If the message is invalid, prints a line
     * and ends all ranks.
     * @param bytes any number of frames written by FrameSerializer::Append()
     * @param end the byte after the frames
     * @param links the devices of this rank, by number of the link
     */
    void Announce(const char* bytes, const char* end, const std::vector<QbbNetDevice*>& links);

    /**
     * Returns this rank's devices at the links to another rank.
     * @param rank the other rank
     */
    const std::vector<QbbNetDevice*>& LinksTo(uint32_t rank) const
    {
        return m_links[rank];
    }

    void DoDispose() override;

  private:
    FrameSerializer m_serializer;        ///< serializer with the same formats at all ranks
    std::unique_ptr<FramePool> m_frames; ///< frames received from other ranks
    std::vector<std::vector<QbbNetDevice*>> m_links; ///< devices by rank of the other end
    MPI_Comm m_communicator{MPI_COMM_NULL};          ///< communicator of all ranks
    MPI_Comm m_ends{MPI_COMM_NULL}; ///< second communicator, used only to find out whether all
                                    ///< ranks are ending
    bool m_initialized{false};      ///< true if this object has started MPI
};

} // namespace ns3

#endif // HPCC_MPI_RANKS_H
