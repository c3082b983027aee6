-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of HPCC-PINT's digest, marked by a UDP port. See README.md next to this
-- file, and wire-formats.rst.

local pint = Proto("hpcc_pint", "HPCC-PINT")
local reflected = Proto("hpcc_pint_reflected", "HPCC-PINT, reflected")
local reflected_authors = Proto(
    "hpcc_pint_authors_reflected", "HPCC-PINT, simulator's layout, reflected")

pint.prefs.port = Pref.uint("UDP port", 61472, "Destination port of packets with the header")
pint.prefs.authors_port = Pref.uint(
    "UDP port of the simulator's layout", 61473, "Destination port of the simulator's layout")
pint.prefs.base = Pref.string("Logarithm's base", "1.05", "Attribute LogBase of the format")

local ROCE_PORT = 4791

-- Size of the digest, smallest load, and id of the format in the reflection header.
local PAPER = {bytes = 1, least = 0.001, format = 82}
local AUTHORS = {bytes = 2, least = 1 / 512, format = 83}

local f = {
    digest = ProtoField.uint16("hpcc_pint.digest", "Digest", base.DEC),
    load = ProtoField.double("hpcc_pint.load", "Load U of the path"),
}
pint.fields = f

local bad = ProtoExpert.new(
    "hpcc_pint.bad", "Malformed header", expert.group.MALFORMED, expert.severity.ERROR)
pint.experts = {bad}

local function add_header(layout, buffer, tree)
    local bytes = layout.bytes
    local subtree = tree:add(pint, buffer(0, math.min(bytes, buffer:len())))
    if buffer:len() < bytes then
        subtree:add_proto_expert_info(bad)
        return
    end
    local digest = buffer(0, bytes):uint()
    subtree:add(f.digest, buffer(0, bytes))
    if digest > 0 then
        local load = layout.least * tonumber(pint.prefs.base) ^ (digest - 1)
        subtree:add(f.load, buffer(0, bytes), load):set_generated()
    end
end

function pint.dissector(buffer, pinfo, tree)
    local layout = pinfo.dst_port == pint.prefs.authors_port and AUTHORS or PAPER
    add_header(layout, buffer, tree)
    if buffer:len() > layout.bytes then
        DissectorTable.get("udp.port"):try(ROCE_PORT, buffer(layout.bytes):tvb(), pinfo, tree)
    end
    return buffer:len()
end

-- Decodes the digest that follows the reflection header of an ACK.
function reflected.dissector(buffer, _, tree)
    add_header(PAPER, buffer, tree)
    return buffer:len()
end

function reflected_authors.dissector(buffer, _, tree)
    add_header(AUTHORS, buffer, tree)
    return buffer:len()
end

-- The table of telemetry formats. The script that is loaded first creates it.
local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
formats = found and formats or DissectorTable.new("hpcc_reflection.format", "Telemetry format")
formats:add(PAPER.format, reflected)
formats:add(AUTHORS.format, reflected_authors)

local registered = {}
function pint.init()
    local ports = DissectorTable.get("udp.port")
    for _, port in ipairs(registered) do
        ports:remove(port, pint)
    end
    registered = {pint.prefs.port, pint.prefs.authors_port}
    for _, port in ipairs(registered) do
        ports:add(port, pint)
    end
end
