/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INPUT_ERROR_H
#define HPCC_INPUT_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Exception for invalid user input. what() is one line that names the object, the value and the
 * allowed values.
 *
 * A program that does not catch the exception prints this line to standard error and ends with exit
 * code 2. To achieve this, the constructor installs a terminate handler, which calls the previous
 * handler if the program terminates for any other reason.
 */
class HpccInputError : public std::runtime_error
{
  public:
    /// @param what one line: the object, the value and the allowed values
    explicit HpccInputError(const std::string& what);
};

} // namespace ns3

#endif // HPCC_INPUT_ERROR_H
