// SPDX-License-Identifier: MIT
// Where a session gets its samples from: the concept of a feed and a reference to any of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <ipu_dsl/core/source_form.hpp>
#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Where a feed writes one of its sources for a micro-batch. Rows are `stride` numbers apart,
/// because inside a session those of floats are padded to whole vectors.
struct source_rows {
  dtype type = dtype::float32;
  void* first = nullptr;      ///< [micro_batch, stride]
  std::int32_t elements = 0;  ///< of a row that belong to the sample
  std::int32_t stride = 0;    ///< from row to row, at least `elements`

  /// A row of floats with its padding: [stride].
  std::span<float> floats(std::int32_t row) const {
    return {static_cast<float*>(first) + std::ptrdiff_t{row} * stride, width()};
  }

  /// A row of integers: [stride].
  std::span<std::int32_t> integers(std::int32_t row) const {
    return {static_cast<std::int32_t*>(first) + std::ptrdiff_t{row} * stride, width()};
  }

  /// A row of bytes: [stride].
  std::span<std::uint8_t> bytes(std::int32_t row) const {
    return {static_cast<std::uint8_t*>(first) + std::ptrdiff_t{row} * stride, width()};
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(stride); }
};

/// Where a feed writes one micro-batch: the inputs of the model, then the targets of its loss
/// and what samples count, unless nobody asks for these.
struct feed_rows {
  std::span<const source_rows> sources;
  std::int32_t micro_batch = 0;  ///< rows of each
};

/// What a session pulls micro-batches from. Nothing here may allocate: it runs within `fit`. A
/// session refuses what is not as it says, and a feed that asks something of the session that asks
/// it.
/// - `next(rows)`: writes the next samples from the first row on, sets the padding behind every
///   sample and every row without a sample to zero, and returns how many samples it wrote; fewer
///   than `rows.micro_batch` only at the end, 0 when there is nothing left.
/// - `restart()`: begins the next pass over the data; shuffled data come in a new order.
/// - `sources()`: what it gives, inputs first, then targets, then weights, in memory that lasts as
///   it does.
/// - `length()`: the samples of one pass, no value if it never ends.
/// Model: `dataset_feed`. Not a model: a data set itself, which has no place in it.
template <typename T>
concept feed = requires(T& source, const T& constant, const feed_rows& rows) {
  { source.next(rows) } -> std::same_as<std::int32_t>;
  { source.restart() } -> std::same_as<void>;
  { constant.sources() } -> std::same_as<std::span<const source_form>>;
  { constant.length() } -> std::same_as<std::optional<std::int64_t>>;
};

/// Refers to any feed, so that a session is compiled once and not once for each kind of data. It
/// neither owns nor allocates; the feed must outlive it. Itself a feed.
class feed_reference {
 public:
  template <feed Feed>
    requires(!std::same_as<Feed, feed_reference>)
  feed_reference(Feed& source)
      : source_(__builtin_addressof(source)),
        next_([](void* object, const feed_rows& rows) {
          return static_cast<Feed*>(object)->next(rows);
        }),
        restart_([](void* object) { static_cast<Feed*>(object)->restart(); }),
        sources_(source.sources()),
        length_(source.length()) {}

  std::int32_t next(const feed_rows& rows) { return next_(source_, rows); }

  void restart() { restart_(source_); }

  std::span<const source_form> sources() const { return sources_; }

  std::optional<std::int64_t> length() const { return length_; }

 private:
  void* source_;
  std::int32_t (*next_)(void* object, const feed_rows& rows);
  void (*restart_)(void* object);
  std::span<const source_form> sources_;
  std::optional<std::int64_t> length_;
};

}  // namespace ipu_dsl
