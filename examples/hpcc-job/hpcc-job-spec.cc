/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-spec.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-collectives.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-job-goal.h"
#include "ns3/hpcc-job-simai.h"
#include "ns3/hpcc-training-job.h"
#include "ns3/hpcc-word-reader.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

namespace ns3
{

namespace
{

/// Reads the description of one job.
class Description
{
  public:
    explicit Description(const std::string& text)
        : m_what("--job=" + text)
    {
        const size_t at = text.rfind('@');
        m_hasPlacement = at != std::string::npos;
        m_placement = m_hasPlacement ? text.substr(at + 1) : "";
        const std::string source = text.substr(0, at);
        const size_t colon = source.find(':');
        m_kind = source.substr(0, colon);
        m_parts = colon == std::string::npos ? std::vector<std::string>{}
                                             : SplitAt(source.substr(colon + 1), ',');
        if (m_parts.empty() || m_parts[0].empty())
        {
            Refuse("a job is goal:FILE, simai:FILE, training:TPxPPxDP,KEY=VALUE,... or "
                   "COLLECTIVE:ALGORITHM,bytes=N");
        }
    }

    HpccPlacedJob Make(size_t hosts)
    {
        const size_t listed = m_hasPlacement && m_placement != "random" ? List().size() : hosts;
        if (m_kind == "goal")
        {
            // Do not split the text at commas, because a comma may be part of the file name.
            std::ifstream file = Open(Rest());
            return {m_kind, 1, ReadGoal(file, Rest()), {}};
        }
        if (m_kind == "simai")
        {
            return MakeSimAi();
        }
        if (m_kind == "training")
        {
            return MakeTraining();
        }
        return MakeCollective(static_cast<uint32_t>(listed));
    }

    /// Refuses a placement in a network without hosts.
    void RefusePlacement() const
    {
        if (m_hasPlacement)
        {
            Refuse("@" + m_placement + " has no effect: --network has no hosts to choose");
        }
    }

    /// Chooses the hosts of a job.
    void Place(HpccPlacedJob& job,
               const std::vector<uint32_t>& hosts,
               std::set<uint32_t>& used,
               const Ptr<UniformRandomVariable>& random) const
    {
        const uint32_t ranks = job.graph.GetRanks();
        if (m_hasPlacement && m_placement != "random")
        {
            job.hosts = List();
            if (job.hosts.size() != ranks)
            {
                Refuse("the job has " + std::to_string(ranks) + " ranks, the placement " +
                       std::to_string(job.hosts.size()) + " hosts");
            }
            for (uint32_t host : job.hosts)
            {
                if (!std::binary_search(hosts.begin(), hosts.end(), host))
                {
                    Refuse("node " + std::to_string(host) + " is no host of the topology");
                }
            }
            if (std::set<uint32_t>(job.hosts.begin(), job.hosts.end()).size() != ranks)
            {
                Refuse("the placement names a host twice");
            }
        }
        else
        {
            std::vector<uint32_t> left;
            std::copy_if(hosts.begin(), hosts.end(), std::back_inserter(left), [&](uint32_t host) {
                return used.count(host) == 0;
            });
            if (ranks > left.size())
            {
                Refuse("rank " + std::to_string(left.size()) +
                       " is beyond the topology: the job "
                       "has " +
                       std::to_string(ranks) + " ranks, and " + std::to_string(left.size()) +
                       " of " + std::to_string(hosts.size()) + " hosts are free");
            }
            for (uint32_t rank = 0; rank < ranks && m_hasPlacement; ++rank)
            {
                std::swap(left[rank],
                          left[random->GetInteger(rank, static_cast<uint32_t>(left.size() - 1))]);
            }
            job.hosts.assign(left.begin(), left.begin() + ranks);
        }
        used.insert(job.hosts.begin(), job.hosts.end());
    }

  private:
    [[noreturn]] void Refuse(const std::string& why) const
    {
        throw HpccInputError(m_what + ": " + why);
    }

    std::string Rest() const
    {
        std::string rest = m_parts[0];
        for (size_t i = 1; i < m_parts.size(); ++i)
        {
            rest += "," + m_parts[i];
        }
        return rest;
    }

    static std::ifstream Open(const std::string& path)
    {
        std::ifstream file(path);
        HPCC_REFUSE_IF(!file || file.peek() == std::ifstream::traits_type::eof(),
                       "cannot read " + path + ", or it is empty");
        return file;
    }

    /// Returns the hosts of the placement, by rank.
    std::vector<uint32_t> List() const
    {
        std::vector<uint32_t> list;
        for (const std::string& part : SplitAt(m_placement, ','))
        {
            const size_t dash = part.find('-');
            const auto read = [&](const std::string& text) {
                return ReadNumber(m_what + ": host", text, 0, 1 << 20);
            };
            const uint64_t first = read(part.substr(0, dash));
            const uint64_t last = dash == std::string::npos ? first : read(part.substr(dash + 1));
            if (first > last)
            {
                Refuse("hosts \"" + part + "\" are not allowed; FIRST-LAST, the lower host first");
            }
            for (uint64_t host = first; host <= last; ++host)
            {
                list.push_back(static_cast<uint32_t>(host));
            }
        }
        if (list.empty())
        {
            Refuse("the placement is empty; random, or a list of hosts");
        }
        return list;
    }

    /// Calls a function for each part KEY=VALUE after the first part, with the key and the value.
    template <typename Function>
    void ForValues(Function function) const
    {
        std::set<std::string> seen;
        for (size_t i = 1; i < m_parts.size(); ++i)
        {
            const size_t equals = m_parts[i].find('=');
            const std::string key = m_parts[i].substr(0, equals);
            if (!seen.insert(key).second)
            {
                Refuse(key + " is given twice");
            }
            function(key, equals == std::string::npos ? "" : m_parts[i].substr(equals + 1));
        }
    }

    uint32_t Small(const std::string& key, const std::string& value, uint32_t least = 1) const
    {
        return static_cast<uint32_t>(ReadNumber(m_what + ": " + key, value, least, 1 << 20));
    }

    HpccPlacedJob MakeSimAi() const
    {
        HpccSimAiChoices choices;
        const std::map<std::string, uint32_t*> numbers{{"passes", &choices.passes},
                                                       {"channels", &choices.channels},
                                                       {"ranks", &choices.ranks}};
        const std::map<std::string, std::string*> names{{"all-reduce", &choices.allReduce},
                                                        {"gather", &choices.scatterGather},
                                                        {"broadcast", &choices.broadcast}};
        std::vector<std::string> chosen;
        ForValues([&](const std::string& key, const std::string& value) {
            if (numbers.count(key) > 0)
            {
                *numbers.at(key) = Small(key, value);
            }
            else if (names.count(key) > 0)
            {
                const auto algorithms =
                    HpccCollectives::GetAlgorithms(key == "gather" ? "all-gather" : key);
                if (std::find(algorithms.begin(), algorithms.end(), value) == algorithms.end())
                {
                    Refuse(DescribeUnknown(key + ": unknown algorithm", value, algorithms));
                }
                *names.at(key) = value;
                chosen.push_back(key);
            }
            else
            {
                Refuse(DescribeUnknown(
                    "unknown key",
                    key,
                    {"passes", "channels", "ranks", "all-reduce", "gather", "broadcast"}));
            }
        });
        std::ifstream file = Open(m_parts[0]);
        HpccPlacedJob job{m_kind, choices.passes, ReadSimAi(file, m_parts[0], choices), {}};
        const auto& collectives = job.graph.GetCollectives();
        for (const std::string& key : chosen)
        {
            const std::set<std::string> kinds =
                key == "gather" ? std::set<std::string>{"all-gather", "reduce-scatter"}
                                : std::set<std::string>{key};
            if (std::none_of(collectives.begin(), collectives.end(), [&](const auto& collective) {
                    return kinds.count(collective.name) > 0;
                }))
            {
                Refuse(key + "=" + *names.at(key) + " has no effect: " + m_parts[0] +
                       " has no such collective of two or more ranks");
            }
        }
        return job;
    }

    HpccPlacedJob MakeTraining() const
    {
        HpccTrainingPlan plan;
        const auto sizes = SplitAt(m_parts[0], 'x');
        if (sizes.size() != 3)
        {
            Refuse("\"" + m_parts[0] +
                   "\" is not allowed; the sizes of tensor, pipeline and data " +
                   "parallelism, such as 8x4x4");
        }
        plan.tensor = Small("tensor parallelism", sizes[0]);
        plan.pipeline = Small("pipeline parallelism", sizes[1]);
        plan.data = Small("data parallelism", sizes[2]);
        const std::map<std::string, uint32_t*> numbers{{"layers", &plan.layers},
                                                       {"microbatches", &plan.microbatches},
                                                       {"times", &plan.iterations}};
        const std::map<std::string, uint64_t*> bytes{{"activation", &plan.activationBytes},
                                                     {"gradient", &plan.gradientBytes}};
        ForValues([&](const std::string& key, const std::string& value) {
            Time compute;
            if (numbers.count(key) > 0)
            {
                *numbers.at(key) = Small(key, value);
            }
            else if (bytes.count(key) > 0)
            {
                *bytes.at(key) = ReadNumber(m_what + ": " + key, value, 1, HpccJobGraph::MAX_BYTES);
            }
            else if (key != "compute")
            {
                Refuse(DescribeUnknown(
                    "unknown key",
                    key,
                    {"layers", "microbatches", "times", "activation", "gradient", "compute"}));
            }
            else if (!ReadTime(value, compute))
            {
                Refuse("compute \"" + value + "\" is not a time in whole ns, such as 100us");
            }
            plan.forwardNs = key == "compute" ? compute.GetNanoSeconds() : plan.forwardNs;
        });
        return {m_kind, plan.iterations, MakeTrainingJob(plan, m_what), {}};
    }

    HpccPlacedJob MakeCollective(uint32_t listed) const
    {
        HpccCollectivePlan plan;
        plan.operation = m_kind;
        plan.algorithms = SplitAt(m_parts[0], '+');
        uint32_t ranks = listed;
        uint32_t times = 1;
        Time compute;
        ForValues([&](const std::string& key, const std::string& value) {
            const std::map<std::string, uint32_t*> numbers{{"ranks", &ranks},
                                                           {"channels", &plan.channels},
                                                           {"chunks", &plan.chunks},
                                                           {"window", &plan.window},
                                                           {"times", &times}};
            const auto found = numbers.find(key);
            if (found != numbers.end())
            {
                *found->second = Small(key, value);
            }
            else if (key == "bytes")
            {
                plan.bytes = ReadNumber(m_what + ": bytes", value, 1, HpccJobGraph::MAX_BYTES);
            }
            else if (key == "dims")
            {
                for (const std::string& size : SplitAt(value, 'x'))
                {
                    plan.dimensions.push_back(Small(key, size));
                }
            }
            else if (key != "compute")
            {
                Refuse(DescribeUnknown("unknown key",
                                       key,
                                       {"bytes",
                                        "ranks",
                                        "channels",
                                        "chunks",
                                        "window",
                                        "dims",
                                        "times",
                                        "compute"}));
            }
            else if (!ReadTime(value, compute))
            {
                Refuse("compute \"" + value + "\" is not a time in whole ns, such as 100us");
            }
        });
        if (ranks == 0)
        {
            Refuse("ranks=N is needed, at least 2, because no host is given or left");
        }
        const std::string why = HpccCollectives::Check(plan, ranks);
        if (!why.empty())
        {
            Refuse(why);
        }
        HpccPlacedJob job{m_kind, times, HpccJobGraph(ranks, m_what), {}};
        HpccCollectives collectives(job.graph);
        std::vector<uint32_t> members(ranks);
        std::iota(members.begin(), members.end(), 0);
        std::vector<std::vector<uint32_t>> before(ranks);
        for (uint32_t i = 0; i < times; ++i)
        {
            for (uint32_t rank = 0; rank < ranks && !compute.IsZero(); ++rank)
            {
                const uint32_t computation =
                    job.graph.Compute(rank, static_cast<uint64_t>(compute.GetNanoSeconds()));
                for (uint32_t operation : before[rank])
                {
                    job.graph.After(computation, operation);
                }
                before[rank] = {computation};
            }
            const auto done = collectives.Add(plan, members, before);
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                before[rank] = {done[rank]};
            }
        }
        job.graph.Finish();
        return job;
    }

    std::string m_what;               ///< name of the description in error messages
    std::string m_kind;               ///< text before the colon
    std::vector<std::string> m_parts; ///< texts between the commas after the colon
    bool m_hasPlacement;              ///< true if the description has an @
    std::string m_placement;          ///< text after the @
};

} // namespace

std::vector<HpccPlacedJob>
PlaceJobs(const std::vector<std::string>& texts, const std::vector<uint32_t>& hosts, int64_t stream)
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(stream);
    std::vector<HpccPlacedJob> jobs;
    std::set<uint32_t> used;
    uint32_t ranks = 0;
    for (const std::string& text : texts)
    {
        Description description(text);
        jobs.push_back(description.Make(hosts.empty() ? 0 : hosts.size() - used.size()));
        if (hosts.empty())
        {
            description.RefusePlacement();
            jobs.back().hosts.resize(jobs.back().graph.GetRanks());
            std::iota(jobs.back().hosts.begin(), jobs.back().hosts.end(), ranks);
            ranks += jobs.back().graph.GetRanks();
            continue;
        }
        description.Place(jobs.back(), hosts, used, random);
    }
    return jobs;
}

std::map<uint32_t, std::string>
ReadByHost(const std::string& option, const std::string& text)
{
    std::map<uint32_t, std::string> values;
    for (const std::string& part : SplitAt(text, ','))
    {
        const size_t colon = part.find(':');
        const auto host =
            static_cast<uint32_t>(ReadNumber(option + ": host", part.substr(0, colon), 0, 1 << 20));
        HPCC_REFUSE_IF(
            colon == std::string::npos || !values.insert({host, part.substr(colon + 1)}).second,
            option + ": \"" + part + "\" is not allowed; HOST:VALUE, each " + "host once");
    }
    return values;
}

} // namespace ns3
