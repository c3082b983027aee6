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
 * The part of an HpccTcpNic that inserts an option of TCP into segments and removes it. It decides
 * which data segments collect, and what is returned for those of the other end, in the next segment
 * that leaves for it.
 *
 * That is either the load that the newest segment has collected, kept until it is returned, or the
 * window that the law gives for it here. For the law a segment acknowledges itself, and
 * snd_nxt is the furthest byte that the windows returned so far allow, each rounded up by a
 * segment: data beyond it was sent after the sender got the window. A connection begins with its
 * SYN and ends with a RST or with the FINs of both ends; later segments get nothing returned.
 */
class HpccTcpCompact
{
  public:
    using Key = HpccFlowKey;                    ///< names a connection
    using Returned = TcpOptionFormat::Returned; ///< the returned value

    /// Settings.
    struct Settings
    {
        bool windows{false}; ///< windows go back, not what was collected
        std::function<HpccParameters(const Key&)> parameters; ///< of the law for a connection whose
                                                              ///< data begins to come, for windows
        std::function<void(const Key&, Frame&)> sign; ///< called with a segment whose option
                                                      ///< returns something
        double lineRateBps{0}; ///< of the port, bit/s; W is at most this times T
        uint32_t every{1};     ///< of this many data segments of a connection, one collects
        int64_t intervalNs{0}; ///< shortest time between two that do, ns
    };

    /// State of a connection that sends data: which segments collect.
    struct Turn
    {
        uint32_t passed{0}; ///< segments since the last one that did
        int64_t nextNs{0};  ///< none does before
    };

    /**
     * @param format the option
     * @param settings the settings
     */
    HpccTcpCompact(const TcpOptionFormat& format, const Settings& settings);

    /**
     * Decides whether an outgoing data segment collects telemetry.
     * @param turn state of its connection
     * @param nowNs current time
     * @return true if it is to collect
     */
    bool Takes(Turn& turn, int64_t nowNs) const;

    /**
     * Adds the option to a segment that leaves, as the last step of the NIC, if the segment
     * collects or returns something. A value without room in it is lost.
     * @param key its connection
     * @param frame its frame, an IP packet without telemetry
     * @param headerBytes of its TCP header
     * @param roomBytes by which the frame may grow
     * @param collects true if it collects
     * @return the returned value, and the bytes of the option, 0 if none was added
     */
    std::pair<Returned, uint32_t> Attach(const Key& key,
                                         Frame& frame,
                                         uint32_t headerBytes,
                                         uint32_t roomBytes,
                                         bool collects);

    /**
     * Handles a data segment with the option that has arrived.
     * @param key its connection
     * @param frame its frame
     * @param sequence of its first byte
     * @param bytes of its payload, above 0
     * @param nowNs current time
     */
    void Collected(const Key& key,
                   const Frame& frame,
                   uint32_t sequence,
                   uint32_t bytes,
                   int64_t nowNs);

    /**
     * Checks the authenticator of an option that returns something.
     * @param frame a segment with the option that has arrived
     * @param proof of its connection
     * @return the result
     */
    HpccFeedbackProof::Verdict CheckProof(const Frame& frame, HpccFeedbackProof& proof) const;

    /**
     * Notes the start or end of a connection if a segment that leaves or has arrived has its flag.
     * @param key its connection
     * @param flags of TCP
     * @param leaves true if it leaves, false if it has arrived
     */
    void Follow(const Key& key, uint8_t flags, bool leaves);

    /// Forgets connections without a socket.
    /// @param isOpen returns whether a connection has a socket
    void Keep(const std::function<bool(const Key&)>& isOpen);

    /// @return connections that are open
    size_t GetPeers() const
    {
        return m_peers.size();
    }

    /// @return connections with something to go back
    size_t GetPending() const
    {
        return m_pending.size();
    }

  private:
    /// State of a connection whose data arrives.
    struct Peer
    {
        HpccParameters parameters; ///< of the law, used with windows
        HpccFlow flow;             ///< state of the law, used with windows
        uint64_t end{0};           ///< end of the newest data
        uint64_t edge{0};    ///< the sender has sent nothing behind it by the windows that it has
                             ///< received
        bool opened{false};  ///< data has arrived
        bool finSent{false}; ///< by this end
        bool finCame{false}; ///< from the other
    };

    /**
     * Begins to compute the window for a peer whose first data arrives.
     * @param key a connection
     * @param peer the peer
     * @param sequence of its first byte
     * @param bytes of its segment
     */
    void OpenWindow(const Key& key, Peer& peer, uint32_t sequence, uint32_t bytes);
    /**
     * @param peer of a data segment
     * @param sequence its sequence number
     * @param bytes its payload
     * @param load collected
     * @param nowNs current time
     * @return W, bytes
     */
    double Window(Peer& peer, uint32_t sequence, uint32_t bytes, double load, int64_t nowNs);

    const TcpOptionFormat& m_format;   ///< the option
    Settings m_settings;               ///< how
    HpccLaw m_law;                     ///< used with windows
    std::map<Key, Returned> m_pending; ///< goes back with the next segment
    std::map<Key, Peer> m_peers;       ///< connections that are open
};

} // namespace ns3

#endif // HPCC_TCP_COMPACT_H
