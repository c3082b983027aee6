/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-uec-matrix.h"

#include "hpcc-uec-lines.h"

#include "ns3/hpcc-input-error.h"

#include <fstream>
#include <set>

namespace ns3
{

namespace
{

constexpr const char* ARROW = "->";

/// Returns true if a word is the start of a flow, such as 0->13.
bool
IsFlow(const std::string& word)
{
    return word.find(ARROW) != std::string::npos;
}

} // namespace

HpccUecMatrix
HpccUecMatrix::Load(const std::string& path)
{
    std::ifstream in(path);
    HPCC_REFUSE_IF(!in, "cannot read " + path);
    return Read(in, path);
}

HpccUecMatrix
HpccUecMatrix::Read(std::istream& text, const std::string& name)
{
    HpccUecLines in(text, name);
    HpccUecMatrix matrix;
    const Counts counts = matrix.ReadHead(in);
    while (in.HasMore())
    {
        const std::string& first = in.Word("a flow");
        if (IsFlow(first))
        {
            matrix.ReadFlow(in);
        }
        else if (first == "trigger")
        {
            matrix.ReadTrigger(in);
        }
        else if (first == "failure")
        {
            in.Refuse("failure lines are not supported; --fail takes links down");
        }
        else
        {
            in.Refuse("\"" + first +
                      "\" begins neither a flow, such as 0->13, nor a trigger; allowed are "
                      "comments before the first of them");
        }
        in.Next();
    }
    matrix.Check(in, counts);
    return matrix;
}

HpccUecMatrix::Counts
HpccUecMatrix::ReadHead(HpccUecLines& in)
{
    Counts counts;
    std::set<std::string> seen;
    uint32_t failures = 0;
    const std::map<std::string, uint32_t*> values{{"Nodes", &m_nodes},
                                                  {"Connections", &counts.connections},
                                                  {"Triggers", &counts.triggers},
                                                  {"Failures", &failures}};
    bool more = in.Next();
    for (; more; more = in.Next())
    {
        if (in.IsComment())
        {
            continue;
        }
        const std::string word = in.Word("a key");
        if (IsFlow(word) || word == "trigger" || word == "failure")
        {
            break;
        }
        const auto found = values.find(word);
        if (found == values.end())
        {
            in.Refuse("unknown key \"" + word +
                      "\"; choices: Nodes, Connections, Triggers, Failures");
        }
        if (!seen.insert(word).second)
        {
            in.Refuse(word + " is given twice");
        }
        *found->second = in.Number<uint32_t>(word, 0);
        in.EndLine();
        if (m_nodes > MAX_NODES)
        {
            in.Refuse("Nodes " + std::to_string(m_nodes) + " is above " +
                      std::to_string(MAX_NODES));
        }
        if (failures > 0)
        {
            in.Refuse("failure lines are not supported; --fail takes links down");
        }
    }
    if (m_nodes < 2)
    {
        in.Refuse("at least 2 Nodes are needed before the first flow");
    }
    if (!more)
    {
        in.Refuse("there is no flow");
    }
    in.Rewind();
    return counts;
}

void
HpccUecMatrix::ReadFlow(HpccUecLines& in)
{
    in.Rewind();
    const std::string ends = in.Word("a flow");
    const size_t arrow = ends.find(ARROW);
    Flow flow;
    flow.line = in.GetLine();
    flow.source = in.Convert<uint32_t>(ends.substr(0, arrow), "the source", 0);
    flow.destination = in.Convert<uint32_t>(ends.substr(arrow + 2), "the destination", 0);
    std::set<std::string> seen;
    while (in.HasMore())
    {
        const std::string key = in.Word("a key");
        if (!seen.insert(key).second)
        {
            in.Refuse(key + " is given twice");
        }
        if (key == "start")
        {
            // As in uet-htsim, the time is read in single precision and then truncated to a whole
            // number.
            const auto us = in.Number<float>(key, 0);
            if (!(us < static_cast<float>(UINT32_MAX)))
            {
                in.Refuse("start is above " + std::to_string(UINT32_MAX) + " us");
            }
            flow.startUs = static_cast<int64_t>(us);
        }
        else if (key == "size")
        {
            flow.bytes = in.Number<uint64_t>(key, 1);
        }
        else if (key == "id")
        {
            flow.id = in.Number<uint32_t>(key, 1);
        }
        else if (key == "trigger")
        {
            flow.trigger = in.Number<uint32_t>(key, 1);
        }
        else if (key == "send_done_trigger")
        {
            flow.sendDone = in.Number<uint32_t>(key, 1);
        }
        else if (key == "recv_done_trigger")
        {
            flow.receiveDone = in.Number<uint32_t>(key, 1);
        }
        else if (key == "prio")
        {
            in.Number<uint32_t>(key, 0);
            m_hasPriorities = true;
        }
        else if (key == "msg")
        {
            in.Refuse("msg is not supported: each line is a connection of its own");
        }
        else
        {
            in.Refuse("unknown key \"" + key +
                      "\"; choices: id, start, trigger, size, send_done_trigger, "
                      "recv_done_trigger, prio");
        }
    }
    CheckFlow(in, flow);
    m_flows.push_back(flow);
}

void
HpccUecMatrix::CheckFlow(const HpccUecLines& in, const Flow& flow)
{
    for (const uint32_t host : {flow.source, flow.destination})
    {
        if (host >= m_nodes)
        {
            in.Refuse("host " + std::to_string(host) + ": hosts are 0 to " +
                      std::to_string(m_nodes - 1));
        }
    }
    if (flow.source == flow.destination)
    {
        in.Refuse("a flow from host " + std::to_string(flow.source) + " to itself");
    }
    if (flow.bytes == 0)
    {
        in.Refuse("the flow has no size");
    }
    if ((flow.startUs < 0) == (flow.trigger == 0))
    {
        in.Refuse(flow.trigger == 0 ? "the flow has neither start nor trigger"
                                    : "the flow has both start and trigger");
    }
    if (flow.trigger > 0 && flow.id == 0)
    {
        in.Refuse("a flow with a trigger needs an id");
    }
    if (flow.id > 0 && !m_ids.emplace(flow.id, flow.line).second)
    {
        in.Refuse("id " + std::to_string(flow.id) + " is that of line " +
                  std::to_string(m_ids[flow.id]));
    }
}

void
HpccUecMatrix::ReadTrigger(HpccUecLines& in)
{
    static const std::map<std::string, TriggerKind> kinds{{"oneshot", TriggerKind::ONESHOT},
                                                          {"multishot", TriggerKind::MULTISHOT},
                                                          {"barrier", TriggerKind::BARRIER}};
    Trigger trigger;
    trigger.line = in.GetLine();
    uint32_t id = 0;
    bool hasKind = false;
    while (in.HasMore())
    {
        const std::string key = in.Word("a key");
        const auto kind = kinds.find(key);
        if (key == "id")
        {
            id = in.Number<uint32_t>(key, 1);
        }
        else if (key == "count")
        {
            trigger.count = in.Number<uint32_t>(key, 1);
        }
        else if (kind == kinds.end())
        {
            in.Refuse("unknown key \"" + key +
                      "\"; choices: id, oneshot, multishot, barrier, "
                      "count");
        }
        else if (hasKind)
        {
            in.Refuse("the trigger has two kinds");
        }
        else
        {
            trigger.kind = kind->second;
            hasKind = true;
        }
    }
    if (id == 0 || !hasKind)
    {
        in.Refuse(id == 0 ? "the trigger has no id"
                          : "the trigger is neither oneshot, multishot nor barrier");
    }
    if ((trigger.kind == TriggerKind::BARRIER) != (trigger.count > 0))
    {
        in.Refuse("a barrier has a count, other triggers have none");
    }
    if (!m_triggers.emplace(id, trigger).second)
    {
        in.Refuse("trigger " + std::to_string(id) + " is that of line " +
                  std::to_string(m_triggers[id].line));
    }
}

void
HpccUecMatrix::Check(const HpccUecLines& in, const Counts& counts)
{
    auto count = [&in](const std::string& what, uint32_t announced, size_t found) {
        if (found != announced)
        {
            in.Refuse(what + " announces " + std::to_string(announced) + ", but there are " +
                      std::to_string(found));
        }
    };
    count("Connections", counts.connections, m_flows.size());
    count("Triggers", counts.triggers, m_triggers.size());
    const auto find = [this, &in](uint32_t id, const Flow& flow) -> Trigger& {
        const auto found = m_triggers.find(id);
        if (found == m_triggers.end())
        {
            in.Refuse("there is no trigger " + std::to_string(id), flow.line);
        }
        return found->second;
    };
    bool starts = false;
    for (const auto& flow : m_flows)
    {
        starts = starts || flow.startUs >= 0;
        if (flow.trigger > 0)
        {
            ++find(flow.trigger, flow).flows;
        }
        for (const uint32_t trigger : {flow.sendDone, flow.receiveDone})
        {
            if (trigger > 0)
            {
                ++find(trigger, flow).activations;
            }
        }
    }
    if (!starts)
    {
        in.Refuse("all flows wait for triggers; at least one needs a start", m_flows.front().line);
    }
    for (const auto& [id, trigger] : m_triggers)
    {
        if (trigger.flows == 0)
        {
            in.Refuse("trigger " + std::to_string(id) + " starts no flow", trigger.line);
        }
        if (trigger.kind != TriggerKind::MULTISHOT && trigger.activations > trigger.GetNeeded())
        {
            in.Refuse("trigger " + std::to_string(id) + " is activated " +
                          std::to_string(trigger.activations) + " times; allowed is at most " +
                          std::to_string(trigger.GetNeeded()),
                      trigger.line);
        }
    }
}

std::vector<uint32_t>
HpccUecMatrix::FindStarved() const
{
    std::vector<uint32_t> starved;
    for (const auto& [id, trigger] : m_triggers)
    {
        if (trigger.activations < trigger.GetNeeded())
        {
            starved.push_back(id);
        }
    }
    return starved;
}

} // namespace ns3
