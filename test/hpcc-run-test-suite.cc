/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs input files of the HPCC authors' simulator, and compares the results with those of the
// authors' simulator. The folder data/authors/expected contains the expected completion times, and
// results of the authors' simulator with other random numbers. The expected peaks and means of the
// queue were measured in the authors' simulator with the same inputs.

#include "hpcc-test-authors-run.h"
#include "hpcc-test-seeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <vector>

using namespace hpcctest;

namespace
{

/// Tests flows that are alone in the network.
class UnloadedTestCase : public TestCase
{
  public:
    explicit UnloadedTestCase(const std::string& name)
        : TestCase("unloaded flows of " + name + " take the authors' times within 1 %"),
          m_name(name)
    {
    }

  private:
    void DoRun() override
    {
        auto expected = ReadFct(DATA + "expected/" + m_name + ".fct.txt");
        NS_TEST_ASSERT_MSG_EQ(expected.size(), 4, "expected data are missing");
        auto outcome = RunConfig(m_name, 1, CreateTempDirFilename(m_name + ".fct.txt"));
        NS_TEST_ASSERT_MSG_EQ(outcome.fctNs.size(), expected.size(), "flows finished");
        for (const auto& [key, ns] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.count(key), 1, "flow " << key << " is missing");
            NS_TEST_EXPECT_MSG_EQ_TOL(outcome.fctNs[key], ns, 0.01 * ns, "flow " << key);
        }
    }

    std::string m_name;
};

/// Tests a run whose completion times must equal those in the authors' simulator, because the
/// control law is executed at the same times. The completion times are sorted before the
/// comparison, because flows that start at the same time may be interchanged.
class ExactTestCase : public TestCase
{
  public:
    explicit ExactTestCase(const std::string& name)
        : TestCase(name + " has the authors' completion times to the nanosecond"),
          m_name(name)
    {
    }

  private:
    void DoRun() override
    {
        auto expected = Sorted(ReadFct(DATA + "expected/" + m_name + ".fct.txt"));
        auto got = Sorted(RunConfig(m_name, 1, CreateTempDirFilename(m_name + ".fct.txt")).fctNs);
        NS_TEST_ASSERT_MSG_EQ(got.size(), expected.size(), "flows finished");
        for (size_t i = 0; i < got.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(got[i], expected[i], "completion time " << i << " by length");
        }
    }

    /// @return the times, shortest first
    static std::vector<double> Sorted(const std::map<std::string, double>& fctNs)
    {
        std::vector<double> times;
        for (const auto& [key, ns] : fctNs)
        {
            times.push_back(ns);
        }
        std::sort(times.begin(), times.end());
        return times;
    }

    std::string m_name;
};

/// Tests a run under load. If there are marks, they use the same random numbers as in the authors'
/// simulator.
class LoadedTestCase : public TestCase
{
  public:
    LoadedTestCase(const std::string& name, double peak, double mean, double tolerance = 0.03)
        : TestCase(name + " has the authors' queue and completion times within " +
                   std::to_string(static_cast<int>(100 * tolerance)) + " %"),
          m_name(name),
          m_peak(peak),
          m_mean(mean),
          m_tolerance(tolerance)
    {
    }

  private:
    void DoRun() override
    {
        auto expected = MinMeanMax(ReadFct(DATA + "expected/" + m_name + ".fct.txt"));
        auto outcome = RunConfig(m_name, 1, CreateTempDirFilename(m_name + ".fct.txt"));
        auto got = MinMeanMax(outcome.fctNs);
        const char* names[] = {"smallest", "mean", "largest"};
        for (size_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(got[i], expected[i], m_tolerance * expected[i], names[i]);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.peakBytes, m_peak, m_tolerance * m_peak, "peak queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.meanBytes, m_mean, m_tolerance * m_mean, "mean queue");
    }

    std::string m_name;
    double m_peak;
    double m_mean;
    double m_tolerance;
};

/**
 * Compares runs of this module with runs of the authors' simulator, for the same input and several
 * seeds. Two runs are equal until the first packet that differs. After this packet they differ as
 * much as any two runs. For comparison: among pairs of runs of the authors' simulator, all values
 * agree within 5 % for a third of the pairs with s1, and for a fifth of the pairs with s2.
 */
class DrawsTestCase : public TestCase
{
  public:
    explicit DrawsTestCase(const std::string& name)
        : TestCase(
              "over 40 draws, " + name +
              " has the authors' means within 2 %, each peak within 5 %, and all figures within "
              "5 % for most draws"),
          m_name(name)
    {
    }

  private:
    static constexpr size_t FIGURES = 5; ///< number of compared values: peak and mean of the queue,
                                         ///< and three completion times

    void DoRun() override
    {
        const char* names[] = {"peak queue", "mean queue", "smallest", "mean", "largest"};
        std::array<double, FIGURES> expectedSum{};
        std::array<double, FIGURES> sum{};
        uint64_t draws = 0;
        uint64_t close = 0;
        std::ifstream in(DATA + "expected/" + m_name + ".draws.txt");
        for (uint64_t run = 0; in >> run; ++draws)
        {
            std::array<double, FIGURES> expected{};
            for (double& figure : expected)
            {
                in >> figure;
            }
            auto outcome = RunConfig(m_name, run, CreateTempDirFilename(m_name + ".fct.txt"));
            auto fct = MinMeanMax(outcome.fctNs);
            std::array<double, FIGURES> got{outcome.peakBytes,
                                            outcome.meanBytes,
                                            fct[0],
                                            fct[1],
                                            fct[2]};
            bool isClose = true;
            for (size_t i = 0; i < FIGURES; ++i)
            {
                expectedSum[i] += expected[i];
                sum[i] += got[i];
                isClose = isClose && std::abs(got[i] - expected[i]) <= 0.05 * expected[i];
            }
            close += isClose;
            NS_TEST_EXPECT_MSG_EQ_TOL(got[0], expected[0], 0.05 * expected[0], "peak, run " << run);
        }
        NS_TEST_ASSERT_MSG_EQ(draws, 40, "expected data are missing");
        NS_TEST_EXPECT_MSG_GT(close, draws / 2, "draws with all figures within 5 %");
        for (size_t i = 0; i < FIGURES; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(sum[i], expectedSum[i], 0.02 * expectedSum[i], names[i]);
        }
    }

    std::string m_name;
};

/**
 * Tests the pauses in an incast with a small buffer. The expected numbers are means over runs of
 * the authors' simulator with the same jitter of start times. The tolerances apply to the means
 * over runs of this module.
 */
class PausesTestCase : public TestCase
{
  public:
    PausesTestCase(const std::string& name, double pauses, double tolerance)
        : TestCase("with BUFFER_SIZE 2 and jittered starts " + name +
                   " has the authors' number of pauses"),
          m_name(name),
          m_pauses(pauses),
          m_tolerance(tolerance)
    {
    }

  private:
    static constexpr uint32_t RUNS = 10; ///< number of runs with random start times

    void DoRun() override
    {
        const std::string flows = CreateTempDirFilename("flow.txt");
        const std::string path = WriteVariant(CreateTempDirFilename(m_name + ".txt"),
                                              m_name,
                                              {{"BUFFER_SIZE", "2"}, {"FLOW_FILE", "flow.txt"}});
        uint64_t pauses = 0;
        for (uint32_t run = 1; run <= RUNS; ++run)
        {
            WriteJitteredIncast(flows, run);
            auto outcome = RunFile(path, run, CreateTempDirFilename(m_name + ".fct.txt"));
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.size(), 16, "flows finished");
            pauses += outcome.pauses;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(pauses) / RUNS,
                                  m_pauses,
                                  m_tolerance,
                                  "pauses of a run");
    }

    std::string m_name;
    double m_pauses;
    double m_tolerance;
};

class HpccRunTestSuite : public TestSuite
{
  public:
    HpccRunTestSuite()
        : TestSuite("hpcc-run", Type::SYSTEM)
    {
        AddTestCase(new UnloadedTestCase("s0_hp"));
        AddTestCase(new UnloadedTestCase("s0_dcqcn"));
        AddTestCase(new UnloadedTestCase("s0_timely"));
        AddTestCase(new UnloadedTestCase("s0_dctcp"));
        AddTestCase(new UnloadedTestCase("s0_fat_hp"));
        AddTestCase(new LoadedTestCase("s1_hp", 854560, 48506));
        AddTestCase(new LoadedTestCase("s2_hp", 55590, 311.1));
        AddTestCase(new LoadedTestCase("s1_dctcp", 819536, 264052.3));
        AddTestCase(new LoadedTestCase("s2_dctcp", 56592, 45147.9));
        AddTestCase(new LoadedTestCase("s1_timely", 7921056, 3954115.9, 0.05));
        AddTestCase(new LoadedTestCase("s2_timely", 1570272, 204536.4, 0.05));
        AddTestCase(new LoadedTestCase("s1_timely_vwin", 826848, 197608.4, 0.05));
        for (const auto* name : {"s0_timely",
                                 "s1_timely",
                                 "s2_timely",
                                 "s0_dctcp",
                                 "s1_dctcp",
                                 "s2_dctcp",
                                 "s1_timely_vwin"})
        {
            AddTestCase(new ExactTestCase(name));
        }
        AddTestCase(new LoadedTestCase("s1_dcqcn_vwin", 819536, 366894, 0.05));
        AddTestCase(new LoadedTestCase("s1_dcqcn", 3692104, 1188676, 0.05));
        AddTestCase(new LoadedTestCase("s2_dcqcn", 733600, 138874, 0.05));
        AddTestCase(new DrawsTestCase("s1_dcqcn"));
        if (hpcctest::FullOrShort(true, false))
        {
            AddTestCase(new DrawsTestCase("s2_dcqcn"));
        }
        AddTestCase(new PausesTestCase("s1_dcqcn", 131, 12));
        AddTestCase(new PausesTestCase("s1_timely", 97, 10));
        AddTestCase(new PausesTestCase("s1_hp", 0, 0));
        AddTestCase(new PausesTestCase("s1_dctcp", 0, 0));
    }
};

HpccRunTestSuite g_hpccRunTestSuite;

} // namespace
