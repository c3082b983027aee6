/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RETURN_H
#define RDMA_RETURN_H

#include "rdma-feedback-part.h"

#include "ns3/hpcc-sample.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Decides which packets of the receiver return telemetry. Without an RdmaReturn, each ACK returns
 * the telemetry of the packets received since the previous ACK. To add a part of this kind, see
 * RdmaFeedbackPart.
 */
class RdmaReturn : public RdmaFeedbackPart
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Properties of an RdmaReturn that RdmaFeedback uses.
    struct Description
    {
        bool notifies{false};       ///< each packet with telemetry is answered with a notification;
                                    ///< ACKs carry no telemetry
        uint32_t ackInterval{0};    ///< packets per ACK; 0 if ns3::RdmaHost::AckInterval applies
        uint32_t returnInterval{1}; ///< N: an ACK returns the stored telemetry if at least N - 1
                                    ///< ACKs have been sent since the last ACK that returned
                                    ///< telemetry
        bool largestQueue{false};   ///< the returned queue length of each hop is the largest value
                                    ///< since the last ACK that returned telemetry
        bool measures{false};       ///< Flow::IsUrgent() is called for each packet with telemetry
    };

    /// State of one queue pair's responder.
    class Flow
    {
      public:
        virtual ~Flow() = default;

        /**
         * Reads the records of a packet. Called for each packet with telemetry if
         * Description::measures is true.
         * @param sample records of the packet
         * @return true if the packet must be acknowledged immediately
         */
        virtual bool IsUrgent(const HpccSample& sample)
        {
            (void)sample;
            return false;
        }

        /**
         * Decides whether an ACK returns the stored telemetry. Not called for the first ACK for
         * which telemetry is stored, because this ACK always returns the telemetry.
         * @param acks number of ACKs since the last ACK that returned telemetry, including this ACK
         * @return true if this ACK returns the stored telemetry
         */
        virtual bool Returns(uint32_t acks) = 0;
    };

    /// Returns the properties of this part.
    virtual Description Describe() const = 0;

    /**
     * Creates the state of a queue pair.
     * @param networkBaseRttNs base RTT of the network (T), ns; 0 if unknown
     * @return the state; null if every ACK returns the stored telemetry. Not null if
     * Description::measures is true
     */
    virtual std::unique_ptr<Flow> Open(int64_t networkBaseRttNs) const = 0;
};

} // namespace ns3

#endif // RDMA_RETURN_H
