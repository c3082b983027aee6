# SPDX-License-Identifier: GPL-2.0-only
#
# cmake -D clang_format=PROGRAM -P cmake/check-format.cmake: fails if clang-format would change a file.

if(NOT clang_format)
  message("skipped: no clang-format-14 (Debian: apt install clang-format-14)")
  return()
endif()
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(files "")
foreach(directory model helper examples test doc)
  file(GLOB_RECURSE found ${root}/${directory}/*.h ${root}/${directory}/*.cc)
  list(APPEND files ${found})
endforeach()
execute_process(
  COMMAND ${clang_format} --style=file --dry-run --Werror ${files}
  ERROR_VARIABLE errors
  RESULT_VARIABLE result
)
if(NOT result EQUAL 0)
  string(REGEX MATCHALL "[^\n]+:[0-9]+:[0-9]+: error" unformatted "${errors}")
  list(TRANSFORM unformatted REPLACE ":[0-9]+:[0-9]+: error$" "")
  list(REMOVE_DUPLICATES unformatted)
  string(REPLACE ";" " " unformatted "${unformatted}")
  if(NOT unformatted)
    message(FATAL_ERROR "${errors}")
  endif()
  message("Not formatted as .clang-format says. This does it:\n${clang_format} -i ${unformatted}")
  message(FATAL_ERROR "badly formatted")
endif()
