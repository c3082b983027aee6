/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-feedback-authenticator.h"

#include "ns3/abort.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <vector>

namespace ns3
{

namespace
{

using Digest = std::array<uint8_t, 32>;

/// Returns the HMAC-SHA-256 of a message.
Digest
Hmac(const uint8_t* key, size_t keyBytes, const uint8_t* message, size_t messageBytes)
{
    Digest digest;
    unsigned int size = digest.size();
    NS_ABORT_MSG_UNLESS(HMAC(EVP_sha256(),
                             key,
                             static_cast<int>(keyBytes),
                             message,
                             messageBytes,
                             digest.data(),
                             &size),
                        "OpenSSL cannot compute HMAC-SHA-256");
    return digest;
}

/// Returns the characters of a text as bytes.
const uint8_t*
BytesOf(const std::string& text)
{
    return reinterpret_cast<const uint8_t*>(text.data());
}

} // namespace

FeedbackAuthenticator::FeedbackAuthenticator(const std::string& secret, const std::string& context)
    : m_key(Hmac(BytesOf(secret), secret.size(), BytesOf(context), context.size()))
{
}

FeedbackTag
FeedbackAuthenticator::Sign(uint64_t number, const uint8_t* message, size_t size) const
{
    std::vector<uint8_t> signedBytes(sizeof(number) + size);
    boost::endian::store_big_u64(signedBytes.data(), number);
    std::copy_n(message, size, signedBytes.begin() + sizeof(number));
    Digest digest = Hmac(m_key.data(), m_key.size(), signedBytes.data(), signedBytes.size());
    FeedbackTag tag;
    std::copy_n(digest.begin(), tag.size(), tag.begin());
    return tag;
}

} // namespace ns3
