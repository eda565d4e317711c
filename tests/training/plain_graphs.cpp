// SPDX-License-Identifier: MIT
// Graphs without anything that learns, of several inputs and outputs: the reference's own examples
// of sums, on one device and on four.
#include <array>
#include <cstddef>
#include <vector>

#include <ipu_dsl/inference.hpp>
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

/// The same with what each shard makes handed out beside the sum.
struct open_shards {
  static constexpr std::array<symbolic_tensor, 4> build(functional_builder& build) {
    const symbolic_tensor pa = build.input("pa", {2});
    const symbolic_tensor pb = build.input("pb", {2});
    const symbolic_tensor pc = build.input("pc", {2});
    const symbolic_tensor first = build.layer<Add>("first", pa, pb);
    build.stage(1);
    const symbolic_tensor second = build.layer<Add>("second", pa, pc);
    build.stage(2);
    const symbolic_tensor third = build.layer<Add>("third", pb, pc);
    build.stage(3);
    return {first, second, third, build.layer<Add>("sum", first, second, third)};
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

/// Four shards on four devices, on two, and on one after the other.
template <typename Model, int Devices>
struct sharded : compile<Model, micro_batch<3>, inference_micro_batches<4>, devices<Devices>> {};

struct handed_out : compile<every_stage, micro_batch<2>, inference_micro_batches<4>> {};

constexpr std::array<float, 2> pa{1, 1};
constexpr std::array<float, 2> pb{0, 1};
constexpr std::array<float, 2> pc{1, 5};

/// Samples that are all different, in sevenths, so that sums are rounded.
struct graph_samples {
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;

  explicit graph_samples(int count) {
    for (int i = 0; i < 2 * count; ++i) {
      a.push_back(static_cast<float>(i) / 7);
      b.push_back(static_cast<float>(3 * i + 1) / 7);
      c.push_back(static_cast<float>(5 - i) / 7);
    }
  }
};

struct graph_outputs {
  std::vector<float> first;
  std::vector<float> second;
  std::vector<float> third;
  std::vector<float> sum;

  explicit graph_outputs(std::size_t count)
      : first(count), second(count), third(count), sum(count) {}

  auto arrays() { return output_arrays{first, second, third, sum}; }

  friend bool operator==(const graph_outputs&, const graph_outputs&) = default;
};

template <int Devices>
graph_outputs outputs_on(const graph_samples& given, int threads) {
  session<sharded<open_shards, Devices>> run({}, {.threads = threads, .shared_from = 0});
  graph_outputs made(given.a.size());
  run.predict(input_arrays{given.a, given.b, given.c}, made.arrays());
  return made;
}

}  // namespace

TEST_CASE("the reference's basic graph is [3, 8]") {
  session<on_one> run;
  std::array<float, 2> sum{};
  run.predict(input_arrays{pa, pb, pc}, output_arrays{sum});
  CHECK(sum == std::array<float, 2>{3, 8});
}

TEST_CASE("the reference's graph in four shards is [4, 14], sample for sample") {
  session<on_four> run({}, {.threads = 4, .shared_from = 0});
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
  session<handed_out> run({}, {.threads = 2, .shared_from = 0});
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

TEST_CASE("what every shard makes is handed out, the same on any devices and workers") {
  constexpr int samples = 29;
  const graph_samples given(samples);
  graph_outputs expected(given.a.size());
  for (std::size_t i = 0; i < given.a.size(); ++i) {
    expected.first[i] = given.a[i] + given.b[i];
    expected.second[i] = given.a[i] + given.c[i];
    expected.third[i] = given.b[i] + given.c[i];
    expected.sum[i] = (expected.first[i] + expected.second[i]) + expected.third[i];
  }
  int agreed = 0;
  for (const int threads : {1, 2, 3, 4}) {
    CHECK(outputs_on<4>(given, threads) == expected);
    CHECK(outputs_on<2>(given, threads) == expected);
    CHECK(outputs_on<1>(given, threads) == expected);
    agreed += 3;
  }
  CHECK(agreed == 12);
}

TEST_CASE("a predictor computes the reference's graphs without a session") {
  const weights_of<basic_graph> none;
  predictor<basic_graph> basic(none);
  const auto three_and_eight = basic.push(pa, pb, pc);
  CHECK(std::vector<float>(three_and_eight.begin(), three_and_eight.end()) ==
        std::vector<float>{3, 8});
  const weights_of<open_shards> no_weights;
  predictor<open_shards> shards(no_weights);
  const auto [first, second, third, sum] = shards.push(pa, pb, pc);
  CHECK(std::vector<float>(first.begin(), first.end()) == std::vector<float>{1, 2});
  CHECK(std::vector<float>(second.begin(), second.end()) == std::vector<float>{2, 6});
  CHECK(std::vector<float>(third.begin(), third.end()) == std::vector<float>{1, 6});
  CHECK(std::vector<float>(sum.begin(), sum.end()) == std::vector<float>{4, 14});
}
