/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_H
#define RDMA_FEEDBACK_H

#include "rdma-probes.h"

#include "ns3/hpcc-reflection-header.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

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
 * which packets collect it on the way forward, what brings it back, and which end computes. One
 * object serves any number of queue pairs; it is not changed once traffic runs.
 *
 * Short names, for --feedback: packet (the default), every-8, random, per-rtt; packet with fewer
 * ACKs, packet:delayed-ack and packet:delayed-ack-urgent; packet with telemetry in fewer ACKs,
 * packet:every-8th-ack; probe; notification; the drafts' implementation on RoCEv2, probes and
 * reports of one hop, roce-reference, by the letter roce-reference:strict; such reports of all
 * packets, packet:worst-hop. Those of other ways are fixed as receiver and switch, variants of them
 * as NAME:VARIANT.
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
        PROBE,        ///< none: probe packets do, see RdmaProbes
    };

    /// What brings telemetry back. A probe is answered by a notification in any case.
    enum Reverse
    {
        IN_ACK,       ///< the ACKs of the packets that collected it
        NOTIFICATION, ///< a notification at once for each of them. ACKs go their own ways
    };

    /// What is returned of what a packet has collected.
    enum Report
    {
        ALL_HOPS,       ///< all records, as received
        WORST_HOP,      ///< that of the hop with the largest u', see RdmaWorstHopPicker
        WORST_HOP_BARE, ///< of that the draft's three values, see HpccWorstHop
    };

    /// What a queue pair remembers of its own choice, apart from the default.
    struct State
    {
        const RdmaFeedback* how{nullptr}; ///< the choice
        uint32_t untilSample{0};          ///< data packets to pass before one collects
        int64_t roundNs{0};               ///< Round in force, ns
        int64_t nextRoundNs{0};           ///< when the next round begins, ns
        bool sparse{false};               ///< samples may be a base RTT apart from the first one on
        std::unique_ptr<RdmaProbes> probes; ///< with PROBE
    };

    /**
     * Check the attributes against each other, before simulated time starts.
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    std::string Validate() const;

    /// @return true if every packet collects and its ACK returns what it has: nothing is to be
    /// remembered
    bool IsPerPacket() const
    {
        return m_forward == EVERY_PACKET && m_reverse == IN_ACK && m_report == ALL_HOPS &&
               m_ackInterval == 0 && m_returnInterval == 1 && !m_largestQueue && m_urgentLoad == 0;
    }

    /**
     * @param format telemetry that it shall serve
     * @return an empty string, or one line that names attribute, value and what is allowed
     */
    std::string CheckFormat(const TelemetryFormat& format) const;

    /// @return true if a packet that collects asks for its ACK at once
    bool SampleAsksForAck() const
    {
        return m_forward != EVERY_PACKET && m_sampleAsksForAck;
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
        return m_report == WORST_HOP        ? REFLECTION_WORST_HOP
               : m_report == WORST_HOP_BARE ? REFLECTION_BARE_HOP
                                            : 0;
    }

    /// @return true if one hop is reported, not all
    bool ReportsWorstHop() const
    {
        return m_report != ALL_HOPS;
    }

    /// @return true if what is reported of that hop does not say which it is
    bool ReportsBareHop() const
    {
        return m_report == WORST_HOP_BARE;
    }

    /// @return true if probes collect telemetry
    bool SendsProbes() const
    {
        return m_forward == PROBE;
    }

    /// @return true if notifications bring telemetry back
    bool IsNotified() const
    {
        return m_forward == PROBE || m_reverse == NOTIFICATION;
    }

    /**
     * Begin a queue pair.
     * @param state its state
     * @param networkBaseRttNs T of the network, ns, for Round 0
     * @param packetsPerRtt packets that it can send in T
     */
    void Open(State& state, int64_t networkBaseRttNs, double packetsPerRtt) const;

    /**
     * @param state of the queue pair
     * @param nowNs a data packet leaves now
     * @param random of the host, for RANDOM
     * @return true if it collects telemetry
     */
    bool Samples(State& state, int64_t nowNs, UniformRandomVariable& random) const;

  private:
    Forward m_forward;         ///< attribute
    Reverse m_reverse;         ///< attribute
    Report m_report;           ///< attribute
    uint32_t m_interval;       ///< attribute
    double m_probability;      ///< attribute
    Time m_round;              ///< attribute
    bool m_sampleAsksForAck;   ///< attribute
    uint32_t m_ackInterval;    ///< attribute
    uint32_t m_returnInterval; ///< attribute
    bool m_largestQueue;       ///< attribute
    double m_urgentLoad;       ///< attribute
};

} // namespace ns3

#endif // RDMA_FEEDBACK_H
