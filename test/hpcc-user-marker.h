/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_USER_MARKER_H
#define HPCC_USER_MARKER_H

#include "ns3/hpcc-marker.h"

namespace hpcctest
{

/**
 * An example of a user-defined marker that marks per port, as some switches do. It marks a frame if
 * all queues of the port together contain more than Threshold.
 */
class PortMarker : public ns3::Marker
{
  public:
    static ns3::TypeId GetTypeId();

    void AddPort(uint64_t rateBps) override;
    bool MustMark(const ns3::QbbNetDevice& port, const ns3::Frame& frame, int64_t nowNs) override;

  private:
    uint64_t m_threshold; ///< attribute Threshold
};

} // namespace hpcctest

#endif // HPCC_USER_MARKER_H
