/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CLASSES_STUDY_H
#define HPCC_CLASSES_STUDY_H

#include "../hpcc-send-times.h"

#include "ns3/hpcc-experiment.h"
#include "ns3/hpcc-fabric-helper.h"
#include "ns3/hpcc-monitor.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Two traffic classes on one port, as in draft-miao-tsv-hpcc-01, section 9.3. Hosts around a switch
 * send without end to one receiver. Class OWN runs the policy under test and begins at time 0.
 * Class OTHER runs another policy and joins later. Thus class OWN has the port to itself at first,
 * then shares it with class OTHER. The constants OWN and OTHER are the priorities of the classes.
 *
 * With weights, both classes are lossless and share the port by deficit weighted round robin.
 * Without weights, class OTHER is lossy, and the default scheduler serves it first. In this case,
 * the links of the hosts of class OTHER should be slower than the port, because class OTHER would
 * otherwise use all bandwidth.
 */
class HpccClasses
{
  public:
    static constexpr uint8_t OWN = 3;        ///< priority of the class under test
    static constexpr uint8_t OTHER = 4;      ///< priority of the class that joins later
    static constexpr int8_t OTHER_DSCP = 34; ///< DSCP of class OTHER

    /// The parameters of a run.
    struct Parameters
    {
        uint32_t flows{4};              ///< number of flows and hosts of class OWN, at least 1
        uint32_t otherFlows{4};         ///< number of flows and hosts of class OTHER, at least 1
        std::string other{"none"};      ///< policy of class OTHER
        std::string weights{"3:1,4:1"}; ///< QbbNetDevice::Weights of every port; empty: no weights
        Time join{MilliSeconds(1)};     ///< start of class OTHER
        Time end{MilliSeconds(2)};      ///< end of the run
        Time settle{MicroSeconds(200)}; ///< time at the start of each phase that is not measured
        DataRate rate{"100Gbps"};       ///< rate of the links of class OWN and of the receiver
        DataRate otherRate{"100Gbps"};  ///< rate of the links of class OTHER
        Time delay{MicroSeconds(1)};    ///< propagation delay of every link
    };

    /// Scope of the telemetry: the port or a class. It determines which queue signal, byte count
    /// and rate the records contain.
    enum Mode
    {
        PLAIN,    ///< queue length, bytes of the port, line rate
        SHARE,    ///< sojourn time, bytes of the class, its guaranteed share
        RESIDUAL, ///< sojourn time, bytes of the class, rate left by other classes
        MODES     ///< number of modes
    };

    /**
     * Returns the value of the attribute QueueSignal in a mode.
     * @param mode a mode
     */
    static const char* QueueSignalOf(Mode mode)
    {
        return mode == PLAIN ? "Length" : "Sojourn";
    }

    /**
     * Returns the mode with a name.
     * @param name name of a mode
     */
    static Mode ModeOf(const std::string& name);

    /// Measured phases of a run.
    enum Phase
    {
        ALONE,  ///< class OWN alone
        SHARED, ///< both classes
        PHASES  ///< number of phases
    };

    /// The result of a class in a phase.
    struct Outcome
    {
        double shareBps{0}; ///< guaranteed share of the line rate, bit/s; 0 without a guarantee
        double throughputBps{0};    ///< throughput of the class on the link, headers included,
                                    ///< bit/s
        double goodputBps{0};       ///< rate of the payload, bit/s
        double queueMeanBytes{0};   ///< time-weighted mean of the queue length
        uint64_t queueP99Bytes{0};  ///< time-weighted 99th percentile of the queue length
        uint64_t queuePeakBytes{0}; ///< largest queue length
    };

    /// Creates the study of a network.
    /// @param parameters parameters of the run; a value out of range throws HpccInputError
    explicit HpccClasses(const Parameters& parameters);

    /// Returns the scenario for HpccExperiment::Run(). It contains callbacks that measure the
    /// classes.
    HpccExperiment::Scenario MakeScenario();

    /**
     * Sets the attributes of the network that a mode requires.
     * @param fabric the network, before it is installed
     * @param mode scope of the telemetry
     */
    void Configure(HpccFabricHelper& fabric, Mode mode) const;

    /// Returns the network.
    HpccTopology MakeTopology() const;

    /// Returns the flows, beginning with the flows of class OWN.
    std::vector<HpccFlowPlan> MakeFlows() const;

    /**
     * Connects a flow with the policy of its class.
     * @param fabric the network
     * @param flow one of MakeFlows()
     * @param own policy of class OWN
     * @return index of the queue pair
     */
    uint32_t Connect(HpccFabricHelper& fabric,
                     const HpccFlowPlan& flow,
                     const HpccFabricHelper::PolicySpec& own) const;

    /**
     * Discards earlier measurements, and starts to measure the switch port to the receiver.
     * @param fabric the network, installed
     */
    void Watch(HpccFabricHelper& fabric);

    /**
     * Returns the outcome of a class in a phase. Call it after the phase has ended.
     * @param phase the phase
     * @param priority OWN or OTHER
     */
    Outcome GetOutcome(Phase phase, uint8_t priority) const;

  private:
    /// The measurements of a class in a phase.
    struct Record
    {
        std::map<uint64_t, int64_t> timeAt; ///< time for which the queue had a certain length, ns,
                                            ///< by length in bytes
        double linkBytes{0};                ///< link bytes sent
        double payloadBytes{0};             ///< payload in linkBytes
    };

    /// The measurements of a class.
    struct Class
    {
        uint64_t bytes{0};                  ///< queue length
        int64_t sinceNs{0};                 ///< time of the last change of bytes, ns
        std::array<Record, PHASES> records; ///< measurements by phase
    };

    /**
     * Returns the start of the measurement of a phase, ns.
     * @param phase a phase
     */
    int64_t FromNs(Phase phase) const;
    /**
     * Returns the end of the measurement of a phase, ns.
     * @param phase a phase
     */
    int64_t UntilNs(Phase phase) const;
    /**
     * Adds the time since the last change of a queue to the duration of its current length.
     * @param priority priority of the queue
     * @param nowNs current time, ns
     */
    void Count(uint8_t priority, int64_t nowNs);
    /**
     * Handles a change of the length of a queue.
     * @param classes this object
     * @param priority priority of the queue
     * @param bytes new length of the queue
     * @param nowNs current time, ns
     */
    static void QueueChanged(HpccClasses* classes,
                             uint8_t priority,
                             uint64_t bytes,
                             uint64_t,
                             int64_t nowNs);
    /**
     * Counts a frame when its transmission starts. Each phase counts the part of the frame that is
     * sent during the phase.
     * @param classes this object
     * @param nowNs current time, ns
     * @param frame the frame
     */
    static void Transmitted(HpccClasses* classes, int64_t nowNs, const Frame& frame);

    Parameters m_parameters;                 ///< parameters of the run
    QbbNetDevice* m_port{nullptr};           ///< the switch port to the receiver
    HpccSendTimes m_times;                   ///< times at which the port sends
    std::array<Class, PRIORITIES> m_classes; ///< measurements by priority
};

} // namespace ns3

#endif // HPCC_CLASSES_STUDY_H
