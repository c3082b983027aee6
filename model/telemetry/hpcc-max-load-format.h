/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_MAX_LOAD_FORMAT_H
#define HPCC_MAX_LOAD_FORMAT_H

#include "hpcc-tcp-option-format.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * A TCP option that collects the largest load U of a path's ports and returns a load or a window. A
 * comment in the source of draft-miao-tsv-hpcc-00, section "Implementation on TCP", proposes such
 * an option and leaves its format open. The format of this class is our own and has 8 bytes:
 *
 * - 0: kind 253, for experiments (RFC 3692, RFC 4727)
 * - 1: length 8
 * - 2-3: experiment identifier (RFC 6994): WindowExId if bytes 6-7 contain a window, otherwise ExId
 * - 4-5: U in units of 1/512, 1 to 65535, saturating at a U of 128; 0: no switch has written a load
 * - 6-7: the returned value; 0: none. With ExId, the value is a load U, encoded as in bytes 4-5.
 *   With WindowExId, the value is a window of m 2^e bytes, rounded down. The upper 5 bits are the
 *   exponent e, the lower 11 bits the mantissa m
 *
 * With Authenticated the length is 24. Bytes 8-11 are the lowest 32 bits of the message number.
 * Bytes 12-23 are a FeedbackTag. The tag covers the full 64-bit message number and bytes 2-3 and
 * 6-7, which switches do not change. Number and tag are 0 if nothing is returned.
 *
 * A hop writes its own U into bytes 4-5 if this U is larger, see GetSwitchAgent(). Any load above 0
 * has a code of at least 1.
 *
 * Attributes:
 *
 * - ExId: 18512 (0x4850) by default. Not registered with IANA.
 * - WindowExId: 18519 (0x4857) by default; must differ from ExId. Not registered with IANA.
 * - Authenticated: whether the returned value is authenticated. False by default.
 */
class MaxLoadFormat : public TcpOptionFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    MaxLoadFormat();

    std::string GetSwitchAgent() const override;
    std::string Validate(const TelemetryNetwork& network) const override;
    bool CrossesBorder() const override;
    HopTelemetry Read(const TelemetryStack& stack, uint32_t index) const override;
    void Truncate(TelemetryStack& stack, uint32_t hops) const override;
    size_t Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const override;
    void SetReturned(TelemetryStack& stack, const Returned& returned) const override;
    Returned GetReturned(const TelemetryStack& stack) const override;
    bool IsAuthenticated() const override;
    void SetProof(TelemetryStack& stack, const Proof& proof) const override;
    Proof GetProof(const TelemetryStack& stack) const override;
    std::vector<uint8_t> GetSigned(const TelemetryStack& stack) const override;

    static constexpr uint8_t REFLECTION_ID = 85; ///< identifies the format in the reflection header

    /**
     * Returns the code of a load, 0 to 65535.
     * @param load U, 0 or more
     */
    static uint16_t Encode(double load)
    {
        return load > 0 ? static_cast<uint16_t>(std::clamp(std::round(load * UNITS), 1.0, 65535.0))
                        : 0;
    }

    /**
     * Returns the load U of a code.
     * @param code load as the option carries it
     */
    static double Decode(uint16_t code)
    {
        return code / UNITS;
    }

    /**
     * Returns the code of a window; 0 for a window of 0, otherwise at least 1.
     * @param bytes a window, 0 or more
     */
    static uint16_t EncodeWindow(double bytes);

    /**
     * Returns the window of a code, bytes.
     * @param code window as the option carries it
     */
    static double DecodeWindow(uint16_t code);

    /**
     * Sets the collected load to @p code if the collected load is smaller.
     * @param stack option to change
     * @param code the load as a code
     */
    static void Raise(TelemetryStack& stack, uint16_t code)
    {
        if (stack.words[1] >> COLLECTED_SHIFT < code)
        {
            stack.words[1] =
                static_cast<uint32_t>(code) << COLLECTED_SHIFT | (stack.words[1] & RETURNED_MASK);
        }
    }

  private:
    void DoOpen(TelemetryStack& stack) const override;
    /// Sets the attribute Authenticated.
    /// @param authenticated true if options carry an authenticator
    void SetAuthenticated(bool authenticated);
    /// Returns the kind and the length of the option, which are its first two bytes.
    uint32_t KindAndLength() const;

    static constexpr double UNITS = 512;              ///< code of a load of 1
    static constexpr uint32_t COLLECTED_SHIFT = 16;   ///< position of the collected load in the
                                                      ///< second word, bits
    static constexpr uint32_t RETURNED_MASK = 0xffff; ///< mask of the returned value in the second
                                                      ///< word

    uint16_t m_exId;       ///< attribute ExId
    uint16_t m_windowExId; ///< attribute WindowExId
};

} // namespace ns3

#endif // HPCC_MAX_LOAD_FORMAT_H
