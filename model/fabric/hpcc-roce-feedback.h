/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_ROCE_FEEDBACK_H
#define HPCC_ROCE_FEEDBACK_H

#include "hpcc-frame.h"

#include "ns3/hpcc-feedback-authenticator.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class TelemetryFormat;

/**
 * Returns the total size of a frame's reflection header, authenticator and records, bytes.
 * @param frame an acknowledgement or switch response that returns telemetry
 */
uint32_t ReflectionBytes(const Frame& frame);

/**
 * Computes the tag of a frame that returns telemetry. The tag covers the reflection header and the
 * records. In a notification, it also covers the PSN of the BTH and the RoceNamedPsnHeader. In a
 * switch response, it also covers RoceSwitchResponseHeader, the destination queue pair and the
 * sequence number.
 * @param authenticator authenticator of the queue pair
 * @param number message number; its lowest 16 bits are in frame.reflectionSeq
 * @param frame an acknowledgement that returns telemetry, or a switch response; the flag
 * REFLECTION_AUTHENTICATED must be set
 * @return the tag that the frame must carry; its present tag is ignored
 */
FeedbackTag SignReflection(const FeedbackAuthenticator& authenticator,
                           uint64_t number,
                           const Frame& frame);

/**
 * Returns the context of an authenticator of switch responses. The context identifies the switch
 * and the host that share the authenticator.
 * @param switchId id of the switch in the responses
 * @param host address of the host that receives the responses
 * @return context for FeedbackAuthenticator
 */
std::string SwitchResponseContext(uint32_t switchId, uint32_t host);

/**
 * Computes the tag of a CNP.
 * @param authenticator authenticator of the queue pair
 * @param number message number; its lowest 16 bits are in frame.notification.number
 * @param frame an authenticated CNP
 * @return the tag that the frame must carry; its present tag is ignored
 */
FeedbackTag SignNotification(const FeedbackAuthenticator& authenticator,
                             uint64_t number,
                             const Frame& frame);

/**
 * @ingroup hpcc
 *
 * Writes and reads the bytes of feedback in RoCE packets.
 *
 * - A reflection: HpccReflectionHeader, FeedbackTag if the reflection is authenticated, and either
 *   the records of the format or the words of an HpccBottleneckHop.
 * - The content of a CNP: RoceNotificationHeader, and FeedbackTag if the CNP is authenticated.
 */
namespace RoceFeedback
{

/// Returns the number of words in a report of the bottleneck hop.
/// @param flags flags of the reflection header before the report
uint32_t ReportWords(uint8_t flags);

/**
 * Writes the reflection header, the authenticator if there is one, and the records or the report of
 * the bottleneck hop.
 * @param frame an acknowledgement or switch response that returns telemetry
 * @param out room for ReflectionBytes()
 */
void WriteReflection(const Frame& frame, uint8_t* out);

/**
 * Reads a reflection into a frame.
 * @param formats the known formats. The function uses the first format that has the reflection id
 * in the bytes and can read all records
 * @param in the bytes
 * @param size number of bytes
 * @param frame the frame; its format, telemetry and reflection fields are filled on success
 * @param why set to the reason on failure
 * @return true if a known format can read the whole reflection
 */
bool ReadReflection(const std::vector<const TelemetryFormat*>& formats,
                    const uint8_t* in,
                    size_t size,
                    Frame& frame,
                    std::string& why);

/**
 * Returns the size of a CNP's notification header and tag, bytes.
 * @param frame a CNP
 */
uint32_t NotificationBytes(const Frame& frame);

/**
 * Writes the notification header and the tag.
 * @param frame a CNP
 * @param out room for NotificationBytes()
 */
void WriteNotification(const Frame& frame, uint8_t* out);

/**
 * Reads the notification of a CNP into a frame.
 * @param in the bytes
 * @param size number of bytes, at least RoceNotificationHeader::BYTES
 * @param frame the frame; its notification is filled on success
 * @param why set to the reason on failure
 * @return true unless a required tag is missing
 */
bool ReadNotification(const uint8_t* in, size_t size, Frame& frame, std::string& why);

} // namespace RoceFeedback

} // namespace ns3

#endif // HPCC_ROCE_FEEDBACK_H
