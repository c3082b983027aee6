/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-dscp-priority-map.h"
#include "hpcc-egress-scheduler.h"
#include "hpcc-frame-sizes.h"
#include "qbb-net-device.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/nstime.h"

// The attributes and trace sources of QbbNetDevice.

namespace ns3
{

TypeId
QbbNetDevice::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<QbbNetDevice, NetDevice>("ns3::QbbNetDevice")
            .Attribute(
                "DataRate",
                "Line rate, 1 kb/s to 10 Tb/s.",
                HpccProperty(&QbbNetDevice::SetRate, &QbbNetDevice::GetRate, DataRate("100Gbps")))
            .Attribute("Mtu",
                       "Largest IP packet, bytes.",
                       HpccProperty(&QbbNetDevice::SetMtu, &QbbNetDevice::GetMtu, 9216, 576))
            .Attribute(
                "DscpToPriority",
                "Priority of each DSCP: \"dscp:priority\" pairs separated by commas, others 0.",
                HpccProperty(&QbbNetDevice::SetDscpMap,
                             &QbbNetDevice::GetDscpMap,
                             DscpPriorityMap::DEFAULT))
            .Attribute(
                "EthernetOverhead",
                "Let a frame occupy the link for FCS, preamble, gap and at least 84 bytes. Off for "
                "simulators that ignore this.",
                HpccField(&QbbNetDevice::m_ethernetOverhead, true))
            .Attribute("CountOverhead",
                       "Count in txBytes what a frame occupies, the unit of the line rate; off: "
                       "without preamble and gap.",
                       HpccField(&QbbNetDevice::m_countOverhead, true))
            .Attribute("WholeNanoseconds",
                       "Truncate each transmission time to whole ns strictly below its exact "
                       "value, as simulators with floating-point seconds do: 83.84 ns is 83, 80 "
                       "is 79. Links are a little too fast.",
                       HpccField(&QbbNetDevice::m_wholeNanoseconds, false))
            .Attribute("CarryFractions",
                       "Let a frame that leaves an idle port at once keep the part of its "
                       "arrival time below 1 ns, so that the times of paths of many short "
                       "frames are exact; otherwise each such port starts at the whole ns.",
                       HpccField(&QbbNetDevice::m_carryFractions, false))
            .Attribute("PfcEnabled",
                       "Send and obey priority-based flow control.",
                       HpccField(&QbbNetDevice::m_pfcEnabled, true))
            .Attribute("LosslessPriorities",
                       "Priorities under flow control, one bit each.",
                       HpccProperty(&QbbNetDevice::SetLossless, &QbbNetDevice::GetLossless, 1 << 3))
            .Attribute("Scheduler",
                       "What decides which priority sends next. Null: a PriorityScheduler.",
                       HpccProperty(&QbbNetDevice::SetScheduler,
                                    &QbbNetDevice::GetSchedulerObject,
                                    nullptr))
            .Attribute("Weights",
                       "Priorities that share by deficit weighted round robin: "
                       "\"priority:weight\" pairs separated by commas; empty: none. See "
                       "PriorityScheduler.",
                       HpccProperty(&QbbNetDevice::SetWeights, &QbbNetDevice::GetWeights, ""))
            .Attribute(
                "Quantum",
                "Bytes that the smallest of Weights may send in a turn, bytes on the "
                "link. Values below the largest frame cost CPU time, larger ones make bursts "
                "longer.",
                HpccProperty(&QbbNetDevice::SetQuantum,
                             &QbbNetDevice::GetQuantum,
                             1600,
                             64,
                             1000000))
            .Attribute("PauseQuanta",
                       "Pause time of a sent PFC frame, in 512 bit times, at least that of two "
                       "largest frames. "
                       "It is repeated at half time.",
                       HpccField(&QbbNetDevice::m_pauseQuanta, 65535, 2))
            .Attribute(
                "ReceiveDrainRate",
                "Rate at which the host empties its receive buffer; 0 is at once.",
                HpccProperty(&QbbNetDevice::SetDrainRate, &QbbNetDevice::GetDrainRate, DataRate(0)))
            .Attribute("ReceiveBuffer",
                       "Receive buffer of the host, bytes. A frame that does not fit is dropped.",
                       HpccField(&QbbNetDevice::m_receiveBufferBytes, 2 * 1024 * 1024, 1))
            .Attribute(
                "ReceivePauseThreshold",
                "Fill of the receive buffer above which the host pauses its neighbour, bytes.",
                HpccField(&QbbNetDevice::m_receivePauseBytes, 1024 * 1024))
            .Attribute(
                "ReceiveResumeThreshold",
                "Fill of the receive buffer at or below which the neighbour may resume, bytes.",
                HpccField(&QbbNetDevice::m_receiveResumeBytes, 512 * 1024))
            .Attribute("QueueLimit",
                       "Bytes that ns-3's IP stack may queue here for transmission.",
                       HpccField(&QbbNetDevice::m_queueLimitBytes, 10 * 1024 * 1024))
            .Attribute("QueueStop",
                       "Bytes in the queue of a priority from which on ns-3's traffic control "
                       "holds back packets of that priority, where a helper has enabled that.",
                       HpccField(&QbbNetDevice::m_queueStopBytes, 20000, 1))
            .Attribute("Tso",
                       "Offer ns-3's stack TsoMtu, and cut TCP's segments to what the Mtu and "
                       "TsoSegment allow.",
                       HpccField(&QbbNetDevice::m_tso, false))
            .Attribute(
                "TsoMtu",
                "Mtu that the stack sees with Tso, bytes; at least Mtu.",
                HpccField(&QbbNetDevice::m_tsoMtu, MAX_OFFLOAD_BYTES, 1280, MAX_OFFLOAD_BYTES))
            .Attribute("TsoSegment",
                       "Payload of a TCP segment that Tso makes, 536 to 8960 bytes; 0, or a "
                       "value that does not fit the Mtu, stands for as much as fits.",
                       HpccField(&QbbNetDevice::m_tsoSegmentBytes, 0, 0, 8960))
            .Attribute("Gro",
                       "Join consecutive TCP segments that arrive before they go to ns-3's "
                       "stack. For hosts, not for routers.",
                       HpccField(&QbbNetDevice::m_gro, false))
            .Attribute("GroGap",
                       "Idle time after which held segments are passed to the stack.",
                       HpccField(&QbbNetDevice::m_groGap, MicroSeconds(1), NanoSeconds(1)))
            .Attribute("GroTimeout",
                       "Longest time for which a segment is held.",
                       HpccField(&QbbNetDevice::m_groTimeout, MicroSeconds(2), NanoSeconds(1)))
            .Attribute("ReceiveErrorModel",
                       "Corrupts frames on receipt.",
                       HpccField(&QbbNetDevice::m_receiveErrorModel, nullptr))
            .Trace("Enqueue",
                   "A frame joins an egress queue.",
                   Trace(&QbbNetDevice::m_enqueueTrace),
                   "ns3::QbbNetDevice::PacketTracedCallback")
            .Trace("Dequeue",
                   "A frame starts its transmission.",
                   Trace(&QbbNetDevice::m_dequeueTrace),
                   "ns3::QbbNetDevice::PacketTracedCallback")
            .Trace("Drop",
                   "A frame is dropped, with the reason.",
                   Trace(&QbbNetDevice::m_dropTrace),
                   "ns3::QbbNetDevice::DropTracedCallback")
            .Trace("EcnMark",
                   "A frame is marked CE.",
                   Trace(&QbbNetDevice::m_ecnMarkTrace),
                   "ns3::QbbNetDevice::PacketTracedCallback")
            .Trace("MacRx",
                   "A frame has been received.",
                   Trace(&QbbNetDevice::m_macRxTrace),
                   "ns3::QbbNetDevice::PacketTracedCallback")
            .Trace(
                "PromiscSniffer",
                "Every frame that starts its transmission or is received, PFC included, for pcap.",
                Trace(&QbbNetDevice::m_snifferTrace),
                "ns3::QbbNetDevice::PacketTracedCallback")
            .Trace("PfcSent",
                   "A PFC frame is sent; called for each priority in it.",
                   Trace(&QbbNetDevice::m_pfcSentTrace),
                   "ns3::QbbNetDevice::PfcTracedCallback")
            .Trace("PfcReceived",
                   "A PFC frame is received; called for each priority in it.",
                   Trace(&QbbNetDevice::m_pfcReceivedTrace),
                   "ns3::QbbNetDevice::PfcTracedCallback")
            .Trace("PauseStart",
                   "A priority is paused.",
                   Trace(&QbbNetDevice::m_pauseStartTrace),
                   "ns3::QbbNetDevice::PauseStartTracedCallback")
            .Trace("PauseEnd",
                   "A pause ends by resume or expiry.",
                   Trace(&QbbNetDevice::m_pauseEndTrace),
                   "ns3::QbbNetDevice::PauseEndTracedCallback")
            .Trace("QueueBytes",
                   "The bytes of an egress queue have changed.",
                   Trace(&QbbNetDevice::m_queueBytesTrace),
                   "ns3::QbbNetDevice::QueueBytesTracedCallback")
            .Trace("Transmit",
                   "A frame starts its transmission; gives the frame itself and makes no packet.",
                   Trace(&QbbNetDevice::m_transmitTrace),
                   "ns3::QbbNetDevice::TransmitTracedCallback");
    return tid;
}

} // namespace ns3
