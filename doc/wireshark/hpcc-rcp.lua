-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of RCP's congestion header, marked by a UDP port. See README.md next to this
-- file, and wire-formats.rst.

local rcp = Proto("hpcc_rcp", "Rate Control Protocol")
local reflected = Proto("hpcc_rcp_reflected", "Rate Control Protocol, reflected")

rcp.prefs.port = Pref.uint("UDP port", 61470, "Destination port of packets with the header")

local BYTES, FORMAT, ROCE_PORT = 8, 80, 4791

local f = {
    rate = ProtoField.uint32("hpcc_rcp.rate", "Rate, kb/s", base.DEC),
    rtt = ProtoField.uint32("hpcc_rcp.rtt", "Sender's RTT, ns", base.DEC),
}
rcp.fields = f

local bad = ProtoExpert.new(
    "hpcc_rcp.bad", "Malformed header", expert.group.MALFORMED, expert.severity.ERROR)
rcp.experts = {bad}

local function add_header(buffer, tree)
    local subtree = tree:add(rcp, buffer(0, math.min(BYTES, buffer:len())))
    if buffer:len() < BYTES then
        subtree:add_proto_expert_info(bad)
        return
    end
    subtree:add(f.rate, buffer(0, 4))
    subtree:add(f.rtt, buffer(4, 4))
end

function rcp.dissector(buffer, pinfo, tree)
    add_header(buffer, tree)
    if buffer:len() > BYTES then
        DissectorTable.get("udp.port"):try(ROCE_PORT, buffer(BYTES):tvb(), pinfo, tree)
    end
    return buffer:len()
end

-- Decodes the header that follows the reflection header of an ACK.
function reflected.dissector(buffer, _, tree)
    add_header(buffer, tree)
    return buffer:len()
end

-- The table of telemetry formats. The script that is loaded first creates it.
local found, formats = pcall(DissectorTable.get, "hpcc_reflection.format")
formats = found and formats or DissectorTable.new("hpcc_reflection.format", "Telemetry format")
formats:add(FORMAT, reflected)

local registered
function rcp.init()
    local ports = DissectorTable.get("udp.port")
    if registered then
        ports:remove(registered, rcp)
    end
    registered = rcp.prefs.port
    ports:add(registered, rcp)
end
