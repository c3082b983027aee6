/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UEC_LINES_H
#define HPCC_UEC_LINES_H

#include "ns3/hpcc-input-error.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <istream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Reads an input file of uet-htsim, and splits each line into words. Empty lines are skipped.
 */
class HpccUecLines
{
  public:
    /**
     * Creates the reader of a text.
     * @param in the text; must outlive this object
     * @param name name of the text in error messages, such as its path
     */
    HpccUecLines(std::istream& in, const std::string& name)
        : m_in(in),
          m_name(name)
    {
    }

    /// Reads the next line that is not empty.
    /// @return false at the end of the file
    bool Next()
    {
        m_words.clear();
        m_used = 0;
        for (std::string text; m_words.empty() && std::getline(m_in, text);)
        {
            ++m_line;
            std::istringstream in(text);
            for (std::string word; in >> word;)
            {
                m_words.push_back(word);
            }
        }
        return !m_words.empty();
    }

    /// Makes the next Word() or Number() read the first word of the line again.
    void Rewind()
    {
        m_used = 0;
    }

    /// Returns true if the line has a word that has not been read yet.
    bool HasMore() const
    {
        return m_used < m_words.size();
    }

    /// Returns true if the line is a comment.
    bool IsComment() const
    {
        return m_words.front().front() == '#';
    }

    /**
     * Reads the next word of the line.
     * @param what meaning of the word, for the error message if the line ends before it
     * @return the word
     */
    const std::string& Word(const std::string& what)
    {
        if (!HasMore())
        {
            Refuse(what + " is missing at the end of the line");
        }
        return m_words[m_used++];
    }

    /**
     * Reads the next word of the line as a number.
     * @tparam Value type of the number
     * @param what meaning of the number, for error messages
     * @param least smallest value that is allowed
     * @return the number
     */
    template <typename Value>
    Value Number(const std::string& what, Value least)
    {
        return Convert<Value>(Word(what), what, least);
    }

    /**
     * Converts a text into a number.
     * @tparam Value type of the number
     * @param text the text
     * @param what meaning of the number, for error messages
     * @param least smallest value that is allowed
     * @return the number
     */
    template <typename Value>
    Value Convert(const std::string& text, const std::string& what, Value least) const
    {
        std::istringstream in(text);
        Value value{};
        const bool begins = !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) ||
                                              (text[0] == '.' && !std::is_integral_v<Value>));
        if (!begins || !(in >> value) || in.peek() != EOF || value < least)
        {
            std::ostringstream why;
            why << what << " \"" << text << "\" is not a "
                << (std::is_integral_v<Value> ? "whole " : "") << "number from " << least << " on";
            Refuse(why.str());
        }
        return value;
    }

    /// Throws HpccInputError if the line has words that have not been read.
    void EndLine()
    {
        if (HasMore())
        {
            Refuse("\"" + m_words[m_used] + "\" is one word too many");
        }
    }

    /// Returns the number of the line, from 1.
    uint32_t GetLine() const
    {
        return m_line;
    }

    /**
     * Throws an HpccInputError that names the file and a line.
     * @param why description of the error
     * @param line number of the line; 0 for the line that was read last
     */
    [[noreturn]] void Refuse(const std::string& why, uint32_t line = 0) const
    {
        const uint32_t at = line > 0 ? line : std::max<uint32_t>(m_line, 1);
        throw HpccInputError(m_name + ":" + std::to_string(at) + ": " + why);
    }

  private:
    std::istream& m_in;               ///< the text
    std::string m_name;               ///< name of the text in error messages
    uint32_t m_line{0};               ///< number of lines read
    std::vector<std::string> m_words; ///< words of the line
    size_t m_used{0};                 ///< number of words of the line that have been read so far
};

} // namespace ns3

#endif // HPCC_UEC_LINES_H
