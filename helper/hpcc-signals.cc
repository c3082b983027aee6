/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-signals.h"

#include <ctime>
#include <initializer_list>

namespace ns3
{

HpccSignals::HpccSignals()
{
    sigemptyset(&m_held);
    for (int signal : {SIGINT, SIGTERM})
    {
        struct sigaction action = {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        {
            sigaddset(&m_held, signal);
        }
    }
    sigprocmask(SIG_BLOCK, &m_held, &m_before);
}

HpccSignals::~HpccSignals()
{
    sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

int
HpccSignals::Take()
{
    if (m_signal == 0)
    {
        const timespec atOnce = {};
        const int signal = sigtimedwait(&m_held, nullptr, &atOnce);
        m_signal = signal > 0 ? signal : 0;
    }
    return m_signal;
}

} // namespace ns3
