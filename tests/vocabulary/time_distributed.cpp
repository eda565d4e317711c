// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/time_distributed.hpp: what stands around a layer at every step, what
// does not need it, and what is refused.
#include <array>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/model/one_step.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

struct frames
    : model<input<5, 6, 4, 3>,
            sequential<TimeDistributed<Conv2D<5, 3, relu>>, TimeDistributed<MaxPooling2D<2>>,
                       named<"flat", TimeDistributed<Flatten>>, LSTM<7>>> {};

/// Every step is cut into steps of its own.
struct nested
    : model<input<2, 3, 8, 4>,
            sequential<TimeDistributed<
                sequential<TimeDistributed<Conv1D<5, 3>>, TimeDistributed<LSTM<6>>, GRU<4>>>>> {};

struct masked
    : model<input<5, 6, 3>,
            sequential<Reshape<5, 18>, Masking<>,
                       TimeDistributed<sequential<Reshape<6, 3>, Conv1D<4, 2>, Flatten>>, GRU<2>>> {
};

struct encoder : model<input<6, 4>, sequential<Conv1D<5, 3, relu>, GlobalAveragePooling1D>> {};

struct called {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({3, 6, 4});
    const symbolic_tensor seen = build.layer<TimeDistributed<encoder>>("encoded", x);
    const symbolic_tensor other = build.layer<TimeDistributed<encoder>>("", x);
    return build.layer<Add>("", seen, other);
  }
};

/// A model of two inputs and two outputs.
struct two_headed {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor image = build.input({6, 4});
    const symbolic_tensor beside = build.input({3});
    const symbolic_tensor seen = build.layer<GlobalAveragePooling1D>("", image);
    const symbolic_tensor both = build.layer<Concatenate>("", seen, beside);
    return {build.layer<Dense<5>>("left", both), build.layer<Dense<2>>("right", seen)};
  }
};

/// What takes several inputs, and what gives several outputs.
struct of_several {
  static constexpr std::array<symbolic_tensor, 5> build(functional_builder& build) {
    const symbolic_tensor x = build.input({3, 6, 4});
    const symbolic_tensor y = build.input({3, 3});
    const auto [left, right] = build.layers<TimeDistributed<two_headed>, 2>("heads", x, y);
    const symbolic_tensor rows = build.layer<TimeDistributed<ConcatenateOn<1>>>("rows", x, x);
    const symbolic_tensor columns = build.layer<TimeDistributed<ConcatenateOn<2>>>("", x, x);
    const auto [all, last] =
        build.layers<TimeDistributed<GRU<7, return_state<true>>>, 2>("read", x);
    return {left, right, rows, columns, build.layer<TimeDistributed<Add>>("sum", all, last)};
  }
};

/// As a layer of another, at every step, and again.
struct of_more_steps {
  static constexpr std::array<symbolic_tensor, 5> build(functional_builder& build) {
    const symbolic_tensor x = build.input({2, 3, 6, 4});
    const symbolic_tensor y = build.input({2, 3, 3});
    return build.layers<TimeDistributed<of_several>, 5>("", x, y);
  }
};

/// Initial states of both ways, and what both hand over, at every step; of one way one is missing.
template <bool Missing>
struct of_states {
  static constexpr std::array<symbolic_tensor, 3> build(functional_builder& build) {
    const symbolic_tensor x = build.input({3, 6, 4});
    const symbolic_tensor state = build.input({3, 2});
    using read = TimeDistributed<Bidirectional<GRU<2, return_state<true>>>>;
    if constexpr (Missing) {
      return build.layers<read, 3>("", x, state);
    } else {
      return build.layers<read, 3>("", x, state, state);
    }
  }
};

template <bool SecondMask>
struct of_masks {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({3, 4});
    const symbolic_tensor y = build.input({3, 4});
    const symbolic_tensor masked = build.layer<Masking<>>("", y);
    const symbolic_tensor first = SecondMask ? build.layer<Masking<>>("", x) : x;
    return build.layer<TimeDistributed<Dot<1>>>("", first, masked);
  }
};

template <typename Layer, std::int32_t... Others>
struct called_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Layer>("", build.input({3, 4}), build.input(shape{Others...}));
  }
};

/// Bytes, and floats whose steps are whole vectors, are not laid out anew.
struct of_bytes : model<input<dtype::uint8, 3, 5, 3>,
                        sequential<TimeDistributed<sequential<Rescaling<1.0F>, Conv1D<4, 2>>>>> {};

struct of_vectors : model<input<3, 8, 4>, sequential<TimeDistributed<Conv1D<16, 3>>>> {};

constexpr checks test_shapes() {
  const graph_view& view = graph_of<frames>;
  checks done;
  done.that(view.at(view.layers[2].output).extents == shape{5, 4, 2, 5});
  done.that(view.at(view.layers[5].output).extents == shape{5, 2, 1, 5});
  done.that(view.at(view.layers[8].output).extents == shape{5, 10});
  const tensor& step = view.at(view.layers[1].output);
  done.that(step.extents == shape{4, 2, 5} && step.samples == 5);
  done.that(view.at(view.layers[2].output).samples == 1);
  const graph_view& deep = graph_of<nested>;
  done.that(deep.at(deep.output(0)).extents == shape{2, 4});
  std::int32_t most = 0;
  for (const tensor& each : deep.tensors) {
    most = each.samples > most ? each.samples : most;
  }
  done.that(most == 2 * 3);
  return done;
}

constexpr checks test_names() {
  const graph_view& view = graph_of<frames>;
  checks done;
  done.that(automatic_name(title_of(view.layers[1]).own).view() == "conv2d_0_0");
  done.that(automatic_name(title_of(view.layers[2]).own).view() == "timedistributed_0");
  done.that(automatic_name(title_of(view.layers[7]).own).view() == "flat_0");
  done.that(view.layers[8].name == "flat");
  const graph_view& functional = graph_of<called>;
  done.that(full_name(title_of(functional.layers[1])).view() == "encoded_0/conv1d_0");
  return done;
}

/// Parameters are those of the layer once, whatever number of steps.
constexpr checks test_parameters() {
  checks done;
  done.that(graph_of<frames>.count(tensor_role::parameter) == 2 + 3);
  done.that(graph_of<called>.count(tensor_role::parameter) == 2 * 2);
  return done;
}

constexpr checks test_several() {
  const graph_view& view = graph_of<of_several>;
  checks done;
  done.that(is_valid<of_several>());
  done.that(view.at(view.outputs[0].tensor).extents == shape{3, 5});
  done.that(view.at(view.outputs[1].tensor).extents == shape{3, 2});
  done.that(view.at(view.outputs[2].tensor).extents == shape{3, 12, 4});
  done.that(view.at(view.outputs[3].tensor).extents == shape{3, 6, 8});
  done.that(view.at(view.outputs[4].tensor).extents == shape{3, 7});
  const graph_view& deep = graph_of<of_more_steps>;
  done.that(is_valid<of_more_steps>());
  done.that(deep.at(deep.outputs[1].tensor).extents == shape{2, 3, 2});
  done.that(deep.at(deep.outputs[3].tensor).extents == shape{2, 3, 6, 8});
  done.that(deep.count(tensor_role::parameter) == view.count(tensor_role::parameter));
  const graph_view& read = graph_of<of_states<false>>;
  done.that(is_valid<of_states<false>>());
  done.that(read.at(read.outputs[0].tensor).extents == shape{3, 4});
  done.that(read.at(read.outputs[2].tensor).extents == shape{3, 2});
  return done;
}

/// The mask of the sequence is that of what is made of it.
constexpr checks test_masks() {
  const graph_view& view = graph_of<masked>;
  checks done;
  const tensor& made = view.at(view.layers[view.layers.size() - 2].output);
  done.that(made.extents == shape{5, 20} && made.mask >= 0);
  const node& reader = view.node_at(view.layers[view.layers.size() - 1].first_node);
  done.that(view.at(view.input_of(reader, reader.inputs - 1)).is_mask);
  const graph_view& of_two = graph_of<of_masks<false>>;
  done.that(of_two.at(of_two.layers[of_two.layers.size() - 1].output).mask >= 0);
  return done;
}

constexpr std::int32_t count_repacking(const graph_view& view) {
  std::int32_t found = 0;
  for (const node& each : view.nodes) {
    found += each.rule->lays_out ? 1 : 0;
  }
  return found;
}

constexpr checks test_layout() {
  checks done;
  done.that(count_repacking(graph_of<of_bytes>) == 1);
  done.that(count_repacking(graph_of<of_vectors>) == 0);
  return done;
}

using at_each_step =
    sequential<LayerNormalization<>, Dropout<0.25F>,
               residual<Dense<4, gelu>, BatchNormalization<>, Dense<4>, GaussianNoise<0.1F>>,
               concat<Dense<2, softmax>, RMSNormalization<>>>;

/// What does the same at every step stays what it is.
static_assert(
    testing::same_graph(graph_of<model<input<12, 4>, sequential<TimeDistributed<at_each_step>>>>,
                        graph_of<model<input<12, 4>, sequential<at_each_step>>>));

/// Given a step at a time, what stands at every step remembers none.
static_assert(
    is_valid<one_step<model<input<5, 6, 3>, sequential<TimeDistributed<Conv1D<4, 3>>,
                                                       TimeDistributed<LSTM<3>>, GRU<2>>>>>());

template <typename Model>
constexpr bool is_refused(std::string_view expected, std::string_view got) {
  return !is_valid<Model>() && fault_of<Model>::value.expected.view() == expected &&
         fault_of<Model>::value.got.view() == got;
}

constexpr checks test_refusals() {
  checks done;
  done.that(is_refused<model<input<5>, sequential<TimeDistributed<Flatten>>>>(
      "a sequence, (steps, features) or more", "(5)"));
  done.that(
      is_refused<
          model<input<5, 6, 3>, sequential<TimeDistributed<sequential<Conv1D<3, 2>, Masking<>>>>>>(
          "a layer that knows which steps are masked", "TimeDistributed"));
  done.that(is_refused<model<input<5, 6, 3>, sequential<TimeDistributed<stage<Flatten>>>>>(
      "a layer", "a stage"));
  done.that(is_refused<model<input<5>, sequential<TimeDistributed<Dense<3>>>>>(
      "a sequence, (steps, features) or more", "(5)"));
  done.that(is_refused<called_on<TimeDistributed<Add>, 4, 4>>("sequences of as many steps, 3",
                                                              "4 as input 1"));
  done.that(is_refused<called_on<TimeDistributed<Dot<1>>, 5, 4>>("sequences of as many steps, 3",
                                                                 "5 as input 1"));
  done.that(is_refused<called_on<TimeDistributed<Dot<1>>, 4>>(
      "a sequence, (steps, features) or more", "(4) as input 1"));
  done.that(is_refused<called_on<TimeDistributed<sequential<Dense<3>, relu, LSTM<2>>>, 3, 4>>(
      "1 input", "2"));
  done.that(is_refused<called_on<TimeDistributed<Flatten>, 3, 4>>("1 input", "2"));
  done.that(
      is_refused<model<input<3, 6, 4>, sequential<TimeDistributed<two_headed>>>>("2 inputs", "1"));
  done.that(is_refused<of_states<true>>("2 initial states behind the sequence, or none", "1"));
  done.that(is_refused<of_masks<true>>("sequences with one mask", "two masks"));
  using of_an_image = model<input<16, 12, 3>, sequential<TimeDistributed<Conv2D<8, 3>>>>;
  done.that(is_refused<of_an_image>("an image (rows, columns, channels)", "(12, 3)"));
  done.that(fault_of<of_an_image>::value.hint.view() ==
            "TimeDistributed takes each of the 16 steps of (16, 12, 3) for itself");
  return done;
}

static_assert(test_shapes());
static_assert(test_names());
static_assert(test_parameters());
static_assert(test_several());
static_assert(test_masks());
static_assert(test_layout());
static_assert(test_refusals());

TEST_CASE("a layer stands at every step of a sequence as of so many more samples") {
  CHECK(test_shapes());
  CHECK(test_names());
  CHECK(test_parameters());
  CHECK(test_several());
  CHECK(test_masks());
  CHECK(test_layout());
}

TEST_CASE("TimeDistributed refuses what is no sequence, and masks within") {
  CHECK(test_refusals());
}

}  // namespace
