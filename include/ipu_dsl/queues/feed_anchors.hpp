// SPDX-License-Identifier: MIT
// Where a feed stood that a queue has since read ahead of.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>

namespace ipu_dsl {

/// Where a feed stood when so many elements of a queue had been taken from it.
struct feed_anchor {
  std::uint64_t element = 0;
  feed_position where;
};

/// The last anchors of a queue's feed. A place in the queue is an anchor and how many elements lie
/// behind it. Whoever asks for one wants a nearer anchor for the next time: so no feed is asked
/// where it stands but for those who save it, and who goes on at a place makes again what lies
/// between two savings at most; of the first saving, all since the pass began.
class feed_anchors {
 public:
  /// Forgets all others: a pass begins here, or the feed was put here.
  void begin(feed_anchor first) {
    const std::lock_guard turn(turn_);
    last_ = std::move(first);
    next_.reset();
    wanted_.store(false, std::memory_order_relaxed);
  }

  /// For whoever takes from the feed: whether somebody wants to know where it stands.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

  /// Where it stands, behind `wanted`.
  void add(feed_anchor nearer) {
    const std::lock_guard turn(turn_);
    next_ = std::move(nearer);
    wanted_.store(false, std::memory_order_relaxed);
  }

  /// Instead: it could not say so. What there is goes on being right.
  void decline() { wanted_.store(false, std::memory_order_relaxed); }

  /// The nearest one that does not lie behind this element.
  feed_anchor before(std::uint64_t element) {
    const std::lock_guard turn(turn_);
    if (next_ && next_->element <= element) {
      last_ = std::move(*next_);
      next_.reset();
    }
    wanted_.store(!next_, std::memory_order_relaxed);
    return last_;
  }

 private:
  std::mutex turn_;
  feed_anchor last_;
  std::optional<feed_anchor> next_;  ///< which the reader had not come to
  std::atomic<bool> wanted_{false};
};

/// A place in what an infeed gives: that of its feed, and what was taken from there.
struct infeed_place {
  std::uint64_t elements = 0;     ///< behind the place of the feed
  std::uint64_t micro_batch = 0;  ///< samples of each, where there are any
  list_view<std::uint64_t> of_feed;

  /// What positions of infeeds begin with, so that those of other feeds are told from them.
  static constexpr std::uint64_t mark = 0x646565666E69;

  feed_position words() const {
    feed_position all{mark, elements, elements > 0 ? micro_batch : 0};
    for (const std::uint64_t word : of_feed) {
      all.push_back(word);
    }
    return all;
  }

  /// Refers to the words. Those of a feed without a queue are a place as well: nothing was taken
  /// since. Throws `error` for what no infeed says.
  static infeed_place of(list_view<std::uint64_t> where) {
    constexpr std::size_t head = 3;
    constexpr std::uint64_t most = 0x7FFFFFFF;
    if (where.empty() || where[0] != mark) {
      return {0, 0, where};
    }
    if (where.size() < head || where[1] > most || where[2] > most ||
        (where[1] > 0 && where[2] == 0)) {
      raise_error("This is no position behind an infeed.");
    }
    return {where[1], where[2], {where.data() + head, where.size() - head}};
  }
};

}  // namespace ipu_dsl
