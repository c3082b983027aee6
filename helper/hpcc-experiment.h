/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_H
#define HPCC_EXPERIMENT_H

#include "hpcc-csv-file.h"
#include "hpcc-fabric-helper.h"
#include "hpcc-monitor.h"

#include "ns3/command-line.h"

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

class HpccRanks;
class HpccSignals;

/**
 * @ingroup hpcc
 *
 * Shared code of the examples: options, one simulation per policy, telemetry format and feedback
 * mode, the table, and the files in --out. With several formats a policy is called POLICY/FORMAT in
 * all of them, with several feedback modes POLICY/FEEDBACK, with both POLICY/FORMAT/FEEDBACK.
 *
 * --help lists the options, among them --cc=NAME[,NAME...] for the policies, --telemetry and
 * --feedback likewise, --out=DIR and --ns3::Class::Attribute=value. Bad input prints one line and
 * ends with exit code 2.
 */
class HpccExperiment
{
  public:
    static constexpr uint32_t MAX_SEED = 4294944442; ///< largest --seed: the largest of ns-3

    /**
     * @param name name of the program
     * @param usage what it shows, for --help
     * @param policies default of --cc
     */
    HpccExperiment(const std::string& name, const std::string& usage, const std::string& policies);
    ~HpccExperiment();

    /**
     * Adds an option of the program.
     * @tparam Value its type, readable from a stream
     * @param option its name without dashes
     * @param help what it does, units and range
     * @param value default; set by Parse()
     */
    template <typename Value>
    void AddOption(const std::string& option, const std::string& help, Value& value)
    {
        m_command.AddValue(option, help, value);
        m_options[option] = [option, &value](const std::string& text) {
            if constexpr (std::is_same_v<Value, std::string>)
            {
                value = text;
            }
            else if constexpr (std::is_same_v<Value, bool>)
            {
                value = ParseBool(option, text);
            }
            else if constexpr (std::is_same_v<Value, Time>)
            {
                value = ParseTime(option, text);
            }
            else
            {
                std::istringstream in(text);
                Value parsed;
                char rest = 0;
                bool negative = std::is_unsigned_v<Value> && text.find('-') != std::string::npos;
                if (negative || !(in >> parsed) || in >> rest)
                {
                    throw HpccInputError("--" + option + ": \"" + text + "\" is not allowed; " +
                                         FormOf<Value>());
                }
                value = parsed;
            }
        };
    }

    /**
     * Adds an option that may be given several times.
     * @param option its name without dashes
     * @param help what it does, units and range
     * @param values gets one value each time
     */
    void AddList(const std::string& option,
                 const std::string& help,
                 std::vector<std::string>& values)
    {
        AddOption(option, help + "; may be given several times", m_listTexts[option]);
        m_options[option] = [&values](const std::string& text) { values.push_back(text); };
    }

    /**
     * Reads the command line.
     * @param argc as of main()
     * @param argv as of main()
     * @param defaults options that the program gives where the command line does not, such as
     * "--recovery=irn"
     */
    void Parse(int argc, char* argv[], const std::vector<std::string>& defaults = {});

    /**
     * Refuses options that have no effect beside others; after Parse().
     * @param options names without dashes; one that the command line gives throws HpccInputError
     * @param why what takes their place, such as "--trace gives the flows"
     */
    void RefuseGiven(const std::vector<std::string>& options, const std::string& why) const;

    /**
     * Refuses attributes of a class, and of those derived from it, that the command line gives.
     * @param base the class
     * @param allowed names of attributes that are not refused
     * @param why why they have no effect
     */
    void RefuseGivenOf(TypeId base,
                       const std::set<std::string>& allowed,
                       const std::string& why) const;

    /**
     * Refuses what has no effect where a model takes the place of the fabric: attributes, and the
     * options of all examples except those of results, runs, random numbers and progress.
     * @param options further ones, of this program, names without dashes
     * @param why what takes the place of the fabric
     */
    void RefuseFabricOptions(const std::vector<std::string>& options, const std::string& why) const;

    /**
     * Runs a model that takes the place of the fabric, in a claimed directory, and writes the
     * manifest. With --check, throws Done instead.
     * @param simulate runs it and writes the tables
     */
    void RunWithoutFabric(const std::function<void()>& simulate);

    /**
     * @param option its name without dashes
     * @return true if the command line gives it
     */
    bool IsGiven(const std::string& option) const
    {
        return m_given.count(option) > 0 && m_defaults.count(option) == 0;
    }

    /// How far a program is with what it does beside the flows.
    enum class Progress : uint8_t
    {
        DONE,    ///< nothing is left to do
        WAITING, ///< something is left, and only a message can start it
        BUSY,    ///< something goes on
    };

    /// What Scenario::drive receives for a run whose policy was registered with
    /// SetOtherPolicies().
    struct Transport
    {
        const std::string& policy;    ///< its name
        const std::string& telemetry; ///< one of --telemetry; empty takes the policy's own
        const std::string& feedback;  ///< one of --feedback; none without telemetry
    };

    /// A program's plan for one policy. The hooks are for programs that need more than the shared
    /// options.
    struct Scenario
    {
        /// Connects a flow, given the policy of the run; without it, each flow gets a queue pair
        /// with that policy.
        using Connect = std::function<
            uint32_t(HpccFabricHelper&, const HpccFlowPlan&, const HpccFabricHelper::PolicySpec&)>;
        /// Called before the run, when the network is built and its flows are connected.
        using Connected = std::function<void(HpccFabricHelper&)>;
        /// Called after the run, before the network is destroyed.
        using Finished = std::function<
            void(HpccFabricHelper&, const std::vector<HpccFlowPlan>&, const HpccMonitor&)>;

        HpccTopology topology; ///< the network
        std::vector<HpccFlowPlan>
            flows; ///< source, destination, bytes, start; the rest is filled in
        std::vector<std::string> beside; ///< policies of further flows through the same ports,
                                         ///< which need the same thresholds of the Marker
        bool perFlowSeries{false};       ///< write flow_rate.csv
        bool bulk{false}; ///< there are many flows: no time series, and a queue pair is closed when
                          ///< its flow has finished

        /// Ideal completion time of a flow; empty takes HpccFabricHelper::GetIdealFctNs().
        std::function<int64_t(const HpccFabricHelper&, const HpccFlowPlan&)> idealFctNs;
        std::function<std::string(size_t)> nameClass; ///< last column of fct.csv by flow; may be
                                                      ///< empty
        Time stop{Seconds(10)}; ///< end of the run if flows have not finished before
        Time linger{0};         ///< how long the run goes on after the last completion
        int64_t baseRttNs{0};   ///< network-wide T, ns; 0: computed; --T overrides it
        Connect connect;        ///< may be empty

        /// UDP source port of a flow that has no connect; 0 or empty derives it from the queue
        /// pair.
        std::function<uint16_t(const HpccFabricHelper&, const HpccFlowPlan&)> sourcePort;
        /// Connects a flow that is NOT_PLANNED, with the policy of the run.
        Connect connectJob;
        /// Connects what is no flow, with the policy of the run; may be empty.
        std::function<void(HpccFabricHelper&, const HpccFabricHelper::PolicySpec&)> connectAll;
        /// Changes the policy of a flow, given its number; may be empty.
        std::function<void(size_t, ObjectFactory&)> tunePolicy;
        /// Columns that summary.csv has in addition, and the counts of a run for them.
        std::vector<std::string> counts;
        std::function<std::vector<uint64_t>(HpccFabricHelper&)> count; ///< empty without counts
        /// The hooks support --mpi: they add up their counts over the ranks.
        bool addsUp{false};
        Connected connected; ///< may be empty

        /// Makes the flows of a policy of SetOtherPolicies(), and registers them with the monitor.
        std::function<void(HpccFabricHelper&, const Transport&, HpccMonitor&)> drive;
        /// How far the hosts of this process are. A run ends when all flows have finished and all
        /// is DONE, or when for 1 ms nothing was BUSY and something WAITING. May be empty.
        std::function<Progress()> progress;
        Finished finished; ///< may be empty

        /// The program's own tables. What finished has written is on the disk when a run ends.
        std::vector<HpccCsvFile*> tables;
    };

    /// A congestion control of another transport than RDMA.
    struct OtherPolicy
    {
        std::string className;              ///< TypeId, whose attributes --eta etc. set
        std::vector<std::string> feedbacks; ///< what --feedback may be; empty without telemetry
        std::string telemetry;              ///< short name of its format; "none" without
        std::string marking; ///< EcnMarker::Thresholds that it is meant for; empty if none
        std::map<std::string, std::string> ownTelemetry{}; ///< for feedback modes with a format of
                                                           ///< their own: its name in the tables

        /// Throws HpccInputError if packets of the transport cannot carry a format, given its short
        /// name; may be empty.
        std::function<void(const std::string&)> checkTelemetry{};
    };

    /**
     * Restricts --cc to the names of another transport, before Parse().
     * @param policies by name
     * @param feedback default of --feedback
     */
    void SetOtherPolicies(const std::map<std::string, OtherPolicy>& policies,
                          const std::string& feedback);

    /**
     * Names a table that Run() or the program itself writes into --out. With --runs it is written
     * with the rows of all runs, and again with mean and confidence interval.
     * @param file its name
     * @param keys columns on the left that say what a row is about
     */
    void AddTable(const std::string& file, uint32_t keys);

    /// @return whether this is one of several runs, see --runs
    bool IsRepeated() const;

    /// Configures the network before it is installed.
    using Configure = std::function<void(HpccFabricHelper&)>;

    /// Thrown when SIGINT or SIGTERM has ended a run. The rows of the runs before are on the disk.
    struct Interrupted : std::runtime_error
    {
        /**
         * @param what one line: what is missing
         * @param number of the signal
         */
        Interrupted(const std::string& what, int number)
            : std::runtime_error(what),
              signal(number)
        {
        }

        int signal; ///< its number
    };

    /// Thrown when the program ends without a run: --check has refused nothing, or --version or
    /// --describe have printed something.
    struct Done
    {
    };

    /**
     * Runs the scenario once per policy and format and writes the files. A policy that needs no
     * telemetry runs once. The networks of all runs are built, and checked, before the first run
     * begins; with --check, Done is thrown then. The rows of a run are on the disk when it ends;
     * after SIGINT or SIGTERM, Interrupted names the runs that are missing.
     * @param scenario what to run; the same for every run
     * @param configure called before Install() for every run; may be empty
     * @return summaries, those of the first policy first
     */
    std::vector<HpccSummary> Run(const Scenario& scenario, const Configure& configure = {});

    /**
     * Builds the networks of the runs and throws what building them throws, for a program that
     * calls Run() several times: it calls this function for each beforehand, and Run() does not
     * check again.
     * @param scenario what to run
     * @param configure called before Install() for every run; may be empty
     */
    void Check(const Scenario& scenario, const Configure& configure = {});

    /// Throws HpccInputError if no object has used an attribute default of the command line so far.
    /// For a program that does not call Run(): once its network is built. With --check, throws
    /// Done.
    void RefuseIdleDefaults() const;

    /**
     * Runs the body of main() and turns exceptions into exit codes; an HpccInputError is printed as
     * one line on standard error.
     * @param body what to do
     * @return exit code: 0, also after Done; 2 after an HpccInputError; 128 and the signal's
     * number after Interrupted
     */
    static int Main(const std::function<void()>& body);

    /**
     * Sets policies and telemetry instead of --cc and --telemetry. If the command line says
     * otherwise, throws HpccInputError.
     * @param policies names of policies
     * @param telemetry name of the format; empty takes each policy's own
     */
    void SetPolicies(const std::vector<std::string>& policies, const std::string& telemetry);

    /// One of several ways in which each policy is run.
    struct Variant
    {
        std::string name;                              ///< the files call a run LABEL/NAME
        std::map<std::string, std::string> attributes; ///< of every policy that has them
    };

    /// Sets the variants, after Parse(); each policy is run once for each of them.
    /// @param variants at least one
    void SetVariants(const std::vector<Variant>& variants);

    /// @return the variant of the simulation that runs now; empty without variants
    const std::string& GetVariant() const;

    /**
     * Sets an attribute of every policy that has it. One of SetOtherPolicies() keeps what the
     * command line gives by the attribute's full name.
     * @param attribute its name
     * @param value its value
     */
    void SetPolicyAttribute(const std::string& attribute, const std::string& value);

    /**
     * @param policy name of a policy of RDMA, which --cc need not be able to name
     * @param telemetry short name of its format; empty takes the policy's default
     * @param attributes further ones, of policies that have them
     * @return it with the shared options and SetPolicyAttribute(); it keeps what the command line
     * gives by an attribute's full name
     */
    HpccFabricHelper::PolicySpec RdmaSpecOf(
        const std::string& policy,
        const std::string& telemetry = "",
        const std::map<std::string, std::string>& attributes = {}) const;

    /// @return the processes that share a simulation; null without --mpi
    Ptr<HpccRanks> GetRanks() const;

    /**
     * Applies to a fabric the options that do not belong to a policy: MTU, recovery, flow control,
     * lag, paths, parts of the switches, outages, and which process has which node. Run() does it;
     * other programs call it, and with --mpi Begin() and End() of the ranks. With --describe it
     * describes the topology and ends the program.
     * @param fabric that nothing was installed in yet
     * @param topology what will be
     */
    void SetUp(HpccFabricHelper& fabric, const HpccTopology& topology) const;

    /// @return names of --cc
    const std::vector<std::string>& GetPolicies() const;

    /// @return --max-lag
    Time GetMaxLag() const;

    /// @return --telemetry, as given; empty if not given
    const std::string& GetTelemetry() const;

    /// @return what the files call the simulations of Run(), in their order
    std::vector<std::string> GetLabels() const;

    /// @return what the files call the simulation that runs now
    const std::string& GetLabel() const;

    /// Sets the default of --fail, after Parse().
    /// @param outages as for HpccOutages
    void SetOutages(const std::string& outages);

    /// Sets the default of --paths, after Parse().
    /// @param paths the value
    void SetPaths(const std::string& paths);

    /**
     * @param name name of a file
     * @return its path in --out; empty, which HpccCsvFile does not write, at ranks other than 0.
     * The manifest lists it, so that a later command removes it
     */
    std::string PathOf(const std::string& name) const;

    /// @return --mtu
    uint32_t GetMtu() const;

    /// @return --recovery
    const std::string& GetRecovery() const;

    /// @return --trimming
    const std::string& GetTrimming() const;

    /// @return --out
    const std::string& GetOut() const;

    /**
     * Sets another directory than --out for the runs that follow.
     * @param directory its path
     */
    void SetOut(const std::string& directory);

    /// Creates and locks the directory of the results, once, and removes what an earlier command
    /// has left there. Run() does it; a program that does not call it calls this one.
    void ClaimOut();

    /**
     * Writes the manifest of a run.
     * @param directory the directory
     */
    void WriteManifest(const std::string& directory) const;

    /**
     * Creates a directory and its parents.
     * @param directory its path; what is in the way throws HpccInputError
     */
    static void MakeDirectory(const std::string& directory);

  private:
    struct Plan;
    struct Tables;
    struct Values;
    class Checks;
    class Planner;

    /**
     * @param option name
     * @param text value
     * @return the value
     */
    static bool ParseBool(const std::string& option, const std::string& text);

    /**
     * @param option name
     * @param text value, such as "4.16us"
     * @return the time
     */
    static Time ParseTime(const std::string& option, const std::string& text);

    /// @return what values of a type look like
    template <typename Value>
    static std::string FormOf()
    {
        if constexpr (std::is_same_v<Value, DataRate>)
        {
            return "a rate such as 100Gbps";
        }
        else if constexpr (std::is_integral_v<Value>)
        {
            return "a whole number from " + std::to_string(std::numeric_limits<Value>::min()) +
                   " to " + std::to_string(std::numeric_limits<Value>::max());
        }
        else
        {
            return "a number";
        }
    }

    /**
     * Reads one option.
     *
     * @param argument --NAME=VALUE or --NAME
     * @return false if it is ns-3's own, such as --help
     */
    bool ParseOption(const std::string& argument);

    /// Refuses an option that does not exist.
    /// @param option its name
    [[noreturn]] void RefuseUnknown(const std::string& option) const;

    /// Applies an attribute given by its full name to the option that is its synonym. Refuses a
    /// command line that gives both.
    void MergeSynonyms();

    /// Refuses options that have no effect without others.
    void CheckIdle() const;

    /// With --check, throws Done.
    void EndIfChecked() const;

    /**
     * Simulates a network that stands until all defaults are in use, at most as long as a run.
     *
     * @param fabric the network
     * @param monitor its flows
     * @param stop end of the run
     */
    void SimulateUntilUsed(const HpccFabricHelper& fabric, const HpccMonitor& monitor, Time stop);

    /**
     * Builds the networks of all runs in a process of its own, which leaves no trace in this one.
     * Refuse what it refuses.
     *
     * @param plans the runs
     * @param scenario what to run
     * @param configure see Run()
     */
    void Rehearse(const std::vector<Plan>& plans,
                  const Scenario& scenario,
                  const Configure& configure);

    /// Does the rehearsal's part in its own process.
    /// @return what is refused; empty if nothing is
    std::string RehearseHere(const std::vector<Plan>& plans,
                             const Scenario& scenario,
                             const Configure& configure);

    /**
     * Writes the manifest and throws Interrupted.
     *
     * @param plans the runs
     * @param ended how many of them have ended
     */
    [[noreturn]] void ReportMissing(const std::vector<Plan>& plans, size_t ended);

    /**
     * Assigns the nodes to the ranks.
     *
     * @param fabric gets ranks
     * @param topology of the fabric
     */
    void ShareOut(HpccFabricHelper& fabric, const HpccTopology& topology) const;

    /// Checks --mpi and --partition, and connects to the other ranks.
    void JoinRanks();

    /**
     * Continues as the script that executes the runs of --runs.
     * @param arguments those of the command
     */
    [[noreturn]] void Repeat(const std::vector<std::string>& arguments) const;

    /// Turns this command into one of the runs of --runs, that of --only-run.
    void TakeOnlyRun();

    /// @return names of the tables of a run and of several
    std::vector<std::string> ListTables() const;

    /// Removes the runs of an earlier command with --runs, except those that this command has, too.
    /// @param directory the directory of all runs
    void RemoveRuns(const std::string& directory) const;

    /// Checks --recovery and --bdp-cap.
    void CheckRecovery();

    /**
     * Builds the network of a run, and simulates it.
     *
     * @param plan policy and format
     * @param scenario what to run
     * @param configure see Run()
     * @param tables rows; null only builds the network, and simulates it for SimulateUntilUsed() if
     * Values::untilUsed says so
     * @param signals that may end it; null without tables
     * @return the summary
     */
    HpccSummary RunOne(const Plan& plan,
                       const Scenario& scenario,
                       const Configure& configure,
                       Tables* tables,
                       HpccSignals* signals);

    /**
     * Simulates a network that stands.
     *
     * @param plan policy and format
     * @param scenario what to run
     * @param fabric the network
     * @param monitor its results
     * @param firstStartNs of a flow
     * @param tables rows
     * @param signals that may end it
     * @return the summary
     */
    HpccSummary Simulate(const Plan& plan,
                         const Scenario& scenario,
                         HpccFabricHelper& fabric,
                         HpccMonitor& monitor,
                         int64_t firstStartNs,
                         Tables& tables,
                         HpccSignals& signals);

    /// Prints the versions of the module and of ns-3, and throws Done.
    [[noreturn]] static void PrintVersion();

    /// With --describe, prints and draws a topology, and throws Done.
    /// @param topology the network
    void Describe(const HpccTopology& topology) const;

    CommandLine m_command;                                                    ///< --help
    std::map<std::string, std::function<void(const std::string&)>> m_options; ///< setters by option
    std::map<std::string, std::string> m_given;     ///< options that were given
    std::map<std::string, std::string> m_listTexts; ///< of AddList(), for --help
    std::set<std::string> m_defaults; ///< those that only the program gives, see Parse()
    std::unique_ptr<Values> m_values; ///< of the options that all examples share
};

/**
 * Splits a list.
 * @param text items separated by commas
 * @return the items
 */
std::vector<std::string> SplitList(const std::string& text);

} // namespace ns3

#endif // HPCC_EXPERIMENT_H
