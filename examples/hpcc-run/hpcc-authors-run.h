/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_RUN_H
#define HPCC_AUTHORS_RUN_H

#include "hpcc-authors-config.h"

#include "ns3/hpcc-experiment.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class AuthorsRecorder;

/**
 * @ingroup hpcc
 *
 * Builds the network of a config as the HPCC authors' simulator builds it, and writes the output
 * files of the authors' simulator: fct, pfc and qlen. The packets have the sizes that they have in
 * the authors' simulator. A data packet has 48 bytes of headers before the payload. An ACK has 60
 * bytes without telemetry, and 46 bytes plus the telemetry otherwise. ACKs also echo marks. There
 * is no Ethernet overhead, and transmission times are whole ns. Telemetry reports the queue length
 * of the whole port.
 *
 * The random numbers for marks are the same as in the authors' simulator with the same RngSeed and
 * RngRun. Each random number is the first one of a new ns-3 stream. In the authors' simulator, the
 * construction of the network uses 6 streams per node, 2 further streams, and 2 streams per link
 * with errors. Marks use the streams that follow these. Thus a run can be compared packet by packet
 * with a run of the authors' simulator, up to the first packet that differs.
 *
 * In the authors' simulator, all switches and all PFC frames draw random numbers from one sequence
 * of streams. Here each switch has 2^40 streams of its own, so that its random numbers do not
 * depend on other nodes. Therefore, with several switches or after a pause, only distributions can
 * be compared.
 */
class HpccAuthorsRun
{
  public:
    /// Argument of HpccFabricHelper::SetPaths() for the ECMP of the authors' simulator.
    static constexpr const char* PATHS = "ecmp:authors";

    /// Prepares the run of a config.
    /// @param config the files; must outlive this object
    explicit HpccAuthorsRun(const HpccAuthorsConfig& config);

    ~HpccAuthorsRun();

    /**
     * Sets the attributes of devices, switches and hosts.
     * @param fabric the network before Install()
     */
    void Configure(HpccFabricHelper& fabric) const;

    /**
     * Returns the scenario. At its end it writes the output files.
     * @param spec policy and telemetry of every flow
     */
    HpccExperiment::Scenario MakeScenario(const HpccFabricHelper::PolicySpec& spec);

    /**
     * Sets the order in which a node handles frames that arrive in the same nanosecond: the order
     * of the links in the topology file, or the reverse order. The authors' simulator handles such
     * frames in the order of event numbers, which neither of these orders reproduces in all cases.
     * @param laterLinksFirst true: later links first; false, the default: earlier links first
     */
    void SetLaterLinksFirst(bool laterLinksFirst);

    /**
     * Sets the priority of ACKs in switches, like the attribute AckHighPrio of the switch in the
     * authors' simulator.
     * @param acksFirst true: switches send ACKs before data; false, the default: ACKs and data
     * share a queue
     */
    void SetAcksFirst(bool acksFirst);

    /**
     * Sets whether policies use a T that the user has chosen, or the T of the authors' simulator.
     * Has no effect if GLOBAL_T is 0.
     * @param ownBaseRtt true: policies keep the T that the user has set, and the window is the line
     * rate times T; false, the default: policies get T and window of the authors' simulator
     */
    void SetOwnBaseRtt(bool ownBaseRtt);

    /**
     * Sets the paths of the output files, in place of those in the config. A file whose path is
     * empty is not written.
     *
     * @param fct fct file
     * @param pfc pfc file
     * @param qlen qlen file
     */
    void SetOutputs(const std::string& fct, const std::string& pfc, const std::string& qlen);

    /**
     * Sets the directory of the output files. The files keep the names that they have in the
     * config. Thus a run does not overwrite results that were supplied together with a config.
     * @param directory an existing directory
     */
    void SetOutputDirectory(const std::string& directory);

    /**
     * Throws HpccInputError if an output file cannot be written as intended: its path has no file
     * name or is a directory, another output file has the same path, or it would replace a file of
     * HpccExperiment.
     * @param directory directory of the files of HpccExperiment
     * @param tables names of the tables of HpccExperiment
     */
    void CheckOutputs(const std::string& directory, const std::vector<std::string>& tables) const;

    /// Returns the names of the output files, without their folders.
    std::vector<std::string> ListOutputs() const;

  private:
    /// Throws HpccInputError if a number of the config is out of range. The constructor calls this
    /// function, so that an error is found before any run starts.
    void CheckNumbers() const;
    /// Returns true if the flows have priority group 0. The switches of the authors' simulator send
    /// packets of this group before all others, and never limit, pause or mark them.
    bool IsUnlimited() const;
    /// Sets the attributes of buffer and marker that depend on the rate of a link. Throws
    /// HpccInputError if a value of the config is not allowed.
    /// @param fabric the network before Install()
    void SetRateValues(HpccFabricHelper& fabric) const;
    /// Prints a warning if the run has ended before LINK_DOWN.
    void WarnOfLinkDown() const;
    /**
     * Returns the number of a port in the authors' simulator: 1 for the node's first link in the
     * topology file.
     * @param device a port
     */
    uint32_t InterfaceOf(const QbbNetDevice& device) const;
    /// Makes the switches use the random numbers of the authors' simulator for marks.
    /// @param fabric the network
    void DrawMarks(HpccFabricHelper& fabric) const;
    /// Sets routes with the next hops of the authors' simulator, in the same order, and the UDP
    /// ports that its ECMP hash uses.
    /// @param fabric the network
    void SetRoutes(HpccFabricHelper& fabric) const;
    /// Sets the priority of ACKs at hosts if it must differ from the priority of ACKs in switches.
    /// Then a pause of the data stops ACKs in the same cases as in the authors' simulator.
    /// @param fabric the network
    void SetAckPriority(HpccFabricHelper& fabric) const;
    /**
     * Returns the number of a link in this network.
     * @param link number of a link in the topology file
     */
    uint32_t LinkHere(uint32_t link) const;
    /// Returns the priority of all flows in this network.
    uint32_t GetPriority() const;
    /**
     * Writes the fct file.
     * @param fabric the network
     * @param flows the flows
     * @param monitor results of the flows
     */
    void WriteFct(HpccFabricHelper& fabric,
                  const std::vector<HpccFlowPlan>& flows,
                  const HpccMonitor& monitor) const;

    const HpccAuthorsConfig& m_config;           ///< the files
    std::string m_fctPath;                       ///< fct file
    std::string m_pfcPath;                       ///< pfc file
    std::vector<uint32_t> m_failing;             ///< links of LINK_DOWN
    Time m_failsAt;                              ///< time of the failure of these links, counted
                                                 ///< from 2 s of simulated time
    std::string m_qlenPath;                      ///< qlen file
    bool m_laterLinksFirst{false};               ///< true: frames from later links are handled
                                                 ///< first
    bool m_acksFirst{false};                     ///< true: switches send ACKs before data
    bool m_ownBaseRtt{false};                    ///< true: policies keep the T that the user has
                                                 ///< set
    std::vector<uint16_t> m_sourcePorts;         ///< UDP source ports by flow
    size_t m_connected{0};                       ///< number of flows connected so far
    std::unique_ptr<AuthorsRecorder> m_recorder; ///< recorder of the run
};

} // namespace ns3

#endif // HPCC_AUTHORS_RUN_H
