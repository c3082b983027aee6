# SPDX-License-Identifier: GPL-2.0-only
#
# Read by ctest when it starts: adds each TestSuite that ${runner} lists as a test.
# The environment variable HPCC_FULLNESS chooses between QUICK (default), EXTENSIVE and TAKES_FOREVER.

set(fullness "$ENV{HPCC_FULLNESS}")
if(fullness STREQUAL "")
  set(fullness QUICK)
endif()
if(EXISTS "${runner}")
  execute_process(
    COMMAND "${runner}" --list
    OUTPUT_VARIABLE suites
    ERROR_VARIABLE error
    RESULT_VARIABLE result
  )
  if(NOT result EQUAL 0 OR suites STREQUAL "")
    message(FATAL_ERROR "${runner} --list failed (${result}): ${suites}${error}")
  endif()
  string(STRIP "${suites}" suites)
  string(REGEX REPLACE "[ \n]+" ";" suites "${suites}")
  foreach(suite IN LISTS suites)
    add_test(${suite} "${runner}" --verbose --fullness=${fullness} --suite=${suite})
    set_tests_properties(${suite} PROPERTIES TIMEOUT 1200)
  endforeach()
else()
  add_test(hpcc-test-runner_NOT_BUILT "${runner}")
endif()
