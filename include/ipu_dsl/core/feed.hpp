// SPDX-License-Identifier: MIT
// Where a session gets its samples from: the concept of a feed and a reference to any of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Where a feed writes one micro-batch. Rows are `row_stride` floats apart, because inside a
/// session they are padded to whole vectors.
struct micro_batch_rows {
  std::span<float> features;         ///< [micro_batch, row_stride]
  std::span<std::int32_t> labels;    ///< [micro_batch]; empty if nobody asks for labels
  std::int32_t micro_batch = 0;      ///< rows
  std::int32_t sample_elements = 0;  ///< floats of a row that belong to the sample
  std::int32_t row_stride = 0;       ///< floats from row to row, at least `sample_elements`
};

/// What a session pulls micro-batches from. Nothing here may allocate: it runs within `fit`. A
/// session refuses what is not as it says, and a feed that asks something of the session that asks
/// it.
/// - `next(rows)`: writes the next samples from the first row on, sets the padding behind every
///   sample and every row and label without a sample to zero, and returns how many samples it
///   wrote; fewer than `rows.micro_batch` only at the end, 0 when there is nothing left.
/// - `restart()`: begins the next pass over the data; shuffled data come in a new order.
/// - `sample_elements()`: the floats of one sample.
/// - `classes()`: labels lie in [0, classes()); 0 if there are no labels.
/// - `length()`: the samples of one pass, no value if it never ends.
/// Model: `dataset_feed`. Not a model: a data set itself, which has no place in it.
template <typename T>
concept feed = requires(T& source, const T& constant, const micro_batch_rows& rows) {
  { source.next(rows) } -> std::same_as<std::int32_t>;
  { source.restart() } -> std::same_as<void>;
  { constant.sample_elements() } -> std::same_as<std::int64_t>;
  { constant.classes() } -> std::same_as<std::int32_t>;
  { constant.length() } -> std::same_as<std::optional<std::int64_t>>;
};

/// Refers to any feed, so that a session is compiled once and not once for each kind of data. It
/// neither owns nor allocates; the feed must outlive it. Itself a feed.
class feed_reference {
 public:
  template <feed Feed>
    requires(!std::same_as<Feed, feed_reference>)
  feed_reference(Feed& source)
      : source_(std::addressof(source)),
        next_([](void* object, const micro_batch_rows& rows) {
          return static_cast<Feed*>(object)->next(rows);
        }),
        restart_([](void* object) { static_cast<Feed*>(object)->restart(); }),
        sample_elements_(source.sample_elements()),
        classes_(source.classes()),
        length_(source.length()) {}

  std::int32_t next(const micro_batch_rows& rows) { return next_(source_, rows); }

  void restart() { restart_(source_); }

  std::int64_t sample_elements() const { return sample_elements_; }

  std::int32_t classes() const { return classes_; }

  std::optional<std::int64_t> length() const { return length_; }

 private:
  void* source_;
  std::int32_t (*next_)(void* object, const micro_batch_rows& rows);
  void (*restart_)(void* object);
  std::int64_t sample_elements_;
  std::int32_t classes_;
  std::optional<std::int64_t> length_;
};

}  // namespace ipu_dsl
