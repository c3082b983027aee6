/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/hpcc-attribute-defaults.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-node-agenda.h"
#include "ns3/hpcc-outages.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/rdma-feedback.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-recovery.h"
#include "ns3/rdma-returns.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Returns the message of the HpccInputError that a function throws.
/// @param what function that should throw
template <typename Function>
std::string
LineOf(const Function& what)
{
    try
    {
        what();
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "nothing was refused";
}

void
ThrowInputError()
{
    throw HpccInputError("name: \"value\"; choices: a, b");
}

void
ThrowAnother()
{
    HpccInputError installs("this");
    throw std::runtime_error("another");
}

/// Calls a function that throws, without a handler for the exception. CallUncaught() must not be
/// inlined. In inlined code, GCC would call std::terminate() without a current exception.
/// @param what a function that throws
__attribute__((noinline)) void
CallUncaught(void (*what)()) noexcept
{
    what();
}

/// Tests runs with two flows of 20 KB to one host. Each run has its own network.
class SettingsTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        std::string name = testing::TempDir() + "hpcc-settings-XXXXXX";
        m_directory = mkdtemp(name.data());
    }

    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
        std::filesystem::remove_all(m_directory);
    }

    /**
     * Runs a program.
     * @param arguments arguments of the program
     * @param connected called when the network is complete
     */
    void Run(const std::vector<std::string>& arguments,
             const HpccExperiment::Scenario::Connected& connected = {})
    {
        HpccExperiment experiment("program", "a test", "hpcc++");
        Run(experiment, arguments, connected);
    }

    /**
     * Runs a program.
     * @param experiment experiment of the program
     * @param arguments arguments of the program
     * @param connected called when the network is complete
     */
    void Run(HpccExperiment& experiment,
             std::vector<std::string> arguments,
             const HpccExperiment::Scenario::Connected& connected = {})
    {
        arguments.insert(arguments.begin(), "program");
        arguments.push_back("--progress=0");
        arguments.push_back("--out=" + m_directory);
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        experiment.Parse(static_cast<int>(argv.size()), argv.data());
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(3, {});
        scenario.flows = {{0, 2, 20000, 0, 0, 0}, {1, 2, 20000, 0, 0, 0}};
        scenario.connected = connected;
        experiment.Run(scenario);
    }

    std::string m_directory; ///< directory of the results
};

TEST(HpccChoices, TheNearestNameTakesTheFewestEdits)
{
    const std::vector<std::string> names{"hpcc", "hpcc++", "dcqcn", "incast", "packet:n"};
    for (const auto& [typed, meant] : {std::pair("hpc", "hpcc"),
                                       {"hpcc+", "hpcc"},
                                       {"dqccn", "dcqcn"},
                                       {"DCQCN", "dcqcn"},
                                       {"incats", "incast"},
                                       {"packet:m", "packet:n"},
                                       {"nosuch", ""},
                                       {"", ""}})
    {
        EXPECT_EQ(FindNearest(typed, names), meant) << typed;
    }
}

TEST(HpccChoices, AMisspelledShortNameIsAnsweredByTheNearestOneAlsoOfAWrapper)
{
    const auto line = [](const std::string& name) {
        return DescribeUnknownPreset("unknown", name, RdmaCongestionOps::GetTypeId());
    };
    EXPECT_NE(line("dcqn").find("; did you mean \"dcqcn\"?"), std::string::npos) << line("dcqn");
    EXPECT_NE(line("dcqn+win").find("; did you mean \"dcqcn+win\"?"), std::string::npos)
        << line("dcqn+win");
    EXPECT_EQ(line("unheard-of").find("did you mean"), std::string::npos) << line("unheard-of");
}

TEST(HpccAttributeDefaults, WhatNs3WouldAbortOnIsOneLineWithTheFormThatIsAllowed)
{
    struct Case
    {
        const char* name;
        const char* text;
        const char* line;
    };

    for (const auto& [name, text, line] :
         {Case{"ns3::SharedBuffer::BufferBytes",
               "32MB",
               "--ns3::SharedBuffer::BufferBytes: \"32MB\" is not allowed; a whole number from 1 "
               "to 18446744073709551615"},
          Case{"ns3::SharedBuffer::BufferBytes",
               "-1",
               "--ns3::SharedBuffer::BufferBytes: \"-1\" is not allowed; a whole number from 1 to "
               "18446744073709551615"},
          Case{"ns3::QbbNetDevice::Mtu",
               "1",
               "--ns3::QbbNetDevice::Mtu: \"1\" is not allowed; a whole number from "},
          Case{"ns3::RdmaHost::RetransmitTimeout",
               "5 us",
               "--ns3::RdmaHost::RetransmitTimeout: \"5 us\" is not allowed; a time such as "},
          Case{"ns3::RdmaHost::RetransmitTimeout", "fast", "\"fast\" is not allowed; a time such"},
          Case{"ns3::RdmaDcqcn::MinRate", "1Gb", "\"1Gb\" is not allowed; a rate such as 100Gbps"},
          Case{"ns3::RdmaDcqcn::MinRate", "-1Gbps", "\"-1Gbps\" is not allowed; a rate such as"},
          Case{"ns3::QbbNetDevice::PfcEnabled", "maybe", "\"maybe\" is not allowed; true or false"},
          Case{"ns3::RdmaHost::CongestionEcho", "Acc", "; did you mean \"Ack\"?"},
          Case{"ns3::RdmaHpccPlusPlus::Eta", "0.9x", "\"0.9x\" is not allowed; a number from "},
          Case{"ns3::SharedBuffer::BuferBytes", "1", "; did you mean \"BufferBytes\"?"},
          Case{"ns3::SharedBufer::BufferBytes", "1", "; did you mean \"ns3::SharedBuffer\"?"},
          Case{"ns3::QbbNetDevice::Nosuch", "1", "has no attribute \"Nosuch\"; choices: "}})
    {
        HpccAttributeDefaults defaults;
        const std::string said =
            LineOf([&, name = name, text = text] { defaults.Set(name, text); });
        EXPECT_NE(said.find(line), std::string::npos) << said;
        EXPECT_EQ(said.find('\n'), std::string::npos);
    }
}

TEST(HpccAttributeDefaults, ADefaultIsUsedOnceAnObjectIsMadeWithIt)
{
    HpccAttributeDefaults defaults;
    defaults.Set("ns3::RdmaAckReturn::AckInterval", "4");
    defaults.Set("ns3::RdmaAckReturn::LargestQueue", "true");
    ASSERT_EQ(defaults.GetUnused().size(), 2U);
    EXPECT_FALSE(defaults.GetUnused().front().made);
    CreateObjectWithAttributes<RdmaAckReturn>("AckInterval", UintegerValue(5));
    ASSERT_EQ(defaults.GetUnused().size(), 1U);
    EXPECT_TRUE(defaults.GetUnused().front().made);
    EXPECT_EQ(defaults.GetUnused().front().name, "ns3::RdmaAckReturn::AckInterval");
    UintegerValue interval;
    CreateObject<RdmaAckReturn>()->GetAttribute("AckInterval", interval);
    EXPECT_EQ(interval.Get(), 4U);
    EXPECT_TRUE(defaults.GetUnused().empty());
    Config::SetDefault("ns3::RdmaAckReturn::AckInterval", UintegerValue(6));
    EXPECT_EQ(defaults.GetUnused().size(), 1U);
    Config::Reset();
}

TEST(HpccAttributeDefaults, ADefaultIsSetIfItIsGivenItselfAndNotIfOnlyAnotherOfItsClassIs)
{
    const auto isSet = [](const std::string& name) {
        TypeId::AttributeInformation attribute;
        EXPECT_TRUE(RdmaAckReturn::GetTypeId().LookupAttributeByName(name, &attribute));
        return IsDefaultSet(attribute);
    };
    EXPECT_FALSE(isSet("AckInterval"));
    HpccAttributeDefaults defaults;
    defaults.Set("ns3::RdmaAckReturn::LargestQueue", "false");
    EXPECT_TRUE(isSet("LargestQueue")) << "to its own default";
    EXPECT_FALSE(isSet("AckInterval"));
    defaults.Set("ns3::RdmaAckReturn::AckInterval", "4");
    EXPECT_TRUE(isSet("LargestQueue") && isSet("AckInterval"));
    Config::Reset();
    EXPECT_FALSE(isSet("LargestQueue") || isSet("AckInterval"));
    Config::SetDefault("ns3::RdmaAckReturn::AckInterval", UintegerValue(6));
    EXPECT_TRUE(isSet("AckInterval"));
    Config::Reset();
}

TEST(HpccAttributeDefaults, ADefaultIsNotUsedByAnObjectThatOnlyDescribesItsClass)
{
    HpccAttributeDefaults defaults;
    defaults.Set("ns3::RdmaHpcc::Eta", "0.5");
    const auto spec = HpccFabricHelper::MakePolicy("hpcc");
    spec.Describe();
    ASSERT_EQ(defaults.GetUnused().size(), 1U);
    EXPECT_FALSE(defaults.GetUnused().front().made);
    spec.policy.Create<RdmaCongestionOps>();
    EXPECT_TRUE(defaults.GetUnused().empty());
    Config::Reset();
}

TEST(HpccAttributeDefaults, EachObjectGetsItsOwnOfADefaultThatIsAnObject)
{
    HpccAttributeDefaults defaults;
    TypeId nic = RdmaNic::GetTypeId();
    size_t index = 0;
    while (nic.GetAttribute(index).name != "PostDelay")
    {
        ++index;
    }
    const auto before = nic.GetAttribute(index).initialValue;
    defaults.Set("ns3::RdmaNic::PostDelay", "ns3::ConstantRandomVariable[Constant=5]");
    ASSERT_EQ(defaults.GetUnused().size(), 1U);
    CreateObjectWithAttributes<RdmaNic>("PostDelay", PointerValue());
    ASSERT_EQ(defaults.GetUnused().size(), 1U) << "another value";
    EXPECT_TRUE(defaults.GetUnused().front().made);
    PointerValue first;
    PointerValue second;
    CreateObject<RdmaNic>()->GetAttribute("PostDelay", first);
    CreateObject<RdmaNic>()->GetAttribute("PostDelay", second);
    EXPECT_TRUE(defaults.GetUnused().empty());
    ASSERT_NE(first.Get<ConstantRandomVariable>(), nullptr);
    ASSERT_NE(second.Get<ConstantRandomVariable>(), nullptr);
    EXPECT_NE(first.Get<Object>(), second.Get<Object>());
    EXPECT_EQ(second.Get<ConstantRandomVariable>()->GetConstant(), 5);
    nic.SetAttributeInitialValue(index, before);
    Config::Reset();
}

TEST(HpccAttributeDefaults, ADefaultThatTheProgramSetsToTheSameValueIsUsed)
{
    HpccAttributeDefaults defaults;
    defaults.Set("ns3::RdmaAckReturn::AckInterval", "4");
    Config::SetDefault("ns3::RdmaAckReturn::AckInterval", UintegerValue(4));
    EXPECT_EQ(defaults.GetUnused().size(), 1U) << "there is no object yet";
    CreateObject<RdmaAckReturn>();
    EXPECT_TRUE(defaults.GetUnused().empty());
    Config::Reset();
}

TEST(HpccInputErrorTest, OneThatNobodyCatchesIsOneLineAndExitCode2)
{
    GTEST_FLAG_SET(death_test_style, "fast");
    EXPECT_EXIT(CallUncaught(ThrowInputError),
                testing::ExitedWithCode(2),
                "^name: \"value\"; choices: a, b\n$");
}

TEST(HpccInputErrorTest, AnyOtherExceptionEndsTheProgramAsBefore)
{
    GTEST_FLAG_SET(death_test_style, "fast");
    EXPECT_EXIT(CallUncaught(ThrowAnother), testing::KilledBySignal(SIGABRT), "another");
}

TEST_F(SettingsTest, AnOptionOrAttributeWithoutEffectIsRefusedInOneLineThatNamesIt)
{
    struct Case
    {
        std::vector<std::string> arguments;
        const char* line;
    };

    const std::vector<Case> cases{
        {{"--cc=dcqcn", "--eta=0.9"}, "--eta=0.9 has no effect: dcqcn has no Eta"},
        {{"--cc=dcqcn,timely", "--wai=80"}, "--wai=80 has no effect: dcqcn, timely has no Wai"},
        {{"--cc=dcqcn", "--telemetry=csig"}, "policy dcqcn reads no telemetry"},
        {{"--cc=dctcp", "--max-stage=5"}, "--max-stage=5 has no effect: dctcp has no MaxStage"},
        {{"--cc=hpcc++,hpcc,hpcc++"}, "--cc: \"hpcc++\" is given twice"},
        {{"--telemetry=ifa,ifa"}, "--telemetry: \"ifa\" is given twice"},
        {{"--feedback=probe,probe"}, "--feedback: \"probe\" is given twice"},
        {{"--mtu=1000", "--mtu=2000"}, "--mtu is given twice: \"1000\" and \"2000\""},
        {{"--mtu=1000", "--ns3::RdmaHost::Mtu=1000"}, "are the same setting"},
        {{"--ns3::QbbNetDevice::DataRate=1Gbps"}, "each port has the rate of its link"},
        {{"--ns3::QbbChannel::Delay=1ms"}, "each link has the delay of the topology"},
        {{"--settle=1ms"},
         "--settle=1ms: in the run of hpcc++, statistics would begin at 1000.000"},
        {{"--settle=0us"}, "; allowed are longer flows or runs, or no --settle"},
        {{"--settle=20s"}, "but the run ends at 10000000.000 us at the latest"},
        {{"--parallel=2"}, "--parallel=2 has no effect: "},
        {{"--partition=rack"}, "--partition=rack has no effect: "},
        {{"--convergence=1us"}, "--convergence=1us has no effect: no link fails"},
        {{"--ns3::RdmaDcqcn::MinRate=1Gbps"}, "there is no ns3::RdmaDcqcn in this run"},
        {{"--ns3::PfcWatchdog::DetectionTime=1us"}, "there is no ns3::PfcWatchdog in this run"},
        {{"--ns3::RdmaIrn::RtoLow=1us"}, "there is no ns3::RdmaIrn in this run"},
        {{"--cc=hpcc++:per-hop", "--ns3::RdmaHpccPlusPlus::PerHop=false"}, "sets another value"},
        {{"--eta=0.9", "--ns3::RdmaHpccPlusPlus::Eta=0.8"}, "another option or program sets Eta"},
        {{"--ns3::RdmaIntervalSampling::Interval=4"},
         "there is no ns3::RdmaIntervalSampling in this run"},
        {{"--feedback=probe", "--ns3::RdmaFeedback::Sampling=every-8"}, "sets another value"},
        {{"--flow-control=lossy", "--ns3::QbbNetDevice::PfcEnabled=true"}, "--flow-control=lossy"},
        {{"--oout=x"}, "unknown option --oout; did you mean \"--out\"?"},
        {{"--RdmaHost::Mtu=1000"}, "did you mean \"--ns3::RdmaHost::Mtu\"?"},
        {{"--mtu=1k"}, "--mtu: \"1k\" is not allowed; a whole number from 0 to 4294967295"}};
    for (const auto& [arguments, line] : cases)
    {
        const std::string said = LineOf([&, &arguments = arguments] { Run(arguments); });
        EXPECT_NE(said.find(line), std::string::npos) << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        EXPECT_FALSE(std::filesystem::exists(m_directory + "/summary.csv")) << said;
        Simulator::Destroy();
        Config::Reset();
    }
}

TEST_F(SettingsTest, ASettingOfOneOfTheRunsIsAllowed)
{
    EXPECT_NO_THROW(Run({"--cc=hpcc++,dcqcn",
                         "--telemetry=csig",
                         "--ns3::TelemetryAgent::QueueScope=OwnQueue",
                         "--eta=0.9",
                         "--feedback=packet,every-8",
                         "--ns3::RdmaDcqcn::MinRate=1Gbps",
                         "--ns3::RdmaIntervalSampling::Interval=4"}));
}

TEST_F(SettingsTest, AcksOfHighPriorityHaveTheDscpOfCnps)
{
    for (const auto& [priority, expected] : {std::pair("data", 26U), {"high", 40U}})
    {
        bool called = false;
        Run({"--cc=dcqcn",
             std::string("--ack-priority=") + priority,
             "--ns3::RdmaHost::CnpDscp=40"},
            [&called, expected = expected](HpccFabricHelper& fabric) {
                called = true;
                UintegerValue dscp;
                fabric.GetHost(0)->GetAttribute("AckDscp", dscp);
                EXPECT_EQ(dscp.Get(), expected);
            });
        EXPECT_TRUE(called);
        Simulator::Destroy();
        Config::Reset();
    }
}

TEST_F(SettingsTest, FullNamesOfWhatAnOptionSetsTakeEffect)
{
    bool called = false;
    Run({"--ns3::RdmaHost::Mtu=2000",
         "--ns3::QbbNetDevice::EthernetOverhead=false",
         "--ns3::NodeAgenda::MaxLag=0ns",
         "--ns3::RdmaHost::Recovery=irn"},
        [&called](HpccFabricHelper& fabric) {
            called = true;
            UintegerValue mtu;
            fabric.GetHost(0)->GetAttribute("Mtu", mtu);
            EXPECT_EQ(mtu.Get(), 2000U);
            StringValue recovery;
            fabric.GetHost(0)->GetAttribute("Recovery", recovery);
            EXPECT_EQ(recovery.Get(), "irn");
            BooleanValue overhead(true);
            fabric.GetDevices().front()->GetAttribute("EthernetOverhead", overhead);
            EXPECT_FALSE(overhead.Get());
            TimeValue lag(Seconds(1));
            NodeAgenda::Of(fabric.GetNodes().Get(0))->GetAttribute("MaxLag", lag);
            EXPECT_TRUE(lag.Get().IsZero());
        });
    EXPECT_TRUE(called);
}

TEST_F(SettingsTest, TwoExperimentsOfOneProgramDoNotShareADirectory)
{
    HpccExperiment first("program", "a test", "hpcc++");
    HpccExperiment second("program", "a test", "hpcc++");
    Run(first, {});
    EXPECT_EQ(LineOf([&] { Run(second, {}); }),
              "--out: " + m_directory +
                  " is in use by another run; wait for it, or choose another directory");
}

TEST_F(SettingsTest, ARunEndsWithoutFlowsThatAFailureHasCutOffForGood)
{
    int64_t idealNs = 0; // each of the two flows takes longer than this time, because they share a
                         // link
    Run({}, [&idealNs](HpccFabricHelper& fabric) {
        idealNs = fabric.GetIdealFctNs(0, 2, 20000, RdmaVerb::WRITE);
    });
    const std::string outage = "3-2@" + std::to_string(idealNs) + "ns";
    testing::internal::CaptureStderr();
    Run({"--fail=" + outage});
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.rfind("program: hpcc++: frames dropped: ", 0), 0U) << said;
    const std::string line = said.substr(said.find('\n') + 1);
    const std::string start = "program: hpcc++: warning: --fail " + outage +
                              " leaves no path for unfinished flows: 0 1; the run ended at 10";
    EXPECT_EQ(line.substr(0, start.size()), start) << line;
    EXPECT_EQ(line.size(), start.size() + std::string("123.000 us\n").size()) << line;
}

TEST(Outages, WarnOfThoseThatBeginAfterTheRunAndOfNoOthers)
{
    const HpccOutages outages("0-2@5us-9us,1-2@8us");
    const std::vector<std::pair<int64_t, std::string>> expected{
        {4000, "run: warning: the run ended at 4.000 us, before --fail 0-2@5us-9us,1-2@8us\n"},
        {8000, "run: warning: the run ended at 8.000 us, before --fail 1-2@8us\n"},
        {8001, ""}};
    for (const auto& [endNs, text] : expected)
    {
        testing::internal::CaptureStderr();
        outages.Print("run", endNs);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), text);
    }
}

} // namespace
