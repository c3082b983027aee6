/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BRIEF_FORMAT_H
#define BRIEF_FORMAT_H

#include "ns3/hpcc-stacked-format.h"

/**
 * Example of a user-defined telemetry format. A header, and one record of 16 bytes per hop, follow
 * the UDP header. A UDP port marks packets with this format. The records do not contain line rates.
 * Instead, the host looks them up in its inventory.
 */
class BriefFormat : public ns3::StackedTelemetryFormat
{
  public:
    static ns3::TypeId GetTypeId();

    BriefFormat();

    uint8_t GetReflectionId() const override
    {
        return 200;
    }

    std::string Validate(const ns3::TelemetryNetwork& network) const override;
    int32_t Insert(ns3::TelemetryStack& stack,
                   const ns3::HopSnapshot& hop,
                   uint32_t roomBytes) const override;
    ns3::HopTelemetry Read(const ns3::TelemetryStack& stack, uint32_t index) const override;

    uint32_t GetBaseBytes() const override
    {
        return HEADER_BYTES;
    }

    uint32_t GetHopBytes() const override
    {
        return GetRecordBytes();
    }

    void Serialize(const ns3::TelemetryStack& stack, uint8_t* out) const override;
    size_t Deserialize(const uint8_t* in, size_t size, ns3::TelemetryStack& stack) const override;

  private:
    static constexpr uint32_t HEADER_BYTES = 4; ///< "BRF" and the number of records

    QueueField GetQueueField() const override
    {
        return {3, UINT32_MAX};
    }

    void DoOpen(ns3::TelemetryStack& stack) const override
    {
        stack.remainingHops = static_cast<uint8_t>(GetMaxHops());
    }
};

#endif // BRIEF_FORMAT_H
