# SPDX-License-Identifier: MIT
# Where third-party packages come from: the system first. Only a build of ipu_dsl itself (top level)
# downloads what is missing, pinned; a consumer never downloads anything.
# The downloads are UNTESTED: the project is developed offline against the packages of Debian 12,
# and the pins are the versions packaged there.
# Declared at top level only: the first declaration of a name wins, and it is the consumer's to make.
if(PROJECT_IS_TOP_LEVEL)
  include(FetchContent)
  FetchContent_Declare(Catch2
    GIT_REPOSITORY https://github.com/catchorg/Catch2.git
    GIT_TAG 182c910b4b63ff587a3440e08f84f70497e49a81  # v2.13.10
    SYSTEM)
  FetchContent_Declare(benchmark
    GIT_REPOSITORY https://github.com/google/benchmark.git
    GIT_TAG d572f4777349d43653b21d6c2fc63020ab326db2  # v1.7.1
    SYSTEM)
  # These two are pinned by the tag of the release, as its commit could not be looked up offline.
  FetchContent_Declare(xsimd
    GIT_REPOSITORY https://github.com/xtensor-stack/xsimd.git
    GIT_TAG 8.1.0
    SYSTEM)
  FetchContent_Declare(xtl
    GIT_REPOSITORY https://github.com/xtensor-stack/xtl.git
    GIT_TAG 0.7.2
    SYSTEM)
endif()

# Finds `package`, or fetches it if we are the top level project. `target` is what it must define.
macro(ipu_dsl_require package target debian_package)
  if(NOT TARGET ${target})
    find_package(${package} QUIET)
  endif()
  if(NOT TARGET ${target})
    if(NOT PROJECT_IS_TOP_LEVEL)
      message(FATAL_ERROR
        "ipu_dsl needs ${package}, which was not found: install it (Debian: ${debian_package}) "
        "or define its target ${target} before adding ipu_dsl.")
    endif()
    message(STATUS "ipu_dsl: ${package} was not found and is downloaded (untested, see "
                   "cmake/ipu_dsl_dependencies.cmake); Debian packages it as ${debian_package}")
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

ipu_dsl_require(xsimd xsimd libxsimd-dev)
if(xsimd_VERSION AND xsimd_VERSION VERSION_LESS 8.1)
  message(FATAL_ERROR "ipu_dsl needs xsimd 8.1 or later, found ${xsimd_VERSION}.")
endif()
# Debian's xsimd 8.1 names xtl as a link library without looking for it; a plain name would be -lxtl.
get_target_property(libraries_of_xsimd xsimd INTERFACE_LINK_LIBRARIES)
if("xtl" IN_LIST libraries_of_xsimd)
  ipu_dsl_require(xtl xtl xtl-dev)
endif()
find_package(Threads REQUIRED)
