/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_REACTION_H
#define HPCC_REACTION_H

#include "hpcc-inflight.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Variants that select the acknowledgements on which U is measured and the window is computed:
 * HpccParameters::reaction, and HpccParameters::skipEmptyHops for acknowledgements between two
 * commits.
 */
struct HpccReaction
{
    /**
     * Decides whether an acknowledgement commits regardless of line 22. With REACT_PER_ACK, every
     * acknowledgement commits. Otherwise only an acknowledgement whose first records have set U
     * does so (HpccParameters::FIRST_ESTIMATE), unless other paths of the flow are known: in the
     * round trip after a commit, the first records of many paths can show the same queue.
     * @param parameters the parameters
     * @param flow the flow's state
     * @param outcome the measurement
     * @return true if it commits
     */
    static bool CommitsAtOnce(const HpccParameters& parameters,
                              const HpccFlow& flow,
                              const HpccOutcome& outcome)
    {
        return parameters.reaction == HpccParameters::REACT_PER_ACK ||
               (outcome.reset != HpccReset::NONE && !IsOfOtherPath(flow, outcome.reset));
    }

    /**
     * Returns true if records of other paths of a flow remain valid.
     * @param flow the flow's state
     * @param reset why the records of a sample are first ones
     */
    static bool IsOfOtherPath(const HpccFlow& flow, HpccReset reset)
    {
        return flow.otherPaths && reset != HpccReset::IDLE_GAP;
    }

    /**
     * Returns true if an acknowledgement that does not commit changes W (line 26).
     * @param parameters the parameters
     */
    static bool FollowsBetweenCommits(const HpccParameters& parameters)
    {
        return parameters.reaction == HpccParameters::REACT_REFERENCE;
    }

    /**
     * Returns true if an acknowledgement must not change U and L, because it cannot commit.
     * @param parameters the parameters
     * @param flow the flow's state
     * @param sample the acknowledgement
     */
    static bool LeavesOut(const HpccParameters& parameters,
                          const HpccFlow& flow,
                          const HpccSample& sample)
    {
        return parameters.reaction == HpccParameters::REACT_RTT_SAMPLE && flow.hopCount > 0 &&
               sample.ackSeq <= flow.lastUpdateSeq;
    }

    /**
     * Returns true if an acknowledgement ignores records of empty queues, because it cannot commit.
     * @param parameters the parameters
     * @param flow the flow's state
     * @param sample the acknowledgement
     */
    static bool IgnoresEmptyHops(const HpccParameters& parameters,
                                 const HpccFlow& flow,
                                 const HpccSample& sample)
    {
        return parameters.skipEmptyHops && sample.ackSeq <= flow.lastUpdateSeq;
    }
};

} // namespace ns3

#endif // HPCC_REACTION_H
