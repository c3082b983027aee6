/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several hosts send to one host through one switch. Either the switch attacks the feedback to the
// first sender, or the receiver reports idle paths to all senders. The example shows how two
// mechanisms protect the flows: an authenticator, and checks of the receiver's reports.

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-feedback-attacker.h"
#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/qbb-switch.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-feedback-state.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cctype>
#include <iostream>

using namespace ns3;

namespace
{

/**
 * Refuses --attack or --protect if it would have no effect on the flow of host 0.
 * @param fabric the network with its flows
 * @param attack --attack
 * @param protect --protect
 */
void
CheckEffect(const HpccFabricHelper& fabric, const std::string& attack, bool protect)
{
    if (attack == "none")
    {
        return;
    }
    const RdmaQueuePair& qp = fabric.GetHost(0)->GetQueuePair(0);
    const TypeId policy = qp.ops->GetInstanceTypeId();
    const std::string what = "--attack=" + attack + ": ";
    HPCC_REFUSE_IF(!qp.format,
                   what + "no telemetry is returned to " + policy.GetName() +
                       "; allowed are none, and policies with telemetry");
    HPCC_REFUSE_IF(attack != "replay" && !IdlePathForger::CanForge(*qp.format),
                   what + qp.format->GetInstanceTypeId().GetName() +
                       " cannot describe an idle path; allowed are none, replay, and formats "
                       "that report queues or loads, such as int-md");
    const RdmaFeedback* feedback = qp.feedback ? qp.feedback->how : nullptr;
    HPCC_REFUSE_IF(attack != "dishonest" && feedback && !feedback->ReturnsAllHops(),
                   what + "--feedback returns no records of all hops to the sender; allowed are "
                          "none, dishonest, and feedback modes such as packet");
    TypeId::AttributeInformation info;
    HPCC_REFUSE_IF(attack == "dishonest" && protect &&
                       !policy.LookupAttributeByName("CheckFeedback", &info),
                   "--protect: " + policy.GetName() +
                       " has no CheckFeedback, and a key does not protect from a dishonest "
                       "receiver; allowed is --protect=false");
}

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

/// Prints how many feedback packets the first sender has rejected.
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
        experiment.AddOption(
            "protect",
            "authenticate feedback, and check the receiver's reports with policies "
            "that have CheckFeedback",
            protect);
        experiment.AddOption("from",
                             "with --attack=dishonest: time from which the receiver is dishonest",
                             from);
        experiment.Parse(argc, argv);
        RequireRange("--senders", senders, 2, HpccTopology::MAX_NODES);
        RequireAtLeast("--bytes", bytes, 1);
        bool bySwitch = attack == "forge" || attack == "replay" || attack == "alter";
        HPCC_REFUSE_IF(!bySwitch && attack != "none" && attack != "dishonest",
                       DescribeUnknown("--attack: unknown",
                                       attack,
                                       {"alter", "dishonest", "forge", "none", "replay"}));
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
        scenario.connected = [&](HpccFabricHelper& fabric) {
            CheckEffect(fabric, attack, protect);
            if (bySwitch)
            {
                InstallAttacker(fabric, senders + 1, attack);
            }
        };
        scenario.finished = [&](HpccFabricHelper& fabric,
                                const std::vector<HpccFlowPlan>& flows,
                                const HpccMonitor&) {
            Report(fabric, flows);
            if (attack == "dishonest" && Simulator::Now() <= from)
            {
                std::cerr << "hpcc-attack: warning: --from=" << from.GetMicroSeconds()
                          << " us: the run ended before, at " << Simulator::Now().GetMicroSeconds()
                          << " us\n";
            }
        };
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
