/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-authors-run.h"

#include "hpcc-authors-recorder.h"
#include "hpcc-authors-routes.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/hpcc-authors-paths.h"
#include "ns3/hpcc-csv-file.h"
#include "ns3/hpcc-ecn-marker.h"
#include "ns3/hpcc-output-directory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/rng-stream.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t STREAMS_PER_NODE = 6;  ///< random streams that the creation of a node uses
constexpr uint64_t STREAMS_OF_ERRORS = 2; ///< random streams that an error model of a link uses
constexpr uint32_t ACK_DSCP = 1;          ///< DSCP of ACKs; differs from the DSCP of data
constexpr uint32_t ACK_PRIORITY = 7;      ///< priority of ACKs that are never paused
constexpr uint32_t ACK_GROUP = 3; ///< priority group whose pauses also stop ACKs at hosts if
                                  ///< ACK_HIGH_PRIO is 0
constexpr uint64_t UNLIMITED_BYTES = 1ULL << 40;  ///< memory of a switch, bytes; so large that it
                                                  ///< never limits a queue
constexpr uint64_t MOST_NS = 9000000000000000000; ///< largest time that a config may contain, ns
constexpr uint64_t STREAMS_PER_SWITCH = uint64_t{1} << 40; ///< number of random streams
                                                           ///< reserved for the marks of
                                                           ///< each switch

/// Returns the address of node i in the authors' simulator, 11.(i/256).(i%256).1, as hexadecimal
/// text.
std::string
AuthorsAddress(uint32_t node)
{
    std::ostringstream out;
    out << std::hex << std::setw(8) << std::setfill('0') << 0x0b000001U + (node << 8);
    return out.str();
}

void
WriteAll(const std::string& path, const std::string& text)
{
    if (path.empty())
    {
        return;
    }
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    HPCC_REFUSE_IF(!HpccOutputDirectory::WriteFile(path, text), "cannot write " + path);
}

/**
 * Returns a copy of a network with different error rates or a different order of links.
 * @param topology the network
 * @param errorRate error rate of the links that have no error rate in @p topology
 * @param reversed true: list the links in reverse order, so that later links have lower port
 * numbers
 * @return the changed network
 */
HpccTopology
Adapt(const HpccTopology& topology, double errorRate, bool reversed)
{
    HpccTopology adapted;
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        adapted.AddNode(topology.IsSwitch(i));
    }
    std::vector<HpccTopology::Link> links = topology.GetLinks();
    if (reversed)
    {
        std::reverse(links.begin(), links.end());
    }
    for (auto& link : links)
    {
        link.errorRate = link.errorRate > 0 ? link.errorRate : errorRate;
        adapted.AddLink(link);
    }
    return adapted;
}

/**
 * Sets T and the window of a flow. In the authors' simulator, the window is a base RTT times the
 * slowest rate of the flow's path. In this module, it is by default the NIC's rate times T. If the
 * two windows differ, this function sets the policy's attribute WindowTime, which determines the
 * window. A policy without WindowTime uses T only for the window, so this function sets T instead.
 * @param policy policy of the flow
 * @param nicBps rate of the sender's NIC, bit/s
 * @param baseRttNs T, ns
 * @param windowBytes the window, bytes
 * @param isNetworkWide true if @p baseRttNs is the base RTT of the network, which policies use by
 * default
 */
void
SetWindow(HpccPolicyFactory& policy,
          uint64_t nicBps,
          int64_t baseRttNs,
          double windowBytes,
          bool isNetworkWide)
{
    TypeId::AttributeInformation info;
    const auto has = [&policy, &info](const char* attribute) {
        return policy.GetTypeId().LookupAttributeByName(attribute, &info);
    };
    if (!has("T"))
    {
        return; // the policy has no window
    }
    const int64_t windowNs = std::llround(windowBytes * 8e9 / static_cast<double>(nicBps));
    const bool separate = has("WindowTime");
    const int64_t ownNs = separate ? baseRttNs : windowNs;
    if (!isNetworkWide || ownNs != baseRttNs)
    {
        policy.Set("T", TimeValue(NanoSeconds(ownNs)));
    }
    if (separate && windowNs != baseRttNs)
    {
        policy.Set("WindowTime", TimeValue(NanoSeconds(windowNs)));
    }
}

/**
 * Generator of the random numbers for marks. As in the authors' simulator, each random number is
 * the first number of a new stream; the numbers of these streams are consecutive.
 */
class AuthorsMarks : public UniformRandomVariable
{
  public:
    /// Creates the generator.
    /// @param firstStream stream of the first random number
    explicit AuthorsMarks(uint64_t firstStream)
        : m_nextStream(firstStream)
    {
    }

    double GetValue() override
    {
        return RngStream(RngSeedManager::GetSeed(), m_nextStream++, RngSeedManager::GetRun())
            .RandU01();
    }

  private:
    uint64_t m_nextStream; ///< stream of the next random number
};

} // namespace

HpccAuthorsRun::HpccAuthorsRun(const HpccAuthorsConfig& config)
    : m_config(config),
      m_fctPath(config.GetOutputPath("FCT_OUTPUT_FILE", "fct.txt")),
      m_pfcPath(config.GetOutputPath("PFC_OUTPUT_FILE", "pfc.txt")),
      m_qlenPath(config.GetOutputPath("QLEN_MON_FILE"))
{
    std::map<std::pair<uint32_t, uint32_t>, uint16_t> next;
    for (const auto& flow : config.GetFlows())
    {
        auto [found, isNew] =
            next.try_emplace({flow.source, flow.destination}, static_cast<uint16_t>(10000));
        m_sourcePorts.push_back(found->second++);
        if (flow.group != config.GetFlows().front().group)
        {
            config.Refuse("FLOW_FILE",
                          "has flows of different priority groups; one group is supported");
        }
    }
    for (const auto& [key, allowed] :
         {std::pair("L2_BACK_TO_ZERO", 0.0), std::pair("L2_ACK_INTERVAL", 1.0)})
    {
        if (config.GetNumber(key, allowed) != allowed)
        {
            config.Refuse(key,
                          config.GetText(key) + " is not supported; only " +
                              std::to_string(static_cast<int>(allowed)));
        }
    }
    const double errorRate = config.GetNumber("ERROR_RATE_PER_LINK", 0);
    if (!(errorRate >= 0 && errorRate < 1))
    {
        config.Refuse("ERROR_RATE_PER_LINK",
                      config.GetText("ERROR_RATE_PER_LINK") + " is outside [0, 1)");
    }
    CheckNumbers();
    m_failsAt =
        MicroSeconds(static_cast<int64_t>(config.GetWhole("LINK_DOWN", 0, 0, MOST_NS / 1000)));
    if (!m_failsAt.IsZero())
    {
        auto node = [&config](size_t index) {
            return static_cast<uint32_t>(config.GetWhole("LINK_DOWN", 0, 0, UINT32_MAX, index));
        };
        m_failing = config.GetTopology().FindLinks(node(1), node(2));
        if (m_failing.empty())
        {
            config.Refuse("LINK_DOWN",
                          "needs a time in us, 0 for never, and two nodes with a link");
        }
    }
}

HpccAuthorsRun::~HpccAuthorsRun() = default;

void
HpccAuthorsRun::CheckNumbers() const
{
    const double stop = m_config.GetNumber("SIMULATOR_STOP_TIME", 3.01);
    if (!(stop >= 1e-9 && stop <= 100000))
    {
        m_config.Refuse("SIMULATOR_STOP_TIME",
                        m_config.GetText("SIMULATOR_STOP_TIME") + " is outside 1e-9 to 100000 s");
    }
    const double mebibytes = m_config.GetNumber("BUFFER_SIZE", 16);
    if (!(mebibytes * (1 << 20) >= 1 && mebibytes <= 8e12))
    {
        m_config.Refuse("BUFFER_SIZE",
                        m_config.GetText("BUFFER_SIZE") +
                            " is not allowed; MiB, from 1 byte to 8000000000000");
    }
    for (const char* key : {"QLEN_MON_START", "QLEN_MON_END"})
    {
        m_config.GetWhole(key, 0, 0, MOST_NS);
    }
    for (const char* key : {"ENABLE_QCN", "RATE_BOUND", "GLOBAL_T", "ACK_HIGH_PRIO"})
    {
        m_config.GetFlag(key, false);
    }
    for (const char* key : {"KMIN_MAP", "KMAX_MAP", "PMAX_MAP"})
    {
        m_config.GetMap(key);
    }
    m_config.GetPayloadBytes();
}

void
HpccAuthorsRun::SetOutputs(const std::string& fct, const std::string& pfc, const std::string& qlen)
{
    m_fctPath = fct;
    m_pfcPath = pfc;
    m_qlenPath = qlen;
}

void
HpccAuthorsRun::SetOutputDirectory(const std::string& directory)
{
    for (std::string* path : {&m_fctPath, &m_pfcPath, &m_qlenPath})
    {
        if (!path->empty())
        {
            *path = std::filesystem::path(directory) / std::filesystem::path(*path).filename();
        }
    }
}

void
HpccAuthorsRun::CheckOutputs(const std::string& directory,
                             const std::vector<std::string>& tables) const
{
    namespace fs = std::filesystem;
    std::set<fs::path> taken = HpccOutputDirectory::PathsOf(directory, tables);
    std::string others;
    for (const auto& [key, name] : {std::pair("FCT_OUTPUT_FILE", m_fctPath),
                                    std::pair("PFC_OUTPUT_FILE", m_pfcPath),
                                    std::pair("QLEN_MON_FILE", m_qlenPath)})
    {
        if (name.empty())
        {
            continue;
        }
        const std::string given = m_config.Has(key) ? m_config.GetText(key) : name;
        if (!fs::path(name).has_filename() || fs::is_directory(name))
        {
            m_config.Refuse(key, "\"" + given + "\" is not allowed; the name of a file");
        }
        const bool device = fs::exists(name) && !fs::is_regular_file(name); // such as /dev/null
        if (!device && !taken.insert(fs::weakly_canonical(fs::absolute(name))).second)
        {
            m_config.Refuse(m_config.Has(key) || others.empty() ? key : others,
                            "\"" + given +
                                "\" is the name of another output file; allowed are other "
                                "names");
        }
        others = m_config.Has(key) ? key : others;
    }
}

std::vector<std::string>
HpccAuthorsRun::ListOutputs() const
{
    std::vector<std::string> names;
    for (const std::string* path : {&m_fctPath, &m_pfcPath, &m_qlenPath})
    {
        if (!path->empty())
        {
            names.push_back(std::filesystem::path(*path).filename().string());
        }
    }
    return names;
}

void
HpccAuthorsRun::SetLaterLinksFirst(bool laterLinksFirst)
{
    m_laterLinksFirst = laterLinksFirst;
}

void
HpccAuthorsRun::SetOwnBaseRtt(bool ownBaseRtt)
{
    m_ownBaseRtt = ownBaseRtt;
}

bool
HpccAuthorsRun::IsUnlimited() const
{
    return m_config.GetFlows().front().group == 0;
}

void
HpccAuthorsRun::SetAcksFirst(bool acksFirst)
{
    // The authors' simulator puts ACKs that go before data into the queue of priority group 0. If
    // the data have this group, too, both share the queue, so ACKs do not go before data.
    m_acksFirst = acksFirst && !IsUnlimited();
}

void
HpccAuthorsRun::Configure(HpccFabricHelper& fabric) const
{
    for (uint32_t link : m_failing)
    {
        fabric.ScheduleLinkDown(LinkHere(link), Seconds(2) + m_failsAt);
    }
    fabric.SetConvergenceDelay(Time(0));
    const uint32_t group = m_config.GetFlows().front().group;
    const uint32_t priority = GetPriority();
    fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(false));
    fabric.SetDeviceAttribute("WholeNanoseconds", BooleanValue(true));
    std::ostringstream map;
    map << 8 * group << ":" << priority << "," << ACK_DSCP << ":"
        << (m_acksFirst ? ACK_PRIORITY : priority);
    fabric.SetDeviceAttribute("DscpToPriority", StringValue(map.str()));
    fabric.SetDeviceAttribute("LosslessPriorities",
                              UintegerValue(IsUnlimited() ? 0
                                            : m_acksFirst ? 1U << priority & 0xfe
                                                          : 0xfe));
    fabric.SetHostAttribute("WireProfile", StringValue("Authors"));
    fabric.SetHostAttribute("CongestionEcho", StringValue("Ack"));
    fabric.SetHostAttribute("DataDscp", UintegerValue(8 * group));
    fabric.SetHostAttribute("AckDscp", UintegerValue(ACK_DSCP));
    fabric.SetHostAttribute("Mtu", UintegerValue(m_config.GetPayloadBytes()));
    fabric.SetTelemetryAgentAttribute("QueueScope", StringValue("WholePort"));
    fabric.SetBufferAttribute(
        "BufferBytes",
        UintegerValue(IsUnlimited() ? UNLIMITED_BYTES
                                    : static_cast<uint64_t>(m_config.GetNumber("BUFFER_SIZE", 16) *
                                                            (1 << 20))));
    fabric.SetBufferAttribute("HeadroomDelays", DoubleValue(3));
    fabric.SetBufferAttribute("SetAsidePerPort", BooleanValue(true));
    SetRateValues(fabric);
    fabric.SetEcnAttribute("Enabled",
                           BooleanValue(!IsUnlimited() && m_config.GetFlag("ENABLE_QCN", true)));
}

void
HpccAuthorsRun::SetRateValues(HpccFabricHelper& fabric) const
{
    std::ostringstream alpha;
    std::ostringstream thresholds;
    auto kmin = m_config.GetMap("KMIN_MAP");
    auto kmax = m_config.GetMap("KMAX_MAP");
    auto pmax = m_config.GetMap("PMAX_MAP");
    std::map<uint64_t, double> alphas;
    for (const auto& link : m_config.GetTopology().GetLinks())
    {
        uint64_t rate = link.rate.GetBitRate();
        int shift = 3;
        for (uint64_t r = rate; r > m_config.GetNicRateBps() && shift > 0; r /= 2)
        {
            --shift;
        }
        alphas[rate] = 1.0 / (1 << shift);
        for (const auto& [key, values] : {std::pair("KMIN_MAP", &kmin),
                                          std::pair("KMAX_MAP", &kmax),
                                          std::pair("PMAX_MAP", &pmax)})
        {
            if (values->count(rate) == 0)
            {
                m_config.Refuse(key, "has no entry for " + std::to_string(rate) + " bit/s");
            }
        }
    }
    for (auto [rate, value] : alphas)
    {
        if (kmax[rate] < kmin[rate] || pmax[rate] > 1)
        {
            const bool order = kmax[rate] < kmin[rate];
            std::ostringstream why;
            why.precision(15); // as many digits as in the file
            why << (order ? kmax[rate] : pmax[rate]) << " for " << rate << " bit/s is not allowed; "
                << (order ? "at least KMIN_MAP, " : "at most ") << (order ? kmin[rate] : 1);
            m_config.Refuse(order ? "KMAX_MAP" : "PMAX_MAP", why.str());
        }
        const char* comma = alpha.str().empty() ? "" : ",";
        alpha << comma << rate << "bps:" << value;
        thresholds << comma << rate << "bps:" << kmin[rate] * 1000 << ":" << kmax[rate] * 1000
                   << ":" << pmax[rate];
    }
    fabric.SetBufferAttribute("AlphaPerRate", StringValue(alpha.str()));
    fabric.SetEcnAttribute("Thresholds", StringValue(thresholds.str()));
}

HpccExperiment::Scenario
HpccAuthorsRun::MakeScenario(const HpccFabricHelper::PolicySpec& spec)
{
    HpccExperiment::Scenario scenario;
    scenario.startsAfterStop = true;
    scenario.topology = Adapt(m_config.GetTopology(),
                              m_config.GetNumber("ERROR_RATE_PER_LINK", 0),
                              m_laterLinksFirst);
    for (const auto& flow : m_config.GetFlows())
    {
        scenario.flows.push_back({flow.source, flow.destination, flow.bytes, flow.startNs, 0, 0});
    }
    scenario.baseRttNs = m_config.GetMaxBaseRttNs();
    scenario.stop =
        NanoSeconds(static_cast<int64_t>(m_config.GetNumber("SIMULATOR_STOP_TIME", 3.01) * 1e9));
    const bool global = m_config.GetFlag("GLOBAL_T", true);
    const double largestBytes = global ? m_config.GetMaxBdpBytes() : 0;
    scenario.connect = [this, spec, global, largestBytes, largestNs = scenario.baseRttNs](
                           HpccFabricHelper& fabric,
                           const HpccFlowPlan& flow,
                           const HpccFabricHelper::PolicySpec&) {
        HpccFabricHelper::PolicySpec own = spec;
        const uint64_t nicBps = m_config.GetNicRateBps(flow.source);
        const int64_t pathNs = m_config.GetBaseRttNs(flow.source, flow.destination);
        if (!global)
        {
            const double bytes = m_config.GetBdpBytes(flow.source, flow.destination);
            SetWindow(own.policy, nicBps, pathNs, bytes, false);
        }
        else if (!m_ownBaseRtt)
        {
            SetWindow(own.policy, nicBps, largestNs, largestBytes, true);
        }
        uint16_t port = m_sourcePorts[m_connected++ % m_sourcePorts.size()];
        return fabric.Connect(flow.source, flow.destination, own, port, true);
    };
    scenario.connected = [this, stop = scenario.stop](HpccFabricHelper& fabric) {
        DrawMarks(fabric);
        SetRoutes(fabric);
        SetAckPriority(fabric);
        m_recorder = std::make_unique<AuthorsRecorder>(
            fabric,
            static_cast<int64_t>(m_config.GetNumber("QLEN_MON_START", 2e9)),
            static_cast<int64_t>(m_config.GetNumber("QLEN_MON_END", 2.1e9)),
            stop.GetNanoSeconds(),
            !m_qlenPath.empty(),
            [this](const QbbNetDevice& device) { return InterfaceOf(device); });
    };
    scenario.finished = [this](HpccFabricHelper& fabric,
                               const std::vector<HpccFlowPlan>& flows,
                               const HpccMonitor& monitor) {
        WriteFct(fabric, flows, monitor);
        WarnOfLinkDown();
        if (monitor.GetUnfinished() == 0)
        {
            m_recorder->CountOn();
        }
        WriteAll(m_pfcPath, m_recorder->GetPfc());
        WriteAll(m_qlenPath, m_recorder->GetQlen());
    };
    return scenario;
}

uint32_t
HpccAuthorsRun::InterfaceOf(const QbbNetDevice& device) const
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < device.GetNode()->GetNDevices(); ++i)
    {
        ports += dynamic_cast<QbbNetDevice*>(PeekPointer(device.GetNode()->GetDevice(i))) ? 1 : 0;
    }
    return m_laterLinksFirst ? ports - device.GetPortIndex() : device.GetPortIndex() + 1;
}

void
HpccAuthorsRun::DrawMarks(HpccFabricHelper& fabric) const
{
    const auto& topology = m_config.GetTopology();
    uint64_t stream = STREAMS_PER_NODE * uint64_t{topology.GetNodes()} + STREAMS_OF_ERRORS;
    for (const auto& link : topology.GetLinks())
    {
        stream += link.errorRate > 0 ? STREAMS_OF_ERRORS : 0;
    }
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        if (topology.IsSwitch(node))
        {
            DynamicCast<EcnMarker>(fabric.GetSwitch(node)->GetMarker())
                ->SetVariable(CreateObject<AuthorsMarks>(stream));
            stream += STREAMS_PER_SWITCH;
        }
    }
}

void
HpccAuthorsRun::SetRoutes(HpccFabricHelper& fabric) const
{
    auto flowPorts = std::make_shared<AuthorsPaths::FlowPorts>();
    const auto& flows = m_config.GetFlows();
    flowPorts->common = static_cast<uint16_t>(flows.front().port);
    for (size_t i = 0; i < flows.size(); ++i)
    {
        const auto port = static_cast<uint16_t>(flows[i].port);
        if (port != flowPorts->common)
        {
            flowPorts->others[AuthorsPaths::KeyOf(flows[i].source,
                                                  flows[i].destination,
                                                  m_sourcePorts[i])] = port;
        }
    }
    const auto& topology = fabric.GetTopology();
    std::vector<uint32_t> down;
    for (uint32_t link : m_failing)
    {
        down.push_back(LinkHere(link));
    }
    const AuthorsRoutes before(fabric, {}, m_laterLinksFirst);
    const AuthorsRoutes after(fabric, down, m_laterLinksFirst);
    std::vector<QbbSwitch::RouteChanges> changes(topology.GetNodes());
    for (uint32_t host : topology.GetHosts())
    {
        const uint32_t address = HpccFabricHelper::GetAddress(host);
        const auto ports = before.PortsTo(host);
        const auto later = down.empty() ? ports : after.PortsTo(host);
        for (uint32_t node = 0; node < topology.GetNodes(); ++node)
        {
            if (topology.IsSwitch(node))
            {
                fabric.GetSwitch(node)->GetRoutes().SetRoute(address, ports[node]);
                if (later[node] != ports[node])
                {
                    changes[node].emplace_back(address, later[node]);
                }
            }
        }
    }
    for (uint32_t node = 0; node < topology.GetNodes(); ++node)
    {
        if (!topology.IsSwitch(node))
        {
            continue;
        }
        if (!changes[node].empty())
        {
            fabric.GetSwitch(node)->ScheduleRoutes((Seconds(2) + m_failsAt).GetNanoSeconds(),
                                                   std::move(changes[node]));
        }
        if (auto paths = DynamicCast<AuthorsPaths>(fabric.GetSwitch(node)->GetPathSelector()))
        {
            paths->SetFlowPorts(flowPorts);
        }
    }
}

uint32_t
HpccAuthorsRun::LinkHere(uint32_t link) const
{
    const auto links = static_cast<uint32_t>(m_config.GetTopology().GetLinks().size());
    return m_laterLinksFirst ? links - 1 - link : link;
}

uint32_t
HpccAuthorsRun::GetPriority() const
{
    return std::min(m_config.GetFlows().front().group, ACK_PRIORITY - 1);
}

void
HpccAuthorsRun::SetAckPriority(HpccFabricHelper& fabric) const
{
    const uint32_t group = m_config.GetFlows().front().group;
    const uint32_t priority = GetPriority();
    const bool stops = !m_config.GetFlag("ACK_HIGH_PRIO", false) && group == ACK_GROUP;
    if (stops != m_acksFirst)
    {
        return;
    }
    std::ostringstream map;
    map << 8 * group << ":" << priority << "," << ACK_DSCP << ":"
        << (stops ? priority : ACK_PRIORITY);
    for (uint32_t host : fabric.GetTopology().GetHosts())
    {
        for (uint32_t i = 0; i < fabric.GetNodes().Get(host)->GetNDevices(); ++i)
        {
            auto device = DynamicCast<QbbNetDevice>(fabric.GetNodes().Get(host)->GetDevice(i));
            if (device)
            {
                device->SetAttribute("LosslessPriorities", UintegerValue(1U << priority & 0xfe));
                device->SetAttribute("DscpToPriority", StringValue(map.str()));
            }
        }
    }
}

void
HpccAuthorsRun::WarnOfLinkDown() const
{
    const int64_t failsNs = (Seconds(2) + m_failsAt).GetNanoSeconds();
    const int64_t nowNs = Simulator::Now().GetNanoSeconds();
    if (!m_failsAt.IsZero() && nowNs <= failsNs)
    {
        std::cerr << m_config.NameOf("LINK_DOWN") << " has no effect: the link fails at "
                  << FormatUs(failsNs) << " us, but the run ended at " << FormatUs(nowNs) << " us"
                  << std::endl;
    }
}

void
HpccAuthorsRun::WriteFct(HpccFabricHelper&,
                         const std::vector<HpccFlowPlan>& flows,
                         const HpccMonitor& monitor) const
{
    std::vector<size_t> order;
    for (size_t i = 0; i < flows.size(); ++i)
    {
        if (monitor.GetResults()[i].endNs >= 0)
        {
            order.push_back(i);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&monitor](size_t a, size_t b) {
        return monitor.GetResults()[a].endNs < monitor.GetResults()[b].endNs;
    });
    std::ostringstream out;
    for (size_t i : order)
    {
        const auto& flow = m_config.GetFlows()[i];
        out << AuthorsAddress(flow.source) << " " << AuthorsAddress(flow.destination) << " "
            << m_sourcePorts[i] << " " << flow.port << " " << flow.bytes << " " << flow.startNs
            << " " << monitor.GetResults()[i].endNs - flow.startNs << " "
            << m_config.GetStandaloneNs(flow) << "\n";
    }
    WriteAll(m_fctPath, out.str());
}

} // namespace ns3
