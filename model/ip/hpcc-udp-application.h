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
 * Sends datagrams over an ordinary UDP socket with the window and pacing of HPCC++. According to
 * draft-miao-tsv-hpcc-01, section 7, an implementation over UDP must enforce the window itself, and
 * receives feedback by probes. The host's HpccUdpNic sends and answers the probes; the receiver is
 * any application of ns-3, such as UdpServer or PacketSink.
 *
 * - A datagram is sent when less than W is in flight (see HpccUdpWindow) and pacing at the rate R =
 *   W/T allows it. R includes all overhead on the link. If W is below one datagram, a datagram is
 *   sent when nothing is in flight.
 * - Datagrams begin with a SeqTsHeader, like the datagrams of ns3::UdpClient. The last datagram
 *   contains the rest of MaxBytes. No datagram is shorter than a SeqTsHeader.
 * - The application retransmits nothing. The application detects losses from the answers, and
 *   counts and traces them. Duplicates that the network creates are counted as received.
 * - After MaxUnanswered consecutive probes without an answer the application falls back: it regards
 *   everything in flight as lost and may send FallbackDatagrams datagrams. The fall-back is
 *   repeated whenever a further probe times out. The next answer ends the fall-back. The window
 *   from before the fall-back then applies again, and the stored telemetry is discarded. The
 *   application also falls back if its datagrams do not reach the NIC, because then no probe is
 *   sent. The application checks once every 64 T whether its datagrams reach the NIC.
 * - The application finishes when MaxBytes have been sent and nothing is in flight.
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

    /// Signature of Window: W in bytes, U, time in ns.
    typedef void (*WindowTracedCallback)(double windowBytes, double utilization, int64_t nowNs);
    /// Signature of Lost: total payload known to be lost, in bytes; change of this total, in bytes;
    /// time in ns.
    typedef void (*LostTracedCallback)(uint64_t lostBytes, int64_t changeBytes, int64_t nowNs);
    /// Signature of FellBack: true at the start of a fall-back, false at its end; time in ns.
    typedef void (*FellBackTracedCallback)(bool fallenBack, int64_t nowNs);
    /// Signature of Doubt: true if reports are doubted from now on, false if not; time in ns.
    typedef void (*DoubtTracedCallback)(bool doubted, int64_t nowNs);
    /// Signature of Finished: payload received, in bytes; payload lost, in bytes; time in ns.
    typedef void (*FinishedTracedCallback)(uint64_t receivedBytes,
                                           uint64_t lostBytes,
                                           int64_t nowNs);

    /**
     * Checks the attributes of the control law.
     * @param telemetry capabilities of the NIC's format
     * @return an empty string if the attributes are valid; otherwise one line with the reason
     */
    std::string Validate(const TelemetryCapabilities& telemetry) const;

    /// Returns the object that counts the bytes in flight, sent, received and lost.
    const HpccUdpWindow& GetWindow() const
    {
        return m_window;
    }

    /// Returns the state of the control law.
    const HpccFlow& GetFlow() const
    {
        return m_flow;
    }

    /// Returns true during a fall-back.
    bool HasFallenBack() const
    {
        return m_fallenBack;
    }

    /// Returns true once all data has been sent and nothing is in flight.
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

    /// Throws HpccInputError if the attributes or the host do not allow the flow.
    void Check() const;
    /// Returns the size of the IP header, bytes.
    uint32_t GetIpBytes() const;
    /// Binds and connects the socket.
    /// @return the key of the flow
    HpccUdpNic::Key Connect();
    /// Returns the payload of the next datagram, bytes; 0 if all payload has been sent.
    uint32_t GetNextBytes() const;
    /// Schedules Send() for the time at which the next datagram may leave.
    void Schedule();
    /// Sends the next datagram and schedules the following datagram.
    void Send();
    /// Fires the trace Lost if the number of lost bytes has changed.
    /// @param before the previous number
    void NoteLost(uint64_t before);
    /// Starts a fall-back, or repeats it during a fall-back. No answer is expected any more, so
    /// everything in flight is settled.
    void FallBack();
    /// Schedules Watch() after 64 T, or after 64 ns if T is below 1 ns.
    void ScheduleWatch();
    /// Falls back if datagrams do not reach the NIC.
    void Watch();
    /// Finishes if everything has been sent and nothing is in flight.
    void FinishIfDone();
    /// Cancels the scheduled calls, closes the socket, and closes the flow at the NIC.
    void Leave();

    Address m_remote;                   ///< attribute Remote
    uint32_t m_packetBytes;             ///< attribute PacketSize
    uint64_t m_maxBytes;                ///< attribute MaxBytes
    uint8_t m_tos;                      ///< attribute Tos
    HpccUdpWindow::InFlight m_inFlight; ///< attribute InFlight
    uint32_t m_maxUnanswered;           ///< attribute MaxUnanswered
    uint32_t m_fallbackDatagrams;       ///< attribute FallbackDatagrams

    Ptr<HpccUdpNic> m_nic;             ///< the host's NIC
    Ptr<Socket> m_socket;              ///< null if the application is not running
    HpccUdpNic::Key m_key;             ///< identifies the flow
    HpccLaw m_law;                     ///< the control law
    HpccFlow m_flow;                   ///< state of the control law
    FeedbackCheck::State m_checkState; ///< state of the check of answers (CheckFeedback)
    HpccUdpWindow m_window;            ///< data in flight
    EventId m_sendEvent;               ///< scheduled call of Send()
    EventId m_watchEvent;              ///< scheduled call of Watch()
    double m_nextNs{0};                ///< time at which pacing allows the next datagram, ns
    uint32_t m_sequence{0};            ///< datagrams sent
    uint32_t m_watched{0};             ///< m_sequence at the last call of Watch()
    uint32_t m_overheadBytes{0};       ///< bytes that a datagram occupies on the link in addition
                                       ///< to its payload
    bool m_fallenBack{false};          ///< see HasFallenBack()
    bool m_finished{false};            ///< see HasFinished()

    TracedCallback<Ptr<const Packet>> m_txTrace;                 ///< trace source Tx
    TracedCallback<double, double, int64_t> m_windowTrace;       ///< trace source Window
    TracedCallback<uint64_t, int64_t, int64_t> m_lostTrace;      ///< trace source Lost
    TracedCallback<bool, int64_t> m_fellBackTrace;               ///< trace source FellBack
    TracedCallback<bool, int64_t> m_doubtTrace;                  ///< trace source Doubt
    TracedCallback<uint64_t, uint64_t, int64_t> m_finishedTrace; ///< trace source Finished
};

} // namespace ns3

#endif // HPCC_UDP_APPLICATION_H
