// SPDX-License-Identifier: MIT
// Feeds over the data that users hold: data sets with their transformations, plain arrays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/data/index_stream.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace feeds {

template <typename Number>
void clear(std::span<Number> numbers) {
  std::fill(numbers.begin(), numbers.end(), Number{0});
}

/// Zeroes the padding of the first `valid` rows of a source, and all of the others.
inline void clear_unused(const source_rows& source, std::int32_t micro_batch, std::int32_t valid) {
  for (std::int32_t row = 0; row < micro_batch; ++row) {
    const std::size_t used = static_cast<std::size_t>(row < valid ? source.elements : 0);
    if (source.type == dtype::int32) {
      clear(source.integers(row).subspan(used));
    } else {
      clear(source.floats(row).subspan(used));
    }
  }
}

/// The same for all sources of a micro-batch.
inline void clear_unused(const feed_rows& rows, std::int32_t valid) {
  for (const source_rows& source : rows.sources) {
    clear_unused(source, rows.micro_batch, valid);
  }
}

/// What a data set gives: inputs, and what they should become.
template <dataset Data>
constexpr auto forms_of() {
  constexpr auto inputs = datasets::inputs_of<Data>();
  constexpr auto targets = datasets::targets_of<Data>();
  std::array<source_form, inputs.size() + targets.size()> forms;
  std::size_t count = 0;
  const auto add = [&](const data_source& told) {
    forms[count] = {told.type, told.extents.elements(), told.classes};
    ++count;
  };
  for (const data_source& input : inputs) {
    add(input);
  }
  for (const data_source& target : targets) {
    add(target);
  }
  return forms;
}

}  // namespace feeds

/// The samples of a data set in the order of a stream. Refers to the data, which must outlive it.
template <dataset Data>
class dataset_feed {
 public:
  /// `order` gives numbers below `data.size()`; `make_feed` makes one that does.
  dataset_feed(const Data& data, index_stream order) : data_(&data), order_(std::move(order)) {}

  std::int32_t next(const feed_rows& rows) {
    std::int32_t valid = 0;
    std::uint32_t index = 0;
    while (valid < rows.micro_batch && order_.next(index)) {
      gather(rows.sources, valid, index);
      ++valid;
    }
    feeds::clear_unused(rows, valid);
    return valid;
  }

  void restart() { order_.restart(); }

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return order_.length(); }

 private:
  static constexpr auto forms = feeds::forms_of<Data>();

  void gather(std::span<const source_rows> to, std::int32_t row, std::uint32_t index) const {
    if constexpr (gathers_sources<Data>) {
      for (std::size_t source = 0; source < to.size(); ++source) {
        data_->gather_source(source, index, to[source], row);
      }
    } else {
      datasets::gather_input(*data_, index, to[0], row);
      if (to.size() > 1) {
        datasets::gather_target(*data_, index, to[1], row);
      }
    }
  }

  const Data* data_;
  index_stream order_;
};

/// Numbers in a plain array, rows of `form.elements` of them: one source of a `batch_feed`.
struct batch_source {
  source_form form;
  const void* first = nullptr;
  std::size_t count = 0;

  batch_source() = default;

  batch_source(std::span<const float> numbers, std::int64_t elements)
      : form{.elements = elements}, first(numbers.data()), count(numbers.size()) {}

  /// Integers in [0, classes).
  batch_source(std::span<const std::int32_t> numbers, std::int64_t elements, std::int32_t classes)
      : form{dtype::int32, elements, classes}, first(numbers.data()), count(numbers.size()) {}

  /// The numbers of another source, as the model takes them.
  batch_source(const batch_source& numbers, const source_form& taken)
      : form(taken), first(numbers.first), count(numbers.count) {}

  std::span<const float> floats() const { return {static_cast<const float*>(first), count}; }

  std::span<const std::int32_t> integers() const {
    return {static_cast<const std::int32_t*>(first), count};
  }
};

/// Samples that lie in plain arrays, in order, once. Refers to them; they must outlive it.
class batch_feed {
 public:
  /// Inputs without targets, for predictions. Throws `error` if they do not divide into samples, or
  /// an integer lies outside its classes.
  explicit batch_feed(const batch_source& input) : batch_feed(std::span(&input, 1), {}) {}

  /// Inputs and targets. Throws `error` as well if the two do not belong together.
  batch_feed(const batch_source& input, const batch_source& target)
      : batch_feed(std::span(&input, 1), std::span(&target, 1)) {}

  /// The same for several inputs, then several targets: at least one input, and not more than
  /// `most_sources` in all.
  batch_feed(std::span<const batch_source> inputs, std::span<const batch_source> targets)
      : inputs_(inputs.size()) {
    check_count(inputs.size(), targets.size());
    add(inputs);
    add(targets);
    for (std::size_t i = 0; i < sources_; ++i) {
      check_rows(batches_[i], i < inputs_ ? "values" : "numbers of targets");
      check_samples(i);
    }
  }

  std::int32_t next(const feed_rows& rows) {
    const std::int64_t left = samples() - position_;
    const std::int32_t valid =
        static_cast<std::int32_t>(std::min<std::int64_t>(rows.micro_batch, left));
    for (std::size_t i = 0; i < rows.sources.size(); ++i) {
      const bool known = i < sources_;
      if (known) {
        copy(batches_[i], rows.sources[i], valid);
      }
      feeds::clear_unused(rows.sources[i], rows.micro_batch, known ? valid : 0);
    }
    position_ += valid;
    return valid;
  }

  void restart() { position_ = 0; }

  std::span<const source_form> sources() const { return {forms_, sources_}; }

  std::optional<std::int64_t> length() const { return samples(); }

 private:
  static void check_count(std::size_t inputs, std::size_t targets) {
    if (inputs == 0 || inputs + targets > std::size_t{most_sources}) {
      throw error("A batch has at least 1 input, and at most " + std::to_string(most_sources) +
                  " inputs and targets, got " + std::to_string(inputs) + " and " +
                  std::to_string(targets) + ".");
    }
  }

  void add(std::span<const batch_source> sources) {
    for (const batch_source& each : sources) {
      batches_[sources_] = each;
      forms_[sources_] = each.form;
      ++sources_;
    }
  }

  /// All have as many samples as the first input.
  void check_samples(std::size_t source) const {
    const std::int64_t found = samples_of(batches_[source]);
    if (found != samples()) {
      const bool labels = forms_[source].type == dtype::int32;
      throw error("A batch of " + std::to_string(samples()) + " samples got " +
                  std::to_string(found) +
                  (source < inputs_ ? " of another input."
                   : labels         ? " labels."
                                    : " targets."));
    }
  }

  static std::int64_t samples_of(const batch_source& batch) {
    return static_cast<std::int64_t>(batch.count) / batch.form.elements;
  }

  std::int64_t samples() const { return samples_of(batches_[0]); }

  void copy(const batch_source& from, const source_rows& to, std::int32_t valid) const {
    const auto elements = static_cast<std::size_t>(from.form.elements);
    for (std::int32_t row = 0; row < valid; ++row) {
      const std::size_t first = static_cast<std::size_t>(position_ + row) * elements;
      if (from.form.type == dtype::int32) {
        std::copy_n(from.integers().data() + first, elements, to.integers(row).data());
      } else {
        std::copy_n(from.floats().data() + first, elements, to.floats(row).data());
      }
    }
  }

  static void check_rows(const batch_source& batch, const char* what) {
    const std::int64_t elements = batch.form.elements;
    if (elements < 1 || batch.count % static_cast<std::size_t>(elements) != 0) {
      throw error("A batch of " + std::to_string(batch.count) + " " + what +
                  " does not divide into samples of " + std::to_string(elements) + ".");
    }
    if (batch.form.type == dtype::int32) {
      check_integers(batch.integers(), batch.form.classes);
    }
  }

  static void check_integers(std::span<const std::int32_t> numbers, std::int32_t classes) {
    for (const std::int32_t found : numbers) {
      if (found < 0 || found >= classes) {
        throw error("A batch has the label " + std::to_string(found) + "; expected 0 to " +
                    std::to_string(classes - 1) + ".");
      }
    }
  }

  batch_source batches_[most_sources];
  source_form forms_[most_sources];
  std::size_t inputs_;
  std::size_t sources_ = 0;
  std::int64_t position_ = 0;
};

/// The feed of a data set as it is. The data set stays where it is, so it cannot be a temporary.
template <dataset Data>
dataset_feed<Data> make_feed(const Data& data, std::uint64_t seed) {
  return {data, open(data, seed)};
}

/// Refused: the data set would be gone before its first sample is asked for.
template <dataset Data>
dataset_feed<Data> make_feed(const Data&& data, std::uint64_t seed) = delete;

/// What is wrong with the arguments of `make_feed`.
template <typename First>
struct feed_fault_of {
  static constexpr problem find() {
    problem found = refuse("a data set and a seed", label() << type_name<First>() << " first");
    if constexpr (dataset<First> || is_transformed<First>) {
      found = refuse("a data set and a seed", "something else behind the data set",
                     "write make_feed(data, 1)");
    } else {
      found.hint << "write labelled_dataset<shape{28, 28}, 10, float> data(features, labels) first";
    }
    found.where = "make_feed";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: what is no data has no feed.
template <typename First, typename... Others>
  requires(sizeof...(Others) != 1 || !(dataset<First> || is_transformed<First>))
refused_data make_feed(const First&, const Others&...) {
  if constexpr (!std::same_as<First, refused_data>) {
    static_assert(diagnose<feed_fault_of<First>>());
  }
  return {};
}

/// The feed of a data set with its transformations.
template <dataset Data>
dataset_feed<Data> make_feed(const transformed<Data>& order, std::uint64_t seed) {
  return {*order.data, open(order, seed)};
}

}  // namespace ipu_dsl
