/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COMPOSITE_SCHEDULER_H
#define HPCC_COMPOSITE_SCHEDULER_H

#include "hpcc-egress-scheduler.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The composite queue of NDP (Handley et al., SIGCOMM 2017) and of Ultra Ethernet's reference
 * simulator. One class consists of headers, which are trimmed packets and control packets; the
 * other class consists of data. While both classes have frames, the port sends HeadersPerData
 * header frames for each data frame. Within a class, the frame that has waited longest is sent
 * first, regardless of its priority.
 *
 * A PacketTrimmer decides which packets are trimmed.
 *
 * Attributes:
 *
 * - HeaderPriorities: priorities of the class of headers, one bit each; by default 4 to 7. The
 *   other priorities form the class of data.
 * - HeadersPerData: number of header frames sent per data frame while both classes have frames; at
 *   least 1.
 */
class CompositeScheduler final : public EgressScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    uint8_t Choose(uint8_t candidates, const QbbNetDevice& port) override;
    uint8_t GetWatched() const override;
    void Served(uint8_t priority) override;
    uint8_t GetAhead(uint8_t priority) const override;
    uint8_t GetPeers(uint8_t priority) const override;

  private:
    uint8_t m_headers;       ///< attribute HeaderPriorities
    uint32_t m_perData;      ///< attribute HeadersPerData
    uint32_t m_turn{0};      ///< number of header frames sent since the last data frame, while data
                             ///< waited
    bool m_contended{false}; ///< true if both classes had frames when Choose() was last called
};

} // namespace ns3

#endif // HPCC_COMPOSITE_SCHEDULER_H
