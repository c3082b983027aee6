/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FEEDBACK_AUTHENTICATOR_H
#define HPCC_FEEDBACK_AUTHENTICATOR_H

#include "hpcc-reflection-header.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Proves that reflected telemetry comes from the receiver and is fresh (draft-miao-tsv-hpcc-01
 * section 9.1). The proof is a tag: the HMAC-SHA-256 of a message number, the reflection header and
 * the records, truncated to 96 bits (RFC 2104, FIPS 180-4). OpenSSL computes the HMAC. For
 * comparison, IPsec truncates the same HMAC to 128 bits (RFC 4868). The message number has 64 bits;
 * the reflection header carries only the lowest 16 bits. The tag proves which host has sent the
 * telemetry, not that the telemetry is true.
 */
class FeedbackAuthenticator
{
  public:
    /**
     * Derives the key of the authenticator from a secret and its context.
     * @param secret a secret that both ends share, of any length
     * @param context a text that only this queue pair, or only this pair of a switch and a host,
     * uses with the secret
     */
    FeedbackAuthenticator(const std::string& secret, const std::string& context);

    /**
     * Returns the tag of a message.
     * @param number number of the message, 64 bits
     * @param message the bytes to authenticate, such as reflection header and records
     * @param size bytes of the message
     */
    FeedbackTag Sign(uint64_t number, const uint8_t* message, size_t size) const;

  private:
    std::array<uint8_t, 32> m_key; ///< key derived from secret and context
};

} // namespace ns3

#endif // HPCC_FEEDBACK_AUTHENTICATOR_H
