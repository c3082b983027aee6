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
 * A message of ns-3 costs more than a hop, so the frames that a node announces to a rank in one
 * turn of its agenda go in as few messages as hold them. ns-3 makes an event of a message at its
 * receive time; that is 1 ns before the first frame in it arrives, so that the frames are on the
 * agenda before they are due.
 */
class HpccMpiRanks : public HpccRanks, private TurnObserver
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
    void Carry(const QbbNetDevice& from, QbbNetDevice& to, Frame* frame) override;
    std::vector<std::string> Exchange(const std::string& mine) override;

    /// @return messages sent
    uint64_t GetMessages() const
    {
        return m_messages;
    }

  private:
    /// Frames that wait for their message.
    struct Batch
    {
        std::string bytes;          ///< device and frame, one after the other
        int64_t firstNs{INT64_MAX}; ///< when the first of them arrives, ns
        QbbNetDevice* to{nullptr};  ///< the device of one of them
    };

    void TurnEnded() override;
    /// @param batch what to send; empty afterwards
    void Send(Batch& batch);
    /// @param packet a message
    void Receive(Ptr<Packet> packet);

    std::vector<Batch> m_batches; ///< by rank
    std::unordered_map<uint64_t, QbbNetDevice*>
        m_devices;             ///< ends of links at this rank, by node and port
    uint64_t m_messages{0};    ///< messages sent
    bool m_initialized{false}; ///< this object has started MPI
};

} // namespace ns3

#endif // HPCC_MPI_RANKS_H
