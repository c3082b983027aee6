# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the targets of an installed ns-3 usable, after find_package(ns3).

# Debian's exported targets name absolute paths of development files that libns3-dev does not
# depend on (libgsl.so, libxml2.so, ...). The ns-3 libraries record their dependencies themselves,
# so libraries that do not exist are removed. Of the include directories only those of ns-3 are
# kept, so that installing a package later does not change the compiler's command line.
function(hpcc_drop_foreign_paths target)
  foreach(property INTERFACE_LINK_LIBRARIES INTERFACE_INCLUDE_DIRECTORIES)
    get_target_property(items ${target} ${property})
    if(NOT items)
      continue()
    endif()
    set(needed "")
    if(property STREQUAL "INTERFACE_INCLUDE_DIRECTORIES")
      set(needed "/ns3")
    endif()
    set(kept "")
    foreach(item IN LISTS items)
      if(NOT IS_ABSOLUTE "${item}" OR EXISTS "${item}${needed}")
        list(APPEND kept "${item}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES ${property} "${kept}")
  endforeach()
endfunction()

get_property(hpcc_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS hpcc_imported)
  get_target_property(type ${target} TYPE)
  if(target MATCHES "^ns3::" AND type MATCHES "LIBRARY")
    hpcc_drop_foreign_paths(${target})
  endif()
endforeach()
