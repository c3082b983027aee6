/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_REFLECTION_IDS_H
#define HPCC_REFLECTION_IDS_H

#include <vector>

namespace ns3
{

class TelemetryFormat;

/**
 * @ingroup hpcc
 *
 * Checks that only one class of formats uses a reflection id (TelemetryFormat::GetReflectionId())
 * or a UDP port that marks packets. Classes that are derived from the same format may share an id
 * or a port, because their records are the same.
 */
namespace ReflectionIds
{

/**
 * Compares a format with all formats of the program. Each class of formats is created with its
 * defaults, and with the attributes of each of its short names. Throws HpccInputError if another
 * class has the same id or port, or if the port is that of RoCEv2 packets without telemetry. The
 * error names both classes, or RoCEv2.
 * @param format the format
 */
void Check(const TelemetryFormat& format);

/**
 * Compares a format with other formats. Throws HpccInputError if a format of another class has the
 * same id or port.
 * @param format the format
 * @param others the formats to compare with
 */
void Check(const TelemetryFormat& format, const std::vector<const TelemetryFormat*>& others);

} // namespace ReflectionIds

} // namespace ns3

#endif // HPCC_REFLECTION_IDS_H
