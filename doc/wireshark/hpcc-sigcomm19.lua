-- SPDX-License-Identifier: GPL-2.0-only
--
-- Wireshark dissector of the telemetry of the HPCC paper (SIGCOMM 2019), in the layouts of the paper
-- and of its authors' simulator. A UDP port marks each layout. See README.md next to this file, and
-- wire-formats.rst.

local sigcomm19 = Proto("hpcc_sigcomm19", "HPCC telemetry, SIGCOMM 2019")
local reflected = Proto("hpcc_sigcomm19_reflected", "HPCC telemetry, SIGCOMM 2019, reflected")

sigcomm19.prefs.port = Pref.uint("UDP port", 61465, "Destination port of the paper's layout")
sigcomm19.prefs.authors_port = Pref.uint(
    "UDP port of the simulator's layout", 61466, "Destination port of the authors' layout")
sigcomm19.prefs.multiplier = Pref.uint(
    "Unit multiplier", 1, "Bytes are counted in this many times 128, the queue in times 80")

local BYTES, RECORD_BYTES, MAX_HOPS, ROCE_PORT = 42, 8, 5, 4791
local TX_UNIT, QUEUE_UNIT = 128, 80

local f = {
    layout = ProtoField.string("hpcc_sigcomm19.layout", "Layout"),
    hops = ProtoField.uint16("hpcc_sigcomm19.hops", "Hops", base.DEC),
    path = ProtoField.uint16("hpcc_sigcomm19.path", "Path id", base.HEX),
    record = ProtoField.bytes("hpcc_sigcomm19.record", "Record"),
    rate = ProtoField.uint8("hpcc_sigcomm19.rate", "Line rate code", base.DEC),
    gbps = ProtoField.uint32("hpcc_sigcomm19.gbps", "Line rate, Gbit/s", base.DEC),
    time = ProtoField.uint32("hpcc_sigcomm19.time", "Timestamp, ns modulo 2^24", base.DEC),
    tx = ProtoField.uint32("hpcc_sigcomm19.tx", "Sent, units modulo 2^20", base.DEC),
    tx_bytes = ProtoField.uint64("hpcc_sigcomm19.tx_bytes", "Sent, bytes", base.DEC),
    queue = ProtoField.uint32("hpcc_sigcomm19.queue", "Queue, units", base.DEC),
    queue_bytes = ProtoField.uint64("hpcc_sigcomm19.queue_bytes", "Queue, bytes", base.DEC),
}
sigcomm19.fields = f

local bad = ProtoExpert.new(
    "hpcc_sigcomm19.bad", "Malformed telemetry", expert.group.MALFORMED, expert.severity.ERROR)
sigcomm19.experts = {bad}

-- The offset of the first record; lowest bit, counted from the least significant one, and number of
-- bits of each field of a record; line rates by their code.
local PAPER = {
    name = "paper",
    first_record = 2,
    rate = {60, 4},
    time = {36, 24},
    tx = {16, 20},
    queue = {0, 16},
    gbps = {[0] = 10, 25, 40, 50, 100, 200, 400, 800, 1, 1600, 3200},
}
local AUTHORS = {
    name = "authors' simulator",
    first_record = 0,
    rate = {0, 3},
    time = {3, 24},
    tx = {27, 20},
    queue = {47, 17},
    gbps = {[0] = 25, 50, 100, 200, 400, 10, 800},
}

local function add_record(layout, range, tree)
    local record = layout == PAPER and range:uint64() or range:le_uint64()
    local function bits(where)
        return record:rshift(where[1]):band(UInt64(2 ^ where[2] - 1)):tonumber()
    end
    local units = sigcomm19.prefs.multiplier
    local rate, tx, queue = bits(layout.rate), bits(layout.tx), bits(layout.queue)
    tree:add(f.rate, range, rate)
    if layout.gbps[rate] then
        tree:add(f.gbps, range, layout.gbps[rate]):set_generated()
    end
    tree:add(f.time, range, bits(layout.time))
    tree:add(f.tx, range, tx)
    tree:add(f.tx_bytes, range, UInt64(tx * TX_UNIT * units)):set_generated()
    tree:add(f.queue, range, queue)
    tree:add(f.queue_bytes, range, UInt64(queue * QUEUE_UNIT * units)):set_generated()
end

local function add_telemetry(layout, buffer, tree)
    local subtree = tree:add(sigcomm19, buffer(0, math.min(BYTES, buffer:len())))
    if buffer:len() < BYTES then
        subtree:add_proto_expert_info(bad)
        return
    end
    subtree:add(f.layout, layout.name):set_generated()
    local hops
    if layout == PAPER then
        hops = buffer(0, 1):bitfield(0, 4)
        subtree:add(f.hops, buffer(0, 1), hops)
        subtree:add(f.path, buffer(0, 2), buffer(0, 2):bitfield(4, 12))
    else
        hops = buffer(BYTES - 2, 2):le_uint()
        subtree:add(f.hops, buffer(BYTES - 2, 2), hops)
    end
    for index = 0, math.min(hops, MAX_HOPS) - 1 do
        local range = buffer(layout.first_record + index * RECORD_BYTES, RECORD_BYTES)
        local record = subtree:add(f.record, range)
        record:set_text("Hop " .. index + 1 .. " of " .. hops)
        add_record(layout, range, record)
    end
end

function sigcomm19.dissector(buffer, pinfo, tree)
    local layouts = {
        [sigcomm19.prefs.port] = PAPER,
        [sigcomm19.prefs.authors_port] = AUTHORS,
    }
    local layout = layouts[pinfo.dst_port]
    if not layout then
        return 0
    end
    add_telemetry(layout, buffer, tree)
    if buffer:len() > BYTES then
        DissectorTable.get("udp.port"):try(ROCE_PORT, buffer(BYTES):tvb(), pinfo, tree)
    end
    return buffer:len()
end

-- Layouts by the id of the format in the reflection header of an ACK.
local REFLECTED = {[1] = PAPER, [2] = AUTHORS}

function reflected.dissector(buffer, pinfo, tree)
    add_telemetry(REFLECTED[tonumber(pinfo.private.hpcc_format)], buffer, tree)
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
function sigcomm19.init()
    local ports = DissectorTable.get("udp.port")
    for _, port in ipairs(registered) do
        ports:remove(port, sigcomm19)
    end
    registered = {sigcomm19.prefs.port, sigcomm19.prefs.authors_port}
    for _, port in ipairs(registered) do
        ports:add(port, sigcomm19)
    end
end
