/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"

#include <tuple>

namespace ns3
{

bool
RdmaSenderRole::operator==(const RdmaSenderRole& other) const
{
    auto key = [](const RdmaSenderRole& role) {
        const RdmaQueuePairConfig& c = role.config;
        return std::tie(c.policy,
                        c.telemetry,
                        c.feedback,
                        c.baseRttNs,
                        c.networkBaseRttNs,
                        c.singleMessage,
                        c.thinned,
                        c.multipath,
                        c.recovery,
                        c.dscp,
                        c.port,
                        role.ipv6,
                        role.repaths,
                        role.sprays,
                        role.tos,
                        role.priority,
                        role.reportsSent,
                        role.receiverPart,
                        role.rttOfEachAck,
                        role.readable,
                        role.flow.lineRateBps,
                        role.flow.headerBytes,
                        role.flow.telemetryRequest,
                        role.flow.sparse,
                        role.flow.packetsPerRecord,
                        role.echoForPolicy);
    };
    return key(*this) == key(other);
}

bool
RdmaReceiverRole::operator==(const RdmaReceiverRole& other) const
{
    auto key = [](const RdmaReceiverRole& role) {
        return std::tie(role.policy,
                        role.feedback,
                        role.networkBaseRttNs,
                        role.countWindowNs,
                        role.flow.lineRateBps,
                        role.flow.mtuBytes,
                        role.flow.headerBytes,
                        role.flow.baseRttNs,
                        role.flow.telemetry,
                        role.flow.multipath,
                        role.flow.sparse,
                        role.flow.thinned,
                        role.flow.packetsPerRecord,
                        role.cnpIntervalNs,
                        role.sendsCnp,
                        role.echoForPolicy,
                        role.congestionEcho,
                        role.ipv6,
                        role.singleMessage,
                        role.answersPathProbes,
                        role.dataPriority,
                        role.recovery);
    };
    return key(*this) == key(other);
}

} // namespace ns3
