/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SAMPLING_H
#define RDMA_SAMPLING_H

#include "rdma-feedback-part.h"

#include "ns3/hpcc-frame.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides which data packets collect telemetry. Without an RdmaSampling, all data packets collect
 * telemetry. To add a part of this kind, see RdmaFeedbackPart.
 */
class RdmaSampling : public RdmaFeedbackPart
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Properties of an RdmaSampling that RdmaFeedback uses.
    struct Description
    {
        /// N: at least one of N successive packets collects telemetry. 0 if there is no such N; the
        /// control law then expects about one sample per round trip
        uint32_t interval{0};
        bool byChance{false}; ///< random numbers decide which packets collect telemetry
        bool probes{false};   ///< probes collect telemetry instead of data packets, see HpccProbes
    };

    /// State of one queue pair.
    class Flow
    {
      public:
        virtual ~Flow() = default;

        /**
         * Decides whether a data packet collects telemetry. Called for each data packet that is
         * sent, including retransmissions.
         * @param packet the packet: opcode, PSN, payload and flags are set
         * @param nowNs current time, ns
         * @param random source of random numbers of the host
         * @return true if the packet collects telemetry
         */
        virtual bool Collects(const Frame& packet,
                              int64_t nowNs,
                              UniformRandomVariable& random) = 0;
    };

    /// Returns the properties of this part.
    virtual Description Describe() const = 0;

    /**
     * Creates the state of a queue pair.
     * @param networkBaseRttNs base RTT of the network (T), ns; 0 if unknown
     * @return the state; null if probes collect telemetry
     */
    virtual std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const = 0;

    /// Returns true if a packet that collects telemetry requests an immediate ACK.
    bool AsksForAck() const
    {
        return m_asksForAck;
    }

  private:
    bool m_asksForAck; ///< attribute AsksForAck
};

} // namespace ns3

#endif // RDMA_SAMPLING_H
