/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPORT_H
#define RDMA_REPORT_H

#include "rdma-feedback-part.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-sample.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Selects one hop of the path. Only the record of this hop is returned. Without an RdmaReport, the
 * records of all hops are returned. To add a part of this kind, see RdmaFeedbackPart.
 */
class RdmaReport : public RdmaFeedbackPart
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// State of one queue pair's responder.
    class Flow
    {
      public:
        virtual ~Flow() = default;

        /**
         * Selects a hop.
         * @param sample the records of a packet
         * @param report receives the record of the selected hop, and the previous record of the
         * same hop
         * @return true if a hop is selected; if false, the ACK returns no telemetry
         */
        virtual bool Pick(const HpccSample& sample, HpccBottleneckHop& report) = 0;
    };

    /**
     * Creates the state of a queue pair.
     * @param networkBaseRttNs base RTT of the network (T), ns; 0 if unknown
     * @return the state, not null
     */
    virtual std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const = 0;

    /// Returns true if only queue length, timestamp and sent bytes are returned, without the hop's
    /// id. Default: false.
    virtual bool IsBare() const
    {
        return false;
    }

    /**
     * Checks that the records of the format contain the values that HpccBottleneckHop requires:
     * queue length, and sent bytes or utilisation.
     * @param format the telemetry format
     * @return an empty string, or one line that names attribute, value and allowed values
     */
    std::string CheckFormat(const TelemetryFormat& format) const override;
};

/**
 * @ingroup hpcc
 *
 * Reports the hop with the largest u', see RdmaBottleneckPicker. Short name: packet:worst-hop.
 */
class RdmaBottleneckReport : public RdmaReport
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;

    bool IsBare() const override
    {
        return m_bare;
    }

  private:
    bool m_bare; ///< attribute Bare
};

} // namespace ns3

#endif // RDMA_REPORT_H
