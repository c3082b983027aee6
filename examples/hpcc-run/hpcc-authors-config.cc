/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-authors-config.h"

#include "ns3/hpcc-attribute-defaults.h"
#include "ns3/hpcc-flow-trace.h"
#include "ns3/hpcc-word-reader.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ns3
{

namespace
{

namespace fs = std::filesystem;

constexpr const char* BYTE_ORDER_MARK = "\xef\xbb\xbf"; ///< of UTF-8
/// Value of Key::values for a key whose number of values varies: a count, followed by that number
/// of pairs.
constexpr int MAP = -1;

struct Key
{
    const char* name;
    int values;
    bool effect; ///< false if the key has no effect in this module
};

constexpr Key KEYS[] = {{"ENABLE_QCN", 1, true},
                        {"USE_DYNAMIC_PFC_THRESHOLD", 1, false},
                        {"CLAMP_TARGET_RATE", 1, true},
                        {"PAUSE_TIME", 1, false},
                        {"DATA_RATE", 1, false},
                        {"LINK_DELAY", 1, false},
                        {"PACKET_PAYLOAD_SIZE", 1, true},
                        {"L2_CHUNK_SIZE", 1, false},
                        {"L2_ACK_INTERVAL", 1, true},
                        {"L2_BACK_TO_ZERO", 1, true},
                        {"TOPOLOGY_FILE", 1, true},
                        {"FLOW_FILE", 1, true},
                        {"TRACE_FILE", 1, false},
                        {"TRACE_OUTPUT_FILE", 1, false},
                        {"SIMULATOR_STOP_TIME", 1, true},
                        {"ALPHA_RESUME_INTERVAL", 1, true},
                        {"RP_TIMER", 1, true},
                        {"EWMA_GAIN", 1, true},
                        {"FAST_RECOVERY_TIMES", 1, true},
                        {"RATE_AI", 1, true},
                        {"RATE_HAI", 1, true},
                        {"ERROR_RATE_PER_LINK", 1, true},
                        {"CC_MODE", 1, true},
                        {"RATE_DECREASE_INTERVAL", 1, true},
                        {"MIN_RATE", 1, true},
                        {"FCT_OUTPUT_FILE", 1, true},
                        {"HAS_WIN", 1, true},
                        {"GLOBAL_T", 1, true},
                        {"MI_THRESH", 1, true},
                        {"VAR_WIN", 1, true},
                        {"FAST_REACT", 1, true},
                        {"U_TARGET", 1, true},
                        {"INT_MULTI", 1, true},
                        {"RATE_BOUND", 1, true},
                        {"ACK_HIGH_PRIO", 1, true},
                        {"DCTCP_RATE_AI", 1, true},
                        {"PFC_OUTPUT_FILE", 1, true},
                        {"LINK_DOWN", 3, true},
                        {"ENABLE_TRACE", 1, false},
                        {"KMAX_MAP", MAP, true},
                        {"KMIN_MAP", MAP, true},
                        {"PMAX_MAP", MAP, true},
                        {"BUFFER_SIZE", 1, true},
                        {"QLEN_MON_FILE", 1, true},
                        {"QLEN_MON_START", 1, true},
                        {"QLEN_MON_END", 1, true},
                        {"MULTI_RATE", 1, true},
                        {"SAMPLE_FEEDBACK", 1, true},
                        {"PINT_LOG_BASE", 1, true},
                        {"PINT_PROB", 1, true}};

} // namespace

HpccAuthorsConfig::HpccAuthorsConfig(const std::string& path)
    : m_path(path)
{
    ReadConfig();
    m_topology = HpccTopology::ReadFile(InputPath("TOPOLOGY_FILE"));
    HPCC_REFUSE_IF(m_topology.GetMostPorts() > 1,
                   InputPath("TOPOLOGY_FILE") + ": a host has " +
                       std::to_string(m_topology.GetMostPorts()) +
                       " links; allowed are hosts with one");
    ReadFlows();
}

void
HpccAuthorsConfig::ReadConfig()
{
    std::ifstream file(m_path);
    HPCC_REFUSE_IF(!file || fs::is_directory(m_path), "cannot read the config " + m_path);
    std::string text;
    for (uint32_t line = 1; std::getline(file, text); ++line)
    {
        HPCC_REFUSE_IF(line == 1 && text.rfind(BYTE_ORDER_MARK, 0) == 0,
                       HpccWordReader::At(m_path, line) +
                           "the file begins with a byte order mark; save it without one");
        std::istringstream words(text.substr(0, text.find('#')));
        std::string name;
        if (!(words >> name))
        {
            continue;
        }
        Entry entry{line, {}};
        for (std::string value; words >> value;)
        {
            entry.values.push_back(value);
        }
        const auto* key = std::find_if(std::begin(KEYS), std::end(KEYS), [&name](const Key& k) {
            return name == k.name;
        });
        if (key == std::end(KEYS))
        {
            m_remarks.push_back(HpccWordReader::At(m_path, line) + name + " is unknown");
            continue;
        }
        if (!key->effect)
        {
            m_remarks.push_back(HpccWordReader::At(m_path, line) + name + " has no effect here");
        }
        size_t expected = key->values == MAP ? 0 : static_cast<size_t>(key->values);
        if (key->values == MAP && !entry.values.empty())
        {
            std::istringstream in(entry.values[0]);
            size_t pairs = 0;
            char rest = 0;
            expected = in >> pairs && !(in >> rest) ? 1 + 2 * pairs : 0;
        }
        HPCC_REFUSE_IF(expected == 0 || entry.values.size() != expected,
                       HpccWordReader::At(m_path, line) + name + " needs " +
                           (key->values == MAP ? "a count and that many pairs RATE VALUE"
                                               : std::to_string(key->values) + " value(s)") +
                           ", not " + std::to_string(entry.values.size()) + " words");
        const auto [known, isNew] = m_entries.try_emplace(name, entry);
        HPCC_REFUSE_IF(!isNew && key->effect && known->second.values != entry.values,
                       HpccWordReader::At(m_path, line) + name +
                           " is given twice, with other values in line " +
                           std::to_string(known->second.line));
    }
}

std::vector<std::string>
HpccAuthorsConfig::GetKeys()
{
    std::vector<std::string> keys;
    for (const auto& key : KEYS)
    {
        keys.emplace_back(key.name);
    }
    return keys;
}

bool
HpccAuthorsConfig::Has(const std::string& key) const
{
    return m_entries.count(key) > 0;
}

std::string
HpccAuthorsConfig::NameOf(const std::string& key) const
{
    auto found = m_entries.find(key);
    uint32_t line = found == m_entries.end() ? 1 : found->second.line;
    return HpccWordReader::At(m_path, line) + key;
}

void
HpccAuthorsConfig::Refuse(const std::string& key, const std::string& why) const
{
    throw HpccInputError(NameOf(key) + " " + why);
}

double
HpccAuthorsConfig::GetNumber(const std::string& key, double fallback, size_t index) const
{
    if (!Has(key))
    {
        return fallback;
    }
    const std::string& text = m_entries.at(key).values[index];
    std::istringstream in(text);
    double value = 0;
    char rest = 0;
    if (!(in >> value) || in >> rest)
    {
        Refuse(key, "\"" + text + "\" is not a number");
    }
    return value;
}

uint64_t
HpccAuthorsConfig::GetWhole(const std::string& key,
                            uint64_t fallback,
                            uint64_t least,
                            uint64_t most,
                            size_t index) const
{
    if (!Has(key))
    {
        return fallback;
    }
    const double value = GetNumber(key, 0, index);
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) ||
        value != std::floor(value))
    {
        Refuse(key,
               "\"" + m_entries.at(key).values[index] + "\" is not allowed; a whole number from " +
                   std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<uint64_t>(value);
}

bool
HpccAuthorsConfig::GetFlag(const std::string& key, bool fallback) const
{
    const double value = GetNumber(key, fallback ? 1 : 0);
    if (value != 0 && value != 1)
    {
        Refuse(key, GetText(key) + " is neither 0 nor 1");
    }
    return value == 1;
}

DataRate
HpccAuthorsConfig::GetRate(const std::string& key, const std::string& fallback) const
{
    return ReadRate(NameOf(key), Has(key) ? m_entries.at(key).values[0] : fallback);
}

std::string
HpccAuthorsConfig::GetText(const std::string& key) const
{
    return Has(key) ? m_entries.at(key).values[0] : "";
}

std::string
HpccAuthorsConfig::InputPath(const std::string& key) const
{
    HPCC_REFUSE_IF(!Has(key), m_path + ": the key " + key + " is missing");
    fs::path folder = fs::absolute(m_path).parent_path();
    fs::path name = GetText(key);
    for (const fs::path& path : {folder / name, folder.parent_path() / name})
    {
        if (fs::is_regular_file(path))
        {
            return path.lexically_normal().string();
        }
    }
    Refuse(key,
           "\"" + name.string() +
               "\": there is no such file, from the config's folder or its parent");
}

std::string
HpccAuthorsConfig::GetOutputPath(const std::string& key, const std::string& fallback) const
{
    if (!Has(key) && fallback.empty())
    {
        return "";
    }
    fs::path name = Has(key) ? GetText(key) : fallback;
    fs::path folder = fs::absolute(m_path).parent_path();
    fs::path input = GetText("TOPOLOGY_FILE");
    if (!fs::is_regular_file(folder / input))
    {
        folder = folder.parent_path();
    }
    return (folder / name).lexically_normal().string();
}

std::map<uint64_t, double>
HpccAuthorsConfig::GetMap(const std::string& key) const
{
    std::map<uint64_t, double> values;
    if (!Has(key))
    {
        return values;
    }
    const auto& words = m_entries.at(key).values;
    for (size_t i = 1; i + 1 < words.size(); i += 2)
    {
        std::istringstream in(words[i] + " " + words[i + 1]);
        double rate = 0;
        double value = 0;
        char rest = 0;
        if (!(in >> rate >> value) || in >> rest || rate < 1 || rate > 1e18 || value < 0)
        {
            Refuse(key,
                   "\"" + words[i] + " " + words[i + 1] +
                       "\" is not RATE VALUE: numbers, the rate in bit/s, the value at least 0");
        }
        values[static_cast<uint64_t>(rate)] = value;
    }
    return values;
}

void
HpccAuthorsConfig::ReadFlows()
{
    HpccWordReader in(InputPath("FLOW_FILE"));
    auto count = in.Read<uint32_t>("the number of flows");
    for (uint32_t i = 0; i < count; ++i)
    {
        Flow flow{};
        flow.source = in.Read<uint32_t>("the source of a flow");
        flow.destination = in.Read<uint32_t>("the destination of a flow");
        flow.group = in.Read<uint32_t>("the priority group of a flow");
        flow.port = in.Read<uint32_t>("the destination port of a flow");
        if (flow.port > UINT16_MAX)
        {
            in.Refuse("port " + std::to_string(flow.port) + " is above 65535");
        }
        flow.bytes = in.Read<uint64_t>("the bytes of a flow");
        auto start = in.Read<double>("the start of a flow");
        for (uint32_t host : {flow.source, flow.destination})
        {
            if (host >= m_topology.GetNodes() || m_topology.IsSwitch(host))
            {
                in.Refuse("node " + std::to_string(host) + " is not a host");
            }
        }
        if (flow.source == flow.destination || flow.bytes == 0 || flow.group > 7 || start < 0)
        {
            in.Refuse(
                "a flow needs two different hosts, a priority group 0 to 7, at least 1 byte and a "
                "start that is not negative");
        }
        flow.startNs = HpccFlowTrace::AuthorsStartNs(start);
        m_flows.push_back(flow);
    }
    if (m_flows.empty())
    {
        in.Refuse("there is no flow");
    }
    if (in.HasSurplusNumber())
    {
        // Do not refuse a file with too many flows. The flow file of the authors' simulator, too,
        // contains more flows than its first line announces.
        m_remarks.push_back(in.GetPlace() + "the flows from this line on are not run: " +
                            std::to_string(count) + " are announced");
    }
}

uint32_t
HpccAuthorsConfig::GetPayloadBytes() const
{
    return static_cast<uint32_t>(GetWhole("PACKET_PAYLOAD_SIZE", 1000, 64, 9000));
}

const HpccAuthorsConfig::Distances&
HpccAuthorsConfig::From(uint32_t host) const
{
    auto [found, isNew] = m_distances.try_emplace(host);
    Distances& distances = found->second;
    if (!isNew)
    {
        return distances;
    }
    uint64_t payloadBits = uint64_t{GetPayloadBytes()} * 8;
    std::vector<std::vector<const HpccTopology::Link*>> links(m_topology.GetNodes());
    for (const auto& link : m_topology.GetLinks())
    {
        links[link.a].push_back(&link);
        links[link.b].push_back(&link);
    }
    distances.rttNs.assign(m_topology.GetNodes(), -1);
    distances.bottleneckBps.assign(m_topology.GetNodes(), UINT64_MAX);
    distances.rttNs[host] = 0;
    std::deque<uint32_t> frontier{host};
    while (!frontier.empty())
    {
        uint32_t node = frontier.front();
        frontier.pop_front();
        if (node != host && !m_topology.IsSwitch(node))
        {
            continue;
        }
        for (const auto* link : links[node])
        {
            uint32_t next = link->a == node ? link->b : link->a;
            if (distances.rttNs[next] < 0)
            {
                uint64_t rate = link->rate.GetBitRate();
                distances.rttNs[next] = distances.rttNs[node] + 2 * link->delay.GetNanoSeconds() +
                                        static_cast<int64_t>(payloadBits * 1000000000 / rate);
                distances.bottleneckBps[next] = std::min(distances.bottleneckBps[node], rate);
                frontier.push_back(next);
            }
        }
    }
    return distances;
}

int64_t
HpccAuthorsConfig::GetBaseRttNs(uint32_t source, uint32_t destination) const
{
    return From(source).rttNs[destination];
}

int64_t
HpccAuthorsConfig::GetMaxBaseRttNs() const
{
    int64_t largest = 0;
    auto hosts = m_topology.GetHosts();
    for (uint32_t source : hosts)
    {
        for (uint32_t destination : hosts)
        {
            largest = std::max(largest, GetBaseRttNs(source, destination));
        }
    }
    return largest;
}

double
HpccAuthorsConfig::GetBdpBytes(uint32_t source, uint32_t destination) const
{
    const Distances& distances = From(source);
    return static_cast<double>(distances.rttNs[destination]) *
           static_cast<double>(distances.bottleneckBps[destination]) / 8e9;
}

double
HpccAuthorsConfig::GetMaxBdpBytes() const
{
    double largest = 0;
    auto hosts = m_topology.GetHosts();
    for (uint32_t source : hosts)
    {
        for (uint32_t destination : hosts)
        {
            if (source != destination && GetBaseRttNs(source, destination) > 0)
            {
                largest = std::max(largest, GetBdpBytes(source, destination));
            }
        }
    }
    return largest;
}

int64_t
HpccAuthorsConfig::GetStandaloneNs(const Flow& flow) const
{
    const Distances& distances = From(flow.source);
    uint64_t packets = (flow.bytes - 1) / GetPayloadBytes() + 1;
    // For flows of 2.3 GB or more, the product exceeds 64 bits.
    __extension__ using Product = unsigned __int128;
    const Product bitNs = Product{flow.bytes + packets * 48} * 8000000000;
    return distances.rttNs[flow.destination] +
           static_cast<int64_t>(bitNs / distances.bottleneckBps[flow.destination]);
}

uint64_t
HpccAuthorsConfig::GetNicRateBps(uint32_t host) const
{
    for (const auto& link : m_topology.GetLinks())
    {
        if (link.a == host || link.b == host)
        {
            return link.rate.GetBitRate();
        }
    }
    return 0;
}

uint64_t
HpccAuthorsConfig::GetNicRateBps() const
{
    return GetNicRateBps(m_topology.GetHosts().front());
}

} // namespace ns3
