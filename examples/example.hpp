// SPDX-License-Identifier: MIT
// What every program here does around its work.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace example {

/// False if nobody takes what the program prints, as after `program >&-`. The next file it opens
/// would be taken for standard output.
inline bool has_standard_output() {
#if defined(__unix__) || defined(__APPLE__)
  return ::fcntl(STDOUT_FILENO, F_GETFD) != -1;
#else
  return true;
#endif
}

/// 1, with a sentence on the error stream.
inline int refused(const char* name, const char* sentence) {
  std::fprintf(stderr, "%s: %s\n", name, sentence);
  return 1;
}

/// Runs `work`, which returns the exit code, and returns it. What it throws, and standard output
/// that did not take all that was printed, are a sentence on the error stream and code 1.
template <typename Work>
int run(const char* name, const Work& work) {
  if (!has_standard_output()) {
    return refused(name, "Cannot print: standard output is closed.");
  }
  int code = 1;
  try {
    code = work();
  } catch (const std::exception& found) {
    code = refused(name, found.what());
  }
  errno = 0;
  // A full disk may have refused an earlier part, which is not said again here.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "%s: Cannot print all to standard output%s%s.\n", name,
                 errno != 0 ? ": " : "", errno != 0 ? std::strerror(errno) : "");
    return 1;
  }
  return code;
}

}  // namespace example
