// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// The parameters of a compiled model without anything that runs.
template <compiled_model C>
class kept_parameters {
 public:
  kept_parameters()
      : memory_(std::vector<program_plan_view>{
            frozen_plan_of<typename C::compiled, program_kind::predict>.view()}),
        values(parameter_places_of<typename C::compiled>.view(), memory_) {}

 private:
  region_set memory_;

 public:
  parameters values;
};

std::vector<float> values_of(const parameters& kept, std::size_t index) {
  std::vector<float> values(static_cast<std::size_t>(kept.at(index).extents.elements()));
  kept.get(index, values);
  return values;
}

/// 1, 2, 3, ...
std::vector<float> counting(std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = 1; i <= count; ++i) {
    values.push_back(static_cast<float>(i));
  }
  return values;
}

struct net : model<input<20>, pipeline<stage<Dense<37, relu>, Dense<5>>,
                                       stage<named<"logits", Dense<3, use_bias<false>>>>>> {};

struct predicting : compile<net> {};

}  // namespace

TEST_CASE("parameters are known by layer and name") {
  const kept_parameters<predicting> kept;
  const std::vector<std::string> expected = {"dense_0/kernel", "dense_0/bias", "dense_1/kernel",
                                             "dense_1/bias", "logits/kernel"};
  REQUIRE(kept.values.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(kept.values.name(i) == expected[i]);
    const std::size_t slash = expected[i].find('/');
    CHECK(kept.values.find(expected[i].substr(0, slash), expected[i].substr(slash + 1)) == i);
    CHECK(kept.values.find(expected[i]) == i);
  }
  CHECK(sentence_of([&] { kept.values.find("logits/bias"); }) ==
        "There is no parameter logits/bias; there are dense_0/kernel, dense_0/bias, "
        "dense_1/kernel, dense_1/bias, logits/kernel.");
  std::vector<float> by_name(37, 1.0F);
  CHECK(sentence_of([&] {
          kept.values.get("dense_0/biases", by_name);
        }).starts_with("There is no parameter dense_0/biases; there are dense_0/kernel, "));
  kept.values.get("dense_0/bias", by_name);
  CHECK(by_name == values_of(kept.values, 1));
  CHECK(kept.values.at(0).extents == shape{20, 37});
  CHECK(kept.values.at(1).extents == shape{37});
}

TEST_CASE("what is set comes back, and nothing else changes") {
  kept_parameters<predicting> kept;
  std::size_t compared = 0;
  for (std::size_t set = 0; set < kept.values.size(); ++set) {
    kept.values.initialize(3);
    kept_parameters<predicting> before;
    before.values.initialize(3);
    const std::vector<float> wanted = counting(values_of(kept.values, set).size());
    kept.values.set(set, wanted);
    for (std::size_t i = 0; i < kept.values.size(); ++i) {
      const std::vector<float> found = values_of(kept.values, i);
      CHECK(found == (i == set ? wanted : values_of(before.values, i)));
      compared += found.size();
    }
  }
  CHECK(compared == 5 * (20 * 37 + 37 + 37 * 5 + 5 + 5 * 3));
  std::printf("checked %zu values\n", compared);
}

TEST_CASE("values may be given in braces") {
  kept_parameters<predicting> kept;
  kept.values.initialize(1);
  kept.values.set("dense_1/bias", {1, 2, 3, 4, 5.5F});
  CHECK(values_of(kept.values, 3) == std::vector<float>{1, 2, 3, 4, 5.5F});
  kept.values.set(3, {5, 4, 3, 2, 1});
  CHECK(values_of(kept.values, 3) == std::vector<float>{5, 4, 3, 2, 1});
  CHECK(sentence_of([&] { kept.values.set("dense_1/bias", {1.0F, 2.0F}); }) ==
        "The parameter dense_1/bias has 5 values of shape (5), got 2.");
  CHECK(values_of(kept.values, 3) == std::vector<float>{5, 4, 3, 2, 1});
}

TEST_CASE("values of another number are refused before anything changes") {
  kept_parameters<predicting> kept;
  kept.values.initialize(1);
  const std::uint64_t before = kept.values.fingerprint();
  CHECK(sentence_of([&] { kept.values.set(0, counting(37 * 20 - 1)); }) ==
        "The parameter dense_0/kernel has 740 values of shape (20, 37), got 739.");
  std::vector<float> room(38);
  CHECK(sentence_of([&] { kept.values.get(1, room); }) ==
        "The parameter dense_0/bias has 37 values of shape (37), got 38.");
  CHECK(kept.values.fingerprint() == before);
}

TEST_CASE("a fingerprint tells any single bit apart") {
  kept_parameters<predicting> kept;
  kept.values.initialize(1);
  std::set<std::uint64_t> seen = {kept.values.fingerprint()};
  std::size_t changed = 0;
  for (std::size_t i = 0; i < kept.values.size(); ++i) {
    const std::vector<float> before = values_of(kept.values, i);
    for (std::size_t at = 0; at < before.size(); at += 7) {
      std::vector<float> after = before;
      after[at] = std::nextafter(after[at], 2.0F);
      kept.values.set(i, after);
      seen.insert(kept.values.fingerprint());
      ++changed;
    }
    kept.values.set(i, before);
  }
  CHECK(changed > 100);
  CHECK(seen.size() == changed + 1);
  CHECK(seen.contains(kept.values.fingerprint()));
  std::printf("checked %zu fingerprints\n", changed);
}

TEST_CASE("the same seed gives the same start, another seed another") {
  kept_parameters<predicting> first;
  kept_parameters<predicting> second;
  first.values.initialize(7);
  second.values.initialize(7);
  CHECK(first.values.fingerprint() == second.values.fingerprint());
  second.values.initialize(8);
  CHECK(first.values.fingerprint() != second.values.fingerprint());
}

namespace {

struct started
    : model<input<40>,
            sequential<named<"glorot", Dense<60>>, named<"he", Dense<50, init<he_uniform>>>,
                       named<"lecun", Dense<30, init<lecun_uniform>, bias_init<ones>>>,
                       named<"zero", Dense<20, init<zeros>, bias_init<constant<0.25F>>>>>> {};

struct predicting_started : compile<started> {};

/// A root of what is negative in the second row.
struct root_of_place {
  static float start(const initial_value& at) {
    return std::sqrt(59.5F - static_cast<float>(at.index));
  }
};

struct wrongly_started
    : model<input<40>, sequential<named<"first", Dense<60, init<root_of_place>>>>> {};

struct predicting_wrongly_started : compile<wrongly_started> {};

struct range {
  float least = 0;
  float most = 0;
  double mean = 0;
};

range range_of(const parameters& kept, const char* layer, const char* name) {
  const std::vector<float> values = values_of(kept, kept.find(layer, name));
  range found{values[0], values[0]};
  for (const float value : values) {
    found.least = std::min(found.least, value);
    found.most = std::max(found.most, value);
    found.mean += static_cast<double>(value) / static_cast<double>(values.size());
  }
  return found;
}

/// Uniform values fill [-limit, limit) and nothing beyond it. The mean of n values has the standard
/// deviation limit / sqrt(3 n); five of them are allowed.
void check_uniform(const range& found, double limit, double count) {
  CHECK(static_cast<double>(found.least) >= -limit * 1.000001);
  CHECK(static_cast<double>(found.most) < limit * 1.000001);
  CHECK(static_cast<double>(found.least) < -0.98 * limit);
  CHECK(static_cast<double>(found.most) > 0.98 * limit);
  CHECK(std::abs(found.mean) < 5 * limit / std::sqrt(3 * count));
}

}  // namespace

TEST_CASE("an initialiser that makes no finite number is refused by name") {
  kept_parameters<predicting_wrongly_started> kept;
  CHECK(sentence_of([&] { kept.values.initialize(1); }) ==
        "The initializer of first/kernel (40, 60) makes no finite number at place 60.");
}

TEST_CASE("every initialiser keeps its limits") {
  kept_parameters<predicting_started> kept;
  kept.values.initialize(1);
  const parameters& values = kept.values;
  check_uniform(range_of(values, "glorot", "kernel"), std::sqrt(6.0 / (40 + 60)), 40 * 60);
  check_uniform(range_of(values, "he", "kernel"), std::sqrt(6.0 / 60), 60 * 50);
  check_uniform(range_of(values, "lecun", "kernel"), std::sqrt(3.0 / 50), 50 * 30);
  const range zero = range_of(values, "zero", "kernel");
  CHECK(zero.least == 0);
  CHECK(zero.most == 0);
  const range bias = range_of(values, "glorot", "bias");
  CHECK(bias.least == 0);
  CHECK(bias.most == 0);
  CHECK(range_of(values, "lecun", "bias").least == 1);
  CHECK(range_of(values, "lecun", "bias").most == 1);
  CHECK(range_of(values, "zero", "bias").least == 0.25F);
  CHECK(range_of(values, "zero", "bias").most == 0.25F);
}

namespace {

struct shorter : model<input<20>, sequential<Dense<37, relu>, Dense<5>>> {};

struct predicting_shorter : compile<shorter> {};

/// How alike two lists of the same length are, from -1 to 1.
double correlation(const std::vector<float>& left, const std::vector<float>& right) {
  double product = 0;
  double of_left = 0;
  double of_right = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    product += static_cast<double>(left[i]) * static_cast<double>(right[i]);
    of_left += static_cast<double>(left[i]) * static_cast<double>(left[i]);
    of_right += static_cast<double>(right[i]) * static_cast<double>(right[i]);
  }
  return product / std::sqrt(of_left * of_right);
}

}  // namespace

TEST_CASE("parameters draw from streams of their own") {
  kept_parameters<predicting> longer;
  kept_parameters<predicting_shorter> brief;
  longer.values.initialize(5);
  brief.values.initialize(5);
  // A layer more behind them changes none of those before it.
  CHECK(values_of(longer.values, 0) == values_of(brief.values, 0));
  CHECK(values_of(longer.values, 2) == values_of(brief.values, 2));
  // What two parameters draw has nothing to do with each other: 185 values, 5 deviations.
  std::vector<float> first = values_of(longer.values, 0);
  const std::vector<float> second = values_of(longer.values, 2);
  first.resize(second.size());
  CHECK(std::abs(correlation(first, second)) < 5 / std::sqrt(185.0));
}

namespace {

/// Beside `net`: a layer of another kind and one with a name are inserted, one is renamed, stages
/// and combinators are others.
struct rebuilt : model<input<20>, sequential<Dropout<0.2F>, named<"first", Dense<20>>,
                                             Dense<37, relu>, named<"again", Dense<37>>, Dense<5>,
                                             named<"logits", Dense<3, use_bias<false>>>>> {};

struct predicting_rebuilt : compile<rebuilt> {};

/// `net` with its last layer renamed.
struct renamed : model<input<20>, pipeline<stage<Dense<37, relu>, Dense<5>>,
                                           stage<named<"scores", Dense<3, use_bias<false>>>>>> {};

struct predicting_renamed : compile<renamed> {};

std::vector<float> values_of(const parameters& kept, const char* layer) {
  return values_of(kept, kept.find(layer, "kernel"));
}

}  // namespace

TEST_CASE("layers with a name draw by it, the others by their number among those of their kind") {
  kept_parameters<predicting> plain;
  kept_parameters<predicting_rebuilt> other;
  kept_parameters<predicting_renamed> new_name;
  plain.values.initialize(5);
  other.values.initialize(5);
  new_name.values.initialize(5);
  // As files call them: numbers of positions. The two Dense without a name are the same two.
  CHECK(values_of(other.values, "dense_2") == values_of(plain.values, "dense_0"));
  CHECK(values_of(other.values, "dense_4") == values_of(plain.values, "dense_1"));
  CHECK(values_of(other.values, "logits") == values_of(plain.values, "logits"));
  CHECK(values_of(other.values, "first") != values_of(other.values, "again"));
  CHECK(values_of(new_name.values, "dense_0") == values_of(plain.values, "dense_0"));
  CHECK(values_of(new_name.values, "dense_1") == values_of(plain.values, "dense_1"));
  CHECK(values_of(new_name.values, "scores") != values_of(plain.values, "logits"));
}

namespace {

struct one_layer : model<input<3>, sequential<named<"only", Dense<2>>>> {};

struct predicting_one : compile<one_layer, micro_batch<4>> {};

}  // namespace

TEST_CASE("kernels are [inputs, units]: a prediction made by hand") {
  session<predicting_one> run;
  const std::vector<float> kernel = {1, 10, 2, 20, 3, 30};
  const std::vector<float> bias = {0.5F, -0.5F};
  run.weights().set("only/kernel", kernel);
  run.weights().set("only/bias", bias);
  const std::vector<float> samples = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, -1, 2, 0.5F};
  std::vector<float> outputs(10);
  run.predict(samples, outputs);
  CHECK(outputs ==
        std::vector<float>{1.5F, 9.5F, 2.5F, 19.5F, 3.5F, 29.5F, 6.5F, 59.5F, 5.0F, 44.5F});
}
