/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-network.h"

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-word-reader.h"

#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

namespace ns3
{

namespace
{

/// Returns the number in @p text. Throws HpccInputError if @p text is not a number from 0 to 1e12.
double
ReadValue(const std::string& text)
{
    std::istringstream in(text);
    double value = -1;
    char rest = 0;
    HPCC_REFUSE_IF(!(in >> value) || in >> rest || !(value >= 0 && value <= 1e12),
                   "--network: \"" + text + "\" is not allowed; a number from 0 to 1e12");
    return value;
}

/// Returns the whole number in @p text. Throws HpccInputError if @p text is not a whole number from
/// 0 to 1e12.
int64_t
ReadWhole(const std::string& text)
{
    const double value = ReadValue(text);
    HPCC_REFUSE_IF(value != std::floor(value),
                   "--network: \"" + text +
                       "\" is not allowed; L, o, g and S are whole numbers of ns and bytes");
    return static_cast<int64_t>(value);
}

/// Converts a rate such as 50GiBps to bytes per second.
double
ReadRate(const std::string& option, const std::string& text)
{
    const std::map<std::string, double> units{{"MBps", 1e6},
                                              {"GBps", 1e9},
                                              {"MiBps", 1048576.0},
                                              {"GiBps", 1073741824.0},
                                              {"Mbps", 1e6 / 8},
                                              {"Gbps", 1e9 / 8}};
    std::istringstream in(text);
    double number = 0;
    std::string unit;
    HPCC_REFUSE_IF(!(in >> number >> unit) || units.count(unit) == 0 ||
                       number * units.at(unit) < 1e5 || number * units.at(unit) > 1e15,
                   option + ": \"" + text +
                       "\" is not allowed; a rate of at least 1Mbps such as 50GiBps, in "
                       "Mbps, Gbps, MBps, GBps, MiBps or GiBps");
    return number * units.at(unit);
}

} // namespace

std::optional<HpccAbstractNetwork>
ReadNetwork(const std::string& text)
{
    const std::string name = text.substr(0, text.find(':'));
    const auto values = SplitAt(name == text ? "" : text.substr(name.size() + 1), ',');
    if (text == "fabric")
    {
        return std::nullopt;
    }
    HpccAbstractNetwork network{name};
    Time latency;
    if (name == "constant" && values.size() == 2 && ReadTime(values[0], latency))
    {
        std::tie(network.latencyNs, network.bytesPerSecond) =
            ReadLatencyAndRate("--network", text.substr(name.size() + 1));
        return network;
    }
    if (name == "loggops" && values.size() == 6)
    {
        network.loggops = {ReadWhole(values[0]),
                           ReadWhole(values[1]),
                           ReadWhole(values[2]),
                           ReadValue(values[3]),
                           ReadValue(values[4]),
                           static_cast<uint64_t>(ReadWhole(values[5]))};
        return network;
    }
    throw HpccInputError("--network: \"" + text +
                         "\" is not allowed; fabric, constant:LATENCY,RATE in whole ns such as "
                         "constant:500ns,50GiBps, or loggops:L,o,g,O,G,S in ns and bytes");
}

std::pair<int64_t, double>
ReadLatencyAndRate(const std::string& option, const std::string& text)
{
    const auto values = SplitAt(text, ',');
    Time latency;
    HPCC_REFUSE_IF(values.size() != 2 || !ReadTime(values[0], latency),
                   option + ": \"" + text +
                       "\" is not allowed; LATENCY,RATE in whole ns, such as 500ns,50GiBps");
    return {latency.GetNanoSeconds(), ReadRate(option, values[1])};
}

} // namespace ns3
