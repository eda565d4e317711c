// SPDX-License-Identifier: MIT
// Reference unit for compile cost: what the lowest floor costs whoever includes it.
#include <ipu_dsl/core/problem.hpp>

/// Builds one sentence at run time, so that the unit holds a symbol of the library.
ipu_dsl::sentence sentence_of(const ipu_dsl::problem& found);

ipu_dsl::sentence sentence_of(const ipu_dsl::problem& found) {
  return found.message();
}
