# SPDX-License-Identifier: MIT
# Flags of our own tests, examples and benchmarks. They live on this target and nowhere else.

add_library(ipu_dsl_dev INTERFACE)
target_link_libraries(ipu_dsl_dev INTERFACE ipu_dsl)

set(ipu_dsl_warnings
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion -Wimplicit-fallthrough)
target_compile_options(ipu_dsl_dev INTERFACE
  ${ipu_dsl_warnings}
  $<$<BOOL:${IPU_DSL_WARNINGS_AS_ERRORS}>:-Werror>
  $<$<BOOL:${IPU_DSL_NATIVE}>:-march=native>
  # clang 19 warns of its own -march=native where a processor has AVX10.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-invalid-feature-combination>
  # The numbers are the same at -O3, the build takes longer and the kernels gain nothing.
  $<$<CONFIG:Release>:-O2>)

if(IPU_DSL_SANITIZE)
  string(REPLACE ";" "," sanitizers "${IPU_DSL_SANITIZE}")
  target_compile_options(ipu_dsl_dev INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ipu_dsl_dev INTERFACE -fsanitize=${sanitizers})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
