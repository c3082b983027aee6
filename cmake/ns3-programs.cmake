# SPDX-License-Identifier: GPL-2.0-only
#
# Programs that ship with ns-3, changed by examples/ns3-programs/*.patch, for test/ns3-programs.py.
# Their source is the ns-3 tree or, in the standalone build, HPCC_NS3_SOURCE if it is set.

set(hpcc_ns3_source "")
if(HPCC_NS3_SOURCE)
  set(hpcc_ns3_source "${HPCC_NS3_SOURCE}")
elseif(EXISTS ${CMAKE_SOURCE_DIR}/examples/udp/udp-echo.cc)
  set(hpcc_ns3_source ${CMAKE_SOURCE_DIR})
endif()
if(hpcc_ns3_source)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_filename_component(hpcc_directory ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
  file(GLOB patches ${hpcc_directory}/examples/ns3-programs/*.patch)
  foreach(patch IN LISTS patches)
    get_filename_component(name ${patch} NAME_WE)
    set(program ${CMAKE_BINARY_DIR}/ns3-programs/qbb-${name}.cc)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -B ${hpcc_directory}/test/ns3-programs.py apply
              ${hpcc_ns3_source} ${patch} ${program} RESULT_VARIABLE result
    )
    if(NOT result EQUAL 0)
      message(WARNING "qbb-${name} is not built: its patch does not fit ${hpcc_ns3_source}")
      continue()
    endif()
    set_source_files_properties(${program} PROPERTIES COMPILE_OPTIONS -w)
    build_lib_example(
      NAME qbb-${name}
      SOURCE_FILES ${program}
      LIBRARIES_TO_LINK ${libhpcc} ${libcore} ${libnetwork} ${libinternet} ${libapplications}
    )
  endforeach()
endif()
