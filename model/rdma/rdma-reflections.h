/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REFLECTIONS_H
#define RDMA_REFLECTIONS_H

#include "rdma-forgers.h"
#include "rdma-host-core.h"
#include "rdma-queue-pair.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-frame.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides which records an acknowledgement returns, writes these records into the acknowledgement,
 * and signs the records if required. For a queue pair whose RdmaQueuePair::responderUses is 0 or
 * USES_SACK, only Number() is used.
 */
class RdmaReflections
{
  public:
    /**
     * Creates the part that writes returned telemetry into acknowledgements.
     * @param core state shared by the parts of the host
     * @param forgers forges the telemetry of a dishonest host
     */
    RdmaReflections(RdmaHostCore& core, RdmaForgers& forgers)
        : m_core(core),
          m_forgers(forgers)
    {
    }

    /**
     * Numbers an acknowledgement that returns telemetry.
     * @param qp the queue pair
     * @param frame the acknowledgement
     */
    static void Number(RdmaQueuePair& qp, Frame& frame)
    {
        ++qp.reflections;
        frame.reflectionSeq = static_cast<uint16_t>(qp.reflections);
    }

    /**
     * Puts the telemetry that an ACK or NAK must return into this ACK or NAK.
     * @param qp the queue pair
     * @param frame the ACK or NAK, with the telemetry of the packet that it answers
     * @param nowNs current time, ns
     */
    void FillAck(RdmaQueuePair& qp, Frame& frame, int64_t nowNs);

    /**
     * Completes an acknowledgement that returns telemetry. If the host is dishonest (RdmaForgers),
     * this function first forges the telemetry. If the feedback mode returns only one hop and @p
     * allHops is false, it then reduces the telemetry to this hop. Finally, if the acknowledgement
     * still has telemetry, it numbers the acknowledgement and, if required, signs it.
     * @param qp the queue pair
     * @param frame the acknowledgement
     * @param allHops true to return the records of all hops, regardless of the feedback mode
     * @param nowNs current time, ns
     */
    void Finish(RdmaQueuePair& qp, Frame& frame, bool allHops, int64_t nowNs);

  private:
    /**
     * Replaces the telemetry of an acknowledgement with a report of one hop. If there is no hop to
     * report, removes the telemetry.
     * @param qp the queue pair
     * @param frame the acknowledgement
     * @param nowNs current time, ns
     */
    void Condense(const RdmaQueuePair& qp, Frame& frame, int64_t nowNs);

    RdmaHostCore& m_core;         ///< state shared by the parts of the host
    RdmaForgers& m_forgers;       ///< forges the telemetry of a dishonest host
    HpccBottleneckHop m_report{}; ///< the report that is being written
};

} // namespace ns3

#endif // RDMA_REFLECTIONS_H
