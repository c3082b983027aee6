/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "brief-format.h"

#include "ns3/hpcc-type-id.h"

#include <algorithm>

using namespace ns3;

NS_OBJECT_ENSURE_REGISTERED(BriefFormat);

TypeId
BriefFormat::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<BriefFormat, StackedTelemetryFormat>("ns3::BriefFormat").Presets("brief");
    return tid;
}

BriefFormat::BriefFormat()
{
    SetRecordWords(4); // switch and port ids of 16 bits each, time, sent bytes, queue length
    SetUdpPort(50123);
    m_capabilities.fields = TELEMETRY_SWITCH_ID | TELEMETRY_PORT_ID | TELEMETRY_TIMESTAMP |
                            TELEMETRY_TX_BYTES | TELEMETRY_QUEUE;
    m_capabilities.timestampModulus = m_capabilities.txBytesModulus = uint64_t{1} << 32;
}

std::string
BriefFormat::Validate(const TelemetryNetwork& network) const
{
    const std::string limit = " does not fit its 16 bits, up to " + std::to_string(UINT16_MAX);
    return network.largestSwitchId > UINT16_MAX
               ? "switch id " + std::to_string(network.largestSwitchId) + limit
           : network.largestPortId > UINT16_MAX
               ? "port id " + std::to_string(network.largestPortId) + limit
               : "";
}

int32_t
BriefFormat::Insert(TelemetryStack& stack, const HopSnapshot& hop, uint32_t roomBytes) const
{
    if (stack.remainingHops == 0 || roomBytes < GetHopBytes())
    {
        return Skip(stack, TELEMETRY_NO_FLAG);
    }
    uint32_t* word = Push(stack);
    word[0] = hop.switchId << 16 | hop.egressPort;
    word[1] = static_cast<uint32_t>(hop.timestampNs);
    word[2] = static_cast<uint32_t>(hop.txBytes);
    word[3] = static_cast<uint32_t>(std::min<uint64_t>(hop.queueBytes, UINT32_MAX));
    return static_cast<int32_t>(GetHopBytes());
}

HopTelemetry
BriefFormat::Read(const TelemetryStack& stack, uint32_t index) const
{
    const uint32_t* word = RecordOf(stack, index);
    HopTelemetry hop{};
    hop.switchId = word[0] >> 16;
    hop.portId = word[0] & UINT16_MAX;
    hop.timestampNs = word[1];
    hop.txBytes = word[2];
    hop.queueBytes = word[3];
    hop.fields = m_capabilities.fields;
    return hop;
}

void
BriefFormat::Serialize(const TelemetryStack& stack, uint8_t* out) const
{
    const uint8_t header[HEADER_BYTES]{'B', 'R', 'F', stack.hops};
    SerializeRecords(stack, std::copy(header, header + HEADER_BYTES, out));
}

size_t
BriefFormat::Deserialize(const uint8_t* in, size_t size, TelemetryStack& stack) const
{
    const bool valid = size >= HEADER_BYTES && std::equal(in, in + 3, "BRF") &&
                       DeserializeRecords(in + HEADER_BYTES, size - HEADER_BYTES, in[3], stack) ==
                           in[3] * GetRecordBytes();
    return valid ? GetWireBytes(stack) : 0;
}
