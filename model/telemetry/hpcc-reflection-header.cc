/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-reflection-header.h"

#include "hpcc-hop-telemetry.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

void
HpccReflectionHeader::Serialize(uint8_t* out) const
{
    out[0] = VERSION << 4 | (flags & 0xf);
    out[1] = formatId;
    out[2] = hops;
    out[3] = stackFlags;
    store_big_u16(out + 4, flows);
    store_big_u16(out + 6, sequence);
}

size_t
HpccReflectionHeader::Deserialize(const uint8_t* in, size_t size)
{
    if (size < BYTES || in[0] >> 4 != VERSION || in[2] > MAX_TELEMETRY_HOPS ||
        (in[1] == 0 && in[2] != 0))
    {
        return 0;
    }
    flags = in[0] & 0xf;
    formatId = in[1];
    hops = in[2];
    stackFlags = in[3];
    flows = load_big_u16(in + 4);
    sequence = load_big_u16(in + 6);
    return BYTES;
}

} // namespace ns3
