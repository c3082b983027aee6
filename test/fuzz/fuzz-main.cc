/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-ip-targets.h"
#include "fuzz-sack-targets.h"

/// Passes an input from libFuzzer to the member function HPCC_FUZZ_TARGET of the class
/// HPCC_FUZZ_CLASS.
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const hpcctest::HPCC_FUZZ_CLASS targets;
    targets.HPCC_FUZZ_TARGET({data, data + size});
    return 0;
}
