-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of Inband Flow Analyzer 2.0 with the hop record of
-- draft-miao-ccwg-hpcc-info-04, marked by an IP protocol number. See README.md next to this file,
-- and wire-formats.rst.

local ifa = Proto("hpcc_ifa", "Inband Flow Analyzer 2.0")
local records_only = Proto("hpcc_ifa_records", "IFA records")

ifa.prefs.protocol = Pref.uint("IP protocol", 253, "Protocol number that marks IFA")
ifa.prefs.lns = Pref.uint("LNS", 0, "Local name space of the record of the HPCC++ draft")
ifa.prefs.cell = Pref.uint("Cell bytes", 256, "Unit of queue lengths")

local HEADER_BYTES, RECORD_BYTES, UDP_BYTES, TCP = 4, 32, 8, 6
local VERSION = 2
local REFLECTED = 32
local GBPS = {[0] = 10, 25, 40, 50, 100, 200, 400}
local SPEEDS = {[15] = "not in the table"}
for code, gbps in pairs(GBPS) do
    SPEEDS[code] = gbps .. " Gb/s"
end

local f = {
    version = ProtoField.uint8("hpcc_ifa.version", "Version", base.DEC, nil, 0xf0),
    gns = ProtoField.uint8("hpcc_ifa.gns", "Global name space", base.DEC, nil, 0x0f),
    protocol = ProtoField.uint8("hpcc_ifa.original_protocol", "Original IP protocol", base.DEC),
    flags = ProtoField.uint8("hpcc_ifa.flags", "Flags", base.HEX),
    fragment = ProtoField.bool("hpcc_ifa.fragment", "MF: fragment header", 8, nil, 0x10),
    tail = ProtoField.bool("hpcc_ifa.tail_stamp", "TS: tail stamp", 8, nil, 0x08),
    inband = ProtoField.bool("hpcc_ifa.inband", "I: inband live traffic", 8, nil, 0x04),
    turn = ProtoField.bool("hpcc_ifa.turn_around", "TA: turn around", 8, nil, 0x02),
    checksum = ProtoField.bool("hpcc_ifa.checksum", "C: checksum header", 8, nil, 0x01),
    max_length = ProtoField.uint8("hpcc_ifa.max_length", "Max length, words", base.DEC),
    request = ProtoField.uint8("hpcc_ifa.request", "Request vector", base.HEX),
    action = ProtoField.uint8("hpcc_ifa.action", "Action vector", base.HEX),
    hop_limit = ProtoField.uint8("hpcc_ifa.hop_limit", "Hop limit", base.DEC),
    length = ProtoField.uint8("hpcc_ifa.length", "Current length, words", base.DEC),
    hops = ProtoField.uint8("hpcc_ifa.hops", "Records", base.DEC),
    record = ProtoField.bytes("hpcc_ifa.record", "Record"),
    lns = ProtoField.uint32("hpcc_ifa.lns", "Local name space", base.DEC, nil, 0xf0000000),
    device = ProtoField.uint32("hpcc_ifa.device", "Device id", base.DEC, nil, 0x0fffff00),
    ttl = ProtoField.uint32("hpcc_ifa.ttl", "TTL", base.DEC, nil, 0x000000ff),
    speed = ProtoField.uint32("hpcc_ifa.speed", "Egress speed", base.DEC, SPEEDS, 0xf0000000),
    gbps = ProtoField.uint32("hpcc_ifa.gbps", "Egress speed, Gb/s", base.DEC),
    congestion = ProtoField.uint32("hpcc_ifa.congestion", "Congestion", base.DEC, nil, 0x0c000000),
    queue_id = ProtoField.uint32("hpcc_ifa.queue_id", "Queue id", base.DEC, nil, 0x03f00000),
    seconds = ProtoField.uint32("hpcc_ifa.rx_seconds", "Receive time, s", base.DEC, nil, 0x000fffff),
    egress = ProtoField.uint16("hpcc_ifa.egress", "Egress port", base.DEC),
    ingress = ProtoField.uint16("hpcc_ifa.ingress", "Ingress port", base.DEC),
    ns = ProtoField.uint32("hpcc_ifa.rx_ns", "Receive time, ns", base.DEC),
    residence = ProtoField.uint32("hpcc_ifa.residence", "Residence time, ns", base.DEC),
    tx_bytes = ProtoField.uint32("hpcc_ifa.tx_bytes", "Sent bytes", base.DEC),
    cells = ProtoField.uint16("hpcc_ifa.queue_cells", "Queue length, cells", base.DEC),
    queue = ProtoField.uint32("hpcc_ifa.queue_bytes", "Queue length, bytes", base.DEC),
}
ifa.fields = f

local bad = ProtoExpert.new(
    "hpcc_ifa.bad", "Malformed IFA", expert.group.MALFORMED, expert.severity.ERROR)
ifa.experts = {bad}

local function add_record(range, tree)
    tree:add(f.lns, range(0, 4))
    if range(0, 1):bitfield(0, 4) ~= ifa.prefs.lns then
        return
    end
    for _, field in ipairs({f.device, f.ttl}) do
        tree:add(field, range(0, 4))
    end
    for _, field in ipairs({f.speed, f.congestion, f.queue_id, f.seconds}) do
        tree:add(field, range(4, 4))
    end
    local gbps = GBPS[range(4, 1):bitfield(0, 4)]
    if gbps then
        tree:add(f.gbps, range(4, 4), gbps):set_generated()
    end
    tree:add(f.egress, range(8, 2))
    tree:add(f.ingress, range(10, 2))
    tree:add(f.ns, range(12, 4))
    tree:add(f.residence, range(16, 4))
    tree:add(f.tx_bytes, range(20, 4))
    tree:add(f.cells, range(26, 2))
    tree:add(f.queue, range(26, 2), range(26, 2):uint() * ifa.prefs.cell):set_generated()
end

-- Shows the records, newest hop first.
local function add_records(buffer, tree)
    local hops = buffer:len() / RECORD_BYTES
    tree:add(f.hops, hops):set_generated()
    for index = 0, hops - 1 do
        local range = buffer(index * RECORD_BYTES, RECORD_BYTES)
        local record = tree:add(f.record, range)
        record:set_text("Hop " .. hops - index .. " of " .. hops)
        add_record(range, record)
    end
end

-- Returns the length of the original transport header, which precedes the metadata header; nil if
-- the packet is too short.
local function transport_bytes(buffer)
    local protocol = buffer(1, 1):uint()
    local bytes = UDP_BYTES
    if protocol == TCP then
        if buffer:len() < HEADER_BYTES + 13 then
            return
        end
        bytes = 4 * buffer(HEADER_BYTES + 12, 1):bitfield(0, 4)
    end
    if buffer:len() >= HEADER_BYTES + bytes + HEADER_BYTES then
        return bytes
    end
end

function ifa.dissector(buffer, pinfo, tree)
    if buffer:len() < HEADER_BYTES or buffer(0, 1):bitfield(0, 4) ~= VERSION then
        return 0
    end
    local subtree = tree:add(ifa, buffer(0, HEADER_BYTES))
    for _, field in ipairs({f.version, f.gns}) do
        subtree:add(field, buffer(0, 1))
    end
    subtree:add(f.protocol, buffer(1, 1))
    for _, field in ipairs({f.flags, f.fragment, f.tail, f.inband, f.turn, f.checksum}) do
        subtree:add(field, buffer(2, 1))
    end
    subtree:add(f.max_length, buffer(3, 1))

    local further_headers = bit.band(buffer(2, 1):uint(), 0x11) ~= 0
    local transport = transport_bytes(buffer)
    if further_headers or not transport then
        subtree:add_proto_expert_info(bad)
        return buffer:len()
    end
    local at = HEADER_BYTES + transport
    subtree:add(f.request, buffer(at, 1))
    subtree:add(f.action, buffer(at + 1, 1))
    subtree:add(f.hop_limit, buffer(at + 2, 1))
    subtree:add(f.length, buffer(at + 3, 1))
    local stack = 4 * buffer(at + 3, 1):uint()
    at = at + HEADER_BYTES
    if stack % RECORD_BYTES ~= 0 or buffer:len() < at + stack then
        subtree:add_proto_expert_info(bad)
        return buffer:len()
    end
    if stack > 0 then
        add_records(buffer(at, stack):tvb(), subtree)
    else
        subtree:add(f.hops, 0):set_generated()
    end

    -- The original packet: its transport header, and the bytes that followed this header.
    local original = buffer(HEADER_BYTES, transport):bytes()
    if at + stack < buffer:len() then
        original = original .. buffer(at + stack):bytes()
    end
    local tvb = ByteArray.tvb(original, "Packet without IFA")
    DissectorTable.get("ip.proto"):try(buffer(1, 1):uint(), tvb, pinfo, tree)
    return buffer:len()
end

-- Decodes the records that follow the reflection header of an ACK.
function records_only.dissector(buffer, _, tree)
    local subtree = tree:add(ifa, buffer())
    if buffer:len() % RECORD_BYTES == 0 then
        add_records(buffer, subtree)
    else
        subtree:add_proto_expert_info(bad)
    end
    return buffer:len()
end

-- The table of telemetry formats. The script that is loaded first creates it.
local function reflection_table()
    local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
    return found and formats or DissectorTable.new("hpcc_reflection.format", "Telemetry format")
end
reflection_table():add(REFLECTED, records_only)

local registered
function ifa.init()
    if registered ~= ifa.prefs.protocol then
        local protocols = DissectorTable.get("ip.proto")
        if registered then
            protocols:remove(registered, ifa)
        end
        registered = ifa.prefs.protocol
        protocols:add(registered, ifa)
    end
end
