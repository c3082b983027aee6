/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPATHING_H
#define RDMA_REPATHING_H

#include "ns3/object.h"
#include "ns3/rdma-congestion-ops.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

struct RdmaQueuePair;
class UniformRandomVariable;

/**
 * @ingroup hpcc
 *
 * The state of a queue pair's path at a host. Subclasses of RdmaRepathing may derive a state from
 * it.
 */
struct RdmaPathState
{
    virtual ~RdmaPathState() = default;

    uint64_t roundEndPsn{0};     ///< the round trip ends when all packets before this one are
                                 ///< acknowledged
    uint32_t acked{0};           ///< packets acknowledged in this round trip
    uint32_t marked{0};          ///< packets acknowledged in this round trip by ACKs that echo a
                                 ///< congestion mark
    uint32_t congestedRounds{0}; ///< number of consecutive congested round trips
    int64_t suspendedUntilNs{0}; ///< earliest time of the next change of path, ns
    uint32_t changes{0};         ///< number of changes of path
    uint64_t firstPsn{0};        ///< first packet on the present path
    bool unannounced{false};     ///< the policy has not yet been notified of the last change
    bool draining{false};        ///< no new packet is sent until nothing is in flight
    uint16_t nextPort{0};        ///< UDP source port of the next path; 0 lets the host choose
    uint32_t limitPackets{0};    ///< RdmaSendLimits::packets to restore after the move
};

/**
 * @ingroup hpcc
 *
 * Decides when a host moves a queue pair to another path, by a change of the UDP source port that
 * switches hash. One object per host holds the attributes; each queue pair has an RdmaPathState.
 * Data packets are ECN-capable and ACKs echo their marks, regardless of the policy; the policy gets
 * the echo only if its description requests it.
 *
 * To add a repathing, write a file pair: derive a class, implement OnAck() and OnTimeout(),
 * register a TypeId and its short names with HpccTypeId::Presets(), and add
 * NS_OBJECT_ENSURE_REGISTERED. --paths=NAME, HpccFabricHelper::SetPaths() and RdmaHost::Repathing
 * select it.
 */
class RdmaRepathing : public Object
{
  public:
    /// The content of an acknowledgement.
    struct Progress
    {
        int64_t nowNs;                          ///< local time, ns
        uint64_t unaPsn;                        ///< first packet not acknowledged
        uint64_t nxtPsn;                        ///< one more than the highest packet ever sent
        uint32_t packets;                       ///< packets acknowledged for the first time
        bool marked;                            ///< true if it echoes a congestion mark
        const RdmaAckInfo* ack{nullptr};        ///< its content, with telemetry if it returns the
                                                ///< records of all hops
        uint16_t port{0};                       ///< UDP source port of the packet that it answers
        const RdmaQueuePair* qp{nullptr};       ///< the queue pair
        UniformRandomVariable* random{nullptr}; ///< source of random numbers of the host
        bool ownReported{true}; ///< the feedback of the queue pair returns the records of all hops;
                                ///< otherwise only path probes do
    };

    /// The decision on the path.
    struct Advice
    {
        bool move{false};      ///< true if subsequent packets must take another path
        uint16_t port{0};      ///< UDP source port of that path; 0 lets the host choose
        bool inOrder{false};   ///< true to move only when nothing is in flight, if the recovery
                               ///< treats overtaken packets as lost
        bool elsewhere{false}; ///< the telemetry belongs to another path than the present one
        bool arrived{false};   ///< the telemetry belongs to the path of the last move
        std::vector<uint16_t> pathProbes{}; ///< UDP source ports of path probes to send
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Handles an acknowledgement.
     * @param state state of the queue pair
     * @param progress its content
     * @return the decision
     */
    virtual Advice OnAck(RdmaPathState& state, const Progress& progress) = 0;

    /**
     * Handles a retransmission time-out.
     * @param state state of the queue pair
     * @param nowNs local time, ns
     */
    virtual void OnTimeout(RdmaPathState& state, int64_t nowNs) = 0;

    /// @return the state of a queue pair
    virtual std::unique_ptr<RdmaPathState> MakeState() const;

    /// @return true if it sends path probes, whose ACKs return the records of all hops in every
    /// feedback mode; false by default
    virtual bool SendsPathProbes() const;

    /**
     * Decides whether to hold back a flow that is about to begin or is already held back.
     * @param destination IPv4 address of the other end
     * @param sinceNs time from which the flow could have sent, ns
     * @param nowNs local time, ns
     * @return time until which to hold the flow back, as far as known now, ns; nowNs, the default,
     * to release it
     */
    virtual int64_t HoldUntilNs(uint32_t destination, int64_t sinceNs, int64_t nowNs) const;

    /**
     * Checks whether it works with the telemetry, before simulated time starts.
     * @param telemetry capabilities of the format of data packets; null without telemetry
     * @return an empty string, or one line that says what is missing
     */
    virtual std::string Validate(const TelemetryCapabilities* telemetry) const;
};

} // namespace ns3

#endif // RDMA_REPATHING_H
