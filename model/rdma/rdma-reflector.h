/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_REFLECTOR_H
#define RDMA_REFLECTOR_H

#include "rdma-feedback.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * What the responder of a queue pair does with the telemetry that it receives, if not return it as
 * it is in ACKs.
 */
class RdmaReflector
{
  public:
    /// @param how the choice; must live as long
    explicit RdmaReflector(const RdmaFeedback& how)
        : m_how(how)
    {
    }

    /// @return true if notifications return it
    bool Notifies() const
    {
        return m_how.IsNotified();
    }

  private:
    const RdmaFeedback& m_how; ///< the choice
};

} // namespace ns3

#endif // RDMA_REFLECTOR_H
