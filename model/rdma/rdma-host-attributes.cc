/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host-parts.h"
#include "rdma-host.h"
#include "rdma-nic.h"

#include "ns3/hpcc-part-trace.h"
#include "ns3/hpcc-type-id.h"

namespace ns3
{

namespace
{

/**
 * Returns a value of the type of a member of RdmaHostSettings. The function is used only in
 * decltype, and is not defined.
 * @return a value of this type
 */
template <typename T>
T TypeOf(T RdmaHostSettings::*);

} // namespace

template <typename T, T RdmaHostSettings::*place>
void
RdmaHost::SetSetting(T value)
{
    if (!(m_parts->settings.*place == value))
    {
        m_parts->connector.OpenAll(); // connected queue pairs keep the previous value
        m_parts->settings.*place = value;
    }
}

template <typename T, T RdmaHostSettings::*place>
T
RdmaHost::GetSetting() const
{
    return m_parts->settings.*place;
}

template <auto place, typename V, typename... Range>
HpccAttribute
RdmaHost::Setting(const V& initial, Range... range)
{
    using T = decltype(TypeOf(place));
    return HpccProperty(&RdmaHost::SetSetting<T, place>,
                        &RdmaHost::GetSetting<T, place>,
                        initial,
                        range...);
}

TypeId
RdmaHost::GetTypeId()
{
    using S = RdmaHostSettings;
    using T = RdmaHostTraces;
    const auto trace = [](auto place) {
        return MakeHpccPartTrace<RdmaHost>(
            [place](RdmaHost& host) { return &(host.m_parts->traces.*place); });
    };
    const auto ofSizes = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<RdmaHost>(
            "HpccFabricHelper::Install() or the first Connect() of the host",
            [](const RdmaHost& host) {
                return host.m_parts->settings.sizesUsed || host.GetQueuePairs() > 0;
            });
    };
    const auto ofConnect = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<RdmaHost>("the first Connect() of the host",
                                              [](const auto& h) { return h.GetQueuePairs() > 0; });
    };
    const auto isHonest = [](const RdmaHost& host) {
        return host.GetQueuePairs() > 0 && !host.m_parts->settings.IsEverDishonest();
    };
    const auto echo =
        Setting<&S::congestionEcho>(S::ECHO_CNP, S::ECHO_CNP, "Cnp", S::ECHO_ACK, "Ack");
    const auto profile =
        Setting<&S::wireProfile>(S::ROCE, S::ROCE, "Roce", S::AUTHORS, "Authors", S::UEC, "Uec");
    static TypeId tid =
        HpccTypeId::Of<RdmaHost, Object>("ns3::RdmaHost")
            .Attribute("Mtu",
                       "Largest payload of a packet, bytes.",
                       ofSizes(Setting<&S::mtu>(1000, 64, 9000)))
            .Attribute("DataDscp",
                       "DSCP of data packets, which determines their priority.",
                       Setting<&S::dataDscp>(26, 0, 63))
            .Attribute("AckDscp",
                       "DSCP of ACKs and NAKs, which determines their priority.",
                       Setting<&S::ackDscp>(26, 0, 63))
            .Attribute("CnpDscp",
                       "DSCP of CNPs, which determines their priority.",
                       Setting<&S::cnpDscp>(48, 0, 63))
            .Attribute("ProbeDscp",
                       "DSCP of probes. It must map to the same priority as DataDscp.",
                       Setting<&S::probeDscp>(25, 0, 63))
            .Attribute("ProbeSpacing",
                       "Shortest time between any two probes of this host. 0: no limit.",
                       Setting<&S::probeSpacing>(NanoSeconds(0), NanoSeconds(0)))
            .Attribute("Ttl",
                       "TTL of packets that the host sends.",
                       ofConnect(Setting<&S::ttl>(64, 1)))
            .Attribute("Ipv6",
                       "Whether all packets are IPv6. False: only if the format requires it.",
                       ofSizes(Setting<&S::ipv6>(false)))
            .Attribute("FeedbackKey",
                       "Secret with which both hosts authenticate returned telemetry. Empty: none.",
                       ofConnect(Setting<&S::feedbackKey>("")))
            .Attribute("DishonestFrom",
                       "Time from which on the host returns forged records of idle paths.",
                       Setting<&S::dishonestFrom>(Time::Max())
                           .FixedAfter<RdmaHost>("the first Connect() of an honest host", isHonest))
            .Attribute("AckInterval",
                       "Packets per ACK. Packets that request an ACK are acknowledged at once.",
                       Setting<&S::ackInterval>(1, 1))
            .Attribute("AckDelay",
                       "Longest time for which an ACK is delayed to cover AckInterval packets.",
                       Setting<&S::ackDelay>(MicroSeconds(10), NanoSeconds(1)))
            .Attribute("Recovery",
                       "Short name of the loss recovery of queue pairs that this host connects.",
                       Setting<&S::recovery>("go-back-n"))
            .Attribute(
                "RetransmitTimeout",
                "Time without progress after which packets in flight are retransmitted, "
                "unless the recovery defines its own time-out.",
                Setting<&S::retransmitTimeout>(MilliSeconds(4), NanoSeconds(1), Seconds(1e9)))
            .Attribute("NakInterval",
                       "Shortest time between two NAKs of a queue pair for the same packet.",
                       Setting<&S::nakInterval>(MicroSeconds(500), NanoSeconds(1)))
            .Attribute("CnpInterval",
                       "Shortest time between two CNPs of a queue pair. 0: the policy's interval.",
                       Setting<&S::cnpInterval>(NanoSeconds(0), NanoSeconds(0)))
            .Attribute("CongestionEcho",
                       "How marks are returned: Cnp, by CNPs; or Ack, by the BECN bit of ACKs.",
                       ofConnect(echo))
            .Attribute("RetimePending",
                       "Whether a new rate also changes the pacing time of the next packet.",
                       Setting<&S::retimePending>(true))
            .Attribute("PaceByRate",
                       "Whether packets are paced at the policy's rate. False: at the line rate.",
                       Setting<&S::paceByRate>(true))
            .Attribute("RejoinAtOnce",
                       "Whether a queue pair at line rate rejoins its ring as its packet starts.",
                       Setting<&S::rejoinAtOnce>(false))
            .Attribute("Repathing",
                       "Object that moves queue pairs to other UDP source ports. Null: never.",
                       Setting<&S::repathing>(nullptr))
            .Attribute("Entropy",
                       "Object that chooses each packet's entropy with SACKs. Null: one for all.",
                       Setting<&S::entropy>(nullptr))
            .Attribute("Nic",
                       "Object with the processing delays of the host's NIC. Null: no delays.",
                       Setting<&S::nic>(nullptr).FixedAfter<RdmaHost>(
                           "Install() of the host",
                           [](const RdmaHost& host) { return host.m_parts->core.port; }))
            .Attribute("WireProfile",
                       "Header sizes: Roce, Authors (HPCC authors' simulator), Uec (uet-htsim).",
                       ofSizes(profile))
            .Attribute("AuthorsHeaderBytes",
                       "With WireProfile Authors: bytes of a data packet before its payload.",
                       ofSizes(Setting<&S::authorsHeaderBytes>(48, 48, 256)))
            .AddTraceSource("MessagePosted",
                            "A message has been posted here.",
                            trace(&T::messagePosted),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource(
                "MessageAcknowledged",
                "The last byte of a message posted here has been acknowledged, or the last byte "
                "that a READ posted here requested has arrived.",
                trace(&T::messageAcknowledged),
                "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "The last byte of a message for this host has arrived.",
                            trace(&T::messageDelivered),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("LastByteAcknowledged",
                            "As MessageAcknowledged, but before the NIC's CompletionDelay.",
                            trace(&T::lastByteAcknowledged),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("LastByteArrived",
                            "As MessageDelivered, but before the NIC's CompletionDelay.",
                            trace(&T::lastByteArrived),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("Acknowledged",
                            "An acknowledgement has been processed.",
                            trace(&T::acknowledged),
                            "ns3::RdmaHost::AcknowledgedTracedCallback")
            .AddTraceSource("Received",
                            "Payload has arrived in order.",
                            trace(&T::received),
                            "ns3::RdmaHost::ReceivedTracedCallback")
            .AddTraceSource("PayloadArrived",
                            "Payload has arrived for the first time, in order or kept after a gap.",
                            trace(&T::payloadArrived),
                            "ns3::RdmaHost::PayloadArrivedTracedCallback")
            .AddTraceSource("OutOfOrder",
                            "A data packet has arrived out of order; it is kept or dropped.",
                            trace(&T::outOfOrder),
                            "ns3::RdmaHost::OutOfOrderTracedCallback")
            .AddTraceSource("PathChange",
                            "A queue pair has moved to another path, by another UDP source port.",
                            trace(&T::pathChange),
                            "ns3::RdmaHost::PathChangeTracedCallback")
            .AddTraceSource("PortChange",
                            "A queue pair sends and receives by another port from now on.",
                            trace(&T::portChange),
                            "ns3::RdmaHost::PortChangeTracedCallback")
            .AddTraceSource("HeldBack",
                            "A new flow must wait because all paths are full.",
                            trace(&T::heldBack),
                            "ns3::RdmaHost::HeldBackTracedCallback")
            .AddTraceSource("FeedbackRejected",
                            "Telemetry, a window or a response has been ignored; gives the reason.",
                            trace(&T::feedbackRejected),
                            "ns3::RdmaHost::FeedbackRejectedTracedCallback");
    return tid;
}

} // namespace ns3
