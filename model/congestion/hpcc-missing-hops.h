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
 * Adds records of hops of the known path that have skipped a packet, with
 * HpccParameters::MISSING_SKIPS and a format with switch ids. If the packet's records are those of
 * some hops of the known path, in its order, the packet has taken this path, and the other hops
 * have skipped it. Switches that do not insert into every packet do so
 * (draft-pan-tsvwg-hpccplus-02, section 6). Such a hop's stored record is kept, and its last u'
 * takes part in lines 6 and 7 for 2 T, with the time since the last sample as tau. The last u' of
 * each hop is stored from the first skipped packet on.
 */
class HpccMissingHops
{
  public:
    /**
     * Completes a sample.
     * @param flow the flow's state
     * @param sample the acknowledgement, with fewer records than L. Receives the records of all
     * hops, valid until the next call, if its own records are those of some hops of L in the order
     * of L
     * @param baseRttNs T, ns
     * @return the hops that were added, one bit each; 0 if the sample is of another path
     */
    uint32_t Complete(HpccFlow& flow, HpccSample& sample, double baseRttNs);

  private:
    /**
     * Finds the hops of L in a sample, and sets m_completed.
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @return the hops that are missing, one bit each; 0 if the records are not of that path
     */
    uint32_t Match(const HpccFlow& flow, const HpccSample& sample);

    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> m_completed; ///< records of all hops
};

} // namespace ns3

#endif // HPCC_MISSING_HOPS_H
