/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_ASTRA_SYS_H
#define HPCC_TEST_ASTRA_SYS_H

// A stand-in for ASTRA-sim, for test/astra-sim.py. It has the names of ASTRA-sim's network
// interface, and a rank that performs one operation after another. Each line of the file
// PREFIX.N.et is an operation of rank N: "send RANK BYTES TAG", "receive RANK BYTES TAG", "compute
// NS" or "memory BYTES".

#include <cstdint>
#include <deque>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace AstraSim
{

enum time_type_e
{
    SE,
    MS,
    US,
    NS,
    FS,
};

struct timespec_t
{
    time_type_e time_res;
    long double time_val;
};

struct sim_request
{
};

class Sys;
class WorkloadLayerHandlerData;

class AstraNetworkAPI
{
  public:
    explicit AstraNetworkAPI(int number)
        : rank(number)
    {
    }

    virtual ~AstraNetworkAPI() = default;
    virtual int sim_send(void*, uint64_t, int, int, int, sim_request*, void (*)(void*), void*) = 0;
    virtual int sim_recv(void*, uint64_t, int, int, int, sim_request*, void (*)(void*), void*) = 0;
    virtual void sim_schedule(timespec_t, void (*)(void*), void*) = 0;
    virtual timespec_t sim_get_time() = 0;

    virtual void sim_notify_finished()
    {
    }

    int rank;
};

class AstraRemoteMemoryAPI
{
  public:
    virtual ~AstraRemoteMemoryAPI() = default;
    virtual void set_sys(int, Sys*) = 0;
    virtual void issue(uint64_t, WorkloadLayerHandlerData*) = 0;
};

struct HardwareResource
{
    uint64_t tics_gpu_ops{0};
};

enum class EventType
{
    CallEvents,
    General,
};

class CallData
{
};

class Callable
{
  public:
    virtual ~Callable() = default;
    virtual void call(EventType, CallData*) = 0;
};

struct Workload;

class WorkloadLayerHandlerData : public CallData
{
  public:
    int sys_id{0};
    Workload* workload{nullptr};
};

struct Workload : public Callable
{
    void call(EventType, CallData* data) override
    {
        delete static_cast<WorkloadLayerHandlerData*>(data);
        Next(this);
    }

    void fire()
    {
        Next(this);
    }

    static void Next(void* argument)
    {
        auto& self = *static_cast<Workload*>(argument);
        std::string what;
        if (!(self.in >> what))
        {
            self.network->sim_notify_finished();
            return;
        }
        uint64_t first = 0;
        self.in >> first;
        if (what == "memory")
        {
            auto* access = new WorkloadLayerHandlerData;
            access->sys_id = self.network->rank;
            access->workload = &self;
            self.memory->issue(first, access);
            return;
        }
        if (what == "compute")
        {
            self.hw_resource->tics_gpu_ops += first;
            self.network->sim_schedule({NS, static_cast<long double>(first)}, &Next, argument);
            return;
        }
        uint64_t bytes = 0;
        int tag = 0;
        self.in >> bytes >> tag;
        const int peer = static_cast<int>(first);
        if (what == "send")
        {
            self.network->sim_send(nullptr, bytes, 0, peer, tag, nullptr, &Next, argument);
        }
        else
        {
            self.network->sim_recv(nullptr, bytes, 0, peer, tag, nullptr, &Next, argument);
        }
    }

    std::ifstream in;
    AstraNetworkAPI* network{nullptr};
    AstraRemoteMemoryAPI* memory{nullptr};
    HardwareResource* hw_resource{nullptr};
};

class Sys
{
  public:
    Sys(int id,
        const std::string& traces,
        const std::string&,
        const std::string& system,
        AstraRemoteMemoryAPI* memory,
        AstraNetworkAPI* network,
        const std::vector<int>&,
        const std::vector<int>&,
        double,
        double,
        bool)
        : workload(&m_workload)
    {
        std::string word;
        if (!(std::ifstream(system) >> word) || word != "{}")
        {
            throw std::runtime_error("no JSON");
        }
        m_workload.in.open(traces + "." + std::to_string(id) + ".et");
        m_workload.network = network;
        m_workload.memory = memory;
        m_workload.hw_resource = &m_hardware;
        memory->set_sys(id, this);
    }

    void register_event(Callable* callable, EventType event, CallData* data, uint64_t ns)
    {
        m_events.push_back({callable, event, data});
        m_workload.network->sim_schedule({NS, static_cast<long double>(ns)},
                                         &Happen,
                                         &m_events.back());
    }

    Workload* workload;

  private:
    struct Event
    {
        Callable* callable;
        EventType event;
        CallData* data;
    };

    static void Happen(void* argument)
    {
        const Event& event = *static_cast<Event*>(argument);
        event.callable->call(event.event, event.data);
    }

    Workload m_workload;
    std::deque<Event> m_events;
    HardwareResource m_hardware;
};

} // namespace AstraSim

#endif // HPCC_TEST_ASTRA_SYS_H
