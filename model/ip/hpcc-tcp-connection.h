/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_CONNECTION_H
#define HPCC_TCP_CONNECTION_H

#include "hpcc-ip-nic.h"
#include "hpcc-tcp-compact.h"
#include "hpcc-tcp-fields.h"
#include "hpcc-tso-pacer.h"
#include "tcp-hpcc-plus-plus.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of one ns-3 TCP connection whose data is sent through an HpccTcpNic. The structure tracks
 * sent and acknowledged data, and measures idle and round-trip times.
 */
struct HpccTcpConnection : HpccIpNicFlow
{
    Ptr<TcpHpccPlusPlus> ops;  ///< congestion control of the connection; null unless it is
                               ///< TcpHpccPlusPlus
    uint32_t lastAck{0};       ///< acknowledgement number last sent
    uint64_t sndUna{0};        ///< first byte not acknowledged
    int64_t idleSinceNs{-1};   ///< time at which the last data in flight was acknowledged, ns;
                               ///< negative while data is in flight
    int64_t idleNs{0};         ///< longest period without data in flight since the last sample, ns
    bool closing{false};       ///< true once a FIN has been sent
    uint32_t finEnd{0};        ///< sequence number after the FIN that has been sent
    HpccTcpCompact::Turn turn; ///< selects the segments that collect telemetry
    uint64_t reportedUna{0};   ///< sndUna when the last report arrived
    uint64_t timedSeq{0};      ///< end of the segment whose round trip is timed
    int64_t timedNs{-1};       ///< time at which the timed segment left, ns; negative if no segment
                               ///< is timed

    /**
     * Returns the congestion control of a socket if it is TcpHpccPlusPlus; otherwise null.
     * @param socket socket of the connection
     */
    static Ptr<TcpHpccPlusPlus> OpsOf(const TcpSocketBase& socket);

    /**
     * Throws HpccInputError if a congestion control cannot use the telemetry of a format.
     * @param ops the congestion control
     * @param format the format
     * @param thinned HpccFlow::thinned of the connection
     */
    static void Validate(const TcpHpccPlusPlus& ops,
                         const TelemetryFormat& format,
                         TelemetryThinning thinned);

    /**
     * Throws HpccInputError if TcpHpccPlusPlus controls a connection whose segments are fragmented
     * by IP.
     * @param socket socket of the connection; null: unknown
     * @param key the connection
     * @param port port at which a fragment leaves
     */
    static void RefuseFragments(Ptr<const TcpSocketBase> socket,
                                const HpccFlowKey& key,
                                const QbbNetDevice& port);

    /// Returns true if TcpHpccPlusPlus controls the connection.
    bool IsServed() const
    {
        return ops && !ops->HasFallenBack();
    }

    /// Returns true if data is in flight according to TCP's sequence numbers.
    bool IsInFlight() const
    {
        return sndUna < sndNxt;
    }

    /**
     * Handles a data segment that leaves.
     * @param frame frame of the segment
     * @param segment TCP fields of the segment
     * @param nowNs current time, ns
     */
    void OnData(const Frame& frame, const HpccTcpFields& segment, int64_t nowNs);

    /**
     * Handles a data segment that leaves with telemetry. Starts to measure its round-trip time,
     * unless the round-trip time of another segment is being measured.
     * @param nowNs current time, ns
     */
    void OnTelemetrySent(int64_t nowNs);

    /**
     * Handles an answer to a data segment with telemetry.
     * @param ackSeq end of the segment
     * @param nowNs current time, ns
     * @return round-trip time, ns; -1 if this segment was not timed
     */
    int64_t OnTelemetryAnswered(uint64_t ackSeq, int64_t nowNs);

    /**
     * Handles an acknowledgement.
     * @param segment fields of an arrived packet with flag ACK
     * @param nowNs current time, ns
     * @return true if the packet acknowledges new data
     */
    bool OnAck(const HpccTcpFields& segment, int64_t nowNs);

    /**
     * Handles a packet with FIN or RST that leaves.
     * @param segment TCP fields of the packet
     * @return true if the connection has ended
     */
    bool OnEnd(const HpccTcpFields& segment);

    /**
     * Returns true if a packet ends the connection. A RST ends the connection. After this end has
     * sent a FIN, an acknowledgement of all data ends the connection. If IsServed() is false, the
     * FIN must be acknowledged, too.
     * @param segment fields of a packet that has arrived, after OnAck()
     */
    bool IsOver(const HpccTcpFields& segment) const;

    /**
     * Handles the load that the other end has returned in an option.
     * @param load largest load of the path
     * @param acknowledged acknowledgement number in the same segment
     * @param telemetry capabilities of the option's format
     * @param nowNs current time, ns
     */
    void OnLoad(double load,
                uint32_t acknowledged,
                const TelemetryCapabilities& telemetry,
                int64_t nowNs);

    /**
     * Returns an acknowledgement number extended to 64 bits.
     * @param acknowledged an arrived acknowledgement number
     */
    uint64_t UnwrapAck(uint32_t acknowledged) const;

    /**
     * Returns the NIC's own measurements since the previous report. The caller compares these
     * measurements with the report that has just arrived.
     * @param rttNs sample of the round-trip time, ns; -1 if there is none
     * @return the measurements
     */
    TcpHpccPlusPlus::View TakeView(int64_t rttNs);

    /**
     * Returns the limits for sending a byte.
     * @param sequence sequence number of a byte to be sent
     */
    HpccTsoPacer::Allowance GetAllowance(uint32_t sequence) const;
};

} // namespace ns3

#endif // HPCC_TCP_CONNECTION_H
