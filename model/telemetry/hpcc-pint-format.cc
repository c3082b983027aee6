/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pint-format.h"

#include "hpcc-presets.h"

#include "ns3/double.h"

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
constexpr uint32_t DIGEST_SHIFT = 24; // the header's first byte
constexpr uint32_t MOST = 255;
constexpr double LEAST_LOAD = 0.001;
constexpr double NEEDED_LOAD = 64;

} // namespace

TypeId
PintFormat::GetTypeId()
{
    static TypeId tid =
        AddHpccPresets(AddUdpPort(TypeId("ns3::PintFormat")
                                      .SetParent<AgentTelemetryFormat>()
                                      .SetGroupName("Hpcc")
                                      .AddConstructor<PintFormat>(),
                                  DEFAULT_PORT),
                       "pint;pint:16=Probability:0.0625;pint:256=Probability:0.00390625")
            .AddAttribute(
                "Probability",
                "Share of the packets that carry the load, above 0.",
                DoubleValue(1),
                MakeDoubleAccessor(&PintFormat::SetProbability, &PintFormat::GetProbability),
                MakeDoubleChecker<double>(std::numeric_limits<double>::min(), 1))
            .AddAttribute("LogBase",
                          "Ratio of a digest's load to that of the digest before, above 1.",
                          DoubleValue(1.05),
                          MakeDoubleAccessor(&PintFormat::SetLogBase, &PintFormat::GetLogBase),
                          MakeDoubleChecker<double>(1.0001, 2));
    return tid;
}

PintFormat::PintFormat()
    : AgentTelemetryFormat(1, TELEMETRY_LOAD, 0, REFLECTION_ID)
{
}

void
PintFormat::SetLogBase(double base)
{
    m_logBase = base;
    m_perLog = 1 / std::log(base);
    m_loads[0] = 0;
    for (uint32_t digest = 1; digest <= MOST; ++digest)
    {
        m_loads[digest] = LEAST_LOAD * std::pow(base, digest - 1);
    }
}

double
PintFormat::GetLogBase() const
{
    return m_logBase;
}

void
PintFormat::SetProbability(double probability)
{
    m_probability = probability;
    m_chosenBelow = static_cast<uint64_t>(std::ceil(std::ldexp(probability, 32)));
}

double
PintFormat::GetProbability() const
{
    return m_probability;
}

std::string
PintFormat::GetPortAgent() const
{
    return "pint";
}

std::string
PintFormat::Validate(const TelemetryNetwork&) const
{
    if (m_loads[MOST] < NEEDED_LOAD)
    {
        std::ostringstream why;
        why << "LogBase " << m_logBase << " says loads up to " << m_loads[MOST] << "; it must say "
            << NEEDED_LOAD << ", as 1.045 and more do";
        return why.str();
    }
    return "";
}

HopTelemetry
PintFormat::Read(const TelemetryStack& stack, uint32_t) const
{
    HopTelemetry hop{};
    if (const uint32_t digest = stack.words[0] >> DIGEST_SHIFT)
    {
        hop.load = m_loads[digest];
        hop.fields = TELEMETRY_LOAD;
    }
    return hop;
}

uint32_t
PintFormat::Encode(double load, double random) const
{
    if (load <= m_loads[1])
    {
        return 1;
    }
    const double power = std::log(load / LEAST_LOAD) * m_perLog;
    const uint32_t below = 1 + static_cast<uint32_t>(std::min(power, MOST - 1.0));
    if (below == MOST)
    {
        return MOST;
    }
    const double way = (load - m_loads[below]) / (m_loads[below + 1] - m_loads[below]);
    return below + (random < way);
}

void
PintFormat::Raise(TelemetryStack& stack, uint32_t digest)
{
    stack.words[0] = std::max(stack.words[0], digest << DIGEST_SHIFT);
}

} // namespace ns3
