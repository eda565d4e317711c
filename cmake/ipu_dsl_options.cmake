# SPDX-License-Identifier: MIT
# Every option of the build, and the one line each gets in the summary.

option(IPU_DSL_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(IPU_DSL_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(IPU_DSL_BUILD_LARGE_EXAMPLES "With those that take minutes to compile" ON)
option(IPU_DSL_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(IPU_DSL_WARNINGS_AS_ERRORS "Warnings of our own code are errors" ${PROJECT_IS_TOP_LEVEL})
set(ipu_dsl_default_march "")
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING)
  set(ipu_dsl_default_march native)
endif()
set(IPU_DSL_MARCH "${ipu_dsl_default_march}" CACHE STRING
  "The -march of tests, examples and benchmarks: native, x86-64-v3, ...; empty: none")
set(IPU_DSL_SANITIZE "" CACHE STRING
  "Sanitizers of tests and examples: empty, 'address;undefined' or 'thread'")
option(IPU_DSL_TEST_COMPILED
  "Tests of sessions, examples and samples are built with what ipu_dsl::compiled has; otherwise with headers alone" OFF)
set(IPU_DSL_TESTS_ELSEWHERE "" CACHE STRING
  "Rooms whose tests are left to other builds: 'runtime;training'")
option(IPU_DSL_TEST_ALL
  "With the tests of which another compiler, or a build without sanitizers, says the same" ON)

get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT is_multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

function(ipu_dsl_print_summary)
  message(STATUS "ipu_dsl ${PROJECT_VERSION}")
  message(STATUS "  compiler                      ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  message(STATUS "  CMAKE_BUILD_TYPE              ${CMAKE_BUILD_TYPE}")
  foreach(name IN ITEMS BUILD_TESTS BUILD_EXAMPLES BUILD_LARGE_EXAMPLES BUILD_BENCHMARKS
                        MARCH WARNINGS_AS_ERRORS SANITIZE TEST_COMPILED TESTS_ELSEWHERE TEST_ALL)
    string(LENGTH "${name}" length)
    math(EXPR padding "22 - ${length}")
    string(REPEAT " " ${padding} spaces)
    message(STATUS "  IPU_DSL_${name}${spaces}${IPU_DSL_${name}}")
  endforeach()
  message(STATUS "  components found              ${IPU_DSL_COMPONENTS_FOUND}")
  if(IPU_DSL_BUILD_TESTS)
    get_property(test_files GLOBAL PROPERTY IPU_DSL_TEST_FILES)
    message(STATUS "  test files                    ${test_files}")
  endif()
endfunction()
