/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"
#include "rdma-nic.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

// The attributes and trace sources of RdmaHost.

namespace ns3
{

TypeId
RdmaHost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHost")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<RdmaHost>()
            .AddAttribute("Mtu",
                          "Largest payload of a packet, bytes.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::mtu)),
                          MakeUintegerChecker<uint32_t>(64, 9000))
            .AddAttribute("DataDscp",
                          "DSCP of data packets.",
                          UintegerValue(26),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::dataDscp)),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("AckDscp",
                          "DSCP of ACKs and NAKs, which decides on their priority.",
                          UintegerValue(26),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::ackDscp)),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("CnpDscp",
                          "DSCP of CNPs, which decides on their priority.",
                          UintegerValue(48),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::cnpDscp)),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ProbeDscp",
                          "DSCP of probes. It must have the priority of DataDscp, so that probes "
                          "wait in the queues of data.",
                          UintegerValue(25),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::probeDscp)),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("ProbeSpacing",
                          "Shortest time between two probes of this host, whatever its queue "
                          "pairs; 0 for no limit.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(Setting(&RdmaHostSettings::probeSpacing)),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("Ttl",
                          "TTL of packets.",
                          UintegerValue(64),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::ttl)),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("Ipv6",
                          "Send everything in IPv6. Off: only what a telemetry format needs.",
                          BooleanValue(false),
                          MakeBooleanAccessor(Setting(&RdmaHostSettings::ipv6)),
                          MakeBooleanChecker())
            .AddAttribute("FeedbackKey",
                          "Secret that both hosts share to authenticate reflected telemetry. "
                          "Empty: it is not authenticated.",
                          StringValue(""),
                          MakeStringAccessor(Setting(&RdmaHostSettings::feedbackKey)),
                          MakeStringChecker())
            .AddAttribute("DishonestFrom",
                          "From this time on the host reports idle paths to those that send to "
                          "it, which an authenticator does not prevent.",
                          TimeValue(Time::Max()),
                          MakeTimeAccessor(Setting(&RdmaHostSettings::dishonestFrom)),
                          MakeTimeChecker())
            .AddAttribute("AckInterval",
                          "Packets per ACK. A packet that asks for it, such as the last of a "
                          "message or the one that "
                          "closes the window, is acknowledged at once.",
                          UintegerValue(1),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::ackInterval)),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("AckDelay",
                          "Longest time that an ACK waits for AckInterval packets.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(Setting(&RdmaHostSettings::ackDelay)),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Recovery",
                          "Short name of the loss recovery of queue pairs that this host connects.",
                          StringValue("go-back-n"),
                          MakeStringAccessor(Setting(&RdmaHostSettings::recovery)),
                          MakeStringChecker())
            .AddAttribute("RetransmitTimeout",
                          "Time without progress after which packets in flight are retransmitted, "
                          "unless the recovery has a time-out of its own.",
                          TimeValue(MilliSeconds(4)),
                          MakeTimeAccessor(Setting(&RdmaHostSettings::retransmitTimeout)),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("NakInterval",
                          "Time after which a NAK for the same packet may be repeated.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(Setting(&RdmaHostSettings::nakInterval)),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "CnpInterval",
                "Shortest time between two CNPs of a queue pair; 0 takes what the policy asks for.",
                TimeValue(NanoSeconds(0)),
                MakeTimeAccessor(Setting(&RdmaHostSettings::cnpInterval)),
                MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute(
                "CongestionEcho",
                "How marks are reported: Cnp or Ack.",
                EnumValue(RdmaHostSettings::ECHO_CNP),
                MakeHpccEnumAccessor<CongestionEcho>(Setting(&RdmaHostSettings::congestionEcho)),
                MakeEnumChecker(RdmaHostSettings::ECHO_CNP,
                                "Cnp",
                                RdmaHostSettings::ECHO_ACK,
                                "Ack"))
            .AddAttribute("RetimePending",
                          "Recompute the time of the next packet when the rate changes; off: the "
                          "new rate applies only from the packet after that on.",
                          BooleanValue(true),
                          MakeBooleanAccessor(Setting(&RdmaHostSettings::retimePending)),
                          MakeBooleanChecker())
            .AddAttribute("PaceByRate",
                          "Whether packets are paced by the policy's rate; off: by the line rate, "
                          "so that only the window bounds the sender.",
                          BooleanValue(true),
                          MakeBooleanAccessor(Setting(&RdmaHostSettings::paceByRate)),
                          MakeBooleanChecker())
            .AddAttribute(
                "Repathing",
                "Decides when queue pairs that this host connects change their path, by their "
                "UDP source port. Null: never.",
                PointerValue(),
                MakePointerAccessor(Setting(&RdmaHostSettings::repathing)),
                MakePointerChecker<RdmaRepathing>())
            .AddAttribute("Entropy",
                          "Chooses the entropy of each packet of the queue pairs with SACKs that "
                          "this host connects. Null: all packets of a queue pair have the same.",
                          PointerValue(),
                          MakePointerAccessor(Setting(&RdmaHostSettings::entropy)),
                          MakePointerChecker<RdmaEntropy>())
            .AddAttribute("Nic",
                          "Processing delays of the host; before Install(). Null: none.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaHost::SetNic, &RdmaHost::GetNic),
                          MakePointerChecker<RdmaNic>())
            .AddAttribute(
                "WireProfile",
                "Header sizes: Roce, Authors for the HPCC authors' simulator, or Uec for Ultra "
                "Ethernet's reference simulator.",
                EnumValue(RdmaHostSettings::ROCE),
                MakeHpccEnumAccessor<WireProfile>(Setting(&RdmaHostSettings::wireProfile)),
                MakeEnumChecker(RdmaHostSettings::ROCE,
                                "Roce",
                                RdmaHostSettings::AUTHORS,
                                "Authors",
                                RdmaHostSettings::UEC,
                                "Uec"))
            .AddAttribute("AuthorsHeaderBytes",
                          "Bytes before the payload of a data packet of the profile Authors, "
                          "without telemetry; 56 where that simulator carries a timestamp.",
                          UintegerValue(48),
                          MakeUintegerAccessor(Setting(&RdmaHostSettings::authorsHeaderBytes)),
                          MakeUintegerChecker<uint32_t>(48, 256))
            .AddTraceSource("MessageAcknowledged",
                            "The last byte of a message posted here is acknowledged.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::messageAcknowledged)),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "The last byte of a message for this host has arrived.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::messageDelivered)),
                            "ns3::RdmaHost::MessageTracedCallback")
            .AddTraceSource("Acknowledged",
                            "An acknowledgement has been processed.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::acknowledged)),
                            "ns3::RdmaHost::AcknowledgedTracedCallback")
            .AddTraceSource("Received",
                            "Payload has arrived in order.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::received)),
                            "ns3::RdmaHost::ReceivedTracedCallback")
            .AddTraceSource("PathChange",
                            "A queue pair takes another path from now on.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::pathChange)),
                            "ns3::RdmaHost::PathChangeTracedCallback")
            .AddTraceSource("PortChange",
                            "A queue pair sends and receives by another port from now on.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::portChange)),
                            "ns3::RdmaHost::PortChangeTracedCallback")
            .AddTraceSource("HeldBack",
                            "A new flow is held back because all paths are full.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::heldBack)),
                            "ns3::RdmaHost::HeldBackTracedCallback")
            .AddTraceSource("FeedbackRejected",
                            "Reflected telemetry, or a window computed at the receiver, was "
                            "ignored, and why. The acknowledgement itself is still processed.",
                            MakeTraceSourceAccessor(Trace(&RdmaHostTraces::feedbackRejected)),
                            "ns3::RdmaHost::FeedbackRejectedTracedCallback");
    return tid;
}

} // namespace ns3
