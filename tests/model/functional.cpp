// SPDX-License-Identifier: MIT
// Tests of model/functional.hpp: what a functional model refuses.
#include <array>
#include <cstdio>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/noise.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// Two outputs: the halves of a vector.
constexpr family halves_family{.name = "Halves", .shapes = [](node_draft& draft) {
                                 draft.output({draft.input(0)[0] / 2});
                                 draft.output({draft.input(0)[0] / 2});
                                 return problem{};
                               }};

struct Halves {
  static constexpr element description{.kind = element_kind::layer, .rule = &halves_family};
};

/// Asks for an input that no layer has.
constexpr family greedy_family{.name = "Greedy", .shapes = [](node_draft& draft) {
                                 draft.output(draft.input(1));
                                 return problem{};
                               }};

struct Greedy {
  static constexpr element description{.kind = element_kind::layer, .rule = &greedy_family};
};

constexpr family silent_family{.name = "Silent"};

struct Silent {
  static constexpr element description{.kind = element_kind::layer, .rule = &silent_family};
};

struct right {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({4, 4});
    const symbolic_tensor flat = build.layer<Flatten>("", image);
    const auto [low, high] = build.layers<Halves, 2>("halves", flat);
    const symbolic_tensor sum = build.layer<Add>("", low, high);
    return build.layer<Dense<10, relu>>("logits", sum);
  }
};

static_assert(check<right>());

using block = residual<Dense<8>, relu, Dense<8>>;
using fork = concat<Dense<3>, sequential<Dense<2>, Dense<3>>>;
using tail = sequential<Dense<8>, frozen<Dense<4>>>;

/// Combinators are called as layers are; what joins their layers has the name of the call.
struct combined {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({4});
    const symbolic_tensor wide = build.layer<Dense<8>>("wide", point);
    const symbolic_tensor deep = build.layer<block>("block", wide);
    const symbolic_tensor forked = build.layer<named<"fork", fork>>("", deep);
    build.stage(1);
    const symbolic_tensor last = build.layer<tail>("", forked);
    return build.layer<sequential<Dense<2>>>("logits", last);
  }
};

struct listed
    : model<input<4>,
            pipeline<stage<named<"wide", Dense<8>>, named<"block", block>, named<"fork", fork>>,
                     stage<tail, sequential<named<"logits", Dense<2>>>>>> {};

static_assert(testing::same_graph(graph_of<combined>, graph_of<listed>));
static_assert(stage_assignment_of<combined> == std::array{0, 0, 0, 1, 1});

struct inputs_of_one_name {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor left = build.input("x", {8});
    const symbolic_tensor right = build.input("x", {8});
    return build.layer<Add>("sum", left, right);
  }
};

struct combinator_of_two {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor other = build.layer<Dense<8>>("other", point);
    return build.layer<block>("block", point, other);
  }
};

struct combinator_shared {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto shared = build.shared<block>("block");
    return shared(shared(point));
  }
};

struct named_sequence {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<tail>("tail", build.input({8}));
  }
};

struct mistaken_part {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<residual<Dense<8>, Dense<7>>>("block", build.input({8}));
  }
};

struct stage_as_layer {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<stage<Dense<8>>>("", build.input({8}));
  }
};

struct second_input {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({16});
    const symbolic_tensor hidden = build.layer<Dense<16>>("hidden", image);
    return build.layer<Dense<10>>("logits", hidden, image);
  }
};

struct layer_without_name {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Dense<10>>(build.input({16}));
  }
};

struct name_behind_inputs {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({16});
    const symbolic_tensor hidden = build.layer<Dense<16>>("hidden", x);
    return build.layer<Dense<10>>(hidden, "logits");
  }
};

struct layers_without_name {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layers<Halves, 2>(build.input({16}))[0];
  }
};

struct inputs_in_braces {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({16});
    return build.layer<Add>("sum", {x, x});
  }
};

struct no_inputs {
  static constexpr symbolic_tensor build(functional_builder& build) {
    build.input({16});
    return build.layer<Dense<10>>("logits");
  }
};

struct unread_layer {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({16});
    const symbolic_tensor hidden = build.layer<Dense<16>>("hidden", image);
    build.layer<Dense<8>>("forgotten", hidden);
    return build.layer<Dense<10>>("logits", hidden);
  }
};

struct unread_chain {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({16});
    const symbolic_tensor hidden = build.layer<Dense<16, softmax>>("forgotten", image);
    build.layer<relu>("after_it", hidden);
    return build.layer<Dense<10>>("logits", image);
  }
};

struct two_outputs {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({16});
    const symbolic_tensor low = build.layer<Halves>("halves", image);
    return build.layer<Dense<10>>("logits", low);
  }
};

struct too_large {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Flatten>("", build.input({100'000, 100'000}));
  }
};

struct seven_extents {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Flatten>("", build.input({1, 2, 3, 4, 5, 6, 7}));
  }
};

struct too_wide {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Dense<2'000'000'000>>("wide", build.input({16}));
  }
};

struct greedy {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Greedy>("", build.input({16}));
  }
};

struct stage_as_template {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({16});
    build.stage<0>();
    return build.layer<Dense<10>>("logits", image);
  }
};

struct silent {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Silent>("", build.input({16}));
  }
};

struct listed_two_outputs : model<input<16>, sequential<Halves, Dense<10>>> {};

struct listed_too_large : model<input<100'000, 100'000>, sequential<Flatten, Dense<10>>> {};

struct joined_alone : model<input<16>, sequential<Add, Dense<10>>> {};

struct expectation {
  std::string_view found;
  std::string_view wanted;
};

/// Calls of a shared layer in two stages.
struct shared_over_stages {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto twice = build.shared<Dense<8>>("twice");
    const symbolic_tensor first = twice(point);
    build.stage(1);
    return twice(first);
  }
};

/// Calls of a shared layer on tensors of two shapes.
struct shared_over_shapes {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto twice = build.shared<Dense<4>>("twice");
    return twice(twice(point));
  }
};

struct never_called {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    build.shared<Dense<4>>("spare");
    return build.layer<Dense<4>>("", point);
  }
};

/// Another layer has the name of a shared one.
struct shared_name {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto twice = build.shared<Dense<8>>("twice");
    return build.layer<Dense<4>>("twice", twice(twice(point)));
  }
};

/// A tensor that arithmetic makes of one of eight numbers.
template <auto Make>
struct arithmetic {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Dense<8>>("read", Make(build.layer<Dense<8>>("x", build.input({8}))));
  }
};

using halved = arithmetic<[](symbolic_tensor x) { return x / 2; }>;
using raised = arithmetic<[](symbolic_tensor x) { return x += x; }>;
using squared = arithmetic<[](symbolic_tensor x) { return x * x; }>;
using indexed = arithmetic<[](symbolic_tensor x) { return x[0]; }>;

/// A sum that no layer reads.
struct raised_alone {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input("x", {8});
    return x + x;
  }
};

/// What arithmetic makes is the model's output.
struct difference {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    return build.layer<Dense<8>>("", x) - x;
  }
};

/// A call on a tensor of eight numbers.
template <auto Call>
struct called {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return Call(build, build.input({8}));
  }
};

// Layers without their brackets, in which stand options, a number, a number and options, and two.
using bare_normalization = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layer<BatchNormalization>("", x);
}>;
using bare_noise = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layer<GaussianNoise>("noise", x);
}>;
using bare_dense = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layer<Dense>("", x, x);
}>;
using bare_convolution =
    called<[](functional_builder& build, symbolic_tensor x) { return build.layer<Conv2D>("", x); }>;
using bare_of_two_outputs = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layers<GRU, 2>("", x)[0];
}>;
using bare_shared = called<[](functional_builder& build, symbolic_tensor x) {
  const auto twice = build.shared<Dense>("twice");
  return twice(twice(x));
}>;

// Two names of one layer, and one that is said twice.
using two_names = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layer<named<"q", Dense<8>>>("d", x);
}>;
using two_names_of_sequence = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layer<sequential<named<"q", Dense<8>>>>("d", x);
}>;
using two_names_shared = called<[](functional_builder& build, symbolic_tensor x) {
  const auto twice = build.shared<named<"q", Dense<8>>>("d");
  return twice(twice(x));
}>;
using one_name_twice = called<[](functional_builder& build, symbolic_tensor x) {
  return build.layer<named<"q", Dense<8>>>("q", x);
}>;
static_assert(is_valid<one_name_twice>());

using name_behind_shape =
    called<[](functional_builder& build, symbolic_tensor) { return build.input({8}, "x"); }>;
using name_behind_type = called<[](functional_builder& build, symbolic_tensor) {
  return build.input({8}, dtype::int32, "words");
}>;

template <typename M>
constexpr sentence sentence_of_fault = fault_of<M>::value.message();

template <typename M>
constexpr std::string_view said = sentence_of_fault<M>.view();

constexpr expectation expectations[] = {
    {said<second_input>,
     "layer 1 Dense<10> named logits in stage 0: expected 1 input, got 2. Hint: join them before "
     "it, with Add or Concatenate"},
    {said<no_inputs>, "layer 0 Dense<10> named logits in stage 0: expected 1 input, got 0"},
    {said<layer_without_name>,
     "layer 0 Dense<10>: expected its name in front of its inputs, got a tensor. Hint: a name may "
     "be "
     "empty: build.layer<Dense<10>>(\"\", x)"},
    {said<name_behind_inputs>,
     "layer 1 Dense<10>: expected its name in front of its inputs, got a tensor. Hint: a name may "
     "be "
     "empty: build.layer<Dense<10>>(\"\", x)"},
    {said<layers_without_name>,
     "layer 0 Halves: expected its name in front of its inputs, got a tensor. Hint: a name may be "
     "empty: build.layer<Dense<10>>(\"\", x)"},
    {said<inputs_in_braces>,
     "layer 0 Add: expected its inputs one by one, got a list in braces. Hint: write "
     "build.layer<Add>(\"sum\", x, y)"},
    {said<unread_layer>,
     "layer 1 Dense<8> named forgotten in stage 0: expected an output that a layer reads, or that "
     "build returns, got one that nobody reads. Hint: call a layer on it or take it out"},
    {said<unread_chain>,
     "layer 1 relu named after_it in stage 0: expected an output that a layer reads, or that build "
     "returns, got one that nobody reads. Hint: call a layer on it or take it out"},
    {said<two_outputs>,
     "layer 0 Halves named halves in stage 0: expected a layer of 1 output, got 2 outputs. Hint: "
     "take all in a functional model: build.layers<Layer, 2>(...)"},
    {said<listed_two_outputs>,
     "layer 0 Halves in stage 0: expected a layer of 1 output, got 2 outputs. Hint: take all in a "
     "functional model: build.layers<Layer, 2>(...)"},
    {said<too_large>,
     "input: expected at most 1073741824 elements in a tensor, got (100000, 100000)"},
    {said<listed_too_large>,
     "input: expected at most 1073741824 elements in a tensor, got (100000, 100000)"},
    {said<seven_extents>, "input: expected at most 6 extents, got 7"},
    {said<too_wide>,
     "layer 0 Dense<2000000000> named wide in stage 0: expected at most 1073741824 elements in a "
     "tensor, got (16, 2000000000) for its kernel"},
    {said<greedy>,
     "layer 0 Greedy in stage 0: expected numbers of inputs below 1, got input 1 in its shapes "
     "rule. Hint: a family says with .inputs how many it takes"},
    {said<stage_as_template>,
     "stage: expected a number in round brackets, got a template argument. Hint: write "
     "build.stage(1)"},
    {said<silent>,
     "layer 0 Silent in stage 0: expected a rule for shapes that adds an output, got none. Hint: "
     "write draft.output(extents) in it"},
    {said<shared_over_stages>,
     "layer 1 Dense<8> named twice in stage 1: expected calls of a shared layer in the stage of "
     "its "
     "first, 0, got one in stage 1. Hint: parameters that stages share are not there yet: give "
     "each stage a layer of its own"},
    {said<shared_over_shapes>,
     "layer 1 Dense<4> named twice in stage 0: expected an input with which kernel is (8, 4), as "
     "in "
     "the first call of the shared layer, got one with which it is (4, 4)"},
    {said<never_called>,
     "the shared layer Dense<4> named spare: expected at least 1 call, got none. Hint: call it or "
     "take it out"},
    {said<shared_name>,
     "layer 2 Dense<4> named twice in stage 0: expected a name of its own, got the name of layer "
     "0"},
    {said<inputs_of_one_name>, "input x: expected a name of its own, got that of another input"},
    {said<combinator_of_two>,
     "layer 1 residual named block in stage 0: expected 1 input, got 2. Hint: join them before it, "
     "with Add or Concatenate"},
    {said<combinator_shared>,
     "the shared layer residual: expected one layer, or a model, got residual. Hint: share its "
     "layers one by one, or make a model of them"},
    {said<named_sequence>,
     "layer 0 sequential named tail in stage 0: expected a name for a layer, got sequential. Hint: "
     "name its layers"},
    {said<mistaken_part>,
     "layer 0 residual named block in stage 0: expected inputs of one shape, got (8) and (7) as "
     "inputs 0 and 1. Hint: only equal shapes are added: a residual ends in the shape that it "
     "starts with"},
    {said<stage_as_layer>,
     "layer 0 stage in stage 0: expected a layer, got stage. Hint: write build.stage(1) and call "
     "its layers one by one"},
    {said<joined_alone>,
     "layer 0 Add in stage 0: expected at least 2 inputs, got 1. Hint: build.layer<Add>(\"\", a, "
     "b) "
     "takes several tensors; in a list of layers residual<...> adds what its layers compute to "
     "their input"},
    {said<halved>,
     "layer 1 Dense<8> named read in stage 0: expected tensors of this model, got a tensor and a "
     "number. Hint: write build.layer<Rescaling<0.5F, 1.0F>>(\"\", x) for 0.5F * x + 1.0F"},
    {said<raised>,
     "layer 1 Dense<8> named read in stage 0: expected tensors of this model, got x + h. Hint: "
     "write build.layer<Add>(\"\", x, h)"},
    {said<raised_alone>,
     "output: expected a tensor of this model, got x + h. Hint: write build.layer<Add>(\"\", x, "
     "h)"},
    {said<squared>,
     "layer 1 Dense<8> named read in stage 0: expected tensors of this model, got x * h. Hint: "
     "write build.layer<Multiply>(\"\", x, h)"},
    {said<indexed>,
     "layer 1 Dense<8> named read in stage 0: expected tensors of this model, got x[...]. Hint: "
     "Cropping1D takes steps of a sequence; of several outputs write const auto [y, h] = "
     "build.layers<GRU<16, return_state<true>>, 2>(\"\", x)"},
    {said<bare_normalization>,
     "layer 0 BatchNormalization: expected a layer with its brackets, got its name alone. Hint: "
     "write BatchNormalization<...>, or BatchNormalization<> if it is told nothing"},
    {said<bare_noise>,
     "layer 0 GaussianNoise: expected a layer with its brackets, got its name alone. Hint: write "
     "GaussianNoise<...>, or GaussianNoise<> if it is told nothing"},
    {said<bare_dense>,
     "layer 0 Dense: expected a layer with its brackets, got its name alone. Hint: write "
     "Dense<...>, or Dense<> if it is told nothing"},
    {said<bare_convolution>,
     "layer 0 Conv2D: expected a layer with its brackets, got its name alone. Hint: write "
     "Conv2D<...>, or Conv2D<> if it is told nothing"},
    {said<bare_of_two_outputs>,
     "layer 0 GRU: expected a layer with its brackets, got its name alone. Hint: write GRU<...>, "
     "or GRU<> if it is told nothing"},
    {said<bare_shared>,
     "the shared layer Dense: expected a layer with its brackets, got its name alone. Hint: write "
     "Dense<...>, or Dense<> if it is told nothing"},
    {said<two_names>,
     "layer 0 Dense<8> named d in stage 0: expected one name, got q in named<...> and d in the "
     "call. Hint: leave one of them out"},
    {said<two_names_of_sequence>,
     "layer 0 sequential named d in stage 0: expected one name, got q in named<...> and d in the "
     "call. Hint: leave one of them out"},
    {said<two_names_shared>,
     "layer 0 Dense<8> named d in stage 0: expected one name, got q in named<...> and d in the "
     "call. Hint: leave one of them out"},
    {said<name_behind_shape>,
     "input: expected its name in front of its shape, got one behind it. Hint: write "
     "build.input(\"x\", {8})"},
    {said<name_behind_type>,
     "input: expected its name in front of its shape, got one behind it. Hint: write "
     "build.input(\"words\", {8})"},
    {said<difference>,
     "output: expected a tensor of this model, got x - h. Hint: write "
     "build.layer<Subtract>(\"\", x, h)"},
};

}  // namespace

TEST_CASE("what a functional model leaves unread or has too much of is refused") {
  int checked = 0;
  for (const expectation& wanted : expectations) {
    CHECK(wanted.found == wanted.wanted);
    ++checked;
  }
  CHECK(checked == 45);
  std::printf("functional: checked %d sentences\n", checked);
}
