/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_AUTHORS_RECORDER_H
#define HPCC_AUTHORS_RECORDER_H

#include "ns3/hpcc-fabric-helper.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Records the PFC frames and the queue lengths of a network as the HPCC authors' simulator does,
 * for its files pfc and qlen. The recorder samples the queue of each switch port every 100 ns. It
 * writes histograms of the samples whenever the time of a sample is a multiple of 100 ms.
 */
class AuthorsRecorder
{
  public:
    /**
     * Starts to record all ports of a network.
     * @param fabric the network, installed; must outlive this object
     * @param startNs time of the first sample of the queues, ns
     * @param endNs end of the sampling, ns. The first sample at or after this time is the last one
     * @param stopNs end of the run, ns. No samples are taken at or after this time
     * @param queues true: record queues; false: record only PFC frames
     * @param interfaceOf function that returns the number of a port at its node, from 1
     */
    AuthorsRecorder(const HpccFabricHelper& fabric,
                    int64_t startNs,
                    int64_t endNs,
                    int64_t stopNs,
                    bool queues,
                    const std::function<uint32_t(const QbbNetDevice&)>& interfaceOf);

    /// Returns the text of the file pfc, sorted by time. It has five columns: time in ns, node,
    /// kind of node (1: switch, 0: host), interface, and kind of frame (1: pause, 0: resume).
    std::string GetPfc();

    /**
     * Completes the file qlen after a run that has ended before the end of the sampling. For the
     * remaining time, records samples of empty queues and writes the histograms, because the
     * authors' simulator also continues to sample after all flows have finished.
     */
    void CountOn();

    /// Returns the text of the file qlen.
    std::string GetQlen() const
    {
        return m_qlen.str();
    }

  private:
    /// Queue of a switch port.
    struct Queue
    {
        AuthorsRecorder* recorder;      ///< recorder of the run
        uint32_t node;                  ///< switch
        uint32_t interface;             ///< number of the port, from 1
        uint64_t bytes{0};              ///< queue length
        int64_t sinceNs{0};             ///< time up to which samples have been counted, ns
        std::vector<uint64_t> counts{}; ///< number of samples by queue length in KB
    };

    /// A PFC frame received.
    struct PfcRow
    {
        int64_t timeNs;     ///< arrival time, ns
        uint32_t node;      ///< number of the node that received the frame
        uint32_t isSwitch;  ///< 1 for a switch
        uint32_t interface; ///< number of the port, from 1
        uint32_t pause;     ///< 1 for a pause, 0 for a resume
    };

    /// A port whose PFC frames are recorded.
    struct PfcPort
    {
        AuthorsRecorder* recorder; ///< recorder of the run
        QbbNetDevice* device;      ///< the port
        uint32_t node;             ///< node of the port
        uint32_t isSwitch;         ///< 1 for a switch
        uint32_t interface;        ///< number of the port at its node, from 1
    };

    /**
     * Counts the samples of a queue that have not been counted yet and are before a time.
     * @param queue the queue
     * @param untilNs the time, ns
     */
    void Count(Queue& queue, int64_t untilNs) const;

    /**
     * Handles a change of a queue; see trace source QueueBytes of QbbNetDevice.
     * @param queue the queue
     * @param portBytes bytes in all queues of the port
     * @param nowNs current time, ns
     */
    static void QueueChanged(Queue* queue, uint8_t, uint64_t, uint64_t portBytes, int64_t nowNs);

    /**
     * Handles a PFC frame; see trace source PfcReceived of QbbNetDevice.
     * @param port receiving port
     * @param quanta pause time in units of 512 bit times; 0 resumes
     */
    static void PfcReceived(PfcPort* port, uint8_t, uint16_t quanta);

    /// Appends histograms of all samples up to m_nextDumpNs to the file qlen. Then sets
    /// m_nextDumpNs to the time of the next histograms.
    void Dump();

    const int64_t m_startNs;                       ///< time of the first sample, ns
    const int64_t m_endNs;                         ///< no samples are taken at this time or later,
                                                   ///< ns
    int64_t m_nextDumpNs;                          ///< time of the next histograms, ns
    std::vector<std::unique_ptr<Queue>> m_queues;  ///< queues of all switch ports, by switch and
                                                   ///< port
    std::vector<std::unique_ptr<PfcPort>> m_ports; ///< ports of all devices
    std::vector<PfcRow> m_pfc;                     ///< rows of the file pfc
    std::ostringstream m_qlen;                     ///< text of the file qlen
};

} // namespace ns3

#endif // HPCC_AUTHORS_RECORDER_H
