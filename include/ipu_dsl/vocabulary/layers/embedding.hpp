// SPDX-License-Identifier: MIT
// Embedding: a row of numbers for each of the words of a vocabulary.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/masked_steps.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

inline constexpr option_key mask_zero_key{"mask_zero"};

/// Whether word 0 is none, a step that is left out: see Masking.
template <auto Value>
struct mask_zero {
  static constexpr option as_option = bool_option<Value>(&mask_zero_key);
};

struct embedding_options {
  std::int32_t words = 0;
  std::int32_t features = 0;
  std::int32_t masks_zero = 0;
};

enum class embedding_variant : std::int32_t {
  forward,  ///< writes y, reads table, words
  gradient  ///< adds to the accumulator of the table, reads d, words
};

struct embedding_call {
  embedding_variant variant;
  std::int32_t batch;
  std::int32_t positions;  ///< words of a sample
  std::int32_t words;      ///< of the vocabulary
  std::int32_t features;
  std::int32_t in_one_row;  ///< the features of a sample are not padded word by word
};

namespace embedding_rules {

constexpr label describe(const family&, const attributes& attributes) {
  const auto options = attributes.as<embedding_options>();
  label words = "Embedding<";
  words << options.words << ", " << options.features
        << (options.masks_zero != 0 ? ", mask_zero<true>>" : ">");
  return words;
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<embedding_options>();
  shape made = draft.input(0);
  if (options.words < 2 || options.features < 1) {
    return refuse("at least 2 words and 1 feature",
                  label() << options.words << " and " << options.features);
  }
  if (draft.input_type(0) != dtype::int32) {
    return refuse("numbers of words, an input of int32", name_of(draft.input_type(0)),
                  "write input<dtype::int32, 16> for samples of 16 words");
  }
  if (made.rank == shape::max_rank) {
    return refuse(label("at most ") << shape::max_rank - 1 << " extents", ipu_dsl::describe(made));
  }
  draft.integers_below(0, options.words);
  draft.parameter("embeddings", {options.words, options.features}, draft.start(0));
  made.extents[made.rank] = options.features;
  ++made.rank;
  draft.output(made);
  if (options.masks_zero != 0 && made.rank != 2) {
    return refuse("samples of words beside mask_zero<true>", ipu_dsl::describe(draft.input(0)));
  }
  if (options.masks_zero != 0) {
    draft.mask_output();
  }
  return {};
}

constexpr embedding_call key_of(const emitter& emit, embedding_variant variant, storage lies) {
  const auto options = emit.options<embedding_options>();
  return {.variant = variant,
          .batch = emit.batch(),
          .positions = static_cast<std::int32_t>(emit.input_shape(0).elements()),
          .words = options.words,
          .features = options.features,
          .in_one_row = lies == storage::rows ? 1 : 0};
}

/// Which words there are.
constexpr void mask_words(emitter& emit) {
  const masked_sequences of{.steps = emit.input_shape(0)[0], .units = 1};
  call_draft call = emit.call_of(masked_steps_family, of.key(emit, masked_steps_variant::words));
  const auto [sample, step] = call.over(emit.batch(), of.steps);
  call.writes(emit.output_value(1), {sample, step}).reads(emit.input_value(0), {sample, step});
}

constexpr void forward(emitter& emit) {
  const buffer_ref written = emit.output_value(0);
  const embedding_call key = key_of(emit, embedding_variant::forward, written.lies);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [position, feature] = call.over(key.positions, key.features);
  call.writes(written.as({key.positions, key.features}), {sample, position, feature})
      .reads(emit.parameter_value(0), {gathered(), feature})
      .reads(emit.input_value(0).flat(), {sample, position});
  if (emit.options<embedding_options>().masks_zero != 0) {
    mask_words(emit);
  }
}

/// As if the table were dense: the rows of words that do not come up get nothing. Samples come one
/// after the other, so that features are what tiles can share.
constexpr void weight_gradient(emitter& emit) {
  const buffer_ref d = emit.output_gradient(0);
  const embedding_call key = key_of(emit, embedding_variant::gradient, d.lies);
  call_draft call = emit.call(key);
  const axis_id feature = call.over(key.features);
  const axis_id sample = call.all(key.batch);
  const axis_id position = call.all(key.positions);
  call.updates(emit.accumulator(0), {gathered(), feature})
      .reads(d.as({key.positions, key.features}), {sample, position, feature})
      .reads(emit.input_value(0).flat(), {sample, position});
}

}  // namespace embedding_rules

inline constexpr family embedding_family{.name = "Embedding",
                                         .describe = embedding_rules::describe,
                                         .reads_integers = true,
                                         .shapes = embedding_rules::shapes,
                                         .forward = embedding_rules::forward,
                                         .weight_gradient = embedding_rules::weight_gradient,
                                         .one_step = each_step_alone,
                                         .writes = {storage::positions}};

template <typename... Options>
struct embedding_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&init_key, &embeddings_regularizer_key,
                                                   &embeddings_constraint_key,
                                                   &activity_regularizer_key, &mask_zero_key};
  static constexpr problem fault = given.find_fault(accepted);
  static constexpr initializer starts[] = {start_of(given, init_key, random_uniform::start)};

  static constexpr element with_sizes(const whole_number& words, const whole_number& features) {
    const problem* const unread = first_fault({words, features});
    if (!is_null(unread)) {
      return unfit_layer("Embedding<words, features>", *unread);
    }
    const embedding_options chosen{.words = words.value,
                                   .features = features.value,
                                   .masks_zero = given.integer(mask_zero_key, 0)};
    return {.kind = element_kind::layer,
            .rule = &embedding_family,
            .options = attributes::of(chosen),
            .starts = starts,
            .fault = &fault,
            .weights = find_weight_rules<Options...>()};
  }
};

/// For each number of a word, an int32 in [0, Words), its row of the table embeddings [Words,
/// Features]: samples (16) become (16, Features). Options with Keras's defaults: `init<...>`
/// (random_uniform); `embeddings_regularizer<...>`, `embeddings_constraint<...>`,
/// `activity_regularizer<...>` (none), `mask_zero<...>` (false).
template <auto Words = no_number{}, auto Features = no_number{}, typename... Options>
struct Embedding {
  static constexpr element description = embedding_reading<Options...>::with_sizes(
      read_whole<"words">(Words), read_whole<"features">(Features));
};

/// `Embedding(1000, 16)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
Embedding(Arguments...) -> Embedding<>;

}  // namespace ipu_dsl
