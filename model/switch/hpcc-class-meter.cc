/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-class-meter.h"

#include <algorithm>

namespace ns3
{

ClassMeter::ClassMeter(const EgressScheduler& scheduler, uint64_t rateBps)
    : m_rateBps(static_cast<double>(rateBps))
{
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        const double share = scheduler.GetShare(p);
        m_classes[p] = {scheduler.GetAhead(p),
                        scheduler.GetPeers(p),
                        share,
                        static_cast<uint64_t>(share * m_rateBps),
                        rateBps,
                        0};
    }
}

void
ClassMeter::Close(const Bytes& sent, int64_t windowNs)
{
    const double bpsPerByte = 8e9 / static_cast<double>(windowNs);
    const auto sum = [&](uint8_t priorities) {
        double bytes = 0;
        for (uint8_t p = 0; p < PRIORITIES; ++p)
        {
            bytes += priorities >> p & 1 ? sent[p] : 0;
        }
        return bytes * bpsPerByte;
    };
    for (uint8_t p = 0; p < PRIORITIES; ++p)
    {
        Class& own = m_classes[p];
        const double left = std::max(m_rateBps - sum(own.ahead), 0.0);
        const double residual = std::max(own.share * left, left - sum(own.peers));
        own.residualBps = static_cast<uint64_t>(residual);
        own.sentBps = sent[p] * bpsPerByte;
    }
}

} // namespace ns3
