/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_H
#define RDMA_FEEDBACK_H

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-probes.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-commit-rule.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

class TelemetryFormat;

/**
 * @ingroup hpcc
 *
 * How telemetry travels between the ends of a queue pair (draft-miao-tsv-hpcc-01, sections 5 to 7):
 * which packets collect it on the way forward, which packets return it, and which end computes. One
 * object serves any number of queue pairs; it is not changed once traffic runs.
 *
 * Short names, for --feedback:
 *
 * - packet (the default): every data packet collects telemetry, every ACK returns it.
 * - packet:delayed-ack, packet:delayed-ack-8: as packet, with an ACK per 2 or 8 packets.
 * - packet:delayed-ack-urgent: as packet:delayed-ack-8, but the receiver acknowledges at once when
 *   the load that it measures reaches 0.95.
 * - packet:every-8th-ack: as packet, but one ACK in 8 returns telemetry.
 * - packet:worst-hop: as packet, with reports of one hop.
 * - packet:n: as packet, and the ACKs carry the number of flows that the receiver counts.
 * - every-8, random, per-rtt: one data packet in 8 collects, each with a probability of 1/8, or one
 *   per base RTT.
 * - notification: a packet of its own returns the telemetry of each data packet.
 * - probe: probes collect telemetry, one per round trip, and notifications return it.
 * - switch, switch:dscp: as packet, with responses by switches. switch:per-rtt: as per-rtt, with
 *   these.
 * - roce-reference: the drafts' implementation on RoCEv2, with probes and reports of one hop.
 *   roce-reference:strict: the same by the letter.
 * - receiver and its variants: see below.
 *
 * receiver (section 6.3.2, Rx-HPCC): the receiver runs the law on the telemetry of the data packets
 * that arrive, and sends the window to the sender once per commit, in a message of its own. ACKs
 * carry no telemetry; each data packet names the newest window that its sender had, see RoceEpoch.
 * receiver:literal commits by time alone, receiver:rate sends the rate in place of the window,
 * receiver:n counts flows, receiver:switch has responses by switches.
 */
class RdmaFeedback : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Which packets of a queue pair collect telemetry.
    enum Forward
    {
        EVERY_PACKET, ///< all data packets
        INTERVAL,     ///< the first one, then every Interval-th
        RANDOM,       ///< each with a Probability of its own
        ROUND,        ///< the first one that leaves once Round has passed
        PROBE,        ///< none: probe packets do, see HpccProbes
    };

    /// How telemetry returns. A probe is answered by a notification in any case.
    enum Reverse
    {
        IN_ACK,       ///< the ACKs of the packets that collected it
        NOTIFICATION, ///< a notification at once for each of them. ACKs go their own ways
    };

    /// The part of a packet's records that is returned.
    enum Report
    {
        ALL_HOPS,            ///< all records, as received
        BOTTLENECK_HOP,      ///< that of the hop with the largest u', see RdmaBottleneckPicker
        BOTTLENECK_HOP_BARE, ///< of that the draft's three values, see HpccWorstHop
    };

    /// How packets subscribe to responses by switches.
    enum Subscribe
    {
        NOT_SUBSCRIBED, ///< they do not
        BY_FLAG,        ///< those that collect, by TELEMETRY_SUBSCRIBED
        BY_DSCP,        ///< all, by SubscribedDscp
    };

    /// Which end runs the law.
    enum Compute
    {
        SENDER,   ///< telemetry returns to it
        RECEIVER, ///< what it computes returns
    };

    /// The message of a receiver that computes.
    enum Message
    {
        WINDOW, ///< W
        RATE,   ///< R = W/T
    };

    /// A queue pair's state for a feedback other than the default.
    struct State
    {
        const RdmaFeedback* how{nullptr};   ///< the choice
        uint32_t untilSample{0};            ///< data packets to pass before one collects
        int64_t roundNs{0};                 ///< Round in force, ns
        int64_t nextRoundNs{0};             ///< when the next round begins, ns
        std::unique_ptr<HpccProbes> probes; ///< with PROBE
        uint64_t message{0}; ///< number of the newest message of a receiver that computes

        /// @return what data packets say of it, see RoceEpoch
        uint8_t GetEpoch() const
        {
            return static_cast<uint8_t>(message & RoceEpoch::MASK) << RoceEpoch::SHIFT;
        }
    };

    /**
     * Checks the attributes against each other, before simulated time starts.
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    std::string Validate() const;

    /**
     * Checks against what runs over it, before simulated time starts.
     * @param policy the policy of the queue pair
     * @param telemetry what its format carries
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    std::string ValidateFor(RdmaCongestionOps& policy,
                            const TelemetryCapabilities& telemetry,
                            int64_t networkBaseRttNs) const;

    /**
     * Checks whether a host can choose paths by path probes beside it, before simulated time
     * starts.
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    std::string ValidateForPathProbes() const;

    /// @return true if every packet collects and its ACK returns what it has: nothing is to be
    /// remembered
    bool IsPerPacket() const
    {
        return m_forward == EVERY_PACKET && !IsNotified() && m_report == ALL_HOPS &&
               m_ackInterval == 0 && m_returnInterval == 1 && !m_largestQueue &&
               m_urgentLoad == 0 && m_subscribe == NOT_SUBSCRIBED && m_compute == SENDER &&
               !m_countFlows;
    }

    /// @return true if the receiver runs the law
    bool ComputesAtReceiver() const
    {
        return m_compute == RECEIVER;
    }

    /// @return when a receiver that computes may commit
    RdmaCommitRule::Kind GetCommitRule() const
    {
        return m_commitRule;
    }

    /// @return true if a receiver that computes sends the rate, not the window
    bool SendsRate() const
    {
        return m_message == RATE;
    }

    /// @return true if the receiver counts the flows on its last hop and uses or reports their
    /// number
    bool CountsFlows() const
    {
        return m_countFlows;
    }

    /**
     * @param networkBaseRttNs T of the network, ns
     * @return CountWindow in force, ns
     */
    int64_t GetCountWindowNs(int64_t networkBaseRttNs) const
    {
        return m_countWindow.IsZero() ? networkBaseRttNs : m_countWindow.GetNanoSeconds();
    }

    /// @return short name of the SwitchAgent that every switch must run; empty if none
    std::string GetPortAgent() const;

    /// @return how packets subscribe to responses by switches
    Subscribe GetSubscribe() const
    {
        return m_subscribe;
    }

    /// @return DSCP of data packets with BY_DSCP
    uint8_t GetSubscribedDscp() const
    {
        return m_subscribedDscp;
    }

    /**
     * @param format telemetry that it shall serve
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    std::string CheckFormat(const TelemetryFormat& format) const;

    /// @return true if a packet that collects asks for its ACK at once
    bool SampleAsksForAck() const
    {
        return m_forward != EVERY_PACKET && !IsNotified() && m_sampleAsksForAck;
    }

    /// @return packets per ACK; 0 leaves it to the host
    uint32_t GetAckInterval() const
    {
        return m_ackInterval;
    }

    /// @return ACKs for each one that returns telemetry
    uint32_t GetReturnInterval() const
    {
        return m_returnInterval;
    }

    /// @return true if an ACK returns the largest queue of each hop since the last one
    bool ReturnsLargestQueue() const
    {
        return m_largestQueue;
    }

    /// @return u' at the receiver at which it sends an ACK at once; 0 never
    double GetUrgentLoad() const
    {
        return m_urgentLoad;
    }

    /// @return ReflectionFlag of what is returned; 0 for all records
    uint8_t GetReportFlag() const
    {
        return m_report == BOTTLENECK_HOP        ? REFLECTION_WORST_HOP
               : m_report == BOTTLENECK_HOP_BARE ? REFLECTION_BARE_HOP
                                                 : 0;
    }

    /// @return true if one hop is reported, not all
    bool ReportsBottleneckHop() const
    {
        return m_report != ALL_HOPS;
    }

    /// @return true if what is reported of that hop does not say which it is
    bool ReportsBareHop() const
    {
        return m_report == BOTTLENECK_HOP_BARE;
    }

    /// @return true if probes collect telemetry
    bool SendsProbes() const
    {
        return m_forward == PROBE;
    }

    /// @return true if notifications return telemetry
    bool IsNotified() const
    {
        return m_forward == PROBE || m_reverse == NOTIFICATION;
    }

    /// @return true if the sender gets the records of all hops
    bool ReturnsAllHops() const
    {
        return !ComputesAtReceiver() && !ReportsBottleneckHop();
    }

    /// @return true if it gets them in ACKs
    bool AcksReturnAllHops() const
    {
        return ReturnsAllHops() && !IsNotified();
    }

    /**
     * @param packetsPerRtt data packets that a sender can send in a base RTT
     * @return true if the records of a sender may be a base RTT apart
     */
    bool IsSparse(double packetsPerRtt) const
    {
        return m_returnInterval > 1 ||
               (m_forward == INTERVAL ? m_interval > packetsPerRtt : m_forward != EVERY_PACKET);
    }

    /// @return true if the telemetry of every packet, or of every few packets, comes back: more
    /// often than once per base RTT
    bool IsPrompt() const
    {
        return m_returnInterval == 1 && (m_forward == EVERY_PACKET || m_forward == INTERVAL);
    }

    /**
     * @param hostAckInterval packets per ACK if AckInterval leaves it to the host
     * @return packets that collect for each whose telemetry comes to where the law runs, apart from
     * ACKs that packets ask for; 0 if that of all packets does
     */
    uint32_t PacketsPerRecord(uint32_t hostAckInterval) const;

    /**
     * Initialises the state of a queue pair.
     * @param state its state
     * @param networkBaseRttNs T of the network, ns, for Round 0
     */
    void Open(State& state, int64_t networkBaseRttNs) const;

    /**
     * @param state of the queue pair
     * @param nowNs a data packet leaves now
     * @param random of the host, for RANDOM
     * @return true if it collects telemetry
     */
    bool Samples(State& state, int64_t nowNs, UniformRandomVariable& random) const;

  private:
    Forward m_forward;                 ///< attribute
    Reverse m_reverse;                 ///< attribute
    Report m_report;                   ///< attribute
    uint32_t m_interval;               ///< attribute
    double m_probability;              ///< attribute
    Time m_round;                      ///< attribute
    bool m_sampleAsksForAck;           ///< attribute
    uint32_t m_ackInterval;            ///< attribute
    uint32_t m_returnInterval;         ///< attribute
    bool m_largestQueue;               ///< attribute
    double m_urgentLoad;               ///< attribute
    Subscribe m_subscribe;             ///< attribute
    uint8_t m_subscribedDscp;          ///< attribute
    Compute m_compute;                 ///< attribute
    RdmaCommitRule::Kind m_commitRule; ///< attribute
    Message m_message;                 ///< attribute
    bool m_countFlows;                 ///< attribute
    Time m_countWindow;                ///< attribute
};

} // namespace ns3

#endif // RDMA_FEEDBACK_H
