/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_GOAL_H
#define HPCC_JOB_GOAL_H

#include "hpcc-job-graph.h"

#include <istream>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Reads a job in the text format GOAL of LogGOPSim and ATLAHS. The text begins with "num_ranks N".
 * For each rank, in order, a block from "rank R {" to "}" has one statement per line:
 * - [LABEL:] send BYTESb to RANK [tag TAG] [cpu CPU] [nic NIC]; 0 bytes are treated as 1
 * - [LABEL:] recv BYTESb from RANK [tag TAG] [cpu CPU] [nic NIC]; -1 means any rank or tag
 * - [LABEL:] calc NS [cpu CPU]
 * - LABEL requires LABEL: the operation on the left begins when the operation on the right has
 * ended
 * - LABEL irequires LABEL: the operation on the left begins when the operation on the right has
 * begun
 *
 * A LABEL must be defined in an earlier line of its block. CPU is from 0 to 254, NIC from 0 to 255.
 * The default tag is 0. Computations with the same CPU run one after another. Comments have the
 * syntax of C++.
 *
 * @param in the text
 * @param name name for error messages
 * @return the job; other text throws HpccInputError with name and line
 */
HpccJobGraph ReadGoal(std::istream& in, const std::string& name);

} // namespace ns3

#endif // HPCC_JOB_GOAL_H
