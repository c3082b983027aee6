/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TIMELY_BASE_H
#define RDMA_TIMELY_BASE_H

#include "rdma-congestion-ops.h"
#include "rdma-control-goal.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

namespace ns3
{

class HpccTypeId;

/**
 * @ingroup hpcc
 *
 * State of a queue pair under TIMELY or its patched form.
 */
struct RdmaTimelyState : RdmaCongestionState
{
    double lineRateBps{0};  ///< rate of the sender's own port, bit/s
    double rttDiffNs{0};    ///< weighted average of RTT differences, ns
    int64_t lastRttNs{-1};  ///< RTT sample of the last update, ns; -1 before the first update
    int64_t updatedNs{0};   ///< time of the last update, ns
    uint64_t updateSeq{0};  ///< an ACK beyond this byte ends the round trip
    uint64_t ackedBytes{0}; ///< bytes acknowledged since the last update
    uint32_t streak{0};     ///< number of consecutive updates that count towards hyperactive
                            ///< increase
};

/**
 * @ingroup hpcc
 *
 * Base of TIMELY ("TIMELY: RTT-based Congestion Control for the Datacenter", Mittal et al., SIGCOMM
 * 2015, Algorithm 1) and its patched form ("ECN or Delay: Lessons Learnt from Analysis of DCQCN and
 * TIMELY", Zhu et al., CoNEXT 2016, Algorithm 2). The RTT and its gradient control the rate. There
 * is no window, and no support by switches is needed.
 *
 * At an update with a new RTT sample r, d = (1 - EwmaWeight) d + EwmaWeight (r - last r), and the
 * gradient is g = d/MinRtt. Below TLow the rate rises by Delta. Above THigh the rate is multiplied
 * by 1 - Beta (1 - THigh/r). From TLow to THigh, the derived class computes the rate. The first
 * sample is only stored. The rate stays between MinRate and the line rate. Flows start at the line
 * rate, as in the evaluation of HPCC (SIGCOMM 2019). TIMELY's own start, C/(N + 1) with N flows at
 * the sender, is not modelled.
 *
 * A sample is the time from the moment when a packet is passed to the port until its
 * acknowledgement arrives. This time includes the serialisation of one packet. In TIMELY, a sample
 * is the RTT of a segment of 16 to 64 KB and excludes the serialisation.
 *
 * Attributes:
 *
 * - TLow: RTT, 0 or more, at most THigh. THigh: RTT, at least 1 ns. MinRtt: at least 1 ns.
 * - EwmaWeight: alpha, in (0, 1]. Beta: in (0, 1].
 * - Delta: additive increase at a line rate of ReferenceRate; it scales with the line rate unless
 *   ReferenceRate is 0.
 * - UpdateBytes: number of bytes acknowledged between two updates, which corresponds to a segment
 *   of TIMELY. With 0 there is one update per round trip. With any UpdateBytes, an update needs a
 *   sample, and there is one sample per round trip.
 * - ScaleWithTime: whether Delta and the decrease above THigh are multiplied by min(1, time since
 *   the last update/MinRtt). Section 5 of the TIMELY paper uses this factor to limit the effect of
 *   several updates per round trip.
 * - MaxCut: largest share by which an update reduces the rate, in (0, 1].
 * - MinRate: lower bound of the rate, above 0.
 */
class RdmaTimelyBase : public RdmaCongestionOpsBase<RdmaTimelyState>, public RdmaControlGoal
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaPolicyDescription Describe(const TelemetryCapabilities* telemetry) const override;
    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;
    Goal GetGoal(const Bottleneck& bottleneck) const override;
    void OnAck(RdmaCongestionState* state, const RdmaAckInfo& ack) override;

  protected:
    /// The inputs of an update.
    struct Sample
    {
        double rttNs;    ///< new RTT, ns
        double diffNs;   ///< the new RTT minus the last one, ns
        double gradient; ///< g
        double deltaBps; ///< Delta at the line rate of the sender's own port, bit/s
        double scale;    ///< factor by which ScaleWithTime multiplies the step, 0 to 1
    };

    /**
     * Adds the common attributes to a derived class.
     * @param tid the TypeId under construction
     * @param beta the class's default of Beta
     * @return the TypeId with the attributes
     */
    static HpccTypeId AddParameters(HpccTypeId tid, double beta);

    /**
     * Returns true if the RTT of a sample is from TLow to THigh.
     * @param sample the new sample
     */
    bool IsBetween(const Sample& sample) const;

    /// Returns the attribute TLow.
    Time GetTLow() const;

    /// Returns the attribute Beta.
    double GetBeta() const;

  private:
    /**
     * Returns the factor by which Delta is multiplied when the rate is raised after a sample; 1 by
     * default.
     * @param state the queue pair; RdmaTimelyState::streak may be updated
     * @param sample the new sample
     */
    virtual double IncreaseFactor(RdmaTimelyState& state, const Sample& sample) const;

    /**
     * Returns the new rate for an RTT from TLow to THigh, bit/s, before it is bounded.
     * @param rateBps the rate, bit/s
     * @param sample the new sample
     * @param increaseBps step of an increase at this update, bit/s
     */
    virtual double RateBetween(double rateBps, const Sample& sample, double increaseBps) const = 0;

    void DoOpen(RdmaTimelyState& state, const RdmaFlowInfo& info, int64_t nowNs) override;

    /**
     * Returns the new rate after a sample, bit/s.
     * @param state the queue pair
     * @param sample the new sample
     */
    double NewRate(RdmaTimelyState& state, const Sample& sample) const;

    Time m_tLow;              ///< TLow: below this RTT, the rate rises by Delta
    Time m_tHigh;             ///< THigh: above this RTT, the rate is reduced
    Time m_minRtt;            ///< MinRtt: RTT by which the gradient is normalised
    double m_ewmaWeight;      ///< EwmaWeight: weight of a new sample in the average RTT
                              ///< difference
    double m_beta;            ///< Beta: factor of a decrease
    DataRate m_delta;         ///< Delta: additive increase at the reference rate
    DataRate m_referenceRate; ///< line rate to which Delta refers; 0: Delta does not depend on the
                              ///< line rate
    uint64_t m_updateBytes;   ///< bytes between updates; 0: one update per round trip
    bool m_scaleWithTime;     ///< whether steps are scaled with the time since the last update
    double m_maxCut;          ///< largest share by which an update reduces the rate
    DataRate m_minRate;       ///< floor of the rate

    TracedCallback<uint32_t, double> m_traceRate;     ///< trace source of the rate, bit/s
    TracedCallback<uint32_t, double> m_traceRtt;      ///< trace source of the RTT samples, ns
    TracedCallback<uint32_t, double> m_traceGradient; ///< trace source of the gradient g
};

} // namespace ns3

#endif // RDMA_TIMELY_BASE_H
