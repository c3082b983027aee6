/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LAW_H
#define HPCC_LAW_H

#include "hpcc-inflight.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++'s control law: lines 11 to 27 of draft-miao-tsv-hpcc-01, section 4.2, which with lines 1
 * to 10 of HpccInflight are Algorithm 1 of "HPCC: High Precision Congestion Control" (SIGCOMM
 * 2019). A plain class without ns-3 objects, for senders that keep a window (RDMA, TCP) and for
 * receivers that compute one.
 *
 * A receiver that computes (lines 28 to 34) counts in time: with ackSeq = now and sndNxt = now + T
 * line 22 is line 29, and lastUpdateSeq is lastUpdateTime + T.
 *
 * Decisions where the drafts are silent, besides those of HpccInflight:
 * - W = Wc = W_init = B T of the sender's own port (but see HpccParameters::initialWindow), U =
 *   InitialU, lastUpdateSeq = the first sequence number.
 * - The first record of a path is stored and moves lastUpdateSeq to snd_nxt; W and U stay
 *   (FirstSample).
 * - A packet that collects and comes back without any record changes nothing, unless that has been
 *   so for more than 2 T and HpccParameters::quietLoad is above 0: then quietLoad counts as u' once
 *   a round. Without this, switches that report congestion only would never let W grow again.
 * - A switch's own response (draft-miao-tsv-hpcc-00) knows the path up to the switch, and only
 *   that queues are there: a port with a queue is busy, so that u' = 1 + qlen/(B T) whatever was
 *   measured before. TakeResponse() averages it like line 9, with the time since the last sample as
 *   tau, or T before the first one; if that is eta or more, W and on a commit Wc become what line
 *   13 makes of it unless they are lower already. U and L stay as they are, so that the packet's
 *   full record is measured as if there had been no response. Until it is acknowledged W stays at
 *   or below the response's.
 * - W is at most W_init and R at most the line rate. What is bounded is also what lines 15 and 19
 *   store. With U = 0 line 13 gives W_init. There is no other floor than MinRate; W_ai keeps W
 *   above 0.
 * - With HpccParameters::perHop lines 9 to 20 run for each hop by itself, with a U, Wc and incStage
 *   of its own, and W and Wc of the flow are the smallest of the hops'. This is the variant for
 *   several bottlenecks of the paper's appendix A.3, which the authors' simulator calls multi-rate.
 *   tau of a hop is its own. A hop not measured since the last commit keeps its Wc. Hops of a new
 *   path begin with the flow's Wc, and U and incStage as for a path. U of the flow is what it is
 *   without. Not for pathExtreme, which does not distinguish hops, nor for HpccFlow::sprayed.
 * - ack.seq is the next byte expected, so that the acknowledgement of the first packet sent under a
 *   new Wc commits.
 *
 * Arithmetic is in double. The simulator published with the SIGCOMM 2019 paper keeps rates instead
 * of windows: with Rc = Wc/T, R_AI = W_ai/T and a window of W_init R/B_nic its law is this one, and
 * its qlen B_nic/(B_j W_init) is qlen/(B_j T). What remains different is its floor of the rate,
 * which is MinRate here.
 */
class HpccLaw : public HpccInflight
{
  public:
    /**
     * Initialises the state of a flow.
     * @param flow the flow's state
     * @param lineRateBps rate of the sender's own port, bit/s; W_init = rate * T
     * @param firstSeq sequence number of the first byte
     */
    void Open(HpccFlow& flow, double lineRateBps, uint64_t firstSeq) const;

    /**
     * Runs the procedure NewAck, lines 21 to 27, for the telemetry of one acknowledgement. The new
     * window is HpccFlow::windowBytes, the new rate RateBps().
     * @param flow the flow's state
     * @param sample the acknowledgement; without records nothing happens
     * @return what was done, valid until the next call
     */
    const HpccOutcome& NewAck(HpccFlow& flow, const HpccSample& sample);

    /**
     * Handles a switch's report on the path of a packet in flight up to that switch. W is not
     * raised, and a repeated report does not lower it further within a round.
     * @param flow the flow's state
     * @param sample the report; ackSeq is the byte after the packet
     * @return what was done, without hops, valid until the next call
     */
    const HpccOutcome& TakeResponse(HpccFlow& flow, const HpccSample& sample);

    /**
     * Runs the function ComputeWind, lines 11 to 20.
     * @param flow the flow's state
     * @param updateWc whether to store the result in Wc
     * @return W, bytes
     */
    double ComputeWind(HpccFlow& flow, bool updateWc) const;

    /**
     * Notes that the sender goes back. What was sent beyond sndNxt will be retransmitted, so a
     * commit must not wait for it.
     * @param flow the flow's state
     * @param sndNxt next byte to be sent
     * @param timeout after a retransmission time-out, which drops L; U and W are kept
     */
    void Rollback(HpccFlow& flow, uint64_t sndNxt, bool timeout) const;

    /**
     * Starts again at line rate, as a new flow does; L is dropped.
     * @param flow the flow's state
     * @param sndNxt next byte to be sent
     */
    void Restart(HpccFlow& flow, uint64_t sndNxt) const;

    /**
     * Notes that the sender has moved the flow to another path. L is dropped, and the next record
     * is that of a new path, even if the format cannot identify paths.
     * @param flow the flow's state
     */
    void ChangePath(HpccFlow& flow) const;

    /**
     * @param telemetry what a format carries
     * @return true if packets must ask for one quantity of the bottleneck hop after the other
     */
    static bool AsksInTurn(const TelemetryCapabilities& telemetry)
    {
        return telemetry.pathExtreme && !(telemetry.fields & TELEMETRY_LOAD);
    }

    /**
     * Counts a packet that has asked what WantedSignal() says.
     * @param flow the flow's state
     */
    static void NoteSent(HpccFlow& flow);

    /**
     * Returns what the next packet that collects shall ask for, if the format carries one quantity
     * at a time. If the records of all packets come back, the queue delay while the last one was
     * above 0, else the utilisation, and the other one by every fourth packet. If few come back
     * (HpccFlow::Extreme::packetsPerRecord), the two alternate from record to record, but the queue
     * is not asked for where the last one was 0 and the utilisation leaves no room for one.
     * @param flow the flow's state
     * @return TELEMETRY_QUEUE_DELAY or TELEMETRY_UTILIZATION
     */
    static uint16_t WantedSignal(const HpccFlow& flow);

    /**
     * Counts a packet, and chooses what it shall ask.
     * @param flow the flow's state
     * @param telemetry what the format carries
     * @param single true if it is the only one in its round: then the queue delay and the
     * utilisation take turns, but of a queue that is found the delay is asked for once more, since
     * it would not be seen for two rounds; else as WantedSignal() says
     * @return TelemetryOrigin::request; 0 if the format has no choice
     */
    static uint16_t AskNext(HpccFlow& flow, const TelemetryCapabilities& telemetry, bool single);

    /**
     * @param flow the flow's state
     * @return R = W/T of line 27, bit/s; the line rate exactly while W is W_init
     */
    double RateBps(const HpccFlow& flow) const
    {
        return flow.windowBytes < flow.initialBytes ? flow.windowBytes * m_bpsPerByte
                                                    : flow.lineRateBps;
    }

    /**
     * @param rateBps R, bit/s
     * @return W = R T, bytes
     */
    double WindowBytes(double rateBps) const
    {
        return rateBps / m_bpsPerByte;
    }

  private:
    /**
     * Runs NewAck for a packet that collected but met no hop that inserted.
     * @param flow the flow's state
     * @param sample the acknowledgement
     */
    void TakeQuiet(HpccFlow& flow, const HpccSample& sample);

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
     * Runs ComputeWind with HpccParameters::perHop.
     * @param flow the flow's state
     * @param updateWc whether to store the results in the hops' Wc
     * @return the smallest W, bytes
     */
    double ComputeHopWinds(HpccFlow& flow, bool updateWc) const;

    /**
     * Takes N from the receiver if it was the last hop that was the bottleneck in most samples of
     * the round. Then W_ai = W_init (1 - eta) max(countedShare/N, 1/max(N, expectedFlows)): at most
     * the draft's rule with the counted N, and at least that with the larger of the two.
     * @param flow the flow's state
     * @param reportedFlows N as the receiver counts it; 0 if it does not
     */
    void UpdateWai(HpccFlow& flow, uint16_t reportedFlows) const;
};

} // namespace ns3

#endif // HPCC_LAW_H
