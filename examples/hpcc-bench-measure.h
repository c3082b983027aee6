/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_BENCH_MEASURE_H
#define HPCC_BENCH_MEASURE_H

#include "ns3/event-impl.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/**
 * \file
 * \ingroup hpcc
 * Functions that the benchmarks share: CPU time, medians, a bare event loop, and running each
 * benchmark in its own process.
 */

namespace ns3
{

/// Returns the CPU time that this process has used, s.
inline double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Returns the resident memory of this process, bytes.
inline double
ResidentBytes()
{
    double total = 0;
    double resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Returns the median of @p values.
/// @param values at least one value
inline double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Sets ns-3's event queue.
/// @param scheduler name of its TypeId
inline void
UseScheduler(const std::string& scheduler = "ns3::PriorityQueueScheduler")
{
    ObjectFactory factory;
    factory.SetTypeId(scheduler);
    Simulator::SetScheduler(factory);
}

/// An event of the bare event loop. It only reschedules itself. All events of the loop share a
/// budget, which is the number of times that they together may still reschedule themselves.
class BareEvent : public EventImpl
{
  public:
    /**
     * Creates an event that is not scheduled yet.
     * @param budget remaining budget of the loop
     * @param random generator of the delays
     */
    BareEvent(uint64_t& budget, std::minstd_rand& random)
        : m_budget(budget),
          m_random(random)
    {
    }

    /// Schedules the event after a random delay of 1 to 2000 ns.
    /// @param context context of the event
    void Arm(uint32_t context)
    {
        m_context = context;
        Ref();
        Simulator::ScheduleWithContext(m_context, NanoSeconds(1 + m_random() % 2000), this);
    }

  protected:
    void Notify() override
    {
        if (m_budget > 0)
        {
            --m_budget;
            Arm(m_context);
        }
    }

  private:
    uint64_t& m_budget;         ///< remaining budget of the loop
    std::minstd_rand& m_random; ///< generator of the delays
    uint32_t m_context{0};      ///< context in which the event was last scheduled
};

/**
 * Returns the CPU time per event of a bare event loop, s. This function runs the loop.
 * @param events number of times that events reschedule themselves
 * @param pending number of events that are pending at the same time
 * @param scheduler TypeId of the event queue
 */
inline double
BareEventSeconds(uint64_t events,
                 uint32_t pending,
                 const std::string& scheduler = "ns3::PriorityQueueScheduler")
{
    UseScheduler(scheduler);
    uint64_t budget = events;
    std::minstd_rand random(1);
    std::vector<Ptr<BareEvent>> loop;
    for (uint32_t i = 0; i < pending; ++i)
    {
        loop.push_back(Ptr<BareEvent>(new BareEvent(budget, random), false));
        loop.back()->Arm(i);
    }
    const double start = CpuSeconds();
    Simulator::Run();
    const double seconds = CpuSeconds() - start;
    Simulator::Destroy();
    return seconds / static_cast<double>(events + pending);
}

/**
 * Checks the command line of a benchmark, and returns the policy that --cc names.
 * @param experiment after Parse()
 * @return short name of the policy. Throws HpccInputError if --cc names several policies, or if the
 * command line gives --mpi or an option that has no effect on a benchmark
 */
inline const std::string&
OnlyPolicy(const HpccExperiment& experiment)
{
    HPCC_REFUSE_IF(experiment.GetRanks(), "--mpi works only with hpcc-bench-ranks");
    HPCC_REFUSE_IF(experiment.GetPolicies().size() > 1,
                   "--cc: a benchmark runs one policy, not " +
                       std::to_string(experiment.GetPolicies().size()));
    experiment.RefuseGiven(
        {"feedback", "out", "pcap", "qp-csv", "settle", "eta", "max-stage", "wai", "watchdog"},
        "a benchmark writes no tables and has no parameters of policies");
    return experiment.GetPolicies().front();
}

/**
 * Runs a benchmark in a child process, so that memory left by one benchmark does not affect the
 * next benchmark.
 * @param body the benchmark, which prints its results itself. If it fails, this program exits with
 * the child's exit code
 */
template <typename Body>
void
InChild(Body body)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
    {
        const int code = HpccExperiment::Main(body);
        std::fflush(stdout);
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    HPCC_REFUSE_IF(!WIFEXITED(status),
                   "a benchmark was ended by signal " + std::to_string(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
    {
        std::exit(WEXITSTATUS(status)); // the child has printed the reason
    }
}

} // namespace ns3

#endif // HPCC_BENCH_MEASURE_H
