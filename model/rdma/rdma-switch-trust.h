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
 * Checks for a host that responses really come from their switches and that they are new. The rule
 * for senders and receivers is the same. An object of this class is aggregated to the RdmaHost. If
 * there is none when the first response arrives, the host creates one with default attributes.
 *
 * All switches share the Key (SwitchResponder::FeedbackKey). The key of each pair of switch and
 * host is derived from it. The switch numbers its responses to a host with 64 bits, and a response
 * carries the lowest 16 of them.
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
        FORGED,   ///< its authenticator is missing or wrong, or there is no Key to check it
        REPLAYED, ///< it is not newer than the newest response of its switch
    };

    /**
     * @param host an RdmaHost
     * @return the object of the host, created with the default attributes if there is none
     */
    static RdmaSwitchTrust& Of(Object& host);

    /// @return true if there is a key, so that responses must be authenticated
    bool HasKey() const
    {
        return !m_key.empty();
    }

    /**
     * Checks a response. If it is genuine, it becomes the newest of its switch.
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
