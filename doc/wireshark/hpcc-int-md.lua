-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of In-band Network Telemetry, INT-MD of the P4.org specification v2.1, marked
-- by a UDP port, or in RoCEv2 by a DSCP. See README.md next to this file, and wire-formats.rst.

local int_md = Proto("hpcc_int_md", "In-band Network Telemetry, INT-MD 2.1")
local in_roce = Proto("hpcc_int_md_roce", "INT-MD in RoCEv2, marked by DSCP")
local records_only = Proto("hpcc_int_md_records", "INT-MD records")

int_md.prefs.port = Pref.uint("UDP port", 0x4568, "Destination port that marks INT-MD")
int_md.prefs.dscp = Pref.uint("DSCP", 0x17, "DSCP that marks INT-MD in RoCEv2")

local ROCE_PORT = 4791
local SHIM_BYTES, HEADER_BYTES = 4, 12
local TYPES = {[1] = "INT-MD", [2] = "Destination", [3] = "INT-MX"}
local NPTS = {
    [0] = "no original port",
    [1] = "original UDP payload follows",
    [2] = "another UDP header follows",
}

local f = {
    type = ProtoField.uint8("hpcc_int_md.type", "Type", base.DEC, TYPES, 0xf0),
    npt = ProtoField.uint8("hpcc_int_md.npt", "Next protocol type", base.DEC, NPTS, 0x0c),
    length = ProtoField.uint8("hpcc_int_md.length", "Words after the shim", base.DEC),
    port = ProtoField.uint16("hpcc_int_md.original_port", "Original UDP port", base.DEC),
    dscp = ProtoField.uint8("hpcc_int_md.original_dscp", "Original DSCP", base.DEC, nil, 0xfc),
    version = ProtoField.uint8("hpcc_int_md.version", "Version", base.DEC, nil, 0xf0),
    discard = ProtoField.bool("hpcc_int_md.discard", "D: discard at the sink", 8, nil, 0x08),
    exceeded = ProtoField.bool("hpcc_int_md.hops_exceeded", "E: hop count exceeded", 8, nil, 0x04),
    mtu = ProtoField.bool("hpcc_int_md.mtu_exceeded", "M: MTU exceeded", 8, nil, 0x02),
    hop_words = ProtoField.uint8("hpcc_int_md.hop_words", "Words per hop", base.DEC, nil, 0x1f),
    remaining = ProtoField.uint8("hpcc_int_md.remaining_hops", "Remaining hop count", base.DEC),
    bitmap = ProtoField.uint16("hpcc_int_md.instructions", "Instruction bitmap", base.HEX),
    domain = ProtoField.uint16("hpcc_int_md.domain", "Domain specific id", base.HEX),
    domain_bitmap = ProtoField.uint16("hpcc_int_md.domain_instructions", "DS instruction", base.HEX),
    domain_flags = ProtoField.uint16("hpcc_int_md.domain_flags", "DS flags", base.HEX),
    hops = ProtoField.uint8("hpcc_int_md.hops", "Records", base.DEC),
    record = ProtoField.bytes("hpcc_int_md.record", "Record"),
    node = ProtoField.uint32("hpcc_int_md.node", "Node id", base.DEC),
    ingress = ProtoField.uint16("hpcc_int_md.ingress", "L1 ingress interface", base.DEC),
    egress = ProtoField.uint16("hpcc_int_md.egress", "L1 egress interface", base.DEC),
    latency = ProtoField.uint32("hpcc_int_md.latency", "Hop latency, ns", base.DEC),
    queue = ProtoField.uint8("hpcc_int_md.queue", "Queue id", base.DEC),
    occupancy = ProtoField.uint24("hpcc_int_md.occupancy", "Queue occupancy, bytes", base.DEC),
    ingress_time = ProtoField.uint64("hpcc_int_md.ingress_time", "Ingress timestamp, ns", base.DEC),
    egress_time = ProtoField.uint64("hpcc_int_md.egress_time", "Egress timestamp, ns", base.DEC),
    l2_ingress = ProtoField.uint32("hpcc_int_md.l2_ingress", "L2 ingress interface", base.DEC),
    l2_egress = ProtoField.uint32("hpcc_int_md.l2_egress", "L2 egress interface", base.DEC),
    utilization = ProtoField.uint32("hpcc_int_md.utilization", "Tx utilisation, ppm", base.DEC),
    buffer = ProtoField.uint8("hpcc_int_md.buffer", "Buffer id", base.DEC),
    buffer_used = ProtoField.uint24("hpcc_int_md.buffer_used", "Buffer occupancy", base.DEC),
    complement = ProtoField.uint32("hpcc_int_md.complement", "Checksum complement", base.HEX),
}
int_md.fields = f

local bad = ProtoExpert.new(
    "hpcc_int_md.bad", "Malformed INT-MD", expert.group.MALFORMED, expert.severity.ERROR)
int_md.experts = {bad}

-- The fields that each bit of the instruction bitmap adds to a record, with their sizes in bytes,
-- from the most significant bit on.
local METADATA = {
    {bit = 0x8000, {f.node, 4}},
    {bit = 0x4000, {f.ingress, 2}, {f.egress, 2}},
    {bit = 0x2000, {f.latency, 4}},
    {bit = 0x1000, {f.queue, 1}, {f.occupancy, 3}},
    {bit = 0x0800, {f.ingress_time, 8}},
    {bit = 0x0400, {f.egress_time, 8}},
    {bit = 0x0200, {f.l2_ingress, 4}, {f.l2_egress, 4}},
    {bit = 0x0100, {f.utilization, 4}},
    {bit = 0x0080, {f.buffer, 1}, {f.buffer_used, 3}},
    {bit = 0x0001, {f.complement, 4}},
}

-- Returns the fields of a record and its size in bytes; nil if the bitmap has undefined bits.
local function layout(bitmap)
    local fields, bytes = {}, 0
    for _, metadata in ipairs(METADATA) do
        if bit.band(bitmap, metadata.bit) ~= 0 then
            bitmap = bitmap - metadata.bit
            for _, field in ipairs(metadata) do
                fields[#fields + 1] = field
                bytes = bytes + field[2]
            end
        end
    end
    if bitmap == 0 and bytes > 0 then
        return fields, bytes
    end
end

-- Shows the records, newest hop first.
local function add_records(buffer, tree, bitmap, hops)
    tree:add(f.hops, hops):set_generated()
    local fields, bytes = layout(bitmap)
    if not fields or buffer:len() < hops * bytes then
        tree:add_proto_expert_info(bad)
        return
    end
    for index = 0, hops - 1 do
        local record = tree:add(f.record, buffer(index * bytes, bytes))
        record:set_text("Hop " .. hops - index .. " of " .. hops)
        local at = index * bytes
        for _, field in ipairs(fields) do
            record:add(field[1], buffer(at, field[2]))
            at = at + field[2]
        end
    end
end

-- Wireshark's dissector of UDP port 4791. Packets that a DSCP marks keep this port.
local roce

-- Decodes a whole UDP payload.
local function dissect(buffer, pinfo, tree, by_port)
    local bytes = SHIM_BYTES + 4 * buffer(1, 1):uint()
    local subtree = tree:add(int_md, buffer(0, math.min(bytes, buffer:len())))
    for _, field in ipairs({f.type, f.npt}) do
        subtree:add(field, buffer(0, 1))
    end
    subtree:add(f.length, buffer(1, 1))
    if by_port then
        subtree:add(f.port, buffer(2, 2))
    else
        subtree:add(f.dscp, buffer(3, 1))
    end
    for _, field in ipairs({f.version, f.discard, f.exceeded, f.mtu}) do
        subtree:add(field, buffer(4, 1))
    end
    subtree:add(f.hop_words, buffer(6, 1))
    subtree:add(f.remaining, buffer(7, 1))
    subtree:add(f.bitmap, buffer(8, 2))
    subtree:add(f.domain, buffer(10, 2))
    subtree:add(f.domain_bitmap, buffer(12, 2))
    subtree:add(f.domain_flags, buffer(14, 2))

    local base_bytes = SHIM_BYTES + HEADER_BYTES
    local hop_bytes = 4 * buffer(6, 1):bitfield(3, 5)
    local _, expected = layout(buffer(8, 2):uint())
    if bytes < base_bytes or bytes > buffer:len() or hop_bytes ~= expected
        or (bytes - base_bytes) % hop_bytes ~= 0 then
        subtree:add_proto_expert_info(bad)
        return buffer:len()
    end
    if bytes > base_bytes then
        local records = buffer(base_bytes, bytes - base_bytes):tvb()
        add_records(records, subtree, buffer(8, 2):uint(), records:len() / hop_bytes)
    else
        subtree:add(f.hops, 0):set_generated()
    end
    if bytes < buffer:len() then
        local payload = buffer(bytes):tvb()
        if by_port then
            DissectorTable.get("udp.port"):try(buffer(2, 2):uint(), payload, pinfo, tree)
        else
            roce:call(payload, pinfo, tree)
        end
    end
    return buffer:len()
end

function int_md.dissector(buffer, pinfo, tree)
    if pinfo.dst_port ~= int_md.prefs.port or buffer:len() < SHIM_BYTES + HEADER_BYTES then
        return 0
    end
    return dissect(buffer, pinfo, tree, true)
end

local dscp4, dscp6 = Field.new("ip.dsfield.dscp"), Field.new("ipv6.tclass.dscp")

-- Returns whether telemetry marked by a DSCP follows the UDP header. ACKs with the same DSCP can begin
-- with the same bits, but do not have the version at its position.
local function marked_by_dscp(buffer)
    local dscp = dscp4() or dscp6()
    return dscp and dscp.value == int_md.prefs.dscp
        and buffer:len() >= SHIM_BYTES + HEADER_BYTES and buffer(0, 1):bitfield(0, 6) == 4
        and buffer(SHIM_BYTES, 1):bitfield(0, 4) == 2
end

function in_roce.dissector(buffer, pinfo, tree)
    if marked_by_dscp(buffer) then
        return dissect(buffer, pinfo, tree, false)
    end
    return roce:call(buffer, pinfo, tree)
end

-- Instruction bitmaps by the id of the format in the reflection header of an ACK: 16, + 1 without
-- timestamp, + 2 with hop latency.
local REFLECTED = {[16] = 0xd500, [17] = 0xd100, [18] = 0xf500, [19] = 0xf100}

function records_only.dissector(buffer, pinfo, tree)
    local id, hops = tonumber(pinfo.private.hpcc_format), tonumber(pinfo.private.hpcc_hops)
    add_records(buffer, tree:add(int_md, buffer()), REFLECTED[id], hops)
    return buffer:len()
end

-- The table of telemetry formats. The script that is loaded first creates it.
local function reflection_table()
    local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
    return found and formats or DissectorTable.new("hpcc_reflection.format", "Telemetry format")
end
for id in pairs(REFLECTED) do
    reflection_table():add(id, records_only)
end

local registered
function int_md.init()
    if not roce then
        roce = DissectorTable.get("udp.port"):get_dissector(ROCE_PORT)
        DissectorTable.get("udp.port"):add(ROCE_PORT, in_roce)
    end
    if registered ~= int_md.prefs.port then
        local ports = DissectorTable.get("udp.port")
        if registered then
            ports:remove(registered, int_md)
        end
        registered = int_md.prefs.port
        ports:add(registered, int_md)
    end
end
