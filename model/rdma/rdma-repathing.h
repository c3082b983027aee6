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
 * The state of a queue pair's path at a host. Subclasses of RdmaRepathing may derive their own.
 */
struct RdmaPathState
{
    virtual ~RdmaPathState() = default;

    uint64_t roundEndPsn{0};     ///< the round ends when all packets before it are acknowledged
    uint32_t acked{0};           ///< packets acknowledged in this round
    uint32_t marked{0};          ///< of these, by ACKs that echo a congestion mark
    uint32_t congestedRounds{0}; ///< congested rounds in a row
    int64_t suspendedUntilNs{0}; ///< no change of path before
    uint32_t changes{0};         ///< changes of path so far
    uint64_t firstPsn{0};        ///< first packet on the present path
    bool unannounced{false};     ///< the policy does not know of the last change yet
    bool draining{false};        ///< nothing new is sent until nothing is in flight
    uint16_t nextPort{0};        ///< then it moves to this UDP source port
    uint32_t limitPackets{0};    ///< RdmaSendLimits::packets to restore then
};

/**
 * @ingroup hpcc
 *
 * Decides when a host moves a queue pair to another path, which it does by changing the UDP source
 * port that switches hash. One object per host holds the attributes; queue pairs have a plain
 * record. Data packets become ECN-capable and ACKs echo their marks, whatever the policy is; the
 * policy sees the echo only if its description requests it.
 *
 * To add one, write a file pair: derive, implement OnAck() and OnTimeout(), register a TypeId and
 * its short names with HpccTypeId::Presets(), and add NS_OBJECT_ENSURE_REGISTERED. --paths=NAME,
 * HpccFabricHelper::SetPaths() and RdmaHost::Repathing choose it.
 */
class RdmaRepathing : public Object
{
  public:
    /// An acknowledgement.
    struct Progress
    {
        int64_t nowNs;                          ///< local time, ns
        uint64_t unaPsn;                        ///< first packet not acknowledged
        uint64_t nxtPsn;                        ///< one more than the highest packet ever sent
        uint32_t packets;                       ///< packets acknowledged for the first time
        bool marked;                            ///< it echoes a congestion mark
        const RdmaAckInfo* ack{nullptr};        ///< its telemetry, if it has that of all hops
        uint16_t port{0};                       ///< UDP source port of the packet that it answers
        const RdmaQueuePair* qp{nullptr};       ///< the queue pair
        UniformRandomVariable* random{nullptr}; ///< the host's
        bool ownReported{true}; ///< the feedback of the queue pair returns the records of all hops;
                                ///< otherwise only path probes do
    };

    /// The decision on the path.
    struct Advice
    {
        bool move{false};      ///< packets that follow shall take another path
        uint16_t port{0};      ///< by this UDP source port; 0 leaves it to the host
        bool inOrder{false};   ///< not before what is in flight is acknowledged, if the recovery
                               ///< takes overtaken packets for lost ones
        bool elsewhere{false}; ///< the telemetry is of another path than the present one
        bool arrived{false};   ///< the telemetry is of the path that it moved to last
        std::vector<uint16_t> pathProbes{}; ///< UDP source ports of path probes to send
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Handles an acknowledgement.
     * @param state the queue pair's
     * @param progress its content
     * @return the decision
     */
    virtual Advice OnAck(RdmaPathState& state, const Progress& progress) = 0;

    /**
     * Handles a retransmission time-out.
     * @param state the queue pair's
     * @param nowNs local time, ns
     */
    virtual void OnTimeout(RdmaPathState& state, int64_t nowNs) = 0;

    /// @return the state of a queue pair
    virtual std::unique_ptr<RdmaPathState> MakeState() const;

    /// @return true if it sends path probes, whose ACKs then return the records of all hops
    /// whatever the feedback of the queue pair returns. By default false
    virtual bool SendsPathProbes() const;

    /**
     * Decides whether to hold back a flow that is about to begin, or has been held back.
     * @param destination IPv4 address of the other end
     * @param sinceNs since when it could have begun, ns
     * @param nowNs local time, ns
     * @return time until which to hold the flow back, as known now, ns; nowNs, the default, to
     * release it
     */
    virtual int64_t HoldUntilNs(uint32_t destination, int64_t sinceNs, int64_t nowNs) const;

    /**
     * Checks that it can work, before simulated time starts.
     * @param telemetry capabilities of the format of data packets; null without telemetry
     * @return an empty string, or one line that says what is missing
     */
    virtual std::string Validate(const TelemetryCapabilities* telemetry) const;
};

} // namespace ns3

#endif // RDMA_REPATHING_H
