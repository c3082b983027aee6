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
 * Completes the records of packets into which some hops have not inserted a record. A switch need
 * not insert a record into every packet (draft-pan-tsvwg-hpccplus-02, section 6). The class is used
 * with HpccParameters::MISSING_SKIPS and formats with switch ids. If all records of a packet belong
 * to hops of the known path, in the order of this path, the packet is assumed to have taken this
 * path. The other hops of the path are then missing hops. The stored record of a missing hop is
 * kept. The last u' of a missing hop takes part in the search for the largest u' (lines 6 and 7)
 * until it is 2 T old. The tau of a missing hop is the time since the last sample. The class starts
 * to store the last u' of each hop when the first packet with a missing hop arrives.
 *
 * With HpccFlow::thinned, even the first packets of a flow may lack records. The known path is then
 * assembled from the records of several packets: a hop that is not in L is added. The records of a
 * packet determine the order of the hops that they describe. The order of two hops that no packet
 * has described together is a guess. The path is treated as changed if a packet has left one of the
 * known switches by another port, if a switch occurs twice in a packet, or if L would have more
 * than MAX_TELEMETRY_HOPS hops.
 */
class HpccMissingHops
{
  public:
    /**
     * Adds the missing hops to a sample. If the records of the sample belong to hops of L and are
     * in the order of L, the function replaces them by records of all hops of L. The new records
     * are valid until the next call.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement; the sample has fewer records than L, or
     * belongs to a flow with HpccFlow::thinned
     * @param baseRttNs T, ns
     * @return bit mask of the added hops; 0 if the sample already has all hops, or is of another
     * path
     */
    uint32_t Complete(HpccFlow& flow, HpccSample& sample, double baseRttNs);

  private:
    /**
     * Finds the hops of L in a sample, and stores records of all hops in m_completed.
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
     * @return bit mask of the hops of L that the sample lacks; 0 if there is none, or if the sample
     * is of another path
     */
    uint32_t Match(const HpccFlow& flow, const HpccSample& sample);

    /**
     * Adds the hops of a sample that L lacks, and puts the hops of L into the order of the sample.
     * L is unchanged if the sample is of another path, or if a record has no switch id.
     * @param flow the flow's state, with HpccFlow::thinned
     * @param sample the sample of an acknowledgement
     */
    static void Merge(HpccFlow& flow, const HpccSample& sample);

    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> m_completed; ///< records of all hops
};

} // namespace ns3

#endif // HPCC_MISSING_HOPS_H
