// SPDX-License-Identifier: MIT
// A feed over plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

namespace feeds {

/// Zeroes the padding of the first `valid` rows of a source, and all of the others.
inline void clear_unused(const source_rows& source, std::int32_t micro_batch, std::int32_t valid) {
  const std::size_t size = static_cast<std::size_t>(bytes_of(source.type));
  const auto stride = static_cast<std::size_t>(source.stride);
  for (std::int32_t row = 0; row < micro_batch; ++row) {
    const std::size_t used = static_cast<std::size_t>(row < valid ? source.elements : 0);
    const std::size_t first = static_cast<std::size_t>(row) * stride + used;
    std::memset(static_cast<std::byte*>(source.first) + first * size, 0, (stride - used) * size);
  }
}

/// The same for all sources of a micro-batch.
inline void clear_unused(const feed_rows& rows, std::int32_t valid) {
  for (std::size_t i = 0; i < rows.sources.size(); ++i) {
    clear_unused(rows.sources[i], rows.micro_batch, valid);
  }
}

}  // namespace feeds

/// What is wrong with a vector that nobody keeps.
template <typename Numbers>
struct batch_source_fault_of {
  static constexpr problem value = [] {
    problem found = refuse("an array with a name, which outlives the feed", type_name<Numbers>(),
                           "nobody keeps it, and a feed refers to its numbers: give it a name");
    found.where = "batch_feed";
    return found;
  }();
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

  batch_source(std::span<const std::uint8_t> bytes, std::int64_t elements)
      : form{dtype::uint8, elements}, first(bytes.data()), count(bytes.size()) {}

  /// Refused with a sentence: a vector that nobody keeps.
  template <typename Number, typename Allocator>
  batch_source(std::vector<Number, Allocator>&&, std::int64_t, std::int32_t = 0) {
    static_assert(diagnose<batch_source_fault_of<std::vector<Number, Allocator>>>());
  }

  /// Numbers as the model takes them.
  batch_source(const plain_array& numbers, const source_form& taken)
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
  explicit batch_feed(const batch_source& input)
      : batch_feed(list_view<batch_source>(&input, 1), {}) {}

  /// Inputs and targets. Throws `error` as well if the two do not belong together.
  batch_feed(const batch_source& input, const batch_source& target)
      : batch_feed(list_view<batch_source>(&input, 1), list_view<batch_source>(&target, 1)) {}

  /// The same for several inputs, then several targets, then what samples count, if a model asks
  /// for that: at least one input, and not more than `most_sources` in all.
  batch_feed(list_view<batch_source> inputs, list_view<batch_source> targets,
             list_view<batch_source> weights = {})
      : inputs_(inputs.size()), targets_(targets.size()) {
    check_count(inputs.size(), targets.size() + weights.size());
    add(inputs);
    add(targets);
    add(weights);
    for (std::size_t i = 0; i < sources_; ++i) {
      check_rows(batches_[i], name_of(i, "values", "numbers of targets", "weights"), i < inputs_);
      check_samples(i);
    }
  }

  std::int32_t next(const feed_rows& rows) {
    const std::int64_t left = samples() - position_;
    const std::int32_t valid =
        static_cast<std::int32_t>(rows.micro_batch < left ? rows.micro_batch : left);
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

  /// For results that are written while samples are read: they may lie over samples that were read
  /// before. Throws `error` if they lie over samples that are still to come.
  [[gnu::cold]] void require_apart(list_view<std::span<float>> results) const {
    for (std::size_t i = 0; i < sources_; ++i) {
      const batch_source& read = batches_[i];
      const std::size_t bytes = read.count * static_cast<std::size_t>(bytes_of(read.form.type));
      for (const std::span<float>& written : results) {
        const std::size_t size = written.size() * sizeof(float);
        const bool behind = reinterpret_cast<std::uintptr_t>(written.data()) >
                            reinterpret_cast<std::uintptr_t>(read.first);
        if (arrays::overlap(read.first, bytes, written.data(), size) && (behind || size > bytes)) {
          raise_error(
              "predict would write results over samples that it has yet to read. Hint: give it an "
              "output of its own, or one that begins where the samples do and is no longer");
        }
      }
    }
  }

  void restart() { position_ = 0; }

  std::span<const source_form> sources() const { return {forms_, sources_}; }

  std::optional<std::int64_t> length() const { return samples(); }

  feed_position position() const {
    return {static_cast<std::uint64_t>(samples()), static_cast<std::uint64_t>(position_)};
  }

  void go_to(list_view<std::uint64_t> where) {
    if (where.size() != 2 || where[0] != static_cast<std::uint64_t>(samples()) ||
        where[1] > where[0]) {
      raise_error({"This is no position in a batch of ", samples(), " samples."});
    }
    position_ = static_cast<std::int64_t>(where[1]);
  }

 private:
  static void check_count(std::size_t inputs, std::size_t targets) {
    if (inputs == 0 || inputs + targets > std::size_t{most_sources}) {
      raise_error({"A batch has at least 1 input, and at most ", most_sources,
                   " inputs and targets, got ", inputs, " and ", targets, "."});
    }
  }

  void add(list_view<batch_source> sources) {
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
      raise_error({"A batch of ", samples(), " samples got ", found, " ",
                   name_of(source, "of another input", labels ? "labels" : "targets", "weights"),
                   "."});
    }
  }

  /// What a source is called.
  const char* name_of(std::size_t source, const char* input, const char* target,
                      const char* weight) const {
    return source < inputs_ ? input : source < inputs_ + targets_ ? target : weight;
  }

  static std::int64_t samples_of(const batch_source& batch) {
    return static_cast<std::int64_t>(batch.count) / batch.form.elements;
  }

  std::int64_t samples() const { return samples_of(batches_[0]); }

  void copy(const batch_source& from, const source_rows& to, std::int32_t valid) const {
    const auto size = static_cast<std::size_t>(bytes_of(from.form.type));
    const std::size_t sample = static_cast<std::size_t>(from.form.elements) * size;
    const auto* const first = static_cast<const std::byte*>(from.first);
    auto* const rows = static_cast<std::byte*>(to.first);
    for (std::int32_t row = 0; row < valid; ++row) {
      std::memcpy(rows + static_cast<std::size_t>(row) * static_cast<std::size_t>(to.stride) * size,
                  first + static_cast<std::size_t>(position_ + row) * sample, sample);
    }
  }

  static void check_rows(const batch_source& batch, const char* what, bool input) {
    const std::int64_t elements = batch.form.elements;
    if (elements < 1 || batch.count % static_cast<std::size_t>(elements) != 0) {
      raise_error({"A batch of ", batch.count, " ", what, " does not divide into samples of ",
                   elements, "."});
    }
    if (batch.form.type == dtype::int32) {
      check_integers(batch, input);
    }
  }

  static void check_integers(const batch_source& batch, bool input) {
    const list_view<std::int32_t> numbers = batch.integers();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0 || numbers[i] >= batch.form.classes) {
        raise_error({"A batch has the ", input ? "input " : "label ", numbers[i], " in sample ",
                     i / static_cast<std::size_t>(batch.form.elements), "; expected 0 to ",
                     batch.form.classes - 1, "."});
      }
    }
  }

  batch_source batches_[most_sources];
  source_form forms_[most_sources];
  std::size_t inputs_;
  std::size_t targets_;
  std::size_t sources_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace ipu_dsl
