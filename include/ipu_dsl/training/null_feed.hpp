// SPDX-License-Identifier: MIT
// Data that are made up: what a model does without anything being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/plan/model_interface.hpp>
#include <ipu_dsl/plan/planned_graph.hpp>

namespace ipu_dsl {

/// Without end the same few samples, made up when it is constructed: to time a model without its
/// data, or data against it. A seed of 0 makes zeros; others numbers in [0, 1), classes and bytes
/// at random.
class null_feed {
 public:
  /// How many different samples there are.
  static constexpr std::int32_t samples = 64;

  /// Throws `error` for a source without numbers, or of integers without classes.
  explicit null_feed(std::span<const source_form> forms, std::uint64_t seed = 0) {
    for (const source_form& form : forms) {
      check_form(form);
      forms_.push_back(form);
      first_.push_back(numbers_.size());
      const std::uint64_t stream = forms_.size();
      const auto bytes = static_cast<std::size_t>(bytes_of(form.type) * form.elements * samples);
      numbers_.resize(numbers_.size() + (bytes + 3) / 4 * 4);
      for (std::int64_t i = 0; i < form.elements * samples && seed != 0; ++i) {
        put(form, numbers_.data() + first_[forms_.size() - 1], i,
            random_word(seed, stream, static_cast<std::uint64_t>(i)));
      }
    }
  }

  std::int32_t next(const feed_rows& rows) {
    for (std::size_t i = 0; i < rows.sources.size(); ++i) {
      const source_rows& to = rows.sources[i];
      const auto number = static_cast<std::size_t>(bytes_of(to.type));
      const std::size_t used = static_cast<std::size_t>(to.elements) * number;
      const std::size_t stride = static_cast<std::size_t>(to.stride) * number;
      auto* written = static_cast<std::byte*>(to.first);
      for (std::int32_t row = 0; row < rows.micro_batch; ++row) {
        const auto sample = static_cast<std::size_t>((next_ + row) % samples);
        std::memcpy(written, numbers_.data() + first_[i] + sample * used, used);
        std::memset(written + used, 0, stride - used);
        written += stride;
      }
    }
    next_ = (next_ + rows.micro_batch) % samples;
    return rows.micro_batch;
  }

  void restart() { next_ = 0; }

  std::span<const source_form> sources() const { return {forms_.data(), forms_.size()}; }

  std::optional<std::int64_t> length() const { return std::nullopt; }

  feed_position position() const { return {static_cast<std::uint64_t>(next_)}; }

  void go_to(list_view<std::uint64_t> where) {
    if (where.size() != 1 || where[0] >= samples) {
      raise_error("This is no position in a null feed.");
    }
    next_ = static_cast<std::int32_t>(where[0]);
  }

 private:
  static void check_form(const source_form& form) {
    if (form.elements < 1) {
      raise_error(
          {"A source of a null feed has at least 1 number a sample, got ", form.elements, "."});
    }
    if (form.type == dtype::int32 && form.classes < 1) {
      raise_error(
          {"A source of integers of a null feed has at least 1 class, got ", form.classes, "."});
    }
  }

  static void put(const source_form& form, std::byte* numbers, std::int64_t i, std::uint32_t word) {
    const std::size_t place =
        static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes_of(form.type));
    if (form.type == dtype::float32) {
      const float value = uniform_unit(word);
      std::memcpy(numbers + place, &value, sizeof value);
    } else if (form.type == dtype::int32) {
      const auto value = static_cast<std::int32_t>(word % static_cast<std::uint32_t>(form.classes));
      std::memcpy(numbers + place, &value, sizeof value);
    } else {
      numbers[place] = static_cast<std::byte>(word);
    }
  }

  list<source_form> forms_;
  list<std::size_t> first_;  ///< by source, into `numbers_`
  list<std::byte> numbers_;
  std::int32_t next_ = 0;
};

/// What a compiled model is fed, made up: `auto feed = null_feed_of<training>();`, inputs and, of a
/// model with a loss, targets and weights.
template <compiled_model C>
null_feed null_feed_of(std::uint64_t seed = 0) {
  constexpr model_interface model = interface_of(planned_graph_of<typename C::compiled>.view());
  list<source_form> forms;
  for (const source_interface& each : model.wanted(true)) {
    forms.push_back({each.type, each.extents.elements(), each.classes});
  }
  return null_feed({forms.data(), forms.size()}, seed);
}

}  // namespace ipu_dsl
