/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MISSING_HOPS_H
#define HPCC_MISSING_HOPS_H

#include "hpcc-flow.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Completes the records of a packet that hops of the known path have skipped, with
 * HpccParameters::MISSING_SKIPS and a format with switch ids. Records of some hops of the known
 * path, in its order, are of that path: the others have skipped the packet, as switches do that
 * insert less often (draft-pan-tsvwg-hpccplus-02, section 6). They keep their record, and their
 * last u' takes part in lines 6 and 7 for 2 T, with the time since the last sample as tau. The last
 * u' of each hop is stored from the first skipped packet on.
 */
class HpccMissingHops
{
  public:
    /**
     * Completes a sample.
     * @param flow the flow's state
     * @param sample the acknowledgement, fewer records than L; gets the records of all hops if its
     * own are some of L's in L's order, valid until the next call
     * @param baseRttNs T, ns
     * @return the hops that were added, one bit each; 0 if the sample is of another path
     */
    uint32_t Complete(HpccFlow& flow, HpccSample& sample, double baseRttNs);

  private:
    /**
     * Finds the hops of L in a sample, and sets m_completed.
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @return the hops that are missing, one bit each; 0 if records are not of that path
     */
    uint32_t Match(const HpccFlow& flow, const HpccSample& sample);

    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> m_completed; ///< records of all hops
};

} // namespace ns3

#endif // HPCC_MISSING_HOPS_H
