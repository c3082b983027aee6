/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_COUNTER_H
#define HPCC_FLOW_COUNTER_H

#include <boost/intrusive/list.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts the flows that have delivered a packet to this host within the last interval. The result
 * is N of draft-miao-tsv-hpcc-01, section 6.3.2, "the number of outstanding flows". Each traffic
 * class of a port has its own counter. The cost per packet does not depend on the number of flows.
 */
class HpccFlowCounter
{
  public:
    /// A flow to be counted. The destructor removes the flow from its counter.
    class Flow : public boost::intrusive::list_base_hook<>
    {
      public:
        Flow() = default;
        Flow(const Flow&) = delete;
        Flow& operator=(const Flow&) = delete;

        ~Flow()
        {
            if (m_counter)
            {
                m_counter->Remove(*this);
            }
        }

      private:
        friend class HpccFlowCounter;
        HpccFlowCounter* m_counter{nullptr}; ///< counter that counts this flow; null if none
        int64_t m_seenNs{0};                 ///< arrival time of the flow's newest packet, ns
    };

    /// Makes the interval at least @p windowNs long. A longer interval is not changed.
    /// @param windowNs smallest length of the interval, ns
    void Cover(int64_t windowNs);

    /**
     * Counts a packet that has arrived.
     * @param flow flow of the packet
     * @param nowNs time of its arrival, ns; must not decrease from call to call
     * @return number of flows whose last packet is not older than the interval, at most 65535
     */
    uint16_t Count(Flow& flow, int64_t nowNs);

  private:
    /// Stops counting a flow.
    /// @param flow the flow
    void Remove(Flow& flow);

    boost::intrusive::list<Flow> m_flows; ///< counted flows; the flow whose last packet is oldest
                                          ///< comes first
    int64_t m_windowNs{0};                ///< length of the interval, ns, see Cover()
};

} // namespace ns3

#endif // HPCC_FLOW_COUNTER_H
