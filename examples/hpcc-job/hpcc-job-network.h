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
 * A network that takes the place of the fabric.
 */
struct HpccAbstractNetwork
{
    std::string name;                                 ///< constant or loggops
    int64_t latencyNs{0};                             ///< of constant, ns
    double bytesPerSecond{0};                         ///< of constant
    std::optional<HpccLogGops::Parameters> loggops{}; ///< of loggops
};

/**
 * Reads --network: fabric, constant:LATENCY,RATE or loggops:L,o,g,O,G,S. What is wrong throws
 * HpccInputError.
 * @param text its value
 * @return the network; none for the fabric
 */
std::optional<HpccAbstractNetwork> ReadNetwork(const std::string& text);

/**
 * Reads a latency and a rate: LATENCY,RATE such as 500ns,50GiBps. What is wrong throws
 * HpccInputError.
 * @param option what messages call it
 * @param text as described
 * @return latency in ns, and rate in bytes per second
 */
std::pair<int64_t, double> ReadLatencyAndRate(const std::string& option, const std::string& text);

} // namespace ns3

#endif // HPCC_JOB_NETWORK_H
