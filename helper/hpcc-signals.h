/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_SIGNALS_H
#define HPCC_SIGNALS_H

#include <csignal>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Holds SIGINT and SIGTERM back, as long as it exists, so that a program can end in order. A signal
 * that the process ignores stays ignored.
 */
class HpccSignals
{
  public:
    HpccSignals();
    HpccSignals(const HpccSignals&) = delete;
    HpccSignals& operator=(const HpccSignals&) = delete;

    /// Signals come through again.
    ~HpccSignals();

    /// @return the first signal that has arrived so far, by its number; 0 if none has
    int Take();

  private:
    sigset_t m_held;   ///< signals that are held back
    sigset_t m_before; ///< those that were held back before
    int m_signal{0};   ///< the signal that has arrived
};

} // namespace ns3

#endif // HPCC_SIGNALS_H
