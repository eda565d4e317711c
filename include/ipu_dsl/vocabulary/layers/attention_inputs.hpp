// SPDX-License-Identifier: MIT
// The options of MultiHeadAttention, which inputs it reads as what, and what is wrong with them.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/sequence_input.hpp>

namespace ipu_dsl {

inline constexpr option_key value_dim_key{"value_dim"};
inline constexpr option_key use_causal_mask_key{"use_causal_mask"};
inline constexpr option_key use_attention_mask_key{"use_attention_mask"};

/// Numbers of a value in a head; those of a key unless given.
template <auto Value>
struct value_dim {
  static constexpr option as_option = whole_option(&value_dim_key, Value);
};

/// Whether the last input says which keys each query attends to.
template <auto Value>
struct use_attention_mask {
  static constexpr option as_option = bool_option<Value>(&use_attention_mask_key);
};

/// Whether a position attends only to itself and those before it.
template <auto Value>
struct use_causal_mask {
  static constexpr option as_option = bool_option<Value>(&use_causal_mask_key);
};

struct multi_head_attention_options {
  std::int32_t heads = 0;
  std::int32_t key_dim = 0;
  std::int32_t value_dim = 0;
  std::int32_t has_bias = 1;
  std::int32_t causal = 0;
  std::int32_t is_told = 0;  ///< which keys each query attends to, by the last input
};

namespace multi_head_attention_rules {

constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<multi_head_attention_options>();
  label words = "MultiHeadAttention<";
  words << options.heads << ", " << options.key_dim;
  if (options.value_dim != options.key_dim) {
    words << ", value_dim<" << options.value_dim << ">";
  }
  if (options.causal != 0) {
    words << ", use_causal_mask<true>";
  }
  if (options.is_told != 0) {
    words << ", use_attention_mask<true>";
  }
  if (options.has_bias == 0) {
    words << ", use_bias<false>";
  }
  return words << ">";
}

/// The products of a layer, in Keras's order of their weights.
enum class projection : std::int32_t { query, key, value, output };

/// Which input a projection reads, in Keras's order (query, value, key): without a key the values
/// are the keys, and alone the queries are both.
constexpr std::int32_t source_of(projection which, std::int32_t inputs) {
  switch (which) {
    case projection::key:
      return inputs == 3 ? 2 : inputs - 1;
    case projection::value:
      return inputs == 1 ? 0 : 1;
    case projection::query:
    case projection::output:
      break;
  }
  return 0;
}

/// Inputs that say what of the sequences before them is attended to.
constexpr std::int32_t inputs_beside(const attributes& options) {
  return options.as<multi_head_attention_options>().is_told;
}

/// Sequences that are read, but for masks behind them.
constexpr std::int32_t sequences_of(const node_draft& draft) {
  return draft.inputs() - (draft.is_masked() ? 1 : 0) -
         draft.options<multi_head_attention_options>().is_told;
}

/// Numbers of a head that a kernel keeps on the stack, as an array.
inline constexpr std::int64_t most_numbers_of_head = 1 << 17;

constexpr problem check_inputs(node_draft& draft) {
  for (std::int32_t i = 0; i < sequences_of(draft); ++i) {
    if (draft.input(i).rank != 2) {
      return refuse_no_sequence("sequences (steps, features)", draft.input(i));
    }
  }
  const std::int32_t value = source_of(projection::value, sequences_of(draft));
  const std::int32_t key = source_of(projection::key, sequences_of(draft));
  if (draft.input(value)[0] != draft.input(key)[0]) {
    return refuse(
        "a key for each value",
        label() << draft.input(key)[0] << " keys and " << draft.input(value)[0] << " values",
        "the inputs are the query, the value and the key");
  }
  return {};
}

/// Behind the sequences stands which keys each query attends to.
constexpr problem check_attention_mask(node_draft& draft, const shape& wanted) {
  if (draft.options<multi_head_attention_options>().is_told == 0) {
    return {};
  }
  constexpr const char* where =
      "it stands behind the sequences: build.layer<MultiHeadAttention<...>>(\"\", query, value, "
      "mask)";
  const std::int32_t mask = sequences_of(draft);
  for (std::int32_t i = 0; i < mask; ++i) {
    if (draft.is_one_tensor(i, mask)) {
      return refuse("an attention mask as the last input",
                    i == 0 ? "the query once more" : "the value or the key once more", where);
    }
  }
  const shape given = draft.input(mask);
  return given == wanted
             ? problem()
             : refuse(label("an attention mask (queries, keys), ") << ipu_dsl::describe(wanted),
                      ipu_dsl::describe(given), where);
}

constexpr problem check_sizes(const multi_head_attention_options& options, std::int32_t steps) {
  if (options.heads < 1) {
    return refuse("at least 1 head", label() << options.heads);
  }
  if (options.key_dim < 1 || options.value_dim < 1) {
    return refuse("a key_dim and a value_dim of at least 1",
                  label() << options.key_dim << " and " << options.value_dim);
  }
  const std::int32_t widest =
      options.key_dim > options.value_dim ? options.key_dim : options.value_dim;
  if (std::int64_t{steps} * widest > most_numbers_of_head) {
    return refuse(label("at most ") << most_numbers_of_head << " numbers a head",
                  label() << steps << " steps of " << widest << " numbers",
                  "take more heads, or shorter sequences");
  }
  return {};
}

}  // namespace multi_head_attention_rules

}  // namespace ipu_dsl
