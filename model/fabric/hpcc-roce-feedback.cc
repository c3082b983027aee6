/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-roce-feedback.h"

#include "hpcc-frame-sizes.h"
#include "hpcc-roce-headers.h"

#include "ns3/hpcc-bottleneck-hop.h"
#include "ns3/hpcc-reflection-header.h"
#include "ns3/hpcc-telemetry-format.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

namespace
{

/// Reads an HpccBottleneckHop, which follows the reflection header instead of records.
bool
ReadReport(const std::vector<const TelemetryFormat*>& formats,
           const uint8_t* in,
           size_t size,
           const HpccReflectionHeader& reflection,
           Frame& frame,
           std::string& why)
{
    auto known = std::find_if(formats.begin(), formats.end(), [&](const auto* format) {
        return format->GetReflectionId() == reflection.formatId;
    });
    const uint32_t words = RoceFeedback::ReportWords(reflection.flags);
    if (known == formats.end() || reflection.hops != 1 || size != 4 * words)
    {
        why = known == formats.end()
                  ? "no known telemetry format reads the records after the reflection header"
                  : "report of one hop has the wrong size";
        return false;
    }
    frame.format = *known;
    frame.reportedFlows = reflection.flows;
    frame.reflectionSeq = reflection.sequence;
    frame.telemetry.hops = 1;
    frame.telemetry.flags = reflection.stackFlags;
    frame.telemetry.pathId = 0;
    for (uint32_t i = 0; i < words; ++i)
    {
        frame.telemetry.words[i] = load_big_u32(in + 4 * i);
    }
    return true;
}

/// Writes the notification header of a CNP, without the tag.
void
WriteNotificationHeader(const Frame& frame, uint8_t* out)
{
    RoceNotificationHeader header;
    header.kind = frame.notification.kind;
    header.congested = frame.notification.congested;
    header.authenticated = frame.notification.authenticated;
    header.number = frame.notification.number;
    header.value = frame.notification.value;
    header.Serialize(out);
}

} // namespace

FeedbackTag
SignReflection(const FeedbackAuthenticator& authenticator, uint64_t number, const Frame& frame)
{
    std::vector<uint8_t> message(ReflectionBytes(frame));
    RoceFeedback::WriteReflection(frame, message.data());
    auto tag = message.begin() + HpccReflectionHeader::BYTES;
    message.erase(tag, tag + sizeof(FeedbackTag));
    if (frame.opcode == ROCE_NOTIFICATION)
    {
        message.resize(message.size() + 2 * NAMED_PSN_BYTES);
        uint8_t* numbers = message.data() + message.size() - 2 * NAMED_PSN_BYTES;
        RoceNamedPsnHeader{frame.psn}.Serialize(numbers);
        RoceNamedPsnHeader{frame.reflection.namedPsn}.Serialize(numbers + NAMED_PSN_BYTES);
    }
    if (frame.opcode == ROCE_SWITCH_RESPONSE)
    {
        const size_t reflectedBytes = message.size();
        message.resize(reflectedBytes + RoceSwitchResponseHeader::BYTES + 2 * sizeof(uint32_t));
        uint8_t* named = message.data() + reflectedBytes;
        RoceSwitchResponseHeader{frame.response.forReceiver, frame.response.switchId}.Serialize(
            named);
        named += RoceSwitchResponseHeader::BYTES;
        store_big_u32(named, frame.destinationQp);
        store_big_u32(named + sizeof(uint32_t), frame.psn);
    }
    return authenticator.Sign(number, message.data(), message.size());
}

std::string
SwitchResponseContext(uint32_t switchId, uint32_t host)
{
    return "switch " + std::to_string(switchId) + " host " + std::to_string(host);
}

FeedbackTag
SignNotification(const FeedbackAuthenticator& authenticator, uint64_t number, const Frame& frame)
{
    std::array<uint8_t, RoceNotificationHeader::BYTES> message;
    WriteNotificationHeader(frame, message.data());
    return authenticator.Sign(number, message.data(), message.size());
}

uint32_t
RoceFeedback::ReportWords(uint8_t flags)
{
    return flags & REFLECTION_BOTTLENECK_HOP ? HpccBottleneckHop::WORDS
                                             : HpccBottleneckHop::BARE_WORDS;
}

void
RoceFeedback::WriteReflection(const Frame& frame, uint8_t* out)
{
    HpccReflectionHeader reflection;
    reflection.flags = frame.reflection.flags;
    reflection.formatId = frame.format->GetReflectionId();
    reflection.hops = frame.telemetry.hops;
    reflection.stackFlags = frame.telemetry.flags;
    reflection.flows = frame.reportedFlows;
    reflection.sequence = frame.reflectionSeq;
    reflection.Serialize(out);
    out += HpccReflectionHeader::BYTES;
    if (reflection.flags & REFLECTION_AUTHENTICATED)
    {
        out = std::copy(frame.reflection.tag.begin(), frame.reflection.tag.end(), out);
    }
    if (!frame.ReportsBottleneckHop())
    {
        frame.format->SerializeRecords(frame.telemetry, out);
        return;
    }
    for (uint32_t i = 0; i < ReportWords(frame.reflection.flags); ++i)
    {
        store_big_u32(out + 4 * i, frame.telemetry.words[i]);
    }
}

bool
RoceFeedback::ReadReflection(const std::vector<const TelemetryFormat*>& formats,
                             const uint8_t* in,
                             size_t size,
                             Frame& frame,
                             std::string& why)
{
    HpccReflectionHeader reflection;
    if (reflection.Deserialize(in, size) == 0)
    {
        why = "reflection header is malformed";
        return false;
    }
    in += HpccReflectionHeader::BYTES;
    size -= HpccReflectionHeader::BYTES;
    frame.reflection.flags = reflection.flags;
    if (reflection.flags & REFLECTION_AUTHENTICATED)
    {
        FeedbackTag& tag = frame.reflection.tag;
        if (size < tag.size())
        {
            why = "authenticator of the reflection header is cut off";
            return false;
        }
        std::copy_n(in, tag.size(), tag.begin());
        in += tag.size();
        size -= tag.size();
    }
    TelemetryStack& stack = frame.telemetry;
    if (frame.ReportsBottleneckHop())
    {
        return ReadReport(formats, in, size, reflection, frame, why);
    }
    for (const TelemetryFormat* format : formats)
    {
        stack.hops = reflection.hops;
        if (format->GetReflectionId() == reflection.formatId &&
            format->GetReflectedBytes(stack) == size &&
            format->DeserializeRecords(in, size, reflection.hops, stack) == size)
        {
            frame.format = format;
            stack.flags = reflection.stackFlags;
            frame.reportedFlows = reflection.flows;
            frame.reflectionSeq = reflection.sequence;
            return true;
        }
    }
    why = "no known telemetry format reads the records after the reflection header";
    return false;
}

uint32_t
RoceFeedback::NotificationBytes(const Frame& frame)
{
    return RoceNotificationHeader::BYTES +
           (frame.notification.authenticated ? sizeof(FeedbackTag) : 0);
}

void
RoceFeedback::WriteNotification(const Frame& frame, uint8_t* out)
{
    WriteNotificationHeader(frame, out);
    if (frame.notification.authenticated)
    {
        const FeedbackTag& tag = frame.notification.tag;
        std::copy(tag.begin(), tag.end(), out + RoceNotificationHeader::BYTES);
    }
}

bool
RoceFeedback::ReadNotification(const uint8_t* in, size_t size, Frame& frame, std::string& why)
{
    RoceNotificationHeader header;
    header.Deserialize(in);
    frame.notification =
        {header.value, header.kind, header.congested, header.authenticated, header.number, {}};
    if (size < NotificationBytes(frame))
    {
        why = "authenticator of the CNP is cut off";
        return false;
    }
    FeedbackTag& tag = frame.notification.tag;
    std::copy_n(in + RoceNotificationHeader::BYTES,
                header.authenticated ? tag.size() : 0,
                tag.begin());
    return true;
}

} // namespace ns3
