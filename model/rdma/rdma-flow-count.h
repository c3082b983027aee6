/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FLOW_COUNT_H
#define RDMA_FLOW_COUNT_H

#include "rdma-feedback-part.h"

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Lets the receiver count the flows that share a traffic class of its link; HPCC++ uses the count
 * as N in W_ai. ACKs carry their number, unless the receiver computes. Short name: packet:n.
 */
class RdmaFlowCount : public RdmaFeedbackPart
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param networkBaseRttNs T of the network, ns
     * @return Window in force, ns
     */
    int64_t GetWindowNs(int64_t networkBaseRttNs) const
    {
        return m_window.IsZero() ? networkBaseRttNs : m_window.GetNanoSeconds();
    }

  private:
    Time m_window; ///< attribute
};

} // namespace ns3

#endif // RDMA_FLOW_COUNT_H
