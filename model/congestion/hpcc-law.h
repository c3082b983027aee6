/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LAW_H
#define HPCC_LAW_H

#include "ns3/hpcc-hop-telemetry.h"
#include "ns3/hpcc-path-spread.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The choices a configuration of the law makes. Names are the drafts' (draft-miao-tsv-hpcc-01,
 * figures 2 and 3).
 */
struct HpccParameters
{
    /// Which queue length line 5 takes.
    enum QueueFilter : uint8_t
    {
        QUEUE_MIN,     ///< the smaller of this record's and the last one's, as line 5 has it
        QUEUE_CURRENT, ///< this record's
        QUEUE_AUTO,    ///< the smaller one for records less than T apart, else this record's
        QUEUE_DEFAULT  ///< QUEUE_AUTO with HpccFlow::sparse, else QUEUE_MIN
    };

    /// What tells line 5 of the queue.
    enum QueueSignal : uint8_t
    {
        SIGNAL_LENGTH, ///< its length: u1 = qlen/(B T), as line 5 has it
        SIGNAL_SOJOURN ///< the time that the packet has spent in the switch: u1 = time/T, which
                       ///< needs no B (draft-miao-tsv-hpcc-01, section 9.3, for several queues)
    };

    /// What the first record of a path does.
    enum FirstSample : uint8_t
    {
        FIRST_SKIP,     ///< it is stored
        FIRST_ESTIMATE, ///< with a queue it also counts as u' = 1 + qlen/(B T) and commits
        FIRST_DEFAULT   ///< FIRST_ESTIMATE with HpccFlow::sparse, else FIRST_SKIP
    };

    /// What it means that hops of the known path are missing among the records.
    enum MissingHop : uint8_t
    {
        MISSING_CHANGES, ///< the path has changed
        MISSING_SKIPS    ///< they have skipped this packet, if those present are in the known order
    };

    /// Which rate line 5 adds to the queue.
    enum RateTerm : uint8_t
    {
        RATE_TX, ///< txRate, as line 4 has it
        RATE_RX  ///< arrival rate at the queue, txRate + (change of qlen)/dt
    };

    /// What u' of a hop is.
    enum Load : uint8_t
    {
        LOAD_INFLIGHT, ///< qlen/(B T) + rate/B, as line 5 has it
        LOAD_POWER     ///< (qlen/(B T) + 1) rate/B: both signals in one product
    };

    /// How the window follows U between two commits.
    enum Reaction : uint8_t
    {
        REACT_REFERENCE, ///< on every ACK, computed from the reference window Wc (lines 22 to 26)
        REACT_PER_ACK,   ///< on every ACK, and every ACK commits
        REACT_PER_RTT    ///< only on ACKs that commit
    };

    double baseRttNs{5000};                 ///< T, ns, above 0
    double eta{0.95};                       ///< target utilisation, in (0, 2]
    uint32_t maxStage{5};                   ///< additive steps before a multiplicative one
    double waiBytes{0};                     ///< W_ai, bytes; 0 selects the rule W_init (1 - eta)/N
    uint32_t expectedFlows{100};            ///< N of that rule, 1 or more
    double countedShare{0.2};               ///< with N counted, share of 1 - eta that flows take
                                            ///< together, in (0, 1], see UpdateWai
    double initialU{1};                     ///< U before the first measurement
    double initialWindow{1};                ///< W of a new flow as a share of W_init, in (0, 1]
    double minRateBps{0};                   ///< floor of R = W/T, bit/s
    QueueSignal queueSignal{SIGNAL_LENGTH}; ///< see QueueSignal
    QueueFilter queueFilter{QUEUE_MIN};     ///< see QueueFilter
    FirstSample firstSample{FIRST_SKIP};    ///< see FirstSample
    MissingHop missingHop{MISSING_CHANGES}; ///< see MissingHop
    double quietLoad{0}; ///< u' of a path from which packets that collect have come back without
                         ///< any record for more than 2 T; 0: nothing is known of it
    RateTerm rateTerm{RATE_TX};         ///< see RateTerm
    double minRateTerm{0};              ///< the rate counts as at least this share of B
    Load load{LOAD_INFLIGHT};           ///< see Load
    Reaction reaction{REACT_REFERENCE}; ///< see Reaction
    bool idleGapResets{
        true}; ///< a record after an idle time above T is a first record; false: it is used
    bool perHop{false}; ///< each hop has a window of its own, W is the smallest
};

/**
 * @ingroup hpcc
 *
 * The telemetry of one acknowledgement, as its reader got it from the wire.
 */
struct HpccSample
{
    int64_t nowNs;            ///< the reader's clock, ns
    uint64_t ackSeq;          ///< next byte the receiver expects, unwrapped
    uint64_t sndNxt;          ///< next byte to be sent
    int64_t idleNs;           ///< longest time without data in flight since the last sample, ns
    const HopTelemetry* hops; ///< records, first hop of the path first
    uint32_t hopCount;        ///< records at hops
    uint16_t pathId;          ///< path identifier if the format has one
    uint16_t reportedFlows; ///< flows on the last hop as the receiver counts them; 0 if it does not
    const TelemetryCapabilities* telemetry; ///< what the format carries, not null
    bool held{false};                       ///< it must not commit, whatever its sequence number
    const HopTelemetry* previous{nullptr};  ///< the receiver reports one hop, and this is what it
                                            ///< said before; without fields if that is not known.
                                            ///< Null: the receiver reports all hops
};

/// Why a record was taken as the first one of a path.
enum class HpccReset : uint8_t
{
    NONE,         ///< it was not
    FIRST_RECORD, ///< nothing was stored yet
    PATH_CHANGE,  ///< the list of hops, or the path identifier, differs
    IDLE_GAP,     ///< nothing was in flight for more than T
    COUNTER_WRAP, ///< a counter may have advanced by more than its modulus, or went back
    TIMEOUT,      ///< a retransmission time-out dropped the stored records
};

/// What an acknowledgement did to the window.
enum class HpccBranch : uint8_t
{
    NONE,   ///< nothing: no telemetry, none that is new, or a first record
    COMMIT, ///< line 23
    FAST,   ///< line 26
};

/**
 * @ingroup hpcc
 *
 * What the law keeps for one flow. The scalars come first and fill two cache lines; a path of n
 * hops touches n records behind them.
 */
struct HpccFlow
{
    /// Last record of a hop: an element of the drafts' L.
    struct Record
    {
        uint64_t timestampNs;  ///< ts
        uint64_t txBytes;      ///< txBytes
        uint64_t queue;        ///< qlen, bytes; or sojourn time, ns, see QueueSignal
        uint64_t bandwidthBps; ///< B, that nsPerByte belongs to
        double nsPerByte;      ///< 8e9/B
        uint32_t switchId;     ///< the hop's switch; 0 if the format has no such id
        uint32_t portId;       ///< the hop's egress port; its position if the format has no such id
        bool counted;          ///< timestampNs, txBytes and queue hold a reading
    };

    /// What is kept of formats that tell of the worst hop only.
    struct Extreme
    {
        bool delayKnown{false};       ///< a queue delay has been reported
        bool utilizationKnown{false}; ///< a utilisation has been reported
        double delayNs{0};            ///< the last queue delay, ns
        double u1{0};                 ///< of it, the first term of line 5
        double u2{0};                 ///< the last utilisation, the second term
        int64_t delayAtNs{0};         ///< reader's clock at the last queue delay, ns
        uint32_t locator{0};          ///< that came with the last queue delay
        uint32_t delayRound{0};       ///< round of the last queue delay
        uint32_t utilizationRound{0}; ///< round of the last utilisation
        uint32_t round{0};            ///< rounds so far
        uint64_t roundEndSeq{0};      ///< the round ends with an acknowledgement above this
        uint32_t packets{0};          ///< packets sent
    };

    /// L of another path of a flow whose packets are spread over several.
    struct Path
    {
        uint64_t key;                ///< tells the path from others
        int64_t lastSampleNs;        ///< reader's clock when it was last written
        uint16_t pathId;             ///< path identifier
        std::vector<Record> records; ///< one a hop
    };

    /// The last u' of a hop that skips packets.
    struct LastLoad
    {
        double u;     ///< u'
        int64_t atNs; ///< reader's clock when it was measured, ns
    };

    /// What a hop has of its own with HpccParameters::perHop.
    struct HopWindow
    {
        double referenceBytes; ///< its Wc
        double utilization;    ///< its U
        uint32_t incStage;     ///< its incStage
        bool measured;         ///< U holds something that Wc does not
    };

    using HopWindows = std::array<HopWindow, MAX_TELEMETRY_HOPS>; ///< in the order of L

    double windowBytes{0};     ///< W
    double referenceBytes{0};  ///< Wc
    double utilization{1};     ///< U
    double waiBytes{0};        ///< W_ai in force
    double initialBytes{0};    ///< W_init, also the largest W
    double minBytes{0};        ///< smallest W
    double lineRateBps{0};     ///< rate of the sender's own port, bit/s
    uint64_t lastUpdateSeq{0}; ///< lastUpdateSeq
    uint64_t responseSeq{0};   ///< acknowledgements below know less than the last switch response
    double responseBytes{0};   ///< that lowered W to this
    int64_t lastSampleNs{0};   ///< reader's clock when L was last written
    uint32_t incStage{0};      ///< incStage
    bool growthCapped{false};  ///< W grows by no more than W_ai a round: reports are not believed
    uint32_t roundSamples{0};  ///< samples measured since the last commit
    uint32_t roundLastHop{0};  ///< of these, how many had the largest u' at the last hop
    uint16_t pathId{0};        ///< path identifier that L belongs to
    uint8_t hopCount{0};       ///< records in L; 0 if L is empty
    bool sprayed{false};       ///< packets take different paths, each with an L of its own
    bool sparse{false};        ///< samples may be further apart than packets
    HpccReset pendingReset{HpccReset::FIRST_RECORD}; ///< why L is empty
    std::array<Record, MAX_TELEMETRY_HOPS> records;  ///< L
    Extreme extreme;         ///< instead of most of L with TelemetryCapabilities::pathExtreme
    uint64_t pathKey{0};     ///< path that L belongs to, if sprayed
    std::vector<Path> paths; ///< known paths if sprayed; the one in L is out of date here
    std::vector<LastLoad> lastLoads;        ///< by hop, once one has skipped a packet
    std::unique_ptr<HopWindows> hopWindows; ///< null without HpccParameters::perHop
};

/**
 * @ingroup hpcc
 *
 * What the last call did, for traces and tests.
 */
struct HpccOutcome
{
    HpccBranch branch;  ///< what happened to the window
    HpccReset reset;    ///< whether the record was a first one, and why
    uint8_t hopCount;   ///< hops looked at
    uint8_t bottleneck; ///< index of the hop with the largest u'; only after COMMIT or FAST
    uint32_t switchId;  ///< its switch
    uint32_t portId;    ///< its egress port, or its locator
    double u;           ///< its u'
    double tauNs;       ///< tau of line 8, ns
    std::array<double, MAX_TELEMETRY_HOPS>
        hopU; ///< u' of each hop; negative if the hop was skipped
};

/**
 * @ingroup hpcc
 *
 * HPCC++'s control law: lines 1 to 27 of draft-miao-tsv-hpcc-01, section 4.2, which are Algorithm 1
 * of "HPCC: High Precision Congestion Control" (SIGCOMM 2019). A plain class without ns-3 objects,
 * for senders that keep a window (RDMA, TCP) and for receivers that compute one.
 *
 * A receiver that computes (lines 28 to 34) counts in time: with ackSeq = now and sndNxt = now + T
 * line 22 is line 29, and lastUpdateSeq is lastUpdateTime + T.
 *
 * What the drafts leave open:
 * - W = Wc = W_init = B T of the sender's own port (but see HpccParameters::initialWindow), U =
 * InitialU, lastUpdateSeq = the first sequence number.
 * - The first record of a path is stored and moves lastUpdateSeq to snd_nxt; W and U stay
 *   (FirstSample).
 * - Hops are compared by (switch, port), never by position alone. A list that differs from the
 *   stored one, or another path identifier, is a new path: L is dropped, U = InitialU, incStage =
 *   0; W and Wc are kept. Formats without ids compare the path identifier and the number of hops.
 * - A hop counts only if its timestamp is newer: the difference, modulo the format's timestamps, is
 *   above 0 and at most half of the modulus. Otherwise the record is a repetition or overtaken, and
 *   the hop and what is stored for it are left alone. With no new hop nothing changes at all.
 * - A pair of byte counters counts only if the counter cannot have advanced by its whole modulus:
 *   dts < modulus * 8/B. Otherwise, and if a counter without modulus has gone back, the record is a
 *   first one for that hop.
 * - A time without data in flight above T, or a time between two records in which the timestamps
 *   may have gone round, makes the record a first one. U and W are kept.
 * - tau starts as the first valid hop's, so that an idle path pulls U down; of equal u' the first
 *   hop on the path wins.
 * - Formats that carry the utilisation instead of a byte counter give the second term of line 5
 *   directly. Without timestamps tau is the time between two records at the reader's own clock.
 * - A hop with an unknown bandwidth, or whose record lacks a field, is skipped; GetSkippedHops()
 *   counts these. With SIGNAL_SOJOURN and the utilisation instead of a byte counter there is
 *   nothing to know a bandwidth for.
 * - With SIGNAL_SOJOURN a queue stands for the time in it wherever lines 4 to 7 or this list speak
 *   of it.
 * - Hops beyond MAX_TELEMETRY_HOPS are ignored and counted as skipped.
 * - A record with TELEMETRY_LOAD gives u' itself, without bandwidth, queue and rate; its tau is the
 *   time between two records at the reader's own clock.
 * - Formats that carry one record of the worst hop (TelemetryCapabilities::pathExtreme) tell either
 *   u1, queue delay over T, or u2, utilisation (draft-miao-ccwg-hpcc-info-04, section 3.1). Then u'
 *   is last u1 + last u2, each of this round or the one before; a round ends as in line 22. If u2
 *   is missing or older, a queue stands for u2 = 1, and without a queue nothing is measured. A
 *   missing or older u1 is 0: it would have been asked for had there been a queue. u1 takes the
 *   smaller of two queue delays only if HopTelemetry::portId, the locator, is the same in both. tau
 *   is the time between two measurements at the reader's own clock. WantedSignal() says what to
 *   ask for. N as the receiver counts it is not used, as the last hop is not told from the others.
 * - With HpccFlow::sprayed, each path, told from others by the ids of its hops, has an L of its
 *   own, so that no record is compared with one of another path, and tau counts for one in as many
 *   paths as are known: U is the average over the paths. The MAX_PATHS last used ones are known.
 * - Where the worst hop's record is a load that the switches have averaged (pathExtreme with
 *   TELEMETRY_LOAD; PINT, SIGCOMM 2020), it is U itself. A record without one, as of
 *   packets that were not chosen to carry it, is as none and not counted as skipped.
 * - With HpccParameters::MISSING_SKIPS and a format with switch ids, records of some hops of the
 *   known path, in its order, are of that path: the others have skipped the packet, as switches do
 *   that insert less often (draft-pan-tsvwg-hpccplus-02, section 6). They keep their record, and
 *   their last u' takes part in lines 6 and 7 for 2 T, with the time since the last sample as tau.
 *   It is known from the first time on that a hop has skipped one.
 * - A packet that collects and comes back without any record tells nothing, unless that has been so
 *   for more than 2 T and HpccParameters::quietLoad is above 0: then it counts as u' once a round.
 *   Without this, switches that report congestion only would never let W grow again.
 * - A switch's own response (draft-miao-tsv-hpcc-00) knows the path up to the switch, and only
 *   that queues are there: a port with a queue is busy, so that u' = 1 + qlen/(B T) whatever was
 *   measured before. TakeResponse() averages it like line 9, with the time since the last sample as
 *   tau, or T before the first one; if that is eta or more, W and on a commit Wc become what line
 *   13 makes of it unless they are lower already. U and L stay as they are, so that the packet's
 *   full record is measured as if there had been no response. Until it is acknowledged W stays at
 *   or below the response's.
 * - Where the receiver reports the hop with the largest u' only (HpccSample::previous), L is what
 *   that hop said before, since the last report may have been of another. If that is not known, the
 *   record is the first one of a path. As the last hop is not told from others, N counts always.
 * - W is at most W_init and R at most the line rate. What is bounded is also what lines 15 and 19
 *   store. With U = 0 line 13 gives W_init. There is no other floor than MinRate; W_ai keeps W
 *   above 0.
 * - With HpccParameters::perHop lines 9 to 20 run for each hop by itself, with a U, Wc and incStage
 *   of its own, and W and Wc of the flow are the smallest of the hops'. This is the variant for
 *   several bottlenecks of the paper's appendix A.3, which the authors' simulator calls multi-rate.
 *   tau of a hop is its own. A hop not measured since the last commit keeps its Wc. Hops of a new
 *   path begin with the flow's Wc, and U and incStage as for a path. U of the flow is what it is
 *   without. Not for pathExtreme, which tells hops not apart, nor for HpccFlow::sprayed.
 * - ack.seq is the next byte expected, so that the acknowledgement of the first packet sent under a
 *   new Wc commits.
 *
 * Arithmetic is in double. The simulator published with the SIGCOMM 2019 paper keeps rates instead
 * of windows: with Rc = Wc/T, R_AI = W_ai/T and a window of W_init R/B_nic its law is this one, and
 * its qlen B_nic/(B_j W_init) is qlen/(B_j T). What remains different is its floor of the rate,
 * which is MinRate here.
 *
 * About RATE_RX: a switch that reports only what it sends still tells what arrives, since what
 * arrives between two snapshots is what left plus what the queue has gained. The paper shows by
 * this rate that reacting to arrivals double counts the queue (figure 6).
 */
class HpccLaw
{
  public:
    /// What MeasureInflight made of a record.
    enum class Measurement : uint8_t
    {
        STALE, ///< nothing in it is new; nothing has changed
        FIRST, ///< it was stored as the first record
        VALID  ///< U is updated
    };

    /**
     * Set the parameters, before any flow is opened.
     * @param parameters the parameters; not checked: the user of the law does
     */
    void SetParameters(const HpccParameters& parameters);

    /// @return the parameters
    const HpccParameters& GetParameters() const;

    /**
     * Begin a flow.
     * @param flow the flow's state
     * @param lineRateBps rate of the sender's own port, bit/s; W_init = rate * T
     * @param firstSeq sequence number of the first byte
     */
    void Open(HpccFlow& flow, double lineRateBps, uint64_t firstSeq) const;

    /**
     * Procedure NewAck, lines 21 to 27: take the telemetry of one acknowledgement. The new window
     * is HpccFlow::windowBytes, the new rate RateBps().
     * @param flow the flow's state
     * @param sample the acknowledgement; without records nothing happens
     * @return what was done, valid until the next call
     */
    const HpccOutcome& NewAck(HpccFlow& flow, const HpccSample& sample);

    /**
     * Take a switch's report on the path of a packet in flight up to itself. W is not raised, and a
     * repeated one does not lower it further within a round.
     * @param flow the flow's state
     * @param sample the report; ackSeq is the byte after the packet
     * @return what was done, without hops, valid until the next call
     */
    const HpccOutcome& TakeResponse(HpccFlow& flow, const HpccSample& sample);

    /**
     * Function MeasureInflight, lines 1 to 10, together with L = ack.L of line 27.
     * @param flow the flow's state; U and L are updated
     * @param sample the acknowledgement, at least one record
     * @return whether U was updated
     */
    Measurement MeasureInflight(HpccFlow& flow, const HpccSample& sample);

    /**
     * Function ComputeWind, lines 11 to 20.
     * @param flow the flow's state
     * @param updateWc whether to store the result in Wc
     * @return W, bytes
     */
    double ComputeWind(HpccFlow& flow, bool updateWc) const;

    /**
     * The sender goes back. What was sent beyond sndNxt will be sent again, so a commit must not
     * wait for it.
     * @param flow the flow's state
     * @param sndNxt next byte to be sent
     * @param timeout after a retransmission time-out, which drops L; U and W are kept
     */
    void Rollback(HpccFlow& flow, uint64_t sndNxt, bool timeout) const;

    /**
     * Start again at line rate, as a new flow does; L is dropped.
     * @param flow the flow's state
     * @param sndNxt next byte to be sent
     */
    void Restart(HpccFlow& flow, uint64_t sndNxt) const;

    /**
     * The sender has moved the flow to another path. L is dropped, and the next record is that of a
     * new path, even if the format could not tell.
     * @param flow the flow's state
     */
    void ChangePath(HpccFlow& flow) const;

    /**
     * @param telemetry what a format carries
     * @return true if packets must ask for one quantity of the worst hop after the other
     */
    static bool AsksInTurn(const TelemetryCapabilities& telemetry)
    {
        return telemetry.pathExtreme && !(telemetry.fields & TELEMETRY_LOAD);
    }

    /**
     * Count a packet towards the choice of WantedSignal().
     * @param flow the flow's state
     */
    static void NoteSent(HpccFlow& flow)
    {
        ++flow.extreme.packets;
    }

    /**
     * What the next packet shall ask of a format that tells one quantity at a time: the queue delay
     * while the last one was above 0, else the utilisation, and the other one by every fourth
     * packet.
     * @param flow the flow's state
     * @param period that fourth, 1 or more
     * @return TELEMETRY_QUEUE_DELAY or TELEMETRY_UTILIZATION
     */
    static uint16_t WantedSignal(const HpccFlow& flow, uint32_t period = 4)
    {
        const bool queued = flow.extreme.delayNs > 0;
        const bool other = flow.extreme.packets % period == period - 1;
        return queued != other ? TELEMETRY_QUEUE_DELAY : TELEMETRY_UTILIZATION;
    }

    /**
     * Count a packet, and choose what it shall ask.
     * @param flow the flow's state
     * @param telemetry what the format carries
     * @param period as of WantedSignal(); 2, one after the other, where a round has one packet that
     * asks
     * @return TelemetryOrigin::request; 0 if the format has no choice
     */
    static uint16_t AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, uint32_t period)
    {
        NoteSent(flow);
        return AsksInTurn(telemetry) ? WantedSignal(flow, period) : 0;
    }

    /**
     * @param flow the flow's state
     * @return R = W/T of line 27, bit/s; the line rate exactly while W is W_init
     */
    double RateBps(const HpccFlow& flow) const
    {
        return flow.windowBytes < flow.initialBytes ? flow.windowBytes * m_bpsPerByte
                                                    : flow.lineRateBps;
    }

    /// @param rateBps R, bit/s @return W = R T, bytes
    double WindowBytes(double rateBps) const
    {
        return rateBps / m_bpsPerByte;
    }

    /**
     * @param telemetry what a format carries
     * @return how far the packets of a flow may take different paths: every packet, if hops have
     * ids or there is one record of the worst; now and then, if at least paths have ids
     */
    static PathSpread ToleratedSpread(const TelemetryCapabilities& telemetry);

    /**
     * @param parameters the choices
     * @param telemetry what a format carries
     * @return true if a hop's record is of no use without the bandwidth that its numbers refer to
     */
    static bool NeedsBandwidth(const HpccParameters& parameters,
                               const TelemetryCapabilities& telemetry);

    /// @return the last call's outcome
    const HpccOutcome& GetOutcome() const
    {
        return m_outcome;
    }

    /// @return hops skipped so far for want of a bandwidth, a field, or room
    uint64_t GetSkippedHops() const
    {
        return m_skippedHops;
    }

  private:
    static constexpr std::size_t MAX_PATHS = 256; ///< paths of a sprayed flow

    /**
     * Bring L of the path of a sample into place; empty if the path is new.
     * @param flow a sprayed flow's state
     * @param sample the acknowledgement
     * @param hops records to look at
     */
    static void SelectPath(HpccFlow& flow, const HpccSample& sample, uint32_t hops);

    /**
     * Drop L of all paths.
     * @param flow the flow's state
     * @param why why the next record is a first one; kept if L is empty already
     */
    static void Forget(HpccFlow& flow, HpccReset why);

    /**
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @param hops records to look at
     * @return why the sample cannot be compared with L; NONE if it can
     */
    HpccReset FindReset(const HpccFlow& flow, const HpccSample& sample, uint32_t hops) const;

    /**
     * Fill L with the first records of a path.
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @param hops records to look at
     * @return FIRST, or VALID if U was estimated from the queues
     */
    Measurement StoreFirst(HpccFlow& flow, const HpccSample& sample, uint32_t hops);

    /// @param flow the flow's state @return true if its first record is only stored
    bool SkipsFirst(const HpccFlow& flow) const
    {
        return m_parameters.firstSample == HpccParameters::FIRST_SKIP ||
               (m_parameters.firstSample == HpccParameters::FIRST_DEFAULT && !flow.sparse);
    }

    /**
     * Complete a sample from which hops of the known path are missing.
     * @param flow the flow's state
     * @param sample the acknowledgement, fewer records than L
     * @return true if its hops are some of L's in L's order: m_completed then has all, and
     * m_missing tells which were added
     */
    bool Complete(HpccFlow& flow, const HpccSample& sample);

    /**
     * @param sample a switch's report
     * @return the largest 1 + qlen/(B T) of its hops with a queue; 0 if there is none
     */
    double QueuedLoad(const HpccSample& sample);

    /**
     * NewAck for a packet that collected but met no hop that inserted.
     * @param flow the flow's state
     * @param sample the acknowledgement
     */
    void TakeQuiet(HpccFlow& flow, const HpccSample& sample);

    /**
     * Let L be what the receiver says that a hop said before.
     * @param flow the flow's state
     * @param sample the acknowledgement, one record, with HpccSample::previous
     */
    static void TakePrevious(HpccFlow& flow, const HpccSample& sample);

    /**
     * MeasureInflight for TelemetryCapabilities::pathExtreme.
     * @param flow the flow's state
     * @param sample the acknowledgement, at least one record
     * @return whether U was updated
     */
    Measurement MeasureExtreme(HpccFlow& flow, const HpccSample& sample);

    /**
     * MeasureInflight for TelemetryCapabilities::pathExtreme with TELEMETRY_LOAD.
     * @param flow the flow's state
     * @param sample the acknowledgement, at least one record
     * @return whether U was updated
     */
    Measurement TakeLoad(HpccFlow& flow, const HpccSample& sample);

    /**
     * Store what a record of the worst hop says.
     * @param extreme the flow's
     * @param hop the record
     * @param nowNs reader's clock, ns
     */
    void StoreExtreme(HpccFlow::Extreme& extreme, const HopTelemetry& hop, int64_t nowNs) const;

    /**
     * Lines 12 to 19.
     * @param flow the flow's state; what bounds W is not changed
     * @param u U
     * @param referenceBytes Wc
     * @param incStage incStage
     * @param updateWc whether to store the result in Wc, and the stage
     * @return W, bytes
     */
    double Step(const HpccFlow& flow,
                double u,
                double& referenceBytes,
                uint32_t& incStage,
                bool updateWc) const;

    /**
     * ComputeWind with HpccParameters::perHop.
     * @param flow the flow's state
     * @param updateWc whether to store the results in the hops' Wc
     * @return the smallest W, bytes
     */
    double ComputeHopWinds(HpccFlow& flow, bool updateWc) const;

    /**
     * Lines 8 and 9 for a hop with HpccParameters::perHop.
     * @param hop the hop
     * @param u its u'
     * @param tauNs time that it is for, ns
     */
    void AverageHop(HpccFlow::HopWindow& hop, double u, double tauNs) const;

    /**
     * Take over what a record says.
     * @param record the stored record
     * @param hop what the hop reports
     * @param queue its queue, bytes, or the time in it, ns
     */
    static void Store(HpccFlow::Record& record, const HopTelemetry& hop, uint64_t queue);

    /// @param telemetry what a format carries @return the fields without which a record of it
    /// cannot be used
    uint16_t RequiredFields(const TelemetryCapabilities& telemetry) const;

    /**
     * Take N from the receiver if it was the last hop that was the bottleneck in most samples of
     * the round. Then W_ai = W_init (1 - eta) max(countedShare/N, 1/max(N, expectedFlows)): at most
     * the draft's rule with the counted N, and at least that with the larger of the two.
     * @param flow the flow's state
     * @param reportedFlows N as the receiver counts it; 0 if it does not
     */
    void UpdateWai(HpccFlow& flow, uint16_t reportedFlows) const;

    HpccParameters m_parameters;     ///< the parameters
    double m_perBaseRtt{1.0 / 5000}; ///< 1/T, 1/ns
    double m_bpsPerByte{8e9 / 5000}; ///< 8/T, bit/s per byte of window
    HpccOutcome m_outcome{};         ///< what the last call did
    uint64_t m_skippedHops{0};       ///< see GetSkippedHops
    uint32_t m_missing{0};           ///< hops of m_completed that were added, one bit each; 0 while
                                     ///< a sample is as it came
    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> m_completed; ///< see Complete
};

} // namespace ns3

#endif // HPCC_LAW_H
