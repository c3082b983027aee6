/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-feedback-proof.h"

#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// Returns a string that identifies one direction of one connection. The authenticator derives its
/// key from the shared key and this string.
std::string
ContextOf(const Frame& frame, bool fromReceiver)
{
    std::ostringstream context;
    const std::pair source(frame.source, frame.sourcePort);
    const std::pair destination(frame.destination, frame.destinationPort);
    const auto& [receiver, receiverPort] = fromReceiver ? source : destination;
    const auto& [sender, senderPort] = fromReceiver ? destination : source;
    context << "protocol " << +frame.protocol << " " << receiver << "/" << receiverPort << "-"
            << sender << "/" << senderPort << (frame.ipv6 ? " ipv6" : "");
    return context.str();
}

} // namespace

HpccFeedbackProof::HpccFeedbackProof(const std::string& key, const Frame& frame, bool fromReceiver)
    : m_authenticator(key, ContextOf(frame, fromReceiver))
{
}

FeedbackTag
HpccFeedbackProof::Sign(uint64_t number, const std::vector<uint8_t>& message) const
{
    return m_authenticator.Sign(number, message.data(), message.size());
}

HpccFeedbackProof::Verdict
HpccFeedbackProof::Check(uint64_t number,
                         uint32_t bits,
                         const FeedbackTag& tag,
                         const std::vector<uint8_t>& message)
{
    // The message carries only the lowest bits of its number. Of all numbers with these bits, use
    // the number that is nearest to the newest genuine number.
    const uint64_t modulus = uint64_t{1} << bits;
    const uint64_t ahead = (number - m_newest) & (modulus - 1);
    const bool newer = ahead > 0 && ahead < modulus / 2;
    const uint64_t full = m_newest + ahead - (newer || ahead == 0 ? 0 : modulus);
    if (Sign(full, message) != tag)
    {
        return Verdict::FORGED;
    }
    m_newest = newer ? full : m_newest;
    return newer ? Verdict::GENUINE : Verdict::REPLAYED;
}

} // namespace ns3
