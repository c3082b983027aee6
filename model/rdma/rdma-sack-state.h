/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SACK_STATE_H
#define RDMA_SACK_STATE_H

#include "rdma-entropy.h"
#include "rdma-recovery.h"
#include "rdma-sack-sender.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * State of the requester of a queue pair with SACKs.
 */
struct RdmaSackState
{
    RdmaSackSender& sender;                    ///< records of the packets; owned by RdmaRareState
    std::unique_ptr<RdmaSackTerms> terms;      ///< settings of the scheme
    std::unique_ptr<RdmaEntropyState> entropy; ///< chooses entropy values; null if all packets have
                                               ///< the same source port
    uint32_t entropyValues{0};                 ///< number of entropy values
    bool obeysShares{false};                   ///< the policy's path shares determine entropy
                                               ///< values
    uint64_t receivedBytes{0};                 ///< payload that has arrived according to the newest
                                               ///< SACK, bytes
    uint32_t sinceAsked{0};                    ///< payload sent since the last request for a SACK,
                                               ///< bytes
    uint64_t askedPsn{UINT64_MAX};             ///< number of the last packet that requested a SACK
    bool sleeking{false};                      ///< true during a Sleek recovery, which ends when
                                               ///< all packets before sleekEndPsn are acknowledged
    uint64_t sleekEndPsn{0};  ///< one more than the number of the last packet that the present
                              ///< Sleek recovery retransmits
    uint64_t sleekNextPsn{0}; ///< number of the first packet that the present Sleek recovery has
                              ///< not yet considered
    /// Time at which the next probe is sent, ns.
    int64_t probeNs{std::numeric_limits<int64_t>::max()};
    uint32_t probes{0};                   ///< number of probes sent
    std::array<int64_t, 8> probeSentNs{}; ///< departure times of probes, by number modulo 8, ns
};

/**
 * @ingroup hpcc
 *
 * State of the responder of a queue pair with SACKs.
 */
struct RdmaSackReceiver
{
    uint32_t ackBytes;         ///< payload after which a SACK is sent, bytes
    uint64_t receivedBytes{0}; ///< payload that has arrived, in any order, bytes
    uint32_t sinceAnswer{0};   ///< payload that has arrived since the last SACK, bytes
    bool answered{false};      ///< true once a SACK has been sent
    bool answersAtGap{false};  ///< true if a SACK must be sent when all gaps have been filled
};

/**
 * @ingroup hpcc
 *
 * Computes the payload after which a responder sends a SACK.
 * @param terms settings of the scheme
 * @param ackInterval packets per acknowledgement; a value above 1 has precedence over
 * RdmaSackTerms::ackBytes
 * @param mtuBytes payload of a full packet, bytes
 * @return the payload, bytes
 */
inline uint32_t
SackBytes(const RdmaSackTerms& terms, uint32_t ackInterval, uint32_t mtuBytes)
{
    const uint64_t bytes = uint64_t{ackInterval} * mtuBytes;
    return ackInterval > 1 ? static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX))
                           : terms.ackBytes;
}

} // namespace ns3

#endif // RDMA_SACK_STATE_H
