/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TSO_PACER_H
#define HPCC_TSO_PACER_H

#include "hpcc-flow-key.h"
#include "hpcc-segment-gate.h"

#include "ns3/hpcc-node-agenda.h"
#include "ns3/packet.h"
#include "ns3/sequence-number.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3
{

class QbbNetDevice;

/**
 * @ingroup hpcc
 *
 * Paces the segments into which a port with QbbNetDevice::Tso has cut a large segment of
 * TcpHpccPlusPlus. The segments leave as if TCP had sent them: at the pacing rate, and only while
 * less than W is in flight. Without the pacer, a large segment would leave in one burst. With many
 * flows, this burst would exceed W.
 *
 * Retransmissions and packets without payload are sent immediately. Exception: a FIN is sent only
 * after the waiting segments. When a segment that has waited leaves, it gets the acknowledgement
 * number and window of the newest packet of the connection. Otherwise ns-3's TCP at the other end
 * could discard the segment with its data: it discards a segment whose acknowledgement number is
 * lower than that of a packet that has already arrived. All waiting segments are sent before a RST
 * or SYN, and when the connection falls back or ends.
 */
class HpccTsoPacer : public SegmentGate, public AgendaClient
{
  public:
    using Key = HpccFlowKey; ///< identifies a connection

    /// The limits for sending a byte.
    struct Allowance
    {
        bool isAgain;        ///< true if the byte has been sent before
        uint64_t bytesAhead; ///< bytes in flight that precede this byte
        double windowBytes;  ///< W
        double rateBps;      ///< pacing rate of payload, bit/s
    };

    /// Provides the windows and rates of the connections.
    class Controller
    {
      public:
        virtual ~Controller() = default;

        /**
         * Determines the limits for sending a byte.
         * @param key the connection
         * @param sequence sequence number of the byte
         * @param allowance filled on success
         * @return true if TcpHpccPlusPlus controls the connection
         */
        virtual bool Allow(const Key& key, uint32_t sequence, Allowance& allowance) const = 0;
    };

    /**
     * Creates the pacer of a port.
     * @param controller provides the windows and rates of the connections
     * @param port the port; both must outlive this object
     */
    HpccTsoPacer(const Controller& controller, QbbNetDevice& port);

    bool Take(const TcpSegment& segment,
              const std::vector<Ptr<Packet>>& segments,
              uint32_t limit) override;
    /// Schedules the transmission of a connection's waiting segments. Called when a packet of the
    /// connection has arrived, and when the connection falls back or ends.
    /// @param key the connection
    void Wake(const Key& key);

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time is set

    /// The fields of a TCP header that depend on the data that the host has received.
    struct Received
    {
        SequenceNumber32 acknowledged{0}; ///< acknowledgement number
        uint16_t window{0};               ///< advertised window
    };

    /// A packet that waits.
    struct Part
    {
        Ptr<Packet> packet;    ///< the packet, from the IP header on
        uint32_t sequence;     ///< sequence number
        uint32_t payloadBytes; ///< size of the payload
        Received received;     ///< fields of the packet's header
    };

    /// The waiting segments of a connection.
    struct Waiting
    {
        std::deque<Part> segments; ///< waiting segments, in the order of transmission
        int64_t nextNs{0};         ///< time before which no segment is sent, ns
        Received received{};       ///< fields of the newest packet of the connection
    };

    /**
     * Sends a segment.
     * @param key a connection
     * @param part the segment that leaves
     * @return false if the segment has been dropped
     */
    bool Send(const Key& key, const Part& part);
    /**
     * Sends a segment that has waited, with the fields of the newest packet of its connection.
     * @param key a connection
     * @param part the segment that leaves
     * @param received fields of the newest packet
     * @return false if the segment has been dropped
     */
    bool SendLate(const Key& key, const Part& part, const Received& received);
    /**
     * Sends all waiting segments of a connection.
     * @param key the connection
     * @return false if a segment has been dropped
     */
    bool Flush(const Key& key);
    /**
     * Sends the waiting segments of a connection that window and pacing allow.
     * @param key a connection
     * @param waiting waiting segments of the connection
     * @param nowNs current time, ns
     * @return false if a segment has been dropped
     */
    bool Release(const Key& key, Waiting& waiting, int64_t nowNs);
    /// Schedules a call of Due(), unless a call at this or an earlier time is scheduled.
    /// @param atNs the time, ns
    void ScheduleTimer(int64_t atNs);

    const Controller& m_controller;   ///< provides windows and rates
    QbbNetDevice& m_port;             ///< the port
    uint32_t m_timer;                 ///< index of the timer on the event agenda
    int64_t m_notedNs{NEVER};         ///< time for which Due() is scheduled
    std::map<Key, Waiting> m_waiting; ///< waiting segments by connection
};

} // namespace ns3

#endif // HPCC_TSO_PACER_H
