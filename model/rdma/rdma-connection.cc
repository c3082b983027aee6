/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"

namespace ns3
{

// Each Connect() compares roles. Comparisons one by one need a third of the instructions of
// comparing two std::tie().

bool
RdmaSenderRole::operator==(const RdmaSenderRole& other) const
{
    const RdmaQueuePairConfig& a = config;
    const RdmaQueuePairConfig& b = other.config;
    return a.policy == b.policy && a.telemetry == b.telemetry && a.feedback == b.feedback &&
           a.baseRttNs == b.baseRttNs && a.networkBaseRttNs == b.networkBaseRttNs &&
           a.singleMessage == b.singleMessage && a.thinned == b.thinned &&
           a.multipath == b.multipath && a.dscp == b.dscp && a.port == b.port &&
           ipv6 == other.ipv6 && repaths == other.repaths && sprays == other.sprays &&
           tos == other.tos && priority == other.priority && reportsSent == other.reportsSent &&
           receiverPart == other.receiverPart && rttOfEachAck == other.rttOfEachAck &&
           readable == other.readable && echoForPolicy == other.echoForPolicy &&
           flow.lineRateBps == other.flow.lineRateBps &&
           flow.headerBytes == other.flow.headerBytes &&
           flow.telemetryRequest == other.flow.telemetryRequest &&
           flow.sparse == other.flow.sparse &&
           flow.packetsPerRecord == other.flow.packetsPerRecord && a.recovery == b.recovery;
}

bool
RdmaReceiverRole::operator==(const RdmaReceiverRole& other) const
{
    const RdmaFlowInfo& a = flow;
    const RdmaFlowInfo& b = other.flow;
    return policy == other.policy && feedback == other.feedback &&
           networkBaseRttNs == other.networkBaseRttNs && countWindowNs == other.countWindowNs &&
           a.lineRateBps == b.lineRateBps && a.mtuBytes == b.mtuBytes &&
           a.headerBytes == b.headerBytes && a.baseRttNs == b.baseRttNs &&
           a.telemetry == b.telemetry && a.multipath == b.multipath && a.sparse == b.sparse &&
           a.thinned == b.thinned && a.packetsPerRecord == b.packetsPerRecord &&
           cnpIntervalNs == other.cnpIntervalNs && sendsCnp == other.sendsCnp &&
           echoForPolicy == other.echoForPolicy && congestionEcho == other.congestionEcho &&
           ipv6 == other.ipv6 && singleMessage == other.singleMessage &&
           answersPathProbes == other.answersPathProbes && dataPriority == other.dataPriority &&
           recovery == other.recovery;
}

} // namespace ns3
