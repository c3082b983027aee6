/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pint-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PintFormat);

namespace
{

constexpr uint16_t DEFAULT_PORT = 61472;
constexpr double LEAST_LOAD = 0.001;
constexpr uint32_t MOST = 255;
constexpr double SIMULATOR_STEPS = 512; // in SimulatorLayout, loads are multiples of 1/512
constexpr uint32_t SIMULATOR_MOST = 65535;
constexpr double NEEDED_LOAD = 64;

} // namespace

TypeId
PintFormat::GetTypeId()
{
    static TypeId tid =
        AddUdpPort(HpccTypeId::Of<PintFormat, AgentTelemetryFormat>("ns3::PintFormat"),
                   DEFAULT_PORT)
            .Presets("pint;pint:16=Probability:0.0625;pint:256=Probability:0.00390625;"
                     "pint:authors=SimulatorLayout:true,UdpPort:61473")
            .Attribute(
                "Probability",
                "Share of packets that carry a load, above 0.",
                HpccField(&PintFormat::m_probability, 1, std::numeric_limits<double>::min(), 1)
                    .Then(&PintFormat::Configure))
            .Attribute(
                "LogBase",
                "Ratio of the loads of two successive digest values, above 1.",
                HpccField(&PintFormat::m_logBase, 1.05, 1.0001, 2).Then(&PintFormat::Configure))
            .Attribute(
                "SimulatorLayout",
                "Whether the digest has 16 bits and the loads of the simulator published by "
                "PINT's authors. False: 8 bits.",
                HpccField(&PintFormat::m_simulatorLayout, false).Then(&PintFormat::Configure));
    return tid;
}

PintFormat::PintFormat()
    : AgentTelemetryFormat(1, TELEMETRY_LOAD, 0, REFLECTION_ID)
{
}

void
PintFormat::Configure()
{
    m_chosenBelow = static_cast<uint64_t>(std::ceil(std::ldexp(m_probability, 32)));
    const uint32_t bytes = m_simulatorLayout ? 2 : 1;
    SetBytes(bytes);
    m_digestShift = 32 - 8 * bytes;
    m_perLog = 1 / std::log(m_logBase);
    const double least = m_simulatorLayout ? 1 / SIMULATOR_STEPS : LEAST_LOAD;
    uint32_t most = MOST;
    if (m_simulatorLayout)
    {
        const double needed = std::ceil(2 * std::log(SIMULATOR_STEPS) * m_perLog) + 1;
        most = static_cast<uint32_t>(std::min<double>(needed, SIMULATOR_MOST));
    }
    m_loads.assign(most + 1, 0);
    for (uint32_t digest = 1; digest <= most; ++digest)
    {
        m_loads[digest] = least * std::pow(m_logBase, digest - 1);
    }
}

uint8_t
PintFormat::GetReflectionId() const
{
    return REFLECTION_ID + m_simulatorLayout;
}

std::string
PintFormat::GetSwitchAgent() const
{
    return "pint";
}

std::string
PintFormat::Validate(const TelemetryNetwork&) const
{
    if (m_loads.back() < NEEDED_LOAD)
    {
        std::ostringstream why;
        why << "LogBase " << m_logBase << " encodes loads up to " << m_loads.back()
            << "; it must encode " << NEEDED_LOAD << ", as "
            << (m_simulatorLayout ? "1.0002" : "1.045") << " and larger values do";
        return why.str();
    }
    return "";
}

bool
PintFormat::CrossesBorder() const
{
    return true;
}

HopTelemetry
PintFormat::Read(const TelemetryStack& stack, uint32_t) const
{
    HopTelemetry hop{};
    if (const uint32_t digest = stack.words[0] >> m_digestShift)
    {
        hop.load = m_loads[std::min<size_t>(digest, m_loads.size() - 1)];
        hop.fields = TELEMETRY_LOAD;
    }
    return hop;
}

uint32_t
PintFormat::Encode(double load, double random) const
{
    const double value =
        m_simulatorLayout ? std::ceil(load * SIMULATOR_STEPS) / SIMULATOR_STEPS : load;
    if (value <= m_loads[1])
    {
        return 1;
    }
    const auto most = static_cast<uint32_t>(m_loads.size() - 1);
    const double power = std::log(value / m_loads[1]) * m_perLog;
    const uint32_t below = 1 + static_cast<uint32_t>(std::min(power, most - 1.0));
    if (below == most)
    {
        return most;
    }
    const double way = (value - m_loads[below]) / (m_loads[below + 1] - m_loads[below]);
    return below + (random < way);
}

void
PintFormat::Raise(TelemetryStack& stack, uint32_t digest) const
{
    stack.words[0] = std::max(stack.words[0], digest << m_digestShift);
}

} // namespace ns3
