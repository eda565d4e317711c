# SPDX-License-Identifier: MIT
# Flags of our own tests, examples and benchmarks. They live on these targets and nowhere else.
include(CheckCXXSourceCompiles)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Warnings, for programs that choose processor and optimisation themselves.
add_library(ipu_dsl_strict INTERFACE)
target_link_libraries(ipu_dsl_strict INTERFACE ipu_dsl)

set(ipu_dsl_warnings
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wimplicit-fallthrough)
target_compile_options(ipu_dsl_strict INTERFACE
  ${ipu_dsl_warnings}
  $<$<BOOL:${IPU_DSL_WARNINGS_AS_ERRORS}>:-Werror>
  # clang 19 warns of its own -march=native where a processor has AVX10.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-invalid-feature-combination>)

add_library(ipu_dsl_dev INTERFACE)
target_link_libraries(ipu_dsl_dev INTERFACE ipu_dsl_strict)
set(ipu_dsl_march "")
if(IPU_DSL_MARCH)
  set(ipu_dsl_march "-march=${IPU_DSL_MARCH}")
endif()
target_compile_options(ipu_dsl_dev INTERFACE
  ${ipu_dsl_march}
  # The numbers are the same at -O3, the build takes longer and the kernels gain nothing. Targets with
  # the property IPU_DSL_EVALUATED are for the most part evaluated by the compiler and run little: they
  # take a fifth to half less time to build at -O0.
  $<$<CONFIG:Release>:$<IF:$<BOOL:$<TARGET_PROPERTY:IPU_DSL_EVALUATED>>,-O0,-O2>>)

# g++ clears up behind itself while it compiles, which takes up to a sixth of the time. Where each
# processor has 4 GB it need not: what takes 1 GB with it takes 2 without.
cmake_host_system_information(RESULT ipu_dsl_memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT ipu_dsl_processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR ipu_dsl_memory_of_processor "${ipu_dsl_memory} / ${ipu_dsl_processors}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND ipu_dsl_memory_of_processor GREATER_EQUAL 4000)
  target_compile_options(ipu_dsl_strict INTERFACE "SHELL:--param ggc-min-heapsize=1000000")
endif()

# A precompiled header forgets where g++ 12 shall not warn of its own vector instructions.
set(ipu_dsl_precompiled_options "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(ipu_dsl_precompiled_options -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# What depends on no model, and the header with everything precompiled, at -O2 and for what is
# IPU_DSL_EVALUATED: for presets that build many programs.
if(IPU_DSL_TEST_COMPILED)
  add_library(ipu_dsl_dev_compiled STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/src/compiled.cpp")
  target_compile_definitions(ipu_dsl_dev_compiled PUBLIC IPU_DSL_COMPILED)
  target_link_libraries(ipu_dsl_dev_compiled PUBLIC ipu_dsl_dev)
  target_compile_options(ipu_dsl_dev_compiled PUBLIC ${ipu_dsl_precompiled_options})
  file(CONFIGURE OUTPUT empty.cpp CONTENT "")
  foreach(evaluated IN ITEMS OFF ON)
    set(precompiled ipu_dsl_precompiled_evaluated_${evaluated})
    add_library(${precompiled} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
    set_target_properties(${precompiled} PROPERTIES IPU_DSL_EVALUATED ${evaluated})
    target_link_libraries(${precompiled} PRIVATE ipu_dsl_dev_compiled)
    target_precompile_headers(${precompiled} PRIVATE <ipu_dsl/ipu_dsl.hpp>)
  endforeach()
endif()

# ipu_dsl_link_program(<target>): what a program of examples/ and docs/ is built with: headers alone
# or, where IPU_DSL_TEST_COMPILED says so, what compiles in half the time.
function(ipu_dsl_link_program target)
  if(NOT IPU_DSL_TEST_COMPILED)
    target_link_libraries(${target} PRIVATE ipu_dsl_dev)
    return()
  endif()
  get_target_property(evaluated ${target} IPU_DSL_EVALUATED)
  if(NOT evaluated)
    set(evaluated OFF)
  endif()
  target_link_libraries(${target} PRIVATE ipu_dsl_dev_compiled)
  target_precompile_headers(${target} REUSE_FROM ipu_dsl_precompiled_evaluated_${evaluated})
endfunction()

if(IPU_DSL_SANITIZE)
  string(REPLACE ";" "," sanitizers "${IPU_DSL_SANITIZE}")
  target_compile_options(ipu_dsl_dev INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ipu_dsl_dev INTERFACE -fsanitize=${sanitizers})
endif()

# What a build without -march would be disappointed by: said once, where its options are read.
set(CMAKE_REQUIRED_FLAGS "${ipu_dsl_march}")
check_cxx_source_compiles("
#if !defined(__FMA__) && !defined(__aarch64__)
#error
#endif
int main() {}" ipu_dsl_has_fused_multiply_add_${IPU_DSL_MARCH})
unset(CMAKE_REQUIRED_FLAGS)
if(NOT ipu_dsl_has_fused_multiply_add_${IPU_DSL_MARCH})
  message(NOTICE "ipu_dsl: IPU_DSL_MARCH='${IPU_DSL_MARCH}' has no fused multiply-add; programs "
    "take several times as long and end in other bits than with native or x86-64-v3.")
endif()
