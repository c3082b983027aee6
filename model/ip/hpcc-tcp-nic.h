/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_NIC_H
#define HPCC_TCP_NIC_H

#include "hpcc-feedback-proof.h"
#include "hpcc-ip-nic.h"
#include "hpcc-nic-packets.h"
#include "hpcc-tcp-arrivals.h"
#include "hpcc-tcp-compact.h"
#include "hpcc-tcp-connection.h"
#include "hpcc-tcp-fields.h"
#include "hpcc-tcp-socket-watch.h"
#include "hpcc-tcp-sockets.h"
#include "hpcc-tso-pacer.h"

#include "ns3/hpcc-flow.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-probes.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/nstime.h"
#include "ns3/qbb-net-device.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Adds to a NIC the functions that connections with TcpHpccPlusPlus need (draft-miao-tsv-hpcc-01,
 * section 7.2). While data is in flight, the NIC sends one probe per round trip, and the switches
 * add telemetry to the probe. The NIC also answers the probes of other hosts. Probes and answers
 * are not passed to TCP, and data segments carry no telemetry. With Feedback InBand there are no
 * probes; instead, each data segment carries telemetry, which the other host's NIC removes and
 * returns.
 *
 * - A probe has the connection's addresses and ports, so that it follows the path of the data. A
 *   probe has the sequence number snd_nxt, no data, and the DSCP ProbeDscp. Ports must map this
 *   DSCP to the priority of the data. The format determines the position of the telemetry. The
 *   probe waits in the port's queue like data, but window and pacing do not limit it.
 * - The answer has the DSCP ResponseDscp. The acknowledgement number of the answer is the probe's
 *   sequence number; the payload of the answer is an HpccReflectionHeader and the records.
 * - HpccProbes decides when probes are sent, which answers are valid and which data the answers
 *   acknowledge. The time-out is doubled at most three times.
 * - While a sender waits for its retransmission time-out, its data has been lost, but is still in
 *   flight according to TCP's sequence numbers. Probes would then be useless. Probes therefore back
 *   off after PauseAfter consecutive answers or time-outs, if no data segment is sent or
 *   acknowledged in between. The next probe is then delayed by T, and each further probe by twice
 *   the previous delay. In the modes without probes, the NIC counts one time-out if data with
 *   telemetry stays unanswered, and no further time-out until more data has been sent. Exception:
 *   with Feedback InBand and PauseAfter 0, the NIC counts further time-outs.
 * - After MaxUnanswered consecutive probes without an answer, the connection falls back
 *   permanently, see TcpHpccPlusPlus. A connection over IPv4 falls back immediately if the format
 *   exists in IPv6 only.
 * - With Feedback InBand and a format that is marked by a DSCP, data with telemetry has the DSCP
 *   ProbeDscp, like a probe. The format carries the original DSCP, which the other NIC restores.
 *   With other formats, data keeps its DSCP. A segment is counted as unanswered if no answer
 *   arrives within the time-out of a probe. The control law treats the answer as an acknowledgement
 *   of the segment.
 * - If the format carries one of two quantities at a time, probes request the two quantities
 *   alternately. Of four data segments, three request the quantity that is needed more, and one
 *   requests the other quantity (HpccSignalRequest::AskNext).
 * - With Feedback Compact there are no probes, and data keeps its DSCP. One in TagEvery data
 *   segments carries a TCP option. With TagOncePerRtt, one data segment per T carries the option.
 *   Switches write the largest load of their ports into the option. The other NIC returns this load
 *   in an option of its next segment, usually the ACK. With Feedback CompactReceiver the other NIC
 *   returns a window instead of the load. The other NIC computes this window by the control law.
 *   For this purpose it uses the line rate of its own port and the attributes of the receiving
 *   socket's TcpHpccPlusPlus. If the socket has another congestion control, the NIC uses the
 *   defaults of these attributes. The option is omitted if it does not fit into the MTU, or into a
 *   TCP header, which has at most 60 bytes. A segment is counted as unanswered if no value is
 *   returned within the time-out of a probe.
 *
 * With CountFlows the NIC counts the connections whose data arrives, separately for each traffic
 * class. An answer carries the number of connections in the class of the connection's data
 * (draft-miao-tsv-hpcc-01, section 6.3.2). With FeedbackKey, which must be the same at all hosts,
 * answers and values returned in options are authenticated. The NIC counts and ignores feedback
 * that is not authentic, or not newer than all previous authentic feedback. A connection whose
 * feedback is always falsified therefore falls back.
 *
 * When the first data segment of a connection leaves, the NIC looks for the connection's socket, to
 * determine whether TcpHpccPlusPlus controls it. The NIC forgets a connection when a segment ends
 * the connection. A socket of ns-3 may also close without such a segment, after
 * TcpSocket::DataRetries retransmissions. Therefore, when the time SocketCheck has passed after a
 * packet, the NIC asks TCP which sockets still exist; see HpccTcpSocketWatch.
 */
class HpccTcpNic : public HpccIpNic, public HpccTsoPacer::Controller
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Signature of FellBack: local port, remote port, reason.
    typedef void (*FellBackTracedCallback)(uint16_t localPort,
                                           uint16_t remotePort,
                                           std::string why);

    /// The carrier of telemetry.
    enum Feedback
    {
        PROBE,            ///< one probe per round trip
        IN_BAND,          ///< every data segment
        COMPACT,          ///< a TCP option in data segments; an option in the opposite direction
                          ///< returns the load
        COMPACT_RECEIVER, ///< like COMPACT, but the receiver returns a window
    };

    std::string Check(const TelemetryFormat& format) const override;

    /// Returns true if telemetry is carried in TCP options.
    bool IsCompact() const
    {
        return m_feedback == COMPACT || m_feedback == COMPACT_RECEIVER;
    }

    /// Returns true if data segments carry telemetry.
    bool IsInData() const
    {
        return m_feedback != PROBE;
    }

    /// Returns the part that adds the TCP option to segments; null if IsCompact() is false or the
    /// NIC is not installed yet.
    const HpccTcpCompact* GetCompact() const
    {
        return m_compact.get();
    }

    /// Returns the number of connections that have fallen back.
    uint64_t GetFallbacks() const
    {
        return m_fallbacks;
    }

    /// Returns the number of connections that the NIC knows.
    size_t GetConnections() const
    {
        return m_connections.size();
    }

    bool Allow(const Key& key,
               uint32_t sequence,
               HpccTsoPacer::Allowance& allowance) const override;

    void Sending(QbbNetDevice& port, Frame& frame) override;
    void Sent(QbbNetDevice& port) override;
    bool Received(QbbNetDevice& port, Frame& frame) override;

  protected:
    void DoInstall() override;
    void DoDispose() override;

  private:
    using Connection = HpccTcpConnection;          ///< a connection that sends data
    using Connections = std::map<Key, Connection>; ///< connections by key

    HpccProbes* FindProbes(const Key& key) override;
    bool HasDataInFlight(const Key& key) override;
    void SendProbe(const Key& key, int64_t nowNs) override;
    void ProbeTimedOut(const Key& key, int64_t nowNs) override;

    bool TellsProbesByDscp() const override
    {
        return SetsDscp();
    }

    bool TellsAnswersByDscp() const override
    {
        return !IsCompact();
    }

    /// Returns true if packets with telemetry have the DSCP ProbeDscp.
    bool SetsDscp() const
    {
        return m_feedback == PROBE || (m_feedback == IN_BAND && m_format->GetMarking().dscp >= 0);
    }

    /**
     * Finds a connection. If the socket of the connection no longer exists, removes the entry of
     * the connection.
     * @param key a connection
     * @return the connection's entry; m_connections.end() if there is none, or if the entry was
     * removed
     */
    Connections::iterator FindLive(const Key& key);
    /**
     * Adds a connection that sends its first data.
     * @param key the connection
     * @param frame frame of the segment
     * @param segment the fields of the segment
     * @return the new entry; m_connections.end() if the connection's socket no longer exists or has
     * nothing to send
     */
    Connections::iterator Add(const Key& key, const Frame& frame, const HpccTcpFields& segment);
    /**
     * Checks that TcpHpccPlusPlus can control a connection, and starts this control.
     * @param connection the connection
     * @param frame frame of the connection's first data segment
     * @param segment the fields of the segment
     */
    void OpenOps(Connection& connection, const Frame& frame, const HpccTcpFields& segment);
    /**
     * Handles a data segment that leaves.
     * @param key a connection
     * @param connection the connection
     * @param frame frame of the data segment
     * @param segment the fields of the segment
     * @return true if the segment collects telemetry in a TCP option
     */
    bool SendData(const Key& key,
                  Connection& connection,
                  Frame& frame,
                  const HpccTcpFields& segment);
    /**
     * Starts the time-out for the answer to a data segment that collects telemetry.
     * @param key connection of the segment
     * @param connection the connection
     */
    void AwaitAnswer(const Key& key, Connection& connection);

    /// Creates the part that adds the option to segments, with Feedback Compact or CompactReceiver.
    void MakeCompact();
    /**
     * Returns the parameters of the control law that computes the windows of a connection at this
     * NIC.
     * @param key a connection whose data begins to arrive
     */
    HpccParameters GetLawParameters(const Key& key);
    /**
     * Adds the TCP option to an outgoing segment if the segment collects telemetry or returns a
     * value.
     * @param key a connection
     * @param frame frame of the segment
     * @param segment the fields of the segment
     * @param collects true if the segment collects telemetry; the connection must then be in
     * m_connections
     */
    void AddOption(const Key& key, Frame& frame, const HpccTcpFields& segment, bool collects);
    /**
     * Processes the TCP option of a segment that has arrived, and removes the option.
     * @param key a connection
     * @param frame frame of the segment
     * @param segment the fields of the segment
     */
    void TakeOption(const Key& key, Frame& frame, const HpccTcpFields& segment);

    /**
     * Handles feedback that has arrived without an option: a probe, data with telemetry, or an
     * answer.
     * @param key connection of the packet
     * @param frame frame of the packet. If its DSCP marks data with telemetry, the function
     * restores the original DSCP
     * @param segment the fields of the packet
     * @return true if TCP must not get the packet
     */
    bool TakeFeedback(const Key& key, Frame& frame, const HpccTcpFields& segment);
    /**
     * Updates a connection from a packet of the other end.
     * @param key a connection
     * @param segment the fields of the packet
     */
    void FollowAck(const Key& key, const HpccTcpFields& segment);
    /**
     * Answers a probe or data of another host.
     * @param key connection of the probe or data
     * @param frame the probe or data
     * @param segment the fields of the packet
     */
    void Answer(const Key& key, const Frame& frame, const HpccTcpFields& segment);
    /**
     * Processes an answer.
     * @param key connection of the answer
     * @param frame the answer
     * @param segment the fields of the packet
     * @return false if the answer is malformed, not authentic, or not expected
     */
    bool TakeAnswer(const Key& key, const Frame& frame, const HpccTcpFields& segment);
    /**
     * Reads an answer.
     * @param connection the connection
     * @param frame an answer
     * @param segment the fields of the packet
     * @param reflection filled on success
     * @return true if the answer is well-formed and, if there is a key, authentic and new
     */
    bool ReadAnswer(Connection& connection,
                    const Frame& frame,
                    const HpccTcpFields& segment,
                    HpccNicPackets::Reflection& reflection);
    /**
     * Determines which data an answer acknowledges.
     * @param key a connection
     * @param connection the connection
     * @param acknowledged acknowledgement number of an answer
     * @param rttNs set to a sample of the round-trip time, ns; -1 if there is none
     * @return properties of the answer; HpccProbes::Answer::byte and sentNs are 0 unless the answer
     * belongs to a probe
     */
    HpccProbes::Answer Match(const Key& key,
                             Connection& connection,
                             uint32_t acknowledged,
                             int64_t& rttNs);
    /**
     * Counts feedback that is not genuine.
     * @param verdict verdict on the feedback
     * @return true if the feedback is genuine
     */
    bool Accept(HpccFeedbackProof::Verdict verdict);
    /**
     * Passes the control of a connection permanently to the congestion control that the attribute
     * Fallback of its TcpHpccPlusPlus selects.
     * @param key a connection
     * @param connection the connection
     * @param why the reason, as text
     */
    void FallBack(const Key& key, Connection& connection, const std::string& why);
    /// Informs the pacer that the window or the acknowledgements of a connection may have changed.
    /// @param key the connection
    void WakePacer(const Key& key);
    /// Asks TCP which sockets exist, and forgets the connections without a socket.
    void AskTcp();

    Feedback m_feedback;        ///< attribute Feedback
    uint32_t m_tagEvery;        ///< attribute TagEvery
    bool m_tagOncePerRtt;       ///< attribute TagOncePerRtt
    uint32_t m_maxUnanswered;   ///< attribute MaxUnanswered
    uint32_t m_pauseAfter;      ///< attribute PauseAfter
    Time m_socketCheck;         ///< attribute SocketCheck
    HpccTcpArrivals m_arrivals; ///< connections whose data arrives
    uint64_t m_fallbacks{0};    ///< see GetFallbacks()
    Connections m_connections;  ///< connections that have sent data
    std::set<Key> m_fragmented; ///< connections of other congestion controls whose segments have
                                ///< been fragmented by IP since the last SYN or RST
    HpccTcpSockets m_sockets{[this](const Key& key) {
        return m_connections.count(key) > 0;
    }};                                          ///< finds sockets of new connections
    std::unique_ptr<HpccTcpCompact> m_compact;   ///< see GetCompact()
    std::unique_ptr<HpccTcpSocketWatch> m_watch; ///< decides when to ask TCP for sockets
    std::unique_ptr<HpccTsoPacer> m_pacer;       ///< null without QbbNetDevice::Tso

    TracedCallback<uint16_t, uint16_t, std::string> m_fellBackTrace; ///< trace source FellBack
};

} // namespace ns3

#endif // HPCC_TCP_NIC_H
