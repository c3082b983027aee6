-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of HPCC-PINT's digest, marked by a UDP port. See README.md next to this
-- file, and wire-formats.rst.

local pint = Proto("hpcc_pint", "HPCC-PINT")
local reflected = Proto("hpcc_pint_reflected", "HPCC-PINT, reflected")

pint.prefs.port = Pref.uint("UDP port", 61472, "Destination port of packets with the header")
pint.prefs.base = Pref.string("Logarithm's base", "1.05", "Attribute LogBase of the format")

local BYTES, FORMAT, ROCE_PORT = 1, 82, 4791

local f = {
    digest = ProtoField.uint8("hpcc_pint.digest", "Digest", base.DEC),
    load = ProtoField.double("hpcc_pint.load", "Load U of the path"),
}
pint.fields = f

local bad = ProtoExpert.new(
    "hpcc_pint.bad", "Malformed header", expert.group.MALFORMED, expert.severity.ERROR)
pint.experts = {bad}

local function add_header(buffer, tree)
    local subtree = tree:add(pint, buffer(0, math.min(BYTES, buffer:len())))
    if buffer:len() < BYTES then
        subtree:add_proto_expert_info(bad)
        return
    end
    local digest = buffer(0, 1):uint()
    subtree:add(f.digest, buffer(0, 1))
    if digest > 0 then
        local load = 0.001 * tonumber(pint.prefs.base) ^ (digest - 1)
        subtree:add(f.load, buffer(0, 1), load):set_generated()
    end
end

function pint.dissector(buffer, pinfo, tree)
    add_header(buffer, tree)
    if buffer:len() > BYTES then
        DissectorTable.get("udp.port"):try(ROCE_PORT, buffer(BYTES):tvb(), pinfo, tree)
    end
    return buffer:len()
end

-- All of it, as the reflection header of an ACK carries it.
function reflected.dissector(buffer, _, tree)
    add_header(buffer, tree)
    return buffer:len()
end

-- The table of hpcc-reflection.lua, whichever of the scripts comes first.
local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
formats = found and formats or DissectorTable.new("hpcc_reflection.format", "Telemetry format")
formats:add(FORMAT, reflected)

local registered
function pint.init()
    local ports = DissectorTable.get("udp.port")
    if registered then
        ports:remove(registered, pint)
    end
    registered = pint.prefs.port
    ports:add(registered, pint)
end
