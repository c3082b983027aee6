-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of CSIG tags, compact and expanded, each marked by an EtherType, and of the
-- part of a tag that ACKs return. See README.md next to this file, and wire-formats.rst.

local csig = Proto("hpcc_csig", "Congestion signaling")
local reflected = Proto("hpcc_csig_reflected", "Congestion signaling, reflected")

csig.prefs.compact = Pref.uint("Compact EtherType", 0x9900, "EtherType of tags of 4 bytes")
csig.prefs.expanded = Pref.uint("Expanded EtherType", 0x9901, "EtherType of tags of 8 bytes")
csig.prefs.uec = Pref.bool("UEC layout", false, "The locator ends with a bit for trimmed packets")

local ETHERTYPE_BYTES = 2
local TYPES = {
    [0] = "available bandwidth, least",
    [1] = "available share of the line rate, least",
    [2] = "per-hop delay, most",
    [3] = "queue length over line rate, most",
}

local f = {
    layout = ProtoField.string("hpcc_csig.layout", "Layout"),
    type = ProtoField.uint8("hpcc_csig.type", "Signal type", base.DEC, TYPES),
    reserved = ProtoField.uint8("hpcc_csig.reserved", "Reserved", base.HEX),
    signal = ProtoField.uint32("hpcc_csig.signal", "Signal", base.DEC),
    locator = ProtoField.uint16("hpcc_csig.locator", "Locator", base.DEC),
    trimmed = ProtoField.uint8("hpcc_csig.trimmed", "Trimmed", base.DEC),
    ethertype = ProtoField.uint16("hpcc_csig.ethertype", "EtherType behind the tag", base.HEX),
}
csig.fields = f

local bad = ProtoExpert.new(
    "hpcc_csig.bad", "Malformed tag", expert.group.MALFORMED, expert.severity.ERROR)
csig.experts = {bad}

-- Fields behind the EtherType: the first bit, counted from the first byte on, and the number of bits.
local COMPACT = {
    name = "compact", bytes = 2,
    {f.type, 0, 3}, {f.reserved, 3, 1}, {f.signal, 4, 5}, {f.locator, 9, 7},
}
local EXPANDED = {
    name = "expanded", bytes = 6,
    {f.locator, 0, 16}, {f.type, 16, 4}, {f.signal, 20, 20}, {f.reserved, 40, 8},
}

local function add_tag(layout, uec, range, tree)
    tree:add(f.layout, layout.name):set_generated()
    for _, field in ipairs(layout) do
        local first, bits = field[2], field[3]
        if uec and field[1] == f.locator then
            bits = bits - 1
            tree:add(f.trimmed, range, range:bitfield(first + bits, 1))
        end
        tree:add(field[1], range, range:bitfield(first, bits))
    end
end

-- Decodes a tag of this layout, and passes the packet behind the tag to the next dissector.
local function dissect(layout, buffer, pinfo, tree)
    local bytes = layout.bytes + ETHERTYPE_BYTES
    local subtree = tree:add(csig, buffer(0, math.min(bytes, buffer:len())))
    if buffer:len() < bytes then
        subtree:add_proto_expert_info(bad)
        return buffer:len()
    end
    add_tag(layout, csig.prefs.uec, buffer(0, layout.bytes), subtree)
    local behind = buffer(layout.bytes, ETHERTYPE_BYTES)
    subtree:add(f.ethertype, behind)
    if buffer:len() > bytes then
        local payload = buffer(bytes):tvb()
        DissectorTable.get("ethertype"):try(behind:uint(), payload, pinfo, tree)
    end
    return buffer:len()
end

-- A dissector does not learn by which EtherType it was called, so each size has its own.
local expanded = Proto("hpcc_csig_expanded", "Congestion signaling, expanded")

function csig.dissector(buffer, pinfo, tree)
    return dissect(COMPACT, buffer, pinfo, tree)
end

function expanded.dissector(buffer, pinfo, tree)
    return dissect(EXPANDED, buffer, pinfo, tree)
end

-- ACKs return a tag without its EtherType. The key is the id of the format in the reflection header.
local REFLECTED = {
    [64] = {COMPACT, false},
    [65] = {COMPACT, true},
    [66] = {EXPANDED, false},
    [67] = {EXPANDED, true},
}

function reflected.dissector(buffer, pinfo, tree)
    local layout, uec = table.unpack(REFLECTED[tonumber(pinfo.private.hpcc_format)])
    local subtree = tree:add(csig, buffer())
    if buffer:len() < layout.bytes then
        subtree:add_proto_expert_info(bad)
    else
        add_tag(layout, uec, buffer(0, layout.bytes), subtree)
    end
    return buffer:len()
end

-- The table of telemetry formats. The script that is loaded first creates it.
local function reflection_table()
    local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
    return found and formats or DissectorTable.new("hpcc_reflection.format", "Telemetry format")
end
for id in pairs(REFLECTED) do
    reflection_table():add(id, reflected)
end

local registered = {}
function csig.init()
    local ethertypes = DissectorTable.get("ethertype")
    for ethertype, protocol in pairs(registered) do
        ethertypes:remove(ethertype, protocol)
    end
    registered = {[csig.prefs.compact] = csig, [csig.prefs.expanded] = expanded}
    for ethertype, protocol in pairs(registered) do
        ethertypes:add(ethertype, protocol)
    end
end
