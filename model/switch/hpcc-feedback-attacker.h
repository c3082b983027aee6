/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FEEDBACK_ATTACKER_H
#define HPCC_FEEDBACK_ATTACKER_H

#include "ns3/hpcc-idle-path-forger.h"
#include "ns3/hpcc-port-agent.h"
#include "ns3/object.h"

#include <map>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A compromised switch that sends false telemetry to the senders whose ACKs it forwards
 * (draft-miao-tsv-hpcc-01 section 9.1). The agent is meant for experiments with RdmaHost's
 * FeedbackKey. A sender with a key ignores altered feedback, so altering has the same effect as
 * dropping the feedback.
 */
class FeedbackAttacker : public Object, public PortAgent
{
  public:
    /// The attack on an ACK, or on a NAK or notification that returns telemetry.
    enum Attack
    {
        FORGE,  ///< sends a copy ahead of the ACK, with telemetry that shows an idle path
        REPLAY, ///< sends a copy ahead of the ACK, with the telemetry, authenticator and message
                ///< number of the flow's first ACK
        ALTER   ///< changes the ACK's telemetry in place to show an idle path
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// Sets the host whose flows are attacked.
    /// @param sender IPv4 address of the host, host byte order
    void SetTarget(uint32_t sender);

    /// Returns the number of ACKs, NAKs and notifications with false telemetry that the switch has
    /// sent.
    uint64_t GetFalse() const
    {
        return m_false;
    }

    void OnEnqueue(QbbNetDevice& port, Frame& frame, int64_t nowNs) override;
    bool WantsEnqueue() const override;

  private:
    /// Recorded telemetry that is replayed.
    struct Recording
    {
        TelemetryStack stack;         ///< telemetry
        Frame::Reflection reflection; ///< flags and authenticator
        uint16_t sequence;            ///< message number
    };

    Attack m_attack;      ///< attribute Attack
    uint32_t m_target{0}; ///< IPv4 address of the attacked host, see SetTarget()
    uint64_t m_false{0};  ///< see GetFalse()
    std::map<uint32_t, IdlePathForger> m_forgers; ///< forgers, by queue pair of the sender
    std::map<uint32_t, Recording> m_recordings;   ///< recordings, by queue pair of the sender
};

} // namespace ns3

#endif // HPCC_FEEDBACK_ATTACKER_H
