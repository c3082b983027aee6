-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of XCP's congestion header, marked by a UDP port. See README.md next to this
-- file, and wire-formats.rst.

local xcp = Proto("hpcc_xcp", "Explicit Control Protocol")
local reflected = Proto("hpcc_xcp_reflected", "Explicit Control Protocol, reflected")

xcp.prefs.port = Pref.uint("UDP port", 61471, "Destination port of packets with the header")

local BYTES, FORMAT, ROCE_PORT = 12, 81, 4791

local f = {
    cwnd = ProtoField.uint32("hpcc_xcp.cwnd", "H_cwnd, bytes", base.DEC),
    rtt = ProtoField.uint32("hpcc_xcp.rtt", "H_rtt, ns", base.DEC),
    feedback = ProtoField.int32("hpcc_xcp.feedback", "H_feedback, 1/256 byte", base.DEC),
}
xcp.fields = f

local bad = ProtoExpert.new(
    "hpcc_xcp.bad", "Malformed header", expert.group.MALFORMED, expert.severity.ERROR)
xcp.experts = {bad}

local function add_header(buffer, tree)
    local subtree = tree:add(xcp, buffer(0, math.min(BYTES, buffer:len())))
    if buffer:len() < BYTES then
        subtree:add_proto_expert_info(bad)
        return
    end
    subtree:add(f.cwnd, buffer(0, 4))
    subtree:add(f.rtt, buffer(4, 4))
    subtree:add(f.feedback, buffer(8, 4))
end

function xcp.dissector(buffer, pinfo, tree)
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
function xcp.init()
    local ports = DissectorTable.get("udp.port")
    if registered then
        ports:remove(registered, xcp)
    end
    registered = xcp.prefs.port
    ports:add(registered, xcp)
end
