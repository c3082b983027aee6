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
#include "rdma-host-counters.h"
#include "rdma-host-settings.h"
#include "rdma-host-traces.h"
#include "rdma-loss-recovery.h"
#include "rdma-notifications.h"
#include "rdma-pacer.h"
#include "rdma-path-mover.h"
#include "rdma-port-mover.h"
#include "rdma-poster.h"
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
 * The attributes, trace sources and parts of an RdmaHost. Each part refers only to parts
 * declared before it.
 */
struct RdmaHostParts
{
    /// Creates the parts of a host.
    /// @param counts the host's counters
    explicit RdmaHostParts(RdmaHostCounts& counts)
        : core(settings, traces, counts),
          forgers(settings)
    {
    }

    /// Destroys the queue pairs before the parts, because the destructor of a counted flow accesses
    /// the counter of flows.
    ~RdmaHostParts()
    {
        core.connections.queuePairs.Clear();
    }

    RdmaHostParts(const RdmaHostParts&) = delete;
    RdmaHostParts& operator=(const RdmaHostParts&) = delete;

    RdmaHostSettings settings{}; ///< the host's attributes
    RdmaHostTraces traces;       ///< the host's trace sources
    RdmaHostCore core;           ///< state shared by the parts

    RdmaPacer pacer{core};                                ///< timers of requesters
    RdmaPathMover paths{core, pacer};                     ///< moves queue pairs to other paths
    RdmaSackRequester sacks{core, pacer};                 ///< requester with SACKs
    RdmaLossRecovery recovery{core, pacer, paths, sacks}; ///< handles NAKs and time-outs
    RdmaProber prober{core, pacer};                       ///< sends probes
    RdmaSenderFeedback feedback{core, prober, paths};     ///< requester's half of feedback modes
    RdmaRequester requester{core,
                            pacer,
                            recovery,
                            feedback,
                            paths,
                            sacks}; ///< sends data packets and handles ACKs

    RdmaForgers forgers;                                     ///< forges telemetry
    RdmaCnpSender cnps{core};                                ///< sends CNPs
    RdmaReads reads{core, requester};                        ///< handles READs, at both ends
    RdmaReflections reflections{core, forgers};              ///< responder's half of feedback modes
    RdmaResponder responder{core, cnps, reads, reflections}; ///< receives data packets, sends ACKs

    RdmaReceiverPolicies receivers{core, cnps, forgers};           ///< runs receiver-side policies
    RdmaSackResponder sackResponder{core, responder, reflections}; ///< responder with SACKs
    RdmaFeedbackCollector collector{core,
                                    responder,
                                    sackResponder,
                                    reflections,
                                    receivers};                         ///< collects telemetry
    RdmaNotifications notifications{core, prober, feedback, requester}; ///< handles notifications
    RdmaConnector connector{core, receivers};                           ///< connects queue pairs
    RdmaPortMover mover{core, pacer, connector}; ///< moves queue pairs to other ports
    /// Handles switch responses.
    RdmaSwitchResponses responses{core, pacer, feedback, receivers, connector};
    RdmaPoster poster{core, requester, reads, connector}; ///< posts messages
};

} // namespace ns3

#endif // RDMA_HOST_PARTS_H
