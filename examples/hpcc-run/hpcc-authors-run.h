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
 * Builds the network of a config as the HPCC authors' simulator builds it, and writes that
 * simulator's output files: fct, pfc and qlen. The wire profile is: 48 bytes ahead of the payload;
 * ACKs of 60 bytes, or 46 bytes plus telemetry; no Ethernet overhead; transmission times in whole
 * ns; queue lengths of the whole port; marks echoed in ACKs.
 *
 * Marks use the same random numbers as in that simulator with the same RngSeed and RngRun. Each
 * mark uses the first random number of a new ns-3 stream. The first mark uses the lowest stream
 * that the network of that simulator does not use: 6 per node, plus 2, plus 2 per link with errors.
 * Later marks use the next streams. Thus a run can be compared packet by packet with a run of that
 * simulator, up to the first packet that differs.
 *
 * In that simulator, all switches and the PFC frames share the streams. Here each switch has 2^40
 * streams of its own, so that its random numbers do not depend on other nodes. Therefore, with
 * several switches or after a pause, only distributions can be compared.
 */
class HpccAuthorsRun
{
  public:
    /// Name of that simulator's ECMP, for HpccFabricHelper::SetPaths().
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
     * Returns the scenario, which writes the output files at its end.
     * @param spec policy and telemetry of every flow
     */
    HpccExperiment::Scenario MakeScenario(const HpccFabricHelper::PolicySpec& spec);

    /**
     * Sets the order in which a node handles arrivals of the same nanosecond: the order of links in
     * the topology file, or the reverse. That simulator orders by event numbers; no order of links
     * reproduces this in all cases.
     * @param laterLinksFirst true: later links first; false, the default: earlier links first
     */
    void SetLaterLinksFirst(bool laterLinksFirst);

    /**
     * Sets the priority of ACKs in switches: the attribute AckHighPrio of that simulator's switch.
     * @param acksFirst true: ACKs precede data; false, the default: they queue with the data
     */
    void SetAcksFirst(bool acksFirst);

    /**
     * Sets whether the user has set T. With GLOBAL_T 1 the window is then the line rate times this
     * T.
     * @param ownBaseRtt true: policies keep their T; false, the default: T and window are those of
     * that simulator
     */
    void SetOwnBaseRtt(bool ownBaseRtt);

    /**
     * Sets the output files in place of those in the config; no file is written for an empty name.
     *
     * @param fct fct file
     * @param pfc pfc file
     * @param qlen qlen file
     */
    void SetOutputs(const std::string& fct, const std::string& pfc, const std::string& qlen);

    /**
     * Sets one directory for the output files of the config, which keep their file names, so that
     * results supplied with a config are not overwritten.
     * @param directory an existing directory
     */
    void SetOutputDirectory(const std::string& directory);

    /**
     * Refuses output files without a name, two output files with the same path, and output files
     * that would replace a file of HpccExperiment.
     * @param directory directory of the files of HpccExperiment
     * @param tables names of its tables
     */
    void CheckOutputs(const std::string& directory, const std::vector<std::string>& tables) const;

    /// Returns the output files, without their folders.
    std::vector<std::string> ListOutputs() const;

  private:
    /// Refuses numbers of the config that are out of range, before any run begins.
    void CheckNumbers() const;
    /// Returns true if the flows have priority group 0. That simulator's switches send it first,
    /// and neither limit, pause nor mark it.
    bool IsUnlimited() const;
    /// Sets the attributes of buffer and marker that depend on the rate of a link, and refuses
    /// values of the config that they do not allow.
    /// @param fabric the network before Install()
    void SetRateValues(HpccFabricHelper& fabric) const;
    /// Prints a warning if the run has ended before LINK_DOWN.
    void WarnOfLinkDown() const;
    /**
     * Returns the number of a port in that simulator: 1 for the node's first link in the topology
     * file.
     * @param device a port
     */
    uint32_t InterfaceOf(const QbbNetDevice& device) const;
    /// Sets that simulator's random numbers for the marks of the switches.
    /// @param fabric the network
    void DrawMarks(HpccFabricHelper& fabric) const;
    /// Sets that simulator's next hops, in its order, and the ports that its hash uses.
    /// @param fabric the network
    void SetRoutes(HpccFabricHelper& fabric) const;
    /// Sets the priority of ACKs at hosts if it must differ from the priority of ACKs in switches.
    /// A pause of the data then stops ACKs only if it stops ACKs in that simulator, too.
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
     * @param monitor their results
     */
    void WriteFct(HpccFabricHelper& fabric,
                  const std::vector<HpccFlowPlan>& flows,
                  const HpccMonitor& monitor) const;

    const HpccAuthorsConfig& m_config;           ///< the files
    std::string m_fctPath;                       ///< fct file
    std::string m_pfcPath;                       ///< pfc file
    std::vector<uint32_t> m_failing;             ///< links of LINK_DOWN
    Time m_failsAt;                              ///< time of their failure, counted from 2 s
    std::string m_qlenPath;                      ///< qlen file
    bool m_laterLinksFirst{false};               ///< see SetLaterLinksFirst()
    bool m_acksFirst{false};                     ///< see SetAcksFirst()
    bool m_ownBaseRtt{false};                    ///< see SetOwnBaseRtt()
    std::vector<uint16_t> m_sourcePorts;         ///< by flow
    size_t m_connected{0};                       ///< flows connected so far
    std::unique_ptr<AuthorsRecorder> m_recorder; ///< of the run
};

} // namespace ns3

#endif // HPCC_AUTHORS_RUN_H
