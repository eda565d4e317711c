// SPDX-License-Identifier: MIT
// Trains on one architecture and compares the weights with the golden ones. Skipped on a processor
// that lacks what the program was compiled for, and under `--print` only says what it found.
#include "architectures/programs/golden_weights.hpp"

#include <cstring>

#include "architectures/programs/processor.hpp"

using namespace ipu_dsl;

#define IPU_DSL_TEXT(name) #name
#define IPU_DSL_TEXT_OF(macro) IPU_DSL_TEXT(macro)

int main(int count, char** arguments) {
  constexpr char name[] = IPU_DSL_TEXT_OF(IPU_DSL_ARCHITECTURE);
  if (!tests::processor_has_what_this_needs()) {
    std::printf("skipped: this processor cannot run %s\n", name);
    return 77;
  }
  const tests::training_outcome found = tests::IPU_DSL_ARCHITECTURE::trained_weights();
  if (count > 1 && std::strcmp(arguments[1], "--print") == 0) {
    std::printf("%s %016" PRIx64 "\n", found.fused_multiply_add ? "fused" : "unfused",
                found.weights);
    return 0;
  }
  return tests::is_golden(name, found) ? 0 : 1;
}
