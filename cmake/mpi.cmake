# SPDX-License-Identifier: GPL-2.0-only
#
# MPI in the standalone build. A distribution's ns-3 comes without its module mpi, which nothing else
# in it depends on: with HPCC_MPI_SOURCE that module alone is built from source.

set(hpcc_mpi_libraries "")
if(NOT HPCC_MPI_SOURCE AND NOT TARGET ns3::libmpi AND NOT TARGET ns3::mpi)
  list(FILTER hpcc_sources EXCLUDE REGEX "hpcc-mpi-")
  list(FILTER hpcc_headers EXCLUDE REGEX "hpcc-mpi-")
  return()
endif()

find_package(MPI REQUIRED COMPONENTS CXX)
if(HPCC_MPI_SOURCE)
  file(GLOB hpcc_mpi_sources ${HPCC_MPI_SOURCE}/model/*.cc)
  file(GLOB hpcc_mpi_headers ${HPCC_MPI_SOURCE}/model/*.h)
  if(NOT hpcc_mpi_sources)
    message(FATAL_ERROR "HPCC_MPI_SOURCE: ${HPCC_MPI_SOURCE} is not the directory src/mpi of ns-3")
  endif()
  foreach(header IN LISTS hpcc_mpi_headers)
    get_filename_component(name ${header} NAME)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/mpi-include/ns3/${name} CONTENT "#include \"${header}\"\n")
  endforeach()
  add_library(ns3-mpi SHARED ${hpcc_mpi_sources})
  set_target_properties(ns3-mpi PROPERTIES CXX_STANDARD 17)
  target_include_directories(ns3-mpi SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/mpi-include)
  target_link_libraries(ns3-mpi PUBLIC ${libcore} ${libnetwork} MPI::MPI_CXX)
  set(hpcc_mpi_libraries ns3-mpi)
elseif(TARGET ns3::libmpi)
  set(hpcc_mpi_libraries ns3::libmpi MPI::MPI_CXX)
else()
  set(hpcc_mpi_libraries ns3::mpi MPI::MPI_CXX)
endif()
