/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-run-watch.h"

#include "hpcc-byte-stream.h"
#include "hpcc-csv-file.h"

#include "ns3/hpcc-ranks.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>

namespace ns3
{

HpccRunWatch::HpccRunWatch(const HpccFabricHelper& fabric,
                           const HpccMonitor& monitor,
                           HpccSignals& signals,
                           const std::string& name,
                           size_t flows,
                           Time first,
                           Time stop,
                           Time linger,
                           bool progress,
                           const std::function<HpccExperiment::Progress()>& beside)
    : m_fabric(fabric),
      m_monitor(monitor),
      m_signals(signals),
      m_name(name),
      m_flows(flows),
      m_stop(stop),
      m_linger(linger),
      m_progress(progress),
      m_beside(beside),
      m_begin(std::chrono::steady_clock::now()),
      m_last(m_begin)
{
    LookBefore(std::max(first, MicroSeconds(10)));
}

void
HpccRunWatch::LookBefore(Time end)
{
    m_end = std::min(end, m_stop);
    Simulator::Schedule(m_end - NanoSeconds(1) - Simulator::Now(), &HpccRunWatch::Look, this);
}

void
HpccRunWatch::SetCutOffs(const std::vector<int64_t>& cutOffsNs)
{
    m_cutOffsNs.clear();
    for (size_t flow = 0; flow < cutOffsNs.size(); ++flow)
    {
        if (cutOffsNs[flow] != INT64_MAX)
        {
            m_cutOffsNs.emplace_back(flow, cutOffsNs[flow]);
        }
    }
}

std::pair<uint64_t, uint64_t>
HpccRunWatch::CountCutOff() const
{
    const Time ackTime = MilliSeconds(10) + NanoSeconds(30 * m_fabric.GetNetworkBaseRttNs());
    const int64_t untilNs = (Simulator::Now() - ackTime).GetNanoSeconds();
    std::pair<uint64_t, uint64_t> counts{0, 0};
    for (const auto& [flow, atNs] : m_cutOffsNs)
    {
        const bool cutOff = atNs <= untilNs;
        counts.first += cutOff;
        counts.second += cutOff && m_monitor.GetResults()[flow].endNs >= 0;
    }
    return counts;
}

bool
HpccRunWatch::AreFinished()
{
    m_signal = m_signals.Take();
    m_unfinished = m_monitor.GetUnfinished();
    const int64_t sinceNs = (Simulator::Now() - m_linger).GetNanoSeconds();
    bool settled = m_monitor.HasNoCompletionSince(sinceNs);
    auto [lost, finishedHere] = CountCutOff();
    m_state = m_beside ? m_beside() : HpccExperiment::Progress::DONE;
    if (!m_fabric.GetRanks())
    {
        return settled && m_unfinished == lost - finishedHere &&
               m_state == HpccExperiment::Progress::DONE;
    }
    HpccByteStream mine;
    mine.Put(m_state);
    mine.Put(m_flows - m_unfinished);
    mine.Put(settled);
    mine.Put(finishedHere);
    mine.Put(m_signal);
    m_unfinished = m_flows;
    for (const std::string& bytes : m_fabric.GetRanks()->Exchange(mine.GetBytes()))
    {
        HpccByteStream theirs(bytes);
        m_state = std::max(m_state, theirs.Get<HpccExperiment::Progress>());
        m_unfinished -= theirs.Get<uint64_t>();
        settled = theirs.Get<bool>() && settled;
        lost -= theirs.Get<uint64_t>();
        m_signal = std::max(m_signal, theirs.Get<int>());
    }
    return settled && m_unfinished == lost && m_state == HpccExperiment::Progress::DONE;
}

bool
HpccRunWatch::IsStuck()
{
    if (m_state != HpccExperiment::Progress::WAITING)
    {
        m_waitsSince = Simulator::Now();
    }
    return Simulator::Now() - m_waitsSince >= MilliSeconds(1);
}

void
HpccRunWatch::Look()
{
    m_fabric.CatchUp();
    if (m_onCheck)
    {
        m_onCheck();
    }
    if (AreFinished() || IsStuck() || m_signal != 0 || m_end == m_stop)
    {
        m_fabric.EndAt(m_end);
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (m_progress && now - m_last > std::chrono::seconds(2))
    {
        m_last = now;
        Report();
    }
    LookBefore(m_end + MicroSeconds(10));
}

void
HpccRunWatch::Report() const
{
    const uint64_t finished = m_flows - m_unfinished;
    const double share =
        m_flows > 0 ? static_cast<double>(finished) / static_cast<double>(m_flows) : 0;
    std::cerr << m_name << ": ";
    if (m_flows > 0)
    {
        std::cerr << FormatFixed(100 * share, 1) << " %, ";
    }
    std::cerr << Simulator::Now().As(Time::US) << " simulated";
    if (m_flows > 0)
    {
        std::cerr << ", " << finished << " of " << m_flows << " flows finished";
    }
    if (finished > 0)
    {
        const double seconds = std::chrono::duration<double>(m_last - m_begin).count();
        std::cerr << ", about " << FormatFixed(seconds * (1 - share) / share, 0) << " s left";
    }
    std::cerr << std::endl;
}

} // namespace ns3
