// SPDX-License-Identifier: MIT
// Data and feeds that are read ahead, `run.fit(prefetched(data | shuffled(1000) | repeated(), 1))`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/queues/feed_anchors.hpp>
#include <ipu_dsl/queues/infeed_memory.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/queues/woken_infeed.hpp>

namespace ipu_dsl {

/// How far ahead `prefetched` reads.
struct prefetch_options {
  std::int32_t depth = 3;  ///< micro-batches that wait at most, 1 to 255
};

/// A feed and the queue in front of it, in one: itself a feed, which `prefetched` makes. What an
/// `infeed_queue` says of order, of passes and of what is thrown holds here. The queue is made,
/// with its memory and its thread, when it is first asked, since only then it is known how many
/// samples a micro-batch has; another size later is refused with an `error`. From then on the feed
/// is the thread's. It may be moved as long as nobody asks it.
template <feed Source>
class prefetched_feed {
 public:
  /// Throws `error` for a depth other than 1 to 255.
  prefetched_feed(Source source, const prefetch_options& options)
      : parts_(std::make_unique<parts>(std::move(source), options)) {
    infeed_queue::check_depth(options.depth);
  }

  /// The next micro-batch; waits for the thread. Throws what the feed threw in its place.
  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    if (!parts_->queue) {
      make_queue_for(rows);
    }
    const std::int32_t valid = parts_->queue->next(rows, stop);
    // Behind the end a session asks for one sample, which says nothing of its micro-batches.
    if (valid == 0 && parts_->queue->found_nothing()) {
      parts_->queue.replace(nullptr);
    }
    return valid;
  }

  /// Begins the feed's next pass; what waits of this one is dropped.
  void restart() {
    if (parts_->queue) {
      parts_->queue->restart();
    } else {
      parts_->drop_skipped();
      parts_->source.restart();
    }
  }

  /// Whether the feed says where it stands. What follows throws `error` where it does not.
  bool has_position() const { return parts_->known.has_position(); }

  /// Where training stands in the data, however far they are read ahead.
  feed_position position() const {
    if (parts_->queue) {
      return parts_->queue->position();
    }
    const feed_position where = parts_->known.position_of_feed();
    const auto size = static_cast<std::uint64_t>(parts_->skipped_size);
    return infeed_place{parts_->to_skip, size, where}.words();
  }

  /// As `infeed_queue::go_to`. As long as nobody has asked, a place of micro-batches of any size is
  /// taken, and who asks for others than had been taken there is refused. Throws `error` for more
  /// micro-batches than the data have as well, and changes nothing.
  void go_to(list_view<std::uint64_t> where) {
    if (parts_->queue && parts_->queue->has_begun()) {
      parts_->queue->go_to(where);
      return;
    }
    parts_->known.require_position();
    const infeed_place place = infeed_place::of(where);
    check_elements(place);
    parts_->known.put_feed_at(place.of_feed);
    parts_->queue.replace(nullptr);
    parts_->to_skip = place.elements;
    parts_->skipped_size = static_cast<std::int32_t>(place.micro_batch);
  }

  /// Sends whoever waits in `next` to look at its stop token; from another thread.
  void wake() noexcept { parts_->queue.wake(); }

  std::span<const source_form> sources() const { return parts_->known.sources(); }

  std::optional<std::int64_t> length() const { return parts_->known.length(); }

  /// How many micro-batches wait at this moment: 0 whenever the data are slower than the model.
  std::int32_t waiting() const { return parts_->queue ? parts_->queue->waiting() : 0; }

 private:
  /// All micro-batches but the last are whole.
  void check_elements(const infeed_place& place) const {
    const std::optional<std::int64_t> samples = length();
    if (!samples || place.elements == 0) {
      return;
    }
    const std::uint64_t whole = (place.elements - 1) * place.micro_batch;
    if (whole > 0 && whole >= static_cast<std::uint64_t>(*samples)) {
      raise_error({"This is no position in ", *samples, " samples: ", place.elements,
                   " micro-batches of ", place.micro_batch, " are more."});
    }
  }

  /// Of the size that was taken before, which is refused before there is memory for it.
  void make_queue_for(const feed_rows& rows) {
    if (parts_->to_skip > 0 && rows.micro_batch > 1) {
      infeed_queue::check_micro_batch(rows, parts_->skipped_size);
    }
    parts_->make_queue(parts_->to_skip > 0 ? parts_->skipped_size : rows.micro_batch);
  }

  struct parts {
    parts(Source taken, const prefetch_options& options)
        : source(std::move(taken)), known(source), depth(options.depth) {}

    void make_queue(std::int32_t micro_batch) {
      const infeed_options options{.micro_batch = micro_batch, .depth = depth};
      auto made = std::make_unique<infeed_queue>(source, options);
      if (to_skip > 0) {
        made->skip(to_skip);
      }
      queue.replace(std::move(made));
      to_skip = 0;
    }

    /// Takes from the feed what no queue will skip any more, for a pass may begin elsewhere where
    /// the one before had not come so far. Whoever asks then does so for any size.
    void drop_skipped() {
      const std::int32_t at_once = (std::min)(skipped_size, most_dropped_at_once);
      const infeed_memory dropped(known.sources(), at_once, 1);
      for (; to_skip > 0; --to_skip) {
        for (std::int32_t left = skipped_size; left > 0;) {
          const std::int32_t asked = (std::min)(left, at_once);
          if (known.next({dropped.rows(0), asked}) <= 0) {
            to_skip = 0;
            return;
          }
          left -= asked;
        }
      }
    }

    /// Samples, so that a place bounds no memory.
    static constexpr std::int32_t most_dropped_at_once = 1024;

    Source source;
    feed_reference known;  ///< what it said before there was a thread
    std::int32_t depth;
    std::uint64_t to_skip = 0;      ///< elements, by the queue that is not there yet
    std::int32_t skipped_size = 0;  ///< samples of each
    woken_infeed queue;             ///< ends before what it takes from
  };

  std::unique_ptr<parts> parts_;
};

/// Data, or data in an order, that are read ahead on a thread of their own, in the order and with
/// the numbers of `make_feed(data, seed)`: no bit depends on it. Data with a name are referred to
/// and must outlive it, others are taken in.
///
///   run.fit(prefetched(digits.train | shuffled(10'000) | repeated(), 1), {.steps_per_epoch =
///   500});
///
/// Throws `error` for a depth other than 1 to 255.
template <typename Data>
  requires(dataset<dataset_of<Data>> && !feed<std::remove_cvref_t<Data>>)
auto prefetched(Data&& data, std::uint64_t seed, const prefetch_options& options = {}) {
  auto made = make_feed(std::forward<Data>(data), seed);
  return prefetched_feed<decltype(made)>(std::move(made), options);
}

/// The same of a feed, one of one's own as well: with a name it is referred to, must outlive what
/// is made and is left alone meanwhile; without one it is taken in. A feed that waits, for a device
/// or another thread, takes the stop token that it is given.
template <typename Source>
  requires feed<std::remove_reference_t<Source>>
auto prefetched(Source&& source, const prefetch_options& options = {}) {
  if constexpr (std::is_lvalue_reference_v<Source>) {
    return prefetched_feed<feed_reference>(feed_reference(source), options);
  } else {
    return prefetched_feed<Source>(std::forward<Source>(source), options);
  }
}

/// What is wrong with what is to be read ahead.
template <typename First, typename... Behind>
struct prefetched_fault_of {
  static constexpr problem find() {
    problem found = refuse("data and a seed, or a feed", type_name<std::remove_cvref_t<First>>(),
                           "write prefetched(data | shuffled(1000), 1)");
    if constexpr (feed<std::remove_cvref_t<First>>) {
      constexpr bool constant = std::is_const_v<std::remove_reference_t<First>>;
      found.got = constant ? "a constant feed" : "something else behind a feed, which has its seed";
      found.hint = constant ? "write auto source = make_feed(...), without const"
                            : "write prefetched(source) or prefetched(source, {.depth = 3})";
    } else if constexpr (dataset<dataset_of<First>>) {
      constexpr bool seedless = (std::same_as<Behind, prefetch_options> && ...);
      found.got = seedless ? "data without a seed" : "something else behind data";
    }
    found.where = "prefetched";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: anything else.
template <typename First, typename... Behind>
  requires(!(feed<std::remove_reference_t<First>> && sizeof...(Behind) == 0) &&
           !(dataset<dataset_of<First>> && sizeof...(Behind) == 1))
refused_data prefetched(First&&, const Behind&...) {
  if constexpr (!std::same_as<std::remove_cvref_t<First>, refused_data>) {
    static_assert(diagnose<prefetched_fault_of<First, Behind...>>());
  }
  return {};
}

/// The same of options where the seed of data is wanted: `prefetched(data, {.depth = 8})`.
template <typename First>
  requires(!feed<std::remove_reference_t<First>>)
refused_data prefetched(First&&, const prefetch_options&) {
  if constexpr (!std::same_as<std::remove_cvref_t<First>, refused_data>) {
    static_assert(diagnose<prefetched_fault_of<First, prefetch_options>>());
  }
  return {};
}

}  // namespace ipu_dsl
