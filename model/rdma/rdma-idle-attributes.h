/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_IDLE_ATTRIBUTES_H
#define RDMA_IDLE_ATTRIBUTES_H

#include "rdma-feedback.h"

#include <string>

namespace ns3
{

/**
 * Says which attribute keeps another one without effect, such as Forward, which keeps Interval.
 * @param feedback what has both
 * @param attribute name of an attribute of it
 * @return such as "it needs ns3::RdmaFeedback::Forward=Interval"; empty if it has an effect
 */
std::string WhyIdle(const RdmaFeedback& feedback, const std::string& attribute);

} // namespace ns3

#endif // RDMA_IDLE_ATTRIBUTES_H
