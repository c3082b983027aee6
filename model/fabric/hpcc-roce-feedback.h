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
 * @param frame an acknowledgement or switch response that returns telemetry
 * @return bytes of the reflection header, its authenticator and its records
 */
uint32_t ReflectionBytes(const Frame& frame);

/**
 * @param authenticator authenticator of the queue pair
 * @param number message number; frame.reflectionSeq has its lowest 16 bits
 * @param frame an acknowledgement that returns telemetry, or a switch response, with the flag
 * REFLECTION_AUTHENTICATED
 * @return the tag that the frame must carry; its present tag is ignored. The tag covers reflection
 * header and records; in a notification also both sequence numbers; in a switch response also its
 * header, the destination queue pair and the sequence number
 */
FeedbackTag SignReflection(const FeedbackAuthenticator& authenticator,
                           uint64_t number,
                           const Frame& frame);

/**
 * Returns the context that identifies the switch and the host which share an authenticator of
 * switch responses.
 * @param switchId id of the switch in the responses
 * @param host address of the host to which they are sent
 * @return context for FeedbackAuthenticator
 */
std::string SwitchResponseContext(uint32_t switchId, uint32_t host);

/**
 * @param authenticator authenticator of the queue pair
 * @param number message number; frame.notification.number has its lowest 16 bits
 * @param frame a CNP, authenticated
 * @return the tag that the frame must carry; its present tag is ignored
 */
FeedbackTag SignNotification(const FeedbackAuthenticator& authenticator,
                             uint64_t number,
                             const Frame& frame);

/**
 * @ingroup hpcc
 *
 * Writes and reads the bytes of RoCE's feedback to a sender.
 *
 * - A reflection: HpccReflectionHeader, FeedbackTag if it is authenticated, and the records of the
 *   format, or instead of these the words of an HpccWorstHop.
 * - A notification, in a CNP: RoceNotificationHeader, and FeedbackTag if it is authenticated.
 */
namespace RoceFeedback
{

/**
 * Writes the reflection header and the records.
 * @param frame an acknowledgement or switch response that returns telemetry
 * @param out room for ReflectionBytes()
 */
void WriteReflection(const Frame& frame, uint8_t* out);

/**
 * @param formats the known formats, recognised by their reflection id; the first that can read all
 * records is used
 * @param in the bytes
 * @param size number of bytes
 * @param frame its format, telemetry and reflection fields are filled on success
 * @param why set to the reason on failure
 * @return true if a known format can read all of it
 */
bool ReadReflection(const std::vector<const TelemetryFormat*>& formats,
                    const uint8_t* in,
                    size_t size,
                    Frame& frame,
                    std::string& why);

/**
 * @param frame a CNP
 * @return bytes of its notification
 */
uint32_t NotificationBytes(const Frame& frame);

/**
 * Writes the notification header.
 * @param frame a CNP
 * @param out room for NotificationBytes()
 */
void WriteNotification(const Frame& frame, uint8_t* out);

/**
 * @param in the bytes
 * @param size number of bytes, at least RoceNotificationHeader::BYTES
 * @param frame its notification is filled on success
 * @param why set to the reason on failure
 * @return true unless a required tag is missing
 */
bool ReadNotification(const uint8_t* in, size_t size, Frame& frame, std::string& why);

} // namespace RoceFeedback

} // namespace ns3

#endif // HPCC_ROCE_FEEDBACK_H
