/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FEEDBACK_PROOF_H
#define HPCC_FEEDBACK_PROOF_H

#include "ns3/hpcc-feedback-authenticator.h"
#include "ns3/hpcc-frame.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Authenticates the feedback of one direction of a TCP connection, or of a UDP flow. The receiver
 * of the data signs its feedback, and the sender checks the signature. Both hosts share a key, from
 * which they derive a key for each direction of each connection. The signature covers a 64-bit
 * message number, which increases with each message. The message itself carries only the lowest
 * bits of this number.
 */
class HpccFeedbackProof
{
  public:
    /// The result of checking a message.
    enum class Verdict : uint8_t
    {
        GENUINE,  ///< authentic and new
        FORGED,   ///< the tag is missing, or does not match the message
        REPLAYED, ///< authentic, but not newer than the newest genuine message
    };

    /**
     * Creates the authenticator of one direction of a connection.
     * @param key key shared by both hosts
     * @param frame any packet of the connection
     * @param fromReceiver true if the receiver of the data sent the packet, false if the sender did
     */
    HpccFeedbackProof(const std::string& key, const Frame& frame, bool fromReceiver);

    /// Assigns the number of the next message.
    /// @return the number
    uint64_t Next()
    {
        return ++m_newest;
    }

    /**
     * Computes the tag of a message.
     * @param number number of the message
     * @param message the signed bytes
     * @return tag of the message
     */
    FeedbackTag Sign(uint64_t number, const std::vector<uint8_t>& message) const;

    /**
     * Checks a message. If the message is genuine, stores its number as the newest number.
     * @param number lowest bits of the message's number
     * @param bits number of bits in @p number, 16 or 32
     * @param tag tag that the message carries
     * @param message the signed bytes
     * @return the verdict
     */
    Verdict Check(uint64_t number,
                  uint32_t bits,
                  const FeedbackTag& tag,
                  const std::vector<uint8_t>& message);

  private:
    FeedbackAuthenticator m_authenticator; ///< authenticator of this direction
    uint64_t m_newest{0};                  ///< number of the newest message that was signed or was
                                           ///< found genuine
};

} // namespace ns3

#endif // HPCC_FEEDBACK_PROOF_H
