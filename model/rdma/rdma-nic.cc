/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic.h"

#include "ns3/double.h"
#include "ns3/hpcc-input-error.h"
#include "ns3/hpcc-type-id.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/qbb-egress.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

namespace
{

/// Names of the attributes, by kind.
constexpr std::array<const char*, RdmaNic::DELAYS> NAMES{"PostDelay",
                                                         "AckTurnaround",
                                                         "CnpTurnaround",
                                                         "FeedbackDelay",
                                                         "CompletionDelay"};

/// Marks a random variable from which a NIC draws. The object is aggregated to the variable.
class VariableInUse : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaNicVariableInUse").SetParent<Object>().SetGroupName("Hpcc");
        return tid;
    }
};

/// Returns true if a random variable can be copied, because its attributes describe it completely.
/// @param variable the random variable
bool
IsCopyable(const RandomVariableStream& variable)
{
    const TypeId tid = variable.GetInstanceTypeId();
    return tid != EmpiricalRandomVariable::GetTypeId() &&
           tid != DeterministicRandomVariable::GetTypeId();
}

/// Returns a copy of a random variable: a new object of the same class with the same attributes.
/// @param variable the random variable; IsCopyable() is true
Ptr<RandomVariableStream>
CopyOf(const RandomVariableStream& variable)
{
    ObjectFactory factory;
    factory.SetTypeId(variable.GetInstanceTypeId());
    auto copy = factory.Create<RandomVariableStream>();
    for (TypeId tid = variable.GetInstanceTypeId(); tid.HasParent(); tid = tid.GetParent())
    {
        for (size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(i);
            if (info.flags & TypeId::ATTR_GET && info.flags & TypeId::ATTR_SET)
            {
                const Ptr<AttributeValue> value = info.checker->Create();
                variable.GetAttribute(info.name, *value);
                copy->SetAttribute(info.name, *value);
            }
        }
    }
    return copy;
}

/**
 * Returns a random variable from which only one NIC draws. If a random variable is the default
 * value of an attribute, all hosts share this random variable. Several hosts must not draw from the
 * same random variable, because the order of their draws depends on NodeAgenda::MaxLag. Throws
 * HpccInputError if another NIC draws from @p variable and IsCopyable() is false.
 * @param variable a random variable
 * @return a copy if another NIC draws from @p variable; otherwise @p variable
 */
Ptr<RandomVariableStream>
OwnOf(const Ptr<RandomVariableStream>& variable)
{
    const bool inUse = variable->GetObject<VariableInUse>() != nullptr;
    HPCC_REFUSE_IF(inUse && !IsCopyable(*variable),
                   "ns3::RdmaNic: two hosts have the same " +
                       variable->GetInstanceTypeId().GetName() +
                       ", which cannot be copied; each needs one of its own");
    const auto own = inUse ? CopyOf(*variable) : variable;
    if (!own->GetObject<VariableInUse>())
    {
        own->AggregateObject(CreateObject<VariableInUse>());
    }
    return own;
}

/// Longest allowed delay, ns (one hour).
constexpr double LONGEST_NS = 3.6e12;

/**
 * Reads a numeric attribute of a random variable.
 * @param variable the random variable
 * @param attribute name of an attribute
 * @param value receives the value of the attribute
 * @return false if the variable has no such numeric attribute
 */
bool
Read(const RandomVariableStream& variable, const char* attribute, double& value)
{
    DoubleValue found;
    TypeId::AttributeInformation info;
    if (!variable.GetInstanceTypeId().LookupAttributeByName(attribute, &info) ||
        !variable.GetAttributeFailSafe(attribute, found))
    {
        return false;
    }
    value = found.Get();
    return true;
}

/**
 * Finds an attribute that makes invalid delays possible, for a random variable without attributes
 * Min and Max.
 * @param variable the random variable
 * @return text with the attribute and its value; empty if there is no such attribute
 */
std::string
FindUnlimited(const RandomVariableStream& variable)
{
    std::ostringstream found;
    found.precision(15);
    double mean = 0;
    double bound = 0;
    double variance = 0;
    double scale = 0;
    Read(variable, "Mean", mean);
    const bool varies = Read(variable, "Variance", variance);
    const bool isBound = Read(variable, "Bound", bound);
    const bool isPareto = variable.GetInstanceTypeId() == ParetoRandomVariable::GetTypeId();
    if (varies && !(variance >= 0))
    {
        found << "Variance=" << variance;
    }
    else if (isBound && (!(bound >= 0) || (variance > 0 && bound == 0)))
    {
        found << "Bound=" << bound << ", which excludes all values";
    }
    else if (isPareto && Read(variable, "Scale", scale) && bound > 0 && bound < scale)
    {
        found << "Bound=" << bound << " below Scale=" << scale;
    }
    else if (varies && isBound && bound > mean)
    {
        found << "Mean=" << mean << " and Bound=" << bound;
    }
    return found.str();
}

/**
 * Finds an attribute that makes invalid delays possible.
 * @param variable the random variable
 * @param longestNs longest allowed delay, ns
 * @return text with the attribute and its value; empty if there is no such attribute
 */
std::string
FindExcess(const RandomVariableStream& variable, double longestNs)
{
    std::ostringstream found;
    found.precision(15);
    double value = 0;
    for (const char* attribute : {"Constant", "Min", "Max", "Mean"})
    {
        if (Read(variable, attribute, value) && !(value >= 0 && value <= longestNs))
        {
            found << attribute << "=" << value;
            return found.str();
        }
    }
    double least = 0;
    double most = 0;
    if (Read(variable, "Min", least) && Read(variable, "Max", most))
    {
        // The mean of a triangular distribution is (Min + Mode + Max) / 3.
        const bool hasMean = Read(variable, "Mean", value);
        if (least > most)
        {
            found << "Min=" << least << " above Max=" << most;
        }
        else if (const double rounding = 1e-6 * (most - least);
                 hasMean && !(3 * value >= 2 * least + most - rounding &&
                              3 * value <= least + 2 * most + rounding))
        {
            found << "Mean=" << value << ", which needs a mode outside Min=" << least
                  << " and Max=" << most;
        }
        return found.str();
    }
    const bool isZipf = variable.GetInstanceTypeId() == ZipfRandomVariable::GetTypeId();
    for (const char* attribute : {"Shape", "Scale", "Alpha", "Beta"})
    {
        if (!isZipf && Read(variable, attribute, value) && !(value > 0))
        {
            found << attribute << "=" << value << ", which is not positive";
            return found.str();
        }
    }
    return FindUnlimited(variable);
}

} // namespace

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        HpccTypeId::Of<RdmaNic, Object>("ns3::RdmaNic")
            .Attribute("PostDelay",
                       "Random delay, ns: from the post of a message, or the arrival of a READ "
                       "request, until its first packet may leave. Null: no delay.",
                       HpccField(&RdmaNic::m_post, nullptr))
            .Attribute("AckTurnaround",
                       "Random delay, ns: from the arrival of a packet, or the end of AckDelay, "
                       "until the ACK, NAK or notification for it is queued. Null: no delay.",
                       HpccField(&RdmaNic::m_ack, nullptr))
            .Attribute("CnpTurnaround",
                       "Random delay, ns: from the arrival of a mark, or the decision of a policy "
                       "at the receiver, until the CNP is queued. Null: no delay.",
                       HpccField(&RdmaNic::m_cnp, nullptr))
            .Attribute("FeedbackDelay",
                       "Random delay, ns: from the arrival of an ACK, NAK, notification, CNP or "
                       "switch response until it is handled. RTT samples include it. Null: none.",
                       HpccField(&RdmaNic::m_feedback, nullptr))
            .Attribute("CompletionDelay",
                       "Random delay, ns: from the last ACK of a message, or from its last byte at "
                       "the receiver, until the application is notified. Null: no delay.",
                       HpccField(&RdmaNic::m_completion, nullptr))
            .Attribute("RateStep",
                       "Step of the rate limiter: rates below the line rate are rounded down to "
                       "multiples of this step, but at least one step. 0: no steps.",
                       HpccField(&RdmaNic::m_rateStep, DataRate(0)))
            .Presets("ideal;"
                     "pcie=PostDelay:ns3::ConstantRandomVariable[Constant=1507],"
                     "CompletionDelay:ns3::ConstantRandomVariable[Constant=200]");
    return tid;
}

RdmaNic::RdmaNic() = default;

RdmaNic::~RdmaNic() = default;

std::array<RdmaNic::Variable, RdmaNic::DELAYS>
RdmaNic::GetVariables() const
{
    return {m_post, m_ack, m_cnp, m_feedback, m_completion};
}

bool
RdmaNic::IsIdeal() const
{
    const auto variables = GetVariables();
    return m_rateStep.GetBitRate() == 0 &&
           std::none_of(variables.begin(), variables.end(), [](const Variable& one) {
               return one != nullptr;
           });
}

std::string
RdmaNic::Validate(Time longest) const
{
    const auto longestNs = static_cast<double>(longest.GetNanoSeconds());
    const auto variables = GetVariables();
    for (uint8_t kind = 0; kind < DELAYS; ++kind)
    {
        const std::string excess =
            variables[kind] ? FindExcess(*variables[kind], longestNs) : std::string();
        if (!excess.empty())
        {
            std::ostringstream line;
            line << "ns3::RdmaNic::" << NAMES[kind] << ": "
                 << variables[kind]->GetInstanceTypeId().GetName() << " with " << excess
                 << "; allowed are 0 to " << longest.GetNanoSeconds() << " ns";
            return line.str();
        }
    }
    return "";
}

int64_t
RdmaNic::GetLeastNs(Delay kind) const
{
    double leastNs = 0;
    if (m_variables[kind] && !Read(*m_variables[kind], "Constant", leastNs))
    {
        Read(*m_variables[kind], "Min", leastNs);
    }
    return std::llround(leastNs);
}

void
RdmaNic::Install(QbbNetDevice& port, FrameHandler& host)
{
    NS_LOG_FUNCTION(this);
    const std::string why = Validate(NanoSeconds(static_cast<int64_t>(LONGEST_NS)));
    HPCC_REFUSE_IF(!why.empty(), why);
    HPCC_REFUSE_IF(m_host,
                   "ns3::RdmaHost::Nic: two hosts have the same ns3::RdmaNic; each needs "
                   "one of its own");
    m_host = &host;
    m_agenda = &port.GetAgenda();
    m_timerIndex = m_agenda->Register(AgendaKind::HOST_TIMER, this);
    std::map<Variable, Variable> own; // several delays of a NIC may have the same variable
    for (Variable* variable : {&m_post, &m_ack, &m_cnp, &m_feedback, &m_completion})
    {
        if (*variable)
        {
            const auto [found, isNew] = own.try_emplace(*variable);
            found->second = isNew ? OwnOf(*variable) : found->second;
            *variable = found->second;
        }
    }
    m_variables = GetVariables();
}

int64_t
RdmaNic::AssignStreams(int64_t stream)
{
    for (const auto& variable : GetVariables())
    {
        if (variable)
        {
            variable->SetStream(stream);
        }
        ++stream;
    }
    return STREAMS;
}

int64_t
RdmaNic::DrawNs(Delay kind, int64_t nowNs)
{
    const double delay = m_variables[kind]->GetValue();
    if (!(delay >= 0 && delay <= LONGEST_NS))
    {
        std::ostringstream line;
        line << "ns3::RdmaNic::" << NAMES[kind] << " of node " << m_agenda->GetNodeId() << " draws "
             << delay << " ns at " << nowNs << " ns; allowed are delays from 0 to " << LONGEST_NS
             << " ns";
        throw HpccInputError(line.str());
    }
    return std::llround(delay);
}

bool
RdmaNic::Hold(Delay kind, uint64_t key, int64_t nowNs, Action action)
{
    if (!m_variables[kind])
    {
        return false;
    }
    const int64_t dueNs = nowNs + DrawNs(kind, nowNs);
    auto& orders = m_orders[kind];
    auto order = orders.find(key);
    if (order == orders.end())
    {
        if (dueNs == nowNs)
        {
            return false;
        }
        order = orders.emplace(key, Order{dueNs, 0}).first;
    }
    order->second.dueNs = std::max(order->second.dueNs, dueNs);
    ++order->second.held;
    m_held.emplace(std::pair(order->second.dueNs, m_number++), Held{kind, key, std::move(action)});
    Arm();
    return true;
}

uint32_t
RdmaNic::CountHeld(Delay kind, uint64_t key) const
{
    const auto order = m_orders[kind].find(key);
    return order == m_orders[kind].end() ? 0 : order->second.held;
}

bool
RdmaNic::HoldOutgoing(QbbNetDevice& port, Frame* frame)
{
    if (!frame->IsRoceFeedback())
    {
        return false;
    }
    const uint64_t key = uint64_t{frame->destination} << 32 | frame->destinationQp;
    return Hold(frame->opcode == ROCE_CNP ? CNP : ACK,
                key,
                m_agenda->NowNs(),
                [&port, frame](int64_t) { port.GetEgress().Enqueue(frame); });
}

bool
RdmaNic::HoldIncoming(QbbNetDevice& port, Frame* frame, int64_t nowNs)
{
    if (m_releasing || !frame->IsRoceFeedback())
    {
        return false;
    }
    return Hold(FEEDBACK, frame->destinationQp, nowNs, [this, &port, frame](int64_t dueNs) {
        m_releasing = true;
        m_host->ReceiveFrame(port, frame, dueNs);
        m_releasing = false;
    });
}

double
RdmaNic::Limit(double bps, uint64_t lineRateBps) const
{
    const auto step = static_cast<double>(m_rateStep.GetBitRate());
    if (step == 0 || bps >= static_cast<double>(lineRateBps))
    {
        return bps;
    }
    return std::max(std::floor(bps / step), 1.0) * step;
}

void
RdmaNic::Arm()
{
    const int64_t atNs = m_held.begin()->first.first;
    if (atNs < m_timerNs)
    {
        m_timerNs = atNs;
        m_agenda->Schedule(AgendaKind::HOST_TIMER, m_timerIndex, atNs);
    }
}

void
RdmaNic::Due(AgendaKind, uint32_t, int64_t nowNs)
{
    while (!m_held.empty() && m_held.begin()->first.first <= nowNs)
    {
        const auto first = m_held.extract(m_held.begin());
        const Held& held = first.mapped();
        const auto order = m_orders[held.kind].find(held.key);
        if (--order->second.held == 0)
        {
            m_orders[held.kind].erase(order);
        }
        held.action(nowNs);
    }
    if (nowNs >= m_timerNs)
    {
        m_timerNs = INT64_MAX;
    }
    if (!m_held.empty())
    {
        Arm();
    }
}

} // namespace ns3
