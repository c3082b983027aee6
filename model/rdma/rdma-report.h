/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REPORT_H
#define RDMA_REPORT_H

#include "rdma-feedback-part.h"

#include "ns3/hpcc-inflight.h"
#include "ns3/hpcc-worst-hop.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Picks the one hop of a packet's path whose records are returned. Without one all records are
 * returned as received. RdmaFeedbackPart explains how a new one joins.
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
         * Picks a hop.
         * @param sample the records of a packet
         * @param report gets the record of the hop that is picked, and the record of the same hop
         * before it
         * @return true if one is picked; otherwise nothing is returned
         */
        virtual bool Pick(const HpccSample& sample, HpccWorstHop& report) = 0;
    };

    /**
     * Makes the state of a queue pair.
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     * @return the state, not null
     */
    virtual std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const = 0;

    /// @return true if only the draft's three values are returned, which do not say of which hop
    /// they are; false by default
    virtual bool IsBare() const
    {
        return false;
    }

    /**
     * Requires what HpccWorstHop carries of each hop.
     * @param format the telemetry format
     * @return an empty string, or one line that names attribute, value and what is allowed
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
    bool m_bare; ///< attribute
};

} // namespace ns3

#endif // RDMA_REPORT_H
