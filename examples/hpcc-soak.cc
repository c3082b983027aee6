/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Thousands of randomised runs, one seed each: does the module keep its promises in networks and
// combinations that nobody thought of? Each run is a separate process, so that a run that aborts or
// hangs is only a row of the table.

#include "hpcc-soak/hpcc-soak-run.h"
#include "hpcc-soak/hpcc-soak-scenario.h"

#include "ns3/hpcc-choices.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-output-directory.h"
#include "ns3/hpcc-repeated-runs.h"
#include "ns3/hpcc-workers.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace ns3;

namespace
{

constexpr uint32_t MOST_REFUSALS = 200; ///< scenarios of a seed that are refused at most
constexpr uint64_t LAST_SEED = HpccExperiment::MAX_SEED - 1; ///< ns-3 gets 1 more

/// Options of the program.
struct Options
{
    uint64_t runs{100};
    uint64_t first{1};
    uint64_t jobs{0};
    uint64_t cpuSeconds{300};
    uint64_t limitMs{4000};
    bool fresh{false};
    std::string out{"results/hpcc-soak"};
};

constexpr const char* USAGE =
    R"(usage: hpcc-soak [--runs=N] [--first=SEED] [--jobs=N] [--out=DIR] [--fresh]
                 [--cpu-seconds=S] [--limit-ms=T]

Runs N randomised simulations, with seeds from SEED on: network, policies, telemetry, feedback,
recovery, classes, memory, traffic, links that fail, storms of pauses, errors, watchdogs. In each
nothing may be lost without a reason, nothing may stall, nothing may be left over.

  --runs=N           simulations, 1 to 1000000 (default 100)
  --first=SEED       first seed, 0 to 4294944441, as is the last one (default 1)
  --jobs=N           at a time; 0 for the number of processors (default)
  --out=DIR          directory of runs.csv, failures.txt and summary.txt (default results/hpcc-soak);
                     seeds that runs.csv has are not run again
  --fresh            forget what is in DIR
  --cpu-seconds=S    CPU time of a run after which it has failed, 1 to 100000 (default 300)
  --limit-ms=T       simulated time after which a run is over, 1 to 100000 ms (default 4000)
)";

/**
 * Returns the number in the value of an option.
 * @param option name of the option, for messages
 * @param text its value
 * @param least least number allowed
 * @param most greatest number allowed
 */
uint64_t
Number(const std::string& option, const std::string& text, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    std::istringstream in(text);
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isdigit(c);
    });
    if (!digits || !(in >> value) || value < least || value > most)
    {
        throw HpccInputError("--" + option + ": \"" + text + "\" is not a number from " +
                             std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

/// @return the options; nothing after --help
std::optional<Options>
Parse(int argc, char* argv[])
{
    Options options;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const auto equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (name == "--help")
        {
            std::cout << USAGE;
            return {};
        }
        if (argument == "--fresh")
        {
            options.fresh = true;
        }
        else if (name == "--runs")
        {
            options.runs = Number("runs", value, 1, 1000000);
        }
        else if (name == "--first")
        {
            options.first = Number("first", value, 0, LAST_SEED);
        }
        else if (name == "--jobs")
        {
            options.jobs = Number("jobs", value, 0, 1000);
        }
        else if (name == "--cpu-seconds")
        {
            options.cpuSeconds = Number("cpu-seconds", value, 1, 100000);
        }
        else if (name == "--limit-ms")
        {
            options.limitMs = Number("limit-ms", value, 1, 100000);
        }
        else if (name == "--out" && !value.empty())
        {
            options.out = value;
        }
        else
        {
            throw HpccInputError("hpcc-soak: unknown option " + argument +
                                 SuggestNearest(name,
                                                {"--runs",
                                                 "--first",
                                                 "--jobs",
                                                 "--cpu-seconds",
                                                 "--limit-ms",
                                                 "--out",
                                                 "--fresh",
                                                 "--help"}) +
                                 "; see --help");
        }
    }
    if (options.runs - 1 > LAST_SEED - options.first)
    {
        throw HpccInputError("--first: the last of " + std::to_string(options.runs) +
                             " seeds from " + std::to_string(options.first) +
                             " on is above the largest that ns-3 takes, " +
                             std::to_string(LAST_SEED));
    }
    if (options.jobs == 0)
    {
        options.jobs = std::max(1U, std::thread::hardware_concurrency());
    }
    return options;
}

/// Columns of runs.csv between "seed,refused" and those of the scenario's description.
constexpr const char* OUTCOME_COLUMNS =
    "result,excuse,hops,pauses,drops,storms,timeouts,end_us,cpu_ms";

/// @return text with nothing in it that a CSV file could not bear in a cell
std::string
Cell(std::string text)
{
    std::replace(text.begin(), text.end(), ',', ' ');
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// @return the header of runs.csv
std::string
Header()
{
    std::string header = std::string("seed,refused,") + OUTCOME_COLUMNS;
    HpccSoakScenario any;
    any.policies.emplace_back();
    for (const auto& [name, value] : any.Describe())
    {
        header += "," + name;
    }
    return header;
}

/// Runs a seed and prints its row.
void
RunSeed(uint64_t seed, const Options& options)
{
    RngSeedManager::SetSeed(static_cast<uint32_t>(seed) + 1);
    HpccSoakDraw draw(seed);
    for (uint32_t refused = 0; refused < MOST_REFUSALS; ++refused)
    {
        const HpccSoakScenario scenario = draw.Draw();
        // The scenario is printed before anything can go wrong.
        for (const auto& [name, value] : scenario.Describe())
        {
            std::cerr << name << "=" << value << " ";
        }
        std::cerr << std::endl;
        auto run = std::make_unique<HpccSoakRun>(scenario);
        try
        {
            run->Build();
        }
        catch (const HpccInputError& error)
        {
            const std::string line = error.what();
            std::cerr << "refused: " << line << std::endl;
            run.reset();
            Simulator::Destroy();
            continue;
        }
        const auto outcome = run->Run(static_cast<int64_t>(options.limitMs) * 1000000);
        std::cerr << "wrong: " << outcome.wrong << std::endl;
        std::cout << seed << "," << refused << "," << (outcome.wrong.empty() ? "ok" : "wrong")
                  << "," << outcome.excuse << "," << outcome.hops << "," << outcome.pauses << ","
                  << outcome.drops << "," << outcome.storms << "," << outcome.timeouts << ","
                  << FormatUs(outcome.endNs) << "," << std::clock() * 1000 / CLOCKS_PER_SEC;
        for (const auto& [name, value] : scenario.Describe())
        {
            std::cout << "," << Cell(value);
        }
        std::cout << std::endl;
        if (!std::cout)
        {
            throw HpccInputError("cannot write the row of seed " + std::to_string(seed) +
                                 " to a temporary file");
        }
        run.reset();
        Simulator::Destroy();
        return;
    }
    throw HpccInputError("every scenario of this seed is refused");
}

/// The table of all runs, and their failures.
class Book
{
  public:
    explicit Book(const Options& options)
        : m_options(options),
          m_directory(options.out)
    {
        const std::string path = options.out + "/runs.csv";
        if (options.fresh)
        {
            std::filesystem::remove(path);
            std::filesystem::remove(options.out + "/failures.txt");
        }
        const std::string header = Header();
        const uint64_t forgotten = Load(path, header);
        if (forgotten > 0)
        {
            std::cerr << "hpcc-soak: " << path
                      << ": rows that are not complete and do not count: " << forgotten
                      << std::endl;
            Rewrite(path, header);
        }
        m_runs.open(path, std::ios::app);
        m_failures.open(options.out + "/failures.txt", std::ios::app);
        if (m_runs && m_runs.tellp() == 0)
        {
            m_runs << header << std::endl;
        }
        CheckFiles();
    }

    /// @return true if that seed has been run
    bool Knows(uint64_t seed) const
    {
        return m_known.count(seed) > 0;
    }

    /// Records a run that has ended.
    void Add(const HpccWorkers::Ended& run)
    {
        std::string row = run.output;
        const bool ended = run.status == 0 && IsComplete(row, run.job);
        if (!ended)
        {
            row = std::to_string(run.job) + ",0," +
                  (run.status == 0 ? "row not complete" : run.HowItEnded());
            row.append(Columns() - 1 - 2, ',');
            row += "\n";
        }
        row.pop_back();
        m_rows.push_back(row);
        m_runs << row << std::endl;
        if (!ended || row.find(",wrong,") != std::string::npos)
        {
            const std::string command = "hpcc-soak --runs=1 --first=" + std::to_string(run.job) +
                                        " --out=" + m_options.out + "-" + std::to_string(run.job);
            std::cerr << "FAILED " << command << "\n"
                      << run.errors.substr(run.errors.size() > 600 ? run.errors.size() - 600 : 0);
            m_failures << command << "\n" << run.errors << std::endl;
        }
        CheckFiles();
    }

    /// Prints the coverage.
    /// @return number of runs that have failed
    uint64_t Report() const
    {
        std::ostringstream out;
        std::map<std::string, std::map<std::string, uint64_t>> covered;
        std::vector<std::string> names = SplitList(Header());
        std::map<std::string, uint64_t> totals;
        uint64_t failed = 0;
        for (const auto& row : m_rows)
        {
            const auto cells = SplitList(row);
            failed += cells.at(2) != "ok";
            for (size_t i = 1; i < std::min(cells.size(), names.size()); ++i)
            {
                Count(names[i], cells[i], covered[names[i]], totals[names[i]]);
            }
        }
        out << m_rows.size() << " runs, " << failed << " failed; " << totals["refused"]
            << " combinations refused, " << totals["hops"] << " packet-hops, " << totals["pauses"]
            << " pauses, " << totals["drops"] << " drops, " << totals["storms"] << " storms, "
            << totals["timeouts"] << " time-outs\n";
        for (size_t i = 1; i < names.size(); ++i)
        {
            const auto& values = covered[names[i]];
            if (!values.empty())
            {
                out << std::left << std::setw(12) << names[i];
                for (const auto& [value, times] : values)
                {
                    out << " " << (value.empty() ? "-" : value) << ":" << times;
                }
                out << "\n";
            }
        }
        std::cout << out.str();
        const std::string path = m_options.out + "/summary.txt";
        std::ofstream file(path);
        file << out.str();
        file.close();
        if (!file)
        {
            throw HpccInputError("--out: cannot write " + path);
        }
        return failed;
    }

  private:
    /// @return columns of runs.csv
    static size_t Columns()
    {
        return SplitList(Header()).size();
    }

    /// Returns true if a row is complete.
    /// @param row row of runs.csv with its end of line
    static bool IsComplete(const std::string& row)
    {
        const size_t digits = row.find_first_not_of("0123456789");
        return digits > 0 && digits <= 19 && row.find('\n') == row.size() - 1 &&
               static_cast<size_t>(std::count(row.begin(), row.end(), ',')) == Columns() - 1;
    }

    /**
     * Returns true if a row is complete and belongs to a seed.
     * @param row row of runs.csv with its end of line
     * @param seed the seed
     */
    static bool IsComplete(const std::string& row, uint64_t seed)
    {
        return IsComplete(row) && std::stoull(row) == seed;
    }

    /// Reads the runs of earlier commands.
    /// @return rows that are not complete
    uint64_t Load(const std::string& path, const std::string& header)
    {
        std::ifstream in(path);
        std::string line;
        if (std::getline(in, line) && line != header)
        {
            throw HpccInputError(
                "--out: " + path +
                " is of another version of this program; choose another directory");
        }
        uint64_t forgotten = 0;
        while (std::getline(in, line))
        {
            if (!IsComplete(line + (in.eof() ? "" : "\n")))
            {
                ++forgotten;
                continue;
            }
            m_known.insert(std::stoull(line));
            m_rows.push_back(line);
        }
        return forgotten;
    }

    /// Writes the complete rows of earlier commands.
    void Rewrite(const std::string& path, const std::string& header) const
    {
        HpccCsvFile file(path, header);
        for (const auto& row : m_rows)
        {
            file << row << "\n";
        }
        file.Commit();
    }

    /// Refuses to go on if rows cannot be written, as on a full disk.
    void CheckFiles() const
    {
        if (!m_runs || !m_failures)
        {
            throw HpccInputError("--out: cannot write runs.csv or failures.txt in " +
                                 m_options.out);
        }
    }

    /// Counts a value of a column, or adds it to a sum.
    static void Count(const std::string& name,
                      const std::string& value,
                      std::map<std::string, uint64_t>& values,
                      uint64_t& total)
    {
        static const std::set<std::string> numbers{"refused",
                                                   "hops",
                                                   "pauses",
                                                   "drops",
                                                   "storms",
                                                   "timeouts",
                                                   "end_us",
                                                   "cpu_ms",
                                                   "flows",
                                                   "bytes",
                                                   "shared_bytes",
                                                   "hosts"};
        if (name == "error_rate")
        {
            ++values[value == "0" ? "0" : "above 0"];
        }
        else if (numbers.count(name) == 0)
        {
            ++values[value];
        }
        else
        {
            total += std::strtoull(value.c_str(), nullptr, 10);
        }
    }

    const Options& m_options;
    HpccOutputDirectory m_directory;
    std::set<uint64_t> m_known;
    std::vector<std::string> m_rows;
    std::ofstream m_runs;
    std::ofstream m_failures;
};

/**
 * Waits for the next run to end.
 * @param workers the runs under way
 * @param ended number of runs that have ended, for messages
 * @return the run
 */
HpccWorkers::Ended
Next(HpccWorkers& workers, uint64_t ended)
{
    try
    {
        return workers.Wait();
    }
    catch (const HpccWorkers::Interrupted& interrupted)
    {
        throw HpccRepeatedRuns::Failed{
            "hpcc-soak: ended by signal " + std::to_string(interrupted.signal) + " after " +
                std::to_string(ended) + " runs; the same command goes on from there\n",
            128 + interrupted.signal};
    }
}

/// @return the number of runs that have failed
uint64_t
RunAll(const Options& options)
{
    Book book(options);
    HpccWorkers workers;
    const auto begin = std::chrono::steady_clock::now();
    auto said = begin;
    uint64_t ended = 0;
    for (uint64_t next = 0; workers.GetRunning() > 0 || next < options.runs;)
    {
        if (workers.GetRunning() < options.jobs && next < options.runs)
        {
            const uint64_t seed = options.first + next++;
            if (!book.Knows(seed) && workers.Start(seed))
            {
                const rlimit cpu{options.cpuSeconds, options.cpuSeconds + 1};
                setrlimit(RLIMIT_CPU, &cpu);
                std::_Exit(HpccExperiment::Main([&] { RunSeed(seed, options); }));
            }
            continue;
        }
        book.Add(Next(workers, ended));
        ++ended;
        const auto now = std::chrono::steady_clock::now();
        if (now - said > std::chrono::seconds(10))
        {
            said = now;
            const double seconds = std::chrono::duration<double>(now - begin).count();
            std::cerr << "hpcc-soak: " << next - workers.GetRunning() << " of " << options.runs
                      << " runs have ended, about "
                      << FormatFixed(static_cast<double>(options.runs - next) * seconds /
                                         static_cast<double>(ended),
                                     0)
                      << " s left" << std::endl;
        }
    }
    return book.Report();
}

} // namespace

int
main(int argc, char* argv[])
{
    uint64_t failed = 0;
    const int code = HpccExperiment::Main([&] {
        if (const auto options = Parse(argc, argv))
        {
            failed = RunAll(*options);
        }
    });
    return code ? code : failed > 0;
}
