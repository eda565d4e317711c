# SPDX-License-Identifier: MIT
# The opt-in parts of the library: a target ipu_dsl::<component> for each whose package is found.
# Used by the source tree and by the installed package alike, so that both mean the same.

set(ipu_dsl_package_of_gzip ZLIB)
set(ipu_dsl_target_of_gzip ZLIB::ZLIB)
set(ipu_dsl_package_of_xtensor xtensor)
set(ipu_dsl_target_of_xtensor xtensor)
set(ipu_dsl_package_of_hana Boost)
set(ipu_dsl_target_of_hana Boost::headers)

# Two components need no package: they are the library again, in a form that compiles faster. What
# they build is built with the compiler and the flags of whoever asks for them.
set(ipu_dsl_compiled_source "${CMAKE_CURRENT_LIST_DIR}/compiled.cpp")
if(NOT EXISTS "${ipu_dsl_compiled_source}")
  set(ipu_dsl_compiled_source "${CMAKE_CURRENT_LIST_DIR}/../src/compiled.cpp")
endif()

# ipu_dsl::compiled: what depends on no model, compiled once, in a static library.
macro(ipu_dsl_add_compiled)
  add_library(ipu_dsl_compiled STATIC EXCLUDE_FROM_ALL "${ipu_dsl_compiled_source}")
  add_library(ipu_dsl::compiled ALIAS ipu_dsl_compiled)
  target_link_libraries(ipu_dsl_compiled PUBLIC ipu_dsl::ipu_dsl)
  target_compile_definitions(ipu_dsl_compiled PUBLIC IPU_DSL_COMPILED)
  set_target_properties(ipu_dsl_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endmacro()

# ipu_dsl::precompiled: every target that links it has <ipu_dsl/ipu_dsl.hpp> precompiled.
macro(ipu_dsl_add_precompiled)
  add_library(ipu_dsl_precompiled INTERFACE)
  add_library(ipu_dsl::precompiled ALIAS ipu_dsl_precompiled)
  target_link_libraries(ipu_dsl_precompiled INTERFACE ipu_dsl::ipu_dsl)
  target_precompile_headers(ipu_dsl_precompiled INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:<ipu_dsl/ipu_dsl.hpp$<ANGLE-R>>")
endmacro()

# Defines the components named and lists those that could be in IPU_DSL_COMPONENTS_FOUND.
macro(ipu_dsl_add_components)
  set(IPU_DSL_COMPONENTS_FOUND "")
  foreach(component IN ITEMS ${ARGN})
    if(component MATCHES "^(pre)?compiled$")
      list(APPEND IPU_DSL_COMPONENTS_FOUND ${component})
      if(NOT TARGET ipu_dsl::${component})
        cmake_language(CALL ipu_dsl_add_${component})
      endif()
      continue()
    endif()
    if(NOT DEFINED ipu_dsl_package_of_${component})
      continue()
    endif()
    if(NOT TARGET ${ipu_dsl_target_of_${component}})
      find_package(${ipu_dsl_package_of_${component}} QUIET)
    endif()
    if(TARGET ${ipu_dsl_target_of_${component}})
      list(APPEND IPU_DSL_COMPONENTS_FOUND ${component})
      if(NOT TARGET ipu_dsl::${component})
        add_library(ipu_dsl::${component} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(ipu_dsl::${component} INTERFACE
          ipu_dsl::ipu_dsl ${ipu_dsl_target_of_${component}})
      endif()
    endif()
  endforeach()
endmacro()
