// SPDX-License-Identifier: MIT
// Errors of the run time, and the one place that decides how they are told. Off the check path: a
// model is checked without this header.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/sentence_of.hpp>

// Functions that throw and functions that stop the program are different ones, so that translation
// units with and without exceptions can be linked together.
#if defined(__cpp_exceptions)
#define IPU_DSL_ERRORS errors_are_thrown
#else
#define IPU_DSL_ERRORS errors_stop_the_program
#endif

namespace ipu_dsl {

/// Thrown for everything that is refused at run time: a file that is not what it claims, a batch of
/// the wrong extents, a step count that does not divide. `what()` is one sentence; nothing has been
/// changed when it is thrown.
class error : public std::runtime_error {
 public:
  explicit error(const char* words) : std::runtime_error(words) {}

  explicit error(const std::string& words) : std::runtime_error(words) {}

  explicit error(const problem& found) : std::runtime_error(found.message().characters) {}
};

inline namespace IPU_DSL_ERRORS {

#if defined(__cpp_exceptions)

/// Throws `error`.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_error(const char* words) {
  throw error(words);
}

#else

/// What is called with the sentence of an error where there are no exceptions. If it returns, the
/// program is aborted.
using error_handler = void (*)(const char* words) noexcept;

/// Writes the sentence to the standard error.
inline void print_error(const char* words) noexcept {
  std::fputs(words, stderr);
  std::fputc('\n', stderr);
}

/// Who is told of errors in a program without exceptions. Set it before there are threads.
inline error_handler on_error = print_error;

/// Calls `on_error`, then aborts.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_error(const char* words) noexcept {
  if (on_error != nullptr) {
    on_error(words);
  }
  std::abort();
}

#endif

/// Refuses what cannot be done, with one sentence, before anything is changed: throws `error`, or
/// calls `on_error` and aborts where the compiler has no exceptions (-fno-exceptions).
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_error(const std::string& words) {
  raise_error(words.c_str());
}

/// The same for a sentence of parts: `raise_error({"axis ", 2, " of the batch"})`. The sentence is
/// joined here: what stands where something is refused is compiled everywhere, and nearly never
/// run.
[[noreturn, gnu::cold, gnu::noinline]] inline void raise_error(
    std::initializer_list<sentence_part> parts) {
  raise_error(joined_parts(parts).data());
}

/// The same for a sentence that took no memory.
[[noreturn]] inline void raise_error(const sentence& words) {
  raise_error(words.characters);
}

}  // namespace IPU_DSL_ERRORS
}  // namespace ipu_dsl
