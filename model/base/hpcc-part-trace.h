/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_PART_TRACE_H
#define HPCC_PART_TRACE_H

#include "ns3/callback.h"
#include "ns3/object-base.h"
#include "ns3/ptr.h"
#include "ns3/trace-source-accessor.h"

#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Connects sinks to a trace source that is a member of a part. The traced object has a pointer to
 * this part. ns-3's MakeTraceSourceAccessor() supports only members of the object itself.
 * @tparam Owner class of the traced object
 * @tparam Find function that takes an Owner and returns a pointer to the trace source
 */
template <typename Owner, typename Find>
class HpccPartTrace : public TraceSourceAccessor
{
  public:
    /// Creates the accessor of a trace source.
    /// @param find returns the trace source of an object
    explicit HpccPartTrace(Find find)
        : m_find(std::move(find))
    {
    }

    // From TraceSourceAccessor
    /// @cond
    bool ConnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return Apply(object, [&](auto& source) { source.ConnectWithoutContext(sink); });
    }

    bool Connect(ObjectBase* object, std::string context, const CallbackBase& sink) const override
    {
        return Apply(object, [&](auto& source) { source.Connect(sink, context); });
    }

    bool DisconnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return Apply(object, [&](auto& source) { source.DisconnectWithoutContext(sink); });
    }

    bool Disconnect(ObjectBase* object,
                    std::string context,
                    const CallbackBase& sink) const override
    {
        return Apply(object, [&](auto& source) { source.Disconnect(sink, context); });
    }

    /// @endcond

  private:
    /**
     * Calls a function with the trace source of an object.
     * @param object the traced object
     * @param action function called with the trace source of the object
     * @return false if the object is not an Owner
     */
    template <typename Action>
    bool Apply(ObjectBase* object, Action action) const
    {
        auto* owner = dynamic_cast<Owner*>(object);
        if (owner)
        {
            action(*m_find(*owner));
        }
        return owner != nullptr;
    }

    Find m_find; ///< returns the trace source of an object
};

/**
 * Creates the accessor of a trace source that is a member of a part.
 * @tparam Owner class of the traced object
 * @param find function that takes an Owner and returns a pointer to the trace source
 * @return the accessor, for TypeId::AddTraceSource()
 */
template <typename Owner, typename Find>
Ptr<const TraceSourceAccessor>
MakeHpccPartTrace(Find find)
{
    return Create<HpccPartTrace<Owner, Find>>(std::move(find));
}

} // namespace ns3

#endif // HPCC_PART_TRACE_H
