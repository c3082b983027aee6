/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_PARTS_H
#define RDMA_HOST_PARTS_H

#include "rdma-cnp-sender.h"
#include "rdma-connector.h"
#include "rdma-feedback-collector.h"
#include "rdma-forgers.h"
#include "rdma-host-core.h"
#include "rdma-loss-recovery.h"
#include "rdma-notifications.h"
#include "rdma-pacer.h"
#include "rdma-path-mover.h"
#include "rdma-port-mover.h"
#include "rdma-prober.h"
#include "rdma-reads.h"
#include "rdma-receiver-policies.h"
#include "rdma-reflections.h"
#include "rdma-requester.h"
#include "rdma-responder.h"
#include "rdma-sack-requester.h"
#include "rdma-sack-responder.h"
#include "rdma-sender-feedback.h"
#include "rdma-switch-responses.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The parts of an RdmaHost. Each one knows only those before it.
 */
struct RdmaHostParts
{
    /**
     * @param settings the host's attributes
     * @param traces its trace sources
     * @param counts its counters
     */
    RdmaHostParts(const RdmaHostSettings& settings, RdmaHostTraces& traces, RdmaHostCounts& counts)
        : core(settings, traces, counts),
          forgers(settings)
    {
    }

    /// Destroys the queue pairs before the parts: a flow that is counted leaves its counter.
    ~RdmaHostParts()
    {
        if (!core.connections.queuePairs.empty()) // clear() would count from a null pointer
        {
            core.connections.queuePairs.clear();
        }
    }

    RdmaHostParts(const RdmaHostParts&) = delete;
    RdmaHostParts& operator=(const RdmaHostParts&) = delete;

    RdmaHostCore core; ///< state shared by the parts

    RdmaPacer pacer{core};                                ///< times of requesters
    RdmaPortMover mover{core, pacer};                     ///< other ports
    RdmaPathMover paths{core, pacer};                     ///< other paths
    RdmaSackRequester sacks{core, pacer};                 ///< SACKs in
    RdmaLossRecovery recovery{core, pacer, paths, sacks}; ///< losses
    RdmaProber prober{core, pacer};                       ///< probes
    RdmaSenderFeedback feedback{core, prober, paths};     ///< requester's half of feedback
    RdmaRequester requester{core,
                            pacer,
                            recovery,
                            feedback,
                            paths,
                            sacks}; ///< packets out, ACKs in

    RdmaForgers forgers;                                     ///< of a dishonest host
    RdmaCnpSender cnps{core};                                ///< CNPs
    RdmaReads reads{core, requester};                        ///< READs, at both ends
    RdmaReflections reflections{core, forgers};              ///< responder's half of feedback
    RdmaResponder responder{core, cnps, reads, reflections}; ///< packets in, ACKs out

    RdmaReceiverPolicies receivers{core, cnps, forgers};           ///< policies at the receiver
    RdmaSackResponder sackResponder{core, responder, reflections}; ///< any order in, SACKs out
    RdmaFeedbackCollector collector{core,
                                    responder,
                                    sackResponder,
                                    reflections,
                                    receivers};                         ///< telemetry in
    RdmaNotifications notifications{core, prober, feedback, requester}; ///< for requesters
    RdmaSwitchResponses responses{core, pacer, feedback, receivers};    ///< by switches
    RdmaConnector connector{core, receivers};                           ///< set-up
};

} // namespace ns3

#endif // RDMA_HOST_PARTS_H
