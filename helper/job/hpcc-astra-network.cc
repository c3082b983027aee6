/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-astra-network.h"

#include <utility>

namespace ns3
{

HpccAstraNetwork::HpccAstraNetwork(HpccJobTransport& transport,
                                   uint32_t ranks,
                                   std::function<int64_t()> clock)
    : m_transport(transport),
      m_clock(std::move(clock)),
      m_ranks(ranks)
{
    transport.SetClient(*this);
}

HpccAstraNetwork::~HpccAstraNetwork() = default;

void
HpccAstraNetwork::ScheduleAction(uint32_t rank, int64_t atNs, const Due& due)
{
    m_ranks[rank].due.Push(atNs, due);
    ++m_busy;
    m_transport.WakeAt(rank, atNs);
}

void
HpccAstraNetwork::Send(uint32_t rank,
                       uint64_t bytes,
                       uint32_t destination,
                       int tag,
                       Handler handler,
                       void* argument)
{
    const uint64_t id = m_messages++;
    m_onSent[id] = {handler, argument};
    // A handler of another rank may call this function. Therefore the message is sent by a separate
    // action at this rank.
    ScheduleAction(rank,
                   NowNs(),
                   {true, {rank, destination, static_cast<uint32_t>(tag), bytes, id}, {}});
}

void
HpccAstraNetwork::Receive(uint32_t rank,
                          uint64_t bytes,
                          uint32_t source,
                          int tag,
                          Handler handler,
                          void* argument)
{
    Rank& state = m_ranks[rank];
    const uint64_t number = m_receives++;
    const auto key = static_cast<uint32_t>(tag);
    if (state.matcher.Post(source, key, {{handler, argument}, number}))
    {
        ScheduleAction(rank, NowNs(), {false, {}, {handler, argument}});
        return;
    }
    state.open[number] = "receive of " + std::to_string(bytes) + " bytes from rank " +
                         std::to_string(source) + ", tag " + std::to_string(tag);
}

void
HpccAstraNetwork::Schedule(uint32_t rank, int64_t deltaNs, Handler handler, void* argument)
{
    ScheduleAction(rank, NowNs() + deltaNs, {false, {}, {handler, argument}});
}

void
HpccAstraNetwork::NotifyFinished(uint32_t rank)
{
    m_finished += m_ranks[rank].finished ? 0 : 1;
    m_ranks[rank].finished = true;
}

std::vector<std::string>
HpccAstraNetwork::DescribeWaiting() const
{
    std::vector<std::string> lines;
    for (size_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const Rank& state = m_ranks[rank];
        if (!state.finished)
        {
            lines.push_back("rank " + std::to_string(rank) + ": " +
                            (state.open.empty() ? "no receive is open"
                                                : state.open.begin()->second + " waits"));
        }
    }
    return lines;
}

void
HpccAstraNetwork::Delivered(const HpccJobTransport::Message& message, int64_t)
{
    Rank& state = m_ranks[message.destination];
    if (const auto receive = state.matcher.Arrive(message.source, message.tag, true))
    {
        state.open.erase(receive->number);
        receive->call.Fire();
    }
}

void
HpccAstraNetwork::Sent(uint32_t, uint64_t id, int64_t)
{
    --m_busy;
    const auto found = m_onSent.find(id);
    const Call call = found->second;
    m_onSent.erase(found);
    call.Fire();
}

void
HpccAstraNetwork::Wake(uint32_t rank, int64_t nowNs)
{
    Rank& state = m_ranks[rank];
    while (const auto entry = state.due.PopDue(nowNs))
    {
        const Due& due = entry->event;
        --m_busy;
        if (due.post)
        {
            ++m_busy;
            m_transport.Send(due.message);
        }
        else
        {
            due.call.Fire();
        }
    }
}

} // namespace ns3
