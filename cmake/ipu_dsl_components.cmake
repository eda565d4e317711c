# SPDX-License-Identifier: MIT
# The opt-in parts of the library: a target ipu_dsl::<component> for each whose package is found.
# Used by the source tree and by the installed package alike, so that both mean the same.

set(ipu_dsl_package_of_gzip ZLIB)
set(ipu_dsl_target_of_gzip ZLIB::ZLIB)
set(ipu_dsl_package_of_xtensor xtensor)
set(ipu_dsl_target_of_xtensor xtensor)
set(ipu_dsl_package_of_hana Boost)
set(ipu_dsl_target_of_hana Boost::headers)

# Defines the components named and lists those that could be in IPU_DSL_COMPONENTS_FOUND.
macro(ipu_dsl_add_components)
  set(IPU_DSL_COMPONENTS_FOUND "")
  foreach(component IN ITEMS ${ARGN})
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
