/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_DROP_REASON_H
#define HPCC_DROP_REASON_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/// Reason why a port, a switch or an RdmaHost has dropped a frame. Each drop is counted and traced
/// with its reason. If a switch refuses a frame, the drop is counted at the port by which the frame
/// arrived.
enum class DropReason : uint8_t
{
    RECEIVE_ERROR,      ///< the receive error model has corrupted the frame
    BUFFER_FULL,        ///< the switch's buffer policy had no memory for the frame, not even
                        ///< headroom
    EGRESS_LIMIT,       ///< the frame's class is lossy, and its egress limit was reached
    RECEIVE_BUFFER,     ///< the host's receive buffer was full
    TTL_EXPIRED,        ///< TTL reached 0
    NO_ROUTE,           ///< the switch has no route to the destination
    LINK_DOWN,          ///< the device is not connected or its link is down
    NO_RECEIVER,        ///< this host has no receiver for frames of this kind
    UNKNOWN_QUEUE_PAIR, ///< the destination queue pair does not exist
    MALFORMED,          ///< the bytes of the frame cannot be parsed, or its header fields are not
                        ///< valid for its queue pair
    QUEUE_LIMIT,        ///< a host's transmit queue was full
    PFC_WATCHDOG,       ///< the frame's queue was paused for too long, see PfcWatchdog
    MULTICAST,          ///< the packet, from ns-3's stack, is addressed to more than one host
    FOREIGN_ADDRESS,    ///< the packet, from ns-3's stack, has an IPv6 address that Ipv6AddressOf()
                        ///< does not derive from an IPv4 address
    FRAME_TOO_LARGE,    ///< the packet, from ns-3's stack, exceeds the MTU of its egress port
    WRONG_ADDRESS,      ///< the destination is another host, or the source of a RoCE packet is not
                        ///< the queue pair's other end
    REFUSED,            ///< a port agent of the switch refused the frame, see EnqueueVerdict
    TRIMMED,            ///< a switch has cut the payload of this data packet, and the queue pair
                        ///< does not use SACKs
    COUNT,
};

/**
 * Returns the name of a reason as it appears in CSV files, lower case with dashes.
 * @param reason reason other than COUNT
 */
inline const char*
ToString(DropReason reason)
{
    constexpr const char* names[] = {"receive-error",
                                     "buffer-full",
                                     "egress-limit",
                                     "receive-buffer",
                                     "ttl-expired",
                                     "no-route",
                                     "link-down",
                                     "no-receiver",
                                     "unknown-queue-pair",
                                     "malformed",
                                     "queue-limit",
                                     "pfc-watchdog",
                                     "multicast",
                                     "foreign-address",
                                     "frame-too-large",
                                     "wrong-address",
                                     "refused",
                                     "trimmed"};
    static_assert(sizeof(names) / sizeof(names[0]) == static_cast<size_t>(DropReason::COUNT));
    return names[static_cast<size_t>(reason)];
}

} // namespace ns3

#endif // HPCC_DROP_REASON_H
