/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-link-bins.h"

#include "ns3/qbb-port-settings.h"

namespace ns3
{

namespace
{

__extension__ using Work = unsigned __int128; ///< product of a time in ns and a rate in bit/s

} // namespace

void
HpccLinkBins::AddTo(std::vector<uint64_t>& bins, size_t bin, uint64_t bytes)
{
    if (bins.size() <= bin)
    {
        bins.resize(bin + 1, 0);
    }
    bins[bin] += bytes;
}

void
HpccLinkBins::Add(int64_t startNs, uint32_t linkBytes, uint64_t rateBps)
{
    // A frame that follows another without a gap may start between two whole nanoseconds. Its exact
    // start is the end of the previous frame.
    const Work gap = Work(startNs - m_startNs) * rateBps;
    const bool follows = gap <= m_work && m_work - gap < rateBps;
    const uint64_t fraction = follows ? m_work - static_cast<uint64_t>(gap) : 0;
    m_startNs = startNs;
    m_work = fraction + linkBytes * QbbPortSettings::BITS_NS;

    if (startNs < 0)
    {
        const Work before = Work(-startNs) * rateBps;
        const Work sent = (before > fraction ? before - fraction : 0) / QbbPortSettings::BITS_NS;
        if (sent < linkBytes)
        {
            Divide(0, linkBytes - static_cast<uint32_t>(sent), rateBps, 0);
        }
        return;
    }

    // Most frames start and end in the bin in which the previous frame started. In this case no
    // division is needed.
    const int64_t endNs = m_startOfBinNs + m_binNs;
    if (m_startOfBinNs <= startNs && startNs < endNs && m_bin < m_bytes.size() &&
        Work(endNs - startNs) * rateBps >= m_work)
    {
        m_bytes[m_bin] += linkBytes;
        return;
    }
    Divide(startNs, linkBytes, rateBps, fraction);
}

void
HpccLinkBins::Divide(int64_t startNs, uint32_t linkBytes, uint64_t rateBps, uint64_t fraction)
{
    const uint64_t whole = linkBytes * QbbPortSettings::BITS_NS;
    m_bin = static_cast<size_t>(startNs / m_binNs);
    m_startOfBinNs = static_cast<int64_t>(m_bin) * m_binNs;
    size_t bin = m_bin;
    uint64_t counted = 0;
    Work reach = Work(m_binNs - startNs % m_binNs) * rateBps - fraction; // time to the end of the
                                                                         // bin, multiplied by the
                                                                         // rate
    for (; reach < whole; reach += Work(m_binNs) * rateBps)
    {
        const uint64_t sent = static_cast<uint64_t>(reach) / QbbPortSettings::BITS_NS;
        AddTo(m_bytes, bin++, sent - counted);
        counted = sent;
    }
    AddTo(m_bytes, bin, linkBytes - counted);
}

} // namespace ns3
