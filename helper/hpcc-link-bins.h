/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_LINK_BINS_H
#define HPCC_LINK_BINS_H

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Counts the bytes that a port sends in time bins of equal length. The bytes of a frame are divided
 * among the bins of its transmission, so that a bin never contains more bytes than the link can
 * carry during the bin. Bytes are whole numbers; the sum of all bins is exact.
 */
class HpccLinkBins
{
  public:
    /// Creates the bins, all empty.
    /// @param binNs length of a bin, ns, at least 1
    explicit HpccLinkBins(int64_t binNs)
        : m_binNs(binNs)
    {
    }

    /**
     * Counts a frame. The frames of a port must be counted in the order in which it sends them.
     * @param startNs time from the start of the first bin to the start of the transmission, rounded
     * down to whole ns as ports report it. If it is negative, only the bytes sent after the start
     * of the first bin count
     * @param linkBytes bytes that the frame occupies on the link
     * @param rateBps rate of the link, bit/s, at least 1
     */
    void Add(int64_t startNs, uint32_t linkBytes, uint64_t rateBps);

    /// Returns the bytes by bin, up to the last bin with bytes. All bytes of the last frame count,
    /// even if its transmission has not ended.
    const std::vector<uint64_t>& GetBytes() const
    {
        return m_bytes;
    }

    /// Replaces the counts.
    /// @param bytes bytes by bin
    void SetBytes(std::vector<uint64_t> bytes)
    {
        m_bytes = std::move(bytes);
    }

    /**
     * Adds bytes to a bin.
     * @param bins bytes by bin; extended up to the bin
     * @param bin index of the bin, from 0
     * @param bytes number of bytes to add
     */
    static void AddTo(std::vector<uint64_t>& bins, size_t bin, uint64_t bytes);

  private:
    /**
     * Divides the bytes of a frame among the bins of its transmission.
     * @param startNs see Add()
     * @param linkBytes see Add()
     * @param rateBps see Add()
     * @param fraction time from @p startNs to the exact start of the frame, multiplied by @p
     * rateBps; ns times bit/s
     */
    void Divide(int64_t startNs, uint32_t linkBytes, uint64_t rateBps, uint64_t fraction);

    int64_t m_binNs;           ///< length of a bin, ns
    size_t m_bin{0};           ///< index of the bin in which the last frame started
    int64_t m_startOfBinNs{0}; ///< start of bin m_bin, ns
    int64_t m_startNs{0};      ///< start of the last frame, ns, rounded down
    uint64_t m_work{0};        ///< time from m_startNs to the end of the last frame, multiplied by
                               ///< the rate of the link; ns times bit/s
    std::vector<uint64_t> m_bytes; ///< bytes by bin
};

} // namespace ns3

#endif // HPCC_LINK_BINS_H
