/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UDP_NIC_H
#define HPCC_UDP_NIC_H

#include "hpcc-ip-nic.h"
#include "hpcc-nic-packets.h"
#include "hpcc-udp-probe-header.h"

#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-flow.h"
#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-probes.h"
#include "ns3/nstime.h"
#include "ns3/qbb-net-device.h"
#include "ns3/tag.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Passes the position of a datagram from the application to the NIC, as a driver would in a packet
 * descriptor. The position is the number of payload bytes of the flow up to and including the
 * datagram. From these positions the NIC also detects losses between application and NIC. The tag
 * is not sent on the wire.
 */
class HpccUdpTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Creates a tag.
    /// @param end number of payload bytes of the flow up to and including this datagram
    explicit HpccUdpTag(uint64_t end = 0)
        : m_end(end)
    {
    }

    /// Returns the number of payload bytes of the flow up to and including this datagram.
    uint64_t GetEnd() const
    {
        return m_end;
    }

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer i) const override;
    void Deserialize(TagBuffer i) override;
    void Print(std::ostream& os) const override;

  private:
    uint64_t m_end; ///< see GetEnd()
};

/**
 * @ingroup hpcc
 *
 * The content of the answer to a probe of a UDP flow.
 */
struct HpccUdpAnswer
{
    uint64_t probeBytes;    ///< payload sent before the probe, bytes
    uint64_t receivedBytes; ///< payload that the peer had received before the probe, bytes
    int64_t sentNs;         ///< time at which the probe left, ns
    HpccSample sample; ///< telemetry, without records if the probe had none; valid during the call
};

/**
 * @ingroup hpcc
 *
 * The controller of a UDP flow.
 */
class HpccUdpSender
{
  public:
    virtual ~HpccUdpSender() = default;

    /// Returns the signal that the next probe requests, see TelemetryOrigin.
    virtual uint16_t AskNext() = 0;

    /// Handles an answer that is newer than all previous answers.
    /// @param answer the answer
    virtual void Answered(const HpccUdpAnswer& answer) = 0;

    /// Reports that a probe has timed out.
    /// @param inRow consecutive probes without an answer, including this probe
    virtual void GivenUp(uint32_t inRow) = 0;
};

/**
 * @ingroup hpcc
 *
 * Adds to a NIC the functions that UDP flows of HPCC++ need (draft-miao-tsv-hpcc-01, section 7).
 * While data is in flight, the NIC sends one probe per round trip, and the switches add telemetry
 * to the probe. The NIC also answers the probes of other hosts. Probes and answers are not passed
 * to sockets or applications, and datagrams carry no telemetry.
 *
 * - A probe has the flow's addresses and ports, so that it follows the path of the data. A probe
 *   has the DSCP ProbeDscp, which ports must map to the priority of the data. The
 *   HpccUdpProbeHeader of a probe contains snd_nxt, the number of payload bytes that were sent
 *   before the probe. The format determines the position of the telemetry. The probe waits in the
 *   port's queue like data, but window and pacing do not limit it.
 * - The answer has the DSCP ResponseDscp. The answer contains an HpccUdpProbeHeader with the number
 *   of payload bytes of the flow that were received before the probe, an HpccReflectionHeader, and
 *   the records. A probe without telemetry is also answered, so that the sender can detect losses.
 * - HpccProbes decides when probes are sent and when they time out. The time-out is doubled at most
 *   three times. Two probes of the host are at least ProbeSpacing apart; flows take turns.
 * - The control law assumes that a flow is never idle: a flow always has data to send, and only
 *   window and pacing delay this data.
 * - A NIC counts the payload of every UDP flow that arrives. When the number of flows reaches a
 *   limit, initially 1024, the NIC forgets the flows from which nothing has arrived for longer than
 *   ForgetAfter. The limit then becomes twice the number of remaining flows, but never decreases.
 *   If a forgotten flow continues, its count restarts at 0.
 * - A flow may reuse the ports of an ended flow. The peer's count then includes the bytes of the
 *   ended flow. Therefore the NIC also stores the peer's counts of ended flows, and forgets these
 *   counts in the same way. If this NIC has forgotten a count that the peer still has, the first
 *   answer may report more bytes than were sent before its probe. The excess is attributed to the
 *   earlier flow. For example, if 10 KB were sent and the answer reports 25 KB, 15 KB belong to the
 *   earlier flow.
 *
 * - With CountFlows the NIC counts arriving flows by priority, and answers carry the number of
 *   flows (draft-miao-tsv-hpcc-01, section 6.3.2).
 * - With FeedbackKey, which must be the same at all hosts, answers are authenticated, including the
 *   number of the probe and the count of bytes. No two probes with the same addresses and ports
 *   have the same number, and only one answer is accepted per probe. Therefore a replayed answer
 *   matches no probe.
 *
 * The NIC sends probes only for flows passed to Open(); other flows that this host sends are
 * ignored. For every UDP flow that arrives, the NIC counts the payload and answers the probes.
 */
class HpccUdpNic : public HpccIpNic
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string Check(const TelemetryFormat& format) const override;

    /**
     * Starts to serve a flow. The datagrams of the flow must have an HpccUdpTag. Throws
     * HpccInputError if a flow with this key is already open.
     * @param key key of the flow
     * @param sender gets the answers until Close()
     */
    void Open(const Key& key, HpccUdpSender* sender);

    /// Stops serving a flow, which must have stopped sending. Answers to its probes are ignored
    /// from now on.
    /// @param key the flow
    void Close(const Key& key);

    /// Returns the number of open flows: those passed to Open() and not yet to Close().
    size_t GetFlows() const
    {
        return m_flows.size();
    }

    /// Returns the number of closed flows for which the NIC still stores the peer's count of
    /// payload bytes.
    size_t GetEndedFlows() const
    {
        return m_ended.size();
    }

    /**
     * Returns true if a probe of a flow is unanswered or is about to leave.
     * @param key an open flow
     */
    bool IsProbing(const Key& key) const;

    /// Returns the capabilities of the format.
    const TelemetryCapabilities& GetTelemetry() const
    {
        return m_format->GetCapabilities();
    }

    void Sending(QbbNetDevice& port, Frame& frame) override;
    void Sent(QbbNetDevice& port) override;
    bool Received(QbbNetDevice& port, Frame& frame) override;

  protected:
    void DoDispose() override;

  private:
    /// Sender-side state of a flow; sndNxt is the number of payload bytes that have left.
    struct Flow : HpccIpNicFlow
    {
        HpccUdpSender* sender{nullptr}; ///< gets the answers
        uint64_t settled{0};            ///< payload that had left before the last answered probe,
                                        ///< bytes
        uint64_t received{0};           ///< payload that the peer has reported as received, bytes
        uint64_t counted{0};            ///< payload bytes that the peer has counted, as in its last
                                        ///< answer; the peer may have restarted the count at 0
        bool countUnknown{false}; ///< true until the first answer if the peer's count may include
                                  ///< an earlier flow
        uint32_t firstNumber{0};  ///< number of the flow's first probe
    };

    /// The stored state of a flow that this host has sent and that has ended.
    struct Ended
    {
        uint64_t counted{0}; ///< see Flow::counted
        int64_t endNs{0};    ///< time at which the flow ended, ns
    };

    /// Receiver-side state of a flow.
    struct Arrival
    {
        uint64_t bytes{0};            ///< payload that has arrived, bytes
        int64_t lastNs{0};            ///< arrival of the last datagram, ns
        HpccFlowCounter::Flow flow{}; ///< entry in the flow counter of the traffic class; used with
                                      ///< CountFlows
        uint16_t flows{0}; ///< number of flows of the same class when the last datagram arrived
    };

    /**
     * Reads a packet.
     * @param frame a frame of ns-3's IP stack
     * @param offset set to the start of the UDP payload, bytes from the start of the IP header
     * @return true if the frame contains a well-formed and unfragmented UDP packet
     */
    static bool Parse(const Frame& frame, uint32_t& offset);
    HpccProbes* FindProbes(const Key& key) override;
    bool HasDataInFlight(const Key& key) override;
    void SendProbe(const Key& key, int64_t nowNs) override;
    void ProbeTimedOut(const Key& key, int64_t nowNs) override;
    int64_t GetProbeSpacingNs() const override;

    /**
     * Adds an arrived datagram to the payload count of its flow.
     * @param key flow of the data
     * @param frame the datagram
     * @param bytes payload of the datagram, bytes
     */
    void Count(const Key& key, const Frame& frame, uint32_t bytes);
    /// Forgets each arriving flow whose last datagram arrived more than ForgetAfter ago.
    /// @param nowNs current time, ns
    void Sweep(int64_t nowNs);
    /**
     * Answers a probe of another host.
     * @param key flow of the probe
     * @param frame the probe
     * @param number number of the probe
     */
    void Answer(const Key& key, const Frame& frame, uint32_t number);
    /**
     * Processes an answer.
     * @param key flow of the answer
     * @param frame the answer
     * @param header first header of the answer
     * @param in the bytes that follow this header
     * @param size number of these bytes
     */
    void TakeAnswer(const Key& key,
                    const Frame& frame,
                    const HpccUdpProbeHeader& header,
                    const uint8_t* in,
                    size_t size);
    /**
     * Checks the authenticator of an answer.
     * @param flow the flow
     * @param frame an answer
     * @param header first header of the answer
     * @param reflection the content after this header
     * @return true if the answer is authentic, or if there is no key
     */
    bool IsGenuine(Flow& flow,
                   const Frame& frame,
                   const HpccUdpProbeHeader& header,
                   HpccNicPackets::Reflection& reflection);
    /// Forgets the counts of flows that ended more than ForgetAfter ago.
    /// @param nowNs current time, ns
    void SweepEnded(int64_t nowNs);
    Time m_probeSpacing;               ///< attribute ProbeSpacing
    Time m_forgetAfter;                ///< attribute ForgetAfter
    std::map<Key, Flow> m_flows;       ///< open flows, see GetFlows()
    std::map<Key, Ended> m_ended;      ///< flows that have ended
    size_t m_sweepEndedAt{1024};       ///< size of m_ended at which SweepEnded() is called
    bool m_hasForgotten{false};        ///< true if entries of m_ended have been forgotten
    std::map<Key, Arrival> m_arrivals; ///< flows that arrive
    size_t m_sweepAt{1024};            ///< size of m_arrivals at which Sweep() is called
};

} // namespace ns3

#endif // HPCC_UDP_NIC_H
