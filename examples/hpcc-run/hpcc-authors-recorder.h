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
 * for its files pfc and qlen. It samples the queue of each switch port every 100 ns and writes the
 * histograms every 100 ms.
 */
class AuthorsRecorder
{
  public:
    /**
     * Connects to all ports of a network.
     * @param fabric the network, installed; must outlive this object
     * @param startNs first sample of the queues, ns
     * @param endNs no sample from here on, ns
     * @param queues whether queues are recorded
     * @param interfaceOf returns the number of a port at its node, from 1
     */
    AuthorsRecorder(const HpccFabricHelper& fabric,
                    int64_t startNs,
                    int64_t endNs,
                    bool queues,
                    const std::function<uint32_t(const QbbNetDevice&)>& interfaceOf);

    /// @return the file pfc: time in ns, node, 1 for a switch, interface, 1 for a pause, by time
    std::string GetPfc();

    /// @return the file qlen
    std::string GetQlen() const
    {
        return m_qlen.str();
    }

  private:
    /// Queue of a switch port.
    struct Queue
    {
        AuthorsRecorder* recorder;      ///< back
        uint32_t node;                  ///< switch
        uint32_t interface;             ///< number of the port, from 1
        uint64_t bytes{0};              ///< queued
        int64_t sinceNs{0};             ///< samples up to here are counted
        std::vector<uint64_t> counts{}; ///< samples by KB
    };

    /// A PFC frame received.
    struct PfcRow
    {
        int64_t timeNs;     ///< when
        uint32_t node;      ///< where
        uint32_t isSwitch;  ///< 1 for a switch
        uint32_t interface; ///< number of the port, from 1
        uint32_t pause;     ///< 1 pause, 0 resume
    };

    /// A device of the run.
    struct PfcPort
    {
        AuthorsRecorder* recorder; ///< back
        QbbNetDevice* device;      ///< the port
        uint32_t node;             ///< its node
        uint32_t isSwitch;         ///< 1 for a switch
        uint32_t interface;        ///< its number there, from 1
    };

    /**
     * Counts the samples of a queue before a time.
     * @param queue the queue
     * @param untilNs the time, ns
     */
    void Count(Queue& queue, int64_t untilNs) const;

    /**
     * Handles a change of a queue, see trace source QueueBytes of QbbNetDevice.
     * @param queue the queue
     * @param portBytes bytes in all queues of the port
     * @param nowNs current time, ns
     */
    static void QueueChanged(Queue* queue, uint8_t, uint64_t, uint64_t portBytes, int64_t nowNs);

    /**
     * Handles a PFC frame, see trace source PfcReceived of QbbNetDevice.
     * @param port where it was received
     * @param quanta pause time in units of 512 bit times; 0 resumes
     */
    static void PfcReceived(PfcPort* port, uint8_t, uint16_t quanta);

    /// Appends the histograms so far to the file qlen.
    void Dump();

    const int64_t m_startNs;                       ///< first sample
    const int64_t m_endNs;                         ///< no sample from here on
    std::vector<std::unique_ptr<Queue>> m_queues;  ///< of all switch ports, by switch and port
    std::vector<std::unique_ptr<PfcPort>> m_ports; ///< of all devices
    std::vector<PfcRow> m_pfc;                     ///< rows of the file pfc
    std::ostringstream m_qlen;                     ///< text of the file qlen
};

} // namespace ns3

#endif // HPCC_AUTHORS_RECORDER_H
