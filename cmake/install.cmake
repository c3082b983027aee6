# SPDX-License-Identifier: GPL-2.0-only
#
# cmake --install: the library, its headers, the scripts that execute --runs, and the files that
# find_package(hpcc) and pkg-config read.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# With HPCC_MPI_SOURCE, ns-3's module mpi is built from a source tree, to which an installed library
# must not refer.
if(HPCC_MPI_SOURCE)
  install(CODE "message(FATAL_ERROR \"A build with HPCC_MPI_SOURCE cannot be installed; allowed is one without: cmake -DHPCC_MPI_SOURCE= BUILD && cmake --build BUILD\")")
  return()
endif()

set(hpcc_config ${CMAKE_INSTALL_LIBDIR}/cmake/hpcc)
install(TARGETS hpcc EXPORT hpccTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${hpcc_headers} DESTINATION include/ns3)
set(hpcc_scripts ${CMAKE_INSTALL_DATADIR}/hpcc)
file(RELATIVE_PATH hpcc_scripts_from_library /prefix/${CMAKE_INSTALL_LIBDIR} /prefix/${hpcc_scripts})
install(FILES examples/hpcc-repeat.py examples/hpcc_runs.py examples/hpcc_tables.py
              examples/hpcc_tasks.py DESTINATION ${hpcc_scripts}
)
install(EXPORT hpccTargets NAMESPACE hpcc:: DESTINATION ${hpcc_config})
configure_package_config_file(
  cmake/hpccConfig.cmake.in ${CMAKE_BINARY_DIR}/hpccConfig.cmake INSTALL_DESTINATION ${hpcc_config}
)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/hpccConfigVersion.cmake VERSION ${hpcc_version} COMPATIBILITY SameMajorVersion
)
install(FILES ${CMAKE_BINARY_DIR}/hpccConfig.cmake ${CMAKE_BINARY_DIR}/hpccConfigVersion.cmake
              cmake/ns3-targets.cmake DESTINATION ${hpcc_config}
)

# Lists the files of the ns-3 libraries, because files named in ns-3's own .pc files may not exist.
file(RELATIVE_PATH hpcc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(hpcc_ns3_files "")
foreach(library IN LISTS hpcc_ns3_libraries)
  string(APPEND hpcc_ns3_files " $<TARGET_LINKER_FILE:${library}>")
endforeach()
set(hpcc_flags "-std=c++${CMAKE_CXX_STANDARD} -I\${prefix}/include")
get_target_property(hpcc_ns3_includes ${libcore} INTERFACE_INCLUDE_DIRECTORIES)
if(hpcc_ns3_includes)
  list(REMOVE_ITEM hpcc_ns3_includes ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  foreach(include IN LISTS hpcc_ns3_includes)
    string(APPEND hpcc_flags " -isystem ${include}")
  endforeach()
endif()
file(
  GENERATE
  OUTPUT ${CMAKE_BINARY_DIR}/hpcc.pc
  CONTENT
    "prefix=\${pcfiledir}/${hpcc_prefix}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}

Name: hpcc
Description: RDMA networks and HPCC++ for ns-3
Version: ${hpcc_version}
Cflags: ${hpcc_flags}
Libs: -L\${libdir} -Wl,--no-as-needed -lhpcc${hpcc_ns3_files}
"
)
install(FILES ${CMAKE_BINARY_DIR}/hpcc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
