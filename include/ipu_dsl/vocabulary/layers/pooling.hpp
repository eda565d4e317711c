// SPDX-License-Identifier: MIT
// Pooling: the largest number, or the mean, of every window of an image or a sequence.
// Over 300 lines: one family: its key, its rules, its eight layers.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>
#include <ipu_dsl/vocabulary/layers/masked_steps.hpp>
#include <ipu_dsl/vocabulary/layers/window_options.hpp>

namespace ipu_dsl {

/// What is made of a window.
enum class pooling_kind : std::int32_t { maximum, average };

/// Of sequences, rows are left at 1.
struct pooling_options {
  pooling_kind kind = pooling_kind::maximum;
  std::int32_t axes = 2;       ///< 1: (steps, channels), 2: (rows, columns, channels)
  std::int32_t is_global = 0;  ///< one window over all of it; what follows is not asked then
  std::int32_t window_rows = 1;
  std::int32_t window_columns = 1;
  std::int32_t stride_rows = 1;
  std::int32_t stride_columns = 1;
  padding_kind padding = padding_kind::valid;
};

enum class pooling_variant : std::int32_t {
  forward,           ///< writes y, reads x
  maximum_gradient,  ///< writes the gradient of x, reads d, x, y
  average_gradient   ///< writes the gradient of x, reads d; x if it goes through what made that
};

struct pooling_call {
  pooling_variant variant;
  pooling_kind kind;
  std::int32_t batch;
  std::int32_t rows;  ///< of the input
  std::int32_t columns;
  std::int32_t channels;
  std::int32_t window_rows;
  std::int32_t window_columns;
  std::int32_t stride_rows;
  std::int32_t stride_columns;
  std::int32_t padding_rows;  ///< rows of padding before the first of the input
  std::int32_t padding_columns;
  std::int32_t output_rows;
  std::int32_t output_columns;
  /// Of gradients: what made x, which the gradient of x goes through.
  activation_kind through = activation_kind::linear;

  /// Whether every number of the input is seen by exactly one window.
  constexpr bool shares_out() const {
    return stride_rows == window_rows && stride_columns == window_columns && padding_rows == 0 &&
           padding_columns == 0 && output_rows * stride_rows == rows &&
           output_columns * stride_columns == columns;
  }
};

namespace pooling_rules {

constexpr label name_of(const pooling_options& options) {
  label words = options.is_global != 0 ? "Global" : "";
  words << (options.kind == pooling_kind::maximum ? "Max" : "Average");
  return words << "Pooling" << options.axes << "D";
}

constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<pooling_options>();
  label words = name_of(options);
  if (options.is_global != 0) {
    return words;
  }
  words << "<";
  if (options.axes == 1 || options.window_rows == options.window_columns) {
    words << options.window_columns;
  } else {
    words << "pool_size{" << options.window_rows << ", " << options.window_columns << "}";
  }
  const bool as_its_window = options.stride_rows == options.window_rows &&
                             options.stride_columns == options.window_columns;
  if (!as_its_window && (options.axes == 1 || options.stride_rows == options.stride_columns)) {
    words << ", strides<" << options.stride_columns << ">";
  } else if (!as_its_window) {
    words << ", strides<" << options.stride_rows << ", " << options.stride_columns << ">";
  }
  if (options.padding != padding_kind::valid) {
    words << ", " << ipu_dsl::name_of(options.padding);
  }
  return words << ">";
}

/// Sequences as images of one row.
constexpr shape as_image(const shape& input) {
  return input.rank == 2 ? shape{1, input[0], input[1]} : input;
}

/// "2 x 3" of rows and columns; "3 steps" of a sequence.
constexpr label extents_of(const pooling_options& options, std::int32_t rows,
                           std::int32_t columns) {
  label words;
  if (options.axes == 1) {
    return words << columns << (columns == 1 ? " step" : " steps");
  }
  return words << rows << " x " << columns;
}

constexpr problem check_sizes(const pooling_options& options, const shape& image) {
  if (options.padding == padding_kind::causal) {
    return refuse("valid_padding or same_padding", "causal_padding",
                  "a Conv1D takes it, pooling does not");
  }
  const bool of_steps = options.axes == 1;
  if (options.window_rows <= 0 || options.window_columns <= 0) {
    return refuse(
        of_steps ? "a window of at least 1 step" : "a window of at least 1 row and 1 column",
        extents_of(options, options.window_rows, options.window_columns));
  }
  if (options.stride_rows <= 0 || options.stride_columns <= 0) {
    return refuse("strides of at least 1",
                  of_steps ? label() << options.stride_columns
                           : label() << options.stride_rows << " and " << options.stride_columns);
  }
  const bool larger = options.window_rows > image[0] || options.window_columns > image[1];
  if (larger && options.padding == padding_kind::valid) {
    return refuse("a window within the input",
                  extents_of(options, options.window_rows, options.window_columns)
                      << " on " << extents_of(options, image[0], image[1]),
                  "same_padding takes the part of a window that is there");
  }
  return {};
}

/// The call without its variant, of an image.
constexpr pooling_call placed(const pooling_options& options, const shape& image) {
  const bool all = options.is_global != 0;
  pooling_call made = {.variant = pooling_variant::forward,
                       .kind = options.kind,
                       .batch = 0,
                       .rows = image[0],
                       .columns = image[1],
                       .channels = image[2],
                       .window_rows = all ? image[0] : options.window_rows,
                       .window_columns = all ? image[1] : options.window_columns,
                       .stride_rows = options.stride_rows,
                       .stride_columns = options.stride_columns,
                       .padding_rows = 0,
                       .padding_columns = 0,
                       .output_rows = 0,
                       .output_columns = 0};
  const window_placing rows(image[0], made.window_rows, made.stride_rows, options.padding);
  const window_placing columns(image[1], made.window_columns, made.stride_columns, options.padding);
  made.padding_rows = rows.padding;
  made.padding_columns = columns.padding;
  made.output_rows = rows.outputs;
  made.output_columns = columns.outputs;
  return made;
}

/// What is wrong with an input of another rank.
constexpr problem refuse_rank(std::int32_t axes, const shape& input) {
  if (axes == 1) {
    return refuse_without_steps("a sequence (steps, channels)", ipu_dsl::describe(input),
                                input.rank == 3 ? "an image is pooled by the layer of 2D"
                                : input.rank == 1
                                    ? "Reshape<steps, channels> makes a vector a sequence"
                                    : "");
  }
  return refuse("an image (rows, columns, channels)", ipu_dsl::describe(input),
                input.rank == 2   ? "a picture has one channel, Reshape<rows, columns, 1> "
                                    "says so; a sequence is pooled by the layer of 1D"
                : input.rank == 1 ? "Reshape<rows, columns, channels> makes a vector an image"
                                  : "");
}

/// What takes a mean of all steps can leave some out.
constexpr bool knows_masks(const pooling_options& options) {
  return options.kind == pooling_kind::average && options.axes == 1 && options.is_global != 0;
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<pooling_options>();
  const shape& input = draft.input(0);
  if (draft.is_masked() && !knows_masks(options)) {
    return loses_mask(name_of(options));
  }
  if (input.rank != options.axes + 1) {
    return refuse_rank(options.axes, input);
  }
  const shape image = as_image(input);
  const problem wrong = options.is_global != 0 ? problem{} : check_sizes(options, image);
  if (wrong.found()) {
    return wrong;
  }
  const pooling_call call = placed(options, image);
  if (options.is_global != 0) {
    draft.output({call.channels});
  } else if (options.axes == 1) {
    draft.output({call.output_columns, call.channels});
  } else {
    draft.output({call.output_rows, call.output_columns, call.channels});
  }
  return {};
}

constexpr pooling_call key_of(const emitter& emit, pooling_variant variant) {
  pooling_call made = placed(emit.options<pooling_options>(), as_image(emit.input_shape(0)));
  made.variant = variant;
  made.batch = emit.batch();
  return made;
}

constexpr buffer_ref as_input(const buffer_ref& lying, const pooling_call& key) {
  return lying.as({key.rows, key.columns, key.channels});
}

constexpr buffer_ref as_output(const buffer_ref& lying, const pooling_call& key) {
  return lying.as({key.output_rows, key.output_columns, key.channels});
}

constexpr masked_sequences steps_of(const emitter& emit) {
  return {.steps = emit.input_shape(0)[0], .units = emit.input_shape(0)[1]};
}

constexpr void forward(emitter& emit) {
  if (emit.mask_input() >= 0) {
    steps_of(emit).take_mean(emit, emit.output_value(0), emit.input_value(0));
    return;
  }
  const pooling_call key = key_of(emit, pooling_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [row, column, channel] = call.over(key.output_rows, key.output_columns, key.channels);
  const axis_id tap_row = call.all(key.window_rows);
  const axis_id tap_column = call.all(key.window_columns);
  call.writes(as_output(emit.output_value(0), key), {sample, row, column, channel})
      .reads(as_input(emit.input_value(0), key),
             {sample, window(row, tap_row, key.stride_rows, 1, key.padding_rows),
              window(column, tap_column, key.stride_columns, 1, key.padding_columns), channel});
}

/// Windows add to the gradients of what they saw, one after the other: all of an image is one
/// piece, tiles share samples and channels.
constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  if (emit.mask_input() >= 0) {
    steps_of(emit).spread_mean(emit, emit.input_gradient(0), emit.output_gradient(0));
    return;
  }
  const bool of_maximum = emit.options<pooling_options>().kind == pooling_kind::maximum;
  pooling_call key = key_of(
      emit, of_maximum ? pooling_variant::maximum_gradient : pooling_variant::average_gradient);
  key.through = emit.puts_through(0);
  call_draft call = emit.call(key);
  const auto [sample, channel] = call.over(key.batch, key.channels);
  const axis_id row = call.all(key.rows);
  const axis_id column = call.all(key.columns);
  const axis_id output_row = call.all(key.output_rows);
  const axis_id output_column = call.all(key.output_columns);
  call.writes(as_input(emit.input_gradient(0), key), {sample, row, column, channel})
      .reads(as_output(emit.output_gradient(0), key), {sample, output_row, output_column, channel});
  if (of_maximum || key.through != activation_kind::linear) {
    call.reads(as_input(emit.input_value(0), key), {sample, row, column, channel});
  }
  if (of_maximum) {
    call.reads(as_output(emit.output_value(0), key), {sample, output_row, output_column, channel});
  }
  call.costs(std::int64_t{key.batch} * key.output_rows * key.output_columns * key.window_rows *
             key.window_columns * key.channels);
}

/// A gradient that is written once may go through what made x.
constexpr bool puts_through(const attributes& given, const shape& input, storage) {
  return placed(given.as<pooling_options>(), as_image(input)).shares_out();
}

/// A window of one step makes of each what stands there; rows are the steps of images.
constexpr problem one_step(attributes& given) {
  const auto options = given.as<pooling_options>();
  if (options.is_global != 0) {
    return refuse("an output of every step", "one of all of them",
                  "GRU<...> and LSTM<...> sum up the steps until now");
  }
  const std::int32_t window = options.axes == 1 ? options.window_columns : options.window_rows;
  const std::int32_t stride = options.axes == 1 ? options.stride_columns : options.stride_rows;
  if (window == 1 && stride == 1) {
    return {};
  }
  return refuse("an output of every step", label("one of ") << window << " steps, every " << stride,
                "push has an answer for each step; a Conv1D with causal_padding looks back");
}

}  // namespace pooling_rules

/// Reads and writes pixels whose channels are padded to whole vectors.
inline constexpr family pooling_family{.name = "Pooling",
                                       .describe = pooling_rules::describe,
                                       .shapes = pooling_rules::shapes,
                                       .forward = pooling_rules::forward,
                                       .input_gradient = pooling_rules::input_gradient,
                                       .puts_through = pooling_rules::puts_through,
                                       .one_step = pooling_rules::one_step,
                                       .counts_axes = true,
                                       .reads = {storage::positions},
                                       .writes = {storage::positions},
                                       .reads_mask = true,
                                       .keeps_bounds = true};

/// Rows and columns of a window: `MaxPooling2D<pool_size{2, 3}>`.
struct pool_size {
  std::int32_t rows;
  std::int32_t columns;
};

/// Rows and columns of a window, or what is wrong with what stands in their place.
struct read_window {
  whole_number rows;
  whole_number columns;

  template <typename T>
  constexpr explicit read_window(const T& given) : rows(read_whole(given)), columns(rows) {}

  constexpr explicit read_window(const pool_size& given)
      : rows{given.rows, nullptr}, columns{given.columns, nullptr} {}
};

inline constexpr problem strides_of_image =
    refuse("one number in strides<...>", "rows and columns", "a sequence has steps alone");

/// What the options of a layer that pools say, read once for all with the same ones.
template <typename... Options>
struct pooling_reading {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&strides_key, &padding_key};
  static constexpr problem fault = given.third(strides_key) > 0
                                       ? refuse("one or two numbers in strides<...>", "three")
                                       : given.find_fault(accepted);

  static constexpr element described(const pooling_options& chosen) {
    return {.kind = element_kind::layer,
            .rule = &pooling_family,
            .options = attributes::of(chosen),
            .fault = &fault};
  }

  /// Strides are those of the window unless they are given.
  static constexpr std::int32_t stride_rows(std::int32_t otherwise) {
    return given.integer(strides_key, otherwise);
  }

  static constexpr std::int32_t stride_columns(std::int32_t otherwise) {
    return static_cast<std::int32_t>(given.number(strides_key, static_cast<float>(otherwise)));
  }

  static constexpr element of_images(std::string_view name, pooling_kind kind,
                                     const read_window& window) {
    const problem* const unread = first_fault({window.rows, window.columns});
    if (!is_null(unread)) {
      return unfit_layer(name, *unread);
    }
    return described({.kind = kind,
                      .window_rows = window.rows.value,
                      .window_columns = window.columns.value,
                      .stride_rows = stride_rows(window.rows.value),
                      .stride_columns = stride_columns(window.columns.value),
                      .padding = padding_of(given)});
  }

  static constexpr element of_sequences(std::string_view name, pooling_kind kind,
                                        const whole_number& window) {
    if (!is_null(window.fault)) {
      return unfit_layer(name, *window.fault);
    }
    if (given.third(strides_key) == two_numbers) {
      return unfit_layer(name, strides_of_image);
    }
    return described({.kind = kind,
                      .axes = 1,
                      .window_columns = window.value,
                      .stride_columns = stride_columns(window.value),
                      .padding = padding_of(given)});
  }
};

/// The largest number of every window of an image (rows, columns, channels), for each channel
/// apart. `Window` is a number for a square one, or `pool_size{2, 3}`. Options in any order, with
/// Keras's defaults: `strides<...>` (the window's size), `same_padding` (`valid_padding`). Where
/// several numbers of a window are the largest, the first, row by row, has the gradient.
template <auto Window = 2, typename... Options>
struct MaxPooling2D {
  static constexpr element description = pooling_reading<Options...>::of_images(
      "MaxPooling2D<...>", pooling_kind::maximum, read_window(Window));
};

/// The mean of every window of an image, as `MaxPooling2D` has it. Of `same_padding`, what lies
/// beyond the image is not counted.
template <auto Window = 2, typename... Options>
struct AveragePooling2D {
  static constexpr element description = pooling_reading<Options...>::of_images(
      "AveragePooling2D<...>", pooling_kind::average, read_window(Window));
};

/// The largest number of every window of a sequence (steps, channels), as `MaxPooling2D` has it;
/// the window is a number.
template <auto Window = 2, typename... Options>
struct MaxPooling1D {
  static constexpr element description = pooling_reading<Options...>::of_sequences(
      "MaxPooling1D<...>", pooling_kind::maximum, read_whole(Window));
};

/// The mean of every window of a sequence, as `AveragePooling2D` has it; the window is a number.
template <auto Window = 2, typename... Options>
struct AveragePooling1D {
  static constexpr element description = pooling_reading<Options...>::of_sequences(
      "AveragePooling1D<...>", pooling_kind::average, read_whole(Window));
};

/// The largest number of each channel: of (rows, columns, channels) makes (channels).
struct GlobalMaxPooling2D {
  static constexpr element description =
      pooling_reading<>::described({.kind = pooling_kind::maximum, .axes = 2, .is_global = 1});
};

/// The mean of each channel: of (rows, columns, channels) makes (channels).
struct GlobalAveragePooling2D {
  static constexpr element description =
      pooling_reading<>::described({.kind = pooling_kind::average, .axes = 2, .is_global = 1});
};

/// The largest number of each channel: of (steps, channels) makes (channels).
struct GlobalMaxPooling1D {
  static constexpr element description =
      pooling_reading<>::described({.kind = pooling_kind::maximum, .axes = 1, .is_global = 1});
};

/// The mean of each channel: of (steps, channels) makes (channels). Masked steps are left out, as
/// in Keras; where all are, the mean is zeros, where Keras has none.
struct GlobalAveragePooling1D {
  static constexpr element description =
      pooling_reading<>::described({.kind = pooling_kind::average, .axes = 1, .is_global = 1});
};

}  // namespace ipu_dsl
