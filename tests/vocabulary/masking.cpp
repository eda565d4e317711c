// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/masking.hpp, and of how masks go through a model: who hands them on,
// who reads them, where they end, and what is refused.
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using tests::checks;

struct on_each_step
    : model<input<5, 3>, sequential<Masking<>, PositionEmbedding<>, Dense<4, gelu>, Dropout<0.25F>,
                                    LayerNormalization<>, residual<Dense<4>, relu>,
                                    concat<Dense<2>, BatchNormalization<>>,
                                    LSTM<3, return_sequences<true>>, TimeDistributed<Dense<2>>>> {};

struct to_last_state
    : model<input<dtype::int32, 5>,
            sequential<Embedding<7, 3, mask_zero<true>>,
                       Bidirectional<GRU<4, return_sequences<true>>>, SimpleRNN<4>, Dense<2>>> {};

struct in_other_order
    : model<input<5, 3>, sequential<Masking<-1>, Conv1D<4, 3, same_padding>, GRU<2>>> {};

struct flattened : model<input<dtype::int32, 5>,
                         sequential<Embedding<7, 3, mask_zero<true>>, Flatten, Dense<2>>> {};

struct padded_steps : model<input<5, 3>, sequential<Masking<-1>, ZeroPadding1D<2, 1>, GRU<2>>> {};

/// Words attend to each other; then what nobody masks to them, and they to that.
struct attended {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 6});
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    const symbolic_tensor itself = build.layer<MultiHeadAttention<2, 3>>("", masked);
    const symbolic_tensor others = build.layer<MultiHeadAttention<2, 3>>("", x, itself, masked);
    return build.layer<MultiHeadAttention<2, 3>>("", itself, others);
  }
};

/// What the attention of a model reads, masks of keys included.
template <typename Model>
constexpr std::int32_t attention_inputs() {
  for (const node& each : graph_of<Model>.nodes) {
    if (each.rule == &multi_head_attention_family) {
      return each.inputs;
    }
  }
  return 0;
}

/// The mask of the keys is heeded beside what each query is told; of what tells there is none.
template <bool MaskBeside>
struct attended_as_told {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 6});
    const symbolic_tensor told = build.input({5, 5});
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    const symbolic_tensor beside = MaskBeside ? build.layer<Masking<>>("", told) : told;
    return build.layer<MultiHeadAttention<2, 3, use_attention_mask<true>>>("", masked, beside);
  }
};

static_assert(is_valid<attended_as_told<false>>());
static_assert(attention_inputs<attended_as_told<false>>() == 3);
static_assert(fault_of<attended_as_told<true>>::value.expected.view() ==
              "a layer that knows which steps are masked");

/// The mask is forgotten, and a sequence stands in its place, which has the mask's extents.
template <bool Query>
struct mask_forgotten {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 5});
    const symbolic_tensor value = build.layer<Dense<5>>("", x);
    const symbolic_tensor query = Query ? value : x;
    return build.layer<MultiHeadAttention<2, 3, use_attention_mask<true>>>("", query, value, value);
  }
};

static_assert(fault_of<mask_forgotten<true>>::value.got.view() == "the query once more");
static_assert(fault_of<mask_forgotten<false>>::value.got.view() ==
              "the value or the key once more");

/// Values and keys with masks of their own.
struct attended_by_both {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 6});
    const symbolic_tensor first = build.layer<Masking<>>("", x);
    const symbolic_tensor second = build.layer<Masking<1>>("", x);
    return build.layer<MultiHeadAttention<2, 3>>("", x, first, second);
  }
};

/// Only one of both ways is masked: the mask is that of the sum.
struct one_mask {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    const symbolic_tensor sum = build.layer<Add>("", x, masked);
    return build.layer<GRU<2>>("", sum);
  }
};

struct two_masks {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const symbolic_tensor first = build.layer<Masking<>>("", x);
    const symbolic_tensor second = build.layer<Masking<1>>("", x);
    return build.layer<GRU<2>>("", build.layer<Add>("", first, second));
  }
};

struct side_by_side {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const symbolic_tensor first = build.layer<Masking<>>("", x);
    const symbolic_tensor second = build.layer<Masking<1>>("", x);
    return build.layer<GRU<2>>("", build.layer<Concatenate>("", first, x, second));
  }
};

/// Ten steps, and a mask of five twice.
struct behind_each_other {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.layer<Masking<>>("", build.input({5, 3}));
    return build.layer<GRU<2>>("", build.layer<ConcatenateOn<1>>("", x, x));
  }
};

/// A mask of eleven steps, in a model that is a layer of another.
struct nested_joins {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor first = build.layer<Masking<>>("", build.input({5, 3}));
    const symbolic_tensor second = build.layer<Masking<>>("", build.input({6, 3}));
    return build.layer<ConcatenateOn<-2>>("", first, second);
  }
};

struct around_joins {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor first = build.input({5, 3});
    const symbolic_tensor joined = build.layer<nested_joins>("", first, build.input({6, 3}));
    return build.layer<GlobalAveragePooling1D>("", joined);
  }
};

/// Of the second five steps nobody has said whether they are there.
struct half_masked {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    return build.layer<GRU<2>>("", build.layer<ConcatenateOn<1>>("", masked, x));
  }
};

/// Two masks, but before them two lengths.
struct other_lengths {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor first = build.layer<Masking<>>("", build.input({5, 3}));
    const symbolic_tensor second = build.layer<Masking<>>("", build.input({6, 3}));
    return build.layer<GRU<2>>("", build.layer<Multiply>("", first, second));
  }
};

struct mean_of_steps : model<input<5, 3>, sequential<Masking<>, GlobalAveragePooling1D>> {};

struct largest_of_steps : model<input<5, 3>, sequential<Masking<>, GlobalMaxPooling1D>> {};

struct means_of_windows : model<input<6, 3>, sequential<Masking<>, AveragePooling1D<2>>> {};

struct multiplied {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.layer<Masking<>>("", build.input({5, 3}));
    return build.layer<Dot<2>>("", x, x);
  }
};

struct goes_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 3});
    const auto [last, state] = build.layers<GRU<2, return_state<true>>, 2>("", x);
    const symbolic_tensor masked = build.layer<Masking<>>("", x);
    return build.layer<Concatenate>("", last, build.layer<GRU<2>>("", masked, state));
  }
};

/// Masks in a model that is a layer of another, whose input has one.
struct last_of_steps : model<input<5, 3>, sequential<Dense<3>, LSTM<2>>> {};

struct around : model<input<5, 3>, sequential<Masking<>, last_of_steps, Dense<2>>> {};

template <typename M>
constexpr std::int32_t mask_of_only() {
  std::int32_t found = -1;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graph_of<M>.tensors.size()); ++i) {
    found = graph_of<M>.at(i).is_mask ? i : found;
  }
  return found;
}

constexpr checks test_masking() {
  const auto made = apply<Masking<>>({{5, 3}});
  const graph_view view = made.made.view();
  checks done;
  done.that(made.gives({5, 3}));
  done.that(made.only().outputs == 2 && made.only().parameters == 0);
  const tensor& mask = view.at(made.output().mask);
  done.that(mask.is_mask && mask.extents == shape{5} && !mask.needs_gradient);
  done.that(!check_single_output(made.made).found());
  done.that(made.only().options.as<masking_options>().value == 0.0F);
  done.that(apply<Masking<-1.5F>>({{5, 3}}).only().options.as<masking_options>().value == -1.5F);
  done.that(apply<Masking<>>({{5}}).refused("a sequence (steps, features)", "(5)"));
  done.that(apply<Masking<>>({{5}}).found.hint.view() ==
            "Reshape<5, 1> makes the vector a sequence of one feature");
  done.that(apply<Masking<>>({{5, 3, 2}}).found.hint.view() ==
            "Reshape<15, 2> makes the image a sequence of its pixels; samples are no axis of an "
            "input");
  done.that(apply<Masking<>>({{5, 3, 2}}).refused("a sequence (steps, features)", "(5, 3, 2)"));
  return done;
}

/// Layers on each step hand it on; the recurrent ones read it as their last input.
constexpr checks test_way() {
  const graph_view& view = graph_of<on_each_step>;
  const std::int32_t mask = mask_of_only<on_each_step>();
  checks done;
  done.that(!fault_of<on_each_step>::value.found());
  done.that(mask >= 0 && view.at(view.output(0)).mask == mask);
  std::int32_t readers = 0;
  std::int32_t passed = 0;
  for (const node& each : view.nodes) {
    const bool reads = view.input_of(each, each.inputs - 1) == mask;
    readers += reads ? 1 : 0;
    passed += view.at(view.output_of(each, 0)).mask == mask ? 1 : 0;
    done.that(reads == is_recurrent(each.rule->name));
  }
  done.that(readers == 1);
  // What lays the input out before the mask is made has none.
  const std::int32_t before = view.at(mask).producer;
  done.that(before >= 0 && passed == static_cast<std::int32_t>(view.nodes.size()) - before);
  return done;
}

/// A last state has no steps and no mask; before it both halves of a Bidirectional read it.
constexpr checks test_end() {
  const graph_view& view = graph_of<to_last_state>;
  const std::int32_t mask = mask_of_only<to_last_state>();
  checks done;
  done.that(!fault_of<to_last_state>::value.found());
  done.that(view.at(view.output(0)).mask < 0);
  std::int32_t readers = 0;
  for (const node& each : view.nodes) {
    if (is_recurrent(each.rule->name)) {
      ++readers;
      done.that(view.input_of(each, each.inputs - 1) == mask);
      done.that((each.options.as<recurrent_options>().zeros_at_masked != 0) ==
                (each.rule->name == "GRU"));
    }
  }
  done.that(readers == 3);
  done.that(!fault_of<one_mask>::value.found());
  done.that(!fault_of<goes_on>::value.found());
  done.that(!fault_of<around>::value.found());
  return done;
}

/// How many masks the node reads that makes the mask of what the model's last but one layer makes;
/// and of which steps that is.
template <typename M>
constexpr checks joins(std::string_view family, std::int32_t masks, std::int32_t steps) {
  const graph_view& view = graph_of<M>;
  checks done;
  done.that(!fault_of<M>::value.found());
  const node& last = view.nodes.back();
  const std::int32_t mask = view.input_of(last, last.inputs - 1);
  done.that(view.at(mask).is_mask && view.at(mask).extents == shape{steps});
  done.that(!view.at(mask).needs_gradient && view.at(view.input_of(last, 0)).mask == mask);
  const node& maker = view.node_at(view.at(mask).producer);
  done.that(maker.rule->name == family && maker.inputs == masks && maker.outputs == 1);
  for (std::int32_t i = 0; i < maker.inputs; ++i) {
    done.that(view.at(view.input_of(maker, i)).is_mask);
  }
  return done;
}

/// Merges and columns side by side: what is there by all masks; steps behind each other: all masks.
constexpr checks test_joins() {
  checks done;
  done.that(joins<two_masks>("joined masks", 2, 5));
  done.that(joins<side_by_side>("joined masks", 2, 5));
  done.that(joins<behind_each_other>("Concatenate", 2, 10));
  done.that(joins<around_joins>("Concatenate", 2, 11));
  done.that(!fault_of<mean_of_steps>::value.found());
  return done;
}

/// Attention reads the mask of value and key and hands on that of the query.
constexpr checks test_attention() {
  const graph_view& view = graph_of<attended>;
  const std::int32_t mask = mask_of_only<attended>();
  constexpr bool told[] = {true, true, false};
  constexpr bool hands_on[] = {true, false, true};
  checks done;
  done.that(!fault_of<attended>::value.found());
  std::size_t number = 0;
  for (const node& each : view.nodes) {
    if (each.rule->name == "MultiHeadAttention") {
      done.that((view.input_of(each, each.inputs - 1) == mask) == told[number]);
      done.that((view.at(view.output_of(each, 0)).mask == mask) == hands_on[number]);
      ++number;
    }
  }
  done.that(number == 3);
  const graph_view& both = graph_of<attended_by_both>;
  const node* last = &both.nodes.back();
  while (last->rule->name != "MultiHeadAttention") {
    --last;
  }
  done.that(last->inputs == 4 && both.at(both.output_of(*last, 0)).mask < 0);
  const std::int32_t joined = both.input_of(*last, 3);
  done.that(both.at(joined).is_mask);
  done.that(both.node_at(both.at(joined).producer).rule == &joined_masks_family);
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(fault_of<in_other_order>::value.expected.view() ==
            "a layer that knows which steps are masked");
  done.that(fault_of<in_other_order>::value.where.view().starts_with("layer 1 Conv1D"));
  done.that(fault_of<flattened>::value.got.view() == "Flatten");
  done.that(fault_of<padded_steps>::value.got.view() == "ZeroPadding1D<2, 1>");
  done.that(fault_of<largest_of_steps>::value.got.view() == "GlobalMaxPooling1D");
  done.that(fault_of<means_of_windows>::value.got.view() == "AveragePooling1D");
  done.that(fault_of<multiplied>::value.got.view() == "Dot<2, 2>");
  done.that(fault_of<half_masked>::value.got.view() == "an input without one");
  done.that(fault_of<other_lengths>::value.expected.view() == "inputs of one shape");
  done.that(apply<Embedding<7, 3, mask_zero<true>>>({{5, 3}}).found.found());
  return done;
}

static_assert(test_masking());
static_assert(test_way());
static_assert(test_end());
static_assert(test_joins());
static_assert(test_attention());
static_assert(test_refusals());
static_assert(describe(Masking<>::description).view() == "Masking<0>");
static_assert(describe(Embedding<7, 3, mask_zero<true>>::description).view() ==
              "Embedding<7, 3, mask_zero<true>>");
static_assert(describe(Embedding<7, 3, mask_zero<false>>::description).view() == "Embedding<7, 3>");

TEST_CASE("Masking makes a mask that layers on each step hand on and recurrent ones read") {
  CHECK(test_masking());
  CHECK(test_way());
  CHECK(test_end());
}

TEST_CASE("layers that merge their inputs make one mask of several") {
  CHECK(test_joins());
}

TEST_CASE("attention reads masks of keys and hands on those of queries") {
  CHECK(test_attention());
}

TEST_CASE("layers that do not know masks, and steps of which nobody knows, are refused") {
  CHECK(test_refusals());
}

}  // namespace
