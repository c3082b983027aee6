/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_REFUSAL_H
#define HPCC_TEST_REFUSAL_H

#include "hpcc-test-leaks.h"

#include "ns3/hpcc-input-error.h"

#include <functional>
#include <string>

namespace hpcctest
{

/// Returns the error message with which an action is refused, or an empty string if it is accepted.
/// @param action the action
inline std::string
RefusalOf(const std::function<void()>& action)
{
    LeaksAllowed leaks;
    try
    {
        action();
    }
    catch (const ns3::HpccInputError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace hpcctest

#endif // HPCC_TEST_REFUSAL_H
