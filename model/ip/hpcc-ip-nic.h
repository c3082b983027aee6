/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_IP_NIC_H
#define HPCC_IP_NIC_H

#include "hpcc-feedback-proof.h"
#include "hpcc-flow-key.h"
#include "hpcc-ip-tap.h"
#include "hpcc-nic-packets.h"

#include "ns3/address.h"
#include "ns3/hpcc-flow-counter.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-probe-engine.h"
#include "ns3/hpcc-probes.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/qbb-net-device.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * The sender-side state of a flow that TCP and UDP have in common.
 */
struct HpccIpNicFlow
{
    uint32_t local{0};                        ///< own address
    uint8_t tos{0};                           ///< TOS of data
    uint8_t ttl{64};                          ///< TTL of data
    uint16_t identification{0};               ///< IP identification of the next probe
    uint64_t sndNxt{0};                       ///< next byte to be sent
    HpccProbes probes{};                      ///< state of the flow's probes
    std::optional<HpccFeedbackProof> proof{}; ///< checks the answers; empty without a key

    /// Stores the fields that probes have in common with data.
    /// @param frame a data packet that leaves
    void Follow(const FrameHeaders& frame)
    {
        local = frame.source;
        tos = frame.tos;
        ttl = frame.ttl;
    }
};

/**
 * @ingroup hpcc
 *
 * Base class of the NICs for TCP and UDP. The base class has the attributes, checks and counters
 * that both NICs need, and manages the probes of flows and their timers. The TypeId of each NIC has
 * these attributes:
 *
 * - ProbeDscp: DSCP of probes. Ports must map this DSCP to the priority of the data.
 * - ResponseDscp: DSCP of answers to probes.
 * - FeedbackKey: secret with which all hosts authenticate feedback. With an empty key, feedback is
 *   not authenticated.
 * - CountFlows: true if the NIC counts arriving flows by priority; answers then carry the number of
 *   flows (draft-miao-tsv-hpcc-01, section 6.3.2).
 * - CountWindow: time for which a flow is counted after each of its data packets. 0 selects the
 *   network's base RTT.
 */
class HpccIpNic : public Object,
                  public IpTap,
                  public AgendaClient,
                  protected HpccProbeEngine<HpccFlowKey>::Transport
{
  public:
    using Key = HpccFlowKey; ///< identifies a flow

    /// Signature of ProbeSent: local port, remote port, snd_nxt, time in ns.
    typedef void (*ProbeSentTracedCallback)(uint16_t localPort,
                                            uint16_t remotePort,
                                            uint64_t sndNxt,
                                            int64_t nowNs);

    /// Counters of the NIC.
    struct Counters
    {
        uint64_t probesSent{0};      ///< number of probes and data segments sent to collect
                                     ///< telemetry. Segments that had no room for telemetry
                                     ///< (noRoom) are included
        uint64_t probeTimeouts{0};   ///< number of time-outs while waiting for the answer to a
                                     ///< packet counted in probesSent
        uint64_t probesReceived{0};  ///< probes and data with telemetry that have arrived from
                                     ///< other hosts
        uint64_t answersSent{0};     ///< answers and TCP options sent to return telemetry or a
                                     ///< window
        uint64_t answersReceived{0}; ///< valid answers and valid TCP options that return a value,
                                     ///< from other hosts
        uint64_t ignored{0}; ///< malformed packets, and answers that are unexpected or not genuine.
                             ///< Answers that are not genuine are also counted in forged or
                             ///< replayed
        uint64_t unknownLinks{0}; ///< records whose link is not in the inventory
        uint64_t forged{0};       ///< feedback ignored because of a wrong or missing authenticator
        uint64_t replayed{0};     ///< authentic feedback ignored because it is not new
        uint64_t noRoom{0};       ///< TCP data segments without room for the telemetry option
        uint64_t forgotten{0}; ///< UDP flows forgotten because nothing has arrived for ForgetAfter
        uint64_t bytes{0};     ///< bytes of probes, answers and telemetry sent, without FCS
    };

    /**
     * Checks that TCP and UDP packets can carry a format.
     * @param format a format
     * @return an empty string if TCP and UDP packets can carry the format; otherwise one line with
     * the reason
     */
    static std::string Validate(const TelemetryFormat& format);

    /**
     * Checks whether a format and the attributes can be combined.
     * @param format the format
     * @return an empty string if the format and the attributes can be combined; otherwise one line
     * with the reason
     */
    virtual std::string Check(const TelemetryFormat& format) const = 0;

    /// Throws HpccInputError if probes and answers have the same DSCP.
    void CheckDscps() const;

    /**
     * Installs the NIC, before simulated time starts. Throws HpccInputError if format and
     * attributes cannot be combined.
     * @param port the host's port
     * @param format telemetry format
     * @param inventory line rates, for formats that do not carry them
     * @param baseRttNs T of the network, ns
     */
    void Install(Ptr<QbbNetDevice> port,
                 Ptr<const TelemetryFormat> format,
                 Ptr<const TelemetryInventory> inventory,
                 int64_t baseRttNs);

    /**
     * Sets the inventory for the flows whose data has a given priority. Install() sets one
     * inventory for all priorities.
     * @param priority the priority, 0 to 7
     * @param inventory bandwidths of links: line rates, or the priority's shares of them
     */
    void SetInventory(uint8_t priority, Ptr<const TelemetryInventory> inventory)
    {
        m_packets.SetInventory(priority, inventory);
    }

    /// Throws HpccInputError if the NIC would mistake data with this DSCP for probes or answers.
    /// Also throws HpccInputError if the host's port gives probes another priority than this data.
    /// @param dscp DSCP of the data
    void CheckData(uint8_t dscp) const;

    /**
     * Requires that data has the priority of ProbeDscp even if data carries the telemetry and keeps
     * its DSCP. This is necessary with TelemetryAgent::SHARE: the telemetry then reports the share
     * of a priority, and the helper has checked this share only for the priority of ProbeDscp.
     */
    void RequireProbePriority()
    {
        m_needsProbePriority = true;
    }

    /**
     * Sets the function that decides whether flows of HPCC++ may send to a host.
     * @param check function whose argument is the address of a host. The function returns an empty
     * string if flows to the host are allowed; otherwise it returns one line with the reason. If no
     * function is set, all flows are allowed
     */
    void SetPeerCheck(std::function<std::string(uint32_t address)> check)
    {
        m_peerCheck = std::move(check);
    }

    /// Throws HpccInputError if flows to a host are refused. The NIC calls this function at the
    /// first data packet of a flow. Programs that know their flows in advance call this function
    /// before the simulation starts.
    /// @param address IPv4 address of the host; its IPv6 address is derived from this address
    void CheckPeer(uint32_t address) const;

    /// Throws HpccInputError if the records of packets with this TTL would be wrong. The NIC calls
    /// this function at the first data packet of a flow.
    /// @param ttl TTL of the flow's packets
    void CheckTtl(uint8_t ttl) const;

    /// Throws HpccInputError if flows to a socket address are refused, or if CheckTtl() refuses the
    /// default TTL of the host.
    /// @param remote an InetSocketAddress or Inet6SocketAddress
    void CheckPeer(const Address& remote) const;

    /**
     * Sets the properties of the network's switches that the control law must know. Call before
     * simulated time starts.
     * @param sprayed see HpccFlow::sprayed
     * @param thinned see HpccFlow::thinned
     */
    void SetPaths(bool sprayed, TelemetryThinning thinned)
    {
        m_sprayed = sprayed;
        m_thinned = thinned;
    }

    /// Returns the value of HpccFlow::sprayed for the flows of the NIC.
    bool IsSprayed() const
    {
        return m_sprayed;
    }

    /// Returns the value of HpccFlow::thinned for the flows of the NIC.
    TelemetryThinning GetThinning() const
    {
        return m_thinned;
    }

    /// Returns the host's port; null before Install().
    Ptr<QbbNetDevice> GetPort() const
    {
        return m_port;
    }

    /// Returns the format of the NIC's telemetry.
    const TelemetryFormat& GetFormat() const
    {
        return *m_format;
    }

    /// Returns T of the network, ns.
    int64_t GetBaseRttNs() const
    {
        return m_baseRttNs;
    }

    /// Returns the NIC's counters.
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    void Due(AgendaKind kind, uint32_t index, int64_t nowNs) override;

  protected:
    static constexpr int64_t NEVER = HpccProbes::NEVER; ///< no time is set
    static constexpr uint8_t MAX_DOUBLINGS = 3; ///< largest number of doublings of the time-out
    static constexpr uint8_t ANSWER_TTL = 64;   ///< TTL of answers

    /**
     * Adds the common attributes and the trace source ProbeSent.
     * @param tid TypeId of the NIC
     * @return the TypeId
     */
    static HpccTypeId AddCommon(HpccTypeId tid);

    /**
     * Throws HpccInputError if the DSCP of a packet is that of probes or answers. Otherwise the NIC
     * of the other host would treat the packet as one of them, and TCP or UDP would never get it.
     * @param frame a packet that ns-3's stack has sent
     */
    void CheckForeign(const Frame& frame) const;

    /// Completes Install() for one transport.
    virtual void DoInstall()
    {
    }

    void DoDispose() override;

    /**
     * Checks that flows can be counted with a format.
     * @param format telemetry format
     * @return an empty string if flows can be counted with this format; otherwise one line with the
     * reason
     */
    std::string CheckCount(const TelemetryFormat& format) const;

    /// Returns true if the DSCP alone distinguishes probes from data.
    virtual bool TellsProbesByDscp() const
    {
        return true;
    }

    /// Returns true if the DSCP distinguishes answers from data.
    virtual bool TellsAnswersByDscp() const
    {
        return true;
    }

    /// Returns the node's current time, ns.
    int64_t NowNs() const
    {
        return m_port->GetAgenda().NowNs();
    }

    /**
     * Sends a probe.
     * @param key key of the flow
     * @param flow the flow
     * @param protocol TCP or UDP
     * @param id number that identifies the probe in its answer
     * @param request the signal that the probe requests, see TelemetryOrigin
     * @param pack function that creates the packet, with the given IP header
     */
    template <typename Pack>
    void EmitProbe(const Key& key,
                   HpccIpNicFlow& flow,
                   uint8_t protocol,
                   uint64_t id,
                   uint16_t request,
                   const Pack& pack)
    {
        Frame like{};
        bool ipv6 = false;
        std::tie(like.destination, like.sourcePort, like.destinationPort, ipv6) = key;
        like.ipv6 = ipv6;
        like.source = flow.local;
        const auto tos = static_cast<uint8_t>(m_probeDscp << 2);
        const Ptr<Packet> packet =
            pack(HpccNicIp{like, false, protocol, tos, flow.ttl, flow.identification++});
        const int64_t nowNs = NowNs();
        m_probes.OnDeparture(key, flow.probes, id, flow.sndNxt, nowNs);
        ++m_counters.probesSent;
        m_probeTrace(like.sourcePort, like.destinationPort, flow.sndNxt, nowNs);
        m_counters.bytes += m_packets.SendProbe(packet, ipv6, flow.tos >> 2, request);
    }

    /**
     * Sends an answer.
     * @param probe the probe, or data with telemetry
     * @param pack function that creates the packet, with the given IP header
     */
    template <typename Pack>
    void EmitAnswer(const Frame& probe, const Pack& pack)
    {
        const auto tos = static_cast<uint8_t>(m_responseDscp << 2);
        const auto identification = static_cast<uint16_t>(m_counters.answersSent++);
        const Ptr<Packet> packet =
            pack(HpccNicIp{probe, true, probe.protocol, tos, ANSWER_TTL, identification});
        m_counters.bytes += m_packets.SendAnswer(packet, probe.ipv6);
    }

    Ptr<QbbNetDevice> m_port;                 ///< the port
    Ptr<const TelemetryFormat> m_format;      ///< telemetry format
    HpccNicPackets m_packets;                 ///< creates frames and reads telemetry
    int64_t m_baseRttNs{0};                   ///< T of the network
    bool m_sprayed{false};                    ///< see SetPaths()
    TelemetryThinning m_thinned{NOT_THINNED}; ///< see SetPaths()
    HpccProbeEngine<Key> m_probes{*this};     ///< schedules probes and their time-outs
    uint8_t m_probeDscp;                      ///< attribute ProbeDscp
    bool m_needsProbePriority{false};         ///< see RequireProbePriority()
    uint8_t m_responseDscp;                   ///< attribute ResponseDscp
    std::string m_feedbackKey;                ///< attribute FeedbackKey
    bool m_countFlows;                        ///< attribute CountFlows
    std::array<HpccFlowCounter, PRIORITIES> m_flowCounters; ///< flows that arrive, by class
    Counters m_counters;                                    ///< counters of the NIC

  private:
    void ScheduleProbes(int64_t atNs) override;

    /**
     * Throws HpccInputError if a DSCP is that of probes or answers.
     * @param dscp DSCP of packets that are neither
     * @param packets these packets, for the message
     */
    void CheckDscp(uint8_t dscp, const std::string& packets) const;

    uint32_t m_timer{0};                              ///< timer on the event agenda
    Time m_countWindow;                               ///< attribute CountWindow
    std::function<std::string(uint32_t)> m_peerCheck; ///< see SetPeerCheck(); may be empty

    TracedCallback<uint16_t, uint16_t, uint64_t, int64_t> m_probeTrace; ///< trace source ProbeSent
};

} // namespace ns3

#endif // HPCC_IP_NIC_H
