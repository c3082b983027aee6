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
 * Sizes of a training job with tensor, pipeline and data parallelism.
 */
struct HpccTrainingPlan
{
    uint32_t tensor{1};          ///< ranks that share a layer
    uint32_t pipeline{1};        ///< stages
    uint32_t data{1};            ///< copies of the model
    uint32_t layers{1};          ///< of a stage
    uint32_t microbatches{1};    ///< of a copy, per iteration
    uint64_t activationBytes{0}; ///< what a layer's ranks add up, per microbatch
    uint64_t gradientBytes{0};   ///< what a rank has of a layer's gradients
    uint64_t forwardNs{0};       ///< computation of a layer for a microbatch, ns; twice that back
    uint32_t iterations{1};      ///< how often all of it is done
};

/**
 * @ingroup hpcc
 *
 * Makes a training job. Rank (d * pipeline + s) * tensor + t is part t of stage s of copy d.
 *
 * A stage takes microbatches forward, then one forward and one backward in turns, then the rest
 * backward (1F1B: D. Narayanan et al., SC 2021). Each layer ends with an all-reduce over its ranks,
 * which the next computation waits for. A stage sends each neighbour the activations, or their
 * gradients, in equal parts per rank. After the last microbatch, a layer's gradients are added up
 * over the copies, beside what follows. Another iteration begins when a rank has ended all that.
 * Collectives are rings.
 *
 * @param plan the sizes; what is out of range throws HpccInputError
 * @param name what messages call it
 * @return the job
 */
HpccJobGraph MakeTrainingJob(const HpccTrainingPlan& plan, const std::string& name);

} // namespace ns3

#endif // HPCC_TRAINING_JOB_H
