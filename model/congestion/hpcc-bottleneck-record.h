/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BOTTLENECK_RECORD_H
#define HPCC_BOTTLENECK_RECORD_H

#include "hpcc-flow.h"
#include "hpcc-parameters.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Computes u' from records of the bottleneck hop alone (TelemetryCapabilities::pathExtreme), which
 * contain either u1, queue delay over T, or u2, utilisation (draft-miao-ccwg-hpcc-info-04, section
 * 3.1).
 *
 * - u' is the last u1 plus the last u2, if each is from this round or the previous one. A round
 *   ends when the condition of line 22 holds.
 * - If u2 is missing or older, it is taken as 1 if there is a queue; without a queue, U is not
 *   updated. If u1 is missing or older, it is taken as 0, because it would have been requested if
 *   there were a queue (HpccSignalRequest).
 * - u1 uses the smaller of two successive queue delays only if both have the same locator
 *   (HopTelemetry::portId).
 * - Where few records return (HpccFlow::Extreme::packetsPerRecord), a round may have only one
 *   record, so u1 and u2 must be younger than T instead. Exception: while u2 is at least the
 *   smaller of eta and 0.95, and no commit has used the last u1 yet, u1 is used at any age, because
 *   u2 alone would undo the reaction to the queue.
 * - tau is the time between two measurements by the reader's own clock.
 * - The receiver's flow count is not used for N: it applies to the last hop, which these records do
 *   not identify.
 */
class HpccBottleneckRecord
{
  public:
    /// The two terms of u'.
    struct Load
    {
        double u1;  ///< first term of line 5; 0 if there is none
        double u2;  ///< second term of line 5; 1 if there is none
        bool hasU2; ///< u2 is a reported utilisation
    };

    /**
     * @param parameters the parameters
     * @param flow the flow's state
     */
    HpccBottleneckRecord(const HpccParameters& parameters, HpccFlow& flow);

    /// Drops both signals, before the first record of a path.
    void Forget();

    /**
     * Stores a record.
     * @param sample the acknowledgement; its only record holds a queue delay or a utilisation
     * @param perBaseRtt 1/T, 1/ns
     */
    void Store(const HpccSample& sample, double perBaseRtt);

    /**
     * @param nowNs the reader's clock, ns
     * @return the two terms of u' at this time
     */
    Load GetLoad(int64_t nowNs) const;

  private:
    /**
     * @param round round in which a signal arrived
     * @param atNs the reader's clock when it arrived, ns
     * @param nowNs the reader's clock, ns
     * @return true if the signal is recent enough to be used: from this round or the previous one,
     * or, where few records return, less than T old
     */
    bool IsFresh(uint32_t round, int64_t atNs, int64_t nowNs) const;

    /**
     * Stores a queue delay.
     * @param hop the record
     * @param nowNs the reader's clock, ns
     * @param perBaseRtt 1/T, 1/ns
     */
    void StoreDelay(const HopTelemetry& hop, int64_t nowNs, double perBaseRtt);

    const HpccParameters& m_parameters; ///< the parameters
    HpccFlow& m_flow;                   ///< the flow's state
    HpccFlow::Extreme& m_extreme;       ///< the part of m_flow that is used here
};

} // namespace ns3

#endif // HPCC_BOTTLENECK_RECORD_H
