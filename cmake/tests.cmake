# SPDX-License-Identifier: GPL-2.0-only
#
# The standalone build's tests, all of them run by ctest:
#   hpcc-gtest         classes without simulation, GoogleTest; each test is a test of ctest
#   hpcc-test-runner   ns-3 TestSuites; each suite is a test of ctest
#   oracle-frames      frames against scapy and tshark; skipped with a message if these are missing
#   oracle-dissectors  frames against tshark with the dissectors of doc/wireshark; skipped likewise
#   oracle-sacks       sprayed queue pairs with SACKs against tshark; skipped likewise
#   oracle-ioam        IOAM traces against tshark; skipped likewise
#   oracle-tcp-option  options of TCP against tshark; skipped likewise
#   oracle-tcp-formats telemetry in TCP's packets against tshark; skipped likewise
#   oracle-iwarp       RDMA WRITEs over TCP against tshark; skipped likewise
#   oracle-ioam-kernel IOAM traces against routers of the Linux kernel; skipped without root, network
#                      namespaces or iproute2
#   oracle-results     tables of examples against their pcap files
#   plots              the Python scripts that draw figures
#   compare-fct        the comparison of fct files
#   driver             ./hpcc, with stand-ins for the programs that build and install
#   reproduce          the Python scripts of ./hpcc reproduce, and one figure
#   sweep              ./hpcc sweep and the task list: interruption, hosts, Slurm, refusals
#   book               the commands of the book, with a user's project against the installed module
#   book-script        the script that runs these commands
#   installed          a user's format, feedback parts and path selector against the installed module
#   ns3-programs       programs that ship with ns-3, with other devices; skipped unless
#                      HPCC_NS3_SOURCE is set
#   mutants-places     the place of each mutant of test/mutants.txt exists
#   mutants            the Python script of ./hpcc mutants
#   golden             the files of many runs against recorded checksums; skipped with other compilers
#   columns            the columns of all result files against the dictionary doc/columns.txt
#   traceability       the tests that doc/traceability.txt names exist
#   packet-path        the source files that a packet and its ACK run through; skipped without valgrind
#   bad-input          arguments that the examples refuse, and their error messages
#   files-processes    files and processes that the examples leave behind after errors
#   ip-results         the result files of hpcc-tcp against one another, and of hpcc-reclaim
#   relations          changes that must not change the results of hpcc-workload, for every policy
#   pairs              each name of each family occurs in a row of ./hpcc pairs
#   pairs-script       the script of ./hpcc pairs, with a stand-in for the program
#   example-NAME       the runs listed in test/examples-to-run.py, and the files that they write
#   source-lists       see cmake/update-source-lists.py
#   clang-format       the format of all C++ files; skipped with a message without clang-format 14,
#                      because other versions interpret the rules differently

enable_testing()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME source-lists COMMAND ${Python3_EXECUTABLE}
                                   ${CMAKE_CURRENT_SOURCE_DIR}/cmake/update-source-lists.py --check
)
find_program(HPCC_CLANG_FORMAT clang-format-14)
add_test(NAME clang-format COMMAND ${CMAKE_COMMAND} -D clang_format=${HPCC_CLANG_FORMAT} -P
                                   ${CMAKE_CURRENT_SOURCE_DIR}/cmake/check-format.cmake
)
set_tests_properties(clang-format PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: no clang-format-14")

# Tests spend their time in the library, so the code of the tests is compiled at the low optimisation
# LEVEL. With sanitizers, -O0 halves the time of compiling, although it excludes the precompiled header.
function(hpcc_add_test_program name)
  cmake_parse_arguments(PROGRAM "" "LEVEL" "SOURCES;PRECOMPILED" ${ARGN})
  add_executable(${name} ${PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE hpcc)
  if(HPCC_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE ${PROGRAM_LEVEL})
    target_precompile_headers(${name} ${PROGRAM_PRECOMPILED})
  endif()
endfunction()
# Set per file, so that a compiler cache can share all other files between checkouts.
set_source_files_properties(
  test/hpcc-ioam-kernel-gtest.cc test/hpcc-run-draws-test-suite.cc
  test/hpcc-run-keys-test-suite.cc test/hpcc-run-test-suite.cc
  test/hpcc-run-window-test-suite.cc test/hpcc-topology-gtest.cc
  PROPERTIES COMPILE_DEFINITIONS NS_TEST_SOURCEDIR="${CMAKE_CURRENT_SOURCE_DIR}/test"
)

if(hpcc_gtests)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # Precompiled, because GoogleTest's header takes most of the time of compiling such a file.
  hpcc_add_test_program(
    hpcc-gtest
    LEVEL -O1
    SOURCES ${hpcc_gtests} $<TARGET_OBJECTS:hpcc-run-study>
    PRECOMPILED PRIVATE ${hpcc_precompiled} <gtest/gtest.h>
  )
  target_link_libraries(hpcc-gtest PRIVATE GTest::gtest GTest::gtest_main)
  gtest_discover_tests(
    hpcc-gtest
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300
  )
  foreach(oracle frames dissectors sacks ioam ioam-kernel tcp-option tcp-formats iwarp results)
    string(REPLACE "-" "_" script check_${oracle}.py)
    set(programs $<TARGET_FILE:hpcc-gtest>)
    if(oracle STREQUAL ioam)
      list(APPEND programs $<TARGET_FILE:hpcc-incast>)
    elseif(oracle MATCHES "^(tcp-option|tcp-formats|iwarp)$")
      set(programs $<TARGET_FILE:hpcc-tcp>)
    elseif(oracle STREQUAL sacks)
      set(programs $<TARGET_FILE:hpcc-failure>)
    elseif(oracle STREQUAL results)
      set(programs $<TARGET_FILE_DIR:hpcc-incast>)
    endif()
    add_test(NAME oracle-${oracle}
             COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/oracle/${script}
                     ${programs}
    )
    set_tests_properties(oracle-${oracle} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
endif()
add_test(NAME plots COMMAND ${Python3_EXECUTABLE} -B
                            ${CMAKE_CURRENT_SOURCE_DIR}/test/plot-selftest.py
)
set_tests_properties(plots PROPERTIES TIMEOUT 600)
add_test(NAME compare-fct COMMAND ${Python3_EXECUTABLE} -B
                                 ${CMAKE_CURRENT_SOURCE_DIR}/test/compare-fct-selftest.py
)
add_test(NAME driver COMMAND ${Python3_EXECUTABLE} -B
                            ${CMAKE_CURRENT_SOURCE_DIR}/test/driver-selftest.py
)
# The program hpcc-astra-sim, with a stand-in for ASTRA-sim.
hpcc_add_test_program(
  hpcc-astra-stand-in
  LEVEL -O1
  SOURCES examples/astra-sim/hpcc-astra-sim.cc $<TARGET_OBJECTS:hpcc-job-study>
  PRECOMPILED REUSE_FROM hpcc
)
target_include_directories(hpcc-astra-stand-in PRIVATE test/astra-sim)
# Without precompiled headers, like the program itself, because its order of includes matters.
set_target_properties(hpcc-astra-stand-in PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
add_test(NAME astra-sim COMMAND ${Python3_EXECUTABLE} -B
                                ${CMAKE_CURRENT_SOURCE_DIR}/test/astra-sim.py
                                $<TARGET_FILE:hpcc-astra-stand-in>
)
add_test(NAME mutants-places COMMAND ${Python3_EXECUTABLE} -B
                                     ${CMAKE_CURRENT_SOURCE_DIR}/test/mutants.py --check
)
add_test(NAME mutants COMMAND ${Python3_EXECUTABLE} -B
                              ${CMAKE_CURRENT_SOURCE_DIR}/test/mutants-selftest.py
)
add_test(NAME reproduce COMMAND ${Python3_EXECUTABLE} -B
                                ${CMAKE_CURRENT_SOURCE_DIR}/test/reproduce-selftest.py
                                ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(reproduce PROPERTIES TIMEOUT 900)
add_test(NAME sweep COMMAND ${Python3_EXECUTABLE} -B
                            ${CMAKE_CURRENT_SOURCE_DIR}/test/sweep-selftest.py ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(sweep PROPERTIES TIMEOUT 1200)

# TestSuites register themselves in static objects, so they are linked into the runner as object
# files. When ctest starts, it asks the runner for its suites.
if(hpcc_tests)
  get_property(studies GLOBAL PROPERTY hpcc_study_objects)
  hpcc_add_test_program(
    hpcc-test-runner
    LEVEL -O0
    SOURCES test/standalone-main.cc ${hpcc_tests} ${studies}
    PRECOMPILED PRIVATE ${hpcc_precompiled} ${hpcc_test_precompiled}
  )
  file(
    GENERATE
    OUTPUT ${CMAKE_BINARY_DIR}/suites.cmake
    CONTENT
      "set(runner \"$<TARGET_FILE:hpcc-test-runner>\")\ninclude(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/list-suites.cmake\")\n"
  )
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/suites.cmake)
endif()

# The last bits of printed numbers depend on the compiler and on the processor family.
set(hpcc_same_numbers OFF)
set(hpcc_no_output --no-output)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
   AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"
)
  set(hpcc_same_numbers ON)
  set(hpcc_no_output "")
endif()

# Users' programs are built without sanitizers, and a build with ns-3's module mpi cannot be installed.
if(NOT HPCC_SANITIZE AND NOT HPCC_MPI_SOURCE)
  add_test(NAME book COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/book.py
                             ${CMAKE_BINARY_DIR} ${hpcc_no_output}
  )
  set_tests_properties(book PROPERTIES TIMEOUT 1200 COST 1)
  add_test(NAME installed COMMAND ${Python3_EXECUTABLE} -B
                                  ${CMAKE_CURRENT_SOURCE_DIR}/test/installed.py ${CMAKE_BINARY_DIR}
  )
  set_tests_properties(installed PROPERTIES TIMEOUT 600)
endif()
add_test(NAME book-script COMMAND ${Python3_EXECUTABLE} -B
                                  ${CMAKE_CURRENT_SOURCE_DIR}/test/book.py --selftest
)

add_test(NAME ns3-programs COMMAND ${Python3_EXECUTABLE} -B
                                   ${CMAKE_CURRENT_SOURCE_DIR}/test/ns3-programs.py run
                                   ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(ns3-programs PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)

if(hpcc_same_numbers)
  add_test(NAME golden COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/golden.py
                               ${CMAKE_BINARY_DIR}/bin --jobs=1
  )
  set_tests_properties(golden PROPERTIES TIMEOUT 1200)
else()
  add_test(NAME golden COMMAND ${CMAKE_COMMAND} -E echo "skipped: its checksums are of gcc 12 on amd64")
  set_tests_properties(golden PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
endif()

add_test(NAME pairs-script COMMAND ${Python3_EXECUTABLE} -B
                                   ${CMAKE_CURRENT_SOURCE_DIR}/test/pairs-selftest.py
)
add_test(NAME pairs COMMAND ${Python3_EXECUTABLE} -B
                            ${CMAKE_CURRENT_SOURCE_DIR}/examples/hpcc-pairs.py --quick --fresh
                            --bin=${CMAKE_BINARY_DIR}/bin --out=${CMAKE_BINARY_DIR}/pairs --jobs=2
)
set_tests_properties(pairs PROPERTIES TIMEOUT 600 PROCESSORS 2)

add_test(NAME columns COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/columns.py
                              ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(columns PROPERTIES TIMEOUT 300)

add_test(NAME traceability COMMAND ${Python3_EXECUTABLE} -B
                                   ${CMAKE_CURRENT_SOURCE_DIR}/test/traceability.py
)
if(NOT HPCC_SANITIZE)
  add_test(NAME packet-path COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/packet-path.py
                                    ${CMAKE_BINARY_DIR}
  )
  set_tests_properties(packet-path PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
add_test(NAME bad-input COMMAND ${Python3_EXECUTABLE} -B
                                ${CMAKE_CURRENT_SOURCE_DIR}/test/bad-input.py ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(bad-input PROPERTIES TIMEOUT 1200)

add_test(NAME ip-results COMMAND ${Python3_EXECUTABLE} -B
                                 ${CMAKE_CURRENT_SOURCE_DIR}/test/ip-results.py ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(ip-results PROPERTIES TIMEOUT 600)

add_test(NAME relations COMMAND ${Python3_EXECUTABLE} -B
                                ${CMAKE_CURRENT_SOURCE_DIR}/test/relations.py ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(relations PROPERTIES TIMEOUT 600)

add_test(NAME files-processes
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/files-processes.py
                 ${CMAKE_BINARY_DIR}/bin
)
set_tests_properties(files-processes PROPERTIES TIMEOUT 600)
if(HPCC_SANITIZE)
  set_tests_properties(files-processes PROPERTIES ENVIRONMENT HPCC_SANITIZED=1)
endif()

# Starts long tests first, so that none of them runs alone at the end.
set_tests_properties(
  plots reproduce sweep golden pairs-script pairs bad-input files-processes PROPERTIES COST 1
)

set(hpcc_examples_to_run ${CMAKE_CURRENT_SOURCE_DIR}/test/examples-to-run.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${hpcc_examples_to_run})
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/list-tests.py examples
  OUTPUT_VARIABLE runs
  RESULT_VARIABLE result
  OUTPUT_STRIP_TRAILING_WHITESPACE
)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "test/examples-to-run.py cannot be read")
endif()
string(REPLACE "\n" ";" runs "${runs}")
set(number 0)
foreach(run IN LISTS runs)
  separate_arguments(command UNIX_COMMAND "${run}")
  list(POP_FRONT command name)
  if(NOT TARGET ${name})
    message(FATAL_ERROR "test/examples-to-run.py names ${name}, which is no example")
  endif()
  set(test example-${name})
  if(TEST ${test})
    math(EXPR number "${number} + 1")
    set(test example-${name}-${number})
  endif()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/smoke/${test})
  add_test(
    NAME ${test}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/check-example.py
            $<TARGET_FILE:${name}> ${command}
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/smoke/${test}
  )
  set_tests_properties(${test} PROPERTIES TIMEOUT 600)
endforeach()
