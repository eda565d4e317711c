// SPDX-License-Identifier: MIT
// Where tests find the real MNIST.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <ipu_dsl/data/mnist.hpp>
#if __has_include(<zlib.h>)
#include <ipu_dsl/formats/gzip.hpp>
#endif

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

inline std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// The data of the directory IPU_DSL_MNIST. Nothing, with a sentence, if it is not set; under CI
/// that is a failure.
inline std::optional<mnist::data> real_mnist() {
  const std::string directory = environment("IPU_DSL_MNIST");
  if (directory.empty() || !std::filesystem::is_directory(directory)) {
    if (environment("CI") == "true") {
      FAIL("IPU_DSL_MNIST must name the directory of the MNIST files under CI.");
    }
    std::printf("Skipped: set IPU_DSL_MNIST to the directory of the MNIST files to run this.\n");
    return std::nullopt;
  }
#if __has_include(<zlib.h>)
  return mnist::load(directory, read_file_or_gzip);
#else
  return mnist::load(directory);
#endif
}

}  // namespace ipu_dsl::tests
