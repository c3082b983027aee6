/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POSTER_H
#define RDMA_POSTER_H

#include "rdma-connector.h"
#include "rdma-host-core.h"
#include "rdma-message.h"
#include "rdma-queue-pair.h"
#include "rdma-reads.h"
#include "rdma-requester.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks the messages that an application posts at a host, and passes them to the requester.
 */
class RdmaPoster
{
  public:
    /**
     * Creates the part that posts messages.
     * @param core state shared by the parts of the host
     * @param requester sends WRITEs and SENDs
     * @param reads sends READs
     * @param connector opens queue pairs
     */
    RdmaPoster(RdmaHostCore& core,
               RdmaRequester& requester,
               RdmaReads& reads,
               RdmaConnector& connector)
        : m_core(core),
          m_requester(requester),
          m_reads(reads),
          m_connector(connector)
    {
    }

    /**
     * Posts a message, see RdmaHost::Post().
     * @param queuePair index of the queue pair
     * @param verb operation of the message
     * @param bytes payload of the message, bytes
     * @return number of the message on its queue pair
     */
    uint32_t Post(uint32_t queuePair, RdmaVerb verb, uint64_t bytes);

    /**
     * Refuses a planned message that Post() would refuse, see RdmaHost::CheckMessage().
     * @param queuePair index of the queue pair
     * @param verb operation of the message
     * @param bytes payload of the message, bytes
     * @param first false if another message is planned before this message on the same queue pair
     */
    void CheckMessage(uint32_t queuePair, RdmaVerb verb, uint64_t bytes, bool first) const;

  private:
    /**
     * Refuses a message if its queue pair does not exist or does not send at this end. Also refuses
     * sizes and operations that no queue pair allows.
     * @param queuePair index of the queue pair
     * @param verb operation of the message
     * @param bytes payload of the message, bytes
     */
    void CheckRequest(uint32_t queuePair, RdmaVerb verb, uint64_t bytes) const;

    /**
     * Refuses a message that is not allowed on its queue pair, such as a second message with
     * RdmaQueuePairConfig::singleMessage.
     * @param queuePair index of the queue pair
     * @param verb operation of the message
     * @param bytes payload of the message, bytes
     * @param number number of the message on its queue pair
     */
    void Check(uint32_t queuePair, RdmaVerb verb, uint64_t bytes, uint32_t number) const;

    RdmaHostCore& m_core;       ///< state shared by the host's parts
    RdmaRequester& m_requester; ///< sends WRITEs and SENDs
    RdmaReads& m_reads;         ///< sends READs
    RdmaConnector& m_connector; ///< opens queue pairs
};

} // namespace ns3

#endif // RDMA_POSTER_H
