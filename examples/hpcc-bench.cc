/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Measures the speed of the simulator. Each benchmark runs in a separate process and prints one
// JSON object on a line of standard output. Times are CPU times of the process. Most benchmarks run
// several times, by default 3 times. After each run, a bare event loop is run for comparison.
// bare_event_loop_ratio is the CPU time per packet-hop divided by the CPU time per bare event.
// Ratios are medians over the repetitions. A bare event is allocated in advance and only
// reschedules itself. The bare event loop has as many pending events as the run before it has on
// average.

#include "hpcc-bench-measure.h"
#include "hpcc-bench-permutation.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-collectives.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-fabric-transport.h"
#include "ns3/hpcc-job-graph.h"
#include "ns3/hpcc-job-run.h"
#include "ns3/hpcc-presets.h"
#include "ns3/hpcc-telemetry-format.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

double
PeakRssMb()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// An event that runs a given number of times, by rescheduling itself without delay.
class SpendingEvent : public EventImpl
{
  public:
    explicit SpendingEvent(uint64_t budget)
        : m_budget(budget)
    {
    }

  protected:
    void Notify() override
    {
        if (--m_budget > 0)
        {
            Ref();
            Simulator::ScheduleWithContext(0, NanoSeconds(0), this);
        }
    }

  private:
    uint64_t m_budget;
};

/// Uses up some of ns-3's 2^32 event ids by running @p ids events without advancing simulated time.
void
SpendEventIds(uint64_t ids)
{
    auto* event = new SpendingEvent(ids);
    Simulator::ScheduleWithContext(0, NanoSeconds(0), event);
}

/// Medians of several runs of a load.
struct Result
{
    Measurement run;     ///< the run that has the median speed
    double bareRatio;    ///< CPU time per packet-hop divided by CPU time per bare event
    double speedOfOther; ///< speed of the load divided by the speed of another load, for
                         ///< comparison; 1 without another load
};

/// Runs a load several times, alternately with a bare event loop and, if given, with another load.
Result
Repeat(const Load& load, int repetitions, const Load* other = nullptr)
{
    auto secondsPerHop = [](const Measurement& m) {
        return m.cpuSeconds / static_cast<double>(m.packetHops);
    };
    std::vector<Measurement> runs;
    std::vector<double> ratios;
    std::vector<double> speeds;
    for (int i = 0; i < repetitions; ++i)
    {
        Measurement m = RunPermutation(load);
        double bare = BareEventSeconds(m.packetHops, static_cast<uint32_t>(m.pending + 0.5));
        runs.push_back(m);
        ratios.push_back(secondsPerHop(m) / bare);
        speeds.push_back(other ? secondsPerHop(RunPermutation(*other)) / secondsPerHop(m) : 1);
    }
    std::sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) {
        return secondsPerHop(a) < secondsPerHop(b);
    });
    return {runs[runs.size() / 2], Median(ratios), Median(speeds)};
}

/// A job that consists of successive all-reduces over a ring of all hosts.
class RingJob
{
  public:
    /// Starts the job on a fabric.
    /// @param leastTime least duration of the job if no rate exceeds 100 Gb/s. It determines the
    /// number of all-reduces
    void Start(HpccFabricHelper& fabric,
               const HpccFabricHelper::PolicySpec& spec,
               const Time& leastTime)
    {
        const auto hosts = fabric.GetTopology().GetHosts();
        const auto ranks = static_cast<uint32_t>(hosts.size());
        HpccCollectivePlan plan;
        plan.bytes = uint64_t{ranks} * MESSAGE_BYTES;
        std::vector<uint32_t> members(ranks);
        std::iota(members.begin(), members.end(), 0);
        m_run.reset();
        m_graph = std::make_unique<HpccJobGraph>(ranks);
        HpccCollectives collectives(*m_graph);
        std::vector<std::vector<uint32_t>> after;
        const int64_t stepNs = MESSAGE_BYTES * 8 / 100;
        for (int64_t ns = 0; ns < leastTime.GetNanoSeconds(); ns += 2 * stepNs * (ranks - 1))
        {
            const auto done = collectives.Add(plan, members, after);
            after.assign(ranks, {});
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                after[rank] = {done[rank]};
            }
        }
        m_graph->Finish();
        m_transport = std::make_unique<HpccFabricTransport>(fabric, hosts);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            m_transport->Connect(rank, (rank + 1) % ranks, 0, spec);
        }
        m_run = std::make_unique<HpccJobRun>(*m_graph, *m_transport, HpccJobSettings());
        m_transport->Start();
        m_run->Start();
    }

  private:
    static constexpr uint64_t MESSAGE_BYTES = 64000;

    std::unique_ptr<HpccJobGraph> m_graph;
    std::unique_ptr<HpccFabricTransport> m_transport;
    std::unique_ptr<HpccJobRun> m_run;
};

/// Returns the resident memory of a queue pair without messages, bytes. Both ends of the queue pair
/// count. This function connects the queue pairs of @p load and measures how much the memory of
/// this process grows.
double
BytesPerConnection(const Load& load)
{
    double bytes = 0;
    {
        const auto spec = HpccFabricHelper::MakePolicy(load.cc, load.telemetry);
        HpccFabricHelper fabric;
        load.setUp(fabric, load.topology);
        fabric.Install(load.topology);
        const auto hosts = static_cast<uint32_t>(load.topology.GetHosts().size());
        bytes = ResidentBytes();
        for (uint32_t i = 0; i < hosts * load.queuePairsPerHost; ++i)
        {
            fabric.Connect(i % hosts, (i + hosts / 2) % hosts, spec);
        }
        bytes = (ResidentBytes() - bytes) / (hosts * load.queuePairsPerHost);
    }
    Simulator::Destroy();
    return bytes;
}

/// Prints the results of a benchmark as a JSON object.
void
Print(const std::string& name, const Result& result, const std::string& more = "")
{
    const Measurement& m = result.run;
    auto hops = static_cast<double>(m.packetHops);
    std::printf(
        "{\"benchmark\": \"%s\", \"packet_hops\": %llu, \"events\": %llu, \"cpu_seconds\": %.3f, "
        "\"packet_hops_per_second\": %.0f, \"events_per_packet_hop\": %.3f, "
        "\"bare_event_loop_ratio\": %.2f, \"peak_rss_mb\": %.1f%s}\n",
        name.c_str(),
        static_cast<unsigned long long>(m.packetHops),
        static_cast<unsigned long long>(m.events),
        m.cpuSeconds,
        m.cpuSeconds > 0 ? hops / m.cpuSeconds : 0,
        m.packetHops ? static_cast<double>(m.events) / hops : 0,
        result.bareRatio,
        PeakRssMb(),
        more.c_str());
    std::fflush(stdout);
}

/// Checks that results do not depend on event ids: runs a load twice, and fails if the results
/// differ. In the middle of the second run, ns-3's event ids wrap around.
void
CompareEventIds(Load load)
{
    const Measurement before = RunPermutation(load);
    load.begin = [ids = (uint64_t{1} << 32) - before.events / 2] { SpendEventIds(ids); };
    const double start = CpuSeconds();
    const Measurement across = RunPermutation(load);
    std::printf("{\"benchmark\": \"event-ids\", \"packet_hops\": %llu, \"events\": %llu, "
                "\"cpu_seconds\": %.3f, \"packet_hops_without\": %llu, \"events_without\": %llu, "
                "\"cpu_seconds_in_all\": %.1f}\n",
                static_cast<unsigned long long>(across.packetHops),
                static_cast<unsigned long long>(across.events),
                across.cpuSeconds,
                static_cast<unsigned long long>(before.packetHops),
                static_cast<unsigned long long>(before.events),
                CpuSeconds() - start);
    HPCC_REFUSE_IF(across.packetHops != before.packetHops || across.events != before.events,
                   "event-ids: the run across 2^32 events differs");
}

/// Runs the program hpcc-workload, which must be in this program's directory, and prints its CPU
/// time and memory.
void
BenchWorkload(const std::string& name, std::vector<std::string> arguments, int repetitions)
{
    // In an ns-3 tree, programs have names such as ns3.37-hpcc-bench-optimized.
    std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const std::string self = "hpcc-bench";
    program.replace(program.rfind(self), self.size(), "hpcc-workload");
    HPCC_REFUSE_IF(access(program.c_str(), X_OK) != 0,
                   name + ": " + program + " is needed, and not there");
    const auto out = std::filesystem::temp_directory_path() /
                     ("hpcc-bench-" + std::to_string(static_cast<long>(getpid())));
    arguments.insert(arguments.begin(), program);
    arguments.push_back("--out=" + out.string());
    std::vector<double> seconds;
    double peakMb = 0;
    for (int i = 0; i < repetitions; ++i)
    {
        const pid_t child = fork();
        if (child == 0)
        {
            std::vector<char*> words;
            for (std::string& argument : arguments)
            {
                words.push_back(argument.data());
            }
            words.push_back(nullptr);
            const bool quiet = std::freopen("/dev/null", "w", stdout) != nullptr &&
                               std::freopen("/dev/null", "w", stderr) != nullptr;
            if (quiet)
            {
                execv(program.c_str(), words.data());
            }
            _exit(EXIT_FAILURE);
        }
        int status = 0;
        rusage usage{};
        wait4(child, &status, 0, &usage);
        std::filesystem::remove_all(out);
        HPCC_REFUSE_IF(!WIFEXITED(status) || WEXITSTATUS(status) != 0,
                       name + ": hpcc-workload failed");
        auto of = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
        };
        seconds.push_back(of(usage.ru_utime) + of(usage.ru_stime));
        peakMb = std::max(peakMb, static_cast<double>(usage.ru_maxrss) / 1024);
    }
    std::printf("{\"benchmark\": \"%s\", \"cpu_seconds\": %.2f, \"peak_rss_mb\": %.1f}\n",
                name.c_str(),
                Median(seconds),
                peakMb);
    std::fflush(stdout);
}

/**
 * Returns true if a policy can use a telemetry format.
 * @param cc short name of the policy
 * @param format short name of the format
 */
bool
Reads(const std::string& cc, const std::string& format)
{
    auto spec = HpccFabricHelper::MakePolicy(cc, format);
    return spec.format && spec.policy.Create<RdmaCongestionOps>()
                              ->Validate(0, &spec.format->GetCapabilities())
                              .empty();
}

/// The command line, and a function for each benchmark.
class Benchmarks
{
  public:
    /// Reads the command line.
    Benchmarks(int argc, char* argv[])
    {
        m_experiment.AddOption("benchmark",
                               "the only benchmark to run: fat-tree-k8, many-qps, ports, jobs, "
                               "spraying, fat-tree-k16, paper-fat-tree (1 ms of FB_Hadoop at 50 % "
                               "on 320 hosts, by hpcc-workload), formats, sizes (fat-trees of 16 "
                               "to 3,456 hosts) or event-ids (more than 2^32 events; takes "
                               "minutes); empty: all except sizes and event-ids",
                               m_benchmark);
        m_experiment.AddOption("duration",
                               "simulated time of fat-tree-k8, to which that of most others is "
                               "proportional",
                               m_duration);
        m_experiment.AddOption("repetitions",
                               "runs of each benchmark except fat-tree-k16 and event-ids, odd",
                               m_repetitions);
        m_experiment.AddOption("queue-pairs", "queue pairs of each host in many-qps", m_queuePairs);
        m_experiment.Parse(argc, argv);
        HPCC_REFUSE_IF(m_duration < MicroSeconds(1) || m_repetitions < 1,
                       "--duration is at least 1us, --repetitions at least 1");
        m_cc = OnlyPolicy(m_experiment);
        m_telemetry = m_experiment.GetTelemetry();
    }

    /// Runs the benchmark that --benchmark names, or all benchmarks that run by default.
    void Run() const
    {
        struct Entry
        {
            const char* name;
            void (Benchmarks::*run)() const;
            bool inChild;   ///< true if this program must run the benchmark in a child process;
                            ///< false if the benchmark starts processes itself
            bool byDefault; ///< true if the benchmark runs without the option --benchmark
        };

        static constexpr Entry ENTRIES[] = {
            {"fat-tree-k8", &Benchmarks::FatTreeK8, true, true},
            {"many-qps", &Benchmarks::ManyQps, true, true},
            {"ports", &Benchmarks::Ports, true, true},
            {"jobs", &Benchmarks::Jobs, true, true},
            {"spraying", &Benchmarks::Spraying, true, true},
            {"fat-tree-k16", &Benchmarks::FatTreeK16, true, true},
            {"paper-fat-tree", &Benchmarks::PaperFatTree, false, true},
            {"formats", &Benchmarks::Formats, false, true},
            {"sizes", &Benchmarks::Sizes, false, false},
            {"event-ids", &Benchmarks::EventIds, true, false},
        };
        std::vector<std::string> names;
        bool known = m_benchmark.empty();
        for (const Entry& entry : ENTRIES)
        {
            names.emplace_back(entry.name);
            if (m_benchmark.empty() ? !entry.byDefault : m_benchmark != entry.name)
            {
                continue;
            }
            known = true;
            if (entry.inChild)
            {
                InChild([&] { (this->*entry.run)(); });
            }
            else
            {
                (this->*entry.run)();
            }
        }
        HPCC_REFUSE_IF(!known, DescribeUnknown("--benchmark: unknown", m_benchmark, names));
    }

  private:
    /// Returns a permutation with the policy and the options of the command line.
    /// @param topology the network
    /// @param queuePairs queue pairs of each host
    /// @param duration measured interval
    Load MakeLoad(const HpccTopology& topology, uint32_t queuePairs, const Time& duration) const
    {
        return {topology,
                queuePairs,
                duration,
                m_cc,
                m_telemetry,
                false,
                [this](auto& fabric, const auto& network) { m_experiment.SetUp(fabric, network); },
                [this] { m_experiment.RefuseIdleDefaults(); }};
    }

    /// Returns the medians of --repetitions runs of a load; see Repeat().
    Result Measure(const Load& load, const Load* other = nullptr) const
    {
        return Repeat(load, static_cast<int>(m_repetitions), other);
    }

    /// Prints the results of a load with a feature. One result is the CPU time per packet-hop
    /// divided by the CPU time per packet-hop without the feature.
    /// @param name name of the benchmark
    /// @param load load with the feature: several ports per host, a job, or sprayed queue pairs
    /// @param plain load without the feature
    void PrintRatio(const std::string& name, const Load& load, const Load& plain) const
    {
        const Result result = Measure(load, &plain);
        char more[64];
        std::snprintf(more, sizeof more, ", \"cost_over_plain\": %.3f", 1 / result.speedOfOther);
        Print(name, result, more);
    }

    void FatTreeK8() const
    {
        Print("fat-tree-k8", Measure(MakeLoad(HpccTopology::FatTree(8, {}), 1, m_duration)));
    }

    void ManyQps() const
    {
        Load one = MakeLoad(HpccTopology::LeafSpine(4, 1, 4, m_speeds), 1, 2 * m_duration);
        one.saturate = true;
        // The state of a queue pair is created with its first packet. Therefore the measurement
        // starts only when every queue pair has sent a packet. Until then, a host sends one packet
        // and one ACK for each of its queue pairs. A packet and its ACK together have fewer than
        // 500 bytes besides the payload.
        one.warmUp +=
            m_speeds.host.CalculateBytesTxTime(m_experiment.GetMtu() + 500) * m_queuePairs;
        Load many = one;
        many.queuePairsPerHost = m_queuePairs;
        const double connectBytes = BytesPerConnection(many);
        const Result result = Measure(many, &one);
        char more[128];
        std::snprintf(more,
                      sizeof more,
                      ", \"speed_over_one_qp\": %.3f, \"flow_setup_us\": %.2f, "
                      "\"connect_bytes\": %.0f",
                      result.speedOfOther,
                      result.run.setupSecondsPerFlow * 1e6,
                      connectBytes);
        Print("many-qps", result, more);
    }

    void Ports() const
    {
        Load planes = MakeLoad(HpccTopology::Planes(16, 4, 4, 1, m_speeds), 4, m_duration);
        planes.setUp = [this](auto& fabric, const auto& topology) {
            m_experiment.SetUp(fabric, topology);
            fabric.SetPorts("turns");
        };
        PrintRatio("ports",
                   planes,
                   MakeLoad(HpccTopology::LeafSpine(16, 1, 4, m_speeds), 1, m_duration));
    }

    void Jobs() const
    {
        Load one = MakeLoad(HpccTopology::LeafSpine(8, 1, 4, m_speeds), 1, 2 * m_duration);
        Load ring = one;
        RingJob job;
        ring.connect = [&](auto& fabric, const auto& spec) {
            job.Start(fabric, spec, ring.duration + MicroSeconds(2));
        };
        one.connect = [](auto& fabric, const auto& spec) {
            const uint32_t hosts = fabric.GetTopology().GetHosts().size();
            for (uint32_t i = 0; i < hosts; ++i)
            {
                const uint32_t qp = fabric.Connect(i, (i + 1) % hosts, spec);
                fabric.AddMessage(i, qp, uint64_t{1} << 40, NanoSeconds(1));
            }
        };
        PrintRatio("jobs", ring, one);
    }

    void Spraying() const
    {
        const Load one = MakeLoad(HpccTopology::FatTree(8, {}), 1, m_duration);
        Load sprayed = one;
        sprayed.cc = "nscc";
        sprayed.telemetry = "";
        sprayed.setUp = [this](auto& fabric, const auto& topology) {
            m_experiment.SetUp(fabric, topology);
            fabric.SetHostAttribute("Recovery", StringValue("sack"));
            fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
            fabric.SetEntropy("reps");
            fabric.SetTrimming("coin");
        };
        PrintRatio("spraying", sprayed, one);
    }

    void FatTreeK16() const
    {
        double before = 0;
        {
            HpccFabricHelper fabric;
            fabric.Install(HpccTopology::FatTree(16, {}));
            before = PeakRssMb();
        }
        Simulator::Destroy();
        const Result result = Repeat(MakeLoad(HpccTopology::FatTree(16, {}), 1, m_duration / 4), 1);
        char more[64];
        std::snprintf(more, sizeof more, ", \"rss_before_first_packet_mb\": %.1f", before);
        Print("fat-tree-k16", result, more);
    }

    void PaperFatTree() const
    {
        std::vector<std::string> arguments{
            "--topology=paper-fat-tree",
            "--workload=fb-hadoop",
            "--load=0.5",
            "--duration=1ms",
            "--cc=" + m_cc,
            "--max-lag=" + std::to_string(m_experiment.GetMaxLag().GetNanoSeconds()) + "ns"};
        if (!m_telemetry.empty())
        {
            arguments.push_back("--telemetry=" + m_telemetry);
        }
        BenchWorkload("paper-fat-tree", arguments, static_cast<int>(m_repetitions));
    }

    void Formats() const
    {
        for (const auto& format : HpccPresets::Names(TelemetryFormat::GetTypeId()))
        {
            if (Reads(m_cc, format))
            {
                InChild([&] {
                    Load load = MakeLoad(HpccTopology::FatTree(8, {}), 1, m_duration);
                    load.telemetry = format;
                    load.begin = nullptr;
                    Print("format-" + format, Measure(load));
                });
            }
        }
    }

    void Sizes() const
    {
        for (uint32_t k = 4; k <= 24; k += 4)
        {
            InChild([&] {
                const Load load = MakeLoad(HpccTopology::FatTree(k, {}), 1, m_duration / 4);
                Print("fat-tree-k" + std::to_string(k),
                      Measure(load),
                      ", \"hosts\": " + std::to_string(load.topology.GetHosts().size()));
            });
        }
    }

    void EventIds() const
    {
        CompareEventIds(MakeLoad(HpccTopology::FatTree(4, {}), 4, m_duration));
    }

    const HpccTopology::LinkSpeeds m_speeds{DataRate("100Gbps"),
                                            DataRate("400Gbps"),
                                            MicroSeconds(1)};

    HpccExperiment m_experiment{"hpcc-bench",
                                "Speed benchmarks, one JSON object per line; "
                                "bare_event_loop_ratio is the CPU time per packet-hop divided "
                                "by that per event of a bare event loop",
                                "hpcc++"};
    std::string m_benchmark; ///< --benchmark
    Time m_duration = MicroSeconds(400);
    uint32_t m_repetitions = 3;
    uint32_t m_queuePairs = 4000;
    std::string m_cc;
    std::string m_telemetry;
};

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] { Benchmarks(argc, argv).Run(); });
}
