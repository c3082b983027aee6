/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_EXPERIMENT_VALUES_H
#define HPCC_EXPERIMENT_VALUES_H

#include "hpcc-attribute-defaults.h"
#include "hpcc-experiment.h"
#include "hpcc-output-directory.h"

#include "ns3/hpcc-ranks.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The values of the options that all examples share, and the progress of an HpccExperiment's runs.
 */
struct HpccExperiment::Values
{
    std::map<std::string, OtherPolicy> otherPolicies; ///< policies of another transport, by name;
                                                      ///< see SetOtherPolicies()
    static constexpr const char* PATH = "path";       ///< value of --T that sets T of each queue
                                                      ///< pair to the base RTT of its path
    std::set<std::string> fabricOptions; ///< names of the options, common to all examples, that
                                         ///< configure the fabric
    std::string name;                    ///< name of the program
    std::string usage;                   ///< description of the program
    std::string commandText;             ///< command as given
    HpccAttributeDefaults attributes;    ///< defaults given as ns3::Class::Attribute
    std::set<TypeId> formats;            ///< classes of formats that the runs built so far use
    std::set<std::string> formatValues;  ///< full names of format attributes that the command line
                                         ///< gives and one of these formats uses
    uint16_t formatFields{0};            ///< bits of TelemetryField: fields that at least one of
                                         ///< these formats carries
    bool insertsRecords{false};          ///< true if a TelemetryAgent inserts records of one of
                                         ///< these formats
    bool reportsQueues{false};           ///< true if records that a TelemetryAgent inserts for one
                                         ///< of these formats contain a queue length, or a queue
                                         ///< delay that is not a sojourn time
    std::set<std::string> acting;        ///< names of dependent attributes that have an effect; see
                                         ///< Checks::NoteDependents()
    bool sendsNaks{false};    ///< true if a host of the runs built so far may drop out-of-order
                              ///< packets and thus send NAKs
    bool assumesQuiet{false}; ///< true if, in at least one run built so far, switches insert
                              ///< records by a rule other than THINNED_BY_TIME. Otherwise QuietLoad
                              ///< of a policy has no effect
    bool returnsByCnp{false}; ///< true if a host of the runs built so far has CongestionEcho Cnp
    bool returnsByAck{false}; ///< true if a host of the runs built so far has CongestionEcho Ack
    std::set<std::string> taken; ///< names of the attributes of Planner::GetShared() that at least
                                 ///< one policy has
    bool besideRdma{false};      ///< true if the program runs RDMA flows with policies other than
                                 ///< those of --cc: it has called RdmaSpecOf()
    bool checked{false};         ///< true once Check() has checked the networks, so that Run() need
                                 ///< not check them again
    bool checkOnly{false};       ///< --check
    bool untilUsed{false};       ///< true if the check before the first run also simulates; see
                                 ///< SimulateUntilUsed()
    int signal{0};               ///< number of the signal that has ended the runs; 0: none
    std::vector<std::string> missing; ///< labels of the runs that the signal has prevented
    std::map<std::string, std::string> policyAttributes; ///< values that SetPolicyAttribute() has
                                                         ///< set, by attribute
    std::string ccText;                                  ///< --cc
    std::vector<std::string> policies;                   ///< names in --cc
    std::string telemetry;                               ///< --telemetry
    std::string feedback{"packet"};                      ///< --feedback
    std::vector<std::string> feedbacks;                  ///< names in --feedback
    std::string label;                                   ///< label of the current simulation in the
                                                         ///< files
    std::vector<Variant> variants{{}};                   ///< variants of each policy, see
                                                         ///< SetVariants()
    std::string variant;                                 ///< name of the current simulation's
                                                         ///< variant
    std::string out;                                     ///< --out
    std::string root;                                    ///< value of --out before the first
                                                         ///< SetOut(); empty until then
    std::set<std::string> written; ///< directories into which Run() has written so far
    std::string outOfAll;          ///< with --runs: the directory that contains the directories of
                                   ///< all runs; otherwise empty
    std::map<std::string, std::unique_ptr<HpccOutputDirectory>> claimed; ///< directories that
                                                                         ///< ClaimOut() has locked,
                                                                         ///< by path
    std::map<std::string, std::set<std::string>> files;         ///< names of the files that the
                                                                ///< manifest lists, by directory;
                                                                ///< see PathOf()
    uint32_t seed{1};                                           ///< --seed
    uint64_t run{1};                                            ///< --run
    uint64_t firstRun{1};                                       ///< with --runs: number of the
                                                                ///< first run, the value of --run
    uint64_t onlyRun{0};                                        ///< --only-run
    uint32_t runs{1};                                           ///< --runs
    uint32_t parallel{0};                                       ///< --parallel
    std::vector<std::pair<std::string, uint32_t>> mergedTables; ///< name and number of key columns
                                                                ///< of each table of AddTable()
    bool pcap{false};                                           ///< --pcap
    bool queuePairCsv{false};                                   ///< --qp-csv
    Time queueResolution{NanoSeconds(HpccMonitor::QUEUE_NS)};   ///< --queue-resolution
    std::string settle;                                         ///< --settle
    std::string paths{"ecmp"};                                  ///< --paths
    std::string ports{"hash"};                                  ///< --ports
    std::string buffer{"dynamic"};                              ///< --buffer
    std::string marking{"red"};                                 ///< --marking
    std::string scheduler{"ring"};                              ///< --scheduler
    std::string outages;                                        ///< --fail
    std::string borders;                                        ///< --borders
    Time convergence{MicroSeconds(100)};                        ///< --convergence
    std::string baseRtt;                                        ///< --T
    std::string eta;                                            ///< --eta
    std::string maxStage;                                       ///< --max-stage
    std::string wai;                                            ///< --wai
    std::string recovery;                                       ///< --recovery
    std::string bdpCap;                                         ///< --bdp-cap
    std::string flowControl{"pfc"};                             ///< --flow-control
    std::string ackPriority{"data"};                            ///< --ack-priority
    std::string trimming{"none"};                               ///< --trimming
    std::string entropy{"none"};                                ///< --entropy
    uint32_t entropyValues{0};                                  ///< --evs; 0: default
    std::string nic{"ideal"};                                   ///< --nic
    uint32_t mtu{1000};                                         ///< --mtu
    bool ethernetOverhead{true};                                ///< --ethernet-overhead
    Time maxLag{MicroSeconds(1)};                               ///< --max-lag
    bool version{false};                                        ///< --version
    bool describe{false};                                       ///< --describe
    bool progress{true};                                        ///< --progress
    bool warns{true};             ///< true to print warnings; false while Rehearse() checks the
                                  ///< runs, and at ranks other than 0
    std::string watchdog;         ///< --watchdog
    std::string mpi;              ///< --mpi
    std::string partition{"pod"}; ///< --partition
    Ptr<HpccRanks> ranks;         ///< the processes; null without --mpi
};

} // namespace ns3

#endif // HPCC_EXPERIMENT_VALUES_H
