/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-attribute-text.h"
#include "hpcc-type-id.h"

#include <string>

// Implements pointer attributes that are set by a text, which describes the object to create.

namespace ns3
{

namespace
{

/// A PointerValue that creates its object from a text by ReadAttribute(), which never aborts.
class ReadPointer : public PointerValue
{
  public:
    /**
     * Creates a null pointer.
     * @param name full name of the attribute
     * @param checker checker of the attribute
     */
    ReadPointer(const std::string& name, const Ptr<const AttributeChecker>& checker)
        : m_name(name),
          m_checker(checker)
    {
    }

    bool DeserializeFromString(std::string text, Ptr<const AttributeChecker>) override
    {
        const auto value = ReadAttribute(m_name, m_checker, text);
        SetObject(dynamic_cast<const PointerValue&>(*value).GetObject());
        return true;
    }

  private:
    std::string m_name;                    ///< name
    Ptr<const AttributeChecker> m_checker; ///< checker
};

/// Checker of a pointer attribute that reads texts by ReadPointer.
class ReadPointerChecker : public PointerChecker
{
  public:
    /**
     * Creates the checker.
     * @param name full name of the attribute
     * @param checker ns-3's checker for the family of the objects
     */
    ReadPointerChecker(const std::string& name, const Ptr<const AttributeChecker>& checker)
        : m_name(name),
          m_checker(checker)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        return m_checker->Check(value);
    }

    std::string GetValueTypeName() const override
    {
        return m_checker->GetValueTypeName();
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return m_checker->HasUnderlyingTypeInformation();
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return m_checker->GetUnderlyingTypeInformation();
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<ReadPointer>(m_name, m_checker);
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        return m_checker->Copy(source, destination);
    }

    TypeId GetPointeeTypeId() const override
    {
        return dynamic_cast<const PointerChecker&>(*m_checker).GetPointeeTypeId();
    }

  private:
    std::string m_name;                    ///< name
    Ptr<const AttributeChecker> m_checker; ///< ns-3's checker
};

} // namespace

Ptr<const AttributeChecker>
HpccTypeId::WithReader(const std::string& name, const Ptr<const AttributeChecker>& checker) const
{
    if (!dynamic_cast<const PointerChecker*>(PeekPointer(checker)))
    {
        return checker;
    }
    return Create<ReadPointerChecker>(GetName() + "::" + name, checker);
}

} // namespace ns3
