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
 * A marker as a user would write it: a frame is marked while all queues of its port together hold
 * more than Threshold, as switches do that mark by port.
 */
class PortMarker : public ns3::Marker
{
  public:
    static ns3::TypeId GetTypeId();

    void AddPort(uint64_t rateBps) override;
    bool MustMark(const ns3::QbbNetDevice& port, const ns3::Frame& frame, int64_t nowNs) override;

  private:
    uint64_t m_threshold; ///< attribute
};

} // namespace hpcctest

#endif // HPCC_USER_MARKER_H
