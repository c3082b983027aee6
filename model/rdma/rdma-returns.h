/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RETURNS_H
#define RDMA_RETURNS_H

#include "rdma-return.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Returns telemetry only in some ACKs, or in ACKs that cover several packets. Short names:
 *
 * - packet:delayed-ack: one ACK per 2 packets.
 * - packet:delayed-ack-8: one ACK per 8 packets.
 * - packet:delayed-ack-urgent: like packet:delayed-ack-8, but the receiver acknowledges immediately
 *   when the load that it measures reaches 0.95.
 * - packet:every-8th-ack: one ACK in 8 returns telemetry.
 *
 * The attributes AckInterval, ReturnInterval (at least 1) and LargestQueue set the members of
 * RdmaReturn::Description with the same names. The attribute UrgentLoad (0 or more) is a load u'. A
 * packet that raises u' to this load or more is acknowledged immediately. A value of 0 disables
 * this rule.
 */
class RdmaAckReturn : public RdmaReturn
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;
    std::string CheckFormat(const TelemetryFormat& format) const override;

  private:
    uint32_t m_ackInterval;    ///< attribute AckInterval
    uint32_t m_returnInterval; ///< attribute ReturnInterval
    bool m_largestQueue;       ///< attribute LargestQueue
    double m_urgentLoad;       ///< attribute UrgentLoad
};

/**
 * @ingroup hpcc
 *
 * Returns the telemetry of each packet in a separate packet, a notification. Short name:
 * notification.
 */
class RdmaNotifiedReturn : public RdmaReturn
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;
};

} // namespace ns3

#endif // RDMA_RETURNS_H
