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
 * The control law of HPCC++, for senders that keep a window (RDMA, TCP, UDP) and for receivers that
 * compute a window. The class does not depend on ns-3 objects. Lines 1 to 27 of
 * draft-miao-tsv-hpcc-01, section 4.2, are in hpcc-new-ack.cc. Lines 28 to 34 of section 6.3.2 are
 * in hpcc-new-int.cc. Both files call code in other files. For lines 1 to 10, the description of
 * HpccInflight lists these other files. For lines 11 to 34, the other files are:
 *
 * | part                                       | file                    |
 * |--------------------------------------------|-------------------------|
 * | start of a flow, restart, rollback, bounds | hpcc-law.cc             |
 * | choice of the variant                      | hpcc-ack-variants.cc    |
 * | reaction per ACK or per RTT                | HpccReaction            |
 * | a window for each hop                      | hpcc-hop-windows.cc     |
 * | response of a switch                       | hpcc-switch-response.cc |
 * | packets without any record                 | hpcc-quiet-path.cc      |
 *
 * The drafts leave some questions open. Each part listed above documents its own decisions. The
 * remaining decisions are:
 * - A flow starts with W = Wc = W_init * HpccParameters::initialWindow, where W_init = B T of the
 *   sender's own port. U starts at InitialU, and lastUpdateSeq at the first sequence number.
 * - The first record of a path is stored and sets lastUpdateSeq to snd_nxt. W and U do not change,
 *   unless HpccParameters::FirstSample selects an estimate.
 * - W is at most HpccFlow::largestBytes, by default W_init. R is at most the line rate. Lines 15
 *   and 19 store the bounded W. With U = 0, line 13 would divide by 0; W is W_init instead. MinRate
 *   is the only lower bound, but even without MinRate, W_ai keeps W above 0.
 * - ack.seq is the next byte that the receiver expects. Therefore the acknowledgement of the first
 *   packet sent after a commit causes the next commit.
 *
 * All arithmetic is in double precision. The simulator published with the SIGCOMM 2019 paper stores
 * rates instead of windows. The simulator's control law is equivalent to this class: Rc = Wc/T,
 * R_AI = W_ai/T, and the window is W_init R/B_nic. The simulator's queue term qlen B_nic/(B_j
 * W_init) equals qlen/(B_j T), since W_init = B_nic T. If W_init of that simulator has another
 * value, HpccParameters::windowNs replaces T in these formulas. The only difference is that the
 * simulator always has a lower bound of the rate. This class has such a bound only if MinRate is
 * above 0.
 */
class HpccLaw : public HpccInflight
{
  public:
    /**
     * Initialises the state of a flow.
     * @param flow the flow's state
     * @param lineRateBps rate of the sender's own port, bit/s; W_init = rate * T, or rate *
     * HpccParameters::windowNs
     * @param firstSeq sequence number of the first byte
     */
    void Open(HpccFlow& flow, double lineRateBps, uint64_t firstSeq) const;

    /**
     * Updates U and the window from the telemetry of one acknowledgement (procedure NewAck, lines
     * 21 to 27). The new window is HpccFlow::windowBytes, the new rate RateBps().
     * @param flow the flow's state
     * @param ack the acknowledgement; without records, see hpcc-quiet-path.cc
     * @return the outcome, valid until the next call
     */
    const HpccOutcome& NewAck(HpccFlow& flow, const HpccSample& ack);

    /**
     * Updates U and the window at the receiver from the telemetry of one packet (procedure NewINT,
     * lines 28 to 34). At the receiver, HpccFlow::lastUpdateSeq is a time in ns: lastUpdateTime +
     * T. After a commit, the caller must send the window.
     * @param flow the flow's state
     * @param packet the packet; its sequence numbers are ignored
     * @param held true if the packet must not commit, even if T has passed
     * @return the outcome, valid until the next call
     */
    const HpccOutcome& NewInt(HpccFlow& flow, HpccSample packet, bool held);

    /**
     * Handles a switch's response to a packet in flight. The response describes the packet's path
     * up to that switch. A response never raises W. Within a round, only the first response lowers
     * Wc; further responses compute W from this Wc.
     * @param flow the flow's state
     * @param sample the response; ackSeq is the byte after the packet
     * @return the outcome, with a hopCount of 0, valid until the next call
     */
    const HpccOutcome& TakeResponse(HpccFlow& flow, const HpccSample& sample);

    /**
     * Computes the window from U (function ComputeWind, lines 11 to 20), for the flow or for each
     * of its hops.
     * @param flow the flow's state
     * @param updateWc true for a commit, which stores the result in Wc
     * @return W, bytes
     */
    double ComputeWind(HpccFlow& flow, bool updateWc) const;

    /**
     * Handles a go-back of the sender. Data beyond @p sndNxt will be retransmitted, so the next
     * commit must not wait until that data is acknowledged.
     * @param flow the flow's state
     * @param sndNxt next byte to be sent
     * @param timeout true after a retransmission time-out, which drops L; U and W are kept
     */
    void Rollback(HpccFlow& flow, uint64_t sndNxt, bool timeout) const;

    /**
     * Restarts the flow at line rate, like a new flow. L is dropped.
     * @param flow the flow's state
     * @param sndNxt next byte to be sent
     */
    void Restart(HpccFlow& flow, uint64_t sndNxt) const;

    /**
     * Handles a move of the flow to another path. Drops L, so that the next record is treated as
     * the first one of a path, even if the format cannot identify paths.
     * @param flow the flow's state
     */
    void ChangePath(HpccFlow& flow) const;

    /**
     * Returns the rate R = W/T, bit/s (line 27); exactly the line rate if W is W_init or more.
     * @param flow the flow's state
     */
    double RateBps(const HpccFlow& flow) const;

    /**
     * Returns the window W = R T, bytes.
     * @param rateBps R, bit/s
     */
    double WindowBytes(double rateBps) const
    {
        return rateBps / m_bpsPerByte;
    }

  private:
    /**
     * Updates U from a sample, for NewAck() or NewInt().
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement or of a packet
     * @return true if U was updated, so that W must be computed
     */
    bool Measure(HpccFlow& flow, const HpccSample& sample);

    /**
     * Computes one window from U (lines 11 to 20).
     * @param flow the flow's state, with the bounds of W
     * @param u U
     * @param referenceBytes Wc
     * @param incStage incStage
     * @param updateWc whether to update Wc and incStage
     * @return W, bytes
     */
    double ComputeWind(const HpccFlow& flow,
                       double u,
                       double& referenceBytes,
                       uint32_t& incStage,
                       bool updateWc) const;

    /**
     * Returns a window after applying the flow's bounds, bytes.
     * @param flow the flow's state
     * @param windowBytes W before the bounds are applied, bytes
     */
    static double Bound(const HpccFlow& flow, double windowBytes)
    {
        const double growth = flow.growthCapped
                                  ? std::min(windowBytes, flow.referenceBytes + flow.waiBytes)
                                  : windowBytes;
        return std::max(std::min(growth, flow.largestBytes), flow.minBytes);
    }

    /**
     * Limits W to the value set by the last switch response, until the packet that caused the
     * response is acknowledged.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     */
    static void BoundByResponse(HpccFlow& flow, const HpccSample& sample)
    {
        if (sample.ackSeq < flow.responseSeq)
        {
            flow.windowBytes = std::min(flow.windowBytes, flow.responseBytes);
        }
    }

    /**
     * Handles a packet that requested telemetry but returned without any record.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     */
    void TakeQuiet(HpccFlow& flow, const HpccSample& sample);

    /**
     * Computes the window of each hop, for HpccParameters::perHop.
     * @param flow the flow's state
     * @param updateWc whether to store the results in the hops' Wc
     * @return the smallest W, bytes
     */
    double ComputeHopWinds(HpccFlow& flow, bool updateWc) const;

    /**
     * Returns the window of a hop; null without HpccParameters::perHop, or if the hop is not in L.
     * @param flow the flow's state
     * @param hop a record of a hop
     * @param position position of the hop on the path
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
     * Limits Wc of hops that have a window of their own to a given value, and sets their incStage
     * to 0.
     * @param flow the flow's state
     * @param only the hop to change; null for all hops
     * @param windowBytes largest Wc, bytes
     */
    static void LowerHopReference(HpccFlow& flow,
                                  const HpccFlow::HopWindow* only,
                                  double windowBytes);

    /**
     * Returns the largest QueuedLoadOfHop() of a response, or 0 if no hop has a queue. Stores the
     * index of the hop with the largest value in the outcome.
     * @param sample a switch's response
     */
    double QueuedLoad(const HpccSample& sample);

    /**
     * Returns the load of a hop in a switch's response. If the record contains a load, that load is
     * returned. Otherwise the load is 1 + qlen/(B T) if the hop has a queue, and 0 if it has none.
     * @param sample a switch's response
     * @param hop a record of the response
     */
    double QueuedLoadOfHop(const HpccSample& sample, const HopTelemetry& hop);

    /**
     * Updates W_ai from N, the number of flows that the receiver has counted, unless
     * HpccParameters::waiBytes sets W_ai. The draft's rule for n flows is rule(n) = W_init (1 -
     * eta)/n.
     * - If the last hop was the bottleneck in most samples of the round, W_ai is the larger of
     *   countedShare * rule(N) and rule(max(N, expectedFlows)).
     * - Otherwise N says nothing about the bottleneck, and W_ai = rule(expectedFlows).
     * @param flow the flow's state
     * @param reportedFlows N as counted by the receiver; 0 if the receiver does not count flows
     */
    void UpdateWai(HpccFlow& flow, uint16_t reportedFlows) const;
};

} // namespace ns3

#endif // HPCC_LAW_H
