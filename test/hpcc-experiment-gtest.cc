/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using hpcctest::RefusalOf;

namespace
{

/**
 * Parses the arguments of a program that adds policies of transports other than RDMA and sets N =
 * 16. Returns the policy hpcc++ of this program.
 * @param arguments arguments of the program
 * @return the policy hpcc++
 */
Ptr<RdmaCongestionOps>
PolicyOf(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (auto& argument : arguments)
    {
        argv.push_back(argument.data());
    }
    HpccExperiment experiment("program", "a test", "other");
    experiment.SetOtherPolicies({{"other", {"ns3::TcpCubic", {}, "none", "", {}}}}, "none");
    experiment.Parse(static_cast<int>(argv.size()), argv.data());
    experiment.SetPolicyAttribute("N", "16");
    auto policy = experiment.RdmaSpecOf("hpcc++").policy.Create<RdmaCongestionOps>();
    Config::Reset();
    return policy;
}

/// Returns the value of the attribute @p name of @p policy.
template <typename Value>
auto
Get(Ptr<RdmaCongestionOps> policy, const char* name)
{
    Value value;
    policy->GetAttribute(name, value);
    return value.Get();
}

TEST(HpccExperiment, RdmaNextToOtherPoliciesHasTheSharedOptionsAndWhatTheProgramSets)
{
    const auto policy = PolicyOf({"--eta=0.5"});
    EXPECT_EQ(Get<DoubleValue>(policy, "Eta"), 0.5);
    EXPECT_EQ(Get<UintegerValue>(policy, "N"), 16U);
}

TEST(HpccExperiment, RdmaNextToOtherPoliciesKeepsWhatIsGivenByTheFullName)
{
    const auto policy = PolicyOf({"--ns3::RdmaHpccPlusPlus::N=40"});
    EXPECT_EQ(Get<UintegerValue>(policy, "N"), 40U);
}

TEST(HpccExperiment, AnUnknownPolicyOfTheProgramIsNotBlamedOnTheOptionCc)
{
    HpccExperiment experiment("program", "a test", "hpcc++");
    const std::string line = RefusalOf([&] { experiment.RdmaSpecOf("dctpc"); });
    EXPECT_EQ(line.rfind("program: unknown policy \"dctpc\"; choices: ", 0), 0U) << line;
}

/// Prints the help of a program with its own defaults on standard error, and exits.
void
PrintHelp()
{
    std::cout.rdbuf(std::cerr.rdbuf());
    std::vector<std::string> words{"program", "--recovery=irn", "--help"};
    std::vector<char*> argv{words[0].data(), words[1].data(), words[2].data()};
    HpccExperiment experiment("program", "a test", "hpcc++");
    experiment.Parse(3, argv.data(), {"--recovery=sack", "--ns3::RdmaIrn::RtoLow=120ms"});
}

TEST(HpccExperiment, HelpShowsTheDefaultsOfTheProgram)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(PrintHelp(),
                testing::ExitedWithCode(0),
                "a test.*--ns3::RdmaIrn::RtoLow=120ms.*--recovery:[^[]*\\[sack\\].*"
                "--flow-control:[^[]*\\[pfc\\]");
}

} // namespace
