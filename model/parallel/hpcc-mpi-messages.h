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
 * Ranks that use ns-3's own MPI engine: DistributedSimulatorImpl or NullMessageSimulatorImpl,
 * selected by the global value SimulatorImplementationType. Available only if ns-3 is built with
 * MPI.
 *
 * Sending an ns-3 message takes longer than simulating a hop. Therefore the frames of a time step
 * are collected and sent in as few messages as possible. At the receiving rank, ns-3 schedules an
 * event at the receive time of a message. The receive time is before the time at which the first
 * frame in the message is needed. Let W be the shortest delay of a link between ranks. Steps have
 * one of two lengths:
 * - W / 2, rounded down: nodes at links between ranks do not lag past the end of a step
 *   (NodeAgenda::LagWithin). The other rank receives the frames of a step W - 1 ns after the start
 *   of the step, before the first of these frames arrives at its node. The engine's lookahead is W
 *   minus the step minus 1 ns.
 * - W: with DistributedSimulatorImpl, if all nodes at links between ranks lag by W - 1 ns. The
 *   lookahead is W - 2 ns. Nodes that lag by W - 1 ns process the items of their agenda in the last
 *   nanosecond of a step. Therefore they need the frames of the previous step only at that time.
 *   The rank receives these frames 1 ns before that time. An event that reads one of these nodes
 *   within a step must call CatchUp() first.
 *
 * Messages of a rank that are received in the same nanosecond are read in the order in which they
 * were sent.
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

    /// Returns the number of messages sent.
    uint64_t GetMessages() const
    {
        return m_messages;
    }

  private:
    /// Another rank.
    struct Peer
    {
        std::vector<std::string> waiting; ///< messages of this step
        std::vector<std::string> sent;    ///< messages of the last step in which frames were sent
        uint64_t next{0};                 ///< number of the next message to this rank
        uint64_t received{0};             ///< number of messages from this rank that have been read
        uint64_t caughtUp{0};             ///< value of received after the last CatchUp(); messages
                                          ///< with lower numbers have already been read and are
                                          ///< ignored if they arrive again
        std::map<uint64_t, std::string> held; ///< messages received out of order, by number
    };

    /// Divides time into steps when the simulation starts.
    void Start();
    /// Agrees with all ranks on the length of a step, at the end of the first step.
    void Decide();
    /// Prevents nodes at links to other ranks from lagging past the end of a step.
    void LimitLags();
    /// Returns true if all nodes at links to other ranks lag by W - 1, see the class.
    bool LagByDelay() const;
    /// Returns the lookahead with steps of W / 2, ns: W minus the step minus 1 ns.
    int64_t GetShortLookaheadNs() const;
    /// Writes the number of this rank and a message number into each message that waits for a rank.
    /// @param rank number of the receiving rank
    void Number(uint32_t rank);
    /// Sends the messages that wait for all ranks, at the end of a step.
    void EndStep();
    /// Handles a message of another rank.
    /// @param packet a message
    void Receive(Ptr<Packet> packet);
    /**
     * Announces the frames of a message, after the frames of all earlier messages.
     * @param bytes a message of another rank
     * @param again true if the message may have been read before
     */
    void Read(const std::string& bytes, bool again);
    /// Aborts if a node may now need a frame that has not been received yet.
    void Fetch() override;

    std::vector<Peer> m_peers;    ///< by rank
    bool m_mayBeLate{false};      ///< true if steps may be as long as W, because the engine can
                                  ///< shorten its lookahead later
    bool m_late{false};           ///< true if a step is as long as the shortest delay
    bool m_pending{false};        ///< true if an EndStep() is scheduled
    int64_t m_delayNs{INT64_MAX}; ///< shortest delay of a link between any ranks, ns
    int64_t m_stepNs{INT64_MAX};  ///< length of a step, ns
    int64_t m_completeNs{0}; ///< CatchUp() has received all frames that arrive before this time, ns
    uint64_t m_messages{0};  ///< messages sent
};

} // namespace ns3

#endif // HPCC_MPI_MESSAGES_H
