/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SWITCH_TRUST_H
#define RDMA_SWITCH_TRUST_H

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-frame.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Checks for a host that switch responses are authentic and new. Senders and receivers apply the
 * same rule. An object of this class is aggregated to the RdmaHost. If none is aggregated when the
 * first response arrives, the host creates an object with default attributes.
 *
 * All switches have the same Key (SwitchResponder::FeedbackKey), from which the key of each pair of
 * switch and host is derived. The switch numbers its responses to a host with 64 bits, and a
 * response carries the lowest 16 of them.
 */
class RdmaSwitchTrust : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaSwitchTrust();
    ~RdmaSwitchTrust() override;

    /// The result of checking a response.
    enum class Verdict : uint8_t
    {
        GENUINE,  ///< authentic and new
        FORGED,   ///< its authenticator is missing or wrong, or there is no Key to check the
                  ///< authenticator
        REPLAYED, ///< it is not newer than the newest response accepted from the same switch
    };

    /**
     * Returns the RdmaSwitchTrust of a host. If there is none, creates one with the default
     * attributes.
     * @param host an RdmaHost
     */
    static RdmaSwitchTrust& Of(Object& host);

    /// Returns true if there is a key, so that responses must be authenticated.
    bool HasKey() const
    {
        return !m_key.empty();
    }

    /**
     * Checks a response, and stores its number as the newest of its switch if it is genuine.
     * @param response the frame
     * @return the result
     */
    Verdict Check(const Frame& response);

  private:
    /// The state of a switch.
    struct Switch
    {
        FeedbackAuthenticator authenticator; ///< authenticator of this pair of switch and host
        uint64_t newest;                     ///< number of its newest response
    };

    std::string m_key;                     ///< attribute
    std::map<uint32_t, Switch> m_switches; ///< state of switches, by switch id
};

} // namespace ns3

#endif // RDMA_SWITCH_TRUST_H
