/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-bottleneck.h"
#include "hpcc-test-tcp.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t PROBE_DSCP = 21;
constexpr uint8_t TCP = 6;
constexpr uint32_t SENDERS = 8;
constexpr uint64_t BYTES = 1000000;
constexpr uint32_t SEGMENT = 1000;

/// A format and the packets that carry it.
struct Way
{
    const char* format; ///< short name of the format
    bool inBand;        ///< true if data segments carry the format, false if probes do
    bool ipv6;          ///< true for IPv6
    double goodput;     ///< lower bound of the sum of the goodput of all flows, Gb/s
};

/// Tests an incast with one format.
class FormatTestCase : public TcpTestCase
{
  public:
    explicit FormatTestCase(const Way& way)
        : TcpTestCase(std::string(way.format) + (way.inBand ? " in data" : " in probes") +
                      " of TCP over IPv" + (way.ipv6 ? "6" : "4") +
                      " is on the wire as it should, never at TCP, and keeps a queue short and the "
                      "link full"),
          m_way(way)
    {
    }

  private:
    void DoRun() override
    {
        m_tcp.SetTelemetry(m_way.format);
        m_tcp.SetNicAttribute("Feedback", StringValue(m_way.inBand ? "InBand" : "Probe"));
        // Set N, which determines W_ai, to the actual number of flows.
        Config::SetDefault("ns3::TcpHpccPlusPlus::N", UintegerValue(SENDERS));
        Make(HpccTopology::Star(SENDERS + 1, FAST));
        IncastWatch watch;
        watch.Watch(m_fabric);
        watch.leaving = [this](const Frame& frame) { Check(frame); };
        AddIncast(SENDERS, BYTES, m_way.ipv6);
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        uint64_t sent = 0;
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_received[i], BYTES, "bytes of flow " << i);
            sent += ExpectAnswered(i);
        }
        if (m_way.inBand)
        {
            NS_TEST_EXPECT_MSG_EQ(sent, SENDERS * BYTES / SEGMENT, "segments");
        }
        NS_TEST_EXPECT_MSG_EQ(watch.collecting, sent, "with telemetry at the bottleneck");
        NS_TEST_EXPECT_MSG_EQ(watch.strange, 0, "of which without a flow's hash or one record");
        NS_TEST_EXPECT_MSG_EQ(watch.marked, 0, "packets with another TOS at ns-3's IP");
        NS_TEST_EXPECT_MSG_EQ(m_wrongBytes, 0, "frames of another size than their bytes");
        NS_TEST_EXPECT_MSG_EQ(m_wrongDscp, 0, "frames with the wrong DSCP");
        NS_TEST_EXPECT_MSG_EQ(m_outOfTurn, 0, "probes that ask for the same for too long");
        NS_TEST_EXPECT_MSG_EQ(m_lost, 0, "frames that do not come out of their bytes");
        NS_TEST_EXPECT_MSG_LT(watch.latePeak, 25000, "longest queue after 200 us");
        const double goodput = SENDERS * BYTES * 8 / (m_lastByte - 10e3);
        NS_TEST_EXPECT_MSG_GT(goodput, m_way.goodput, "goodput, Gb/s");
    }

    void Check(const Frame& frame)
    {
        const bool data = frame.packet->GetSize() > SEGMENT;
        m_lastByte = data ? Simulator::Now().GetDouble() : m_lastByte;
        m_wrongDscp += (frame.tos >> 2 == PROBE_DSCP) != MarksDscp(frame);
        const auto bytes = FrameCodec::Encode(frame, Mac48Address(), Mac48Address());
        m_wrongBytes += bytes.size() != frame.bytes;
        if (frame.format && !m_way.inBand && frame.format->GetCapabilities().pathExtreme)
        {
            const bool queue = frame.telemetry.request == TELEMETRY_QUEUE_DELAY;
            uint32_t& delays = m_delays[frame.flowHash];
            m_outOfTurn += delays == (queue ? 2 : 0);
            delays = queue ? delays + 1 : 0;
        }
        FrameCodec codec;
        if (frame.format)
        {
            codec.AddFormat(frame.format);
        }
        Frame* read = m_pool.Allocate();
        std::string why;
        m_lost += !codec.Decode(bytes.data(), bytes.size(), *read, why) ||
                  read->format != frame.format || read->flowHash != frame.flowHash ||
                  read->protocol != TCP || read->packet->GetSize() != frame.packet->GetSize();
        FramePool::Free(read);
    }

    bool MarksDscp(const Frame& frame) const
    {
        return frame.format && (!m_way.inBand || frame.format->GetMarking().dscp >= 0);
    }

    Way m_way;                             ///< format and packets that carry it
    FramePool m_pool;                      ///< decoded frames
    std::map<uint32_t, uint32_t> m_delays; ///< number of consecutive probes that request delays, by
                                           ///< flow hash
    uint64_t m_outOfTurn{0};  ///< number of probes after which a quantity was not requested for too
                              ///< long
    uint64_t m_wrongBytes{0}; ///< number of frames whose size differs from their encoded size
    uint64_t m_wrongDscp{0};  ///< number of frames with the wrong DSCP
    uint64_t m_lost{0};       ///< number of frames that are changed by encoding and decoding
    double m_lastByte{0};     ///< time at which the last data was sent, ns
};

/// Tests an IPv6-only format in a network that uses both IPv4 and IPv6.
class Ipv6OnlyTestCase : public TcpTestCase
{
  public:
    explicit Ipv6OnlyTestCase(const std::string& feedback)
        : TcpTestCase(
              "with a format of IPv6 (" + feedback +
              ") a connection over IPv4 falls back at once and begins by slow start, and one "
              "over IPv6 does not; without IPv6 it is refused"),
          m_feedback(feedback)
    {
    }

  private:
    void DoRun() override
    {
        m_tcp.SetTelemetry("ioam");
        m_tcp.SetNicAttribute("Feedback", StringValue(m_feedback));
        Make(HpccTopology::Star(2, FAST));
        AddBulk(0, 1, BYTES, 5000, MicroSeconds(10), false);
        AddBulk(0, 1, BYTES, 5001, MicroSeconds(10), true);
        NoteFallBacks(0);
        Simulator::Schedule(MicroSeconds(11), [this] {
            Config::ConnectWithoutContext(
                "/NodeList/0/$ns3::TcpL4Protocol/SocketList/0/CongestionWindow",
                MakeCallback(&Ipv6OnlyTestCase::NoteWindow, this));
        });
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received[0], BYTES, "bytes over IPv4");
        NS_TEST_EXPECT_MSG_EQ(m_received[1], BYTES, "bytes over IPv6");
        NS_TEST_EXPECT_MSG_EQ((m_fallen == std::vector<uint16_t>{5000}), true, "who fell back");
        NS_TEST_EXPECT_MSG_GT(m_window, 100 * SEGMENT, "largest window over IPv4");
        NS_TEST_EXPECT_MSG_GT(NicOf(0)->GetCounters().answersReceived, 8, "answers");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetCounters().probeTimeouts, 0, "given up");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetConnections(), 0, "connections left");
        ExpectRefused();
    }

    void NoteWindow(uint32_t, uint32_t bytes)
    {
        m_window = std::max(m_window, bytes);
    }

    void ExpectRefused()
    {
        HpccFabricHelper fabric;
        fabric.Install(HpccTopology::Star(2, FAST));
        HpccInternetHelper internet;
        internet.SetIpv6(false);
        internet.Install(fabric);
        std::string why;
        try
        {
            m_tcp.Install(fabric);
        }
        catch (const HpccInputError& error)
        {
            why = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(why,
                              "telemetry format ioam exists in IPv6 only, and host 0 has no IPv6",
                              "what is wrong");
    }

    std::string m_feedback; ///< attribute Feedback of the NICs
    uint32_t m_window{0};   ///< largest window of the connection over IPv4, bytes
};

/// Tests telemetry formats with TCP.
class HpccTcpFormatsTestSuite : public TestSuite
{
  public:
    HpccTcpFormatsTestSuite()
        : TestSuite("hpcc-tcp-formats", Type::SYSTEM)
    {
        for (const Way& way : {Way{"int-md:dscp", false, false, 75},
                               Way{"int-md:dscp", false, true, 74},
                               Way{"int-md:dscp", true, false, 75},
                               Way{"ifa", false, true, 74},
                               Way{"ifa", true, false, 75},
                               Way{"ifa", true, true, 74},
                               Way{"csig", false, false, 74},
                               Way{"csig", true, false, 76},
                               Way{"csig", true, true, 75},
                               Way{"csig-wide", true, false, 76},
                               Way{"ioam", true, true, 60},
                               Way{"ioam-incremental", true, true, 73}})
        {
            AddTestCase(new FormatTestCase(way));
        }
        AddTestCase(new Ipv6OnlyTestCase("Probe"));
        AddTestCase(new Ipv6OnlyTestCase("InBand"));
    }
};

HpccTcpFormatsTestSuite g_hpccTcpFormatsTestSuite; ///< the suite

} // namespace
