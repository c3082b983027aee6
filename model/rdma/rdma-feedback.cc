/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-feedback.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/hpcc-compat.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/hpcc-worst-hop.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFeedback);

TypeId
RdmaFeedback::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(TypeId("ns3::RdmaFeedback")
                           .SetParent<Object>()
                           .SetGroupName("Hpcc")
                           .AddConstructor<RdmaFeedback>(),
                       "packet;every-8=Forward:Interval;random=Forward:Random;"
                       "per-rtt=Forward:Round;packet:delayed-ack=AckInterval:2;"
                       "packet:delayed-ack-8=AckInterval:8;"
                       "packet:every-8th-ack=ReturnInterval:8;probe=Forward:Probe;"
                       "notification=Reverse:Notification;switch=Subscribe:Flag;"
                       "switch:dscp=Subscribe:Dscp;switch:per-rtt=Forward:Round,Subscribe:Dscp;"
                       "packet:n=CountFlows:true;receiver=Compute:Receiver;"
                       "receiver:literal=Compute:Receiver,CommitRule:Time;"
                       "receiver:rate=Compute:Receiver,Message:Rate;"
                       "receiver:n=Compute:Receiver,CountFlows:true;"
                       "receiver:switch=Compute:Receiver,Subscribe:Flag;"
                       "roce-reference=Forward:Probe,Report:WorstHop;"
                       "roce-reference:strict=Forward:Probe,Report:WorstHopBare;"
                       "packet:worst-hop=Report:WorstHop;"
                       "packet:delayed-ack-urgent=AckInterval:8,UrgentLoad:0.95")
            .AddAttribute("Forward",
                          "Which data packets collect telemetry: Packet (all), Interval, Random, "
                          "or Round; or Probe: none, but a probe per round trip.",
                          EnumValue(EVERY_PACKET),
                          MakeHpccEnumAccessor<Forward>(&RdmaFeedback::m_forward),
                          MakeEnumChecker(EVERY_PACKET,
                                          "Packet",
                                          INTERVAL,
                                          "Interval",
                                          RANDOM,
                                          "Random",
                                          ROUND,
                                          "Round",
                                          PROBE,
                                          "Probe"))
            .AddAttribute("Reverse",
                          "What brings telemetry back: Ack, or Notification: a packet of its own "
                          "for each packet that collected. Probes have notifications always.",
                          EnumValue(IN_ACK),
                          MakeHpccEnumAccessor<Reverse>(&RdmaFeedback::m_reverse),
                          MakeEnumChecker(IN_ACK, "Ack", NOTIFICATION, "Notification"))
            .AddAttribute("Report",
                          "What is returned of what a packet has collected: AllHops, WorstHop, "
                          "or WorstHopBare: its queue, time and sent bytes, but not which it is.",
                          EnumValue(ALL_HOPS),
                          MakeHpccEnumAccessor<Report>(&RdmaFeedback::m_report),
                          MakeEnumChecker(ALL_HOPS,
                                          "AllHops",
                                          BOTTLENECK_HOP,
                                          "WorstHop",
                                          BOTTLENECK_HOP_BARE,
                                          "WorstHopBare"))
            .AddAttribute("Interval",
                          "One data packet in so many collects telemetry, with Forward Interval.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&RdmaFeedback::m_interval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Probability",
                          "Share of data packets that collect telemetry, with Forward Random.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&RdmaFeedback::m_probability),
                          MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
            .AddAttribute("Round",
                          "Time between two data packets that collect telemetry, with Forward "
                          "Round; 0 for the network's base RTT.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaFeedback::m_round),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SampleAsksForAck",
                          "Whether a packet that collects asks for its ACK at once, unless all "
                          "packets collect. Off: its telemetry waits for the next ACK, whose "
                          "number may be that of a later packet.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaFeedback::m_sampleAsksForAck),
                          MakeBooleanChecker())
            .AddAttribute("AckInterval",
                          "Packets per ACK, apart from those that ask for one and the first one "
                          "with telemetry; 0 leaves it to "
                          "ns3::RdmaHost::AckInterval.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaFeedback::m_ackInterval),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ReturnInterval",
                          "One ACK in so many returns telemetry, the first one to begin with, or "
                          "the next one if there is none.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaFeedback::m_returnInterval),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("LargestQueue",
                          "Whether the queue of each hop in an ACK is the largest since the last "
                          "one that returned telemetry. Off: the newest.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaFeedback::m_largestQueue),
                          MakeBooleanChecker())
            .AddAttribute("UrgentLoad",
                          "u' of the receiver's own measurement that makes it acknowledge at once "
                          "when it is reached from below; 0: it does not measure.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RdmaFeedback::m_urgentLoad),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Subscribe",
                          "How data packets subscribe to responses by switches: None; Flag, those "
                          "that collect telemetry, in formats that have such a flag; Dscp, all.",
                          EnumValue(NOT_SUBSCRIBED),
                          MakeHpccEnumAccessor<Subscribe>(&RdmaFeedback::m_subscribe),
                          MakeEnumChecker(NOT_SUBSCRIBED, "None", BY_FLAG, "Flag", BY_DSCP, "Dscp"))
            .AddAttribute("SubscribedDscp",
                          "DSCP of data packets with Subscribe Dscp, of the same priority at every "
                          "port as ns3::RdmaHost::DataDscp; HpccFabricHelper tells the switches.",
                          UintegerValue(24),
                          MakeUintegerAccessor(&RdmaFeedback::m_subscribedDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("Compute",
                          "Which end runs the law: Sender, or Receiver, which then sends what it "
                          "has computed.",
                          EnumValue(SENDER),
                          MakeHpccEnumAccessor<Compute>(&RdmaFeedback::m_compute),
                          MakeEnumChecker(SENDER, "Sender", RECEIVER, "Receiver"))
            .AddAttribute(
                "CommitRule",
                "When a receiver that computes commits, once T has passed: Epoch, only for a "
                "packet that left under the last window it sent; Time, at once, as line 29 of the "
                "draft has it.",
                EnumValue(RdmaCommitRule::EPOCH),
                MakeHpccEnumAccessor<RdmaCommitRule::Kind>(&RdmaFeedback::m_commitRule),
                MakeEnumChecker(RdmaCommitRule::EPOCH, "Epoch", RdmaCommitRule::TIME, "Time"))
            .AddAttribute("Message",
                          "What a receiver that computes sends: Window or Rate.",
                          EnumValue(WINDOW),
                          MakeHpccEnumAccessor<Message>(&RdmaFeedback::m_message),
                          MakeEnumChecker(WINDOW, "Window", RATE, "Rate"))
            .AddAttribute("CountFlows",
                          "Whether the receiver counts the flows that share its class of its link, "
                          "for the rule of W_ai.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaFeedback::m_countFlows),
                          MakeBooleanChecker())
            .AddAttribute("CountWindow",
                          "A flow counts for so long after a packet, with CountFlows; 0 for the "
                          "network's base RTT. The longest of those at a host is taken.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaFeedback::m_countWindow),
                          MakeTimeChecker(Time(0)));
    return tid;
}

std::string
RdmaFeedback::Validate() const
{
    return "";
}

std::string
RdmaFeedback::GetPortAgent() const
{
    if (m_subscribe == NOT_SUBSCRIBED)
    {
        return "";
    }
    return ComputesAtReceiver() ? "switch-response:receiver" : "switch-response";
}

std::string
RdmaFeedback::CheckFormat(const TelemetryFormat& format) const
{
    if (m_largestQueue && !format.MergesQueues())
    {
        return "ns3::RdmaFeedback::LargestQueue is true, but records of " +
               format.GetInstanceTypeId().GetName() + " cannot be merged; false is allowed";
    }
    if (ReportsBottleneckHop() && !HpccWorstHop::CanReport(format.GetCapabilities()))
    {
        return "ns3::RdmaFeedback::Report is WorstHop, but " +
               format.GetInstanceTypeId().GetName() +
               " has no queue length and sent bytes, or utilisation, of each hop; AllHops is "
               "allowed";
    }
    if (m_subscribe == BY_FLAG && !format.CarriesSubscription())
    {
        return "ns3::RdmaFeedback::Subscribe is Flag, but " + format.GetInstanceTypeId().GetName() +
               " has no flag for it; Dscp is allowed";
    }
    if (m_subscribe == BY_DSCP && format.GetMarking().dscp >= 0)
    {
        return "ns3::RdmaFeedback::Subscribe is Dscp, but a DSCP marks " +
               format.GetInstanceTypeId().GetName() + "; Flag is allowed";
    }
    return "";
}

std::string
RdmaFeedback::ValidateFor(RdmaCongestionOps& policy,
                          const TelemetryCapabilities& telemetry,
                          int64_t networkBaseRttNs) const
{
    if (ComputesAtReceiver())
    {
        // Telemetry that arrives ends there: nothing is returned.
        const char* returned = m_forward == PROBE                ? "Forward Probe"
                               : m_reverse == NOTIFICATION       ? "Reverse Notification"
                               : m_report == BOTTLENECK_HOP      ? "Report WorstHop"
                               : m_report == BOTTLENECK_HOP_BARE ? "Report WorstHopBare"
                               : m_returnInterval != 1           ? "ReturnInterval above 1"
                               : m_largestQueue                  ? "LargestQueue"
                               : m_urgentLoad > 0                ? "UrgentLoad above 0"
                                                                 : nullptr;
        if (returned)
        {
            return std::string("ns3::RdmaFeedback::") + returned +
                   " is not allowed with Compute Receiver, which returns no telemetry";
        }
        if (const std::string why = policy.ValidateReceiver(); !why.empty())
        {
            return "ns3::RdmaFeedback::Compute is Receiver: " + why;
        }
    }
    if (m_countFlows && telemetry.pathExtreme)
    {
        return "ns3::RdmaFeedback::CountFlows is true, allowed is false with a telemetry format "
               "that does not tell the last hop from others";
    }
    if (m_countFlows && GetCountWindowNs(networkBaseRttNs) == 0)
    {
        return "ns3::RdmaFeedback::CountWindow is 0 and the base RTT of the network is unknown; "
               "allowed is above 0";
    }
    return "";
}

uint32_t
RdmaFeedback::PacketsPerRecord(uint32_t hostAckInterval) const
{
    const bool all = m_forward == EVERY_PACKET;
    if (IsNotified() || ComputesAtReceiver())
    {
        return all ? 0 : 1;
    }
    const uint32_t perAck = m_ackInterval > 0 ? m_ackInterval : hostAckInterval;
    const uint32_t packets = (SampleAsksForAck() ? 1 : perAck) * m_returnInterval;
    return all && packets == 1 ? 0 : packets;
}

std::string
RdmaFeedback::ValidateForPathProbes() const
{
    if (m_forward == RANDOM)
    {
        return "ns3::RdmaFeedback::Forward is Random, under which flows use up their moves "
               "on chance; allowed are Packet, Interval, Round and Probe";
    }
    if (ComputesAtReceiver() && m_commitRule == RdmaCommitRule::TIME)
    {
        return "ns3::RdmaFeedback::CommitRule is Time, with which a flow does not find its share "
               "of a new path; allowed is Epoch";
    }
    return "";
}

void
RdmaFeedback::Open(State& state, int64_t networkBaseRttNs) const
{
    state.how = this;
    state.roundNs = m_round.IsZero() ? networkBaseRttNs : m_round.GetNanoSeconds();
    if (m_forward == PROBE)
    {
        state.probes = std::make_unique<HpccProbes>();
        state.probes->Open(networkBaseRttNs);
    }
}

bool
RdmaFeedback::Samples(State& state, int64_t nowNs, UniformRandomVariable& random) const
{
    switch (m_forward)
    {
    case INTERVAL:
        if (state.untilSample > 0)
        {
            --state.untilSample;
            return false;
        }
        state.untilSample = m_interval - 1;
        return true;
    case RANDOM:
        return random.GetValue() < m_probability;
    case ROUND:
        if (nowNs < state.nextRoundNs)
        {
            return false;
        }
        state.nextRoundNs = nowNs + state.roundNs;
        return true;
    default:
        return true;
    }
}

} // namespace ns3
