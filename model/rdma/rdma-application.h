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
 * Posting is on the node's agenda, so what happens at the same nanosecond at a node has a fixed
 * order. Messages planned before the attribute StartTime are posted at StartTime. Messages at or
 * after StopTime are refused (HpccInputError) when the application is initialized.
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
     * Plan a message. Call before the application starts.
     * @param at when to post it
     * @param queuePair index of the queue pair at this node's RdmaHost
     * @param bytes payload, at least 1
     * @param verb operation of the message
     */
    void AddMessage(Time at, uint32_t queuePair, uint64_t bytes, RdmaVerb verb = RdmaVerb::WRITE);

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    /// Refuses messages at or after StopTime.
    void CheckStopTime() const;

    /// A planned message.
    struct Plan
    {
        int64_t atNs;       ///< when
        uint64_t bytes;     ///< size, bytes
        uint32_t queuePair; ///< where
        RdmaVerb verb;      ///< operation
    };

    std::vector<Plan> m_plans; ///< by time; empty again once all are posted
    size_t m_next{0};          ///< first not posted
    uint32_t m_index{0};       ///< index on the agenda
    Ptr<RdmaHost> m_host;      ///< the node's stack
    Ptr<NodeAgenda> m_agenda;  ///< the node's agenda
};

} // namespace ns3

#endif // RDMA_APPLICATION_H
