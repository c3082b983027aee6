# SPDX-License-Identifier: GPL-2.0-only
#
# ns-3.35 (waf); ns-3.36 and later use CMakeLists.txt.
# After adding, renaming or removing a file run cmake/update-source-lists.py.

# source lists begin (written by cmake/update-source-lists.py)
version = '0.1.0'
sources = [
    'helper/hpcc-authors-config.cc',
    'helper/hpcc-authors-run.cc',
    'helper/hpcc-csv-file.cc',
    'helper/hpcc-experiment.cc',
    'helper/hpcc-fabric-helper.cc',
    'helper/hpcc-flow-sizes.cc',
    'helper/hpcc-flow-trace.cc',
    'helper/hpcc-histogram.cc',
    'helper/hpcc-monitor.cc',
    'helper/hpcc-topology-spec.cc',
    'helper/hpcc-topology.cc',
    'helper/hpcc-workload-monitor.cc',
    'helper/hpcc-workload.cc',
    'model/congestion/hpcc-feedback-check.cc',
    'model/congestion/hpcc-law.cc',
    'model/congestion/rdma-congestion-ops.cc',
    'model/congestion/rdma-dcqcn.cc',
    'model/congestion/rdma-dctcp.cc',
    'model/congestion/rdma-hpcc-base.cc',
    'model/congestion/rdma-hpcc-plus-plus.cc',
    'model/congestion/rdma-hpcc.cc',
    'model/congestion/rdma-no-congestion-control.cc',
    'model/congestion/rdma-patched-timely.cc',
    'model/congestion/rdma-powertcp-base.cc',
    'model/congestion/rdma-powertcp.cc',
    'model/congestion/rdma-swift.cc',
    'model/congestion/rdma-theta-powertcp.cc',
    'model/congestion/rdma-timely-base.cc',
    'model/congestion/rdma-timely.cc',
    'model/congestion/rdma-windowed.cc',
    'model/fabric/hpcc-dscp-priority-map.cc',
    'model/fabric/hpcc-frame-codec.cc',
    'model/fabric/hpcc-frame.cc',
    'model/fabric/hpcc-node-agenda.cc',
    'model/fabric/hpcc-roce-headers.cc',
    'model/fabric/qbb-channel.cc',
    'model/fabric/qbb-net-device.cc',
    'model/rdma/rdma-application.cc',
    'model/rdma/rdma-host.cc',
    'model/rdma/rdma-nic-scheduler.cc',
    'model/rdma/rdma-requester.cc',
    'model/rdma/rdma-responder.cc',
    'model/rdma/rdma-timer-heap.cc',
    'model/switch/hpcc-ecmp-table.cc',
    'model/switch/hpcc-ecn-marker.cc',
    'model/switch/hpcc-feedback-attacker.cc',
    'model/switch/hpcc-shared-buffer.cc',
    'model/switch/hpcc-telemetry-agent.cc',
    'model/switch/hpcc-telemetry-border.cc',
    'model/switch/qbb-switch.cc',
    'model/telemetry/hpcc-csig-format.cc',
    'model/telemetry/hpcc-feedback-authenticator.cc',
    'model/telemetry/hpcc-idle-path-forger.cc',
    'model/telemetry/hpcc-ifa-format.cc',
    'model/telemetry/hpcc-int-md-format.cc',
    'model/telemetry/hpcc-ioam-trace-format.cc',
    'model/telemetry/hpcc-presets.cc',
    'model/telemetry/hpcc-reflection-header.cc',
    'model/telemetry/hpcc-sigcomm19-format.cc',
    'model/telemetry/hpcc-stacked-format.cc',
    'model/telemetry/hpcc-telemetry-format.cc',
]
headers = [
    'helper/hpcc-authors-config.h',
    'helper/hpcc-authors-run.h',
    'helper/hpcc-csv-file.h',
    'helper/hpcc-experiment.h',
    'helper/hpcc-fabric-helper.h',
    'helper/hpcc-flow-sizes.h',
    'helper/hpcc-flow-trace.h',
    'helper/hpcc-histogram.h',
    'helper/hpcc-monitor.h',
    'helper/hpcc-topology.h',
    'helper/hpcc-word-reader.h',
    'helper/hpcc-workload-monitor.h',
    'helper/hpcc-workload.h',
    'model/congestion/hpcc-feedback-check.h',
    'model/congestion/hpcc-law.h',
    'model/congestion/rdma-congestion-ops.h',
    'model/congestion/rdma-dcqcn.h',
    'model/congestion/rdma-dctcp.h',
    'model/congestion/rdma-hpcc-base.h',
    'model/congestion/rdma-hpcc-plus-plus.h',
    'model/congestion/rdma-hpcc.h',
    'model/congestion/rdma-no-congestion-control.h',
    'model/congestion/rdma-patched-timely.h',
    'model/congestion/rdma-powertcp-base.h',
    'model/congestion/rdma-powertcp.h',
    'model/congestion/rdma-swift.h',
    'model/congestion/rdma-theta-powertcp.h',
    'model/congestion/rdma-timely-base.h',
    'model/congestion/rdma-timely.h',
    'model/congestion/rdma-windowed.h',
    'model/fabric/hpcc-drop-reason.h',
    'model/fabric/hpcc-dscp-priority-map.h',
    'model/fabric/hpcc-frame-codec.h',
    'model/fabric/hpcc-frame-handler.h',
    'model/fabric/hpcc-frame.h',
    'model/fabric/hpcc-node-agenda.h',
    'model/fabric/hpcc-port-agent.h',
    'model/fabric/hpcc-roce-headers.h',
    'model/fabric/qbb-channel.h',
    'model/fabric/qbb-net-device.h',
    'model/rdma/rdma-application.h',
    'model/rdma/rdma-departures.h',
    'model/rdma/rdma-host.h',
    'model/rdma/rdma-nic-scheduler.h',
    'model/rdma/rdma-queue-pair.h',
    'model/rdma/rdma-timer-heap.h',
    'model/switch/hpcc-ecmp-table.h',
    'model/switch/hpcc-ecn-marker.h',
    'model/switch/hpcc-feedback-attacker.h',
    'model/switch/hpcc-rate-entry.h',
    'model/switch/hpcc-shared-buffer.h',
    'model/switch/hpcc-telemetry-agent.h',
    'model/switch/hpcc-telemetry-border.h',
    'model/switch/qbb-switch.h',
    'model/telemetry/hpcc-compat.h',
    'model/telemetry/hpcc-csig-format.h',
    'model/telemetry/hpcc-feedback-authenticator.h',
    'model/telemetry/hpcc-hop-telemetry.h',
    'model/telemetry/hpcc-idle-path-forger.h',
    'model/telemetry/hpcc-ifa-format.h',
    'model/telemetry/hpcc-int-md-format.h',
    'model/telemetry/hpcc-ioam-trace-format.h',
    'model/telemetry/hpcc-presets.h',
    'model/telemetry/hpcc-reflection-header.h',
    'model/telemetry/hpcc-sigcomm19-format.h',
    'model/telemetry/hpcc-stacked-format.h',
    'model/telemetry/hpcc-telemetry-format.h',
    'model/telemetry/hpcc-telemetry-inventory.h',
]
tests = [
    'test/hpcc-claims-test-suite.cc',
    'test/hpcc-delay-policies-test-suite.cc',
    'test/hpcc-determinism-test-suite.cc',
    'test/hpcc-fabric-test-suite.cc',
    'test/hpcc-formats-test-suite.cc',
    'test/hpcc-incast-test-suite.cc',
    'test/hpcc-integrity-test-suite.cc',
    'test/hpcc-ioam-test-suite.cc',
    'test/hpcc-lossless-test-suite.cc',
    'test/hpcc-markings-test-suite.cc',
    'test/hpcc-rdma-test-suite.cc',
    'test/hpcc-run-test-suite.cc',
    'test/hpcc-signatures-test-suite.cc',
    'test/hpcc-switch-test-suite.cc',
]
# source lists end


def build(bld):
    with open(bld.top_dir + '/VERSION') as file:
        ns3_version = file.readline().strip()

    module = bld.create_ns3_module('hpcc', ['core', 'network', 'internet'])
    module.source = sources
    module.env.append_value('CXXFLAGS', '-std=c++17')
    module.lib = ['crypto']
    module.env.append_value('DEFINES', [
        'HPCC_VERSION="%s"' % version,
        'HPCC_NS3_VERSION="%s"' % ns3_version,
        'HPCC_DATA_DIR="%s/helper/data"' % bld.path.abspath(),
    ])

    module_test = bld.create_ns3_module_test_library('hpcc')
    module_test.source = tests

    headers_target = bld(features='ns3header')
    headers_target.module = 'hpcc'
    headers_target.source = headers

    if bld.env.ENABLE_EXAMPLES:
        bld.recurse('examples')
