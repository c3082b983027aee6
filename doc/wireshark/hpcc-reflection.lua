-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of the reflection header, with which a RoCEv2 ACK or notification returns
-- telemetry. It also decodes the fields before the reflection header: the number in a notification
-- and a selective NAK, the fields of a SACK and of the NACK of a trimmed packet, and the header of a
-- switch's response. See README.md next to this file, and wire-formats.rst.
--
-- The script is a post-dissector, because Wireshark's own InfiniBand dissector has no hook for further
-- bytes: it reads an ACK up to the AETH and a notification up to the BTH. An ordinary ACK without a
-- reflection has no bytes between AETH and ICRC.

local reflection = Proto("hpcc_reflection", "HPCC telemetry reflection")

local ACK, NOTIFICATION, RESPONSE, SELECTIVE_NAK, SACK, NACK = 0x11, 0xc1, 0xc2, 0x70, 0x71, 0x72
local UDP_BYTES, BTH_BYTES, AETH_BYTES, NUMBER_BYTES, ICRC_BYTES = 8, 12, 4, 4, 4
local SACK_BYTES = 24
local HEADER_BYTES, TAG_BYTES, RESPONSE_BYTES, BOTTLENECK_HOP_BYTES, BARE_HOP_BYTES = 8, 12, 8, 52, 20

local f = {
    kept = ProtoField.uint24("hpcc_reflection.kept", "Packet kept", base.DEC),
    answered = ProtoField.uint24("hpcc_reflection.answered", "Answers what left at", base.DEC),
    probe = ProtoField.uint8("hpcc_reflection.probe", "Number of the probe", base.DEC),
    resent = ProtoField.bool("hpcc_reflection.resent", "Answers a retransmission", 8, nil, 0x01),
    last_hop = ProtoField.bool("hpcc_reflection.last_hop", "Trimmed at the last switch", 8, nil, 0x02),
    of_probe = ProtoField.bool("hpcc_reflection.of_probe", "Answers a probe", 8, nil, 0x04),
    triggered = ProtoField.uint24("hpcc_reflection.triggered", "Answered packet or probe", base.DEC),
    base = ProtoField.uint24("hpcc_reflection.base", "Packet of bit 0", base.DEC),
    bitmap = ProtoField.uint64("hpcc_reflection.bitmap", "Packets that have arrived", base.HEX),
    waiting = ProtoField.uint16("hpcc_reflection.waiting", "Packets that wait", base.DEC),
    received = ProtoField.uint64("hpcc_reflection.received", "Payload received, bytes", base.DEC),
    syndrome = ProtoField.uint8("hpcc_reflection.syndrome", "Syndrome", base.DEC),
    msn = ProtoField.uint24("hpcc_reflection.msn", "Message sequence number", base.DEC),
    response_version = ProtoField.uint8(
        "hpcc_reflection.response_version", "Version of the response", base.DEC, nil, 0xf0),
    for_receiver = ProtoField.bool(
        "hpcc_reflection.for_receiver", "For the packet's receiver", 8, nil, 0x01),
    responder = ProtoField.uint32("hpcc_reflection.responder", "Response of switch", base.DEC),
    version = ProtoField.uint8("hpcc_reflection.version", "Version", base.DEC, nil, 0xf0),
    flags = ProtoField.uint8("hpcc_reflection.flags", "Flags", base.HEX, nil, 0x0f),
    authenticated = ProtoField.bool("hpcc_reflection.authenticated", "Authenticated", 8, nil, 0x01),
    format = ProtoField.uint8("hpcc_reflection.format", "Telemetry format", base.DEC),
    hops = ProtoField.uint8("hpcc_reflection.hops", "Records", base.DEC),
    hops_exceeded = ProtoField.bool(
        "hpcc_reflection.hops_exceeded", "A hop found no room in the format", 8, nil, 0x01),
    mtu_exceeded = ProtoField.bool(
        "hpcc_reflection.mtu_exceeded", "A hop would have exceeded the MTU", 8, nil, 0x02),
    flows = ProtoField.uint16("hpcc_reflection.flows", "Flows on the last hop", base.DEC),
    sequence = ProtoField.uint16("hpcc_reflection.sequence", "Message number", base.DEC),
    tag = ProtoField.bytes("hpcc_reflection.authenticator", "Authenticator"),
    worst_hop = ProtoField.bool("hpcc_reflection.worst_hop", "Report of one hop", 8, nil, 0x02),
    bare_hop = ProtoField.bool("hpcc_reflection.bare_hop", "Three values of one hop", 8, nil, 0x04),
    switch = ProtoField.uint32("hpcc_reflection.switch", "Switch", base.DEC),
    port = ProtoField.uint32("hpcc_reflection.port", "Port, or place on the path", base.DEC),
    queue = ProtoField.uint32("hpcc_reflection.queue", "Queue length, bytes", base.DEC),
    queue_before = ProtoField.uint32("hpcc_reflection.queue_before", "Queue length before, bytes", base.DEC),
    rate = ProtoField.uint32("hpcc_reflection.rate", "Line rate, Mbit/s", base.DEC),
    time = ProtoField.uint64("hpcc_reflection.time", "Time, ns", base.DEC),
    time_before = ProtoField.uint64("hpcc_reflection.time_before", "Time before, ns", base.DEC),
    sent = ProtoField.uint64("hpcc_reflection.sent", "Sent bytes, or utilisation in millionths", base.DEC),
    sent_before = ProtoField.uint64("hpcc_reflection.sent_before", "The same before", base.DEC),
    records = ProtoField.bytes("hpcc_reflection.records", "Records as received"),
    icrc = ProtoField.uint32("hpcc_reflection.icrc", "Invariant CRC", base.HEX),
}
reflection.fields = f

local bad = ProtoExpert.new(
    "hpcc_reflection.bad", "Malformed reflection", expert.group.MALFORMED, expert.severity.ERROR)
reflection.experts = {bad}

local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
if not found then
    formats = DissectorTable.new("hpcc_reflection.format", "Telemetry format")
end

local opcode = Field.new("infiniband.bth.opcode")
local pad = Field.new("infiniband.bth.padcnt")
local aeth = Field.new("infiniband.aeth")
local udp = Field.new("udp")
local udp_length = Field.new("udp.length")

-- Returns the offset of the AETH of an ACK or notification, or of the second half of a response's
-- header; nil for other packets.
local function aeth_offset()
    if not (opcode() and udp()) then
        return
    elseif opcode().value == ACK then
        return aeth() and aeth().offset
    elseif opcode().value == NOTIFICATION then
        return udp().offset + UDP_BYTES + BTH_BYTES
    elseif opcode().value == RESPONSE then
        return udp().offset + UDP_BYTES + BTH_BYTES + RESPONSE_BYTES - AETH_BYTES
    end
end

-- Returns the bytes after an AETH, without pad and ICRC, and the ICRC; nil if there are no bytes.
local function after_aeth(buffer, offset)
    local start = offset + AETH_BYTES
    local icrc = udp().offset + udp_length().value - ICRC_BYTES
    local bytes = icrc - pad().value - start
    if bytes > 0 and icrc + ICRC_BYTES <= buffer:len() then
        return buffer(start, bytes), buffer(icrc, ICRC_BYTES)
    end
end

-- Shows a receiver's report of one hop: the hop, its values and its previous values; or only the
-- draft's three values.
local function add_report(records, worst, subtree)
    if records:len() ~= (worst and BOTTLENECK_HOP_BYTES or BARE_HOP_BYTES) then
        subtree:add_proto_expert_info(bad)
    elseif worst then
        subtree:add(f.switch, records(0, 4))
        subtree:add(f.port, records(4, 4))
        subtree:add(f.queue, records(8, 4))
        subtree:add(f.queue_before, records(12, 4))
        subtree:add(f.rate, records(16, 4))
        subtree:add(f.time, records(20, 8))
        subtree:add(f.sent, records(28, 8))
        subtree:add(f.time_before, records(36, 8))
        subtree:add(f.sent_before, records(44, 8))
    else
        subtree:add(f.queue, records(0, 4))
        subtree:add(f.time, records(4, 8))
        subtree:add(f.sent, records(12, 8))
    end
end

-- Shows the fields of a SACK, or of the NACK of a trimmed packet.
local function add_sack(bytes, is_nack, subtree)
    subtree:append_text(is_nack and ", NACK of a trimmed packet" or ", SACK")
    subtree:add(f.resent, bytes(0, 1))
    subtree:add(f.last_hop, bytes(0, 1))
    subtree:add(f.of_probe, bytes(0, 1))
    subtree:add(f.triggered, bytes(1, 3))
    subtree:add(f.base, bytes(5, 3))
    subtree:add(f.bitmap, bytes(8, 8))
    subtree:add(f.waiting, bytes(16, 2))
    subtree:add(f.received, bytes(18, 6))
end

function reflection.dissector(buffer, pinfo, tree)
    local offset = aeth_offset()
    local range, icrc
    if offset then
        range, icrc = after_aeth(buffer, offset)
    end
    if not range then
        return
    end
    local subtree = tree:add(reflection, range)
    subtree:add_le(f.icrc, icrc)
    local notifies = opcode().value == NOTIFICATION
    local responds = opcode().value == RESPONSE
    if responds then
        local header = offset + AETH_BYTES - RESPONSE_BYTES
        subtree:add(f.response_version, buffer(header, 1))
        subtree:add(f.for_receiver, buffer(header, 1))
        subtree:add(f.responder, buffer(header + 4, 4))
    end
    if notifies then
        subtree:add(f.syndrome, buffer(offset, 1))
        subtree:add(f.msn, buffer(offset + 1, 3))
        subtree:add(f.probe, range(0, 1))
    end
    local syndrome = opcode().value == ACK and buffer(offset, 1):uint()
    if syndrome == SACK or syndrome == NACK then
        if range:len() < SACK_BYTES then
            subtree:add_proto_expert_info(bad)
            return
        end
        add_sack(range, syndrome == NACK, subtree)
        if range:len() == SACK_BYTES then
            return
        end
        range = range(SACK_BYTES)
    end
    if notifies or syndrome == SELECTIVE_NAK then
        if range:len() < NUMBER_BYTES then
            subtree:add_proto_expert_info(bad)
            return
        end
        subtree:add(notifies and f.answered or f.kept, range(1, 3))
        if range:len() == NUMBER_BYTES then
            return
        end
        range = range(NUMBER_BYTES)
    end
    if range:len() < HEADER_BYTES then
        subtree:add_proto_expert_info(bad)
        return
    end
    subtree:add(f.version, range(0, 1))
    subtree:add(f.flags, range(0, 1))
    subtree:add(f.authenticated, range(0, 1))
    subtree:add(f.worst_hop, range(0, 1))
    subtree:add(f.bare_hop, range(0, 1))
    subtree:add(f.format, range(1, 1))
    subtree:add(f.hops, range(2, 1))
    subtree:add(f.hops_exceeded, range(3, 1))
    subtree:add(f.mtu_exceeded, range(3, 1))
    subtree:add(f.flows, range(4, 2))
    subtree:add(f.sequence, range(6, 2))
    local at = HEADER_BYTES
    if range(0, 1):bitfield(7, 1) == 1 then
        if range:len() < at + TAG_BYTES then
            subtree:add_proto_expert_info(bad)
            return
        end
        subtree:add(f.tag, range(at, TAG_BYTES))
        at = at + TAG_BYTES
    end
    if range:len() > at then
        local records = range(at)
        subtree:add(f.records, records)
        local worst, bare = range(0, 1):bitfield(6, 1) == 1, range(0, 1):bitfield(5, 1) == 1
        if worst or bare then
            add_report(records, worst, subtree)
            return
        end
        pinfo.private.hpcc_format = tostring(range(1, 1):uint())
        pinfo.private.hpcc_hops = tostring(range(2, 1):uint())
        formats:try(range(1, 1):uint(), records:tvb(), pinfo, subtree)
    end
end

register_postdissector(reflection)
