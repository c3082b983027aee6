/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TRAINING_JOB_H
#define HPCC_TRAINING_JOB_H

#include "hpcc-job-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sizes of a training job with tensor, pipeline and data parallelism. Each count, such as the
 * number of layers, is from 1 to 65,536, and so is the total number of ranks.
 */
struct HpccTrainingPlan
{
    uint32_t tensor{1};          ///< number of ranks that share the work of each layer
    uint32_t pipeline{1};        ///< number of stages
    uint32_t data{1};            ///< number of replicas of the model
    uint32_t layers{1};          ///< number of layers per stage
    uint32_t microbatches{1};    ///< number of microbatches per replica and iteration
    uint64_t activationBytes{0}; ///< size of a layer's all-reduce, which takes place twice per
                                 ///< microbatch, once forward and once backward; 0 if tensor and
                                 ///< pipeline are 1
    uint64_t gradientBytes{0};   ///< size of a layer's gradients at a rank; 0 if data is 1
    uint64_t forwardNs{0};       ///< forward computation of a layer per microbatch, ns; the
                                 ///< backward computation takes twice as long
    uint32_t iterations{1};      ///< number of iterations
};

/**
 * @ingroup hpcc
 *
 * Makes a training job. Rank (d * pipeline + s) * tensor + t is part t of stage s of replica d.
 *
 * A stage runs some microbatches forward, then alternates between one forward and one backward,
 * then runs the remaining microbatches backward (1F1B: D. Narayanan et al., SC 2021). Each layer
 * ends with an all-reduce over its ranks, for which the next computation waits. A stage sends
 * activations to the next stage, and gradients of activations to the previous stage. Each rank
 * sends an equal part of these data. When the backward computation of a layer in the last
 * microbatch has ended, an all-reduce adds up the layer's gradients over the replicas. It runs in
 * parallel with the computations of the preceding layers. These all-reduces run one after another.
 * A rank begins the next iteration when all of these all-reduces have ended. All collectives use
 * rings.
 *
 * @param plan the sizes; values out of range throw HpccInputError
 * @param name name for error messages
 * @return the job
 */
HpccJobGraph MakeTrainingJob(const HpccTrainingPlan& plan, const std::string& name);

} // namespace ns3

#endif // HPCC_TRAINING_JOB_H
