/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REFLECTOR_H
#define RDMA_REFLECTOR_H

#include "rdma-bottleneck-picker.h"
#include "rdma-feedback.h"

#include "ns3/hpcc-frame.h"
#include "ns3/hpcc-inflight.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * The telemetry of a queue pair that a responder keeps between two ACKs that return it, as
 * RdmaFeedback configures it: the records of all packets since the first of these ACKs, merged by
 * TelemetryFormat::Merge(). A packet without telemetry, or one that is dropped because it is out of
 * order, removes nothing.
 */
class RdmaReflector
{
  public:
    /**
     * @param how what to do; outlives this object
     * @param networkBaseRttNs T of the network, ns, for RdmaFeedback::UrgentLoad
     * @param answersPathProbes see AnswersPathProbes()
     */
    RdmaReflector(const RdmaFeedback& how,
                  int64_t networkBaseRttNs,
                  bool answersPathProbes = false);

    /// @return true if the ACK of a path probe, a repeated packet, returns its telemetry at once
    /// and in full, and nothing else does with it
    bool AnswersPathProbes() const
    {
        return m_answersPathProbes;
    }

    /// @return packets per ACK; 0 leaves it to the host
    uint32_t GetAckInterval() const
    {
        return m_how.GetAckInterval();
    }

    /// @return true if notifications return telemetry, and ACKs nothing
    bool Notifies() const
    {
        return m_how.IsNotified();
    }

    /// @return picks the hop that is reported; null if all are
    RdmaBottleneckPicker* GetPicker() const
    {
        return m_picker.get();
    }

    /// @return true if the report of a hop is the draft's three values
    bool ReportsBareHop() const
    {
        return m_how.ReportsBareHop();
    }

    /**
     * @param frame a data packet with telemetry
     * @return true if it is the first one, which wants an ACK at once: the sender does not know the
     * path yet
     */
    bool Take(const Frame& frame);

    /// @return true if Crosses() is to see each packet with telemetry
    bool Measures() const
    {
        return m_watch != nullptr;
    }

    /**
     * Runs lines 1 to 10 of the drafts' algorithm on the reports of a packet.
     * @param sample the reports
     * @return true if u' has reached UrgentLoad from below, so that an ACK is due at once
     */
    bool Crosses(const HpccSample& sample);

    /**
     * Makes an ACK return the stored telemetry if it is its turn, and nothing otherwise.
     * @param ack was the data packet; its format and telemetry are set
     */
    void Fill(Frame& ack);

  private:
    /// The receiver's own measurement.
    struct Watch
    {
        HpccInflight inflight; ///< lines 1 to 10
        HpccFlow flow;         ///< int.L
        bool loaded{false};    ///< the last u' was UrgentLoad or more
    };

    const RdmaFeedback& m_how;                ///< what to do
    const bool m_answersPathProbes;           ///< see AnswersPathProbes()
    const TelemetryFormat* m_format{nullptr}; ///< of what is here; null if nothing is
    uint32_t m_acks;     ///< ACKs since one has returned telemetry; initially large enough that the
                         ///< first one does
    bool m_begun{false}; ///< there has been telemetry
    std::unique_ptr<Watch> m_watch;                 ///< null without UrgentLoad
    std::unique_ptr<RdmaBottleneckPicker> m_picker; ///< see GetPicker()
    TelemetryStack m_stack;                         ///< what is here
};

} // namespace ns3

#endif // RDMA_REFLECTOR_H
