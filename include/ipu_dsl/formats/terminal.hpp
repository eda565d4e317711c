// SPDX-License-Identifier: MIT
// Whether somebody may be looking.
#pragma once

#include <cstdio>

#include <ipu_dsl/formats/file_replacement.hpp>

namespace ipu_dsl {

/// True if what is written to `file` appears on a terminal. Elsewhere than on POSIX systems nobody
/// knows, and it is false.
inline bool is_terminal(std::FILE* file) {
#if IPU_DSL_POSIX_FILES
  return ::isatty(::fileno(file)) == 1;
#else
  static_cast<void>(file);
  return false;
#endif
}

}  // namespace ipu_dsl
