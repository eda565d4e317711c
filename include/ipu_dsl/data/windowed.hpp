// SPDX-License-Identifier: MIT
// Sequences of a series: `series | windowed<24>({.stride = 1, .target_offset = 24})`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/adaptor.hpp>
#include <ipu_dsl/data/sample_reader.hpp>

namespace ipu_dsl {

/// Which windows of a series there are. Steps are samples of the data.
struct window_options {
  std::int64_t stride = 1;  ///< steps from the begin of a window to that of the next, at least 1
  std::int64_t every = 1;   ///< steps from an element of a window to the next, at least 1
  /// Steps from the begin of a window to its target, or to the first of them, at least 0. By
  /// default the target of its last element, or of each element its own.
  std::optional<std::int64_t> target_offset = std::nullopt;
};

/// The targets of a window.
enum class window_targets {
  one,       ///< that of one step
  each_step  ///< one of every step, as many as the window has
};

namespace datasets {

/// The same sources, `count` of each side by side.
template <std::size_t Sources>
constexpr std::array<data_source, Sources> side_by_side(std::array<data_source, Sources> sources,
                                                        std::int32_t count) {
  for (data_source& source : sources) {
    shape longer;
    longer.rank = source.extents.rank + 1;
    longer.extents[0] = count;
    for (std::int32_t axis = 0; axis + 1 < shape::max_rank; ++axis) {
      longer.extents[axis + 1] = source.extents[axis];
    }
    source.extents = longer;
  }
  return sources;
}

}  // namespace datasets

/// Windows of `Length` samples of data, which it owns: inputs (Length, extents...), and the target
/// of one step or (Length, extents...) of each. Weights are as targets are.
template <dataset Data, std::int32_t Length, window_targets Targets>
class windowed_dataset {
  static constexpr bool of_each = Targets == window_targets::each_step;
  static constexpr auto steps = datasets::sources_of<Data>();  // of one sample of the data
  static constexpr std::size_t input_count = datasets::inputs_of<Data>().size();

 public:
  static constexpr auto inputs = datasets::side_by_side(datasets::inputs_of<Data>(), Length);
  static constexpr auto targets = of_each
                                      ? datasets::side_by_side(datasets::targets_of<Data>(), Length)
                                      : datasets::targets_of<Data>();
  static constexpr auto weights =
      of_each ? datasets::side_by_side(datasets::weight_sources_of<Data>(), Length)
              : datasets::weight_sources_of<Data>();

  /// Room for the inputs of the step that a target is of.
  struct scratch {
    datasets::scratch_of<Data> inner;
    datasets::sample_memory<Data> sample;
  };

  /// Throws `error` for options out of range, and for a series that is too short for one window.
  windowed_dataset(Data data, const window_options& options)
      : data_(std::move(data)),
        options_(options),
        offset_(options.target_offset.value_or(of_each ? 0 : (Length - 1) * options.every)) {
    check_options();
    const std::int64_t last_input = (Length - 1) * options_.every;
    const std::int64_t last_target = offset_ + (of_each ? last_input : 0);
    const std::int64_t reach = 1 + (last_input > last_target ? last_input : last_target);
    if (data_.size() < reach) {
      const std::string length = std::to_string(Length);
      raise_error({(of_each ? "Elements of " + length + " samples reach over "
                            : "A window of " + length + " steps and its target reach over "),
                   reach, "; there are ", data_.size(), "."});
    }
    size_ = (data_.size() - reach) / options_.stride + 1;
  }

  /// How many windows there are.
  std::int64_t size() const { return size_; }

  /// Room to read samples with.
  scratch make_scratch() const { return {datasets::make_scratch(data_), {}}; }

  /// Writes window `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    const std::int64_t begin = index * options_.stride;
    std::array<source_rows, steps.size()> rows;
    for (std::int32_t step = 0; step < Length; ++step) {
      for (std::size_t i = 0; i < input_count; ++i) {
        rows[i] = part_of(to[i], row, i, step);
      }
      datasets::read_sample(data_, room.inner, number(begin + step * options_.every),
                            std::span(rows).first(input_count), 0);
    }
    for (std::size_t i = 0; i < input_count; ++i) {
      rows[i] = room.sample.row(i);
    }
    for (std::int32_t step = 0; to.size() > input_count && step < (of_each ? Length : 1); ++step) {
      for (std::size_t i = input_count; i < to.size(); ++i) {
        rows[i] = part_of(to[i], row, i, step);
      }
      datasets::read_sample(data_, room.inner, number(begin + offset_ + step * options_.every),
                            std::span(rows).first(to.size()), 0);
    }
  }

 private:
  static std::uint32_t number(std::int64_t step) { return static_cast<std::uint32_t>(step); }

  static source_rows part_of(const source_rows& to, std::int32_t row, std::size_t source,
                             std::int32_t step) {
    const auto elements = static_cast<std::int32_t>(steps[source].extents.elements());
    return datasets::part_of_row(to, row, std::int64_t{step} * elements, elements);
  }

  void check_options() const {
    constexpr std::int64_t most = 0xFFFF'FFFF;
    if (options_.stride < 1 || options_.every < 1 || offset_ < 0 || options_.stride > most ||
        options_.every > most || offset_ > most) {
      raise_error({"windowed needs a stride and steps between elements of 1 to ", most,
                   " and a target offset of 0 or more, got ", options_.stride, ", ", options_.every,
                   " and ", offset_, "."});
    }
  }

  Data data_;
  window_options options_;
  std::int64_t offset_;
  std::int64_t size_ = 0;
};

/// What is wrong with windows of data, whose samples have one axis more.
template <typename Data, std::int32_t Length>
struct windowed_fault_of {
  static constexpr problem find() {
    problem found;
    for (const data_source& source : datasets::sources_of<Data>()) {
      if (source.extents.rank == shape::max_rank) {
        found = refuse(label("samples of at most ") << shape::max_rank - 1 << " axes",
                       describe(source.extents), "a window has one axis more");
      }
    }
    if (Length < 1) {
      found = refuse("at least 1 step", label() << Length);
    }
    if (found.found()) {
      found.where = "windowed";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// See `windowed`.
template <std::int32_t Length, window_targets Targets>
struct windowing {
  static constexpr bool keeps_places = false;
  static constexpr const char* name = "windowed or batched";

  window_options options;  ///< see there

  /// The windows of data.
  template <dataset Data>
  auto over(Data data) const {
    if constexpr (!windowed_fault_of<Data, Length>::value.found()) {
      return windowed_dataset<Data, Length, Targets>(std::move(data), options);
    } else {
      static_assert(diagnose<windowed_fault_of<Data, Length>>());
      return refused_data();
    }
  }
};

/// Behind a data set whose samples are the steps of a series: windows of `Length` of them, inputs
/// (Length, extents...). The target is that of one step, `target_offset` behind the begin of the
/// window, or with `window_targets::each_step` one of every step:
///
///   const auto series = zipped(feature_column<shape{3}>(weather),
///   target_column<shape{1}>(degrees)); run.fit(series | windowed<24>({.target_offset = 36}) |
///   shuffled(1'000), {.epochs = 4});
///
/// Throws `error` for options out of range and for a series that is too short.
template <std::int32_t Length, window_targets Targets = window_targets::one>
windowing<Length, Targets> windowed(const window_options& options = {}) {
  return {options};
}

/// Behind a data set: `Count` samples side by side as one, (Count, extents...) of every source;
/// what remains at the end is left out. A session makes its micro-batches itself, of
/// `micro_batch<32>`: this is for elements that hold several samples.
template <std::int32_t Count>
windowing<Count, window_targets::each_step> batched() {
  return {{.stride = Count, .every = 1, .target_offset = 0}};
}

/// What is wrong with `batched(32)`.
template <typename Number>
struct batched_fault_of {
  static constexpr problem find() {
    problem found = refuse("a micro-batch that the model is compiled for", "batched(count)",
                           "write micro_batch<32> in compile, and give a session the data as they "
                           "are; batched<4>() makes elements of 4 samples");
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: the batches of a session are of its model.
template <typename Number>
refused_data batched(Number) {
  static_assert(diagnose<batched_fault_of<Number>>());
  return {};
}

}  // namespace ipu_dsl
