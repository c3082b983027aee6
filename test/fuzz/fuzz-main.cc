/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-targets.h"

/// What libFuzzer calls, for the function of FuzzTargets that HPCC_FUZZ_TARGET names.
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const hpcctest::FuzzTargets targets;
    targets.HPCC_FUZZ_TARGET({data, data + size});
    return 0;
}
