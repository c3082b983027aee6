/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-topology.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t UNREACHED = std::numeric_limits<uint32_t>::max();

/// Returns numbers as text, consecutive ones as a range: "0-3, 8".
std::string
Ranges(const std::vector<uint32_t>& numbers)
{
    std::ostringstream out;
    for (size_t i = 0; i < numbers.size();)
    {
        size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
        {
            ++last;
        }
        out << (i > 0 ? ", " : "") << numbers[i];
        if (last > i)
        {
            out << "-" << numbers[last];
        }
        i = last + 1;
    }
    return out.str();
}

/// Returns the rate, delay and error rate of a link as text.
std::string
KindOf(const HpccTopology::Link& link)
{
    std::ostringstream out;
    out.precision(15); // enough digits for exact delays, because links with equal texts form one
                       // group
    out << static_cast<double>(link.rate.GetBitRate()) / 1e9 << " Gb/s, ";
    if (link.GetRateBack() != link.rate)
    {
        out << "back " << static_cast<double>(link.rateBack.GetBitRate()) / 1e9 << " Gb/s, ";
    }
    out << static_cast<double>(link.delay.GetNanoSeconds()) / 1e3 << " us";
    if (link.errorRate > 0)
    {
        out << ", error rate " << link.errorRate;
    }
    return out.str();
}

/// Consecutive ports of a switch that lead to nodes of the same type (hosts or switches) over equal
/// links.
struct PortGroup
{
    bool toSwitches;                ///< true if the nodes are switches
    std::string kind;               ///< rate, delay and error rate of the links, as text
    std::vector<uint32_t> ports;    ///< ports of the switch
    std::vector<uint32_t> contents; ///< numbers of the nodes to which the ports lead
};

/// Returns the port groups by node.
std::vector<std::vector<PortGroup>>
GroupPorts(const HpccTopology& topology)
{
    std::vector<std::vector<PortGroup>> groups(topology.GetNodes());
    std::vector<uint32_t> degree(topology.GetNodes());
    for (const auto& link : topology.GetLinks())
    {
        const std::string kind = KindOf(link);
        for (const auto& [node, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        {
            auto& own = groups[node];
            const bool toSwitch = topology.IsSwitch(other);
            if (own.empty() || own.back().toSwitches != toSwitch || own.back().kind != kind)
            {
                own.push_back({toSwitch, kind, {}, {}});
            }
            own.back().ports.push_back(degree[node]++);
            own.back().contents.push_back(other);
        }
    }
    return groups;
}

/// A drawing under construction.
class Drawing
{
  public:
    explicit Drawing(const HpccTopology& topology)
        : m_topology(topology),
          m_level(topology.GetLevels()),
          m_x(topology.GetNodes())
    {
        for (uint32_t i = 0; i < topology.GetNodes(); ++i)
        {
            if (topology.IsSwitch(i) && m_level[i] != UNREACHED)
            {
                m_rows[m_level[i]].push_back(i);
            }
        }
    }

    std::string Draw()
    {
        for (const auto& [level, row] : m_rows)
        {
            if (row.size() > MAX_DRAWN_SWITCHES)
            {
                return "";
            }
            for (size_t i = 0; i < row.size(); ++i)
            {
                m_x[row[i]] =
                    (static_cast<double>(i) + 0.5) * WIDTH / static_cast<double>(row.size());
            }
        }
        for (const auto& link : m_topology.GetLinks())
        {
            DrawLink(link);
        }
        for (const auto& [level, row] : m_rows)
        {
            DrawRow(level, row);
        }
        const double legendY = YOf(0) + 60;
        const double height = legendY + 20 * static_cast<double>(m_kinds.size()) + 10;
        std::ostringstream svg;
        svg << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << WIDTH << R"(" height=")"
            << height << R"(" font-family="sans-serif" text-anchor="middle">)"
            << "\n"
            << m_links.str() << m_boxes.str();
        double y = legendY;
        for (const auto& [kind, colour] : m_kinds)
        {
            svg << R"(<path d="M20 )" << y << R"( h40" stroke=")" << colour
                << R"(" stroke-width="2"/>)"
                << R"(<text x="70" y=")" << y + 4 << R"(" font-size="12" text-anchor="start">)"
                << kind << "</text>\n";
            y += 20;
        }
        svg << "</svg>\n";
        return svg.str();
    }

  private:
    static constexpr double WIDTH = 1100;     ///< width of the picture, pixels
    static constexpr double ROW = 120;        ///< distance between rows, pixels
    static constexpr double HALF_BOX = 12;    ///< half the height of a switch, pixels
    static constexpr double LARGEST_BOX = 60; ///< largest width of a switch, pixels
    /// Colours that colour-blind people can distinguish, too.
    static constexpr std::array<const char*, 6> COLOURS{
        {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}};

    double YOf(uint32_t level) const
    {
        return 40 + ROW * (m_rows.rbegin()->first - level);
    }

    const char* ColourOf(const std::string& kind)
    {
        return m_kinds.insert({kind, COLOURS[m_kinds.size() % COLOURS.size()]}).first->second;
    }

    void DrawLink(const HpccTopology::Link& link)
    {
        const char* colour = ColourOf(KindOf(link));
        const bool toHost = !m_topology.IsSwitch(link.a) || !m_topology.IsSwitch(link.b);
        if (toHost || m_level[link.a] == UNREACHED)
        {
            return;
        }
        const double xa = m_x[link.a];
        const double xb = m_x[link.b];
        const double ya = YOf(m_level[link.a]);
        const double yb = YOf(m_level[link.b]);
        m_links << R"(<path d="M)" << xa << " " << ya;
        if (m_level[link.a] == m_level[link.b])
        {
            m_links << " Q" << (xa + xb) / 2 << " " << ya - 60 << " " << xb << " " << yb;
        }
        else
        {
            m_links << " L" << xb << " " << yb;
        }
        m_links << R"(" fill="none" stroke=")" << colour << R"(" stroke-width="1"/>)"
                << "\n";
    }

    void DrawRow(uint32_t level, const std::vector<uint32_t>& row)
    {
        const double pitch = WIDTH / static_cast<double>(row.size());
        const double width = std::min(LARGEST_BOX, 0.85 * pitch);
        const double size = std::min(12.0, width / 2.2);
        const auto groups = GroupPorts(m_topology);
        for (uint32_t node : row)
        {
            const double x = m_x[node];
            const double y = YOf(level);
            std::vector<uint32_t> hosts;
            std::string colour;
            for (const auto& group : groups[node])
            {
                if (!group.toSwitches)
                {
                    hosts.insert(hosts.end(), group.contents.begin(), group.contents.end());
                    colour = ColourOf(group.kind);
                }
            }
            if (!hosts.empty())
            {
                const std::string text = Ranges(hosts);
                const double fit = 1.8 * pitch / static_cast<double>(text.size());
                m_boxes << R"(<path d="M)" << x << " " << y << " V" << YOf(0) << R"(" stroke=")"
                        << colour << R"(" stroke-width="2"/>)"
                        << R"(<text x=")" << x << R"(" y=")" << YOf(0) + 14 << R"(" font-size=")"
                        << std::min(12.0, fit) << R"(">)" << text << "</text>\n";
            }
            m_boxes << R"(<rect x=")" << x - width / 2 << R"(" y=")" << y - HALF_BOX
                    << R"(" width=")" << width << R"(" height=")" << 2 * HALF_BOX
                    << R"(" rx="3" fill="white" stroke="black"/>)"
                    << R"(<text x=")" << x << R"(" y=")" << y + size / 3 << R"(" font-size=")"
                    << size << R"(">)" << node << "</text>\n";
        }
    }

    const HpccTopology& m_topology;
    std::vector<uint32_t> m_level;
    std::vector<double> m_x;                          ///< horizontal positions by node
    std::map<uint32_t, std::vector<uint32_t>> m_rows; ///< switches by level
    std::map<std::string, const char*> m_kinds;       ///< colours of links
    std::ostringstream m_links;
    std::ostringstream m_boxes;
};

} // namespace

std::string
DescribeTopology(const HpccTopology& topology)
{
    std::vector<uint32_t> switches;
    for (uint32_t i = 0; i < topology.GetNodes(); ++i)
    {
        if (topology.IsSwitch(i))
        {
            switches.push_back(i);
        }
    }
    const auto hosts = topology.GetHosts();
    std::ostringstream out;
    out << hosts.size() << " hosts: " << Ranges(hosts) << "; " << switches.size()
        << " switches: " << Ranges(switches) << "; " << topology.GetLinks().size() << " links\n";
    const auto groups = GroupPorts(topology);
    for (uint32_t node : switches)
    {
        out << "switch " << node << ":";
        const char* separator = " ";
        for (const auto& group : groups[node])
        {
            out << separator << (group.ports.size() > 1 ? "ports " : "port ") << Ranges(group.ports)
                << " to " << (group.toSwitches ? "switch" : "host")
                << (group.contents.size() < 2 ? " "
                    : group.toSwitches        ? "es "
                                              : "s ")
                << Ranges(group.contents) << " (" << group.kind << ")";
            separator = "; ";
        }
        out << "\n";
    }
    return out.str();
}

std::string
DrawTopology(const HpccTopology& topology)
{
    topology.Validate();
    return Drawing(topology).Draw();
}

} // namespace ns3
