/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Long flows (elephants) saturate a link, and short flows (mice) cross the link one after the
// other. How long do the mice wait? The example follows figures 9e and 9f of "HPCC: High Precision
// Congestion Control" (SIGCOMM 2019), whose testbed has 25 Gb/s and a base RTT of 5.4 us.

#include "ns3/hpcc-experiment.h"

using namespace ns3;

namespace
{

constexpr uint32_t MAX_MICE = 1000000; ///< largest number of mice in a run

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t elephants = 2;
        uint32_t mice = 100;
        uint64_t mouseBytes = 1000;
        Time first = MilliSeconds(5);
        Time gap = MicroSeconds(100);
        DataRate rate("25Gbps");
        Time delay = NanoSeconds(1160);
        HpccExperiment experiment("hpcc-elephant-mice",
                                  "Mice cross a link that elephants saturate",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("elephants", "hosts that saturate the link, at least 1", elephants);
        experiment.AddOption("mice",
                             "number of mice, which one other host sends, at least 1",
                             mice);
        experiment.AddOption("mouse-bytes", "payload of a mouse, bytes, at least 1", mouseBytes);
        experiment.AddOption("first", "start of the first mouse", first);
        experiment.AddOption("gap", "time between starts of successive mice", gap);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.Parse(argc, argv);
        RequireRange("--elephants", elephants, 1, HpccTopology::MAX_NODES);
        RequireRange("--mice", mice, 1, MAX_MICE);
        RequireAtLeast("--mouse-bytes", mouseBytes, 1);
        HpccExperiment::Scenario scenario;
        uint32_t receiver = elephants + 1;
        scenario.topology = HpccTopology::Star(receiver + 1, {rate, rate, delay});
        // Add time for the last mouse: a full switch buffer of 32 MB delays it by 10.24 ms at 25
        // Gb/s.
        scenario.stop = first + mice * gap + MilliSeconds(20);
        // The elephants get more bytes than the link can carry until the end of the run, so that
        // they never finish.
        auto bytes = static_cast<uint64_t>(rate.GetBitRate() / 8 * scenario.stop.GetSeconds());
        for (uint32_t host = 0; host < elephants; ++host)
        {
            scenario.flows.push_back({host, receiver, bytes + 1, 0, 0, 0});
        }
        for (uint32_t mouse = 0; mouse < mice; ++mouse)
        {
            int64_t startNs = (first + mouse * gap).GetNanoSeconds();
            scenario.flows.push_back({elephants, receiver, mouseBytes, startNs, 0, 0});
        }
        experiment.Run(scenario);
    });
}
