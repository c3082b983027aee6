/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_LEAKS_H
#define HPCC_TEST_LEAKS_H

#if defined(__SANITIZE_ADDRESS__)
#define HPCC_TEST_FINDS_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HPCC_TEST_FINDS_LEAKS
#endif
#endif
#ifdef HPCC_TEST_FINDS_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace hpcctest
{

/// Suppresses leak reports during its lifetime. If an exception leaves Simulator::Run(), ns-3
/// releases neither the event that threw it nor the objects to which this event refers.
class LeaksAllowed
{
  public:
    LeaksAllowed()
    {
#ifdef HPCC_TEST_FINDS_LEAKS
        __lsan_disable();
#endif
    }

    ~LeaksAllowed()
    {
#ifdef HPCC_TEST_FINDS_LEAKS
        __lsan_enable();
#endif
    }
};

} // namespace hpcctest

#endif // HPCC_TEST_LEAKS_H
