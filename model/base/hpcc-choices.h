/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CHOICES_H
#define HPCC_CHOICES_H

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Finds the valid name that a user may have meant.
 * @param name a name that is not valid
 * @param choices the valid names
 * @return the valid name that needs the fewest edits. An edit inserts, deletes or replaces a
 * letter, or swaps two neighbouring letters; case is ignored. If several names need the same number
 * of edits, the first of them is returned. The result is empty if no valid name is near enough. A
 * name is near enough if the number of edits is at most 2, or at most half the number of letters of
 * @p name. In addition, at least one letter must remain unchanged: the number of edits must be
 * smaller than the number of letters of the longer name
 */
std::string FindNearest(const std::string& name, const std::vector<std::string>& choices);

/**
 * Returns a hint for an error message: "; did you mean "NEAREST"?", or nothing if no name is near.
 * @param name a name that is not valid
 * @param choices the valid names
 */
std::string SuggestNearest(const std::string& name, const std::vector<std::string>& choices);

/**
 * Describes a name that is not valid, for an HpccInputError.
 * @param what start of the message, such as "--verb: unknown"
 * @param name the name that is not valid
 * @param choices the valid names
 * @return WHAT "NAME"; choices: A, B, C; did you mean "B"?
 */
std::string DescribeUnknown(const std::string& what,
                            const std::string& name,
                            const std::vector<std::string>& choices);

/**
 * Describes an unknown short name of HpccPresets.
 * @param what start of the message, such as "--cc: unknown policy"
 * @param name the unknown name
 * @param base base of the classes to search, see HpccPresets
 * @param others further valid names, listed first
 * @return WHAT "NAME"; choices: A, B, NAME+SUFFIX; did you mean "B"?
 */
std::string DescribeUnknownPreset(const std::string& what,
                                  const std::string& name,
                                  TypeId base,
                                  const std::vector<std::string>& others = {});

} // namespace ns3

#endif // HPCC_CHOICES_H
