/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// N hosts send to one host at the same time through one switch. With --verb=read, this host reads
// from the N hosts. The example compares the queues under several policies.

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-presets.h"
#include "ns3/rdma-recovery.h"

#include <map>

using namespace ns3;

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t senders = 16;
        uint32_t flows = 1;
        uint64_t bytes = 500000;
        std::string verb = "write";
        DataRate rate("100Gbps");
        Time delay = MicroSeconds(1);
        HpccExperiment experiment("hpcc-incast",
                                  "N-to-1 incast through one switch",
                                  "hpcc++,hpcc,dcqcn");
        experiment.AddOption("senders", "hosts that send, at least 1", senders);
        experiment.AddOption("flows", "flows of each sender, at least 1", flows);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.AddOption("verb",
                             "verb: write, send, or read (the receiver reads from the senders)",
                             verb);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
        experiment.Parse(argc, argv);
        RequireRange("--senders", senders, 1, HpccTopology::MAX_NODES);
        RequireAtLeast("--flows", flows, 1);
        RequireAtLeast("--bytes", bytes, 1);
        const std::map<std::string, RdmaVerb> verbs{{"read", RdmaVerb::READ},
                                                    {"send", RdmaVerb::SEND},
                                                    {"write", RdmaVerb::WRITE}};
        HPCC_REFUSE_IF(!verbs.count(verb),
                       DescribeUnknown("--verb: unknown", verb, {"read", "send", "write"}));
        if (ObjectFactory recovery;
            verb != "write" &&
            HpccPresets::Find(RdmaRecovery::GetTypeId(), experiment.GetRecovery(), recovery) &&
            recovery.Create<RdmaRecovery>()->UsesSacks())
        {
            throw HpccInputError("--verb=" + verb + " with --recovery=" + experiment.GetRecovery() +
                                 ": this recovery supports only WRITEs; allowed are --verb=write, "
                                 "or recoveries without SACKs");
        }
        HPCC_REFUSE_IF(uint64_t{senders} * flows > UINT32_MAX,
                       "--flows: " + std::to_string(flows) + " of each of " +
                           std::to_string(senders) + " senders are more than " +
                           std::to_string(UINT32_MAX) + " flows");
        const bool read = verb == "read";
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {rate, rate, delay});
        for (uint32_t i = 0; i < senders * flows; ++i)
        {
            const uint32_t sender = i % senders;
            scenario.flows.push_back(
                {read ? senders : sender, read ? sender : senders, bytes, 0, 0, 0, verbs.at(verb)});
        }
        experiment.Run(scenario);
    });
}
