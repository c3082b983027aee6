/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-presets.h"

#include "ns3/abort.h"
#include "ns3/string.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// Access to an attribute that lives in the TypeId alone: objects neither set nor store it.
class PresetsAccessor : public AttributeAccessor
{
  public:
    explicit PresetsAccessor(const std::string& presets)
        : m_presets(presets)
    {
    }

    bool Set(ObjectBase*, const AttributeValue&) const override
    {
        return false;
    }

    bool Get(const ObjectBase*, AttributeValue& value) const override
    {
        auto* text = dynamic_cast<StringValue*>(&value);
        if (text)
        {
            text->Set(m_presets);
        }
        return text != nullptr;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return false;
    }

  private:
    std::string m_presets; ///< the entries
};

/// @return the name of the attribute, one per class so that a derived class may have its own
std::string
AttributeName(TypeId type)
{
    return "Presets." + type.GetName();
}

struct Preset
{
    TypeId type;
    std::string name;
    std::string attributes;
};

std::vector<Preset>
CollectPresets(TypeId base)
{
    std::vector<Preset> presets;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        TypeId type = TypeId::GetRegistered(i);
        TypeId::AttributeInformation info;
        if (!type.IsChildOf(base) || !type.HasConstructor() ||
            !type.LookupAttributeByName(AttributeName(type), &info))
        {
            continue;
        }
        std::istringstream entries(info.originalInitialValue->SerializeToString(info.checker));
        std::string entry;
        while (std::getline(entries, entry, ';'))
        {
            auto equals = entry.find('=');
            presets.push_back({type,
                               entry.substr(0, equals),
                               equals == std::string::npos ? "" : entry.substr(equals + 1)});
        }
    }
    return presets;
}

} // namespace

bool
HpccPresets::Find(TypeId base, const std::string& name, ObjectFactory& factory)
{
    for (const auto& preset : CollectPresets(base))
    {
        if (preset.name != name)
        {
            continue;
        }
        factory = ObjectFactory();
        factory.SetTypeId(preset.type);
        std::istringstream attributes(preset.attributes);
        std::string attribute;
        while (std::getline(attributes, attribute, ','))
        {
            auto colon = attribute.find(':');
            NS_ABORT_MSG_IF(colon == std::string::npos,
                            "preset " << name << ": \"" << attribute
                                      << "\" is not Attribute:Value");
            factory.Set(attribute.substr(0, colon), StringValue(attribute.substr(colon + 1)));
        }
        return true;
    }
    return false;
}

std::vector<std::string>
HpccPresets::Names(TypeId base)
{
    std::vector<std::string> names;
    for (const auto& preset : CollectPresets(base))
    {
        names.push_back(preset.name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string
HpccPresets::Choices(TypeId base)
{
    std::string choices;
    for (const auto& name : Names(base))
    {
        choices += (choices.empty() ? "" : ", ") + name;
    }
    return choices;
}

TypeId
AddHpccPresets(TypeId tid, const std::string& presets)
{
    return tid.AddAttribute(AttributeName(tid),
                            "Short names of this class and the attributes that each sets.",
                            TypeId::ATTR_GET,
                            StringValue(presets),
                            Create<PresetsAccessor>(presets),
                            MakeStringChecker());
}

} // namespace ns3
