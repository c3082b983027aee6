/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Simulates the traffic of a data centre: flows of a published size distribution that arrive as a
// Poisson process, repeated incasts, and a collective operation of all hosts. The results are the
// slowdown of flows by size, the duration of the collective operation, and queue lengths. The
// slowdown of a flow is its completion time divided by its completion time in an idle network.

#include "ns3/hpcc-workload.h"

#include "hpcc-workload/hpcc-authors-ideal.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-collective.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-output-directory.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-workload-monitor.h"
#include "ns3/qbb-flow-control.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t TRAFFIC_STREAM = 1000000; ///< first random stream of the background traffic
constexpr int64_t INCAST_STREAM = 900000;   ///< first random stream of the incasts

/// Options of the program.
struct Options
{
    std::string topology{"fat-tree:4"};
    std::string workload{"fb-hadoop"};
    double load{0.5};
    std::string loadOn{"hosts"};
    Time duration{MicroSeconds(500)};
    uint32_t incast{0};
    uint64_t incastBytes{500000};
    double incastLoad{0.02};
    std::string collective;
    HpccCollective::Plan job;
    std::string trace;
    std::string saveTrace;
    Time sample{MicroSeconds(1)};
    uint32_t bins{20};
    std::string ideal{"exact"};
    Time stop{Seconds(10)};

    void AddTo(HpccExperiment& experiment)
    {
        experiment.AddOption("topology",
                             "the network, such as fat-tree:8 or leaf-spine:4,4,16: " +
                                 HpccTopology::Usage(),
                             topology);
        experiment.AddOption("workload",
                             "sizes of flows: websearch, fb-hadoop, ali-storage, google-rpc, a "
                             "file, or none for no background traffic",
                             workload);
        experiment.AddOption("load",
                             "payload of the background traffic divided by the capacity, above 0, "
                             "at most 1",
                             load);
        experiment.AddOption("load-on",
                             "capacity to which --load refers: hosts (their links) or uplinks (of "
                             "racks)",
                             loadOn);
        experiment.AddOption("duration", "time during which flows start", duration);
        experiment.AddOption("incast", "senders of each recurring incast; 0 for no incast", incast);
        experiment.AddOption("incast-bytes",
                             "payload of each sender of an incast, bytes",
                             incastBytes);
        experiment.AddOption("incast-load",
                             "payload of the incasts divided by the rate of all hosts' links, "
                             "above 0, at most 1",
                             incastLoad);
        experiment.AddOption("collective",
                             "collective operation of all hosts, from time 0: ring (all-reduce) "
                             "or all-to-all; empty: none",
                             collective);
        experiment.AddOption("job-bytes",
                             "with --collective: bytes of each host, at least 1",
                             job.bytes);
        experiment.AddOption("job-window",
                             "with --collective=all-to-all: concurrent rounds of a host, at least "
                             "1",
                             job.window);
        experiment.AddOption("trace",
                             "run the flows of this file in place of --workload and --incast; "
                             "also reads flow files of the HPCC authors' simulator",
                             trace);
        experiment.AddOption("save-trace",
                             "write the flows, without those of --collective, to this file when "
                             "the first run has ended",
                             saveTrace);
        experiment.AddOption("sample", "time between two samples of the queues", sample);
        experiment.AddOption("bins",
                             "bins of the background flows in slowdown.csv, 1 to 1000",
                             bins);
        experiment.AddOption("ideal",
                             "ideal completion time: exact, or authors for the formula of the HPCC "
                             "authors' simulator, with slowdowns below 1 counted as 1",
                             ideal);
        experiment.AddOption("stop", "end of the run if flows have not finished before", stop);
    }

    void Check(const HpccExperiment& experiment) const
    {
        HPCC_REFUSE_IF(loadOn != "hosts" && loadOn != "uplinks",
                       DescribeUnknown("--load-on: unknown", loadOn, {"hosts", "uplinks"}));
        HPCC_REFUSE_IF(ideal != "exact" && ideal != "authors",
                       DescribeUnknown("--ideal: unknown", ideal, {"authors", "exact"}));
        CheckIdle(experiment);
        HPCC_REFUSE_IF(!sample.IsStrictlyPositive(), "--sample: 0 is not allowed; at least 1 ns");
        RequireRange("--bins", bins, 1, 1000);
    }

    /// Refuses options that have no effect in combination with other options.
    void CheckIdle(const HpccExperiment& experiment) const
    {
        if (!trace.empty())
        {
            experiment.RefuseGiven({"workload",
                                    "load",
                                    "load-on",
                                    "duration",
                                    "incast",
                                    "incast-bytes",
                                    "incast-load"},
                                   "--trace gives the flows");
        }
        if (workload == "none")
        {
            experiment.RefuseGiven({"load", "load-on", "bins"}, "--workload=none has no flows");
        }
        if (workload == "none" && incast == 0)
        {
            experiment.RefuseGiven({"duration"}, "there are no flows; give --incast too");
        }
        if (incast == 0)
        {
            experiment.RefuseGiven({"incast-bytes", "incast-load"},
                                   "there is no incast; give --incast too");
        }
        if (collective.empty())
        {
            experiment.RefuseGiven({"job-bytes", "job-window"},
                                   "there is no operation; give --collective too");
        }
        if (collective == "ring")
        {
            experiment.RefuseGiven({"job-window"}, "--collective=ring has no window");
        }
    }

    /// Returns the collective operation; null if there is none.
    std::unique_ptr<HpccCollective> MakeJob(const HpccTopology& network) const
    {
        if (collective.empty())
        {
            return nullptr;
        }
        HpccCollective::Plan plan = job;
        plan.kind = HpccCollective::KindOf(collective);
        return std::make_unique<HpccCollective>(plan, network);
    }

    HpccFlowTrace MakeTrace(const HpccTopology& network) const
    {
        if (!trace.empty())
        {
            return HpccFlowTrace::Load(trace, network);
        }
        HpccFlowTrace flows;
        if (workload != "none")
        {
            auto base = loadOn == "hosts" ? HpccPoissonTraffic::HOST_LINKS
                                          : HpccPoissonTraffic::TOR_UPLINKS;
            HpccPoissonTraffic{load, base, duration}.AddTo(flows,
                                                           network,
                                                           HpccFlowSizes::Load(workload),
                                                           TRAFFIC_STREAM);
        }
        if (incast > 0)
        {
            HpccRecurringIncast{incast, incastBytes, incastLoad, duration}.AddTo(flows,
                                                                                 network,
                                                                                 INCAST_STREAM);
        }
        flows.Sort();
        return flows;
    }
};

/**
 * Warns if --incast starts no flow.
 * @param incast senders of each incast, at least 1
 * @param flows the flows of the run
 */
void
WarnOfNoIncast(uint32_t incast, const HpccFlowTrace& flows)
{
    for (size_t i = 0; i < flows.GetFlows().size(); ++i)
    {
        if (flows.GetClass(i) == HpccFlowClass::INCAST)
        {
            return;
        }
    }
    std::cerr << "hpcc-workload: warning: --incast=" << incast
              << ": no incast starts within --duration" << std::endl;
}

/// Writes the file of --save-trace.
class TraceFile
{
  public:
    /// Prepares the file. Throws HpccInputError if the path cannot be written. Leaves an existing
    /// file unchanged until Write().
    TraceFile(const Options& options, const HpccFlowTrace& trace, const HpccExperiment& experiment)
        : m_path(options.saveTrace)
    {
        if (m_path.empty())
        {
            return;
        }
        HPCC_REFUSE_IF(experiment.IsRepeated(),
                       "--save-trace: each of the --runs has its own flows; save the trace of one "
                       "run at a time");
        HPCC_REFUSE_IF(
            trace.GetFlows().empty(),
            "--save-trace: there are only the flows of --collective=" + options.collective +
                ", which no trace contains; allowed are flows of --workload and "
                "--incast");
        HPCC_REFUSE_IF(HpccOutputDirectory::PathsOf(experiment.GetOut(), experiment.ListTables())
                               .count(std::filesystem::weakly_canonical(
                                   std::filesystem::absolute(m_path))) > 0,
                       "--save-trace: " + m_path +
                           " is the name of another output file; allowed are other names");
        auto directory = std::filesystem::path(m_path).parent_path();
        if (!directory.empty())
        {
            HpccExperiment::MakeDirectory(directory.string());
        }
        std::error_code error;
        const bool exists = std::filesystem::exists(m_path, error);
        if (!exists || !std::filesystem::is_other(m_path, error)) // do not open a pipe, because
                                                                  // this would block
        {
            RefuseUnless(std::ofstream(m_path, std::ios::app).is_open());
        }
        if (!exists)
        {
            std::filesystem::remove(m_path, error);
        }
        std::ostringstream text;
        trace.Write(text, "hpcc-workload --topology=" + options.topology);
        m_text = text.str();
    }

    /// Writes the flows. Call this function at the end of each run; only the first call has an
    /// effect.
    /// @param fabric network of the run
    void Write(const HpccFabricHelper& fabric)
    {
        if (m_text.empty() || (fabric.GetRanks() && fabric.GetRanks()->GetRank() > 0))
        {
            return;
        }
        RefuseUnless(HpccOutputDirectory::WriteFile(m_path, m_text));
        m_text.clear();
    }

  private:
    void RefuseUnless(bool written) const
    {
        HPCC_REFUSE_IF(!written, "--save-trace: cannot write " + m_path);
    }

    std::string m_path;
    std::string m_text; ///< the flows in the format of a trace; empty if nothing is to be written
};

/**
 * Returns the start times of the first and the last planned flow, ns.
 * @param trace planned flows
 * @param otherwise times to return if no flow is planned, ns
 */
std::pair<int64_t, int64_t>
StartsNs(const HpccFlowTrace& trace, const std::pair<int64_t, int64_t>& otherwise)
{
    int64_t firstNs = std::numeric_limits<int64_t>::max();
    int64_t lastNs = HpccFlowPlan::NOT_PLANNED;
    for (const auto& flow : trace.GetFlows())
    {
        if (flow.startNs != HpccFlowPlan::NOT_PLANNED)
        {
            firstNs = std::min(firstNs, flow.startNs);
            lastNs = std::max(lastNs, flow.startNs);
        }
    }
    return lastNs == HpccFlowPlan::NOT_PLANNED ? otherwise : std::pair(firstNs, lastNs);
}

/// The tables of this program.
class Report
{
  public:
    Report(const HpccExperiment& experiment,
           const Options& options,
           const HpccFlowTrace& trace,
           const HpccCollective* job)
        : m_experiment(experiment),
          m_options(options),
          m_trace(trace),
          m_sampledNs(Sampled(options, trace, job)),
          m_job(job),
          m_slowdown(experiment.PathOf("slowdown.csv"),
                     "cc,class,bin,max_bytes,flows,slowdown_p50,slowdown_p95,slowdown_p99,"
                     "slowdown_mean"),
          m_queue(experiment.PathOf("queue_cdf.csv"), "cc,queue_bytes,share"),
          m_pfc(experiment.PathOf("pfc.csv"), "cc,node,port,pauses,paused_us,paused_fraction"),
          m_workload(experiment.PathOf("workload.csv"),
                     "cc,slowdown_p50,slowdown_p95,slowdown_p99,slowdown_mean,queue_p50_bytes,"
                     "queue_p90_bytes,queue_p95_bytes,queue_p99_bytes,queue_p999_bytes,"
                     "queue_max_bytes,rtt_p50_us,rtt_p95_us,rtt_p99_us,paused_percent,end_us")
    {
        if (job)
        {
            m_jobs.emplace(experiment.PathOf("jobs.csv"),
                           "cc,collective,hosts,message_bytes,messages,finished,start_us,jct_us,"
                           "bound_us,ratio");
        }
    }

    void Connected(HpccFabricHelper& fabric)
    {
        const auto [fromNs, untilNs] = m_sampledNs;
        m_monitor.emplace(fabric, m_options.sample.GetNanoSeconds(), untilNs, fromNs);
    }

    void Finished(HpccFabricHelper& fabric, const HpccMonitor& monitor)
    {
        m_monitor->Merge(fabric);
        m_workload << m_experiment.GetLabel();
        for (auto flowClass :
             {HpccFlowClass::BACKGROUND, HpccFlowClass::INCAST, HpccFlowClass::JOB})
        {
            WriteSlowdowns(monitor, flowClass);
        }
        WriteQueues();
        WritePauses(fabric);
        if (m_job)
        {
            WriteJob(fabric, monitor);
        }
    }

    /// Returns the tables of the report.
    std::vector<HpccCsvFile*> GetTables()
    {
        std::vector<HpccCsvFile*> tables{&m_slowdown, &m_queue, &m_pfc, &m_workload};
        if (m_jobs)
        {
            tables.push_back(&*m_jobs);
        }
        return tables;
    }

    void Commit()
    {
        for (HpccCsvFile* file : GetTables())
        {
            file->Commit();
        }
    }

  private:
    /**
     * Returns the start and the end of the sampling of the queues, ns.
     * @param options options of the program
     * @param trace flows, with the messages of the job
     * @param job collective operation; null if there is none
     */
    static std::pair<int64_t, int64_t> Sampled(const Options& options,
                                               const HpccFlowTrace& trace,
                                               const HpccCollective* job)
    {
        const int64_t stopNs = options.stop.GetNanoSeconds();
        // The messages of a job have no planned start, so sampling starts with the job.
        return job ? std::pair(options.job.startNs, stopNs) : StartsNs(trace, {0, stopNs});
    }

    std::vector<HpccWorkloadMonitor::SlowdownBin> Slowdowns(const HpccMonitor& monitor,
                                                            HpccFlowClass flowClass,
                                                            size_t bins) const
    {
        return HpccWorkloadMonitor::GetSlowdowns(monitor.GetFlows(),
                                                 m_trace,
                                                 monitor.GetResults(),
                                                 flowClass,
                                                 bins,
                                                 m_options.ideal == "authors" ? 1 : 0);
    }

    void WriteSlowdowns(const HpccMonitor& monitor, HpccFlowClass flowClass)
    {
        auto figures = [](HpccCsvFile& file, const HpccWorkloadMonitor::SlowdownBin& bin) {
            for (double value : {bin.p50, bin.p95, bin.p99, bin.mean})
            {
                file << "," << FormatFixed(value, 4);
            }
        };
        size_t bins = flowClass == HpccFlowClass::BACKGROUND ? m_options.bins : 1;
        for (const auto& bin : Slowdowns(monitor, flowClass, bins))
        {
            m_slowdown << m_experiment.GetLabel() << "," << NameOf(flowClass) << "," << bin.number
                       << "," << bin.maxBytes << "," << bin.flows;
            figures(m_slowdown, bin);
            m_slowdown << "\n";
        }
        if (flowClass == HpccFlowClass::BACKGROUND)
        {
            auto all = Slowdowns(monitor, flowClass, 1);
            double none = std::nan("");
            figures(m_workload,
                    all.empty() ? HpccWorkloadMonitor::SlowdownBin{1, 0, 0, none, none, none, none}
                                : all.front());
        }
    }

    void WriteQueues()
    {
        for (const auto& step : m_monitor->GetQueues().GetSteps())
        {
            m_queue << m_experiment.GetLabel() << "," << step.value << ","
                    << FormatFixed(step.share, 8) << "\n";
        }
        const auto& queues = m_monitor->GetQueues();
        for (double q : {0.5, 0.9, 0.95, 0.99, 0.999, 1.0})
        {
            m_workload << ","
                       << (queues.GetTotal() > 0 ? std::to_string(queues.GetQuantile(q)) : "nan");
        }
        const auto& rtts = m_monitor->GetRtts();
        for (double q : {0.5, 0.95, 0.99})
        {
            m_workload << ","
                       << (rtts.GetTotal() > 0 ? FormatUs(static_cast<int64_t>(rtts.GetQuantile(q)))
                                               : "nan");
        }
    }

    void WritePauses(HpccFabricHelper& fabric)
    {
        const int64_t endNs = Simulator::Now().GetNanoSeconds();
        // Exclude the time before the first flow, which may be long: in some flow files, the first
        // flow starts at 2 s.
        const auto spanNs = static_cast<double>(std::max<int64_t>(endNs - m_sampledNs.first, 1));
        double paused = 0;
        std::vector<uint64_t> pauses;
        std::vector<uint64_t> pausedNs;
        for (const auto& device : fabric.GetDevices())
        {
            pauses.push_back(device ? device->GetPauses() : 0);
            pausedNs.push_back(
                device ? static_cast<uint64_t>(device->GetFlowControl().GetPausedNs(endNs)) : 0);
        }
        fabric.AddUp(pauses);
        fabric.AddUp(pausedNs);
        for (size_t i = 0; i < pauses.size(); ++i)
        {
            double share = static_cast<double>(pausedNs[i]) / spanNs;
            paused += share;
            if (pauses[i] > 0)
            {
                m_pfc << m_experiment.GetLabel() << ","
                      << fabric.GetNodes().Get(fabric.GetNodeOf(i))->GetId() << ","
                      << fabric.GetPortOf(i) << "," << pauses[i] << ","
                      << FormatUs(static_cast<int64_t>(pausedNs[i])) << "," << FormatFixed(share, 6)
                      << "\n";
            }
        }
        m_workload << ","
                   << FormatFixed(100 * paused / static_cast<double>(fabric.GetDevices().size()), 6)
                   << "," << FormatUs(endNs) << "\n";
    }

    void WriteJob(const HpccFabricHelper& fabric, const HpccMonitor& monitor)
    {
        uint64_t messages = 0;
        uint64_t finished = 0;
        int64_t endNs = 0;
        for (size_t i = 0; i < monitor.GetFlows().size(); ++i)
        {
            if (m_trace.GetClass(i) == HpccFlowClass::JOB)
            {
                ++messages;
                finished += monitor.GetResults()[i].receiverEndNs >= 0;
                endNs = std::max(endNs, monitor.GetResults()[i].receiverEndNs);
            }
        }
        int64_t boundNs = m_job->GetBoundNs(fabric);
        int64_t startNs = m_options.job.startNs;
        bool done = finished == messages;
        *m_jobs << m_experiment.GetLabel() << "," << m_options.collective << ","
                << m_job->GetRanks() << "," << m_job->GetChunkBytes() << "," << messages << ","
                << finished << "," << FormatUs(startNs) << ","
                << (done ? FormatUs(endNs - startNs) : "nan") << "," << FormatUs(boundNs) << ","
                << FormatFixed(done ? static_cast<double>(endNs - startNs) /
                                          static_cast<double>(boundNs)
                                    : std::nan(""),
                               4)
                << "\n";
    }

    const HpccExperiment& m_experiment;
    const Options& m_options;
    const HpccFlowTrace& m_trace;
    std::pair<int64_t, int64_t> m_sampledNs; ///< start and end of the sampling of the queues, ns
    const HpccCollective* m_job;
    HpccCsvFile m_slowdown;
    HpccCsvFile m_queue;
    HpccCsvFile m_pfc;
    HpccCsvFile m_workload;
    std::optional<HpccCsvFile> m_jobs; ///< no value if m_job is null
    std::optional<HpccWorkloadMonitor> m_monitor;
};

/// Sets the flows and callbacks of a scenario. The other arguments must outlive the run.
void
Plan(HpccExperiment::Scenario& scenario,
     const Options& options,
     HpccFlowTrace& trace,
     HpccCollective* job,
     Report& report,
     TraceFile& file)
{
    scenario.flows = trace.TakeFlows();
    scenario.bulk = true;
    scenario.addsUp = true;
    scenario.tables = report.GetTables();
    scenario.stop = options.stop;
    scenario.startsAfterStop = true;
    scenario.nameClass = [&trace](size_t flow) { return NameOf(trace.GetClass(flow)); };
    scenario.connected = [&report, job](HpccFabricHelper& fabric) {
        report.Connected(fabric);
        if (job)
        {
            job->Start(fabric);
        }
    };
    scenario.finished = [&report, &file](HpccFabricHelper& fabric,
                                         const std::vector<HpccFlowPlan>&,
                                         const HpccMonitor& monitor) {
        file.Write(fabric);
        report.Finished(fabric, monitor);
    };
    if (job)
    {
        scenario.connectJob = [job](HpccFabricHelper& fabric,
                                    const HpccFlowPlan& flow,
                                    const HpccFabricHelper::PolicySpec& spec) {
            return job->Connect(fabric, flow, spec);
        };
    }
    if (options.ideal == "authors")
    {
        scenario.idealFctNs = [](const HpccFabricHelper& fabric, const HpccFlowPlan& flow) {
            return GetAuthorsIdealFctNs(fabric, flow.source, flow.destination, flow.bytes);
        };
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        Options options;
        HpccExperiment experiment("hpcc-workload",
                                  "Flows with published sizes, recurring incasts and collectives",
                                  "hpcc++,hpcc,dcqcn");
        options.AddTo(experiment);
        experiment.AddTable("slowdown.csv", 3);
        experiment.AddTable("workload.csv", 1);
        experiment.AddTable("pfc.csv", 3);
        experiment.AddTable("jobs.csv", 2);
        experiment.Parse(argc, argv);
        options.Check(experiment);
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::ByName(options.topology);
        HpccFlowTrace trace = options.MakeTrace(scenario.topology);
        auto job = options.MakeJob(scenario.topology);
        HPCC_REFUSE_IF(trace.GetFlows().empty() && !job,
                       "no flow starts: --duration is too short, or there is neither "
                       "--workload nor --incast nor --collective");
        const Ptr<HpccRanks> ranks = experiment.GetRanks();
        if (options.incast > 0 && (!ranks || ranks->GetRank() == 0))
        {
            WarnOfNoIncast(options.incast, trace);
        }
        TraceFile file(options, trace, experiment);
        if (job)
        {
            job->AddTo(trace);
        }
        Report report(experiment, options, trace, job.get());
        Plan(scenario, options, trace, job.get(), report, file);
        experiment.Run(scenario);
        report.Commit();
    });
}
