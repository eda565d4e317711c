// SPDX-License-Identifier: MIT
// Graphs without anything that learns, of several inputs and outputs: the reference's own examples
// of sums, on one device and on four.
#include <array>
#include <vector>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// (pa + pb) + (pa + pc)
struct basic_graph {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor pa = build.input("pa", {2});
    const symbolic_tensor pb = build.input("pb", {2});
    const symbolic_tensor pc = build.input("pc", {2});
    const symbolic_tensor first = build.layer<Add>("first", pa, pb);
    const symbolic_tensor second = build.layer<Add>("second", pa, pc);
    return build.layer<Add>("sum", first, second);
  }
};

/// Each sum on a device of its own; all three are added on the last.
struct sharded_graph {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor pa = build.input("pa", {2});
    const symbolic_tensor pb = build.input("pb", {2});
    const symbolic_tensor pc = build.input("pc", {2});
    const symbolic_tensor first = build.layer<Add>("first", pa, pb);
    build.stage(1);
    const symbolic_tensor second = build.layer<Add>("second", pa, pc);
    build.stage(2);
    const symbolic_tensor third = build.layer<Add>("third", pb, pc);
    build.stage(3);
    return build.layer<Add>("sum", first, second, third);
  }
};

/// What is handed out is made in every stage, and an input again.
struct every_stage {
  static constexpr std::array<symbolic_tensor, 3> build(functional_builder& build) {
    const symbolic_tensor pa = build.input("pa", {2});
    const symbolic_tensor pb = build.input("pb", {2});
    const symbolic_tensor first = build.layer<Add>("first", pa, pb);
    build.stage(1);
    const symbolic_tensor second = build.layer<Add>("second", first, pb);
    return {second, first, pa};
  }
};

struct on_one : compile<basic_graph, micro_batch<1>> {};

struct on_four : compile<sharded_graph, micro_batch<1>, inference_micro_batches<8>> {};

struct handed_out : compile<every_stage, micro_batch<2>, inference_micro_batches<4>> {};

constexpr std::array<float, 2> pa{1, 1};
constexpr std::array<float, 2> pb{0, 1};
constexpr std::array<float, 2> pc{1, 5};

}  // namespace

TEST_CASE("the reference's basic graph is [3, 8]") {
  session<on_one> run;
  std::array<float, 2> sum{};
  run.predict(input_arrays{pa, pb, pc}, output_arrays{sum});
  CHECK(sum == std::array<float, 2>{3, 8});
}

TEST_CASE("the reference's graph in four shards is [4, 14], sample for sample") {
  session<on_four> run({}, {.threads = 4});
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;
  for (int sample = 0; sample < 21; ++sample) {
    const auto scale = static_cast<float>(1 + sample);
    for (std::size_t i = 0; i < 2; ++i) {
      a.push_back(scale * pa[i]);
      b.push_back(scale * pb[i]);
      c.push_back(scale * pc[i]);
    }
  }
  std::vector<float> sums(42);
  run.predict(input_arrays{a, b, c}, output_arrays{sums});
  int compared = 0;
  for (std::size_t sample = 0; sample < 21; ++sample) {
    const auto scale = static_cast<float>(1 + sample);
    CHECK(sums[2 * sample] == 4 * scale);
    CHECK(sums[2 * sample + 1] == 14 * scale);
    ++compared;
  }
  CHECK(compared == 21);
}

TEST_CASE("outputs of several stages are handed out in their order, inputs as well") {
  session<handed_out> run({}, {.threads = 2});
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  const std::vector<float> b{10, 20, 30, 40, 50, 60};
  std::vector<float> second(6);
  std::vector<float> first(6);
  std::vector<float> same(6);
  run.predict(input_arrays{a, b}, output_arrays{second, first, same});
  CHECK(first == std::vector<float>{11, 22, 33, 44, 55, 66});
  CHECK(second == std::vector<float>{21, 42, 63, 84, 105, 126});
  CHECK(same == a);
}
