/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_RANKS_H
#define HPCC_MPI_RANKS_H

#include "hpcc-node-agenda.h"
#include "hpcc-ranks.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Ranks on ns-3's own engine over MPI: DistributedSimulatorImpl or NullMessageSimulatorImpl, as the
 * global value SimulatorImplementationType says. Exists in builds against an ns-3 with MPI.
 *
 * A message of ns-3 costs more than a hop, so frames to a rank wait for each other, until they fill
 * a message or it is time for the first of them. ns-3 makes an event of a message at its
 * receive time: that is the lookahead after it was sent, before the first frame in it arrives, so
 * that the frames are on the agenda before they are due. Messages of the same nanosecond are put
 * into the order in which they were sent.
 */
class HpccMpiRanks : public HpccRanks
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HpccMpiRanks();
    ~HpccMpiRanks() override;

    uint32_t GetRank() const override;
    uint32_t GetSize() const override;
    void Begin() override;
    void End() override;
    void Join(QbbChannel& channel, QbbNetDevice& here) override;
    void Carry(QbbNetDevice& to, Frame* frame) override;
    std::vector<std::string> Exchange(const std::string& mine) override;

    /// @return messages sent
    uint64_t GetMessages() const
    {
        return m_messages;
    }

  private:
    using HpccRanks::Read;

    /// Another rank.
    struct Peer
    {
        std::string bytes;                 ///< device and frame, one after the other, not sent yet
        QbbNetDevice* to{nullptr};         ///< the device of one of them; null if there is none
        std::vector<QbbChannel*> channels; ///< links to it
        int64_t lookaheadNs{0};            ///< of these the smallest, ns; 0 if unknown yet
        int64_t dueNs{INT64_MAX};          ///< when what waits has to be sent, ns
        uint32_t sent{0};                  ///< messages sent to it
        uint32_t received{0};              ///< messages of it that were read
        std::map<uint32_t, std::string> held; ///< messages of it that wait for others, by number
    };

    /// @param peer a rank, whose links are all known by now
    static void FindLookahead(Peer& peer);
    /// @param rank what waits for it is sent if it is time
    void SendDue(uint32_t rank);
    /// @param peer what waits for it is sent
    void Send(Peer& peer);
    /// @param packet a message
    void Receive(Ptr<Packet> packet);
    /// @param bytes of a message, its number excepted
    void Read(const std::string& bytes);

    std::vector<Peer> m_peers; ///< by rank
    std::unordered_map<uint64_t, QbbNetDevice*>
        m_devices;             ///< ends of links at this rank, by node and port
    uint64_t m_messages{0};    ///< messages sent
    bool m_initialized{false}; ///< this object has started MPI
};

} // namespace ns3

#endif // HPCC_MPI_RANKS_H
