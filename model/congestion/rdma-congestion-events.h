/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_EVENTS_H
#define RDMA_CONGESTION_EVENTS_H

#include "ns3/hpcc-hop-telemetry.h"

#include <cstdint>
#include <limits>

// Declares the data that a host and a congestion control policy exchange at the sender: the state
// of a queue pair and the information about each event. To add information to an event, add a field
// here; the functions of RdmaCongestionOps keep their signatures.

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
    uint32_t headerBytes; ///< bytes that a full packet occupies on the link in addition to payload
                          ///< and telemetry. Pacing counts all three
    int64_t baseRttNs;    ///< RTT of the empty network for this queue pair, ns; 0 if unknown
    uint64_t firstSeq;    ///< sequence number of the first byte, bytes
    const TelemetryCapabilities* telemetry{nullptr}; ///< capabilities of the chosen format; null
                                                     ///< without telemetry
    Multipath multipath{Multipath::NONE}; ///< how switches distribute the queue pair's packets over
                                          ///< paths
    bool sparse{false}; ///< true if only some packets return telemetry, so that samples may be an
                        ///< RTT apart
    TelemetryThinning thinned{NOT_THINNED}; ///< how switches select the packets into which they
                                            ///< insert a record
    /// initial value of RdmaCongestionState::telemetryRequest: the only bit of
    /// RdmaPolicyDescription::requests, for formats that carry one of several quantities at a time.
    /// 0 for other formats, or if several bits of requests are set
    uint16_t telemetryRequest{0};
    /// number of packets that collect telemetry for each record that reaches the control law; 0 if
    /// every packet collects telemetry and every record returns
    uint32_t packetsPerRecord{0};
    /// number of entropy values, which select the paths of packets, if the sender obeys
    /// RdmaCongestionState::shares; else 0
    uint32_t entropyValues{0};
};

/**
 * @ingroup hpcc
 *
 * The part of a queue pair's congestion state that the sender obeys. A policy derives the type of
 * its own state from this struct, and sets windowBytes, rateBps and timerNs. The policy also sets
 * telemetryRequest and telemetryWords if the format uses them. The sender reads these fields after
 * every call.
 */
struct RdmaCongestionState
{
    double windowBytes{std::numeric_limits<double>::infinity()}; ///< a packet may leave while fewer
                                                                 ///< payload bytes than this are in
                                                                 ///< flight
    double askBytes{std::numeric_limits<double>::infinity()};    ///< a packet requests an ACK if,
                                                              ///< after it has left, the window is
                                                              ///< full or at least this many
                                                              ///< payload bytes are in flight
    double rateBps{0};                                    ///< pacing rate of wire bytes, bit/s
    int64_t timerNs{std::numeric_limits<int64_t>::max()}; ///< time of the next OnTimer(), ns;
                                                          ///< max(): never
    uint32_t flowId{0};                                   ///< the queue pair's number at its host,
                                                          ///< for traces
    uint16_t telemetryRequest{0}; ///< TelemetryOrigin::request of the next packets; if it is not 0,
                                  ///< OnSent() reports each of these packets
    const uint32_t* telemetryWords{nullptr}; ///< TelemetryOrigin::words of the next packets, stored
                                             ///< in the policy's own state
    const float* shares{nullptr}; ///< for each entropy value, the share of packets that should be
                                  ///< sent with the value, scaled so that the largest share is 1;
                                  ///< stored in the policy's own state. Null if
                                  ///< RdmaFlowInfo::entropyValues is 0
};

/**
 * @ingroup hpcc
 *
 * Values of a queue pair's policy, for results and traces. Values that a policy does not have are
 * NaN or -1.
 */
struct RdmaCongestionSample
{
    double windowBytes{std::numeric_limits<double>::quiet_NaN()};          ///< W, bytes
    double referenceWindowBytes{std::numeric_limits<double>::quiet_NaN()}; ///< Wc, bytes
    double rateBps{std::numeric_limits<double>::quiet_NaN()};              ///< R, bit/s
    double utilization{std::numeric_limits<double>::quiet_NaN()}; ///< U, the normalised bytes in
                                                                  ///< flight
    int32_t stage{-1};                                            ///< incStage
    int64_t bottleneckSwitch{-1}; ///< switch id of the bottleneck hop
    int64_t bottleneckPort{-1};   ///< egress port of the bottleneck hop
};

/**
 * @ingroup hpcc
 *
 * The contents of one acknowledgement for a policy: values from the wire, with unwrapped sequence
 * numbers, and local measurements.
 *
 * A loss recovery with SACKs passes times instead of sequence numbers, because a cumulative number
 * does not advance past a gap. With SACKs, ackSeq is the send time of the acknowledged packet, and
 * sndNxt is the current time, both in ns. In RdmaLossInfo and RdmaRestartInfo, sndNxt is also the
 * current time, and lostSeq is the send time of the lost packet. Use these values only in
 * comparisons.
 */
struct RdmaAckInfo
{
    int64_t nowNs;   ///< local time, ns
    uint64_t ackSeq; ///< next byte expected by the receiver (cumulative); for the answer to a
                     ///< probe, HpccProbes::Answer::ackSeq
    uint64_t sndNxt; ///< next byte to send when the ACK arrives
    uint64_t newlyAckedBytes; ///< bytes acknowledged for the first time
    /// sample of the round-trip time, ns; -1 if there is none. After a go-back, there is no sample
    /// until a packet is acknowledged that was first sent after the go-back
    int64_t rttNs;
    /// longest idle period since the last telemetry sample, ns. A queue pair is idle while all its
    /// messages are acknowledged. It is not idle while it waits for the pacing time of its next
    /// packet
    int64_t idleNs;
    uint8_t hopsBack;           ///< number of switches that the ACK has passed, derived from its
                                ///< TTL
    bool congestionExperienced; ///< true if the receiver echoes a congestion mark
    bool negative;              ///< true for a NAK: the receiver requests retransmission from
                                ///< ackSeq on
    uint16_t reportedFlows;   ///< number of flows on the last hop as counted by the receiver; 0 if
                              ///< the receiver does not count flows
    const HopTelemetry* hops; ///< records of the path, first hop first
    uint32_t hopCount;        ///< number of records in hops; 0 without telemetry
    uint16_t pathId;          ///< path identifier if TelemetryCapabilities::pathIdentified
    uint16_t entropy;         ///< UDP source port of the acknowledged packet, or of the last of
                              ///< several acknowledged packets; 0 if unknown. In networks with
                              ///< ECMP, this port selects the path. The ACK repeats this port
    const TelemetryCapabilities* telemetry; ///< capabilities of the format; null without telemetry
    const HopTelemetry* previous{nullptr};  ///< HpccSample::previous; only for policies with
                                            ///< RdmaPolicyDescription::bottleneckHop
    int64_t receivedBytes{-1}; ///< payload bytes that have arrived since the previous ACK, as
                               ///< counted by the receiver; -1 if there is no count
    uint64_t inFlightBytes{0}; ///< payload bytes in flight; valid only if receivedBytes is not -1
    /// entropy value of the packet that collected the telemetry, below RdmaFlowInfo::entropyValues;
    /// an equal or larger value means unknown
    uint32_t entropyValue{std::numeric_limits<uint32_t>::max()};
};

/**
 * @ingroup hpcc
 *
 * A message from a policy's receiver part to the sender. The message is sent in a CNP, see
 * RoceNotificationHeader. A receiver part that computes the window sets window and rate; the CNP
 * contains only one of them.
 */
struct RdmaNotification
{
    bool given{false};     ///< true if the other fields are valid
    bool congested{false}; ///< true if the path is congested
    uint64_t rateBps{0};   ///< rate, counting all bytes on the link, bit/s; 0 if not given
    double windowBytes{0}; ///< window, payload bytes; 0 if not given
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
 * A packet that has left the host. All data packets are reported if
 * RdmaPolicyDescription::sentPackets is set. Packets with a telemetryRequest other than 0,
 * including probes, are always reported.
 */
struct RdmaSentInfo
{
    int64_t nowNs;             ///< local time, ns
    uint32_t linkBytes;        ///< bytes that the packet occupies on the sender's link
    uint16_t telemetryRequest; ///< the packet's TelemetryOrigin::request, see RdmaCongestionState;
                               ///< 0 if none
};

/**
 * @ingroup hpcc
 *
 * A loss. If the sender goes back, sndNxt has already been set back and equals lostSeq. If the
 * sender retransmits single packets, sndNxt is unchanged.
 */
struct RdmaLossInfo
{
    /// The event by which the host detected the loss.
    enum Cause : uint8_t
    {
        NAK,     ///< the receiver reports a missing packet
        TIMEOUT, ///< nothing was acknowledged within the retransmission time-out; with SACKs, the
                 ///< packet was not acknowledged within its time-out
        TRIMMED, ///< a switch has removed a packet's payload; reported for each such packet
    };

    int64_t nowNs;    ///< local time, ns
    Cause cause;      ///< how the loss was detected
    uint64_t lostSeq; ///< first byte that is regarded as lost; see RdmaAckInfo for SACKs
    uint64_t sndNxt;  ///< next byte to be sent

    // The remaining fields are set by a loss recovery that uses SACKs, and describe a single
    // packet.
    uint32_t lostBytes{0};     ///< payload of the lost packet, bytes; 0 if the loss is not reported
                               ///< for a single packet
    uint64_t inFlightBytes{0}; ///< payload bytes in flight, including the lost packet
    int64_t rttNs{-1};         ///< TRIMMED: sample of the round-trip time, ns; -1 if there is none
    uint16_t entropy{0};       ///< UDP source port of the packet
    bool congestionExperienced{false}; ///< TRIMMED: the packet carried a congestion mark
    bool lastHop{false};               ///< TRIMMED: the packet was trimmed by the last switch
                                       ///< before the receiver
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
