/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INPUT_ERROR_H
#define HPCC_INPUT_ERROR_H

#include <stdexcept>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * What a user gave cannot be used. what() is one line that names the object, the value and what is
 * allowed.
 */
class HpccInputError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

} // namespace ns3

#endif // HPCC_INPUT_ERROR_H
