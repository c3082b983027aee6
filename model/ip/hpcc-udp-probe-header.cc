/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-udp-probe-header.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

using namespace boost::endian;

void
HpccUdpProbeHeader::Serialize(uint8_t* out) const
{
    out[0] = VERSION;
    out[1] = kind;
    out[2] = 0;
    out[3] = 0;
    store_big_u32(out + 4, number);
    store_big_u64(out + 8, bytes);
}

size_t
HpccUdpProbeHeader::Deserialize(const uint8_t* in, size_t size)
{
    if (size < BYTES || in[0] != VERSION || (in[1] != PROBE && in[1] != ANSWER))
    {
        return 0;
    }
    kind = static_cast<Kind>(in[1]);
    number = load_big_u32(in + 4);
    bytes = load_big_u64(in + 8);
    return BYTES;
}

} // namespace ns3
