/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_MESSAGES_H
#define HPCC_MPI_MESSAGES_H

#include "hpcc-mpi-ranks.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Ranks on ns-3's own engine over MPI: DistributedSimulatorImpl or NullMessageSimulatorImpl,
 * selected by the global value SimulatorImplementationType. Exists in builds against an ns-3 with
 * MPI.
 *
 * Sending a message of ns-3 costs more than a hop, so frames for a rank are collected until they
 * fill a message or the first of them must be sent. ns-3 turns a message into an event at its
 * receive time. This is one lookahead after it was sent and before its first frame arrives, so the
 * frames are on the agenda before they are due. Messages of the same nanosecond are put into the
 * order in which they were sent.
 */
class HpccMpiMessages : public HpccMpiRanks
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
    uint32_t GetMaxPacketBytes(bool telemetry) const override;
    bool NeedsBothEnds() const override;

    /// @return messages sent
    uint64_t GetMessages() const
    {
        return m_messages;
    }

  private:
    /// Another rank.
    struct Peer
    {
        std::string bytes;                    ///< frames that are not sent yet
        int64_t lookaheadNs{INT64_MAX};       ///< smallest over the links to it, ns
        int64_t dueNs{INT64_MAX};             ///< when what waits has to be sent, ns
        uint64_t sent{0};                     ///< messages sent to it
        uint64_t received{0};                 ///< messages of it that were read
        std::map<uint64_t, std::string> held; ///< messages received out of order, by number
    };

    /// Sends what waits for a rank, if it is time.
    /// @param rank the rank
    void SendDue(uint32_t rank);
    /// Sends what waits for a rank.
    /// @param rank the rank
    void Send(uint32_t rank);
    /// Handles a message of another rank.
    /// @param packet a message
    void Receive(Ptr<Packet> packet);

    std::vector<Peer> m_peers; ///< by rank
    uint64_t m_messages{0};    ///< messages sent
};

} // namespace ns3

#endif // HPCC_MPI_MESSAGES_H
