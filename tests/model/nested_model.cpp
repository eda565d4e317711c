// SPDX-License-Identifier: MIT
// Models that are layers of others: the same graphs as written out, names, and what is refused.
#include <array>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/graph/random_streams.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/model/split_at.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/scale_by_value.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::same_computation;
using tests::checks;

struct encoder : model<input<8>, sequential<Dense<6, relu>, named<"code", Dense<4>>>> {};

template <typename... Layers>
struct listed : model<input<8>, sequential<Layers...>> {};

/// Images, whose layers read them in positions, and a state.
struct filters
    : model<input<6, 6, 2>, sequential<Conv2D<3, 3>, BatchNormalization<>, relu, Conv2D<2, 2>>> {};

template <typename... Layers>
struct of_images : model<input<6, 6, 2>, sequential<Layers...>> {};

/// Two inputs, two outputs and a layer that is called twice.
struct pair {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor left = build.input({8});
    const symbolic_tensor right = build.input({8});
    auto both = build.shared<Dense<8>>("both");
    const symbolic_tensor sum = build.layer<Add>("sum", both(left), both(right));
    return {sum, build.layer<Dense<3>>("", sum)};
  }
};

/// The layers of `pair` where it is called on these.
constexpr std::array<symbolic_tensor, 2> write_pair_out(functional_builder& build,
                                                        symbolic_tensor left,
                                                        symbolic_tensor right) {
  auto both = build.shared<Dense<8>>("both");
  const symbolic_tensor sum = build.layer<Add>("sum", both(left), both(right));
  return {sum, build.layer<Dense<3>>("", sum)};
}

template <bool Nested>
struct around_pair {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor other = build.layer<Dense<8>>("first", point);
    std::array<symbolic_tensor, 2> made;
    if constexpr (Nested) {
      made = build.layers<pair, 2>("pair", point, other);
    } else {
      made = write_pair_out(build, point, other);
    }
    return build.layer<Concatenate>("end", made[0], made[1]);
  }
};

/// The encoder on two inputs, with one set of parameters.
template <bool Nested>
struct twice {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor left = build.input({8});
    const symbolic_tensor right = build.input({8});
    if constexpr (Nested) {
      auto shared = build.shared<frozen<encoder>>("encoder");
      const symbolic_tensor first = shared(left);
      return build.layer<Add>("sum", first, shared(right));
    } else {
      auto wide = build.shared<frozen<Dense<6, relu>>>("wide");
      auto code = build.shared<frozen<Dense<4>>>("code");
      const symbolic_tensor first = code(wide(left));
      return build.layer<Add>("sum", first, code(wide(right)));
    }
  }
};

/// What stands in a model computes what it computes written out, with the same bits.
constexpr checks test_same() {
  checks done;
  done.that(same_computation(graph_of<listed<encoder, Dense<3>>>,
                             graph_of<listed<Dense<6, relu>, Dense<4>, Dense<3>>>));
  done.that(same_computation(graph_of<listed<frozen<encoder>, Dense<3>>>,
                             graph_of<listed<frozen<Dense<6, relu>>, frozen<Dense<4>>, Dense<3>>>));
  done.that(same_computation(
      graph_of<listed<concat<encoder, Dense<3>>, residual<Dense<7>>>>,
      graph_of<
          listed<concat<sequential<Dense<6, relu>, Dense<4>>, Dense<3>>, residual<Dense<7>>>>));
  done.that(same_computation(graph_of<of_images<filters, Conv2D<2, 2>, Flatten, Dense<3>>>,
                             graph_of<of_images<Conv2D<3, 3>, BatchNormalization<>, relu,
                                                Conv2D<2, 2>, Conv2D<2, 2>, Flatten, Dense<3>>>));
  done.that(same_computation(graph_of<around_pair<true>>, graph_of<around_pair<false>>));
  done.that(same_computation(graph_of<twice<true>>, graph_of<twice<false>>));
  done.that(is_valid<listed<encoder>>() && is_valid<around_pair<true>>() &&
            is_valid<twice<true>>());
  done.that(is_valid<of_images<filters, Flatten>>());
  return done;
}

struct inner : model<input<4>, sequential<Dense<4>, named<"last", Dense<4>>>> {};

struct middle : model<input<8>, sequential<encoder, named<"inner", inner>>> {};

struct outer : listed<named<"a", middle>, Dense<8>, residual<encoder, Dense<8>>, middle> {};

/// Every layer is called after the models that it stands in.
constexpr checks test_names() {
  constexpr std::string_view expected[] = {"a/model_0/dense_0",
                                           "a/model_0/code",
                                           "a/inner/dense_0",
                                           "a/inner/last",
                                           "dense_1",
                                           "model_2/model_0/dense_0",
                                           "model_2/model_0/code",
                                           "model_2/inner/dense_0",
                                           "model_2/inner/last"};
  const graph_view& view = graph_of<listed<named<"a", middle>, Dense<8>, middle>>;
  checks done;
  for (std::size_t i = 0; i < view.layers.size(); ++i) {
    done.that(full_name(title_of(view.layers[i])).view() == expected[i]);
  }
  done.that(view.layers.size() == std::size(expected));
  done.that(where_is(view.layers[3]).view() ==
            "layer 1 Dense<4> named last of inner of a in stage 0");
  done.that(full_name(title_of(graph_of<around_pair<true>>.layers[1])).view() == "pair/both");
  done.that(full_name(title_of(graph_of<listed<residual<encoder, Dense<8>>>>.layers[0])).view() ==
            "model_0_0/dense_0");
  return done;
}

/// What is listed is the model, whatever stands in it: stages, and where it is cut.
constexpr checks test_stages() {
  using staged = model<input<8>, sequential<encoder, Dense<8>, encoder>, stage_assignment<0, 1, 1>>;
  const auto stages = stage_assignment_of<staged>;
  checks done;
  done.that(stages.size() == 3 && stages[0] == 0 && stages[1] == 1 && stages[2] == 1);
  using cut = listed<named<"one", encoder>, Dense<8>, encoder>;
  const graph_view& behind = graph_of<split_at<cut, "one">>;
  done.that(behind.layers[1].stage == 0 && behind.layers[2].stage == 1);
  const graph_view& within = graph_of<split_at<cut, "one/dense_0">>;
  done.that(within.layers[0].stage == 0 && within.layers[1].stage == 1);
  done.that(graph_of<model<input<8>, pipeline<stage<encoder>, stage<Dense<3>>>>>.stages == 2);
  return done;
}

/// Layers of one name in several models start with other numbers.
constexpr checks test_streams() {
  const auto streams = streams_of_nodes(graph_of<listed<encoder, Dense<8>, encoder>>);
  checks done;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    for (std::size_t other = 0; other < i; ++other) {
      done.that(streams[i] != streams[other]);
    }
  }
  done.that(streams.size() == 5);
  return done;
}

/// Not inlined: g++ 12 at -O1 takes texts that are known to be empty for arrays that are read
/// beyond.
[[gnu::noinline]] constexpr bool stands_at(const problem& found, std::string_view where) {
  return found.where.view().ends_with(where);
}

template <typename M>
constexpr bool refused(std::string_view where, std::string_view expected, std::string_view got) {
  const problem& found = fault_of<M>::value;
  return stands_at(found, where) && found.expected.view() == expected && found.got.view() == got;
}

struct in_two : model<input<8>, pipeline<stage<Dense<4>>, stage<Dense<4>>>> {};

struct wrong : model<input<8>, sequential<Dense<0>>> {};

struct with_value {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    return build.layer<ScaleByValue>("", point, build.value("temperature", 1));
  }
};

struct third : model<input<8>, sequential<encoder>> {};

struct second : model<input<8>, sequential<third>> {};

struct first : model<input<8>, sequential<second>> {};

constexpr checks test_refusals() {
  checks done;
  done.that(refused<listed<Dense<4>, named<"e", encoder>>>(
      "encoder named e in stage 0", "its input, (8) of float32", "(4) of float32"));
  done.that(
      refused<listed<in_two>>("in_two in stage 0", "a model of one stage in another", "2 stages"));
  done.that(refused<listed<pair>>("pair in stage 0", "2 inputs", "1"));
  done.that(stands_at(fault_of<listed<wrong>>::value, "wrong, layer 0 Dense<0> in stage 0"));
  done.that(
      refused<listed<first>>("first in stage 0", "models in models, at most 3 deep", "one more"));
  done.that(is_valid<second>() && is_valid<first>() && is_valid<with_value>());
  done.that(refused<listed<with_value>>(
      "with_value in stage 0", "a model without values in another", "build.value(...) in it"));
  done.that(refused<listed<named<"e", Dense<8>>, named<"e", encoder>>>(
      "layer 0 Dense<6, relu> of e in stage 0", "a name of its own", "the name of layer 0"));
  done.that(refused<listed<Dense<8>, named<"model_2", Dense<8>>, encoder>>(
      "layer 1 Dense<8> named model_2 in stage 0", "a name of its own", "the name of layer 2"));
  // Names that read like paths.
  done.that(refused<listed<named<"e/dense_0", Dense<8>>, named<"e", encoder>>>(
      "layer 0 Dense<8> named e/dense_0 in stage 0", "a name of its own",
      "e/dense_0, the name of layer 0 Dense<6, relu> of e in stage 0"));
  done.that(refused<listed<named<"e", encoder>, Dense<8>, named<"e/code", Dense<8>>>>(
      "layer 2 Dense<8> named e/code in stage 0", "a name of its own",
      "e/code, the name of layer 1 Dense<4> named code of e in stage 0"));
  done.that(refused<listed<named<"a", middle>, named<"a/inner/last", Dense<8>>>>(
      "layer 1 Dense<8> named a/inner/last in stage 0", "a name of its own",
      "a/inner/last, the name of layer 1 Dense<4> named last of inner of a in stage 0"));
  done.that(is_valid<listed<named<"dense_0/dense_1", Dense<8>>, Dense<8>>>());
  done.that(is_valid<listed<named<"e/dense_1", Dense<8>>, named<"e", encoder>>>());
  done.that(is_valid<listed<named<"e/code", Dense<8>>, named<"f", encoder>>>());
  return done;
}

static_assert(test_same());
static_assert(test_names());
static_assert(test_stages());
static_assert(test_streams());
static_assert(test_refusals());

}  // namespace

TEST_CASE("a model in another computes what it computes written out") {
  CHECK(test_same());
}

TEST_CASE("layers of a model in another are called after it") {
  CHECK(test_names());
  CHECK(layer_name(graph_of<outer>.layers[3]) == "a/inner/last");
  CHECK(layer_name(graph_of<outer>.layers[5]) == "model_2_0/dense_0");
}

TEST_CASE("a model in another is one of its layers") {
  CHECK(test_stages());
  CHECK(test_streams());
}

TEST_CASE("models that cannot stand in another are refused") {
  CHECK(test_refusals());
}
