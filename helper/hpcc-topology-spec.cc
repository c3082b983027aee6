/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-defaults.h"
#include "hpcc-topology.h"
#include "hpcc-word-reader.h"

#include "ns3/hpcc-choices.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

/// The values that follow the name of a topology and a colon, as in fat-tree:8,over=2.
class Values
{
  public:
    Values(const std::string& spec, const std::string& list, HpccTopology::LinkSpeeds speeds)
        : m_spec(spec),
          m_speeds(std::move(speeds))
    {
        for (const std::string& item : SplitAt(list, ','))
        {
            auto equals = item.find('=');
            if (equals == std::string::npos)
            {
                m_words.push_back(item);
                continue;
            }
            SetOption(item.substr(0, equals), item.substr(equals + 1));
        }
    }

    /// Refuses options that do not apply to the network.
    /// @param options names of the options that apply
    void RefuseOthers(const std::vector<std::string>& options) const
    {
        for (const auto& name : m_given)
        {
            if (std::find(options.begin(), options.end(), name) == options.end())
            {
                std::string allowed;
                for (const auto& option : options)
                {
                    allowed += (allowed.empty() ? "" : ", ") + option + "=";
                }
                Refuse(name + "= has no effect in this network; allowed are " + allowed);
            }
        }
        if (m_given.count("over") && m_given.count("fabric"))
        {
            Refuse("over= and fabric= both set the rate of the uplinks; allowed is one of them");
        }
    }

    [[noreturn]] void Refuse(const std::string& why) const
    {
        throw HpccInputError("topology \"" + m_spec + "\": " + why);
    }

    size_t GetCount() const
    {
        return m_words.size();
    }

    uint32_t GetNumber(size_t i) const
    {
        std::istringstream in(m_words[i]);
        uint32_t value = 0;
        char rest = 0;
        if (m_words[i].find('-') != std::string::npos || !(in >> value) || in >> rest)
        {
            Refuse("\"" + m_words[i] + "\" is not a whole number");
        }
        return value;
    }

    DataRate GetRate(size_t i) const
    {
        return ToRate(m_words[i]);
    }

    double GetOversubscription() const
    {
        return m_oversubscription;
    }

    const HpccTopology::LinkSpeeds& GetSpeeds() const
    {
        return m_speeds;
    }

  private:
    DataRate ToRate(const std::string& text) const
    {
        std::istringstream in(text);
        DataRate rate;
        if (text.empty() || text[0] == '-' || !(in >> rate))
        {
            Refuse("\"" + text + "\" is not a rate such as 25Gbps");
        }
        return ReadRate("topology \"" + m_spec + "\"", text);
    }

    void SetOption(const std::string& name, const std::string& value)
    {
        if (!m_given.insert(name).second)
        {
            Refuse(name + "= is given twice");
        }
        if (name == "host" || name == "fabric")
        {
            (name == "host" ? m_speeds.host : m_speeds.fabric) = ToRate(value);
        }
        else if (name == "delay" || name == "fabric-delay" || name == "core-delay")
        {
            Time& delay = name == "delay"          ? m_speeds.delay
                          : name == "fabric-delay" ? m_speeds.fabricDelay
                                                   : m_speeds.coreDelay;
            if (!ReadTime(value, delay))
            {
                Refuse("\"" + value + "\" is not a time in whole ns, such as 1us");
            }
        }
        else if (name == "over")
        {
            std::istringstream in(value);
            char rest = 0;
            if (!(in >> m_oversubscription) || in >> rest || !(m_oversubscription > 0))
            {
                Refuse("over=" + value + " is not a number above 0");
            }
        }
        else
        {
            Refuse(DescribeUnknown(
                "unknown",
                name + "=",
                {"host=", "fabric=", "delay=", "fabric-delay=", "core-delay=", "over="}));
        }
    }

    const std::string& m_spec;
    HpccTopology::LinkSpeeds m_speeds;
    double m_oversubscription{0};
    std::vector<std::string> m_words;
    std::set<std::string> m_given; ///< names of the options given
};

const std::vector<std::string> HOST_OPTIONS{"host", "delay"};
const std::vector<std::string> FABRIC_OPTIONS{"host", "fabric", "delay", "fabric-delay"};
const std::vector<std::string> CORE_OPTIONS{"host",
                                            "fabric",
                                            "delay",
                                            "fabric-delay",
                                            "core-delay"};

/// Describes how ByName() builds the networks of one name.
struct Builder
{
    const char* usage; ///< form of the values, for error messages
    size_t least;      ///< smallest number of values that are not of the form NAME=VALUE
    size_t most;       ///< largest number of values that are not of the form NAME=VALUE
    HpccTopology::LinkSpeeds speeds;
    std::vector<std::string> options; ///< options that apply to this network
    std::function<HpccTopology(const Values&)> build;
};

HpccTopology
OversubscribedLeafSpine(const Values& values)
{
    auto speeds = values.GetSpeeds();
    const uint32_t spines = values.GetNumber(1);
    const uint32_t hosts = values.GetNumber(2);
    if (values.GetOversubscription() > 0)
    {
        speeds.fabric = HpccTopology::OversubscribedRate(spines,
                                                         hosts,
                                                         speeds.host,
                                                         values.GetOversubscription());
    }
    return HpccTopology::LeafSpine(values.GetNumber(0), spines, hosts, speeds);
}

HpccTopology
MixedRateLeaves(const Values& values)
{
    std::vector<DataRate> rates;
    for (size_t i = 2; i < values.GetCount(); ++i)
    {
        rates.push_back(values.GetRate(i));
    }
    return HpccTopology::MixedRates(values.GetNumber(0),
                                    values.GetNumber(1),
                                    rates,
                                    values.GetSpeeds());
}

HpccTopology
SeparatePlanes(const Values& values)
{
    if (values.GetCount() == 3)
    {
        values.Refuse("LEAVES needs SPINES");
    }
    const bool layers = values.GetCount() == 4;
    if (!layers || values.GetNumber(3) == 0)
    {
        values.RefuseOthers(HOST_OPTIONS);
    }
    return HpccTopology::Planes(values.GetNumber(0),
                                values.GetNumber(1),
                                layers ? values.GetNumber(2) : 1,
                                layers ? values.GetNumber(3) : 0,
                                values.GetSpeeds());
}

const char* const NVSWITCH_USAGE = "nvswitch:GPUS,SWITCHES,RATE,DELAY,TOPOLOGY";

/// Returns a network given by its name, with additional switches in servers.
HpccTopology
WithServers(const std::string& spec, const std::string& rest)
{
    std::istringstream in(rest);
    std::vector<std::string> words(4);
    for (auto& word : words)
    {
        std::getline(in, word, ',');
    }
    std::string other;
    std::getline(in, other);
    const Values values(spec, words[0] + "," + words[1] + "," + words[2], {});
    HpccTopology::Servers servers;
    if (values.GetCount() < 3 || other.empty())
    {
        values.Refuse(std::string("write ") + NVSWITCH_USAGE);
    }
    servers.gpus = values.GetNumber(0);
    servers.switches = values.GetNumber(1);
    servers.rate = values.GetRate(2);
    if (!ReadTime(words[3], servers.delay))
    {
        values.Refuse("\"" + words[3] + "\" is not a time in whole ns, such as 25ns");
    }
    HpccTopology topology = HpccTopology::ByName(other);
    topology.AddServers(servers);
    return topology;
}

/// Returns a builder of a network of fixed sizes.
std::function<HpccTopology(const Values&)>
OfShape(const HpccTopology::ClosShape& shape)
{
    return [shape](const Values& values) { return HpccTopology::Clos(shape, values.GetSpeeds()); };
}

std::map<std::string, Builder>
MakeBuilders()
{
    const DataRate g25("25Gbps");
    const DataRate g50("50Gbps");
    const DataRate g100("100Gbps");
    const DataRate g400("400Gbps");
    const Time us = MicroSeconds(1);
    return {
        {"star",
         {"HOSTS",
          1,
          1,
          {},
          HOST_OPTIONS,
          [](const Values& v) { return HpccTopology::Star(v.GetNumber(0), v.GetSpeeds()); }}},
        {"dumbbell",
         {"LEFT,RIGHT",
          2,
          2,
          {},
          FABRIC_OPTIONS,
          [](const Values& v) {
              return HpccTopology::Dumbbell(v.GetNumber(0), v.GetNumber(1), v.GetSpeeds());
          }}},
        {"parking-lot",
         {"BOTTLENECKS",
          1,
          1,
          {},
          FABRIC_OPTIONS,
          [](const Values& v) { return HpccTopology::ParkingLot(v.GetNumber(0), v.GetSpeeds()); }}},
        {"fat-tree",
         {"K",
          1,
          1,
          {},
          CORE_OPTIONS,
          [](const Values& v) { return HpccTopology::FatTree(v.GetNumber(0), v.GetSpeeds()); }}},
        {"leaf-spine",
         {"LEAVES,SPINES,HOSTS-PER-LEAF",
          3,
          3,
          {},
          {"host", "fabric", "delay", "fabric-delay", "over"},
          OversubscribedLeafSpine}},
        {"rail",
         {"SERVERS,GPUS,SPINES",
          3,
          3,
          {},
          FABRIC_OPTIONS,
          [](const Values& v) {
              return HpccTopology::Rail(v.GetNumber(0),
                                        v.GetNumber(1),
                                        v.GetNumber(2),
                                        v.GetSpeeds());
          }}},
        {"planes", {"HOSTS,PLANES[,LEAVES,SPINES]", 2, 4, {}, FABRIC_OPTIONS, SeparatePlanes}},
        {"mixed-rates",
         {"SPINES,HOSTS-PER-LEAF,RATE,...",
          3,
          1000,
          {},
          {"fabric", "delay", "fabric-delay"},
          MixedRateLeaves}},
        {"paper-fat-tree", {"", 0, 0, {g100, g400, us}, CORE_OPTIONS, OfShape({320, 5, 4, 4, 4})}},
        {"testbed-pod", {"", 0, 0, {g50, g100, us}, FABRIC_OPTIONS, OfShape({230, 1, 16, 8, 0})}},
        {"testbed",
         {"",
          0,
          0,
          {g25, g100, NanoSeconds(1162), NanoSeconds(728)},
          FABRIC_OPTIONS,
          OfShape({32, 1, 4, 1, 0})}},
        {"powertcp",
         {"",
          0,
          0,
          {g25, g100, us, us, MicroSeconds(5)},
          CORE_OPTIONS,
          OfShape({256, 4, 2, 2, 2})}},
    };
}

} // namespace

HpccTopology
HpccTopology::ByName(const std::string& spec)
{
    auto colon = spec.find(':');
    const std::string name = spec.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
    if (name == "file" || name == "simai")
    {
        return name == "file" ? ReadFile(rest) : ReadSimAiFile(rest);
    }
    if (name == "nvswitch")
    {
        return WithServers(spec, rest);
    }
    const auto builders = MakeBuilders();
    auto found = builders.find(name);
    if (found == builders.end())
    {
        std::vector<std::string> names;
        for (const auto& [known, builder] : builders)
        {
            names.push_back(known);
        }
        names.insert(names.end(), {"nvswitch", "file", "simai"});
        throw HpccInputError(
            DescribeUnknown("topology \"" + spec + "\": unknown name", name, names));
    }
    const Builder& builder = found->second;
    Values values(spec, rest, builder.speeds);
    if (values.GetCount() < builder.least || values.GetCount() > builder.most)
    {
        values.Refuse("write " + name + (builder.least > 0 ? ":" : "") + builder.usage);
    }
    values.RefuseOthers(builder.options);
    return builder.build(values);
}

std::string
HpccTopology::Usage()
{
    std::string usage;
    for (const auto& [name, builder] : MakeBuilders())
    {
        usage += name + (builder.least > 0 ? ":" : "") + builder.usage + ", ";
    }
    return usage + NVSWITCH_USAGE +
           ", file:PATH or simai:PATH; all but the last three also accept host=RATE, fabric=RATE, "
           "delay=TIME, fabric-delay=TIME and core-delay=TIME where they apply; leaf-spine also "
           "accepts over=RATIO in place of fabric=. Node numbers are in the order hosts, racks, "
           "aggs or spines, cores: see --describe";
}

} // namespace ns3
