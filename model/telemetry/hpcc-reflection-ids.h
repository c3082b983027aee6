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
 * Checks that a reflection id (TelemetryFormat::GetReflectionId()) belongs to one class of formats.
 * Classes that are derived from the same format may share its id, because they share its records.
 */
namespace ReflectionIds
{

/**
 * Checks a format against all formats of the program, with the attributes of each short name.
 * Throws HpccInputError that names both claimants if another class has its id.
 * @param format the format
 */
void Check(const TelemetryFormat& format);

/**
 * Checks a format against some others, in the same way.
 * @param format the format
 * @param others the others
 */
void Check(const TelemetryFormat& format, const std::vector<const TelemetryFormat*>& others);

} // namespace ReflectionIds

} // namespace ns3

#endif // HPCC_REFLECTION_IDS_H
