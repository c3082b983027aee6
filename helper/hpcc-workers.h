/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_WORKERS_H
#define HPCC_WORKERS_H

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <sys/types.h>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Worker processes, which are copies of this process and do not outlive it.
 *
 * While the object exists, SIGCHLD has its default action, even if the process was started with
 * SIGCHLD ignored, and SIGINT, SIGTERM and SIGHUP are held back, unless they are ignored: Wait()
 * passes them on. In a worker all of these signals have their previous actions.
 */
class HpccWorkers
{
  public:
    HpccWorkers();

    /// Ends the workers that are left, and waits for them.
    ~HpccWorkers();

    HpccWorkers(const HpccWorkers&) = delete;
    HpccWorkers& operator=(const HpccWorkers&) = delete;

    /// Thrown by Wait() after a signal; the workers have ended.
    struct Interrupted
    {
        int signal; ///< its number
    };

    /**
     * Starts a worker. Its standard output and error go to files that Wait() reads.
     * @param job number that Wait() gives back
     * @return true in the worker, false here. Throws HpccInputError if the system has no process
     * or file left
     */
    bool Start(uint64_t job);

    /// A worker that has ended.
    struct Ended
    {
        uint64_t job;       ///< of Start()
        int status;         ///< as of waitpid()
        std::string output; ///< what it has written to standard output
        std::string errors; ///< what it has written to standard error

        /// @return "exit code 2" or "signal 9"
        std::string HowItEnded() const;
    };

    /// @return the next worker that has ended; there must be one. Throws Interrupted
    Ended Wait();

    /// @return workers that have not ended
    size_t GetRunning() const
    {
        return m_running.size();
    }

  private:
    /// A worker.
    struct Worker
    {
        uint64_t job;      ///< of Start()
        std::FILE* output; ///< its standard output
        std::FILE* errors; ///< its standard error
    };

    /// Sends a signal to all workers, and SIGKILL to those that have not ended after 10 s.
    /// @param signal the signal
    void EndAll(int signal);
    /// Signals are what they were before.
    void Restore();

    std::map<pid_t, Worker> m_running;   ///< workers that have not ended
    sigset_t m_held;                     ///< signals that are held back
    sigset_t m_maskBefore;               ///< those that were held back before
    struct sigaction m_childBefore = {}; ///< what SIGCHLD did before
};

} // namespace ns3

#endif // HPCC_WORKERS_H
