# SPDX-License-Identifier: GPL-2.0-only
#
# The standalone build: the library, the examples and the tests against an installed ns-3.

option(HPCC_TESTS "Build the tests (needs GoogleTest)" ON)
option(HPCC_LOG "Compile NS_LOG and NS_ASSERT into this module" OFF)
option(HPCC_WERROR "Treat warnings as errors" OFF)
option(HPCC_SANITIZE "Build with the address and undefined behavior sanitizers" OFF)
set(HPCC_MPI_SOURCE "" CACHE PATH "Directory src/mpi of the source of the ns-3 used: build with MPI")
set(HPCC_NS3_SOURCE "" CACHE PATH "Source tree of ns-3, 3.37 or later, for tests with its own programs")
option(HPCC_IP "Build model/ip and helper/ip: HPCC++ for ns-3's TCP and UDP, iWARP, segmentation offload" ON)
option(HPCC_PARALLEL "Build model/parallel, where there is MPI" ON)
set(HPCC_ASTRA_SIM "" CACHE PATH "Checkout of ASTRA-sim that the program hpcc-astra-sim is linked with")
set(HPCC_ASTRA_SIM_LIBRARY "" CACHE FILEPATH "libAstraSim.a that was built in HPCC_ASTRA_SIM")
option(HPCC_FUZZ "Build the fuzzers of test/fuzz (needs clang), with the sanitizers" OFF)

set(hpcc_left_out "")
if(NOT HPCC_IP)
  if(HPCC_TESTS OR HPCC_FUZZ)
    message(FATAL_ERROR "HPCC_IP=OFF leaves out what the tests need: add -DHPCC_TESTS=OFF -DHPCC_FUZZ=OFF")
  endif()
  list(FILTER hpcc_sources EXCLUDE REGEX "/ip/")
  list(FILTER hpcc_headers EXCLUDE REGEX "/ip/")
  list(FILTER hpcc_private_headers EXCLUDE REGEX "/ip/")
  set(hpcc_left_out hpcc-pairs hpcc-tcp)
endif()
if(NOT HPCC_PARALLEL AND HPCC_MPI_SOURCE)
  message(FATAL_ERROR "HPCC_PARALLEL=OFF and HPCC_MPI_SOURCE do not go together")
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_package(ns3 REQUIRED)
set(hpcc_ns3_version ${ns3_VERSION})
find_package(Boost REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
message(STATUS "ns-3 ${ns3_VERSION}, Boost ${Boost_VERSION}")

include(cmake/ns3-targets.cmake)

# The variables that build_lib() users see in a tree. Exported targets are called ns3::libcore up to
# 3.42 and ns3::core in later versions.
set(hpcc_ns3_libraries "")
foreach(module core network internet traffic-control applications flow-monitor)
  if(TARGET ns3::lib${module})
    set(lib${module} ns3::lib${module})
  elseif(TARGET ns3::${module})
    set(lib${module} ns3::${module})
  else()
    message(FATAL_ERROR "The installed ns-3 lacks the module ${module}")
  endif()
  list(APPEND hpcc_ns3_libraries ${lib${module}})
endforeach()
set(libhpcc hpcc)
include(cmake/mpi.cmake)

# An installed ns-3 does not export the C++ standard that its headers need.
if(NOT CMAKE_CXX_STANDARD)
  if(ns3_VERSION VERSION_GREATER_EQUAL 3.46)
    set(CMAKE_CXX_STANDARD 23)
  elseif(ns3_VERSION VERSION_GREATER_EQUAL 3.42)
    set(CMAKE_CXX_STANDARD 20)
  else()
    set(CMAKE_CXX_STANDARD 17)
  endif()
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Library and programs share one precompiled header, so they are compiled with the same flags.
add_compile_options(-fPIC -Wall -Wextra)
if(HPCC_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 11)
  add_compile_options(-fno-semantic-interposition)
endif()
if(HPCC_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "HPCC_FUZZ needs clang: cmake -DCMAKE_CXX_COMPILER=clang++ -DHPCC_FUZZ=ON")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HPCC_SANITIZE OR HPCC_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(HPCC_LOG)
  add_compile_definitions(NS3_LOG_ENABLE NS3_ASSERT_ENABLE)
endif()

find_program(HPCC_CCACHE ccache)
if(HPCC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${HPCC_CCACHE}
  )
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# ns-3 exports all headers as ns3/NAME.h. Here forwarding headers have these names.
set(hpcc_include ${CMAKE_BINARY_DIR}/include)
file(GLOB hpcc_stale ${hpcc_include}/ns3/*.h)
foreach(header IN LISTS hpcc_headers hpcc_private_headers)
  get_filename_component(name ${header} NAME)
  file(RELATIVE_PATH path ${hpcc_include}/ns3 ${CMAKE_CURRENT_SOURCE_DIR}/${header})
  file(GENERATE OUTPUT ${hpcc_include}/ns3/${name} CONTENT "#include \"${path}\"\n")
  list(REMOVE_ITEM hpcc_stale ${hpcc_include}/ns3/${name})
endforeach()
if(hpcc_stale)
  file(REMOVE ${hpcc_stale})
endif()

# SHARED, because objects that only register a TypeId would not be linked from a static archive;
# --no-as-needed, because the linker would drop ns-3 libraries that are used by TypeId name only.
add_link_options(LINKER:--no-as-needed)
add_library(hpcc SHARED ${hpcc_sources})
set_target_properties(hpcc PROPERTIES DEFINE_SYMBOL "")
target_include_directories(
  hpcc PUBLIC $<BUILD_INTERFACE:${hpcc_include}> $<INSTALL_INTERFACE:include>
)
target_include_directories(hpcc SYSTEM PUBLIC ${Boost_INCLUDE_DIRS})
target_link_libraries(
  hpcc PUBLIC -Wl,--no-as-needed ${hpcc_ns3_libraries} PRIVATE OpenSSL::Crypto
)
target_precompile_headers(hpcc PRIVATE ${hpcc_precompiled})

# A separate target, so that MPI does not change other command lines, which would recompile all files.
if(hpcc_mpi_libraries)
  add_library(hpcc-mpi OBJECT ${hpcc_mpi_parts})
  target_link_libraries(hpcc-mpi PRIVATE ${hpcc_ns3_libraries} ${hpcc_mpi_libraries})
  target_include_directories(hpcc-mpi PRIVATE ${hpcc_include} SYSTEM ${Boost_INCLUDE_DIRS})
  target_sources(hpcc PRIVATE $<TARGET_OBJECTS:hpcc-mpi>)
  foreach(library IN LISTS hpcc_mpi_libraries)
    target_link_libraries(hpcc PRIVATE $<LINK_ONLY:${library}>)
  endforeach()
endif()

function(hpcc_add_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hpcc)
  target_precompile_headers(${name} REUSE_FROM hpcc)
endfunction()

# Lets examples/CMakeLists.txt serve both modes. The parts of an example that tests also link are
# compiled once.
function(build_lib_example)
  cmake_parse_arguments(EXAMPLE "IGNORE_PCH" "NAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK" ${ARGN})
  if(EXAMPLE_NAME IN_LIST hpcc_left_out)
    return()
  endif()
  set(parts ${EXAMPLE_SOURCE_FILES})
  list(FILTER parts INCLUDE REGEX "/")
  list(FILTER EXAMPLE_SOURCE_FILES EXCLUDE REGEX "/")
  if(parts)
    set(study ${EXAMPLE_NAME}-study)
    add_library(${study} OBJECT ${parts})
    target_link_libraries(${study} PRIVATE hpcc)
    target_precompile_headers(${study} REUSE_FROM hpcc)
    list(APPEND EXAMPLE_SOURCE_FILES $<TARGET_OBJECTS:${study}>)
    set_property(GLOBAL APPEND PROPERTY hpcc_study_objects $<TARGET_OBJECTS:${study}>)
  endif()
  hpcc_add_program(${EXAMPLE_NAME} ${EXAMPLE_SOURCE_FILES})
  target_link_libraries(${EXAMPLE_NAME} PRIVATE ${EXAMPLE_LIBRARIES_TO_LINK})
endfunction()
add_subdirectory(examples)
add_dependencies(hpcc-bench hpcc-workload) # hpcc-bench runs hpcc-workload

# Builds further programs in examples/ like those in the source lists.
file(GLOB hpcc_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/examples/*.cc)
foreach(program IN LISTS hpcc_programs)
  get_filename_component(name ${program} NAME_WE)
  if(NOT TARGET ${name} AND NOT name IN_LIST hpcc_left_out)
    hpcc_add_program(${name} ${program})
  endif()
endforeach()

if(HPCC_ASTRA_SIM)
  include(cmake/astra-sim.cmake)
endif()
include(cmake/install.cmake)

if(HPCC_FUZZ)
  add_subdirectory(test/fuzz)
endif()
if(HPCC_TESTS)
  include(cmake/tests.cmake)
endif()

# These tests are separate from the other tests, because a build with MPI is made only for them.
if(hpcc_mpi_libraries AND HPCC_IP)
  enable_testing()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(scenario incast formats feedback failure nic stop delay workload errors killed tcp bench refusals hosts
          job storms idle)
    add_test(NAME mpi-${scenario}
             COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/mpi-ranks.py
                     $<TARGET_FILE_DIR:hpcc-incast> ${scenario}
    )
    set_tests_properties(mpi-${scenario} PROPERTIES TIMEOUT 600 RUN_SERIAL ON SKIP_RETURN_CODE 77)
  endforeach()
endif()
