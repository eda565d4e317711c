# SPDX-License-Identifier: MIT
# Headers that belong to no processor, for cross compilers: by links of their own, because the rest
# of /usr/include is the build machine's. For CMAKE_PROJECT_TOP_LEVEL_INCLUDES.
set(cross_headers "${CMAKE_BINARY_DIR}/cross_headers")
file(MAKE_DIRECTORY "${cross_headers}")
foreach(library IN ITEMS xsimd catch2)
  if(NOT EXISTS "/usr/include/${library}")
    message(FATAL_ERROR "A cross build takes the headers of ${library} from /usr/include.")
  endif()
  file(CREATE_LINK "/usr/include/${library}" "${cross_headers}/${library}" SYMBOLIC)
endforeach()
foreach(target IN ITEMS xsimd Catch2::Catch2)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE "${cross_headers}")
endforeach()
# Where Debian keeps the module of Catch2.
file(GLOB catch2_module /usr/lib/cmake/Catch2 /usr/lib/*/cmake/Catch2 /usr/share/cmake/Catch2)
list(APPEND CMAKE_MODULE_PATH ${catch2_module})
# Found packages would be the build machine's.
foreach(package IN ITEMS xtensor Boost ZLIB CLI11 benchmark)
  set(CMAKE_DISABLE_FIND_PACKAGE_${package} ON)
endforeach()
