/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-type-id.h"

#include "hpcc-input-error.h"

#include <string>

namespace ns3
{

namespace
{

/// Accessor of an attribute that has at least one condition of HpccAttribute. With FixedAfter(),
/// the accessor refuses other values once the object has used the attribute. With OnlyIf(), the
/// attribute has an effect only if another attribute has a certain value; FindUnmetCondition()
/// checks this. With Then(), the accessor calls a function of the object after each change; if this
/// function throws HpccInputError, the accessor restores the previous value.
class GuardedAccessor : public AttributeAccessor
{
  public:
    /**
     * Creates the accessor of an attribute.
     * @param name full name of the attribute, including the name of its class
     * @param attribute attribute with its conditions
     */
    GuardedAccessor(const std::string& name, const HpccAttribute& attribute)
        : m_name(name),
          m_attribute(attribute)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        const bool used = m_attribute.isUsed && m_attribute.isUsed(*object);
        if (!used && !m_attribute.changed)
        {
            return m_attribute.accessor->Set(object, value);
        }
        const Ptr<AttributeValue> before = m_attribute.checker->Create();
        Get(object, *before);
        HPCC_REFUSE_IF(used && !AreEqual(*before, value),
                       m_name + ": " + TextOf(value) + " is set after " + m_attribute.user +
                           ", which used " + TextOf(*before) + "; set it earlier");
        const bool valid = m_attribute.accessor->Set(object, value);
        if (valid && m_attribute.changed)
        {
            try
            {
                m_attribute.changed(*object);
            }
            catch (const HpccInputError&)
            {
                Restore(object, *before);
                throw;
            }
        }
        return valid;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        return m_attribute.accessor->Get(object, value);
    }

    bool HasGetter() const override
    {
        return m_attribute.accessor->HasGetter();
    }

    bool HasSetter() const override
    {
        return m_attribute.accessor->HasSetter();
    }

    /// Returns the attribute with its conditions.
    const HpccAttribute& GetAttribute() const
    {
        return m_attribute;
    }

  private:
    /**
     * Restores the previous value, after the function of HpccAttribute::Then() has refused the new
     * value. Calls the function again, because it may have derived other members from the new
     * value.
     * @param object object with the attribute
     * @param before the previous value
     */
    void Restore(ObjectBase* object, const AttributeValue& before) const
    {
        m_attribute.accessor->Set(object, before);
        try
        {
            m_attribute.changed(*object);
        }
        catch (const HpccInputError&)
        {
            // In an object under construction, the previous value has not been checked, so the
            // function may refuse this value, too.
        }
    }

    /// Returns a value of the attribute as text; two quotation marks if the text is empty.
    std::string TextOf(const AttributeValue& value) const
    {
        const std::string text = value.SerializeToString(m_attribute.checker);
        return text.empty() ? "\"\"" : text;
    }

    /// Returns true if two values of the attribute are equal. Doubles are compared as numbers,
    /// because their text is rounded.
    bool AreEqual(const AttributeValue& a, const AttributeValue& b) const
    {
        const auto* x = dynamic_cast<const DoubleValue*>(&a);
        const auto* y = dynamic_cast<const DoubleValue*>(&b);
        return x && y ? x->Get() == y->Get() : TextOf(a) == TextOf(b);
    }

    std::string m_name;        ///< name
    HpccAttribute m_attribute; ///< the attribute
};

} // namespace

Ptr<const AttributeAccessor>
HpccTypeId::Guard(const std::string& name, const HpccAttribute& attribute) const
{
    return Create<GuardedAccessor>(GetName() + "::" + name, attribute);
}

std::string
HpccTypeId::FindUnmetCondition(TypeId tid, const std::string& name)
{
    TypeId::AttributeInformation info;
    TypeId::AttributeInformation other;
    if (!tid.LookupAttributeByName(name, &info))
    {
        return "";
    }
    const auto* guarded = dynamic_cast<const GuardedAccessor*>(PeekPointer(info.accessor));
    if (!guarded || !tid.LookupAttributeByName(guarded->GetAttribute().condition, &other))
    {
        return "";
    }
    const std::string& needed = guarded->GetAttribute().conditionValue;
    const std::string value = other.initialValue->SerializeToString(other.checker);
    const auto wanted = other.checker->Create();
    wanted->DeserializeFromString(needed, other.checker);
    return value == wanted->SerializeToString(other.checker)
               ? ""
               : tid.GetName() + "::" + guarded->GetAttribute().condition + " is " + value + "; " +
                     needed + " is required";
}

} // namespace ns3
