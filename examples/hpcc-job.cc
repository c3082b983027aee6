/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs training jobs. A job consists of computations and messages that depend on each other. The
// program generates the job, as a collective operation or a training job, or reads it from a file
// of another simulator. How long does an iteration take? How much of this time is communication
// that does not overlap with computation? How much bandwidth do collectives and flows get?

#include "hpcc-job/hpcc-job-network.h"
#include "hpcc-job/hpcc-job-spec.h"
#include "hpcc-job/hpcc-job-tables.h"

#include "ns3/hpcc-abstract-transport.h"
#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-fabric-transport.h"
#include "ns3/hpcc-flow-sizes.h"
#include "ns3/hpcc-flow-trace.h"
#include "ns3/hpcc-loggops.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/hpcc-word-reader.h"
#include "ns3/hpcc-workload.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>

using namespace ns3;

namespace
{

constexpr const char* DEFAULT_JOB = "all-reduce:ring,bytes=1000000"; ///< default of --job
constexpr int64_t TRAFFIC_STREAM = 1000000;  ///< first random stream of the background traffic
constexpr int64_t PLACEMENT_STREAM = 800000; ///< random stream of placements
constexpr int64_t JITTER_STREAM = 2000000;   ///< first random stream of the jitter
constexpr int64_t STREAMS_PER_JOB = 1 << 20; ///< number of random streams for the jitter of a job

/// Options of the program.
struct Options
{
    std::vector<std::string> jobs; ///< descriptions of the jobs (--job); empty: DEFAULT_JOB
    std::string topology{"star:8"};
    std::string network{"fabric"};
    double computeScale{1};
    Time sendDelay{0};
    Time receiveDelay{0};
    double jitter{0};
    std::string slow;
    std::string late;
    std::string workload{"none"};
    double load{0.3};
    Time duration{MicroSeconds(500)};
    Time stop{Seconds(10)};

    void AddTo(HpccExperiment& experiment)
    {
        experiment.AddList(
            "job",
            "goal:FILE; simai:FILE[,passes=N][,channels=N][,ranks=N][,all-reduce=ALGORITHM]"
            "[,gather=ALGORITHM][,broadcast=ALGORITHM]; "
            "training:TPxPPxDP,activation=BYTES,gradient=BYTES[,layers=N][,microbatches=N]"
            "[,compute=TIME][,times=N] (sizes of tensor, pipeline and data parallelism); or a "
            "collective (all-reduce, reduce-scatter, all-gather, all-to-all, broadcast): "
            "COLLECTIVE:ALGORITHM[+ALGORITHM...],bytes=N[,ranks=N][,channels=N][,chunks=N]"
            "[,window=N][,dims=AxB...][,times=N][,compute=TIME]; each may end with @random or "
            "@HOSTS, the hosts in the order of ranks, such as @0,4,8-11; by default " +
                std::string(DEFAULT_JOB),
            jobs);
        experiment.AddOption("topology",
                             "the network, such as star:8: " + HpccTopology::Usage(),
                             topology);
        experiment.AddOption("network",
                             "network model: fabric (packets), constant:LATENCY,RATE (a link per "
                             "ordered pair of ranks) or loggops:L,o,g,O,G,S (ns; S in bytes)",
                             network);
        experiment.AddOption("compute-scale",
                             "factor for the times of all computations, 0 to 1000000",
                             computeScale);
        experiment.AddOption("send-delay",
                             "software time at the sender before each message",
                             sendDelay);
        experiment.AddOption("receive-delay",
                             "software time at the receiver after each message",
                             receiveDelay);
        experiment.AddOption("jitter",
                             "mean of the exponential share by which each computation is "
                             "lengthened, 0 to 1000",
                             jitter);
        experiment.AddOption("slow",
                             "additional factor for a host's computations: HOST:FACTOR,...",
                             slow);
        experiment.AddOption("late", "delay of a host's start: HOST:TIME,...", late);
        experiment.AddOption("workload",
                             "sizes of background flows: websearch, fb-hadoop, ali-storage, "
                             "google-rpc, a file, or none",
                             workload);
        experiment.AddOption("load",
                             "payload of the background flows divided by the rate of the hosts' "
                             "links, above 0, at most 1",
                             load);
        experiment.AddOption("duration", "time during which background flows start", duration);
        experiment.AddOption("stop", "end of the run if jobs have not finished before", stop);
    }

    void Check(const HpccExperiment& experiment) const
    {
        RequireRange("--compute-scale", computeScale, 0, 1000000);
        RequireRange("--jitter", jitter, 0, 1000);
        HPCC_REFUSE_IF(!(load > 0 && load <= 1),
                       "--load: " + std::to_string(load) + " is outside 0 to 1");
        for (const auto& [name, time] :
             {std::pair("--send-delay", sendDelay), std::pair("--receive-delay", receiveDelay)})
        {
            HPCC_REFUSE_IF(time.IsStrictlyNegative() || time > Seconds(1),
                           std::string(name) + ": the time is outside 0ns to 1s");
        }
        if (workload == "none")
        {
            experiment.RefuseGiven({"load", "duration"},
                                   "there are no background flows; give --workload too");
        }
        else if (duration <= Time(0))
        {
            throw HpccInputError("--duration: 0 is not allowed; at least 1ns");
        }
    }

    /// If no job has a computation, refuses the options that change the duration of computations.
    static void CheckFactors(const HpccExperiment& experiment,
                             const std::vector<HpccPlacedJob>& placed)
    {
        for (const auto& job : placed)
        {
            const auto& operations = job.graph.GetOperations();
            if (std::any_of(operations.begin(), operations.end(), [](const auto& o) {
                    return o.kind == HpccJobGraph::Kind::COMPUTE && o.amount > 0;
                }))
            {
                return;
            }
        }
        experiment.RefuseGiven({"compute-scale", "jitter", "slow"}, "no job has a computation");
    }

    /// Returns the settings of each job.
    std::vector<HpccJobSettings> SettingsOf(const std::vector<HpccPlacedJob>& placed) const
    {
        const auto factors = ReadByHost("--slow", slow);
        const auto delays = ReadByHost("--late", late);
        std::set<uint32_t> hosts;
        std::vector<HpccJobSettings> settings;
        for (const auto& job : placed)
        {
            HpccJobSettings own;
            own.computeScale = computeScale;
            own.sendDelayNs = sendDelay.GetNanoSeconds();
            own.receiveDelayNs = receiveDelay.GetNanoSeconds();
            own.jitter = jitter;
            own.stream =
                JITTER_STREAM + STREAMS_PER_JOB * static_cast<int64_t>(&job - placed.data());
            for (uint32_t rank = 0; rank < job.hosts.size(); ++rank)
            {
                const auto factor = factors.find(job.hosts[rank]);
                if (factor != factors.end())
                {
                    std::istringstream in(factor->second);
                    char rest = 0;
                    HPCC_REFUSE_IF(!(in >> own.slow[rank]) || in >> rest ||
                                       !(own.slow[rank] >= 0 && own.slow[rank] <= 1e6),
                                   "--slow: \"" + factor->second +
                                       "\" is not allowed; 0 to 1000000");
                }
                const auto delay = delays.find(job.hosts[rank]);
                Time time;
                HPCC_REFUSE_IF(delay != delays.end() && !ReadTime(delay->second, time),
                               "--late: \"" + delay->second +
                                   "\" is not a time in whole ns, such as 10us");
                own.late[rank] = time.GetNanoSeconds();
            }
            hosts.insert(job.hosts.begin(), job.hosts.end());
            settings.push_back(own);
        }
        for (const auto* values : {&factors, &delays})
        {
            for (const auto& [host, value] : *values)
            {
                HPCC_REFUSE_IF(hosts.count(host) == 0,
                               std::string(values == &factors ? "--slow" : "--late") + ": host " +
                                   std::to_string(host) + " runs no job");
            }
        }
        return settings;
    }
};

/// Prints, for at most 16 ranks of a job, the operation for which the rank waits.
void
PrintWaiting(const std::string& label,
             size_t number,
             const HpccPlacedJob& job,
             const HpccJobReport::Times& times)
{
    const auto lines = HpccJobRun::DescribeWaiting(job.graph, times);
    constexpr size_t MOST = 16;
    for (size_t i = 0; i < std::min(lines.size(), MOST); ++i)
    {
        std::cerr << "hpcc-job: " << label << ": job " << number << " cannot go on: " << lines[i]
                  << "\n";
    }
    if (lines.size() > MOST)
    {
        std::cerr << "hpcc-job: " << label << ": job " << number << ": " << lines.size() - MOST
                  << " more ranks wait\n";
    }
}

/// Prints how many operations of a job had not ended when --stop ended its run.
void
PrintUnfinished(const std::string& label, size_t number, const HpccJobReport::Times& times)
{
    const auto left =
        std::count_if(times.begin(), times.end(), [](const auto& time) { return time.endNs < 0; });
    std::cerr << "hpcc-job: " << label << ": job " << number << " has not finished: at --stop, "
              << left << " of " << times.size()
              << " operations had not ended, counting sends until their ACK\n";
}

/// Runs the jobs on a fabric.
class FabricJobs
{
  public:
    FabricJobs(const HpccExperiment& experiment,
               const std::vector<HpccPlacedJob>& jobs,
               std::vector<HpccJobSettings> settings,
               HpccJobTables& tables)
        : m_experiment(experiment),
          m_jobs(jobs),
          m_settings(std::move(settings)),
          m_tables(tables)
    {
    }

    /// Adds the messages of all jobs to a trace.
    void AddTo(HpccFlowTrace& trace)
    {
        for (size_t i = 0; i < m_jobs.size(); ++i)
        {
            const auto& graph = m_jobs[i].graph;
            for (const auto& o : graph.GetOperations())
            {
                if (o.kind != HpccJobGraph::Kind::SEND || o.peer == o.rank)
                {
                    continue;
                }
                const Key key{i, o.rank, o.peer, o.tag};
                const auto number = static_cast<uint32_t>(m_messages.size());
                trace.Add({m_jobs[i].hosts[o.rank],
                           m_jobs[i].hosts[o.peer],
                           o.amount,
                           HpccFlowPlan::NOT_PLANNED,
                           number,
                           m_counts[key]++},
                          HpccFlowClass::JOB);
                m_messages.push_back(key);
            }
        }
    }

    /// Connects the queue pair of a message, and returns the index of the queue pair. Call this
    /// function once per message, in the order of the flows.
    uint32_t Connect(HpccFabricHelper& fabric,
                     const HpccFlowPlan& flow,
                     const HpccFabricHelper::PolicySpec& spec)
    {
        if (flow.queuePair == 0)
        {
            Reset(fabric);
        }
        const Key& key = m_messages[flow.queuePair];
        const auto [at, isNew] = m_queuePairs.insert({key, 0});
        if (isNew)
        {
            const auto& [job, source, destination, tag] = key;
            at->second =
                m_transports[job]->Connect(source, destination, tag, spec, m_counts.at(key) == 1);
        }
        return at->second;
    }

    void Start(HpccFabricHelper& fabric)
    {
        if (m_messages.empty())
        {
            Reset(fabric);
        }
        for (size_t i = 0; i < m_jobs.size(); ++i)
        {
            m_runs.push_back(
                std::make_unique<HpccJobRun>(m_jobs[i].graph, *m_transports[i], m_settings[i]));
            m_transports[i]->Start();
            m_runs[i]->Start();
        }
    }

    HpccExperiment::Progress GetProgress() const
    {
        auto progress = HpccExperiment::Progress::DONE;
        for (const auto& run : m_runs)
        {
            progress = std::max(progress,
                                run->IsBusy()              ? HpccExperiment::Progress::BUSY
                                : run->GetUnfinished() > 0 ? HpccExperiment::Progress::WAITING
                                                           : HpccExperiment::Progress::DONE);
        }
        return progress;
    }

    void Finished(const HpccFabricHelper& fabric)
    {
        std::vector<uint64_t> busy{GetProgress() == HpccExperiment::Progress::BUSY};
        fabric.AddUp(busy);
        const bool first = !fabric.GetRanks() || fabric.GetRanks()->GetRank() == 0;
        for (size_t i = 0; i < m_jobs.size(); ++i)
        {
            const auto& job = m_jobs[i];
            const auto times = HpccJobReport::Merge(fabric, m_runs[i]->GetTimes());
            const bool waits = std::any_of(times.begin(), times.end(), [](const auto& time) {
                return time.endNs < 0;
            });
            m_stuck = m_stuck || (waits && busy[0] == 0);
            if (!first)
            {
                continue;
            }
            m_tables.Add(m_experiment.GetLabel(),
                         i,
                         job,
                         times,
                         m_settings[i].startNs,
                         BoundNs(fabric, i));
            if (waits && busy[0] == 0)
            {
                PrintWaiting(m_experiment.GetLabel(), i, job, times);
            }
            else if (!HpccJobReport(job.graph, times, m_settings[i].startNs).IsFinished())
            {
                PrintUnfinished(m_experiment.GetLabel(), i, times);
            }
        }
    }

    /// Returns true if a run ended while ranks waited for messages that could not arrive.
    bool IsStuck() const
    {
        return m_stuck;
    }

  private:
    using Key = std::tuple<size_t, uint32_t, uint32_t, uint32_t>; ///< job, source rank, destination
                                                                  ///< rank and tag

    void Reset(HpccFabricHelper& fabric)
    {
        m_runs.clear();
        m_transports.clear();
        m_queuePairs.clear();
        for (const auto& job : m_jobs)
        {
            m_transports.push_back(std::make_unique<HpccFabricTransport>(fabric, job.hosts));
        }
    }

    int64_t BoundNs(const HpccFabricHelper& fabric, size_t job) const
    {
        return HpccJobReport::GetBoundNs(m_jobs[job].graph,
                                         m_settings[job],
                                         fabric,
                                         m_jobs[job].hosts);
    }

    const HpccExperiment& m_experiment;
    const std::vector<HpccPlacedJob>& m_jobs;
    std::vector<HpccJobSettings> m_settings;
    HpccJobTables& m_tables;
    std::deque<Key> m_messages;           ///< key of each message of all jobs, in the order of the
                                          ///< flows
    std::map<Key, uint32_t> m_counts;     ///< number of messages by key
    std::map<Key, uint32_t> m_queuePairs; ///< indices of the queue pairs of the run, by key
    std::vector<std::unique_ptr<HpccFabricTransport>>
        m_transports;                                ///< transports of the run, by job
    std::vector<std::unique_ptr<HpccJobRun>> m_runs; ///< executions of the jobs in this run, by job
    bool m_stuck{false};
};

/// Runs the jobs on the fabric.
/// @return true if ranks waited for messages that could not arrive
bool
RunOnFabric(HpccExperiment& experiment, const Options& options)
{
    HpccExperiment::Scenario scenario;
    scenario.topology = HpccTopology::ByName(options.topology);
    const auto jobs = PlaceJobs(options.jobs, scenario.topology.GetHosts(), PLACEMENT_STREAM);
    HpccFlowTrace trace;
    if (options.workload != "none")
    {
        HpccPoissonTraffic{options.load, HpccPoissonTraffic::HOST_LINKS, options.duration}
            .AddTo(trace, scenario.topology, HpccFlowSizes::Load(options.workload), TRAFFIC_STREAM);
        trace.Sort();
    }
    HpccJobTables tables([&](const std::string& name) { return experiment.PathOf(name); },
                         jobs.size() > 1);
    const auto settings = options.SettingsOf(jobs);
    Options::CheckFactors(experiment, jobs);
    FabricJobs fabricJobs(experiment, jobs, settings, tables);
    fabricJobs.AddTo(trace);
    scenario.flows = trace.TakeFlows();
    scenario.bulk = true;
    scenario.addsUp = true;
    scenario.tables = tables.Get();
    scenario.stop = options.stop;
    scenario.nameClass = [&](size_t flow) { return NameOf(trace.GetClass(flow)); };
    scenario.connectJob = [&](HpccFabricHelper& fabric,
                              const HpccFlowPlan& flow,
                              const HpccFabricHelper::PolicySpec& spec) {
        return fabricJobs.Connect(fabric, flow, spec);
    };
    scenario.connected = [&](HpccFabricHelper& fabric) { fabricJobs.Start(fabric); };
    scenario.progress = [&] { return fabricJobs.GetProgress(); };
    scenario.finished = [&](HpccFabricHelper& fabric,
                            const std::vector<HpccFlowPlan>&,
                            const HpccMonitor&) { fabricJobs.Finished(fabric); };
    experiment.Run(scenario);
    tables.Commit();
    return fabricJobs.IsStuck();
}

/// Runs the jobs on a network model without a fabric. Each job has its own network, so the jobs do
/// not affect each other.
/// @return true if ranks waited for messages that could not arrive
bool
RunAbstract(HpccExperiment& experiment, const Options& options, const HpccAbstractNetwork& network)
{
    experiment.RefuseFabricOptions({"topology", "workload", "stop"},
                                   "--network=" + network.name + " is no fabric");
    if (network.loggops)
    {
        experiment.RefuseGiven({"send-delay", "receive-delay", "jitter"},
                               "--network=loggops has parameters for that");
    }
    const auto jobs = PlaceJobs(options.jobs, {}, PLACEMENT_STREAM);
    const auto settings = options.SettingsOf(jobs);
    Options::CheckFactors(experiment, jobs);
    bool stuck = false;
    experiment.RunWithoutFabric([&] {
        HpccJobTables tables([&](const std::string& name) { return experiment.PathOf(name); },
                             jobs.size() > 1);
        for (size_t i = 0; i < jobs.size(); ++i)
        {
            HpccJobReport::Times times;
            if (network.loggops)
            {
                HpccLogGops model(jobs[i].graph, *network.loggops, settings[i]);
                model.Run();
                times = model.GetTimes();
            }
            else
            {
                HpccAbstractTransport transport(
                    HpccAbstractTransport::Constant(network.latencyNs, network.bytesPerSecond));
                HpccJobRun run(jobs[i].graph, transport, settings[i]);
                run.Start();
                transport.Run();
                times = run.GetTimes();
            }
            tables.Add(network.name, i, jobs[i], times, settings[i].startNs, -1);
            const bool waits = std::any_of(times.begin(), times.end(), [](const auto& time) {
                return time.endNs < 0;
            });
            if (waits)
            {
                PrintWaiting(network.name, i, jobs[i], times);
            }
            stuck = stuck || waits;
        }
        tables.Commit();
    });
    return stuck;
}

} // namespace

int
main(int argc, char* argv[])
{
    bool stuck = false;
    const int code = HpccExperiment::Main([&] {
        Options options;
        HpccExperiment experiment("hpcc-job",
                                  "Training jobs: graphs of computations, sends and receives",
                                  "hpcc++,dcqcn");
        options.AddTo(experiment);
        experiment.AddTable("jobs.csv", 2);
        experiment.AddTable("collectives.csv", 6);
        experiment.Parse(argc, argv);
        options.Check(experiment);
        if (options.jobs.empty())
        {
            options.jobs.emplace_back(DEFAULT_JOB);
        }
        const auto network = ReadNetwork(options.network);
        stuck =
            network ? RunAbstract(experiment, options, *network) : RunOnFabric(experiment, options);
    });
    return code == 0 && stuck ? 1 : code;
}
