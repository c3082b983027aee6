/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MPI_RANKS_H
#define HPCC_MPI_RANKS_H

#include "hpcc-ranks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Base of ranks over MPI, for any way of synchronisation: the ranks that exist, and the links
 * between them. Both ends of a link number it alike, since both ranks call Join() in the same
 * order.
 */
class HpccMpiRanks : public HpccRanks
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Starts MPI, unless it runs.
    HpccMpiRanks();
    ~HpccMpiRanks() override;

    uint32_t GetRank() const override;
    uint32_t GetSize() const override;
    void Begin() override;
    void End() override;
    std::vector<std::string> Exchange(const std::string& mine) override;

  protected:
    /**
     * Adds a link to another rank.
     * @param channel the link
     * @param here its end at this rank
     * @param lookaheadNs how long before a frame arrives it is announced to the other rank, ns
     */
    void AddLink(QbbChannel& channel, QbbNetDevice& here, int64_t lookaheadNs);

    /**
     * @param rank another rank
     * @return the ends here of the links to it
     */
    const std::vector<QbbNetDevice*>& LinksTo(uint32_t rank) const
    {
        return m_links[rank];
    }

  private:
    std::vector<std::vector<QbbNetDevice*>> m_links; ///< the ends here, by the other end's rank
    bool m_initialized{false};                       ///< this object has started MPI
};

} // namespace ns3

#endif // HPCC_MPI_RANKS_H
