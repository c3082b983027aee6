/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-presets.h"

#include "hpcc-input-error.h"
#include "hpcc-split-at.h"
#include "hpcc-type-id.h"

#include "ns3/string.h"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Accessor of a read-only attribute that exists only in the TypeId. Objects do not store its
/// value.
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

/// Returns the name of the attribute that contains the presets of a class. The name differs for
/// each class, so that a derived class may have presets of its own.
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

    bool IsWrapper() const
    {
        return name[0] == '*';
    }
};

/// Throws HpccInputError because two classes have the same short name.
[[noreturn]] void
ThrowTwoClaims(const std::string& name, TypeId first, TypeId second)
{
    throw HpccInputError("short name \"" + name + "\" is claimed by " + first.GetName() + " and " +
                         second.GetName() + "; a name belongs to one class");
}

std::vector<Preset>
CollectPresets(TypeId base)
{
    std::vector<Preset> presets;
    std::map<std::string, TypeId> owners;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        TypeId type = TypeId::GetRegistered(i);
        TypeId::AttributeInformation info;
        if ((type != base && !type.IsChildOf(base)) || !type.HasConstructor() ||
            !type.LookupAttributeByName(AttributeName(type), &info))
        {
            continue;
        }
        std::istringstream entries(info.originalInitialValue->SerializeToString(info.checker));
        std::string entry;
        while (std::getline(entries, entry, ';'))
        {
            auto equals = entry.find('=');
            const std::string name = entry.substr(0, equals);
            const auto [owner, isNew] = owners.emplace(name, type);
            if (!isNew)
            {
                ThrowTwoClaims(name, owner->second, type);
            }
            presets.push_back(
                {type, name, equals == std::string::npos ? "" : entry.substr(equals + 1)});
        }
    }
    return presets;
}

/// Returns the presets of @p base and of the registered classes derived from it.
std::shared_ptr<const std::vector<Preset>>
PresetsOf(TypeId base)
{
    struct Known
    {
        uint16_t types; ///< number of classes registered when presets was filled
        std::shared_ptr<const std::vector<Preset>> presets;
    };

    static std::map<TypeId, Known> known; // cache; without it, each host would search all classes
    Known& own = known[base];
    if (!own.presets || own.types != TypeId::GetRegisteredN())
    {
        own.presets = std::make_shared<const std::vector<Preset>>(CollectPresets(base));
        own.types = TypeId::GetRegisteredN();
    }
    return own.presets;
}

/// Returns true if @p name is the name of a preset followed by the suffix of @p wrapper. In this
/// case, sets up @p wrapped to create objects of that preset.
bool
FindWrapped(TypeId base, const std::string& name, const Preset& wrapper, ObjectFactory& wrapped)
{
    const size_t suffix = wrapper.name.size() - 1;
    return name.size() > suffix &&
           name.compare(name.size() - suffix, suffix, wrapper.name, 1, suffix) == 0 &&
           HpccPresets::Find(base, name.substr(0, name.size() - suffix), wrapped);
}

} // namespace

bool
HpccPresets::Find(TypeId base, const std::string& name, ObjectFactory& factory)
{
    const Preset* found = nullptr;
    const auto presets = PresetsOf(base);
    for (const auto& preset : *presets)
    {
        ObjectFactory wrapped;
        if (!(preset.IsWrapper() ? FindWrapped(base, name, preset, wrapped) : preset.name == name))
        {
            continue;
        }
        if (found)
        {
            ThrowTwoClaims(name, found->type, preset.type);
        }
        found = &preset;
        factory = ObjectFactory();
        factory.SetTypeId(preset.type);
        std::istringstream attributes(preset.attributes);
        std::string attribute;
        while (std::getline(attributes, attribute, ','))
        {
            auto colon = attribute.find(':');
            HPCC_REFUSE_IF(colon == std::string::npos,
                           "short name \"" + name + "\" of " + preset.type.GetName() + ": \"" +
                               attribute + "\" is not Attribute:Value");
            const std::string value = attribute.substr(colon + 1);
            if (value == "*")
            {
                factory.Set(attribute.substr(0, colon), ObjectFactoryValue(wrapped));
            }
            else
            {
                factory.Set(attribute.substr(0, colon), StringValue(value));
            }
        }
    }
    return found != nullptr;
}

std::vector<std::string>
HpccPresets::Names(TypeId base)
{
    std::vector<std::string> names;
    const auto presets = PresetsOf(base);
    for (const auto& preset : *presets)
    {
        if (!preset.IsWrapper())
        {
            names.push_back(preset.name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string
HpccPresets::Choices(TypeId base)
{
    std::vector<std::string> names = Names(base);
    const auto presets = PresetsOf(base);
    for (const auto& preset : *presets)
    {
        if (preset.IsWrapper())
        {
            names.push_back("NAME" + preset.name.substr(1));
        }
    }
    return JoinNames(names);
}

HpccTypeId
HpccTypeId::Presets(const std::string& entries)
{
    return AddAttribute(AttributeName(*this),
                        "Short names of this class and the attributes that each sets.",
                        ATTR_GET,
                        StringValue(entries),
                        Create<PresetsAccessor>(entries),
                        MakeStringChecker());
}

} // namespace ns3
