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
 * - u' is last u1 + last u2, each of this round or the one before; a round ends as in line 22.
 * - If u2 is missing or older, u2 counts as 1 if there is a queue; without a queue nothing is
 *   measured. A missing or older u1 is 0: with a queue, it would have been requested
 *   (HpccSignalRequest).
 * - u1 takes the smaller of two queue delays only if HopTelemetry::portId, the locator, is the same
 *   in both.
 * - Where few records come back (HpccFlow::Extreme::packetsPerRecord) a round may be one record, so
 *   u1 and u2 must be younger than T instead. Exception: while u2 is at least eta, or at least
 *   0.95, and no commit has used the last u1 yet, that u1 is kept however old it is, because u2
 *   alone would undo the reaction to the queue.
 * - tau is the time between two measurements at the reader's own clock.
 * - The receiver's flow count is not used for N: it applies to the last hop, which these records do
 *   not identify.
 */
class HpccBottleneckRecord
{
  public:
    /// The two signals that count.
    struct Load
    {
        double u1;  ///< first term of line 5; 0 if there is none
        double u2;  ///< second term of line 5; 1 if there is none
        bool hasU2; ///< a utilisation counts
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
     * @param sample the acknowledgement, one record with a queue delay or a utilisation
     * @param perBaseRtt 1/T, 1/ns
     */
    void Store(const HpccSample& sample, double perBaseRtt);

    /**
     * @param nowNs the reader's clock, ns
     * @return the signals that count now
     */
    Load GetLoad(int64_t nowNs) const;

  private:
    /**
     * @param round round in which a signal arrived
     * @param atNs the reader's clock when it arrived, ns
     * @param nowNs the reader's clock, ns
     * @return true if the signal is recent enough to combine with a current one: from this round or
     * the previous one, or, where few records come back, less than T old
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
    HpccFlow::Extreme& m_extreme;       ///< its part that is used here
};

} // namespace ns3

#endif // HPCC_BOTTLENECK_RECORD_H
