/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-pcap-file.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/trace-helper.h"

#include <cstdint>
#include <ios>

namespace ns3
{

namespace
{

/// LINKTYPE_ETHERNET of libpcap. It is defined here, because the name of ns-3's constant differs
/// before and after 3.49.
constexpr uint32_t ETHERNET = 1;

} // namespace

Ptr<PcapFileWrapper>
RecordFrames(Ptr<QbbNetDevice> port, const std::string& name)
{
    auto file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(name, std::ios::out);
    HPCC_REFUSE_IF(file->Fail(),
                   "pcap: cannot write " + name + "; name a file in an existing directory");
    file->Init(ETHERNET);
    PcapHelper().HookDefaultSink<QbbNetDevice>(port, "PromiscSniffer", file);
    return file;
}

} // namespace ns3
