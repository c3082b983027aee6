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
 * Shared code of the examples. It reads the options, runs one simulation per policy, telemetry
 * format and feedback mode, prints the table, and writes the files in --out. In the table and the
 * files, the name of a run is POLICY/FORMAT/FEEDBACK. FORMAT is left out if there is only one
 * format, and FEEDBACK if there is only one feedback mode.
 *
 * --help lists the options, such as --cc, --telemetry and --feedback (each =NAME[,NAME...]),
 * --out=DIR and --ns3::Class::Attribute=value. After bad input the program prints one line and ends
 * with exit code 2.
 */
class HpccExperiment
{
  public:
    static constexpr uint32_t MAX_SEED = 4294944442; ///< largest --seed, a limit of ns-3

    /**
     * Creates an experiment with the options that all experiments share.
     * @param name name of the program
     * @param usage description of the program, for --help
     * @param policies default of the option --cc
     */
    HpccExperiment(const std::string& name, const std::string& usage, const std::string& policies);
    ~HpccExperiment();

    /**
     * Adds an option of the program.
     * @tparam Value type of the option, readable from a stream
     * @param option name of the option without dashes
     * @param help effect, units and range
     * @param value variable that contains the default before Parse(), and the value of the option
     * after Parse()
     */
    template <typename Value>
    void AddOption(const std::string& option, const std::string& help, Value& value)
    {
        m_help.emplace_back(
            [this, option, help, &value] { m_command.AddValue(option, help, value); });
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
            else if constexpr (std::is_same_v<Value, DataRate>)
            {
                value = ParseRate(option, text);
            }
            else
            {
                std::istringstream in(text);
                Value parsed;
                char rest = 0;
                bool negative = std::is_unsigned_v<Value> && text.find('-') != std::string::npos;
                HPCC_REFUSE_IF(negative || !(in >> parsed) || in >> rest,
                               "--" + option + ": \"" + text + "\" is not allowed; " +
                                   FormOf<Value>());
                value = parsed;
            }
        };
    }

    /**
     * Adds an option that may occur several times.
     * @param option name of the option without dashes
     * @param help effect, units and range
     * @param values list to which Parse() appends one value per occurrence
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
     * @param argc argc of main()
     * @param argv argv of main()
     * @param defaults options that apply unless the command line gives them, such as
     * "--recovery=irn"; --help shows them
     */
    void Parse(int argc, char* argv[], const std::vector<std::string>& defaults = {});

    /**
     * Refuses options that have no effect because of other options. Throws HpccInputError if the
     * command line gives one of these options, or the full name of the attribute that such an
     * option sets. Call after Parse().
     * @param options names of the options, without the leading dashes
     * @param why the reason, such as "--trace gives the flows"
     */
    void RefuseGiven(const std::vector<std::string>& options, const std::string& why) const;

    /**
     * Refuses attributes of a class and its derived classes if the command line gives them.
     * @param base the class
     * @param allowed names of attributes that are not refused
     * @param why reason why they have no effect
     */
    void RefuseGivenOf(TypeId base,
                       const std::set<std::string>& allowed,
                       const std::string& why) const;

    /**
     * Refuses settings that have no effect because a model replaces the fabric. Refuses all
     * attributes. Of the options that the examples share, allows only those for results, runs,
     * random numbers and progress.
     * @param options names of further options of this program, without the leading dashes
     * @param why the reason, which names the model that replaces the fabric
     */
    void RefuseFabricOptions(const std::vector<std::string>& options, const std::string& why) const;

    /**
     * Claims the directory of results, runs a model that replaces the fabric, and writes the
     * manifest. With --check, throws Done instead.
     * @param simulate runs the model and writes the tables
     */
    void RunWithoutFabric(const std::function<void()>& simulate);

    /**
     * Returns true if the command line gives an option.
     * @param option name of the option without dashes
     */
    bool IsGiven(const std::string& option) const
    {
        return m_given.count(option) > 0 && m_defaults.count(option) == 0;
    }

    /// State of a program's activities other than the flows.
    enum class Progress : uint8_t
    {
        DONE,    ///< no work is left
        WAITING, ///< work is left, but only a message can start it
        BUSY,    ///< work is in progress
    };

    /// Argument of Scenario::drive, for a run whose policy was registered with SetOtherPolicies().
    struct Transport
    {
        const std::string& policy;    ///< name of the policy
        const std::string& telemetry; ///< a name in --telemetry; empty: the policy's default
        const std::string& feedback;  ///< a name in --feedback; "none" without telemetry
    };

    /// The network and the flows that a program simulates under each policy. The hooks are for
    /// programs that need more than the shared options.
    struct Scenario
    {
        /// Connects a flow under the policy of the run. Without this hook, each flow gets a queue
        /// pair with that policy.
        using Connect = std::function<
            uint32_t(HpccFabricHelper&, const HpccFlowPlan&, const HpccFabricHelper::PolicySpec&)>;
        /// Called before each run. The network has then been built, its flows have been connected,
        /// and --out exists without the results of an earlier command. Run() may first check all
        /// runs in a separate process. That process also calls the hook, but it does not simulate
        /// the networks, and --out need not exist there. Therefore write files with HpccCsvFile,
        /// which creates a file only with its first row.
        using Connected = std::function<void(HpccFabricHelper&)>;
        /// Called after the run, before the network is destroyed.
        using Finished = std::function<
            void(HpccFabricHelper&, const std::vector<HpccFlowPlan>&, const HpccMonitor&)>;

        HpccTopology topology;           ///< the network
        std::vector<HpccFlowPlan> flows; ///< the flows. The program sets source, destination, bytes
                                         ///< and start. If a hook gives several flows the same
                                         ///< queue pair, the program also sets message. Run() sets
                                         ///< queuePair
        std::vector<std::string> beside; ///< names of the policies that the program's hooks use for
                                         ///< further flows. Run() refuses attributes that no policy
                                         ///< of the flows uses. It also refuses policies that need
                                         ///< different marking thresholds, unless the command line
                                         ///< gives EcnMarker::Thresholds
        bool perFlowSeries{false};       ///< write flow_rate.csv
        bool startsAfterStop{false};     ///< true: flows that start at or after stop are allowed,
                                         ///< for example those of an input file; false: Run()
                                         ///< refuses them
        bool bulk{false}; ///< true for many flows: no time series, and a queue pair is closed when
                          ///< its flow finishes

        /// Returns the ideal completion time of a flow, ns. If empty, Run() uses
        /// HpccFabricHelper::GetIdealFctNs().
        std::function<int64_t(const HpccFabricHelper&, const HpccFlowPlan&)> idealFctNs;
        std::function<std::string(size_t)> nameClass; ///< returns the last column of fct.csv, given
                                                      ///< the number of the flow; may be empty
        Time stop{Seconds(10)};  ///< latest end of the run, 1 ns to 100,000 s; a run ends earlier
                                 ///< if all flows finish earlier
        bool stopIsLimit{false}; ///< true if stop is only a limit for runs in which some flow never
                                 ///< finishes, like the default of stop; false if stop is part of
                                 ///< the experiment
        Time linger{0};          ///< time that the run continues after the last completion
        int64_t baseRttNs{0};    ///< network-wide T, ns; 0: computed from the network; --T takes
                                 ///< precedence
        Connect connect;         ///< may be empty

        /// UDP source port of a flow, used if Scenario::connect is empty; 0 or empty: derived from
        /// the queue pair.
        std::function<uint16_t(const HpccFabricHelper&, const HpccFlowPlan&)> sourcePort;
        /// Connects a flow under the policy of the run if the flow's start time is
        /// HpccFlowPlan::NOT_PLANNED, as it is for the messages of a job.
        Connect connectJob;
        /// Connects queue pairs that carry no flow, under the policy of the run; may be empty.
        std::function<void(HpccFabricHelper&, const HpccFabricHelper::PolicySpec&)> connectAll;
        /// Changes the policy of a flow, given the flow's number; may be empty.
        std::function<void(size_t, HpccPolicyFactory&)> tunePolicy;
        /// Names of additional columns of summary.csv; Scenario::count returns their values.
        std::vector<std::string> counts;
        std::function<std::vector<uint64_t>(HpccFabricHelper&)> count; ///< returns the values of
                                                                       ///< the columns in
                                                                       ///< Scenario::counts after a
                                                                       ///< run; may be empty if
                                                                       ///< there are no such
                                                                       ///< columns
        /// True if the hooks support --mpi. Scenario::count must then return sums over all ranks.
        bool addsUp{false};
        Connected connected; ///< may be empty

        /// Creates the flows for a policy that was registered with SetOtherPolicies(), and
        /// registers these flows with the monitor.
        std::function<void(HpccFabricHelper&, const Transport&, HpccMonitor&)> drive;
        /// Returns the state of the program's activities at the hosts of this process. A run ends
        /// when all flows have finished and every process is DONE. A run also ends if all
        /// activities are stuck: during 1 ms, no process was BUSY and at least one was WAITING. May
        /// be empty.
        std::function<Progress()> progress;
        Finished finished; ///< may be empty

        /// The program's own tables. Rows that Scenario::finished has written are on the disk when
        /// a run ends.
        std::vector<HpccCsvFile*> tables;
    };

    /// A congestion control of a transport other than RDMA.
    struct OtherPolicy
    {
        std::string className;              ///< name of the policy's TypeId; --eta, --max-stage and
                                            ///< --wai set attributes of this class
        std::vector<std::string> feedbacks; ///< values of --feedback; empty: no telemetry
        std::string telemetry;              ///< short name of the telemetry format; "none" without
                                            ///< telemetry
        std::string marking; ///< value of EcnMarker::Thresholds for which the policy is designed;
                             ///< empty if it needs no particular value
        std::map<std::string, std::string> ownTelemetry{}; ///< for each feedback mode that has its
                                                           ///< own format: the name of this format
                                                           ///< in the tables

        /// Throws HpccInputError if packets of the transport cannot carry the format with the given
        /// short name. May be empty.
        std::function<void(const std::string&)> checkTelemetry{};

        bool givesUp{false}; ///< true if each flow ends after a limited time even if its data do
                             ///< not arrive, for example after a link failure
    };

    /**
     * Restricts --cc to the policies of another transport. Call before Parse().
     * @param policies the policies, by name
     * @param feedback default of --feedback
     */
    void SetOtherPolicies(const std::map<std::string, OtherPolicy>& policies,
                          const std::string& feedback);

    /**
     * Registers a table that Run() or the program itself writes into --out. With --runs, one file
     * contains the rows of all runs, and a second file the means and confidence intervals. A call
     * after Parse() throws HpccInputError.
     * @param file name of the file
     * @param keys number of columns on the left that identify a row
     */
    void AddTable(const std::string& file, uint32_t keys);

    /// Returns the names of the tables that a single run or several runs may write.
    std::vector<std::string> ListTables() const;

    /// Returns true if this process executes one of several runs, see --runs.
    bool IsRepeated() const;

    /// Configures the network before it is installed.
    using Configure = std::function<void(HpccFabricHelper&)>;

    /// Thrown when SIGINT or SIGTERM has ended a run. The rows of earlier runs are on the disk.
    struct Interrupted : std::runtime_error
    {
        /**
         * Creates the exception of an interrupted run.
         * @param what one line that names the missing runs
         * @param number number of the signal
         */
        Interrupted(const std::string& what, int number)
            : std::runtime_error(what),
              signal(number)
        {
        }

        int signal; ///< number of the signal
    };

    /// Thrown when the program ends without a run: --check found no fault, or --version or
    /// --describe has printed its text.
    struct Done
    {
    };

    /**
     * Runs the scenario once per policy, format, feedback mode and variant, and writes the files. A
     * policy that reads no telemetry runs only once per variant, regardless of formats and modes.
     * If there are several runs, the networks of all runs are built and checked before the first
     * run begins. A single run is checked beforehand only with --check, or if the command line sets
     * attributes. With --check, Run() throws Done after the checks. The rows of a run are on the
     * disk when the run ends. After SIGINT or SIGTERM, Run() throws Interrupted, which names the
     * missing runs.
     * @param scenario the scenario; all runs use it
     * @param configure called before Install() for every run; may be empty
     * @return summaries of the runs, in the order of the policies
     */
    std::vector<HpccSummary> Run(const Scenario& scenario, const Configure& configure = {});

    /**
     * Builds the networks of the runs in a separate process to check them. Throws HpccInputError if
     * a network cannot be built. A program that calls Run() several times first calls Check() once
     * for each of these calls, with the same arguments. Run() then does not check again.
     * @param scenario network and flows of the runs
     * @param configure called before Install() for every run; may be empty
     */
    void Check(const Scenario& scenario, const Configure& configure = {});

    /// Throws HpccInputError if the command line gives an attribute default that no object has used
    /// so far. With --check, throws Done. A program without Run() calls this function after it has
    /// built its network.
    void RefuseIdleDefaults() const;

    /**
     * Runs the body of main() and turns exceptions into exit codes; an HpccInputError is printed as
     * one line on standard error.
     * @param body body of main()
     * @return exit code: 0, also after Done; 2 after an HpccInputError; 128 plus the signal's
     * number after Interrupted; after any other exception, 2 if simulated time has not started,
     * otherwise 1
     */
    static int Main(const std::function<void()>& body);

    /**
     * Sets policies and telemetry instead of --cc and --telemetry. Throws HpccInputError if the
     * command line gives other values.
     * @param policies names of policies
     * @param telemetry name of the format; empty: each policy's default
     */
    void SetPolicies(const std::vector<std::string>& policies, const std::string& telemetry);

    /// A variant: attribute values with which each policy is run.
    struct Variant
    {
        std::string name; ///< NAME in the label LABEL/NAME of a run in the files
        std::map<std::string, std::string> attributes; ///< attributes and values, set for every
                                                       ///< policy that has the attribute
        bool telemetryOnly{false}; ///< true: policies that read no telemetry are not run with this
                                   ///< variant
    };

    /// Sets the variants; each policy is run once per variant, except that Variant::telemetryOnly
    /// excludes some policies. Call after Parse().
    /// @param variants the variants, at least one
    void SetVariants(const std::vector<Variant>& variants);

    /// Returns the variant of the current simulation; empty without variants.
    const std::string& GetVariant() const;

    /**
     * Sets an attribute of every policy that has it. For a policy that was registered with
     * SetOtherPolicies(), a value given by the attribute's full name on the command line takes
     * precedence.
     * @param attribute name of the attribute
     * @param value value of the attribute
     */
    void SetPolicyAttribute(const std::string& attribute, const std::string& value);

    /**
     * Makes the specification of an RDMA policy to which the shared options are applied.
     * @param policy name of the policy; --cc need not accept this name
     * @param telemetry short name of the telemetry format; empty: the policy's default
     * @param attributes further attributes and values; attributes that the policy does not have are
     * skipped
     * @return specification of the policy, with the shared options and the attributes of
     * SetPolicyAttribute(). A value given by an attribute's full name on the command line takes
     * precedence over SetPolicyAttribute(), but throws HpccInputError if a shared option also sets
     * the attribute
     */
    HpccFabricHelper::PolicySpec RdmaSpecOf(
        const std::string& policy,
        const std::string& telemetry = "",
        const std::map<std::string, std::string>& attributes = {}) const;

    /// Returns the processes that share a simulation; null without --mpi. Programs outside this
    /// module can only compare the result with null, see HpccFabricHelper::GetRanks().
    HpccRanks* GetRanks() const;

    /**
     * Applies to a fabric the options that do not belong to a policy: MTU, recovery, flow control,
     * lag, paths, parts of the switches, outages, and the assignment of nodes to processes.
     * Programs without Run() call this function. With --mpi they also call HpccRanks::Begin() and
     * HpccRanks::End(). With --describe, prints the topology and ends the program.
     * @param fabric the fabric, before Install()
     * @param topology the topology to be installed
     */
    void SetUp(HpccFabricHelper& fabric, const HpccTopology& topology) const;

    /// Returns the names of the policies in --cc.
    const std::vector<std::string>& GetPolicies() const;

    /// Returns the value of --max-lag.
    Time GetMaxLag() const;

    /// Returns the value of --telemetry, as given; empty if not given.
    const std::string& GetTelemetry() const;

    /// Returns the value of --feedback, as given.
    const std::string& GetFeedback() const;

    /// Returns the labels by which the output files identify the simulations of Run(), in the order
    /// in which Run() simulates them.
    std::vector<std::string> GetLabels() const;

    /// Returns the label of the current simulation in the files.
    const std::string& GetLabel() const;

    /// Sets the default of --fail. Call after Parse().
    /// @param outages text in the format of HpccOutages
    void SetOutages(const std::string& outages);

    /// Sets the default of --paths. Call after Parse().
    /// @param paths value of the option
    void SetPaths(const std::string& paths);

    /**
     * Adds a file to the manifest, so that a later command removes it. Open the file only once a
     * run has started, for example with HpccCsvFile, which opens it at its first row. Until then,
     * Run() may still create or empty the directory.
     * @param name name of the file
     * @return path of the file in --out; empty at ranks other than 0, so that HpccCsvFile does not
     * write the file
     */
    std::string PathOf(const std::string& name) const;

    /// Returns the value of --mtu.
    uint32_t GetMtu() const;

    /// Returns the value of --recovery.
    const std::string& GetRecovery() const;

    /// Returns the value of --flow-control.
    const std::string& GetFlowControl() const;

    /// Returns the value of --trimming.
    const std::string& GetTrimming() const;

    /// Returns the value of --out.
    const std::string& GetOut() const;

    /**
     * Sets the directory that replaces --out in the following runs.
     * @param directory path of the directory
     */
    void SetOut(const std::string& directory);

    /// Creates and locks the directory of the results, and removes the results of an earlier
    /// command. Does nothing if the directory has been claimed before. Programs without Run() call
    /// this function.
    void ClaimOut();

    /**
     * Writes the manifest of a run.
     * @param directory path of the directory of results
     */
    void WriteManifest(const std::string& directory) const;

    /**
     * Creates a directory and its parents.
     * @param directory path of the directory; if it cannot be created, throws HpccInputError
     */
    static void MakeDirectory(const std::string& directory);

  private:
    struct Plan;
    struct Tables;
    struct Values;
    class Checks;
    class OneRun;
    class Planner;

    /**
     * Reads the value of a boolean option. Throws HpccInputError if the text is not a boolean.
     * @param option name of the option
     * @param text value as given on the command line
     * @return the value
     */
    static bool ParseBool(const std::string& option, const std::string& text);

    /**
     * Reads the value of a time option. Throws HpccInputError if the text is not a time.
     * @param option name of the option
     * @param text value, such as "4.16us"
     * @return the time
     */
    static Time ParseTime(const std::string& option, const std::string& text);

    /**
     * Reads the value of an option that is a rate. Throws HpccInputError if the text is not a rate,
     * or if ns-3 cannot store the rate.
     * @param option name of the option
     * @param text value, such as "100Gbps"
     * @return the rate
     */
    static DataRate ParseRate(const std::string& option, const std::string& text);

    /// Returns the form of the values of a type, for error messages.
    template <typename Value>
    static std::string FormOf()
    {
        if constexpr (std::is_integral_v<Value>)
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
     * @return false if the argument is an option of ns-3, such as --help
     */
    bool ParseOption(const std::string& argument);

    /// Refuses an option that does not exist.
    /// @param option name of the option
    [[noreturn]] void RefuseUnknown(const std::string& option) const;

    /// If the command line sets an attribute by its full name and there is an option for this
    /// attribute, sets the option. Refuses a command line that gives both.
    void MergeSynonyms();

    /**
     * Reads the options, and builds the text of --help.
     * @param argc see Parse()
     * @param argv see Parse()
     * @param defaults see Parse()
     */
    void ReadArguments(int argc, char* argv[], const std::vector<std::string>& defaults);

    /// Refuses unknown names of parts of switches and hosts. Also refuses --evs if its value is
    /// outside the range, or if --entropy is none.
    void CheckParts() const;

    /// Splits --cc and --feedback, and refuses lists with missing or repeated names.
    void ReadLists();

    /// Refuses numbers and times outside their ranges.
    void CheckRanges() const;

    /// Checks --flow-control, --watchdog and --ack-priority, and refuses attributes of pauses if no
    /// queue or no host can pause.
    void CheckFlowControl() const;

    /// Checks --recovery and --bdp-cap, and sets the default of the recovery's attribute BdpCap.
    void CheckRecovery();

    /// Refuses options that have no effect without other options.
    void CheckIdle() const;

    /// With --check, throws Done.
    void EndIfChecked() const;

    /**
     * Builds the networks of all runs in a separate process, so that this process stays unchanged.
     * Throws HpccInputError if the separate process refuses a run.
     *
     * @param plans the runs
     * @param scenario network and flows of the runs
     * @param configure see Run()
     */
    void Rehearse(const std::vector<Plan>& plans,
                  const Scenario& scenario,
                  const Configure& configure);

    /// Builds and checks the networks of all runs, in the separate process of Rehearse().
    /// @return the reason if a run is refused; empty if no run is refused
    std::string RehearseHere(const std::vector<Plan>& plans,
                             const Scenario& scenario,
                             const Configure& configure);

    /**
     * Throws Interrupted with the labels of the missing runs. If at least one run has ended, writes
     * the manifest first.
     *
     * @param plans the runs
     * @param ended number of runs that have ended
     */
    [[noreturn]] void ReportMissing(const std::vector<Plan>& plans, size_t ended);

    /**
     * Assigns the nodes to the ranks.
     *
     * @param fabric network to which the ranks are assigned
     * @param topology topology of the network
     */
    void ShareOut(HpccFabricHelper& fabric, const HpccTopology& topology) const;

    /// Checks --mpi and --partition, and connects to the other ranks.
    void JoinRanks();

    /**
     * Replaces this process by the script that executes the runs of --runs.
     * @param arguments arguments of the command
     */
    [[noreturn]] void Repeat(const std::vector<std::string>& arguments) const;

    /// Restricts this command to the run of --runs that --only-run selects.
    void TakeOnlyRun();

    /// Removes the runs of an earlier command with --runs, except those that this command
    /// overwrites.
    /// @param directory the directory of all runs
    void RemoveRuns(const std::string& directory) const;

    /**
     * Sets the network base RTT to --T, and warns if this value is below the default.
     * @param fabric the network after Install()
     * @param defaultNs value without --T, ns; 0: the largest base RTT of the network
     */
    void SetBaseRtt(HpccFabricHelper& fabric, int64_t defaultNs) const;

    /**
     * Builds and simulates the network of a run.
     *
     * @param plan policy and format
     * @param scenario network and flows of the run
     * @param configure see Run()
     * @param tables tables that get the rows; if null, only builds the network, and calls
     * OneRun::SimulateUntilUsed() if Values::untilUsed is true
     * @param signals signals that may end the run; null without tables
     * @return the summary
     */
    HpccSummary RunOne(const Plan& plan,
                       const Scenario& scenario,
                       const Configure& configure,
                       Tables* tables,
                       HpccSignals* signals);

    /// Prints the versions of the module and of ns-3, and throws Done.
    [[noreturn]] static void PrintVersion();

    /// With --describe, prints and draws a topology and throws Done.
    /// @param topology the network
    void Describe(const HpccTopology& topology) const;

    CommandLine m_command;                     ///< --help
    std::vector<std::function<void()>> m_help; ///< functions that add the options to --help, with
                                               ///< their values
    std::map<std::string, std::function<void(const std::string&)>> m_options; ///< setters by option
    std::map<std::string, std::string> m_given;     ///< values of the options given, by name
    std::map<std::string, std::string> m_listTexts; ///< help texts of AddList()
    std::set<std::string> m_defaults; ///< options that only the defaults of Parse() give
    std::unique_ptr<Values> m_values; ///< values of the options that all examples share
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_H
