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
 * Checks whether the switch responses that arrive at a host are authentic and new. Senders and
 * receivers apply the same rule. An object of this class is aggregated to the RdmaHost. If no such
 * object is aggregated when the first response arrives, the host creates one with default
 * attributes.
 *
 * All switches have the same Key (SwitchResponder::FeedbackKey), from which the key of each pair of
 * switch and host is derived. A switch numbers its responses to each host with 64-bit numbers. A
 * response carries only the lowest 16 bits of its number.
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
        FORGED,   ///< the authenticator is missing or wrong, or no Key is set, so that the
                  ///< authenticator cannot be checked
        REPLAYED, ///< the response is not newer than the newest response accepted from the same
                  ///< switch
    };

    /**
     * Returns the RdmaSwitchTrust of a host. If there is none, creates one with the default
     * attributes.
     * @param host an RdmaHost
     */
    static RdmaSwitchTrust& Of(Object& host);

    /// Returns true if the attribute Key is set, so that responses must be authentic.
    bool HasKey() const
    {
        return !m_key.empty();
    }

    /**
     * Checks a response. If the response is genuine, stores its number as the newest number of the
     * switch.
     * @param response frame with the response
     * @return the result
     */
    Verdict Check(const Frame& response);

  private:
    /// The state of a switch.
    struct Switch
    {
        FeedbackAuthenticator authenticator; ///< authenticator of this pair of switch and host
        uint64_t newest;                     ///< number of the newest genuine response
    };

    std::string m_key;                     ///< attribute Key
    std::map<uint32_t, Switch> m_switches; ///< state of switches, by switch id
};

} // namespace ns3

#endif // RDMA_SWITCH_TRUST_H
