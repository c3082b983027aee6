/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two flows share a link, and one of them ends. How long does the remaining flow take to use the
// freed bandwidth? The drafts (draft-miao-tsv-hpcc-01, sections 5.3 and 9.2) claim that
// multiplicative increase guided by telemetry takes a few round trips at any link speed. Additive
// increase takes more round trips on faster links than on slower ones.

#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-queue-pair.h"

#include <algorithm>
#include <optional>

using namespace ns3;

namespace
{

/// Received payload of the remaining flow, in bins whose width is 1/8 of the base RTT.
class Arrivals
{
  public:
    static constexpr size_t BINS_PER_RTT = 8;   ///< number of bins per base RTT
    static constexpr size_t LASTING_RTTS = 100; ///< length of the second mean rate in
                                                ///< FindReached(), base RTTs

    /**
     * Creates the measurement of the remaining flow.
     * @param staying source host of the remaining flow
     * @param baseRttNs T, ns
     */
    Arrivals(uint32_t staying, int64_t baseRttNs)
        : m_staying(staying),
          m_binNs(std::max<int64_t>(1, baseRttNs / BINS_PER_RTT))
    {
    }

    void Received(const RdmaQueuePair& qp, int64_t nowNs, uint32_t bytes, uint8_t /*opcode*/)
    {
        if (HpccFabricHelper::GetHostNumber(qp.peer) == m_staying)
        {
            auto bin = static_cast<size_t>(nowNs / m_binNs);
            m_bins.resize(std::max(m_bins.size(), bin + 1));
            m_bins[bin] += bytes;
        }
    }

    /**
     * Returns the mean rate of the remaining flow, Gb/s.
     * @param fromNs start of the interval, ns
     * @param untilNs end of the interval, ns
     */
    double GetGbps(int64_t fromNs, int64_t untilNs) const
    {
        uint64_t bytes = 0;
        auto last = std::min(static_cast<size_t>(untilNs / m_binNs), m_bins.size());
        auto first = static_cast<size_t>(fromNs / m_binNs);
        for (size_t bin = first; bin < last; ++bin)
        {
            bytes += m_bins[bin];
        }
        auto bins = static_cast<int64_t>(static_cast<size_t>(untilNs / m_binNs) - first);
        return static_cast<double>(bytes) * 8 / static_cast<double>(bins * m_binNs);
    }

    /**
     * Returns the time from which the rate of the flow stays at or above @p gbps. While its backlog
     * drains, the flow may exceed this rate for a short time. To exclude this case, two mean rates
     * from the returned time on must be at least @p gbps: the mean over one base RTT, and the mean
     * over LASTING_RTTS base RTTs.
     * @param afterNs start of the search, ns
     * @param gbps the rate, Gb/s
     * @return the first such time after @p afterNs at which a bin starts, ns; no value if there is
     * none
     */
    std::optional<int64_t> FindReached(int64_t afterNs, double gbps) const
    {
        auto lasts = [&](int64_t startNs, size_t rtts) {
            auto lengthNs = static_cast<int64_t>(rtts * BINS_PER_RTT) * m_binNs;
            return GetGbps(startNs, startNs + lengthNs) >= gbps;
        };
        for (auto bin = static_cast<size_t>(afterNs / m_binNs) + 1;
             bin + LASTING_RTTS * BINS_PER_RTT <= m_bins.size();
             ++bin)
        {
            auto startNs = static_cast<int64_t>(bin) * m_binNs;
            if (lasts(startNs, 1) && lasts(startNs, LASTING_RTTS))
            {
                return startNs;
            }
        }
        return {};
    }

  private:
    uint32_t m_staying;
    int64_t m_binNs;
    std::vector<uint64_t> m_bins;
};

constexpr uint32_t STAYING = 0;  ///< host whose flow remains
constexpr uint32_t LEAVING = 1;  ///< host whose flow ends first
constexpr uint32_t RECEIVER = 2; ///< destination host of both flows

/// Options of the program.
struct Options
{
    Time join = MicroSeconds(500);
    Time hold = MilliSeconds(2);
    Time horizon = MilliSeconds(20);
    double share = 0.9;
    DataRate rate{"100Gbps"};
    Time delay = MicroSeconds(1);

    /// Adds the options to --help and to the command line.
    void AddTo(HpccExperiment& experiment)
    {
        experiment.AddOption("join",
                             "start of the flow that ends first, at least 4 base RTTs",
                             join);
        experiment.AddOption("hold",
                             "approximate time during which both flows share the link, above 0",
                             hold);
        experiment.AddOption("horizon",
                             "time allowed for reclaiming the bandwidth; should exceed 100 base "
                             "RTTs",
                             horizon);
        experiment.AddOption("share",
                             "share of the flow's rate before --join that counts as reclaimed "
                             "once reached, above 0, below 1",
                             share);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of every link", delay);
    }

    /// Refuses values outside their ranges.
    void Check() const
    {
        for (const auto& [name, time] :
             {std::pair("join", join), {"hold", hold}, {"horizon", horizon}})
        {
            HPCC_REFUSE_IF(!time.IsStrictlyPositive(),
                           std::string("--") + name + ": 0 is not allowed; above 0");
        }
        HPCC_REFUSE_IF(!(share > 0 && share < 1),
                       "--share: " + std::to_string(share) + " is not between 0 and 1");
    }

    /// Returns the network and the flows. The scenario refers to this object, which must therefore
    /// outlive it.
    HpccExperiment::Scenario MakeScenario() const
    {
        HpccExperiment::Scenario scenario;
        scenario.topology = HpccTopology::Star(3, {rate, rate, delay});
        scenario.stop = join + 2 * hold + horizon;
        auto bytesIn = [this](Time time) {
            return static_cast<uint64_t>(static_cast<double>(rate.GetBitRate()) / 8 *
                                         time.GetSeconds()) +
                   1;
        };
        scenario.flows = {{STAYING, RECEIVER, bytesIn(scenario.stop), 0, 0, 0},
                          {LEAVING, RECEIVER, bytesIn(hold) / 2, join.GetNanoSeconds(), 0, 0}};
        scenario.perFlowSeries = true;
        scenario.connect = [this](HpccFabricHelper& fabric,
                                  const HpccFlowPlan& flow,
                                  const HpccFabricHelper::PolicySpec& spec) {
            // The rate of the remaining flow before the second flow joins is measured in the second
            // half of the time before --join. This half must contain at least two base RTTs.
            const Time least = NanoSeconds(4 * fabric.GetPath(STAYING, RECEIVER).baseRttNs);
            HPCC_REFUSE_IF(join < least,
                           "--join: " + std::to_string(join.GetNanoSeconds()) +
                               " ns, allowed is at least 4 base RTTs, " +
                               std::to_string(least.GetNanoSeconds()) + " ns");
            return fabric.Connect(flow.source, flow.destination, spec);
        };
        return scenario;
    }
};

/**
 * Writes a row.
 * @param table table that gets the row
 * @param o options of the program
 * @param arrivals payload of the remaining flow
 * @param leftNs time at which the other flow ended, ns; negative if it has not ended
 * @param baseRttNs base RTT of the network, ns
 */
void
WriteRow(HpccCsvFile& table,
         const Options& o,
         const Arrivals& arrivals,
         int64_t leftNs,
         int64_t baseRttNs)
{
    int64_t joinNs = o.join.GetNanoSeconds();
    double alone = arrivals.GetGbps(joinNs / 2, joinNs);
    table << FormatGbps(static_cast<double>(o.rate.GetBitRate())) << "," << FormatUs(baseRttNs)
          << "," << FormatGbps(alone * 1e9) << ",";
    if (leftNs < 0)
    {
        table << ",,,\n";
        return;
    }
    const int64_t sharedNs = std::max(joinNs, leftNs - 10 * baseRttNs);
    if (leftNs - sharedNs >= baseRttNs)
    {
        table << FormatGbps(arrivals.GetGbps(sharedNs, leftNs) * 1e9);
    }
    table << "," << FormatUs(leftNs) << ",";
    if (auto reached = arrivals.FindReached(leftNs, o.share * alone))
    {
        table << FormatUs(*reached - leftNs) << ","
              << FormatFixed(static_cast<double>(*reached - leftNs) /
                                 static_cast<double>(baseRttNs),
                             2)
              << "\n";
    }
    else
    {
        table << ",\n";
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        Options options;
        HpccExperiment experiment("hpcc-reclaim",
                                  "Time in which a flow reclaims the bandwidth of another flow "
                                  "that has ended",
                                  "hpcc++,dcqcn,timely,dctcp");
        options.AddTo(experiment);
        experiment.AddTable("reclaim.csv", 2);
        experiment.Parse(argc, argv);
        options.Check();
        HpccExperiment::Scenario scenario = options.MakeScenario();
        HpccCsvFile table(experiment.PathOf("reclaim.csv"),
                          "cc,rate_gbps,base_rtt_us,alone_gbps,shared_gbps,left_us,reclaim_us,"
                          "reclaim_base_rtts");
        scenario.tables = {&table};
        std::optional<Arrivals> arrivals;
        int64_t baseRttNs = 0;
        scenario.connected = [&](HpccFabricHelper& fabric) {
            baseRttNs = fabric.GetPath(STAYING, RECEIVER).baseRttNs;
            arrivals.emplace(STAYING, baseRttNs);
            fabric.GetHost(RECEIVER)->TraceConnectWithoutContext(
                "PayloadArrived",
                MakeCallback(&Arrivals::Received, &*arrivals));
        };
        scenario.finished = [&](HpccFabricHelper&,
                                const std::vector<HpccFlowPlan>&,
                                const HpccMonitor& monitor) {
            table << experiment.GetLabel() << ",";
            WriteRow(table, options, *arrivals, monitor.GetResults()[LEAVING].arrivedNs, baseRttNs);
        };
        experiment.Run(scenario);
        table.Commit();
    });
}
