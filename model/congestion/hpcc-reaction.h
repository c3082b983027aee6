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
 * Selects the acknowledgements that update U and the window, according to HpccParameters::reaction.
 * For acknowledgements between two commits, HpccParameters::skipEmptyHops is considered as well.
 */
struct HpccReaction
{
    /**
     * Decides whether an acknowledgement commits even if the condition of line 22 does not hold.
     * With REACT_PER_ACK, every acknowledgement commits. With other reactions, an acknowledgement
     * commits if its records are the first of a path and have set U
     * (HpccParameters::FIRST_ESTIMATE). Exception: this rule does not apply while records of other
     * paths of the flow are valid. Without this exception, the first records of several paths could
     * each cause a commit for the same queue.
     * @param parameters parameters of the control law
     * @param flow the flow's state
     * @param outcome outcome of the acknowledgement's measurement
     * @return true if the acknowledgement commits
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
     * @param reset reason why the records of a sample are treated as the first of a path
     */
    static bool IsOfOtherPath(const HpccFlow& flow, HpccReset reset)
    {
        return flow.otherPaths && reset != HpccReset::IDLE_GAP;
    }

    /**
     * Returns true if acknowledgements between two commits also change W (line 26).
     * @param parameters parameters of the control law
     */
    static bool FollowsBetweenCommits(const HpccParameters& parameters)
    {
        return parameters.reaction == HpccParameters::REACT_REFERENCE;
    }

    /**
     * Returns true if an acknowledgement must change neither U nor L, because it cannot commit.
     * @param parameters parameters of the control law
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
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
     * @param parameters parameters of the control law
     * @param flow the flow's state
     * @param sample the sample of an acknowledgement
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
