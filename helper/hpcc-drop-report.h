/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_DROP_REPORT_H
#define HPCC_DROP_REPORT_H

#include "hpcc-fabric-helper.h"

#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Describes the frames that a network has dropped.
 */
class HpccDropReport
{
  public:
    /**
     * Counts the drops of all ranks by reason. All ranks must call it at the same time.
     * @param fabric the network
     * @return such as "frames dropped: 3 buffer-full, 1 link-down"; empty if there are none
     */
    static std::string Describe(const HpccFabricHelper& fabric);

    /**
     * Finds out whether the switches of all ranks have dropped packets for lack of memory and
     * trimmed none. HpccFabricHelper refuses thresholds that no queue can reach. Whether a queue
     * reaches a lower threshold depends on the traffic: the longest queue of full packets may be
     * up to one packet below the limit of the buffer. All ranks must call it at the same time.
     * @param fabric the network, with trimming
     * @return one line that says so; empty if packets were trimmed or none was dropped
     */
    static std::string DescribeUntrimmed(const HpccFabricHelper& fabric);
};

} // namespace ns3

#endif // HPCC_DROP_REPORT_H
