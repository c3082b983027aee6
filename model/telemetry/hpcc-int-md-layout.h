/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INT_MD_LAYOUT_H
#define HPCC_INT_MD_LAYOUT_H

#include <cstdint>

namespace ns3
{

/// Sizes and values of INT-MD that several files of IntMdFormat use.
namespace IntMdLayout
{

constexpr uint32_t SHIM_BYTES = 4;   ///< size of the shim header, bytes
constexpr uint32_t HEADER_WORDS = 3; ///< size of the INT-MD metadata header, 32-bit words
constexpr uint32_t BASE_BYTES = SHIM_BYTES + 4 * HEADER_WORDS; ///< size of INT-MD without records,
                                                               ///< bytes

constexpr uint32_t NOT_AVAILABLE = 0xffffffff; ///< content of a 32-bit field whose value the switch
                                               ///< does not know
constexpr uint32_t NO_PORT = 0xffff;           ///< content of a port field whose value the switch
                                               ///< does not know
constexpr uint32_t NO_OCCUPANCY = 0xffffff;    ///< content of a queue length field whose value the
                                               ///< switch does not know

} // namespace IntMdLayout

} // namespace ns3

#endif // HPCC_INT_MD_LAYOUT_H
