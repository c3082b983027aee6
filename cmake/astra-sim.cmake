# SPDX-License-Identifier: GPL-2.0-only
#
# The program hpcc-astra-sim, linked with the library of ASTRA-sim that the user has built in
# HPCC_ASTRA_SIM. No other program uses this library.

add_executable(
  hpcc-astra-sim EXCLUDE_FROM_ALL examples/astra-sim/hpcc-astra-sim.cc
                                  examples/hpcc-job/hpcc-job-network.cc
)

# Headers of the checkout of ASTRA-sim and of the projects that it contains.
set(astra_chakra ${HPCC_ASTRA_SIM}/extern/graph_frontend/chakra)
target_include_directories(
  hpcc-astra-sim SYSTEM
  PRIVATE ${HPCC_ASTRA_SIM}
          ${astra_chakra}
          ${astra_chakra}/schema/protobuf
          ${astra_chakra}/src/third_party/utils
          ${HPCC_ASTRA_SIM}/extern/helper
          ${HPCC_ASTRA_SIM}/extern/helper/spdlog/include
          ${HPCC_ASTRA_SIM}/extern/helper/fmt/include
)
target_compile_definitions(hpcc-astra-sim PRIVATE SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)

# Libraries that ASTRA-sim needs: those that were built with it or, if there are none, those of the system.
get_filename_component(astra_build ${HPCC_ASTRA_SIM_LIBRARY} DIRECTORY)
get_filename_component(astra_build ${astra_build} DIRECTORY)
target_link_libraries(hpcc-astra-sim PRIVATE hpcc ${HPCC_ASTRA_SIM_LIBRARY})
foreach(name spdlog fmt yaml-cpp protobuf)
  file(GLOB_RECURSE built ${astra_build}/lib${name}.a)
  if(built)
    list(GET built 0 built)
    target_link_libraries(hpcc-astra-sim PRIVATE ${built})
  else()
    target_link_libraries(hpcc-astra-sim PRIVATE ${name})
  endif()
endforeach()
target_link_libraries(hpcc-astra-sim PRIVATE pthread)
