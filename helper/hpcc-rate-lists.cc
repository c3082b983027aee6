/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rate-lists.h"

#include "ns3/hpcc-attribute-text.h"
#include "ns3/hpcc-split-at.h"

#include <algorithm>
#include <vector>

namespace ns3
{

const std::map<std::string, HpccRateList>&
HpccRateList::All()
{
    static const std::map<std::string, HpccRateList> all{
        {"ns3::SharedBuffer::AlphaPerRate", {false}},
        {"ns3::StaticBuffer::QueueBytesPerRate", {false}},
        {"ns3::PacketTrimmer::ThresholdPerRate", {false}},
        {"ns3::EcnMarker::Thresholds", {true}}};
    return all;
}

bool
HpccRateList::Acts(const std::string& text, const std::set<uint64_t>& rates) const
{
    const std::vector<std::string> entries = SplitAt(text, ',');
    return entries.size() <= (scaled ? 1U : 0U) ||
           std::any_of(entries.begin(), entries.end(), [&rates](const std::string& entry) {
               const auto rate = FindRate(entry.substr(0, entry.find(':')));
               return !rate || rates.count(rate->GetBitRate()) > 0;
           });
}

std::string
HpccRateList::DescribeRefusal(const std::string& ports) const
{
    return "no port" + (ports.empty() ? "" : " of " + ports) + " has one of these rates" +
           (scaled ? ", and only the first entry is scaled to others" : "");
}

} // namespace ns3
