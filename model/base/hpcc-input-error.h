/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_INPUT_ERROR_H
#define HPCC_INPUT_ERROR_H

#include <cstdint>
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
 * code 2. For this purpose, the constructor installs a terminate handler. If the program terminates
 * for any other reason, this handler calls the previous handler.
 */
class HpccInputError : public std::runtime_error
{
  public:
    /// Creates the error. Installs ReportUncaught() as the terminate handler if it is not installed
    /// yet.
    /// @param what one line: the object, the value and the allowed values
    explicit HpccInputError(const std::string& what);
};

/**
 * @ingroup hpcc
 *
 * Throws HpccInputError if a condition holds. The message is computed only in this case.
 * @param condition true if the input is not allowed
 * @param message see HpccInputError::HpccInputError()
 */
#define HPCC_REFUSE_IF(condition, message)                                                         \
    do                                                                                             \
    {                                                                                              \
        if (condition)                                                                             \
        {                                                                                          \
            throw HpccInputError(message);                                                         \
        }                                                                                          \
    } while (false)

/**
 * Throws HpccInputError if a number is outside a range.
 * @param option name of the option for the message, such as "--flows"
 * @param value number to check
 * @param low smallest value allowed
 * @param high largest value allowed
 */
template <typename Value>
void
RequireRange(const std::string& option, Value value, uint64_t low, uint64_t high)
{
    if (!(value >= static_cast<Value>(low) && value <= static_cast<Value>(high)))
    {
        throw HpccInputError(option + ": " + std::to_string(value) + " is outside " +
                             std::to_string(low) + " to " + std::to_string(high));
    }
}

/**
 * Throws HpccInputError if a number is too small.
 * @param option name of the option for the message, such as "--flows"
 * @param value number to check
 * @param low smallest value allowed
 */
inline void
RequireAtLeast(const std::string& option, uint64_t value, uint64_t low)
{
    if (value < low)
    {
        throw HpccInputError(option + ": " + std::to_string(value) + " is not allowed; at least " +
                             std::to_string(low));
    }
}

} // namespace ns3

#endif // HPCC_INPUT_ERROR_H
