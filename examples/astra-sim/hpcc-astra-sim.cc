/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Runs ASTRA-sim on a fabric of this module. ASTRA-sim's workload and system layers, in a library
// that the user has built, determine the computations and messages of each rank. Queue pairs carry
// the messages. ./hpcc astra-sim DIR builds this program against the checkout in DIR.

// This header must come first: ASTRA-sim's headers include syslog.h, which defines macros with the
// names of ns-3's log levels.
// clang-format off
#include "ns3/log.h"
// clang-format on

#include "../hpcc-job/hpcc-job-network.h"
#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include "astra-sim/system/WorkloadLayerHandlerData.hh"
#include "hpcc-astra-options.h"

#include "ns3/hpcc-abstract-transport.h"
#include "ns3/hpcc-astra-network.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-fabric-transport.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-job-bound.h"
#include "ns3/hpcc-word-reader.h"
#include "ns3/rdma-host.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// The network interface of one rank. ASTRA-sim calls its functions.
class RankNetwork : public AstraSim::AstraNetworkAPI
{
  public:
    RankNetwork(uint32_t rank, uint32_t ranks, HpccAstraNetwork& network, bool acknowledges)
        : AstraNetworkAPI(static_cast<int>(rank)),
          m_rank(rank),
          m_ranks(ranks),
          m_network(network),
          m_acknowledges(acknowledges)
    {
    }

    int sim_send(void*,
                 uint64_t bytes,
                 int,
                 int destination,
                 int tag,
                 AstraSim::sim_request*,
                 void (*handler)(void*),
                 void* argument) override
    {
        const uint32_t peer = Check(destination);
        m_network.Send(m_rank, bytes, peer, tag, handler, argument);
        if (m_acknowledges && peer != m_rank)
        {
            m_open[peer].push_back({bytes, m_network.NowNs()});
        }
        ++m_messages;
        m_largest = std::max(m_largest, bytes);
        return 0;
    }

    int sim_recv(void*,
                 uint64_t bytes,
                 int,
                 int source,
                 int tag,
                 AstraSim::sim_request*,
                 void (*handler)(void*),
                 void* argument) override
    {
        m_network.Receive(m_rank, bytes, Check(source), tag, handler, argument);
        return 0;
    }

    void sim_schedule(AstraSim::timespec_t delta, void (*handler)(void*), void* argument) override
    {
        m_network.Schedule(m_rank, static_cast<int64_t>(delta.time_val), handler, argument);
    }

    AstraSim::timespec_t sim_get_time() override
    {
        return {AstraSim::NS, static_cast<long double>(m_network.NowNs())};
    }

    void sim_notify_finished() override
    {
        m_finishedNs = m_network.NowNs();
        m_network.NotifyFinished(m_rank);
    }

    /// Returns the time at which the rank finished, ns; -1 if it has not finished.
    int64_t GetFinishedNs() const
    {
        return m_finishedNs;
    }

    /// A message that has been sent.
    struct Message
    {
        uint64_t bytes;   ///< size of the message
        int64_t postedNs; ///< time at which the message was sent, ns
    };

    /// Removes the oldest unacknowledged message to another rank from the messages of GetOpen().
    /// @param peer the other rank
    void Acknowledge(uint32_t peer)
    {
        m_open.at(peer).pop_front();
    }

    /// Returns the messages that have not been acknowledged, by destination.
    const std::map<uint32_t, std::deque<Message>>& GetOpen() const
    {
        return m_open;
    }

    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /// Returns the size of the largest message, bytes.
    uint64_t GetLargest() const
    {
        return m_largest;
    }

  private:
    uint32_t Check(int peer) const
    {
        HPCC_REFUSE_IF(peer < 0 || static_cast<uint32_t>(peer) >= m_ranks,
                       "--workload: rank " + std::to_string(m_rank) + " names rank " +
                           std::to_string(peer) + "; there are " + std::to_string(m_ranks) +
                           " ranks");
        return static_cast<uint32_t>(peer);
    }

    uint32_t m_rank;
    uint32_t m_ranks;
    HpccAstraNetwork& m_network;
    bool m_acknowledges; ///< true if Acknowledge() is called for each message to another rank
    int64_t m_finishedNs{-1};
    std::map<uint32_t, std::deque<Message>> m_open;
    uint64_t m_messages{0};
    uint64_t m_largest{0};
};

/// The remote memory that --remote-memory describes.
struct MemoryPlan
{
    static constexpr uint32_t ALL = 65536; ///< largest number of ranks

    uint32_t ranks{1};        ///< number of ranks that share a memory. A shared memory serves one
                              ///< access at a time. 0: accesses are served in parallel, without
                              ///< waiting for each other
    int64_t latencyNs{0};     ///< latency of an access, ns
    double bytesPerSecond{0}; ///< rate of an access
};

/// Remote memory. The duration of an access is a constant latency plus a time per byte.
class RemoteMemory : public AstraSim::AstraRemoteMemoryAPI
{
  public:
    explicit RemoteMemory(std::optional<MemoryPlan> plan)
        : m_plan(plan)
    {
    }

    /// Begins a run.
    /// @param clock returns the current time, ns
    void Start(std::function<int64_t()> clock)
    {
        m_clock = std::move(clock);
        m_freeNs.clear();
    }

    void set_sys(int id, AstraSim::Sys* system) override
    {
        m_systems[id] = system;
    }

    void issue(uint64_t bytes, AstraSim::WorkloadLayerHandlerData* access) override
    {
        HPCC_REFUSE_IF(!m_plan,
                       "--workload: it loads or stores remote memory; "
                       "give --remote-memory too");
        const int64_t nowNs = m_clock();
        const auto bytesNs =
            static_cast<int64_t>(static_cast<long double>(bytes) * 1e9L / m_plan->bytesPerSecond);
        int64_t endNs = nowNs + std::max<int64_t>(m_plan->latencyNs + bytesNs, 1);
        if (m_plan->ranks > 0)
        {
            int64_t& freeNs = m_freeNs[static_cast<uint32_t>(access->sys_id) / m_plan->ranks];
            endNs += std::max<int64_t>(freeNs - nowNs, 0);
            freeNs = endNs;
        }
        m_systems.at(access->sys_id)
            ->register_event(access->workload,
                             AstraSim::EventType::General,
                             access,
                             static_cast<uint64_t>(endNs - nowNs));
    }

  private:
    std::optional<MemoryPlan> m_plan;
    std::function<int64_t()> m_clock;
    std::map<int, AstraSim::Sys*> m_systems;
    std::map<uint32_t, int64_t> m_freeNs; ///< time at which each memory is free, ns
};

/// Reads --remote-memory.
/// @return the plan; no value if the option is not given
std::optional<MemoryPlan>
ReadMemory(const std::string& text)
{
    if (text.empty())
    {
        return std::nullopt;
    }
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    MemoryPlan plan;
    if (kind == "node" && rest.find(':') != std::string::npos)
    {
        plan.ranks = static_cast<uint32_t>(ReadNumber("--remote-memory: ranks of a node",
                                                      rest.substr(0, rest.find(':')),
                                                      1,
                                                      MemoryPlan::ALL));
        rest = rest.substr(rest.find(':') + 1);
    }
    else if (kind == "rank" || kind == "pool")
    {
        plan.ranks = kind == "rank" ? 0 : MemoryPlan::ALL;
    }
    else
    {
        throw HpccInputError("--remote-memory: \"" + text +
                             "\" is not allowed; rank:LATENCY,RATE, node:RANKS:LATENCY,RATE or "
                             "pool:LATENCY,RATE, such as pool:500ns,50GBps");
    }
    std::tie(plan.latencyNs, plan.bytesPerSecond) = ReadLatencyAndRate("--remote-memory", rest);
    return plan;
}

/// The tables of a run.
struct Tables
{
    explicit Tables(const HpccExperiment& experiment)
        : jobs(experiment.PathOf("jobs.csv"),
               "cc,collective,hosts,message_bytes,messages,finished,start_us,jct_us,bound_us,ratio,"
               "job,ranks,iteration_us,exposed_comm_us"),
          ranks(experiment.PathOf("ranks.csv"), "cc,rank,finished_us,exposed_comm_us"),
          messages(experiment.PathOf("messages.csv"), "cc,source,destination,bytes,start_us,end_us")
    {
    }

    std::vector<HpccCsvFile*> Get()
    {
        return {&jobs, &ranks, &messages};
    }

    HpccCsvFile jobs;
    HpccCsvFile ranks;
    HpccCsvFile messages;
};

/// The ranks of ASTRA-sim, which run on a network.
class Ranks
{
  public:
    Ranks(HpccExperiment& experiment, const HpccAstraOptions& options, std::vector<int> sizes)
        : m_experiment(experiment),
          m_options(options),
          m_sizes(std::move(sizes)),
          m_count(1),
          m_memory(ReadMemory(options.memory))
    {
        for (int size : m_sizes)
        {
            m_count *= static_cast<uint32_t>(size);
        }
    }

    ~Ranks()
    {
        Clear();
    }

    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    uint32_t GetCount() const
    {
        return m_count;
    }

    /// Starts ASTRA-sim.
    /// @param transport carries the messages
    /// @param clock returns the time, ns
    /// @param acknowledges true if CountAcknowledged() is called for each message
    void Start(HpccJobTransport& transport,
               std::function<int64_t()> clock,
               bool acknowledges = false)
    {
        if (!m_logs)
        {
            // Start the logs only now: the experiment may fork before, and then the logger's
            // threads must not exist yet.
            m_logs = true;
            m_experiment.ClaimOut();
            m_experiment.PathOf("log.log");
            m_experiment.PathOf("err.log");
            AstraSim::LoggerFactory::init("empty", m_experiment.GetOut());
            // Print only errors; other messages are in log.log.
            const auto logger = AstraSim::LoggerFactory::get_logger("hpcc");
            for (auto& sink : logger->sinks())
            {
                if (std::dynamic_pointer_cast<spdlog::sinks::stdout_color_sink_mt>(sink))
                {
                    sink->set_level(spdlog::level::err);
                }
            }
        }
        m_memory.Start(clock);
        m_network = std::make_unique<HpccAstraNetwork>(transport, m_count, std::move(clock));
        try
        {
            for (uint32_t rank = 0; rank < m_count; ++rank)
            {
                m_apis.push_back(
                    std::make_unique<RankNetwork>(rank, m_count, *m_network, acknowledges));
                m_systems.push_back(std::make_unique<AstraSim::Sys>(
                    static_cast<int>(rank),
                    m_options.workload,
                    m_options.groups.empty() ? "empty" : m_options.groups,
                    m_options.system,
                    &m_memory,
                    m_apis.back().get(),
                    m_sizes,
                    std::vector<int>(m_sizes.size(), static_cast<int>(m_options.queues)),
                    m_options.injectionScale,
                    m_options.commScale,
                    m_options.rendezvous));
            }
        }
        catch (const HpccInputError&)
        {
            throw;
        }
        catch (const std::exception& error)
        {
            throw HpccInputError("ASTRA-sim refuses --workload, --system or --comm-group: " +
                                 std::string(error.what()));
        }
        for (auto& system : m_systems)
        {
            system->workload->fire();
        }
    }

    /// Computes the lower bound of the simulated duration of the run in an empty network. For this
    /// purpose, runs ASTRA-sim on HpccJobBound. Does nothing if the bound is already known.
    void FindBound(const HpccFabricHelper& fabric, const std::vector<uint32_t>& hosts)
    {
        if (m_boundNs)
        {
            return;
        }
        HpccJobBound bound(fabric, hosts);
        HpccAbstractTransport transport([&](HpccJobTransport::Message message, int64_t nowNs) {
            message.tag = 0; // the bound assumes that messages with all tags share a queue pair
            return bound.ArriveNs(message, nowNs);
        });
        Start(transport, [&] { return transport.NowNs(); });
        transport.Run();
        m_boundNs = -1;
        if (m_network->IsFinished())
        {
            m_boundNs = bound.GetLoadNs();
            for (const auto& api : m_apis)
            {
                m_boundNs = std::max(*m_boundNs, api->GetFinishedNs());
            }
        }
        Clear();
    }

    HpccExperiment::Progress GetProgress() const
    {
        return !m_network || (m_network->IsFinished() && !m_network->IsBusy())
                   ? HpccExperiment::Progress::DONE
               : m_network->IsBusy() ? HpccExperiment::Progress::BUSY
                                     : HpccExperiment::Progress::WAITING;
    }

    /// Counts a message that has been acknowledged, and removes it from the messages of GetOpen().
    /// @param source rank that sent the message
    /// @param destination rank that received the message
    void CountAcknowledged(uint32_t source, uint32_t destination)
    {
        m_apis[source]->Acknowledge(destination);
        ++m_acknowledged;
    }

    /// Writes a row for each message of a run that has not been acknowledged.
    /// @param label label of the run
    /// @param hosts hosts by rank
    /// @param table messages.csv
    void ReportOpen(const std::string& label,
                    const std::vector<uint32_t>& hosts,
                    HpccCsvFile& table) const
    {
        for (uint32_t rank = 0; rank < m_count; ++rank)
        {
            for (const auto& [peer, messages] : m_apis[rank]->GetOpen())
            {
                for (const auto& message : messages)
                {
                    table << label << "," << hosts[rank] << "," << hosts[peer] << ","
                          << message.bytes << "," << FormatUs(message.postedNs) << ",\n";
                }
            }
        }
    }

    /// Writes the rows of a run, and prints the operations for which ranks wait.
    /// @return true if ranks wait for messages that cannot arrive
    bool Report(const std::string& label, Tables& tables)
    {
        int64_t endNs = 0;
        int64_t exposedNs = 0;
        uint64_t messages = 0;
        uint64_t largest = 0;
        for (uint32_t rank = 0; rank < m_count; ++rank)
        {
            const int64_t ns = m_apis[rank]->GetFinishedNs();
            const int64_t exposed =
                ns - static_cast<int64_t>(m_systems[rank]->workload->hw_resource->tics_gpu_ops);
            messages += m_apis[rank]->GetMessages();
            largest = std::max(largest, m_apis[rank]->GetLargest());
            endNs = std::max(endNs, ns);
            exposedNs = std::max(exposedNs, exposed);
            tables.ranks << label << "," << rank << "," << (ns >= 0 ? FormatUs(ns) : "nan") << ","
                         << (ns >= 0 ? FormatUs(exposed) : "nan") << "\n";
        }
        const bool done = m_network->IsFinished();
        const std::string time = done ? FormatUs(endNs) : "nan";
        const int64_t boundNs = m_boundNs.value_or(-1);
        tables.jobs << label << ",astra-sim," << m_count << "," << largest << "," << messages << ","
                    << (m_network->IsBusy() ? m_acknowledged : messages) << ",0.000," << time << ","
                    << (boundNs >= 0 ? FormatUs(boundNs) : "nan") << ","
                    << (done && boundNs > 0
                            ? FormatFixed(static_cast<double>(endNs) / static_cast<double>(boundNs),
                                          4)
                            : "nan")
                    << ",0," << m_count << "," << time << ","
                    << (done ? FormatUs(exposedNs) : "nan") << "\n";
        if (done)
        {
            std::cout << label << ": " << m_count << " ranks: " << time << " us, "
                      << FormatUs(exposedNs) << " us of exposed communication\n";
        }
        const bool stuck = GetProgress() == HpccExperiment::Progress::WAITING;
        const auto lines = stuck ? m_network->DescribeWaiting() : std::vector<std::string>();
        constexpr size_t MOST = 16;
        for (size_t i = 0; i < std::min(lines.size(), MOST); ++i)
        {
            std::cerr << "hpcc-astra-sim: " << label << ": cannot go on: " << lines[i] << "\n";
        }
        if (lines.size() > MOST)
        {
            std::cerr << "hpcc-astra-sim: " << label << ": " << lines.size() - MOST
                      << " more ranks wait\n";
        }
        return stuck;
    }

    /// Removes the objects of a run.
    void Clear()
    {
        m_systems.clear();
        m_apis.clear();
        m_network.reset();
        m_acknowledged = 0;
    }

  private:
    HpccExperiment& m_experiment;
    const HpccAstraOptions& m_options;
    std::vector<int> m_sizes;
    uint32_t m_count;
    bool m_logs{false};
    RemoteMemory m_memory;
    std::optional<int64_t> m_boundNs; ///< lower bound of the simulated duration of the run, ns; -1:
                                      ///< the ranks can never finish
    std::unique_ptr<HpccAstraNetwork> m_network;
    std::vector<std::unique_ptr<RankNetwork>> m_apis;
    std::vector<std::unique_ptr<AstraSim::Sys>> m_systems;
    uint64_t m_acknowledged{0};
};

/// Runs ASTRA-sim on the fabric.
/// @return true if ranks waited for messages that could not arrive
bool
RunOnFabric(HpccExperiment& experiment, const HpccAstraOptions& options)
{
    HpccExperiment::Scenario scenario;
    scenario.topology = HpccTopology::ByName(options.topology);
    auto hosts = scenario.topology.GetHosts();
    Ranks ranks(experiment, options, options.GetDimensions(hosts.size()));
    hosts.resize(ranks.GetCount());
    std::map<uint32_t, uint32_t> rankOf; // by host
    for (uint32_t rank = 0; rank < hosts.size(); ++rank)
    {
        rankOf[hosts[rank]] = rank;
    }
    Tables tables(experiment);
    scenario.bulk = true;
    scenario.tables = tables.Get();
    scenario.stop = options.stop;
    std::unique_ptr<HpccFabricTransport> transport;
    scenario.connectAll = [&](HpccFabricHelper& fabric, const HpccFabricHelper::PolicySpec& spec) {
        transport = std::make_unique<HpccFabricTransport>(fabric, hosts);
        for (uint32_t source = 0; source < hosts.size(); ++source)
        {
            for (uint32_t other = 0; other < hosts.size(); ++other)
            {
                if (other != source)
                {
                    transport->Connect(source, other, HpccFabricTransport::ANY_TAG, spec);
                }
            }
        }
    };
    std::function<void(const RdmaMessageRecord&)> record = [&](const RdmaMessageRecord& message) {
        const uint32_t source = HpccFabricHelper::GetHostNumber(message.source);
        const uint32_t destination = HpccFabricHelper::GetHostNumber(message.destination);
        ranks.CountAcknowledged(rankOf.at(source), rankOf.at(destination));
        tables.messages << experiment.GetLabel() << "," << source << "," << destination << ","
                        << message.bytes << "," << FormatUs(message.postedNs) << ","
                        << FormatUs(message.completedNs) << "\n";
    };
    const pid_t process = getpid();
    scenario.connected = [&](HpccFabricHelper& fabric) {
        if (getpid() != process)
        {
            return; // this is the forked process, which only checks that the network can be built
        }
        for (uint32_t host : hosts)
        {
            fabric.GetHost(host)->TraceConnectWithoutContext(
                "MessageAcknowledged",
                Callback<void, const RdmaMessageRecord&>(record));
        }
        ranks.FindBound(fabric, hosts);
        transport->Start();
        ranks.Start(
            *transport,
            [] { return Simulator::Now().GetNanoSeconds(); },
            true);
    };
    scenario.progress = [&] { return ranks.GetProgress(); };
    bool stuck = false;
    scenario.finished =
        [&](HpccFabricHelper&, const std::vector<HpccFlowPlan>&, const HpccMonitor&) {
            stuck = ranks.Report(experiment.GetLabel(), tables) || stuck;
            ranks.ReportOpen(experiment.GetLabel(), hosts, tables.messages);
            ranks.Clear();
        };
    experiment.Run(scenario);
    for (HpccCsvFile* table : tables.Get())
    {
        table->Commit();
    }
    return stuck;
}

/// Runs ASTRA-sim without a fabric.
/// @return true if ranks waited for messages that could not arrive
bool
RunAbstract(HpccExperiment& experiment,
            const HpccAstraOptions& options,
            const HpccAbstractNetwork& network)
{
    HPCC_REFUSE_IF(network.loggops || options.dims.empty(),
                   "--network: \"" + options.network +
                       "\" is not allowed here; fabric, "
                       "or constant:LATENCY,RATE with --dims");
    experiment.RefuseFabricOptions({"topology", "stop"},
                                   "--network=" + network.name + " is no fabric");
    const std::vector<int> dimensions = options.GetDimensions(0);
    bool stuck = false;
    experiment.RunWithoutFabric([&] {
        Tables tables(experiment);
        HpccAbstractTransport transport(
            HpccAbstractTransport::Constant(network.latencyNs, network.bytesPerSecond));
        Ranks ranks(experiment, options, dimensions);
        ranks.Start(transport, [&] { return transport.NowNs(); });
        transport.Run();
        stuck = ranks.Report(network.name, tables);
        for (HpccCsvFile* table : tables.Get())
        {
            table->Commit();
        }
    });
    return stuck;
}

} // namespace

int
main(int argc, char* argv[])
{
    bool stuck = false;
    const int code = HpccExperiment::Main([&] {
        HpccAstraOptions options;
        HpccExperiment experiment("hpcc-astra-sim",
                                  "ASTRA-sim's ranks, whose messages are carried by queue pairs",
                                  "hpcc++,dcqcn");
        options.AddTo(experiment);
        experiment.AddTable("jobs.csv", 2);
        // ASTRA-sim has a single clock for all ranks, so nodes must not lag behind it.
        experiment.Parse(argc, argv, {"--max-lag=0ns"});
        HPCC_REFUSE_IF(experiment.IsGiven("max-lag"),
                       "--max-lag: ASTRA-sim has one clock for all ranks, so no node lags");
        options.Check();
        const auto network = ReadNetwork(options.network);
        stuck =
            network ? RunAbstract(experiment, options, *network) : RunOnFabric(experiment, options);
    });
    return code == 0 && stuck ? 1 : code;
}
