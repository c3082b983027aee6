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
 * Paces the segments into which a port with QbbNetDevice::Tso has cut a large one, so that they
 * leave as TCP would have sent them: a segment of a connection of TcpHpccPlusPlus goes while less
 * than W is in flight, at the pacing rate. Otherwise a large segment would leave in one burst, of
 * more than W with many flows.
 *
 * Retransmissions of the connection go at once, as do packets without payload unless they have FIN
 * and payload waits. The waiting segments go ahead of RST and SYN, and also when the connection
 * falls back or ends.
 */
class HpccTsoPacer : public SegmentGate, public AgendaClient
{
  public:
    using Key = HpccFlowKey; ///< names a connection

    /// What a connection may send.
    struct Allowance
    {
        bool isAgain;        ///< the byte has been sent before
        uint64_t bytesAhead; ///< on the way before it
        double windowBytes;  ///< W
        double rateBps;      ///< pacing rate of payload, bit/s
    };

    /// Knows the windows and rates of the connections.
    class Controller
    {
      public:
        virtual ~Controller() = default;

        /**
         * Returns in @p allowance what a connection may send.
         * @param key the connection
         * @param sequence of a byte to be sent
         * @param allowance filled on success
         * @return true if TcpHpccPlusPlus controls the connection
         */
        virtual bool Allow(const Key& key, uint32_t sequence, Allowance& allowance) const = 0;
    };

    /**
     * @param controller knows the connections
     * @param port the port; both outlive this
     */
    HpccTsoPacer(const Controller& controller, QbbNetDevice& port);

    bool Take(const TcpSegment& segment,
              const std::vector<Ptr<Packet>>& segments,
              uint32_t limit) override;
    /// Sends what may go now of a connection of which something has arrived, or that falls back.
    /// @param key the connection
    void Wake(const Key& key);

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  private:
    static constexpr int64_t NEVER = INT64_MAX; ///< no time

    /// A packet that waits.
    struct Part
    {
        Ptr<Packet> packet;    ///< from the IP header on
        uint32_t sequence;     ///< sequence number
        uint32_t payloadBytes; ///< payload
    };

    /// The waiting segments of a connection.
    struct Waiting
    {
        std::deque<Part> segments; ///< in order
        int64_t nextNs{0};         ///< before which none goes, ns
    };

    /**
     * @param key a connection
     * @param part the segment that leaves
     * @return false if it has been dropped
     */
    bool Send(const Key& key, const Part& part);
    /**
     * @param key a connection; all that waits goes
     * @return false if one has been dropped
     */
    bool Flush(const Key& key);
    /**
     * @param key a connection
     * @param waiting its segments; those that may go now leave
     * @param nowNs current time
     * @return false if one has been dropped
     */
    bool Release(const Key& key, Waiting& waiting, int64_t nowNs);
    /// Makes sure that Due() is called at a time.
    /// @param atNs the time, ns
    void Note(int64_t atNs);

    const Controller& m_controller;   ///< knows the connections
    QbbNetDevice& m_port;             ///< the port
    uint32_t m_timer;                 ///< index on the agenda
    int64_t m_notedNs{NEVER};         ///< earliest time at which Due() comes
    std::map<Key, Waiting> m_waiting; ///< by connection
};

} // namespace ns3

#endif // HPCC_TSO_PACER_H
