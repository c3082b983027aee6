/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several hosts send to one host through one switch, and the feedback of the first sender is
// attacked. Shows how an authenticator and checks of the receiver's messages protect the flows.

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-feedback-attacker.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-host.h"
#include "ns3/string.h"

#include <cctype>
#include <iostream>

using namespace ns3;

namespace
{

/// Makes a switch attack the feedback to host 0.
void
InstallAttacker(HpccFabricHelper& fabric, uint32_t node, std::string attack)
{
    auto attacker = CreateObject<FeedbackAttacker>();
    attack[0] = static_cast<char>(std::toupper(attack[0]));
    attacker->SetAttribute("Attack", StringValue(attack));
    attacker->SetTarget(fabric.GetAddress(0));
    fabric.GetSwitch(node)->AddAgent(PeekPointer(attacker));
    fabric.GetSwitch(node)->AggregateObject(attacker);
}

/// Prints the throughput of the flows and the number of detected attacks.
void
Report(HpccFabricHelper& fabric, const std::vector<HpccFlowPlan>& flows)
{
    auto sender = fabric.GetHost(flows.front().source);
    std::cout << "feedback rejected as forged "
              << sender->GetRejectedFeedback(FeedbackRejection::FORGED) << ", as replayed "
              << sender->GetRejectedFeedback(FeedbackRejection::REPLAYED) << "\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t senders = 4;
        uint64_t bytes = 5000000;
        std::string attack = "forge";
        bool protect = true;
        Time from = MicroSeconds(200);
        HpccExperiment experiment("hpcc-attack",
                                  "Attacks on the feedback of one flow, or a dishonest receiver",
                                  "hpcc++");
        experiment.AddOption("senders", "hosts that send, at least 2", senders);
        experiment.AddOption("bytes", "payload of each sender, bytes, at least 1", bytes);
        experiment.AddOption("attack",
                             "none; forge, replay or alter: attack of the switch on the first "
                             "flow's ACKs, see ns3::FeedbackAttacker; dishonest: the receiver "
                             "reports idle paths to all senders",
                             attack);
        experiment.AddOption("protect",
                             "authenticate feedback and check the receiver's reports",
                             protect);
        experiment.AddOption("from",
                             "with --attack=dishonest: time from which the receiver is dishonest",
                             from);
        experiment.Parse(argc, argv);
        if (senders < 2)
        {
            throw HpccInputError("--senders: " + std::to_string(senders) +
                                 " is not allowed; at least 2");
        }
        if (bytes < 1)
        {
            throw HpccInputError("--bytes: 0 is not allowed; at least 1");
        }
        bool bySwitch = attack == "forge" || attack == "replay" || attack == "alter";
        if (!bySwitch && attack != "none" && attack != "dishonest")
        {
            throw HpccInputError(
                DescribeUnknown("--attack: unknown",
                                attack,
                                {"alter", "dishonest", "forge", "none", "replay"}));
        }
        if (attack != "dishonest")
        {
            experiment.RefuseGiven({"from"}, "the receiver is honest; give --attack=dishonest too");
        }
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(senders + 1, {});
        scenario.perFlowSeries = true;
        for (uint32_t i = 0; i < senders; ++i)
        {
            scenario.flows.push_back({i, senders, bytes, 0, 0, 0});
        }
        if (bySwitch)
        {
            scenario.connected = [&](HpccFabricHelper& fabric) {
                InstallAttacker(fabric, senders + 1, attack);
            };
        }
        scenario.finished = [](HpccFabricHelper& fabric,
                               const std::vector<HpccFlowPlan>& flows,
                               const HpccMonitor&) { Report(fabric, flows); };
        if (protect)
        {
            experiment.SetPolicyAttribute("CheckFeedback", "true");
        }
        experiment.Run(scenario, [&](HpccFabricHelper& fabric) {
            fabric.SetHostAttribute("FeedbackKey", StringValue(protect ? "shared secret" : ""));
            if (attack == "dishonest")
            {
                fabric.SetHostAttribute("DishonestFrom", TimeValue(from));
            }
        });
    });
}
