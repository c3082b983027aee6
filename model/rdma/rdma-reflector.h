/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REFLECTOR_H
#define RDMA_REFLECTOR_H

#include "rdma-feedback.h"
#include "rdma-report.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-inflight.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Stores telemetry at the responder of a queue pair until the next ACK that returns telemetry.
 * RdmaFeedback determines which ACKs return telemetry. TelemetryFormat::Merge() merges the records
 * of all packets that have arrived since the last ACK that returned telemetry. The records of an
 * out-of-order packet are stored even if the responder drops the packet.
 */
class RdmaReflector
{
  public:
    /**
     * Creates the reflector of a queue pair.
     * @param how feedback mode of the queue pair
     * @param networkBaseRttNs T of the network, ns; 0 if unknown
     * @param answersPathProbes see AnswersPathProbes()
     */
    RdmaReflector(const RdmaFeedback& how,
                  int64_t networkBaseRttNs,
                  bool answersPathProbes = false);

    /// Returns true if each path probe is answered immediately with a separate ACK. Only this ACK
    /// returns the records of the path probe, and it returns the records of all hops.
    bool AnswersPathProbes() const
    {
        return m_answersPathProbes;
    }

    /// Returns true if notifications return telemetry and ACKs return none.
    bool Notifies() const
    {
        return m_notifies;
    }

    /// Returns the object that selects the hop to report; null if all hops are reported.
    RdmaReport::Flow* GetReport() const
    {
        return m_report.get();
    }

    /// Returns true if the report of a hop contains only the three values of the draft: queue
    /// length, timestamp and sent bytes.
    bool ReportsBareHop() const
    {
        return m_bare;
    }

    /**
     * Stores the telemetry of a data packet, merged with the stored telemetry that has not been
     * returned yet.
     * @param frame a data packet with telemetry
     * @return true if the packet is the first packet with telemetry. This packet must be
     * acknowledged immediately, because the sender has no records of the path yet
     */
    bool Take(const Frame& frame);

    /// Returns true if IsUrgent() must be called for every packet that carries telemetry.
    bool Measures() const
    {
        return m_measures;
    }

    /**
     * Returns true if a packet must be acknowledged immediately. Called only if Measures() is true.
     * @param sample the records of a packet
     */
    bool IsUrgent(const HpccSample& sample)
    {
        return m_return->IsUrgent(sample);
    }

    /**
     * Puts the stored telemetry into an ACK if this ACK must return it; otherwise removes the
     * telemetry of the ACK.
     * @param ack the ACK, which still has the telemetry of the data packet that it answers
     */
    void Fill(Frame& ack);

  private:
    const bool m_answersPathProbes; ///< see AnswersPathProbes()
    const bool m_notifies;          ///< see Notifies()
    const bool m_bare;              ///< see ReportsBareHop()
    const bool m_largestQueue;      ///< see RdmaReturn::Description
    const bool m_measures;          ///< see Measures()
    bool m_begun{false};            ///< true once telemetry has been stored
    bool m_returned{false};         ///< true once an ACK has returned telemetry
    uint32_t m_acks{0};             ///< number of ACKs since the last ACK that returned telemetry
    const TelemetryFormat* m_format{nullptr};   ///< format of the stored telemetry, or null
    std::unique_ptr<RdmaReturn::Flow> m_return; ///< decides which ACKs return telemetry; null if
                                                ///< all do
    std::unique_ptr<RdmaReport::Flow> m_report; ///< see GetReport()
    TelemetryStack m_stack;                     ///< stored telemetry
};

} // namespace ns3

#endif // RDMA_REFLECTOR_H
