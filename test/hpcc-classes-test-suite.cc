/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tests several traffic classes at a port: deficit weighted round robin at switches and NICs, with
// and without PFC; telemetry records that describe one class; and refusals.

#include "../examples/hpcc-classes/hpcc-classes-study.h"
#include "hpcc-test-network.h"
#include "hpcc-test-rdma.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

constexpr uint8_t OWN = HpccClasses::OWN;     ///< priority of HPCC++
constexpr uint8_t OTHER = HpccClasses::OTHER; ///< priority of the other class

// ---------------------------------------------------------------------------------------------
// The wire

/// Tests two classes that fill a port of 8 Gb/s, at which a byte takes 1 ns.
class WireTestCase : public NetworkTestCase
{
  public:
    using NetworkTestCase::NetworkTestCase;

  protected:
    static constexpr uint32_t OWN_BYTES = 976;   ///< bytes of a frame of OWN; 1000 on the link
    static constexpr uint32_t OTHER_BYTES = 476; ///< bytes of a frame of OTHER; 500 on the link

    void DoSetup() override
    {
        NetworkTestCase::DoSetup();
        m_device.Set("LosslessPriorities", UintegerValue(1U << OWN | 1U << OTHER));
        m_device.Set("Weights", StringValue("3:1,4:3"));
    }

    /**
     * Returns the bytes that the frames that arrived at a host occupied on the link, by priority.
     * @param host the host
     * @param fromNs start of the interval
     * @param untilNs end of the interval
     * @return bytes on the link by priority
     */
    std::array<uint64_t, PRIORITIES> Arrived(uint32_t host, int64_t fromNs, int64_t untilNs) const
    {
        std::array<uint64_t, PRIORITIES> bytes{};
        for (const auto& note : m_hosts[host]->arrivals)
        {
            if (note.atNs >= fromNs && note.atNs < untilNs)
            {
                bytes[note.priority] += note.bytes + ETHERNET_OVERHEAD_BYTES;
            }
        }
        return bytes;
    }

    /**
     * Expects that class OWN has its share of the bytes that arrived.
     * @param bytes bytes by priority
     * @param ns duration in which the bytes arrived, ns
     * @param share expected share of class OWN
     */
    void ExpectShares(const std::array<uint64_t, PRIORITIES>& bytes, int64_t ns, double share)
    {
        // The bytes of a class differ from its share by at most the bytes of one round (4 quanta)
        // plus a frame of each class.
        const double slack = 4 * 1600 + 1500;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes[OWN]),
                                  share * static_cast<double>(ns),
                                  slack,
                                  "bytes of the own class");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(bytes[OWN] + bytes[OTHER]),
                                  static_cast<double>(ns),
                                  1500,
                                  "the link is never idle");
    }
};

class SwitchSharesTestCase : public WireTestCase
{
  public:
    SwitchSharesTestCase()
        : WireTestCase("a switch port gives each class its share; a paused one loses its turns to "
                       "the other, and has its share again afterwards, not what it has missed")
    {
    }

  private:
    void DoRun() override
    {
        m_device.Set("PauseQuanta", UintegerValue(65535));
        MakeStar(3, "8Gbps", NanoSeconds(100));
        for (uint32_t i = 0; i < 400; ++i)
        {
            FrameSpec own{OWN_BYTES, OWN, i, 0, 2};
            Send(0, own);
            FrameSpec other{OTHER_BYTES, OTHER, i, 1, 2};
            Send(1, other);
            Send(1, other);
        }
        // The receiver pauses class OWN from 100 to 200 us.
        for (auto [atUs, quanta] : {std::pair<int64_t, uint16_t>{100, 65535}, {200, 0}})
        {
            At(MicroSeconds(atUs), [this, quanta = quanta] {
                std::array<uint16_t, PRIORITIES> times{};
                times[OWN] = quanta;
                m_ports[2]->Emit(MakePfc(*m_ports[2], 1U << OWN, times));
            });
        }
        Simulator::Stop(MicroSeconds(300));
        Simulator::Run();
        ExpectShares(Arrived(2, 20'000, 100'000), 80'000, 0.25);
        ExpectShares(Arrived(2, 103'000, 200'000), 97'000, 0);
        NS_TEST_EXPECT_MSG_EQ(Arrived(2, 103'000, 200'000)[OWN], 0, "while it is paused");
        ExpectShares(Arrived(2, 203'000, 293'000), 90'000, 0.25);
    }
};

class NicSharesTestCase : public WireTestCase
{
  public:
    NicSharesTestCase()
        : WireTestCase("a NIC that pulls its frames gives each class its share, and all of the "
                       "link to a class that is alone")
    {
    }

  private:
    void DoRun() override
    {
        MakeLink("8Gbps", NanoSeconds(100));
        m_hosts[0]->make = [this](uint8_t priority) {
            FrameSpec spec{priority == OWN ? OWN_BYTES : OTHER_BYTES, priority};
            return MakeFrame(*m_ports[0], spec);
        };
        m_hosts[0]->toPull[OWN] = 100;
        m_hosts[0]->toPull[OTHER] = 150;
        m_ports[0]->Kick(0);
        Simulator::Run();
        // The 75000 bytes of the other class are sent by 100 us. Then 75 frames of class OWN
        // follow.
        ExpectShares(Arrived(1, 0, 98'000), 98'000, 0.25);
        const auto rest = Arrived(1, 102'000, 174'000);
        NS_TEST_EXPECT_MSG_EQ(rest[OTHER], 0, "the other class is through");
        NS_TEST_EXPECT_MSG_EQ(rest[OWN], 72'000, "the own one has the link");
    }
};

class CountTestCase : public WireTestCase
{
  public:
    CountTestCase()
        : WireTestCase("a port counts what it sends by priority, and PFC frames in none")
    {
    }

  private:
    void DoRun() override
    {
        MakeStar(3, "8Gbps", NanoSeconds(100));
        for (uint32_t i = 0; i < 10; ++i)
        {
            Send(0, {OWN_BYTES, OWN, i, 0, 2});
            Send(1, {OTHER_BYTES, OTHER, i, 1, 2});
        }
        QbbNetDevice& port = *m_switch->GetPorts()[2];
        At(MicroSeconds(1), [&port] { port.RequestPause(OWN); });
        At(MicroSeconds(2), [&port] { port.ReleasePause(OWN); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(port.GetTxBytes(OWN), 10'000, "own class");
        NS_TEST_EXPECT_MSG_EQ(port.GetTxBytes(OTHER), 5'000, "other class");
        NS_TEST_EXPECT_MSG_EQ(port.GetTxBytes(), 15'000 + 2 * 84, "with two PFC frames");
    }
};

/// Tests the shares of queue pairs of two classes at one host.
class HostSharesTestCase : public RdmaTestCase
{
  public:
    HostSharesTestCase()
        : RdmaTestCase("queue pairs of two DSCPs at one host share its link by their weights, and "
                       "each class by its queue pairs; DataDscp is for those without one")
    {
    }

  private:
    void DoRun() override
    {
        Fabric().SetDeviceAttribute("Weights", StringValue("3:1,4:3"));
        Fabric().SetDeviceAttribute("LosslessPriorities", UintegerValue(1U << OWN | 1U << OTHER));
        Fabric().SetDeviceAttribute("DscpToPriority", StringValue("26:3,34:4,48:6"));
        Install(BackToBack("100Gbps", MicroSeconds(1)));
        auto spec = HpccFabricHelper::MakePolicy("none");
        for (int8_t dscp : {int8_t{-1}, int8_t{-1}, HpccClasses::OTHER_DSCP})
        {
            spec.dscp = dscp;
            Post(0, Fabric().Connect(0, 1, spec), 10'000'000);
        }
        std::array<uint64_t, 64> packets{};
        std::array<uint64_t, 8> byQueuePair{};
        OnTransmit(*Fabric().GetDevices()[0], [&](int64_t, const Frame& frame) {
            ++packets[frame.tos >> 2];
            ++byQueuePair[frame.destinationQp];
        });
        Fabric().EndAt(MicroSeconds(400));
        Simulator::Run();
        const auto own = static_cast<double>(packets[26]);
        const auto other = static_cast<double>(packets[34]);
        NS_TEST_EXPECT_MSG_GT(own + other, 4400, "400 us of packets of about 1086 bytes");
        // The tolerance of 8 packets is one turn of each class plus one frame of each class.
        NS_TEST_EXPECT_MSG_EQ_TOL(own, (own + other) / 4, 8, "a quarter");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(byQueuePair[2]),
                                  own / 2,
                                  2,
                                  "and of that half");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(byQueuePair[3]), own / 2, 2, "each");
    }
};

// ---------------------------------------------------------------------------------------------
// Telemetry records

/// Compares telemetry records with the bytes that each traffic class has transmitted, in a run of
/// the network of HpccClasses.
class ReportTestCase : public RdmaTestCase
{
  public:
    /**
     * @param name the sentence that the case proves
     * @param format telemetry format
     * @param mode scope of the telemetry records
     * @param weights weights of the classes
     */
    ReportTestCase(const std::string& name,
                   const std::string& format,
                   HpccClasses::Mode mode,
                   const std::string& weights)
        : RdmaTestCase(name),
          m_format(format),
          m_mode(mode)
    {
        m_parameters.weights = weights;
        m_parameters.flows = 2;
        m_parameters.otherFlows = 1;
        m_parameters.join = MicroSeconds(50);
        m_parameters.settle = MicroSeconds(20);
        m_parameters.end = MicroSeconds(150);
    }

  protected:
    static constexpr int64_t WINDOW_NS = 5000; ///< window over which utilisation is measured

    /**
     * Checks the record of a frame whose transmission starts now.
     * @param sent bytes sent before this frame, by priority
     * @param nowNs start of the transmission
     * @param record bytes of the frame's telemetry record
     */
    virtual void Look(const std::array<uint64_t, PRIORITIES>& sent,
                      int64_t nowNs,
                      const std::vector<uint8_t>& record) = 0;

    /**
     * Returns the big-endian 32-bit word at @p offset.
     * @param record bytes of a telemetry record
     * @param offset first byte of the word
     */
    static uint32_t WordAt(const std::vector<uint8_t>& record, size_t offset)
    {
        return static_cast<uint32_t>(record[offset]) << 24 | record[offset + 1] << 16 |
               record[offset + 2] << 8 | record[offset + 3];
    }

    /**
     * Returns the bytes that a class has sent on the link in an interval.
     * @param priority the class
     * @param fromNs start of the interval
     * @param untilNs end of the interval
     * @return bytes on the link
     */
    double SentWithin(uint8_t priority, int64_t fromNs, int64_t untilNs) const
    {
        double ns = 0;
        for (const auto& frame : m_frames)
        {
            if (frame.priority == priority)
            {
                ns += std::max(0.0,
                               std::min(frame.endNs, static_cast<double>(untilNs)) -
                                   std::max(frame.startNs, static_cast<double>(fromNs)));
            }
        }
        return ns * 12.5;
    }

    uint64_t m_looked{0}; ///< records checked

  private:
    /// Time of a frame on the link.
    struct Sent
    {
        uint8_t priority; ///< class of the frame
        double startNs;   ///< start of the first bit, ns
        double endNs;     ///< end of the last bit, ns
    };

    void DoRun() override
    {
        HpccClasses classes(m_parameters);
        Fabric().SetTelemetryAgentAttribute("UtilizationWindow", TimeValue(NanoSeconds(WINDOW_NS)));
        classes.Configure(Fabric(), m_mode);
        Install(classes.MakeTopology());
        const auto spec = HpccFabricHelper::MakePolicy("hpcc++:sojourn", m_format);
        for (const auto& flow : classes.MakeFlows())
        {
            const uint32_t queuePair = classes.Connect(Fabric(), flow, spec);
            Post(flow.source, queuePair, flow.bytes, NanoSeconds(flow.startNs));
        }
        std::array<uint64_t, PRIORITIES> sent{};
        QbbNetDevice& port = *Fabric().GetDevices().back();
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            if (frame.kind == Frame::Kind::PFC)
            {
                return;
            }
            if (frame.CollectsTelemetry())
            {
                std::vector<uint8_t> record(frame.format->GetReflectedBytes(frame.telemetry));
                frame.format->SerializeRecords(frame.telemetry, record.data());
                Look(sent, nowNs, record);
                ++m_looked;
            }
            const uint32_t linkBytes = port.GetLinkBytes(frame.bytes);
            sent[frame.priority] += linkBytes;
            const auto startNs = static_cast<double>(nowNs);
            m_frames.push_back({frame.priority, startNs, startNs + linkBytes * 0.08});
        });
        Fabric().EndAt(m_parameters.end);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_looked, 400, "records");
        NS_TEST_EXPECT_MSG_GT(sent[OTHER], 400'000, "the other class was there");
    }

    HpccClasses::Parameters m_parameters; ///< network
    std::string m_format;                 ///< short name
    HpccClasses::Mode m_mode;             ///< scope of the telemetry records
    std::vector<Sent> m_frames;           ///< frames sent so far
};

class IfaReportTestCase : public ReportTestCase
{
  public:
    /**
     * @param weights weights of the classes
     * @param code speed code that encodes the share
     */
    IfaReportTestCase(const std::string& weights, uint32_t code)
        : ReportTestCase("IFA reports the class's bytes and its share, weights " + weights +
                             ", as speed code " + std::to_string(code),
                         "ifa",
                         HpccClasses::SHARE,
                         weights),
          m_code(code)
    {
    }

  private:
    void Look(const std::array<uint64_t, PRIORITIES>& sent,
              int64_t,
              const std::vector<uint8_t>& record) override
    {
        NS_TEST_ASSERT_MSG_EQ(record.size(), 32, "one hop");
        NS_TEST_ASSERT_MSG_EQ((WordAt(record, 4) >> 28), m_code, "speed code");
        NS_TEST_ASSERT_MSG_EQ((WordAt(record, 4) >> 20 & 0x3f), +OWN, "queue id");
        NS_TEST_ASSERT_MSG_EQ(WordAt(record, 20), sent[OWN], "sent bytes, report " << m_looked);
    }

    uint32_t m_code; ///< speed code of the share
};

class IoamReportTestCase : public ReportTestCase
{
  public:
    IoamReportTestCase()
        : ReportTestCase("IOAM reports the class's bytes",
                         "ioam:latency",
                         HpccClasses::SHARE,
                         "3:1,4:1")
    {
    }

  private:
    void Look(const std::array<uint64_t, PRIORITIES>& sent,
              int64_t,
              const std::vector<uint8_t>& record) override
    {
        NS_TEST_ASSERT_MSG_EQ(record.size(), 24, "one hop");
        NS_TEST_ASSERT_MSG_EQ(WordAt(record, 20), sent[OWN], "tx_bytes, report " << m_looked);
    }
};

class IntReportTestCase : public ReportTestCase
{
  public:
    explicit IntReportTestCase(HpccClasses::Mode mode)
        : ReportTestCase(
              std::string("INT-MD reports what the class used in the last window ") +
                  (mode == HpccClasses::SHARE ? "of its share" : "of what the other one left"),
              "int-md:latency",
              mode,
              "3:1,4:3"),
          m_residual(mode == HpccClasses::RESIDUAL)
    {
    }

  private:
    void Look(const std::array<uint64_t, PRIORITIES>&,
              int64_t nowNs,
              const std::vector<uint8_t>& record) override
    {
        NS_TEST_ASSERT_MSG_EQ(record.size(), 28, "one hop");
        const int64_t untilNs = nowNs / WINDOW_NS * WINDOW_NS;
        const double window = WINDOW_NS * 12.5;
        const double own = SentWithin(OWN, untilNs - WINDOW_NS, untilNs);
        const double other = SentWithin(OTHER, untilNs - WINDOW_NS, untilNs);
        const double bandwidth =
            m_residual ? std::max(0.25 * window, window - other) : 0.25 * window;
        const double most = m_residual ? 1 : 4; // the whole line rate is four times the share
        // Rounding adds or removes about one byte at each end of the window.
        NS_TEST_ASSERT_MSG_EQ_TOL(WordAt(record, 24) * 1e-6,
                                  std::min(own / bandwidth, most),
                                  30 / bandwidth,
                                  "utilisation, report " << m_looked << " at " << nowNs);
    }

    bool m_residual; ///< true if the utilisation refers to the residual bandwidth instead of the
                     ///< share
};

// ---------------------------------------------------------------------------------------------
// Refusals

class RefusedTestCase : public TestCase
{
  public:
    RefusedTestCase()
        : TestCase("what cannot work is refused when a flow is connected, with the reason")
    {
    }

  private:
    void DoRun() override
    {
        using Mode = HpccClasses::Mode;

        struct
        {
            Mode mode;
            const char* cc;
            const char* telemetry;
            const char* weights;
            const char* why;
        } const cases[] = {
            {Mode::SHARE, "hpcc++", "int-md:latency", "", "no guaranteed share"},
            {Mode::SHARE, "hpcc++", "int-md", "3:1,4:1", "QueueSignal Sojourn needs"},
            {Mode::SHARE, "hpcc++", "sigcomm19", "3:1,4:1", "QueueSignal Sojourn needs"},
            {Mode::SHARE, "powertcp", "sigcomm19", "3:1,4:1", "which hop a share belongs to"},
            {Mode::SHARE, "rcp", "rcp", "3:1,4:1", "measures whole ports"},
            {Mode::RESIDUAL, "hpcc++", "ifa", "3:1,4:1", "cannot report what other classes leave"},
            {Mode::RESIDUAL,
             "hpcc++",
             "ioam:latency",
             "3:1,4:1",
             "cannot report what other classes leave"},
            {Mode::RESIDUAL, "powertcp", "int-md", "3:1,4:1", "to judge a queue length"},
        };

        for (const auto& c : cases)
        {
            HpccClasses::Parameters parameters;
            parameters.weights = c.weights;
            std::string why;
            try
            {
                HpccClasses classes(parameters);
                HpccFabricHelper fabric;
                classes.Configure(fabric, c.mode);
                fabric.Install(classes.MakeTopology());
                auto spec = HpccFabricHelper::MakePolicy(c.cc, c.telemetry);
                if (std::string(c.cc) == "hpcc++")
                {
                    spec.policy.Set("QueueSignal", StringValue("Sojourn"));
                }
                for (const auto& flow : classes.MakeFlows())
                {
                    classes.Connect(fabric, flow, spec);
                }
            }
            catch (const HpccInputError& error)
            {
                why = error.what();
            }
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_NE(why.find(c.why),
                                  std::string::npos,
                                  c.cc << " by " << c.telemetry << ": \"" << why << "\"");
        }
    }
};

class HpccClassesTestSuite : public TestSuite
{
  public:
    HpccClassesTestSuite()
        : TestSuite("hpcc-classes", Type::SYSTEM)
    {
        AddTestCase(new SwitchSharesTestCase);
        AddTestCase(new NicSharesTestCase);
        AddTestCase(new CountTestCase);
        AddTestCase(new HostSharesTestCase);
        AddTestCase(new IfaReportTestCase("3:1,4:1", 3));
        AddTestCase(new IfaReportTestCase("3:1,4:2", 15));
        AddTestCase(new IoamReportTestCase);
        AddTestCase(new IntReportTestCase(HpccClasses::SHARE));
        AddTestCase(new IntReportTestCase(HpccClasses::RESIDUAL));
        AddTestCase(new RefusedTestCase);
    }
};

HpccClassesTestSuite g_hpccClassesTestSuite; ///< the suite

} // namespace
