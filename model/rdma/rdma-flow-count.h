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
 * Makes the receiver count the flows that share a traffic class of its link. HPCC++ uses the count
 * as N in W_ai. ACKs carry the count to the sender, unless the receiver computes the window. Short
 * name: packet:n.
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
     * Returns the time for which a flow is counted after its last packet, ns: the attribute Window,
     * or T if Window is 0.
     * @param networkBaseRttNs T of the network, ns
     */
    int64_t GetWindowNs(int64_t networkBaseRttNs) const
    {
        return m_window.IsZero() ? networkBaseRttNs : m_window.GetNanoSeconds();
    }

  private:
    Time m_window; ///< attribute Window
};

} // namespace ns3

#endif // RDMA_FLOW_COUNT_H
