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
 * Parameters that a SimAI workload does not specify.
 */
struct HpccSimAiChoices
{
    uint32_t passes{1};                ///< number of training iterations, at least 1
    uint32_t channels{1};              ///< number of channels of each collective, see
                                       ///< HpccCollectivePlan
    uint32_t ranks{0};                 ///< number of ranks; 0: the all_gpus of the text
    std::string allReduce{"ring"};     ///< algorithm of ALLREDUCE
    std::string scatterGather{"ring"}; ///< algorithm of ALLGATHER and REDUCESCATTER
    std::string broadcast{"tree"};     ///< algorithm of BROADCAST
};

/**
 * @ingroup hpcc
 *
 * Reads a job in the workload text that aicb writes for SimAI. Line 1 contains the policy and the
 * sizes of the groups, and line 2 contains the number of layers. Each further line is a layer of 12
 * columns. The first two columns are the name of the layer and its dependency, which must be -1.
 * Three groups of three columns follow, for the forward pass, the input gradient and the weight
 * gradient: computation in ns, collective, bytes. The last column is the update in ns.
 *
 * A training iteration first runs forward through the layers. A layer computes only after its
 * weight gradient and its update of the previous iteration are complete. The layer's collective
 * runs after its computation. As in SimAI, this collective has at least 4096 bytes, and 1 ns passes
 * after its end. Then the iteration runs backward through the layers: input gradient, its
 * collective, weight gradient. The collective of the weight gradient, followed by the update, runs
 * in parallel with later operations. Collectives of the same ranks run one after another.
 *
 * Before the backward pass of a layer L in checkpoint_initiates, some layers run forward again,
 * with computations and collectives: the layers from the nearest checkpoint below L up to the layer
 * just before L.
 *
 * The first rank of a group sends the data of a BROADCAST. SimAI itself accepts a BROADCAST but
 * sends nothing.
 *
 * A TP group has consecutive ranks. In the other groups, the ranks of successive members differ by
 * a constant: TP * PP in an EP or DP group, EP * TP * PP in a DP_EP group. Here TP, PP and EP are
 * the sizes of the groups. Therefore EP and DP_EP groups are parts of DP groups. SimAI differs
 * here: its EP group consists of adjacent TP groups, which belong to different stages of the
 * pipeline if PP is above 1. Pipeline parallelism sends no messages, as in SimAI.
 *
 * @param in the text
 * @param name name for error messages
 * @param choices parameters that the text does not specify
 * @return the job; invalid text throws HpccInputError with name and line
 */
HpccJobGraph ReadSimAi(std::istream& in,
                       const std::string& name,
                       const HpccSimAiChoices& choices = {});

} // namespace ns3

#endif // HPCC_JOB_SIMAI_H
