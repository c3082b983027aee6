/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_SPEC_H
#define HPCC_JOB_SPEC_H

#include "ns3/hpcc-job-graph.h"
#include "ns3/hpcc-job-run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * A job of hpcc-job: the operations that --job= describes, and their hosts.
 */
struct HpccPlacedJob
{
    std::string kind;            ///< goal, simai, training or a collective
    uint32_t iterations{1};      ///< number of iterations that the graph contains
    HpccJobGraph graph;          ///< the job
    std::vector<uint32_t> hosts; ///< hosts by rank
};

/**
 * Makes jobs from their descriptions: SOURCE[@PLACEMENT], where a SOURCE is
 * - goal:FILE, see ReadGoal()
 * - simai:FILE[,passes=N][,channels=N][,ranks=N][,all-reduce=ALGORITHM][,gather=ALGORITHM]
 *   [,broadcast=ALGORITHM], see ReadSimAi()
 * - training:TPxPPxDP,activation=BYTES,gradient=BYTES[,layers=N][,microbatches=N][,compute=TIME]
 *   [,times=N], see MakeTrainingJob()
 * - COLLECTIVE:ALGORITHM[+ALGORITHM...],bytes=N[,ranks=N][,channels=N][,chunks=N][,window=N]
 *   [,dims=AxB...][,times=N][,compute=TIME], see HpccCollectivePlan
 *
 * and a PLACEMENT is random, or a list of hosts by rank, such as 0,4,8-11. Without a PLACEMENT, the
 * job gets the lowest-numbered hosts that no earlier job uses. Invalid input throws HpccInputError.
 *
 * @param texts values of --job=
 * @param hosts hosts of the network, ascending. Empty if a network model without hosts is used. In
 * this case, the ranks of all jobs are numbered consecutively, and HpccPlacedJob::hosts contains
 * these numbers
 * @param stream random stream of placements
 * @return the jobs
 */
std::vector<HpccPlacedJob> PlaceJobs(const std::vector<std::string>& texts,
                                     const std::vector<uint32_t>& hosts,
                                     int64_t stream);

/**
 * Reads an option that gives values to some hosts: HOST:VALUE[,HOST:VALUE...].
 * @param option name of the option in error messages
 * @param text text in this format
 * @return value by host, as text
 */
std::map<uint32_t, std::string> ReadByHost(const std::string& option, const std::string& text);

} // namespace ns3

#endif // HPCC_JOB_SPEC_H
