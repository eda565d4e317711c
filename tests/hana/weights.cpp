// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/hana/at_key.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/keys.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/second.hpp>

#include <ipu_dsl/hana/weights.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/runtime/weights.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::literals;
namespace hana = boost::hana;
using tests::checks;

struct mlp : model<input<4, 4>,
                   pipeline<stage<Flatten, Dense<6, relu>, BatchNormalization<>>,
                            stage<Dense<5, relu, use_bias<false>>, named<"logits", Dense<3>>>>> {};

struct encoder : model<input<8>, sequential<Dense<6, relu>, named<"code", Dense<4>>>> {};

/// A model as a layer, parts of a residual, what is frozen, and a layer that is called twice.
struct varied {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor code = build.layer<encoder>("encoder", build.input({8}));
    auto twice = build.shared<Dense<4>>("twice");
    const symbolic_tensor joined =
        build.layer<residual<Dense<4, relu>, frozen<Dense<4>>>>("block", twice(twice(code)));
    return build.layer<BatchNormalization<>>("", joined);
  }
};

using held = named_weights<mlp, parameters>;
using held_logits = decltype(std::declval<held>()["logits"_s]);
using held_kernel = decltype(std::declval<held_logits>()["kernel"_s]);

static_assert(std::is_same_v<held_kernel, weight_view<shape{5, 3}, parameters>>);
static_assert(held_kernel::extents == shape{5, 3} && held_kernel::size == 15);
static_assert(decltype(std::declval<held>()["dense_1"_s]["bias"_s])::extents == shape{6});
static_assert(decltype(std::declval<held>()["dense_3"_s]["kernel"_s])::extents == shape{6, 5});

// Hana's own words work on both levels.
static_assert(decltype(hana::keys(std::declval<held>()) ==
                       hana::make_tuple("dense_1"_s, "batchnormalization_2"_s, "dense_3"_s,
                                        "logits"_s))::value);
static_assert(decltype(hana::keys(std::declval<held_logits>()) ==
                       hana::make_tuple("kernel"_s, "bias"_s))::value);
static_assert(decltype(hana::at_key(std::declval<held_logits>(), "bias"_s))::extents == shape{3});

using as_map = decltype(hana::to_map(std::declval<held>()));

static_assert(hana::is_a<hana::map_tag, as_map>);
static_assert(
    std::is_same_v<std::decay_t<decltype(std::declval<as_map>()["logits"_s])>, held_logits>);

// What is refused.
template <char... Letters>
constexpr problem layer_fault(hana::string<Letters...>) {
  return layer_name_fault_of<mlp, written_name<Letters...>>::value;
}

template <typename M, char... Letters>
constexpr problem weight_fault(std::string_view layer, hana::string<Letters...>) {
  return layer == "logits"
             ? weight_name_fault_of<M, find_layer<M>("logits"), written_name<Letters...>>::value
             : problem();
}

constexpr checks test_refused_names() {
  checks done;
  done.that(!layer_fault("logits"_s).found());
  done.that(layer_fault("logit"_s).message().view() ==
            "weights: expected a layer of the model that has weights, got logit. "
            "Hint: did you mean logits?");
  done.that(layer_fault("conv"_s).hint.view() ==
            "there are dense_1, batchnormalization_2, dense_3, logits");
  // It has no weights.
  done.that(layer_fault("flatten_0"_s).found());
  done.that(!weight_fault<mlp>("logits", "bias"_s).found());
  done.that(weight_fault<mlp>("logits", "weight"_s).message().view() ==
            "weights of logits: expected a weight of the layer, got weight. "
            "Hint: there are kernel, bias");
  done.that(weight_fault<mlp>("logits", "biass"_s).hint.view() == "did you mean bias?");
  return done;
}

static_assert(test_refused_names());

// A wrong model has been told; its names are no second error.
struct wrong : model<input<4, 4>, sequential<Dense<0>>> {};

static_assert(!is_valid<wrong>() && weight_count_of<wrong> == 0);
static_assert(!layer_name_fault_of<wrong, written_name<'a'>>::value.found());
static_assert(!weight_name_fault_of<wrong, -1, written_name<'a'>>::value.found());
static_assert(weight_count_of<void> == 0);

template <typename Values, bool AreFloats = true>
constexpr problem copy_fault = weight_copy_fault_of<shape{5, 3}, Values, AreFloats>::value;

static_assert(!copy_fault<float[15]>.found() && !copy_fault<std::vector<float>>.found());
static_assert(copy_fault<std::array<float, 14>>.message().view() ==
              "a copy of the weight: expected 15 values of shape (5, 3), got 14");
static_assert(copy_fault<int, false>.got.view() == "int");
static_assert(constant_weight_fault_of<const parameters>::value.found() &&
              !constant_weight_fault_of<parameters>::value.found());

/// Names and extents are those that the parameters have when the program runs.
template <typename M>
checks test_against_parameters() {
  checks done;
  const weights_of<M> known;
  done.that(known.size() == weight_count_of<M>);
  for (std::size_t i = 0; i < weight_count_of<M>; ++i) {
    const weight_entry& entry = weight_entries_of<M>[i];
    const std::string layer(name_of_layer<M>(entry.layer).view());
    done.that(known.name(i) == layer + "/" + std::string(entry.name));
    done.that(known.at(i).extents == entry.extents);
    done.that(find_layer<M>(layer) == entry.layer);
  }
  return done;
}

TEST_CASE("weights by name are the parameters of the model") {
  CHECK(test_against_parameters<mlp>());
  CHECK(test_against_parameters<varied>());
  REQUIRE(weight_count_of<mlp> == 9);
  REQUIRE(weight_count_of<varied> == 14);
}

TEST_CASE("a weight is copied out and in by its name, and no other changes") {
  weights_of<mlp> known;
  std::vector<float> all(known.values);
  std::iota(all.begin(), all.end(), 1.0F);
  known.assign(std::span<const float, weights_of<mlp>::values>(all));
  const std::size_t index = known.find("logits/kernel");

  const auto kernel = weights(known)["logits"_s]["kernel"_s];
  CHECK(kernel.name() == "logits/kernel");
  std::vector<float> expected(kernel.size);
  known.get(index, expected);
  CHECK(kernel.get() == expected);

  std::array<float, kernel.size> values{};
  kernel.get(values);
  CHECK(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
  const std::vector<float> bias = weights(known)["logits"_s]["bias"_s].get();
  values.fill(0.5F);
  kernel.set(values);
  known.get(index, expected);
  CHECK(expected == std::vector<float>(15, 0.5F));
  CHECK(weights(known)["logits"_s]["bias"_s].get() == bias);

  const weights_of<mlp>& constant = known;
  CHECK(weights(constant)["logits"_s]["kernel"_s].get() == expected);
}

TEST_CASE("values of another length are refused when the program runs, and nothing changes") {
  weights_of<mlp> known;
  const auto bias = weights(known)["logits"_s]["bias"_s];
  CHECK_THROWS_WITH(bias.set(std::vector<float>(4, 1.0F)),
                    "The parameter logits/bias has 3 values of shape (3), got 4.");
  std::vector<float> few(2);
  CHECK_THROWS_WITH(bias.get(few), "The parameter logits/bias has 3 values of shape (3), got 2.");
  CHECK(bias.get() == std::vector<float>(3, 0.0F));
}

TEST_CASE("all weights are walked by name") {
  weights_of<mlp> known;
  std::vector<std::string> names;
  std::size_t values = 0;
  hana::for_each(weights(known), [&](const auto& layer) {
    hana::for_each(hana::second(layer), [&](const auto& weight) {
      names.push_back(std::string(hana::first(layer).c_str()) + "/" + hana::first(weight).c_str());
      values += hana::second(weight).size;
    });
  });
  REQUIRE(names.size() == known.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(names[i] == known.name(i));
  }
  CHECK(values == known.values);
}

}  // namespace
