/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-missing-hops.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ns3
{

namespace
{

constexpr HpccFlow::LastLoad UNKNOWN_LOAD{0, std::numeric_limits<int64_t>::min() / 2};

constexpr uint8_t NEW = UINT8_MAX; ///< position of a hop that is not in L

/// For each hop of a sample, its position in L, or NEW.
using Positions = std::array<uint8_t, MAX_TELEMETRY_HOPS>;

/**
 * Finds the position in L of each hop of a sample.
 * @param flow the flow's state
 * @param sample the sample of an acknowledgement
 * @param positions receives the positions
 * @return false if a hop has no switch id, if L would have too many hops, or if the sample is of
 * another path. The sample is of another path if a switch occurs twice in the sample, or if a
 * switch has a different port in the sample than in L
 */
bool
Locate(const HpccFlow& flow, const HpccSample& sample, Positions& positions)
{
    uint32_t hops = flow.hopCount;
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const HopTelemetry& hop = sample.hops[i];
        const bool again = std::any_of(sample.hops, sample.hops + i, [&hop](const auto& earlier) {
            return earlier.switchId == hop.switchId;
        });
        if (again || !(hop.fields & TELEMETRY_SWITCH_ID))
        {
            return false;
        }
        const auto* const first = flow.records.data();
        const auto* const end = first + flow.hopCount;
        const auto* const record = std::find_if(first, end, [&hop](const auto& known) {
            return known.switchId == hop.switchId;
        });
        positions[i] = record == end ? NEW : static_cast<uint8_t>(record - first);
        if (record == end ? ++hops > MAX_TELEMETRY_HOPS
                          : hop.fields & TELEMETRY_PORT_ID && hop.portId != record->portId)
        {
            return false;
        }
    }
    return true;
}

/// Fills L in a new order from a copy of the hops in their old order.
class Rearrangement
{
  public:
    /// Copies the hops of the flow and empties L.
    /// @param flow the flow's state
    explicit Rearrangement(HpccFlow& flow)
        : m_flow(flow),
          m_records(flow.records),
          m_loads(flow.lastLoads),
          m_windows(flow.hopWindows ? *flow.hopWindows : HpccFlow::HopWindows{})
    {
        m_flow.hopCount = 0;
        m_flow.lastLoads.clear();
    }

    /// Appends a hop of the old L to the new L.
    /// @param position position of the hop in the old L
    void Move(uint8_t position)
    {
        Append(m_records[position],
               m_loads.empty() ? UNKNOWN_LOAD : m_loads[position],
               m_windows[position]);
    }

    /// Appends a hop that was not in the old L to the new L.
    /// @param hop record of the hop
    void Add(const HopTelemetry& hop)
    {
        HpccFlow::Record record{};
        record.SetIds(hop, m_flow.hopCount);
        Append(record,
               UNKNOWN_LOAD,
               {m_flow.referenceBytes, m_flow.utilization, m_flow.incStage, false});
    }

  private:
    /**
     * Appends a hop to the new L.
     * @param record the hop's element of L
     * @param load the hop's last u'
     * @param window the hop's own window
     */
    void Append(const HpccFlow::Record& record,
                const HpccFlow::LastLoad& load,
                const HpccFlow::HopWindow& window)
    {
        m_flow.records[m_flow.hopCount] = record;
        m_flow.lastLoads.push_back(load);
        if (m_flow.hopWindows)
        {
            (*m_flow.hopWindows)[m_flow.hopCount] = window;
        }
        ++m_flow.hopCount;
    }

    HpccFlow& m_flow;                                                 ///< the flow's state
    const std::array<HpccFlow::Record, MAX_TELEMETRY_HOPS> m_records; ///< the old L
    const std::vector<HpccFlow::LastLoad> m_loads; ///< last u' of each hop of the old
                                                   ///< L; may be empty
    const HpccFlow::HopWindows m_windows; ///< windows of the hops of the old L; unused without
                                          ///< HpccFlow::hopWindows
};

} // namespace

uint32_t
HpccMissingHops::Complete(HpccFlow& flow, HpccSample& sample, double baseRttNs)
{
    if (!(sample.telemetry->fields & TELEMETRY_SWITCH_ID))
    {
        return 0;
    }
    if (flow.thinned)
    {
        Merge(flow, sample);
    }
    const uint32_t missing = Match(flow, sample);
    if (missing == 0)
    {
        return 0;
    }
    flow.lastLoads.resize(flow.hopCount, UNKNOWN_LOAD);
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        const HpccFlow::LastLoad& last = flow.lastLoads[i];
        if (missing >> i & 1 && static_cast<double>(sample.nowNs - last.atNs) <= 2 * baseRttNs)
        {
            m_completed[i].load = last.u;
        }
    }
    sample.hops = m_completed.data();
    sample.hopCount = flow.hopCount;
    return missing;
}

uint32_t
HpccMissingHops::Match(const HpccFlow& flow, const HpccSample& sample)
{
    uint32_t missing = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < flow.hopCount; ++i)
    {
        const HpccFlow::Record& record = flow.records[i];
        const HopTelemetry* hop = next < sample.hopCount ? &sample.hops[next] : nullptr;
        if (hop && (hop->fields & TELEMETRY_SWITCH_ID) && hop->switchId == record.switchId &&
            (!(hop->fields & TELEMETRY_PORT_ID) || hop->portId == record.portId))
        {
            m_completed[i] = *hop;
            ++next;
            continue;
        }
        missing |= 1U << i;
        m_completed[i] = {};
        m_completed[i].fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_LOAD;
        m_completed[i].switchId = record.switchId;
        m_completed[i].portId = record.portId;
        m_completed[i].load = -1; // unknown
    }
    return next < sample.hopCount ? 0 : missing;
}

void
HpccMissingHops::Merge(HpccFlow& flow, const HpccSample& sample)
{
    Positions positions;
    if (!Locate(flow, sample, positions))
    {
        return;
    }
    const uint8_t* const end = positions.data() + sample.hopCount;
    uint32_t known = 0; // hops of L that are in the sample, one bit each
    bool ordered = true;
    for (const uint8_t* position = positions.data(); position != end; ++position)
    {
        ordered = ordered && *position != NEW && known >> *position == 0;
        known |= *position == NEW ? 0 : 1U << *position;
    }
    if (ordered)
    {
        return;
    }
    // The hops of L that are in the sample swap places until they are in the order of the sample. A
    // hop that is new in L is placed next to its neighbour in the sample. Each swap reduces the
    // number of hop pairs in the wrong order, so L soon has the order of the path.
    const uint32_t before = flow.hopCount;
    Rearrangement hops(flow);
    const uint8_t* next = positions.data();
    const auto addNew = [&] {
        for (; next != end && *next == NEW; ++next)
        {
            hops.Add(sample.hops[next - positions.data()]);
        }
    };
    for (uint32_t i = 0; i < before; ++i)
    {
        if (!(known >> i & 1))
        {
            hops.Move(static_cast<uint8_t>(i));
            continue;
        }
        addNew();
        hops.Move(*next++);
        addNew();
    }
    addNew();
}

} // namespace ns3
