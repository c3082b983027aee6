/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_NIC_H
#define HPCC_TCP_NIC_H

#include "hpcc-feedback-proof.h"
#include "hpcc-flow-timers.h"
#include "hpcc-ip-tap.h"
#include "hpcc-nic-packets.h"
#include "hpcc-tcp-compact.h"
#include "hpcc-tcp-sockets.h"
#include "hpcc-tso-pacer.h"
#include "tcp-hpcc-plus-plus.h"

#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-probes.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-telemetry-inventory.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/qbb-net-device.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The functions of a NIC for connections of TcpHpccPlusPlus (draft-miao-tsv-hpcc-01, section 7.2).
 * While data is in flight it sends a probe per round trip, which the switches fill with telemetry,
 * and it answers the probes of other hosts. TCP sees neither probes nor answers, and data segments
 * carry nothing. Or, with Feedback InBand, there are no probes, and each data segment carries
 * telemetry, which the other host's NIC removes and returns.
 *
 * - A probe has the connection's addresses and ports, so it takes the path of the data, the
 *   sequence number snd_nxt, no data, and the DSCP ProbeDscp, which ports must put into the
 *   priority of the data. The telemetry stands where the format puts it. It waits in the port's
 *   queue like data, outside of the window and of pacing.
 * - The answer goes back with the DSCP ResponseDscp. Its acknowledgement number is the probe's
 *   sequence number, its payload a HpccReflectionHeader and the records.
 * - The first probe leaves behind the first data segment, the next one when the answer has come
 *   while data is in flight, else behind the next data segment. A probe without an answer times out
 *   after max(4 T, 2 RTT of the last one answered), doubled for each preceding time-out in a row,
 *   up to eight times that value; its answer still counts if it comes later.
 * - Data whose sender waits for a time-out is not in flight any more, whatever TCP's numbers say.
 *   After PauseAfter answers or time-outs without a data segment sent or acknowledged in between,
 *   the next probe waits for T, the one after that for 2 T and so on, until a data segment is sent
 *   or acknowledged. Data with telemetry counts as unanswered once after each time that some has
 *   left, not repeatedly while none leaves.
 * - For the law, the answer to a probe that left after the last answer acknowledges the byte behind
 *   snd_nxt, so it commits (line 22) even if the closed window has let no data go; the answer to an
 *   older probe does not commit.
 * - After MaxUnanswered probes without an answer the connection falls back, see TcpHpccPlusPlus. A
 *   later answer changes nothing. A connection over IPv4 falls back at once if the format exists in
 *   IPv6 only.
 * - Data with telemetry of a format that a DSCP marks has the DSCP ProbeDscp, as a probe; the
 *   format carries the original one, which the other NIC restores. With other formats it keeps its
 *   own. It counts as unanswered if nothing has been answered for as long as a probe would wait.
 *   For the law the answer acknowledges the segment.
 * - With formats that carry one quantity at a time, probes ask for both in turn, and every fourth
 *   segment asks for the less wanted one (HpccSignalRequest::AskNext).
 * - With Feedback Compact there are no probes either, and no DSCP: data segments, one of TagEvery,
 *   or with TagOncePerRtt one per T, carry an option of TCP into which switches put the largest
 *   load of their ports. The other NIC returns it in an option of the next segment that goes back,
 *   the ACK as a rule. With Feedback CompactReceiver it returns the window that the law gives
 *   there, with its own port's line rate and the attributes of the receiving socket's
 *   TcpHpccPlusPlus, or their defaults if that has another congestion control. An option that does
 *   not fit into the 60 bytes of a TCP header or the MTU is left out. A segment counts as
 *   unanswered if nothing has come back for as long as a probe would wait.
 *
 * With CountFlows the NIC counts the connections whose data arrives in a class of its link, and
 * answers carry their number (draft-miao-tsv-hpcc-01, section 6.3.2). With FeedbackKey, which all
 * hosts must have, answers and values returned in options are authenticated. Feedback that is not
 * authentic, or not newer than the newest one, is counted and ignored, so that a connection whose
 * feedback is always changed falls back.
 *
 * The NIC identifies the connections that it serves by their sockets when the first data segment
 * leaves. It forgets them with the segments that end them. A socket of ns-3 may also give up
 * without one (its TcpSocket::DataRetries are used up). So the NIC asks TCP which sockets are left:
 * SocketCheck after it has begun to know connections, and repeatedly while packets pass. While none
 * pass, the interval doubles each time, MAX_RESTS times at most, so that an idle network comes to
 * rest. (ns-3 has given up by then: its tries are 192 s apart at most, with its defaults.)
 */
class HpccTcpNic : public Object, public IpTap, public AgendaClient, public HpccTsoPacer::Controller
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HpccTcpNic();
    ~HpccTcpNic() override;

    /// Signature of ProbeSent: local port, remote port, snd_nxt, time in ns.
    typedef void (*ProbeSentTracedCallback)(uint16_t localPort,
                                            uint16_t remotePort,
                                            uint64_t sndNxt,
                                            int64_t nowNs);
    /// Signature of FellBack: local port, remote port, why.
    typedef void (*FellBackTracedCallback)(uint16_t localPort,
                                           uint16_t remotePort,
                                           std::string why);

    /// The carrier of telemetry.
    enum Feedback
    {
        PROBE,            ///< a probe per round trip
        IN_BAND,          ///< every data segment
        COMPACT,          ///< an option of data segments, returned in one of ACKs
        COMPACT_RECEIVER, ///< the same, but the receiver returns a window
    };

    /// Counters of the NIC.
    struct Counters
    {
        uint64_t probesSent{0};      ///< probes, or data segments with telemetry
        uint64_t probeTimeouts{0};   ///< of these, unanswered ones that have timed out
        uint64_t probesReceived{0};  ///< of other hosts
        uint64_t answersSent{0};     ///< to them
        uint64_t answersReceived{0}; ///< to its own
        uint64_t ignored{0};         ///< answers that were not expected, and packets that could not
                                     ///< be read
        uint64_t unknownLinks{0};    ///< records whose link is not in the inventory
        uint64_t noRoom{0};          ///< data segments without room for the option
        uint64_t forged{0};   ///< of what is ignored: without an authenticator, or a wrong one
        uint64_t replayed{0}; ///< of what is ignored: genuine, but not new
        uint64_t bytes{0};    ///< bytes of probes, answers and telemetry sent, without FCS
    };

    /**
     * Installs the NIC, before simulated time starts. Aborts with one line if the format does not
     * suit TCP.
     * @param port the host's port; its node has ns-3's TCP
     * @param format telemetry
     * @param inventory line rates, for formats that do not carry them
     * @param baseRttNs T of the network, ns
     */
    void Install(Ptr<QbbNetDevice> port,
                 Ptr<const TelemetryFormat> format,
                 Ptr<const TelemetryInventory> inventory,
                 int64_t baseRttNs);

    /**
     * @param format a format
     * @return an empty string, or one line that says why its bytes cannot be put into TCP's packets
     */
    static std::string Validate(const TelemetryFormat& format);

    /**
     * @param format a format
     * @return an empty string, or one line that says why it cannot be combined with this NIC's
     * attributes, or why those cannot be combined
     */
    std::string Check(const TelemetryFormat& format) const;

    /// @return true if segments carry an option of TCP
    bool IsCompact() const
    {
        return m_feedback == COMPACT || m_feedback == COMPACT_RECEIVER;
    }

    /// @return true if data segments carry telemetry
    bool IsInData() const
    {
        return m_feedback != PROBE;
    }

    /// @return what puts the option into segments; null unless IsCompact() and installed
    const HpccTcpCompact* GetCompact() const
    {
        return m_compact.get();
    }

    /// @return the NIC's counters
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// @return connections that the NIC knows
    size_t GetConnections() const
    {
        return m_connections.size();
    }

    bool Allow(const HpccTsoPacer::Key& key,
               uint32_t sequence,
               HpccTsoPacer::Allowance& allowance) const override;

    void Sending(QbbNetDevice& port, Frame& frame) override;
    void Sent(QbbNetDevice& port) override;
    bool Received(QbbNetDevice& port, Frame& frame) override;
    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    void DoDispose() override;

  private:
    static constexpr int64_t NEVER = HpccProbes::NEVER; ///< no time
    static constexpr uint8_t MAX_DOUBLINGS = 3;         ///< of the time-out
    static constexpr uint8_t MAX_WAIT_DOUBLINGS = 16;   ///< of the time to the next probe
    static constexpr uint8_t MAX_RESTS = 9;             ///< questions to TCP while nothing passes

    /// Names a connection: remote address, local port, remote port, IPv6.
    using Key = std::tuple<uint32_t, uint16_t, uint16_t, bool>;

    /// The fields of a TCP packet.
    struct Segment
    {
        uint32_t sequence;     ///< sequence number
        uint32_t acknowledged; ///< acknowledgement number
        uint32_t offset;       ///< where its payload begins, bytes from the IP header on
        uint32_t headerBytes;  ///< TCP header
        uint32_t payloadBytes; ///< payload
        uint8_t flags;         ///< flags
    };

    /// The state of a connection.
    struct Connection
    {
        Ptr<TcpHpccPlusPlus> ops; ///< null if it has another congestion control
        uint32_t local{0};        ///< own address
        uint8_t tos{0};           ///< of data
        uint8_t ttl{64};          ///< of data
        uint32_t lastAck{0};      ///< acknowledgement number last sent
        uint64_t sndUna{0};       ///< first byte not acknowledged
        uint64_t sndNxt{0};       ///< next byte to be sent
        int64_t idleSinceNs{-1};  ///< since when nothing is in flight; negative: something is
        int64_t idleNs{0};        ///< longest time without since the last sample, ns
        HpccProbes probes;        ///< when the next one is due
        uint32_t stalls{0};       ///< answers and time-outs since data has left or arrived
        int64_t resumeNs{NEVER};  ///< when a probe leaves though it waits
        int64_t armedNs{NEVER}; ///< its time in m_timers, ns; at most those of probes and resumeNs
        uint16_t identification{0};             ///< of the next packet of the NIC
        bool closing{false};                    ///< FIN or RST has been sent
        uint32_t finEnd{0};                     ///< sequence number behind that FIN
        HpccTcpCompact::Turn turn;              ///< which segments get an option
        uint64_t reportedUna{0};                ///< sndUna when the last report came
        uint64_t timedSeq{0};                   ///< end of the segment with telemetry that is timed
        int64_t timedNs{-1};                    ///< when it left, ns; negative: none is
        std::optional<HpccFeedbackProof> proof; ///< of what comes back, with a key

        /// @return true if the NIC tracks what is in flight
        bool IsServed() const
        {
            return ops && !ops->HasFallenBack();
        }
    };

    /// The state of a connection whose data arrives, with CountFlows or FeedbackKey.
    struct Arriving
    {
        HpccFlowCounter::Flow flow;             ///< at the counter of its class
        uint16_t flows{0};                      ///< flows there when its newest data came
        std::optional<HpccFeedbackProof> proof; ///< of what goes back, with a key
    };

    /**
     * @param frame a frame of TCP
     * @param segment filled on success
     * @return true if well-formed
     */
    static bool Parse(const Frame& frame, Segment& segment);
    /**
     * @param key a connection
     * @return it; end if it is not known, or its socket is gone, and then it is forgotten
     */
    std::map<Key, Connection>::iterator FindLive(const Key& key);
    /**
     * @param key a connection that sends its first data
     * @param frame its segment
     * @param segment what it says
     * @return it, now known; end if its socket is gone already
     */
    std::map<Key, Connection>::iterator Add(const Key& key,
                                            const Frame& frame,
                                            const Segment& segment);
    /**
     * @param socket TCP's
     * @return its congestion control if that is ours, or null
     */
    static Ptr<TcpHpccPlusPlus> OpsOf(const TcpSocketBase& socket);
    /**
     * Updates a connection that sends a data segment.
     * @param connection the connection
     * @param segment the segment
     * @param frame its frame
     */
    void NoteData(Connection& connection, const Segment& segment, const Frame& frame);
    /**
     * Sends a probe.
     * @param key a connection without a probe
     * @param connection the connection
     * @param nowNs current time
     */
    void SendProbe(const Key& key, Connection& connection, int64_t nowNs);
    /**
     * Adds telemetry to a data segment.
     * @param key a connection
     * @param frame its data segment
     * @param connection the connection
     */
    void AddTelemetry(const Key& key, Frame& frame, Connection& connection);

    /// @return true if what carries telemetry has the DSCP ProbeDscp
    bool SetsDscp() const
    {
        return m_feedback == PROBE || (m_feedback == IN_BAND && m_format->GetMarking().dscp >= 0);
    }

    /// Makes what puts the option into segments.
    void MakeCompact();
    /**
     * Adds the option of TCP to a segment that leaves, if it collects or returns something.
     * @param key a connection
     * @param frame its segment
     * @param segment the fields of the segment
     * @param connection the connection, if its data collects, or null
     */
    void AddOption(const Key& key, Frame& frame, const Segment& segment, Connection* connection);
    /**
     * Removes the option of TCP from a segment that has arrived, and processes it.
     * @param key a connection
     * @param frame its segment
     * @param segment the fields of the segment
     */
    void TakeOption(const Key& key, Frame& frame, const Segment& segment);

    /**
     * @param connection the connection
     * @return true if data is in flight, for which probes are sent
     */
    bool IsSteered(const Connection& connection) const
    {
        return connection.sndUna < connection.sndNxt &&
               (m_pauseAfter == 0 || connection.stalls < m_pauseAfter);
    }

    /**
     * Schedules a later probe for a connection that waits with data outstanding, if none is wanted
     * now.
     * @param key a connection
     * @param connection the connection
     * @param nowNs current time
     */
    void Rest(const Key& key, Connection& connection, int64_t nowNs);
    /**
     * Sends a probe if data is outstanding.
     * @param key a connection
     * @param connection the connection
     * @param nowNs current time
     */
    void Resume(const Key& key, Connection& connection, int64_t nowNs);
    /**
     * Notes which data is acknowledged.
     * @param key a connection
     * @param connection the connection
     * @param una first byte not acknowledged
     */
    void NoteAcknowledged(const Key& key, Connection& connection, uint64_t una);
    /**
     * @param key a connection
     * @param connection the connection
     * @param segment an answer
     * @param sample gets its ackSeq
     * @param nowNs current time
     * @return false if it is not expected
     * @param rttNs gets a sample of the round-trip time; -1 if there is none
     */
    bool Match(const Key& key,
               Connection& connection,
               const Segment& segment,
               HpccSample& sample,
               int64_t nowNs,
               int64_t& rttNs);
    /**
     * Answers a probe or data of another host.
     * @param key its connection
     * @param frame the probe or data
     * @param segment the fields of the packet
     */
    void Answer(const Key& key, const Frame& frame, const Segment& segment);
    /**
     * @param key its connection
     * @param frame a segment of another host
     * @return the state of its connection
     */
    Arriving& FindArriving(const Key& key, const Frame& frame);
    /**
     * Counts the flow of a data segment of another host.
     * @param key its connection
     * @param frame the segment
     */
    void Count(const Key& key, const Frame& frame);
    /**
     * @param verdict on feedback, which is counted unless it is genuine
     * @return true if it is
     */
    bool Accept(HpccFeedbackProof::Verdict verdict);
    /**
     * @param connection the connection
     * @param frame with an option that has arrived
     * @return true if what it returns is genuine and new, or need not be
     */
    bool AcceptOption(Connection& connection, const Frame& frame);
    /**
     * @param connection the connection, for which a report has arrived
     * @param rttNs sample of the round-trip time; -1 if there is none
     * @return what the NIC has seen since the last one
     */
    static TcpHpccPlusPlus::View ViewOf(Connection& connection, int64_t rttNs);
    /**
     * Processes an answer.
     * @param key its connection
     * @param frame the answer
     * @param segment the fields of the packet
     */
    void TakeAnswer(const Key& key, const Frame& frame, const Segment& segment);
    /**
     * @param connection the connection
     * @param frame an answer
     * @param segment what it says
     * @param reflection filled on success
     * @return true if it can be read, and believed
     */
    bool ReadAnswer(Connection& connection,
                    const Frame& frame,
                    const Segment& segment,
                    HpccNicPackets::Reflection& reflection);
    /**
     * Hands a connection over to its Fallback.
     * @param key a connection
     * @param connection the connection
     * @param why the reason, a sentence
     */
    void FallBack(const Key& key, Connection& connection, const std::string& why);
    /**
     * Handles a probe that has timed out.
     * @param key a connection
     * @param connection the connection
     * @param nowNs current time
     */
    void GiveUp(const Key& key, Connection& connection, int64_t nowNs);
    /// Informs the pacer that the window or the acknowledgements of a connection may have changed.
    /// @param key the connection
    void WakePacer(const Key& key);
    /**
     * Makes sure that a connection comes due when its next probe times out or is to leave.
     * @param key a connection
     * @param connection the connection
     */
    void Arm(const Key& key, Connection& connection);
    /**
     * Handles a connection that comes due.
     * @param key the connection
     * @param nowNs current time
     */
    void RunTimer(const Key& key, int64_t nowNs);
    /// Makes sure that Due() is called at a time.
    /// @param atNs the time, ns
    void NoteTimer(int64_t atNs);
    /// Makes sure that TCP will be asked for sockets, after a segment has passed.
    void NotePassing();
    /// Forgets connections without a socket.
    /// @param nowNs current time
    void AskTcp(int64_t nowNs);
    /// Schedules the next question to TCP, unless no connection is known: SocketCheck later,
    /// doubled for each of m_rests.
    /// @param nowNs current time
    void AskLater(int64_t nowNs);

    Ptr<QbbNetDevice> m_port;                  ///< the port
    Ptr<const TelemetryFormat> m_format;       ///< telemetry
    HpccNicPackets m_packets;                  ///< makes frames, reads telemetry
    int64_t m_baseRttNs{0};                    ///< T of the network
    uint32_t m_timer{0};                       ///< index on the agenda
    int64_t m_notedNs{NEVER};                  ///< earliest noted time-out
    HpccFlowTimers<Key> m_timers;              ///< connections by time
    uint32_t m_askTimer{0};                    ///< index on the agenda
    int64_t m_askNs{NEVER};                    ///< when TCP is asked for sockets
    uint8_t m_rests{0};                        ///< how often it was since something has passed
    std::unique_ptr<HpccTcpCompact> m_compact; ///< see GetCompact()
    Feedback m_feedback;                       ///< attribute
    uint32_t m_tagEvery;                       ///< attribute
    bool m_tagOncePerRtt;                      ///< attribute
    uint8_t m_probeDscp;                       ///< attribute
    uint8_t m_responseDscp;                    ///< attribute
    uint32_t m_maxUnanswered;                  ///< attribute
    uint32_t m_pauseAfter;                     ///< attribute
    Time m_socketCheck;                        ///< attribute
    std::string m_feedbackKey;                 ///< attribute
    bool m_countFlows;                         ///< attribute
    Time m_countWindow;                        ///< attribute
    std::array<HpccFlowCounter, PRIORITIES> m_flowCounters; ///< connections that arrive by class
    std::map<Key, Arriving> m_arriving;                     ///< see there
    std::map<Key, Connection> m_connections;                ///< those that have sent data
    HpccTcpSockets m_sockets;                               ///< where others are looked for
    std::map<Key, Connection>::iterator m_sending; ///< of the packet that is being sent, or end
    Counters m_counters;                           ///< counters of the NIC
    std::unique_ptr<HpccTsoPacer> m_pacer;         ///< null without QbbNetDevice::Tso

    TracedCallback<uint16_t, uint16_t, uint64_t, int64_t> m_probeTrace; ///< ProbeSent
    TracedCallback<uint16_t, uint16_t, std::string> m_fellBackTrace;    ///< FellBack
};

} // namespace ns3

#endif // HPCC_TCP_NIC_H
