/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SAMPLINGS_H
#define RDMA_SAMPLINGS_H

#include "rdma-sampling.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The first data packet of a queue pair collects telemetry, and after it every N-th data packet,
 * where N is the attribute Interval. Short name: every-8.
 */
class RdmaIntervalSampling : public RdmaSampling
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;

  private:
    uint32_t m_interval; ///< attribute Interval
};

/**
 * @ingroup hpcc
 *
 * Each data packet collects telemetry with the probability given by the attribute Probability.
 * Short name: random.
 */
class RdmaRandomSampling : public RdmaSampling
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;

  private:
    double m_probability; ///< attribute Probability
};

/**
 * @ingroup hpcc
 *
 * A data packet collects telemetry if enough time has passed since the last data packet that
 * collected telemetry. The attribute Round is the minimum of this time. Short name: per-rtt.
 */
class RdmaRoundSampling : public RdmaSampling
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Description Describe() const override;
    std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const override;

  private:
    Time m_round; ///< attribute Round
};

/**
 * @ingroup hpcc
 *
 * Data packets collect no telemetry; one probe per round trip does, see HpccProbes. The receiver
 * answers the probe with a notification. Short name: probe.
 */
class RdmaProbing : public RdmaSampling
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

#endif // RDMA_SAMPLINGS_H
