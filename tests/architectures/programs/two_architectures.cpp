// SPDX-License-Identifier: MIT
// One program of two translation units that train the same model, one compiled for AVX2 and one for
// SSE2. Did they share a function, one of the two would end in the weights of the other.
#include "architectures/programs/golden_weights.hpp"

namespace ipu_dsl::tests::for_avx2 {
training_outcome trained_weights();
}

namespace ipu_dsl::tests::for_sse2 {
training_outcome trained_weights();
}

using namespace ipu_dsl;

int main() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::printf("skipped: this processor has no AVX2 with fused multiply-add\n");
    return 77;
  }
  static_assert(tests::golden_fused != tests::golden_unfused);
  const bool avx2 = tests::is_golden("for_avx2", tests::for_avx2::trained_weights());
  const bool sse2 = tests::is_golden("for_sse2", tests::for_sse2::trained_weights());
  return avx2 && sse2 ? 0 : 1;
}
