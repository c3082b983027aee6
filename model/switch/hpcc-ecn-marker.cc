/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-ecn-marker.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/string.h"

#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EcnMarker);

TypeId
EcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::EcnMarker")
            .SetParent<Object>()
            .SetGroupName("Hpcc")
            .AddConstructor<EcnMarker>()
            .AddAttribute("Enabled",
                          "Mark ECN-capable packets.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&EcnMarker::m_enabled),
                          MakeBooleanChecker())
            .AddAttribute("Thresholds",
                          "\"rate:kmin:kmax:pmax\" entries separated by commas, kmin and kmax in "
                          "bytes. A speed "
                          "without entry has kmin and kmax of the first entry, scaled with the "
                          "speed. Default: "
                          "DCQCN in the evaluation of HPCC (SIGCOMM 2019).",
                          StringValue("25Gbps:100000:400000:0.2"),
                          MakeStringAccessor(&EcnMarker::SetText, &EcnMarker::GetText),
                          MakeStringChecker());
    return tid;
}

void
EcnMarker::SetText(std::string text)
{
    std::vector<Entry> parsed;
    std::istringstream entries(text);
    std::string entry;
    while (std::getline(entries, entry, ','))
    {
        Entry e{};
        DataRate rate;
        auto colon = entry.find(':');
        std::istringstream rateIn(entry.substr(0, colon));
        std::istringstream in(colon == std::string::npos ? "" : entry.substr(colon + 1));
        char c1 = 0;
        char c2 = 0;
        bool good = rateIn >> rate && in >> e.thresholds.kminBytes >> c1 >>
                                          e.thresholds.kmaxBytes >> c2 >> e.thresholds.pmax;
        NS_ABORT_MSG_UNLESS(
            good && c1 == ':' && c2 == ':' && e.thresholds.kminBytes >= 0 &&
                e.thresholds.kmaxBytes >= e.thresholds.kminBytes && e.thresholds.pmax >= 0 &&
                e.thresholds.pmax <= 1,
            "EcnMarker::Thresholds: \""
                << entry << "\" is not RATE:KMIN:KMAX:PMAX with 0 <= KMIN <= KMAX, 0 <= PMAX <= 1");
        e.rateBps = rate.GetBitRate();
        parsed.push_back(e);
    }
    NS_ABORT_MSG_IF(parsed.empty(),
                    "EcnMarker::Thresholds: at least one RATE:KMIN:KMAX:PMAX is needed");
    m_entries = parsed;
    m_text = text;
}

std::string
EcnMarker::GetText() const
{
    return m_text;
}

EcnMarker::Thresholds
EcnMarker::ForRate(uint64_t rateBps) const
{
    for (const auto& entry : m_entries)
    {
        if (entry.rateBps == rateBps)
        {
            return entry.thresholds;
        }
    }
    Thresholds scaled = m_entries.front().thresholds;
    double factor = static_cast<double>(rateBps) / static_cast<double>(m_entries.front().rateBps);
    scaled.kminBytes *= factor;
    scaled.kmaxBytes *= factor;
    return scaled;
}

} // namespace ns3
