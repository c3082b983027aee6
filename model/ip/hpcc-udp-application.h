/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_UDP_APPLICATION_H
#define HPCC_UDP_APPLICATION_H

#include "hpcc-udp-nic.h"
#include "hpcc-udp-window.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/hpcc-law-attributes.h"
#include "ns3/hpcc-law.h"
#include "ns3/hpcc-signal-request.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * Sends over an ordinary UDP socket with the window and pacing of HPCC++ (draft-miao-tsv-hpcc-01,
 * section 7: UDP has to enforce the window itself and gets feedback by probes). The host's
 * HpccUdpNic sends and answers these; the receiver is any application of ns-3, such as UdpServer or
 * PacketSink.
 *
 * - A datagram leaves when less than W is in flight, see HpccUdpWindow, and no sooner than R = W/T
 *   allows, counted with all that it occupies on the link. A W below one datagram lets one go when
 *   nothing is in flight.
 * - Datagrams begin with a SeqTsHeader, as those of ns3::UdpClient do. The last one has the rest
 *   of MaxBytes; none is shorter than that header.
 * - Nothing is retransmitted. Losses are known from the answers, counted and traced. Duplicates
 *   made by the network count as received.
 * - After MaxUnanswered probes without an answer it falls back: with each further probe that times
 *   out, everything in flight is taken as lost, and FallbackDatagrams may leave. The next answer
 *   ends this, with the window from before and the stored telemetry dropped. The same is done, once
 *   per 64 T, where no probe is out because the datagrams have not reached the NIC.
 * - It has finished when MaxBytes have been sent and none is in flight.
 */
class HpccUdpApplication : public Application, public HpccLawAttributes, public HpccUdpSender
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    HpccUdpApplication();
    ~HpccUdpApplication() override;

    /// Signature of Window: W in bytes, its U, when in ns.
    typedef void (*WindowTracedCallback)(double windowBytes, double utilization, int64_t nowNs);
    /// Signature of Lost: payload known to be lost so far, by how much that has changed, bytes, and
    /// when, ns.
    typedef void (*LostTracedCallback)(uint64_t lostBytes, int64_t changeBytes, int64_t nowNs);
    /// Signature of FellBack: true if no answers come, false if they do again; when in ns.
    typedef void (*FellBackTracedCallback)(bool fallenBack, int64_t nowNs);
    /// Signature of Doubt: whether reports are doubted from now on, when in ns.
    typedef void (*DoubtTracedCallback)(bool doubted, int64_t nowNs);
    /// Signature of Finished: payload received and payload lost, bytes, and when, ns.
    typedef void (*FinishedTracedCallback)(uint64_t receivedBytes,
                                           uint64_t lostBytes,
                                           int64_t nowNs);

    /**
     * Checks the attributes of the control law.
     * @param telemetry capabilities of the NIC's format
     * @return an empty string, or one line that names the fault
     */
    std::string Validate(const TelemetryCapabilities& telemetry) const;

    /// @return the window, with the bytes sent, received and lost
    const HpccUdpWindow& GetWindow() const
    {
        return m_window;
    }

    /// @return state of the law
    const HpccFlow& GetFlow() const
    {
        return m_flow;
    }

    /// @return true while no answers come
    bool HasFallenBack() const
    {
        return m_fallenBack;
    }

    /// @return true once all has been sent and nothing is in flight
    bool HasFinished() const
    {
        return m_finished;
    }

    uint16_t AskNext() override
    {
        return HpccSignalRequest::AskNext(m_flow, m_nic->GetTelemetry(), true);
    }

    void Answered(const HpccUdpAnswer& answer) override;
    void GivenUp(uint32_t inRow) override;

  protected:
    void DoDispose() override;

  private:
    int64_t NetworkBaseRttNs() const override;
    void StartApplication() override;
    void StopApplication() override;

    /// Aborts with one line if something is wrong with the attributes or the host.
    void Check() const;
    /// @return bytes of the IP header
    uint32_t GetIpBytes() const;
    /// Binds and connects the socket.
    /// @return the key of the flow
    HpccUdpNic::Key Connect();
    /// @return payload of the next datagram; 0 if all is sent
    uint32_t GetNextBytes() const;
    /// Schedules Send() for when the next datagram may leave.
    void Schedule();
    /// Sends the datagrams that may leave.
    void Send();
    /// Fires the trace of losses if their count has changed.
    /// @param before the count before
    void NoteLost(uint64_t before);
    /// Falls back, or continues to: no answer is expected any more, so everything in flight is
    /// settled.
    void FallBack();
    /// Falls back if datagrams do not reach the NIC.
    void Watch();
    /// Finishes if that is due.
    void FinishIfDone();
    /// Releases the socket and the NIC.
    void Leave();

    Address m_remote;                   ///< attribute
    uint32_t m_packetBytes;             ///< attribute PacketSize
    uint64_t m_maxBytes;                ///< attribute
    uint8_t m_tos;                      ///< attribute
    HpccUdpWindow::InFlight m_inFlight; ///< attribute
    uint32_t m_maxUnanswered;           ///< attribute
    uint32_t m_fallbackDatagrams;       ///< attribute

    Ptr<HpccUdpNic> m_nic;             ///< the host's NIC
    Ptr<Socket> m_socket;              ///< null when not running
    HpccUdpNic::Key m_key;             ///< names the flow
    HpccLaw m_law;                     ///< the law
    HpccFlow m_flow;                   ///< its state
    FeedbackCheck::State m_checkState; ///< of the answers
    HpccUdpWindow m_window;            ///< data in flight
    EventId m_sendEvent;               ///< Send()
    EventId m_watchEvent;              ///< Watch()
    double m_nextNs{0};                ///< when pacing lets the next datagram go
    uint32_t m_sequence{0};            ///< datagrams sent
    uint32_t m_watched{0};             ///< the same when Watch() was last called
    uint32_t m_overheadBytes{0};       ///< that a datagram occupies on the link besides its payload
    bool m_fallenBack{false};          ///< see HasFallenBack()
    bool m_finished{false};            ///< see HasFinished()

    TracedCallback<Ptr<const Packet>> m_txTrace;                 ///< Tx
    TracedCallback<double, double, int64_t> m_windowTrace;       ///< Window
    TracedCallback<uint64_t, int64_t, int64_t> m_lostTrace;      ///< Lost
    TracedCallback<bool, int64_t> m_fellBackTrace;               ///< FellBack
    TracedCallback<bool, int64_t> m_doubtTrace;                  ///< Doubt
    TracedCallback<uint64_t, uint64_t, int64_t> m_finishedTrace; ///< Finished
};

} // namespace ns3

#endif // HPCC_UDP_APPLICATION_H
