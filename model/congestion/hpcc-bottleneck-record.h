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
 * Computes u' for formats that carry only a record of the bottleneck hop
 * (TelemetryCapabilities::pathExtreme). A record contains either u1, the queue delay divided by T,
 * or u2, the utilisation (draft-miao-ccwg-hpcc-info-04, section 3.1). u1 and u2 are fresh if they
 * arrived in the current or the previous round. A round ends with the acknowledgement of a packet
 * that was sent after the round had begun.
 *
 * - If both are fresh, u' = u1 + u2.
 * - If only u1 is fresh, and u1 is above 0, u' = u1 + 1.
 * - If only u2 is fresh, u' = u2. The term u1 is then assumed to be 0, because HpccSignalRequest
 *   would have requested u1 if there were a queue.
 * - In all other cases, U is not updated.
 * - u1 is computed from the smaller of two successive queue delays only if both delays have the
 *   same locator (HopTelemetry::portId).
 * - If only some records return (HpccFlow::Extreme::packetsPerRecord is above 0), a round may have
 *   only one record. In this case, u1 or u2 is fresh if it is less than T old. Exception: if the
 *   last utilisation was at least min(eta, 0.95), u1 stays fresh until a commit has used it.
 *   Without this exception, u2 alone would undo the reaction to the queue.
 * - tau is the time since the last measurement according to the local clock, at most T.
 * - The receiver's flow count is not used for N. The count applies to the last hop, but these
 *   records do not identify the last hop.
 */
class HpccBottleneckRecord
{
  public:
    /// The two terms of u'.
    struct Load
    {
        double u1;  ///< queue delay divided by T; 0 if there is no fresh queue delay
        double u2;  ///< utilisation; 1 if there is no fresh utilisation
        bool hasU2; ///< true if u2 is a fresh utilisation
    };

    /**
     * Prepares the computation of u' for one record of a flow.
     * @param parameters parameters of the control law
     * @param flow the flow's state, of which HpccFlow::extreme is updated
     */
    HpccBottleneckRecord(const HpccParameters& parameters, HpccFlow& flow);

    /// Discards u1 and u2. Must be called before the first record of a path is stored.
    void Forget();

    /**
     * Stores a record.
     * @param sample the sample of an acknowledgement; its only record contains a queue delay or a
     * utilisation
     * @param perWindowTime factor by which the queue delay is multiplied to get u1, 1/ns, see
     * HpccInflight::GetPerWindowTime()
     */
    void Store(const HpccSample& sample, double perWindowTime);

    /**
     * Returns the two terms of u' at time @p nowNs.
     * @param nowNs local clock, ns
     */
    Load GetLoad(int64_t nowNs) const;

  private:
    /**
     * Returns true if a value of u1 or u2 is fresh, see the class description. The function does
     * not apply the exception for u1.
     * @param round round in which the value arrived
     * @param atNs local clock when the value arrived, ns
     * @param nowNs local clock, ns
     */
    bool IsFresh(uint32_t round, int64_t atNs, int64_t nowNs) const;

    /**
     * Stores a queue delay.
     * @param hop the record
     * @param nowNs local clock, ns
     * @param perWindowTime see Store()
     */
    void StoreDelay(const HopTelemetry& hop, int64_t nowNs, double perWindowTime);

    const HpccParameters& m_parameters; ///< parameters of the control law
    HpccFlow& m_flow;                   ///< the flow's state
    HpccFlow::Extreme& m_extreme;       ///< m_flow.extreme, the state of u1 and u2
};

} // namespace ns3

#endif // HPCC_BOTTLENECK_RECORD_H
