/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_TEST_TEXT_H
#define HPCC_TEST_TEXT_H

#include <sstream>
#include <string>

/// Functions that format numbers for the names of test cases.
namespace hpcctest
{

/// Returns the shortest decimal text of @p x.
inline std::string
Text(double x)
{
    std::ostringstream out;
    out << x;
    return out.str();
}

} // namespace hpcctest

#endif // HPCC_TEST_TEXT_H
