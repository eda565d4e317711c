// SPDX-License-Identifier: MIT
// What layers that normalise have in common: options, and the parameters gamma and beta.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

inline constexpr option_key epsilon_key{"epsilon"};
inline constexpr option_key use_scale_key{"use_scale"};
inline constexpr option_key use_center_key{"use_center"};
inline constexpr option_key gamma_init_key{"gamma_init"};
inline constexpr option_key beta_init_key{"beta_init"};

/// What is added to a variance before its root is taken: `epsilon<1e-5>`.
template <auto Value>
struct epsilon {
  static constexpr option as_option = real_option(&epsilon_key, Value);
};

/// Whether there is a gamma to multiply by: `use_scale<false>`.
template <auto Value>
struct use_scale {
  static constexpr option as_option = bool_option<Value>(&use_scale_key);
};

/// Whether there is a beta to add: `use_center<false>`.
template <auto Value>
struct use_center {
  static constexpr option as_option = bool_option<Value>(&use_center_key);
};

/// How gamma starts: `gamma_init<constant<0.5F>>`.
template <typename Initializer, typename... Options>
struct gamma_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&gamma_init_key);
};

/// How beta starts.
template <typename Initializer, typename... Options>
struct beta_init {
  static constexpr option as_option = start_option<Initializer, Options...>(&beta_init_key);
};

/// What layers keep of these options whose statistics are those of each sample.
struct normalization_options {
  float epsilon = 1e-3F;
  std::int32_t has_scale = 1;
  std::int32_t has_center = 1;
  std::int32_t centers = 1;  ///< takes the mean off
  std::int32_t groups = 0;   ///< of channels; 0: the layer knows none

  constexpr std::int32_t parameters() const { return has_scale + has_center; }
};

/// What layers take that normalise by the statistics of each sample.
inline constexpr const option_key* normalization_keys[] = {
    &epsilon_key,          &use_scale_key,        &use_center_key,
    &gamma_init_key,       &beta_init_key,        &gamma_regularizer_key,
    &beta_regularizer_key, &gamma_constraint_key, &beta_constraint_key};

/// What is asked of a gamma, or a beta, that there is not.
template <std::size_t Count>
constexpr problem check_asked(const option_list<Count>& given, std::string_view parameter,
                              const option_key& use, list_view<const option_key*> about) {
  for (const option_key* const key : about) {
    if (given.given(*key) && given.integer(use, 1) == 0) {
      return refuse(label("a ") << parameter << " beside " << key->name << "<...>",
                    label() << use.name << "<false>", "take one of them out");
    }
  }
  return {};
}

/// What is wrong with the options of a layer that takes `accepted`.
template <std::size_t Count>
constexpr problem find_normalization_fault(const option_list<Count>& given,
                                           list_view<const option_key*> accepted) {
  const option_key* const of_gamma[] = {&gamma_init_key, &gamma_regularizer_key,
                                        &gamma_constraint_key};
  const option_key* const of_beta[] = {&beta_init_key, &beta_regularizer_key, &beta_constraint_key};
  problem found = given.find_fault(accepted);
  if (!found.found()) {
    found = check_asked(given, "gamma", use_scale_key, of_gamma);
  }
  if (!found.found()) {
    found = check_asked(given, "beta", use_center_key, of_beta);
  }
  return found;
}

/// How gamma and beta start.
template <typename... Options>
inline constexpr initializer normalization_starts[] = {
    start_of(options_of<Options...>, gamma_init_key, ones::start),
    start_of(options_of<Options...>, beta_init_key, zeros::start)};

/// What `given` says, beside what is usual for the layer.
template <std::size_t Count>
constexpr normalization_options read_normalization(const option_list<Count>& given,
                                                   const normalization_options& usual) {
  normalization_options read = usual;
  read.epsilon = given.number(epsilon_key, usual.epsilon);
  read.has_scale = given.integer(use_scale_key, usual.has_scale);
  read.has_center = given.integer(use_center_key, usual.has_center);
  return read;
}

/// The options at hand as the user wrote them, behind `words`; `between` stands before the first.
constexpr void write_options(label& words, const normalization_options& options,
                             const normalization_options& usual, const char* between) {
  if (options.epsilon != usual.epsilon) {
    words << between << "epsilon<" << options.epsilon << ">";
    between = ", ";
  }
  if (options.has_scale != usual.has_scale) {
    words << between << "use_scale<false>";
    between = ", ";
  }
  if (options.has_center != usual.has_center) {
    words << between << "use_center<false>";
  }
}

/// gamma and beta as far as there are any, of the last axis, and an output like the input.
constexpr problem add_normalized(node_draft& draft) {
  const auto options = draft.options<normalization_options>();
  const shape input = draft.input(0);
  if (!(options.epsilon > 0.0F)) {
    return refuse("an epsilon above 0", label() << options.epsilon);
  }
  if (input.rank == 0) {
    return refuse("samples of at least 1 axis", describe(input),
                  "the last axis is that of the channels");
  }
  const shape channels{input[input.rank - 1]};
  if (options.has_scale != 0) {
    draft.parameter("gamma", channels, draft.start(0));
  }
  if (options.has_center != 0) {
    draft.parameter("beta", channels, draft.start(1));
  }
  draft.output(input);
  return {};
}

}  // namespace ipu_dsl
