/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATCHED_TIMELY_H
#define RDMA_PATCHED_TIMELY_H

#include "rdma-timely-base.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Patched TIMELY: "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY" (Zhu et al.,
 * CoNEXT 2016), Algorithm 2; see RdmaTimelyBase. With an RTT r from TLow to THigh, the rate becomes
 * (1 - w) Delta + R (1 - Beta w (r - ReferenceRtt)/ReferenceRtt). The weight w is 2 g + 1/2,
 * limited to the range from 0 to 1; g is the gradient. Unlike TIMELY, this control law has a unique
 * and fair fixed point. With N flows on a link of capacity C, the RTT settles at
 * (1 + N Delta/(Beta C)) ReferenceRtt. There is no hyperactive increase.
 *
 * Names and their settings:
 *
 * - "patched-timely": the class's defaults, which equal those of "timely", so that the two control
 *   laws can be compared. Only Beta differs: it is 0.008, the value in the paper.
 * - "patched-timely:paper": the paper's settings for 10 Gb/s: segments of 16 KB, a Delta that does
 *   not grow with the line rate, and ScaleWithTime. MinRate equals Delta.
 *
 * Attribute in addition to those of RdmaTimelyBase:
 *
 * - ReferenceRtt: RTT_ref; 0, the default, selects TLow, as in the paper.
 */
class RdmaPatchedTimely : public RdmaTimelyBase
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string Validate(int64_t baseRttNs, const TelemetryCapabilities* telemetry) const override;

  private:
    double RateBetween(double rateBps, const Sample& sample, double increaseBps) const override;

    /// Returns RTT_ref, ns: the attribute ReferenceRtt, or TLow if this attribute is 0.
    int64_t GetReferenceNs() const;

    Time m_referenceRtt; ///< attribute ReferenceRtt
};

} // namespace ns3

#endif // RDMA_PATCHED_TIMELY_H
