/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-losses.h"
#include "hpcc-test-seeds.h"
#include "hpcc-test-tcp.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-iwarp-helper.h"
#include "ns3/hpcc-iwarp-target.h"
#include "ns3/hpcc-iwarp-writer.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/packet.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace hpcctest;

namespace
{

using Bytes = std::vector<uint8_t>;

constexpr uint16_t PORT = 5000;
constexpr uint32_t STAG = 0x12345678;

/**
 * Returns the socket address of a host.
 * @param host number of the host
 * @param port TCP port
 * @param ipv6 true for IPv6, false for IPv4
 */
Address
AddressOf(uint32_t host, uint16_t port, bool ipv6)
{
    return ipv6 ? Address(Inet6SocketAddress(HpccInternetHelper::GetIpv6Address(host), port))
                : Address(InetSocketAddress(HpccInternetHelper::GetIpv4Address(host), port));
}

/**
 * Adds a target to a node.
 * @param node the node
 * @param local address to listen on
 * @param base tagged offset of the region
 * @param bytes size of the region
 * @return the target
 */
Ptr<HpccIwarpTarget>
AddTarget(Ptr<Node> node, const Address& local, uint64_t base, uint64_t bytes)
{
    HpccIwarpHelper iwarp;
    iwarp.SetTargetAttribute("Stag", UintegerValue(STAG));
    iwarp.SetTargetAttribute("RegionBase", UintegerValue(base));
    return DynamicCast<HpccIwarpTarget>(iwarp.AddTarget(node, local, bytes));
}

/**
 * Adds a writer to a node.
 * @param node the node
 * @param remote address of the target
 * @param bytes payload in total
 * @param writeBytes payload of a WRITE
 * @param at start time
 * @return the writer
 */
Ptr<HpccIwarpWriter>
AddWriter(Ptr<Node> node, const Address& remote, uint64_t bytes, uint32_t writeBytes, Time at)
{
    HpccIwarpHelper iwarp;
    iwarp.SetWriterAttribute("WriteSize", UintegerValue(writeBytes));
    return DynamicCast<HpccIwarpWriter>(iwarp.AddWriter(node, remote, bytes, at));
}

/// Counters that the trace sources of targets update.
struct Written
{
    uint64_t bytes{0};   ///< payload
    uint64_t next{0};    ///< tagged offset after the last byte written
    uint64_t strayed{0}; ///< number of placements at an offset other than next, or with a wrong
                         ///< STag
    uint64_t writes{0};  ///< WRITEs completed
};

/**
 * Counts payload that a target has placed.
 * @param written counters to update
 * @param stag STag of the region
 * @param offset tagged offset
 * @param bytes payload
 */
void
NoteWritten(Written* written, uint32_t stag, uint64_t offset, uint32_t bytes)
{
    written->strayed += stag != STAG || (written->bytes > 0 && offset != written->next);
    written->bytes += bytes;
    written->next = offset + bytes;
}

/**
 * Records the number of WRITEs that a target has completed.
 * @param written counters to update
 * @param writes WRITEs completed
 */
void
NoteCompleted(Written* written, uint64_t writes, int64_t)
{
    written->writes = writes;
}

class RandomTestCase : public TestCase
{
  public:
    RandomTestCase()
        : TestCase("WRITEs arrive whole and once under losses and reordering, in random runs")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t count = ForSeeds(60, [this](uint64_t seed) { Run(seed); });
        if (count > 20)
        {
            NS_TEST_EXPECT_MSG_GT(m_lost, 0, "frames lost");
        }
    }

    void Run(uint64_t seed)
    {
        std::mt19937_64 random(seed);
        auto draw = [&random](uint32_t choices) {
            return static_cast<uint32_t>(random() % choices);
        };
        const double losses[] = {0, 0.001, 0.01};
        const char* controls[] = {"ns3::TcpHpccPlusPlus", "ns3::TcpHpccPlusPlus", "ns3::TcpCubic"};
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(controls[draw(3)]));
        HpccFabricHelper fabric;
        fabric.SetPaths(draw(2) ? "spray" : "ecmp");
        fabric.Install(WithLosses(HpccTopology::LeafSpine(2, 2, 2, FAST), losses[draw(3)]));
        fabric.AssignStreams(static_cast<int64_t>(1000 * seed));
        HpccInternetHelper internet;
        internet.Install(fabric);
        HpccTcpHelper tcp;
        tcp.SetSegmentSize(536 + draw(8960 - 536 + 1));
        tcp.Install(fabric);
        const bool ipv6 = draw(2);
        const uint64_t bytes = 1 + draw(draw(2) ? 3000 : 400000);
        const uint32_t writeBytes = 1 + draw(draw(2) ? 5000 : 100000);
        const uint64_t base = draw(2) ? 0 : UINT64_MAX - bytes;
        auto target = AddTarget(fabric.GetNodes().Get(3), AddressOf(3, PORT, ipv6), base, bytes);
        auto writer = AddWriter(fabric.GetNodes().Get(0),
                                AddressOf(3, PORT, ipv6),
                                bytes,
                                writeBytes,
                                MicroSeconds(10));
        target->SetAttribute("Crc", BooleanValue(draw(2)));
        writer->SetAttribute("Crc", BooleanValue(draw(2)));
        Written written;
        target->TraceConnectWithoutContext("Written", MakeBoundCallback(&NoteWritten, &written));
        target->TraceConnectWithoutContext("Completed",
                                           MakeBoundCallback(&NoteCompleted, &written));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        const std::string name = "HPCC_TEST_SEED=" + std::to_string(seed);
        const uint64_t writes = (bytes + writeBytes - 1) / writeBytes;
        const auto progress = HpccIwarpHelper::Observe(target);
        NS_TEST_EXPECT_MSG_EQ(progress.placedBytes, bytes, "bytes in their place, " << name);
        NS_TEST_EXPECT_MSG_EQ(progress.repeatedBytes, 0, "bytes twice, " << name);
        NS_TEST_EXPECT_MSG_EQ(progress.completedWrites, writes, "WRITEs, " << name);
        NS_TEST_EXPECT_MSG_EQ(written.bytes, bytes, "bytes traced, " << name);
        NS_TEST_EXPECT_MSG_EQ(written.strayed, 0, "bytes elsewhere, " << name);
        NS_TEST_EXPECT_MSG_EQ(written.writes, writes, "WRITEs traced, " << name);
        NS_TEST_EXPECT_MSG_EQ(progress.complete, true, "the last message, " << name);
        NS_TEST_EXPECT_MSG_EQ(target->IsClosed(), true, "target closed, " << name);
        NS_TEST_EXPECT_MSG_EQ(writer->IsClosed(), true, "writer closed, " << name);
        NS_TEST_EXPECT_MSG_EQ(HpccIwarpHelper::GetError(target), "none", "target, " << name);
        NS_TEST_EXPECT_MSG_EQ(HpccIwarpHelper::GetError(writer), "none", "writer, " << name);
        for (const auto& device : fabric.GetDevices())
        {
            m_lost += device->GetDrops(DropReason::RECEIVE_ERROR);
        }
        Simulator::Destroy();
        Config::Reset();
    }

    uint64_t m_lost{0}; ///< frames lost
};

/// A program that connects to a peer or accepts connections, sends given bytes and closes the
/// connection.
class RawPeer
{
  public:
    /// @param bytes bytes to send
    explicit RawPeer(const Bytes& bytes)
        : m_bytes(bytes)
    {
    }

    /**
     * Connects to a target and then sends the bytes.
     * @param node node of this peer
     * @param remote address of the target
     */
    void Connect(Ptr<Node> node, const Address& remote)
    {
        m_socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
        m_socket->SetConnectCallback(MakeCallback(&RawPeer::Connected, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Bind();
        m_socket->Connect(remote);
    }

    /**
     * Listens and sends the bytes on each accepted connection.
     * @param node node of this peer
     * @param local address to listen on
     */
    void Listen(Ptr<Node> node, const Address& local)
    {
        m_socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
        m_socket->Bind(local);
        m_socket->Listen();
        m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&RawPeer::Accepted, this));
    }

  private:
    void Connected(Ptr<Socket> socket)
    {
        socket->SetRecvCallback(MakeCallback(&RawPeer::Drain, this));
        socket->Send(Create<Packet>(m_bytes.data(), static_cast<uint32_t>(m_bytes.size())));
        socket->Close();
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        Connected(socket);
    }

    void Drain(Ptr<Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            if (packet->GetSize() == 0)
            {
                return;
            }
        }
    }

    Bytes m_bytes;        ///< bytes to send
    Ptr<Socket> m_socket; ///< socket of this peer
};

/// Returns the concatenation of @p parts.
Bytes
Join(const std::vector<Bytes>& parts)
{
    Bytes all;
    for (const Bytes& part : parts)
    {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

/**
 * Returns the FPDU of a WRITE.
 * @param offset tagged offset
 * @param size payload, bytes
 * @param stag STag of the region
 */
Bytes
Write(uint64_t offset, uint32_t size, uint32_t stag = STAG)
{
    DdpSegment segment;
    segment.stag = stag;
    segment.offset = offset;
    const Bytes payload(size, 0xa5);
    return EncodeFpdu(segment, payload.data(), size, true);
}

/**
 * Returns the FPDU of a Send that carries a summary.
 * @param bytes number of bytes that the summary covers; each byte is 0xa5
 * @param message message number
 */
Bytes
Summary(uint64_t bytes, uint32_t message = HpccIwarpSummary::MESSAGE)
{
    Crc32c crc;
    for (uint64_t i = 0; i < bytes; ++i)
    {
        crc.process_byte(0xa5);
    }
    const Bytes payload = HpccIwarpSummary{bytes, crc.checksum()}.Encode();
    DdpSegment segment;
    segment.opcode = DdpSegment::SEND;
    segment.message = message;
    return EncodeFpdu(segment, payload.data(), payload.size(), true);
}

/// Returns @p bytes with the lowest bit of byte @p at flipped.
Bytes
Flip(Bytes bytes, size_t at)
{
    bytes[at] ^= 1;
    return bytes;
}

/// Tests the reaction of a target to a peer that violates the protocol.
class StrangeWriterTestCase : public TcpTestCase
{
  public:
    /**
     * @param what description of the writer's fault
     * @param stream stream that the writer sends
     * @param error error that the target has to report
     * @param placed bytes that the target places before the error
     */
    StrangeWriterTestCase(const std::string& what,
                          const Bytes& stream,
                          const std::string& error,
                          uint64_t placed)
        : TcpTestCase("a target tells of " + what + ": " + error),
          m_stream(stream),
          m_error(error),
          m_placedBytes(placed)
    {
    }

  private:
    void DoRun() override
    {
        Make(HpccTopology::Star(2, FAST));
        auto target = AddTarget(m_fabric.GetNodes().Get(1), AddressOf(1, PORT, false), 1000, 5000);
        target->TraceConnectWithoutContext("Closed",
                                           MakeCallback(&StrangeWriterTestCase::Closed, this));
        RawPeer peer(m_stream);
        Simulator::Schedule(MicroSeconds(10),
                            &RawPeer::Connect,
                            &peer,
                            m_fabric.GetNodes().Get(0),
                            AddressOf(1, PORT, false));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(std::string(ToString(target->GetError())), m_error, "error");
        NS_TEST_EXPECT_MSG_EQ(m_traced, m_error, "error traced");
        NS_TEST_EXPECT_MSG_EQ(target->GetPlacedBytes(), m_placedBytes, "bytes in their place");
        NS_TEST_EXPECT_MSG_EQ(target->HasAll(), (m_error == "none"), "all there");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetConnections(), 0, "connections left");
    }

    void Closed(HpccIwarpError error, int64_t)
    {
        m_traced += ToString(error);
    }

    Bytes m_stream;         ///< stream from the peer
    std::string m_error;    ///< expected error
    uint64_t m_placedBytes; ///< expected bytes placed
    std::string m_traced;   ///< errors that the trace source Closed has reported
};

/// Tests the reaction of a writer to a peer that violates the protocol.
class StrangeTargetTestCase : public TcpTestCase
{
  public:
    /**
     * @param what description of the target's fault
     * @param stream stream that the target sends
     * @param error error that the writer has to report
     */
    StrangeTargetTestCase(const std::string& what, const Bytes& stream, const std::string& error)
        : TcpTestCase("a writer reports " + what + ": " + error),
          m_stream(stream),
          m_error(error)
    {
    }

  private:
    void DoRun() override
    {
        Make(HpccTopology::Star(2, FAST));
        RawPeer peer(m_stream);
        if (!m_stream.empty())
        {
            peer.Listen(m_fabric.GetNodes().Get(1), AddressOf(1, PORT, false));
        }
        auto writer = AddWriter(m_fabric.GetNodes().Get(0),
                                AddressOf(1, PORT, false),
                                1000000,
                                4000,
                                MicroSeconds(10));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(writer->IsClosed(), true, "closed");
        NS_TEST_EXPECT_MSG_EQ(std::string(ToString(writer->GetError())), m_error, "error");
        NS_TEST_EXPECT_MSG_EQ((writer->GetWritten() == 0), (m_error != "ended-early"), "written");
        NS_TEST_EXPECT_MSG_EQ(NicOf(0)->GetConnections(), 0, "connections left");
    }

    Bytes m_stream;      ///< stream from the peer; empty if there is none
    std::string m_error; ///< expected error
};

class SecondWriterTestCase : public TcpTestCase
{
  public:
    SecondWriterTestCase()
        : TcpTestCase("a target with a connection closes further connections, and its own "
                      "continues")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t bytes = 500000;
        Make(HpccTopology::Star(3, FAST));
        auto nodes = m_fabric.GetNodes();
        const Address address = AddressOf(2, PORT, false);
        auto target = AddTarget(nodes.Get(2), address, 0, bytes);
        auto first = AddWriter(nodes.Get(0), address, bytes, 65536, MicroSeconds(10));
        auto second = AddWriter(nodes.Get(1), address, bytes, 65536, MicroSeconds(30));
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(target->GetPlacedBytes(), bytes, "bytes of the first");
        NS_TEST_EXPECT_MSG_EQ(target->GetRepeatedBytes(), 0, "bytes twice");
        NS_TEST_EXPECT_MSG_EQ(target->GetRefusedConnections(), 1, "refused");
        NS_TEST_EXPECT_MSG_EQ(std::string(ToString(first->GetError())), "none", "first");
        NS_TEST_EXPECT_MSG_EQ(std::string(ToString(second->GetError())), "ended-early", "second");
    }
};

class QueueTestCase : public TcpTestCase
{
  public:
    QueueTestCase()
        : TcpTestCase("two iWARP flows with HPCC++ hold the 99th percentile of the queue under "
                      "5 % of DCTCP's K and fill 80 % of the link with payload")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t senders = 2;
        constexpr uint64_t bytes = 10000000;
        constexpr double dctcpBytes = 300000;
        Config::SetDefault("ns3::TcpHpccPlusPlus::N", UintegerValue(10));
        Make(HpccTopology::Star(senders + 1, FAST));
        std::vector<HpccFlowPlan> flows;
        for (uint32_t i = 0; i < senders; ++i)
        {
            flows.push_back({i, senders, bytes, 10000 + 100000 * i, 0, 0});
        }
        const int64_t settleNs = flows.back().startNs + 30 * m_fabric.GetNetworkBaseRttNs();
        HpccMonitor monitor(m_fabric, flows, settleNs);
        std::vector<Ptr<HpccIwarpTarget>> targets;
        auto nodes = m_fabric.GetNodes();
        for (uint32_t i = 0; i < senders; ++i)
        {
            const Address address = AddressOf(senders, static_cast<uint16_t>(PORT + i), false);
            targets.push_back(AddTarget(nodes.Get(senders), address, 0, bytes));
            AddWriter(nodes.Get(i), address, bytes, 1000000, NanoSeconds(flows[i].startNs));
        }
        uint64_t before = 0;
        uint64_t after = 0;
        const auto placed = [&targets](uint64_t* sum) {
            for (const auto& target : targets)
            {
                *sum += target->GetPlacedBytes();
            }
        };
        Simulator::Schedule(MicroSeconds(400), [&] { placed(&before); });
        Simulator::Schedule(MicroSeconds(1400), [&] { placed(&after); });
        Simulator::Stop(MicroSeconds(1400));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(monitor.Summarize().queueP99Bytes),
                              0.05 * dctcpBytes,
                              "queue");
        NS_TEST_EXPECT_MSG_GT(static_cast<double>(after - before) * 8 / 1e6, 80, "Gb/s");
    }
};

/// Tests RDMA over TCP.
class HpccIwarpTestSuite : public TestSuite
{
  public:
    HpccIwarpTestSuite()
        : TestSuite("hpcc-iwarp", Type::SYSTEM)
    {
        AddTestCase(new RandomTestCase);
        AddTestCase(new QueueTestCase);
        AddTestCase(new SecondWriterTestCase);
        AddStrangeWriters();
        AddStrangeTargets();
    }

  private:
    void AddStrangeWriters()
    {
        const Bytes start = EncodeMpaStart({});
        const auto add =
            [this,
             &start](const std::string& what, const Bytes& rest, const char* error, int placed) {
                AddTestCase(new StrangeWriterTestCase(what, Join({start, rest}), error, placed));
            };
        add("nothing strange", Join({Write(1000, 3000), Summary(3000)}), "none", 3000);
        add("a flipped byte",
            Join({Write(1000, 500), Flip(Write(1500, 500), 100), Summary(1000)}),
            "bad-crc",
            500);
        add("another STag", Join({Write(1000, 500), Write(1500, 500, STAG + 1)}), "bad-stag", 500);
        add("bytes behind the region", Write(5999, 2), "out-of-region", 0);
        add("bytes ahead of the region", Write(999, 1), "out-of-region", 0);
        add("a Send with another number", Summary(0, 2), "bad-message", 0);
        add("other bytes than were written",
            Join({Write(1000, 500), Summary(501)}),
            "different-content",
            500);
        add("no last message", Write(1000, 500), "ended-early", 500);
        add("half a frame", Bytes(10, 1), "ended-early", 0);
        add("a WRITE behind the last message",
            Join({Write(1000, 500), Summary(500), Write(1500, 1)}),
            "bad-message",
            500);
        MpaStart markers;
        markers.markers = true;
        AddTestCase(new StrangeWriterTestCase("markers", EncodeMpaStart(markers), "markers", 0));
        AddTestCase(new StrangeWriterTestCase("HTTP", {'G', 'E', 'T'}, "bad-key", 0));
    }

    void AddStrangeTargets()
    {
        MpaStart reply;
        reply.reply = true;
        AddTestCase(new StrangeTargetTestCase("no peer", {}, "tcp"));
        AddTestCase(
            new StrangeTargetTestCase("no region", EncodeMpaStart(reply), "bad-private-data"));
        reply.privateData = HpccIwarpRegion{STAG, 0, 999999}.Encode();
        AddTestCase(
            new StrangeTargetTestCase("a small region", EncodeMpaStart(reply), "region-too-small"));
        reply.privateData = HpccIwarpRegion{STAG, 0, 1000000}.Encode();
        AddTestCase(
            new StrangeTargetTestCase("an early end", EncodeMpaStart(reply), "ended-early"));
        reply.rejected = true;
        AddTestCase(new StrangeTargetTestCase("a rejection", EncodeMpaStart(reply), "rejected"));
        AddTestCase(new StrangeTargetTestCase("a request", EncodeMpaStart({}), "bad-key"));
    }
};

HpccIwarpTestSuite g_hpccIwarpTestSuite; ///< the suite

} // namespace
