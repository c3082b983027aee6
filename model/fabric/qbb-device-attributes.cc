/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-dscp-priority-map.h"
#include "hpcc-egress-scheduler.h"
#include "hpcc-frame-sizes.h"
#include "qbb-net-device.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

// The attributes and trace sources of QbbNetDevice.

namespace ns3
{

TypeId
QbbNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("Hpcc")
            .AddConstructor<QbbNetDevice>()
            .AddAttribute("DataRate",
                          "Line rate, 1 kb/s to 10 Tb/s.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&QbbNetDevice::SetRate, &QbbNetDevice::GetRate),
                          MakeDataRateChecker())
            .AddAttribute("Mtu",
                          "Largest IP packet, bytes.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&QbbNetDevice::SetMtu, &QbbNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(576))
            .AddAttribute(
                "DscpToPriority",
                "Priority of each DSCP: \"dscp:priority\" pairs separated by commas, others 0.",
                StringValue(DscpPriorityMap::DEFAULT),
                MakeStringAccessor(&QbbNetDevice::SetDscpMap, &QbbNetDevice::GetDscpMap),
                MakeStringChecker())
            .AddAttribute(
                "EthernetOverhead",
                "Let a frame occupy the link for FCS, preamble, gap and at least 84 bytes. Off for "
                "simulators that ignore this.",
                BooleanValue(true),
                MakeBooleanAccessor(&QbbNetDevice::m_ethernetOverhead),
                MakeBooleanChecker())
            .AddAttribute("CountOverhead",
                          "Count in txBytes what a frame occupies, the unit of the line rate; off: "
                          "without preamble and gap.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QbbNetDevice::m_countOverhead),
                          MakeBooleanChecker())
            .AddAttribute("WholeNanoseconds",
                          "Truncate each transmission time to whole ns strictly below its exact "
                          "value, as simulators with floating-point seconds do: 83.84 ns is 83, 80 "
                          "is 79. Links are a little too fast.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_wholeNanoseconds),
                          MakeBooleanChecker())
            .AddAttribute("CarryFractions",
                          "Let a frame that leaves an idle port at once keep the part of its "
                          "arrival time below 1 ns, so that the times of paths of many short "
                          "frames are exact; otherwise each such port starts at the whole ns.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_carryFractions),
                          MakeBooleanChecker())
            .AddAttribute("PfcEnabled",
                          "Send and obey priority-based flow control.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&QbbNetDevice::m_pfcEnabled),
                          MakeBooleanChecker())
            .AddAttribute(
                "LosslessPriorities",
                "Priorities under flow control, one bit each.",
                UintegerValue(1 << 3),
                MakeUintegerAccessor(&QbbNetDevice::SetLossless, &QbbNetDevice::GetLossless),
                MakeUintegerChecker<uint8_t>())
            .AddAttribute(
                "Scheduler",
                "What decides which priority sends next. Null: a PriorityScheduler.",
                PointerValue(),
                MakePointerAccessor(&QbbNetDevice::SetScheduler, &QbbNetDevice::GetSchedulerObject),
                MakePointerChecker<EgressScheduler>())
            .AddAttribute("Weights",
                          "Priorities that share by deficit weighted round robin: "
                          "\"priority:weight\" pairs separated by commas; empty: none. See "
                          "PriorityScheduler.",
                          StringValue(""),
                          MakeStringAccessor(&QbbNetDevice::SetWeights, &QbbNetDevice::GetWeights),
                          MakeStringChecker())
            .AddAttribute(
                "Quantum",
                "Bytes that the smallest of Weights may send in a turn, bytes on the "
                "link. Values below the largest frame cost CPU time, larger ones make bursts "
                "longer.",
                UintegerValue(1600),
                MakeUintegerAccessor(&QbbNetDevice::SetQuantum, &QbbNetDevice::GetQuantum),
                MakeUintegerChecker<uint32_t>(64, 1000000))
            .AddAttribute("PauseQuanta",
                          "Pause time of a sent PFC frame, in 512 bit times, at least that of two "
                          "largest frames. "
                          "It is repeated at half time.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&QbbNetDevice::m_pauseQuanta),
                          MakeUintegerChecker<uint16_t>(2))
            .AddAttribute(
                "ReceiveDrainRate",
                "Rate at which the host empties its receive buffer; 0 is at once.",
                DataRateValue(DataRate(0)),
                MakeDataRateAccessor(&QbbNetDevice::SetDrainRate, &QbbNetDevice::GetDrainRate),
                MakeDataRateChecker())
            .AddAttribute(
                "ReceiveBuffer",
                "Receive buffer of the host, bytes. A frame that does not fit is dropped.",
                UintegerValue(2 * 1024 * 1024),
                MakeUintegerAccessor(&QbbNetDevice::m_receiveBufferBytes),
                MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "ReceivePauseThreshold",
                "Fill of the receive buffer above which the host pauses its neighbour, bytes.",
                UintegerValue(1024 * 1024),
                MakeUintegerAccessor(&QbbNetDevice::m_receivePauseBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "ReceiveResumeThreshold",
                "Fill of the receive buffer at or below which the neighbour may resume, bytes.",
                UintegerValue(512 * 1024),
                MakeUintegerAccessor(&QbbNetDevice::m_receiveResumeBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueLimit",
                          "Bytes that ns-3's IP stack may queue here for transmission.",
                          UintegerValue(10 * 1024 * 1024),
                          MakeUintegerAccessor(&QbbNetDevice::m_queueLimitBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueStop",
                          "Bytes in the queue of a priority from which on ns-3's traffic control "
                          "holds back packets of that priority, where a helper has enabled that.",
                          UintegerValue(20000),
                          MakeUintegerAccessor(&QbbNetDevice::m_queueStopBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Tso",
                          "Offer ns-3's stack TsoMtu, and cut TCP's segments to what the Mtu and "
                          "TsoSegment allow.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_tso),
                          MakeBooleanChecker())
            .AddAttribute("TsoMtu",
                          "Mtu that the stack sees with Tso, bytes; at least Mtu.",
                          UintegerValue(MAX_OFFLOAD_BYTES),
                          MakeUintegerAccessor(&QbbNetDevice::m_tsoMtu),
                          MakeUintegerChecker<uint16_t>(1280, MAX_OFFLOAD_BYTES))
            .AddAttribute("TsoSegment",
                          "Payload of a TCP segment that Tso makes, 536 to 8960 bytes; 0, or a "
                          "value that does not fit the Mtu, stands for as much as fits.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbNetDevice::m_tsoSegmentBytes),
                          MakeUintegerChecker<uint16_t>(0, 8960))
            .AddAttribute("Gro",
                          "Join consecutive TCP segments that arrive before they go to ns-3's "
                          "stack. For hosts, not for routers.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbNetDevice::m_gro),
                          MakeBooleanChecker())
            .AddAttribute("GroGap",
                          "Idle time after which held segments are passed to the stack.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&QbbNetDevice::m_groGap),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("GroTimeout",
                          "Longest time for which a segment is held.",
                          TimeValue(MicroSeconds(2)),
                          MakeTimeAccessor(&QbbNetDevice::m_groTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ReceiveErrorModel",
                          "Corrupts frames on receipt.",
                          PointerValue(),
                          MakePointerAccessor(&QbbNetDevice::m_receiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddTraceSource("Enqueue",
                            "A frame joins an egress queue.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_enqueueTrace)),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame starts its transmission.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_dequeueTrace)),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("Drop",
                            "A frame is dropped, with the reason.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_dropTrace)),
                            "ns3::QbbNetDevice::DropTracedCallback")
            .AddTraceSource("EcnMark",
                            "A frame is marked CE.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_ecnMarkTrace)),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("MacRx",
                            "A frame has been received.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_macRxTrace)),
                            "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource(
                "PromiscSniffer",
                "Every frame that starts its transmission or is received, PFC included, for pcap.",
                MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_snifferTrace)),
                "ns3::QbbNetDevice::PacketTracedCallback")
            .AddTraceSource("PfcSent",
                            "A PFC frame is sent; called for each priority in it.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_pfcSentTrace)),
                            "ns3::QbbNetDevice::PfcTracedCallback")
            .AddTraceSource("PfcReceived",
                            "A PFC frame is received; called for each priority in it.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_pfcReceivedTrace)),
                            "ns3::QbbNetDevice::PfcTracedCallback")
            .AddTraceSource("PauseStart",
                            "A priority is paused.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_pauseStartTrace)),
                            "ns3::QbbNetDevice::PauseStartTracedCallback")
            .AddTraceSource("PauseEnd",
                            "A pause ends by resume or expiry.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_pauseEndTrace)),
                            "ns3::QbbNetDevice::PauseEndTracedCallback")
            .AddTraceSource("QueueBytes",
                            "The bytes of an egress queue have changed.",
                            MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_queueBytesTrace)),
                            "ns3::QbbNetDevice::QueueBytesTracedCallback")
            .AddTraceSource(
                "Transmit",
                "A frame starts its transmission; gives the frame itself and makes no packet.",
                MakeTraceSourceAccessor(Trace(&QbbNetDevice::m_transmitTrace)),
                "ns3::QbbNetDevice::TransmitTracedCallback");
    return tid;
}

} // namespace ns3
