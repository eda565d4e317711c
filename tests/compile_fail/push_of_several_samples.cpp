// SPDX-License-Identifier: MIT
// A sample pushed into a predictor that takes several in a call.
#include <array>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

struct net : model<input<8>, sequential<Dense<3>>> {};

#ifdef WITH_MISTAKE
using chosen = micro_batch<2>;
#else
using chosen = micro_batch<1>;
#endif

}  // namespace

void push_one(predictor<net, chosen>& stream, const std::array<float, 8>& sample) {
  static_cast<void>(stream.push(sample));
}
