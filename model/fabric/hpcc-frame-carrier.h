/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_FRAME_CARRIER_H
#define HPCC_FRAME_CARRIER_H

#include <cstdint>

namespace ns3
{

struct Frame;

/**
 * @ingroup hpcc
 *
 * Takes frames to links whose other end is in another process.
 */
class FrameCarrier
{
  public:
    virtual ~FrameCarrier() = default;

    /**
     * Announces a frame to another rank's device.
     * @param rank the other rank
     * @param link number of a link to it, as given to QbbChannel::SetRanks()
     * @param frame the frame, arrivalNs set; freed
     */
    virtual void Carry(uint32_t rank, uint32_t link, Frame* frame) = 0;
};

} // namespace ns3

#endif // HPCC_FRAME_CARRIER_H
