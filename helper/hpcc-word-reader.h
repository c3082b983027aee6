/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_WORD_READER_H
#define HPCC_WORD_READER_H

#include "hpcc-topology.h"

#include "ns3/hpcc-split-at.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * Returns true if a number is whole, except for the rounding error of floating-point arithmetic.
 * @param value a number that was read as decimal, or its product with a whole number
 */
inline bool
IsWhole(long double value)
{
    const long double error = 2 * std::numeric_limits<long double>::epsilon() * std::abs(value);
    return std::abs(value - std::round(value)) <= error;
}

/**
 * Reads a time from user input.
 * @param text the time, such as 1000ns, 0.001ms, 4us or 1s
 * @param time set to the time
 * @return false if the text is not a time from 0 to 10^15 ns in whole ns
 */
inline bool
ReadTime(const std::string& text, Time& time)
{
    static const std::map<std::string, long double> units{{"ns", 1},
                                                          {"us", 1e3},
                                                          {"ms", 1e6},
                                                          {"s", 1e9}};
    std::istringstream in(text);
    long double number = 0;
    std::string unit;
    char rest = 0;
    if (!(in >> number >> unit) || in >> rest || units.count(unit) == 0 || number < 0 ||
        number * units.at(unit) > 1e15)
    {
        return false;
    }
    const long double ns = number * units.at(unit);
    time = NanoSeconds(std::llround(ns));
    return IsWhole(ns);
}

/**
 * Reads a whole number from user input.
 * @param what meaning of the number, for the HpccInputError if it is invalid or out of range
 * @param text digits only
 * @param least smallest allowed value
 * @param most largest allowed value, at most 10^19 - 1
 * @param place position of the text in a file, ending with ": "; otherwise empty
 * @return the number
 */
inline uint64_t
ReadNumber(const std::string& what,
           const std::string& text,
           uint64_t least,
           uint64_t most,
           const std::string& place = "")
{
    const bool digits =
        !text.empty() && text.size() <= 19 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const uint64_t value = digits ? std::stoull(text) : 0;
    HPCC_REFUSE_IF(!digits || value < least || value > most,
                   place + what + " \"" + text + "\" is not allowed; " + std::to_string(least) +
                       " to " + std::to_string(most));
    return value;
}

/**
 * @ingroup hpcc
 *
 * Reads a text file word by word and counts its lines, so that an error can name the line.
 */
class HpccWordReader
{
  public:
    /// Opens a file.
    /// @param path the file; throws HpccInputError if it cannot be read
    explicit HpccWordReader(const std::string& path)
        : m_path(path),
          m_file(path)
    {
        HPCC_REFUSE_IF(!m_file, "cannot read " + path);
    }

    /**
     * Returns the start of an error message: "PATH:LINE: ".
     * @param path path of the file
     * @param line number of a line, from 1
     */
    static std::string At(const std::string& path, uint32_t line)
    {
        return path + ":" + std::to_string(line) + ": ";
    }

    /**
     * Reads the next word.
     * @tparam Value type of the word, readable from a stream
     * @param what meaning of the word, for the HpccInputError if the file ends or the word is not a
     * Value
     * @return value of the word
     */
    template <typename Value>
    Value Read(const std::string& what)
    {
        std::string word;
        HPCC_REFUSE_IF(!Next(word),
                       At(m_path, m_line + 1) + "the file ends where " + what + " is expected");
        std::istringstream in(word);
        Value value;
        char rest = 0;
        if ((std::is_unsigned_v<Value> && word[0] == '-') || !(in >> value) || in >> rest)
        {
            Refuse(what + " \"" + word + "\" is not valid");
        }
        return value;
    }

    /// Returns true if a number follows the end of the data. Reads one word to find out. Text that
    /// begins with a letter is allowed there: in files of the HPCC authors, it explains the format.
    /// @return true if there is a word and it begins with a digit
    bool HasSurplusNumber()
    {
        std::string word;
        return Next(word) && word[0] >= '0' && word[0] <= '9';
    }

    /// Returns "PATH:LINE: " of the last word.
    std::string GetPlace() const
    {
        return At(m_path, m_line);
    }

    /// Throws an HpccInputError that names the line of the last word.
    /// @param why description of the fault
    [[noreturn]] void Refuse(const std::string& why) const
    {
        throw HpccInputError(GetPlace() + why);
    }

  private:
    /// Reads the next word.
    /// @param word set to the word
    /// @return false at the end of the file
    bool Next(std::string& word)
    {
        while (!(m_words >> word))
        {
            std::string text;
            if (!std::getline(m_file, text))
            {
                return false;
            }
            ++m_line;
            m_words.clear();
            m_words.str(text);
        }
        return true;
    }

    std::string m_path;         ///< the file
    std::ifstream m_file;       ///< the open file
    std::istringstream m_words; ///< part of the line that has not been read yet
    uint32_t m_line{0};         ///< number of lines read
};

} // namespace ns3

#endif // HPCC_WORD_READER_H
