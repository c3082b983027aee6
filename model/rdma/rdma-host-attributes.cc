/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host.h"
#include "rdma-nic.h"

#include "ns3/hpcc-type-id.h"

// The attributes and trace sources of RdmaHost.

namespace ns3
{

TypeId
RdmaHost::GetTypeId()
{
    using S = RdmaHostSettings;
    using T = RdmaHostTraces;
    static TypeId tid =
        HpccTypeId::Of<RdmaHost, Object>("ns3::RdmaHost")
            .Attribute("Mtu",
                       "Largest payload of a packet, bytes.",
                       HpccField(Setting(&S::mtu), 1000, 64, 9000))
            .Attribute("DataDscp",
                       "DSCP of data packets.",
                       HpccField(Setting(&S::dataDscp), 26, 0, 63))
            .Attribute("AckDscp",
                       "DSCP of ACKs and NAKs, which decides on their priority.",
                       HpccField(Setting(&S::ackDscp), 26, 0, 63))
            .Attribute("CnpDscp",
                       "DSCP of CNPs, which decides on their priority.",
                       HpccField(Setting(&S::cnpDscp), 48, 0, 63))
            .Attribute("ProbeDscp",
                       "DSCP of probes. It must have the priority of DataDscp, so that probes "
                       "wait in the queues of data.",
                       HpccField(Setting(&S::probeDscp), 25, 0, 63))
            .Attribute("ProbeSpacing",
                       "Shortest time between two probes of this host, whatever its queue "
                       "pairs; 0 for no limit.",
                       HpccField(Setting(&S::probeSpacing), NanoSeconds(0), NanoSeconds(0)))
            .Attribute("Ttl", "TTL of packets.", HpccField(Setting(&S::ttl), 64, 1))
            .Attribute("Ipv6",
                       "Send everything in IPv6. Off: only what a telemetry format needs.",
                       HpccField(Setting(&S::ipv6), false))
            .Attribute("FeedbackKey",
                       "Secret that both hosts share to authenticate reflected telemetry. "
                       "Empty: it is not authenticated.",
                       HpccField(Setting(&S::feedbackKey), ""))
            .Attribute("DishonestFrom",
                       "From this time on the host reports idle paths to those that send to "
                       "it, which an authenticator does not prevent.",
                       HpccField(Setting(&S::dishonestFrom), Time::Max()))
            .Attribute("AckInterval",
                       "Packets per ACK. A packet that asks for it, such as the last of a "
                       "message or the one that closes the window, is acknowledged at once.",
                       HpccField(Setting(&S::ackInterval), 1, 1))
            .Attribute("AckDelay",
                       "Longest time that an ACK waits for AckInterval packets.",
                       HpccField(Setting(&S::ackDelay), MicroSeconds(10), NanoSeconds(1)))
            .Attribute("Recovery",
                       "Short name of the loss recovery of queue pairs that this host connects.",
                       HpccField(Setting(&S::recovery), "go-back-n"))
            .Attribute("RetransmitTimeout",
                       "Time without progress after which packets in flight are retransmitted, "
                       "unless the recovery has a time-out of its own.",
                       HpccField(Setting(&S::retransmitTimeout), MilliSeconds(4), NanoSeconds(1)))
            .Attribute("NakInterval",
                       "Time after which a NAK for the same packet may be repeated.",
                       HpccField(Setting(&S::nakInterval), MicroSeconds(500), NanoSeconds(1)))
            .Attribute(
                "CnpInterval",
                "Shortest time between two CNPs of a queue pair; 0 takes what the policy asks for.",
                HpccField(Setting(&S::cnpInterval), NanoSeconds(0), NanoSeconds(0)))
            .Attribute("CongestionEcho",
                       "How marks are reported: Cnp or Ack.",
                       HpccField(Setting(&S::congestionEcho),
                                 S::ECHO_CNP,
                                 S::ECHO_CNP,
                                 "Cnp",
                                 S::ECHO_ACK,
                                 "Ack"))
            .Attribute("RetimePending",
                       "Recompute the time of the next packet when the rate changes; off: the "
                       "new rate applies only from the packet after that on.",
                       HpccField(Setting(&S::retimePending), true))
            .Attribute("PaceByRate",
                       "Whether packets are paced by the policy's rate; off: by the line rate, "
                       "so that only the window bounds the sender.",
                       HpccField(Setting(&S::paceByRate), true))
            .Attribute(
                "Repathing",
                "Decides when queue pairs that this host connects change their path, by their "
                "UDP source port. Null: never.",
                HpccField(Setting(&S::repathing), nullptr))
            .Attribute("Entropy",
                       "Chooses the entropy of each packet of the queue pairs with SACKs that "
                       "this host connects. Null: all packets of a queue pair have the same.",
                       HpccField(Setting(&S::entropy), nullptr))
            .Attribute("Nic",
                       "Processing delays of the host; before Install(). Null: none.",
                       HpccProperty(&RdmaHost::SetNic, &RdmaHost::GetNic, nullptr))
            .Attribute(
                "WireProfile",
                "Header sizes: Roce, Authors for the HPCC authors' simulator, or Uec for Ultra "
                "Ethernet's reference simulator.",
                HpccField(Setting(&S::wireProfile),
                          S::ROCE,
                          S::ROCE,
                          "Roce",
                          S::AUTHORS,
                          "Authors",
                          S::UEC,
                          "Uec"))
            .Attribute("AuthorsHeaderBytes",
                       "Bytes before the payload of a data packet of the profile Authors, "
                       "without telemetry; 56 where that simulator carries a timestamp.",
                       HpccField(Setting(&S::authorsHeaderBytes), 48, 48, 256))
            .Trace("MessageAcknowledged",
                   "The last byte of a message posted here is acknowledged.",
                   Trace(&T::messageAcknowledged),
                   "ns3::RdmaHost::MessageTracedCallback")
            .Trace("MessageDelivered",
                   "The last byte of a message for this host has arrived.",
                   Trace(&T::messageDelivered),
                   "ns3::RdmaHost::MessageTracedCallback")
            .Trace("Acknowledged",
                   "An acknowledgement has been processed.",
                   Trace(&T::acknowledged),
                   "ns3::RdmaHost::AcknowledgedTracedCallback")
            .Trace("Received",
                   "Payload has arrived in order.",
                   Trace(&T::received),
                   "ns3::RdmaHost::ReceivedTracedCallback")
            .Trace("OutOfOrder",
                   "A data packet has arrived before another one; the recovery keeps or drops it.",
                   Trace(&T::outOfOrder),
                   "ns3::RdmaHost::OutOfOrderTracedCallback")
            .Trace("PathChange",
                   "A queue pair takes another path from now on.",
                   Trace(&T::pathChange),
                   "ns3::RdmaHost::PathChangeTracedCallback")
            .Trace("PortChange",
                   "A queue pair sends and receives by another port from now on.",
                   Trace(&T::portChange),
                   "ns3::RdmaHost::PortChangeTracedCallback")
            .Trace("HeldBack",
                   "A new flow is held back because all paths are full.",
                   Trace(&T::heldBack),
                   "ns3::RdmaHost::HeldBackTracedCallback")
            .Trace("FeedbackRejected",
                   "Reflected telemetry, or a window computed at the receiver, was "
                   "ignored, and why. The acknowledgement itself is still processed.",
                   Trace(&T::feedbackRejected),
                   "ns3::RdmaHost::FeedbackRejectedTracedCallback");
    return tid;
}

} // namespace ns3
