/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PARAMETERS_H
#define HPCC_PARAMETERS_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The parameters of the control law and their defaults, which are the same for RDMA, TCP and UDP.
 * The effect of some defaults depends on HpccFlow::sparse. HpccLawAttributes makes the parameters
 * available as attributes. The names are those of the drafts (draft-miao-tsv-hpcc-01, figures 2 and
 * 3).
 */
struct HpccParameters
{
    /// The queue length from which u' is computed (line 5).
    enum QueueFilter : uint8_t
    {
        QUEUE_MIN,     ///< the smaller of the queue lengths in this and the previous record, as in
                       ///< line 5
        QUEUE_CURRENT, ///< the queue length of this record
        QUEUE_AUTO,    ///< QUEUE_MIN for records less than T apart, else QUEUE_CURRENT
        QUEUE_DEFAULT  ///< QUEUE_AUTO with HpccFlow::sparse, else QUEUE_MIN
    };

    /// The queue signal from which u' is computed (line 5).
    enum QueueSignal : uint8_t
    {
        SIGNAL_LENGTH, ///< the queue length: u1 = qlen/(B T), as in line 5
        SIGNAL_SOJOURN ///< the time that the packet has spent in the switch: u1 = time/T. It does
                       ///< not require B, and is meant for ports with several queues
                       ///< (draft-miao-tsv-hpcc-01, section 9.3)
    };

    /// The use of the first record of a path.
    enum FirstSample : uint8_t
    {
        FIRST_SKIP,     ///< the record is only stored
        FIRST_ESTIMATE, ///< the record is stored; if it shows a queue, U is set to 1 + qlen/(B T),
                        ///< and W is committed
        FIRST_DEFAULT   ///< FIRST_ESTIMATE with HpccFlow::sparse, else FIRST_SKIP
    };

    /// The meaning of an acknowledgement without the records of some hops of the known path.
    enum MissingHop : uint8_t
    {
        MISSING_CHANGES, ///< the path has changed
        MISSING_SKIPS    ///< these hops are still on the path but have inserted no record. The path
                         ///< has changed if the other hops are not in the known order
    };

    /// The rate that u' adds to the queue term (line 5).
    enum RateTerm : uint8_t
    {
        RATE_TX, ///< txRate, as in line 4
        RATE_RX  ///< arrival rate at the queue, txRate + (change of qlen)/dt
    };

    /// The definition of u' of a hop.
    enum Load : uint8_t
    {
        LOAD_INFLIGHT, ///< qlen/(B T) + rate/B, as in line 5
        LOAD_POWER     ///< (qlen/(B T) + 1) rate/B, the normalised power of PowerTCP
    };

    /// The event at which the window is computed from U.
    enum Reaction : uint8_t
    {
        REACT_REFERENCE, ///< on every ACK, computed from the reference window Wc (lines 22 to 26)
        REACT_PER_ACK,   ///< on every ACK, and every ACK commits
        REACT_PER_RTT,   ///< only on ACKs that commit
        REACT_RTT_SAMPLE ///< only on ACKs that commit, and only the telemetry of these ACKs updates
                         ///< U
    };

    double baseRttNs{5000};                 ///< T, ns, above 0
    double windowNs{0};                     ///< window time, ns, which replaces T in W_init = line
                                            ///< rate * T, in R = W/T and in the queue term of u'; 0
                                            ///< selects T
    double eta{0.95};                       ///< target utilisation, in (0, 2]
    uint32_t maxStage{5};                   ///< additive steps before a multiplicative one
    double waiBytes{0};                     ///< W_ai, bytes; 0 selects the rule W_init (1 - eta)/N
    uint32_t expectedFlows{100};            ///< N of the rule W_init (1 - eta)/N, 1 or more
    double countedShare{0.2};               ///< share of the margin 1 - eta that the additive
                                            ///< increases of all flows use together, in (0, 1];
                                            ///< used if the receiver counts flows, see
                                            ///< HpccLaw::UpdateWai()
    double initialU{1};                     ///< U before the first measurement, 0 or more
    double initialWindow{1};                ///< W of a new flow as a share of W_init, in (0, 1]
    double minRateBps{0};                   ///< lower bound of R = W/T, bit/s, 0 or more
    QueueSignal queueSignal{SIGNAL_LENGTH}; ///< see QueueSignal
    QueueFilter queueFilter{QUEUE_DEFAULT}; ///< see QueueFilter
    FirstSample firstSample{FIRST_DEFAULT}; ///< see FirstSample
    MissingHop missingHop{MISSING_SKIPS};   ///< see MissingHop
    double quietLoad{0.85}; ///< u' that is assumed for a path if no packet has returned a record
                            ///< for more than 2 T; at least 0. Packets without a record are ignored
                            ///< if this value is 0, or if switches insert records at intervals
                            ///< (THINNED_BY_TIME)
    RateTerm rateTerm{RATE_TX};         ///< see RateTerm
    double minRateTerm{0};              ///< lower bound of the rate term of LOAD_POWER, as a share
                                        ///< of B
    Load load{LOAD_INFLIGHT};           ///< see Load
    Reaction reaction{REACT_REFERENCE}; ///< see Reaction
    bool idleGapResets{true};  ///< true: a record after an idle time above T is treated as a first
                               ///< one
    bool perHop{false};        ///< true: each hop has a window of its own, and W is the smallest of
                               ///< these windows
    bool skipEmptyHops{false}; ///< true: between two commits, records of empty queues are ignored
};

} // namespace ns3

#endif // HPCC_PARAMETERS_H
