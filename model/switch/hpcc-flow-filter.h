/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FLOW_FILTER_H
#define HPCC_FLOW_FILTER_H

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Accepts each flow once per period, without memory per flow. The filter is a Bloom filter of BITS
 * bits and two hashes, which is cleared at every multiple of the period. A flow may be mistaken for
 * other flows and is then not accepted until the next period. The probability of this error is
 * about (1 - e^(-2n/BITS))^2 for n flows per period; for example, it is 1/440 for n = 100.
 */
class FlowFilter
{
  public:
    static constexpr std::size_t BITS = 4096; ///< size of the filter

    /// Sets the time after which the filter is cleared.
    /// @param periodNs the time, ns, at least 1
    void SetPeriod(int64_t periodNs)
    {
        m_periodNs = periodNs;
    }

    /**
     * Adds a flow to the filter.
     * @param flowHash hash of a flow's 5-tuple
     * @param nowNs current time, ns, not before that of the last call
     * @return true if the flow was not yet in the filter in this period
     */
    bool Add(uint32_t flowHash, int64_t nowNs);

  private:
    int64_t m_periodNs{1};     ///< period, ns
    int64_t m_endNs{0};        ///< end of the current period, ns
    std::bitset<BITS> m_flows; ///< flows added in the period
};

} // namespace ns3

#endif // HPCC_FLOW_FILTER_H
