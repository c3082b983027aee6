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
    RdmaSackSender& sender;                    ///< its packets; RdmaRareState owns it
    std::unique_ptr<RdmaSackTerms> terms;      ///< settings of the scheme
    std::unique_ptr<RdmaEntropyState> entropy; ///< null: all packets have the same source port
    uint32_t entropyValues{0};                 ///< number of entropy values
    bool obeysShares{false};                   ///< RdmaEntropy::NeedsShares()
    uint64_t receivedBytes{0};                 ///< the responder's count, as far as it is known
    uint32_t sinceAsked{0};                    ///< payload since a packet asked for a SACK
    uint64_t askedPsn{UINT64_MAX};             ///< last packet that asked for its answer
    bool sleeking{false};                      ///< losses are inferred until sleekEndPsn
    uint64_t sleekEndPsn{0};                   ///< one more than the last packet sent before that
    uint64_t sleekNextPsn{0};                  ///< of them, those before it count as lost
    int64_t probeNs{std::numeric_limits<int64_t>::max()}; ///< when the next probe leaves, ns
    uint32_t probes{0};                                   ///< probes sent
    std::array<int64_t, 8> probeSentNs{}; ///< when they left, by number modulo 8, ns
};

/**
 * @ingroup hpcc
 *
 * State of the responder of a queue pair with SACKs.
 */
struct RdmaSackReceiver
{
    uint32_t ackBytes;         ///< payload after which a SACK is sent, bytes
    uint64_t receivedBytes{0}; ///< payload that has arrived, in any order
    uint32_t sinceAnswer{0};   ///< of these since the last SACK
    bool answered{false};      ///< the first packet was answered
    bool answersAtGap{false};  ///< a SACK is due when no packet waits for one before it
};

} // namespace ns3

#endif // RDMA_SACK_STATE_H
