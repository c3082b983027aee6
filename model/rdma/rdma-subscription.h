/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SUBSCRIPTION_H
#define RDMA_SUBSCRIPTION_H

#include "rdma-feedback-part.h"

#include "ns3/hpcc-frame.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Marks the data packets that subscribe to switch responses. Switches respond only to these
 * packets. Without an RdmaSubscription, no packet subscribes. To add a part of this kind, see
 * RdmaFeedbackPart.
 */
class RdmaSubscription : public RdmaFeedbackPart
{
  public:
    static constexpr int NO_DSCP = -1; ///< see GetDscp()

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Marks a data packet that is about to be sent.
     * @param packet the packet
     * @param collects true if the packet collects telemetry
     */
    virtual void Mark(Frame& packet, bool collects) const = 0;

    /**
     * Returns the short name of the SwitchAgent that every switch must run; by default the short
     * name of SwitchResponder.
     * @param atReceiver true if switches respond to the receiver, which computes the window
     */
    virtual std::string GetSwitchAgent(bool atReceiver) const;

    /// Returns the DSCP of data packets that subscribe; by default NO_DSCP, which leaves the DSCP
    /// unchanged.
    virtual int GetDscp() const
    {
        return NO_DSCP;
    }
};

/**
 * @ingroup hpcc
 *
 * Makes the packets that collect telemetry subscribe to switch responses, by the flag
 * TELEMETRY_SUBSCRIBED. Short name: switch.
 */
class RdmaFlagSubscription : public RdmaSubscription
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Mark(Frame& packet, bool collects) const override;
    std::string CheckFormat(const TelemetryFormat& format) const override;
};

/**
 * @ingroup hpcc
 *
 * Makes all data packets subscribe to switch responses, by the DSCP that the attribute Dscp
 * specifies. Short name: switch:dscp.
 */
class RdmaDscpSubscription : public RdmaSubscription
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Mark(Frame& packet, bool collects) const override;
    std::string CheckFormat(const TelemetryFormat& format) const override;

    int GetDscp() const override
    {
        return m_dscp;
    }

  private:
    uint8_t m_dscp; ///< attribute Dscp
};

} // namespace ns3

#endif // RDMA_SUBSCRIPTION_H
