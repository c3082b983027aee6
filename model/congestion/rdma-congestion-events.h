/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_EVENTS_H
#define RDMA_CONGESTION_EVENTS_H

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/hpcc-path-spread.h"

#include <cstdint>
#include <limits>

// Plain data that a host and a congestion control policy exchange at the sender: the state of a
// queue pair and the information of each event. To add information to an event, add a field here;
// the functions of RdmaCongestionOps keep their signatures.

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Parameters that a policy gets when a queue pair starts to send.
 */
struct RdmaFlowInfo
{
    uint32_t flowId;      ///< the queue pair's number at its host, for traces
    uint64_t lineRateBps; ///< rate of the sender's own port, bit/s
    uint32_t mtuBytes;    ///< largest payload of a packet, bytes
    uint32_t headerBytes; ///< overhead of a full packet on the link, bytes, as pacing counts it,
                          ///< without telemetry
    int64_t baseRttNs;    ///< RTT of the empty network for this queue pair, ns; 0 if unknown
    uint64_t firstSeq;    ///< sequence number of the first byte, bytes
    const TelemetryCapabilities* telemetry{nullptr}; ///< of the chosen format; null without
    PathSpread spread{PathSpread::NONE}; ///< how far its packets may be spread over paths
    bool sparse{false}; ///< not every packet returns telemetry: samples may be an RTT apart
    /// number of packets that collect telemetry for each record that reaches the control law; 0 if
    /// every packet collects and every record comes back
    uint32_t packetsPerRecord{0};
    /// entropy values of its packets, which select their paths, if the sender obeys
    /// RdmaCongestionState::shares; else 0
    uint32_t entropyValues{0};
};

/**
 * @ingroup hpcc
 *
 * The part of a queue pair's congestion state that the sender obeys. A policy derives its own state
 * from it and sets windowBytes, rateBps and timerNs, and with formats that use them also
 * telemetryRequest and telemetryWords. The sender reads these fields after every call.
 */
struct RdmaCongestionState
{
    double windowBytes{
        std::numeric_limits<double>::infinity()};         ///< payload bytes that may be in flight
    double rateBps{0};                                    ///< pacing rate of wire bytes, bit/s
    int64_t timerNs{std::numeric_limits<int64_t>::max()}; ///< when OnTimer is due; max() is never
    uint32_t flowId{0};                                   ///< as in RdmaFlowInfo, for traces
    uint16_t telemetryRequest{0}; ///< TelemetryOrigin::request of the packets that follow; while it
                                  ///< is not 0, OnSent reports each of them
    const uint32_t* telemetryWords{nullptr}; ///< TelemetryOrigin::words of the packets that follow,
                                             ///< kept in the policy's own state
    const float* shares{nullptr}; ///< by entropy value, the part of the packets that it should get,
                                  ///< the largest being 1; kept in the policy's own state. Null
                                  ///< without RdmaFlowInfo::entropyValues
};

/**
 * @ingroup hpcc
 *
 * The state of a queue pair's policy, as an observer sees it. Values that a policy does not have
 * are NaN or -1.
 */
struct RdmaCongestionSample
{
    double windowBytes{std::numeric_limits<double>::quiet_NaN()};          ///< W, bytes
    double referenceWindowBytes{std::numeric_limits<double>::quiet_NaN()}; ///< Wc, bytes
    double rateBps{std::numeric_limits<double>::quiet_NaN()};              ///< R, bit/s
    double utilization{std::numeric_limits<double>::quiet_NaN()}; ///< U, normalised inflight bytes
    int32_t stage{-1};                                            ///< incStage
    int64_t bottleneckSwitch{-1}; ///< switch id of the bottleneck hop
    int64_t bottleneckPort{-1};   ///< egress port of the bottleneck hop
};

/**
 * @ingroup hpcc
 *
 * One acknowledgement as a policy sees it: values that the wire has carried, with sequence numbers
 * unwrapped, and local measurements.
 *
 * With SACKs these fields hold times instead, because a cumulative number stalls behind each gap:
 * ackSeq is the send time of the acknowledged packet, sndNxt the current time, both in ns. The same
 * holds in RdmaLossInfo and RdmaRestartInfo. Only compare the two values.
 */
struct RdmaAckInfo
{
    int64_t nowNs;   ///< local time, ns
    uint64_t ackSeq; ///< next byte expected by the receiver (cumulative); for the answer to a probe
                     ///< the result of HpccProbes::OnAnswer()
    uint64_t sndNxt; ///< next byte to send when the ACK arrives
    uint64_t newlyAckedBytes; ///< bytes acknowledged for the first time
    /// sample of the round-trip time, ns; -1 if there is none. After a retransmission there is none
    /// until a packet sent later is acknowledged
    int64_t rttNs;
    /// longest idle period (no message to send) since the last telemetry sample, ns; waiting for
    /// the pacing time of a window below one packet does not count
    int64_t idleNs;
    uint8_t hopsBack;           ///< switches between the receiver and here, by the TTL
    bool congestionExperienced; ///< the receiver echoes a congestion mark
    bool negative;              ///< a NAK: the receiver asks for ackSeq again
    uint16_t reportedFlows; ///< flows on the last hop as the receiver counts them; 0 if it does not
    const HopTelemetry* hops; ///< records of the path, first hop first
    uint32_t hopCount;        ///< records at hops; 0 if there is no telemetry
    uint16_t pathId;          ///< path identifier if TelemetryCapabilities::pathIdentified
    uint16_t entropy;         ///< UDP source port of the packet that the ACK answers, which the ACK
                              ///< repeats: it selects the path in networks with ECMP. An ACK of
                              ///< several packets has that of the last one. 0 if not known
    const TelemetryCapabilities* telemetry; ///< capabilities of the format; null without telemetry
    const HopTelemetry* previous{nullptr};  ///< HpccSample::previous; only for policies with
                                            ///< RdmaPolicyDescription::bottleneckHop
    int64_t receivedBytes{-1}; ///< payload bytes that have arrived since the previous ACK, as
                               ///< counted by the receiver; -1 if there is no count
    uint64_t inFlightBytes{0}; ///< valid if receivedBytes is not -1: payload bytes in flight
    /// entropy value of the packet whose telemetry this is, below RdmaFlowInfo::entropyValues;
    /// larger if not known
    uint32_t entropyValue{std::numeric_limits<uint32_t>::max()};
};

/**
 * @ingroup hpcc
 *
 * A message of a policy's receiver part to its sender. It travels in a CNP, see
 * RoceNotificationHeader. A receiver part that computes the window returns window and rate; the CNP
 * carries one of them.
 */
struct RdmaNotification
{
    bool given{false};     ///< true if the fields below are valid
    bool congested{false}; ///< the path is congested
    uint64_t rateBps{0};   ///< a rate of link bytes, bit/s; 0 if not given
    double windowBytes{0}; ///< a window, payload bytes; 0 if not given
};

/**
 * @ingroup hpcc
 *
 * A congestion message that has arrived at the sender, in a CNP.
 */
struct RdmaCongestionMessage
{
    int64_t nowNs; ///< local time, ns
    const RdmaNotification* notification{
        nullptr}; ///< message of the policy's receiver part; null: an ordinary CNP
};

/**
 * @ingroup hpcc
 *
 * A packet that has left. Data packets are reported with RdmaPolicyDescription::sentPackets. Every
 * packet that collects a telemetryRequest other than 0 is reported as well, also a probe.
 */
struct RdmaSentInfo
{
    int64_t nowNs;             ///< local time, ns
    uint32_t linkBytes;        ///< bytes by which it occupies the sender's link
    uint16_t telemetryRequest; ///< the request that it collects, see RdmaCongestionState; 0 if none
};

/**
 * @ingroup hpcc
 *
 * A loss: the sender restarts at sndNxt (go-back), or retransmits single packets and keeps sndNxt.
 */
struct RdmaLossInfo
{
    /// How the host detected it.
    enum Cause : uint8_t
    {
        NAK,     ///< the receiver misses a packet
        TIMEOUT, ///< nothing was acknowledged for the retransmission time-out
        TRIMMED, ///< a switch has cut the payload of a packet; reported for each one
    };

    int64_t nowNs;    ///< local time, ns
    Cause cause;      ///< how it was detected
    uint64_t lostSeq; ///< first byte that counts as lost
    uint64_t sndNxt;  ///< next byte to be sent

    // Of a single packet, with a recovery that uses SACKs.
    uint32_t lostBytes{0};     ///< its payload, bytes; 0 if this is not about a single packet
    uint64_t inFlightBytes{0}; ///< payload bytes in flight, including the lost packet
    int64_t rttNs{-1};         ///< TRIMMED: sample of the round-trip time, ns; -1 if there is none
    uint16_t entropy{0};       ///< UDP source port with which it left
    bool congestionExperienced{false}; ///< TRIMMED: it was marked before
    bool lastHop{false};               ///< TRIMMED: at the receiver's own switch
};

/**
 * @ingroup hpcc
 *
 * A message posted on a queue pair that had nothing to send.
 */
struct RdmaRestartInfo
{
    int64_t nowNs;   ///< local time, ns
    uint64_t sndNxt; ///< next byte to be sent
};

} // namespace ns3

#endif // RDMA_CONGESTION_EVENTS_H
