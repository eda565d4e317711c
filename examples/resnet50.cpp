// SPDX-License-Identifier: MIT
// ResNet-50, cut behind a layer that is told by name: what each stage has is known when this is
// compiled, and printed as Keras prints it.
#include "models/resnet50.hpp"

#include <cstdint>
#include <cstdio>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/report/summary.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [cut]
// The model is written once and knows of no stages.
static_assert(check<models::resnet50>());

struct in_two : split_at<models::resnet50, "conv4_block2_add"> {};

static_assert(check<in_two>());

// [/cut]

struct contents {
  std::int64_t numbers = 0;
  std::int64_t learned = 0;  ///< of these; the others are running statistics
};

/// What the layers of a stage keep.
constexpr contents contents_of(const graph_view& model, std::int32_t stage) {
  contents found;
  for (const tensor& each : model.tensors) {
    const bool learns = each.role == tensor_role::parameter;
    if ((!learns && each.role != tensor_role::state) || model.nodes[each.owner].stage != stage) {
      continue;
    }
    found.numbers += each.extents.elements();
    found.learned += learns ? each.extents.elements() : 0;
  }
  return found;
}

static_assert(contents_of(graph_of<models::resnet50>, 0).numbers == 25'636'712);
static_assert(contents_of(graph_of<models::resnet50>, 0).learned == 25'583'592);

int print() {
  std::printf("%s\n", summary_text(graph_of<in_two>, "resnet50").c_str());
  for (std::int32_t stage = 0; stage < 2; ++stage) {
    const contents found = contents_of(graph_of<in_two>, stage);
    std::printf("stage %d: %lld numbers, of which %lld are learned\n", stage,
                static_cast<long long>(found.numbers), static_cast<long long>(found.learned));
  }
  return 0;
}

}  // namespace

int main() {
  return example::run("resnet50", print);
}
