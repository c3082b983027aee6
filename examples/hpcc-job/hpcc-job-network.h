/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_NETWORK_H
#define HPCC_JOB_NETWORK_H

#include "ns3/hpcc-loggops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace ns3
{

/**
 * A network model that replaces the packet-level fabric.
 */
struct HpccAbstractNetwork
{
    std::string name;                                 ///< constant or loggops
    int64_t latencyNs{0};                             ///< latency of the network "constant", ns
    double bytesPerSecond{0};                         ///< rate of the network "constant"
    std::optional<HpccLogGops::Parameters> loggops{}; ///< parameters of the network "loggops"
};

/**
 * Reads --network: fabric, constant:LATENCY,RATE or loggops:L,o,g,O,G,S. Invalid input throws
 * HpccInputError.
 * @param text value of the option
 * @return the network; no value for the fabric
 */
std::optional<HpccAbstractNetwork> ReadNetwork(const std::string& text);

/**
 * Reads a latency and a rate: LATENCY,RATE such as 500ns,50GiBps. Invalid input throws
 * HpccInputError.
 * @param option name of the option in error messages
 * @param text text in this format
 * @return latency in ns, and rate in bytes per second
 */
std::pair<int64_t, double> ReadLatencyAndRate(const std::string& option, const std::string& text);

} // namespace ns3

#endif // HPCC_JOB_NETWORK_H
