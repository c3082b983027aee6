/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-dscp-priority-map.h"
#include "hpcc-egress-scheduler.h"
#include "hpcc-frame-sizes.h"
#include "qbb-net-device.h"
#include "qbb-port-parts.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-part-trace.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

namespace ns3
{

TypeId
QbbNetDevice::GetTypeId()
{
    const auto trace = [](auto place) {
        return MakeHpccPartTrace<QbbNetDevice>(
            [place](QbbNetDevice& device) { return &(device.m_parts->traces.*place); });
    };
    const auto ofPackets = [](auto place) {
        return MakeHpccPartTrace<QbbNetDevice>([place](QbbNetDevice& device) {
            device.RequireNoLag();
            return &(device.m_parts->traces.*place);
        });
    };
    const auto fixed = [](const HpccAttribute& attribute) {
        return attribute.FixedAfter<QbbNetDevice>(
            "Install() of the switch or host",
            [](const QbbNetDevice& port) { return port.IsInstalled(); });
    };
    const auto checked = [](const HpccAttribute& attribute) {
        return attribute.Then(&QbbNetDevice::CheckInitialized);
    };
    const auto isRunning = [](const QbbNetDevice& port) {
        return port.IsInstalled() && Simulator::Now().IsStrictlyPositive();
    };
    static TypeId tid =
        HpccTypeId::Of<QbbNetDevice, NetDevice>("ns3::QbbNetDevice")
            .Attribute("DataRate",
                       "Line rate, 1 kb/s to 10 Tb/s.",
                       fixed(HpccProperty(&QbbNetDevice::SetRate,
                                          &QbbNetDevice::GetRate,
                                          DataRate("100Gbps"))))
            .Attribute("Mtu",
                       "Largest IP packet on the wire, bytes.",
                       HpccProperty(&QbbNetDevice::SetMtu, &QbbNetDevice::GetMtu, 9216, 576))
            .Attribute("DscpToPriority",
                       "Priorities of DSCPs: \"dscp:priority\" pairs separated by commas; other "
                       "DSCPs have priority 0.",
                       HpccProperty(&QbbNetDevice::SetDscpMap,
                                    &QbbNetDevice::GetDscpMap,
                                    DscpPriorityMap::DEFAULT)
                           .FixedAfter<QbbNetDevice>("the start of the run", isRunning))
            .Attribute("EthernetOverhead",
                       "Whether a frame also occupies the link for FCS, preamble and gap, for at "
                       "least 84 bytes in all. False: as in simulators that ignore this.",
                       fixed(HpccField(&QbbNetDevice::m_ethernetOverhead, true)))
            .Attribute("CountOverhead",
                       "Whether txBytes counts all bytes that a frame occupies on the link, as the "
                       "line rate does. False: without preamble and gap.",
                       HpccField(&QbbNetDevice::m_countOverhead, true))
            .Attribute(
                "WholeNanoseconds",
                "Whether transmission times are rounded down to a whole ns strictly below the "
                "exact value, as in simulators with floating-point seconds: 83.84 ns becomes 83, "
                "80 becomes 79.",
                HpccField(&QbbNetDevice::m_wholeNanoseconds, false)
                    .Then(&QbbNetDevice::CheckInstalledRounding))
            .Attribute(
                "CarryFractions",
                "Whether a frame sent at once by an idle port keeps the fraction of a ns of its "
                "arrival time, so that times stay exact. False: it starts at a whole ns.",
                HpccField(&QbbNetDevice::m_carryFractions, false)
                    .Then(&QbbNetDevice::CheckInstalledRounding))
            .Attribute("PfcEnabled",
                       "Whether the port sends and obeys priority-based flow control (PFC).",
                       fixed(HpccField(&QbbNetDevice::m_pfcEnabled, true))
                           .Then(&QbbNetDevice::ConfigureScheduler))
            .Attribute(
                "LosslessPriorities",
                "Priorities with PFC, as a bit mask.",
                checked(
                    HpccProperty(&QbbNetDevice::SetLossless, &QbbNetDevice::GetLossless, 1 << 3)))
            .Attribute("Scheduler",
                       "The EgressScheduler that decides which priority sends next. Null: a "
                       "PriorityScheduler.",
                       HpccProperty(&QbbNetDevice::SetScheduler,
                                    &QbbNetDevice::GetSchedulerObject,
                                    nullptr))
            .Attribute(
                "Weights",
                "Priorities that share by deficit weighted round robin (see PriorityScheduler): "
                "\"priority:weight\" pairs separated by commas. Empty: none.",
                HpccProperty(&QbbNetDevice::SetWeights, &QbbNetDevice::GetWeights, ""))
            .Attribute("Quantum",
                       "Link bytes per turn of the priority with the smallest of Weights. Less "
                       "than the largest frame costs CPU time; more makes bursts longer.",
                       HpccField(&QbbNetDevice::m_quantumBytes, 1600, 64, 1000000)
                           .Then(&QbbNetDevice::ConfigureScheduler))
            .Attribute("PauseQuanta",
                       "Pause time in a sent PFC frame, in units of 512 bit times; at least that "
                       "of two largest frames. The frame is repeated after half this time.",
                       checked(HpccField(&QbbNetDevice::m_pauseQuanta, 65535, 2)))
            .Attribute("ReceiveDrainRate",
                       "Rate at which the host empties its receive buffer. 0: immediately.",
                       checked(HpccProperty(&QbbNetDevice::SetDrainRate,
                                            &QbbNetDevice::GetDrainRate,
                                            DataRate(0))))
            .Attribute("ReceiveBuffer",
                       "Receive buffer of the host, bytes. Frames that do not fit are dropped.",
                       checked(HpccField(&QbbNetDevice::m_receiveBufferBytes, 2 * 1024 * 1024, 1)))
            .Attribute(
                "ReceivePauseThreshold",
                "Bytes in the receive buffer above which the host pauses its neighbour; less "
                "than ReceiveBuffer.",
                checked(HpccField(&QbbNetDevice::m_receivePauseBytes, 1024 * 1024)))
            .Attribute("ReceiveResumeThreshold",
                       "Bytes in the receive buffer at or below which the neighbour may resume; at "
                       "most ReceivePauseThreshold.",
                       checked(HpccField(&QbbNetDevice::m_receiveResumeBytes, 512 * 1024)))
            .Attribute("QueueLimit",
                       "Bytes that ns-3's IP stack may queue at this port for transmission.",
                       checked(HpccField(&QbbNetDevice::m_queueLimitBytes, 10 * 1024 * 1024)))
            .Attribute("QueueStop",
                       "Queue length of a priority, bytes, at which ns-3's traffic control, if a "
                       "helper has enabled it, stops passing packets of that priority.",
                       HpccField(&QbbNetDevice::m_queueStopBytes, 20000, 1))
            .Attribute("Tso",
                       "Whether the port offers TsoMtu to ns-3's stack and cuts TCP segments to "
                       "the size that Mtu and TsoSegment allow.",
                       HpccField(&QbbNetDevice::m_tso, false))
            .Attribute(
                "TsoMtu",
                "MTU that ns-3's stack gets if Tso is true, bytes; at least Mtu.",
                HpccField(&QbbNetDevice::m_tsoMtu, MAX_OFFLOAD_BYTES, 1280, MAX_OFFLOAD_BYTES)
                    .OnlyIf("Tso", "true"))
            .Attribute("TsoSegment",
                       "Payload of the TCP segments that Tso makes, 536 to 8960 bytes. 0, or a "
                       "value that does not fit Mtu: as much as fits.",
                       HpccField(&QbbNetDevice::m_tsoSegmentBytes, 0, 0, 8960))
            .Attribute("Gro",
                       "Whether consecutive TCP segments that arrive are joined before they are "
                       "passed to ns-3's stack. For hosts, not for routers.",
                       HpccField(&QbbNetDevice::m_gro, false))
            .Attribute("GroGap",
                       "With Gro: idle time after which held segments are passed to the stack.",
                       HpccField(&QbbNetDevice::m_groGap, MicroSeconds(1), NanoSeconds(1))
                           .OnlyIf("Gro", "true"))
            .Attribute("GroTimeout",
                       "With Gro: longest time for which a segment is held.",
                       HpccField(&QbbNetDevice::m_groTimeout, MicroSeconds(2), NanoSeconds(1))
                           .OnlyIf("Gro", "true"))
            .Attribute("ReceiveErrorModel",
                       "Error model for received frames. Null: no errors.",
                       HpccField(&QbbNetDevice::m_receiveErrorModel, nullptr)
                           .Then(&QbbNetDevice::RequireNoLag))
            .AddTraceSource("Enqueue",
                            "A frame joins an egress queue; fires again when the last frame of a "
                            "queue is trimmed.",
                            ofPackets(&QbbPortTraces::m_enqueueTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("Dequeue",
                            "The transmission of a frame starts.",
                            ofPackets(&QbbPortTraces::m_dequeueTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("Drop",
                            "A frame is dropped; gives the reason. Fires at the arrival port of a "
                            "frame that a switch refuses.",
                            ofPackets(&QbbPortTraces::m_dropTrace),
                            "ns3::QbbNetDevice::DropTracedCallback")
            .AddTraceSource("EcnMark",
                            "A frame is marked CE.",
                            ofPackets(&QbbPortTraces::m_ecnMarkTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("MacRx",
                            "A frame has been received.",
                            ofPackets(&QbbPortTraces::m_macRxTrace),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource(
                "PromiscSniffer",
                "A frame starts its transmission or has been received, PFC frames included. For "
                "pcap files.",
                ofPackets(&QbbPortTraces::m_snifferTrace),
                "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("PfcSent",
                            "A PFC frame is sent; fires for each priority in it.",
                            trace(&QbbPortTraces::m_pfcSentTrace),
                            "ns3::QbbNetDevice::PfcTracedCallback")
            .AddTraceSource("PfcReceived",
                            "A PFC frame is received; fires for each priority in it.",
                            trace(&QbbPortTraces::m_pfcReceivedTrace),
                            "ns3::QbbNetDevice::PfcTracedCallback")
            .AddTraceSource("PauseStart",
                            "A priority is paused.",
                            trace(&QbbPortTraces::m_pauseStartTrace),
                            "ns3::QbbNetDevice::PauseStartTracedCallback")
            .AddTraceSource("PauseEnd",
                            "A pause of a priority ends, by a resume or because its time is over.",
                            trace(&QbbPortTraces::m_pauseEndTrace),
                            "ns3::QbbNetDevice::PauseEndTracedCallback")
            .AddTraceSource("QueueBytes",
                            "The number of bytes in an egress queue has changed.",
                            trace(&QbbPortTraces::m_queueBytesTrace),
                            "ns3::QbbNetDevice::QueueBytesTracedCallback")
            .AddTraceSource(
                "Transmit",
                "The transmission of a frame starts; gives the frame itself and creates no Packet.",
                trace(&QbbPortTraces::m_transmitTrace),
                "ns3::QbbNetDevice::TransmitTracedCallback");
    return tid;
}

} // namespace ns3
