/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_PARTS_H
#define HPCC_TEST_PARTS_H

#include "hpcc-test-host-parts.h"

#include <gtest/gtest.h>

namespace hpcctest
{

/**
 * Fixture that contains the parts of a host. The parts under test are members of the derived
 * fixture.
 * @tparam Parts HostParts or RequesterParts
 */
template <typename Parts>
class PartsTest : public ::testing::Test, protected Parts
{
};

} // namespace hpcctest

#endif // HPCC_TEST_PARTS_H
