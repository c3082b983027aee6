/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TCP_OPTION_FORMAT_H
#define HPCC_TCP_OPTION_FORMAT_H

#include "hpcc-agent-format.h"
#include "hpcc-feedback-authenticator.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Base class of formats that are a TCP option of fixed size. Any segment may carry the option. The
 * option contains one quantity, which a SwitchAgent updates on the way, and the value that the
 * other end returns. The class derives from AgentTelemetryFormat, but the option is part of the TCP
 * header. The option is the first option of the segment, and TCP's data offset and checksum include
 * it. The option needs no marking, because its first bytes identify it. Its size is a multiple of 4
 * bytes, so it needs no padding.
 *
 * Derived classes have no short name, because only TCP can carry the option.
 */
class TcpOptionFormat : public AgentTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// The value returned to the sender of data. At most one member is not 0.
    struct Returned
    {
        double load{0};        ///< largest load that a segment has collected; 0: none
        double windowBytes{0}; ///< window that the receiver of the data has computed, bytes; 0:
                               ///< none

        /// Returns true if a value is returned.
        bool IsGiven() const
        {
            return load > 0 || windowBytes > 0;
        }
    };

    /**
     * Writes the returned value. The collected value is not changed.
     * @param stack an open option
     * @param returned the value to return, which is rounded to the option's resolution
     */
    virtual void SetReturned(TelemetryStack& stack, const Returned& returned) const = 0;

    /**
     * Returns the returned value of an option.
     * @param stack the option
     */
    virtual Returned GetReturned(const TelemetryStack& stack) const = 0;

    /// Returns true if the returned value has an authenticator.
    virtual bool IsAuthenticated() const = 0;

    /// The authenticator of a returned value, with the number of its message.
    struct Proof
    {
        uint32_t number{0}; ///< lowest 32 bits of the message number
        FeedbackTag tag{};  ///< authenticator of the bytes that GetSigned() returns
    };

    /**
     * Writes the authenticator of the returned value.
     * @param stack an authenticated option with a returned value
     * @param proof authenticator to write
     */
    virtual void SetProof(TelemetryStack& stack, const Proof& proof) const = 0;

    /**
     * Returns the authenticator of an option.
     * @param stack an authenticated option
     */
    virtual Proof GetProof(const TelemetryStack& stack) const = 0;

    /**
     * Returns the bytes of an option that the authenticator covers: the returned value and its
     * kind, but nothing that switches change.
     * @param stack the option
     */
    virtual std::vector<uint8_t> GetSigned(const TelemetryStack& stack) const = 0;

  protected:
    using AgentTelemetryFormat::AgentTelemetryFormat;
};

} // namespace ns3

#endif // HPCC_TCP_OPTION_FORMAT_H
