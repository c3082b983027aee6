/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PCAP_LINK_TYPE_H
#define HPCC_PCAP_LINK_TYPE_H

#include "ns3/trace-helper.h"

namespace ns3
{

/// Link type of Ethernet in pcap files (LINKTYPE_ETHERNET of libpcap). The name of ns-3's constant
/// differs before and after 3.49.
inline constexpr auto PCAP_ETHERNET = static_cast<PcapHelper::DataLinkType>(1);

} // namespace ns3

#endif // HPCC_PCAP_LINK_TYPE_H
