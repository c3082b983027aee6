/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-job-goal.h"

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-word-reader.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_RANKS = 1 << 20; ///< largest number of ranks in a file

/// Reads a GOAL file line by line.
class GoalReader
{
  public:
    GoalReader(std::istream& in, const std::string& name)
        : m_in(in),
          m_name(name)
    {
    }

    HpccJobGraph Read()
    {
        if (!NextLine() || m_words.size() != 2 || m_words[0] != "num_ranks")
        {
            Refuse("the file does not begin with \"num_ranks N\"");
        }
        const uint64_t ranks = Number(m_words[1], 1, MAX_RANKS, "number of ranks");
        HpccJobGraph graph(static_cast<uint32_t>(ranks), m_name);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            ReadRank(graph, rank);
        }
        if (NextLine())
        {
            Refuse("text after the last rank: \"" + m_words[0] + "\"");
        }
        graph.Finish();
        return graph;
    }

  private:
    [[noreturn]] void Refuse(const std::string& why) const
    {
        throw HpccInputError(HpccWordReader::At(m_name, m_line) + why);
    }

    /// Removes comments from a line.
    std::string WithoutComments(const std::string& text)
    {
        std::string kept;
        for (size_t i = 0; i < text.size(); ++i)
        {
            const std::string two = text.substr(i, 2);
            if (m_inComment)
            {
                m_inComment = two != "*/";
                i += m_inComment ? 0 : 1;
            }
            else if (two == "/*")
            {
                m_inComment = true;
                kept += ' ';
                ++i;
            }
            else if (two == "//")
            {
                break;
            }
            else
            {
                kept += text[i];
            }
        }
        return kept;
    }

    /// Reads the words of the next line that is not empty; ':' and braces are separate words.
    bool NextLine()
    {
        m_words.clear();
        std::string text;
        while (m_words.empty() && std::getline(m_in, text))
        {
            ++m_line;
            std::string word;
            for (char c : WithoutComments(text) + " ")
            {
                const bool mark = c == ':' || c == '{' || c == '}';
                if (mark || std::isspace(static_cast<unsigned char>(c)))
                {
                    if (!word.empty())
                    {
                        m_words.push_back(word);
                    }
                    word.clear();
                    if (mark)
                    {
                        m_words.emplace_back(1, c);
                    }
                }
                else
                {
                    word += c;
                }
            }
        }
        m_line += m_words.empty() ? 1 : 0;
        return !m_words.empty();
    }

    /// Returns the value of a word with digits only.
    uint64_t Number(const std::string& word,
                    uint64_t least,
                    uint64_t most,
                    const std::string& what) const
    {
        return ReadNumber(what, word, least, most, HpccWordReader::At(m_name, m_line));
    }

    void ReadRank(HpccJobGraph& graph, uint32_t rank)
    {
        const std::string number = std::to_string(rank);
        if (!NextLine())
        {
            Refuse("the file ends where rank " + number + " is expected");
        }
        if (m_words != std::vector<std::string>{"rank", number, "{"})
        {
            Refuse("\"rank " + number + " {\" is expected");
        }
        m_labels.clear();
        while (true)
        {
            if (!NextLine())
            {
                Refuse("the file ends before the \"}\" of rank " + number);
            }
            if (m_words.size() == 1 && m_words[0] == "}")
            {
                return;
            }
            ReadStatement(graph, rank);
        }
    }

    void ReadStatement(HpccJobGraph& graph, uint32_t rank)
    {
        if (m_words.size() == 3 && (m_words[1] == "requires" || m_words[1] == "irequires"))
        {
            const uint32_t operation = Labelled(m_words[0]);
            graph.After(operation, Labelled(m_words[2]), m_words[1] == "irequires");
            return;
        }
        std::string label;
        if (m_words.size() > 2 && m_words[1] == ":")
        {
            label = m_words[0];
            const bool word = std::isalpha(static_cast<unsigned char>(label[0])) &&
                              std::all_of(label.begin(), label.end(), [](char c) {
                                  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
                              });
            if (!word)
            {
                Refuse("label \"" + label +
                       "\" is not allowed; a letter, then letters, digits and _");
            }
            if (m_labels.count(label) > 0)
            {
                Refuse("label \"" + label + "\" is given twice");
            }
            m_words.erase(m_words.begin(), m_words.begin() + 2);
        }
        const uint32_t operation = graph.Add(OperationOf(rank));
        if (!label.empty())
        {
            m_labels[label] = operation;
        }
    }

    uint32_t Labelled(const std::string& label) const
    {
        const auto found = m_labels.find(label);
        if (found == m_labels.end())
        {
            Refuse("label \"" + label + "\" is not defined above in this rank");
        }
        return found->second;
    }

    /// Returns the number in a size such as "100b"; 1 for "0b", because a message has at least one
    /// packet.
    uint64_t Bytes(const std::string& word) const
    {
        if (word.empty() || word.back() != 'b')
        {
            Refuse("size \"" + word + "\" is not allowed; a number followed by b");
        }
        const std::string digits = word.substr(0, word.size() - 1);
        return std::max<uint64_t>(Number(digits, 0, HpccJobGraph::MAX_BYTES, "size"), 1);
    }

    HpccJobGraph::Operation OperationOf(uint32_t rank) const
    {
        using Kind = HpccJobGraph::Kind;
        HpccJobGraph::Operation
            o{0, rank, rank, 0, HpccJobGraph::NONE, m_line, Kind::COMPUTE, 0, 0};
        const std::string& verb = m_words[0];
        size_t at = 2;
        if (verb == "calc" && m_words.size() >= 2)
        {
            o.amount = Number(m_words[1], 0, HpccJobGraph::MAX_NS, "time");
        }
        else if ((verb == "send" || verb == "recv") && m_words.size() >= 4 &&
                 m_words[2] == (verb == "send" ? "to" : "from"))
        {
            o.kind = verb == "send" ? Kind::SEND : Kind::RECEIVE;
            o.amount = Bytes(m_words[1]);
            const bool any = verb == "recv" && m_words[3] == "-1";
            o.peer = any ? HpccJobGraph::ANY
                         : static_cast<uint32_t>(Number(m_words[3], 0, MAX_RANKS, "rank"));
            at = 4;
        }
        else
        {
            Refuse("\"" + verb +
                   "\" begins no statement: send BYTESb to RANK, recv BYTESb from RANK, calc NS, "
                   "LABEL requires LABEL, LABEL irequires LABEL");
        }
        for (; at < m_words.size(); at += 2)
        {
            ReadOption(o, m_words[at], at + 1 < m_words.size() ? m_words[at + 1] : "");
        }
        return o;
    }

    /// Reads the option tag, cpu or nic.
    void ReadOption(HpccJobGraph::Operation& o,
                    const std::string& key,
                    const std::string& value) const
    {
        const bool message = o.kind != HpccJobGraph::Kind::COMPUTE;
        if (key == "cpu")
        {
            // The last stream is reserved for operations that take no time.
            o.stream = static_cast<uint8_t>(Number(value, 0, UINT8_MAX - 1, "cpu"));
        }
        else if (key == "nic" && message)
        {
            o.nic = static_cast<uint8_t>(Number(value, 0, UINT8_MAX, "nic"));
        }
        else if (key == "tag" && message)
        {
            const bool any = o.kind == HpccJobGraph::Kind::RECEIVE && value == "-1";
            o.tag = any ? HpccJobGraph::ANY
                        : static_cast<uint32_t>(Number(value, 0, UINT32_MAX - 1, "tag"));
        }
        else
        {
            Refuse("\"" + key + "\" is not allowed here; " + (message ? "tag, cpu or nic" : "cpu"));
        }
    }

    std::istream& m_in;
    std::string m_name;
    uint32_t m_line{0};
    bool m_inComment{false};
    std::vector<std::string> m_words;
    std::map<std::string, uint32_t> m_labels;
};

} // namespace

HpccJobGraph
ReadGoal(std::istream& in, const std::string& name)
{
    return GoalReader(in, name).Read();
}

} // namespace ns3
