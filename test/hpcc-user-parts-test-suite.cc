/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests user-defined parts of a switch. Each part is in its own pair of files. They are selected by
// options that every example has.

#include "hpcc-user-buffer.h"
#include "hpcc-user-marker.h"
#include "hpcc-user-scheduler.h"

#include "ns3/config.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-marker.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/qbb-net-device.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// A user-defined marker whose TypeId is not in the namespace ns3. It marks large frames.
class SizeMarker : public Marker
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<SizeMarker, Marker>("hpcctest::SizeMarker")
                                .Presets("size")
                                .Attribute("Bytes",
                                           "Length above which a frame is marked, bytes.",
                                           HpccField(&SizeMarker::m_bytes, 500));
        return tid;
    }

    void AddPort(uint64_t) override
    {
    }

    bool MustMark(const QbbNetDevice&, const Frame& frame, int64_t) override
    {
        return frame.bytes > m_bytes;
    }

  private:
    uint64_t m_bytes; ///< attribute Bytes
};

NS_OBJECT_ENSURE_REGISTERED(SizeMarker);

/// Base class that runs a program with an incast of three flows.
class UserPartsTestCase : public TestCase
{
  public:
    /// @param name name of the test case
    explicit UserPartsTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// Results of a run.
    struct Outcome
    {
        std::string parts;      ///< names of the classes of buffer, marker and scheduler
        uint64_t marks{0};      ///< number of marks of the switch
        uint64_t drops{0};      ///< number of drops at all devices
        uint64_t unfinished{0}; ///< number of unfinished flows
        bool empty{false};      ///< true if the buffer is empty at the end
        std::string manifest;   ///< text of manifest.json
        std::string refusal;    ///< error message; empty if the run was accepted
    };

    /// Runs the program with the given options.
    Outcome Run(std::vector<std::string> options)
    {
        const std::string directory = CreateTempDirFilename("run" + std::to_string(m_runs++));
        options.insert(options.begin(), {"program", "--progress=0", "--cc=dcqcn"});
        options.push_back("--out=" + directory);
        std::vector<char*> argv;
        for (auto& option : options)
        {
            argv.push_back(option.data());
        }
        Outcome outcome;
        std::ostringstream table;
        auto* before = std::cout.rdbuf(table.rdbuf());
        try
        {
            HpccExperiment experiment("program", "a test", "none");
            experiment.Parse(static_cast<int>(argv.size()), argv.data());
            HpccExperiment::Scenario scenario;
            scenario.topology = HpccTopology::Star(4, {});
            scenario.flows = {{0, 3, 300000, 0, 0, 0},
                              {1, 3, 300000, 0, 0, 0},
                              {2, 3, 300000, 0, 0, 0}};
            scenario.finished = [&outcome](HpccFabricHelper& fabric,
                                           const std::vector<HpccFlowPlan>&,
                                           const HpccMonitor& monitor) {
                Collect(fabric, monitor, outcome);
            };
            experiment.Run(scenario);
        }
        catch (const HpccInputError& error)
        {
            outcome.refusal = error.what();
        }
        std::cout.rdbuf(before);
        Config::Reset();
        std::ifstream in(directory + "/manifest.json");
        std::ostringstream text;
        text << in.rdbuf();
        outcome.manifest = text.str();
        return outcome;
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }

  private:
    static void Collect(HpccFabricHelper& fabric, const HpccMonitor& monitor, Outcome& outcome)
    {
        Ptr<QbbSwitch> device = fabric.GetSwitch(4);
        outcome.parts = device->GetBuffer()->GetInstanceTypeId().GetName() + " " +
                        device->GetMarker()->GetInstanceTypeId().GetName();
        for (const auto& port : fabric.GetDevices())
        {
            const auto& scheduler = port->GetScheduler();
            const std::string name = " " + scheduler.GetInstanceTypeId().GetName();
            outcome.parts += outcome.parts.find(name) == std::string::npos ? name : "";
            outcome.drops += port->GetDrops();
        }
        outcome.marks = device->GetEcnMarks();
        outcome.unfinished = monitor.GetUnfinished();
        outcome.empty = device->GetBuffer()->IsEmpty();
    }

    uint32_t m_runs{0}; ///< number of runs so far
};

class ChosenByNameTestCase : public UserPartsTestCase
{
  public:
    ChosenByNameTestCase()
        : UserPartsTestCase("a user's buffer policy, marker and scheduler run by their names, and "
                            "the manifest has the choice")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome outcome =
            Run({"--buffer=complete-sharing", "--marking=port", "--scheduler=longest-queue"});
        NS_TEST_ASSERT_MSG_EQ(outcome.refusal, "", "refusal");
        NS_TEST_EXPECT_MSG_EQ(outcome.parts,
                              "ns3::hpcctest::CompleteSharing ns3::hpcctest::PortMarker "
                              "ns3::hpcctest::LongestQueue",
                              "classes of the parts");
        NS_TEST_EXPECT_MSG_GT(outcome.marks, 0, "marks");
        NS_TEST_EXPECT_MSG_EQ(outcome.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(outcome.unfinished, 0, "flows not finished");
        NS_TEST_EXPECT_MSG_EQ(outcome.empty, true, "empty in the end");
        for (const char* line : {R"("buffer": "complete-sharing")",
                                 R"("marking": "port")",
                                 R"("scheduler": "longest-queue")"})
        {
            NS_TEST_EXPECT_MSG_NE(outcome.manifest.find(line), std::string::npos, line);
        }
    }
};

class AttributesTestCase : public UserPartsTestCase
{
  public:
    AttributesTestCase()
        : UserPartsTestCase("the attributes of a user's part have an effect if it was chosen, and "
                            "are refused otherwise, as are those of a part that it replaces")
    {
    }

  private:
    void DoRun() override
    {
        const std::string high = "--ns3::hpcctest::PortMarker::Threshold=100000000";
        Outcome outcome = Run({"--marking=port", high});
        NS_TEST_EXPECT_MSG_EQ(outcome.refusal, "", "refusal");
        NS_TEST_EXPECT_MSG_EQ(outcome.marks, 0, "marks below the threshold");
        outcome = Run({high});
        NS_TEST_EXPECT_MSG_EQ(outcome.refusal,
                              high + " has no effect: there is no ns3::hpcctest::PortMarker in "
                                     "this run",
                              "the default marks");
        outcome = Run({"--marking=port", "--ns3::EcnMarker::Thresholds=1Gbps:1:1:1"});
        NS_TEST_EXPECT_MSG_NE(outcome.refusal.find("there is no ns3::EcnMarker in this run"),
                              std::string::npos,
                              outcome.refusal);
        outcome = Run({"--scheduler=longest-queue", "--ns3::PriorityScheduler::Sharing=None"});
        NS_TEST_EXPECT_MSG_NE(
            outcome.refusal.find("there is no ns3::PriorityScheduler in this run"),
            std::string::npos,
            outcome.refusal);
        outcome = Run({"--scheduler=longest-queue", "--ns3::QbbNetDevice::Weights=3:1,4:1"});
        NS_TEST_EXPECT_MSG_NE(outcome.refusal.find("this ns3::hpcctest::LongestQueue gives no"),
                              std::string::npos,
                              outcome.refusal);
        outcome = Run({"--buffer=nosuch"});
        NS_TEST_EXPECT_MSG_EQ(
            outcome.refusal,
            "--buffer: unknown \"nosuch\"; choices: abm, complete-sharing, dynamic, "
            "static",
            "a user's name is among the choices");
    }
};

class OtherNamespaceTestCase : public UserPartsTestCase
{
  public:
    OtherNamespaceTestCase()
        : UserPartsTestCase("the attributes of a class outside the namespace ns3 are set and "
                            "refused as those of other classes")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_GT(Run({"--marking=size"}).marks, 0, "marks by default");
        const std::string high = "--hpcctest::SizeMarker::Bytes=9000";
        Outcome outcome = Run({"--marking=size", high});
        NS_TEST_EXPECT_MSG_EQ(outcome.refusal, "", "refusal");
        NS_TEST_EXPECT_MSG_EQ(outcome.marks, 0, "marks of frames that are all shorter");
        NS_TEST_EXPECT_MSG_EQ(Run({high}).refusal,
                              high + " has no effect: there is no hpcctest::SizeMarker in this run",
                              "another marker");
        NS_TEST_EXPECT_MSG_EQ(
            Run({"--hpcctest::SizeMarker::Byte=9000"}).refusal,
            "--hpcctest::SizeMarker::Byte: hpcctest::SizeMarker has no attribute \"Byte\"; "
            "choices: Bytes; did you mean \"Bytes\"?",
            "unknown attribute");
    }
};

/// Tests user-defined parts of a switch.
class HpccUserPartsTestSuite : public TestSuite
{
  public:
    HpccUserPartsTestSuite()
        : TestSuite("hpcc-user-parts", Type::SYSTEM)
    {
        AddTestCase(new ChosenByNameTestCase);
        AddTestCase(new AttributesTestCase);
        AddTestCase(new OtherNamespaceTestCase);
    }
};

/// Registers the suite.
HpccUserPartsTestSuite g_hpccUserPartsTestSuite;

} // namespace
