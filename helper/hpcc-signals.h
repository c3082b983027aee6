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
 * Blocks SIGINT and SIGTERM as long as this object exists, so that the program can call Take() and
 * end in an orderly way. A signal that the process ignores stays ignored.
 */
class HpccSignals
{
  public:
    HpccSignals();
    HpccSignals(const HpccSignals&) = delete;
    HpccSignals& operator=(const HpccSignals&) = delete;

    /// Restores the delivery of signals.
    ~HpccSignals();

    /// Returns the number of the first signal that has arrived; 0 if none has arrived yet.
    int Take();

  private:
    sigset_t m_held;   ///< signals that this object blocks
    sigset_t m_before; ///< signals that were blocked before
    int m_signal{0};   ///< the signal that has arrived
};

} // namespace ns3

#endif // HPCC_SIGNALS_H
