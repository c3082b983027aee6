/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Three sites in a row are joined by links with a delay of 10 ms, so that a round trip takes 40 ms.
// There is no PFC, because no switch has headroom for such links. Flows from the first site to the
// last site start one after the other. What is the utilisation of the long links, and how long are
// their queues? How much does packet loss reduce throughput?

#include "ns3/config.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-experiment.h"
#include "ns3/rdma-host.h"
#include "ns3/rdma-irn.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t HOST_DELAY_US = 1; ///< delay of the links of hosts, us
constexpr double DEFAULT_BDPS = 3;   ///< default limit of the bytes in flight, in bandwidth-delay
                                     ///< products
constexpr uint32_t HEADERS = 200;    ///< approximate sum of two sizes, bytes: the headers of a
                                     ///< packet with telemetry, and its ACK

/// Returns the network: three switches in a row, with @p flows hosts at the first switch and @p
/// flows hosts at the last switch.
HpccTopology
MakeSites(uint32_t flows, DataRate rate, Time delay, double loss)
{
    HpccTopology topology;
    for (uint32_t host = 0; host < 2 * flows; ++host)
    {
        topology.AddNode(false);
    }
    const uint32_t first = topology.AddNode(true);
    const uint32_t middle = topology.AddNode(true);
    const uint32_t last = topology.AddNode(true);
    topology.AddLink({first, middle, rate, delay, loss});
    topology.AddLink({middle, last, rate, delay, loss});
    for (uint32_t host = 0; host < 2 * flows; ++host)
    {
        topology.AddLink({host, host < flows ? first : last, rate, MicroSeconds(HOST_DELAY_US)});
    }
    return topology;
}

/**
 * Sets the default of RdmaIrn::BdpCap, which limits the bytes in flight, to three bandwidth-delay
 * products. If only one bandwidth-delay product were allowed in flight, a lost packet would stop
 * the sender for a round trip. The bandwidth-delay product uses the round-trip time of a packet on
 * an idle path.
 * @param rate rate of the links
 * @param delay delay of the links between the sites
 * @param mtu payload of a full packet, bytes
 * @return the limit in bandwidth-delay products; below 3 if BdpCap cannot be larger
 */
double
WidenBdpCap(DataRate rate, Time delay, uint32_t mtu)
{
    TypeId::AttributeInformation info;
    RdmaIrn::GetTypeId().LookupAttributeByName("BdpCap", &info);
    if (info.initialValue->SerializeToString(info.checker) == "0")
    {
        constexpr double most = 1048576;
        const double bytes = static_cast<double>(rate.GetBitRate()) / 8 * 4 *
                                 (delay + MicroSeconds(HOST_DELAY_US)).GetSeconds() +
                             4 * (mtu + HEADERS); // transmission times: the packet and its ACK each
                                                  // cross four links
        const double wanted = std::ceil(DEFAULT_BDPS * bytes / mtu);
        const double packets = std::min(wanted, most);
        Config::SetDefault("ns3::RdmaIrn::BdpCap", UintegerValue(static_cast<uint32_t>(packets)));
        return DEFAULT_BDPS * packets / wanted;
    }
    return DEFAULT_BDPS;
}

/// Returns the number of retransmitted packets and the number of time-outs, each summed over the
/// hosts of the first site.
std::pair<uint64_t, uint64_t>
CountRepairs(HpccFabricHelper& fabric, uint32_t flows)
{
    uint64_t again = 0;
    uint64_t timeouts = 0;
    for (uint32_t host = 0; host < flows; ++host)
    {
        again += fabric.GetHost(host)->GetQueuePair(0).retransmissions;
        timeouts += fabric.GetHost(host)->GetTimeouts();
    }
    return {again, timeouts};
}

} // namespace

int
main(int argc, char* argv[])
{
    return HpccExperiment::Main([&] {
        uint32_t flows = 2;
        uint64_t bytes = 1000000000;
        DataRate rate("10Gbps");
        Time delay = MilliSeconds(10);
        Time gap = MilliSeconds(400);
        double loss = 0;
        // By default irn may have three bandwidth-delay products in flight; see WidenBdpCap().
        HpccExperiment experiment("hpcc-wan",
                                  "Flows over two links of 10 ms, T = 40 ms; by default with "
                                  "--recovery=irn, time-outs above T, and --flow-control=lossy",
                                  "hpcc++,dctcp");
        experiment.AddOption("flows", "flows, one per sending host, at least 1", flows);
        experiment.AddOption("bytes", "payload of each flow, bytes, at least 1", bytes);
        experiment.AddOption("gap", "time between successive starts", gap);
        experiment.AddOption("rate", "rate of every link", rate);
        experiment.AddOption("delay", "propagation delay of each of the two long links", delay);
        experiment.AddOption("loss",
                             "share of packets that each long link loses to errors, 0 to 0.1",
                             loss);
        experiment.AddTable("wan.csv", 2);
        experiment.Parse(argc,
                         argv,
                         {"--recovery=irn",
                          "--flow-control=lossy",
                          "--settle=0us",
                          "--ns3::RdmaIrn::RtoLow=120ms",
                          "--ns3::RdmaIrn::RtoHigh=120ms",
                          "--ns3::RdmaHost::RetransmitTimeout=120ms"});
        RequireRange("--flows", flows, 1, HpccTopology::MAX_NODES);
        RequireAtLeast("--bytes", bytes, 1);
        HPCC_REFUSE_IF(!(loss >= 0 && loss <= 0.1),
                       "--loss: " + std::to_string(loss) + " is outside 0 to 0.1");
        const double limit = experiment.IsGiven("bdp-cap")
                                 ? DEFAULT_BDPS
                                 : WidenBdpCap(rate, delay, experiment.GetMtu());
        HpccExperiment::Scenario scenario;
        scenario.topology = MakeSites(flows, rate, delay, loss);
        for (uint32_t i = 0; i < flows; ++i)
        {
            scenario.flows.push_back({i, flows + i, bytes, i * gap.GetNanoSeconds(), 0, 0});
        }
        scenario.stop = Seconds(60);
        scenario.stopIsLimit = true;
        scenario.perFlowSeries = true;
        HpccCsvFile table(experiment.PathOf("wan.csv"),
                          "cc,loss,base_rtt_ms,last_end_ms,packets_sent_again,timeouts");
        scenario.tables = {&table};
        scenario.finished = [&](HpccFabricHelper& fabric,
                                const std::vector<HpccFlowPlan>&,
                                const HpccMonitor& monitor) {
            if (limit < DEFAULT_BDPS && experiment.GetRecovery() == "irn")
            {
                std::cerr
                    << "hpcc-wan: warning: ns3::RdmaIrn::BdpCap limits the bytes in flight to "
                    << FormatFixed(limit, 2) << " bandwidth-delay products\n";
            }
            int64_t lastNs = 0;
            for (const auto& result : monitor.GetResults())
            {
                lastNs = std::max(lastNs, result.endNs);
            }
            auto [again, timeouts] = CountRepairs(fabric, flows);
            table << experiment.GetLabel() << "," << loss << ","
                  << FormatFixed(static_cast<double>(fabric.GetPath(0, flows).baseRttNs) / 1e6, 3)
                  << ","
                  << (monitor.GetUnfinished() == 0
                          ? FormatFixed(static_cast<double>(lastNs) / 1e6, 3)
                          : "")
                  << "," << again << "," << timeouts << "\n";
        };
        experiment.Run(scenario);
        table.Commit();
    });
}
