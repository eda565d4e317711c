// SPDX-License-Identifier: MIT
// Where a session gets its samples from: the concept of a feed and a reference to any of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
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

/// The sources of a micro-batch that are asked for, which may be fewer than a feed has.
class asked_sources : public std::span<const source_rows> {
 public:
  using std::span<const source_rows>::span;

  constexpr asked_sources(std::span<const source_rows> all) : std::span<const source_rows>(all) {}

  /// Throws `error` for one that is not asked for.
  const source_rows& operator[](std::size_t index) const {
    if (index >= size()) {
      refuse(index);
    }
    return data()[index];
  }

 private:
  [[noreturn, gnu::cold]] void refuse(std::size_t index) const {
    raise_error({"A feed was asked for ", size(), size() == 1 ? " source" : " sources",
                 " and writes rows.sources[", index,
                 "]: predict asks for the inputs of a model "
                 "alone. Hint: write the targets if (rows.sources.size() > ",
                 index, ")"});
  }
};

/// Where a feed writes one micro-batch: the inputs of the model, then the targets of its loss
/// and what samples count, unless nobody asks for these, as `predict` does not.
struct feed_rows {
  asked_sources sources;
  std::int32_t micro_batch = 0;  ///< rows of each
};

/// Says whether rows that were asked for are still wanted: no more once the run that they are for
/// has failed elsewhere, or what asked for them ends. A plain pair, so that this header needs no
/// atomics; without anybody to ask nobody stops.
struct stop_token {
  const void* asked = nullptr;
  bool (*answer)(const void* asked) = nullptr;

  /// True from the request on; to be asked again whenever a feed that waits is woken.
  bool requested() const { return answer != nullptr && answer(asked); }
};

/// A feed that may wait in `next`, for another thread or for a device, and takes a stop token
/// there. Once a stop is requested it returns at once, what it likes: nobody reads it. Where
/// looking at the token now and then is not enough it has a `wake()`, noexcept, which is called
/// from another thread then and sends whoever waits in `next` to look.
template <typename T>
concept stoppable_feed = requires(T& source, const feed_rows& rows, const stop_token& stop) {
  { source.next(rows, stop) } -> std::same_as<std::int32_t>;
};

/// What a session pulls micro-batches from. Nothing here may allocate: it runs within `fit`. A
/// session refuses what is not as it says, and a feed that asks something of the session that asks
/// it.
/// - `next(rows)`: writes the next samples from the first row on, sets the padding behind every
///   sample and every row without a sample to zero, and returns how many samples it wrote; fewer
///   than `rows.micro_batch` only at the end, 0 when there is nothing left. One that may wait there
///   is `next(rows, stop)`: see `stoppable_feed`.
/// - `restart()`: begins the next pass over the data; shuffled data come in a new order.
/// - `sources()`: what it gives, inputs first, then targets, then weights, in memory that lasts as
///   it does.
/// - `length()`: the samples of one pass, no value if it never ends.
/// Model: `dataset_feed`. Not a model: a data set itself, which has no place in it.
template <typename T>
concept feed = (stoppable_feed<T> || requires(T& source, const feed_rows& rows) {
                 { source.next(rows) } -> std::same_as<std::int32_t>;
               }) && requires(T& source, const T& constant) {
  { source.restart() } -> std::same_as<void>;
  { constant.sources() } -> std::same_as<std::span<const source_form>>;
  { constant.length() } -> std::same_as<std::optional<std::int64_t>>;
};

/// Where a feed stands: numbers that mean something to feeds of its kind alone.
using feed_position = list<std::uint64_t>;

/// A feed that says where it stands and can be put there again, so that training which is saved in
/// the midst of its data goes on there. `position()` is asked between two micro-batches; behind
/// `go_to(where)` comes what would have come then, in every bit. It throws `error` for what is no
/// position in these data, and changes nothing. One that stands in front of any other feed may have
/// a `bool has_position()` as well, false where that one is no `placed_feed`.
template <typename T>
concept placed_feed =
    feed<T> && requires(T& source, const T& constant, list_view<std::uint64_t> where) {
      { constant.position() } -> std::same_as<feed_position>;
      { source.go_to(where) } -> std::same_as<void>;
    };

/// Whether this feed says where it stands.
template <feed Feed>
bool says_position(const Feed& source) {
  if constexpr (!placed_feed<Feed>) {
    return false;
  } else if constexpr (requires { source.has_position(); }) {
    return source.has_position();
  } else {
    return true;
  }
}

/// Refers to any feed, so that a session is compiled once and not once for each kind of data. It
/// neither owns nor allocates; the feed must outlive it. Itself a feed.
class feed_reference {
 public:
  template <feed Feed>
    requires(!std::same_as<Feed, feed_reference>)
  feed_reference(Feed& source)
      : source_(__builtin_addressof(source)),
        next_(&next_of<Feed>),
        restart_([](void* object) { static_cast<Feed*>(object)->restart(); }),
        wake_(&wake_of<Feed>),
        sources_(source.sources()),
        length_(source.length()) {
    if constexpr (placed_feed<Feed>) {
      if (!says_position(source)) {
        return;
      }
      position_ = [](const void* object) { return static_cast<const Feed*>(object)->position(); };
      go_to_ = [](void* object, list_view<std::uint64_t> where) {
        static_cast<Feed*>(object)->go_to(where);
      };
    }
  }

  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    return next_(source_, rows, stop);
  }

  void restart() { restart_(source_); }

  /// From another thread, behind a request to stop: whoever waits in `next` looks at its token.
  void wake() noexcept { wake_(source_); }

  std::span<const source_form> sources() const { return sources_; }

  std::optional<std::int64_t> length() const { return length_; }

  /// Whether the feed says where it stands: only then it can be asked for what follows. Those have
  /// other names than the feed's, because not every reference is one of a `placed_feed`.
  bool has_position() const { return position_ != nullptr; }

  /// Throws `error` for a feed that does not say where it stands.
  void require_position() const {
    if (!has_position()) {
      raise_error(
          "This feed does not say where it stands: it has no position() and go_to(...); see "
          "placed_feed.");
    }
  }

  /// Where the feed stands. Throws `error` for one that does not say so.
  feed_position position_of_feed() const {
    require_position();
    return position_(source_);
  }

  /// Puts the feed there. Throws `error` for one that does not say where it stands, and what the
  /// feed throws for what is no position in its data; both change nothing.
  void put_feed_at(list_view<std::uint64_t> where) const {
    require_position();
    go_to_(source_, where);
  }

 private:
  template <typename Feed>
  static std::int32_t next_of(void* object, const feed_rows& rows, const stop_token& stop) {
    if constexpr (stoppable_feed<Feed>) {
      return static_cast<Feed*>(object)->next(rows, stop);
    } else {
      return static_cast<Feed*>(object)->next(rows);
    }
  }

  template <typename Feed>
  static void wake_of(void* object) noexcept {
    if constexpr (requires(Feed& source) { source.wake(); }) {
      static_cast<Feed*>(object)->wake();
    }
  }

  void* source_;
  std::int32_t (*next_)(void* object, const feed_rows& rows, const stop_token& stop);
  void (*restart_)(void* object);
  void (*wake_)(void* object) noexcept;
  std::span<const source_form> sources_;
  std::optional<std::int64_t> length_;
  feed_position (*position_)(const void* object) = nullptr;
  void (*go_to_)(void* object, list_view<std::uint64_t> where) = nullptr;
};

}  // namespace ipu_dsl
