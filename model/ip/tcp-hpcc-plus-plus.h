/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_HPCC_PLUS_PLUS_H
#define TCP_HPCC_PLUS_PLUS_H

#include "ns3/hpcc-law-attributes.h"
#include "ns3/hpcc-law.h"
#include "ns3/hpcc-signal-request.h"
#include "ns3/nstime.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup hpcc
 *
 * HPCC++ for ns-3's TCP (draft-miao-tsv-hpcc-01, section 7.2). This class runs HpccLaw with the
 * telemetry that the NIC (HpccTcpNic) passes to it; TCP itself does not process telemetry.
 *
 * - The congestion window is W rounded up to whole segments, and at least one segment, so that TCP
 *   sends while less than W is in flight. If the port cuts segments, the congestion window is
 *   instead W plus one segment minus one byte, and HpccTsoPacer enforces W.
 * - R = W/T is the rate on the wire. The pacing rate is the payload's share of R. Pacing also
 *   applies to the initial window; the first segment leaves at MaxPacingRate, before R is known.
 *   ns3::TcpSocketState::MaxPacingRate still limits the rate.
 * - W_init is the line rate of the host's port times T, and applies from the first data segment on;
 *   ns3::TcpSocket::InitialCwnd is ignored.
 * - Losses are recovered as in ns-3's TCP. During a recovery, and during a reduction because of ECN
 *   or a time-out, the window is at most W. The socket's RecoveryOps and the congestion control of
 *   the attribute Fallback may reduce the window further. A time-out discards the stored telemetry.
 *   After the recovery the window is W.
 * - After FallBack(), or if there is no NIC, the congestion control of the attribute Fallback
 *   controls the connection permanently. It starts from the current window. If HPCC++ has computed
 *   this window, the window also becomes the slow start threshold; otherwise the connection begins
 *   with slow start.
 */
class TcpHpccPlusPlus : public TcpCongestionOps, public HpccLawAttributes
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TcpHpccPlusPlus();
    /// Creates an object in its initial state, with the same attributes as @p other, for another
    /// socket.
    /// @param other the congestion control of a socket
    TcpHpccPlusPlus(const TcpHpccPlusPlus& other);
    ~TcpHpccPlusPlus() override;

    /// Signature of Window: W in bytes, U, time in ns.
    typedef void (*WindowTracedCallback)(double windowBytes, double utilization, int64_t nowNs);
    /// Signature of FallenBack: the reason, as text.
    typedef void (*FallenBackTracedCallback)(std::string why);
    /// Signature of Doubt: true if reports are doubted from now on, false if not; time in ns.
    typedef void (*DoubtTracedCallback)(bool doubted, int64_t nowNs);

    /// Parameters of the host and the network that the NIC provides.
    struct Network
    {
        double lineRateBps;     ///< line rate of the host's port, bit/s
        int64_t baseRttNs;      ///< T of the network, ns
        uint32_t overheadBytes; ///< bytes that a segment occupies on the link in addition to its
                                ///< payload
        uint64_t firstSeq;      ///< sequence number of the first byte
        uint32_t wirePayload;   ///< payload above which the port cuts segments (QbbIpPort), bytes
        bool sprayed{false};    ///< HpccFlow::sprayed
        TelemetryThinning thinned{NOT_THINNED}; ///< HpccFlow::thinned
    };

    /**
     * Starts the control; called when the first data segment leaves.
     * @param network parameters from the NIC
     */
    void Open(const Network& network);

    /**
     * Returns the signal that the next probe, or segment with telemetry, should request.
     * @param telemetry capabilities of the NIC's format
     * @param probe true for a probe, which is the only packet with telemetry in its round trip
     * @return the signal, see TelemetryOrigin
     */
    uint16_t AskNext(const TelemetryCapabilities& telemetry, bool probe)
    {
        return HpccSignalRequest::AskNext(m_flow, telemetry, probe);
    }

    /**
     * Handles telemetry that has arrived.
     * @param sample contents of the telemetry
     * @param view measurements of the NIC itself
     */
    void OnTelemetry(const HpccSample& sample, const View& view);

    /**
     * Handles a window that the receiver has computed and returned.
     * @param bytes W; limited to the range from the window of MinRate to W_init
     * @param nowNs current time, ns
     */
    void OnWindow(double bytes, int64_t nowNs);

    /// Passes the control of the connection permanently to the congestion control of the attribute
    /// Fallback.
    /// @param why the reason, as text
    void FallBack(const std::string& why);

    /// Returns true while the socket exists. The NIC may store the connection beyond this time.
    bool HasSocket() const
    {
        return m_tcb && m_tcb->GetReferenceCount() > 1;
    }

    /// Returns true once the congestion control of the attribute Fallback controls the connection.
    bool HasFallenBack() const
    {
        return m_fallenBack;
    }

    /**
     * Checks the attributes.
     * @param telemetry capabilities of the NIC's format
     * @param thinned HpccFlow::thinned of the flows
     * @return an empty string if the attributes are valid; otherwise one line with the reason
     */
    std::string Validate(const TelemetryCapabilities& telemetry, TelemetryThinning thinned) const;

    /// Sets T of the network.
    /// @param baseRttNs T, ns
    void SetNetworkBaseRttNs(int64_t baseRttNs);

    /// Returns the state of the control law.
    const HpccFlow& GetFlow() const
    {
        return m_flow;
    }

    std::string GetName() const override;
    void Init(Ptr<TcpSocketState> tcb) override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override;
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override;
    void CwndEvent(Ptr<TcpSocketState> tcb, const TcpSocketState::TcpCAEvent_t event) override;
    bool HasCongControl() const override;
    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& rc,
                     const TcpRateOps::TcpRateSample& rs) override;
    Ptr<TcpCongestionOps> Fork() override;

    /// Returns the window W, bytes.
    double GetWindowBytes() const
    {
        return m_flow.windowBytes;
    }

    /// Returns the pacing rate of payload, bit/s. If the port cuts segments, HpccTsoPacer does the
    /// pacing instead of TCP.
    double GetPacingBps() const
    {
        return static_cast<double>(m_tcb->m_pacingRate.Get().GetBitRate());
    }

  private:
    int64_t NetworkBaseRttNs() const override;

    /// Refuses a Fallback that does not derive from TcpCongestionOps. Also refuses TcpHpccPlusPlus
    /// itself and classes derived from it.
    void CheckFallback();
    /// Returns false during a loss recovery, after a time-out, and during a reduction because of
    /// ECN; otherwise true.
    bool IsOpen() const;
    /// Sets window and pacing rate of the socket.
    void Apply();
    /// Returns the pacing rate: the payload's share of R, at least 1 bit/s and at most
    /// MaxPacingRate.
    DataRate GetPacingRate() const;
    /**
     * Replaces a pacing rate of 0 immediately. In a recovery without data in flight, ns-3 sets the
     * rate to 0, and would then divide by 0 at the next transmission.
     *
     * @param before the old rate
     * @param rate the new rate
     */
    void PacingRateSet(DataRate before, DataRate rate);
    /// Sets the pacing rate of the socket.
    void Pace();

    TypeId m_fallbackType; ///< attribute Fallback

    HpccLaw m_law;                     ///< the control law
    HpccFlow m_flow;                   ///< state of the control law
    FeedbackCheck::State m_checkState; ///< state of the check of reports
    int64_t m_networkBaseRttNs{0};     ///< see SetNetworkBaseRttNs()
    Ptr<TcpCongestionOps> m_fallback;  ///< handles losses; controls the connection after FallBack()
    Ptr<TcpSocketState> m_tcb;         ///< state of the socket
    uint32_t m_overheadBytes{0};       ///< see Network
    uint32_t m_wirePayload{0};         ///< see Network
    bool m_started{false};             ///< true once TCP begins to send data
    bool m_opened{false};              ///< true once the first data segment has left
    bool m_fallenBack{false};          ///< see HasFallenBack()

    TracedCallback<double, double, int64_t> m_windowTrace; ///< trace source Window
    TracedCallback<std::string> m_fallenBackTrace;         ///< trace source FallenBack
    TracedCallback<bool, int64_t> m_doubtTrace;            ///< trace source Doubt
};

} // namespace ns3

#endif // TCP_HPCC_PLUS_PLUS_H
