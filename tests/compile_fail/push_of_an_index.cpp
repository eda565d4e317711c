// SPDX-License-Identifier: MIT
// An index pushed by itself, where an array for each input is taken.
#include <array>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

struct words : model<input<dtype::int32, 1>, sequential<Embedding<10, 4>, Flatten, Dense<3>>> {};

}  // namespace

void push_one(predictor<words>& stream) {
#ifdef WITH_MISTAKE
  static_cast<void>(stream.push(3));
#else
  static_cast<void>(stream.push(std::array{3}));
#endif
}
