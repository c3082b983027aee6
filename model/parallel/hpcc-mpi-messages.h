/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_MESSAGES_H
#define HPCC_MPI_MESSAGES_H

#include "hpcc-mpi-ranks.h"

#include "ns3/hpcc-node-agenda.h"

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
 * Sending a message of ns-3 costs more than a hop, so frames are collected for a step of time and
 * sent in as few messages as they need. ns-3 turns a message into an event at its receive time,
 * before its first frame is needed. W is the shortest delay of a link between ranks:
 * - Steps of W / 2: nodes at such links act within a step (NodeAgenda::LagWithin), frames that
 * leave in step j are received W - 1 after it began, before the first of them arrives. The engine's
 *   lookahead is W / 2 - 1.
 * - Steps of W, with DistributedSimulatorImpl, if all nodes at such links of all ranks lag by W -
 * 1: these act in the last nanosecond of a step, which is when frames of the step before are
 * needed. They are received 1 ns before. The lookahead is W - 2. An event that reads such a node
 * within a step needs CatchUp() before.
 *
 * Messages of the same nanosecond are put into the order in which they were sent.
 */
class HpccMpiMessages : public HpccMpiRanks, private AgendaSource
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Begin() override;
    void End() override;
    void BoundDelay(int64_t delayNs) override;
    void CatchUp() override;
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
        std::vector<std::string> waiting;     ///< messages of this step
        std::vector<std::string> sent;        ///< messages of the last step with frames
        uint64_t next{0};                     ///< number of the next message to it
        uint64_t received{0};                 ///< messages of it that were read
        uint64_t caughtUp{0};                 ///< of these, messages that CatchUp() has read
        std::map<uint64_t, std::string> held; ///< messages received out of order, by number
    };

    /// Divides time into steps when the simulation starts.
    void Start();
    /// Agrees with all ranks on the length of a step, at the end of the first.
    void Decide();
    /// Lets the nodes at links to other ranks act within a step.
    void LimitLags();
    /// @return true if all nodes at links to other ranks lag by the whole delay
    bool LagByDelay() const;
    /// @return what remains of the shortest delay after a step and the receiver's nanosecond, ns
    int64_t GetShortLookaheadNs() const;
    /// Numbers the messages that wait for a rank.
    /// @param rank the rank
    void Number(uint32_t rank);
    /// Sends what waits for all ranks, at the end of a step.
    void EndStep();
    /// Handles a message of another rank.
    /// @param packet a message
    void Receive(Ptr<Packet> packet);
    /**
     * Announces the frames of a message, after those of the messages before it.
     * @param bytes a message of another rank
     * @param again whether it may have been read before
     */
    void Read(const std::string& bytes, bool again);
    /// Checks that all frames are here that a node may need now.
    void Fetch() override;

    std::vector<Peer> m_peers;    ///< by rank
    bool m_mayBeLate{false};      ///< the engine can change its lookahead
    bool m_late{false};           ///< steps are as long as the shortest delay
    bool m_pending{false};        ///< an EndStep() is scheduled
    int64_t m_delayNs{INT64_MAX}; ///< shortest delay of a link between any ranks, ns
    int64_t m_stepNs{INT64_MAX};  ///< length of a step, ns
    int64_t m_completeNs{0};      ///< CatchUp() has received all frames that arrive before, ns
    uint64_t m_messages{0};       ///< messages sent
};

} // namespace ns3

#endif // HPCC_MPI_MESSAGES_H
