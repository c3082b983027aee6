/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_SIMAI_H
#define HPCC_JOB_SIMAI_H

#include "hpcc-job-graph.h"

#include <cstdint>
#include <istream>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Choices that a SimAI workload leaves open.
 */
struct HpccSimAiChoices
{
    uint32_t passes{1};                ///< how often the layers are run, at least 1
    uint32_t channels{1};              ///< of collectives
    uint32_t ranks{0};                 ///< of a text without all_gpus; 0: it has them
    std::string allReduce{"ring"};     ///< algorithm of ALLREDUCE
    std::string scatterGather{"ring"}; ///< algorithm of ALLGATHER and REDUCESCATTER
    std::string broadcast{"tree"};     ///< algorithm of BROADCAST
};

/**
 * @ingroup hpcc
 *
 * Reads a job in the workload text that aicb writes for SimAI. Line 1 has the policy and the sizes
 * of the groups, line 2 the number of layers, then 12 columns per layer: name, dependency, and for
 * forward, input gradient and weight gradient each computation in ns, collective and bytes; last
 * the update in ns.
 *
 * A pass runs forward: for each layer, once its weight gradient of the pass before is there,
 * computation and collective; then backward: input gradient and its collective, weight gradient,
 * and its collective beside what follows. Collectives of the same ranks come one after another.
 * * Before a layer that initiates it (checkpoint_initiates) runs backward, the layers from the
 * nearest checkpoint before it run forward again, without the layer itself, computations and
 * collectives.
 *
 * A BROADCAST goes from the first rank of its group; SimAI reads it and sends nothing.
 *
 * Groups: TP consecutive ranks; DP the ranks of the same place in blocks of N / DP; EP the ranks of
 * the same place in adjacent TP groups; DP_EP the others of their kind. Pipeline parallelism sends
 * no messages, as in SimAI.
 *
 * @param in the text
 * @param name what messages call it
 * @param choices what the text leaves open
 * @return the job; what is not understood throws HpccInputError with name and line
 */
HpccJobGraph ReadSimAi(std::istream& in,
                       const std::string& name,
                       const HpccSimAiChoices& choices = {});

} // namespace ns3

#endif // HPCC_JOB_SIMAI_H
