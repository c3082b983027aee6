/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LAW_H
#define HPCC_LAW_H

#include "hpcc-inflight.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++'s control law, a plain class without ns-3 objects, for senders that keep a window (RDMA,
 * TCP, UDP) and for receivers that compute one. Lines 1 to 27 of draft-miao-tsv-hpcc-01, section
 * 4.2, are in hpcc-new-ack.cc, lines 28 to 34 of section 6.3.2 in hpcc-new-int.cc; both call the
 * variants listed below. HpccInflight lists the parts around lines 1 to 10. Around lines 11 to 34
 * are
 *
 * | part                                       | file                    |
 * |--------------------------------------------|-------------------------|
 * | begin of a flow, restart, rollback, bounds | hpcc-law.cc             |
 * | reaction per ACK or per RTT                | HpccReaction            |
 * | a window for each hop                      | hpcc-hop-windows.cc     |
 * | response of a switch                       | hpcc-switch-response.cc |
 * | packets without any record                 | hpcc-quiet-path.cc      |
 *
 * Decisions where the drafts are silent, besides those of the parts:
 * - W = Wc = W_init = B T of the sender's own port (but see HpccParameters::initialWindow), U =
 *   InitialU, lastUpdateSeq = the first sequence number.
 * - The first record of a path is stored and moves lastUpdateSeq to snd_nxt; W and U stay
 *   (FirstSample).
 * - W is at most W_init and R at most the line rate. What is bounded is also what lines 15 and 19
 *   store. With U = 0 line 13 gives W_init. There is no other floor than MinRate; W_ai keeps W
 *   above 0.
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
     * @param ack the acknowledgement; without records, see hpcc-quiet-path.cc
     * @return the outcome, valid until the next call
     */
    const HpccOutcome& NewAck(HpccFlow& flow, const HpccSample& ack);

    /**
     * Runs the procedure NewINT, lines 28 to 34, for the telemetry of one packet at its receiver,
     * which counts in time: HpccFlow::lastUpdateSeq is lastUpdateTime + T. On a commit the caller
     * sends the window.
     * @param flow the flow's state
     * @param packet the packet; its sequence numbers are ignored
     * @param held it must not commit, even if T has passed
     * @return the outcome, valid until the next call
     */
    const HpccOutcome& NewInt(HpccFlow& flow, HpccSample packet, bool held);

    /**
     * Handles a switch's response to a packet in flight, which describes its path up to that
     * switch. W is not raised, and a repeated response does not lower it further within a round.
     * @param flow the flow's state
     * @param sample the response; ackSeq is the byte after the packet
     * @return the outcome, without hops, valid until the next call
     */
    const HpccOutcome& TakeResponse(HpccFlow& flow, const HpccSample& sample);

    /**
     * Runs the function ComputeWind, lines 11 to 20, for the flow or for each of its hops.
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
     * @param flow the flow's state
     * @return R = W/T of line 27, bit/s; the line rate exactly while W is W_init
     */
    double RateBps(const HpccFlow& flow) const;

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
     * Begins a procedure: runs MeasureInflight.
     * @param flow the flow's state
     * @param sample the acknowledgement, or the packet
     * @return true if U was updated, and W must follow
     */
    bool Measure(HpccFlow& flow, const HpccSample& sample);

    /**
     * Runs lines 11 to 20.
     * @param flow the flow's state; the bounds of W are not changed
     * @param u U
     * @param referenceBytes Wc
     * @param incStage incStage
     * @param updateWc whether to store the result in Wc, and the stage
     * @return W, bytes
     */
    double ComputeWind(const HpccFlow& flow,
                       double u,
                       double& referenceBytes,
                       uint32_t& incStage,
                       bool updateWc) const;

    /**
     * @param flow the flow's state
     * @param windowBytes W of line 13 or 17, bytes
     * @return W within its bounds, bytes
     */
    static double Bound(const HpccFlow& flow, double windowBytes)
    {
        const double growth = flow.growthCapped
                                  ? std::min(windowBytes, flow.referenceBytes + flow.waiBytes)
                                  : windowBytes;
        return std::max(std::min(growth, flow.largestBytes), flow.minBytes);
    }

    /**
     * Keeps W at or below that of a switch's response until its packet is acknowledged.
     * @param flow the flow's state
     * @param sample the acknowledgement
     */
    static void BoundByResponse(HpccFlow& flow, const HpccSample& sample)
    {
        if (sample.ackSeq < flow.responseSeq)
        {
            flow.windowBytes = std::min(flow.windowBytes, flow.responseBytes);
        }
    }

    /**
     * Handles a packet that collected but met no hop that inserted.
     * @param flow the flow's state
     * @param sample the acknowledgement
     */
    void TakeQuiet(HpccFlow& flow, const HpccSample& sample);

    /**
     * Runs ComputeWind with HpccParameters::perHop.
     * @param flow the flow's state
     * @param updateWc whether to store the results in the hops' Wc
     * @return the smallest W, bytes
     */
    double ComputeHopWinds(HpccFlow& flow, bool updateWc) const;

    /**
     * @param flow the flow's state
     * @param hop a record of a hop
     * @param position of the hop on the path
     * @return the hop's own state; null without HpccParameters::perHop, or if the hop is not in L
     */
    static HpccFlow::HopWindow* FindHopWindow(HpccFlow& flow,
                                              const HopTelemetry& hop,
                                              uint32_t position);

    /**
     * Sets U of all hops that have a window of their own.
     * @param flow the flow's state
     * @param u U
     */
    static void SetHopUtilization(HpccFlow& flow, double u);

    /**
     * Lowers Wc of hops that have a window of their own to a window.
     * @param flow the flow's state
     * @param only the hop; null for all
     * @param windowBytes the window, bytes
     */
    static void LowerHopReference(HpccFlow& flow,
                                  const HpccFlow::HopWindow* only,
                                  double windowBytes);

    /**
     * @param sample a switch's response
     * @return the largest 1 + qlen/(B T) of its hops with a queue; 0 if there is none
     */
    double QueuedLoad(const HpccSample& sample);

    /**
     * @param sample a switch's response
     * @param hop one of its records
     * @return its load, or 1 + qlen/(B T); 0 without a queue
     */
    double QueuedLoadOfHop(const HpccSample& sample, const HopTelemetry& hop);

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
