/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-refusal.h"

#include "ns3/config.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/simulator.h"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

/// Tests runs with two flows of 20 KB each to one host.
class RunsTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        std::string name = testing::TempDir() + "hpcc-runs-XXXXXX";
        m_directory = mkdtemp(name.data());
        m_table.emplace(PathOf("own.csv"), "cc");
        m_scenario.topology = HpccTopology::Star(3, {});
        m_scenario.flows = {{0, 2, 20000, 0, 0, 0}, {1, 2, 20000, 0, 0, 0}};
        m_scenario.tables = {&*m_table};
    }

    void TearDown() override
    {
        m_table.reset();
        Simulator::Destroy();
        Config::Reset();
        std::filesystem::remove_all(m_directory);
    }

    /// @param arguments arguments of the program
    void Run(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), "program");
        arguments.push_back("--progress=0");
        arguments.push_back("--out=" + m_directory);
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        HpccExperiment experiment("program", "a test", "hpcc++");
        experiment.Parse(static_cast<int>(argv.size()), argv.data());
        m_scenario.finished = [&](HpccFabricHelper&, const auto&, const HpccMonitor&) {
            *m_table << experiment.GetLabel() << "\n";
        };
        if (m_connected)
        {
            m_scenario.connected = [&](HpccFabricHelper&) { m_connected(experiment.GetLabel()); };
        }
        for (const auto& file : m_files)
        {
            experiment.PathOf(file);
        }
        if (m_addTable)
        {
            experiment.AddTable("late.csv", 1);
        }
        experiment.Run(m_scenario);
        if (m_again)
        {
            experiment.Run(m_scenario);
        }
        m_table->Commit();
    }

    /// Returns the path of a file in the directory of results.
    /// @param file name of the file
    std::string PathOf(const std::string& file) const
    {
        return m_directory + "/" + file;
    }

    /// Returns the first cells of a file's rows, each followed by a space.
    /// @param file name of the file
    std::string FirstCells(const std::string& file) const
    {
        std::ifstream in(PathOf(file));
        std::string line;
        std::string cells;
        while (std::getline(in, line))
        {
            cells += line.substr(0, line.find(',')) + " ";
        }
        return cells;
    }

    std::string m_directory;                             ///< directory of the results
    HpccExperiment::Scenario m_scenario;                 ///< scenario of the run
    std::optional<HpccCsvFile> m_table;                  ///< a table of the program
    std::function<void(const std::string&)> m_connected; ///< called with the label of a run
    std::vector<std::string> m_files;                    ///< files that the program itself writes
    bool m_again{false};                                 ///< true to call Run() twice
    bool m_addTable{false};                              ///< true to add a table after Parse()
};

TEST(FormatGbpsTest, RatesOfSlowLinksKeepSixDigits)
{
    for (const auto& [bps, text] : {std::pair(428123.49, "0.000428123"),
                                    {1e6, "0.001"},
                                    {1.5e6, "0.0015"},
                                    {50e6, "0.050"},
                                    {99'999'999.99, "0.100"},
                                    {123'456'789.0, "0.123"},
                                    {100e9, "100.000"},
                                    {0.0, "0.000"},
                                    {std::nan(""), "nan"}})
    {
        EXPECT_EQ(FormatGbps(bps), text);
    }
}

TEST_F(RunsTest, WhatTheNetworkOfALaterRunRefusesIsRefusedBeforeTheFirstRun)
{
    try
    {
        // With a payload of 9000 bytes, IOAM records make packets too long for the MTU, and CSIG
        // records do not.
        Run({"--telemetry=csig,ioam", "--mtu=9000"});
        FAIL() << "nothing was refused";
    }
    catch (const HpccInputError& error)
    {
        EXPECT_NE(std::string(error.what()).find("need 9336"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(std::filesystem::is_empty(m_directory));
}

TEST_F(RunsTest, FctCsvIsWrittenToDiskWhileTheRunGoesOn)
{
    // A flow starts every 10 us, and the file on disk is checked shortly before the last flow ends.
    m_scenario.flows.clear();
    for (uint32_t i = 0; i < 500; ++i)
    {
        m_scenario.flows.push_back({0, 2, 1000, 10000 * i, 0, 0});
    }
    std::map<std::string, std::vector<uintmax_t>> bytes;
    m_connected = [&](const std::string& label) {
        Simulator::Schedule(MicroSeconds(4900), [&bytes, label, this] {
            for (const char* name : {"fct.csv", "fct.csv.part"})
            {
                std::error_code error;
                const auto size = std::filesystem::file_size(PathOf(name), error);
                bytes[label].push_back(error ? 0 : size);
            }
        });
    };
    Run({"--cc=hpcc++,dctcp"});
    ASSERT_EQ(bytes.size(), 2U);
    const auto& first = bytes["hpcc++"];
    EXPECT_EQ(first[0], 0U);
    EXPECT_GT(first[1], 16000U); // there are 500 rows of at least 40 bytes; rows that are not on
                                 // disk yet fill at most one buffer
    // The rows of the second run are stored separately until it has ended.
    const auto& second = bytes["dctcp"];
    EXPECT_GT(second[0], 20000U);
    EXPECT_LT(second[0], std::filesystem::file_size(PathOf("fct.csv")) * 6 / 10);
    EXPECT_GT(second[1], 16000U);
    EXPECT_FALSE(std::filesystem::exists(PathOf("fct.csv.part")));
    std::ifstream in(PathOf("fct.csv"));
    std::string line;
    std::getline(in, line);
    for (const std::string label : {"hpcc++", "dctcp"})
    {
        for (uint32_t i = 0; i < 500; ++i)
        {
            ASSERT_TRUE(std::getline(in, line));
            EXPECT_EQ(line.rfind(label + "," + std::to_string(i) + ",", 0), 0U) << line;
        }
    }
    EXPECT_FALSE(std::getline(in, line));
}

TEST_F(RunsTest, ASecondRunMayNotReplaceTheResultsOfTheFirst)
{
    m_again = true;
    try
    {
        Run({});
        FAIL() << "nothing was refused";
    }
    catch (const HpccInputError& error)
    {
        EXPECT_NE(std::string(error.what()).find(m_directory + " already; choose another"),
                  std::string::npos)
            << error.what();
    }
}

TEST_F(RunsTest, TheCheckOfTheRunsLeavesNoTraceInThem)
{
    const auto contents = [this](const std::vector<std::string>& arguments) {
        Run(arguments);
        std::ifstream in(PathOf("fct.csv"));
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    };
    // A single run is not checked in a separate process.
    const std::string alone = contents({"--cc=dcqcn"});
    m_table.emplace(PathOf("own.csv"), "cc");
    const std::string both = contents({"--cc=dcqcn,hpcc++"});
    EXPECT_EQ(both.substr(0, alone.size()), alone);
}

TEST_F(RunsTest, TheRowsOfARunAreOnTheDiskWhenTheNextBegins)
{
    std::string summary;
    std::string own;
    m_connected = [&](const std::string& label) {
        if (label == "dcqcn")
        {
            summary = FirstCells("summary.csv");
            own = FirstCells("own.csv");
        }
    };
    Run({"--cc=hpcc++,dcqcn"});
    EXPECT_EQ(summary, "cc hpcc++ ");
    EXPECT_EQ(own, "cc hpcc++ ");
    EXPECT_EQ(FirstCells("summary.csv"), "cc hpcc++ dcqcn ");
    EXPECT_EQ(FirstCells("own.csv"), "cc hpcc++ dcqcn ");
}

TEST_F(RunsTest, AFileThatTheProgramOpensWhenTheNetworkIsCompleteStays)
{
    for (const std::string policies : {"hpcc++", "hpcc++,dcqcn"})
    {
        SCOPED_TRACE(policies);
        m_table.emplace(PathOf("own.csv"), "cc");
        m_connected = [&](const std::string& label) {
            std::ofstream out(PathOf("plain.txt"), std::ios::app);
            out << label << " "; // has no effect if the directory does not exist, as while the runs
                                 // are checked
        };
        m_files = {"plain.txt"};
        std::filesystem::remove_all(m_directory);
        for (int command = 0; command < 2; ++command)
        {
            Run({"--cc=" + policies});
            std::ifstream in(PathOf("plain.txt"));
            std::string text;
            std::getline(in, text);
            EXPECT_EQ(text, policies == "hpcc++" ? "hpcc++ " : "hpcc++ dcqcn ");
            m_table.emplace(PathOf("own.csv"), "cc");
        }
    }
}

TEST_F(RunsTest, ATableIsAddedBeforeTheCommandLineIsRead)
{
    m_addTable = true;
    const std::string line = RefusalOf([&] { Run({}); });
    EXPECT_NE(line.find("\"late.csv\" is added after Parse()"), std::string::npos) << line;
}

TEST_F(RunsTest, ASignalKeepsTheRunsThatHaveEndedAndNamesTheMissingOnes)
{
    for (int signal : {SIGINT, SIGTERM})
    {
        // A shell starts background programs such that they ignore SIGINT.
        const auto inherited = std::signal(signal, SIG_DFL);
        m_table.emplace(PathOf("own.csv"), "cc");
        m_connected = [&](const std::string& label) {
            // Send the signal only to the main process. It blocks signals, in contrast to the
            // process that checks the runs.
            sigset_t held;
            sigprocmask(SIG_BLOCK, nullptr, &held);
            if (label == "dcqcn" && sigismember(&held, signal))
            {
                raise(signal);
            }
        };
        try
        {
            Run({"--cc=hpcc++,dcqcn,timely"});
            FAIL() << "the runs went on";
        }
        catch (const HpccExperiment::Interrupted& interrupted)
        {
            EXPECT_EQ(interrupted.signal, signal);
            EXPECT_EQ(interrupted.what(),
                      std::string("program: ended by ") +
                          (signal == SIGINT ? "SIGINT" : "SIGTERM") + "; missing: dcqcn, timely; " +
                          m_directory + " has the results of hpcc++");
        }
        m_table.reset();
        EXPECT_EQ(FirstCells("summary.csv"), "cc hpcc++ ");
        EXPECT_EQ(FirstCells("own.csv"), "cc hpcc++ ");
        std::ifstream manifest(PathOf("manifest.json"));
        std::ostringstream text;
        text << manifest.rdbuf();
        EXPECT_NE(text.str().find("\"missing_runs\": [\"dcqcn\", \"timely\"]"), std::string::npos)
            << text.str();
        for (const auto& entry : std::filesystem::directory_iterator(m_directory))
        {
            EXPECT_NE(entry.path().extension(), ".part") << entry.path();
        }
        std::signal(signal, inherited);
    }
}

TEST(HpccCsvFileTest, RowsAfterTheLastSaveAreRemovedAndThoseBeforeStay)
{
    const std::string path = testing::TempDir() + "hpcc-saved.csv";
    std::filesystem::remove(path);
    {
        HpccCsvFile file(path, "a");
        file.Save();
        EXPECT_FALSE(std::filesystem::exists(path)); // no row yet
        file << "1\n";
        file.Save();
        file << "2\n";
        file.Save();
        file << "3\n";
    }
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    EXPECT_EQ(text.str(), "a\n1\n2\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".part"));
    std::filesystem::remove(path);
}

} // namespace
