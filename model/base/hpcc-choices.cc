/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-choices.h"

#include "hpcc-presets.h"
#include "hpcc-split-at.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace ns3
{

namespace
{

/**
 * Returns @p text in lower case.
 * @param text any text
 */
std::string
Lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/**
 * Returns the smallest number of edits that turn @p a into @p b. An edit inserts, deletes or
 * replaces a letter, or swaps two neighbouring letters.
 * @param a first text
 * @param b second text
 */
size_t
CountEdits(const std::string& a, const std::string& b)
{
    std::vector<std::vector<size_t>> edits(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
    {
        for (size_t j = 0; j <= b.size(); ++j)
        {
            if (i == 0 || j == 0)
            {
                edits[i][j] = i + j;
                continue;
            }
            edits[i][j] = std::min({edits[i - 1][j] + 1,
                                    edits[i][j - 1] + 1,
                                    edits[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
            }
        }
    }
    return edits[a.size()][b.size()];
}

} // namespace

std::string
FindNearest(const std::string& name, const std::vector<std::string>& choices)
{
    std::string nearest;
    size_t fewest = std::max<size_t>(2, name.size() / 2) + 1;
    for (const auto& choice : choices)
    {
        const size_t edits = CountEdits(Lower(name), Lower(choice));
        if (choice != name && edits < fewest && edits < std::max(name.size(), choice.size()))
        {
            fewest = edits;
            nearest = choice;
        }
    }
    return nearest;
}

std::string
SuggestNearest(const std::string& name, const std::vector<std::string>& choices)
{
    const std::string nearest = FindNearest(name, choices);
    return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

std::string
DescribeUnknown(const std::string& what,
                const std::string& name,
                const std::vector<std::string>& choices)
{
    return what + " \"" + name + "\"; choices: " + JoinNames(choices) +
           SuggestNearest(name, choices);
}

std::string
DescribeUnknownPreset(const std::string& what,
                      const std::string& name,
                      TypeId base,
                      const std::vector<std::string>& others)
{
    const std::string listed = HpccPresets::Choices(base);
    std::vector<std::string> names = others;
    const std::vector<std::string> plain = HpccPresets::Names(base);
    names.insert(names.end(), plain.begin(), plain.end());
    // The names of a wrapper are the names of the policies that the wrapper may wrap, each followed
    // by the suffix of the wrapper.
    const size_t plus = name.rfind('+');
    for (const auto& wrapped : plain)
    {
        ObjectFactory factory;
        const std::string whole = plus == std::string::npos ? "" : wrapped + name.substr(plus);
        if (!whole.empty() && HpccPresets::Find(base, whole, factory))
        {
            names.push_back(whole);
        }
    }
    return what + " \"" + name + "\"; choices: " + JoinNames(others) +
           (others.empty() || listed.empty() ? "" : ", ") + listed + SuggestNearest(name, names);
}

} // namespace ns3
