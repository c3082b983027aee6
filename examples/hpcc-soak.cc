/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Simulates random scenarios, one per seed. HpccSoakRun lists properties that every run must have.
// Do these properties also hold in networks and combinations for which no test has been written?
// With --seeds=FIRST-LAST as its first argument, the program runs these seeds one after the other,
// each in a separate process. Therefore a run that aborts or hangs affects only its own row of the
// table. With --header, it prints the header of the table. With any other arguments, it starts
// hpcc-soak.py, which distributes the seeds and writes the table.

#include "hpcc-soak/hpcc-soak-run.h"
#include "hpcc-soak/hpcc-soak-scenario.h"

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-script.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>
#ifdef __linux__
#include <sys/prctl.h>
#endif

using namespace ns3;

namespace
{

constexpr uint32_t MOST_REFUSALS = 200;                      ///< largest number of refused
                                                             ///< scenarios per seed
constexpr uint64_t LAST_SEED = HpccExperiment::MAX_SEED - 1; ///< largest seed; the seed of ns-3 is
                                                             ///< this seed plus 1

/// Options of the program. The help of hpcc-soak.py describes them.
struct Options
{
    uint64_t first{1};
    uint64_t last{1};
    uint64_t cpuSeconds{300};
    uint64_t limitMs{4000};
};

/**
 * Returns the number in the value of an option.
 * @param option name of the option in error messages
 * @param text value of the option
 * @param least smallest number allowed
 * @param most largest number allowed
 */
uint64_t
Number(const std::string& option, const std::string& text, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    std::istringstream in(text);
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isdigit(c);
    });
    HPCC_REFUSE_IF(!digits || !(in >> value) || value < least || value > most,
                   "--" + option + ": \"" + text + "\" is not a number from " +
                       std::to_string(least) + " to " + std::to_string(most));
    return value;
}

/// Returns the options of a command that begins with --seeds=FIRST-LAST.
Options
Parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments)
    {
        const auto equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
        if (name == "--seeds")
        {
            const auto dash = value.find('-');
            options.first = Number("seeds", value.substr(0, dash), 0, LAST_SEED);
            options.last = dash == std::string::npos
                               ? options.first
                               : Number("seeds", value.substr(dash + 1), options.first, LAST_SEED);
        }
        else if (name == "--cpu-seconds")
        {
            options.cpuSeconds = Number("cpu-seconds", value, 1, 100000);
        }
        else if (name == "--limit-ms")
        {
            options.limitMs = Number("limit-ms", value, 1, 100000);
        }
        else
        {
            throw HpccInputError("hpcc-soak: " + argument + " is not allowed with --seeds");
        }
    }
    return options;
}

/// Columns of runs.csv between "seed,refused" and the columns of the scenario's description.
constexpr const char* OUTCOME_COLUMNS =
    "result,excuse,hops,pauses,drops,storms,timeouts,end_us,cpu_ms";

/// Returns @p text without characters that a cell of a CSV file must not contain.
std::string
Cell(std::string text)
{
    std::replace(text.begin(), text.end(), ',', ' ');
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// Returns the header of runs.csv.
std::string
HeaderRow()
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

/// Runs the scenario of a seed and prints its row.
void
RunSeed(uint64_t seed, const Options& options)
{
    RngSeedManager::SetSeed(static_cast<uint32_t>(seed) + 1);
    HpccSoakDraw draw(seed);
    for (uint32_t refused = 0; refused < MOST_REFUSALS; ++refused)
    {
        const HpccSoakScenario scenario = draw.Draw();
        // Print the scenario before the run, so that the output contains it even if the run fails.
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
        HPCC_REFUSE_IF(!std::cout,
                       "cannot write the row of seed " + std::to_string(seed) +
                           " to a temporary file");
        run.reset();
        Simulator::Destroy();
        return;
    }
    throw HpccInputError("every scenario of this seed is refused");
}

/// Returns the contents of a file and closes it.
/// @return contents of the file
std::string
Take(std::FILE* file)
{
    std::string text;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    {
        text += static_cast<char>(c);
    }
    std::fclose(file);
    return text;
}

/**
 * Runs a seed in a child process and prints its row. If the run fails, its messages precede the
 * row, in lines that begin with #. On Linux, the child is killed if this process ends.
 * @param seed the seed
 * @param options options of the program
 * @return true if the run has not failed
 */
bool
RunInProcess(uint64_t seed, const Options& options)
{
    std::FILE* output = std::tmpfile();
    std::FILE* errors = std::tmpfile();
    const pid_t parent = getpid();
    std::cout.flush();
    const pid_t child = output && errors ? fork() : -1;
    HPCC_REFUSE_IF(child < 0,
                   "a process for a run cannot be started: the system has no more "
                   "processes or temporary files");
    if (child == 0)
    {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (getppid() != parent)
        {
            std::_Exit(1);
        }
        dup2(fileno(output), STDOUT_FILENO);
        dup2(fileno(errors), STDERR_FILENO);
        const rlimit cpu{options.cpuSeconds, options.cpuSeconds + 1};
        setrlimit(RLIMIT_CPU, &cpu);
        std::_Exit(HpccExperiment::Main([&] { RunSeed(seed, options); }));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    std::string row = Take(output);
    std::istringstream said(Take(errors));
    if (status != 0 || row.empty())
    {
        const std::string how = WIFSIGNALED(status)
                                    ? "signal " + std::to_string(WTERMSIG(status))
                                    : "exit code " + std::to_string(WEXITSTATUS(status));
        const std::string header = HeaderRow();
        row = std::to_string(seed) + ",0," + how;
        row.append(static_cast<size_t>(std::count(header.begin(), header.end(), ',')) - 2, ',');
        row += "\n";
    }
    const bool failed = status != 0 || row.find(",wrong,") != std::string::npos;
    if (failed)
    {
        for (std::string line; std::getline(said, line);)
        {
            std::cout << "# " << line << "\n";
        }
    }
    std::cout << row << std::flush;
    HPCC_REFUSE_IF(!std::cout, "cannot write the row of seed " + std::to_string(seed));
    return !failed;
}

} // namespace

int
main(int argc, char* argv[])
{
    bool failed = false;
    const int code = HpccExperiment::Main([&] {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        const std::string first = arguments.empty() ? "" : arguments.front();
        if (first == "--header")
        {
            std::cout << HeaderRow() << std::endl;
        }
        else if (first.rfind("--seeds=", 0) == 0)
        {
            const Options options = Parse(arguments);
            std::signal(SIGCHLD, SIG_DFL); // the parent process may have set SIG_IGN; then
                                           // waitpid() would return no exit codes
            for (uint64_t seed = options.first; seed <= options.last; ++seed)
            {
                failed = !RunInProcess(seed, options) || failed;
            }
        }
        else
        {
            arguments.insert(arguments.begin(), "--program=" + HpccScript::GetProgram());
            HpccScript::Start("hpcc-soak", "hpcc-soak.py", arguments);
        }
    });
    return code ? code : failed;
}
