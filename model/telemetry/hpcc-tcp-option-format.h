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
 * A format that is an option of TCP: one quantity, which a SwitchAgent replaces on the way, and the
 * value that the other end returns, in one option of fixed size that any segment may carry. It
 * shares the code of AgentTelemetryFormat, but stands elsewhere than after UDP: it is in front of
 * the segment's other options, the data offset and TCP's checksum count it, no marking displaces
 * anything, and the option itself says what it is. Its size is a multiple of 4 bytes, so it needs
 * no padding.
 *
 * It has no short name, because only TCP can carry it.
 */
class TcpOptionFormat : public AgentTelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// The values that return to the sender of data; at most one is not 0.
    struct Returned
    {
        double load{0};        ///< load that a segment has collected; 0: none
        double windowBytes{0}; ///< the window that its receiver has computed, bytes; 0: none

        /// @return true if there is something
        bool IsGiven() const
        {
            return load > 0 || windowBytes > 0;
        }
    };

    /**
     * Writes the returned value. The value that the option collects stays.
     * @param stack an open option
     * @param returned the value, which is rounded to the option's steps
     */
    virtual void SetReturned(TelemetryStack& stack, const Returned& returned) const = 0;

    /**
     * @param stack an option
     * @return the returned value
     */
    virtual Returned GetReturned(const TelemetryStack& stack) const = 0;

    /// @return true if the returned value has an authenticator
    virtual bool IsAuthenticated() const = 0;

    /// The authenticator of a returned value, with the number of its message.
    struct Proof
    {
        uint32_t number{0}; ///< lowest bits of the message's number
        FeedbackTag tag{};  ///< authenticator of GetSigned()
    };

    /**
     * Writes the authenticator of the returned value.
     * @param stack an option with IsAuthenticated() and a returned value
     * @param proof the authenticator
     */
    virtual void SetProof(TelemetryStack& stack, const Proof& proof) const = 0;

    /**
     * @param stack an option with IsAuthenticated()
     * @return its authenticator
     */
    virtual Proof GetProof(const TelemetryStack& stack) const = 0;

    /**
     * @param stack an option
     * @return the bytes that an authenticator covers: what goes back and what it means, but not
     * what switches change
     */
    virtual std::vector<uint8_t> GetSigned(const TelemetryStack& stack) const = 0;

  protected:
    using AgentTelemetryFormat::AgentTelemetryFormat;
};

} // namespace ns3

#endif // HPCC_TCP_OPTION_FORMAT_H
