// SPDX-License-Identifier: MIT
// Layers that change how many positions there are: ZeroPadding, Cropping, UpSampling and
// RepeatVector. Along each axis an output says which input it copies, or none; that is all that the
// kernel knows.
// Over 300 lines: seven layers of one family, and how their numbers are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/whole_number.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

enum class resize_kind : std::int32_t { padding, cropping, upsampling, repetition };

/// Of rows and of columns: what is put before and behind, or taken away, or how often each is
/// repeated.
struct resize_options {
  resize_kind kind = resize_kind::padding;
  std::int32_t axes = 2;  ///< 1 of sequences, 0 of vectors
  std::int32_t numbers[4] = {};
  std::int32_t interpolates =
      0;  ///< of upsampling: between two positions lies what is between them
};

/// Said of UpSampling2D behind its numbers: `UpSampling2D<2, bilinear>`.
struct bilinear_interpolation {};

inline constexpr bilinear_interpolation bilinear;

/// Output o copies input (o - before) / factor, rounded down, where there is one, and is zero
/// elsewhere; or lies between two inputs, at (o + 1/2) / factor - 1/2.
struct resized_extent {
  std::int32_t inputs;
  std::int32_t outputs;
  std::int32_t before;
  std::int32_t factor;
};

enum class resize_variant : std::int32_t { forward, gradient };

struct resize_call {
  resize_variant variant;
  std::int32_t batch;
  resized_extent rows;
  resized_extent columns;
  std::int32_t channels;
  std::int32_t interpolates;
};

namespace resize_rules {

constexpr std::string_view name_of(resize_kind kind, std::int32_t axes) {
  switch (kind) {
    case resize_kind::padding:
      return axes == 1 ? "ZeroPadding1D" : "ZeroPadding2D";
    case resize_kind::cropping:
      return axes == 1 ? "Cropping1D" : "Cropping2D";
    case resize_kind::upsampling:
      return axes == 1 ? "UpSampling1D" : "UpSampling2D";
    case resize_kind::repetition:
      return "RepeatVector";
  }
  return "";
}

/// Those of the numbers that say something, which begin at the second half for columns alone.
constexpr label describe(const family&, const attributes& given) {
  const auto options = given.as<resize_options>();
  const bool once =
      options.kind == resize_kind::upsampling || options.kind == resize_kind::repetition;
  label words = name_of(options.kind, options.axes);
  words << "<";
  for (std::int32_t i = options.axes == 2 ? 0 : 2; i < 4; i += once ? 2 : 1) {
    words << options.numbers[i];
    if (i + (once ? 2 : 1) < 4) {
      words << ", ";
    }
  }
  return words << (options.interpolates != 0 ? ", bilinear>" : ">");
}

/// Vectors and sequences as images of one row.
constexpr shape as_image(const shape& input) {
  if (input.rank == 1) {
    return {1, 1, input[0]};
  }
  return input.rank == 2 ? shape{1, input[0], input[1]} : input;
}

constexpr resized_extent resized(resize_kind kind, std::int32_t inputs, std::int32_t first,
                                 std::int32_t second) {
  switch (kind) {
    case resize_kind::padding:
      return {inputs, inputs + first + second, first, 1};
    case resize_kind::cropping:
      return {inputs, inputs - first - second, -first, 1};
    default:
      return {inputs, inputs * first, 0, first};
  }
}

constexpr resize_call placed(const resize_options& options, const shape& image) {
  const std::int32_t* const of = options.numbers;
  const bool enlarges =
      options.kind == resize_kind::upsampling || options.kind == resize_kind::repetition;
  const bool has_rows = options.axes == 2;
  return {.variant = resize_variant::forward,
          .batch = 0,
          .rows = resized(options.kind, image[0], has_rows || !enlarges ? of[0] : 1, of[1]),
          .columns = resized(options.kind, image[1], of[2], of[3]),
          .channels = image[2],
          .interpolates = options.interpolates};
}

constexpr problem check_numbers(const resize_options& options) {
  const bool enlarges =
      options.kind == resize_kind::upsampling || options.kind == resize_kind::repetition;
  for (std::int32_t i = options.axes == 2 ? 0 : 2; i < 4; i += enlarges ? 2 : 1) {
    const std::int32_t least = enlarges ? 1 : 0;
    if (options.numbers[i] < least) {
      return refuse(label("numbers of at least ") << least, label() << options.numbers[i]);
    }
  }
  return {};
}

constexpr problem check_rank(const resize_options& options, const shape& input) {
  if (input.rank == options.axes + 1) {
    return {};
  }
  if (options.axes == 0) {
    return refuse("a vector", ipu_dsl::describe(input), "Flatten makes one of what has more axes");
  }
  return options.axes == 1
             ? refuse_without_steps("a sequence (steps, channels)", ipu_dsl::describe(input))
             : refuse("an image (rows, columns, channels)", ipu_dsl::describe(input),
                      input.rank == 2 ? "Reshape<rows, columns, 1> makes a picture one" : "");
}

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<resize_options>();
  const shape input = draft.input(0);
  problem wrong = check_rank(options, input);
  if (!wrong.found()) {
    wrong = check_numbers(options);
  }
  if (wrong.found()) {
    return wrong;
  }
  const resize_call made = placed(options, as_image(input));
  if (made.rows.outputs <= 0 || made.columns.outputs <= 0) {
    return refuse("something left behind the cropping",
                  label() << made.rows.outputs << " x " << made.columns.outputs << " of "
                          << made.rows.inputs << " x " << made.columns.inputs,
                  "crop less than there is");
  }
  if (options.axes == 2) {
    draft.output({made.rows.outputs, made.columns.outputs, made.channels});
  } else {
    draft.output({made.columns.outputs, made.channels});
  }
  return {};
}

constexpr resize_call key_of(const emitter& emit, resize_variant variant) {
  resize_call made = placed(emit.options<resize_options>(), as_image(emit.input_shape(0)));
  made.variant = variant;
  made.batch = emit.batch();
  return made;
}

constexpr buffer_ref as_input(const buffer_ref& lying, const resize_call& key) {
  return lying.as({key.rows.inputs, key.columns.inputs, key.channels});
}

constexpr buffer_ref as_output(const buffer_ref& lying, const resize_call& key) {
  return lying.as({key.rows.outputs, key.columns.outputs, key.channels});
}

/// Of the taps one is whole, or two where it is interpolated: those of an input begin half a factor
/// before its own outputs.
constexpr std::int32_t taps_of(const resize_call& key, const resized_extent& extent) {
  return key.interpolates != 0 ? 2 * extent.factor : extent.factor;
}

constexpr std::int32_t ahead_of(const resize_call& key, const resized_extent& extent) {
  return key.interpolates != 0 ? extent.factor / 2 : -extent.before;
}

constexpr void forward(emitter& emit) {
  const resize_call key = key_of(emit, resize_variant::forward);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [row, column, channel] =
      call.over(key.rows.outputs, key.columns.outputs, key.channels);
  const axis_id row_tap = call.all(taps_of(key, key.rows));
  const axis_id column_tap = call.all(taps_of(key, key.columns));
  call.writes(as_output(emit.output_value(0), key), {sample, row, column, channel})
      .reads(as_input(emit.input_value(0), key),
             {sample, window_over(row, row_tap, key.rows.factor, 1, ahead_of(key, key.rows)),
              window_over(column, column_tap, key.columns.factor, 1, ahead_of(key, key.columns)),
              channel})
      .costs(std::int64_t{key.batch} * key.rows.outputs * key.columns.outputs * key.channels);
}

constexpr void input_gradient(emitter& emit) {
  if (!emit.wants_input_gradient(0)) {
    return;
  }
  const resize_call key = key_of(emit, resize_variant::gradient);
  call_draft call = emit.call(key);
  const axis_id sample = call.over(key.batch);
  const auto [row, column, channel] = call.over(key.rows.inputs, key.columns.inputs, key.channels);
  const axis_id row_tap = call.all(taps_of(key, key.rows));
  const axis_id column_tap = call.all(taps_of(key, key.columns));
  call.writes(as_input(emit.input_gradient(0), key), {sample, row, column, channel})
      .reads(
          as_output(emit.output_gradient(0), key),
          {sample, window(row, row_tap, key.rows.factor, 1, ahead_of(key, key.rows)),
           window(column, column_tap, key.columns.factor, 1, ahead_of(key, key.columns)), channel});
}

/// What leaves the steps what they are does the same at each; rows are the steps of images.
constexpr problem one_step(attributes& given) {
  const auto options = given.as<resize_options>();
  const std::int32_t first = options.numbers[options.axes == 2 ? 0 : 2];
  const std::int32_t second = options.numbers[options.axes == 2 ? 1 : 3];
  const bool keeps_steps =
      options.kind == resize_kind::upsampling ? first == 1 : first == 0 && second == 0;
  if (options.kind != resize_kind::repetition && keeps_steps && options.interpolates == 0) {
    return {};
  }
  return refuse("as many steps behind a layer as before it", "another number of them",
                "push has an answer for each step");
}

}  // namespace resize_rules

/// Reads and writes positions whose channels are padded to whole vectors.
inline constexpr family resize_family{.name = "Resize",
                                      .describe = resize_rules::describe,
                                      .shapes = resize_rules::shapes,
                                      .forward = resize_rules::forward,
                                      .input_gradient = resize_rules::input_gradient,
                                      .one_step = resize_rules::one_step,
                                      .counts_axes = true,
                                      .reads = {storage::positions},
                                      .writes = {storage::positions},
                                      .keeps_bounds = true};

/// Of so many numbers.
template <std::size_t Count>
inline constexpr problem sides_of_sequence =
    refuse("one number or two", label() << Count, "steps before and steps behind");
template <std::size_t Count>
inline constexpr problem sides_of_image =
    refuse("one number, two or four", label() << Count,
           "of all sides; of rows and of columns; top, bottom, left and right");
template <std::size_t Count>
inline constexpr problem factors_of_image =
    refuse("one number or two", label() << Count, "how often rows and columns are repeated");

constexpr element describe_resize(const resize_options& options) {
  return {.kind = element_kind::layer, .rule = &resize_family, .options = attributes::of(options)};
}

/// Padding and cropping: one number for all sides, one for each axis, or one for each side.
template <std::size_t Count>
constexpr element describe_sides(resize_kind kind, std::int32_t axes, std::int32_t otherwise,
                                 std::initializer_list<whole_number> given) {
  constexpr auto count = static_cast<std::int32_t>(Count);
  const problem* fault = first_fault(given);
  if (is_null(fault) && count > 2 && (axes == 1 || count != 4)) {
    fault = axes == 1 ? &sides_of_sequence<Count> : &sides_of_image<Count>;
  }
  if (!is_null(fault)) {
    return unfit_layer(resize_rules::name_of(kind, axes), *fault);
  }
  const auto number = [&](std::int32_t place) {
    return count == 0 ? otherwise : given.begin()[place].value;
  };
  const std::int32_t last = count == 0 ? 0 : count - 1;
  resize_options made{.kind = kind, .axes = axes};
  for (std::int32_t i = axes == 2 ? 0 : 2; i < 4; ++i) {
    const bool by_side = count == 4 || axes == 1;
    const std::int32_t place = by_side ? i - (axes == 2 ? 0 : 2) : i / 2;
    made.numbers[i] = number(place < last ? place : last);
  }
  return describe_resize(made);
}

/// Positions that are repeated: one number for all axes, or one for each.
template <std::size_t Count>
constexpr element describe_factors(resize_kind kind, std::int32_t axes,
                                   std::initializer_list<whole_number> given) {
  const problem* fault = first_fault(given);
  if (is_null(fault) && Count > 2) {
    fault = &factors_of_image<Count>;
  }
  if (!is_null(fault)) {
    return unfit_layer(resize_rules::name_of(kind, axes), *fault);
  }
  resize_options made{.kind = kind, .axes = axes, .numbers = {2, 0, 2, 0}};
  if (Count > 0) {
    made.numbers[0] = given.begin()[0].value;
    made.numbers[2] = given.begin()[given.size() - 1].value;
  }
  return describe_resize(made);
}

/// Zeros around an image (rows, columns, channels): one number for all sides, two for rows and for
/// columns, four for top, bottom, left and right. Without any, one on each side.
template <auto... Numbers>
struct ZeroPadding2D {
  static constexpr element description =
      describe_sides<sizeof...(Numbers)>(resize_kind::padding, 2, 1, {read_whole(Numbers)...});
};

/// Zeros before and behind a sequence (steps, channels): one number for both, or two. Without any,
/// one each.
template <auto... Numbers>
struct ZeroPadding1D {
  static constexpr element description =
      describe_sides<sizeof...(Numbers)>(resize_kind::padding, 1, 1, {read_whole(Numbers)...});
};

/// Takes away what is around an image, with numbers as those of `ZeroPadding2D`. Without any,
/// nothing, as in Keras.
template <auto... Numbers>
struct Cropping2D {
  static constexpr element description =
      describe_sides<sizeof...(Numbers)>(resize_kind::cropping, 2, 0, {read_whole(Numbers)...});
};

/// Takes away steps before and behind, with numbers as those of `ZeroPadding1D`. Without any, one
/// each.
template <auto... Numbers>
struct Cropping1D {
  static constexpr element description =
      describe_sides<sizeof...(Numbers)>(resize_kind::cropping, 1, 1, {read_whole(Numbers)...});
};

/// The same element, interpolated.
constexpr element interpolated(element made) {
  auto options = made.options.as<resize_options>();
  options.interpolates = 1;
  made.options = attributes::of(options);
  return made;
}

/// Repeats rows and columns of an image: one number for both, or two; 2 without any. What lies
/// between is that of the nearest, as Keras has it unless told otherwise; with `bilinear` behind
/// the numbers it lies on the lines between its neighbours, Keras's interpolation='bilinear': the
/// middles of pixels are what is between, and beyond the outermost of them nothing changes.
template <auto... Numbers>
struct UpSampling2D {
  static constexpr element description =
      describe_factors<sizeof...(Numbers)>(resize_kind::upsampling, 2, {read_whole(Numbers)...});
};

template <>
struct UpSampling2D<bilinear> {
  static constexpr element description = interpolated(UpSampling2D<>::description);
};

template <auto Factor>
struct UpSampling2D<Factor, bilinear> {
  static constexpr element description = interpolated(UpSampling2D<Factor>::description);
};

template <auto Rows, auto Columns>
struct UpSampling2D<Rows, Columns, bilinear> {
  static constexpr element description = interpolated(UpSampling2D<Rows, Columns>::description);
};

/// Repeats every step of a sequence.
template <auto Times = 2>
struct UpSampling1D {
  static constexpr element description =
      describe_factors<1>(resize_kind::upsampling, 1, {read_whole(Times)});
};

/// A vector (features) as a sequence (times, features) of the same vector.
template <auto Times>
struct RepeatVector {
  static constexpr element description =
      describe_factors<1>(resize_kind::repetition, 0, {read_whole(Times)});
};

}  // namespace ipu_dsl
