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
 * Completes the records of packets that some hops have skipped. A switch need not insert a record
 * into every packet (draft-pan-tsvwg-hpccplus-02, section 6). Used with
 * HpccParameters::MISSING_SKIPS and formats with switch ids. If all records of a packet belong to
 * hops of the known path, in the order of this path, the packet is assumed to have taken this path.
 * The other hops have then skipped the packet. The stored record of a hop that has skipped the
 * packet is kept. For 2 T, the last u' of this hop is used in lines 6 and 7, with the time since
 * the last sample as tau. From the first skipped packet on, the last u' of each hop is stored.
 *
 * With HpccFlow::thinned, even the first packets of a flow may lack hops. Then the known path is
 * assembled from the records of several packets. A hop that is not in L is added. The records of a
 * packet determine the order of its hops; the position of an added hop relative to the other hops
 * is assumed until a packet has records of both. The path has changed only if a packet has left one
 * of the known switches by another port.
 */
class HpccMissingHops
{
  public:
    /**
     * Completes a sample.
     * @param flow the flow's state
     * @param sample the acknowledgement, with fewer records than L, or of a flow with
     * HpccFlow::thinned. If its records match some of the hops of L, in the order of L, the records
     * of all hops replace its records. They are valid until the next call
     * @param baseRttNs T, ns
     * @return the hops that were added, one bit each; 0 if the sample is of another path
     */
    uint32_t Complete(HpccFlow& flow, HpccSample& sample, double baseRttNs);

  private:
    /**
     * Finds the hops of L in a sample, and sets m_completed.
     * @param flow the flow's state
     * @param sample the acknowledgement
     * @return the hops that are missing, one bit each; 0 if the records are not those of the path
     * in L
     */
    uint32_t Match(const HpccFlow& flow, const HpccSample& sample);

    /**
     * Adds the hops of a sample that L lacks, and puts the hops of L into the order of the sample.
     * L is unchanged if the sample is of another path, or if hops have no ids.
     * @param flow the flow's state, with HpccFlow::thinned
     * @param sample the acknowledgement
     */
    static void Merge(HpccFlow& flow, const HpccSample& sample);

    std::array<HopTelemetry, MAX_TELEMETRY_HOPS> m_completed; ///< records of all hops
};

} // namespace ns3

#endif // HPCC_MISSING_HOPS_H
