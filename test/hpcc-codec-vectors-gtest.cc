/*
 * Copyright (c) 2026 The hpcc authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-test-codec-vectors.h"
#include "hpcc-test-codec.h"

using namespace hpcctest;

namespace
{

/// A CNP that a ConnectX-4 Lx sent, from the IPv4 header on. The capture is from
/// test/contrib/roce.uts of scapy.
const std::string CONNECTX_CNP = "45c2003c718c4000401191610a0011010a001201000012b7002800008100ffff4"
                                 "0000118000000000000000000000000"
                                 "000000000000000082fd002a";

/// The packet of an unreliable connection in test/contrib/roce.uts of scapy, from the IPv4 header
/// on.
const std::string UC_SEND_ONLY = "45010040047840004011b4d5c0a80007c0a80007c00012b7002caca22460ffff0"
                                 "00000d300cf17104630818be28935d9"
                                 "0e9a95505401be885e50000078f353f3";

} // namespace

TEST_F(FrameCodecTest, RoceFramesAreThoseThatScapyMakes)
{
    std::map<std::string, FramePtr> frames;
    frames["WRITE FIRST"] = Roce(ROCE_WRITE_FIRST, 100);
    frames["WRITE FIRST"]->payloadBytes = 64;
    Frame* frame = (frames["WRITE MIDDLE, CE"] = Roce(ROCE_WRITE_MIDDLE, 101)).get();
    frame->payloadBytes = 64;
    frame->tos |= ECN_CE;
    frame->ipId = 0xffff;
    frame = (frames["WRITE LAST, 61 bytes"] = Roce(ROCE_WRITE_LAST, 0xfffffe)).get();
    frame->payloadBytes = 61;
    frame->bthFlags = ROCE_ACK_REQUEST;
    frame->destinationQp = 0xabcdef;
    frame = (frames["WRITE ONLY, 5 bytes, solicited, FECN"] = Roce(ROCE_WRITE_ONLY, 103)).get();
    frame->payloadBytes = 5;
    frame->bthFlags = ROCE_ACK_REQUEST | ROCE_SOLICITED | ROCE_FECN;
    frame = (frames["SEND ONLY, empty"] = Roce(ROCE_SEND_ONLY, 104)).get();
    frame->bthFlags = ROCE_ACK_REQUEST;
    frame = (frames["ACK, BECN"] = Roce(ROCE_ACK, 102)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->msn = 0xfedcba;
    frame = (frames["NAK"] = Roce(ROCE_ACK, 101)).get();
    frame->syndrome = ROCE_SYNDROME_NAK_SEQUENCE;
    frame->destinationQp = 0x11;
    frame = (frames["probe"] = Roce(ROCE_PROBE, 0x123456)).get();
    frame->tos = 25 << 2;
    frame->msn = 0x55;
    frame = (frames["notification"] = Roce(ROCE_NOTIFICATION, 0x123450)).get();
    frame->destinationQp = 0x11;
    frame->msn = 7;
    frame->reflection.namedPsn = 0x55123456;
    frame = (frames["CNP"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame = (frames["CNP, rate of a congested path"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->notification = {0x1122334455667788, RoceNotificationHeader::RATE, true, false, 0, {}};
    frame = (frames["CNP, window"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->notification = {0x12345678, RoceNotificationHeader::WINDOW, false, false, 0xfffe, {}};
    frame = (frames["CNP, authenticated window"] = Roce(ROCE_CNP, 0)).get();
    frame->tos = 48 << 2;
    frame->bthFlags = ROCE_BECN;
    frame->destinationQp = 0x11;
    frame->notification = {0x12345678,
                           RoceNotificationHeader::WINDOW,
                           true,
                           true,
                           1,
                           {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    frame = (frames["WRITE MIDDLE, epoch 13"] = Roce(ROCE_WRITE_MIDDLE, 101)).get();
    frame->payloadBytes = 4;
    frame->bthFlags = 13 << RoceEpoch::SHIFT | ROCE_ACK_REQUEST;

    for (auto& [name, expected] : frames)
    {
        SCOPED_TRACE(name);
        expected->bytes = RoceFrameBytes(*expected);
        expected->flowHash = HashFiveTuple(0x0a000001, 0x0a000002, 0xc001, ROCE_UDP_PORT, 17);
        EXPECT_EQ(ToHex(Encode(*expected)), SCAPY.at(name));
        FramePtr decoded = Decode(FromHex(SCAPY.at(name)));
        ExpectSame(*expected, *decoded);
    }
}

TEST_F(FrameCodecTest, PfcAndPauseFramesAreThoseThatScapyMakes)
{
    FramePtr pfc = RandomPfc();
    pfc->pfc = {1 << 0 | 1 << 3 | 1 << 7, {0x1234, 0, 0, 0xffff, 0, 0, 0, 0}};
    EXPECT_EQ(ToHex(Encode(*pfc)), SCAPY.at("PFC"));
    ExpectSame(*pfc, *Decode(FromHex(SCAPY.at("PFC"))));
    EXPECT_EQ(ToHex(FrameCodec::EncodePause(0x1234, SOURCE)), SCAPY.at("PAUSE"));
}

TEST_F(FrameCodecTest, PfcForPriority3HasTheBytesOfAnnex31D)
{
    FramePtr pfc = RandomPfc();
    pfc->pfc = {1 << 3, {0, 0, 0, 0xffff, 0, 0, 0, 0}};
    EXPECT_EQ(ToHex(Encode(*pfc)),
              "0180c20000010200000000018808010100080000"
              "00000000ffff" +
                  std::string(68, '0'));
}

TEST_F(FrameCodecTest, IcrcIsThatOfTheUnreliableConnectionPacketInScapysTests)
{
    Bytes ip = FromHex(UC_SEND_ONLY);
    EXPECT_EQ(RocePacket::InvariantCrc(ip.data(), ip.size() - ICRC_BYTES), 0xf353f378);
}

TEST_F(FrameCodecTest, CnpIsTheOneOfAConnectX4)
{
    Bytes ip = FromHex(CONNECTX_CNP);
    EXPECT_EQ(RocePacket::InvariantCrc(ip.data(), ip.size() - ICRC_BYTES), 0x2a00fd82);

    Bytes bytes(ETHERNET_HEADER_BYTES);
    DESTINATION.CopyTo(&bytes[0]);
    SOURCE.CopyTo(&bytes[6]);
    Set16(bytes, 12, 0x0800);
    bytes.insert(bytes.end(), ip.begin(), ip.end());
    FramePtr cnp = Decode(bytes);
    EXPECT_EQ(cnp->opcode, ROCE_CNP);
    EXPECT_EQ(cnp->bthFlags, ROCE_BECN);
    EXPECT_EQ(cnp->destinationQp, 0x118);
    EXPECT_EQ(ToHex(Encode(*cnp)), ToHex(bytes));
}
