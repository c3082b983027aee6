/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_STACKED_FORMAT_H
#define HPCC_STACKED_FORMAT_H

#include "hpcc-telemetry-format.h"

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Base class of formats in which each hop inserts a record of a fixed number of 32-bit words. The
 * records are oldest first in memory and newest first on the wire. The reflection header is
 * followed by the unchanged records.
 */
class StackedTelemetryFormat : public TelemetryFormat
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Truncate(TelemetryStack& stack, uint32_t hops) const override;

    uint32_t GetReflectedBytes(const TelemetryStack& stack) const override
    {
        return stack.hops * GetRecordBytes();
    }

    uint32_t GetUsedWords(const TelemetryStack& stack) const override;
    void SerializeRecords(const TelemetryStack& stack, uint8_t* out) const override;
    size_t DeserializeRecords(const uint8_t* in,
                              size_t size,
                              uint8_t hops,
                              TelemetryStack& stack) const override;

    /**
     * Merges the records of a later packet into those of previous packets. If all hops of the later
     * packet occur in the previous records in the same order, the later records replace the
     * previous records of the same hops. If a hop is missing in the previous records, or if the
     * order differs, the later records replace all previous records.
     * @param stack records of previous packets; on return, the merged records
     * @param later records of a later packet
     * @param largestQueue true to keep the largest queue of each hop
     */
    void Merge(TelemetryStack& stack,
               const TelemetryStack& later,
               bool largestQueue) const override;
    bool MergesQueues() const override;

    /// Returns the maximum number of records.
    uint32_t GetMaxHops() const
    {
        return m_maxHops;
    }

  protected:
    /**
     * Sets the size of a record.
     * @param recordWords size of a record, 32-bit words
     * @param mostWords maximum number of words of all records together; determines GetMaxHops()
     */
    void SetRecordWords(uint32_t recordWords, uint32_t mostWords = MAX_TELEMETRY_WORDS);

    /// Returns the number of words of a record.
    uint32_t GetRecordWords() const
    {
        return m_recordWords;
    }

    /// Returns the size of a record, bytes.
    uint32_t GetRecordBytes() const
    {
        return 4 * m_recordWords;
    }

    /**
     * Returns the words of a record.
     * @param stack the stack
     * @param index position on the path
     */
    const uint32_t* RecordOf(const TelemetryStack& stack, uint32_t index) const
    {
        return &stack.words[index * m_recordWords];
    }

    /// Position of the queue length in a record.
    struct QueueField
    {
        uint32_t word; ///< index of the word that contains the queue length
        uint32_t mask; ///< mask of the queue length within this word
    };

    /// Returns the position of the queue length in a record.
    virtual QueueField GetQueueField() const = 0;

    /**
     * Reserves room for the next record. Requires remainingHops > 0.
     * @param stack the stack
     * @return the words of the record, which the caller must fill
     */
    uint32_t* Push(TelemetryStack& stack) const
    {
        --stack.remainingHops;
        return &stack.words[stack.hops++ * m_recordWords];
    }

    /**
     * Counts a hop that could not insert its record.
     * @param stack the stack
     * @param why the flag to set in TelemetryStack::flags
     * @return NOT_INSERTED
     */
    static int32_t Skip(TelemetryStack& stack, TelemetryStackFlag why);

    /**
     * Sets a member of @p hop and its bit in hop.fields, if the value is available.
     * @param hop the record
     * @param field member of @p hop
     * @param value value of the member
     * @param bit TelemetryField bit of the member
     * @param available true if the value is available
     */
    template <typename Field, typename Value>
    static void Set(HopTelemetry& hop, Field& field, Value value, uint16_t bit, bool available)
    {
        if (available)
        {
            field = value;
            hop.fields |= bit;
        }
    }

  private:
    uint32_t m_recordWords{0}; ///< size of a record, 32-bit words
    uint32_t m_maxHops{0};     ///< maximum number of records
};

} // namespace ns3

#endif // HPCC_STACKED_FORMAT_H
