/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/object.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// An object that refuses Number above 10 and derives another number from it.
class Doubler : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = HpccTypeId::Of<Doubler, Object>("ns3::test::Doubler")
                                .Attribute("Number",
                                           "A number.",
                                           HpccField(&Doubler::m_number, 3).Then(&Doubler::Derive));
        return tid;
    }

    uint32_t GetDoubled() const
    {
        return m_doubled;
    }

  private:
    void Derive()
    {
        m_doubled = 2 * m_number;
        HPCC_REFUSE_IF(m_number > 10, "Number is " + std::to_string(m_number) + "; at most 10");
    }

    uint32_t m_number{0};
    uint32_t m_doubled{0};
};

uint64_t
NumberOf(const Object& object)
{
    UintegerValue value;
    object.GetAttribute("Number", value);
    return value.Get();
}

} // namespace

TEST(TypeIdAttributes, TheFunctionOfAnAttributeIsCalledForItsDefaultAndForEachChange)
{
    const auto doubler = CreateObject<Doubler>();
    EXPECT_EQ(doubler->GetDoubled(), 6);
    doubler->SetAttribute("Number", UintegerValue(5));
    EXPECT_EQ(doubler->GetDoubled(), 10);
}

TEST(TypeIdAttributes, AnAttributeKeepsItsValueIfItsFunctionRefusesAnother)
{
    const auto doubler = CreateObject<Doubler>();
    EXPECT_THROW(doubler->SetAttribute("Number", UintegerValue(11)), HpccInputError);
    EXPECT_EQ(NumberOf(*doubler), 3);
    EXPECT_EQ(doubler->GetDoubled(), 6) << "derived from the value that it keeps";
}

TEST(InputErrors, TheMessageIsComputedOnlyIfTheInputIsRefused)
{
    int messages = 0;
    const auto message = [&messages](const std::string& text) {
        ++messages;
        return text;
    };
    HPCC_REFUSE_IF(messages > 0, message("not refused"));
    EXPECT_EQ(messages, 0);
    try
    {
        HPCC_REFUSE_IF(messages == 0, message("refused"));
        ADD_FAILURE() << "must throw";
    }
    catch (const HpccInputError& error)
    {
        EXPECT_STREQ(error.what(), "refused");
    }
    EXPECT_EQ(messages, 1);
}
