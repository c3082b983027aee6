/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-topology.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

using namespace ns3;

namespace
{

/// Returns the links as texts, each beginning with the smaller node number.
std::multiset<std::string>
LinkSet(const HpccTopology& topology)
{
    std::multiset<std::string> links;
    for (const auto& link : topology.GetLinks())
    {
        auto [a, b] = std::minmax(link.a, link.b);
        std::ostringstream text;
        text << a << "-" << b << " " << link.rate << " " << link.delay.GetNanoSeconds() << " "
             << link.errorRate;
        links.insert(text.str());
    }
    return links;
}

/// @return number of switches, by number of hosts per switch; switches without hosts are omitted
std::map<uint32_t, uint32_t>
RackSizes(const HpccTopology& topology)
{
    std::map<uint32_t, uint32_t> hostsOf;
    for (const auto& link : topology.GetLinks())
    {
        if (!topology.IsSwitch(link.a))
        {
            ++hostsOf[link.b];
        }
    }
    std::map<uint32_t, uint32_t> sizes;
    for (const auto& [rack, hosts] : hostsOf)
    {
        ++sizes[hosts];
    }
    return sizes;
}

/// @return number of links between switches, by rate in bit/s
std::map<uint64_t, uint32_t>
FabricRates(const HpccTopology& topology)
{
    std::map<uint64_t, uint32_t> rates;
    for (const auto& link : topology.GetLinks())
    {
        if (topology.IsSwitch(link.a))
        {
            ++rates[link.rate.GetBitRate()];
        }
    }
    return rates;
}

/// @return the message of the HpccInputError that a name causes
std::string
Refusal(const std::string& spec)
{
    try
    {
        HpccTopology::ByName(spec);
    }
    catch (const HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(HpccTopology, ThePapersFatTreeIsTheOneOfTheAuthorsFile)
{
    auto ours = HpccTopology::ByName("paper-fat-tree");
    auto theirs = HpccTopology::ReadFile(NS_TEST_SOURCEDIR "/data/authors/topo/fat.txt");
    EXPECT_EQ(ours.GetNodes(), theirs.GetNodes());
    EXPECT_EQ(ours.GetHosts(), theirs.GetHosts());
    EXPECT_EQ(LinkSet(ours), LinkSet(theirs));
}

TEST(HpccTopology, NamesLeadToTheNetworksTheySay)
{
    auto ofName = [](const std::string& spec) { return LinkSet(HpccTopology::ByName(spec)); };
    EXPECT_EQ(ofName("star:5"), LinkSet(HpccTopology::Star(5, {})));
    EXPECT_EQ(ofName("dumbbell:2,3"), LinkSet(HpccTopology::Dumbbell(2, 3, {})));
    EXPECT_EQ(ofName("fat-tree:4"), LinkSet(HpccTopology::FatTree(4, {})));
    EXPECT_EQ(ofName("leaf-spine:2,3,4"), LinkSet(HpccTopology::LeafSpine(2, 3, 4, {})));
    EXPECT_EQ(ofName("parking-lot:3"), LinkSet(HpccTopology::ParkingLot(3, {})));
    HpccTopology::LinkSpeeds speeds{DataRate("25Gbps"),
                                    DataRate("400Gbps"),
                                    MicroSeconds(2),
                                    MicroSeconds(3),
                                    NanoSeconds(500)};
    EXPECT_EQ(ofName("fat-tree:4,host=25Gbps,fabric=400Gbps,delay=2us,fabric-delay=3us,"
                     "core-delay=500ns"),
              LinkSet(HpccTopology::FatTree(4, speeds)));
    EXPECT_EQ(
        ofName("mixed-rates:2,3,25Gbps,100Gbps"),
        LinkSet(HpccTopology::MixedRates(2, 3, {DataRate("25Gbps"), DataRate("100Gbps")}, {})));
}

TEST(HpccTopology, ARailHasOneGpuOfEachServer)
{
    // Hosts 0 to 5 form 3 servers of 2 hosts. Nodes 6 and 7 are leaves, and 8 and 9 are spines.
    auto topology = HpccTopology::ByName("rail:3,2,2,host=400Gbps,fabric=200Gbps");
    topology.Validate();
    for (uint32_t host : topology.GetHosts())
    {
        EXPECT_EQ(topology.FindLinks(host, 6 + host % 2).size(), 1U) << host;
        EXPECT_EQ(topology.GetDegree(host), 1U) << host;
    }
    EXPECT_EQ(FabricRates(topology), (std::map<uint64_t, uint32_t>{{200000000000, 4}}));
}

TEST(HpccTopology, EachHostHasAPortInEachPlane)
{
    // Nodes 0 to 4 are hosts. Each plane has 2 leaves and 1 spine: nodes 5 to 7, 8 to 10, and 11 to
    // 13.
    auto topology = HpccTopology::ByName("planes:5,3,2,1");
    topology.Validate();
    EXPECT_EQ(topology.GetMostPorts(), 3U);
    std::map<uint32_t, std::vector<uint32_t>> leaves;
    for (const auto& link : topology.GetLinks())
    {
        if (!topology.IsSwitch(link.a))
        {
            leaves[link.a].push_back(link.b);
        }
    }
    EXPECT_EQ(leaves[0], (std::vector<uint32_t>{5, 8, 11}));
    EXPECT_EQ(leaves[4], (std::vector<uint32_t>{6, 9, 12}));
    EXPECT_EQ(topology.FindLinks(6, 7).size(), 1U);
    EXPECT_EQ(topology.FindLinks(6, 10).size(), 0U) << "between planes";
    EXPECT_EQ(LinkSet(HpccTopology::ByName("planes:5,1")), LinkSet(HpccTopology::Star(5, {})));
}

TEST(HpccTopology, ServersHaveSwitchesOfTheirOwn)
{
    // Hosts 0 to 3 are connected to switch 4. They form servers of 2 hosts, with switches 5, 6, 7
    // and 8.
    auto topology = HpccTopology::ByName("nvswitch:2,2,2880Gbps,25ns,star:4,host=400Gbps");
    topology.Validate();
    for (uint32_t host : topology.GetHosts())
    {
        EXPECT_EQ(topology.GetDegree(host), 3U);
        EXPECT_EQ(topology.FindLinks(host, 4), (std::vector<uint32_t>{host})) << "its first port";
        for (uint32_t inner : {5, 6, 7, 8})
        {
            const auto links = topology.FindLinks(host, inner);
            ASSERT_EQ(links.size(), inner / 7 == host / 2 ? 1U : 0U) << host << " " << inner;
            if (!links.empty())
            {
                EXPECT_EQ(topology.GetLinks()[links[0]].rate, DataRate("2880Gbps"));
                EXPECT_EQ(topology.GetLinks()[links[0]].delay, NanoSeconds(25));
            }
        }
    }
}

TEST(HpccTopology, HostsInSeparateNetworksAreRefused)
{
    // Nodes 0 to 2 are hosts, and 3 and 4 are switches. Host 1 has a port at each switch. Hosts do
    // not forward packets.
    HpccTopology topology;
    for (uint32_t i = 0; i < 5; ++i)
    {
        topology.AddNode(i >= 3);
    }
    const DataRate rate("1Gbps");
    topology.AddLink({0, 3, rate, NanoSeconds(1)});
    topology.AddLink({1, 3, rate, NanoSeconds(1)});
    topology.AddLink({1, 4, rate, NanoSeconds(1)});
    topology.AddLink({2, 4, rate, NanoSeconds(1)});
    EXPECT_THROW(topology.Validate(), HpccInputError);
    topology.AddLink({2, 3, rate, NanoSeconds(1)});
    EXPECT_NO_THROW(topology.Validate());
    for (uint32_t i = 0; i < HpccTopology::MAX_PORTS - 1; ++i)
    {
        topology.AddLink({0, 3, rate, NanoSeconds(1)});
    }
    EXPECT_THROW(topology.AddLink({0, 3, rate, NanoSeconds(1)}), HpccInputError) << "port 65";
}

namespace
{

/// A template of SimAI's generator, as its documentation describes it.
struct SimAiTemplate
{
    const char* name; ///< name of the template
    uint32_t nics;    ///< NICs per GPU
    bool rails;       ///< true: GPU j of a server is connected to switch j; false: all GPUs of a
                      ///< server are connected to one switch
    bool planes;      ///< true if the switches of the first NIC are not connected with the switches
                      ///< of the second NIC
};

/**
 * Writes a topology file from a template. The network has 2 segments of 2 servers, each with 4 GPUs
 * and an NVSwitch, and 4 spine switches.
 * @param kind the template
 * @param path path of the file
 */
void
WriteSimAi(const SimAiTemplate& kind, const std::string& path)
{
    const uint32_t gpus = 16;
    const uint32_t perSegment = kind.rails ? 4 : 2; // number of switches per segment and NIC of a
                                                    // GPU
    const uint32_t leaves = 2 * perSegment * kind.nics;
    const uint32_t spines = 4;
    const uint32_t firstLeaf = gpus + 4;
    const uint32_t firstSpine = firstLeaf + leaves;
    std::ostringstream links;
    uint32_t count = 0;
    auto link = [&](uint32_t a, uint32_t b, const char* rate, const char* delay) {
        links << a << " " << b << " " << rate << " " << delay << " 0\n";
        ++count;
    };
    for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    {
        link(gpu, gpus + gpu / 4, "2880Gbps", "0.000025ms");
        for (uint32_t nic = 0; nic < kind.nics; ++nic)
        {
            const uint32_t inSegment = kind.rails ? gpu % 4 : gpu / 4 % 2;
            link(gpu,
                 firstLeaf + nic * 2 * perSegment + gpu / 8 * perSegment + inSegment,
                 kind.nics == 2 ? "200Gbps" : "400Gbps",
                 "0.0005ms");
        }
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < spines; ++spine)
        {
            if (!kind.planes || leaf / (leaves / 2) == spine / (spines / 2))
            {
                link(firstLeaf + leaf, firstSpine + spine, "400Gbps", "0.0005ms");
            }
        }
    }
    std::ofstream file(path);
    file << firstSpine + spines << " 4 4 " << leaves + spines << " " << count << " H100\n";
    for (uint32_t node = gpus; node < firstSpine + spines; ++node)
    {
        file << node << " ";
    }
    file << "\n" << links.str();
}

} // namespace

TEST(HpccTopology, TheTemplatesOfSimAiAreRead)
{
    const std::string path = ::testing::TempDir() + "hpcc-topology-gtest.simai";
    for (const SimAiTemplate& kind : {SimAiTemplate{"Spectrum-X", 1, true, false},
                                      SimAiTemplate{"AlibabaHPN", 2, true, false},
                                      SimAiTemplate{"AlibabaHPN, two planes", 2, true, true},
                                      SimAiTemplate{"DCN+", 1, false, false},
                                      SimAiTemplate{"DCN+, two ToRs", 2, false, false}})
    {
        WriteSimAi(kind, path);
        const auto topology = HpccTopology::ByName("simai:" + path);
        EXPECT_EQ(topology.GetHosts().size(), 16U) << kind.name;
        EXPECT_EQ(topology.GetMostPorts(), 1 + kind.nics) << kind.name;
        const auto& first = topology.GetLinks()[0];
        EXPECT_EQ(first.rate, DataRate("2880Gbps")) << kind.name;
        EXPECT_EQ(first.delay, NanoSeconds(25)) << kind.name;
        EXPECT_EQ(topology.GetLinks()[1].delay, NanoSeconds(500)) << kind.name;
    }
    std::remove(path.c_str());
}

TEST(HpccTopology, TheUsageNamesEveryTopology)
{
    const std::string usage = HpccTopology::Usage();
    for (const char* name : {"star:HOSTS",
                             "rail:SERVERS,GPUS,SPINES",
                             "planes:HOSTS,PLANES[,LEAVES,SPINES]",
                             "nvswitch:GPUS,SWITCHES,RATE,DELAY,TOPOLOGY",
                             "simai:PATH",
                             "paper-fat-tree"})
    {
        EXPECT_NE(usage.find(name), std::string::npos) << name;
    }
}

TEST(HpccTopology, ALeafSpineIsOversubscribedByTheRatioAsked)
{
    // The links of 32 hosts have 800 Gb/s in total. With 4:1 oversubscription, each of 2 uplinks
    // has 100 Gb/s.
    auto topology = HpccTopology::ByName("leaf-spine:8,2,32,host=25Gbps,over=4");
    EXPECT_EQ(FabricRates(topology), (std::map<uint64_t, uint32_t>{{100000000000, 16}}));
}

TEST(HpccTopology, TestbedsHaveTheSizesOfTheirPapers)
{
    auto pod = HpccTopology::ByName("testbed-pod");
    EXPECT_EQ(RackSizes(pod), (std::map<uint32_t, uint32_t>{{14, 10}, {15, 6}}));
    EXPECT_EQ(FabricRates(pod), (std::map<uint64_t, uint32_t>{{100000000000, 16 * 8}}));
    auto testbed = HpccTopology::ByName("testbed");
    EXPECT_EQ(RackSizes(testbed), (std::map<uint32_t, uint32_t>{{8, 4}}));
    EXPECT_EQ(FabricRates(testbed), (std::map<uint64_t, uint32_t>{{100000000000, 4}}));
    auto powertcp = HpccTopology::ByName("powertcp");
    EXPECT_EQ(powertcp.GetNodes(), 276U);
    EXPECT_EQ(RackSizes(powertcp), (std::map<uint32_t, uint32_t>{{32, 8}}));
    uint32_t coreLinks = 0;
    for (const auto& link : powertcp.GetLinks())
    {
        EXPECT_EQ(link.delay, MicroSeconds(link.b >= 272 ? 5 : 1));
        coreLinks += link.b >= 272 ? 1 : 0;
    }
    EXPECT_EQ(coreLinks, 16U);
    for (const auto* name : {"testbed-pod", "testbed", "powertcp", "paper-fat-tree"})
    {
        EXPECT_NO_THROW(HpccTopology::ByName(name).Validate()) << name;
    }
}

TEST(HpccTopology, AParkingLotHasOneFlowPerBottleneckAndOneOverAll)
{
    auto topology = HpccTopology::ParkingLot(2, {});
    topology.Validate();
    std::map<uint32_t, uint32_t> switchOf;
    for (const auto& link : topology.GetLinks())
    {
        if (!topology.IsSwitch(link.a))
        {
            switchOf[link.a] = link.b;
        }
    }
    EXPECT_EQ(switchOf,
              (std::map<uint32_t, uint32_t>{{0, 6}, {1, 8}, {2, 6}, {3, 7}, {4, 7}, {5, 8}}));
}

TEST(HpccTopology, WhatIsWrongWithANameIsSaid)
{
    for (const auto& [spec, said] : std::initializer_list<std::pair<const char*, const char*>>{
             {"nosuch", "choices: dumbbell, fat-tree"},
             {"", "unknown name"},
             {"star", "write star:HOSTS"},
             {"star:", "write star:HOSTS"},
             {"star:1", "at least 2"},
             {"star:x", "\"x\" is not a whole number"},
             {"star:-3", "-3"},
             {"star:4,5", "write star:HOSTS"},
             {"star:4,colour=red", "colour"},
             {"star:4,host=fast", "fast"},
             {"star:4,host=0Gbps", "outside 1 Mb/s"},
             {"star:4,delay=5", "\"5\" is not a time"},
             {"star:4,delay=-1us", "-1us"},
             {"star:4,over=4", "over= has no effect in this network; allowed are host=, delay="},
             {"star:4,fabric=1Mbps", "fabric= has no effect"},
             {"star:4,core-delay=1ms", "core-delay= has no effect"},
             {"star:8,host=25Gbps,host=100Gbps", "host= is given twice"},
             {"star:4,", "write star:HOSTS"},
             {"fat-tree:4,", "write fat-tree:K"},
             {"leaf-spine:2,2,2,over=4,fabric=400Gbps", "allowed is one of them"},
             {"leaf-spine:2,2,2,core-delay=5us", "core-delay= has no effect"},
             {"mixed-rates:2,2,25Gbps,100Gbps,host=1Gbps", "host= has no effect"},
             {"mixed-rates:2,2,25Gbps,", "\"\" is not a rate"},
             {"planes:4,2,fabric=1Gbps", "fabric= has no effect"},
             {"planes:4,2,1,0,fabric=1Gbps", "fabric= has no effect"},
             {"testbed-pod:core-delay=1us", "core-delay= has no effect"},
             {"star:4000000000", "more than 131072"},
             {"fat-tree:5", "not an even number"},
             {"leaf-spine:2,2", "write leaf-spine:LEAVES,SPINES,HOSTS-PER-LEAF"},
             {"leaf-spine:0,2,2", "at least 1"},
             {"leaf-spine:60000,2,60000", "more than 131072"},
             {"leaf-spine:2,2,2,over=0", "over=0"},
             {"parking-lot:0", "at least 1"},
             {"mixed-rates:2,3", "write mixed-rates:"},
             {"mixed-rates:2,3,fast", "fast"},
             {"paper-fat-tree:4", "write paper-fat-tree"},
             {"file:", "cannot read"},
             {"file:/nosuch/topology.txt", "/nosuch/topology.txt"}})
    {
        EXPECT_NE(Refusal(spec).find(said), std::string::npos) << spec << ": " << Refusal(spec);
        EXPECT_EQ(Refusal(spec).find('\n'), std::string::npos) << spec;
    }
}

TEST(HpccTopology, WhatIsWrongWithAFileIsSaidWithItsLine)
{
    const std::string path = ::testing::TempDir() + "hpcc-topology-gtest.txt";
    for (const auto& [text, said] : std::initializer_list<std::pair<const char*, const char*>>{
             {"3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us", ":5: the file ends"},
             {"3 1 2\n7\n", ":2: switch 7"},
             {"4 2 2\n2 2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n", ":2: switch 2 is listed twice"},
             {"3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
              ":5: there are more than the 2 links announced"},
             {"3 1 2\n2\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n", ":4: link 1 - 3: nodes are"},
             {"3 1 2\n2\n0 2 100Gbps 1lightyear 0\n", ":3: the delay of a link"},
             {"3 1 2\n2\n0 2 fast 1us 0\n", ":3: the rate of a link: \"fast\" is not allowed"},
             {"3 1 2\n2\n0 2 99999999999999Gbps 1us 0\n",
              ":3: the rate of a link: \"99999999999999Gbps\" is not allowed; at most "
              "1000000000Gbps"},
             {"3 1 2\n2\n0 2 100Gbps 1us 2\n", ":3: link 0 - 2: error rate"},
             {"3 1 1\n2\n0 2 100Gbps 1us 0\n", ":3: topology: host 1 has no link"}})
    {
        std::ofstream(path) << text;
        std::string why = Refusal("file:" + path);
        EXPECT_EQ(why.find(path + said), 0U) << why;
    }
    std::ofstream(path) << "3 1 2\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n\nFirst line: nodes 3\n";
    EXPECT_EQ(Refusal("file:" + path), "") << "the authors' files end with an explanation";
    std::remove(path.c_str());
}

TEST(HpccTopology, OptionsThatANetworkUsesAreTaken)
{
    for (const char* spec : {"star:4,host=1Gbps,delay=2us",
                             "dumbbell:2,2,host=1Gbps,fabric=2Gbps,delay=2us,fabric-delay=3us",
                             "parking-lot:2,fabric=2Gbps,fabric-delay=3us",
                             "leaf-spine:2,2,2,over=4,delay=2us,fabric-delay=3us",
                             "rail:2,2,2,fabric=2Gbps,fabric-delay=3us",
                             "planes:4,2,host=1Gbps",
                             "planes:4,2,2,1,fabric=2Gbps,fabric-delay=3us",
                             "mixed-rates:2,2,25Gbps,fabric=2Gbps,delay=2us,fabric-delay=3us",
                             "paper-fat-tree:core-delay=2us",
                             "testbed:host=1Gbps,fabric-delay=2us",
                             "powertcp:core-delay=2us"})
    {
        EXPECT_EQ(Refusal(spec), "");
    }
}
