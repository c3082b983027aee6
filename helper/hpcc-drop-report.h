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
 * Describes the frames that a network has dropped or may drop.
 */
class HpccDropReport
{
  public:
    /**
     * Returns the number of frames that all ranks have dropped, by reason. All ranks must call this
     * function at the same time.
     * @param fabric the network
     * @return text such as "frames dropped: 3 buffer-full, 1 link-down"; empty if no frame was
     * dropped
     */
    static std::string Describe(const HpccFabricHelper& fabric);

    /**
     * Returns a warning if full buffers have caused drops, but no switch of any rank has trimmed a
     * packet. In this case, no queue has reached its trimming threshold. HpccFabricHelper refuses
     * thresholds that no queue can ever reach. It accepts a threshold just below the limit of the
     * buffer. However, a queue stops growing when the next packet does not fit. The queue may then
     * be up to one packet below the limit, and thus still below the threshold. All ranks must call
     * this function at the same time.
     * @param fabric the network, with trimming
     * @return the warning, one line; empty if packets were trimmed or no packet was dropped
     */
    static std::string DescribeUntrimmed(const HpccFabricHelper& fabric);

    /**
     * Returns a warning if switches may drop packets of a lossless priority, because the headroom
     * of a port is less than the bytes that may arrive before a pause takes effect. Considers the
     * packets of RdmaHost::Mtu with the DSCP of RDMA or without a DSCP, and with the telemetry of
     * the flows. With several ranks, all ranks must call this function.
     * @param fabric the network
     * @return the warning, one line, which describes one such port; empty if there is none
     */
    static std::string DescribeHeadroom(const HpccFabricHelper& fabric);
};

} // namespace ns3

#endif // HPCC_DROP_REPORT_H
