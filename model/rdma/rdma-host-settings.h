/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_SETTINGS_H
#define RDMA_HOST_SETTINGS_H

#include "rdma-entropy.h"
#include "rdma-repathing.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup hpcc
 *
 * The attributes of an RdmaHost, which its parts read. RdmaHost::GetTypeId() documents them.
 */
struct RdmaHostSettings
{
    /// The way in which a responder returns congestion marks to a requester.
    enum CongestionEcho
    {
        ECHO_CNP, ///< by CNPs, at most one per CnpInterval for each queue pair
        ECHO_ACK, ///< by the BECN bit of the next ACK or NAK after a marked packet
    };

    /// The profile that determines the sizes of headers on the wire.
    enum WireProfile
    {
        ROCE,    ///< RoCEv2 headers as the codec writes them
        AUTHORS, ///< as in the HPCC authors' simulator. A data packet consists of
                 ///< AuthorsHeaderBytes bytes of headers, telemetry and payload. An ACK has 46
                 ///< bytes plus telemetry, but at least 60 bytes
        UEC,     ///< as in Ultra Ethernet's reference simulator. A data packet consists of 64 bytes
                 ///< of headers, telemetry and payload. An ACK has 64 bytes plus telemetry
    };

    uint32_t mtu;                  ///< Mtu, bytes
    uint8_t dataDscp;              ///< DataDscp
    uint8_t ackDscp;               ///< AckDscp
    uint8_t cnpDscp;               ///< CnpDscp
    uint8_t probeDscp;             ///< ProbeDscp
    Time probeSpacing;             ///< ProbeSpacing
    uint8_t ttl;                   ///< Ttl
    bool ipv6;                     ///< Ipv6
    uint32_t ackInterval;          ///< AckInterval, packets
    Time ackDelay;                 ///< AckDelay
    std::string recovery;          ///< Recovery
    Time retransmitTimeout;        ///< RetransmitTimeout
    Time nakInterval;              ///< NakInterval
    Time cnpInterval;              ///< CnpInterval
    CongestionEcho congestionEcho; ///< CongestionEcho
    Ptr<RdmaRepathing> repathing;  ///< Repathing
    Ptr<RdmaEntropy> entropy;      ///< Entropy
    Ptr<RdmaNic> nic;              ///< Nic
    WireProfile wireProfile;       ///< WireProfile
    uint32_t authorsHeaderBytes;   ///< AuthorsHeaderBytes, bytes
    bool retimePending;            ///< RetimePending
    bool paceByRate;               ///< PaceByRate
    bool rejoinAtOnce;             ///< RejoinAtOnce
    bool sizesUsed{false};         ///< see RdmaHost::FreezeSizes()
    std::string feedbackKey;       ///< FeedbackKey
    Time dishonestFrom;            ///< DishonestFrom

    /**
     * Checks whether the host forges telemetry at any time. The check compares integers and creates
     * no Time object. ns-3 registers each Time object that is created before the simulation starts,
     * which would slow down the set-up of large networks.
     * @return true if DishonestFrom is set
     */
    bool IsEverDishonest() const
    {
        return dishonestFrom.GetTimeStep() < std::numeric_limits<int64_t>::max();
    }
};

} // namespace ns3

#endif // RDMA_HOST_SETTINGS_H
