/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_POLICY_DESCRIPTION_H
#define RDMA_POLICY_DESCRIPTION_H

#include "ns3/hpcc-path-spread.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The requirements of a congestion control policy on hosts, switches and telemetry. The defaults
 * suit a policy that uses no feedback; `bandwidth` has an effect only if a policy reads telemetry.
 */
struct RdmaPolicyDescription
{
    /// ECN codepoint of the data packets, as in the IP header.
    enum Ecn : uint8_t
    {
        NOT_ECT = 0, ///< not ECN-capable
        ECT1 = 1,    ///< for policies with a port agent that marks this codepoint in place of the
                     ///< Marker, see PortAgent::GetMarkedCodepoint()
        ECT0 = 2,    ///< marked by the Marker
    };

    std::string telemetry; ///< short name of the telemetry format that data packets collect and
                           ///< ACKs return, unless the user chooses another; empty: no telemetry
    uint16_t requests{0};  ///< quantities that packets request from formats that carry one of
                          ///< several at a time, TelemetryField bits. One bit: each packet requests
                          ///< it. Several: the policy sets RdmaCongestionState::telemetryRequest.
                          ///< 0: such formats are refused
    bool bottleneckHop{false}; ///< a record of the bottleneck hop is enough; those of the other
                               ///< hops are not needed
    /// telemetry must return several times per base RTT, because the algorithm's gains assume
    /// feedback that is at most one base RTT old
    bool promptFeedback{false};
    bool bandwidth{true}; ///< if records carry a utilisation, the policy also needs the bandwidth
                          ///< to which it refers
    PathSpread toleratedSpread{PathSpread::EVERY_PACKET}; ///< how switches may distribute the
                                                          ///< packets of a flow over paths
    bool rttOfEachAck{false};  ///< each ACK provides a sample of the round-trip time; otherwise
                               ///< there is one sample per round trip
    bool reactsToTrims{false}; ///< trimmed packets reduce the window or rate: in OnLoss, or in
                               ///< OnAck by the telemetry that their NACKs return
    bool gradesPaths{false};   ///< the policy sets RdmaCongestionState::shares
    bool sentPackets{false};   ///< OnSent reports each data packet
    Ecn ecn{NOT_ECT};          ///< codepoint of its data packets
    bool cnps{false};          ///< true: the receiver sends CNPs for marks; false: ACKs echo marks
    int64_t cnpIntervalNs{50000}; ///< shortest time between two CNPs of a queue pair, ns; 0: a CNP
                                  ///< for every mark
    bool receiverPart{false};     ///< RdmaCongestionOps::GetReceiver() runs for every queue pair;
                                  ///< its messages replace CNPs and echoes
    /// value of the attribute EcnMarker::Thresholds for which the policy was designed, such as
    /// 25Gbps:100000:400000:0.2; empty for the default
    std::string marking;
    std::string switchAgent; ///< short name of the SwitchAgent that every switch must run; empty if
                             ///< none is needed, or if TelemetryFormat::GetPortAgent() names it
};

} // namespace ns3

#endif // RDMA_POLICY_DESCRIPTION_H
