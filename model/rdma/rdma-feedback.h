/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FEEDBACK_H
#define RDMA_FEEDBACK_H

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * How telemetry travels between the ends of a queue pair (draft-miao-tsv-hpcc-01, sections 5 to 7):
 * which packets collect it on the way forward, what brings it back, and which end computes. One
 * object serves any number of queue pairs; it is not changed once traffic runs.
 *
 * Short names, for --feedback: packet (the default), every-8, random, per-rtt. Those of other ways
 * are fixed as probe, notification, roce-reference, receiver and switch, variants of them as
 * NAME:VARIANT.
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
    };

    /// What a queue pair remembers of its own choice, apart from the default.
    struct State
    {
        const RdmaFeedback* how{nullptr}; ///< the choice
        uint32_t untilSample{0};          ///< data packets to pass before one collects
        int64_t roundNs{0};               ///< Round in force, ns
        int64_t nextRoundNs{0};           ///< when the next round begins, ns
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
        return m_forward == EVERY_PACKET;
    }

    /// @return true if records come at most once in a base RTT
    bool IsPerRound() const
    {
        return m_forward == ROUND;
    }

    /**
     * Begin a queue pair.
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
    Forward m_forward;    ///< attribute
    uint32_t m_interval;  ///< attribute
    double m_probability; ///< attribute
    Time m_round;         ///< attribute
};

} // namespace ns3

#endif // RDMA_FEEDBACK_H
