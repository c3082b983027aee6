/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-experiment-checks.h"
#include "hpcc-experiment-run.h"
#include "hpcc-experiment-tables.h"
#include "hpcc-outages.h"
#include "hpcc-partition.h"
#include "hpcc-signals.h"
#include "hpcc-topology.h"

#include "ns3/boolean.h"
#include "ns3/hpcc-ranks.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iostream>
#include <new>

namespace ns3
{

namespace
{

/// Returns one line with the reason of the exception that ends a program.
std::string
WhatOf(const std::exception_ptr& error)
{
    try
    {
        std::rethrow_exception(error);
    }
    catch (const std::bad_alloc&)
    {
        return "out of memory: the network or its flows are too large for this machine";
    }
    catch (const std::exception& other)
    {
        return std::string("ended by an unexpected error: ") + other.what();
    }
    catch (...)
    {
        return "ended by an unexpected error";
    }
}

} // namespace

std::vector<std::string>
HpccExperiment::GetLabels() const
{
    std::vector<std::string> labels;
    for (const auto& plan : Planner(*this).MakePlans())
    {
        labels.push_back(plan.label);
    }
    return labels;
}

std::vector<HpccSummary>
HpccExperiment::Run(const Scenario& scenario, const Configure& configure)
{
    HPCC_REFUSE_IF(m_values->ranks && !scenario.addsUp && (scenario.connected || scenario.finished),
                   "--mpi: " + m_values->name + " runs in one process only");
    HPCC_REFUSE_IF(m_values->written.count(m_values->out) > 0,
                   "ns3::HpccExperiment::Run: a run has written its results to " + m_values->out +
                       " already; choose another directory with HpccExperiment::SetOut()");
    Describe(scenario.topology);
    Checks(*this).CheckStop(scenario.stop);
    const std::vector<Plan> plans = Planner(*this).MakePlans();
    Checks(*this).CheckEffects(plans, scenario);
    // Before a single run, Rehearse() is needed only if the command line sets attribute defaults:
    // Rehearse() refuses such defaults if they have no effect. Defaults that the program itself
    // sets need not have an effect.
    if (!m_values->checked &&
        (m_values->checkOnly || plans.size() > 1 || !m_values->attributes.IsWithin(m_defaults)))
    {
        Rehearse(plans, scenario, configure);
    }
    EndIfChecked();
    m_values->written.insert(m_values->out);
    HpccSignals signals;
    Tables tables(*this, scenario);
    std::vector<HpccSummary> summaries;
    for (const auto& plan : plans)
    {
        m_values->signal = signals.Take();
        if (m_values->signal == 0)
        {
            summaries.push_back(RunOne(plan, scenario, configure, &tables, &signals));
        }
        if (m_values->signal != 0)
        {
            summaries.resize(static_cast<size_t>(&plan - plans.data()));
            ReportMissing(plans, summaries.size());
        }
        tables.Save();
        for (auto* table : scenario.tables)
        {
            table->Save();
        }
    }
    tables.Commit();
    WriteManifest(m_values->out);

    Tables::PrintSummaries(plans, summaries);
    std::cout << "results in " << m_values->out << std::endl;
    return summaries;
}

void
HpccExperiment::SetUp(HpccFabricHelper& fabric, const HpccTopology& topology) const
{
    Describe(topology);
    fabric.SetHostAttribute("Mtu", UintegerValue(m_values->mtu));
    fabric.SetHostAttribute("Recovery", StringValue(m_values->recovery));
    if (m_values->flowControl == "lossy")
    {
        fabric.SetDeviceAttribute("PfcEnabled", BooleanValue(false));
    }
    if (m_values->ackPriority == "high")
    {
        TypeId::AttributeInformation cnp;
        RdmaHost::GetTypeId().LookupAttributeByName("CnpDscp", &cnp);
        fabric.SetHostAttribute("AckDscp", *cnp.initialValue);
    }
    fabric.SetDeviceAttribute("EthernetOverhead", BooleanValue(m_values->ethernetOverhead));
    fabric.SetMaxLag(m_values->maxLag);
    fabric.SetPaths(m_values->paths);
    fabric.SetPorts(m_values->ports);
    fabric.SetBuffer(m_values->buffer);
    fabric.SetMarking(m_values->marking);
    fabric.SetScheduler(m_values->scheduler);
    fabric.SetTrimming(m_values->trimming);
    fabric.SetEntropy(m_values->entropy, m_values->entropyValues);
    fabric.SetNic(m_values->nic);
    if (!m_values->baseRtt.empty())
    {
        fabric.SetPerPathBaseRtt(m_values->baseRtt == Values::PATH);
    }
    fabric.SetConvergenceDelay(m_values->convergence);
    HpccOutages(m_values->outages).Schedule(topology, fabric);
    ShareOut(fabric, topology);
}

void
HpccExperiment::ShareOut(HpccFabricHelper& fabric, const HpccTopology& topology) const
{
    if (!m_values->ranks)
    {
        return;
    }
    HpccPartition partition(topology, m_values->partition, m_values->ranks->GetSize());
    fabric.SetRanks(PeekPointer(m_values->ranks), partition.GetRankOf());
    if (m_values->progress)
    {
        std::cerr << m_values->name << ": " << m_values->ranks->GetSize() << " ranks, "
                  << FormatFixed(100 * partition.GetCutShare(), 1)
                  << " % of the links between switches are cut, the largest rank has "
                  << FormatFixed(partition.GetImbalance(), 2) << " times the mean load"
                  << std::endl;
    }
}

void
HpccExperiment::SetBaseRtt(HpccFabricHelper& fabric, int64_t defaultNs) const
{
    if (defaultNs > 0)
    {
        fabric.SetNetworkBaseRttNs(defaultNs);
    }
    if (m_values->baseRtt.empty() || m_values->baseRtt == Values::PATH)
    {
        return;
    }
    const int64_t givenNs = Time(m_values->baseRtt).GetNanoSeconds();
    if (givenNs < fabric.GetNetworkBaseRttNs() && m_values->warns)
    {
        std::cerr << m_values->name << ": warning: T = " << FormatUs(givenNs)
                  << " us is below the largest base RTT of the network, "
                  << FormatUs(fabric.GetNetworkBaseRttNs()) << " us" << std::endl;
    }
    fabric.SetNetworkBaseRttNs(givenNs);
}

HpccSummary
HpccExperiment::RunOne(const Plan& plan,
                       const Scenario& scenario,
                       const Configure& configure,
                       Tables* tables,
                       HpccSignals* signals)
{
    RngSeedManager::SetSeed(m_values->seed);
    RngSeedManager::SetRun(m_values->run);
    if (m_values->ranks)
    {
        m_values->ranks->Begin();
    }
    if (!m_given.count("SchedulerType"))
    {
        Simulator::SetScheduler(m_values->ranks ? m_values->ranks->GetScheduler()
                                                : ObjectFactory("ns3::PriorityQueueScheduler"));
    }
    HpccSummary summary;
    m_values->label = plan.label;
    m_values->variant = plan.variant;
    {
        OneRun run(*this, plan, scenario, tables);
        run.Build(configure);
        run.Connect();
        if (tables)
        {
            summary = run.Simulate(*signals);
        }
        else if (m_values->untilUsed)
        {
            run.SimulateUntilUsed();
        }
    }
    Simulator::Destroy();
    if (m_values->ranks)
    {
        m_values->ranks->End();
    }
    return summary;
}

int
HpccExperiment::Main(const std::function<void()>& body)
{
    // If ns-3 cannot read a value, it prints the reason and aborts.
    std::set_terminate([] {
        if (std::current_exception())
        {
            std::cerr << WhatOf(std::current_exception()) << std::endl;
        }
        if (Simulator::Now().IsZero())
        {
            std::_Exit(2);
        }
        std::abort();
    });
    try
    {
        body();
        return 0;
    }
    catch (const Done&)
    {
        return 0;
    }
    catch (const Interrupted& interrupted)
    {
        std::cerr << interrupted.what() << std::endl;
        return 128 + interrupted.signal;
    }
    catch (const HpccInputError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    catch (...)
    {
        const bool isZero = Simulator::Now().IsZero();
        std::cerr << WhatOf(std::current_exception()) << std::endl;
        return isZero ? 2 : 1;
    }
}

} // namespace ns3
