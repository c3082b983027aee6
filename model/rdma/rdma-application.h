/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_H
#define RDMA_APPLICATION_H

#include "rdma-host.h"

#include "ns3/application.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Posts messages on the queue pairs of its node's RdmaHost at given times.
 *
 * Posting is scheduled on the node's event agenda, which executes simultaneous events in a fixed
 * order. Messages planned for a time before the attribute StartTime are posted at StartTime. When
 * the application is initialized, it refuses messages planned for StopTime or later
 * (HpccInputError). It also refuses a second message on a queue pair with
 * RdmaQueuePairConfig::singleMessage.
 */
class RdmaApplication : public Application, public AgendaClient
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaApplication();
    ~RdmaApplication() override;

    /**
     * Plans a message to be posted at a given time.
     * @param at simulated time at which to post the message. A negative time throws HpccInputError.
     * Once the simulation runs, a time before now also throws HpccInputError
     * @param queuePair index of the queue pair at this node's RdmaHost
     * @param bytes payload, 1 to RDMA_MAX_MESSAGE_BYTES bytes; other values throw HpccInputError
     * @param verb operation of the message. If the queue pair cannot send this operation,
     * HpccInputError is thrown: by this function if the queue pair exists, otherwise when the
     * application is initialized or when the message is posted
     */
    void AddMessage(const Time& at,
                    uint32_t queuePair,
                    uint64_t bytes,
                    RdmaVerb verb = RdmaVerb::WRITE);

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// A planned message.
    struct Plan
    {
        int64_t atNs;       ///< time of posting, ns
        uint64_t bytes;     ///< payload, bytes
        uint32_t queuePair; ///< index of the queue pair at the RdmaHost
        RdmaVerb verb;      ///< operation of the message
    };

    /// Refuses messages that are planned for StopTime or later.
    /// @param plans planned messages, earliest first
    void CheckStopTime(const std::vector<Plan>& plans) const;

    /// Refuses planned messages that their queue pairs cannot send. Called before the first message
    /// is posted.
    void CheckMessages() const;

    /// Schedules the next planned message; empties m_plans if there is none.
    void ScheduleNext();

    std::vector<Plan> m_plans; ///< planned messages, earliest first; emptied once all are posted
    size_t m_next{0};          ///< index in m_plans of the next message to post
    uint32_t m_index{0};       ///< index of the application on m_agenda
    Ptr<RdmaHost> m_host;      ///< RdmaHost of the node
    Ptr<NodeAgenda> m_agenda;  ///< the node's agenda
};

} // namespace ns3

#endif // RDMA_APPLICATION_H
