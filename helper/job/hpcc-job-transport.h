/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_JOB_TRANSPORT_H
#define HPCC_JOB_TRANSPORT_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Carries messages between the ranks of a job. Messages of the same source, destination and tag
 * arrive in the order in which they were sent.
 */
class HpccJobTransport
{
  public:
    /// A message between two ranks.
    struct Message
    {
        uint32_t source;      ///< rank that sends
        uint32_t destination; ///< rank that receives; may be the source
        uint32_t tag;         ///< tag of the message
        uint64_t bytes;       ///< payload, bytes; a message of 0 bytes takes as long as a message
                              ///< of 1 byte
        uint64_t id;          ///< identifies the message in Client::Sent()
    };

    /**
     * The job, which receives the events of the ranks of this process. The events of a rank are
     * reported in the order of time, and never from inside Send() or WakeAt().
     */
    class Client
    {
      public:
        virtual ~Client() = default;

        /**
         * Reports that a message is complete at its destination.
         * @param message the message, without its id
         * @param nowNs the time, ns
         */
        virtual void Delivered(const Message& message, int64_t nowNs) = 0;

        /**
         * Reports that a message is complete at its source.
         * @param source rank of the source
         * @param id id of the message
         * @param nowNs the time, ns
         */
        virtual void Sent(uint32_t source, uint64_t id, int64_t nowNs) = 0;

        /**
         * Reports that the time given to WakeAt() has come.
         * @param rank rank given to WakeAt()
         * @param nowNs the time, ns
         */
        virtual void Wake(uint32_t rank, int64_t nowNs) = 0;
    };

    virtual ~HpccJobTransport() = default;

    /// Sets the client, which is the job.
    /// @param client receives the calls; must outlive the run
    void SetClient(Client& client)
    {
        m_client = &client;
    }

    /**
     * Returns true if this process simulates a rank.
     * @param rank number of the rank
     */
    virtual bool IsHere(uint32_t rank) const = 0;

    /**
     * Throws HpccInputError if messages between two ranks cannot be sent.
     * @param source rank of the source, in this process
     * @param destination rank of the destination
     * @param tag tag of the messages
     */
    virtual void CheckPair([[maybe_unused]] uint32_t source,
                           [[maybe_unused]] uint32_t destination,
                           [[maybe_unused]] uint32_t tag) const
    {
    }

    /**
     * Sends a message. Call it only from a function of the Client for the message's source.
     * @param message message to send; its source is a rank of this process
     */
    virtual void Send(const Message& message) = 0;

    /**
     * Requests a call of Client::Wake().
     * @param rank a rank of this process
     * @param atNs time of the call, ns, not before now
     */
    virtual void WakeAt(uint32_t rank, int64_t atNs) = 0;

  protected:
    Client* m_client{nullptr}; ///< the job
};

} // namespace ns3

#endif // HPCC_JOB_TRANSPORT_H
