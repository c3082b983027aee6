/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-flow-trace.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::array CLASS_NAMES = {"background", "incast", "job"};
constexpr uint32_t AUTHORS_INCAST_PORT = 200; ///< destination port of incast flows

/// Reads a text file line by line and skips comments and empty lines.
class LineReader
{
  public:
    LineReader(std::istream& in, const std::string& name)
        : m_in(in),
          m_name(name)
    {
    }

    /// Advances to the next line that is not empty; returns false at the end of the file.
    bool Next()
    {
        while (std::getline(m_in, m_text))
        {
            ++m_line;
            m_words.clear();
            m_words.str(m_text.substr(0, m_text.find('#')));
            if ((m_words >> std::ws).good())
            {
                return true;
            }
        }
        return false;
    }

    /// Returns true if the next word begins with a digit.
    bool HasNumber()
    {
        return std::isdigit(m_words.peek()) != 0;
    }

    /// Reads the next word of the line. Refuses the line if the word does not have the type Value.
    /// @return the word as a Value
    template <typename Value>
    Value Get(const std::string& what)
    {
        std::string word;
        Value value{};
        m_words >> word;
        std::istringstream in(word);
        bool negative = std::is_unsigned_v<Value> && word.find('-') != std::string::npos;
        if (negative || !(in >> value) || in.peek() != EOF)
        {
            Refuse(what + " \"" + word + "\" is not valid in the line \"" + m_text + "\"");
        }
        return value;
    }

    [[noreturn]] void Refuse(const std::string& what) const
    {
        throw HpccInputError(m_name + ":" + std::to_string(m_line) + ": " + what);
    }

    /// Refuses the line if it has more words.
    void EndLine()
    {
        std::string word;
        if (m_words >> word)
        {
            Refuse("\"" + word + "\" is one word too many");
        }
    }

  private:
    std::istream& m_in;
    std::string m_name;
    std::string m_text;
    uint32_t m_line{0};
    std::istringstream m_words;
};

/// Reads a line of this module's format.
/// @param in the line, from its first word
std::pair<HpccFlowPlan, HpccFlowClass>
ReadOwnFlow(LineReader& in)
{
    HpccFlowPlan flow{};
    flow.source = in.Get<uint32_t>("the source");
    flow.destination = in.Get<uint32_t>("the destination");
    flow.bytes = in.Get<uint64_t>("the size");
    flow.startNs = in.Get<int64_t>("the start");
    const auto word = in.Get<std::string>("the class");
    const auto found = std::find(CLASS_NAMES.begin(), CLASS_NAMES.end(), word);
    const auto flowClass = static_cast<HpccFlowClass>(found - CLASS_NAMES.begin());
    if (found == CLASS_NAMES.end() || flowClass == HpccFlowClass::JOB)
    {
        in.Refuse("class \"" + word + "\" is not background or incast");
    }
    return {flow, flowClass};
}

/// Reads a line of the HPCC authors' format.
/// @param in the line, from its first word
std::pair<HpccFlowPlan, HpccFlowClass>
ReadAuthorsFlow(LineReader& in)
{
    HpccFlowPlan flow{};
    flow.source = in.Get<uint32_t>("the source");
    flow.destination = in.Get<uint32_t>("the destination");
    in.Get<uint32_t>("the priority group");
    const bool incast = in.Get<uint32_t>("the destination port") == AUTHORS_INCAST_PORT;
    flow.bytes = in.Get<uint64_t>("the size");
    flow.startNs = HpccFlowTrace::AuthorsStartNs(in.Get<double>("the start"));
    return {flow, incast ? HpccFlowClass::INCAST : HpccFlowClass::BACKGROUND};
}

void
CheckFlow(const LineReader& in, const HpccFlowPlan& flow, const HpccTopology& topology)
{
    for (uint32_t host : {flow.source, flow.destination})
    {
        if (host >= topology.GetNodes() || topology.IsSwitch(host))
        {
            in.Refuse("node " + std::to_string(host) + " is not a host of the topology");
        }
    }
    if (flow.source == flow.destination)
    {
        in.Refuse("a flow from host " + std::to_string(flow.source) + " to itself");
    }
    if (flow.startNs < 0)
    {
        in.Refuse("a flow starts before 0");
    }
    const std::string excess = flow.GetExcess();
    if (!excess.empty())
    {
        in.Refuse("a flow is impossible: " + excess);
    }
}

} // namespace

const char*
NameOf(HpccFlowClass flowClass)
{
    return CLASS_NAMES[static_cast<size_t>(flowClass)];
}

void
HpccFlowTrace::Add(const HpccFlowPlan& flow, HpccFlowClass flowClass)
{
    m_flows.push_back(flow);
    m_classes.push_back(flowClass);
}

void
HpccFlowTrace::Sort()
{
    std::vector<uint32_t> order(m_flows.size());
    std::iota(order.begin(), order.end(), 0);
    auto key = [this](uint32_t i) {
        const HpccFlowPlan& flow = m_flows[i];
        return std::tuple(flow.startNs, m_classes[i], flow.source, flow.destination);
    };
    std::stable_sort(order.begin(), order.end(), [&key](uint32_t a, uint32_t b) {
        return key(a) < key(b);
    });
    HpccFlowTrace sorted;
    sorted.m_flows.reserve(m_flows.size());
    sorted.m_classes.reserve(m_flows.size());
    for (uint32_t i : order)
    {
        sorted.Add(m_flows[i], m_classes[i]);
    }
    *this = std::move(sorted);
}

HpccFlowTrace
HpccFlowTrace::Load(const std::string& path, const HpccTopology& topology)
{
    std::ifstream in(path);
    HPCC_REFUSE_IF(!in, "--trace: cannot read " + path);
    return Read(in, path, topology);
}

HpccFlowTrace
HpccFlowTrace::Read(std::istream& text, const std::string& name, const HpccTopology& topology)
{
    LineReader in(text, name);
    if (!in.Next())
    {
        in.Refuse("there is no flow");
    }
    auto first = in.Get<std::string>("\"flows\" or the number of flows");
    bool own = first == "flows";
    uint64_t count = 0;
    std::istringstream number(first);
    if (own)
    {
        count = in.Get<uint64_t>("the number of flows");
    }
    else if (std::isdigit(number.peek()) == 0 || !(number >> count) || number.peek() != EOF)
    {
        in.Refuse("\"" + first + "\" is neither the word flows nor the number of flows");
    }
    in.EndLine();
    HpccFlowTrace trace;
    for (uint64_t i = 0; i < count; ++i)
    {
        if (!in.Next())
        {
            in.Refuse("the file is truncated: it has " + std::to_string(i) + " of " +
                      std::to_string(count) + " flows");
        }
        const auto [flow, flowClass] = own ? ReadOwnFlow(in) : ReadAuthorsFlow(in);
        in.EndLine();
        CheckFlow(in, flow, topology);
        trace.Add(flow, flowClass);
    }
    // In the flow file that the authors have published, an explanatory text follows the flows.
    // Therefore, in that format, only a line that begins with a number counts as a further flow.
    if (in.Next() && (own || in.HasNumber()))
    {
        in.Refuse("there are more than the " + std::to_string(count) + " flows announced");
    }
    if (count == 0)
    {
        in.Refuse("there is no flow");
    }
    trace.Sort();
    return trace;
}

int64_t
HpccFlowTrace::AuthorsStartNs(double seconds)
{
    // The authors' simulator is based on ns-3.17, whose int64x64_t has 64 fractional bits. The same
    // number of bits gives the same result.
    __extension__ using Product = unsigned __int128;
    if (seconds < 0)
    {
        return -1;
    }
    seconds = std::min(seconds, 1e9);
    const double whole = std::floor(seconds);
    const auto fraction = static_cast<uint64_t>(std::ldexp(seconds - whole, 64));
    return static_cast<int64_t>(whole) * 1000000000 +
           static_cast<int64_t>(Product{fraction} * 1000000000 >> 64);
}

HpccFlowClass
HpccFlowTrace::GetClass(size_t flow) const
{
    HPCC_REFUSE_IF(flow >= m_classes.size(),
                   "ns3::HpccFlowTrace::GetClass: flow " + std::to_string(flow) +
                       " does not exist; allowed are the first " +
                       std::to_string(m_classes.size()) + " flows");
    return m_classes[flow];
}

void
HpccFlowTrace::Write(std::ostream& out, const std::string& comment) const
{
    out << "# " << comment << "\n# source, destination, bytes, start in ns, class\nflows "
        << m_flows.size() << "\n";
    for (size_t i = 0; i < m_flows.size(); ++i)
    {
        const HpccFlowPlan& flow = m_flows[i];
        out << flow.source << " " << flow.destination << " " << flow.bytes << " " << flow.startNs
            << " " << NameOf(m_classes[i]) << "\n";
    }
}

} // namespace ns3
