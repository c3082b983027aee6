/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests a user-defined format without a network. It must refuse ids that do not fit into its
// records, and read a header without records.

#include "brief-format.h"

#include <iostream>

using namespace ns3;

int
main()
{
    const Ptr<BriefFormat> format = CreateObject<BriefFormat>();
    TelemetryNetwork network{};
    network.largestSwitchId = network.largestPortId = 65535;
    const std::string fits = format->Validate(network);
    network.largestPortId = 65536;
    const std::string port = format->Validate(network);
    network.largestSwitchId = 65536;
    const std::string both = format->Validate(network);
    const uint8_t header[]{'B', 'R', 'F', 0};
    TelemetryStack stack{};
    stack.hops = 3; // value from a packet that was read before
    const size_t read = format->Deserialize(header, sizeof(header), stack);
    if (read != sizeof(header) || stack.hops != 0)
    {
        std::cerr << "a header without records: " << read << " bytes, " << +stack.hops << " records"
                  << std::endl;
        return 1;
    }
    if (fits.empty() && port == "port id 65536 does not fit its 16 bits, up to 65535" &&
        both == "switch id 65536 does not fit its 16 bits, up to 65535")
    {
        return 0;
    }
    std::cerr << "65535: '" << fits << "', port 65536: '" << port << "', switch 65536: '" << both
              << "'" << std::endl;
    return 1;
}
