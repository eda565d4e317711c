// SPDX-License-Identifier: MIT
// Feeds over the data that users hold: data sets with their transformations, plain arrays.
#pragma once

#include <algorithm>
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

/// The floats of row `row`, padding included.
inline std::span<float> row_of(const micro_batch_rows& rows, std::int32_t row) {
  const std::size_t stride = static_cast<std::size_t>(rows.row_stride);
  return rows.features.subspan(static_cast<std::size_t>(row) * stride, stride);
}

/// Zeroes the padding of the first `valid` rows, and all of the others with their labels.
inline void clear_unused(const micro_batch_rows& rows, std::int32_t valid) {
  for (std::int32_t row = 0; row < rows.micro_batch; ++row) {
    const std::size_t used = static_cast<std::size_t>(row < valid ? rows.sample_elements : 0);
    const std::span<float> unused = row_of(rows, row).subspan(used);
    std::fill(unused.begin(), unused.end(), 0.0f);
  }
  if (!rows.labels.empty()) {
    const std::span<std::int32_t> unused = rows.labels.subspan(static_cast<std::size_t>(valid));
    std::fill(unused.begin(), unused.end(), 0);
  }
}

}  // namespace feeds

/// The samples of a data set in the order of a stream. Refers to the data, which must outlive it.
template <dataset Data>
class dataset_feed {
 public:
  /// `order` gives numbers below `data.size()`; `make_feed` makes one that does.
  dataset_feed(const Data& data, index_stream order) : data_(&data), order_(std::move(order)) {}

  std::int32_t next(const micro_batch_rows& rows) {
    std::int32_t valid = 0;
    std::uint32_t index = 0;
    while (valid < rows.micro_batch && order_.next(index)) {
      data_->gather(index, feeds::row_of(rows, valid).data());
      if (!rows.labels.empty()) {
        rows.labels[static_cast<std::size_t>(valid)] = data_->label(index);
      }
      ++valid;
    }
    feeds::clear_unused(rows, valid);
    return valid;
  }

  void restart() { order_.restart(); }

  std::int64_t sample_elements() const { return Data::sample_shape.elements(); }

  std::int32_t classes() const { return Data::classes; }

  std::optional<std::int64_t> length() const { return order_.length(); }

 private:
  const Data* data_;
  index_stream order_;
};

/// Samples that lie in plain arrays, in order, once. Refers to them; they must outlive it.
class batch_feed {
 public:
  /// `features` [samples, sample_elements], `labels` [samples] in [0, classes), or no labels and no
  /// classes. Throws `error` if the two do not belong together or a label is no class.
  batch_feed(std::span<const float> features, std::int64_t sample_elements,
             std::span<const std::int32_t> labels = {}, std::int32_t classes = 0)
      : features_(features), sample_elements_(sample_elements), labels_(labels), classes_(classes) {
    check_features();
    check_labels();
  }

  std::int32_t next(const micro_batch_rows& rows) {
    const std::int64_t left = samples() - position_;
    const std::int32_t valid =
        static_cast<std::int32_t>(std::min<std::int64_t>(rows.micro_batch, left));
    const std::size_t elements = static_cast<std::size_t>(sample_elements_);
    for (std::int32_t row = 0; row < valid; ++row) {
      const std::size_t sample = static_cast<std::size_t>(position_ + row);
      const std::span<const float> values = features_.subspan(sample * elements, elements);
      std::copy(values.begin(), values.end(), feeds::row_of(rows, row).begin());
      if (!rows.labels.empty()) {
        rows.labels[static_cast<std::size_t>(row)] = labels_.empty() ? 0 : labels_[sample];
      }
    }
    position_ += valid;
    feeds::clear_unused(rows, valid);
    return valid;
  }

  void restart() { position_ = 0; }

  std::int64_t sample_elements() const { return sample_elements_; }

  std::int32_t classes() const { return classes_; }

  std::optional<std::int64_t> length() const { return samples(); }

 private:
  std::int64_t samples() const {
    return static_cast<std::int64_t>(features_.size()) / sample_elements_;
  }

  void check_features() const {
    if (sample_elements_ < 1 ||
        features_.size() % static_cast<std::size_t>(sample_elements_) != 0) {
      throw error("A batch of " + std::to_string(features_.size()) +
                  " values does not divide into samples of " + std::to_string(sample_elements_) +
                  ".");
    }
  }

  void check_labels() const {
    if ((classes_ != 0 || !labels_.empty()) &&
        labels_.size() != static_cast<std::size_t>(samples())) {
      throw error("A batch of " + std::to_string(samples()) + " samples got " +
                  std::to_string(labels_.size()) + " labels.");
    }
    for (const std::int32_t found : labels_) {
      if (found < 0 || found >= classes_) {
        throw error("A batch has the label " + std::to_string(found) + "; expected 0 to " +
                    std::to_string(classes_ - 1) + ".");
      }
    }
  }

  std::span<const float> features_;  // [samples, sample_elements]
  std::int64_t sample_elements_;
  std::span<const std::int32_t> labels_;  // [samples] or empty
  std::int32_t classes_;
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
