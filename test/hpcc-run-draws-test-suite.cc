/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests keys of the HPCC authors' simulator whose effect depends on random numbers. The module and
// the authors' simulator run the same incasts with random start times. The file
// data/authors/expected/keys.draws.txt contains the results of the authors' simulator.

#include "hpcc-test-authors-run.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using namespace hpcctest;

namespace
{

/// A variant of a config.
struct Variant
{
    std::string name;                          ///< name in keys.draws.txt
    std::string config;                        ///< name of the config
    std::map<std::string, std::string> values; ///< values by key
    double meanTolerance;                      ///< relative tolerance of the mean completion time
    double mostTolerance; ///< relative tolerance of the longest completion time
};

/// Compares ten runs of a variant with random start times with the same runs of the authors'
/// simulator.
class KeyDrawsTestCase : public TestCase
{
  public:
    explicit KeyDrawsTestCase(const Variant& variant)
        : TestCase("over ten draws, " + variant.name +
                   " has the authors' mean and longest completion time"),
          m_variant(variant)
    {
    }

  private:
    /// Completion time from which a flow is ignored, ns. If the last ACK of a flow is lost, the
    /// flow never ends in the authors' simulator, which has no time-outs. In this module it ends
    /// after a time-out of 4 ms.
    static constexpr double TIMED_OUT_NS = 3.5e6;

    void DoRun() override
    {
        const std::string flows = CreateTempDirFilename("flow.txt");
        auto values = m_variant.values;
        values["FLOW_FILE"] = "flow.txt"; // relative to the folder of the config
        const std::string path =
            WriteVariant(CreateTempDirFilename("config.txt"), m_variant.config, values);
        std::ifstream in(DATA + "expected/keys.draws.txt");
        uint32_t draws = 0;
        double expectedMean = 0;
        double expectedMost = 0;
        double mean = 0;
        double most = 0;
        std::string name;
        uint32_t run = 0;
        double finished = 0;
        std::array<double, 3> row{};
        while (in >> name >> run >> finished >> row[0] >> row[1] >> row[2])
        {
            if (name != m_variant.name)
            {
                continue;
            }
            ++draws;
            expectedMean += row[1];
            expectedMost += row[2];
            WriteJitteredIncast(flows, run);
            auto outcome = RunFile(path, run, CreateTempDirFilename("fct.txt"));
            NS_TEST_EXPECT_MSG_EQ(outcome.fctNs.size(), 16, "flows finished");
            for (auto flow = outcome.fctNs.begin(); flow != outcome.fctNs.end();)
            {
                flow = flow->second > TIMED_OUT_NS ? outcome.fctNs.erase(flow) : std::next(flow);
            }
            const auto got = MinMeanMax(outcome.fctNs);
            mean += got[1];
            most += got[2];
        }
        NS_TEST_ASSERT_MSG_EQ(draws, 10, "expected data are missing");
        NS_TEST_EXPECT_MSG_EQ_TOL(mean / draws,
                                  expectedMean / draws,
                                  m_variant.meanTolerance * expectedMean / draws,
                                  "mean completion time");
        NS_TEST_EXPECT_MSG_EQ_TOL(most / draws,
                                  expectedMost / draws,
                                  m_variant.mostTolerance * expectedMost / draws,
                                  "longest completion time");
    }

    Variant m_variant;
};

/// Tests switches that send ACKs with the highest priority.
class AcksFirstTestCase : public TestCase
{
  public:
    AcksFirstTestCase()
        : TestCase("with ACKs first, 50 of 60 flows of TIMELY in both directions have the authors' "
                   "completion times to the nanosecond")
    {
    }

  private:
    void DoRun() override
    {
        auto expected = ReadFct(DATA + "expected/s4_acks_first.fct.txt");
        const std::string path =
            WriteVariant(CreateTempDirFilename("config.txt"),
                         "s1_timely",
                         {{"FLOW_FILE", DATA + "flow/s4_mixed.txt"}, {"ACK_HIGH_PRIO", "1"}});
        NS_TEST_ASSERT_MSG_EQ(expected.size(), 60, "expected data are missing");
        NS_TEST_EXPECT_MSG_GT(CountEqual(expected, path, true), 50, "equal completion times");
        NS_TEST_EXPECT_MSG_LT(CountEqual(expected, path, false), 20, "ACKs among data");
    }

    /// @return number of flows with the expected completion time
    size_t CountEqual(const std::map<std::string, double>& expected,
                      const std::string& path,
                      bool acksFirst)
    {
        auto got = RunFile(path, 1, CreateTempDirFilename("fct.txt"), acksFirst).fctNs;
        return std::count_if(expected.begin(), expected.end(), [&](const auto& flow) {
            return got[flow.first] == flow.second;
        });
    }
};

class HpccRunDrawsTestSuite : public TestSuite
{
  public:
    HpccRunDrawsTestSuite()
        : TestSuite("hpcc-run-draws", Type::SYSTEM)
    {
        // Tolerances are at least twice the standard error of the difference.
        const std::map<std::string, std::string> pint{{"CC_MODE", "10"}, {"PINT_LOG_BASE", "1.01"}};
        auto pint16 = pint;
        pint16["PINT_PROB"] = "0.0625";
        for (const auto& variant : std::vector<Variant>{
                 {"pint", "s1_hp", pint, 0.015, 0.005},
                 {"pint-16", "s1_hp", pint16, 0.04, 0.1},
                 {"sample", "s1_hp", {{"SAMPLE_FEEDBACK", "1"}}, 0.01, 0.005},
                 {"fast-0", "s1_hp", {{"FAST_REACT", "0"}}, 0.01, 0.005},
                 {"bound-0", "s1_hp", {{"RATE_BOUND", "0"}}, 0.01, 0.005},
                 {"bound-0-dcqcn", "s1_dcqcn", {{"RATE_BOUND", "0"}}, 0.0001, 0.0001},
                 {"errors", "s1_dctcp", {{"ERROR_RATE_PER_LINK", "0.002"}}, 0.03, 0.04}})
        {
            AddTestCase(new KeyDrawsTestCase(variant));
        }
        AddTestCase(new AcksFirstTestCase);
    }
};

HpccRunDrawsTestSuite g_hpccRunDrawsTestSuite; ///< the suite

} // namespace
