// SPDX-License-Identifier: MIT
// MultiHeadAttention: every position of a sequence gathers what the positions that it attends to
// have to say.
// Over 300 lines: one layer: its key, its rules, its options.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/vocabulary/layers/attention_inputs.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/position_product.hpp>
#include <ipu_dsl/vocabulary/layers/weights.hpp>

namespace ipu_dsl {

enum class multi_head_attention_variant : std::int32_t {
  /// Writes context, probabilities; reads q, k, v[, masks of keys][, keys of each query].
  forward,
  gradient  ///< writes dq, dk, dv, gradients of scores; reads q, k, v, probabilities, d of context
};

struct multi_head_attention_call {
  multi_head_attention_variant variant;
  std::int32_t batch;
  std::int32_t queries;  ///< positions that attend
  std::int32_t keys;     ///< positions that are attended to
  std::int32_t heads;
  std::int32_t key_dim;
  std::int32_t value_dim;
  std::int32_t causal;
  std::int32_t is_masked;  ///< not all keys are there
  std::int32_t is_told;    ///< each query has keys of its own
};

namespace multi_head_attention_rules {

using variant = multi_head_attention_variant;

/// Sequences that are read, but for masks behind them.
constexpr std::int32_t sequences_of(const emitter& emit) {
  return emit.inputs() - (emit.mask_input() < 0 ? 0 : 1) -
         emit.options<multi_head_attention_options>().is_told;
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<multi_head_attention_options>();
  if (sequences_of(draft) < 1 || sequences_of(draft) > 3) {
    return refuse(
        options.is_told != 0 ? "1 to 3 inputs and an attention mask behind them" : "1 to 3 inputs",
        label() << sequences_of(draft) + options.is_told,
        "they are the query, the value and the key");
  }
  problem found = check_inputs(draft);
  const shape query = draft.input(0);
  const shape value = draft.input(source_of(projection::value, sequences_of(draft)));
  const shape key = draft.input(source_of(projection::key, sequences_of(draft)));
  if (!found.found()) {
    found = check_sizes(options, query[0] > key[0] ? query[0] : key[0]);
  }
  if (!found.found()) {
    found = check_attention_mask(draft, {query[0], key[0]});
  }
  if (found.found()) {
    return found;
  }
  const auto add = [&](std::string_view kernel, std::string_view bias, std::int32_t inputs,
                       std::int32_t units) {
    draft.parameter(kernel, {inputs, units}, draft.start(0), storage::panels);
    if (options.has_bias != 0) {
      draft.parameter(bias, {units}, draft.start(1), storage::panel_bias);
    }
  };
  const std::int32_t keys = options.heads * options.key_dim;
  const std::int32_t values = options.heads * options.value_dim;
  add("query_kernel", "query_bias", query[1], keys);
  add("key_kernel", "key_bias", key[1], keys);
  add("value_kernel", "value_bias", value[1], values);
  add("output_kernel", "output_bias", values, query[1]);
  draft.output(query);
  return {};
}

constexpr multi_head_attention_call key_of(const emitter& emit, variant which) {
  const auto options = emit.options<multi_head_attention_options>();
  return {.variant = which,
          .batch = emit.batch(),
          .queries = emit.input_shape(0)[0],
          .keys = emit.input_shape(source_of(projection::key, sequences_of(emit)))[0],
          .heads = options.heads,
          .key_dim = options.key_dim,
          .value_dim = options.value_dim,
          .causal = options.causal,
          .is_masked = which == variant::forward && emit.mask_input() >= 0 ? 1 : 0,
          .is_told = which == variant::forward ? options.is_told : 0};
}

/// What the node keeps of a micro-batch, and what its gradients need: tags of scratch. Behind the
/// first three stand the gradients of queries, keys and values, the kernels transposed, and what
/// each adds to the gradient of an input.
enum class kept : std::int32_t {
  projected = 0,
  projected_gradient = 3,
  transposed = 6,
  part = 10,
  probabilities = 13,
  score_gradients,
  context,
  context_gradient
};

constexpr std::int32_t tag_of(kept what, projection which = projection::query) {
  return static_cast<std::int32_t>(what) + static_cast<std::int32_t>(which);
}

/// Queries, keys or values, or their gradients: heads beside each other.
constexpr buffer_ref projected(const emitter& emit, projection which, kept what = kept::projected) {
  const multi_head_attention_call key = key_of(emit, variant::forward);
  const std::int32_t width = which == projection::value ? key.value_dim : key.key_dim;
  const std::int32_t positions = which == projection::query ? key.queries : key.keys;
  return emit.scratch(tag_of(what, which), {positions, key.heads * width}, storage::positions);
}

/// One number for each query of each head and each key.
constexpr buffer_ref scores(const emitter& emit, kept what) {
  const multi_head_attention_call key = key_of(emit, variant::forward);
  return emit.scratch(tag_of(what), {key.heads * key.queries, key.keys}, storage::positions);
}

constexpr buffer_ref context(const emitter& emit, kept what) {
  const multi_head_attention_call key = key_of(emit, variant::forward);
  return emit.scratch(tag_of(what), {key.queries, key.heads * key.value_dim}, storage::positions);
}

constexpr position_product product_of(const emitter& emit, projection which) {
  const auto options = emit.options<multi_head_attention_options>();
  const shape& input = emit.input_shape(source_of(which, sequences_of(emit)));
  const std::int32_t keys = options.heads * options.key_dim;
  const std::int32_t values = options.heads * options.value_dim;
  const bool last = which == projection::output;
  const std::int32_t first = static_cast<std::int32_t>(which) * (1 + options.has_bias);
  return {.positions = input[0],
          .inputs = last ? values : input[1],
          .units = last ? input[1] : (which == projection::value ? values : keys),
          .kernel = first,
          .bias = options.has_bias != 0 ? first + 1 : -1};
}

inline constexpr projection projections[] = {projection::query, projection::key, projection::value};

/// The axes of a call: heads of samples share nothing.
struct attention_axes {
  axis_id sample;
  axis_id head;
  axis_id query;
  axis_id key;
  axis_id key_number;
  axis_id value_number;
  multi_head_attention_call of;

  constexpr attention_axes(call_draft& call, const multi_head_attention_call& given)
      : sample(call.over(given.batch)),
        head(call.over(given.heads)),
        query(call.all(given.queries)),
        key(call.all(given.keys)),
        key_number(call.all(given.key_dim)),
        value_number(call.all(given.value_dim)),
        of(given) {}

  constexpr reach key_column() const { return window(head, key_number, of.key_dim, 1, 0); }

  constexpr reach value_column() const { return window(head, value_number, of.value_dim, 1, 0); }

  constexpr reach score_row() const { return window(head, query, of.queries, 1, 0); }

  /// Multiply-adds of `of_keys` products over keys and `of_values` over values.
  constexpr std::int64_t operations(std::int32_t of_keys, std::int32_t of_values) const {
    return std::int64_t{of.batch} * of.heads * of.queries * of.keys *
           (of_keys * of.key_dim + of_values * of.value_dim);
  }
};

constexpr void read_projected(const emitter& emit, call_draft& call, const attention_axes& axes) {
  call.reads(projected(emit, projection::query), {axes.sample, axes.query, axes.key_column()})
      .reads(projected(emit, projection::key), {axes.sample, axes.key, axes.key_column()})
      .reads(projected(emit, projection::value), {axes.sample, axes.key, axes.value_column()});
}

constexpr void forward(emitter& emit) {
  for (const projection which : projections) {
    product_of(emit, which)
        .forward(emit, projected(emit, which),
                 emit.input_value(source_of(which, sequences_of(emit))));
  }
  const multi_head_attention_call key = key_of(emit, variant::forward);
  {
    call_draft call = emit.call(key);
    const attention_axes axes(call, key);
    call.writes(context(emit, kept::context), {axes.sample, axes.query, axes.value_column()})
        .writes(scores(emit, kept::probabilities), {axes.sample, axes.score_row(), axes.key});
    read_projected(emit, call, axes);
    if (key.is_masked != 0) {
      call.reads(emit.input_value(emit.mask_input()), {axes.sample, axes.key});
    }
    if (key.is_told != 0) {
      call.reads(emit.input_value(sequences_of(emit)), {axes.sample, axes.query, axes.key});
    }
    call.costs(axes.operations(1, 1));
  }
  product_of(emit, projection::output)
      .forward(emit, emit.output_value(0), context(emit, kept::context));
}

constexpr void attend_gradient(emitter& emit) {
  const multi_head_attention_call key = key_of(emit, variant::gradient);
  call_draft call = emit.call(key);
  const attention_axes axes(call, key);
  const kept made = kept::projected_gradient;
  call.writes(projected(emit, projection::query, made),
              {axes.sample, axes.query, axes.key_column()})
      .writes(projected(emit, projection::key, made), {axes.sample, axes.key, axes.key_column()})
      .writes(projected(emit, projection::value, made),
              {axes.sample, axes.key, axes.value_column()})
      .writes(scores(emit, kept::score_gradients), {axes.sample, axes.score_row(), axes.key});
  read_projected(emit, call, axes);
  call.reads(scores(emit, kept::probabilities), {axes.sample, axes.score_row(), axes.key})
      .reads(context(emit, kept::context_gradient), {axes.sample, axes.query, axes.value_column()})
      .costs(axes.operations(2, 2));
}

/// The sum of what the projections of input `i` add to its gradient, in their order.
constexpr void gradient_of_input(emitter& emit, std::int32_t i) {
  std::int32_t parts = 0;
  for (const projection which : projections) {
    parts += source_of(which, sequences_of(emit)) == i ? 1 : 0;
  }
  const auto part = [&](projection which) {
    return emit.scratch(tag_of(kept::part, which), emit.input_shape(i), storage::positions);
  };
  for (const projection which : projections) {
    if (source_of(which, sequences_of(emit)) == i) {
      product_of(emit, which)
          .input_gradient(emit, parts == 1 ? emit.input_gradient(i) : part(which),
                          projected(emit, which, kept::projected_gradient),
                          tag_of(kept::transposed, which));
    }
  }
  if (parts == 1) {
    return;
  }
  const stored_rows lain = emit.rows_of(part(projection::query));
  call_draft call = emit.call_of(add_family, add_call{parts, lain.count, lain.length});
  const auto [sample, element] = call.over(emit.batch(), emit.input_shape(i).elements());
  call.all(parts);
  call.writes(emit.input_gradient(i).flat(), {sample, element});
  for (const projection which : projections) {
    if (source_of(which, sequences_of(emit)) == i) {
      call.reads(part(which).flat(), {sample, element});
    }
  }
}

/// Nothing follows from a little more or less of what says which keys there are.
constexpr void gradient_of_attention_mask(emitter& emit) {
  const std::int32_t last = sequences_of(emit);
  if (emit.options<multi_head_attention_options>().is_told == 0 ||
      !emit.wants_input_gradient(last)) {
    return;
  }
  const buffer_ref written = emit.input_gradient(last);
  const stored_rows lain = emit.rows_of(written);
  call_draft call =
      emit.call_of(gradient_sum_family, gradient_sum_call{0, lain.count, lain.length});
  const auto [sample, element] = call.over(emit.batch(), written.extents.elements());
  call.writes(written.flat(), {sample, element});
}

/// The weight gradients read what the heads' gradients are, whether or not an input has one.
constexpr void input_gradient(emitter& emit) {
  product_of(emit, projection::output)
      .input_gradient(emit, context(emit, kept::context_gradient), emit.output_gradient(0),
                      tag_of(kept::transposed, projection::output));
  attend_gradient(emit);
  for (std::int32_t i = 0; i < sequences_of(emit); ++i) {
    if (emit.wants_input_gradient(i)) {
      gradient_of_input(emit, i);
    }
  }
  gradient_of_attention_mask(emit);
}

constexpr void weight_gradient(emitter& emit) {
  for (const projection which : projections) {
    product_of(emit, which)
        .weight_gradient(emit, emit.input_value(source_of(which, sequences_of(emit))),
                         projected(emit, which, kept::projected_gradient));
  }
  product_of(emit, projection::output)
      .weight_gradient(emit, context(emit, kept::context), emit.output_gradient(0));
}

}  // namespace multi_head_attention_rules

inline constexpr family multi_head_attention_family{
    .name = "MultiHeadAttention",
    .describe = multi_head_attention_rules::describe,
    .inputs = any_number,
    .shapes = multi_head_attention_rules::shapes,
    .forward = multi_head_attention_rules::forward,
    .input_gradient = multi_head_attention_rules::input_gradient,
    .weight_gradient = multi_head_attention_rules::weight_gradient,
    .reads = {storage::positions},
    .writes = {storage::positions},
    .join_masks = join_by_step,
    .reads_mask = true,
    .reads_mask_of_others = true,
    .inputs_beside = multi_head_attention_rules::inputs_beside,
    .updates_with_gradient = true};

inline constexpr problem without_key_dim =
    refuse("a number of heads and their key_dim", "no key_dim",
           "write MultiHeadAttention<4, 16>: 4 heads of 16 numbers each");

/// What the options of a MultiHeadAttention say, read once for all layers with the same ones.
template <typename... Options>
struct multi_head_attention_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {
      &value_dim_key, &use_causal_mask_key, &use_attention_mask_key, &use_bias_key,
      &init_key,      &bias_init_key};
  static constexpr problem fault = find_weights_fault(given, accepted);
  static constexpr initializer starts[] = {start_of(given, init_key, glorot_uniform::start),
                                           start_of(given, bias_init_key, zeros::start)};

  static constexpr element with_sizes(const whole_number& heads, const whole_number& key_dim) {
    if (same_address(key_dim.fault, &not_whole<no_number>)) {
      return unfit_layer("MultiHeadAttention<heads, key_dim>", without_key_dim);
    }
    const problem* const unread = first_fault({heads, key_dim});
    if (!is_null(unread)) {
      return unfit_layer("MultiHeadAttention<heads, key_dim>", *unread);
    }
    const multi_head_attention_options chosen{
        .heads = heads.value,
        .key_dim = key_dim.value,
        .value_dim = given.integer(value_dim_key, key_dim.value),
        .has_bias = given.integer(use_bias_key, 1),
        .causal = given.integer(use_causal_mask_key, 0),
        .is_told = given.integer(use_attention_mask_key, 0)};
    return {.kind = element_kind::layer,
            .rule = &multi_head_attention_family,
            .options = attributes::of(chosen),
            .starts = starts,
            .fault = &fault};
  }
};

/// Of sequences (steps, features): queries, keys and values are x * kernel + bias for `Heads` heads
/// of `KeyDim` numbers each; a head's softmax(queries * keys^T / sqrt(KeyDim)) * values, all heads
/// beside each other, times output_kernel + output_bias is the output, of the shape of the query.
/// With one input a sequence attends to itself; with two they are the query and the value, with
/// three the key behind them, as Keras calls it. Nothing attends to masked steps of value and key;
/// the output has the mask of the query. query_kernel [features, heads * key_dim] and the
/// others hold their numbers in the order of Keras's [features, heads, key_dim]. Options in any
/// order, with Keras's defaults: `value_dim<...>` (KeyDim), `use_causal_mask<...>` (false),
/// `use_attention_mask<...>` (false; true: behind these inputs stands Keras's `attention_mask`,
/// (queries, keys), and a query attends only to keys at which it is not 0), `use_bias<...>` (true),
/// `init<...>` (glorot_uniform), `bias_init<...>` (zeros). (Vaswani et al. 2017)
template <auto Heads = no_number{}, auto KeyDim = no_number{}, typename... Options>
struct MultiHeadAttention {
  static constexpr element description =
      multi_head_attention_reading<Options...>::with_sizes(read_whole(Heads), read_whole(KeyDim));
};

/// `MultiHeadAttention(4, 32)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
MultiHeadAttention(Arguments...) -> MultiHeadAttention<>;

}  // namespace ipu_dsl
