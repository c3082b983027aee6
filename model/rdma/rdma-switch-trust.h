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
 * Checks the responses of switches for a host: which switch has sent them, and whether they are
 * new. One rule serves senders and receivers. Aggregated to the RdmaHost; it makes one with the
 * default attributes when the first response comes, unless there is one.
 *
 * The switches have the same Key (SwitchResponder::FeedbackKey). Each pair of switch and host
 * derives its own from it, and the switch numbers its responses to the host with 64 bits, of which
 * a response carries the lowest 16.
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
        REPLAYED, ///< it is not newer than the newest one of its switch
    };

    /**
     * @param host an RdmaHost
     * @return that of the host, made with the default attributes if there is none
     */
    static RdmaSwitchTrust& Of(Object& host);

    /// @return true if there is a key, so that responses must be authenticated
    bool HasKey() const
    {
        return !m_key.empty();
    }

    /**
     * Checks a response; a genuine one is the newest of its switch then.
     * @param response the frame
     * @return the error in it
     */
    Verdict Check(const Frame& response);

  private:
    /// The state of a switch.
    struct Switch
    {
        FeedbackAuthenticator authenticator; ///< of the switch and the host
        uint64_t newest;                     ///< number of its newest response
    };

    std::string m_key;                     ///< attribute
    std::map<uint32_t, Switch> m_switches; ///< by switch id
};

} // namespace ns3

#endif // RDMA_SWITCH_TRUST_H
