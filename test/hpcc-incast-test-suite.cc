/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-rdma.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-monitor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

using namespace ns3;
using namespace hpcctest;

namespace
{

// Figure 13 of "HPCC: High Precision Congestion Control" (Li et al., SIGCOMM 2019): 16 senders
// start to send 500 KB each at the same time. All links have 100 Gb/s and 1 us; T is 4.16 us and
// eta 0.95. As in the authors' simulator, W_ai is 40 Mb/s * 4.16 us and frames have no Ethernet
// overhead.
constexpr uint32_t SENDERS = 16;                   ///< N
constexpr uint64_t BYTES = 500000;                 ///< payload of each sender, bytes
constexpr int64_t T_NS = 4160;                     ///< T
constexpr double WAI = 20.8;                       ///< bytes
constexpr double W_INIT = 100e9 / 8 * T_NS * 1e-9; ///< B T, bytes
constexpr uint32_t MSS = 1000;                     ///< payload of a packet
/// Bytes of the headers of a packet: Ethernet, IPv4, UDP, BTH, ICRC, and telemetry with 42 bytes.
constexpr uint32_t HEADERS = 14 + 20 + 8 + 12 + 4 + 42;
constexpr int64_t BIN_NS = 10000; ///< width of a throughput bin

/// Queue and throughput of the switch port to the receiver of an incast.
struct IncastOutcome
{
    uint64_t peak{0};                  ///< longest queue, bytes
    uint64_t at100us{0};               ///< bytes queued at 100 us
    std::map<uint64_t, int64_t> time;  ///< time for which the queue had a length, ns, by length in
                                       ///< bytes; from fromNs to the first completion
    std::vector<uint64_t> bins;        ///< link bytes per 10 us
    int64_t firstCompletionNs{0};      ///< time of the first completion
    std::map<int64_t, uint64_t> queue; ///< bytes queued by time of the change

    /**
     * Returns the queue length that is not exceeded during a share of the time.
     * @param share share of the time, 0 to 1
     * @return queue length, bytes
     */
    uint64_t Quantile(double share) const
    {
        double total = 0;
        for (auto [bytes, ns] : time)
        {
            total += static_cast<double>(ns);
        }
        double below = 0;
        for (auto [bytes, ns] : time)
        {
            below += static_cast<double>(ns);
            if (below >= share * total)
            {
                return bytes;
            }
        }
        return 0;
    }
};

class IncastTestCase : public RdmaTestCase
{
  public:
    /// @param name the sentence that the case proves
    explicit IncastTestCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

  protected:
    /// Parameters that differ between cases.
    struct Setup
    {
        std::string cc;                     ///< policy, whose parameters are set to the constants
                                            ///< above
        std::string telemetry{"sigcomm19"}; ///< telemetry format
        uint32_t maxStage{0};               ///< maxStage of the policy
        int64_t fromNs{120000};             ///< start of the interval over which the distribution
                                            ///< of the queue length is computed, ns
    };

    /// Runs the incast that @p setup describes and returns its outcome.
    IncastOutcome RunIncast(const Setup& setup)
    {
        Fabric().SetDeviceAttribute("EthernetOverhead", BooleanValue(false));
        Install(Star(SENDERS + 1, "100Gbps", MicroSeconds(1)));
        Fabric().SetNetworkBaseRttNs(T_NS);
        auto spec = HpccFabricHelper::MakePolicy(setup.cc, setup.telemetry);
        if (spec.format)
        {
            spec.policy.Set("T", TimeValue(NanoSeconds(T_NS)));
            spec.policy.Set("Eta", DoubleValue(0.95));
            spec.policy.Set("MaxStage", UintegerValue(setup.maxStage));
            spec.policy.Set("Wai", DoubleValue(WAI));
        }
        std::vector<HpccFlowPlan> flows;
        for (uint32_t host = 0; host < SENDERS; ++host)
        {
            uint32_t qp = Fabric().Connect(host, SENDERS, spec);
            Post(host, qp, BYTES);
            flows.push_back({host, SENDERS, BYTES, 0, qp, 0});
        }
        IncastOutcome outcome;
        QbbNetDevice& port = *Fabric().GetSwitch(SENDERS + 1)->GetPorts()[SENDERS];
        uint64_t queued = 0;
        int64_t sinceNs = 0;
        auto integrate = [&](int64_t nowNs) {
            int64_t from = std::max(sinceNs, setup.fromNs);
            int64_t until = m_acknowledged.empty() ? nowNs : m_acknowledged[0].completedNs;
            if (until > from)
            {
                outcome.time[queued] += until - from;
            }
        };
        OnQueue(port, [&](int64_t nowNs, uint64_t bytes) {
            integrate(nowNs);
            outcome.queue[nowNs] = bytes;
            queued = bytes;
            sinceNs = nowNs;
            outcome.peak = std::max(outcome.peak, bytes);
        });
        OnTransmit(port, [&](int64_t nowNs, const Frame& frame) {
            auto bin = static_cast<size_t>(nowNs / BIN_NS);
            outcome.bins.resize(std::max(outcome.bins.size(), bin + 1));
            outcome.bins[bin] += port.GetLinkBytes(frame.bytes);
        });
        At(MicroSeconds(100), [&] { outcome.at100us = queued; });
        HpccMonitor monitor(Fabric(), flows, setup.fromNs);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        m_summary = monitor.Summarize();
        m_series = monitor.GetQueueSeries();
        m_throughput = monitor.GetThroughputSeries();
        NS_TEST_EXPECT_MSG_EQ(m_acknowledged.size(), SENDERS, "flows finished");
        outcome.firstCompletionNs = m_acknowledged.empty() ? 0 : m_acknowledged[0].completedNs;
        return outcome;
    }

    /**
     * Checks the monitor's series of the queue against every change that the port has reported.
     * @param outcome outcome of the incast
     */
    void CheckSeries(const IncastOutcome& outcome)
    {
        NS_TEST_ASSERT_MSG_EQ(m_series.empty(), false, "the series has rows");
        auto valueAt = [&](int64_t ns) {
            auto row = std::upper_bound(m_series.begin(),
                                        m_series.end(),
                                        ns,
                                        [](int64_t at, const auto& r) { return at < r.timeNs; });
            return row == m_series.begin() ? -1 : std::prev(row)->value;
        };
        NS_TEST_ASSERT_MSG_EQ(m_series.front().timeNs, 0, "the series begins at 0");
        // Compare the queue lengths that last at least QUEUE_NS.
        uint32_t lasting = 0;
        for (auto change = outcome.queue.begin(); std::next(change) != outcome.queue.end();
             ++change)
        {
            if (std::next(change)->first - change->first >= HpccMonitor::QUEUE_NS)
            {
                ++lasting;
                const auto bytes = static_cast<double>(change->second);
                NS_TEST_ASSERT_MSG_EQ(valueAt(change->first), bytes, "at " << change->first);
                NS_TEST_ASSERT_MSG_EQ(valueAt(std::next(change)->first - 1),
                                      bytes,
                                      "before " << std::next(change)->first);
            }
        }
        NS_TEST_ASSERT_MSG_GT(lasting, 0, "some lengths last for 1 us");
        NS_TEST_ASSERT_MSG_EQ(m_series.back().value,
                              static_cast<double>(outcome.queue.rbegin()->second),
                              "the last length");
        double area = 0;
        const int64_t untilNs = m_summary.firstCompletionNs;
        for (size_t i = 0; i < m_series.size(); ++i)
        {
            const int64_t endNs = i + 1 < m_series.size() ? m_series[i + 1].timeNs : untilNs;
            const int64_t ns =
                std::min(endNs, untilNs) - std::max(m_series[i].timeNs, m_summary.settleNs);
            area += m_series[i].value * static_cast<double>(std::max<int64_t>(0, ns));
        }
        // A row that covers several short-lived lengths contains their mean. No row extends beyond
        // an end of the interval, so the means must be equal.
        const double mean = area / static_cast<double>(untilNs - m_summary.settleNs);
        NS_TEST_ASSERT_MSG_EQ_TOL(mean,
                                  m_summary.queueMeanBytes,
                                  1e-6 * m_summary.queueMeanBytes,
                                  "mean of the series and of the summary");
        for (const auto& sample : m_throughput)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(sample.value, 100, "Gb/s, the rate of the link");
        }
    }

    HpccSummary m_summary;                         ///< results from HpccMonitor
    std::vector<HpccMonitor::Sample> m_series;     ///< HpccMonitor's series of the queue
    std::vector<HpccMonitor::Sample> m_throughput; ///< HpccMonitor's series of the throughput
};

class HpccIncastTestCase : public IncastTestCase
{
  public:
    explicit HpccIncastTestCase(const std::string& cc)
        : IncastTestCase(cc + ": 16 flows of 500 KB peak at (N-1) W_init (1 + h over MSS) within "
                              "3 percent, drain, and keep the link busy with a few packets "
                              "queued; the series shows it"),
          m_cc(cc)
    {
    }

  private:
    void DoRun() override
    {
        IncastOutcome outcome = RunIncast({m_cc});
        // While the first windows of all 16 senders arrive, the port sends the bytes of one window.
        // The other 15 windows are in the queue. In the paper, where headers have 90 bytes, this is
        // 850 KB.
        double peak = (SENDERS - 1) * W_INIT * (1 + double{HEADERS} / MSS);
        NS_TEST_ASSERT_MSG_EQ_TOL(static_cast<double>(outcome.peak), peak, 0.03 * peak, "peak");
        NS_TEST_ASSERT_MSG_LT(outcome.at100us, 40000, "queue at 100 us");
        // After the first 120 us, only packets that meet by chance are queued, as in figure 13.
        NS_TEST_ASSERT_MSG_LT_OR_EQ(outcome.Quantile(0.95), 4 * (MSS + HEADERS), "95th");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(outcome.Quantile(0.99), 7 * (MSS + HEADERS), "99th");
        auto bins = static_cast<size_t>(outcome.firstCompletionNs / BIN_NS);
        NS_TEST_ASSERT_MSG_GT(bins, 20, "the flows last long enough");
        for (size_t bin = 100000 / BIN_NS; bin < bins; ++bin)
        {
            NS_TEST_ASSERT_MSG_GT_OR_EQ(static_cast<double>(outcome.bins[bin]) * 8 / BIN_NS,
                                        80.0,
                                        "Gb/s in the bin from " << bin * BIN_NS << " ns on");
        }
        NS_TEST_ASSERT_MSG_EQ(GetPauses(), 0, "pauses");
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 0, "drops");

        NS_TEST_ASSERT_MSG_EQ(m_summary.queuePeakBytes, outcome.peak, "HpccMonitor: peak");
        NS_TEST_ASSERT_MSG_EQ(m_summary.queueP95Bytes, outcome.Quantile(0.95), "HpccMonitor: 95th");
        NS_TEST_ASSERT_MSG_EQ(m_summary.queueP99Bytes, outcome.Quantile(0.99), "HpccMonitor: 99th");
        NS_TEST_ASSERT_MSG_EQ(m_summary.firstCompletionNs,
                              outcome.firstCompletionNs,
                              "HpccMonitor: first completion");
        NS_TEST_ASSERT_MSG_EQ(m_summary.flowsFinished, SENDERS, "HpccMonitor: finished");
        NS_TEST_ASSERT_MSG_EQ(m_summary.drops, 0, "HpccMonitor: drops");
        NS_TEST_ASSERT_MSG_EQ(m_summary.pfcPauses, 0, "HpccMonitor: pauses");
        CheckSeries(outcome);
    }

    std::string m_cc; ///< policy
};

/// Tests CSIG. It carries the information that the control law needs as formats with one record per
/// hop do, but in coarser steps.
class CsigIncastTestCase : public IncastTestCase
{
  public:
    /// Reaction of the switch to the first windows.
    enum Buffer
    {
        AMPLE, ///< the switch stores all frames
        DROPS, ///< the switch drops frames, without PFC
        PAUSES ///< the switch pauses the senders
    };

    /**
     * @param telemetry short name of the format
     * @param tagBytes size of the tag of the format, bytes
     * @param buffer reaction of the switch
     */
    CsigIncastTestCase(const std::string& telemetry, uint32_t tagBytes, Buffer buffer)
        : IncastTestCase("hpcc++ over " + telemetry +
                         (buffer == PAUSES  ? ", with pauses"
                          : buffer == DROPS ? ", with drops"
                                            : ", lossy network without a loss") +
                         ": from 150 us on the 95th percentile of the queue is at most what the "
                         "width of the steps adds to 6 packets, and the link is busy"),
          m_telemetry(telemetry),
          m_packet(MSS + BARE_HEADERS + tagBytes),
          m_buffer(buffer)
    {
    }

  private:
    static constexpr uint32_t BARE_HEADERS = 14 + 20 + 8 + 12 + 4; ///< headers without telemetry

    /**
     * Returns the bound on the 95th percentile of the queue. With a format that has one record per
     * hop, the control law keeps this percentile at 6 packets or less. With CSIG, the control law
     * cannot distinguish between queues in the same step of queue delay. Therefore the queue may be
     * the longest in the step that contains 6 packets. The utilisation is read as the middle of a
     * step of 1/32, with an error of at most 1/64 in either direction. Therefore the bytes in
     * flight at which U settles lie in a range of B T/32, all of which the bound adds.
     * @return bound, bytes
     */
    double Bound() const
    {
        constexpr double bytesPerNs = 12.5;
        const double queueNs = 6 * m_packet / bytesPerNs;
        if (m_telemetry == "csig-wide")
        {
            return std::ceil(queueNs / 128) * 128 * bytesPerNs + 1e-6 * W_INIT;
        }
        double edgeNs = 80;
        while (edgeNs < queueNs)
        {
            edgeNs *= 1.35;
        }
        return edgeNs * bytesPerNs + W_INIT / 32;
    }

    void DoRun() override
    {
        Fabric().SetDeviceAttribute("PfcEnabled", BooleanValue(m_buffer == PAUSES));
        if (m_buffer != AMPLE)
        {
            Fabric().SetBufferAttribute("BufferBytes",
                                        UintegerValue(m_buffer == PAUSES ? 1500000 : 1000000));
        }
        IncastOutcome outcome = RunIncast({"hpcc++", m_telemetry, 5, 150000});
        NS_TEST_ASSERT_MSG_EQ((GetPauses() > 0), (m_buffer == PAUSES), "pauses");
        NS_TEST_ASSERT_MSG_EQ((GetDrops() > 0), (m_buffer == DROPS), "drops");
        NS_TEST_ASSERT_MSG_GT(outcome.firstCompletionNs, 400000, "the flows last long enough");
        NS_TEST_ASSERT_MSG_LT_OR_EQ(static_cast<double>(outcome.Quantile(0.95)), Bound(), "95th");
        // Throughput is below eta because the utilisation is quantised and out of date. The bound
        // of 91 Gb/s is the result of a separate model of the control law in another language.
        NS_TEST_ASSERT_MSG_GT_OR_EQ(m_summary.throughputMeanGbps, 91.0, "Gb/s");
    }

    std::string m_telemetry; ///< format
    uint32_t m_packet;       ///< size of a full packet, bytes
    Buffer m_buffer;         ///< reaction of the switch
};

class DcqcnIncastTestCase : public IncastTestCase
{
  public:
    DcqcnIncastTestCase()
        : IncastTestCase("dcqcn: the same incast peaks at least 3 times higher than HPCC's bound; "
                         "the series shows each queue length that lasts for 1 us, the last one, "
                         "and the mean")
    {
    }

  private:
    void DoRun() override
    {
        IncastOutcome outcome = RunIncast({"dcqcn"});
        NS_TEST_ASSERT_MSG_EQ(GetDrops(), 0, "drops");
        double peak = (SENDERS - 1) * W_INIT * (1 + double{HEADERS} / MSS);
        NS_TEST_ASSERT_MSG_GT(static_cast<double>(outcome.peak), 3 * peak, "peak");
        CheckSeries(outcome);
    }
};

class HpccIncastTestSuite : public TestSuite
{
  public:
    HpccIncastTestSuite();
};

HpccIncastTestSuite::HpccIncastTestSuite()
    : TestSuite("hpcc-incast", Type::SYSTEM)
{
    AddTestCase(new HpccIncastTestCase("hpcc++"));
    AddTestCase(new HpccIncastTestCase("hpcc"));
    AddTestCase(new DcqcnIncastTestCase);
    for (auto buffer :
         {CsigIncastTestCase::AMPLE, CsigIncastTestCase::DROPS, CsigIncastTestCase::PAUSES})
    {
        AddTestCase(new CsigIncastTestCase("csig", 4, buffer));
        AddTestCase(new CsigIncastTestCase("csig-wide", 8, buffer));
    }
}

HpccIncastTestSuite g_hpccIncastTestSuite; ///< the suite

} // namespace
