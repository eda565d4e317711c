// SPDX-License-Identifier: MIT
// What a refused call says.
#pragma once

#include <string>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl::tests {

/// The sentence of the `error` that `call` throws; empty if it throws none.
template <typename Call>
std::string sentence_of(const Call& call) {
  try {
    call();
  } catch (const error& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace ipu_dsl::tests
