/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-csig-wide-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CsigWideFormat);

namespace
{

constexpr uint16_t ETHERTYPE = 0x9901;
constexpr uint8_t REFLECTION_ID = 66;

bool
IsPowerOfTwo(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

} // namespace

TypeId
CsigWideFormat::GetTypeId()
{
    static TypeId tid =
        AddEtherType(HpccTypeId::Of<CsigWideFormat, CsigFormat>("ns3::CsigWideFormat"), ETHERTYPE)
            .Attribute(
                "BandwidthBase",
                "Lower end of the range of available bandwidth (ABW), Mb/s; 0 or a power of two.",
                HpccField(&CsigWideFormat::m_bandwidthBase, 0)
                    .OnlyIf("UtilizationSignal", "AvailableBandwidth"))
            .Attribute("BandwidthStep",
                       "Width of a step of available bandwidth (ABW), Mb/s; a power of two.",
                       HpccField(&CsigWideFormat::m_bandwidthStep, 8, 1)
                           .OnlyIf("UtilizationSignal", "AvailableBandwidth"))
            .Attribute(
                "ShareBase",
                "Lower end of the range of the available share (ABW/C), ppm; 0 or a power of two.",
                HpccField(&CsigWideFormat::m_shareBase, 0)
                    .OnlyIf("UtilizationSignal", "AvailableShare"))
            .Attribute("ShareStep",
                       "Width of a step of the available share (ABW/C), ppm; a power of two.",
                       HpccField(&CsigWideFormat::m_shareStep, 1, 1)
                           .OnlyIf("UtilizationSignal", "AvailableShare"))
            .Attribute("DelayBase",
                       "Lower end of the range of delays (PD and nQD), ns; 0 or a power of two.",
                       HpccField(&CsigWideFormat::m_delayBase, 0))
            .Attribute("DelayStep",
                       "Width of a step of delays (PD and nQD), ns; a power of two.",
                       HpccField(&CsigWideFormat::m_delayStep, 128, 1))
            .Presets("csig-wide;csig-wide:delay=QueueSignal:HopDelay");
    return tid;
}

CsigWideFormat::CsigWideFormat()
    : CsigFormat({6, {28, 4}, {8, 20}, {32, 16}, 0},
                 {6, {28, 4}, {8, 20}, {33, 15}, uint64_t{1} << 32},
                 REFLECTION_ID)
{
}

CsigWideFormat::Steps
CsigWideFormat::StepsOf(Unit unit) const
{
    switch (unit)
    {
    case BANDWIDTH:
        return {m_bandwidthBase, m_bandwidthStep};
    case SHARE:
        return {m_shareBase, m_shareStep};
    default:
        return {m_delayBase, m_delayStep};
    }
}

uint32_t
CsigWideFormat::Quantise(uint32_t type, double value) const
{
    const Steps steps = StepsOf(UnitOf(type));
    const double ordinal = std::ceil((value - steps.base) / steps.step) - IsMinimum(type);
    return static_cast<uint32_t>(std::clamp(ordinal, 0.0, static_cast<double>(MaxNumber())));
}

double
CsigWideFormat::GetEdge(uint32_t type, uint32_t number) const
{
    const Steps steps = StepsOf(UnitOf(type));
    return steps.base + (static_cast<double>(number) + IsMinimum(type)) * steps.step;
}

std::string
CsigWideFormat::CheckSteps(const TelemetryNetwork& network) const
{
    const char* names[] = {"Bandwidth", "Share", "Delay"};
    const std::array<double, UNITS> needed = LargestValues(network);
    const uint32_t signals[] = {AVAILABLE_BANDWIDTH, AVAILABLE_SHARE, NORMALIZED_QUEUE};
    std::ostringstream why;
    for (size_t unit = 0; unit < UNITS && why.str().empty(); ++unit)
    {
        const Steps steps = StepsOf(static_cast<Unit>(unit));
        const double end = GetEdge(signals[unit], MaxNumber());
        if (!IsPowerOfTwo(steps.step) || (steps.base != 0 && !IsPowerOfTwo(steps.base)))
        {
            why << names[unit] << "Base is " << steps.base << " and " << names[unit] << "Step "
                << steps.step << ", allowed are powers of two, and a base of 0";
        }
        else if (end < needed[unit])
        {
            why << names[unit] << "Step is " << steps.step << ", so that the steps end at " << end
                << ", below the " << needed[unit]
                << " that the network needs (line rate in Mb/s, 1e6 ppm, base RTT in ns)";
        }
    }
    return why.str();
}

} // namespace ns3
