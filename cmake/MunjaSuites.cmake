# Read by ctest for a program whose suites are tests of ctest (munja_test_program): asks the program for its suites
# when it is newer than their list, and adds one test for each, "PREFIX/Suite".
function(munja_add_suites program target prefix list cost environment)
  if(NOT EXISTS ${program})
    add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
    return()
  endif()
  if(NOT EXISTS ${list} OR ${program} IS_NEWER_THAN ${list})
    execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE output RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${program} does not list its tests: ${result}")
    endif()
    string(REGEX MATCHALL "(^|\n)[^ \n]+\\." suites "${output}")
    set(text)
    foreach(suite IN LISTS suites)
      string(REGEX REPLACE "^\n|\\.$" "" suite "${suite}")
      set(name "${prefix}/${suite}")
      # Only what fails is printed: the first lines are what .ci/run shows.
      string(APPEND text "add_test([=[${name}]=] [=[${program}]=] [=[--gtest_filter=${suite}.*]=] --gtest_brief=1)\n"
                         "set_tests_properties([=[${name}]=] PROPERTIES LABELS [=[${prefix}]=] TIMEOUT 900 COST ${cost}"
                         " ENVIRONMENT [=[${environment}]=])\n")
    endforeach()
    file(WRITE ${list} "${text}")
  endif()
  include(${list})
endfunction()
