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
 * The path state of a queue pair at a host. Subclasses of RdmaRepathing may derive their state from
 * this class.
 */
struct RdmaPathState
{
    virtual ~RdmaPathState() = default;

    uint64_t roundEndPsn{0};     ///< this round trip ends when all packets before roundEndPsn are
                                 ///< acknowledged
    uint32_t acked{0};           ///< number of packets acknowledged in this round trip
    uint32_t marked{0};          ///< number of packets acknowledged in this round trip by ACKs that
                                 ///< echo a congestion mark
    uint32_t congestedRounds{0}; ///< number of consecutive congested round trips
    int64_t suspendedUntilNs{0}; ///< earliest time of the next path change, ns
    uint32_t changes{0};         ///< number of path changes so far
    uint64_t firstPsn{0};        ///< first packet on the present path
    bool unannounced{false};     ///< the policy has not yet been notified of the last change
    bool draining{false};        ///< the queue pair moves when no packet is in flight; no new
                                 ///< packet is sent until then
    uint16_t nextPort{0};        ///< UDP source port of the next path; 0 for a port that the host
                                 ///< chooses
    uint32_t limitPackets{0};    ///< value that RdmaSendLimits::packets gets back after the move;
                                 ///< while draining is true, that limit is 0, so that no new packet
                                 ///< is sent
};

/**
 * @ingroup hpcc
 *
 * Decides when a host moves a queue pair to another path. To move a queue pair, the host changes
 * the UDP source port, which is an input of the hash by which switches choose paths. A host has one
 * RdmaRepathing object, which stores the attributes; each queue pair has an RdmaPathState. If a
 * host has an RdmaRepathing object, all data packets are ECN-capable, and ACKs echo their marks,
 * whatever the policy is. The policy is notified of the echo only if its RdmaPolicyDescription
 * requests ECN.
 *
 * To add a repathing scheme, write a file pair (.h and .cc): derive a class, implement OnAck() and
 * OnTimeout(), register a TypeId and its short names with HpccTypeId::Presets(), and add
 * NS_OBJECT_ENSURE_REGISTERED. The option --paths=NAME, HpccFabricHelper::SetPaths() and
 * RdmaHost::Repathing select the new class.
 */
class RdmaRepathing : public Object
{
  public:
    /// The content of an acknowledgement.
    struct Progress
    {
        int64_t nowNs;                    ///< local time, ns
        uint64_t unaPsn;                  ///< first packet not acknowledged
        uint64_t nxtPsn;                  ///< one more than the highest number of a packet sent so
                                          ///< far
        uint32_t packets;                 ///< number of packets acknowledged for the first time
        bool marked;                      ///< true if the acknowledgement echoes a congestion
                                          ///< mark
        const RdmaAckInfo* ack{nullptr};  ///< content of the acknowledgement, with telemetry
                                          ///< if the records of all hops are returned
        uint16_t port{0};                 ///< UDP source port of the acknowledged packet
        const RdmaQueuePair* qp{nullptr}; ///< the queue pair
        UniformRandomVariable* random{nullptr}; ///< source of random numbers of the host
        bool ownReported{true}; ///< true if the feedback of the queue pair returns the records of
                                ///< all hops; false if only ACKs of path probes return them
    };

    /// The decision about the path of a queue pair.
    struct Advice
    {
        bool move{false};      ///< true if subsequent packets must take another path
        uint16_t port{0};      ///< UDP source port of the other path; 0 for a port that the host
                               ///< chooses
        bool inOrder{false};   ///< true to delay the move until no packet is in flight, if the
                               ///< recovery treats overtaken packets as lost
        bool elsewhere{false}; ///< true if the telemetry describes a path other than the present
                               ///< path
        bool arrived{false};   ///< true if the telemetry describes the path to which the queue pair
                               ///< has just been moved
        std::vector<uint16_t> pathProbes{}; ///< UDP source ports of path probes to send
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Handles an acknowledgement, and decides whether the queue pair moves.
     * @param state state of the queue pair
     * @param progress content of the acknowledgement
     * @return the decision about the path
     */
    virtual Advice OnAck(RdmaPathState& state, const Progress& progress) = 0;

    /**
     * Handles a retransmission time-out.
     * @param state state of the queue pair
     * @param nowNs local time, ns
     */
    virtual void OnTimeout(RdmaPathState& state, int64_t nowNs) = 0;

    /// Creates the state of a queue pair.
    /// @return the new state
    virtual std::unique_ptr<RdmaPathState> MakeState() const;

    /// Returns true if this scheme sends path probes. The ACKs that answer path probes return the
    /// records of all hops in every feedback mode. Default: false.
    virtual bool SendsPathProbes() const;

    /**
     * Decides whether to hold back a flow that is about to begin or is already held back.
     * @param destination IPv4 address of the other end
     * @param sinceNs time from which the flow could have sent, ns
     * @param nowNs local time, ns
     * @return time until which to hold back the flow, ns; a later call may return another time. The
     * base class returns nowNs, which releases the flow
     */
    virtual int64_t HoldUntilNs(uint32_t destination, int64_t sinceNs, int64_t nowNs) const;

    /**
     * Checks, before simulated time starts, whether this scheme works with the telemetry of data
     * packets.
     * @param telemetry capabilities of the format of data packets; null without telemetry
     * @return an empty string, or one line that says what is missing
     */
    virtual std::string Validate(const TelemetryCapabilities* telemetry) const;

    /**
     * Checks, before simulated time starts, whether this scheme works with the target load of the
     * policies.
     * @param eta load that the policies aim for at bottleneck links, as a share of the line rate
     * @return an empty string, or one line with the reason
     */
    virtual std::string ValidateEta(double eta) const;
};

} // namespace ns3

#endif // RDMA_REPATHING_H
