/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_REFUSAL_H
#define HPCC_TEST_REFUSAL_H

#include "ns3/hpcc-input-error.h"

#include <functional>
#include <string>

namespace hpcctest
{

/// @param action what may be refused @return the line that refuses it; empty if it is not
inline std::string
RefusalOf(const std::function<void()>& action)
{
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
