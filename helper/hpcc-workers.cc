/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-workers.h"

#include "ns3/hpcc-input-error.h"

#include <cerrno>
#include <ctime>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace ns3
{

namespace
{

/// @return what is in a file; closes it
std::string
Take(std::FILE* file)
{
    std::string text;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    {
        text += static_cast<char>(c);
    }
    std::fclose(file);
    return text;
}

} // namespace

std::string
HpccWorkers::Ended::HowItEnded() const
{
    return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                               : "exit code " + std::to_string(WEXITSTATUS(status));
}

HpccWorkers::HpccWorkers()
{
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &m_childBefore);
    sigemptyset(&m_held);
    sigaddset(&m_held, SIGCHLD);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
    {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        {
            sigaddset(&m_held, signal);
        }
    }
    sigprocmask(SIG_BLOCK, &m_held, &m_maskBefore);
}

HpccWorkers::~HpccWorkers()
{
    EndAll(SIGKILL);
    Restore();
}

void
HpccWorkers::Restore()
{
    sigaction(SIGCHLD, &m_childBefore, nullptr);
    sigprocmask(SIG_SETMASK, &m_maskBefore, nullptr);
}

bool
HpccWorkers::Start(uint64_t job)
{
    Worker worker{job, std::tmpfile(), std::tmpfile()};
    std::cout.flush();
    std::cerr.flush();
    const pid_t parent = getpid();
    const pid_t pid = worker.output && worker.errors ? fork() : -1;
    if (pid < 0)
    {
        for (std::FILE* file : {worker.output, worker.errors})
        {
            if (file)
            {
                std::fclose(file);
            }
        }
        throw HpccInputError("a process for a run cannot be started: the system has no more "
                             "processes or temporary files");
    }
    if (pid > 0)
    {
        m_running.emplace(pid, worker);
        return false;
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); // even if nothing is left that could pass a signal on
#endif
    if (getppid() != parent)
    {
        _exit(1);
    }
    m_running.clear();
    Restore();
    dup2(fileno(worker.output), STDOUT_FILENO);
    dup2(fileno(worker.errors), STDERR_FILENO);
    return true;
}

HpccWorkers::Ended
HpccWorkers::Wait()
{
    while (true)
    {
        for (auto worker = m_running.begin(); worker != m_running.end(); ++worker)
        {
            int status = 0;
            const pid_t found = waitpid(worker->first, &status, WNOHANG);
            if (found == worker->first || (found < 0 && errno != EINTR))
            {
                Ended ended{worker->second.job,
                            found < 0 ? SIGKILL : status,
                            Take(worker->second.output),
                            Take(worker->second.errors)};
                m_running.erase(worker);
                return ended;
            }
        }
        int signal = 0;
        sigwait(&m_held, &signal);
        if (signal != SIGCHLD)
        {
            EndAll(signal);
            throw Interrupted{signal};
        }
    }
}

void
HpccWorkers::EndAll(int signal)
{
    for (const auto& [pid, worker] : m_running)
    {
        kill(pid, signal);
    }
    constexpr int patience = 1000; // times 10 ms
    for (int tries = 0; !m_running.empty(); ++tries)
    {
        for (auto worker = m_running.begin(); worker != m_running.end();)
        {
            if (tries == patience)
            {
                kill(worker->first, SIGKILL);
            }
            if (waitpid(worker->first, nullptr, WNOHANG) == 0)
            {
                ++worker;
                continue;
            }
            std::fclose(worker->second.output);
            std::fclose(worker->second.errors);
            worker = m_running.erase(worker);
        }
        const timespec pause{0, m_running.empty() ? 0 : 10000000};
        nanosleep(&pause, nullptr);
    }
}

} // namespace ns3
