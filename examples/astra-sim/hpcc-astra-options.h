/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ASTRA_OPTIONS_H
#define HPCC_ASTRA_OPTIONS_H

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-split-at.h"
#include "ns3/hpcc-topology.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * The options of hpcc-astra-sim.
 */
struct HpccAstraOptions
{
    std::string workload;
    std::string system;
    std::string groups;
    std::string memory;
    std::string dims;
    std::string topology{"star:8"};
    std::string network{"fabric"};
    uint32_t queues{1};
    double injectionScale{1};
    double commScale{1};
    bool rendezvous{false};
    Time stop{Seconds(10)};

    /// Adds the options of this program to the options of an experiment.
    /// @param experiment the experiment; must not outlive this object
    void AddTo(HpccExperiment& experiment)
    {
        experiment.AddOption("workload",
                             "prefix of the Chakra execution traces, PREFIX.N.et for rank N; "
                             "ASTRA-sim opens them for writing, too",
                             workload);
        experiment.AddOption("system", "ASTRA-sim's system configuration, a JSON file", system);
        experiment.AddOption("comm-group",
                             "ASTRA-sim's groups of ranks, a JSON file; empty: none",
                             groups);
        experiment.AddOption("remote-memory",
                             "latency and rate of remote memories: rank:LATENCY,RATE (one per "
                             "rank), node:RANKS:LATENCY,RATE (one per RANKS ranks, served one "
                             "after another) or pool:LATENCY,RATE (one for all); empty: none",
                             memory);
        experiment.AddOption("dims",
                             "sizes of ASTRA-sim's dimensions, the nearest first, such as 8 or "
                             "4x2; empty: one dimension with all hosts of the topology",
                             dims);
        experiment.AddOption("topology",
                             "the network, such as star:8; rank N is its host number N: " +
                                 HpccTopology::Usage(),
                             topology);
        experiment.AddOption("network",
                             "network model: fabric (packets), or constant:LATENCY,RATE (a link "
                             "per ordered pair of ranks), which needs --dims",
                             network);
        experiment.AddOption("queues", "ASTRA-sim's queues per dimension, 1 to 64", queues);
        experiment.AddOption("injection-scale",
                             "ASTRA-sim's scale factor of delays",
                             injectionScale);
        experiment.AddOption("comm-scale", "ASTRA-sim's scale factor of message sizes", commScale);
        experiment.AddOption("rendezvous",
                             "use ASTRA-sim's rendezvous before messages",
                             rendezvous);
        experiment.AddOption("stop", "end of the run if ranks have not finished before", stop);
    }

    /// Checks all options except the dimensions. Throws HpccInputError if a value is not allowed.
    void Check() const
    {
        for (const auto& [option, file] :
             {std::pair("--system", system), std::pair("--comm-group", groups)})
        {
            if (option == std::string("--comm-group") && file.empty())
            {
                continue;
            }
            HPCC_REFUSE_IF(!std::ifstream(file) || file.empty(),
                           std::string(option) + ": cannot read \"" + file + "\"");
        }
        HPCC_REFUSE_IF(groups.find("empty") != std::string::npos,
                       "--comm-group: \"" + groups +
                           "\" is not allowed; ASTRA-sim takes "
                           "a name with \"empty\" for no file");
        RequireRange("--queues", queues, 1, 64);
        for (const auto& [option, value] :
             {std::pair("--injection-scale", injectionScale), std::pair("--comm-scale", commScale)})
        {
            HPCC_REFUSE_IF(!(value > 0 && value <= 1e6),
                           std::string(option) + ": " + std::to_string(value) +
                               " is outside 0 to 1000000");
        }
    }

    /**
     * Reads the sizes of the dimensions, and checks that the traces of their ranks can be opened.
     * Throws HpccInputError if a size is not allowed or a trace cannot be opened.
     * @param hosts number of hosts of the network; 0 if the network model has no hosts
     * @return the sizes
     */
    std::vector<int> GetDimensions(size_t hosts) const
    {
        std::vector<int> sizes;
        uint64_t ranks = 1;
        for (const auto& size : SplitAt(dims.empty() ? std::to_string(hosts) : dims, 'x'))
        {
            sizes.push_back(ReadDimension(size));
            ranks *= static_cast<uint64_t>(sizes.back());
            HPCC_REFUSE_IF(ranks > 65536 || (hosts > 0 && ranks > hosts),
                           "--dims: " + dims +
                               " are more ranks than the network has "
                               "hosts, " +
                               std::to_string(hosts > 0 ? hosts : 65536));
        }
        for (uint64_t rank = 0; rank < ranks; ++rank)
        {
            const std::string name = workload + "." + std::to_string(rank) + ".et";
            HPCC_REFUSE_IF(access(name.c_str(), R_OK | W_OK) != 0,
                           "--workload: rank " + std::to_string(rank) +
                               " cannot read and write \"" + name + "\"");
        }
        return sizes;
    }

  private:
    /**
     * Reads the size of a dimension.
     * @param text size as text
     * @return the size, 1 to 65536; other text throws HpccInputError
     */
    static int ReadDimension(const std::string& text)
    {
        const bool digits = !text.empty() && text.size() <= 5 &&
                            text.find_first_not_of("0123456789") == std::string::npos;
        HPCC_REFUSE_IF(!digits || std::stoi(text) < 1 || std::stoi(text) > 65536,
                       "--dims: \"" + text +
                           "\" is not allowed; sizes from 1 to 65536 such "
                           "as 8 or 4x2");
        return std::stoi(text);
    }
};

} // namespace ns3

#endif // HPCC_ASTRA_OPTIONS_H
