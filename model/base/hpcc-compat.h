/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_COMPAT_H
#define HPCC_COMPAT_H

#include "ns3/enum.h"

#include <type_traits>
#include <utility>

namespace ns3
{

/// Whether this ns-3's MakeEnumAccessor wants the enumeration as its first template argument.
template <typename Enum, typename Member, typename = void>
struct HpccHasTypedEnumAccessor : std::false_type
{
};

/// Specialisation for ns-3.41 and later, where it does.
template <typename Enum, typename Member>
struct HpccHasTypedEnumAccessor<
    Enum,
    Member,
    std::void_t<decltype(MakeEnumAccessor<Enum, Member>(std::declval<Member>()))>> : std::true_type
{
};

/**
 * @ingroup hpcc
 *
 * MakeEnumAccessor() for every ns-3 that the module supports.
 * @tparam Enum an unscoped enumeration
 * @tparam Member deduced
 * @tparam Others deduced
 * @param member pointer to the data member, setter or getter
 * @param others pointer to the getter if @p member is the setter; otherwise nothing
 * @return the accessor
 */
template <typename Enum, typename Member, typename... Others>
Ptr<const AttributeAccessor>
MakeHpccEnumAccessor(Member member, Others... others)
{
    if constexpr (HpccHasTypedEnumAccessor<Enum, Member>::value)
    {
        return MakeEnumAccessor<Enum, Member, Others...>(member, others...);
    }
    else
    {
        return MakeEnumAccessor(member, others...);
    }
}

} // namespace ns3

#endif // HPCC_COMPAT_H
