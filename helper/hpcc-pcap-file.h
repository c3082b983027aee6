/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PCAP_FILE_H
#define HPCC_PCAP_FILE_H

#include "ns3/pcap-file-wrapper.h"
#include "ns3/qbb-net-device.h"

#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Writes all frames of a port into a pcap file, with link type Ethernet and times in ns. Throws
 * HpccInputError if the file cannot be opened.
 * @param port port whose frames are recorded, both sent and received ones
 * @param name path of the file
 * @return the file
 */
Ptr<PcapFileWrapper> RecordFrames(Ptr<QbbNetDevice> port, const std::string& name);

} // namespace ns3

#endif // HPCC_PCAP_FILE_H
