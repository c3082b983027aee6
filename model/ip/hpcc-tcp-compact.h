/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_COMPACT_H
#define HPCC_TCP_COMPACT_H

#include "hpcc-feedback-proof.h"
#include "hpcc-flow-key.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-law.h"
#include "ns3/hpcc-tcp-option-format.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The part of an HpccTcpNic that inserts a TCP option into outgoing segments and processes the
 * option of arriving segments. This part decides which outgoing data segments collect telemetry.
 * After data segments of the other end have arrived, this part returns a value in the next segment
 * to that end.
 *
 * This value is either the load that the newest segment has collected, or the window that the
 * control law computes here from that load. The value is stored until it is returned. For the
 * control law, which then runs at the receiver, the arrival of a data segment counts as the
 * acknowledgement of this segment. The control law also needs snd_nxt, which the receiver does not
 * know. Instead, the receiver uses the highest sequence number that the windows returned so far
 * allow, plus one segment. The sender cannot send data beyond this number before it has received a
 * later window. A connection begins with its SYN-ACK and ends with a RST or with the FINs of both
 * ends. No value is returned for later segments.
 */
class HpccTcpCompact
{
  public:
    using Key = HpccFlowKey;                    ///< identifies a connection
    using Returned = TcpOptionFormat::Returned; ///< the returned value

    /// Settings.
    struct Settings
    {
        bool windows{false}; ///< true to return windows, false to return the collected load
        /// function that returns the parameters of the control law for a connection whose first
        /// data has arrived; used only if windows is true
        std::function<HpccParameters(const Key&)> parameters;
        /// function that signs a segment whose option returns a value
        std::function<void(const Key&, Frame&)> sign;
        double lineRateBps{0}; ///< line rate of the port, bit/s; W is at most this rate times T
        uint32_t every{1};     ///< N: one of N consecutive data segments of a connection collects
                               ///< telemetry
        int64_t intervalNs{0}; ///< shortest time between two segments that collect telemetry, ns
    };

    /// State of a sending connection that Takes() uses to select the segments that collect
    /// telemetry.
    struct Turn
    {
        uint32_t passed{0}; ///< data segments sent since a segment last collected telemetry,
                            ///< including that segment; 0 if the next segment may collect
        int64_t nextNs{0};  ///< time before which no segment collects telemetry, ns
    };

    /**
     * Creates the part that adds the option to segments.
     * @param format format of the option
     * @param settings settings of the NIC
     */
    HpccTcpCompact(const TcpOptionFormat& format, const Settings& settings);

    /**
     * Decides whether an outgoing data segment collects telemetry.
     * @param turn state of its connection
     * @param nowNs current time, ns
     * @return true if the segment collects telemetry
     */
    bool Takes(Turn& turn, int64_t nowNs) const;

    /**
     * Adds the option to an outgoing segment if the segment collects telemetry or returns a value.
     * The option must be the last change that the NIC makes to the segment, because this function
     * sets the final size of the frame. If the option does not fit, the value is kept for the next
     * segment.
     * @param key connection of the segment
     * @param frame frame of the segment, an IP packet without telemetry
     * @param headerBytes size of the segment's TCP header, bytes
     * @param roomBytes bytes by which the frame may grow
     * @param collects true if the segment collects telemetry
     * @return the value that the option returns, and the size of the option in bytes; the size is 0
     * if no option was added
     */
    std::pair<Returned, uint32_t> Attach(const Key& key,
                                         Frame& frame,
                                         uint32_t headerBytes,
                                         uint32_t roomBytes,
                                         bool collects);

    /**
     * Handles an arrived data segment with the option.
     * @param key connection of the segment
     * @param frame frame of the segment
     * @param sequence sequence number of the segment's first byte
     * @param bytes size of the segment's payload, bytes; above 0
     * @param nowNs current time, ns
     */
    void Collected(const Key& key,
                   const Frame& frame,
                   uint32_t sequence,
                   uint32_t bytes,
                   int64_t nowNs);

    /**
     * Checks the authenticator of an option that returns a value.
     * @param frame an arrived segment with the option
     * @param proof authentication state of its connection
     * @return the result
     */
    HpccFeedbackProof::Verdict CheckProof(const Frame& frame, HpccFeedbackProof& proof) const;

    /**
     * Detects the start and the end of a connection from the TCP flags of its segments.
     * @param key the connection
     * @param flags TCP flags of a segment
     * @param leaves true if the segment leaves, false if it has arrived
     */
    void Follow(const Key& key, uint8_t flags, bool leaves);

    /// Forgets connections without a socket.
    /// @param isOpen function that returns true for a connection with a socket
    void Keep(const std::function<bool(const Key&)>& isOpen);

    /// Returns the number of open connections.
    size_t GetPeers() const
    {
        return m_peers.size();
    }

    /// Returns the number of connections with a value that has not been returned yet.
    size_t GetPending() const
    {
        return m_pending.size();
    }

  private:
    /// State of a connection whose data arrives.
    struct Peer
    {
        HpccParameters parameters; ///< parameters of the control law, used with windows
        HpccFlow flow;             ///< state of the control law, used with windows
        uint64_t end{0};           ///< sequence number after the newest data
        uint64_t edge{0};          ///< highest sequence number that the windows returned so far
                                   ///< allow, plus one segment
        bool opened{false};        ///< true once data has arrived
        bool finSent{false};       ///< true once this end has sent a FIN
        bool finCame{false};       ///< true once the other end has sent a FIN
    };

    /**
     * Initialises the control law for a peer whose first data has arrived.
     * @param key a connection
     * @param peer state of the peer
     * @param sequence sequence number of the segment's first byte
     * @param bytes size of the segment's payload, bytes
     */
    void OpenWindow(const Key& key, Peer& peer, uint32_t sequence, uint32_t bytes);
    /**
     * Computes the window for the sender of a data segment.
     * @param peer sender of a data segment
     * @param sequence sequence number of the segment
     * @param bytes payload of the segment, bytes
     * @param load load that the segment has collected
     * @param nowNs current time, ns
     * @return W, bytes
     */
    double Window(Peer& peer, uint32_t sequence, uint32_t bytes, double load, int64_t nowNs);

    const TcpOptionFormat& m_format;   ///< the option
    Settings m_settings;               ///< see HpccTcpCompact()
    HpccLaw m_law;                     ///< control law, used with windows
    std::map<Key, Returned> m_pending; ///< values for the next segments
    std::map<Key, Peer> m_peers;       ///< connections that are open
};

} // namespace ns3

#endif // HPCC_TCP_COMPACT_H
