# SPDX-License-Identifier: MIT
# Installation: headers, the exported target, config and version file, and the source of
# ipu_dsl::compiled, which is built by whoever asks for it.
include(CMakePackageConfigHelpers)

# An xsimd built along with us is no package that an installed ipu_dsl could find again.
get_target_property(xsimd_is_a_package xsimd IMPORTED)
if(NOT xsimd_is_a_package)
  return()
endif()

set(ipu_dsl_config_dir "${CMAKE_INSTALL_DATADIR}/cmake/ipu_dsl")
install(TARGETS ipu_dsl EXPORT ipu_dsl_targets FILE_SET HEADERS)
install(EXPORT ipu_dsl_targets
  NAMESPACE ipu_dsl::
  FILE ipu_dsl-targets.cmake
  DESTINATION "${ipu_dsl_config_dir}")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/ipu_dsl-config.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/ipu_dsl-config.cmake"
  INSTALL_DESTINATION "${ipu_dsl_config_dir}")
# Headers only, so any architecture; before 1.0.0 a minor version may break what used it.
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/ipu_dsl-config-version.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/ipu_dsl-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/ipu_dsl-config-version.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/ipu_dsl_components.cmake"
  "${PROJECT_SOURCE_DIR}/src/compiled.cpp"
  DESTINATION "${ipu_dsl_config_dir}")
